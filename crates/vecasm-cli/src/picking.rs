//! Picking a pixel of a picture: which shading made it, what happened to the others, and what to run again.

use crate::case::Case;
use crate::cmd::render::{PictureArgs, Subject};
use crate::load::Loaded;
use crate::report::Ctx;
use crate::{Failure, Outcome};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;
use vecasm::debug::condition::Expression;
use vecasm::debug::names::Names;
use vecasm::debug::trace::Trace;
use vecasm::exec::interp::{Interp, Load, StepEvent, Store};
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Batch, Engine as _};
use vecasm::ir::{InputKind, Output, Scalar, Shader, Stage, System};
use vecasm::render::Picture;
use vecasm::render::assemble::Shape;
use vecasm::render::draw::Budget;
use vecasm::render::pick::{Clear, Event, FragmentOutcome, History, Invocation, Shading, ShadingRerun};

/// A pixel, and which of its draws.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "A pixel")]
pub(crate) struct PixelArgs {
    /// Explain a pixel of the picture, counted from 0 at the top left
    #[arg(long, value_name = "X,Y", value_parser = place)]
    pub(crate) pixel: Option<(u32, u32)>,
    /// Look for the pixel in this texture, which the scene draws into
    #[arg(long, value_name = "NAME", requires = "pixel")]
    pub(crate) target: Option<String>,
    /// Draw that covers the pixel, by its number in the list [default: the one that made it]
    #[arg(long, value_name = "N", requires = "pixel")]
    pub(crate) draw: Option<usize>,
    /// The vertex at this corner of the triangle, 0 to 2, instead of the fragment; with a tessellation or geometry
    /// program, of the patch or primitive that the triangle was made from
    #[arg(long, value_name = "CORNER", requires = "pixel", value_parser = clap::value_parser!(u8).range(0..3), group = "stage_of_pixel")]
    pub(crate) vertex: Option<u8>,
    /// This invocation of the tessellation control program, of the patch that the triangle was made from
    #[arg(long, value_name = "N", requires = "pixel", value_parser = clap::value_parser!(u8).range(0..32), group = "stage_of_pixel")]
    tess_control: Option<u8>,
    /// The point of the tessellation evaluation program at this corner, 0 to 2; with a geometry program, of its input
    /// primitive
    #[arg(long, value_name = "CORNER", requires = "pixel", value_parser = clap::value_parser!(u8).range(0..3), group = "stage_of_pixel")]
    tess_eval: Option<u8>,
    /// The invocation of the geometry program that emitted the triangle
    #[arg(long, requires = "pixel", group = "stage_of_pixel")]
    geometry: bool,
}

/// Which of the runs that led to a pixel is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StageRunChoice {
    stage: Stage,
    /// The corner, or the number of the invocation.
    number: Option<usize>,
}

impl PixelArgs {
    fn stage_run(&self) -> StageRunChoice {
        let which =
            |stage: Stage, number: Option<u8>| StageRunChoice { stage, number: number.map(usize::from) };
        match (self.vertex, self.tess_control, self.tess_eval, self.geometry) {
            (None, None, None, false) => which(Stage::Fragment, None),
            (None, None, None, true) => which(Stage::Geometry, None),
            (None, None, number, _) => which(Stage::TessEval, number),
            (None, number, ..) => which(Stage::TessControl, number),
            (number, ..) => which(Stage::Vertex, number),
        }
    }
}

fn place(text: &str) -> Result<(u32, u32), String> {
    let (x, y) = text.split_once(',').ok_or("expected X,Y")?;
    let side = |s: &str| s.trim().parse::<u32>().map_err(|e| format!("{s}: {e}"));
    Ok((side(x)?, side(y)?))
}

/// One run of a shader that can be made again.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The shader, with its step table.
    pub(crate) shader: Shader,
    /// What it ran on: of a fragment, its quad.
    pub(crate) on: RunFile,
    /// Which invocation of that it is.
    pub(crate) invocation: usize,
}

impl Run {
    fn of(one: &Invocation<'_>) -> Self {
        Self { shader: one.shader.clone(), on: RunFile::of(&one.batch), invocation: one.lane }
    }
}

/// What happened to a pixel, and the shading of interest.
#[derive(Clone, Debug)]
pub(crate) struct PixelReport {
    /// The picture as a whole.
    pub(crate) picture: Picture,
    /// What happened.
    pub(crate) history: History,
    /// The pixel, as the flag has it.
    pub(crate) pixel: (u32, u32),
    target: Option<String>,
    which: StageRunChoice,
    chosen: Option<ChosenShading>,
}

