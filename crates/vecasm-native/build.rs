//! Finds out how old the compiler is: since Rust 1.89 it names the features of AVX-512.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(names_avx512)");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said =
        Command::new(compiler).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    // rustc 1.95.0 (59807616e 2026-04-14)
    let said = String::from_utf8_lossy(&said);
    let version = said.split_whitespace().nth(1).unwrap_or_default();
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if version >= (1, 89) {
        println!("cargo::rustc-cfg=names_avx512");
    }
}
