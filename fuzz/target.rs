//! What every target is: a property of `tests/properties.rs`, asked by libFuzzer, or, as an ordinary program, about
//! the files named on the command line.

#[path = "../tests/properties.rs"]
#[allow(dead_code, reason = "a target asks one property")]
pub mod properties;

use properties::{PROPERTIES, Seen};

/// Asks the property `name` about `data`.
pub fn ask(name: &str, data: &[u8], seen: &mut Seen) {
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
            Ok(data) => ask(name, &data, &mut seen),
            Err(why) => {
                eprintln!("error: {file}: {why}");
                std::process::exit(2);
            }
        }
    }
    let counts: Vec<String> = seen.iter().map(|(what, n)| format!("{n} {what}")).collect();
    println!("{name}: {}", if counts.is_empty() { "no file given".to_string() } else { counts.join(", ") });
}

macro_rules! fuzz {
    ($name:literal) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            let mut seen = target::properties::Seen::default();
            target::ask($name, data, &mut seen);
        });

        #[cfg(not(fuzzing))]
        fn main() {
            target::main($name);
        }
    };
}
pub(crate) use fuzz;
