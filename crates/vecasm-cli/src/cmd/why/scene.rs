//! Whole pictures: odd fragments and vertices explained, and the risk map painted.

use super::Args;
use super::places::Places;
use super::show::ReportView;
use crate::cmd::render::{self, Subject};
use crate::drawing;
use crate::io::{self, Payload, Sink};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::repro::{self, Action};
use crate::{Failure, Outcome};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::Path;
use vecasm::debug::listing::Listing;
use vecasm::debug::risk::{Gpu, RiskMap, VisibleDifference, risk};
use vecasm::debug::why::{Query, Report, alone, why};
use vecasm::diag::Severity;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs, RunError};
use vecasm::ir::steps::Step;
use vecasm::ir::{Output, Scalar, Shader, Stage};
use vecasm::opt::Liberty;
use vecasm::render::draw::Budget;
use vecasm::render::{Picture, RenderError};

/// The most invocations of one batch, and of one program, that are explained.
const EXPLAINED: (usize, usize) = (2, 24);
/// The most invocations of one batch that are run by both arithmetics, and the most batches of one program.
const RISKED: (usize, usize) = (512, 24);

/// Whether a file holds a scene, and no program.
pub(super) fn is_scene(file: &Path) -> Outcome<bool> {
    // Standard input can be read once.
    if file.as_os_str() == io::DASH {
        return Ok(false);
    }
    let input = io::read(file)?;
    if repro::is(input.bytes()) {
        return Ok(matches!(repro::read(&input)?.action, Action::Draw(_)));
    }
    Ok(serde_json::from_slice::<Value>(input.bytes()).is_ok_and(|value| value.is_object()))
}

/// What is looked for.
#[derive(Clone, Copy)]
enum SearchTarget {
    SpecialNumbers,
    Risk(VisibleDifference),
}

/// A program of the scene and what is found about it.
struct ExaminedProgram {
    loaded: Loaded,
    listing: Listing,
    stage: &'static str,
    steps: Vec<Step>,
    /// The shader as it was drawn with.
    shader: Option<Shader>,
    report: Report,
    map: RiskMap,
    places: Places,
    seen: usize,
    odd: usize,
    explained: usize,
    batches: usize,
}

/// Draws with the interpreter and looks at what it gives.
struct WatchingEngine {
    look: SearchTarget,
    programs: RefCell<Vec<ExaminedProgram>>,
}

impl Engine for WatchingEngine {
    fn name(&self) -> &'static str {
        Interp.name()
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let outputs = Interp.run(shader, batch)?;
        let mut programs = self.programs.borrow_mut();
        let known =
            |found: &&mut ExaminedProgram| found.stage == shader.stage.name() && found.steps == shader.steps;
        let Some(found) = programs.iter_mut().find(known) else { return Ok(outputs) };
        let helper = |i: usize| batch.helpers.get(i).copied().unwrap_or(false);
        found.seen += (0..batch.count).filter(|&i| !helper(i)).count();
        found.shader.get_or_insert_with(|| shader.clone());
        // What such an invocation reads and gives are lists of vertices: they are looked at, but not taken out of the batch.
        if shader.stage.has_vertices() {
            if matches!(self.look, SearchTarget::SpecialNumbers) {
                found.odd += odd_invocations(shader, &outputs, batch.count);
            }
            return Ok(outputs);
        }
        match self.look {
            SearchTarget::SpecialNumbers => {
                found.places.add(shader, &outputs);
                let odd: Vec<usize> = (0..batch.count)
                    .filter(|&i| !helper(i) && !outputs.killed.get(i).copied().unwrap_or(false))
                    .filter(|&i| is_odd(shader, &outputs, i))
                    .collect();
                found.odd += odd.len();
                let every = odd.len().div_ceil(EXPLAINED.0).max(1);
                for &i in odd.iter().step_by(every) {
                    if found.explained >= EXPLAINED.1 {
                        break;
                    }
                    found.explained += 1;
                    let (one, at) = alone(shader, batch, i)?;
                    let ask = Query { invocation: Some(at), ..Query::default() };
                    found.report.merge(why(shader, &one, &ask)?);
                }
            }
            SearchTarget::Risk(visible) => {
                if found.batches < RISKED.1 && !shader.serial {
                    found.batches += 1;
                    found.map.merge(risk(shader, &thinned(batch, RISKED.0), &visible)?);
                }
            }
        }
        Ok(outputs)
    }
}

/// Every so many quads of a batch.
fn thinned<'a>(batch: &Batch<'a>, most: usize) -> Batch<'a> {
    let quads = batch.count / 4;
    if batch.count <= most || batch.count % 4 != 0 || batch.fragments.is_some() {
        return batch.clone();
    }
    let every = quads.div_ceil(most / 4).max(1);
    let at: Vec<usize> = (0..quads).step_by(every).flat_map(|quad| quad * 4..quad * 4 + 4).collect();
    let of = |list: &Vec<[u32; 4]>| at.iter().filter_map(|&i| list.get(i).copied()).collect();
    Batch {
        count: at.len(),
        inputs: batch.inputs.iter().map(of).collect(),
        helpers: at.iter().filter_map(|&i| batch.helpers.get(i).copied()).collect(),
        params: batch.params.clone(),
        textures: batch.textures.clone(),
        states: batch.states.clone(),
        fuel: batch.fuel,
        ..Batch::default()
    }
}

