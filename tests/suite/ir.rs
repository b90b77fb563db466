//! Files of kind `ir`: a shader in the text form of the IR, what it is run on, what must come out.
//!
//! ```text
//! ; test: ir
//! ; texture: fs0 2d 2x2 rgba8 ff0000ff 00ff00ff 0000ffff ffffffff
//! ; run: subgroup=32 v0=[(0,0) (1,0)] c[3]=(1,2,3,4) state.fog=(1) -> oc=[(1) (2)] killed=[0 1]
//! ```

use crate::case::Case;
use crate::exec::{ReusedInterp, alike, hex_float, matches_lane, show_bits};
use std::collections::BTreeMap;
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine, Fragments, Outputs, Triangle};
use vecasm::ir::text::{parse_any, print};
use vecasm::ir::verify::verify;
use vecasm::ir::{Dim, SamplerState, Scalar, Shader, Stage, StateId};
use vecasm::opt::{Expand, Lower, clean, exits, expand, fold, lower, promote, specialize};

/// Every engine that runs the whole IR.
const ENGINES: &[&dyn Engine] = &[&Interp, &ReusedInterp];

/// A pass, with its name.
type Pass = (&'static str, fn(&Shader) -> Shader);

/// What must not change what comes out.
const PASSES: &[Pass] = &[
    ("clean", clean),
    ("fold", fold),
    ("clean after fold", |s| clean(&fold(s))),
    ("promote", promote),
    ("lower", |s| lower(s, BOTH)),
    ("exits", exits),
    ("expand", |s| expand(s, Expand::ALL)),
    ("all of them", |s| clean(&fold(&expand(&exits(&lower(&promote(s), BOTH)), Expand::ALL)))),
];

const BOTH: Lower = Lower { switches: true, idioms: true };

/// Runs a file.
pub(crate) fn run(case: &Case) -> Result<(), String> {
    let shader = parse_any(&case.text).map_err(|e| e.to_string())?;
    let breaches = verify(&shader);
    if !breaches.is_empty() {
        let list: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        return Err(list.join("\n"));
    }
    let again = parse_any(&print(&shader)).map_err(|e| format!("what was printed does not parse: {e}"))?;
    if again != shader {
        return Err(format!("print and parse give another shader\n{}", print(&shader)));
    }
    run_shader(case, &shader)
}

/// Runs every `run` line of a file on a shader, and on what the passes make of it.
pub(crate) fn run_shader(case: &Case, shader: &Shader) -> Result<(), String> {
    let textures = case.all("texture").map(|d| bound(&d.value)).collect::<Result<Vec<_>, _>>()?;
    let mut fragments = None;
    for d in case.all("triangle") {
        let all: &mut Fragments =
            fragments.get_or_insert_with(|| Fragments { samples: 1, ..Fragments::default() });
        all.triangles.push(triangle(shader, &d.value)?);
    }
    let mut runs = 0;
    for d in case.all("run") {
        runs += 1;
        let (given, expected) = d.value.split_once("->").ok_or("a run needs `->`")?;
        let (given, expected) = (words(given)?, words(expected)?);
        if expected.is_empty() {
            return Err(format!("line {}: nothing is expected", d.line));
        }
        let batch = batch(shader, &given, &expected, &textures, fragments.clone())?;
        for engine in ENGINES {
            let at = |e: String| format!("line {}, {}: {e}", d.line, engine.name());
            let outputs = engine.run(shader, &batch).map_err(|e| at(e.to_string()))?;
            compare(shader, &outputs, &expected).map_err(at)?;
            alike(shader, &batch, &outputs).map_err(at)?;
            let after = |name: &str, after: &Shader, batch: &Batch<'_>| -> Result<(), String> {
                let at = |e: String| {
                    format!("line {}, {} after {name}: {e}\n{}", d.line, engine.name(), print(after))
                };
                let breaches = verify(after);
                if !breaches.is_empty() {
                    return Err(at(format!("{breaches:?}")));
                }
                let outputs = engine.run(after, batch).map_err(|e| at(e.to_string()))?;
                compare(after, &outputs, &expected).map_err(at)?;
                alike(after, batch, &outputs).map_err(at)
            };
            for (name, pass) in PASSES {
                after(name, &pass(shader), &batch)?;
            }
            // With the state of the run fixed in the shader, and none given.
            let states = shader.states.iter().zip(&batch.states).enumerate();
            let fixed: Vec<_> =
                states.map(|(i, (state, set))| (StateId(i as u32), set.unwrap_or(state.default))).collect();
            let stateless = Batch { states: Vec::new(), ..batch.clone() };
            after("specialize", &specialize(shader, &fixed), &stateless)?;
        }
    }
    if runs == 0 {
        return Err("no `run` line".into());
    }
    Ok(())
}

