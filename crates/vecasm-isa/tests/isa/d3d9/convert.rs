//! Each case is a text and the text that it must become; both are assembled.

use vecasm_ir::diag::{Diagnostic, Severity};
use vecasm_isa::d3d9::Program;
use vecasm_isa::d3d9::convert::{CanonicalizeOptions, Conversion, UpgradeOptions, canonicalize, upgrade};
use vecasm_isa::d3d9::text::{PrintOptions, parse, print};

fn program(text: &str) -> Program {
    let (program, findings) = parse(text);
    program.unwrap_or_else(|| panic!("{text}: {findings:?}"))
}

fn becomes(before: &str, after: &str, convert: impl Fn(&Program) -> Result<Conversion, Vec<Diagnostic>>) {
    let got = convert(&program(before)).unwrap_or_else(|errors| panic!("{before}\n{errors:?}"));
    let wanted = program(after);
    let text = |program: &Program| print(program, &PrintOptions::default());
    assert_eq!(text(&got.program), text(&wanted), "{before}\n{:?}", got.notes);
    // What changed is said, and only then.
    assert_eq!(got.notes.is_empty(), program(before) == wanted, "{before}");
    assert!(got.notes.iter().all(|note| note.severity == Severity::Note && note.id == "D3D9-converted"));
}

fn upgraded(before: &str, after: &str) {
    becomes(before, after, |program| upgrade(program, &UpgradeOptions::default()));
}

fn canonical(before: &str, after: &str) {
    becomes(before, after, |program| canonicalize(program, &CanonicalizeOptions::default()));
}

fn refused(result: Result<Conversion, Vec<Diagnostic>>) -> String {
    let errors = result.err().unwrap_or_default();
    assert!(errors.iter().all(|e| e.id == "D3D9-not-converted" && e.severity == Severity::Error));
    errors.first().map_or(String::new(), |finding| finding.message.to_string())
}

#[test]
fn vertex_shaders_get_declarations() {
    upgraded(
        "vs_1_0 mov oPos, v0 mov oD0, v5 mov oT0, v7",
        "vs_1_1 dcl_position v0 dcl_color v5 dcl_texcoord v7 mov oPos, v0 mov oD0, v5 mov oT0, v7",
    );
    let options = UpgradeOptions { inputs: upgrade::inputs("v0=position, v5=texcoord2").unwrap() };
    becomes(
        "vs_1_1 mov oPos, v0 mov oD0, v5",
        "vs_1_1 dcl_position v0 dcl_texcoord2 v5 mov oPos, v0 mov oD0, v5",
        |program| upgrade(program, &options),
    );
    assert_eq!(upgrade::inputs("v0=nothing"), Err("v0=nothing".into()));
    // What is legal stays.
    let good = "vs_1_1 dcl_position v0 m4x4 oPos, v0, c0 mov oD0, c4";
    upgraded(good, good);
}

#[test]
fn vertex_shaders_read_one_component() {
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos, v0 rcp r0, c0 rsq r0.x, c0.xyzz mov oD0, r0",
        "vs_1_1 dcl_position v0 mov oPos, v0 rcp r0, c0.w rsq r0.x, c0.z mov oD0, r0",
    );
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos, v0 add oFog.x, v0, c0 mov oPts, c1.y",
        "vs_1_1 dcl_position v0 mov oPos, v0 add oFog, v0.x, c0.x mov oPts, c1.y",
    );
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos, v0 lit oFog, v0",
        "vs_1_1 dcl_position v0 mov oPos, v0 lit r0, v0 mov oFog, r0.x",
    );
    upgraded(
        "vs_1_1 dcl_position v0 mov a0, v0.x mov oPos, c[a0.x]",
        "vs_1_1 dcl_position v0 mov a0.x, v0.x mov oPos, c[a0.x]",
    );
}

