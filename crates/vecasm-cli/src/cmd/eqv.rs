//! `vecasm eqv`: do two programs do the same?

use crate::args::ReadingArgs;
use crate::io::{self, Name, Payload};
use crate::lifting::{LiftArgs, Purpose};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome, drawing, load};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use vecasm::compare::Link;
use vecasm::compare::eqv::{
    self, AlignedRuns, Counterexample, Coverage, Difference, ExecutedStep, Interface, Observable, Options,
    Proof, Range, Report, Texels, Tolerance, Verdict, Written,
};
use vecasm::diag::Lines;
use vecasm::exec::texture::Texture;
use vecasm::ir::{Rule, Scalar, Shader};
use vecasm::isa::Isa;
use vecasm::isa::operand::LANES;
use vecasm::render::Picture;

/// Test whether two programs do the same; if not, show the smallest counter-example
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    vecasm eqv old.frag.agal new.frag.agal\n  \
    vecasm eqv water.ps.bin water.d3d9 --tolerance ulp=4 --count 100000\n  \
    vecasm eqv glow.frag.agal glow.ps.d3d9 --map v0=t0 --fix fc0=0.5,0,0,1 --tolerance abs=0.001\n  \
    vecasm eqv old.frag.agal new.frag.agal -o eqv.png --keep case\n\n\
    The programs may be of different instruction sets: inputs and outputs are matched by meaning, by location, by \
    name, and by hand with --map. The search tries ordinary and special values, the numbers in both programs and their \
    neighbours, and both sides of every comparison.\n\
    Exit status: 0 the same or no difference found, 1 different, 2 usage or input/output error.")]