/// `name=value`; a value is a list of primitives of vertices of lanes, of which most have only some levels.
#[derive(Debug)]
struct Word<'a> {
    name: &'a str,
    /// Distance allowed, in units of the last place.
    ulp: u32,
    /// Lists of lanes; a `/` starts the next group of lists.
    groups: Vec<Vec<Vec<&'a str>>>,
}

impl Word<'_> {
    /// All lists, groups or not.
    fn lists(&self) -> impl Iterator<Item = &Vec<&str>> {
        self.groups.iter().flatten()
    }

    /// The only lane of each list.
    fn flat(&self) -> Result<Vec<&str>, String> {
        let one = |list: &Vec<&str>| -> Result<String, String> {
            match list[..] {
                [word] => Ok(word.to_string()),
                _ => Err(format!("{}: one number each", self.name)),
            }
        };
        self.lists().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(self.groups.iter().flatten().flatten().copied().collect())
    }

    fn number<T: std::str::FromStr>(&self) -> Result<T, String> {
        match self.flat()?[..] {
            [word] => word.parse().map_err(|_| format!("{}: {word} is not a number that fits", self.name)),
            _ => Err(format!("{} is one number", self.name)),
        }
    }

    fn numbers<T: std::str::FromStr>(&self) -> Result<Vec<T>, String> {
        let words: Vec<&str> = self.groups.iter().flatten().flatten().copied().collect();
        words
            .into_iter()
            .map(|w| w.parse().map_err(|_| format!("{}: {w} is not a number that fits", self.name)))
            .collect()
    }

    /// The bits of each list.
    fn bits(&self, scalar: Scalar) -> Result<Vec<[u32; 4]>, String> {
        self.lists()
            .map(|list| {
                let mut bits = [0; 4];
                for (to, word) in bits.iter_mut().zip(list) {
                    *to = lane(word, scalar)?
                        .ok_or_else(|| format!("{}: what is given cannot be `_`", self.name))?;
                }
                Ok(bits)
            })
            .collect()
    }
}

/// Takes the words of a run apart.
fn words(text: &str) -> Result<Vec<Word<'_>>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once('=') else {
            return Err(format!("`{rest}` has no value"));
        };
        let (name, ulp) = match name.split_once('~') {
            Some((name, ulp)) => (name, ulp.parse().map_err(|_| format!("{ulp} is no number of ulp"))?),
            None => (name, 0),
        };
        let end = match after.chars().next() {
            Some('[') => after.find(']').map(|n| n + 1),
            Some('(') => after.find(')').map(|n| n + 1),
            _ => Some(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        let end = end.ok_or_else(|| format!("{name}: a bracket is open"))?;
        let inside = after[..end].trim_start_matches('[').trim_end_matches(']');
        let groups = inside.split('/').map(lists).collect::<Result<_, _>>()?;
        out.push(Word { name, ulp, groups });
        rest = after[end..].trim_start();
    }
    Ok(out)
}

/// `(a,b) (c,d)`, or `a b c` for lists of one.
fn lists(text: &str) -> Result<Vec<Vec<&str>>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let end = inside.find(')').ok_or_else(|| format!("`{rest}` has no `)`"))?;
            out.push(inside[..end].split(',').map(str::trim).collect());
            rest = inside[end + 1..].trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            out.push(vec![&rest[..end]]);
            rest = rest[end..].trim_start();
        }
    }
    Ok(out)
}

