//! Who judges HLSL.
//!
//! | judge | what it takes | not held against a text |
//! |---|---|---|
//! | glslang, `glslangValidator -D -V` | model 5 | what [`GAPS`] lists: legal HLSL that its front end has not, where dxc accepts the text |
//! | DirectX Shader Compiler, as HLSL 2021 | models 5 and 6, as model 6 | |
//! | D3DCompile of Wine (vkd3d-shader) | models 3 to 5 | what it says that it has not yet (E5017 and the like), and where it crashes or needs more than [`PATIENCE`]: then it says nothing |
//! | vkd3d-compiler, a newer vkd3d-shader | model 3.0 | the same |
//!
//! `xtask/hlsl/install.sh` puts the last three into the folder that `--judges` names, `target/hlsl-judges` if none does. A text that no judge has looked at is unchecked.
//! What the last one makes of a text for model 3.0 is run: see [`ran`](super::ran).

use super::{Verdict, said};
use crate::root;
use crate::wgsl_run::glslang_stage;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use vecasm::emit::hlsl::Model;
use vecasm::ir::Stage;

/// What glslang says of legal HLSL: it has no `asuint` that gives the two words of a double.
const GAPS: &[&str] =
    &["'SV_STENCILREF' : unimplemented", "'asuint' : no matching overloaded function found"];

/// What Wine's compiler says where it is not finished.
const UNFINISHED: &[&str] = &["E5017", "not implemented", "unimplemented"];

/// What it says of legal HLSL that dxc takes: intrinsics, methods and system values that it has not, the place in an array
/// of cubes, and texture reads with all of their arguments.
const UNKNOWN: &[&str] = &[
    "is not defined",
    "Unknown modifier",
    "Invalid semantic 'SV_",
    "implicitly convert from float3 to float4",
    "components in initializer",
];

/// How the news begins that a compiler has crashed, or was ended.
const ENDED: &str = "it ended: ";

/// How long a compiler may think about a text: most need some milliseconds, and Wine's does not come to an end with the loop
/// of a 64-bit division.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Where Wine is.
pub(super) fn find_wine() -> Option<PathBuf> {
    let places = ["/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine"];
    places.into_iter().map(PathBuf::from).find(|path| path.exists())
}

/// A program of the folder of judges under Wine, to which arguments can be added. It runs in that folder.
pub(super) fn under_wine(program: &Path) -> Option<Command> {
    let folder = program.parent()?;
    let mut command = Command::new(find_wine()?);
    command.arg(program).current_dir(folder);
    command.env("WINEDEBUG", "-all").env("WINEPREFIX", folder.join("prefix"));
    command.env("WINEDLLOVERRIDES", "wined3d=n,b;mscoree=;mshtml=");
    Some(command)
}

/// Where compilers are.
#[derive(Debug)]
pub(super) struct Judges {
    dxc: Option<PathBuf>,
    wine: Option<PathBuf>,
    vkd3d: Option<PathBuf>,
}

impl Judges {
    /// Finds them in the folder that `xtask/hlsl/install.sh` filled.
    pub(super) fn find(folder: &Path) -> Self {
        let there = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
        Self {
            dxc: there("libdxcompiler.so"),
            wine: there("d3dcompile.exe").filter(|_| find_wine().is_some()),
            vkd3d: there("vkd3d/vkd3d-compiler"),
        }
    }

    /// Starts them for one worker.
    pub(super) fn start(&self) -> Compilers {
        let dxc = self.dxc.as_ref().and_then(|library| {
            let mut command = Command::new("python3");
            command.arg(root().join("xtask/hlsl/dxc.py")).arg(library);
            Talk::start(command)
        });
        let wine = self.wine.as_ref().and_then(|program| {
            let mut command = under_wine(program)?;
            command.arg("d3dc.dll");
            Talk::start(command)
        });
        Compilers { dxc, wine, vkd3d: self.vkd3d.clone() }
    }

    /// What is missing, a sentence each.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let sentences = [
            (
                self.dxc.is_none(),
                "DirectX Shader Compiler is not among the judges: HLSL was not judged by it",
            ),
            (self.wine.is_none(), "Wine's D3DCompile is not among the judges: HLSL was not judged by it"),
            (self.vkd3d.is_none(), "vkd3d-compiler is not among the judges: no HLSL was run"),
        ];
        sentences.into_iter().filter(|(missing, _)| *missing).map(|(_, said)| said).collect()
    }
}

/// Compilers that run.
#[derive(Debug)]
pub(super) struct Compilers {
    dxc: Option<Talk>,
    wine: Option<Talk>,
    vkd3d: Option<PathBuf>,
}

impl Compilers {
    /// What a compiler makes of a text for model 3.0.
    ///
    /// # Errors
    ///
    /// What it says, if it rejects it.
    fn byte_code(
        &self,
        (model, stage): (Model, Stage),
        source: &str,
        file: &Path,
    ) -> Option<Result<Vec<u8>, String>> {
        let compiler = self.vkd3d.as_ref()?;
        let (file, code) = (file.with_extension("hlsl"), file.with_extension("d3dbc"));
        let io = |e: std::io::Error| format!("{}: {e}", file.display());
        Some(std::fs::write(&file, source).map_err(io).and_then(|()| {
            let profile = model.profile(stage);
            let flags = ["-x", "hlsl", "-b", "d3dbc", "-e", "main", "-p", &profile, "-o"];
            said(Command::new(compiler).args(flags).args([&code, &file]), compiler)?;
            std::fs::read(&code).map_err(io)
        }))
    }