pub(crate) struct Args {
    /// First program; `-` is standard input
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Second program; `-` is standard input
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Approximate number of invocations to try
    #[arg(long, value_name = "N", default_value_t = 16_384, help_heading = "Comparing")]
    count: usize,
    /// Seed; the same seed gives the same cases
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Comparing")]
    seed: u64,
    /// Tolerated difference: `ulp=N` places, `abs=X`, or `rel=X` of the larger result; one that holds is enough
    #[arg(long, value_name = "ulp=N|abs=X|rel=X", value_delimiter = ',', value_parser = distance, help_heading = "Comparing")]
    tolerance: Vec<Distance>,
    /// A NaN equals only a NaN with the same bits
    #[arg(long, help_heading = "Comparing")]
    nan_bits: bool,
    /// Match NAME of the first program with OTHER of the second: an input, output, texture, or constant
    #[arg(long, value_name = "NAME=OTHER", value_parser = mapping, help_heading = "Comparing")]
    map: Vec<(String, String)>,
    /// Fix an input, constant or state to these values; one number sets all four lanes
    #[arg(long, value_name = "NAME=X,Y,Z,W", value_parser = fixing, help_heading = "Comparing")]
    fix: Vec<(String, Vec<f32>)>,
    /// Compare by the binding of a translation: A is its source and B its target, or the other way round if their
    /// instruction sets say so
    #[arg(long, value_name = "FILE.json", help_heading = "Comparing")]
    link: Option<PathBuf>,
    /// Arithmetic of both programs, instead of each one's own
    #[arg(long, value_name = "RULE", help_heading = "Comparing")]
    arith: Option<ArithArg>,
    /// Compare only this output; may be repeated
    #[arg(long, value_name = "OUTPUT", help_heading = "Comparing")]
    only: Vec<String>,
    /// Numbers that inputs, constants, states and textures range over
    #[arg(long, value_name = "RANGE", default_value = "any", help_heading = "Comparing")]
    domain: RangeArg,
    /// Texels of float textures
    #[arg(long, value_name = "WHAT", default_value = "any", help_heading = "Comparing")]
    textures: TexelsArg,
    /// Loop iterations an invocation may run
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Comparing")]
    fuel: u64,
    /// Search only for differences, not for a proof
    #[arg(long, help_heading = "Comparing")]
    no_proof: bool,
    #[command(flatten)]
    lifting: LiftArgs,
    /// Draw both pixel shaders and their difference around the counter-example, as PNG
    #[arg(short, long, value_name = "FILE.png", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Side of each picture in pixels
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(2..=2048), help_heading = "Output")]
    size: u16,
    /// Write the counter-example as run files: NAME.a.json for the first program, NAME.b.json for the second
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    keep: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object; numbers are texts of their bits
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TexelsArg {
    /// Any number, now and then infinities and NaN
    Any,
    /// 0 to 1 in steps of 1/255, as textures of 8 bits a channel
    Unorm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ArithArg {
    /// IEEE 754, denormals kept
    Ieee,
    /// The same, but a factor of zero gives zero, also with an infinity or NaN
    ZeroWins,
    /// The integer arithmetic of the NV20 family, with its own denormals
    Nv20,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RangeArg {
    /// All, infinities, NaN and denormals among them
    Any,
    /// No infinities and no NaN
    Finite,
    /// Neither these nor denormals
    Normal,
    /// From -1 to 1, without denormals
    Unit,
}

impl RangeArg {
    const fn range(self) -> Range {
        match self {
            Self::Any => Range::Any,
            Self::Finite => Range::Finite,
            Self::Normal => Range::Normal,
            Self::Unit => Range::Unit,
        }
    }
}

impl ArithArg {
    const fn rule(self) -> Rule {
        match self {
            Self::Ieee => Rule::Ieee,
            Self::ZeroWins => Rule::ZeroWins,
            Self::Nv20 => Rule::Nv20,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Distance {
    Ulp(u32),
    Abs(f32),
    Rel(f32),
}

fn distance(text: &str) -> Result<Distance, String> {
    let (name, value) = text.split_once('=').ok_or("expected ulp=N, abs=X or rel=X")?;
    let number = || -> Result<f32, String> {
        let number: f32 = value.parse().map_err(|e| format!("{value}: {e}"))?;
        if number >= 0.0 { Ok(number) } else { Err(format!("{value} is not a distance")) }
    };
    match name {
        "ulp" => value.parse().map(Distance::Ulp).map_err(|e| format!("{value}: {e}")),
        "abs" => number().map(Distance::Abs),
        "rel" => number().map(Distance::Rel),
        _ => Err("expected ulp=N, abs=X or rel=X".into()),
    }
}

fn mapping(text: &str) -> Result<(String, String), String> {
    let (name, other) = text.split_once('=').ok_or("expected NAME=OTHER")?;
    Ok((name.trim().into(), other.trim().into()))
}

fn fixing(text: &str) -> Result<(String, Vec<f32>), String> {
    let (name, values) = text.rsplit_once('=').ok_or("expected NAME=NUMBERS")?;
    let values = values.split(',').map(|v| v.trim().parse::<f32>().map_err(|e| format!("{v}: {e}")));
    Ok((name.trim().into(), values.collect::<Result<_, _>>()?))
}

/// A program, lifted.
pub(crate) struct Side {
    pub(crate) loaded: Loaded,
    pub(crate) shader: Shader,
    /// Every instruction as text.
    texts: Vec<String>,
    /// The line of each instruction, if the program came as text.
    lines: Vec<u32>,
}

impl Side {
    fn new(loaded: Loaded, lifting: &LiftArgs, ctx: &Ctx) -> Outcome<Self> {
        let mut lifting = lifting.clone();
        lifting.steps = true;
        let shader = loaded.lift(&lifting, Purpose::Run, ctx)?;
        let texts = loaded.program.instruction_texts();
        let lines = loaded.program.text().map_or_else(Vec::new, |text| {
            let spans = loaded
                .program
                .spans()
                .map(<[_]>::to_vec)
                .unwrap_or_else(|| loaded.program.instruction_spans(text));
            let lines = Lines::new(text);
            spans.iter().map(|span| lines.line(span.start)).collect()
        });
        Ok(Self { loaded, shader, texts, lines })
    }

    fn name(&self) -> &Name {
        &self.loaded.input.name
    }

    /// The place of a source instruction: its line, or its number `#3` counted from 1.
    fn place(&self, source: u32) -> String {
        match self.lines.get(source as usize) {
            Some(line) => line.to_string(),
            None => format!("#{}", source + 1),
        }
    }

    fn text(&self, source: u32) -> &str {
        self.texts.get(source as usize).map_or("", String::as_str)
    }
}

pub(crate) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if let Some(help) = args.lifting.help() {
        return io::print(&help);
    }
    let [first, second] = load::two(&args.first, &args.second, &args.reading, ctx)?;
    let isas = [&first, &second].map(|side| side.program.isa());
    if let Some(why) = args.lifting.unheeded(&isas) {
        return Err(Failure::Usage(why));
    }
    let options = options(args)?;
    let source = options.link.as_ref().map(|link| side_of_source(link, isas));
    let mut lifting = isas.map(|isa| lifting(args, isa, isas));
    if let (Some(link), Some(source)) = (&options.link, source) {
        if let Some(words) = &link.lift {
            lifting[source] = as_lifted(args, words, isas[source])?;
        }
        let target = 1 - source;
        // Colours that the source clamps and the pipeline of the target.
        if isas[target] == Isa::D3d9
            && lifting[source].flags.given.value("clamp").is_some_and(|clamp| clamp != "off")
            && args.lifting.of(Isa::D3d9).flags.given.value("pipeline").is_none()
        {
            lifting[target] = args.lifting.of(Isa::D3d9);
            let _ = lifting[target].flags.given.set("pipeline", "none");
        }
        // The viewport that was added.
        if isas[target] == Isa::Nv2a
            && isas[source] != Isa::Nv2a
            && lifting[target].flags.given.value("position").is_none()
            && applies_viewport([&first, &second][target].program.any())
        {
            // A word that the option has.
            let _ = lifting[target].flags.given.set("position", "unscaled");
        }
    }
    let a = Side::new(first, &lifting[0], ctx)?;
    let b = Side::new(second, &lifting[1], ctx)?;
    let mut report =
        eqv::eqv(&a.shader, &b.shader, &options).map_err(|e| Failure::usage(advice(args, &e)))?;
    for (side, lifting) in [&a, &b].into_iter().zip(&lifting) {
        if stripped(args, side, lifting, ctx)? {
            let name = side.name();
            let note =
                format!("{name} is compared without the clamps of its pipeline; --pipeline none keeps them");
            report.interface.notes.push(note);
        }
    }
    let parting = match &report.verdict {
        Verdict::Different(example) => Some(
            eqv::explain(&a.shader, &b.shader, &report.interface, example, &options)
                .map_err(|e| Failure::usage(e.to_string()))?,
        ),
        _ => None,
    };
    let text = match args.format {
        Format::Text if !ctx.json() => text(&a, &b, &report, &options, parting.as_ref(), ctx.color_out),
        _ => format!("{}\n", to_json(&a, &b, &report, &options, parting.as_ref())),
    };
    io::print(&text)?;
    let Verdict::Different(example) = &report.verdict else { return Ok(()) };
    if let Some(name) = &args.keep {
        for (side, of, letter) in [(0, &a, "a"), (1, &b, "b")] {
            let file = example.run_file(&a.shader, &b.shader, &report.interface, side);
            let mut path = name.clone().into_os_string();
            path.push(format!(".{letter}.json"));
            io::write_file(&PathBuf::from(path), file.to_json(&of.shader).as_bytes())?;
        }
    }
    if let Some(path) = &args.output {
        draw(args, [&a, &b], &report.interface, example, &options, path, ctx)?;
    }
    Err(Failure::Shader)
}

/// What a program of an instruction set means where that is open. Programs of two instruction sets are compared without what
/// their pipelines do in front of them and behind, if it is a translation that is looked at.
fn lifting(args: &Args, isa: Isa, isas: [Isa; 2]) -> LiftArgs {
    let mut out = args.lifting.of(isa);
    let given = &mut out.flags.given;
    let mut unless_said = |name: &str, value: &str| {
        if given.value(name).is_none() {
            // A word that the option has.
            let _ = given.set(name, value);
        }
    };
    if isa == Isa::D3d9 && isas[0] != isas[1] && (args.link.is_some() || args.arith.is_some()) {
        unless_said("pipeline", "strip");
    }
    // The same operations, with ARL as an operation instead of what makes its bits on a GPU.
    if isa == Isa::Nv2a && args.arith.is_some() {
        unless_said("numerics", "ieee");
    }
    out
}

/// Whether a program applies the viewport at its end.
fn applies_viewport(program: &vecasm::isa::AnyProgram) -> bool {
    let mut options = vecasm::LiftOptions::default();
    options.nv2a.space = vecasm::isa::nv2a::lift::Space::Unscaled;
    program.lift(&options).is_ok()
}

/// Which of two programs a binding means as its source.
fn side_of_source(link: &Link, isas: [Isa; 2]) -> usize {
    let fits = |isa: &Option<String>, of: Isa| isa.as_ref().is_none_or(|name| name == of.name());
    let turned = |side: usize| fits(&link.source.isa, isas[side]) && fits(&link.target.isa, isas[1 - side]);
    if !turned(0) && turned(1) { 1 } else { 0 }
}

/// What the source of a translation means where that is open: what was said when it was translated, and now.
fn as_lifted(args: &Args, words: &[String], isa: Isa) -> Outcome<LiftArgs> {
    let said = args.lifting.of(isa);
    let mut out = said.clone();
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, "true"));
        if said.flags.given.value(name).is_none() {
            let given = &mut out.flags.given;
            given.set(name, value).map_err(|error| Failure::usage(format!("lift: {error}")))?;
        }
    }
    Ok(out)
}

/// Whether something of the pipeline was left out that nobody said.
fn stripped(args: &Args, side: &Side, lifting: &LiftArgs, ctx: &Ctx) -> Outcome<bool> {
    let isa = side.loaded.program.isa();
    let said = args.lifting.of(isa);
    if said.flags.given.value("pipeline") == lifting.flags.given.value("pipeline") {
        return Ok(false);
    }
    let whole = side.loaded.lift(&said.with_steps(true), Purpose::Run, ctx)?;
    Ok(whole != side.shader)
}

fn options(args: &Args) -> Outcome<Options> {
    let mut tolerance = Tolerance { nan_bits: args.nan_bits, ..Tolerance::default() };
    for distance in &args.tolerance {
        match *distance {
            Distance::Ulp(n) => tolerance.ulp = Some(n),
            Distance::Abs(x) => tolerance.abs = Some(x),
            Distance::Rel(x) => tolerance.rel = Some(x),
        }
    }
    let read = |path: &PathBuf| {
        let file = io::read(path)?;
        Link::read(file.text()?).map_err(|error| Failure::usage(format!("{}: {error}", file.name)))
    };
    Ok(Options {
        count: args.count,
        seed: args.seed,
        tolerance,
        link: args.link.as_ref().map(read).transpose()?,
        arith: args.arith.map(ArithArg::rule),
        maps: args.map.clone(),
        fixed: args.fix.clone(),
        only: args.only.clone(),
        texels: match args.textures {
            TexelsArg::Any => Texels::Any,
            TexelsArg::Unorm => Texels::Unorm,
        },
        range: args.domain.range(),
        fuel: args.fuel,
        prove: !args.no_proof,
        ..Options::default()
    })
}

/// An error with what can be done about it.
fn advice(args: &Args, error: &eqv::EqvError) -> String {
    match error {
        eqv::EqvError::Link(of) => {
            args.link.as_ref().map_or_else(|| of.to_string(), |path| format!("{}: {of}", io::shown(path)))
        }
        eqv::EqvError::Unmatched(a, b) => {
            let example = match (a.first(), b.first()) {
                (Some(a), Some(b)) => format!(" (such as --map {a}={b})"),
                _ => String::new(),
            };
            format!("{error} with --map NAME=OTHER{example}, or choose those to compare with --only OUTPUT")
        }
        other => other.to_string(),
    }
}

/// A lane as people read it.
fn number(bits: u32, scalar: Scalar) -> String {
    let value = f32::from_bits(bits);
    match scalar {
        Scalar::F32 if value.is_nan() => format!("nan (0x{bits:08x})"),
        Scalar::F32 if value != 0.0 && (value.abs() < 1e-5 || value.abs() >= 1e9) => format!("{value:e}"),
        Scalar::F32 => format!("{value}"),
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        _ => bits.to_string(),
    }
}

fn numbers(lanes: &[u32], scalar: Scalar) -> String {
    let each: Vec<String> = lanes.iter().map(|&bits| number(bits, scalar)).collect();
    match &each[..] {
        [one] => one.clone(),
        more => format!("({})", more.join(", ")),
    }
}

/// What is different, as a name: `oc.x`, `killed`.
fn what(interface: &Interface, difference: &Difference) -> (String, Scalar) {
    let lane = |name: &str, lane: u8| format!("{name}.{}", LANES[usize::from(lane & 3)]);
    match difference.what {
        Observable::Output(n, l) => interface
            .outputs
            .get(n)
            .map_or_else(|| ("?".into(), Scalar::F32), |output| (lane(&output.name, l), output.scalar)),
        Observable::Constant(n, l) => interface
            .constants
            .get(n)
            .map_or_else(|| ("?".into(), Scalar::F32), |element| (lane(&element.name, l), element.scalar)),
        Observable::Killed => ("killed".into(), Scalar::Bool),
        Observable::Exhausted => ("out of fuel".into(), Scalar::Bool),
    }
}

/// The lanes of a case that matter, as lines `name = values`.
fn case_lines(interface: &Interface, example: &Counterexample) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let alone = example.unit.len() <= 1 || example.unit.windows(2).all(|w| w[0] == w[1]);
    for (n, input) in interface.inputs.iter().enumerate() {
        let value =
            |row: &Vec<[u32; 4]>| row.get(n).map_or_else(String::new, |v| used(v, input.lanes, input.scalar));
        if alone {
            if let Some(row) = example.unit.first() {
                out.push((input.name.clone(), value(row)));
            }
        } else {
            let each: Vec<String> = example.unit.iter().map(value).collect();
            out.push((input.name.clone(), each.join("  ")));
        }
    }
    let mut zeros = 0;
    for (element, value) in interface.constants.iter().zip(&example.setting.constants) {
        // One that holds a state stands there.
        if element.state.is_some() {
            continue;
        }
        if *value == [0; 4] {
            zeros += 1;
            continue;
        }
        out.push((element.name.clone(), used(value, element.lanes, element.scalar)));
    }
    if zeros > 0 {
        let others = if zeros == interface.constants.len() { "constants" } else { "other constants" };
        out.push((others.into(), "0".into()));
    }
    for (state, value) in interface.states.iter().zip(&example.setting.states) {
        if let Some(value) = value {
            out.push((state.name.clone(), used(value, state.lanes, state.scalar)));
        }
    }
    for (texture, bound) in interface.textures.iter().zip(&example.setting.textures) {
        if let Some((texels, _)) = bound {
            let what = match texels.texels(0) {
                [color] if texels.level_count() == 1 => {
                    format!("{} everywhere", numbers(color, texels.scalar()))
                }
                _ if is_unorm(texels) => "a random picture (see --keep)".into(),
                _ => "random numbers, some outside 0 to 1 (see --keep)".into(),
            };
            out.push((texture.name.clone(), what));
        }
    }
    out
}

