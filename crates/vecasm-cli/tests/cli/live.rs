//! What `info` says of how much is alive at once.

use crate::{stdout, vecasm};

/// Components, registers of four, and the instruction behind which that is.
#[track_caller]
fn most(text: &str, components: u32, vec4: u32, instruction: u32) {
    let info: serde_json::Value = serde_json::from_str(stdout(&vecasm(&["info", "-"], text))).unwrap();
    let wanted = serde_json::json!({ "components": components, "vec4": vec4, "instruction": instruction });
    assert_eq!(info["live_at_most"], wanted, "{text}");
}

#[test]
fn the_place_where_most_is_alive_is_told_in_every_instruction_set() {
    // Both factors of the last product, four components each, are there behind the second instruction.
    most(".agal vertex 1\nmul vt0, va0, vc0\nadd vt1, va0, vc1\nmul op, vt0, vt1\n", 8, 2, 1);
    most("mul r0, v0, c[0]\nadd r1, v0, c[1]\nmul oPos, r0, r1\n", 8, 2, 1);
    // Three components of r0 and one of r1; dcl counts as an instruction.
    most(
        "ps_2_0\ndcl t0\nmul r0.xyz, t0, t0\ndp3 r1.x, t0, t0\nmul r0.xyz, r0, r1.x\nmov r0.w, t0.w\nmov oC0, r0\n",
        4,
        1,
        2,
    );
    most(
        "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL TEMP[0..1]\nMUL TEMP[0], IN[0], IN[1]\nADD TEMP[1], IN[0], IN[1]\n\
         MAD OUT[0], TEMP[0], TEMP[1], IN[0]\nEND\n",
        8,
        2,
        1,
    );
}

#[test]
fn what_a_loop_reads_is_alive_in_all_of_it() {
    // In the loop: TEMP[0], which every round reads, TEMP[1], which goes round, and the component that decides.
    most(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\nIMM[0] FLT32 {9, 0, 0, 0}\n\
         ADD TEMP[0], IN[0], IN[0]\nMUL TEMP[1], IN[0], IN[0]\nBGNLOOP\nSGE TEMP[2].x, TEMP[1].xxxx, IMM[0].xxxx\n\
         IF TEMP[2].xxxx\nBRK\nENDIF\nADD TEMP[1], TEMP[1], TEMP[0]\nENDLOOP\nMOV OUT[0], TEMP[1]\nEND\n",
        9,
        3,
        3,
    );
    // Only one of two paths is taken: what both need is not counted twice.
    most(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\nMUL TEMP[0], IN[0], IN[0]\n\
         IF IN[0].xxxx\nADD TEMP[1], TEMP[0], IN[0]\nADD OUT[0], TEMP[1], TEMP[0]\nELSE\nADD TEMP[2], TEMP[0], IN[0]\n\
         MUL OUT[0], TEMP[2], TEMP[0]\nENDIF\nEND\n",
        8,
        2,
        2,
    );
}
