//! The flags of a repro file.

use super::ReproError;
use crate::isa::any::LiftOptions;
use crate::options::{ByName, GivenOptions, Opt, Reading, Value};
use crate::word::Unknown;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How the programs of a repro file are read, and what they mean where that is open: options by the names that they have
/// as flags of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// How they are read, and which of several is run.
    pub reading: GivenOptions<Reading>,
    /// What they mean.
    pub lifting: GivenOptions<LiftOptions>,
}

impl Flags {
    /// Of how programs are read, and what they mean.
    #[must_use]
    pub fn new(reading: GivenOptions<Reading>, lifting: GivenOptions<LiftOptions>) -> Self {
        Self { reading, lifting }
    }

    /// Reads words of a command line: `--numerics`, `ieee`, or `--numerics=ieee` in one.
    ///
    /// ```
    /// # #[cfg(feature = "agal")] {
    /// use vecasm::repro::Flags;
    ///
    /// let flags = Flags::parse(&["--stage=fragment", "--numerics", "ieee"])?;
    /// assert_eq!(flags.words(), ["--stage", "fragment", "--numerics", "ieee"]);
    /// assert_eq!(Flags::parse(&["--stage"]).unwrap_err().to_string(), "$.flags[0]: --stage needs a value");
    /// # }
    /// # Ok::<(), vecasm::repro::ReproError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// With the place of the word: it is no flag, there is none of that name in this build, it lacks its value or does not take it,
    /// or it is given twice and may not be.
    pub fn parse(words: &[impl AsRef<str>]) -> Result<Self, ReproError> {
        let (mut out, mut seen) = (Self::default(), Vec::new());
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let wrong = |what: &dyn fmt::Display| ReproError::new(format!("$.flags[{at}]"), what);
            let Some(flag) = word.as_ref().strip_prefix("--") else {
                return Err(wrong(&"expected a flag, such as --numerics"));
            };
            let (name, value) =
                flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
            let next = words.get(at + 1).map(AsRef::as_ref);
            let mut reader = Reader { name, value, next, took: 1, seen: &mut seen };
            let known = reader.add_option(&mut out.reading).map_err(|why| wrong(&why))?
                || reader.add_option(&mut out.lifting).map_err(|why| wrong(&why))?;
            if !known {
                let names = names::<Reading>().chain(names::<LiftOptions>());
                return Err(wrong(&Unknown::new("flag", name, names)));
            }
            at += reader.took;
        }
        Ok(out)
    }

    /// The words, in the order of the table of options.
    pub fn words(&self) -> Vec<String> {
        let mut out = self.reading.words();
        out.extend(self.lifting.words());
        out
    }
}

fn names<T: ByName>() -> impl Iterator<Item = &'static str> {
    T::rows().map(|row| row.option.name)
}

/// A flag, and the word behind it.
struct Reader<'w> {
    name: &'w str,
    /// The value behind `=`.
    value: Option<&'w str>,
    next: Option<&'w str>,
    /// How many words it takes.
    took: usize,
    /// The names of the flags so far, those with the value that holds anyway too.
    seen: &'w mut Vec<&'static str>,
}

impl<'w> Reader<'w> {
    /// Adds the flag to the options of a kind; `false` if they have none of that name.
    fn add_option<T: ByName>(&mut self, to: &mut GivenOptions<T>) -> Result<bool, String> {
        let Ok(row) = T::row(self.name) else { return Ok(false) };
        let value = self.value_of(&row.option)?;
        let is_again = self.seen.contains(&row.option.name);
        if !is_again {
            self.seen.push(row.option.name);
        }
        if is_again && !row.option.several && !row.option.commas {
            return Err(format!("--{} is given twice", self.name));
        }
        // What holds anyway is no matter.
        if row.option.default.is_empty() || value != row.option.default {
            to.set(self.name, value).map_err(|error| format!("--{error}"))?;
        }
        Ok(true)
    }

    fn value_of(&mut self, option: &Opt) -> Result<&'w str, String> {
        if matches!(option.value, Value::Switch) {
            return match self.value {
                Some(_) => Err(format!("--{} takes no value", option.name)),
                None => Ok("true"),
            };
        }
        if let Some(value) = self.value {
            return Ok(value);
        }
        self.took = 2;
        let value = self.next.filter(|next| !next.starts_with('-') || *next == "-");
        value.ok_or_else(|| format!("--{} needs a value", option.name))
    }
}
