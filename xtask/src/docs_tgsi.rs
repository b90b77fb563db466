//! The manual of TGSI: what stands around the table of instructions in `docs/isa/tgsi.md`.

use std::fmt::Write as _;
use vecasm::isa::tgsi::dialect::{Dialect, Numbering};
use vecasm::isa::tgsi::lift::image_formats;
use vecasm::isa::tgsi::names::{
    File, ImmediateType, Interpolation, Location, MEMORY_QUALIFIERS, MemoryType, Primitive, PropertyName,
    ReturnType, Semantic, Target,
};
use vecasm::isa::tgsi::table::Exec;
use vecasm::isa::tgsi::{Opcode, Processor};

/// What stands in front of the instructions.
pub(crate) const HEAD: &str = "\
Registers have four components x, y, z, w of 32 bits without a type: an instruction uses them as floats, as integers or, two
at a time, as 64-bit values. `d` is a destination with a write mask, `a`, `b` and `c` are sources with `-`, `|…|` and a
swizzle of four letters; `a.x` reads the first component of the swizzle; `s` is a sampler, `SVIEW` a sampler view, `memory` a
buffer, an image, shared memory or a counter, `target` the kind of the texture, `l` a label. A mnemonic may end in `_SAT`
(the result is clamped to 0 to 1) and then `_PRECISE`. The code is the number in Mesa 22.3, for removed instructions that in
Mesa 10.1; the last table has the others.
";

/// The words of a table with their numbers.
macro_rules! words {
    ($out:expr, $title:literal, $Name:ident) => {
        let _ = write!($out, "\n## {}\n\n| word | Mesa 20–25 | Mesa 10 | virglrenderer |\n|---|---|---|---|\n", $title);
        for row in $Name::ALL {
            let number =
                |numbering| row.code(numbering).map_or_else(|| "–".to_string(), |code: u8| code.to_string());
            let [mesa, legacy, virgl] = NUMBERINGS.map(number);
            let name = row.name().map_or_else(|| format!("{row:?} (no word)"), |name| format!("`{name}`"));
            let _ = writeln!($out, "| {name} | {mesa} | {legacy} | {virgl} |");
        }
    };
}

const NUMBERINGS: [Numbering; 3] = [Numbering::Mesa, Numbering::Legacy, Numbering::Virgl];

/// What stands behind the instructions.
pub(crate) fn rest(out: &mut String) {
    let _ = write!(out, "\n## Stages\n\n| header | stage |");
    for dialect in Dialect::ALL {
        let _ = write!(out, " {} |", dialect.name());
    }
    let _ = writeln!(out, "\n|---|---|{}", "---|".repeat(Dialect::ALL.len()));
    for processor in Processor::ALL {
        let (Some(name), Some(stage)) = (processor.name(), processor.stage()) else { continue };
        let _ = write!(out, "| `{name}` | {} |", stage.name());
        for dialect in Dialect::ALL {
            let number = processor.code(*dialect).map_or_else(|| "–".to_string(), |code| code.to_string());
            let _ = write!(out, " {number} |");
        }
        out.push('\n');
    }
    words!(out, "Register files", File);
    words!(out, "Semantics", Semantic);
    words!(out, "Texture targets", Target);
    words!(out, "Return types of sampler views", ReturnType);
    words!(out, "Interpolation", Interpolation);
    words!(out, "Places of interpolation", Location);
    words!(out, "Types of immediates", ImmediateType);
    words!(out, "Types of memory", MemoryType);
    words!(out, "Primitives", Primitive);
    words!(out, "Properties", PropertyName);
    let _ = writeln!(
        out,
        "\nProperty 23 is written `{}` by Mesa before 21 and by virglrenderer. Qualifiers of memory, the lowest bit first: {}.",
        PropertyName::MUL_ZERO_WINS,
        MEMORY_QUALIFIERS.map(|word| format!("`{word}`")).join(", ")
    );
    let _ = write!(
        out,
        "\n## Numbers of instructions\n\n| instruction | Mesa 20–25 | Mesa 10 | virglrenderer |\n|---|---|---|---|\n"
    );
    for op in Opcode::ALL {
        let row = op.row();
        let number = |numbering| row.code(numbering).map_or_else(|| "–".to_string(), |code| code.to_string());
        let [mesa, legacy, virgl] = NUMBERINGS.map(number);
        if mesa != legacy || mesa != virgl {
            let _ = writeln!(out, "| `{}` | {mesa} | {legacy} | {virgl} |", row.name);
        }
    }
    let _ = writeln!(out, "\nEvery other instruction has the same number everywhere.");
    let _ = write!(
        out,
        "\n## Formats of images\n\nImages can have one of these formats; programs with another one are refused.\n\n\
         | declared as | texel | channels |\n|---|---|---|\n"
    );
    for (name, format) in image_formats() {
        let bits = format.bits().iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "| `{name}` | {} | {bits} bits |", format.name());
    }
    let of = |exec: Exec| {
        let rows = Opcode::ROWS.iter().filter(|row| row.exec == exec);
        rows.map(|row| format!("`{}`", row.name)).collect::<Vec<_>>().join(", ")
    };
    let _ = write!(
        out,
        "\n## Instructions that Mesa's interpreter skips\n\n`tgsi_exec` of Mesa 22.3 skips {}. It also skips {}; a debug build stops there.\n",
        of(Exec::Missing),
        of(Exec::Stops)
    );
}