/// The shading of interest.
#[derive(Clone, Debug)]
struct ChosenShading {
    number: usize,
    /// The fragment, if it ran.
    fragment: Option<Run>,
    /// The three vertices.
    vertices: Vec<Run>,
    /// The invocations of the tessellation control program for the patch; empty where there is none.
    control: Vec<Run>,
    /// The points of the tessellation evaluation program, likewise.
    evaluation: Vec<Run>,
    /// The invocation of the geometry program, and which of the vertices that it emitted are the corners.
    geometry: Option<(Run, [u32; 3])>,
    /// The programs of the stages, where they are programs.
    programs: Vec<(Stage, Loaded)>,
}

impl ChosenShading {
    /// The run that is meant.
    fn run(&self, which: StageRunChoice) -> Option<&Run> {
        let number = which.number.unwrap_or(0);
        match which.stage {
            Stage::Vertex => self.vertices.get(number),
            Stage::TessControl => self.control.get(number),
            Stage::TessEval => self.evaluation.get(number),
            Stage::Geometry => self.geometry.as_ref().map(|(run, _)| run),
            _ => self.fragment.as_ref(),
        }
    }
}

/// Draws a scene and follows the pixel of the flags.
pub(crate) fn pick(
    subject: &mut Subject,
    args: &PixelArgs,
    picture: &PictureArgs,
    ctx: &Ctx,
) -> Outcome<PixelReport> {
    let Some(pixel) = args.pixel else { return Err(Failure::usage("--pixel is missing")) };
    let scene = subject.scene(picture.time, ctx)?;
    let target = args.target.as_deref();
    // Once to know which one, and once more for it: what a shading ran on may be large.
    let (picture, history) = scene
        .pick(&Interp, Budget::default(), pixel, target, &mut |_, _| ())
        .map_err(|error| subject.failure(&error, ctx))?;
    let number = match args.draw {
        Some(number) => {
            if !history.shadings().any(|s| s.number == number) {
                let known: Vec<String> = history.shadings().map(|s| s.number.to_string()).collect();
                return Err(Failure::usage(match known.as_slice() {
                    [] => format!("--draw {number}: nothing was drawn at the pixel"),
                    _ => format!("--draw {number}: the draws of the pixel are {}", known.join(", ")),
                }));
            }
            Some(number)
        }
        None => history.made_by().or_else(|| history.shadings().next_back()).map(|s| s.number),
    };
    let mut chosen = None;
    if let Some(number) = number {
        let mut take = |shading: &Shading, again: &ShadingRerun<'_, '_>| {
            if shading.number == number {
                let program = |(stage, n): &(Stage, u32)| {
                    Some((*stage, subject.files.compiled.get(*n as usize)?.clone()))
                };
                let run = |one: Option<Invocation<'_>>| one.as_ref().map(Run::of);
                chosen = Some(ChosenShading {
                    number,
                    fragment: run(again.fragment()),
                    vertices: (0..3).map_while(|corner| run(again.vertex(corner))).collect(),
                    control: (0..).map_while(|number| run(again.control(number))).collect(),
                    evaluation: (0..3).map_while(|corner| run(again.evaluation(corner))).collect(),
                    geometry: run(again.geometry()).zip(again.emitted()),
                    programs: shading.programs.iter().filter_map(program).collect(),
                });
            }
        };
        let again = scene.pick(&Interp, Budget::default(), pixel, target, &mut take);
        again.map_err(|error| subject.failure(&error, ctx))?;
    }
    Ok(PixelReport { picture, history, pixel, target: args.target.clone(), which: args.stage_run(), chosen })
}

impl PixelReport {
    /// What was picked, in a few words.
    pub(crate) fn title(&self) -> String {
        let (x, y) = self.pixel;
        let mut out = format!("pixel {x},{y}");
        if let Some(target) = &self.target {
            let _ = write!(out, " of {target}");
        }
        if let Some(chosen) = &self.chosen {
            let _ = write!(out, " draw {}", chosen.number);
        }
        if self.which.stage != Stage::Fragment {
            let _ = write!(out, " {}", self.which.stage.name());
        }
        if let Some(number) = self.which.number {
            let _ = write!(out, " {number}");
        }
        out
    }

