//! Textures, derivatives and ends of fragments in TGSI, as Mesa's interpreter and its softpipe driver have them. As the
//! language has them: see [`tgsi_differs`](super::tgsi_differs).

use super::tgsi_differs::{Outcome, Setting};
use super::{File, bits, check_lines, tgsi_stale};
use crate::passes::check::PASSES;
use serde_json::Value;
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::exec::texture::{Extent, Texture};
use vecasm::exec::{Batch, BoundTexture, Engine, Fragments, Outputs, Triangle};
use vecasm::ir::verify::verify;
use vecasm::ir::{
    Compare, Dim, Filter, FloatBits, InputKind, Mip, SamplerModel, SamplerState, Scalar, Shader, System, Wrap,
};
use vecasm::isa::Depth;
use vecasm::isa::tgsi::lift::{Options, lift};
use vecasm::isa::tgsi::text::{ParseOptions, parse};

/// Every check of this file.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    ["oracle/tgsi/exec_tex.jsonl", "oracle/tgsi/exec_frag.jsonl"]
        .map(|file| {
            check_lines(shared, file, move |report, id, row| {
                by(shared, id, row, &Setting::MESA).count(report, id);
            })
        })
        .into()
}

/// A row in every way.
pub(super) fn by(_: &Path, _: &str, row: &Value, setting: &Setting) -> Outcome {
    let Some((source, open)) = tgsi_stale::alone(row) else {
        let source = row.get("text").and_then(Value::as_str).unwrap_or("");
        return Outcome::Ran(recorded(row, source, undefined(row), setting));
    };
    let why = if open == 15 { tgsi_stale::NOTHING } else { tgsi_stale::COMPARED };
    let mesa =
        if *setting == Setting::MESA { Setting::MESA } else { Setting { deep: false, ..Setting::MESA } };
    let left = if open == 0 { Ok(()) } else { tgsi_stale::left_over(row, open) };
    Outcome::Undone(why, left.and_then(|()| recorded(row, &source, open, &mesa)))
}

/// The shape of the only texture of a row.
fn shape(row: &Value) -> &str {
    let text = row.get("text").and_then(Value::as_str).unwrap_or("");
    let shape = text.lines().find_map(|line| line.strip_prefix("DCL SVIEW[0], ")?.split(',').next());
    shape.unwrap_or("")
}

/// Runs a row and compares.
fn recorded(row: &Value, source: &str, open: u8, setting: &Setting) -> Result<(), String> {
    let (program, findings) = parse(source, &ParseOptions::default());
    let program = program.ok_or_else(|| format!("the text is refused: {findings:?}"))?;
    let options = setting.options();
    let depths: &[Depth] = if setting.deep { &[Depth::Lean, Depth::Full] } else { &[Depth::Lean] };
    for &depth in depths {
        let shader = &lift(&program, &Options { depth, ..options }).map_err(|e| e.to_string())?;
        if let Some(breach) = verify(shader).first() {
            return Err(breach.to_string());
        }
        let bound = bound(row, shader, setting.model)?;
        let textures = bound
            .iter()
            .map(|of| of.as_ref().map(|(texture, sampler)| BoundTexture { texture, sampler: *sampler }));
        let batch = Batch {
            count: 4,
            inputs: inputs(row, shader)?,
            textures: textures.collect(),
            fragments: planes(row, shader)?,
            ..Batch::default()
        };
        let outputs = Interp.run(shader, &batch).map_err(|e| e.to_string())?;
        compare(row, shader, &outputs, open)?;
        for pass in PASSES.iter().filter(|_| setting.deep && depth == Depth::Lean) {
            let after = (pass.run)(shader, &batch);
            if let Some(breach) = verify(&after).first() {
                return Err(format!("{}: {breach}", pass.name));
            }
            let outputs = Interp.run(&after, &batch).map_err(|e| e.to_string())?;
            compare(row, &after, &outputs, open).map_err(|why| format!("{}: {why}", pass.name))?;
        }
    }
    Ok(())
}

/// The words of a vector.
fn words(text: &str) -> Result<[u32; 4], String> {
    let mut out = [0; 4];
    for (to, word) in out.iter_mut().zip(text.split_whitespace()) {
        *to = bits(word).ok_or_else(|| format!("{word} is no word"))?;
    }
    Ok(out)
}

fn vectors(list: &Value) -> Result<Vec<[u32; 4]>, String> {
    list.as_array().into_iter().flatten().map(|text| words(text.as_str().unwrap_or(""))).collect()
}

/// The number in the brackets of the name of a register.
fn number(name: &str) -> Option<&str> {
    name.split_once('[')?.1.strip_suffix(']')
}

