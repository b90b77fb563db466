//! Steps and their lines.

use vecasm_debug::debug::listing::Listing;
use vecasm_ir::diag::Span;
use vecasm_ir::ir::steps::Step;

#[test]
fn halves_of_a_pair_share_a_line_or_have_their_own() {
    let text = "; two slots\nmul r0, v0, c0 + rcp r1.x, v1.w\nmul r0, v0, c0\n  + rcp r1.x, v1.w\n";
    let at = |from: &str, nth: usize, len: usize| {
        let start = text.match_indices(from).nth(nth).expect("it is there").0;
        Span::new(start, start + len)
    };
    let listing = Listing::new(text, &[at("mul", 0, 31), at("mul", 1, 33), Span::default()]);
    let step = |source, part| Step { source, part, reads: Vec::new(), writes: Vec::new() };
    let lines: Vec<Option<u32>> =
        [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0)].map(|(s, p)| listing.line(&step(s, p))).into();
    assert_eq!(lines, [Some(2), Some(2), Some(3), Some(4), None, None]);
    assert_eq!(listing.instructions_in(4).collect::<Vec<u32>>(), [1]);
    assert_eq!(listing.text(1), Some("; two slots"));
    assert_eq!((listing.text(0), listing.text(5)), (None, None));
}