/// Whether a texture of 8 bits a channel could hold those texels; textures of integers do not count.
fn is_unorm(texels: &Texture) -> bool {
    let mut lanes = (0..texels.level_count()).flat_map(|level| texels.texels(level)).flatten();
    texels.scalar() != Scalar::F32 || lanes.all(|bits| Texels::Unorm.hold(*bits))
}

/// The lanes that are read, `_` for the others.
fn used(value: &[u32; 4], lanes: u8, scalar: Scalar) -> String {
    let last = (0..4).rev().find(|lane| lanes >> lane & 1 == 1).unwrap_or(0);
    let each = (0..=last)
        .map(|lane| if lanes >> lane & 1 == 1 { number(value[lane], scalar) } else { "_".to_string() });
    format!("({})", each.collect::<Vec<_>>().join(", "))
}

/// The report for people.
fn text(
    a: &Side,
    b: &Side,
    report: &Report,
    options: &Options,
    parting: Option<&AlignedRuns>,
    color: bool,
) -> String {
    let paint = |code: &str, text: &str| {
        if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    };
    let mut out = String::new();
    match &report.verdict {
        Verdict::Proved(how) => {
            let how = match how {
                Proof::SameIr => {
                    "both are the same program once constants are computed and unused steps removed"
                        .to_string()
                }
                Proof::SameExpressions => "every output is the same expression of the inputs".to_string(),
                Proof::Exhaustive(1) => "the only case was tried".to_string(),
                Proof::Exhaustive(n) => format!("all {n} cases were tried"),
            };
            // By one arithmetic the operations are the same, and not what each of them gives by its own.
            let kept = if options.arith.is_some() { " (operations)" } else { "" };
            let range = match options.range {
                Range::Any => String::new(),
                range => format!(" for {} numbers", range.name()),
            };
            let _ = writeln!(out, "{}{kept}{range}: {how}", paint("1;32", "proved"));
        }
        Verdict::NoDifference => {
            let found = paint("1;32", "no difference");
            let _ = writeln!(out, "{found} in {} invocations", report.tried);
        }
        Verdict::Different(example) => {
            let (name, scalar) = what(&report.interface, &example.difference);
            let [x, y] = example.difference.values.map(|bits| number(bits, scalar));
            let _ = writeln!(
                out,
                "{}: {name} is {x} in {} and {y} in {}",
                paint("1;31", "different"),
                a.name(),
                b.name()
            );
            if example.unit.windows(2).any(|w| w[0] != w[1]) {
                let _ = writeln!(
                    out,
                    "in invocation {} of {}",
                    example.difference.invocation,
                    example.unit.len()
                );
            }
            let lines = case_lines(&report.interface, example);
            let wide = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, value) in lines {
                let _ = writeln!(out, "  {name:<wide$} = {value}");
            }
            let mut textures = example.setting.textures.iter().flatten();
            if textures.any(|(texels, _)| !is_unorm(texels)) {
                let note = paint("1;36", "note");
                let _ = writeln!(
                    out,
                    "{note}: no texture of 8 bits per channel holds such texels; --textures unorm leaves them out"
                );
            }
        }
    }
    if let Some(parting) = parting {
        traces(&mut out, a, b, parting, &paint);
    }
    if report.coverage.iter().any(|c| *c != Coverage::default()) {
        for (side, coverage) in [a, b].into_iter().zip(&report.coverage) {
            coverage_lines(&mut out, side, coverage, &report.verdict);
        }
    }
    for note in &report.interface.notes {
        let _ = writeln!(out, "{}: {note}", paint("1;36", "note"));
    }
    out
}