#[test]
fn fractions_have_two_components() {
    upgraded(
        "vs_1_1 dcl_position v0 frc r0.x, v0.y mov oPos, r0.x",
        "vs_1_1 dcl_position v0 frc r1.xy, v0.y mov r0.x, r1 mov oPos, r0.x",
    );
    // The upper half first, so that a result in its own source does no harm.
    upgraded(
        "vs_1_1 dcl_position v0 mov r0, v0 frc r0, r0.wzyx mov oPos, r0",
        "vs_1_1 dcl_position v0 mov r0, v0 frc r1.xy, r0.yxxx mov r1.zw, r1.xyxy frc r1.xy, r0.wzzz \
         mov r0, r1 mov oPos, r0",
    );
    let good = "vs_1_1 dcl_position v0 frc r0.xy, v0 mov oPos, r0.xyyy";
    upgraded(good, good);
}

#[test]
fn vertex_shaders_go_through_free_registers() {
    upgraded(
        "vs_1_1 dcl_position v0 mov r0, v0 m4x4 r0, r0, c0 mov oPos, r0",
        "vs_1_1 dcl_position v0 mov r0, v0 m4x4 r1, r0, c0 mov r0, r1 mov oPos, r0",
    );
    upgraded(
        "vs_1_1 dcl_position v0 add r0, c0, c1 add oPos, r0, v0",
        "vs_1_1 dcl_position v0 mov r1, c1 add r0, c0, r1 add oPos, r0, v0",
    );
    upgraded(
        "vs_1_1 dcl_position v0 mad oPos, v0, c2, c[a0.x+1]".replace("mad", "mov a0.x, v0.x mad").as_str(),
        "vs_1_1 dcl_position v0 mov a0.x, v0.x mov r0, c[a0.x+1] mad oPos, v0, c2, r0",
    );
    // Every register holds something.
    let full: String = (0..12).map(|n| format!("mov r{n}, v0 ")).collect();
    let sum: String = (0..12).map(|n| format!("add oPos, r{n}, v0 ")).collect();
    let text = format!("vs_1_1 dcl_position v0 {full} add oD0, c0, c1 {sum}");
    assert_eq!(
        refused(upgrade(&program(&text), &UpgradeOptions::default())),
        "add reads too many registers of one file, and no register is free"
    );
}

#[test]
fn matrices_write_as_many_components_as_they_have_rows() {
    upgraded(
        "vs_1_1 dcl_position v0 mov r3, v0 m3x3 r3, r3, c5 mov oPos, r3",
        "vs_1_1 dcl_position v0 mov r3, v0 m3x3 r0.xyz, r3, c5 mov r3.xyz, r0 mov oPos, r3",
    );
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos, v0 m3x2 oT0, v0, c5 m4x3 oT1.xyz, v0, c5",
        "vs_1_1 dcl_position v0 mov oPos, v0 m3x2 oT0.xy, v0, c5 m4x3 oT1.xyz, v0, c5",
    );
    canonical(
        "vs_2_0 dcl_position v0 mov oPos, v0 m3x2 oT0, v0, c5",
        "vs_2_0 dcl_position v0 mov oPos, v0 m3x2 oT0.xy, v0, c5",
    );
}

