//! The documents about what `vecasm info` says: the JSON Schema of the types of `vecasm::reflect`, and a page with a table for
//! each of them, made of the schema.

use crate::docs::cell;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use vecasm::isa::Isa;
use vecasm::reflect;

/// The schema. It says where it comes from in its first lines.
pub(crate) fn schema() -> String {
    const COMMENT: &str = "Written by `cargo xtask docs` from the types of vecasm::reflect.";
    reflect::schema().replacen('{', &format!("{{\n  \"$comment\": \"{COMMENT}\","), 1) + "\n"
}

const HEAD: &str = "\
# Facts about programs

<!-- Written by `cargo xtask docs` from the types of vecasm::reflect. Edit their documentation, not this file. -->

`vecasm info` says what a program is and uses: a line of JSON for each program in a pipe and with `--json`, text on a terminal.

```sh
vecasm info --json examples/nv2a/ > facts.jsonl
vecasm info --format text examples/agal/plasma.frag.agal
```

The library gives the same as data: `Program::info` gives a `vecasm::reflect::Info`, which with the feature `serde` is serialized
to the same JSON, key for key. Names of files and the hash are what the caller adds. [many-inputs.md](many-inputs.md) says how files are found, and what
`check --json` writes of each.

[info.schema.json](info.schema.json) is the JSON Schema (2020-12) of a line; the library has it as `vecasm::reflect::schema`, with
the feature `schemars`. The key `schema` of a line is the version of the format, now ";

const CHANGES: &str = ". Within a version keys are only added, so
readers must skip those that they do not know; if a key goes or gets another meaning, the version changes.

In the tables, keys with `?` are left out where there is nothing to say.
";

/// The page. Types come after the first one that uses them.
pub(crate) fn page() -> Result<String, String> {
    let schema: Value = serde_json::from_str(&reflect::schema()).map_err(|why| why.to_string())?;
    let defs = schema["$defs"].as_object().ok_or("the schema has no definitions")?;
    let mut page = Page { defs, out: format!("{HEAD}{}{CHANGES}", reflect::SCHEMA), done: Vec::new() };
    page.section("Every program", "##", &schema)?;
    let facts = schema["oneOf"].as_array().ok_or("the schema knows no instruction set")?;
    for facts in facts {
        let name = facts["properties"]["isa"]["const"].as_str().unwrap_or("");
        let isa: Isa = name.parse().map_err(|why| format!("{why}"))?;
        let target = target(facts).and_then(|name| defs.get(name)).ok_or("facts without a definition")?;
        page.section(isa.title(), "##", target)?;
    }
    page.words();
    let is_section = |name: &str| facts.iter().any(|facts| target(facts) == Some(name));
    let is_missed =
        |name: &&String| is_object(&defs[*name]) && !page.done.contains(name) && !is_section(name);
    let missed = defs.keys().find(is_missed).cloned();
    missed.map_or(Ok(page.out), |name| Err(format!("docs/info.md does not say what {name} is")))
}

struct Page<'a> {
    defs: &'a Map<String, Value>,
    out: String,
    done: Vec<String>,
}

/// The name of the definition that a schema refers to.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Whether a schema is that of an object with known keys.
fn is_object(schema: &Value) -> bool {
    schema["properties"].is_object()
}

impl<'a> Page<'a> {
    /// A table of the keys of an object, and the sections of what they refer to.
    fn section(&mut self, title: &str, level: &str, schema: &'a Value) -> Result<(), String> {
        let about = schema["description"].as_str().unwrap_or("");
        let _ = write!(self.out, "\n{level} {title}\n\n{}\n\n", text(about));
        self.out.push_str("| key | value | meaning |\n|---|---|---|\n");
        let (mut named, mut keys) = (Vec::new(), Vec::new());
        let none = Vec::new();
        let others = schema["anyOf"].as_array().unwrap_or(&none);
        let others =
            others.iter().filter_map(|other| self.defs.get(target(other)?)).map(|other| (other, true));
        for (schema, optional) in [(schema, false)].into_iter().chain(others) {
            let required = schema["required"].as_array().unwrap_or(&none);
            for (key, value) in schema["properties"].as_object().into_iter().flatten() {
                // Alternatives may share keys.
                if keys.contains(&key) {
                    continue;
                }
                keys.push(key);
                let left_out = optional || !required.iter().any(|name| name == key);
                let mark = if left_out { " ?" } else { "" };
                let about = value["description"].as_str().unwrap_or("");
                let kind = self.kind(value, &mut named);
                let _ = writeln!(self.out, "| `{key}`{mark} | {kind} | {} |", cell(&text(about)));
            }
        }
        for other in schema["anyOf"].as_array().into_iter().flatten().filter_map(target) {
            self.done.push(other.into());
        }
        let below = if level == "##" { "###" } else { level };
        for name in named {
            let new = !self.done.iter().any(|done| done == name);
            if let Some(schema) = self.defs.get(name).filter(|schema| new && is_object(schema)) {
                self.done.push(name.into());
                self.section(name, below, schema)?;
            }
        }
        Ok(())
    }

    /// What a value is, in words, with links to the sections of its parts, whose names go to `named`.
    fn kind(&self, schema: &'a Value, named: &mut Vec<&'a str>) -> String {
        if let Some(name) = target(schema) {
            let schema = &self.defs[name];
            if is_object(schema) {
                named.push(name);
                return format!("[{name}](#{})", name.to_lowercase());
            }
            return if schema["enum"].is_array() {
                format!("[word](#words) ({name})")
            } else {
                self.kind(schema, named)
            };
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choices: Vec<String> = choices.iter().map(|choice| self.kind(choice, named)).collect();
            return choices.join(" or ");
        }
        if schema["pattern"].is_string() {
            return "lanes".into();
        }
        let types = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => Vec::from_iter(one.as_str()),
        };
        let words = types.into_iter().map(|ty| match ty {
            "array" => {
                let count = schema["minItems"].as_u64().map_or(String::new(), |count| format!("{count} "));
                format!("list of {count}{}", several(self.kind(&schema["items"], named)))
            }
            "object" => match schema["patternProperties"].as_object().and_then(|map| map.values().next()) {
                Some(values) => format!("map from numbers to {}", several(self.kind(values, named))),
                None => {
                    let values = self.kind(&schema["additionalProperties"], named);
                    format!("map from names to {}", several(values))
                }
            },
            other => other.to_string(),
        });
        words.collect::<Vec<_>>().join(" or ")
    }

    fn words(&mut self) {
        self.out.push_str(
            "\n## Words\n\nLanes are letters of `xyzw` in this order.\n\n| word | one of |\n|---|---|\n",
        );
        for (name, schema) in self.defs {
            let Some(words) = schema["enum"].as_array() else { continue };
            let words: Vec<String> =
                words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
            let _ = writeln!(self.out, "| {name} | {} |", words.join(", "));
        }
    }
}

/// Values of a kind.
fn several(kind: String) -> String {
    match &kind[..] {
        "integer" | "number" | "string" => kind + "s",
        _ if kind.contains(" or ") => format!("({kind})"),
        _ => kind,
    }
}

/// Documentation in one line.
fn text(about: &str) -> String {
    about.replace('\n', " ")
}
