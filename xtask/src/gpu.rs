//! `cargo xtask gpu`: builds `xtask-gpu`, which needs minutes and wgpu, and runs it.

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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args([
        "run",
        "--quiet",
        "--release",
        "-p",
        "xtask-gpu",
        "--features",
        "wgpu",
        "--",
    ]);
    command.args(args);
    let named = std::env::var_os("WGPU_ADAPTER_NAME").is_some_and(|name| !name.is_empty());
    if let (false, Some(icd)) = (named, lavapipe()) {
        command.env("VK_ICD_FILENAMES", icd).env("WGPU_ADAPTER_NAME", "llvmpipe");
    }
    match command.status() {
        Ok(status) if status.code() == Some(2) => Outcome::Usage("see above".into()),
        Ok(status) => Outcome::of(status.success()),
        Err(e) => Outcome::Usage(format!("cargo: {e}")),
    }
}
