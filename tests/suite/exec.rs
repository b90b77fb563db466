//! `// run:` lines: what a shader is given and what must come out.
//!
//! ```text
//! // run: va0=(1,2,3,4) vc0=(0x1p-149,-0,inf,nan) -> op=(…) v0=(_,_,1,1)
//! // run: v0=[(0,0,0,1) (1,0,0,1) (0,1,0,1) (1,1,0,1)] -> oc=(…) killed=[0 1 0 0]
//! ```

use crate::case::Case;
use crate::lowered::run_lowered;
use vecasm::exec::interp::{Interp, Prepared, Workspace};
use vecasm::exec::lanes::{Lanes, Portable};
use vecasm::exec::texture::Texture;
use vecasm::exec::{Batch, BoundTexture, Engine, Outputs, RunError};
use vecasm::ir::text::print;
use vecasm::ir::{Dim, InputKind, ParamArray, SamplerState, Scalar, Shader, Stage, System};
use vecasm::opt::{Expand, clean, expand, fold};
use vecasm_native::{Avx2, Avx512, Isa, Jit};

/// The value of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lane {
    /// These bits; NaN matches any NaN.
    Bits(u32),
    /// Anything.
    Any,
}

/// `name=(x,y,z,w)`, or `name=[(…) (…) …]` with one quadruple for each invocation.
#[derive(Debug)]
struct Assignment {
    name: String,
    /// Distance allowed, in units of the last place.
    ulp: u32,
    lists: Vec<Vec<Lane>>,
    /// Where a `/` stands: behind so many lists.
    breaks: Vec<usize>,
}

/// A `// run:` line.
#[derive(Debug)]
pub(crate) struct Run {
    given: Vec<Assignment>,
    expected: Vec<Assignment>,
}

/// A `// texture:` line: `fs0 2x2 rgba8 ff0000ff 00ff00ff …`, texels from the top left, row by row.
#[derive(Debug)]
pub(crate) struct Bound {
    name: String,
    texture: Texture,
}

