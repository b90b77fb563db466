//! What `nv2avsh` and `nv2avshd` share: the command line of nv2a-vsh 0.1.12, read as Python's argparse reads it, and
//! the files. What is done with them is the library's, in `vecasm::isa::nv2a::text::tools`.

#[allow(dead_code, reason = "the command uses the rest")]
#[path = "../writing.rs"]
mod writing;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use vecasm::isa::nv2a::text::tools::Answer;

/// An option: its letter, its name, whether it was given.
pub(crate) struct Flag {
    /// The letter behind one dash; options of ours have none.
    pub(crate) letter: Option<char>,
    /// The name behind two dashes; argparse takes any beginning of it that is no other's.
    pub(crate) name: &'static str,
    /// Whether it was given.
    pub(crate) given: bool,
}

impl Flag {
    pub(crate) const fn new(letter: Option<char>, name: &'static str) -> Self {
        Self { letter, name, given: false }
    }

    /// How argparse names it in complaints.
    fn title(&self) -> String {
        self.letter.map_or_else(|| format!("--{}", self.name), |letter| format!("-{letter}/--{}", self.name))
    }
}

/// A tool.
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: &'static str,
    /// The first line of the help.
    pub(crate) usage: &'static str,
    /// The rest of the help.
    pub(crate) help: &'static str,
}

/// How reading the arguments ends.
enum Stop {
    Help,
    Version,
    Usage(String),
}

/// Reads the arguments, calls `work` with the name and the bytes of the source, and writes what it answers.
pub(crate) fn main(
    tool: &Tool,
    flags: &mut [Flag],
    work: impl FnOnce(&[Flag], &str, &[u8]) -> Answer,
) -> ExitCode {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let (source, target) = match read(&args, flags) {
        Ok(files) => files,
        Err(Stop::Help) => {
            print!("usage: {}\n\n{}", tool.usage, tool.help);
            return ExitCode::SUCCESS;
        }
        Err(Stop::Version) => {
            println!("{} of vecasm {}, in place of nv2a-vsh 0.1.12", tool.name, env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Err(Stop::Usage(why)) => {
            eprintln!("usage: {}\n{}: error: {}", tool.usage, tool.name, vecasm::diag::printable(&why));
            return ExitCode::from(2);
        }
    };
    writing::note_input(Path::new(&source));
    let Ok(bytes) = std::fs::read(&source) else {
        eprintln!("Failed to open input file '{}'", vecasm::diag::printable(&source));
        return ExitCode::from(1);
    };
    let answer = work(flags, &source, &bytes);
    let mut err = std::io::stderr().lock();
    // Nobody is left to tell when standard error fails.
    let _ = err.write_all(answer.errors.as_bytes());
    let Some(output) = &answer.output else { return ExitCode::from(answer.status()) };
    let written = match &target {
        Some(path) => writing::Draft::create(Path::new(path)).and_then(|mut draft| {
            draft.write_all(output.as_bytes())?;
            draft.commit()
        }),
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(output.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush())
        }
    };
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let to = target.unwrap_or_else(|| "standard output".into());
            let _ = writeln!(err, "Failed to write output file '{}': {error}", vecasm::diag::printable(&to));
            ExitCode::from(1)
        }
        _ => ExitCode::from(answer.status()),
    }
}

/// The source and, if it is given, the target.
fn read(args: &[String], flags: &mut [Flag]) -> Result<(String, Option<String>), Stop> {
    let (mut files, mut unknown) = (Vec::new(), Vec::new());
    let mut only_files = false;
    for arg in args {
        // Negative numbers are no options, since none looks like one.
        let number = arg.strip_prefix('-').is_some_and(|n| n.parse::<u64>().is_ok());
        if only_files || number || arg == "-" || !arg.starts_with('-') {
            files.push(arg.clone());
        } else if arg == "--" {
            only_files = true;
        } else if !option(arg, flags)? {
            unknown.push(arg.clone());
        }
    }
    let mut files = files.into_iter();
    let source = files.next();
    let target = files.next();
    let Some(source) = source else {
        return Err(Stop::Usage("the following arguments are required: source_path".into()));
    };
    unknown.extend(files);
    if unknown.is_empty() {
        return Ok((source, target));
    }
    Err(Stop::Usage(format!("unrecognized arguments: {}", unknown.join(" "))))
}

