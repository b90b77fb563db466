//! From JSON to a [`RunFile`].

use super::vertices::{self, Owner, list_of};
use super::{GivenValues, RunFile, RunFileError, memory, resources};
use crate::MAX_INVOCATIONS;
use crate::interp::in_quads;
use crate::json::lanes::{bits, integer};
use crate::json::{self, Json, Object};
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

pub(super) type Result<T> = core::result::Result<T, RunFileError>;
pub(super) type Node<'j, 'p> = json::Node<'j, 'p, RunFileError>;

/// Numbers up to here are exact in JSON.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn parse(text: &str, shader: &Shader) -> Result<(RunFile, GivenValues)> {
    read_file(text, shader, false, true)
}

pub(super) fn parse_partial(text: &str, shader: &Shader) -> Result<(RunFile, GivenValues)> {
    read_file(text, shader, true, true)
}

pub(super) fn parse_without_inputs(text: &str, shader: &Shader) -> Result<(RunFile, GivenValues)> {
    read_file(text, shader, false, false)
}

/// Reads a file. If it may be `partial`, what the program reads need not be there; if it is not to have `invocations`, it
/// must not have them.
fn read_file(
    text: &str,
    shader: &Shader,
    partial: bool,
    invocations: bool,
) -> Result<(RunFile, GivenValues)> {
    let json = Json::parse_unique(text.as_bytes(), "the key");
    let json = json.map_err(|e| RunFileError::new(format!("not a run file: {e}")))?;
    if let Some(breach) = verify(shader).first() {
        return Err(RunFileError::new(format!("malformed shader: {breach}")));
    }
    let file = &Node::root(&json);
    file.object()?;
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
            return Err(file.error_under(key, "the invocations come from elsewhere"));
        }
    }
    let empty = &Json::from(Object::new());
    let (params, given, aside, brought) = constants(&section(file, "constants", empty)?, shader, partial)?;
    let samplers = samplers(&section(file, "state", empty)?, shader)?;
    let textures = textures(&section(file, "textures", empty)?, shader, partial)?;
    let dims: Vec<Option<Dim>> = textures.iter().map(|t| t.as_ref().map(Texture::dim)).collect();
    let textures = textures.into_iter().zip(samplers).map(|(texture, state)| texture.map(|t| (t, state)));
    let mut states = states(&section(file, "states", empty)?, shader)?;
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
        None => inputs(file, shader, partial)?,
    };
    let Inputs { count, values: inputs, given: given_inputs, primitives, vertices_in } = inputs;
    let fuel = match file.get("fuel") {
        Some(node) => Some(integer(&node, MAX_EXACT)?),
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
    if let Some(node) = file.get("helpers") {
        out.helpers = helpers(&node, out.count)?;
    }
    Ok((out, GivenValues { constants: given, inputs: given_inputs, brought }))
}

/// Who only completes a group.
fn helpers(node: &Node<'_, '_>, count: usize) -> Result<Vec<bool>> {
    let items = node.items()?;
    if items.len() != count {
        return Err(node.error(format!("expected a boolean for each of the {count} invocations")));
    }
    items.map(|item| item.json().as_bool().ok_or_else(|| item.expected("a boolean"))).collect()
}

/// The object under `key`; one that is not there is `empty`.
pub(super) fn section<'c>(file: &'c Node<'_, '_>, key: &'c str, empty: &'c Json) -> Result<Node<'c, 'c>> {
    let node = file.get_or(key, empty);
    node.object()?;
    Ok(node)
}