    /// Judges a text. Gives the byte code for Direct3D 9, too, where a compiler made it.
    pub(super) fn judge(
        &mut self,
        glslang: &Option<PathBuf>,
        of: (Model, Stage),
        source: &str,
        file: &Path,
    ) -> (Verdict, Option<Vec<u8>>) {
        let mut code = None;
        let verdict = self.verdict(glslang, of, source, (file, &mut code));
        (verdict, code)
    }

    fn verdict(
        &mut self,
        glslang: &Option<PathBuf>,
        (model, stage): (Model, Stage),
        source: &str,
        (file, code): (&Path, &mut Option<Vec<u8>>),
    ) -> Verdict {
        let file = file.with_extension("hlsl");
        if let Err(why) = std::fs::write(&file, source) {
            return Verdict::Wrong(format!("{}: {why}", file.display()));
        }
        let mut accepted = false;
        let old = "4.0".parse::<Model>().is_ok_and(|first| model < first);
        if let Some(dxc) = self.dxc.as_mut().filter(|_| !old) {
            let least = "6.0".parse::<Model>().unwrap_or(model);
            let profile = model.max(least).profile(stage);
            if let Err(why) = dxc.ask(&format!("{profile} {}", file.display())) {
                return Verdict::Wrong(format!("dxc: {why}"));
            }
            accepted = true;
        }
        if old {
            match self.byte_code((model, stage), source, &file) {
                Some(Ok(made)) => (accepted, *code) = (true, Some(made)),
                Some(Err(why)) if UNFINISHED.iter().any(|text| why.contains(text)) => {}
                Some(Err(why)) => return Verdict::Wrong(format!("vkd3d-compiler: {why}")),
                None => {}
            }
        }
        // It writes a comparison for each element that a computed index may mean, and takes minutes.
        let slow = old && source.contains("[clamp(");
        let waves = "6.0".parse::<Model>().is_ok_and(|first| model >= first);
        if let Some(wine) = self.wine.as_mut().filter(|_| !slow && !waves) {
            let profile = model.profile(stage);
            let code = file.with_extension("o");
            match wine.ask(&format!("{profile} {} {}", file.display(), code.display())) {
                Ok(()) => accepted = true,
                Err(why) if why.starts_with(ENDED) => wine.restart(),
                Err(why) if accepted && UNKNOWN.iter().any(|text| why.contains(text)) => {}
                Err(why) if UNFINISHED.iter().any(|text| why.contains(text)) => {}
                Err(why) => return Verdict::Wrong(format!("D3DCompile: {why}")),
            }
        }
        if let Some(judge) = glslang.as_ref().filter(|_| !old && !waves) {
            let flags = [
                "-D",
                "-e",
                "main",
                "-S",
                glslang_stage(stage),
                "-V",
                "--target-env",
                "vulkan1.1",
                "--aml",
                "--amb",
            ];
            match said(Command::new(judge).args(flags).args(["-o", "/dev/null"]).arg(&file), judge) {
                Ok(()) => accepted = true,
                Err(why) if accepted && GAPS.iter().any(|text| why.contains(text)) => {}
                Err(why) => return Verdict::Wrong(format!("glslang: {why}")),
            }
        }
        if accepted { Verdict::Accepted } else { Verdict::Unchecked }
    }
}

/// A compiler that answers line by line.
#[derive(Debug)]
struct Talk {
    command: Command,
    child: Child,
    to: ChildStdin,
    from: Receiver<String>,
}

impl Talk {
    fn start(mut command: Command) -> Option<Self> {
        let (child, to, from) = spawn(&mut command)?;
        Some(Self { command, child, to, from })
    }

    /// Starts it again, after it has ended.
    fn restart(&mut self) {
        if let Some((child, to, from)) = spawn(&mut self.command) {
            let _ = self.child.wait();
            (self.child, self.to, self.from) = (child, to, from);
        }
    }

    /// What it says, if it rejects.
    fn ask(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.to, "{line}").and_then(|()| self.to.flush()).map_err(|e| e.to_string())?;
        let mut lines = Vec::new();
        loop {
            match self.from.recv_timeout(PATIENCE) {
                Ok(line) if line == "END" => break,
                Ok(line) => lines.push(line),
                Err(why) => {
                    // If it has not ended by itself.
                    let _ = self.child.kill();
                    return Err(format!("{ENDED}{why}, {}", lines.join(" | ")));
                }
            }
        }
        match lines.first().map(String::as_str) {
            Some("OK") => Ok(()),
            _ => Err(lines.join(" | ")),
        }
    }
}

/// Starts a program that answers line by line.
pub(super) fn spawn(command: &mut Command) -> Option<(Child, ChildStdin, Receiver<String>)> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = piped.spawn().ok()?;
    let (to, from) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in from.split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim_end().to_string();
            if send.send(line).is_err() {
                return;
            }
        }
    });
    Some((child, to, lines))
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