/// Takes an option; gives whether there is such a one.
fn option(arg: &str, flags: &mut [Flag]) -> Result<bool, Stop> {
    let ignored = |title: String, value: &str| {
        Stop::Usage(format!("argument {title}: ignored explicit argument '{value}'"))
    };
    // Only as a whole: any other beginning of a word is that of an option of the original.
    if arg == "--version" {
        return Err(Stop::Version);
    }
    if let Some(long) = arg.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let all = flags.iter().map(|f| f.name).chain(["help"]);
        let mut found: Vec<&str> = all.filter(|known| known.starts_with(name)).collect();
        if found.contains(&name) {
            found = vec![name];
        }
        if let [_, _, ..] = found.as_slice() {
            let found: Vec<String> = found.iter().map(|name| format!("--{name}")).collect();
            return Err(Stop::Usage(format!("ambiguous option: {arg} could match {}", found.join(", "))));
        }
        return match (found.first().copied(), value) {
            (None, _) => Ok(false),
            (Some("help"), None) => Err(Stop::Help),
            (Some("help"), Some(value)) => Err(ignored("-h/--help".into(), value)),
            (Some(name), value) => {
                let Some(flag) = flags.iter_mut().find(|flag| flag.name == name) else { return Ok(false) };
                if let Some(value) = value {
                    return Err(ignored(flag.title(), value));
                }
                flag.given = true;
                Ok(true)
            }
        };
    }
    // Letters, one behind the other. What is no letter of an option is taken for the value of the one in front.
    let mut last: Option<String> = None;
    let letters = arg.strip_prefix('-').unwrap_or("");
    for (at, letter) in letters.char_indices() {
        let found = flags.iter_mut().find(|flag| flag.letter == Some(letter));
        match (found, last.take()) {
            (Some(flag), _) => {
                flag.given = true;
                last = Some(flag.title());
            }
            (None, _) if letter == 'h' => return Err(Stop::Help),
            (None, None) => return Ok(false),
            (None, Some(title)) => {
                let value = letters.get(at..).unwrap_or("");
                // Only behind a single letter the sign belongs to the option.
                let value = if at == 1 { value.strip_prefix('=').unwrap_or(value) } else { value };
                return Err(ignored(title, value));
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(args: &[&str]) -> Result<(String, Option<String>, String), String> {
        let mut flags =
            [Flag::new(Some('t'), "text"), Flag::new(Some('e'), "explain"), Flag::new(None, "strict-compat")];
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        match read(&args, &mut flags) {
            Ok((source, target)) => {
                let given = flags.iter().filter(|f| f.given).map(|f| f.name).collect::<Vec<_>>();
                Ok((source, target, given.join(" ")))
            }
            Err(Stop::Usage(why)) => Err(why),
            Err(Stop::Help | Stop::Version) => Err("help".into()),
        }
    }

    /// Every line is what nv2avshd 0.1.12 was seen to do; but for the option that it does not have.
    #[test]
    fn arguments_are_read_as_argparse_reads_them() {
        let ok = |source: &str, target: Option<&str>, given: &str| {
            Ok((source.to_string(), target.map(str::to_string), given.to_string()))
        };
        assert_eq!(said(&["-t", "a", "b"]), ok("a", Some("b"), "text"));
        assert_eq!(said(&["a", "-te"]), ok("a", None, "text explain"));
        assert_eq!(said(&["--te", "a", "--strict"]), ok("a", None, "text strict-compat"));
        assert_eq!(said(&["--", "-t", "a"]), ok("-t", Some("a"), ""));
        assert_eq!(said(&["-5", "-"]), ok("-5", Some("-"), ""));
        let no = |why: &str| Err(why.to_string());
        assert_eq!(said(&["-x"]), no("the following arguments are required: source_path"));
        assert_eq!(said(&["-x", "a"]), no("unrecognized arguments: -x"));
        assert_eq!(said(&["a", "b", "c"]), no("unrecognized arguments: c"));
        assert_eq!(said(&["--foo=1", "a"]), no("unrecognized arguments: --foo=1"));
        assert_eq!(said(&["-ex", "a"]), no("argument -e/--explain: ignored explicit argument 'x'"));
        assert_eq!(said(&["-txe", "a"]), no("argument -t/--text: ignored explicit argument 'xe'"));
        assert_eq!(said(&["-t=", "a"]), no("argument -t/--text: ignored explicit argument ''"));
        assert_eq!(said(&["-te=3", "a"]), no("argument -e/--explain: ignored explicit argument '=3'"));
        assert_eq!(said(&["--ex=3", "a"]), no("argument -e/--explain: ignored explicit argument '3'"));
        assert_eq!(said(&["-h", "-x"]), no("help"));
    }
}