    /// Whether the pixel is one of the picture, not of a texture that is drawn into.
    pub(crate) const fn of_picture(&self) -> bool {
        self.target.is_none()
    }

    /// The program and the run that the flags choose.
    ///
    /// # Errors
    ///
    /// If nothing was drawn there, the fragment was not shaded, or no program did it.
    pub(crate) fn run(&self) -> Outcome<(&Loaded, &Run)> {
        let (x, y) = self.pixel;
        let none = |what: String| Failure::usage(format!("the pixel {x},{y}: {what}"));
        let Some(chosen) = &self.chosen else {
            return Err(none("nothing was drawn there".into()));
        };
        let stage = self.which.stage;
        let Some(run) = chosen.run(self.which) else {
            if stage != Stage::Fragment {
                let control = chosen.control.len();
                return Err(none(match self.which.number {
                    Some(_) if stage == Stage::TessControl && control > 0 => {
                        format!(
                            "the patch of draw {} has {control} invocations, counted from 0",
                            chosen.number
                        )
                    }
                    _ => format!("draw {} has no {} program", chosen.number, stage.name()),
                }));
            }
            let fate = self.history.shadings().find(|s| s.number == chosen.number).map(|s| s.fate);
            let why = fate.map_or("dropped", FragmentOutcome::name);
            return Err(none(format!(
                "draw {} was {why} before it was shaded; --vertex 0 to 2 are its corners{}",
                chosen.number,
                match (chosen.control.is_empty(), chosen.evaluation.is_empty(), chosen.geometry.is_some()) {
                    (_, true, false) => "",
                    (_, true, true) => "; --geometry is what emitted it",
                    (true, false, false) => "; --tess-eval 0 to 2 are its points",
                    _ => "; --tess-control, --tess-eval and --geometry are the programs between",
                }
            )));
        };
        let Some((_, program)) = chosen.programs.iter().find(|(of, _)| *of == stage) else {
            return Err(none("no program shaded it, but the fixed-function default; see --vertex".into()));
        };
        Ok((program, run))
    }

