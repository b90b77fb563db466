//! What there is to say about a program of TGSI.

use serde_json::{Map, Value, json};
use vecasm::isa::operand::WriteMask;
use vecasm::isa::tgsi::Program;
use vecasm::isa::tgsi::names::{MemoryType, PropertyName};
use vecasm::isa::tgsi::program::{Declaration, Token};

/// The declarations of a program file by file, its properties, and how much of everything there is.
pub(crate) fn facts(program: &Program) -> Value {
    let mut files = Map::new();
    for declaration in program.declarations() {
        let word = declaration.file.name().map_or_else(|| format!("{:?}", declaration.file), str::to_string);
        let list = files.entry(word).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(declared(declaration));
        }
    }
    let mut properties = Map::new();
    for token in &program.tokens {
        let Token::Property(property) = token else { continue };
        let name = property.name;
        let word = name.name().map_or_else(|| format!("{name:?}"), str::to_string);
        properties.insert(word, property_value(program, name));
    }
    json!({
        "dialect": program.dialect.name(),
        "tokens": program.tokens.len(),
        "immediates": program.immediates().count(),
        "properties": properties,
        "registers": files,
    })
}

fn property_value(program: &Program, name: PropertyName) -> Value {
    program.property(name).map_or(Value::Null, |value| json!(value))
}

/// A declaration; what it does not say is left out.
fn declared(declaration: &Declaration) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        out.insert(name.to_string(), value);
    };
    put("first", json!(declaration.first));
    if declaration.last != declaration.first {
        put("last", json!(declaration.last));
    }
    if let Some(number) = declaration.dimension {
        put("dimension", json!(number));
    }
    if declaration.mask != WriteMask::ALL {
        put("mask", json!(declaration.mask.letters()));
    }
    if let Some(semantic) = declaration.semantic {
        put("semantic", json!(semantic.name.name()));
        put("index", json!(semantic.index));
        if semantic.streams != [0; 4] {
            put("streams", json!(semantic.streams));
        }
    }
    if let Some(how) = declaration.interpolation {
        put("interpolation", json!(how.mode.name()));
        put("location", json!(how.location.name()));
    }
    if let Some(array) = declaration.array {
        put("array", json!(array));
    }
    if let Some(view) = declaration.view {
        put("target", json!(view.target.name()));
        put("returns", json!(view.returns.map(|ty| ty.name())));
    }
    if let Some(image) = declaration.image {
        put("target", json!(image.target.name()));
        put("format", json!(image.format.name()));
        put("raw", json!(image.raw));
        put("writable", json!(image.writable));
    }
    if declaration.memory != MemoryType::Global {
        put("memory", json!(declaration.memory.name()));
    }
    for (name, set) in
        [("invariant", declaration.invariant), ("local", declaration.local), ("atomic", declaration.atomic)]
    {
        if set {
            put(name, json!(true));
        }
    }
    Value::Object(out)
}