/// The bits of a lane: of an f32 as in files of kind `exec`, of an integer decimal; `#hex` are bits; `f:1.5` is a float
/// among integers; `_` is anything.
fn lane(word: &str, scalar: Scalar) -> Result<Option<u32>, String> {
    if word == "_" {
        return Ok(None);
    }
    if let Some(bits) = word.strip_prefix('#') {
        return u32::from_str_radix(bits, 16).map(Some).map_err(|_| format!("{word} is no bits"));
    }
    let (word, scalar) = match word.strip_prefix("f:") {
        Some(rest) => (rest, Scalar::F32),
        None => (word, scalar),
    };
    let wrong = || format!("{word} is no {}", scalar.name());
    if scalar == Scalar::F32 {
        let (negative, magnitude) = match word.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let value: f32 = match magnitude {
            "inf" => f32::INFINITY,
            "nan" => f32::NAN,
            _ => match magnitude.strip_prefix("0x") {
                Some(hex) => hex_float(hex).ok_or_else(wrong)?,
                None => magnitude.parse().map_err(|_| wrong())?,
            },
        };
        return Ok(Some(value.to_bits() | u32::from(negative) << 31));
    }
    let value: i64 = word.parse().map_err(|_| wrong())?;
    let fits =
        if scalar == Scalar::I32 { i32::try_from(value).is_ok() } else { u32::try_from(value).is_ok() };
    if fits || i32::try_from(value).is_ok() { Ok(Some(value as u32)) } else { Err(wrong()) }
}

/// Repeats a single value for all.
fn spread<T: Clone>(mut values: Vec<T>, count: usize) -> Vec<T> {
    if values.len() == 1 && count > 1 {
        values = vec![values[0].clone(); count];
    }
    values
}

/// `name[3]`: the array and the element.
fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.split_once('[')?;
    Some((array, index.parse().ok()?))
}

