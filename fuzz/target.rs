//! What every target is: a property of `tests/properties.rs`, asked by libFuzzer, or, as an ordinary program, about
//! the files named on the command line.

#[path = "../tests/properties.rs"]
#[allow(dead_code, reason = "the test suite uses the rest")]
mod properties;

use properties::{PROPERTIES, Seen};

/// Asks the property `name` about `data`.
///
/// # Panics
///
/// Where the property does not hold, and where there is none of that name.
pub fn ask(name: &str, data: &[u8]) {
    counted(name, data, &mut Seen::default());
}

fn counted(name: &str, data: &[u8], seen: &mut Seen) {
    let property = PROPERTIES.iter().find(|p| p.name == name).expect("a target has the name of a property");
    seen.count("cases");
    (property.check)(data, seen);
}

/// The ordinary program: asks about each file, and says what was exercised.
#[cfg(not(fuzzing))]
pub fn main(name: &str) {
    let mut seen = Seen::default();
    for file in std::env::args().skip(1) {
        match std::fs::read(&file) {
            Ok(data) => counted(name, &data, &mut seen),
            Err(why) => {
                eprintln!("error: {file}: {why}");
                std::process::exit(2);
            }
        }
    }
    let counts: Vec<String> = seen.iter().map(|(what, n)| format!("{n} {what}")).collect();
    println!("{name}: {}", if counts.is_empty() { "no file given".to_string() } else { counts.join(", ") });
}

/// The target of the property of that name.
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::ask($name, data));

        #[cfg(not(fuzzing))]
        fn main() {
            $crate::main($name);
        }
    };
}
