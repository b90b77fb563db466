//! What the manual of the NV2A has besides its instructions: what programs mean, the fields of a slot and the names of
//! registers.

use std::fmt::Write as _;
use vecasm::isa::nv2a::lift::SWITCHES;
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

/// The meaning of a program, above the table of points that are not settled.
const MEANING: &str = "
## Meaning of a program

`vecasm run`, `to` and `render` take the arithmetic of the machine, bit for bit (`--numerics nv20`): the model that
envytools fitted to real chips of the NV20 family. Products are truncated, sums of two to four products are one sum that
is truncated once, a zero factor gives +0, overflow gives the largest number, comparisons go by the order of the bits.
All pictures taken on a console that were compared agree; the last bits are the NV20's, of which nothing is published
for the NV2A. `--numerics ieee` is plain f32, for speed, with a zero that wins; `to wgsl` takes it unless
`--numerics exact` asks for the integer arithmetic.

A program starts at its first slot (`--start N` for another one) with R0 to R11 and A0 at 0, and ends with the first
final slot, or after 136. Both units of a slot read the state before the slot. R12 reads oPos. oFog is one number: every
write stores lane x of the result, whatever its mask, as pictures of a console (`Fog_coord_vec4`) show. Constants that
are written stay written, so such vertices run one after another, and the results of `run` include the constants.
GPUs run vertices side by side: `to` leaves out, with a warning, constants that are written and never read, and
refuses programs that read what another vertex wrote, unless `--rule c-write=vertex` gives each vertex its own. A vertex state program (microcode of version 7378, or
`--state-program`) has v0 only and no outputs.

Programs apply the viewport themselves, so oPos is in pixels. For WGSL and pictures it is taken back to clip space
(`--position clip`): w' is w with its magnitude clamped to 2^-64..2^64; x' = (2x - width) / width · w', y' likewise with
the sign turned, z' = z / far · w'. Width and height are the state value `surface` (640, 480), far is `clip-max`
(16777215). `--subpixel` first truncates x and y to sixteenths of a pixel. Colours are clamped as they leave (`--clamp`).
oFog and oPts are varyings 5 and 6 there; every other output is the varying of its number.

### Points that are not settled

`--rule NAME=VALUE` chooses; the first value is the default.

| name | what is open | values |
|---|---|---|
";

/// The meaning, the fields and the registers.
pub(crate) fn rest(out: &mut String) {
    out.push_str(MEANING);
    for switch in SWITCHES {
        let mut values: Vec<String> =
            switch.values.iter().map(|(value, doc)| format!("`{value}`: {doc}")).collect();
        if values.len() == 1 {
            values.push(format!("{} if not given", switch.default));
        }
        let _ = writeln!(out, "| `{}` | {} | {} |", switch.name, switch.doc, values.join("<br>"));
    }
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