fn batch<'a>(
    shader: &Shader,
    given: &[Word<'_>],
    expected: &[Word<'_>],
    textures: &'a [(String, Texture)],
    fragments: Option<Fragments>,
) -> Result<Batch<'a>, String> {
    let mut batch = Batch {
        inputs: vec![Vec::new(); shader.inputs.len()],
        params: vec![Vec::new(); shader.params.len()],
        states: vec![None; shader.states.len()],
        textures: shader.textures.iter().map(|_| None).collect(),
        buffers: vec![Vec::new(); shader.buffers.len()],
        carried: shader.outputs.iter().map(|o| o.init).collect(),
        fragments,
        ..Batch::default()
    };
    // Lists without a count of their own: one for each invocation.
    let of_invocation =
        |w: &Word<'_>| shader.outputs.iter().any(|o| o.name == w.name && !o.kind.is_of_patch());
    let lists = |w: &Word<'_>| w.lists().count();
    let longest = expected.iter().filter(|w| of_invocation(w)).map(lists).max().unwrap_or(1);
    let plain = |w: &Word<'_>| shader.inputs.iter().any(|i| i.name == w.name) && !shader.stage.has_vertices();
    let most = given.iter().filter(|w| plain(w)).map(lists).max().unwrap_or(1).max(longest);
    batch.count = match shader.stage {
        Stage::Fragment => most.max(4),
        Stage::Compute => shader.setup.workgroup.iter().product::<u32>().max(1) as usize,
        Stage::TessControl | Stage::Geometry => most.max(shader.setup.invocations as usize),
        _ => most,
    };
    if let Some(count) = given.iter().find(|w| w.name == "count") {
        batch.count = count.number()?;
    }
    let three = |w: &Word<'_>| -> Result<[u32; 3], String> {
        w.numbers()?.try_into().map_err(|_| format!("{} is three numbers", w.name))
    };
    for w in given {
        if let Some(i) = shader.inputs.iter().position(|input| input.name == w.name) {
            let values = w.bits(shader.inputs[i].ty.scalar)?;
            batch.inputs[i] = if plain(w) { spread(values, batch.count) } else { values };
        } else if let Some(name) = w.name.strip_prefix("state.") {
            let id = shader.state(name).ok_or_else(|| format!("no state is called {name}"))?.index();
            batch.states[id] = w.bits(shader.states[id].ty.scalar)?.first().copied();
        } else if let Some(name) = w.name.strip_prefix("buffer.") {
            let at = shader.buffers.iter().position(|b| b.name == name);
            let at = at.ok_or_else(|| format!("no buffer is called {name}"))?;
            batch.buffers[at] = w.bits(Scalar::U32)?.iter().flat_map(|word| word[0].to_le_bytes()).collect();
        } else if let Some(name) = w.name.strip_prefix("carried.") {
            let at = shader.outputs.iter().position(|o| o.name == name);
            let at = at.ok_or_else(|| format!("no output is called {name}"))?;
            batch.carried[at] = w.bits(shader.outputs[at].scalar)?[0];
        } else if let Some(number) = w.name.strip_prefix("target") {
            let number: usize = number.parse().map_err(|_| format!("{} is no target", w.name))?;
            batch.framebuffer.resize(batch.framebuffer.len().max(number + 1), Vec::new());
            batch.framebuffer[number] = spread(w.bits(Scalar::F32)?, batch.count);
        } else if let Some((array, index)) = element(w.name) {
            let at = shader.params.iter().position(|p| p.name == array);
            let at = at.ok_or_else(|| format!("no parameter array is called {array}"))?;
            // A list goes to consecutive elements.
            for (i, value) in w.bits(shader.params[at].scalar)?.into_iter().enumerate() {
                let elements = &mut batch.params[at];
                elements.resize(elements.len().max(index + i + 1), [0; 4]);
                elements[index + i] = value;
            }
        } else {
            let points = || -> Result<Vec<[f32; 2]>, String> {
                Ok(w.bits(Scalar::F32)?
                    .iter()
                    .map(|p| [f32::from_bits(p[0]), f32::from_bits(p[1])])
                    .collect())
            };
            let fragments = || "no triangle is given".to_string();
            match w.name {
                "count" => {}
                "fuel" => batch.fuel = Some(w.number()?),
                "subgroup" => batch.subgroup = w.number()?,
                "grid" => batch.grid = three(w)?,
                "workgroup" => batch.workgroup = three(w)?,
                "helpers" => batch.helpers = w.numbers::<u32>()?.iter().map(|h| *h != 0).collect(),
                "primitives" => batch.primitives = w.numbers()?,
                "centers" => batch.fragments.as_mut().ok_or_else(fragments)?.center = points()?,
                "centroids" => batch.fragments.as_mut().ok_or_else(fragments)?.centroid = points()?,
                "samples" => batch.fragments.as_mut().ok_or_else(fragments)?.samples = w.number()?,
                "flat" => batch.fragments.as_mut().ok_or_else(fragments)?.flat = w.number::<u32>()? != 0,
                "triangles" => batch.fragments.as_mut().ok_or_else(fragments)?.triangle = w.numbers()?,
                name => return Err(format!("the shader reads no {name}")),
            }
        }
    }
    if shader.stage == Stage::Compute && batch.grid != [0; 3] {
        batch.count *= batch.grid.iter().product::<u32>() as usize;
    }
    if let Some(fragments) = &mut batch.fragments {
        fragments.triangle.resize(batch.count, 0);
    }
    for (name, texture) in textures {
        let at = shader.textures.iter().position(|t| t.name == *name);
        let at = at.ok_or_else(|| format!("the shader does not read a texture {name}"))?;
        let sampler = shader.textures[at].sampler.unwrap_or(SamplerState::PLAIN);
        batch.textures[at] = Some(BoundTexture { texture, sampler });
    }
    Ok(batch)
}

