//! From JSON to a [`RunFile`].

use super::json::{Json, Object, read};
use super::vertices::{self, Owner, list_of};
use super::{Given, RunFile, RunFileError, memory, resources};
use crate::MAX_INVOCATIONS;
use crate::interp::in_quads;
use crate::texture::{Extent, Texture};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::shader::{register_name, register_number as number};
use vecasm_ir::ir::symbols::{Shape, transpose};
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{
    Compare, Dim, FileRole, Filter, FloatBits, Input, InputKind, Mip, Op, ParamArray, SamplerModel,
    SamplerQuirk, SamplerState, Scalar, Shader, Stage, System, Wrap,
};
use vecasm_ir::math::CANONICAL_NAN;

pub(super) type Result<T> = core::result::Result<T, RunFileError>;

/// Numbers up to here are exact in JSON.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn parse(text: &str, shader: &Shader) -> Result<(RunFile, Given)> {
    read_file(text, shader, false, true)
}

pub(super) fn parse_partial(text: &str, shader: &Shader) -> Result<(RunFile, Given)> {
    read_file(text, shader, true, true)
}

pub(super) fn parse_without_inputs(text: &str, shader: &Shader) -> Result<(RunFile, Given)> {
    read_file(text, shader, false, false)
}

/// Reads a file. If it may be `partial`, what the program reads need not be there; if it is not to have `invocations`, it
/// must not have them.
fn read_file(text: &str, shader: &Shader, partial: bool, invocations: bool) -> Result<(RunFile, Given)> {
    let json = read(text).map_err(|e| RunFileError::new(format!("not a run file: {e}")))?;
    if let Some(breach) = verify(shader).first() {
        return Err(RunFileError::new(format!("malformed shader: {breach}")));
    }
    let file = object(&json)?;
    let mut known = vec!["constants", "inputs", "textures", "state", "states", "fuel", "helpers"];
    known.extend(resources::KEYS);
    match list_of(shader.stage) {
        Some(list) if shader.stage == Stage::TessEval => known.push(list),
        Some(list) => known.iter_mut().filter(|key| **key == "inputs").for_each(|key| *key = list),
        None => {}
    }
    only(file, &known)?;
    if !invocations {
        let here = ["inputs", "helpers"].into_iter().find(|key| file.get(key).is_some());
        if let Some(key) = here {
            return Err(RunFileError::new("the invocations come from elsewhere").under(key));
        }
    }
    let (params, given, aside, brought) =
        section(file, "constants", |object| constants(object, shader, partial))?;
    let samplers = section(file, "state", |object| samplers(object, shader))?;
    let textures = section(file, "textures", |object| textures(object, shader, partial))?;
    let dims: Vec<Option<Dim>> = textures.iter().map(|t| t.as_ref().map(Texture::dim)).collect();
    let textures = textures.into_iter().zip(samplers).map(|(texture, state)| texture.map(|t| (t, state)));
    let mut states = section(file, "states", |object| states(object, shader))?;
    // Where a state decides the dimension of a texture, the texture says it, unless the state is given.
    for (texture, dim) in shader.textures.iter().zip(dims) {
        let number = dim.and_then(|dim| Dim::ALL.iter().position(|d| *d == dim));
        let slot = texture.dim_by.and_then(|by| states.get_mut(by.index()));
        if let (Some(slot @ None), Some(number)) = (slot, number) {
            *slot = Some([number as u32, 0, 0, 0]);
        }
    }
    let inputs = match list_of(shader.stage) {
        _ if !invocations => Inputs { values: vec![Vec::new(); shader.inputs.len()], ..Inputs::default() },
        Some(key) => of_primitives(file, key, shader, partial)?,
        None => inputs(file.get("inputs"), shader, partial).map_err(|e| e.under("inputs"))?,
    };
    let Inputs { count, values: inputs, given: given_inputs, primitives, vertices_in } = inputs;
    let fuel = match file.get("fuel") {
        Some(json) => Some(whole(json, MAX_EXACT).map_err(|e| e.under("fuel"))?),
        None => None,
    };
    let textures = textures.collect();
    let mut out = RunFile {
        count,
        inputs,
        primitives,
        vertices_in,
        params,
        textures,
        states,
        fuel,
        aside,
        ..RunFile::default()
    };
    resources::read(file, shader, partial, &mut out)?;
    if file.get("handles").is_none() {
        out.handles = memory::usual_handles(shader);
    }
    if let Some(json) = file.get("helpers") {
        out.helpers = helpers(json, out.count).map_err(|e| e.under("helpers"))?;
    }
    Ok((out, Given { constants: given, inputs: given_inputs, brought }))
}

/// Who only completes a group.
fn helpers(json: &Json, count: usize) -> Result<Vec<bool>> {
    let list = list(json)?;
    if list.len() != count {
        let message = format!("expected a boolean for each of the {count} invocations");
        return Err(RunFileError::new(message));
    }
    let truth = |(i, json): (usize, &Json)| match json {
        Json::Bool(value) => Ok(*value),
        other => Err(expected("a boolean", other).at(i)),
    };
    list.iter().enumerate().map(truth).collect()
}

/// Reads the object under `key`; one that is not there is empty.
fn section<T>(file: &Object, key: &str, read: impl FnOnce(&Object) -> Result<T>) -> Result<T> {
    let empty = Object::default();
    let object = match file.get(key) {
        Some(json) => object(json).map_err(|e| e.under(key))?,
        None => &empty,
    };
    read(object).map_err(|e| e.under(key))
}