#[test]
fn texture_registers_are_free_after_their_last_read() {
    let textures = "ps_1_1 tex t0 tex t1 tex t2 tex t3 ";
    // t0 is read once more; t1 to t3 are not.
    upgraded(
        &format!(
            "{textures} dp3_sat r0, t1_bx2, t2_bx2 dp3_sat r1, t1_bx2, t3_bx2 mad_x2_sat r1, r1.a, r1.a, -c0 \
             mad_sat r0, r0, t0, r1"
        ),
        &format!(
            "{textures} dp3_sat r0, t1_bx2, t2_bx2 dp3_sat r1, t1_bx2, t3_bx2 mov t1, c0 \
             mad_x2_sat r1, r1.a, r1.a, -t1 mad_sat r0, r0, t0, r1"
        ),
    );
    // All of them are read once more.
    let sum = "mad r1, t0, t1, r1 mad r0, t2, t3, r1";
    let full = format!("{textures} mov r0, t0 mov r1, t1 mad r0, r0, r1, -c0 {sum} mul r0, r0, r1");
    assert_eq!(
        refused(upgrade(&program(&full), &UpgradeOptions::default())),
        "mad has a modifier on a constant, and no register is free"
    );
    // ps_1_1 reads two texture registers in an instruction, and a third would be one too many; ps_1_2 reads three.
    let head = |minor: char| format!("ps_1_{minor} tex t0 tex t1 tex t2 tex t3 mov r0, t2 ");
    let body = "mov r1, t3 mad r1.rgb, t0, t1, -c0 mad r0, r0, t0, r1";
    assert_eq!(
        refused(upgrade(&program(&(head('1') + body)), &UpgradeOptions::default())),
        "mad has a modifier on a constant, and no register is free"
    );
    upgraded(
        &(head('2') + body),
        &(head('2') + "mov r1, t3 mov t2, c0 mad r1.rgb, t0, t1, -t2 mad r0, r0, t0, r1"),
    );
    // A texture instruction after arithmetic goes first, so that it does not find its register taken.
    upgraded(
        "ps_1_1 tex t0 mov r0, t0 mov r1, t0 mad r0, r0, r1, -c0 tex t1 mad r0, t1, r0, r1",
        "ps_1_1 tex t0 tex t1 mov r0, t0 mov r1, t0 mov t2, c0 mad r0, r0, r1, -t2 mad r0, t1, r0, r1",
    );
}

#[test]
fn vertex_shaders_are_made_whole() {
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos.xyz, v0 add oD0, r3.x, v0 mov oT1.y, v0",
        "vs_1_1 dcl_position v0 slt r3.x, c0, c0 mov oPos.xyz, v0 add oD0, r3.x, v0 mov oT1.y, v0 \
         sge oPos.w, c0, c0 slt oT0.x, c0, c0 slt oT1.x, c0, c0",
    );
}

#[test]
fn pixel_shaders() {
    // A register is free: its value is written over.
    upgraded("ps_1_1 tex t0 mul r0, t0, 1-c0", "ps_1_1 tex t0 mov r1, c0 mul r0, t0, 1-r1");
    // 1 - 0.25 and so on fit the range of constants.
    upgraded(
        "ps_1_1 def c0, 0.25, 0.5, 1, 0 tex t0 mul r0, t0, 1-c0",
        "ps_1_1 def c0, 0.25, 0.5, 1, 0 def c1, 0.75, 0.5, 0, 1 tex t0 mul r0, t0, c1",
    );
    upgraded("ps_1_1 mov r0, c0 tex t1 mul r0, r0, t1", "ps_1_1 tex t1 mov r0, c0 mul r0, r0, t1");
    // No register holds the rows of a matrix.
    assert_eq!(
        refused(upgrade(&program("ps_1_1 m4x4 r0, t0, -c0"), &UpgradeOptions::default())),
        "m4x4 has a modifier on a constant, and one register cannot hold it"
    );
    // Definitions and texture instructions may follow nop.
    let good = "ps_1_1 nop def c0, 1, 0, 0, 0 tex t0 mul r0, t0, c0";
    upgraded(good, good);
    upgraded(
        "ps_1_1 nop def c0, 1, 0, 0, 0 mov r0, r1",
        "ps_1_1 nop def c0, 1, 0, 0, 0 def c7, 0, 0, 0, 0 mov r1, c7 mov r0, r1",
    );
    assert!(
        refused(upgrade(
            &program("ps_1_1 tex t0 mov t0, c0 texreg2ar t1, t0 mov r0, t1"),
            &UpgradeOptions::default()
        ))
        .contains("texture instructions come first")
    );
    upgraded("ps_1_3 mov r0, c0 cmp r0, r0, c0, c1", "ps_1_3 mov r0, c0 cmp r1, r0, c0, c1 mov r0, r1");
    assert!(
        refused(upgrade(&program("ps_2_0 mov oC0, c0"), &UpgradeOptions::default()))
            .contains("model of Direct3D 8")
    );
}