fn compare(shader: &Shader, outputs: &Outputs, expected: &[Word<'_>]) -> Result<(), String> {
    for w in expected {
        let flags = |got: &[bool]| -> Result<(), String> {
            let wanted = spread(w.numbers::<u32>()?, got.len());
            let got: Vec<u32> = got.iter().map(|g| u32::from(*g)).collect();
            if wanted == got { Ok(()) } else { Err(format!("{} is {got:?}, not {wanted:?}", w.name)) }
        };
        if let Some(i) = shader.outputs.iter().position(|o| o.name == w.name) {
            quadruples(w, shader.outputs[i].scalar, &outputs.cells[i])?;
        } else if let Some(name) = w.name.strip_prefix("carried.") {
            let at = shader.outputs.iter().position(|o| o.name == name);
            let at = at.ok_or_else(|| format!("no output is called {name}"))?;
            quadruples(w, shader.outputs[at].scalar, &outputs.carried[at..=at])?;
        } else if let Some(name) = w.name.strip_prefix("buffer.") {
            let at = shader.buffers.iter().position(|b| b.name == name);
            let at = at.ok_or_else(|| format!("no buffer is called {name}"))?;
            let words = outputs.buffers[at].chunks(4).map(|c| {
                let mut word = [0; 4];
                word[..c.len()].copy_from_slice(c);
                [u32::from_le_bytes(word), 0, 0, 0]
            });
            quadruples(w, Scalar::U32, &words.collect::<Vec<_>>())?;
        } else if let Some((stream, cell)) = w.name.strip_prefix("stream").and_then(|n| n.split_once('.')) {
            let stream: usize = stream.parse().map_err(|_| format!("{} is no stream", w.name))?;
            let at = shader.outputs.iter().position(|o| o.name == cell);
            let at = at.ok_or_else(|| format!("no output is called {cell}"))?;
            let empty = Vec::new();
            let primitives = outputs.streams.get(stream).unwrap_or(&empty);
            let groups: Vec<&Vec<Vec<&str>>> = w.groups.iter().filter(|g| !g.is_empty()).collect();
            if primitives.len() != groups.len() {
                return Err(format!("{}: {} primitives, not {}", w.name, primitives.len(), groups.len()));
            }
            for (group, primitive) in groups.into_iter().zip(primitives) {
                let got: Vec<[u32; 4]> = primitive.vertices.iter().map(|v| v[at]).collect();
                let one = Word { name: w.name, ulp: w.ulp, groups: vec![group.clone()] };
                if got.len() != group.len() {
                    return Err(format!("{}: {} vertices, not {}", w.name, got.len(), group.len()));
                }
                quadruples(&one, shader.outputs[at].scalar, &got)?;
            }
        } else if let Some((array, index)) = element(w.name) {
            let at = shader.params.iter().position(|p| p.name == array);
            let at = at.ok_or_else(|| format!("no parameter array is called {array}"))?;
            let got = outputs.params.get(at).and_then(|p| p.get(index..)).unwrap_or(&[]);
            let wanted = w.lists().count();
            let got = got.get(..wanted).ok_or_else(|| format!("{} does not come out", w.name))?;
            quadruples(w, shader.params[at].scalar, got)?;
        } else {
            match w.name {
                "killed" => flags(&outputs.killed)?,
                "exhausted" => flags(&outputs.exhausted)?,
                "barriers" => {
                    let wanted: usize = w.number()?;
                    if outputs.barriers.len() != wanted {
                        return Err(format!("{:?}, not {wanted} of them", outputs.barriers));
                    }
                }
                name => return Err(format!("the shader gives no {name}")),
            }
        }
    }
    Ok(())
}

/// Compares what is expected with what has come out.
fn quadruples(w: &Word<'_>, scalar: Scalar, got: &[[u32; 4]]) -> Result<(), String> {
    let wanted: Vec<&Vec<&str>> = spread(w.lists().collect(), got.len());
    if wanted.len() != got.len() {
        return Err(format!("{}: {} values, not {}", w.name, got.len(), wanted.len()));
    }
    for (i, (wanted, got)) in wanted.iter().zip(got).enumerate() {
        for (at, (word, got)) in wanted.iter().zip(got).enumerate() {
            let Some(bits) = lane(word, scalar)? else { continue };
            let same = if scalar == Scalar::F32 { matches_lane(bits, *got, w.ulp) } else { bits == *got };
            if !same {
                let lane = ["x", "y", "z", "w"][at];
                return Err(format!("{}[{i}].{lane} is {}, not {word}", w.name, show_bits(*got)));
            }
        }
    }
    Ok(())
}

/// `(x,y,z,w) (…) (…) v0=[(…) (…) (…)]`: a triangle in the window and the inputs of its corners.
fn triangle(shader: &Shader, text: &str) -> Result<Triangle, String> {
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let corner = |list: Vec<&str>| -> Result<[f32; 4], String> {
        let numbers: Result<Vec<f32>, String> =
            list.iter().map(|w| w.parse().map_err(|_| format!("{w} is no number"))).collect();
        numbers?.try_into().map_err(|_| "a corner is (x,y,z,w)".to_string())
    };
    let corners = lists(&text[..at])?.into_iter().map(corner).collect::<Result<Vec<_>, _>>()?;
    let corners: [[f32; 4]; 3] = corners.try_into().map_err(|_| "a triangle has three corners")?;
    let mut by_name = BTreeMap::new();
    for w in words(&text[at..])? {
        by_name.insert(w.name.to_string(), w);
    }
    let mut inputs = Vec::new();
    for input in &shader.inputs {
        let bits = match by_name.remove(&input.name) {
            Some(w) => w.bits(input.ty.scalar)?,
            None => vec![[0; 4]; 3],
        };
        inputs.push(bits.try_into().map_err(|_| format!("{} has three values in a triangle", input.name))?);
    }
    match by_name.into_keys().next() {
        Some(name) => Err(format!("the shader reads no {name}")),
        None => Ok(Triangle { corners, inputs }),
    }
}

/// `NAME DIM WxHxD[xLAYERS[xSAMPLES]] f32|i32|u32|rgba8 TEXEL…`: texels slice by slice, row by row; a `/` starts the next
/// level. A texel is eight hexadecimal digits (rgba8) or `(x,y,z,w)`.
fn bound(text: &str) -> Result<(String, Texture), String> {
    let mut parts = text.splitn(5, ' ');
    let (Some(name), Some(dim), Some(size), Some(format), Some(texels)) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err("a texture is `NAME DIM SIZE FORMAT TEXEL…`".into());
    };
    let dim = Dim::named(dim).ok_or_else(|| format!("no dimension is called {dim}"))?;
    let mut sides = [1u32; 5];
    for (to, word) in sides.iter_mut().zip(size.split('x')) {
        *to = word.parse().map_err(|_| format!("{size} is no size"))?;
    }
    let [width, height, depth, layers, samples] = sides;
    let extent = Extent { width, height, depth, layers, samples };
    let scalar = match format {
        "rgba8" => Scalar::F32,
        name => Scalar::ALL
            .into_iter()
            .find(|s| s.name() == name)
            .ok_or_else(|| format!("{name} is no format"))?,
    };
    let texel = |list: &Vec<&str>| -> Result<[u32; 4], String> {
        let mut bits = [0; 4];
        if format == "rgba8" {
            let value = u32::from_str_radix(list[0], 16).map_err(|_| format!("{} is no texel", list[0]))?;
            return Ok(value.to_be_bytes().map(|byte| (f32::from(byte) / 255.0).to_bits()));
        }
        for (to, word) in bits.iter_mut().zip(list) {
            *to = lane(word, scalar)?.ok_or("a texel cannot be `_`")?;
        }
        Ok(bits)
    };
    let mut levels = Vec::new();
    for level in texels.split('/') {
        levels.push(lists(level)?.iter().map(texel).collect::<Result<Vec<_>, _>>()?);
    }
    let texture = Texture::new(dim, scalar, extent, levels).map_err(|e| format!("{name}: {e}"))?;
    Ok((name.to_string(), texture))
}