/// What the inputs hold in the four invocations.
fn inputs(row: &Value, shader: &Shader) -> Result<Vec<Vec<[u32; 4]>>, String> {
    let list = row.get("in_lanes").or_else(|| row.get("in"));
    let of = |input: &vecasm::ir::Input| {
        if input.kind == InputKind::System(System::FrontFacing) {
            let face = row.get("face").and_then(Value::as_str).and_then(bits).ok_or("no face")?;
            return Ok(vec![[u32::from(f32::from_bits(face) > 0.0), 0, 0, 0]; 4]);
        }
        if let InputKind::System(_) = input.kind {
            // The engine knows it: which of the four an invocation is.
            return Ok(Vec::new());
        }
        let lanes = number(&input.name).and_then(|number| list?.get(number));
        vectors(lanes.ok_or_else(|| format!("nothing for {}", input.name))?)
    };
    shader.inputs.iter().map(of).collect()
}

/// A triangle with the planes of the inputs, for programs that interpolate.
pub(super) fn planes(row: &Value, shader: &Shader) -> Result<Option<Fragments>, String> {
    let (Some(coef), Some(pos)) = (row.get("coef"), row.get("pos")) else { return Ok(None) };
    let word = |value: Option<&Value>| value.and_then(Value::as_str).and_then(bits).map(f32::from_bits);
    let (Some(x), Some(y)) = (word(pos.get("x")), word(pos.get("y"))) else { return Ok(None) };
    let w = words(pos.get("w").and_then(Value::as_str).unwrap_or(""))?.map(f32::from_bits);
    // Of perspective planes the reciprocal of w is given for each pixel. No recorded row that interpolates anew has one
    // that changes.
    if w.iter().any(|other| *other != w[0]) {
        return Ok(None);
    }
    let corner = |dx: f32, dy: f32| [x + dx, y + dy, 0.5, 1.0];
    let mut triangle =
        Triangle { corners: [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)], inputs: Vec::new() };
    for input in &shader.inputs {
        let plane = number(&input.name).and_then(|number| coef.get(number));
        let Some(plane) = plane else {
            triangle.inputs.push([[0; 4]; 3]);
            continue;
        };
        let part = |name: &str| words(plane.get(name).and_then(Value::as_str).unwrap_or(""));
        let (start, along, down) = (part("a0")?, part("dadx")?, part("dady")?);
        let f = f32::from_bits;
        let at = |dx: f32, dy: f32| -> [u32; 4] {
            core::array::from_fn(|lane| {
                let value = f(start[lane]) + f(along[lane]) * (x + dx) + f(down[lane]) * (y + dy);
                let flat = matches!(input.interpolation, vecasm::ir::Interpolation::Flat);
                (if flat { f(start[lane]) } else { value }).to_bits()
            })
        };
        triangle.inputs.push([at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)]);
    }
    let center = vec![[x, y], [x + 1.0, y], [x, y + 1.0], [x + 1.0, y + 1.0]];
    Ok(Some(Fragments {
        triangles: vec![triangle],
        triangle: vec![0; 4],
        center,
        samples: 1,
        ..Fragments::default()
    }))
}