pub(super) fn expected(what: &str, got: &Json) -> RunFileError {
    RunFileError::new(format!("expected {what}, found {}", got.kind()))
}

pub(super) fn object(json: &Json) -> Result<&Object> {
    match json {
        Json::Object(object) => Ok(object),
        other => Err(expected("an object", other)),
    }
}

pub(super) fn list(json: &Json) -> Result<&[Json]> {
    match json {
        Json::List(list) => Ok(list),
        other => Err(expected("a list", other)),
    }
}

/// Refuses keys that are not known.
pub(super) fn only(object: &Object, known: &[&str]) -> Result<()> {
    match object.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, _)) => {
            let message = format!("unknown key; expected one of {}", known.join(", "));
            Err(RunFileError::new(message).under(key))
        }
        None => Ok(()),
    }
}

/// One of several things that have names.
pub(super) fn word<T: Copy>(json: &Json, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T> {
    let found = match json {
        Json::Text(text) => all.iter().find(|v| name(**v) == text),
        _ => None,
    };
    found.copied().ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|v| name(*v)).collect();
        RunFileError::new(format!("expected one of \"{}\"", words.join("\", \"")))
    })
}

/// A whole number, 0..=`most`.
pub(super) fn whole(json: &Json, most: f64) -> Result<u64> {
    match json {
        // A fraction does not survive the way to u64 and back.
        Json::Number(n) if (0.0..=most).contains(n) && (*n as u64) as f64 == *n => Ok(*n as u64),
        _ => Err(RunFileError::new(format!("expected a whole number from 0 to {most}"))),
    }
}

/// The bits of one lane.
pub(super) fn bits(json: &Json, scalar: Scalar) -> Result<u32> {
    match (json, scalar) {
        (Json::Text(text), Scalar::F32) if special(text).is_some() => Ok(special(text).unwrap_or_default()),
        (Json::Text(text), _) => {
            let digits = text.strip_prefix("0x").filter(|d| (1..=8).contains(&d.len()));
            let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            digits.and_then(|d| u32::from_str_radix(d, 16).ok()).ok_or_else(|| {
                let others = if scalar == Scalar::F32 { "\"nan\", \"inf\", \"-inf\", or " } else { "" };
                RunFileError::new(format!(
                    "\"{text}\" is not a value: expected {others}bits, as 0x and 1 to 8 hexadecimal digits"
                ))
            })
        }
        (Json::Number(n), Scalar::F32) => {
            let value = *n as f32;
            if value.is_infinite() {
                return Err(RunFileError::new(format!("{n} is beyond the range of f32")));
            }
            Ok(value.to_bits())
        }
        (Json::Number(_), Scalar::U32) => Ok(whole(json, f64::from(u32::MAX))? as u32),
        (Json::Number(n), Scalar::I32) if f64::from(*n as i32) == *n => Ok((*n as i32) as u32),
        (Json::Number(_), Scalar::I32) => Err(RunFileError::new("expected a 32-bit whole number")),
        (Json::Bool(value), Scalar::Bool) => Ok(u32::from(*value)),
        (_, Scalar::Bool) => Err(expected("a boolean or a string \"0x…\"", json)),
        _ => Err(expected("a number or a string \"0x…\"", json)),
    }
}

/// The bits of a word for an f32 that JSON has no number for.
fn special(text: &str) -> Option<u32> {
    match text {
        "nan" => Some(CANONICAL_NAN),
        "-nan" => Some(CANONICAL_NAN | 1 << 31),
        "inf" => Some(f32::INFINITY.to_bits()),
        "-inf" => Some(f32::NEG_INFINITY.to_bits()),
        _ => None,
    }
}

/// A list of `least..=most` lanes.
pub(super) fn lanes(
    json: &Json,
    scalar: Scalar,
    least: usize,
    most: usize,
    fill: [u32; 4],
) -> Result<[u32; 4]> {
    let list = list(json)?;
    if !(least..=most).contains(&list.len()) {
        let wanted = if least == most { most.to_string() } else { format!("{least} to {most}") };
        return Err(RunFileError::new(format!("expected {wanted} values, found {}", list.len())));
    }
    let mut out = fill;
    for (i, (lane, json)) in out.iter_mut().zip(list).enumerate() {
        *lane = bits(json, scalar).map_err(|e| e.at(i))?;
    }
    Ok(out)
}

/// Whether the ISA has a register of that name and role.
fn exists(shader: &Shader, role: FileRole, name: &str) -> bool {
    shader.registers.iter().filter(|file| file.role == role).any(|file| match file.count {
        Some(count) => number(name, &file.name).is_some_and(|n| n < count),
        None => name == file.name,
    })
}

/// The error for a name that is no register.
fn unknown(shader: &Shader, role: FileRole, what: &str, name: &str) -> RunFileError {
    let files = shader.registers.iter().filter(|file| file.role == role).map(|file| match file.count {
        Some(count) => {
            let [first, last] = [0, count.saturating_sub(1)].map(|n| register_name(&file.name, n));
            format!("{first} to {last}")
        }
        None => file.name.to_string(),
    });
    let files: Vec<String> = files.collect();
    let message = if files.is_empty() {
        format!("this program has no {what} registers")
    } else {
        format!("no such {what} register; expected one of {}", files.join(", "))
    };
    RunFileError::new(message).under(name)
}

/// The elements of each array, which of them are given, those of arrays that the shader does not have, and those that the program
/// brings.
type Constants = (Vec<Vec<[u32; 4]>>, Vec<Vec<bool>>, Vec<(String, u32, [u32; 4])>, Vec<(usize, u32)>);

