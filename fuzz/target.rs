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

/// The ordinary program: asks about each file, or with `--random SECONDS [SEED]` about random bytes for so long, and
/// says what was exercised.
#[cfg(not(fuzzing))]
pub fn main(name: &str) {
    let mut seen = Seen::default();
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.peek().is_some_and(|first| first == "--random") {
        let mut number = |at, default| arguments.nth(at).map_or(Ok(default), |text| text.parse());
        let (Ok(seconds), Ok(seed)) = (number(1, 60), number(0, 1)) else {
            eprintln!("error: --random SECONDS [SEED]: expected whole numbers");
            std::process::exit(2);
        };
        random(name, seconds, seed, &mut seen);
    }
    for file in arguments {
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

/// Asks about random bytes until the time is up. The bytes of a case that fails are printed in hexadecimal.
#[cfg(not(fuzzing))]
fn random(name: &str, seconds: u64, seed: u64, seen: &mut Seen) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
    let mut rng = properties::Rng::new(seed);
    while std::time::Instant::now() < end {
        let bytes: Vec<u8> = (0..1 + rng.below(64)).map(|_| rng.next() as u8).collect();
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| counted(name, &bytes, seen))).is_err() {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            eprintln!("error: {name} does not hold for the bytes {hex}");
            std::process::exit(1);
        }
    }
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
