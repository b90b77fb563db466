//! Properties: what must hold for any bytes whatever.
//!
//! A property is one row of [`PROPERTIES`] and a plain function of some bytes. The test suite runs each for about a
//! second, `cargo xtask mutate` runs them on mutated programs and texts by the hundred thousand, and
//! the fuzz target of the same name runs it for hours. A property panics if it does not hold. It counts what it
//! really did in [`Seen`], so that a property that has silently become useless is noticed.

#[path = "properties_containers.rs"]
pub(crate) mod containers;
#[path = "properties_d3d9.rs"]
pub(crate) mod d3d9;
#[path = "properties_debug.rs"]
pub(crate) mod debug;
#[path = "properties_engines.rs"]
pub(crate) mod engines;
#[path = "properties_lower.rs"]
pub(crate) mod lower;
#[path = "properties_made.rs"]
pub(crate) mod made;
#[path = "properties_nv2a.rs"]
pub(crate) mod nv2a;
#[path = "random_nv2a.rs"]
pub(crate) mod random_nv2a;
#[path = "random_text.rs"]
pub(crate) mod random_text;
#[path = "properties_reflect.rs"]
pub(crate) mod reflect;
#[path = "properties_repro.rs"]
pub(crate) mod repro;
#[path = "properties_seeds.rs"]
pub(crate) mod seeds;
#[path = "properties_tgsi.rs"]
pub(crate) mod tgsi;
#[path = "properties_vsh.rs"]
pub(crate) mod vsh;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use vecasm::diag::{self, Diagnostic, Place, Source, sarif};
use vecasm::emit::wgsl;
use vecasm::exec::image::Image;
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine, Outputs};
use vecasm::ir::verify::verify;
use vecasm::ir::{self, Dim, Filter, InputKind, Mip, SamplerState, Scalar, Shader, Stage, Wrap};
use vecasm::isa::agal::bytes::{decode, decode_lossless, encode};
use vecasm::isa::agal::lift::{Depth, Ifg, Numerics, OffsetByte, Options, lift};
use vecasm::isa::agal::program::{Program, Token};
use vecasm::isa::agal::rules::{self, Generation, Profile};
use vecasm::isa::agal::text::{self, macros};
use vecasm::isa::{AnyProgram, Isa};
use vecasm::math::CANONICAL_NAN;
use vecasm::opt::{clean, fold};
use vecasm::symbols::symbols;
use vecasm::{NoHost, OpenOptions};

/// What the inputs of a property are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Binaries.
    Program,
    /// Assembly text.
    Text,
    /// The text form of the IR.
    Ir,
    /// Slots of the NV2A.
    Slots,
    /// Files of the NV2A with microcode.
    Microcode,
    /// Assembly text of the NV2A.
    Vsh,
    /// Token streams of Direct3D.
    Stream,
    /// Assembly text of Direct3D.
    StreamText,
    /// The same with lines for the preprocessor.
    Macros,
    /// Tokens of TGSI.
    Tokens,
    /// Texts of TGSI.
    TokenText,
    /// Repro files.
    Repro,
    /// Files that carry programs.
    Container,
}

impl Input {
    /// Every kind, in order.
    pub(crate) const ALL: [Self; 13] = [
        Self::Program,
        Self::Text,
        Self::Ir,
        Self::Slots,
        Self::Microcode,
        Self::Vsh,
        Self::Stream,
        Self::StreamText,
        Self::Macros,
        Self::Tokens,
        Self::TokenText,
        Self::Repro,
        Self::Container,
    ];

    /// The kind whose seeds it is made from.
    pub(crate) const fn origin(self) -> Self {
        match self {
            Self::Microcode => Self::Slots,
            Self::Macros => Self::StreamText,
            other => other,
        }
    }

    /// Whether it is text.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Ir
                | Self::Vsh
                | Self::StreamText
                | Self::Macros
                | Self::TokenText
                | Self::Repro
        )
    }

    /// A damaged copy of a seed.
    pub(crate) fn damaged(self, seed: &[u8], rng: &mut Rng) -> Vec<u8> {
        match self {
            Self::Program => Mutation::ALL[rng.below(Mutation::ALL.len())].apply(seed, rng),
            Self::Text | Self::Ir => damaged_text(seed, rng),
            Self::Slots => nv2a::damaged_slots(seed, rng),
            Self::Microcode => vsh::damaged(seed, rng),
            Self::Vsh => vsh::damaged_text(seed, rng),
            Self::Stream => d3d9::damaged_stream(seed, rng),
            Self::StreamText => d3d9::damaged_text(seed, rng),
            Self::Macros => d3d9::damaged_macros(seed, rng),
            Self::Tokens => tgsi::damaged_tokens(seed, rng),
            Self::TokenText => tgsi::damaged_text(seed, rng),
            Self::Repro => repro::damaged(seed, rng),
            Self::Container => containers::damaged(seed, rng),
        }
    }
}