/// Sets an element of an array.
fn set_element(
    arrays: &mut [Vec<[u32; 4]>],
    given: &mut [Vec<bool>],
    array: usize,
    index: usize,
    element: [u32; 4],
) -> Result<()> {
    let (Some(elements), Some(given)) = (arrays.get_mut(array), given.get_mut(array)) else {
        return Ok(());
    };
    if elements.len() <= index {
        elements.resize(index + 1, [0; 4]);
        given.resize(index + 1, false);
    }
    if given[index] {
        return Err(RunFileError::new("this element is given twice, under two names"));
    }
    elements[index] = element;
    given[index] = true;
    Ok(())
}

fn constants(object: &Object, shader: &Shader, partial: bool) -> Result<Constants> {
    let mut arrays: Vec<Vec<[u32; 4]>> = vec![Vec::new(); shader.params.len()];
    let mut given: Vec<Vec<bool>> = vec![Vec::new(); shader.params.len()];
    let (mut aside, mut brought) = (Vec::new(), Vec::new());
    let mut set = |array, index, element| set_element(&mut arrays, &mut given, array, index, element);
    for (name, json) in object.iter() {
        let plain = number(name, "c");
        let by = |find: &dyn Fn(&ParamArray) -> Option<u32>| {
            let known = |array: &ParamArray| find(array).filter(|&n| n < array.size);
            shader.params.iter().enumerate().find_map(|(i, array)| Some((i, known(array)? as usize)))
        };
        let own = by(&|array| {
            let brackets = || number(name, &format!("{}[]", array.name));
            number(name, &array.name).or_else(brackets)
        });
        let exists = exists(shader, FileRole::Param, name);
        // The common name is for programs whose own one is another.
        let found = own.or_else(|| if exists { None } else { by(&|_| plain) });
        let scalar = found.and_then(|(array, _)| shader.params.get(array)).map(|array| array.scalar);
        let unread = shader.params.is_empty() && plain.is_some_and(|n| has_constant(shader, n));
        if found.is_some() || unread || exists {
            let element = constant(json, scalar).map_err(|e| e.under(name))?;
            if let Some((array, index)) = found {
                set(array, index, element).map_err(|e| e.under(name))?;
            }
            continue;
        }
        let mut known = false;
        for (symbol, first, shape) in shader.symbols.find(name) {
            known = true;
            let array = shader.params.iter().position(|array| array.name == symbol.array);
            let array = array.and_then(|at| Some((at, shader.params.get(at)?)));
            let scalar = array.map_or(Scalar::F32, |(_, array)| array.scalar);
            let mut elements = Vec::new();
            typed(json, shape, symbol.single, scalar, &mut elements).map_err(|e| e.under(name))?;
            // What the type has beyond its registers the program does not read.
            let end = symbol.first.saturating_add(symbol.count);
            for (number, element) in (first..end).zip(elements) {
                match array {
                    Some((at, array)) if number < array.size => {
                        set(at, number as usize, element).map_err(|e| e.under(name))?;
                    }
                    Some(_) => {}
                    None => aside.push((symbol.array.clone(), number, element)),
                }
            }
        }
        if !known {
            return Err(unknown(shader, FileRole::Param, "constant", name));
        }
    }
    // What the program brings itself counts where nothing is given.
    for (at, array) in shader.params.iter().enumerate() {
        for (element, bits) in shader.symbols.defaults_of(&array.name) {
            let there = given.get(at).and_then(|given| given.get(element as usize)).copied();
            if !there.unwrap_or_default() && element < array.size {
                set_element(&mut arrays, &mut given, at, element as usize, bits)?;
                brought.push((at, element));
            }
        }
    }
    let mut missing: Vec<String> = Vec::new();
    shader.body.for_each_inst(&mut |inst| {
        if let Op::Param { array, index } = inst.op {
            let there = given.get(array.index()).and_then(|g| g.get(index as usize)).copied();
            let computed = shader.symbols.computed.iter().any(|(name, element)| {
                *element == index && shader.params.get(array.index()).is_some_and(|array| array.name == *name)
            });
            if !there.unwrap_or_default() && !computed {
                let name = shader.param_name(array, index);
                if !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
    });
    if !missing.is_empty() && !partial {
        return Err(RunFileError::new(not_given(&missing)));
    }
    Ok((arrays, given, aside, brought))
}

/// What is read and not given.
fn not_given(names: &[String]) -> String {
    let (are, them) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    format!("{} {are} missing: the program reads {them}", names.join(", "))
}

/// The elements of a value of a constant that has a name: a number, a vector, a matrix by its rows, a list, an object.
fn typed(json: &Json, shape: &Shape, single: bool, scalar: Scalar, out: &mut Vec<[u32; 4]>) -> Result<()> {
    match shape {
        Shape::Struct(members) => {
            let object = object(json)?;
            only(object, &members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
            for (name, shape) in members {
                let json = object.get(name);
                let json = json.ok_or_else(|| RunFileError::new("this member is missing").under(name))?;
                typed(json, shape, single, scalar, out).map_err(|e| e.under(name))?;
            }
        }
        Shape::Array(of, count) => {
            let list = rows_of(json, usize::from(*count))?;
            for (n, json) in list.iter().enumerate() {
                typed(json, of, single, scalar, out).map_err(|e| e.at(n))?;
            }
        }
        Shape::Matrix { rows, columns, by_columns } => {
            let (rows, columns) = (usize::from(*rows), usize::from(*columns));
            let mut values = Vec::new();
            if rows == 1 {
                values.push(row(json, columns, scalar)?);
            } else {
                for (n, json) in rows_of(json, rows)?.iter().enumerate() {
                    values.push(row(json, columns, scalar).map_err(|e| e.at(n))?);
                }
            }
            if single {
                out.extend(values.iter().flat_map(|row| row.iter().take(columns)).map(|bits| [*bits; 4]));
            } else if *by_columns {
                out.extend(transpose(&values, columns));
            } else {
                out.extend(values);
            }
        }
    }
    Ok(())
}

/// A list of that many things.
fn rows_of(json: &Json, count: usize) -> Result<&[Json]> {
    let list = list(json)?;
    if list.len() != count {
        return Err(RunFileError::new(format!("expected {count} values, found {}", list.len())));
    }
    Ok(list)
}

/// A row of up to four numbers; one alone needs no list. A truth value is 1 or 0.
fn row(json: &Json, columns: usize, scalar: Scalar) -> Result<[u32; 4]> {
    let one = |json: &Json| match (json, scalar) {
        (Json::Bool(value), Scalar::F32) => Ok(if *value { 1.0_f32.to_bits() } else { 0 }),
        (Json::Bool(value), Scalar::I32) => Ok(u32::from(*value)),
        // Arrays of words hold the bits of numbers.
        (json, Scalar::U32) => bits(json, Scalar::F32),
        (json, scalar) => bits(json, scalar),
    };
    let mut out = [0; 4];
    match json {
        Json::List(_) => {
            for (n, (to, json)) in out.iter_mut().zip(rows_of(json, columns)?).enumerate() {
                *to = one(json).map_err(|e| e.at(n))?;
            }
        }
        _ if columns == 1 => out[0] = one(json)?,
        other => return Err(expected("a list", other)),
    }
    Ok(out)
}

/// A constant: four numbers, or a truth value for all four. Of one that is not read the type is not known.
fn constant(json: &Json, scalar: Option<Scalar>) -> Result<[u32; 4]> {
    let truth = matches!(json, Json::Bool(_));
    match scalar {
        Some(Scalar::Bool) if truth => Ok([bits(json, Scalar::Bool)?; 4]),
        None if truth => Ok([0; 4]),
        // Arrays of words hold the bits of numbers: those of shaders that compute with integers alone.
        None | Some(Scalar::U32) => lanes(json, Scalar::F32, 4, 4, [0; 4]),
        Some(scalar) => lanes(json, scalar, 4, 4, [0; 4]),
    }
}

/// Whether some constant file has an element `index`.
fn has_constant(shader: &Shader, index: u32) -> bool {
    let files = shader.registers.iter().filter(|file| file.role == FileRole::Param);
    files.filter_map(|file| file.count).any(|count| index < count)
}

/// The invocations of a file.
#[derive(Default)]
struct Inputs {
    count: usize,
    values: Vec<Vec<[u32; 4]>>,
    /// For each input, who was given it.
    given: Vec<Vec<bool>>,
    /// The patch of each invocation, and how many vertices one has, if that is left open.
    primitives: Vec<u32>,
    vertices_in: u32,
}

/// The primitives or patches of a file, under `key`, and the invocations of the tessellation evaluation stage.
fn of_primitives(file: &Object, key: &str, shader: &Shader, partial: bool) -> Result<Inputs> {
    let setup = &shader.setup;
    let mut out = Inputs {
        values: vec![Vec::new(); shader.inputs.len()],
        given: vec![Vec::new(); shader.inputs.len()],
        ..Inputs::default()
    };
    let reads = |owner: Owner| shader.inputs.iter().any(|input| vertices::owner(input) == owner);
    let primitives = match file.get(key) {
        Some(json) => list(json).map_err(|e| e.under(key))?,
        None if partial || !reads(Owner::Vertex) && !reads(Owner::Primitive) => &[],
        None => {
            let names = shader
                .inputs
                .iter()
                .filter(|input| matches!(vertices::owner(input), Owner::Vertex | Owner::Primitive));
            let names = names.map(|input| input.name.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("this list is missing: the program reads {names}");
            return Err(RunFileError::new(message).under(key));
        }
    };
    let mut sizes = None;
    for (n, json) in primitives.iter().enumerate() {
        let size = primitive(json, n, shader, &mut out, partial).map_err(|e| e.at(n).under(key))?;
        let wanted = match setup.vertices_in {
            0 => *sizes.get_or_insert(size),
            fixed => fixed as usize,
        };
        if size != wanted || !(1..=32).contains(&size) {
            let wanted = if size == wanted { "1 to 32".to_string() } else { wanted.to_string() };
            let message = format!("expected {wanted} vertices, found {size}");
            return Err(RunFileError::new(message).under("vertices").at(n).under(key));
        }
    }
    if setup.vertices_in == 0 {
        out.vertices_in = sizes.unwrap_or(1) as u32;
    }
    if shader.stage != Stage::TessEval {
        // Without a list there is one primitive.
        let count = if file.get(key).is_some() { primitives.len() } else { 1 };
        out.count = count.saturating_mul(setup.invocations.max(1) as usize);
        return Ok(out);
    }
    let invocations = match file.get("inputs") {
        Some(json) => list(json).map_err(|e| e.under("inputs"))?,
        None if partial || !reads(Owner::Invocation) => &[],
        None => {
            let message =
                "this list is missing: expected an object with patch and TESSCOORD for each invocation";
            return Err(RunFileError::new(message).under("inputs"));
        }
    };
    for (n, json) in invocations.iter().enumerate() {
        let patch = evaluated(json, shader, primitives.len(), &mut out, partial);
        out.primitives.push(patch.map_err(|e| e.at(n).under("inputs"))?);
    }
    out.count = if file.get("inputs").is_some() { invocations.len() } else { 1 };
    if out.count > MAX_INVOCATIONS {
        return Err(RunFileError::new(format!("more than {MAX_INVOCATIONS} invocations")).under("inputs"));
    }
    Ok(out)
}

/// A primitive or patch; gives the number of its vertices.
fn primitive(json: &Json, n: usize, shader: &Shader, out: &mut Inputs, partial: bool) -> Result<usize> {
    let json = object(json)?;
    let vertices = match json.get("vertices") {
        Some(json) => list(json).map_err(|e| e.under("vertices"))?,
        None => return Err(RunFileError::new("the list vertices is missing")),
    };
    for (n, json) in vertices.iter().enumerate() {
        let object = object(json).map_err(|e| e.at(n).under("vertices"))?;
        members(object, &[], Owner::Vertex, None, shader, out, partial)
            .map_err(|e| e.at(n).under("vertices"))?;
    }
    members(json, &["vertices"], Owner::Primitive, Some(n), shader, out, partial)?;
    Ok(vertices.len())
}

/// An invocation of the tessellation evaluation stage; gives its patch.
fn evaluated(json: &Json, shader: &Shader, patches: usize, out: &mut Inputs, partial: bool) -> Result<u32> {
    let json = object(json)?;
    let patch = match json.get("patch") {
        Some(json) => whole(json, f64::from(u32::MAX)).map_err(|e| e.under("patch"))?,
        None => 0,
    };
    if patch > 0 && patch >= patches as u64 {
        let message = format!("no such patch; there are {patches}, counted from 0");
        return Err(RunFileError::new(message).under("patch"));
    }
    members(json, &["patch"], Owner::Invocation, None, shader, out, partial)?;
    Ok(patch as u32)
}

/// The inputs of one owner. `number` is that of the primitive, which the engine would know.
fn members(
    object: &Object,
    keys: &[&str],
    owner: Owner,
    number: Option<usize>,
    shader: &Shader,
    out: &mut Inputs,
    partial: bool,
) -> Result<()> {
    let lists = shader.inputs.iter().zip(&mut out.values).zip(&mut out.given);
    for ((input, list), given) in lists.filter(|((input, _), _)| vertices::owner(input) == owner) {
        let json = given_for(object, input)?;
        given.push(json.is_some());
        list.push(match (json, input.kind, number) {
            (Some(json), ..) => input_value(json, input).map_err(|e| e.under(&input.name))?,
            (None, InputKind::System(System::PrimitiveIndex), Some(number)) => [number as u32, 0, 0, 0],
            _ if partial => made_up(input),
            _ => {
                let message = format!("{} is missing: the program reads it", input.name);
                return Err(RunFileError::new(message));
            }
        });
    }
    for (name, _) in object.iter().filter(|(name, _)| !keys.contains(name)) {
        let input = find_input(shader, name)?.and_then(|id| shader.inputs.get(id));
        let Some(input) = input else { continue };
        let place = match vertices::owner(input) {
            of if of == owner => continue,
            Owner::Vertex => "it belongs to a vertex",
            Owner::Primitive => "it belongs to a primitive or patch",
            Owner::Invocation => "it belongs to an invocation",
            Owner::Engine => "the engine supplies it",
        };
        return Err(RunFileError::new(format!("this input does not belong here: {place}")).under(name));
    }
    Ok(())
}

/// What an object gives of an input, by its name or its meaning.
fn given_for<'a>(object: &'a Object, input: &Input) -> Result<Option<&'a Json>> {
    let (by_name, by_meaning) = (object.get(&input.name), meaning(input).and_then(|name| object.get(name)));
    if by_name.is_some() && by_meaning.is_some() {
        return Err(RunFileError::new("this input is given twice, by name and by meaning").under(&input.name));
    }
    Ok(by_name.or(by_meaning))
}

fn inputs(json: Option<&Json>, shader: &Shader, partial: bool) -> Result<Inputs> {
    let needed = || shader.inputs.iter().filter(|input| !is_known(input));
    let names = || needed().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", ");
    let Some(json) = json else {
        if needed().next().is_none() || partial {
            let missing = |input: &Input| if is_known(input) { Vec::new() } else { vec![made_up(input)] };
            let values = shader.inputs.iter().map(missing).collect();
            let given = |input: &Input| if is_known(input) { Vec::new() } else { vec![false] };
            let given = shader.inputs.iter().map(given).collect();
            return Ok(Inputs { count: 1, values, given, ..Inputs::default() });
        }
        return Err(RunFileError::new(format!("this list is missing: the program reads {}", names())));
    };
    let objects = list(json)?;
    if in_quads(shader) && objects.len() > 1 && objects.len() % 4 != 0 {
        return Err(RunFileError::new(format!(
            "the program reads its neighbours, so fragments come in quads: expected 1 or a multiple of 4, found {}",
            objects.len()
        )));
    }
    let mut inputs: Vec<Vec<[u32; 4]>> = vec![Vec::new(); shader.inputs.len()];
    let mut given: Vec<Vec<bool>> = vec![Vec::new(); shader.inputs.len()];
    for (i, json) in objects.iter().enumerate() {
        invocation(json, shader, &mut inputs, &mut given, partial).map_err(|e| e.at(i))?;
    }
    // What nobody is given the engine says; what some are given, all have to be.
    for ((input, list), given) in shader.inputs.iter().zip(&mut inputs).zip(&mut given) {
        let lacking = given.iter().position(|given| !given);
        match lacking {
            Some(_) if is_known(input) && !given.contains(&true) => {
                list.clear();
                given.clear();
            }
            Some(at) if is_known(input) && !partial => {
                let message = format!("{} is missing: other invocations have it", input.name);
                return Err(RunFileError::new(message).at(at));
            }
            _ => {}
        }
    }
    Ok(Inputs { count: objects.len(), values: inputs, given, ..Inputs::default() })
}

/// Whether the engine knows what an input is.
fn is_known(input: &Input) -> bool {
    matches!(input.kind, InputKind::System(system) if system.is_known())
}

/// What an input reads as that nobody gives: see [`Batch::inputs`](crate::Batch::inputs).
fn made_up(input: &Input) -> [u32; 4] {
    [0, 0, 0, if input.ty.scalar == Scalar::F32 { 1.0f32.to_bits() } else { 0 }]
}

fn invocation(
    json: &Json,
    shader: &Shader,
    inputs: &mut [Vec<[u32; 4]>],
    given: &mut [Vec<bool>],
    partial: bool,
) -> Result<()> {
    let object = object(json)?;
    // A name that is none is told first: it may be that of the input that seems to be missing.
    for (name, _) in object.iter() {
        find_input(shader, name)?;
    }
    for ((input, list), given) in shader.inputs.iter().zip(inputs).zip(given) {
        let json = given_for(object, input)?;
        given.push(json.is_some());
        let Some(json) = json else {
            if partial || is_known(input) {
                list.push(made_up(input));
                continue;
            }
            return Err(RunFileError::new(format!("{} is missing: the program reads it", input.name)));
        };
        list.push(input_value(json, input).map_err(|e| e.under(&input.name))?);
    }
    Ok(())
}

/// The input of that name or meaning; `None` for a register that the program does not read.
pub(super) fn find_input(shader: &Shader, name: &str) -> Result<Option<usize>> {
    let named = |input: &Input| input.name == name || meaning(input) == Some(name);
    match shader.inputs.iter().position(named) {
        None if !exists(shader, FileRole::Input, name)
            && !shader.symbols.inputs.iter().any(|input| input == name) =>
        {
            Err(unknown(shader, FileRole::Input, "input", name))
        }
        found => Ok(found),
    }
}

/// What the source calls the meaning of an input, if it says so.
fn meaning(input: &Input) -> Option<&str> {
    Some(input.semantic.as_str()).filter(|name| !name.is_empty() && *name != input.name)
}

fn input_value(json: &Json, input: &Input) -> Result<[u32; 4]> {
    let (scalar, count) = (input.ty.scalar, usize::from(input.ty.lanes));
    let fill = made_up(input);
    match (input.kind, json) {
        (InputKind::Attribute { .. }, Json::Object(object)) if scalar == Scalar::F32 => {
            only(object, &["bytes4"])?;
            let Some(json) = object.get("bytes4") else {
                return Err(RunFileError::new("expected the key bytes4"));
            };
            bytes4(json).map_err(|e| e.under("bytes4"))
        }
        (InputKind::Attribute { .. }, _) => lanes(json, scalar, 1, count, fill),
        (InputKind::System(_), Json::Number(_) | Json::Text(_) | Json::Bool(_)) if count == 1 => {
            Ok([bits(json, scalar)?, 0, 0, 0])
        }
        _ => lanes(json, scalar, count, count, [0; 4]),
    }
}

/// Four bytes of which 255 is 1.
fn bytes4(json: &Json) -> Result<[u32; 4]> {
    let list = list(json)?;
    if list.len() != 4 {
        return Err(RunFileError::new(format!("expected 4 bytes, found {}", list.len())));
    }
    let mut out = [0; 4];
    for (i, (lane, json)) in out.iter_mut().zip(list).enumerate() {
        let byte = whole(json, 255.0).map_err(|e| e.at(i))?;
        *lane = (byte as f32 / 255.0).to_bits();
    }
    Ok(out)
}

/// State values that lie outside the program: a number or truth value, or a list of as many as there are lanes.
fn states(object: &Object, shader: &Shader) -> Result<Vec<Option<[u32; 4]>>> {
    if let Some((name, _)) = object.iter().find(|(name, _)| shader.states.iter().all(|s| s.name != *name)) {
        let known: Vec<&str> = shader.states.iter().map(|state| state.name.as_str()).collect();
        let message = if known.is_empty() {
            "this program has no state values".to_string()
        } else {
            format!("no such state value; expected one of {}", known.join(", "))
        };
        return Err(RunFileError::new(message).under(name));
    }
    let each = shader.states.iter().map(|state| {
        let Some(json) = object.get(&state.name) else { return Ok(None) };
        let (scalar, count) = (state.ty.scalar, usize::from(state.ty.lanes));
        let value = if count == 1 && !matches!(json, Json::List(_)) {
            bits(json, scalar).map(|bits| [bits, 0, 0, 0])
        } else {
            lanes(json, scalar, count, count, [0; 4])
        };
        value.map(Some).map_err(|e| e.under(&state.name))
    });
    each.collect()
}

fn samplers(object: &Object, shader: &Shader) -> Result<Vec<SamplerState>> {
    for (name, json) in object.iter() {
        match shader.textures.iter().find(|t| t.name == name) {
            Some(texture) if texture.sampler.is_some() => {
                let message = "the program itself fixes the state of this sampler";
                return Err(RunFileError::new(message).under(name));
            }
            Some(_) => {}
            None if exists(shader, FileRole::Texture, name) => {
                state(json, Scalar::F32).map_err(|e| e.under(name))?;
            }
            None => return Err(unknown(shader, FileRole::Texture, "sampler", name)),
        }
    }
    let each = shader.textures.iter().map(|texture| match (texture.sampler, object.get(&texture.name)) {
        (Some(fixed), _) => Ok(fixed),
        (None, Some(json)) => state(json, texture.scalar).map_err(|e| e.under(&texture.name)),
        (None, None) => Ok(SamplerState::PLAIN),
    });
    each.collect()
}

fn state(json: &Json, scalar: Scalar) -> Result<SamplerState> {
    let object = object(json)?;
    let wraps = ["wrap_u", "wrap_v", "wrap_w"];
    let mut known =
        vec!["wrap", "filter", "mag", "min", "mip", "anisotropy", "border", "bias", "min_lod", "max_lod"];
    known.extend(["compare", "seamless", "model"].iter().chain(&wraps));
    only(object, &known)?;
    let mut state = SamplerState::PLAIN;
    if let Some(json) = object.get("wrap") {
        state = state.with_wrap(word(json, Wrap::ALL, Wrap::name).map_err(|e| e.under("wrap"))?);
    }
    for (key, axis) in wraps.into_iter().zip([&mut state.wrap_u, &mut state.wrap_v, &mut state.wrap_w]) {
        named(object, key, axis, Wrap::ALL, Wrap::name)?;
    }
    if let Some(json) = object.get("filter") {
        state = state.with_filter(word(json, Filter::ALL, Filter::name).map_err(|e| e.under("filter"))?);
    }
    named(object, "mag", &mut state.mag, Filter::ALL, Filter::name)?;
    named(object, "min", &mut state.min, Filter::ALL, Filter::name)?;
    named(object, "mip", &mut state.mip, Mip::ALL, Mip::name)?;
    if let Some(json) = object.get("model") {
        state.model = model(json).map_err(|e| e.under("model"))?;
    }
    if let Some(json) = object.get("anisotropy") {
        let most = whole(json, 16.0).map_err(|e| e.under("anisotropy"))?;
        state.anisotropy = (most as u8).max(1);
    }
    if let Some(json) = object.get("border") {
        state.border = lanes(json, scalar, 4, 4, [0; 4]).map_err(|e| e.under("border"))?;
    }
    for (key, value) in
        [("bias", &mut state.lod_bias), ("min_lod", &mut state.min_lod), ("max_lod", &mut state.max_lod)]
    {
        if let Some(json) = object.get(key) {
            *value = FloatBits(bits(json, Scalar::F32).map_err(|e| e.under(key))?);
        }
    }
    if let Some(json) = object.get("compare") {
        state.compare = Some(word(json, Compare::ALL, Compare::name).map_err(|e| e.under("compare"))?);
    }
    state.seamless = truth(object, "seamless")?;
    Ok(state)
}

/// A word, or a list of them, which all count.
fn model(json: &Json) -> Result<SamplerModel> {
    let of = |json: &Json| match json {
        Json::Text(text) => SamplerModel::named(text),
        _ => None,
    };
    let words = match json {
        Json::List(list) => list.as_slice(),
        json => core::slice::from_ref(json),
    };
    words.iter().try_fold(SamplerModel::EXACT, |model, word| {
        of(word).map(|more| model.and(more)).ok_or_else(|| {
            let quirks: Vec<&str> = SamplerQuirk::ALL.iter().map(|quirk| quirk.name()).collect();
            let quirks = quirks.join("\", \"");
            RunFileError::new(format!("expected one of \"exact\", \"softpipe\", \"{quirks}\", or a list"))
        })
    })
}

/// Reads a word under a key, if it is there.
fn named<T: Copy>(
    object: &Object,
    key: &str,
    to: &mut T,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<()> {
    if let Some(json) = object.get(key) {
        *to = word(json, all, name).map_err(|e| e.under(key))?;
    }
    Ok(())
}

/// Reads a truth value; one that is not there is false.
fn truth(object: &Object, key: &str) -> Result<bool> {
    match object.get(key) {
        None => Ok(false),
        Some(Json::Bool(value)) => Ok(*value),
        Some(other) => Err(expected("a boolean", other).under(key)),
    }
}

fn textures(object: &Object, shader: &Shader, partial: bool) -> Result<Vec<Option<Texture>>> {
    for (name, json) in object.iter() {
        if shader.textures.iter().all(|t| t.name != name) {
            if !exists(shader, FileRole::Texture, name) {
                return Err(unknown(shader, FileRole::Texture, "sampler", name));
            }
            texture(json, None, Scalar::F32).map_err(|e| e.under(name))?;
        }
    }
    let each = shader.textures.iter().map(|wanted| match object.get(&wanted.name) {
        Some(json) => {
            let open = wanted.dim_by.is_some() && object_has(json, "kind");
            let dim = (!open).then_some(wanted.dim);
            let read = texture(json, dim, wanted.scalar).map_err(|e| e.under(&wanted.name))?;
            if open && !matches!(read.dim(), Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube) {
                let message = "the program reads a 1d, 2d, 3d or cube texture";
                return Err(RunFileError::new(message).under("kind").under(&wanted.name));
            }
            Ok(Some(read))
        }
        None if partial || !resources::has_register(&wanted.name) => Ok(None),
        None => Err(RunFileError::new(format!("{} is missing: the program reads it", wanted.name))),
    });
    each.collect()
}

fn object_has(json: &Json, key: &str) -> bool {
    matches!(json, Json::Object(object) if object.get(key).is_some())
}

/// The keys of the sides of a texture or an image.
pub(super) const SIDES: [&str; 5] = ["width", "height", "depth", "layers", "samples"];

/// The sides of a texture or an image. One that the dimension does not have is 1, and another number for it is an error where
/// the extent is used.
pub(super) fn extent(object: &Object, dim: Dim) -> Result<Extent> {
    let needed = [true, dim.axes() > 1, dim == Dim::D3, dim.arrayed(), dim.multisampled()];
    let mut sizes = [1; 5];
    for ((size, key), needed) in sizes.iter_mut().zip(SIDES).zip(needed) {
        match object.get(key) {
            Some(json) => *size = whole(json, 134_217_728.0).map_err(|e| e.under(key))? as u32,
            None if needed => return Err(RunFileError::new(format!("{key} is missing"))),
            None => {}
        }
    }
    let [width, height, depth, layers, samples] = sizes;
    Ok(Extent { width, height, depth, layers, samples })
}

fn texture(json: &Json, wanted: Option<Dim>, scalar: Scalar) -> Result<Texture> {
    let object = object(json)?;
    let mut known = vec!["kind", "rgba8", "levels", "texels", "generate_levels"];
    known.extend(SIDES);
    only(object, &known)?;
    let kind = match object.get("kind") {
        Some(json) => Some(word(json, Dim::ALL, Dim::name).map_err(|e| e.under("kind"))?),
        None => None,
    };
    let dim = match (wanted, kind) {
        (Some(wanted), Some(kind)) if wanted != kind => {
            let message = format!("the program reads a {} texture", wanted.name());
            return Err(RunFileError::new(message).under("kind"));
        }
        (Some(dim), _) | (None, Some(dim)) => dim,
        (None, None) => {
            let words: Vec<&str> = Dim::ALL.iter().map(|dim| dim.name()).collect();
            return Err(RunFileError::new(format!("kind is missing: expected one of {}", words.join(", "))));
        }
    };
    let extent = extent(object, dim)?;
    let bytes = |json: &Json, level: usize| texels(json, extent.level(level as u32));
    let levels: Vec<Vec<[u32; 4]>> = match (object.get("rgba8"), object.get("levels"), object.get("texels")) {
        (Some(_), None, None) | (None, Some(_), None) if scalar != Scalar::F32 => {
            let message =
                format!("the program reads {} texels: give them under the key texels", scalar.name());
            return Err(RunFileError::new(message));
        }
        (Some(json), None, None) => vec![bytes(json, 0).map_err(|e| e.under("rgba8"))?],
        (None, Some(json), None) => {
            let each = list(json).map_err(|e| e.under("levels"))?.iter().enumerate();
            let each = each.map(|(i, json)| bytes(json, i).map_err(|e| e.at(i).under("levels")));
            each.collect::<Result<_>>()?
        }
        (None, None, Some(json)) => {
            let each = list(json).map_err(|e| e.under("texels"))?.iter().enumerate();
            let level = |json: &Json| -> Result<Vec<[u32; 4]>> {
                let texels = list(json)?.iter().enumerate();
                texels.map(|(i, json)| lanes(json, scalar, 4, 4, [0; 4]).map_err(|e| e.at(i))).collect()
            };
            let each = each.map(|(i, json)| level(json).map_err(|e| e.at(i).under("texels")));
            each.collect::<Result<_>>()?
        }
        _ => return Err(RunFileError::new("expected one of rgba8, levels and texels")),
    };
    let generate = truth(object, "generate_levels")?;
    if generate && levels.len() != 1 {
        let message = "levels that are given cannot also be generated";
        return Err(RunFileError::new(message).under("generate_levels"));
    }
    let texture = Texture::new(dim, scalar, extent, levels);
    let mut texture = texture.map_err(|e| RunFileError::new(e.to_string()))?;
    if generate {
        texture.generate_levels();
    }
    Ok(texture)
}

/// The bytes of a level, which may be nested by texels, rows and slices.
fn texels(json: &Json, extent: Extent) -> Result<Vec<[u32; 4]>> {
    fn collect(json: &Json, out: &mut Vec<u8>, parts: &[u64]) -> Result<()> {
        for (i, json) in list(json)?.iter().enumerate() {
            if let Json::List(_) = json {
                let start = out.len();
                collect(json, out, parts).map_err(|e| e.at(i))?;
                let length = (out.len() - start) as u64;
                if !parts.contains(&length) {
                    let message = format!("{length} bytes are not a texel, a row or a slice");
                    return Err(RunFileError::new(message).at(i));
                }
            } else {
                out.push(whole(json, 255.0).map_err(|e| e.at(i))? as u8);
            }
        }
        Ok(())
    }
    let row = u64::from(extent.width).saturating_mul(u64::from(extent.samples)).saturating_mul(4);
    let slice = row.saturating_mul(u64::from(extent.height));
    let mut out = Vec::new();
    collect(json, &mut out, &[4, row, slice])?;
    if out.len() % 4 != 0 {
        return Err(RunFileError::new(format!("{} bytes are not a whole number of texels", out.len())));
    }
    Ok(out
        .chunks_exact(4)
        .map(|t| [t[0], t[1], t[2], t[3]].map(|b| (f32::from(b) / 255.0).to_bits()))
        .collect())
}