/// Rows of the traces that are shown before and behind the one where they part.
const AROUND: usize = 4;

fn traces(out: &mut String, a: &Side, b: &Side, parting: &AlignedRuns, paint: &dyn Fn(&str, &str) -> String) {
    let Some(first) = parting.first else { return };
    let _ = writeln!(out, "\nwhere they differ:");
    let from = first.saturating_sub(AROUND);
    let to = (first + AROUND + 1).min(parting.pairs.len());
    if from > 0 {
        let steps = if from == 1 { "step that writes" } else { "steps that write" };
        let _ = writeln!(out, "    {from} {steps} the same");
    }
    for (n, pair) in parting.pairs.iter().enumerate().take(to).skip(from) {
        let step = |side: usize, place: Option<usize>| place.and_then(|p| parting.runs[side].get(p));
        let (x, y) = (step(0, pair.0), step(1, pair.1));
        let same = n < first;
        for (of, taken, sign) in [(a, x, "a"), (b, y, "b")] {
            let Some(taken) = taken else { continue };
            let mark = if n == first { paint("1;31", ">") } else { " ".into() };
            let sign = if same && x.is_some() && y.is_some() { "=" } else { sign };
            let _ = writeln!(
                out,
                "{mark} {sign} {:>4}  {:<36} {}{}",
                of.place(taken.source),
                of.text(taken.source),
                list(&taken.writes),
                if n == first { format!("   from {}", list(&taken.reads)) } else { String::new() },
            );
            if same && x.is_some() && y.is_some() {
                break;
            }
        }
    }
    if to < parting.pairs.len() {
        let more = parting.pairs.len() - to;
        let _ = writeln!(out, "    {more} more step{}", if more == 1 { "" } else { "s" });
    }
}