/// Whether lanes of an output have NaN or an infinity.
fn is_odd_in(output: &Output, lanes: [u32; 4]) -> bool {
    output.scalar == Scalar::F32 && lanes.iter().any(|bits| !f32::from_bits(*bits).is_finite())
}

/// Whether an output has NaN or an infinity.
fn is_odd(shader: &Shader, outputs: &Outputs, i: usize) -> bool {
    let of =
        |(output, cell): (&Output, &Vec<[u32; 4]>)| is_odd_in(output, cell.get(i).copied().unwrap_or([0; 4]));
    shader.outputs.iter().zip(&outputs.cells).any(of)
}

/// How many invocations gave NaN or an infinity, by an output or by a vertex that they emitted.
fn odd_invocations(shader: &Shader, outputs: &Outputs, count: usize) -> usize {
    let mut odd: Vec<bool> = (0..count).map(|i| is_odd(shader, outputs, i)).collect();
    for emitted in outputs.streams.iter().flatten() {
        let bad = |vertex: &Vec<[u32; 4]>| {
            shader.outputs.iter().zip(vertex).any(|(of, lanes)| is_odd_in(of, *lanes))
        };
        if let Some(odd) = odd.get_mut(emitted.invocation as usize) {
            *odd |= emitted.vertices.iter().any(bad);
        }
    }
    odd.into_iter().filter(|odd| *odd).count()
}

/// The colour of a liberty in the picture, and its name.
const COLOURS: [([u8; 3], &str); Liberty::ALL.len()] = [
    ([255, 140, 0], "orange"),
    ([70, 130, 255], "blue"),
    ([255, 60, 200], "magenta"),
    ([60, 220, 90], "green"),
    ([0, 220, 220], "cyan"),
    ([255, 225, 60], "yellow"),
    ([255, 225, 60], "yellow"),
];

/// Looks at a scene as a whole.
pub(super) fn run(args: &Args, ctx: &Ctx) -> Outcome {
    if !args.of.is_empty() || !args.expect.is_empty() || args.invocation.is_some() {
        return Err(Failure::usage("--of, --expect and --invocation apply to one run: name a --pixel"));
    }
    if args.given.is_given() {
        return Err(Failure::usage(
            "a scene gives its programs their values: -i, --random, --fuel, --grid and --preshader are for one program",
        ));
    }
    let mut subject = render::subject(&args.files, &args.picture, &args.reading, &args.lifting, true, ctx)?;
    subject.files.programs.switches = args.given.switches();
    let scene = subject.scene(args.picture.time, ctx)?;
    let look = if args.risk { SearchTarget::Risk(args.visible()) } else { SearchTarget::SpecialNumbers };
    let mut lifting = args.lifting.clone();
    lifting.steps = true;
    let mut programs = Vec::new();
    for loaded in core::mem::take(&mut subject.files.compiled) {
        let shader = loaded.lift(&lifting, crate::lifting::Purpose::Picture, ctx)?;
        programs.push(ExaminedProgram {
            listing: loaded.program.listing(),
            stage: shader.stage.name(),
            steps: shader.steps,
            loaded,
            shader: None,
            report: Report::default(),
            map: RiskMap::default(),
            places: Places::default(),
            seen: 0,
            odd: 0,
            explained: 0,
            batches: 0,
        });
    }
    let watching = WatchingEngine { look, programs: RefCell::new(programs) };
    let drawn = |engine: &dyn Engine| scene.render(engine, Budget::default());
    let own = drawn(&watching).map_err(|error| subject.failure(&error, ctx))?;
    let programs = watching.programs.into_inner();
    if args.risk {
        let (picture, counts) = paint(&own, args.threshold, &drawn).map_err(|e| subject.failure(&e, ctx))?;
        return risks(args, ctx, &subject, &programs, &picture, &counts);
    }
    // Stages between may put vertices elsewhere.
    let plain =
        |found: &ExaminedProgram| [Stage::Vertex, Stage::Fragment].iter().any(|of| of.name() == found.stage);
    let between = !programs.iter().all(plain);
    let mut out = String::new();
    let mut values = Vec::new();
    let mut bad = false;
    for mut found in programs {
        if args.no_notes {
            found.report.findings.retain(|finding| finding.severity > Severity::Note);
        }
        let show = found.show(ctx, args);
        // What is found beside the odd number is about single invocations: others may be all right.
        if found.odd > 0 {
            out += &show.text(&found.report, false);
            out += &format!(
                "  {} of {} {} have NaN or an infinity; {} explained\n",
                found.odd, found.seen, show.words[1], found.explained
            );
        } else {
            out += &format!("{}: nothing odd in {} {}\n", show.name, found.seen, show.words[1]);
        }
        let unseen = found.places.unseen(found.loaded.program.isa(), (own.width, own.height));
        let unseen = unseen.filter(|_| !between);
        if let Some(unseen) = unseen.as_ref().filter(|_| !args.no_notes) {
            out += &format!("  note: nothing is seen: {unseen}\n");
        }
        bad |= found.odd > 0;
        let mut value = show.json(&found.report);
        if let Some(value) = value.as_object_mut() {
            value.insert("odd".into(), json!(found.odd));
            value.insert("explained".into(), json!(found.explained));
            value.insert("unseen".into(), json!(unseen));
        }
        values.push(value);
    }
    args.write(&subject.stem, out, &json!({ "scene": subject.name.raw(), "programs": values }), ctx)?;
    if bad { Err(Failure::Shader) } else { Ok(()) }
}