/// Whether outputs and ends are those that were recorded.
fn compare(row: &Value, shader: &Shader, outputs: &Outputs, open: u8) -> Result<(), String> {
    let expect = row.get("expect").ok_or("nothing is expected")?;
    let alive = expect.get("alive").and_then(Value::as_str).unwrap_or("f");
    let alive = u32::from_str_radix(alive, 16).map_err(|e| e.to_string())?;
    let tolerance = row.get("tol").and_then(Value::as_str).ok_or("no tolerance")?;
    for (number, wanted) in expect.get("out").and_then(Value::as_object).into_iter().flatten() {
        let name = format!("OUT[{number}]");
        let at = shader.outputs.iter().position(|output| output.name == name);
        let cell = at.and_then(|at| outputs.cells.get(at)).ok_or_else(|| format!("there is no {name}"))?;
        for (i, (got, wanted)) in cell.iter().zip(vectors(wanted)?).enumerate() {
            let killed = outputs.killed.get(i) == Some(&true);
            if killed != (alive >> i & 1 == 0) {
                return Err(format!("invocation {i} {} killed", if killed { "is" } else { "is not" }));
            }
            for lane in 0..4 {
                let (got, wanted) = (got[lane], wanted[lane]);
                if !killed && open >> lane & 1 == 0 && !near(got, wanted, tolerance)? {
                    let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
                    return Err(format!(
                        "{name}.{} of {i} is {got:08x} ({x}), not {wanted:08x} ({y})",
                        "xyzw".get(lane..=lane).unwrap_or("")
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The components that the manual leaves undefined: those of a size that the shape does not have.
fn undefined(row: &Value) -> u8 {
    let op = row.get("op").and_then(Value::as_str).unwrap_or("");
    if !matches!(op, "TXQ" | "SVIEWINFO") {
        return 0;
    }
    let has = match shape(row).trim_start_matches("SHADOW") {
        "1D" => 1,
        "2D" | "RECT" | "CUBE" | "1D_ARRAY" => 3,
        _ => 7,
    };
    7 & !has
}

/// Whether a word is what was recorded, within the tolerance of the row.
fn near(got: u32, wanted: u32, tolerance: &str) -> Result<bool, String> {
    let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
    if got == wanted || (tolerance != "bit" && x.is_nan() && y.is_nan()) {
        return Ok(true);
    }
    if let Some(most) = tolerance.strip_prefix("abs:") {
        let most: f32 = most.parse().map_err(|_| format!("no tolerance {tolerance}"))?;
        // Integers are no floats that are near to one another.
        let float = |x: f32| x == 0.0 || x.abs() > 1e-30;
        return Ok(float(x) && float(y) && (x - y).abs() <= most);
    }
    if let Some(most) = tolerance.strip_prefix("ulp") {
        let most: i64 = most.parse().map_err(|_| format!("no tolerance {tolerance}"))?;
        let place = |bits: u32| {
            let magnitude = i64::from(bits & 0x7fff_ffff);
            if bits >> 31 == 1 { -magnitude } else { magnitude }
        };
        return Ok((place(got) - place(wanted)).abs() <= most);
    }
    match tolerance {
        "bit" | "num" => Ok(false),
        other => Err(format!("no tolerance {other}")),
    }
}

/// What is bound to the textures of a shader.
pub(super) fn bound(
    row: &Value,
    shader: &Shader,
    model: SamplerModel,
) -> Result<Vec<Option<(Texture, SamplerState)>>, String> {
    let of = |wanted: &vecasm::ir::Texture| {
        let entry = |name: &str, slot: u32| row.get(name)?.get(slot.to_string());
        let Some(resource) = entry("tex", wanted.slot) else { return Ok(None) };
        let (texture, swizzle) = texture(resource)?;
        // What is declared counts: the bits stay.
        let texture = match texture.scalar() == wanted.scalar {
            true => texture,
            false => retyped(&texture, wanted.scalar)?,
        };
        let state = match entry("samp", wanted.sampler_slot) {
            Some(state) => sampler(state, &swizzle, wanted.scalar, model)?,
            None => SamplerState { model, ..SamplerState::PLAIN },
        };
        Ok(Some((texture, state)))
    };
    shader.textures.iter().map(of).collect()
}

/// A texture of one level whose bits are taken for something else.
fn retyped(texture: &Texture, scalar: Scalar) -> Result<Texture, String> {
    let [width, height, depth] = texture.size(0).ok_or("no level")?;
    let extent = Extent { depth, layers: texture.layers(), ..Extent::new(width, height) };
    Texture::new(texture.dim(), scalar, extent, vec![texture.texels(0).to_vec()]).map_err(|e| e.to_string())
}

/// The lanes of a texel or border as a view gives them.
fn viewed(lanes: [u32; 4], swizzle: &str, scalar: Scalar) -> [u32; 4] {
    let one = if scalar == Scalar::F32 { 1.0f32.to_bits() } else { 1 };
    let mut out = [0; 4];
    for (to, c) in out.iter_mut().zip(swizzle.chars()) {
        *to = match c {
            'x' => lanes[0],
            'y' => lanes[1],
            'z' => lanes[2],
            'w' => lanes[3],
            '1' => one,
            _ => 0,
        };
    }
    out
}

/// A texture of the oracle with its view's swizzle.
fn texture(resource: &Value) -> Result<(Texture, String), String> {
    let text = |name: &str| resource.get(name).and_then(Value::as_str).ok_or_else(|| format!("no {name}"));
    let count = |name: &str| resource.get(name).and_then(Value::as_u64).unwrap_or(1) as u32;
    let dim = match text("target")? {
        "BUFFER" => Dim::Buffer,
        "1D" => Dim::D1,
        "2D" => Dim::D2,
        "3D" => Dim::D3,
        "CUBE" => Dim::Cube,
        "RECT" => Dim::Rect,
        "1D_ARRAY" => Dim::D1Array,
        "2D_ARRAY" => Dim::D2Array,
        "CUBE_ARRAY" => Dim::CubeArray,
        other => return Err(format!("no target {other}")),
    };
    let format = text("format")?;
    let scalar = match format.rsplit_once('_').map(|parts| parts.1) {
        Some("SINT") => Scalar::I32,
        Some("UINT") => Scalar::U32,
        _ => Scalar::F32,
    };
    let channels = match format.split_once('_').map(|parts| parts.0) {
        Some("R32G32B32A32" | "R8G8B8A8") => 4,
        Some("R32" | "Z32") => 1,
        _ => return Err(format!("no format {format}")),
    };
    let seed = count("seed");
    let value = |n: u32| match scalar {
        Scalar::I32 => n.wrapping_sub(8),
        Scalar::U32 => n,
        _ if format.starts_with("R8") => (15.0 * n as f32 * (1.0 / 255.0)).to_bits(),
        _ => (n as f32 / 16.0).to_bits(),
    };
    let one = if scalar == Scalar::F32 { 1.0f32.to_bits() } else { 1 };
    let swizzle = text("swz")?;
    let faces = u32::from(dim.faces());
    let layers = if dim.arrayed() { count("layers") / faces } else { 1 };
    let extent = Extent { depth: count("d"), layers, ..Extent::new(count("w"), count("h")) };
    let levels = (0..count("levels")).map(|level| {
        let Extent { width, height, depth, .. } = extent.level(level);
        let mut texels = Vec::new();
        for z in 0..depth * layers * faces {
            for y in 0..height {
                for x in 0..width {
                    let texel: [u32; 4] = core::array::from_fn(|c| {
                        let n = 3 * x + 5 * y + 7 * z + 11 * level + 13 * c as u32 + seed;
                        match c {
                            _ if c < channels => value(n % 17),
                            3 => one,
                            _ => 0,
                        }
                    });
                    texels.push(viewed(texel, swizzle, scalar));
                }
            }
        }
        texels
    });
    let texture = Texture::new(dim, scalar, extent, levels.collect()).map_err(|e| e.to_string())?;
    Ok((texture, swizzle.into()))
}

/// A sampler of the oracle. Its border is seen through the view, too.
fn sampler(
    state: &Value,
    swizzle: &str,
    scalar: Scalar,
    model: SamplerModel,
) -> Result<SamplerState, String> {
    let text = |name: &str| state.get(name).and_then(Value::as_str);
    let wrap = |axis: usize| {
        let name = state.get("wrap").and_then(|list| list.get(axis)).and_then(Value::as_str).unwrap_or("");
        Ok(match name {
            "REPEAT" => Wrap::Repeat,
            "CLAMP" => Wrap::ClampHalf,
            "CLAMP_TO_EDGE" => Wrap::Clamp,
            "CLAMP_TO_BORDER" => Wrap::Border,
            "MIRROR_REPEAT" => Wrap::Mirror,
            "MIRROR_CLAMP" => Wrap::MirrorOnceHalf,
            "MIRROR_CLAMP_TO_EDGE" => Wrap::MirrorOnce,
            "MIRROR_CLAMP_TO_BORDER" => Wrap::MirrorOnceBorder,
            other => return Err(format!("no wrap {other}")),
        })
    };
    let filter = |name: &str| if text(name) == Some("LINEAR") { Filter::Linear } else { Filter::Nearest };
    let number = |name: &str| text(name).and_then(bits).map(FloatBits).ok_or_else(|| format!("no {name}"));
    let compare = match text("cmp") {
        None => None,
        Some(name) => Some(match name {
            "NEVER" => Compare::Never,
            "LESS" => Compare::Less,
            "EQUAL" => Compare::Equal,
            "LEQUAL" => Compare::LessEqual,
            "GREATER" => Compare::Greater,
            "NOTEQUAL" => Compare::NotEqual,
            "GEQUAL" => Compare::GreaterEqual,
            "ALWAYS" => Compare::Always,
            other => return Err(format!("no comparison {other}")),
        }),
    };
    Ok(SamplerState {
        wrap_u: wrap(0)?,
        wrap_v: wrap(1)?,
        wrap_w: wrap(2)?,
        mag: filter("mag"),
        min: filter("min"),
        mip: match text("mip") {
            Some("NEAREST") => Mip::Nearest,
            Some("LINEAR") => Mip::Linear,
            _ => Mip::None,
        },
        border: viewed(words(text("border").unwrap_or(""))?, swizzle, scalar),
        lod_bias: number("bias")?,
        min_lod: number("minlod")?,
        max_lod: number("maxlod")?,
        compare,
        seamless: state.get("seamless").and_then(Value::as_u64) == Some(1),
        model,
        ..SamplerState::PLAIN
    })
}