#[test]
fn mojoshader_takes_it() {
    canonical("ps_3_0 mov oC0, c0", "ps_3_0 mov oC0, c0");
    canonical(
        "ps_2_0 add r0, r1.x, c0 mov oC0, r0",
        "ps_2_0 def c31, 0, 0, 0, 0 mov r1.x, c31 add r0, r1.x, c0 mov oC0, r0",
    );
    // MojoShader accepts no definition after nop.
    canonical(
        "ps_2_0 nop add r0, r1.x, c0 mov oC0, r0",
        "ps_2_0 def c31, 0, 0, 0, 0 mov r1.x, c31 nop add r0, r1.x, c0 mov oC0, r0",
    );
    // Half a pair does not see what it is paired with.
    canonical(
        "ps_2_0 +mov r0, r1.x mov oC0, r0",
        "ps_2_0 def c31, 0, 0, 0, 0 mov r1.x, c31 nop +mov r0, r1.x mov oC0, r0",
    );
    let numbers = "def c31, 0.5, 1, 2, -1 def c30, 4, 8, 0.25, 0.125";
    canonical(
        "ps_1_1 texcoord t0 mov r0, t0",
        &format!("ps_2_0 dcl t0 {numbers} mov_sat r6.xyz, t0 mov r6.w, c31.y mov r0, r6 mov oC0, r0"),
    );
    // x/w and y/w, 1 where w is 0; then constants within their range, a sum that is doubled and clamped.
    canonical(
        "ps_1_4 def c0, 2, 0.5, 0, 1 texcrd r1.xy, t0_dw.xyw texld r0, t2.xyz add_x2_sat r0, r0, c0 mul r0.xyz, r0, r1.x",
        &format!(
            "ps_2_0 dcl t0 dcl t2 dcl_2d s0 {numbers} def c0, 1, 0.5, 0, 1 \
             rcp r7.x, t0.w mul r6.xy, t0, r7.x mul r7.x, t0.w, t0.w cmp r6.xy, -r7.x, c31.y, r6 mov r1.xy, r6 \
             texld r0, t2, s0 add r6, r0, c0 mul_sat r0, r6, c31.z mul r0.xyz, r0, r1.x mov oC0, r0"
        ),
    );
    canonical(
        "ps_1_4 texld r0, t0 mul r0.xyz, 1-r0, c1 +mov r0.w, r0.x",
        &format!(
            "ps_2_0 dcl t0 dcl_2d s0 {numbers} texld r0, t0, s0 add r6.xyz, -r0, c31.y mov r7.xyz, c1 \
             max r7.xyz, r7, c31.w min r7.xyz, r7, c31.y mul r11.xyz, r6, r7 mov r0.w, r0.x mov r0.xyz, r11 mov oC0, r0"
        ),
    );
    // r/g, g at most 1, and 1 where g is 0.
    canonical(
        "ps_1_4 texcrd r5.xyz, t0 phase texld r0, t1 texdepth r5",
        &format!(
            "ps_2_0 dcl t0 dcl t1 dcl_2d s0 {numbers} mov r5.xyz, t0 texld r0, t1, s0 min r6.x, r5.y, c31.y \
             rcp r7.x, r6.x mul_sat r7.x, r5.x, r7.x abs r7.y, r6.x cmp r7.x, -r7.y, c31.y, r7.x mov oDepth, r7.x \
             mov oC0, r0"
        ),
    );
    // In a pair cnd takes its second source, but for alpha.
    canonical(
        "ps_1_1 texcoord t0 mov r0, t0 mov r1.w, t0 +cnd r0.xyz, r0.w, v0, v1",
        &format!(
            "ps_2_0 dcl v0 dcl t0 {numbers} mov_sat r6.xyz, t0 mov r6.w, c31.y mov r0, r6 mov r1.w, r6 \
             mov r0.xyz, v0 mov oC0, r0"
        ),
    );
    let bump = "ps_1_4 texcrd r0.xyz, t0 texcrd r1.xyz, t1 bem r1.xy, r0, r1 phase texld r0, r1";
    assert!(
        refused(canonicalize(&program(bump), &CanonicalizeOptions::default())).contains("depends on state")
    );
}

