//! `cargo xtask features`: features only add, so the library must compile with none of them, with each one alone, with all but
//! `files` and with all; and it must compile where there is no `std` at all. Its tests, and those of the crates that it is made
//! of, are compiled with none, with all but `files` and with all of them, and with `--full` with each.

use crate::{Args, Outcome, root};
use std::process::Command;

/// A target that has `core` and `alloc` only: whatever of `std` slips in does not compile there. Its
/// WebAssembly is that of every browser.
const BARE_TARGET: &str = "wasm32v1-none";

/// `cargo xtask features`.
pub(crate) fn main(args: &[String]) -> Outcome {
    let full = match Args::parse(args, &[], &["full"]) {
        Ok(args) if args.alone().is_empty() => args.flag("full"),
        Ok(_) => return Outcome::Usage("nothing is asked for by name".to_string()),
        Err(why) => return Outcome::Usage(why),
    };
    let packages = match packages() {
        Ok(packages) => packages,
        Err(why) => return Outcome::Usage(why),
    };
    let Some((_, features)) = packages.iter().find(|(name, _)| name == LIBRARY) else {
        return Outcome::Usage(format!("the workspace has no package {LIBRARY}"));
    };
    let mut sets = vec![String::new()];
    sets.extend(features.iter().cloned());
    // Some parts of engines and rasterizer need files; what is beside them must not.
    let without: Vec<&str> = features.iter().map(String::as_str).filter(|&f| f != FILES).collect();
    sets.push(without.join(","));
    sets.push(features.join(","));
    let mut fine = true;
    for (n, set) in sets.iter().enumerate() {
        let tests = full || n == 0 || n + 2 >= sets.len();
        fine &= check(LIBRARY, set, if tests { &["--all-targets"] } else { &[] }, "");
        for (name, known) in packages.iter().filter(|(name, _)| tests && name != LIBRARY) {
            let own: Vec<&str> = set.split(',').filter(|f| known.iter().any(|k| k == f)).collect();
            // A set that has nothing of this crate is the empty one.
            if n == 0 || !own.is_empty() {
                fine &= check(name, &own.join(","), &["--all-targets"], "");
            }
        }
    }
    if has_target(BARE_TARGET) {
        let bare: Vec<&str> = features.iter().map(String::as_str).filter(|f| !WITH_STD.contains(f)).collect();
        fine &= check(LIBRARY, &bare.join(","), &["--target", BARE_TARGET], BARE_TARGET);
    } else if std::env::var_os("CI").is_some() {
        println!("FAILED   {BARE_TARGET}: not installed, and CI asks for everything");
        fine = false;
    } else {
        println!("skipped  {BARE_TARGET}: not installed (rustup target add {BARE_TARGET})");
    }
    Outcome::of(fine)
}

/// The features that need `std`: decompressors of containers do.
const WITH_STD: [&str; 2] = ["std", "containers"];

/// The feature that all others are compiled without, too.
const FILES: &str = "files";

/// The package whose features are those of the library.
const LIBRARY: &str = "vecasm";

/// The library and the crates that it is made of, with their features, from their manifests.
fn packages() -> Result<Vec<(String, Vec<String>)>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let named = |name: &str| packages.iter().find(|p| p["name"] == name);
    let library = named(LIBRARY).ok_or("the workspace has no package vecasm")?;
    let dependencies = library["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = dependencies.iter().filter(|d| d["kind"].is_null()).filter_map(|d| d["name"].as_str());
    let features = |package: &serde_json::Value| -> Vec<String> {
        let all = package["features"].as_object().into_iter().flatten().map(|(name, _)| name);
        all.filter(|&name| name != "default").cloned().collect()
    };
    let of = |name: &str| named(name).map(|package| (name.to_string(), features(package)));
    Ok([LIBRARY].into_iter().chain(parts).filter_map(of).collect())
}

/// Compiles a package with exactly these features; a warning is a failure too.
fn check(package: &str, features: &str, more: &[&str], target: &str) -> bool {
    let output = Command::new(env!("CARGO"))
        .args([
            "check",
            "--quiet",
            "--locked",
            "--package",
            package,
            "--no-default-features",
            "--features",
            features,
        ])
        .args(more)
        .current_dir(root())
        .output();
    let complaints = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stderr).into_owned(),
        Ok(output) => format!("{}{}", String::from_utf8_lossy(&output.stderr), output.status),
        Err(e) => e.to_string(),
    };
    let fine = complaints.trim().is_empty();
    println!("{}  {package} [{features}] {target}", if fine { "ok     " } else { "FAILED " });
    if !fine {
        println!("{complaints}");
    }
    fine
}

/// Whether the toolchain has the library of a target.
pub(crate) fn has_target(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .current_dir(root())
        .output();
    output.is_ok_and(|o| {
        o.status.success() && std::path::Path::new(String::from_utf8_lossy(&o.stdout).trim()).is_dir()
    })
}
