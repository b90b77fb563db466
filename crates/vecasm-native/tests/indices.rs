//! Parameters at computed places, most of them far outside: generated code fetches them from memory, and may look at no word
//! that is not theirs.

mod common;

use common::compare;
use vecasm::exec::Batch;
use vecasm::ir::text::parse;

const INDICES: [i32; 14] =
    [0, 1, 2, 3, 4, -1, -2, -3, i32::MAX, i32::MAX - 1, i32::MIN, i32::MIN + 1, 1 << 28, -(1 << 28)];

#[test]
fn parameters_are_read_where_they_are() {
    for rule in ["zero", "clamp"] {
        for offset in [0, 2, -2, i32::MAX, i32::MIN] {
            let text = format!(
                "vertex test\n  input 0 i attribute 0 : i32\n  output 0 o varying 0\n  \
                 param 0 c size 3 used 3 indexed\n\n  %0 = input i : i32\n  \
                 %1 = param.{rule} c[{offset:+}] %0 : f32x4\n  store o.xyzw %1\n"
            );
            let shader = parse(&text, "test", &[]).unwrap_or_else(|why| panic!("{text}\n{why:?}"));
            let count = 16 * 2 + 3;
            let given = (0..count).map(|i| [INDICES[i % INDICES.len()] as u32, 0, 0, 0]).collect();
            let element = |i: usize| core::array::from_fn(|lane| ((i * 4 + lane + 1) as f32).to_bits());
            let batch = Batch {
                count,
                inputs: vec![given],
                params: vec![(0..3).map(element).collect()],
                ..Batch::default()
            };
            let outputs = compare(&shader, &batch).unwrap_or_else(|why| panic!("{rule} {offset:+}: {why}"));
            // By the definition of the rule, not by another engine.
            for i in 0..count {
                let wanted = i64::from(INDICES[i % INDICES.len()]) + i64::from(offset);
                let expected = match (0..3).contains(&wanted) {
                    true => element(wanted as usize),
                    false if rule == "clamp" => element(wanted.clamp(0, 2) as usize),
                    false => [0; 4],
                };
                assert_eq!(outputs.cells[0][i], expected, "{rule} {offset:+} of {wanted}");
            }
        }
    }
}