/// A property.
#[derive(Clone, Copy)]
pub(crate) struct Property {
    /// Its name, and that of its fuzz target.
    pub(crate) name: &'static str,
    /// What its inputs are made from.
    pub(crate) input: Input,
    /// Panics if the property does not hold for these bytes.
    pub(crate) check: fn(&[u8], &mut Seen),
    /// Of mutated programs or texts, at least this share (in percent) counts as each of these.
    pub(crate) useful: &'static [(&'static str, u64)],
    /// Whether shaders are run, which may take memory beyond the bound for everything else.
    pub(crate) runs: bool,
}

/// Every property.
pub(crate) const PROPERTIES: &[Property] = &{
    let parts: [&[Property]; 7] = [
        &OWN,
        &reflect::PROPERTIES,
        &lower::PROPERTIES,
        &vsh::PROPERTIES,
        &engines::PROPERTIES,
        &repro::PROPERTIES,
        &containers::PROPERTIES,
    ];
    const COUNT: usize = OWN.len()
        + reflect::PROPERTIES.len()
        + lower::PROPERTIES.len()
        + vsh::PROPERTIES.len()
        + engines::PROPERTIES.len()
        + repro::PROPERTIES.len()
        + containers::PROPERTIES.len();
    let mut out = [OWN[0]; COUNT];
    let (mut part, mut at, mut i) = (0, 0, 0);
    while i < out.len() {
        if at == parts[part].len() {
            (part, at) = (part + 1, 0);
            continue;
        }
        out[i] = parts[part][at];
        (at, i) = (at + 1, i + 1);
    }
    out
};

/// The properties of AGAL, the IR and what slots of the NV2A mean.
const OWN: [Property; 31] = [
    Property {
        name: "bytes_round_trip",
        input: Input::Program,
        check: bytes_round_trip,
        useful: &[("decoded", 80), ("with tokens", 60)],
        runs: false,
    },
    Property {
        name: "lifted_verifies",
        input: Input::Program,
        check: lifted_verifies,
        useful: &[("lifted", 25)],
        runs: false,
    },
    Property {
        name: "runs_repeat",
        input: Input::Program,
        check: runs_repeat,
        useful: &[("ran", 25)],
        runs: true,
    },
    Property {
        name: "passes_keep_results",
        input: Input::Program,
        check: passes_keep_results,
        useful: &[("compared", 25)],
        runs: true,
    },
    Property {
        name: "lifted_is_written",
        input: Input::Program,
        check: lifted_is_written,
        useful: &[("written", 25)],
        runs: false,
    },
    Property {
        name: "text_round_trip",
        input: Input::Program,
        check: text_round_trip,
        useful: &[("sayable without raw tokens", 15)],
        runs: false,
    },
    Property {
        name: "validation_is_total",
        input: Input::Program,
        check: validation_is_total,
        useful: &[("refused", 25), ("accepted", 2)],
        runs: false,
    },
    Property {
        name: "accepted_is_lifted",
        input: Input::Program,
        check: accepted_is_lifted,
        useful: &[("accepted and lifted", 2)],
        runs: false,
    },
    Property {
        name: "any_text_is_safe",
        input: Input::Text,
        check: any_text_is_safe,
        useful: &[("assembled", 3), ("refused", 10)],
        runs: false,
    },
    Property {
        name: "macros_are_bounded",
        input: Input::Text,
        check: macros_are_bounded,
        useful: &[("expanded", 10), ("refused", 10)],
        runs: false,
    },
    Property {
        name: "ir_text_is_safe",
        input: Input::Ir,
        check: ir_text_is_safe,
        useful: &[("sound", 5), ("refused", 10)],
        runs: false,
    },
    Property {
        name: "prints_one_line_a_token",
        input: Input::Program,
        check: prints_one_line_a_token,
        useful: &[("printed", 60)],
        runs: false,
    },
    Property {
        name: "slots_are_lifted",
        input: Input::Slots,
        check: nv2a::slots_are_lifted,
        useful: &[("lifted", 80)],
        runs: false,
    },
    Property {
        name: "lifted_slots_run",
        input: Input::Slots,
        check: nv2a::lifted_slots_run,
        useful: &[("ran", 80), ("ran in integers", 40), ("written", 5)],
        runs: true,
    },
    Property {
        name: "token_streams_survive",
        input: Input::Stream,
        check: d3d9::token_streams_survive,
        useful: &[("with a model", 60), ("with instructions", 40)],
        runs: false,
    },
    Property {
        name: "streams_are_validated",
        input: Input::Stream,
        check: d3d9::streams_are_validated,
        useful: &[("refused", 25), ("accepted", 1)],
        runs: false,
    },
    Property {
        name: "streams_are_lifted",
        input: Input::Stream,
        check: d3d9::streams_are_lifted,
        useful: &[("lifted", 20)],
        runs: false,
    },
    Property {
        name: "streams_are_converted",
        input: Input::Stream,
        check: d3d9::streams_are_converted,
        useful: &[("upgraded", 1), ("canonical", 20), ("changed", 5), ("refused", 20)],
        runs: false,
    },
    Property {
        name: "lifted_streams_run",
        input: Input::Stream,
        check: d3d9::lifted_streams_run,
        useful: &[("ran", 20), ("written", 15)],
        runs: true,
    },
    Property {
        name: "stream_texts_are_safe",
        input: Input::StreamText,
        check: d3d9::stream_texts_are_safe,
        useful: &[("assembled", 5), ("refused", 10)],
        runs: false,
    },
    Property {
        name: "preprocessing_is_bounded",
        input: Input::Macros,
        check: d3d9::preprocessing_is_bounded,
        useful: &[("expanded", 10), ("with an error", 5), ("with a file", 1)],
        runs: false,
    },
    Property {
        name: "listings_read_back",
        input: Input::Stream,
        check: d3d9::listings_read_back,
        useful: &[("listed", 20), ("like", 20), ("like Wine's", 15)],
        runs: false,
    },
    Property {
        name: "tokens_survive",
        input: Input::Tokens,
        check: tgsi::tokens_survive,
        useful: &[("with a header", 60), ("recognized", 10), ("with instructions", 40), ("converted", 20)],
        runs: false,
    },
    Property {
        name: "tokens_are_validated",
        input: Input::Tokens,
        check: tgsi::tokens_are_validated,
        // Many seeds are the small valid programs of logs: damage leaves more of them valid than of long ones.
        useful: &[("accepted", 5), ("refused", 30)],
        runs: false,
    },
    Property {
        name: "tokens_are_lifted",
        input: Input::Tokens,
        check: tgsi::tokens_are_lifted,
        useful: &[("lifted", 5)],
        runs: false,
    },
    Property {
        name: "lifted_tokens_run",
        input: Input::Tokens,
        check: tgsi::lifted_tokens_run,
        useful: &[("ran", 3), ("written", 2)],
        runs: true,
    },
    Property {
        name: "token_texts_are_safe",
        input: Input::TokenText,
        check: tgsi::token_texts_are_safe,
        useful: &[("assembled", 5), ("refused", 10), ("as tokens", 3)],
        runs: false,
    },
    Property {
        name: "programs_are_explained",
        input: Input::Program,
        check: debug::programs_are_explained,
        useful: &[("recorded as run", 15), ("conditions", 5)],
        runs: true,
    },
    Property {
        name: "slots_are_explained",
        input: Input::Slots,
        check: debug::slots_are_explained,
        useful: &[("recorded as run", 40), ("conditions", 5)],
        runs: true,
    },
    Property {
        name: "streams_are_explained",
        input: Input::Stream,
        check: debug::streams_are_explained,
        useful: &[("conditions", 5)],
        runs: true,
    },
    Property {
        name: "tokens_are_explained",
        input: Input::Tokens,
        check: tgsi::tokens_are_explained,
        useful: &[("ran", 5), ("accepted and lifted", 3), ("conditions", 5)],
        runs: true,
    },
];

