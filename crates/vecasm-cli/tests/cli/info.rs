//! What `info` writes is what the library serializes, and what docs/info.schema.json says.

use crate::{ok, stdout, vecasm};
use serde_json::{Map, Value, json};
use std::path::Path;
use vecasm::open::Input;
use vecasm::reflect::nv2a::Draw;
use vecasm::reflect::{Origin, SCHEMA};
use vecasm::{LiftOptions, NoHost, OpenOptions, open};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Every line of `info` about the examples and the tests.
fn lines() -> Vec<String> {
    let [examples, tests] = ["examples", "tests"].map(|folder| format!("{ROOT}/{folder}"));
    // Many tests are of what cannot be read.
    let output = vecasm(&["info", "--json", &examples, &tests], "");
    stdout(&output).lines().map(String::from).collect()
}

#[test]
fn lines_are_what_the_library_serializes() {
    let mut seen = 0;
    for line in lines() {
        let json: Value = serde_json::from_str(&line).unwrap();
        let (file, name) = (json["file"].as_str().unwrap(), json["name"].as_str().unwrap());
        let Ok(bytes) = std::fs::read(file) else { panic!("{line}") };
        // The constants of a repro file, and includes, are matters of the command.
        let text = String::from_utf8_lossy(&bytes);
        if bytes.starts_with(b"{") || text.contains("#include") {
            continue;
        }
        let opened = open(&bytes, &OpenOptions::named(file), &mut NoHost);
        let number = json["program"].as_u64();
        let program = match number {
            Some(number) => opened.programs.into_iter().nth(number as usize - 1).unwrap(),
            None => opened.program(),
        };
        let origin =
            Origin::new(file).with_name(name).with_program(number.map(|number| number.try_into().unwrap()));
        let info = program.unwrap().info(&LiftOptions::default());
        // What a recording says of its programs, it says once for all of them.
        let draws = Draw::of(&Input::new(file, Some(file), bytes).draws(), number.unwrap_or(1) as usize);
        let info = info.with_origin(origin).with_sha256(json["sha256"].as_str().unwrap()).with_draws(draws);
        // Both ways: as a text, and through a value, which may not have a key twice.
        assert_eq!(serde_json::to_string(&info).unwrap(), line);
        assert_eq!(serde_json::to_value(&info).unwrap(), json);
        seen += 1;
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn lines_are_valid_by_the_schema() {
    let schema = std::fs::read_to_string(Path::new(ROOT).join("docs/info.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["schema"]["const"], SCHEMA);
    let mut isas = Map::new();
    for line in lines() {
        let json: Value = serde_json::from_str(&line).unwrap();
        assert!(line.starts_with(&format!("{{\"schema\":{SCHEMA},")), "{line}");
        whole(&schema, &schema, &json).unwrap_or_else(|why| panic!("{why}: {line}"));
        isas.insert(json["isa"].as_str().unwrap().into(), json);
    }
    assert_eq!(isas.len(), 4);
    for (isa, good) in &isas {
        let broken = |path: &str, value: Value| {
            let mut json = good.clone();
            *json.pointer_mut(path).unwrap() = value;
            check(&schema, &schema, &json).unwrap_err()
        };
        broken("/schema", json!(SCHEMA + 1));
        broken("/registers", json!(null));
        broken("/interface/outputs", json!([{ "name": "o" }]));
        broken("/stage", json!("pixel"));
        // The facts are those of one instruction set.
        let other = isas.keys().find(|other| *other != isa).unwrap();
        broken("/isa", json!(other));
    }
}

/// Whether a value is valid by a schema that describes every key of it: readers skip what they do not know, but what there is now
/// is described.
fn whole(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let known = check(root, schema, value)?;
    let mut keys = value.as_object().into_iter().flatten().map(|(key, _)| key);
    match keys.find(|key| !known.is_empty() && !known.contains(key)) {
        Some(unknown) => Err(format!("{unknown} is not described")),
        None => Ok(()),
    }
}

/// Whether a value is valid by a schema of the kind that the library makes: the keys that it describes, or what is wrong.
fn check<'a>(root: &'a Value, schema: &'a Value, value: &Value) -> Result<Vec<&'a String>, String> {
    let mut known = Vec::new();
    let Some(schema) = schema.as_object() else { return Ok(known) };
    let fail = |why: &str| Err(format!("{value} is not as {why} asks"));
    for (keyword, asked) in schema {
        match &keyword[..] {
            "$schema" | "$comment" | "$defs" | "title" | "description" | "format" => {}
            "$ref" => {
                let name = asked.as_str().unwrap().strip_prefix('#').unwrap();
                known.extend(check(root, root.pointer(name).unwrap(), value)?);
            }
            "const" if value != asked => return fail(&format!("const {asked}")),
            "const" => {}
            "enum" if !asked.as_array().unwrap().contains(value) => return fail("enum"),
            "enum" => {}
            "type" => {
                let is = |ty: &str| match ty {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "string" => value.is_string(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    other => panic!("no type {other}"),
                };
                let types = asked.as_array().map_or(std::slice::from_ref(asked), Vec::as_slice);
                if !types.iter().any(|ty| is(ty.as_str().unwrap())) {
                    return fail(&format!("type {asked}"));
                }
            }
            "minimum" if value.as_f64() < asked.as_f64() && value.is_number() => return fail("minimum"),
            "maximum" if value.as_f64() > asked.as_f64() => return fail("maximum"),
            "minItems"
                if value.as_array().is_some_and(|list| list.len() < asked.as_u64().unwrap() as usize) =>
            {
                return fail("minItems");
            }
            "maxItems"
                if value.as_array().is_some_and(|list| list.len() > asked.as_u64().unwrap() as usize) =>
            {
                return fail("maxItems");
            }
            "minimum" | "maximum" | "minItems" | "maxItems" => {}
            "pattern" => {
                assert_eq!(asked, "^x?y?z?w?$");
                let letters = value.as_str().unwrap_or_default();
                let sorted: String = "xyzw".chars().filter(|&letter| letters.contains(letter)).collect();
                if letters != sorted {
                    return fail("pattern");
                }
            }
            "required" => {
                let Some(object) = value.as_object() else { continue };
                for key in asked.as_array().unwrap() {
                    if !object.contains_key(key.as_str().unwrap()) {
                        return fail(&format!("required {key}"));
                    }
                }
            }
            "properties" => {
                for (key, asked) in asked.as_object().unwrap() {
                    let Some(value) = value.get(key) else { continue };
                    known.push(key);
                    whole(root, asked, value)?;
                }
            }
            "items" => {
                for value in value.as_array().into_iter().flatten() {
                    whole(root, asked, value)?;
                }
            }
            "additionalProperties" => {
                let described = |key: &String| {
                    schema.get("properties").is_some_and(|known| known.get(key).is_some())
                        || schema.contains_key("patternProperties")
                            && key.bytes().all(|byte| byte.is_ascii_digit())
                };
                for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !described(key))
                {
                    if asked == &json!(false) {
                        return fail(&format!("additionalProperties: {key}"));
                    }
                    whole(root, asked, value)?;
                }
            }
            "patternProperties" => {
                for (pattern, asked) in asked.as_object().unwrap() {
                    assert_eq!(pattern, "^\\d+$");
                    for value in value.as_object().into_iter().flatten().map(|(_, value)| value) {
                        whole(root, asked, value)?;
                    }
                }
            }
            "anyOf" | "oneOf" => {
                let tried: Vec<_> =
                    asked.as_array().unwrap().iter().map(|schema| check(root, schema, value)).collect();
                let good = tried.iter().filter(|tried| tried.is_ok()).count();
                if good == 0 || keyword == "oneOf" && good > 1 {
                    return fail(&format!("{keyword}, of which {good} fit, {tried:?}"));
                }
                known.extend(tried.into_iter().flatten().flatten());
            }
            other => panic!("no keyword {other}"),
        }
    }
    Ok(known)
}

#[test]
fn the_text_does_not_say_the_version_of_the_json() {
    let text = ok(&["info", "--format", "text", "--stage", "fragment"], "mov oc, v0\n");
    assert!(!stdout(&text).contains("schema"), "{}", stdout(&text));
}
