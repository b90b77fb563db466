//! `cargo xtask gpu`: builds `xtask-gpu`, which needs minutes and wgpu, and runs it. With `--built` it runs the one that was built
//! beside this program.

use crate::{Outcome, root};
use std::path::PathBuf;
use std::process::Command;

/// Where Mesa's packages put what Vulkan needs to know of lavapipe.
fn lavapipe() -> Option<PathBuf> {
    let file = format!("/usr/share/vulkan/icd.d/lvp_icd.{}.json", std::env::consts::ARCH);
    Some(PathBuf::from(file)).filter(|file| file.is_file())
}

/// Runs the checks, on lavapipe where no other device is named by `WGPU_ADAPTER_NAME`.
pub(crate) fn main(args: &[String]) -> Outcome {
    let (built, args): (Vec<_>, Vec<_>) = args.iter().partition(|arg| *arg == "--built");
    let mut command = match (built.is_empty(), std::env::current_exe()) {
        (false, Ok(this)) => {
            Command::new(this.with_file_name(format!("xtask-gpu{}", std::env::consts::EXE_SUFFIX)))
        }
        _ => {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args([
                "run",
                "--quiet",
                "--locked",
                "--release",
                "-p",
                "xtask-gpu",
                "--features",
                "wgpu",
                "--",
            ]);
            cargo
        }
    };
    command.current_dir(root()).args(args);
    let named = std::env::var_os("WGPU_ADAPTER_NAME").is_some_and(|name| !name.is_empty());
    if let (false, Some(icd)) = (named, lavapipe()) {
        command.env("VK_ICD_FILENAMES", icd).env("WGPU_ADAPTER_NAME", "llvmpipe");
    }
    match command.status() {
        Ok(status) if status.code() == Some(2) => Outcome::Usage("see above".into()),
        Ok(status) => Outcome::of(status.success()),
        Err(e) => Outcome::Usage(format!("{}: {e}", command.get_program().to_string_lossy())),
    }
}