/// How often something was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    counts: BTreeMap<&'static str, u64>,
}

impl Seen {
    /// Counts one `what`.
    pub(crate) fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// How often `what` was counted.
    pub(crate) fn get(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Everything that was counted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.counts.iter().map(|(what, n)| (*what, *n))
    }

    /// The first of the shares a property promises that is not reached.
    pub(crate) fn lacking(&self, property: &Property) -> Option<String> {
        let cases = self.get("cases").max(1);
        let lacks = |(what, percent): &&(&str, u64)| self.get(what) * 100 < cases * percent;
        let (what, percent) = property.useful.iter().find(lacks)?;
        Some(format!("only {} of {cases} cases were {what}, less than {percent} %", self.get(what)))
    }
}

/// Decoding and encoding any bytes gives the same bytes, and decoding refuses only what has no sign of AGAL.
fn bytes_round_trip(bytes: &[u8], seen: &mut Seen) {
    let lossless = decode_lossless(bytes);
    assert!(encode(&lossless) == bytes, "other bytes came back");
    match decode(bytes) {
        Ok(program) => {
            seen.count("decoded");
            if !program.tokens.is_empty() {
                seen.count("with tokens");
            }
            assert!(program == lossless, "decode and decode_lossless differ");
            assert!(program.tail.len() < Token::SIZE, "the tail holds a whole token");
        }
        Err(finding) => {
            let signs = bytes.first() == Some(&0xa0) || bytes.get(5) == Some(&0xa1);
            assert!(!signs, "refused in spite of the magic or the stage tag");
            presentable(&finding, "input", None);
        }
    }
}

/// Every lifting of every numerics either gives a diagnostic at a token or a shader that keeps the rules of the IR.
fn lifted_verifies(bytes: &[u8], seen: &mut Seen) {
    let Ok(program) = decode(bytes) else { return };
    for (i, options) in all_options().into_iter().enumerate() {
        match lift(&program, &options) {
            Ok(shader) => {
                if i == 0 {
                    seen.count("lifted");
                }
                let breaches = verify(&shader);
                assert!(breaches.is_empty(), "{}", breaches[0]);
                assert!(!ir::text::print(&shader).is_empty());
            }
            Err(finding) => {
                assert!(matches!(finding.place, Place::Binary { .. }), "no place: {finding}");
                presentable(&finding, "input", None);
            }
        }
    }
}

