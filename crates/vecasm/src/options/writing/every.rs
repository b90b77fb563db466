//! The options of several languages.

use super::super::{Opt, Row, number, switch, word};
use super::{EVERY, StageValue, Translating, state};
use alloc::borrow::ToOwned as _;

const ALL: &[&str] = &["wgsl", "spirv", "glsl", "hlsl", "msl"];
const TEXTS: &[&str] = &["wgsl", "glsl", "hlsl", "msl"];
const COMMENTED: &[&str] = &["wgsl", "glsl", "hlsl", "msl", "agal", "d3d9", "nv2a", "tgsi"];

pub(super) const ROWS: &[Row<Translating>] = &[
            Row::new(
                Opt::new(
                    "Meaning",
                    "state",
                    "Fix a state value outside the programs: numbers separated by commas, or the word for a dimension",
                )
                .text("NAME=VALUE")
                .several()
                .more(
                    "A fixed value becomes part of the program, and code that it disables is removed. The dimensions of \
                     textures that the program leaves open are always fixed.",
                ),
                |to, value| state(value).map(|state| to.states.push(state)),
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "entry",
                    "Name of the entry point [default: `main`, in a pair `vertex_main` and `fragment_main`]",
                )
                .text("[STAGE=]NAME")
                .several()
                .of_targets(&["wgsl", "spirv", "msl"]),
                |to, value| StageValue::read(value, |name| Ok(name.to_owned())).map(|name| to.entry.push(name)),
            ),
            Row::new(
                Opt::new(EVERY, "group", "Bind group, or descriptor set, of everything the program reads")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| StageValue::read(value, number).map(|group| to.group.push(group)),
            ),
            Row::new(
                Opt::new(EVERY, "constants", "Binding of the constants").text("[STAGE=]N").several().of_targets(&[
                    "wgsl", "spirv", "glsl", "msl",
                ]),
                |to, value| StageValue::read(value, number).map(|first| to.constants.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "textures", "Binding of the first texture")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv", "glsl", "msl"]),
                |to, value| StageValue::read(value, number).map(|first| to.textures.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "samplers", "Binding of the first sampler")
                    .text("[STAGE=]N")
                    .several()
                    .of_targets(&["wgsl", "spirv", "msl"]),
                |to, value| StageValue::read(value, number).map(|first| to.samplers.push(first)),
            ),
            Row::new(
                Opt::new(EVERY, "array-size", "Declared size of arrays of constants")
                    .words(
                        "SIZE",
                        &[("used", "The elements that the program reads"), ("file", "The whole register file")],
                    )
                    .default("used")
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| word(value).map(|size| to.array_size = size),
            ),
            Row::new(
                Opt::new(EVERY, "space", "Storage of constants")
                    .words("SPACE", &[("uniform", "`var<uniform>`"), ("storage", "`var<storage, read>`")])
                    .default("uniform")
                    .of_targets(&["wgsl", "spirv"]),
                |to, value| word(value).map(|space| to.space = space),
            ),
            Row::new(
                Opt::new(EVERY, "rename", "Name for a register, wherever it appears")
                    .text("REGISTER=NAME")
                    .several()
                    .of_targets(TEXTS),
                |to, value| match value.split_once('=') {
                    Some((register, name)) if !register.is_empty() && !name.is_empty() => {
                        to.rename.push((register.into(), name.into()));
                        Ok(())
                    }
                    _ => Err("expected REGISTER=NAME".into()),
                },
            ),
            Row::new(
                Opt::new(EVERY, "names", "Names of constants and textures in the program's own table (Direct3D)")
                    .words("WHOSE", &[("table", "By the names of the table"), ("registers", "By their registers")])
                    .default("table")
                    .of_targets(ALL),
                |to, value| {
                    to.register_names = match value {
                        "table" => false,
                        "registers" => true,
                        _ => return Err("expected table or registers".into()),
                    };
                    Ok(())
                },
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "signed-zeros",
                    "Test for zero factors in every product that is 0 for a zero factor, even where only the sign of a \
                     zero depends on it",
                )
                .of_targets(ALL),
                |to, value| switch(value).map(|on| to.signed_zeros = on),
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "comments",
                    "Comments in the text; `source` puts each instruction of the program above its translation",
                )
                .words("WHAT", &[("source", "The program, instruction by instruction")])
                .of_targets(COMMENTED),
                |to, value| match value {
                    "source" => {
                        to.comments = true;
                        Ok(())
                    }
                    _ => Err("expected source".into()),
                },
            ),
            Row::new(
                Opt::new(
                    EVERY,
                    "style",
                    "Expressions as a person would write them, or a statement for each instruction of the program",
                )
                .words(
                    "STYLE",
                    &[
                        ("folded", "What is used once is written where it is used"),
                        ("plain", "What an instruction computes is a statement of its own"),
                    ],
                )
                .default("folded")
                .of_targets(TEXTS),
                |to, value| word(value).map(|style| to.style = style),
            ),
];

/// Those of the languages whose z OpenGL may clip.
#[cfg(any(feature = "glsl", feature = "spirv"))]
pub(super) const OPENGL: &[Row<Translating>] = &[
    Row::new(
        Opt::new(
            "GLSL",
            "zero-to-one",
            "Leave z in 0..w, for a host that calls glClipControl(…, GL_ZERO_TO_ONE)",
        )
        .of_targets(&["spirv", "glsl"]),
        |to, value| switch(value).map(|on| to.zero_to_one = on),
    ),
    Row::new(
        Opt::new(
            "GLSL",
            "hands-on",
            "Leave positions unchanged, for a stage that does not feed the rasterizer",
        )
        .of_targets(&["spirv", "glsl"]),
        |to, value| switch(value).map(|on| to.hands_on = on),
    ),
];
