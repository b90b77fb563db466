//! Texts are reduced to what a judge needs.

use vecasm_debug::reduce::{Judge, Options, reduce};

/// Fails where all of these are in it.
struct ContainsWords<'a>(&'a [&'a str], usize);

impl Judge for ContainsWords<'_> {
    fn reads(&mut self, text: &str) -> bool {
        !text.contains(", ,") && !text.trim_end().ends_with(',')
    }

    fn fails(&mut self, text: &str) -> bool {
        self.1 += 1;
        self.0.iter().all(|part| text.contains(part))
    }
}

#[test]
fn what_does_not_matter_goes() {
    let text =
        "vs_1_1\ndcl_position v0\nmov r0, v0\nmul_sat r1.xy, -r0_abs, c[a0.x+7].yzw // why\nadd r0, r1, r2\n";
    let mut has = ContainsWords(&["mul", "vs_1_1"], 0);
    let reduced = reduce(text, &Options::default(), &mut has);
    assert_eq!(reduced.text, "vs_1_1\nmul r0\n");
    assert_eq!(reduced.tries, has.1);
    assert!(reduced.done);
    assert_eq!(reduce(text, &Options::default(), &mut ContainsWords(&["mul", "vs_1_1"], 0)), reduced);
}

#[test]
fn the_tries_are_bounded() {
    let text = "a\n".repeat(100);
    let mut has = ContainsWords(&["b"], 0);
    let reduced = reduce(&text, &Options { tries: 7 }, &mut has);
    assert_eq!((reduced.tries, has.1, reduced.done), (7, 7, false));
    assert_eq!(reduced.text, text);
}

#[test]
fn pairs_come_apart() {
    let mut has = ContainsWords(&["rcp"], 0);
    let reduced = reduce("mov r1, v0 + rcp r2.x, r3.w\n", &Options::default(), &mut has);
    assert_eq!(reduced.text, "rcp r0\n");
}