/// A shader that was lifted runs, and a second run gives the same bits.
fn runs_repeat(bytes: &[u8], seen: &mut Seen) {
    let Some(shader) = lifted(bytes) else { return };
    let batch = batch(&shader, &mut Rng::of(bytes), 6);
    let first = Interp.run(&shader, &batch);
    match &first {
        Ok(outputs) => {
            seen.count("ran");
            assert!(outputs.cells.len() == shader.outputs.len(), "cells are missing");
            assert!(outputs.cells.iter().all(|cell| cell.len() == batch.count), "invocations are missing");
            assert!(!outputs.exhausted.contains(&true), "AGAL has no loops to run out of fuel in");
        }
        Err(why) => panic!("a lifted shader does not run: {why}"),
    }
    assert!(first == Interp.run(&shader, &batch), "a second run gives other bits");
}

/// Lifting with the step table, folding and cleaning change nothing that comes out. What an inactive invocation shows
/// its neighbours in divergent flow is left to the passes, so derivatives beside conditionals are not compared.
fn passes_keep_results(bytes: &[u8], seen: &mut Seen) {
    let Some(lean) = lifted(bytes) else { return };
    let mut quads = false;
    lean.body.for_each_inst(&mut |inst| quads |= inst.op.needs_quad());
    if quads && lean.body.nodes.iter().any(|node| !matches!(node, ir::Node::Inst(_))) {
        return;
    }
    let full = Options { depth: Depth::Full, ..Options::default() };
    let full = lift(&decode_lossless(bytes), &full).expect("what is lifted lean is lifted in full");
    let wanted = results(&lean, bytes);
    for (name, shader) in [
        ("in full", full.clone()),
        ("cleaned", clean(&lean)),
        ("folded", fold(&lean)),
        ("folded and cleaned", clean(&fold(&lean))),
        ("in full, folded and cleaned", clean(&fold(&full))),
    ] {
        let breaches = verify(&shader);
        assert!(breaches.is_empty(), "{name}: {}", breaches[0]);
        assert!(results(&shader, bytes) == wanted, "{name}: other results");
    }
    seen.count("compared");
}

/// What comes out, by name and with one NaN for all, for inputs that depend on `bytes` and the names of the registers only.
fn results(shader: &Shader, bytes: &[u8]) -> (BTreeMap<String, Vec<[u32; 4]>>, Vec<bool>) {
    let outputs = Interp.run(shader, &batch(shader, &mut Rng::of(bytes), 4)).expect("a lifted shader runs");
    let outputs = with_one_nan(outputs);
    (shader.outputs.iter().map(|o| o.name.clone()).zip(outputs.cells).collect(), outputs.killed)
}

/// Whether outputs are the same but for the sign and payload of a NaN in an output or a constant that was written, which are
/// left to the passes.
fn same_but_nan(a: &Outputs, b: &Outputs) -> bool {
    a == b || with_one_nan(a.clone()) == with_one_nan(b.clone())
}

/// Outputs in which every NaN of an output, of one that an invocation leaves to the next, and of a constant that was written is the
/// same.
fn with_one_nan(mut outputs: Outputs) -> Outputs {
    let written = outputs.cells.iter_mut().chain(&mut outputs.params).flatten();
    for bits in written.chain(&mut outputs.carried).flatten() {
        if f32::from_bits(*bits).is_nan() {
            *bits = CANONICAL_NAN;
        }
    }
    outputs
}

/// A shader that was lifted can be written as WGSL, the same text each time.
fn lifted_is_written(bytes: &[u8], seen: &mut Seen) {
    let Some(shader) = lifted(bytes) else { return };
    let options = wgsl::Options::default();
    match wgsl::write(&shader, &options) {
        Ok(output) => {
            seen.count("written");
            assert!(output.source.contains("fn main"), "no entry point");
            assert!(output.source.is_ascii(), "a character that WGSL may not have");
            assert!(
                wgsl::write(&shader, &options).as_ref() == Ok(&output),
                "a second time gives another text"
            );
        }
        Err(finding) => panic!("lifted, but not written: {finding}"),
    }
}

/// Printing and parsing gives the same program, raw notation where the syntax cannot say it.
fn text_round_trip(bytes: &[u8], seen: &mut Seen) {
    if let Err(why) = text::properties::bytes_round_trip(bytes) {
        panic!("{why}");
    }
    let program = decode_lossless(bytes);
    let printed = text::print(&program, &text::PrintOptions::default());
    if !program.tokens.is_empty() && !printed.contains(".token") && !printed.contains(".header") {
        seen.count("sayable without raw tokens");
    }
}