impl Run {
    /// Reads a line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (given, expected) = text.split_once("->").ok_or("a run needs `->`")?;
        let run = Self { given: assignments(given)?, expected: assignments(expected)? };
        if run.expected.is_empty() {
            return Err("nothing is expected".into());
        }
        Ok(run)
    }

    /// The value of a word that is one number.
    fn number(&self, name: &str) -> Option<usize> {
        let given = self.given.iter().find(|a| a.name == name)?;
        match given.lists.first()?.first()? {
            Lane::Bits(bits) => Some(f32::from_bits(*bits) as usize),
            Lane::Any => None,
        }
    }

    /// The lists of the longest input that each vertex has.
    fn of_vertices(&self, shader: &Shader) -> usize {
        let of_vertex = |a: &&Assignment| {
            let input = shader.inputs.iter().find(|input| input.name == a.name);
            input.is_some_and(|input| matches!(input.kind, InputKind::Varying { .. }))
        };
        self.given.iter().filter(of_vertex).map(|a| a.lists.len()).max().unwrap_or(0)
    }

    /// Number of vertices of a primitive or patch: of the only one, where nothing else is said.
    fn vertices(&self, shader: &Shader) -> usize {
        match (shader.setup.vertices_in, self.number("vertices")) {
            (0, Some(given)) => given.max(1),
            (0, None) => self.of_vertices(shader).max(1),
            (vertices, _) => vertices as usize,
        }
    }

    /// Number of invocations: the longest list; in the fragment stage at least a quad; of whole primitives, where there are
    /// such.
    fn count(&self, shader: &Shader) -> usize {
        if let Some(count) = self.number("count") {
            return count;
        }
        if matches!(shader.stage, Stage::Geometry | Stage::TessControl) {
            let primitives = self.of_vertices(shader).div_ceil(self.vertices(shader)).max(1);
            return primitives * shader.setup.invocations as usize;
        }
        if shader.stage == Stage::TessEval {
            let owned = |a: &&Assignment| {
                let known = |name: &str| shader.inputs.iter().find(|input| input.name == name);
                known(&a.name).is_some_and(|input| input.kind == InputKind::System(System::TessCoord))
            };
            return self.given.iter().filter(owned).map(|a| a.lists.len()).max().unwrap_or(1);
        }
        let lists = self.given.iter().chain(&self.expected).map(|a| a.lists.len()).max().unwrap_or(1);
        if shader.stage == Stage::Fragment { lists.max(4) } else { lists }
    }

    /// What the shader is run on. A name that the shader does not read is an error.
    pub(crate) fn batch<'a>(&self, shader: &Shader, textures: &'a [Bound]) -> Result<Batch<'a>, String> {
        let count = self.count(shader);
        let mut batch = Batch {
            count,
            inputs: shader.inputs.iter().map(|_| Vec::new()).collect(),
            params: shader.params.iter().map(|_| Vec::new()).collect(),
            textures: shader.textures.iter().map(|_| None).collect(),
            ..Batch::default()
        };
        if shader.setup.vertices_in == 0 && shader.stage.has_vertices() {
            batch.vertices_in = self.vertices(shader) as u32;
        }
        for a in &self.given {
            if shader.stage.has_vertices() && matches!(a.name.as_str(), "count" | "vertices") {
                continue;
            }
            if shader.stage == Stage::TessEval && a.name == "patches" {
                let number = |list: &Vec<Lane>| match list[..] {
                    [Lane::Bits(bits)] => Ok(f32::from_bits(bits) as u32),
                    _ => Err("patches are numbers".to_string()),
                };
                batch.primitives = a.lists.iter().map(number).collect::<Result<_, _>>()?;
                continue;
            }
            let values =
                || -> Result<Vec<[u32; 4]>, String> { a.lists.iter().map(|l| bits(l, &a.name)).collect() };
            if let Some(i) = shader.inputs.iter().position(|input| input.name == a.name) {
                let float = shader.inputs[i].ty.scalar == Scalar::F32;
                let convert = |v: [u32; 4]| if float { v } else { v.map(|b| f32::from_bits(b) as u32) };
                let plain = !shader.stage.has_vertices()
                    || shader.inputs[i].kind == InputKind::System(System::TessCoord);
                let values = if plain { spread(values()?, count, &a.name)? } else { values()? };
                batch.inputs[i] = values.into_iter().map(convert).collect();
                continue;
            }
            if let Some(i) = shader.states.iter().position(|state| state.name == a.name) {
                let float = shader.states[i].ty.scalar == Scalar::F32;
                let given = a.lists.first().map_or(&[][..], Vec::as_slice);
                let lanes = usize::from(shader.states[i].ty.lanes);
                if a.lists.len() != 1 || given.len() != lanes {
                    return Err(format!("{} has {lanes} lanes", a.name));
                }
                let mut value = bits(given, &a.name)?;
                value[lanes..].fill(0);
                batch.states.resize(shader.states.len(), None);
                batch.states[i] =
                    Some(value.map(|v| if float { v } else { f32::from_bits(v) as i32 as u32 }));
                continue;
            }
            let Some((array, number)) = element(shader, &a.name) else {
                return Err(format!("the shader reads no {}", a.name));
            };
            // Words hold the bits of numbers.
            let bits = |array: &ParamArray| matches!(array.scalar, Scalar::F32 | Scalar::U32);
            let float = shader.params.get(array).is_none_or(bits);
            // A list of constants goes to consecutive registers.
            for (i, value) in values()?.into_iter().enumerate() {
                let elements = &mut batch.params[array];
                if elements.len() <= number + i {
                    elements.resize(number + i + 1, [0; 4]);
                }
                elements[number + i] = value.map(|v| if float { v } else { f32::from_bits(v) as i32 as u32 });
            }
        }
        for bound in textures {
            let Some(i) = shader.textures.iter().position(|t| t.name == bound.name) else {
                return Err(format!("the shader does not read a texture {}", bound.name));
            };
            let state = SamplerState::PLAIN;
            let sampler = shader.textures[i].sampler.unwrap_or(state);
            batch.textures[i] = Some(BoundTexture { texture: &bound.texture, sampler });
            // Where a state decides the dimension, the texture tells it.
            if let Some(by) = shader.textures[i].dim_by {
                batch.states.resize(shader.states.len(), None);
                let number = Dim::ALL.iter().position(|dim| *dim == bound.texture.dim()).unwrap_or(0);
                batch.states[by.index()] = Some([number as u32, 0, 0, 0]);
            }
        }
        Ok(batch)
    }

    /// Compares what came out.
    pub(crate) fn compare(&self, shader: &Shader, outputs: &Outputs) -> Result<(), String> {
        let count = self.count(shader);
        for a in &self.expected {
            if a.name == "killed" {
                let wanted = spread(a.lists.clone(), count, &a.name)?;
                for (i, (wanted, got)) in wanted.iter().zip(&outputs.killed).enumerate() {
                    let wanted = *wanted != [Lane::Bits(0)];
                    if wanted != *got {
                        return Err(format!("invocation {i}: killed is {got}, not {wanted}"));
                    }
                }
                continue;
            }
            if a.name == "barriers" {
                let wanted = a.lists.first().and_then(|list| list.first()).copied();
                if wanted != Some(Lane::Bits((outputs.barriers.len() as f32).to_bits())) {
                    return Err(format!("{} barriers are divergent", outputs.barriers.len()));
                }
                continue;
            }
            if let Some((stream, name)) = a.name.strip_prefix("stream").and_then(|n| n.split_once('.')) {
                self.compare_stream(a, stream, name, shader, outputs)?;
                continue;
            }
            let cell = shader.outputs.iter().position(|o| o.name == a.name);
            let of_patch = cell.is_some_and(|cell| shader.outputs[cell].kind.is_of_patch());
            if of_patch && a.lists.len() != outputs.cells[cell.unwrap_or(0)].len() {
                return Err(format!(
                    "{}: {} values are expected",
                    a.name,
                    outputs.cells[cell.unwrap_or(0)].len()
                ));
            }
            // Of a serial shader also the elements after the run, a list for consecutive ones.
            let element = element(shader, &a.name).filter(|_| cell.is_none() && shader.serial);
            let (wanted, got) = match (cell, element) {
                (Some(cell), _) if of_patch => (a.lists.clone(), &outputs.cells[cell][..]),
                (Some(cell), _) => (spread(a.lists.clone(), count, &a.name)?, &outputs.cells[cell][..]),
                (_, Some((array, number))) => {
                    (a.lists.clone(), outputs.params[array].get(number..).unwrap_or_default())
                }
                _ => return Err(format!("the shader writes no {}", a.name)),
            };
            if wanted.len() > got.len() {
                return Err(format!("{}: {} values, not {}", a.name, got.len(), wanted.len()));
            }
            for (i, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                for (lane, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                    if !matches(*wanted, *got, a.ulp) {
                        return Err(format!(
                            "invocation {i}: {}.{} is {} ({got:08x}), not {}",
                            a.name,
                            ["x", "y", "z", "w"][lane],
                            f32::from_bits(*got),
                            show(*wanted)
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Run {
    /// Compares an output of the vertices of a stream: those of all invocations one after another.
    fn compare_stream(
        &self,
        a: &Assignment,
        stream: &str,
        name: &str,
        shader: &Shader,
        outputs: &Outputs,
    ) -> Result<(), String> {
        let at = shader.outputs.iter().position(|o| o.name == name);
        let at = at.ok_or_else(|| format!("the shader writes no {name}"))?;
        let stream: usize = stream.parse().map_err(|_| format!("stream {stream} is no number"))?;
        let got = outputs.streams.get(stream).map_or(&[][..], Vec::as_slice);
        let mut ends = a.breaks.clone();
        ends.extend((!a.lists.is_empty()).then_some(a.lists.len()));
        if got.len() != ends.len() {
            return Err(format!("{}: {} primitives, not {}", a.name, got.len(), ends.len()));
        }
        let mut first = 0;
        for (n, (got, end)) in got.iter().zip(ends).enumerate() {
            let wanted = &a.lists[first..end];
            first = end;
            if got.vertices.len() != wanted.len() {
                let count = got.vertices.len();
                return Err(format!("{}: primitive {n} has {count} vertices, not {}", a.name, wanted.len()));
            }
            for (k, (vertex, wanted)) in got.vertices.iter().zip(wanted).enumerate() {
                for (lane, (wanted, got)) in wanted.iter().zip(vertex[at]).enumerate() {
                    if !matches(*wanted, got, a.ulp) {
                        return Err(format!(
                            "{}: primitive {n}, vertex {k}: lane {lane} is {} ({got:08x}), not {}",
                            a.name,
                            f32::from_bits(got),
                            show(*wanted)
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Bound {
    /// Reads a `// texture:` line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (Some(name), Some(size), Some("rgba8")) = (words.next(), words.next(), words.next()) else {
            return Err("a texture is `NAME WxH rgba8 TEXEL…`".into());
        };
        let sides: Vec<u32> = size
            .trim_end_matches("cube")
            .split('x')
            .filter(|s| !s.is_empty())
            .map(|s| s.parse().map_err(|_| format!("{size} is no size")))
            .collect::<Result<_, _>>()?;
        let (dim, [width, height, depth]) = match sides[..] {
            [side] if size.ends_with("cube") => (Dim::Cube, [side, side, 1]),
            [width, height] => (Dim::D2, [width, height, 1]),
            [width, height, depth] => (Dim::D3, [width, height, depth]),
            _ => return Err(format!("{size} is no size")),
        };
        // A `/` starts the next level.
        let mut levels = vec![Vec::new()];
        for word in words {
            if word == "/" {
                levels.push(Vec::new());
                continue;
            }
            let texel = u32::from_str_radix(word, 16).map_err(|_| format!("{word} is no texel"))?;
            if let Some(level) = levels.last_mut() {
                level.extend(texel.to_be_bytes());
            }
        }
        let levels: Vec<&[u8]> = levels.iter().map(Vec::as_slice).collect();
        let texture = Texture::from_rgba8(dim, width, height, depth, &levels).map_err(|e| e.to_string())?;
        Ok(Self { name: name.to_string(), texture })
    }
}

/// The element of a parameter array that a name like `c5` stands for: the array, and the number.
fn element(shader: &Shader, name: &str) -> Option<(usize, usize)> {
    let (file, number) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
    Some((shader.params.iter().position(|p| p.name == file)?, number.parse().ok()?))
}

fn spread<T: Clone>(mut values: Vec<T>, count: usize, name: &str) -> Result<Vec<T>, String> {
    if values.len() == 1 && count > 1 {
        values = vec![values[0].clone(); count];
    }
    if values.len() == count {
        Ok(values)
    } else {
        Err(format!("{name}: {} values for {count} invocations", values.len()))
    }
}

fn bits(lanes: &[Lane], name: &str) -> Result<[u32; 4], String> {
    let lane = |i: usize| match lanes.get(i) {
        Some(Lane::Bits(bits)) => Ok(*bits),
        Some(Lane::Any) => Err(format!("{name}: an input cannot be `_`")),
        // Missing components of an input are (0, 0, 0, 1), as of a vertex attribute.
        None => Ok(if i == 3 { 1.0f32.to_bits() } else { 0 }),
    };
    Ok([lane(0)?, lane(1)?, lane(2)?, lane(3)?])
}

fn matches(wanted: Lane, got: u32, ulp: u32) -> bool {
    let Lane::Bits(wanted) = wanted else { return true };
    matches_lane(wanted, got, ulp)
}

/// Runs every `run` line on a program lifted after a round trip, and lifted without and with its step table, also after passes.
pub(crate) fn run_all(
    case: &Case,
    textures: &[Bound],
    again: Shader,
    lean: Shader,
    full: Shader,
) -> Result<(), String> {
    let mut runs = 0;
    run_lowered(case, textures, &lean)?;
    for (which, shader) in [
        (" after the round trip", again),
        (" folded and cleaned", clean(&fold(&lean))),
        (" expanded", expand(&lean, Expand::ALL)),
        (" with the step table, cleaned", clean(&full)),
        (" with the step table", full),
        ("", lean),
    ] {
        for d in case.all("run") {
            let at = |e: String| format!("line {}{which}: {e}", d.line);
            let run = Run::parse(&d.value).map_err(at)?;
            let batch = run.batch(&shader, textures).map_err(at)?;
            let outputs = Interp.run(&shader, &batch).map_err(|e| at(e.to_string()))?;
            run.compare(&shader, &outputs).map_err(at)?;
            alike(&shader, &batch, &outputs).map_err(at)?;
            runs += 1;
        }
    }
    if runs == 0 { Err("no `run` line".into()) } else { Ok(()) }
}

/// Whether a lane of f32 is as expected: any NaN for a NaN, otherwise the bits, or within some units of the last place.
pub(crate) fn matches_lane(wanted: u32, got: u32, ulp: u32) -> bool {
    if f32::from_bits(wanted).is_nan() {
        return f32::from_bits(got).is_nan();
    }
    if ulp == 0 || f32::from_bits(got).is_nan() {
        return wanted == got;
    }
    ordered(wanted).abs_diff(ordered(got)) <= i64::from(ulp).unsigned_abs()
}

/// Floats in ascending order as integers; both zeros are 0.
fn ordered(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

fn show(lane: Lane) -> String {
    match lane {
        Lane::Any => "_".into(),
        Lane::Bits(bits) => show_bits(bits),
    }
}

/// The number, and its bits.
pub(crate) fn show_bits(bits: u32) -> String {
    format!("{} ({bits:08x})", f32::from_bits(bits))
}

fn assignments(text: &str) -> Result<Vec<Assignment>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (name, ulp) = match name.split_once('~') {
            Some((name, ulp)) => (name, ulp.parse().map_err(|_| format!("{ulp} is no number of ulp"))?),
            None => (name, 0),
        };
        let Some(after) = after.strip_prefix('=') else {
            if name != "killed" {
                return Err(format!("`{name}` has no value"));
            }
            let lists = vec![vec![Lane::Bits(1)]];
            out.push(Assignment { name: name.into(), ulp: 0, lists, breaks: Vec::new() });
            rest = after.trim_start();
            continue;
        };
        let close = if after.starts_with('[') { ']' } else { ')' };
        let end = after.find(close).ok_or_else(|| format!("{name}: no {close}"))?;
        let inside = after[..end].trim_start_matches('[');
        let (mut lists, mut breaks) = (Vec::new(), Vec::new());
        for (n, part) in inside.split('/').enumerate() {
            if n > 0 {
                breaks.push(lists.len());
            }
            if part.contains('(') {
                for list in part.split('(').skip(1) {
                    let list = list.trim().trim_end_matches(')');
                    lists.push(list.split(',').map(lane).collect::<Result<Vec<Lane>, String>>()?);
                }
            } else {
                for word in part.split_whitespace() {
                    lists.push(vec![lane(word)?]);
                }
            }
        }
        out.push(Assignment { name: name.into(), ulp, lists, breaks });
        rest = after[end + 1..].trim_start();
    }
    Ok(out)
}

/// A number in decimal, a hexadecimal float (`0x1.8p-3`), bits (`#3f800000`), `inf`, `nan`, `_`.
fn lane(word: &str) -> Result<Lane, String> {
    let word = word.trim();
    if word == "_" {
        return Ok(Lane::Any);
    }
    if let Some(bits) = word.strip_prefix('#') {
        return u32::from_str_radix(bits, 16).map(Lane::Bits).map_err(|_| format!("{word} is no bits"));
    }
    let (negative, magnitude) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let value = match magnitude {
        "inf" => f32::INFINITY,
        "nan" => f32::NAN,
        _ => match magnitude.strip_prefix("0x") {
            Some(hex) => hex_float(hex).ok_or_else(|| format!("{word} is no exact f32"))?,
            None => magnitude.parse().map_err(|_| format!("{word} is no number"))?,
        },
    };
    Ok(Lane::Bits(value.to_bits() | u32::from(negative) << 31))
}

/// `1.8p-3` = 1.5 · 2^-3. Refused if it is not exactly an f32.
pub(crate) fn hex_float(text: &str) -> Option<f32> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let value = digits as f64 * 2f64.powi(exponent - 4 * fraction.len() as i32);
    (f64::from(value as f32) == value).then_some(value as f32)
}

/// Whether every other engine of this machine gives the same for a batch as the interpreter gave, or refuses the shader.
pub(crate) fn alike(shader: &Shader, batch: &Batch<'_>, wanted: &Outputs) -> Result<(), String> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Lanes::<Portable>::default())];
    engines.extend(Avx2::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
    engines.extend(Avx512::new().map(|kernels| Box::new(Lanes::new(kernels)) as Box<dyn Engine>));
    engines.extend(Isa::ALL.into_iter().filter_map(Jit::new).map(|jit| Box::new(jit) as Box<dyn Engine>));
    for engine in engines {
        match engine.run(shader, batch) {
            Ok(got) if got == *wanted => {}
            Ok(got) => {
                let name = engine.name();
                return Err(format!(
                    "{name} gives {got:?}, and the interpreter {wanted:?}, for\n{}",
                    print(shader)
                ));
            }
            Err(RunError::Unsupported(_)) => {}
            Err(error) => return Err(format!("{}: {error}", engine.name())),
        }
    }
    Ok(())
}

/// The interpreter with a shader prepared before, in the memory that a run on another batch has left.
pub(crate) struct ReusedInterp;

impl Engine for ReusedInterp {
    fn name(&self) -> &'static str {
        "interp, prepared and run before"
    }

    fn run(&self, shader: &Shader, batch: &Batch<'_>) -> Result<Outputs, RunError> {
        let prepared = Prepared::new(shader)?;
        let mut workspace = Workspace::default();
        let mut other = Batch { fuel: Some(3), ..batch.clone() };
        for bits in other.inputs.iter_mut().chain(&mut other.params).flatten() {
            *bits = bits.map(|lane| !lane);
        }
        for byte in other.buffers.iter_mut().flatten() {
            *byte = !*byte;
        }
        // What it gives, or whether it gives anything, is of no interest.
        drop(prepared.run_in(&mut workspace, &other).map(|_| ()));
        prepared.run_in(&mut workspace, batch).cloned()
    }
}