fn list(cells: &[Written]) -> String {
    let each = cells.iter().map(|w| format!("{} = {}", w.cell, numbers(&w.lanes, w.scalar)));
    let each: Vec<String> = each.collect();
    if each.is_empty() { "nothing".into() } else { each.join(", ") }
}

fn coverage_lines(out: &mut String, side: &Side, coverage: &Coverage, verdict: &Verdict) {
    let [steps, of] = coverage.steps;
    let _ = write!(out, "{}: reached {steps} of {of} steps", side.name());
    if coverage.arms[1] > 0 {
        let _ = write!(out, ", {} of {} arms", coverage.arms[0], coverage.arms[1]);
    }
    if coverage.sides[1] > 0 {
        let [seen, of] = coverage.sides;
        let _ = write!(out, ", {seen} of {of} outcomes of comparisons (below, equal, above)");
    }
    out.push('\n');
    if matches!(verdict, Verdict::Different(_)) {
        return;
    }
    for &source in coverage.unreached.iter().take(16) {
        let _ = writeln!(out, "  never reached: line {}  {}", side.place(source), side.text(source));
    }
    for &(source, arm) in coverage.arms_missed.iter().take(16) {
        let which = if arm == 0 { "true" } else { "false" };
        let _ = writeln!(out, "  never {which}: line {}  {}", side.place(source), side.text(source));
    }
}