/// Every validator says the same twice, finds places inside the input, and marks exactly one finding if it refuses.
fn validation_is_total(bytes: &[u8], seen: &mut Seen) {
    for generation in Generation::ALL {
        for profile in Profile::ALL {
            let options = rules::Options { generation, profile, ..rules::Options::default() };
            let findings = rules::validate_bytes(bytes, &options);
            let refused = diag::has_errors(&findings);
            let first = findings.iter().filter(|d| d.first).count();
            assert!(first == usize::from(refused), "{first} findings are marked as the first");
            for finding in &findings {
                if let Place::Binary { offset, .. } = finding.place {
                    assert!(offset as usize <= bytes.len(), "a place behind the end");
                }
            }
            if profile == Profile::Any {
                findings.iter().take(3).for_each(|finding| presentable(finding, "input", None));
                assert!(
                    findings == rules::validate_bytes(bytes, &options),
                    "a second look finds something else"
                );
                if generation == Generation::Modern {
                    seen.count(if refused { "refused" } else { "accepted" });
                }
            }
        }
    }
    let program = decode_lossless(bytes);
    let _ = rules::link(&program, &program, &rules::Options::default());
    let _ = rules::describe(&program);
}

/// What a current player accepts has a meaning.
fn accepted_is_lifted(bytes: &[u8], seen: &mut Seen) {
    if diag::has_errors(&rules::validate_bytes(bytes, &rules::Options::default())) {
        return;
    }
    match lift(&decode_lossless(bytes), &Options::default()) {
        Ok(_) => seen.count("accepted and lifted"),
        Err(finding) => panic!("accepted, but not lifted: {finding}"),
    }
}

/// Any text can be read and formatted in every way; what the strict syntax takes comes back from printing.
fn any_text_is_safe(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    symbols_are_in_place(Isa::Agal, &input);
    if let Err(why) = text::properties::text_is_safe(&input) {
        panic!("{why}");
    }
    let (program, findings) = text::parse(&input, &text::ParseOptions::default());
    seen.count(if program.is_some() { "assembled" } else { "refused" });
    findings.iter().take(5).for_each(|finding| presentable(finding, "input", Some(&input)));
    laid_out_once(Isa::Agal, &input, seen);
}

/// A text that is laid out has all of its words and comments, is the same program, and is laid out for good: as it is, and
/// with comments in columns.
pub(crate) fn laid_out_once(isa: Isa, input: &str, seen: &mut Seen) {
    // Blanks are what a layout changes, and commas between the options of AGAL's samplers.
    let solid = |text: &str| -> String {
        let kept = |c: &char| {
            !c.is_whitespace() && !matches!(c, '\u{feff}' | '\0') && (isa != Isa::Agal || *c != ',')
        };
        text.chars().filter(kept).collect()
    };
    let read = |text: &str| AnyProgram::parse(isa, text, None, None).0;
    let commented = commented(isa, input, &mut Rng::of(input.as_bytes()));
    for text in [input, &commented] {
        let Ok(done) = isa.lay_out(text) else { continue };
        assert!(solid(text) == solid(&done), "{text:?} has other words and comments laid out: {done:?}");
        assert!(isa.lay_out(&done).as_ref() == Ok(&done), "{text:?} is laid out in two ways, first {done:?}");
        assert!(read(text) == read(&done), "{text:?} is another program laid out: {done:?}");
        // It is taken then; what `format` does not take is found above.
        assert!(isa.format(text).as_ref() == Ok(&done), "{text:?} is not laid out");
        seen.count("laid out");
    }
}

/// Whatever a text is, its symbols are places in it that have some text, inside their statements.
pub(crate) fn symbols_are_in_place(isa: Isa, text: &str) {
    let options = OpenOptions::default().with_isa(isa);
    for symbol in &symbols(text, &options, &mut NoHost) {
        for it in &symbol.uses {
            let inside = it.statement.start <= it.span.start && it.span.end <= it.statement.end;
            let spelled = text.get(it.span.start as usize..it.span.end as usize).unwrap_or("");
            assert!(inside && !spelled.is_empty(), "{} has no place {it:?}", symbol.name);
        }
    }
}

/// A text with comments behind some of its lines, and on lines of their own.
fn commented(isa: Isa, text: &str, rng: &mut Rng) -> String {
    let marks: &[&str] = match isa {
        Isa::Agal => &["//"],
        Isa::Nv2a => &["//", ";", "#", "/* */"],
        Isa::D3d9 => &["//", ";", "/* */", "/*\n*/"],
        _ => &["#", "//", "/* */", "/*\n */"],
    };
    let mut out = String::new();
    // Most texts have one kind, so that those take it that know one only.
    let mark = marks[rng.below(marks.len())];
    for line in text.lines() {
        out.push_str(line);
        let column = [8, 24, 31, 140][rng.below(4)];
        if rng.below(3) > 0 {
            match rng.below(4) {
                0 => out.push('\t'),
                1 => out.push_str(["", " ", "  "][rng.below(3)]),
                _ => out.extend(std::iter::repeat_n(' ', (column - line.chars().count().min(column)).max(1))),
            }
            out.push_str(mark);
            if rng.below(4) == 0 {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', column));
                out.push_str(mark);
            }
        }
        out.push_str(["\n", "\n", "\n\n", "\r\n"][rng.below(4)]);
    }
    out
}