    /// What every instruction did in the invocation of interest, one JSON line a step; with conditions only the steps
    /// for which all of them hold.
    pub(crate) fn trace(&self, conditions: &[String]) -> Outcome<String> {
        let (loaded, run) = self.run()?;
        let case = Case::new(loaded.clone(), run.shader.clone(), run.on.clone(), run.invocation);
        let names = Names::of(&case.shader);
        let conditions = conditions.iter().map(|text| {
            Expression::condition(text, &names)
                .map_err(|error| Failure::usage(format!("--trace-if '{text}': {error}")))
        });
        let conditions: Vec<Expression> = conditions.collect::<Outcome<_>>()?;
        let texts = loaded.program.instruction_texts();
        let batch = case.batch();
        let (mut trace, mut lines) = (Trace::new(&batch), String::new());
        let mut each = |event: &StepEvent<'_>| {
            let Some(lane) = run.invocation.checked_sub(event.first) else { return };
            let Some(absent) = event.absent.get(lane) else { return };
            // The event as if there were nobody else in the group.
            let values: Vec<Vec<[u32; 4]>> =
                event.values.iter().map(|v| v.get(lane).copied().into_iter().collect()).collect();
            let loads = event.loads.iter().filter(|load| load.invocation == lane);
            let loads: Vec<Load> = loads.map(|load| Load { invocation: 0, ..*load }).collect();
            let stores = event.stores.iter().filter(|store| store.invocation == lane);
            let stores: Vec<Store> = stores.map(|store| Store { invocation: 0, ..*store }).collect();
            let one = StepEvent {
                first: run.invocation,
                absent: std::slice::from_ref(absent),
                values: &values,
                loads: &loads,
                stores: &stores,
                samples: &[],
                ..event.clone()
            };
            let source = run.shader.steps.get(event.step).map_or(0, |step| step.source);
            let text = texts.get(source as usize).map_or("", String::as_str);
            let line = trace.line(&run.shader, &one, text);
            let wanted = || !trace.matching(&run.shader, &one, case.listing(), &conditions).is_empty();
            if conditions.is_empty() || wanted() {
                lines.push_str(&line);
                lines.push('\n');
            }
        };
        Interp
            .run_watched(&run.shader, &batch, &mut each)
            .map_err(|error| Failure::usage(format!("engine {}: {error}", Interp.name())))?;
        Ok(lines)
    }

    /// What happened, for people.
    pub(crate) fn to_text(&self) -> String {
        let (x, y) = self.pixel;
        let of = match &self.target {
            Some(name) => format!("of the texture {name}"),
            None => format!("of {} x {}", self.picture.width, self.picture.height),
        };
        let color = self.history.color;
        let mut out = format!("pixel {x},{y} {of}: {} = {}\n", hex(color), bytes(color));
        if self.history.at.is_none() {
            out.push_str("\nIt shows the background of the stage; it is outside the viewport.\n");
            return out;
        }
        let missing = self.history.count - self.history.events.len();
        out.push('\n');
        if missing > 0 {
            let _ = writeln!(out, "  ({missing} earlier events)");
        }
        for event in &self.history.events {
            if event.number() == self.history.shown + 1 {
                out.push_str("  after what the picture shows:\n");
            }
            match event {
                Event::Clear(clear) => text_of_clear(&mut out, clear),
                Event::Shading(shading) => self.text_of_shading(&mut out, shading),
            }
        }
        if self.history.shadings().next().is_none() {
            out.push_str("  Nothing covers it.\n");
        }
        if let Some(broken) = &self.history.broken {
            let _ = writeln!(
                out,
                "\n{} triangles were not drawn because a corner is not finite; the first is triangle {} of draw call {} ({})",
                broken.count, broken.triangle, broken.draw, broken.path
            );
        }
        if let Some(chosen) = &self.chosen {
            let _ = writeln!(out, "\nNumber {} again:", chosen.number);
            text_of_run(&mut out, "fragment", chosen.fragment.as_ref());
            if let Some((run, [a, b, c])) = &chosen.geometry {
                let emitted = match (a == b, b == c) {
                    (true, true) => format!("vertex {a}"),
                    (false, true) => format!("vertices {a} {b}"),
                    _ => format!("vertices {a} {b} {c}"),
                };
                let title = format!("geometry (invocation {}: {emitted} of what it emitted)", run.invocation);
                text_of_geometry(&mut out, &title, run, &[*a, *b, *c]);
            }
            text_of_runs(&mut out, "tess-eval", &chosen.evaluation);
            text_of_runs(&mut out, "tess-control", &chosen.control);
            for (corner, run) in chosen.vertices.iter().enumerate() {
                // A point has one vertex.
                if chosen.vertices.iter().take(corner).all(|other| other.on.inputs != run.on.inputs) {
                    text_of_run(&mut out, &format!("vertex {corner}"), Some(run));
                }
            }
        }
        out
    }

    fn text_of_shading(&self, out: &mut String, shading: &Shading) {
        let made = self.history.made_by().map(|s| s.number) == Some(shading.number);
        let mark = if made { '*' } else { ' ' };
        let face = if shading.front { "front" } else { "back" };
        let shape = shading.shape.name();
        let _ = write!(
            out,
            "{mark}{:>3}  draw call {} at {}, {shape} {} of ",
            shading.number, shading.draw, shading.path, shading.triangle
        );
        // Stages between make many of one primitive; its vertices are those that the vertex program ran for.
        if shading.made {
            let _ = write!(out, "primitive {} that begins with ", shading.primitive);
        }
        out.push_str(&vertices(&shading.vertices));
        if shading.shape == Shape::Triangle {
            let _ = write!(out, ", {face}");
        }
        if shading.instance > 0 {
            let _ = write!(out, ", instance {}", shading.instance);
        }
        if shading.layer > 0 {
            let _ = write!(out, ", layer {}", shading.layer);
        }
        if shading.viewport > 0 {
            let _ = write!(out, ", viewport {}", shading.viewport);
        }
        let samples = self.history.samples;
        if samples > 1 {
            let _ = write!(out, ", {} of {samples} samples", shading.covered.count_ones());
        }
        out.push('\n');
        let outputs = shading.colors.iter().enumerate().filter_map(|(n, c)| Some((n, (*c)?)));
        for (n, color) in outputs {
            let target = if shading.colors.len() > 1 { format!(" {n}") } else { String::new() };
            let _ = writeln!(out, "      colour{target} {}", floats(&color));
        }
        let what = match shading.fate {
            FragmentOutcome::Culled => format!("culled: {face} faces are not drawn"),
            FragmentOutcome::Scissored => "outside the scissor rectangle".into(),
            FragmentOutcome::Killed => {
                "discarded by the fragment program, or by the alpha test after it".into()
            }
            FragmentOutcome::Stencil => {
                let of = if shading.front { shading.state.stencil.front } else { shading.state.stencil.back };
                let stencil = &shading.state.stencil;
                format!(
                    "failed the stencil test: {} {} {} under mask 0x{:02x} is false",
                    stencil.reference,
                    of.compare.name(),
                    list(&shading.stored_stencil),
                    stencil.read_mask
                )
            }
            FragmentOutcome::Depth => {
                let depth = shading.written_depth.unwrap_or(shading.depth);
                format!(
                    "failed the depth test: {depth} {} {} is false",
                    shading.state.depth.compare.name(),
                    list(&shading.stored_depth)
                )
            }
            FragmentOutcome::Unwritten => "passed, but writes nothing to this target".into(),
            FragmentOutcome::Kept => {
                let mut text = match (shading.tested.passed.count_ones(), shading.covered.count_ones()) {
                    (passed, covered) if passed < covered => {
                        format!("kept in {passed} of {covered} samples")
                    }
                    _ => "kept".to_string(),
                };
                if !shading.stored_depth.is_empty() {
                    let _ = write!(text, " at depth {}", shading.written_depth.unwrap_or(shading.depth));
                }
                match (shading.before.first(), shading.after.first()) {
                    (Some(before), Some(after)) if samples == 1 => {
                        let _ = write!(text, ": {} became {}", hex(*before), hex(*after));
                    }
                    _ => {}
                }
                match shading.overwritten {
                    Some(by) => {
                        let _ = write!(text, "; overwritten by {by}");
                    }
                    None if made && self.made_by_several() => {
                        text.push_str("; the last draw that made the pixel");
                    }
                    None if made => text.push_str("; this made the pixel"),
                    None => {}
                }
                text
            }
        };
        let _ = writeln!(out, "      {what}");
    }

    /// Whether more than one shading is left in the pixel.
    fn made_by_several(&self) -> bool {
        let shown = self.history.shadings().filter(|s| s.number <= self.history.shown);
        shown.filter(|s| s.fate == FragmentOutcome::Kept && s.overwritten.is_none()).count() > 1
    }

    /// What happened, as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let events = self.history.events.iter().map(|event| match event {
            Event::Clear(clear) => json!({
                "number": clear.number,
                "event": "clear",
                "path": clear.path,
                "color": clear.color,
                "depth": clear.depth,
                "stencil": clear.stencil,
            }),
            Event::Shading(s) => json!({
                "number": s.number,
                "event": "draw",
                "path": s.path,
                "draw_call": s.draw,
                "instance": s.instance,
                "layer": s.layer,
                "viewport": s.viewport,
                "shape": s.shape.name(),
                "triangle": s.triangle,
                "primitive": s.primitive,
                "vertices": s.vertices,
                "front": s.front,
                "fate": s.fate.name(),
                "samples": {
                    "covered": samples(s.covered),
                    "passed": samples(s.tested.passed),
                    "stencil_failed": samples(s.tested.stencil_failed),
                    "depth_failed": samples(s.tested.depth_failed),
                },
                "colors": s.colors.iter().map(|c| c.map(|c| json_floats(&c, 4))).collect::<Vec<_>>(),
                "depth": s.written_depth.unwrap_or(s.depth),
                "stored_depth": s.stored_depth,
                "stored_stencil": s.stored_stencil,
                "before": s.before,
                "after": s.after,
                "overwritten": s.overwritten,
            }),
        });
        let run = |run: &Run| {
            let inputs = inputs(run).map(|(name, value)| (name, json_floats(&value, 4)));
            let outputs = outputs(run).map(|(name, value)| (name, json_floats(&value, 4)));
            json!({
                "invocation": run.invocation,
                "inputs": inputs.collect::<serde_json::Map<String, Value>>(),
                "outputs": outputs.collect::<serde_json::Map<String, Value>>(),
            })
        };
        let geometry = |(run, corners): &(Run, [u32; 3])| {
            let inputs = inputs(run).map(|(name, value)| (name, json_floats(&value, 4)));
            let emitted = emitted(run).into_iter().map(|vertex| {
                let vertex = vertex.into_iter().map(|(name, value)| (name, json_floats(&value, 4)));
                Value::Object(vertex.collect())
            });
            json!({
                "invocation": run.invocation,
                "inputs": inputs.collect::<serde_json::Map<String, Value>>(),
                "emitted": emitted.collect::<Vec<Value>>(),
                "corners": corners,
            })
        };
        let chosen = self.chosen.as_ref().map(|chosen| {
            json!({
                "number": chosen.number,
                "fragment": chosen.fragment.as_ref().map(run),
                "geometry": chosen.geometry.as_ref().map(geometry),
                "tess_eval": chosen.evaluation.iter().map(run).collect::<Vec<_>>(),
                "tess_control": chosen.control.iter().map(run).collect::<Vec<_>>(),
                "vertices": chosen.vertices.iter().map(run).collect::<Vec<_>>(),
            })
        });
        let broken = self.history.broken.as_ref().map(
            |b| json!({ "count": b.count, "path": b.path, "draw_call": b.draw, "triangle": b.triangle }),
        );
        json!({
            "pixel": [self.pixel.0, self.pixel.1],
            "target": self.target,
            "size": [self.picture.width, self.picture.height],
            "color": self.history.color,
            "samples": self.history.samples,
            "events": events.collect::<Vec<Value>>(),
            "count": self.history.count,
            "shown": self.history.shown,
            "made_by": self.history.made_by().map(|s| s.number),
            "chosen": chosen,
            "not_finite": broken,
        })
    }
}

