//! Running geometry programs of TGSI: what they are given, and the primitives that Mesa's interpreter gave.

use super::File;
use super::tgsi_exec::{Tolerance, cases, register, section, vector};
use serde_json::Value;
use std::path::Path;
use vecasm::exec::Outputs;
use vecasm::ir::{Input, InputKind, Shader, System};

/// Single programs.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![cases(shared, "oracle/tgsi/exec_gs.jsonl")]
}

/// An input, for one primitive: one of each vertex, or one of each invocation.
pub(super) fn given(row: &Value, shader: &Shader, input: &Input) -> Result<Vec<[u32; 4]>, String> {
    let of_vertex = |vertex: u32, number: &str| -> Result<[u32; 4], String> {
        let vertex = section(row, "gin").and_then(|vertices| vertices.get(&vertex.to_string()));
        vertex.and_then(|vertex| vertex.get(number)).map_or(Ok([0; 4]), vector)
    };
    let Some(number) = register(&input.name, "IN") else {
        // What one of its lanes has, every invocation is told: one of them is looked at.
        let given = register(&input.name, "SV")
            .and_then(|number| section(row, "sv")?.get(number)?.as_array()?.first())
            .map(vector)
            .transpose()?;
        return Ok(given.map_or(Vec::new(), |[x, ..]| vec![[x, 0, 0, 0]; shader.setup.invocations as usize]));
    };
    if input.kind == InputKind::System(System::PrimitiveIndex) {
        return Ok(vec![[of_vertex(0, number)?[0], 0, 0, 0]]);
    }
    (0..shader.setup.vertices_in).map(|vertex| of_vertex(vertex, number)).collect()
}

/// Compares the primitives of the first invocation. Without the faults of the interpreter those without vertices do not come
/// out.
pub(super) fn compare(
    row: &Value,
    tolerance: Tolerance,
    shader: &Shader,
    outputs: &Outputs,
) -> Result<(), String> {
    let expect = row.get("expect").ok_or("nothing is expected")?;
    let list = expect.get("streams").and_then(Value::as_array).ok_or("no streams are expected")?;
    let mut wanted = vec![Vec::new(); outputs.streams.len()];
    for primitive in list {
        let (Some(stream), Some(vertices)) =
            (primitive.get(0).and_then(Value::as_u64), primitive.get(1).and_then(Value::as_array))
        else {
            return Err("a primitive is a stream and its vertices".into());
        };
        if vertices.is_empty() && !shader.setup.one_sequence {
            continue;
        }
        let stream = wanted.get_mut(stream as usize).ok_or("a stream to which nothing was emitted")?;
        stream.push(vertices);
    }
    let places: Vec<usize> = {
        let number = |name: &str| register(name, "OUT").and_then(|number| number.parse().ok());
        shader.outputs.iter().map(|output| number(&output.name).unwrap_or(usize::MAX)).collect()
    };
    for (stream, (got, wanted)) in outputs.streams.iter().zip(wanted).enumerate() {
        let got: Vec<_> = got.iter().filter(|primitive| primitive.invocation == 0).collect();
        if got.len() != wanted.len() {
            return Err(format!("stream {stream} has {} primitives, not {}", got.len(), wanted.len()));
        }
        for (n, (got, wanted)) in got.iter().zip(wanted).enumerate() {
            if got.vertices.len() != wanted.len() {
                let (got, wanted) = (got.vertices.len(), wanted.len());
                return Err(format!("stream {stream}, primitive {n} has {got} vertices, not {wanted}"));
            }
            for (k, (got, wanted)) in got.vertices.iter().zip(wanted).enumerate() {
                for (&place, (&got, output)) in places.iter().zip(got.iter().zip(&shader.outputs)) {
                    let wanted = wanted.get(place).map(vector).transpose()?.unwrap_or([0; 4]);
                    if !tolerance.allows(got, wanted, 15) {
                        let words = |v: [u32; 4]| v.map(|word| format!("{word:08x}")).join(" ");
                        return Err(format!(
                            "stream {stream}, primitive {n}, vertex {k}, {}: {}, not {}",
                            output.name,
                            words(got),
                            words(wanted)
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}