#[test]
fn relative_constants_get_a_table() {
    let text = "vs_2_0 dcl_position v0 mova a0.x, v0.x mov oPos, c[a0.x]";
    let done = canonicalize(&program(text), &CanonicalizeOptions::default()).unwrap();
    let table = vecasm_isa::d3d9::ctab::of(&done.program).0.unwrap();
    let constant = &table.constants[0];
    assert_eq!((constant.name.as_str(), constant.index, constant.count), ("c", 0, 256));
    assert!(canonicalize::objections(&done.program).is_empty());
}

#[test]
fn every_scalar_output_is_looked_at() {
    // The instruction after one that goes through a register is another case.
    upgraded(
        "vs_1_1 dcl_position v0 mov oPos, v0 lit oFog, v0 mov oPts.x, v0",
        "vs_1_1 dcl_position v0 mov oPos, v0 lit r0, v0 mov oFog, r0.x mov oPts, v0.x",
    );
}

/// Streams of instructions that have to be changed, each. With a look at the whole program for each this takes minutes.
#[test]
fn long_streams_take_no_longer_than_they_are() {
    let count = 4_000;
    let long =
        |head: &str, body: &str, tail: &str| program(&(String::from(head) + &body.repeat(count) + tail));
    let up = |program: &Program| refused(upgrade(program, &UpgradeOptions::default()));
    let short = format!("{} or more instructions would be inserted, more than any model has room for", 1024);
    for (head, body) in [
        ("vs_1_1 dcl_position v0 ", "m4x4 r0, r0, c0 "),
        ("vs_1_1 dcl_position v0 ", "frc r0, v0 "),
        ("vs_1_1 dcl_position v0 ", "mad r0, c0, c1, c2 "),
        ("vs_1_1 dcl_position v0 ", "lit oFog, v0 "),
        ("ps_1_1 ", "mul r0, 1-c0, 1-c1 "),
        ("ps_1_3 ", "cmp r0, r0, c0, c1 "),
    ] {
        assert_eq!(up(&long(head, body, "")), short, "{body}");
    }
    assert!(up(&long("ps_1_1 mov r0, c0 ", "tex t0 ", "")).contains("texture instructions would be moved"));
    // Nothing has to be changed, and the slots are too many.
    assert!(up(&long("vs_1_1 dcl_position v0 ", "mov oPos, v0 ", "")).contains("X5609"));
    let options = CanonicalizeOptions::default();
    let canonical = |program: &Program| canonicalize(program, &options).map(|done| done.program);
    // MojoShader does not count slots.
    let done = canonical(&long("vs_1_1 dcl_position v0 mov r0, v0 ", "m4x4 r0, r0, c0 ", "mov oPos, r0"));
    assert_eq!(done.unwrap().instructions().count(), 2 * count + 3);
    let done = canonical(&long("vs_1_1 dcl_position v0 ", "mov oPos, v0 ", ""));
    assert_eq!(done.unwrap().instructions().count(), count + 1);
    let done = canonical(&long("ps_2_0 dcl t0 dcl_2d s0 ", "texld r0, t0, s0 ", "mov oC0, r0"));
    assert_eq!(done.unwrap().instructions().count(), count + 3);
    let bound = format!("the result would have more than {} instructions; ps_2_0 has room for 96", 1024);
    let text = long("ps_1_4 texcrd r5.xyz, t0 phase ", "texdepth r5 ", "mov r0, c0");
    assert_eq!(refused(canonicalize(&text, &options)), bound);
}