/// The vertices of a primitive in words; repeated ones are those that it lacks.
fn vertices(list: &[u32; 3]) -> String {
    let [a, b, c] = list;
    match (a == b, b == c) {
        (true, true) => format!("vertex {a}"),
        (false, true) => format!("vertices {a} {b}"),
        _ => format!("vertices {a} {b} {c}"),
    }
}

fn text_of_clear(out: &mut String, clear: &Clear) {
    let mut what = Vec::new();
    what.extend(clear.color.map(hex));
    what.extend(clear.depth.map(|d| format!("depth {d}")));
    what.extend(clear.stencil.map(|s| format!("stencil {s}")));
    let _ = writeln!(out, " {:>3}  cleared at {}: {}", clear.number, clear.path, what.join(", "));
}

/// The inputs and outputs of an invocation.
fn text_of_run(out: &mut String, title: &str, run: Option<&Run>) {
    let _ = writeln!(out, "  {title}");
    let Some(run) = run else {
        out.push_str("    was not shaded\n");
        return;
    };
    for (name, value) in inputs(run) {
        let _ = writeln!(out, "    {name:<8} {}", floats(&value));
    }
    for (name, value) in outputs(run) {
        let _ = writeln!(out, "    {name:<8} {} (out)", floats(&value));
    }
}