/// Any text can be read as one of the IR; a shader that keeps the rules comes back from being printed, and a refusal
/// names a line of the text.
fn ir_text_is_safe(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    match ir::text::parse_any(&input) {
        Ok(shader) if verify(&shader).is_empty() => {
            seen.count("sound");
            let printed = ir::text::print(&shader);
            let again = ir::text::parse_any(&printed);
            assert!(again.as_ref() == Ok(&shader), "{:?}\n{printed}", again.err());
            assert!(ir::text::print(&shader) == printed, "printed in two ways");
        }
        Ok(_) => seen.count("with breaches"),
        Err(error) => {
            seen.count("refused");
            let lines = input.matches('\n').count() + 1;
            assert!((1..=lines).contains(&(error.line as usize)), "no line of the text: {error}");
            assert!((1..=400).contains(&error.message.len()), "no message of a fitting length: {error}");
        }
    }
}

/// Any text can be read as one with macros; the result is not longer than it may be, and each of its lines has a
/// place in the text.
fn macros_are_bounded(bytes: &[u8], seen: &mut Seen) {
    let input = String::from_utf8_lossy(bytes);
    symbols_are_in_place(Isa::Agal, &input);
    for mode in [macros::Mode::Strict, macros::Mode::Compat] {
        let options = text::MacroOptions { mode, ..text::MacroOptions::default() };
        let (expanded, findings) = macros::expand(&input, &options);
        if mode == macros::Mode::Strict {
            seen.count(if expanded.is_some() { "expanded" } else { "refused" });
        }
        assert!(expanded.is_some() != diag::has_errors(&findings), "neither a result nor an error, or both");
        if let Some(out) = expanded {
            assert!(out.text.len() <= input.len() * 3 + (32 << 10), "{} bytes", out.text.len());
            assert!(out.text.matches('\n').count() == out.origins.len(), "a line without a place");
            for span in &out.origins {
                assert!(input.get(span.start as usize..span.end as usize).is_some(), "{span:?} is outside");
            }
        }
        let (_, findings) = text::assemble_macros(&input, &text::ParseOptions::default(), &options);
        findings.iter().take(5).for_each(|finding| presentable(finding, "input", Some(&input)));
    }
}

/// Every token is one line of every style, without control characters.
fn prints_one_line_a_token(bytes: &[u8], seen: &mut Seen) {
    let Ok(program) = decode(bytes) else { return };
    for style in text::Style::ALL {
        let printed = text::print(&program, &text::PrintOptions { style });
        let lines = printed.lines().count();
        assert!(lines >= program.tokens.len() && lines <= program.tokens.len() + 2, "{lines} lines");
        assert!(!printed.chars().any(|c| c.is_control() && c != '\n'), "a control character");
    }
    if !program.tokens.is_empty() {
        seen.count("printed");
    }
}

/// All renderings of a finding work, and its place is in the input.
pub(crate) fn presentable(finding: &Diagnostic, name: &str, text: Option<&str>) {
    let source = Source { name, text };
    let human = diag::render_human(finding, source, true);
    assert!(human.ends_with('\n'), "the human form does not end its line");
    let short = diag::render_short(finding, source);
    assert!(short.contains(finding.id), "the short form lacks the id");
    let json = diag::render_json(finding, source);
    assert!(json.starts_with('{') && json.ends_with('}') && !json.contains('\n'), "bad JSON: {json}");
    let report = sarif::Report { source, also: None, findings: core::slice::from_ref(finding) };
    let log = sarif::render_sarif(&[report], &[], &[]);
    assert!(log.ends_with("}\n") && log.matches('\n').count() == 1, "bad SARIF: {log}");
    assert!(!finding.message.is_empty(), "a finding without a message");
    if let (Place::Text(span), Some(text)) = (finding.place, text) {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(start <= end && end <= text.len(), "the span {start}..{end} is outside the text");
        assert!(text.get(start..end).is_some(), "the span {start}..{end} splits a character");
    }
}

fn all_options() -> Vec<Options> {
    let mut out = Vec::new();
    for numerics in [Numerics::Flash, Numerics::Ieee] {
        for depth in [Depth::Lean, Depth::Full] {
            out.push(Options { numerics, depth, ..Options::default() });
        }
    }
    out.push(Options { ifg: Ifg::GreaterEqual, offset: OffsetByte::Unsigned, ..Options::default() });
    out
}

fn lifted(bytes: &[u8]) -> Option<Shader> {
    lift(&decode(bytes).ok()?, &Options::default()).ok()
}

