//! Targets by name.

use vecasm::Target;

#[test]
fn words_name_targets() {
    for &target in Target::ALL {
        assert_eq!(target.name().parse(), Ok(target));
        for word in target.aliases() {
            assert_eq!(word.to_uppercase().parse(), Ok(target), "{word}");
        }
    }
}

#[test]
#[cfg(all(feature = "wgsl", feature = "glsl", feature = "spirv", feature = "hlsl", feature = "msl"))]
#[cfg(all(feature = "lower", feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi"))]
fn errors_name_the_nearest() {
    let said = |word: &str| word.parse::<Target>().unwrap_err().to_string();
    let all = "expected one of wgsl, spirv, glsl, hlsl, msl, agal, d3d9, nv2a, tgsi, ir";
    assert_eq!(said("wsgl"), format!("no target wsgl; did you mean `wgsl`? {all}"));
    assert_eq!(said("verilog"), format!("no target verilog; {all}"));
}