/// The same of several invocations: what they share is written once.
fn text_of_runs(out: &mut String, title: &str, runs: &[Run]) {
    let Some(first) = runs.first() else { return };
    text_of_run(out, &format!("{title} 0"), Some(first));
    let known: Vec<_> = inputs(first).chain(outputs(first)).collect();
    for (number, run) in runs.iter().enumerate().skip(1) {
        let _ = writeln!(out, "  {title} {number}");
        let new = |value: &(String, [u32; 4])| !known.contains(value);
        for (name, value) in inputs(run).filter(new) {
            let _ = writeln!(out, "    {name:<8} {}", floats(&value));
        }
        for (name, value) in outputs(run).filter(new) {
            let _ = writeln!(out, "    {name:<8} {} (out)", floats(&value));
        }
    }
}

/// The inputs and what was emitted of an invocation of a geometry program, of that the vertices `corners`.
fn text_of_geometry(out: &mut String, title: &str, run: &Run, corners: &[u32]) {
    let _ = writeln!(out, "  {title}");
    for (name, value) in inputs(run) {
        let _ = writeln!(out, "    {name:<8} {}", floats(&value));
    }
    for (number, vertex) in emitted(run).into_iter().enumerate() {
        if corners.iter().any(|corner| *corner as usize == number) {
            for (name, value) in vertex {
                let _ = writeln!(out, "    {name:<8} {} (out, vertex {number})", floats(&value));
            }
        }
    }
}

/// Numbers of a type as f32, all bits of them.
fn shown(scalar: Scalar, bits: [u32; 4]) -> [u32; 4] {
    match scalar {
        Scalar::F32 => bits,
        Scalar::I32 => bits.map(|b| (b as i32 as f32).to_bits()),
        _ => bits.map(|b| (b as f32).to_bits()),
    }
}