/// A batch of `count` invocations of random inputs and parameters, ordinary and special values mixed. Each register
/// has values of its own that do not depend on which others there are.
pub(crate) fn batch(shader: &Shader, rng: &mut Rng, count: usize) -> Batch<'static> {
    let seed = rng.next();
    let of = |name: &str| Rng::new(seed ^ Rng::of(name.as_bytes()).next());
    // A compute shader has whole workgroups: two.
    let count = match shader.stage {
        Stage::Compute => shader.setup.workgroup.iter().map(|&n| n.max(1) as usize).product::<usize>() * 2,
        _ => count,
    };
    let inputs = shader
        .inputs
        .iter()
        .map(|input| {
            if matches!(input.kind, InputKind::System(system) if system.is_known()) {
                return Vec::new();
            }
            let mut rng = of(&input.name);
            let float = input.ty.scalar == Scalar::F32;
            (0..count).map(|i| if float { rng.lanes() } else { [i as u32; 4] }).collect()
        })
        .collect();
    let params = shader
        .params
        .iter()
        .map(|array| {
            let mut rng = of(&array.name);
            let len = if array.indexed { array.size } else { array.used };
            let row = |rng: &mut Rng| match array.scalar {
                Scalar::F32 => rng.lanes(),
                // Conditions, some of them true by other words than 1, and rounds of loops.
                Scalar::Bool => [0; 4].map(|_| [0, 0, 1, rng.next() as u32][rng.below(4)]),
                _ => [0; 4].map(|_| rng.below(6) as u32),
            };
            (0..len).map(|_| row(&mut rng)).collect()
        })
        .collect();
    let textures = shader.textures.iter().map(|t| Some(bound(t))).collect();
    let buffers = shader.buffers.iter().map(|buffer| {
        let mut rng = of(&buffer.name);
        (0..64).map(|_| rng.below(64) as u8).collect()
    });
    let images = shader.images.iter().map(|image| {
        let extent = Extent {
            height: if image.dim.axes() > 1 { 2 } else { 1 },
            depth: if image.dim == Dim::D3 { 2 } else { 1 },
            ..Extent::new(2, 1)
        };
        let mut rng = of(&image.name);
        let bytes = extent.texels(image.dim) * u64::from(image.format.bytes());
        Image::new(image.dim, image.format, extent, (0..bytes).map(|_| rng.below(256) as u8).collect()).ok()
    });
    let (buffers, images) = (buffers.collect(), images.collect());
    Batch { count, inputs, params, textures, buffers, images, ..Batch::default() }
}

/// A texture of the dimension and texels that `wanted` has, read as the shader asks for.
fn bound(wanted: &ir::Texture) -> BoundTexture<'static> {
    static TEXTURES: OnceLock<Vec<Texture>> = OnceLock::new();
    let textures = TEXTURES.get_or_init(|| {
        let of = |dim: Dim| [Scalar::F32, Scalar::I32, Scalar::U32].map(|scalar| texture(dim, scalar));
        Dim::ALL.iter().flat_map(|&dim| of(dim)).collect()
    });
    let texture = textures.iter().find(|t| t.dim() == wanted.dim && t.scalar() == wanted.scalar);
    let texture = texture.expect("every dimension has textures of every type");
    let state = SamplerState {
        wrap_u: Wrap::Repeat,
        wrap_v: Wrap::Clamp,
        wrap_w: Wrap::Repeat,
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Mip::Linear,
        anisotropy: 1,
        ..SamplerState::PLAIN
    };
    BoundTexture { texture, sampler: wanted.sampler.unwrap_or(state) }
}

/// A small texture: numbers from 0 to 1, or integers below 256, with levels where there can be some.
fn texture(dim: Dim, scalar: Scalar) -> Texture {
    let flat = match dim {
        Dim::D3 => Extent { depth: 2, ..Extent::new(2, 4) },
        _ if dim.faces() > 1 => Extent::new(2, 2),
        _ if dim.axes() > 1 => Extent::new(4, 2),
        _ => Extent::new(4, 1),
    };
    let layers = if dim.arrayed() { 3 } else { 1 };
    let samples = if dim.multisampled() { 4 } else { 1 };
    let extent = Extent { layers, samples, ..flat };
    let lane = |i: u64| {
        let byte = (i * 37 + 11) as u8;
        if scalar == Scalar::F32 { (f32::from(byte) / 255.0).to_bits() } else { u32::from(byte) }
    };
    let texels = (0..extent.texels(dim)).map(|i| std::array::from_fn(|l| lane(4 * i + l as u64)));
    let mut texture = Texture::new(dim, scalar, extent, vec![texels.collect()]).expect("sizes that fit");
    texture.generate_levels();
    texture
}

/// A small generator of pseudo-random numbers (xorshift64*), so that a seed tells everything.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A generator that depends on `bytes` only.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::new(
            bytes
                .iter()
                .fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, 0 for `n` = 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() >> 11) as usize % n }
    }

    /// The bits of an f32: mostly between -4 and 4, sometimes special.
    pub(crate) fn float(&mut self) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0000_0001,
            0x807f_ffff,
            0x7f7f_ffff,
            0x4b80_0000,
            0x3eff_ffff,
        ];
        match self.below(8) {
            0 => SPECIAL[self.below(SPECIAL.len())],
            1 => self.next() as u32,
            _ => ((self.below(8001) as f32 - 4000.0) / 1000.0).to_bits(),
        }
    }

    /// Four such lanes.
    pub(crate) fn lanes(&mut self) -> [u32; 4] {
        [self.float(), self.float(), self.float(), self.float()]
    }
}