fn draw(
    args: &Args,
    [a, b]: [&Side; 2],
    interface: &Interface,
    example: &Counterexample,
    options: &Options,
    path: &std::path::Path,
    ctx: &Ctx,
) -> Outcome {
    let picture = eqv::picture(&a.shader, &b.shader, interface, example, options, args.size.into())
        .map_err(|e| Failure::usage(e.to_string()))?;
    let Some(picture) = picture else {
        return Err(Failure::usage(
            "-o: only pixel shaders that read a varying and write a colour can be drawn",
        ));
    };
    let (side, gap) = (picture.side, 4);
    let width = side * 3 + gap * 2;
    let mut all = vec![[255u8, 255, 255, 255]; width * side];
    for (n, panel) in picture.panels.iter().enumerate() {
        for (y, row) in panel.chunks(side).enumerate() {
            let at = y * width + n * (side + gap);
            all[at..at + side].copy_from_slice(row);
        }
    }
    let whole = Picture { width: width as u32, height: side as u32, rgba8: all.concat() };
    let bytes = drawing::png(&whole).map_err(|e| Failure::usage(format!("{}: {e}", io::shown(path))))?;
    if path.as_os_str() == io::DASH {
        io::stdout(&Payload::Binary(bytes))?;
    } else {
        io::write_file(path, &bytes)?;
    }
    if args.format == Format::Text && !ctx.json() {
        let total = picture.side * picture.side;
        ctx.tell(&format!(
            "{}: {}, {} and where they differ ({} of {total} pixels); {}",
            io::shown(path),
            a.name(),
            b.name(),
            picture.differing,
            picture.axes
        ));
    }
    Ok(())
}

