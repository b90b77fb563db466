//! What the manual of the NV2A has besides its instructions: the fields of a slot and the names of registers.

use std::fmt::Write as _;
use vecasm::isa::nv2a::table::{Field, INPUTS, Named, OUTPUTS};

/// Stands above the instructions.
pub(crate) const HEAD: &str = "\
A program is a list of at most 136 slots of four 32-bit words. A slot has one operation of the vector unit (MAC) and one
of the scalar unit (ILU), and three sources A, B, C, which are all read before anything is written. The operands of a
MAC operation are A, B and C in this order (`add`: A and C); the operand of an ILU operation is C. The slots of a file
have one field for the number of the vertex attribute and one for that of the constant, so a slot reads one of each.
Beside a MAC operation the ILU writes the temporary R1. One of the two units may also write an output or a constant.

`d` is a destination with a write mask, `a`, `b`, `c` are sources with a swizzle (the last letter is repeated) and a
sign; of `a.x` only the first component of the swizzle is read. The tables of both units follow one another.
";

/// The fields and the registers.
pub(crate) fn rest(out: &mut String) {
    out.push_str("\n## Fields of a slot\n\nThe text form of a field, for example in `mov r0, v0 {OUT_ORB=0}`, is its name.\n\n");
    out.push_str("| field | word, bits | what it is |\n|---|---|---|\n");
    for field in Field::ALL {
        let places: Vec<String> = field
            .pieces()
            .iter()
            .map(|p| {
                let top = p.low + p.width - 1;
                if p.width == 1 {
                    format!("{}, {}", p.word, p.low)
                } else {
                    format!("{}, {top}:{}", p.word, p.low)
                }
            })
            .collect();
        let _ = writeln!(out, "| `{}` | {} | {} |", field.name(), places.join("; "), field.doc());
    }
    for (title, list) in [("Vertex attributes with a name", INPUTS), ("Outputs", OUTPUTS)] {
        let _ = writeln!(out, "\n## {title}\n\n| number | names | what it holds |\n|---|---|---|");
        for Named { number, short, long, doc } in list {
            let names = if short == long { format!("`{short}`") } else { format!("`{short}` `{long}`") };
            let _ = writeln!(out, "| {number} | {names} | {doc} |");
        }
    }
}