impl ExaminedProgram {
    fn show<'a>(&'a self, ctx: &Ctx, args: &Args) -> ReportView<'a> {
        ReportView {
            name: &self.loaded.input.name,
            listing: &self.listing,
            count: self.seen,
            words: match self.stage {
                stage if stage == Stage::Vertex.name() => ["vertex", "vertices"],
                stage if stage == Stage::Fragment.name() => ["fragment", "fragments"],
                _ => ["invocation", "invocations"],
            },
            numbered: false,
            color: ctx.color_out && (args.risk || args.output.output.is_none()),
        }
    }
}

/// The pixels that differ by each liberty.
type Counts = [usize; Liberty::ALL.len()];

/// The picture in grey, and painted where it may differ.
fn paint(
    own: &Picture,
    threshold: u8,
    drawn: &dyn Fn(&dyn Engine) -> Result<Picture, RenderError>,
) -> Result<(Picture, Counts), RenderError> {
    let mut counts = [0; Liberty::ALL.len()];
    // For each pixel, the largest difference and whose it is.
    let mut worst: Vec<(u8, usize)> = vec![(0, 0); own.rgba8.len() / 4];
    for (number, liberty) in Liberty::ALL.into_iter().enumerate() {
        let other = drawn(&Gpu::new(liberty))?;
        let pairs = own.rgba8.chunks_exact(4).zip(other.rgba8.chunks_exact(4));
        for ((a, b), worst) in pairs.zip(&mut worst) {
            let off = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            if off > threshold {
                counts[number] += 1;
                *worst = (*worst).max((off, number));
            }
        }
    }
    let mut rgba8 = Vec::with_capacity(own.rgba8.len());
    for (pixel, (off, number)) in own.rgba8.chunks_exact(4).zip(worst) {
        let grey = pixel.iter().take(3).map(|c| u32::from(*c)).sum::<u32>() / 3;
        let grey = (grey * 5 / 12 + 20) as u8;
        let color = if off == 0 { [grey; 3] } else { COLOURS[number].0 };
        // The stronger the difference, the purer the colour.
        let share = if off == 0 { 0 } else { 96 + u32::from(off).min(32) * 5 };
        let mixed = color.map(|c| {
            ((u32::from(c) * share.min(256) + u32::from(grey) * (256 - share.min(256))) / 256) as u8
        });
        rgba8.extend(mixed);
        rgba8.push(255);
    }
    Ok((Picture { width: own.width, height: own.height, rgba8 }, counts))
}

/// Writes the risks of a scene: the picture where -o says, the table to standard output.
fn risks(
    args: &Args,
    ctx: &Ctx,
    subject: &Subject,
    programs: &[ExaminedProgram],
    picture: &Picture,
    counts: &Counts,
) -> Outcome {
    if args.output.output.is_some() {
        let png = drawing::png(picture).map_err(|error| Failure::usage(error.to_string()))?;
        Sink::new(&args.output).write(io::with_ending(&subject.stem, "risk.png"), &Payload::Binary(png))?;
    }
    let mut out = String::new();
    let mut values = Vec::new();
    for found in programs {
        let Some(shader) = &found.shader else { continue };
        let show = found.show(ctx, args);
        out += &show.risks(&found.map, shader);
        out.push('\n');
        values.push(show.risks_json(&found.map, shader));
    }
    let pixels = picture.rgba8.len() / 4;
    let any = counts.iter().any(|count| *count > 0);
    if any {
        out += &format!(
            "{}: pixels of {pixels} that may visibly differ, and their colour in the picture\n",
            subject.name
        );
    } else {
        out += &format!("{}: no pixel of {pixels} visibly differs\n", subject.name);
    }
    let mut rules = serde_json::Map::new();
    for ((liberty, count), (_, colour)) in Liberty::ALL.into_iter().zip(counts).zip(COLOURS) {
        let side = match liberty {
            Liberty::Above => " (above)",
            Liberty::Below => " (below)",
            _ => "",
        };
        if *count > 0 {
            out += &format!("  {count:8}  {colour:8} {}{side}: {}\n", liberty.name(), liberty.doc());
        }
        let known = rules.get(liberty.name()).and_then(Value::as_u64).unwrap_or(0);
        rules.insert(liberty.name().into(), json!(known.max(*count as u64)));
    }
    let value = json!({ "scene": subject.name.raw(), "pixels": pixels, "rules": rules, "programs": values });
    io::print(&args.worded(out, &value, ctx))?;
    if any { Err(Failure::Shader) } else { Ok(()) }
}
