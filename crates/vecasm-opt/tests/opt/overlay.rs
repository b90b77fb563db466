//! Elements that a program says, as loads of arrays that are filled from outside.

use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine};
use vecasm_ir::ir::text::parse;
use vecasm_ir::ir::verify::verify;
use vecasm_opt::overlay;

/// What each index reads.
type Reads = &'static [(i32, f32)];

/// Arrays, offsets and rules, and what each index reads: the first lane of the element, of which those from outside have ten times
/// their number and one, or nothing.
const CASES: &[(&str, &str, &str, Reads)] = &[
    // In the middle: the element alone.
    (
        "size 4 used 4 indexed fixed=1:-1.0,0.0,0.0,0.0 fixed=2:-2.0,0.0,0.0,0.0",
        "zero",
        "+0",
        &[(0, 1.0), (1, -1.0), (2, -2.0), (3, 31.0), (4, 0.0), (-1, 0.0), (i32::MAX, 0.0), (i32::MIN, 0.0)],
    ),
    // The offset counts.
    (
        "size 4 used 4 indexed fixed=1:-1.0,0.0,0.0,0.0",
        "zero",
        "+3",
        &[(-3, 1.0), (-2, -1.0), (-1, 21.0), (0, 31.0), (1, 0.0)],
    ),
    (
        "size 4 used 4 indexed fixed=1:-1.0,0.0,0.0,0.0",
        "zero",
        "-2147483648",
        &[(i32::MAX, 0.0), (0, 0.0), (i32::MIN, 0.0)],
    ),
    // What lies outside means the first or the last one.
    (
        "size 4 used 4 indexed fixed=0:-1.0,0.0,0.0,0.0 fixed=3:-4.0,0.0,0.0,0.0",
        "clamp",
        "+1",
        &[
            (-1, -1.0),
            (-2, -1.0),
            (i32::MIN, -1.0),
            (0, 11.0),
            (1, 21.0),
            (2, -4.0),
            (3, -4.0),
            (i32::MAX, -4.0),
        ],
    ),
    (
        "size 4 used 4 indexed fixed=0:-1.0,0.0,0.0,0.0 fixed=3:-4.0,0.0,0.0,0.0",
        "clamp",
        "+2147483647",
        &[(i32::MIN, -1.0), (-2147483647, -1.0), (-2147483646, 11.0), (0, -4.0), (i32::MAX, -4.0)],
    ),
    (
        "size 4 used 4 indexed fixed=0:-1.0,0.0,0.0,0.0 fixed=3:-4.0,0.0,0.0,0.0",
        "clamp",
        "-2147483648",
        &[(i32::MIN, -1.0), (i32::MAX, -1.0), (0, -1.0)],
    ),
    ("size 1 used 1 indexed fixed=0:-1.0,0.0,0.0,0.0", "clamp", "+0", &[(0, -1.0), (7, -1.0), (-7, -1.0)]),
];

#[test]
fn what_the_program_says_is_read_at_every_index() {
    for (array, rule, offset, reads) in CASES {
        let text = format!(
            "vertex test\n  input 0 v attribute 0 : i32\n  output 0 o varying 0\n  param 0 c {array}\n\n\
             \x20 %0 = input v : i32\n  %1 = param.{rule} c[{offset}] %0 : f32x4\n  %2 = param c[0] : f32x4\n\
             \x20 %3 = compose %1.x %2.x : f32x2\n  store o.xy %3\n"
        );
        let shader = parse(&text, "test", &[]).unwrap();
        assert_eq!(verify(&shader), [], "{text}");
        let over = overlay(&shader).expect("it says elements");
        assert_eq!(verify(&over), [], "{text}");
        assert!(over.params.iter().all(|array| array.fixed.is_empty()));
        assert_eq!(overlay(&over), None);
        let batch = Batch {
            count: reads.len(),
            inputs: vec![reads.iter().map(|(index, _)| [*index as u32, 0, 0, 0]).collect()],
            params: vec![(0..4).map(|n| [(n as f32 * 10.0 + 1.0).to_bits(), 0, 0, 0]).collect()],
            ..Batch::default()
        };
        let direct = if array.contains("fixed=0") { -1.0 } else { 1.0 };
        for shader in [&shader, &over] {
            let out = Interp.run(shader, &batch).unwrap();
            let got: Vec<_> =
                out.cells[0].iter().map(|lanes| [lanes[0], lanes[1]].map(f32::from_bits)).collect();
            let wanted: Vec<_> = reads.iter().map(|(_, value)| [*value, direct]).collect();
            assert_eq!(got, wanted, "{array} {rule} {offset}");
        }
    }
}