/// The inputs of an invocation: names and lanes as bits of f32. Those of vertices of a primitive or patch have a number
/// each.
fn inputs(run: &Run) -> impl Iterator<Item = (String, [u32; 4])> {
    let stage = run.shader.stage;
    let setup = &run.shader.setup;
    let vertices = if setup.vertices_in == 0 { run.on.vertices_in } else { setup.vertices_in };
    let each = vertices.max(1) as usize;
    let primitive = match stage {
        Stage::TessEval => run.on.primitives.get(run.invocation).map_or(0, |patch| *patch as usize),
        _ => run.invocation / setup.invocations.max(1) as usize,
    };
    let mut out = Vec::new();
    for (input, list) in run.shader.inputs.iter().zip(&run.on.inputs) {
        let places = match input.kind {
            InputKind::Varying { .. } if stage.has_vertices() => primitive * each..(primitive + 1) * each,
            InputKind::System(System::TessCoord) => run.invocation..run.invocation + 1,
            _ if stage.has_vertices() => primitive..primitive + 1,
            _ => run.invocation..run.invocation + 1,
        };
        let several = matches!(input.kind, InputKind::Varying { .. }) && stage.has_vertices();
        for (n, bits) in list.get(places).unwrap_or(&[]).iter().enumerate() {
            // As the program has it: the vertex, then the register.
            let name = match (several, input.name.split_once('[')) {
                (false, _) => input.name.clone(),
                (true, Some((file, rest))) => format!("{file}[{n}][{rest}"),
                (true, None) => format!("{}[{n}]", input.name),
            };
            out.push((name, shown(input.ty.scalar, *bits)));
        }
    }
    out.into_iter()
}

/// What an invocation gives: names and lanes as bits of f32.
fn outputs(run: &Run) -> impl Iterator<Item = (String, [u32; 4])> {
    let batch: Batch<'_> = run.on.batch();
    let done = Interp.run(&run.shader, &batch).unwrap_or_default();
    let patch = run.invocation / run.shader.setup.invocations.max(1) as usize;
    let value = |(output, cell): (&Output, Vec<[u32; 4]>)| {
        let at = if output.kind.is_of_patch() { patch } else { run.invocation };
        Some((output.name.clone(), shown(output.scalar, cell.get(at).copied()?)))
    };
    run.shader.outputs.iter().zip(done.cells).filter_map(value).collect::<Vec<_>>().into_iter()
}

/// The vertices that an invocation of a geometry program emits into stream 0: names and lanes as bits of f32.
fn emitted(run: &Run) -> Vec<Vec<(String, [u32; 4])>> {
    let done = Interp.run(&run.shader, &run.on.batch()).unwrap_or_default();
    let own = done.streams.into_iter().next().unwrap_or_default().into_iter();
    let vertices = own.filter(|of| of.invocation as usize == run.invocation).flat_map(|of| of.vertices);
    let name = |(output, bits): (&Output, [u32; 4])| (output.name.clone(), shown(output.scalar, bits));
    vertices.map(|vertex| run.shader.outputs.iter().zip(vertex).map(name).collect()).collect()
}

fn hex(color: [u8; 4]) -> String {
    let [r, g, b, a] = color;
    format!("#{r:02x}{g:02x}{b:02x}{a:02x}")
}

fn bytes(color: [u8; 4]) -> String {
    let [r, g, b, a] = color;
    format!("rgba {r} {g} {b} {a}")
}

fn floats(bits: &[u32; 4]) -> String {
    bits.map(|b| f32::from_bits(b).to_string()).join(", ")
}

/// The values of samples: one if they are the same.
fn list<T: PartialEq + ToString>(values: &[T]) -> String {
    match values {
        [] => "nothing".into(),
        [first, rest @ ..] if rest.iter().all(|v| v == first) => first.to_string(),
        _ => format!("[{}]", values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The numbers of the bits that are set.
fn samples(mask: u16) -> Vec<u32> {
    (0..16).filter(|n| mask >> n & 1 != 0).collect()
}

/// Numbers; what is not finite is a text of its bits, as in run files.
fn json_floats(bits: &[u32; 4], count: usize) -> Value {
    bits.iter()
        .take(count)
        .map(|&b| {
            let value = f32::from_bits(b);
            if value.is_finite() { json!(value) } else { json!(format!("0x{b:08x}")) }
        })
        .collect()
}