/// A way of damaging a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mutation {
    /// One to three bits are flipped.
    Bits,
    /// One to four bytes are random.
    Bytes,
    /// The end is cut off.
    Truncation,
    /// A field of a token gets a small value.
    Field,
    /// Random bytes follow.
    Tail,
    /// A token is put in a second time, elsewhere.
    Duplicate,
    /// Two tokens change places.
    Swap,
    /// The version or the stage changes.
    Header,
}

impl Mutation {
    /// Every way.
    pub(crate) const ALL: [Self; 8] = [
        Self::Bits,
        Self::Bytes,
        Self::Truncation,
        Self::Field,
        Self::Tail,
        Self::Duplicate,
        Self::Swap,
        Self::Header,
    ];

    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bits => "bit flips",
            Self::Bytes => "random bytes",
            Self::Truncation => "truncation",
            Self::Field => "small values in fields",
            Self::Tail => "random tail",
            Self::Duplicate => "token duplicated",
            Self::Swap => "tokens swapped",
            Self::Header => "version or stage",
        }
    }

    /// A damaged copy of an AGAL binary.
    pub(crate) fn apply(self, seed: &[u8], rng: &mut Rng) -> Vec<u8> {
        let mut out = seed.to_vec();
        let header = Program::new(vecasm::isa::agal::Stage::Vertex, 1).token_offset(0);
        let tokens = out.len().saturating_sub(header) / Token::SIZE;
        let token_at = |i: usize| header + i * Token::SIZE;
        match self {
            Self::Bits => {
                for _ in 0..=rng.below(3) {
                    let bit = rng.below(out.len() * 8);
                    if let Some(byte) = out.get_mut(bit / 8) {
                        *byte ^= 1 << (bit % 8);
                    }
                }
            }
            Self::Bytes => {
                for _ in 0..=rng.below(4) {
                    let at = rng.below(out.len());
                    let value = rng.next() as u8;
                    if let Some(byte) = out.get_mut(at) {
                        *byte = value;
                    }
                }
            }
            Self::Truncation => out.truncate(rng.below(out.len())),
            Self::Field if tokens > 0 => {
                // Byte offset and width of the fields of a token: opcode, numbers, mask, types, swizzles, offsets.
                const FIELDS: [(usize, usize); 14] = [
                    (0, 4),
                    (4, 2),
                    (6, 1),
                    (7, 1),
                    (8, 2),
                    (10, 1),
                    (12, 1),
                    (13, 1),
                    (15, 1),
                    (16, 2),
                    (18, 1),
                    (20, 1),
                    (21, 1),
                    (23, 1),
                ];
                let (offset, width) = FIELDS[rng.below(FIELDS.len())];
                let at = token_at(rng.below(tokens)) + offset;
                let value = rng.below(64) as u8;
                for (i, byte) in out[at..at + width].iter_mut().enumerate() {
                    *byte = if i == 0 { value } else { 0 };
                }
            }
            Self::Tail => {
                for _ in 0..=rng.below(60) {
                    out.push(rng.next() as u8);
                }
            }
            Self::Duplicate if tokens > 0 => {
                let from = token_at(rng.below(tokens));
                let to = token_at(rng.below(tokens + 1));
                let token = out[from..from + Token::SIZE].to_vec();
                out.splice(to..to, token);
            }
            Self::Swap if tokens > 1 => {
                let (a, b) = (token_at(rng.below(tokens)), token_at(rng.below(tokens)));
                for i in 0..Token::SIZE {
                    out.swap(a + i, b + i);
                }
            }
            Self::Header if out.len() >= header => {
                if rng.below(2) == 0 {
                    out[1] = rng.below(6) as u8;
                } else {
                    out[6] ^= 1;
                }
            }
            _ => {}
        }
        out
    }
}

/// A text with some pieces cut, doubled, replaced or put in.
pub(crate) fn damaged_text(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 36] = [
        "<",
        ">",
        ".",
        "vc[",
        "]",
        "+",
        "999",
        "//",
        "\n",
        ",",
        ";",
        ".xyzw",
        "ft0",
        "tex ",
        "é",
        "\u{0}",
        ".agal ",
        ".token ",
        ".tail ",
        "eif\n",
        "#if 1\n",
        "#else\n",
        "macro m(a) {",
        "}",
        "out = ",
        "alias ",
        "(",
        "/*",
        "%0",
        "%1.xyzw ",
        "#0",
        "\"",
        "[+1 of 2]",
        " : f32x4",
        "yield ",
        "leave L0\n",
    ];
    damaged_with(seed, &PIECES, rng)
}

/// A text with some pieces cut, doubled or replaced, or some of `pieces` put in.
fn damaged_with(seed: &[u8], pieces: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(out.len() + 1);
        let end = (at + rng.below(12)).min(out.len());
        match rng.below(5) {
            0 => drop(out.drain(at..end)),
            1 => {
                let piece = out[at..end].to_vec();
                let to = rng.below(out.len() + 1);
                out.splice(to..to, piece);
            }
            2 if at < out.len() => out[at] = (rng.next() as u8) & 0x7f,
            3 => out.truncate(at),
            _ => {
                let piece = pieces[rng.below(pieces.len())];
                out.splice(at..at, piece.bytes());
            }
        }
    }
    out
}