/// Refuses keys that are not known.
pub(super) fn only(node: &Node<'_, '_>, known: &[&str]) -> Result<()> {
    match node.sorted_entries()?.iter().find(|(key, _)| !known.contains(key)) {
        Some((_, unknown)) => {
            Err(unknown.error(format!("unknown key; expected one of {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

/// One of several things that have names.
pub(super) fn word<T: Copy>(node: &Node<'_, '_>, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T> {
    let found = node.json().as_str().and_then(|text| all.iter().find(|v| name(**v) == text));
    found.copied().ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|v| name(*v)).collect();
        node.error(format!("expected one of \"{}\"", words.join("\", \"")))
    })
}

/// A list of `least..=most` lanes.
pub(super) fn lanes(
    node: &Node<'_, '_>,
    scalar: Scalar,
    least: usize,
    most: usize,
    fill: [u32; 4],
) -> Result<[u32; 4]> {
    let items = node.items()?;
    if !(least..=most).contains(&items.len()) {
        let wanted = if least == most { most.to_string() } else { format!("{least} to {most}") };
        return Err(node.error(format!("expected {wanted} values, found {}", items.len())));
    }
    let mut out = fill;
    for (lane, item) in out.iter_mut().zip(items) {
        *lane = bits(&item, scalar)?;
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

/// What is said of a name that is no register.
fn unknown(shader: &Shader, role: FileRole, what: &str) -> String {
    let files = shader.registers.iter().filter(|file| file.role == role).map(|file| match file.count {
        Some(count) => {
            let [first, last] = [0, count.saturating_sub(1)].map(|n| register_name(&file.name, n));
            format!("{first} to {last}")
        }
        None => file.name.to_string(),
    });
    let files: Vec<String> = files.collect();
    if files.is_empty() {
        format!("this program has no {what} registers")
    } else {
        format!("no such {what} register; expected one of {}", files.join(", "))
    }
}

/// The elements of each array, which of them are given, those of arrays that the shader does not have, and those that the program
/// brings.
type Constants = (Vec<Vec<[u32; 4]>>, Vec<Vec<bool>>, Vec<(String, u32, [u32; 4])>, Vec<(usize, u32)>);

/// Sets an element of an array; false if it was set before.
fn set_element(
    arrays: &mut [Vec<[u32; 4]>],
    given: &mut [Vec<bool>],
    array: usize,
    index: usize,
    element: [u32; 4],
) -> bool {
    let (Some(elements), Some(given)) = (arrays.get_mut(array), given.get_mut(array)) else {
        return true;
    };
    if elements.len() <= index {
        elements.resize(index + 1, [0; 4]);
        given.resize(index + 1, false);
    }
    if given[index] {
        return false;
    }
    elements[index] = element;
    given[index] = true;
    true
}

fn constants(object: &Node<'_, '_>, shader: &Shader, partial: bool) -> Result<Constants> {
    let mut arrays: Vec<Vec<[u32; 4]>> = vec![Vec::new(); shader.params.len()];
    let mut given: Vec<Vec<bool>> = vec![Vec::new(); shader.params.len()];
    let (mut aside, mut brought) = (Vec::new(), Vec::new());
    let mut set = |node: &Node<'_, '_>, array, index, element| {
        let is_first = set_element(&mut arrays, &mut given, array, index, element);
        if is_first { Ok(()) } else { Err(node.error("this element is given twice, under two names")) }
    };
    for (name, node) in object.sorted_entries()? {
        let node = &node;
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
            let element = constant(node, scalar)?;
            if let Some((array, index)) = found {
                set(node, array, index, element)?;
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
            typed(node, shape, symbol.single, scalar, &mut elements)?;
            // What the type has beyond its registers the program does not read.
            let end = symbol.first.saturating_add(symbol.count);
            for (number, element) in (first..end).zip(elements) {
                match array {
                    Some((at, array)) if number < array.size => {
                        set(node, at, number as usize, element)?;
                    }
                    Some(_) => {}
                    None => aside.push((symbol.array.clone(), number, element)),
                }
            }
        }
        if !known {
            return Err(node.error(unknown(shader, FileRole::Param, "constant")));
        }
    }
    // What the program brings itself counts where nothing is given.
    for (at, array) in shader.params.iter().enumerate() {
        for (element, bits) in shader.symbols.defaults_of(&array.name) {
            let there = given.get(at).and_then(|given| given.get(element as usize)).copied();
            if !there.unwrap_or_default() && element < array.size {
                set_element(&mut arrays, &mut given, at, element as usize, bits);
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
        return Err(object.error(not_given(&missing)));
    }
    Ok((arrays, given, aside, brought))
}

/// What is read and not given.
fn not_given(names: &[String]) -> String {
    let (are, them) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    format!("{} {are} missing: the program reads {them}", names.join(", "))
}

/// The elements of a value of a constant that has a name: a number, a vector, a matrix by its rows, a list, an object.
fn typed(
    node: &Node<'_, '_>,
    shape: &Shape,
    single: bool,
    scalar: Scalar,
    out: &mut Vec<[u32; 4]>,
) -> Result<()> {
    match shape {
        Shape::Struct(members) => {
            only(node, &members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
            for (name, shape) in members {
                let member = node.get(name);
                let member = member.ok_or_else(|| node.error_under(name, "this member is missing"))?;
                typed(&member, shape, single, scalar, out)?;
            }
        }
        Shape::Array(of, count) => {
            for item in items_of(node, usize::from(*count))? {
                typed(&item, of, single, scalar, out)?;
            }
        }
        Shape::Matrix { rows, columns, by_columns } => {
            let (rows, columns) = (usize::from(*rows), usize::from(*columns));
            let mut values = Vec::new();
            if rows == 1 {
                values.push(row(node, columns, scalar)?);
            } else {
                for item in items_of(node, rows)? {
                    values.push(row(&item, columns, scalar)?);
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

/// The items of a list of that many things.
fn items_of<'c>(node: &'c Node<'_, '_>, count: usize) -> Result<impl Iterator<Item = Node<'c, 'c>>> {
    let items = node.items()?;
    if items.len() != count {
        return Err(node.error(format!("expected {count} values, found {}", items.len())));
    }
    Ok(items)
}

/// A row of up to four numbers; one alone needs no list. A truth value is 1 or 0.
fn row(node: &Node<'_, '_>, columns: usize, scalar: Scalar) -> Result<[u32; 4]> {
    let one = |node: &Node<'_, '_>| match (node.json(), scalar) {
        (Json::Bool(value), Scalar::F32) => Ok(if *value { 1.0_f32.to_bits() } else { 0 }),
        (Json::Bool(value), Scalar::I32) => Ok(u32::from(*value)),
        // Arrays of words hold the bits of numbers.
        (_, Scalar::U32) => bits(node, Scalar::F32),
        (_, scalar) => bits(node, scalar),
    };
    let mut out = [0; 4];
    if node.is_list() {
        for (to, item) in out.iter_mut().zip(items_of(node, columns)?) {
            *to = one(&item)?;
        }
    } else if columns == 1 {
        out[0] = one(node)?;
    } else {
        return Err(node.expected("a list"));
    }
    Ok(out)
}

/// A constant: four numbers, or a truth value for all four. Of one that is not read the type is not known.
fn constant(node: &Node<'_, '_>, scalar: Option<Scalar>) -> Result<[u32; 4]> {
    let truth = node.json().as_bool().is_some();
    match scalar {
        Some(Scalar::Bool) if truth => Ok([bits(node, Scalar::Bool)?; 4]),
        None if truth => Ok([0; 4]),
        // Arrays of words hold the bits of numbers: those of shaders that compute with integers alone.
        None | Some(Scalar::U32) => lanes(node, Scalar::F32, 4, 4, [0; 4]),
        Some(scalar) => lanes(node, scalar, 4, 4, [0; 4]),
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
fn of_primitives(file: &Node<'_, '_>, key: &str, shader: &Shader, partial: bool) -> Result<Inputs> {
    let setup = &shader.setup;
    let mut out = Inputs {
        values: vec![Vec::new(); shader.inputs.len()],
        given: vec![Vec::new(); shader.inputs.len()],
        ..Inputs::default()
    };
    let reads = |owner: Owner| shader.inputs.iter().any(|input| vertices::owner(input) == owner);
    let none = &Json::List(Vec::new());
    let primitives = match file.get(key) {
        None if !partial && (reads(Owner::Vertex) || reads(Owner::Primitive)) => {
            let names = shader
                .inputs
                .iter()
                .filter(|input| matches!(vertices::owner(input), Owner::Vertex | Owner::Primitive));
            let names = names.map(|input| input.name.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("this list is missing: the program reads {names}");
            return Err(file.error_under(key, message));
        }
        _ => file.get_or(key, none),
    };
    let primitives = primitives.items()?;
    let patches = primitives.len();
    let mut sizes = None;
    for (n, node) in primitives.enumerate() {
        let size = primitive(&node, n, shader, &mut out, partial)?;
        let wanted = match setup.vertices_in {
            0 => *sizes.get_or_insert(size),
            fixed => fixed as usize,
        };
        if size != wanted || !(1..=32).contains(&size) {
            let wanted = if size == wanted { "1 to 32".to_string() } else { wanted.to_string() };
            let message = format!("expected {wanted} vertices, found {size}");
            return Err(node.error_under("vertices", message));
        }
    }
    if setup.vertices_in == 0 {
        out.vertices_in = sizes.unwrap_or(1) as u32;
    }
    if shader.stage != Stage::TessEval {
        // Without a list there is one primitive.
        let count = if file.get(key).is_some() { patches } else { 1 };
        out.count = count.saturating_mul(setup.invocations.max(1) as usize);
        return Ok(out);
    }
    let invocations = match file.get("inputs") {
        None if !partial && reads(Owner::Invocation) => {
            let message =
                "this list is missing: expected an object with patch and TESSCOORD for each invocation";
            return Err(file.error_under("inputs", message));
        }
        _ => file.get_or("inputs", none),
    };
    for node in invocations.items()? {
        let patch = evaluated(&node, shader, patches, &mut out, partial)?;
        out.primitives.push(patch);
    }
    out.count = if file.get("inputs").is_some() { out.primitives.len() } else { 1 };
    if out.count > MAX_INVOCATIONS {
        return Err(invocations.error(format!("more than {MAX_INVOCATIONS} invocations")));
    }
    Ok(out)
}

/// A primitive or patch; gives the number of its vertices.
fn primitive(
    node: &Node<'_, '_>,
    n: usize,
    shader: &Shader,
    out: &mut Inputs,
    partial: bool,
) -> Result<usize> {
    node.object()?;
    let vertices = node.get("vertices").ok_or_else(|| node.error("the list vertices is missing"))?;
    let vertices = vertices.items()?;
    let count = vertices.len();
    for vertex in vertices {
        vertex.object()?;
        members(&vertex, &[], Owner::Vertex, None, shader, out, partial)?;
    }
    members(node, &["vertices"], Owner::Primitive, Some(n), shader, out, partial)?;
    Ok(count)
}

/// An invocation of the tessellation evaluation stage; gives its patch.
fn evaluated(
    node: &Node<'_, '_>,
    shader: &Shader,
    patches: usize,
    out: &mut Inputs,
    partial: bool,
) -> Result<u32> {
    node.object()?;
    let patch = match node.get("patch") {
        Some(patch) => integer(&patch, f64::from(u32::MAX))?,
        None => 0,
    };
    if patch > 0 && patch >= patches as u64 {
        let message = format!("no such patch; there are {patches}, counted from 0");
        return Err(node.error_under("patch", message));
    }
    members(node, &["patch"], Owner::Invocation, None, shader, out, partial)?;
    Ok(patch as u32)
}

/// The inputs of one owner. `number` is that of the primitive, which the engine would know.
fn members(
    object: &Node<'_, '_>,
    keys: &[&str],
    owner: Owner,
    number: Option<usize>,
    shader: &Shader,
    out: &mut Inputs,
    partial: bool,
) -> Result<()> {
    let lists = shader.inputs.iter().zip(&mut out.values).zip(&mut out.given);
    for ((input, list), given) in lists.filter(|((input, _), _)| vertices::owner(input) == owner) {
        let node = given_for(object, input)?;
        given.push(node.is_some());
        list.push(match (node, input.kind, number) {
            (Some(node), ..) => input_value(&node, input)?,
            (None, InputKind::System(System::PrimitiveIndex), Some(number)) => [number as u32, 0, 0, 0],
            _ if partial => made_up(input),
            _ => {
                return Err(object.error(format!("{} is missing: the program reads it", input.name)));
            }
        });
    }
    for (name, node) in object.sorted_entries()?.iter().filter(|(name, _)| !keys.contains(name)) {
        let input = find_input(shader, name).map_err(|message| node.error(message))?;
        let input = input.and_then(|id| shader.inputs.get(id));
        let Some(input) = input else { continue };
        let place = match vertices::owner(input) {
            of if of == owner => continue,
            Owner::Vertex => "it belongs to a vertex",
            Owner::Primitive => "it belongs to a primitive or patch",
            Owner::Invocation => "it belongs to an invocation",
            Owner::Engine => "the engine supplies it",
        };
        return Err(node.error(format!("this input does not belong here: {place}")));
    }
    Ok(())
}

/// What an object gives of an input, by its name or its meaning.
fn given_for<'c>(object: &'c Node<'_, '_>, input: &'c Input) -> Result<Option<Node<'c, 'c>>> {
    let by_name = object.get(&input.name);
    let by_meaning = meaning(input).and_then(|name| object.json().get(name));
    if by_name.is_some() && by_meaning.is_some() {
        return Err(object.error_under(&input.name, "this input is given twice, by name and by meaning"));
    }
    // Complaints call the input by its name.
    Ok(by_name.or(by_meaning.map(|json| object.get_or(&input.name, json))))
}

fn inputs(file: &Node<'_, '_>, shader: &Shader, partial: bool) -> Result<Inputs> {
    let needed = || shader.inputs.iter().filter(|input| !is_known(input));
    let names = || needed().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", ");
    let Some(node) = file.get("inputs") else {
        if needed().next().is_none() || partial {
            let missing = |input: &Input| if is_known(input) { Vec::new() } else { vec![made_up(input)] };
            let values = shader.inputs.iter().map(missing).collect();
            let given = |input: &Input| if is_known(input) { Vec::new() } else { vec![false] };
            let given = shader.inputs.iter().map(given).collect();
            return Ok(Inputs { count: 1, values, given, ..Inputs::default() });
        }
        let message = format!("this list is missing: the program reads {}", names());
        return Err(file.error_under("inputs", message));
    };
    let objects = node.items()?;
    let count = objects.len();
    if in_quads(shader) && count > 1 && count % 4 != 0 {
        return Err(node.error(format!(
            "the program reads its neighbours, so fragments come in quads: expected 1 or a multiple of 4, found {count}"
        )));
    }
    let mut inputs: Vec<Vec<[u32; 4]>> = vec![Vec::new(); shader.inputs.len()];
    let mut given: Vec<Vec<bool>> = vec![Vec::new(); shader.inputs.len()];
    for object in objects {
        invocation(&object, shader, &mut inputs, &mut given, partial)?;
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
                return Err(node.error_at(at, message));
            }
            _ => {}
        }
    }
    Ok(Inputs { count, values: inputs, given, ..Inputs::default() })
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
    node: &Node<'_, '_>,
    shader: &Shader,
    inputs: &mut [Vec<[u32; 4]>],
    given: &mut [Vec<bool>],
    partial: bool,
) -> Result<()> {
    // A name that is none is told first: it may be that of the input that seems to be missing.
    let unknown = node.object()?.keys().filter(|name| find_input(shader, name).is_err()).min();
    if let Some(Err(message)) = unknown.map(|name| find_input(shader, name)) {
        return Err(node.error_under(unknown.unwrap_or_default(), message));
    }
    for ((input, list), given) in shader.inputs.iter().zip(inputs).zip(given) {
        let value = given_for(node, input)?;
        given.push(value.is_some());
        let Some(value) = value else {
            if partial || is_known(input) {
                list.push(made_up(input));
                continue;
            }
            return Err(node.error(format!("{} is missing: the program reads it", input.name)));
        };
        list.push(input_value(&value, input)?);
    }
    Ok(())
}

/// The input of that name or meaning; `None` for a register that the program does not read. The error says which names there are.
pub(super) fn find_input(shader: &Shader, name: &str) -> core::result::Result<Option<usize>, String> {
    let named = |input: &Input| input.name == name || meaning(input) == Some(name);
    match shader.inputs.iter().position(named) {
        None if !exists(shader, FileRole::Input, name)
            && !shader.symbols.inputs.iter().any(|input| input == name) =>
        {
            Err(unknown(shader, FileRole::Input, "input"))
        }
        found => Ok(found),
    }
}

/// What the source calls the meaning of an input, if it says so.
fn meaning(input: &Input) -> Option<&str> {
    Some(input.semantic.as_str()).filter(|name| !name.is_empty() && *name != input.name)
}

fn input_value(node: &Node<'_, '_>, input: &Input) -> Result<[u32; 4]> {
    let (scalar, count) = (input.ty.scalar, usize::from(input.ty.lanes));
    let fill = made_up(input);
    match (input.kind, node.json()) {
        (InputKind::Attribute { .. }, Json::Object(_)) if scalar == Scalar::F32 => {
            only(node, &["bytes4"])?;
            bytes4(&node.get("bytes4").ok_or_else(|| node.error("expected the key bytes4"))?)
        }
        (InputKind::Attribute { .. }, _) => lanes(node, scalar, 1, count, fill),
        (InputKind::System(_), Json::Number(_) | Json::Text(_) | Json::Bool(_)) if count == 1 => {
            Ok([bits(node, scalar)?, 0, 0, 0])
        }
        _ => lanes(node, scalar, count, count, [0; 4]),
    }
}

/// Four bytes of which 255 is 1.
fn bytes4(node: &Node<'_, '_>) -> Result<[u32; 4]> {
    let items = node.items()?;
    if items.len() != 4 {
        return Err(node.error(format!("expected 4 bytes, found {}", items.len())));
    }
    let mut out = [0; 4];
    for (lane, item) in out.iter_mut().zip(items) {
        let byte = integer(&item, 255.0)?;
        *lane = (byte as f32 / 255.0).to_bits();
    }
    Ok(out)
}

/// State values that lie outside the program: a number or truth value, or a list of as many as there are lanes.
fn states(object: &Node<'_, '_>, shader: &Shader) -> Result<Vec<Option<[u32; 4]>>> {
    let unknown = |name: &&str| shader.states.iter().all(|state| state.name != *name);
    if let Some(name) = object.object()?.keys().filter(unknown).min() {
        let known: Vec<&str> = shader.states.iter().map(|state| state.name.as_str()).collect();
        let message = if known.is_empty() {
            "this program has no state values".to_string()
        } else {
            format!("no such state value; expected one of {}", known.join(", "))
        };
        return Err(object.error_under(name, message));
    }
    let each = shader.states.iter().map(|state| {
        let Some(node) = object.get(&state.name) else { return Ok(None) };
        let (scalar, count) = (state.ty.scalar, usize::from(state.ty.lanes));
        let value = if count == 1 && !node.is_list() {
            bits(&node, scalar).map(|bits| [bits, 0, 0, 0])
        } else {
            lanes(&node, scalar, count, count, [0; 4])
        };
        value.map(Some)
    });
    each.collect()
}

fn samplers(object: &Node<'_, '_>, shader: &Shader) -> Result<Vec<SamplerState>> {
    for (name, node) in object.sorted_entries()? {
        match shader.textures.iter().find(|t| t.name == name) {
            Some(texture) if texture.sampler.is_some() => {
                return Err(node.error("the program itself fixes the state of this sampler"));
            }
            Some(_) => {}
            None if exists(shader, FileRole::Texture, name) => {
                state(&node, Scalar::F32)?;
            }
            None => return Err(node.error(unknown(shader, FileRole::Texture, "sampler"))),
        }
    }
    let each = shader.textures.iter().map(|texture| match (texture.sampler, object.get(&texture.name)) {
        (Some(fixed), _) => Ok(fixed),
        (None, Some(node)) => state(&node, texture.scalar),
        (None, None) => Ok(SamplerState::PLAIN),
    });
    each.collect()
}

/// Reads the state of a sampler of floats.
pub(super) fn read_sampler(json: &Json) -> Result<SamplerState> {
    state(&Node::root(json), Scalar::F32)
}

fn state(object: &Node<'_, '_>, scalar: Scalar) -> Result<SamplerState> {
    object.object()?;
    let wraps = ["wrap_u", "wrap_v", "wrap_w"];
    let mut known =
        vec!["wrap", "filter", "mag", "min", "mip", "anisotropy", "border", "bias", "min_lod", "max_lod"];
    known.extend(["compare", "seamless", "model"].iter().chain(&wraps));
    only(object, &known)?;
    let mut state = SamplerState::PLAIN;
    if let Some(node) = object.get("wrap") {
        state = state.with_wrap(word(&node, Wrap::ALL, Wrap::name)?);
    }
    for (key, axis) in wraps.into_iter().zip([&mut state.wrap_u, &mut state.wrap_v, &mut state.wrap_w]) {
        named(object, key, axis, Wrap::ALL, Wrap::name)?;
    }
    if let Some(node) = object.get("filter") {
        state = state.with_filter(word(&node, Filter::ALL, Filter::name)?);
    }
    named(object, "mag", &mut state.mag, Filter::ALL, Filter::name)?;
    named(object, "min", &mut state.min, Filter::ALL, Filter::name)?;
    named(object, "mip", &mut state.mip, Mip::ALL, Mip::name)?;
    if let Some(node) = object.get("model") {
        state.model = model(&node)?;
    }
    if let Some(node) = object.get("anisotropy") {
        let most = integer(&node, 16.0)?;
        state.anisotropy = (most as u8).max(1);
    }
    if let Some(node) = object.get("border") {
        state.border = lanes(&node, scalar, 4, 4, [0; 4])?;
    }
    for (key, value) in
        [("bias", &mut state.lod_bias), ("min_lod", &mut state.min_lod), ("max_lod", &mut state.max_lod)]
    {
        if let Some(node) = object.get(key) {
            *value = FloatBits(bits(&node, Scalar::F32)?);
        }
    }
    if let Some(node) = object.get("compare") {
        state.compare = Some(word(&node, Compare::ALL, Compare::name)?);
    }
    state.seamless = truth(object, "seamless")?;
    Ok(state)
}

/// A word, or a list of them, which all count.
fn model(node: &Node<'_, '_>) -> Result<SamplerModel> {
    let words = match node.json() {
        Json::List(list) => list.as_slice(),
        json => core::slice::from_ref(json),
    };
    words.iter().try_fold(SamplerModel::EXACT, |model, word| {
        word.as_str().and_then(SamplerModel::named).map(|more| model.and(more)).ok_or_else(|| {
            let quirks: Vec<&str> = SamplerQuirk::ALL.iter().map(|quirk| quirk.name()).collect();
            let quirks = quirks.join("\", \"");
            node.error(format!("expected one of \"exact\", \"softpipe\", \"{quirks}\", or a list"))
        })
    })
}

/// Reads a word under a key, if it is there.
fn named<T: Copy>(
    object: &Node<'_, '_>,
    key: &str,
    to: &mut T,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<()> {
    if let Some(node) = object.get(key) {
        *to = word(&node, all, name)?;
    }
    Ok(())
}

/// Reads a truth value; one that is not there is false.
fn truth(object: &Node<'_, '_>, key: &str) -> Result<bool> {
    match object.get(key) {
        None => Ok(false),
        Some(node) => node.json().as_bool().ok_or_else(|| node.expected("a boolean")),
    }
}

fn textures(object: &Node<'_, '_>, shader: &Shader, partial: bool) -> Result<Vec<Option<Texture>>> {
    for (name, node) in object.sorted_entries()? {
        if shader.textures.iter().all(|t| t.name != name) {
            if !exists(shader, FileRole::Texture, name) {
                return Err(node.error(unknown(shader, FileRole::Texture, "sampler")));
            }
            texture(&node, None, Scalar::F32)?;
        }
    }
    let each = shader.textures.iter().map(|wanted| match object.get(&wanted.name) {
        Some(node) => {
            let open = wanted.dim_by.is_some() && node.get("kind").is_some();
            let dim = (!open).then_some(wanted.dim);
            let read = texture(&node, dim, wanted.scalar)?;
            if open && !matches!(read.dim(), Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube) {
                let message = "the program reads a 1d, 2d, 3d or cube texture";
                return Err(node.error_under("kind", message));
            }
            Ok(Some(read))
        }
        None if partial || !resources::has_register(&wanted.name) => Ok(None),
        None => Err(object.error(format!("{} is missing: the program reads it", wanted.name))),
    });
    each.collect()
}

/// The keys of the sides of a texture or an image.
pub(super) const SIDES: [&str; 5] = ["width", "height", "depth", "layers", "samples"];

/// The sides of a texture or an image. One that the dimension does not have is 1, and another number for it is an error where
/// the extent is used.
pub(super) fn extent(object: &Node<'_, '_>, dim: Dim) -> Result<Extent> {
    let needed = [true, dim.axes() > 1, dim == Dim::D3, dim.arrayed(), dim.multisampled()];
    let mut sizes = [1; 5];
    for ((size, key), needed) in sizes.iter_mut().zip(SIDES).zip(needed) {
        match object.get(key) {
            Some(node) => *size = integer(&node, 134_217_728.0)? as u32,
            None if needed => return Err(object.error(format!("{key} is missing"))),
            None => {}
        }
    }
    let [width, height, depth, layers, samples] = sizes;
    Ok(Extent { width, height, depth, layers, samples })
}

fn texture(object: &Node<'_, '_>, wanted: Option<Dim>, scalar: Scalar) -> Result<Texture> {
    object.object()?;
    let mut known = vec!["kind", "rgba8", "levels", "texels", "generate_levels"];
    known.extend(SIDES);
    only(object, &known)?;
    let kind = match object.get("kind") {
        Some(node) => Some(word(&node, Dim::ALL, Dim::name)?),
        None => None,
    };
    let dim = match (wanted, kind) {
        (Some(wanted), Some(kind)) if wanted != kind => {
            let message = format!("the program reads a {} texture", wanted.name());
            return Err(object.error_under("kind", message));
        }
        (Some(dim), _) | (None, Some(dim)) => dim,
        (None, None) => {
            let words: Vec<&str> = Dim::ALL.iter().map(|dim| dim.name()).collect();
            return Err(object.error(format!("kind is missing: expected one of {}", words.join(", "))));
        }
    };
    let extent = extent(object, dim)?;
    let bytes = |node: &Node<'_, '_>, level: usize| texels(node, extent.level(level as u32));
    let levels: Vec<Vec<[u32; 4]>> = match (object.get("rgba8"), object.get("levels"), object.get("texels")) {
        (Some(_), None, None) | (None, Some(_), None) if scalar != Scalar::F32 => {
            let message =
                format!("the program reads {} texels: give them under the key texels", scalar.name());
            return Err(object.error(message));
        }
        (Some(node), None, None) => vec![bytes(&node, 0)?],
        (None, Some(node), None) => {
            let levels = node.items()?.enumerate();
            levels.map(|(level, item)| bytes(&item, level)).collect::<Result<_>>()?
        }
        (None, None, Some(node)) => {
            let level = |node: Node<'_, '_>| -> Result<Vec<[u32; 4]>> {
                node.items()?.map(|item| lanes(&item, scalar, 4, 4, [0; 4])).collect()
            };
            node.items()?.map(level).collect::<Result<_>>()?
        }
        _ => return Err(object.error("expected one of rgba8, levels and texels")),
    };
    let generate = truth(object, "generate_levels")?;
    if generate && levels.len() != 1 {
        let message = "levels that are given cannot also be generated";
        return Err(object.error_under("generate_levels", message));
    }
    let texture = Texture::new(dim, scalar, extent, levels);
    let mut texture = texture.map_err(|e| object.error(e.to_string()))?;
    if generate {
        texture.generate_levels();
    }
    Ok(texture)
}

/// The bytes of a level, which may be nested by texels, rows and slices.
fn texels(node: &Node<'_, '_>, extent: Extent) -> Result<Vec<[u32; 4]>> {
    fn collect(node: &Node<'_, '_>, out: &mut Vec<u8>, parts: &[u64]) -> Result<()> {
        for item in node.items()? {
            if item.is_list() {
                let start = out.len();
                collect(&item, out, parts)?;
                let length = (out.len() - start) as u64;
                if !parts.contains(&length) {
                    return Err(item.error(format!("{length} bytes are not a texel, a row or a slice")));
                }
            } else {
                out.push(integer(&item, 255.0)? as u8);
            }
        }
        Ok(())
    }
    let row = u64::from(extent.width).saturating_mul(u64::from(extent.samples)).saturating_mul(4);
    let slice = row.saturating_mul(u64::from(extent.height));
    let mut out = Vec::new();
    collect(node, &mut out, &[4, row, slice])?;
    if out.len() % 4 != 0 {
        return Err(node.error(format!("{} bytes are not a whole number of texels", out.len())));
    }
    Ok(out
        .chunks_exact(4)
        .map(|t| [t[0], t[1], t[2], t[3]].map(|b| (f32::from(b) / 255.0).to_bits()))
        .collect())
}
