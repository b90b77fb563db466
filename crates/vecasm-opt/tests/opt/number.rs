//! Equal operations become one: what is written before and after, and for which targets.

use vecasm_ir::ir::text::{parse, print};
use vecasm_ir::ir::verify::verify;
use vecasm_opt::{clean, number};

const HEAD: &str = "fragment test
  input 0 v0 varying 0 : f32x4
  output 0 oc color 0
  param 0 fc size 4 used 2 indexed

";

/// Bodies, what is left of them where every value has a name, and where names take room.
const CASES: &[(&str, &[&str], &[&str])] = &[
    // Of equal trees one is left, so that a text gets shorter.
    (
        "%0 = input v0 : f32x4
         %1 = mul %0 %0.wzyx : f32x4
         %2 = rsq %1.x : f32
         %3 = sqrt %2 : f32
         %4 = mul %0 %0.wzyx : f32x4
         %5 = rsq %4.x : f32
         %6 = sqrt %5 : f32
         %7 = compose %3 %6 %6 %3 : f32x4
         store oc.xyzw %7",
        &[
            "%0 = input v0 : f32x4",
            "%1 = mul %0.x %0.w : f32",
            "%2 = rsq %1 : f32",
            "%3 = sqrt %2 : f32",
            "store oc.xyzw %3.xxxx",
        ],
        &[
            "%0 = input v0 : f32x4",
            "%1 = mul %0.x %0.w : f32",
            "%2 = rsq %1 : f32",
            "%3 = sqrt %2 : f32",
            "store oc.xyzw %3.xxxx",
        ],
    ),
    // A small one that is used once each time is as short where it is used.
    (
        "%0 = input v0 : f32x4
         %1 = neg %0.x : f32
         %2 = neg %0.x : f32
         %3 = exp2 %1 : f32
         %4 = sqrt %2 : f32
         %5 = compose %3 %4 : f32x2
         store oc.xy %5",
        &[
            "%0 = input v0 : f32x4",
            "%1 = neg %0.x : f32",
            "%2 = exp2 %1 : f32",
            "%3 = sqrt %1 : f32",
            "%4 = compose %2 %3 : f32x2",
            "store oc.xy %4",
        ],
        &[
            "%0 = input v0 : f32x4",
            "%1 = neg %0.x : f32",
            "%2 = neg %0.x : f32",
            "%3 = exp2 %1 : f32",
            "%4 = sqrt %2 : f32",
            "%5 = compose %3 %4 : f32x2",
            "store oc.xy %5",
        ],
    ),
    // Another arithmetic, other lanes, another type, other arguments.
    (
        "%0 = input v0 : f32x4
         %1 = mul %0.x %0.y : f32
         %2 = mul.zero_wins %0.x %0.y : f32
         %3 = mul %0.y %0.x : f32
         %4 = mul.precise %0.x %0.y : f32
         %5 = compose %1 %2 %3 %4 : f32x4
         store oc.xyzw %5",
        &[
            "%0 = input v0 : f32x4",
            "%1 = mul %0.x %0.y : f32",
            "%2 = mul.zero_wins %0.x %0.y : f32",
            "%3 = mul %0.y %0.x : f32",
            "%4 = mul.precise %0.x %0.y : f32",
            "%5 = compose %1 %2 %3 %4 : f32x4",
            "store oc.xyzw %5",
        ],
        &[
            "%0 = input v0 : f32x4",
            "%1 = mul %0.x %0.y : f32",
            "%2 = mul.zero_wins %0.x %0.y : f32",
            "%3 = mul %0.y %0.x : f32",
            "%4 = mul.precise %0.x %0.y : f32",
            "%5 = compose %1 %2 %3 %4 : f32x4",
            "store oc.xyzw %5",
        ],
    ),
    // What one arm computes is not there in the other one, nor behind; what is in front is there in both.
    (
        "%0 = input v0 : f32x4
         %1 = lt %0.x %0.y : bool
         %2 = rsq %0.z : f32
         %3 = sqrt %2 : f32
         %4: f32 = if %1 {
           %5 = rsq %0.z : f32
           %6 = log2 %5 : f32
           yield %6
         } else {
           %7 = log2 %2 : f32
           yield %7
         }
         %8 = log2 %2 : f32
         %9 = compose %3 %4 %8 : f32x3
         store oc.xyz %9",
        &[
            "%0 = input v0 : f32x4",
            "%1 = lt %0.x %0.y : bool",
            "%2 = rsq %0.z : f32",
            "%3 = sqrt %2 : f32",
            "%6: f32 = if %1 {",
            "%4 = log2 %2 : f32",
            "yield %4",
            "} else {",
            "%5 = log2 %2 : f32",
            "yield %5",
            "}",
            "%7 = log2 %2 : f32",
            "%8 = compose %3 %6 %7 : f32x3",
            "store oc.xyz %8",
        ],
        &[
            "%0 = input v0 : f32x4",
            "%1 = lt %0.x %0.y : bool",
            "%2 = rsq %0.z : f32",
            "%3 = sqrt %2 : f32",
            "%6: f32 = if %1 {",
            "%4 = log2 %2 : f32",
            "yield %4",
            "} else {",
            "%5 = log2 %2 : f32",
            "yield %5",
            "}",
            "%7 = log2 %2 : f32",
            "%8 = compose %3 %6 %7 : f32x3",
            "store oc.xyz %8",
        ],
    ),
    // Loads at computed indices, and conditions.
    (
        "%0 = input v0 : f32x4
         %1 = to_i32 %0.x : i32
         %2 = to_i32 %0.x : i32
         %3 = param.zero fc[+1] %1 : f32x4
         %4 = param.zero fc[+1] %2 : f32x4
         %5 = lt %3.x %0.y : bool
         %6 = lt %4.x %0.y : bool
         store oc.xyzw %3
         if %6 {
           demote %5
         } else {
         }",
        &[
            "%0 = input v0 : f32x4",
            "%1 = to_i32 %0.x : i32",
            "%2 = param.zero fc[+1] %1 : f32x4",
            "%3 = lt %2.x %0.y : bool",
            "store oc.xyzw %2",
            "if %3 {",
            "demote %3",
            "} else {",
            "}",
        ],
        &[
            "%0 = input v0 : f32x4",
            "%1 = to_i32 %0.x : i32",
            "%2 = param.zero fc[+1] %1 : f32x4",
            "%3 = lt %2.x %0.y : bool",
            "%4 = lt %2.x %0.y : bool",
            "store oc.xyzw %2",
            "if %4 {",
            "demote %3",
            "} else {",
            "}",
        ],
    ),
];

#[test]
fn equal_operations_become_one() {
    for (body, named, text) in CASES {
        let shader = parse(&format!("{HEAD}{body}\n"), "test", &[]).unwrap();
        assert_eq!(verify(&shader), [], "{body}");
        for (name, wanted) in [(0, named), (18, text)] {
            let numbered = number(&shader, name);
            let after = clean(numbered.as_ref().unwrap_or(&shader));
            assert_eq!(verify(&after), [], "{body}");
            let printed = print(&after);
            let (_, lines) = printed.split_once("\n\n").unwrap();
            let lines: Vec<&str> =
                lines.lines().map(|line| line.split("  step").next().unwrap_or(line).trim()).collect();
            assert_eq!(lines, *wanted, "{name}: {body}");
            // Nothing is left to do.
            assert_eq!(number(&after, name), None, "{name}: {body}");
        }
    }
}
