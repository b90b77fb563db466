//! Options of programs of other instruction sets.

#[cfg(feature = "nv2a")]
use super::super::number;
#[cfg(feature = "tgsi")]
use super::super::word;
use super::super::{Opt, Row};
use super::Translating;
use crate::ir::Promise;
use crate::lower;
#[cfg(feature = "agal")]
use alloc::format;
#[cfg(feature = "agal")]
use alloc::string::{String, ToString as _};

const PROGRAMS: &str = "Instruction sets";
#[cfg(feature = "agal")]
const AGAL: &str = "AGAL";
#[cfg(feature = "d3d9")]
const D3D9: &str = "Direct3D 9";
#[cfg(feature = "nv2a")]
const NV2A: &str = "NV2A";
#[cfg(feature = "tgsi")]
const TGSI: &str = "TGSI";

pub(super) const ROWS: &[Row<Translating>] = &[
    Row::new(
        Opt::new(PROGRAMS, "promise", "The least that a program of another instruction set keeps")
            .words(
                "WHAT",
                &[
                    ("exact", "Every output, to the bit, each program by its own arithmetic"),
                    ("operations", "The same operations in the same order, each by its own arithmetic"),
                    ("close", "The same for ordinary numbers; notes say which operations differ where"),
                    ("approximate", "As near as the operations of the target come"),
                ],
            )
            .default("close")
            .of_targets(&["agal", "d3d9", "nv2a", "tgsi"]),
        |to, value| {
            to.promise = match value {
                "exact" => Some(Promise::Exact),
                "operations" => Some(Promise::Operations),
                "close" => Some(Promise::Close),
                "approximate" => Some(Promise::Approximate),
                _ => return Err("expected exact, operations, close or approximate".into()),
            };
            Ok(())
        },
    ),
    #[cfg(feature = "agal")]
    Row::new(
        Opt::new(AGAL, "agal-version", "AGAL version: 1 to 4 [default: the first of 1 to 3 that has room]")
            .text("VERSION")
            .of_targets(&["agal"]),
        |to, value| match value.parse() {
            Ok(version @ 1..=4) => {
                to.agal.version = Some(version);
                Ok(())
            }
            _ => Err("expected 1, 2, 3 or 4".into()),
        },
    ),
    #[cfg(feature = "agal")]
    Row::new(
        Opt::new(
            AGAL,
            "sampler",
            "State of a sampler, which AGAL says in the program: `fs0=linear,miplinear,repeat` [default: what the program says, \
             else `ignoresampler`]",
        )
        .text("FSn=OPTIONS")
        .several()
        .of_targets(&["agal"]),
        |to, value| sampler(value).map(|sampler| {
            to.agal.samplers.insert(sampler.number(), sampler);
        }),
    ),
    #[cfg(feature = "d3d9")]
    Row::new(
        Opt::new(
            D3D9,
            "model",
            "Model of the program, also written d3d9:MODEL: vs_1_1, vs_2_0, vs_2_a, vs_2_x, vs_3_0, ps_2_0, ps_2_a, ps_2_b, ps_2_x or \
             ps_3_0 [default: the first of 2_0 and later that has room]",
        )
        .text("MODEL")
        .of_targets(&["d3d9"]),
        |to, value| match crate::code::d3d9::Model::named(value) {
            Some(model) => {
                to.d3d9_model = Some(model);
                Ok(())
            }
            None => Err("expected a model, such as ps_2_0".into()),
        },
    ),
    #[cfg(feature = "nv2a")]
    Row::new(
        Opt::new(
            NV2A,
            "constants-at",
            "Constant that constant 0 becomes, in the numbers of the hardware [default: 96, or 60 if they need more room; of programs \
             of the NV2A 0]",
        )
        .number("NUMBER")
        .of_targets(&["nv2a"]),
        |to, value| number(value).map(|base| to.nv2a.constants_at = Some(base)),
    ),
    #[cfg(feature = "nv2a")]
    Row::new(
        Opt::new(
            NV2A,
            "viewport",
            "Whether the program applies the viewport of c58 and c59 to the position at its end [default: on, of programs of the \
             NV2A off]",
        )
        .words("WHETHER", &[("on", "The position of the source is in clip space"), ("off", "It is in pixels already")])
        .of_targets(&["nv2a"]),
        |to, value| {
            to.nv2a.viewport = match value {
                "on" => Some(true),
                "off" => Some(false),
                _ => return Err("expected on or off".into()),
            };
            Ok(())
        },
    ),
    #[cfg(feature = "tgsi")]
    Row::new(
        Opt::new(TGSI, "to-dialect", "Dialect of the result")
            .text("DIALECT")
            .default("mesa22")
            .of_targets(&["tgsi"]),
        |to, value| word(value).map(|dialect| to.tgsi_dialect = Some(dialect)),
    ),
];

/// Reads `fs0=linear,repeat` as the assembler reads it.
#[cfg(feature = "agal")]
fn sampler(value: &str) -> Result<crate::isa::agal::program::Sampler, String> {
    use crate::isa::agal::text::{ParseOptions, parse};
    let (register, options) = value.split_once('=').ok_or("expected fs0=OPTIONS")?;
    let plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",._+-".contains(&byte));
    if !plain(register) || !plain(options) {
        return Err("expected fs0=OPTIONS, such as fs0=linear,repeat".into());
    }
    let text = format!(".agal fragment 3\ntex ft0, v0, {register} <{options}>\n");
    let (program, findings) = parse(&text, &ParseOptions::default());
    let token = program.as_ref().and_then(|program| program.tokens.first());
    token.map(|token| token.src2.sampler()).ok_or_else(|| match findings.first() {
        Some(finding) => finding.message.to_string(),
        None => "expected fs0=OPTIONS".into(),
    })
}

impl Translating {
    /// How programs of other instruction sets are made.
    pub(super) fn lower(&self) -> lower::Options<'_> {
        let mut options = lower::Options { promise: self.promise, ..lower::Options::default() };
        #[cfg(feature = "agal")]
        {
            options.agal = Some(&self.agal);
        }
        #[cfg(feature = "d3d9")]
        {
            options.d3d9_model = self.d3d9_model;
        }
        #[cfg(feature = "nv2a")]
        {
            options.nv2a = self.nv2a;
        }
        #[cfg(feature = "tgsi")]
        {
            options.tgsi = crate::code::tgsi::Options { dialect: self.tgsi_dialect, ..options.tgsi };
        }
        options
    }
}