fn bits(lanes: &[u32]) -> Value {
    lanes.iter().map(|bits| format!("0x{bits:08x}")).collect()
}

fn taken_json(side: &Side, taken: &ExecutedStep) -> Value {
    let cells = |list: &[Written]| -> Value {
        let pairs = list.iter().map(|w| (w.cell.clone(), bits(&w.lanes)));
        Value::Object(pairs.collect())
    };
    json!({
        "step": taken.source,
        "part": taken.part,
        "line": side.lines.get(taken.source as usize),
        "instruction": side.text(taken.source),
        "reads": cells(&taken.reads),
        "writes": cells(&taken.writes),
    })
}

fn to_json(a: &Side, b: &Side, report: &Report, options: &Options, parting: Option<&AlignedRuns>) -> Value {
    let coverage = |side: &Side, c: &Coverage| {
        json!({
            "file": side.loaded.input.name.raw(),
            "steps": c.steps,
            "unreached": c.unreached,
            "arms": c.arms,
            "arms_missed": c.arms_missed,
            "sides": c.sides,
            "one_sided": c.one_sided,
        })
    };
    let mut out = json!({
        "verdict": match &report.verdict {
            Verdict::Proved(_) => "proved",
            Verdict::NoDifference => "no difference",
            Verdict::Different(_) => "different",
        },
        "arith": options.arith.map(|rule| rule.name().replace('_', "-")),
        "domain": options.range.name(),
        "tried": report.tried,
        "notes": report.interface.notes,
        "coverage": [coverage(a, &report.coverage[0]), coverage(b, &report.coverage[1])],
    });
    match &report.verdict {
        Verdict::Proved(how) => {
            out["promise"] = if options.arith.is_some() { "operations" } else { "exact" }.into();
            out["proof"] = match how {
                Proof::SameIr => "same IR".into(),
                Proof::SameExpressions => "same expressions".into(),
                Proof::Exhaustive(_) => "exhaustive".into(),
            };
        }
        Verdict::NoDifference => {}
        Verdict::Different(example) => {
            let interface = &report.interface;
            let (name, _) = what(interface, &example.difference);
            let named = |list: Vec<(String, Value)>| Value::Object(list.into_iter().collect());
            let rows: Vec<Value> = example
                .unit
                .iter()
                .map(|row| {
                    named(interface.inputs.iter().zip(row).map(|(i, v)| (i.name.clone(), bits(v))).collect())
                })
                .collect();
            let constants = interface.constants.iter().zip(&example.setting.constants);
            let states = interface.states.iter().zip(&example.setting.states);
            let states = states.filter_map(|(s, v)| Some((s.name.clone(), bits(v.as_ref()?))));
            out["difference"] = json!({
                "what": name,
                "invocation": example.difference.invocation,
                "values": bits(&example.difference.values),
            });
            out["counterexample"] = json!({
                "inputs": rows,
                "constants": named(constants.map(|(e, v)| (e.name.clone(), bits(v))).collect()),
                "states": named(states.collect()),
            });
        }
    }
    if let Some(parting) = parting {
        let pair = parting.first.and_then(|n| parting.pairs.get(n));
        let step = |side: usize, of: &Side, place: Option<usize>| {
            place.and_then(|p| parting.runs[side].get(p)).map(|taken| taken_json(of, taken))
        };
        out["first"] = json!({
            "a": pair.and_then(|p| step(0, a, p.0)),
            "b": pair.and_then(|p| step(1, b, p.1)),
        });
        let all = |side: usize, of: &Side| -> Value {
            parting.runs[side].iter().map(|taken| taken_json(of, taken)).collect()
        };
        out["traces"] = json!({ "a": all(0, a), "b": all(1, b) });
    }
    out
}
