//! Values of parameters, and expressions of them.

use super::Constant;
use crate::container::fx2::{self, Class, Element};
use crate::diag::Diagnostic;
use crate::isa::d3d9::ctab::RegisterSet;
use crate::isa::d3d9::preshader::run::Switches;
use crate::isa::d3d9::preshader::{Inputs, read, run};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The parameters of an effect by name, with their values.
pub(super) type Parameters<'a> = BTreeMap<&'a str, &'a fx2::Parameter>;

/// The parameters that have a default other than zeros.
pub(super) fn constants(effect: &fx2::Effect) -> Vec<Constant> {
    let all = effect.parameters.iter().filter_map(|parameter| {
        let rows = rows(&parameter.ty, &parameter.value);
        let is_given = rows.iter().flatten().any(|&number| number != 0.0);
        let name = parameter.ty.name.clone().filter(|_| is_given)?;
        Some(Constant { name, registers: registers(&parameter.ty, &parameter.value), rows })
    });
    all.collect()
}

/// The first register that an expression writes.
pub(super) fn evaluated(parameters: &Parameters<'_>, stream: &[u8]) -> Result<[f32; 4], Diagnostic> {
    let words: Vec<u32> =
        stream.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let (expression, findings) = read(&words);
    let Some(expression) = expression else {
        return findings.into_iter().next().map_or(Ok([0.0; 4]), Err);
    };
    let mut inputs = Inputs::of(&expression);
    for constant in expression.table().0.iter().flat_map(|table| &table.constants) {
        let Some(parameter) = parameters.get(constant.name.as_str()) else { continue };
        if constant.register_set() != Some(RegisterSet::Float4) {
            continue;
        }
        let values = registers(&parameter.ty, &parameter.value);
        for (n, value) in values.into_iter().take(constant.count.into()).enumerate() {
            inputs.set(u32::from(constant.index) + n as u32, value);
        }
    }
    let outputs = run(&expression, &inputs, &Switches::default())?;
    Ok(outputs.floats.first().map_or([0.0; 4], |(_, value)| *value))
}

/// The registers that a value fills.
fn registers(ty: &fx2::Type, value: &fx2::Value) -> Vec<[f32; 4]> {
    let mut out = Vec::new();
    for element in value {
        match element {
            Element::Words(words) if ty.class == Class::MatrixColumns => {
                let columns = (ty.columns as usize).max(1);
                for column in 0..columns {
                    let lanes = words.iter().skip(column).step_by(columns);
                    out.push(padded(lanes.map(|&word| ty.base.number(word) as f32)));
                }
            }
            Element::Words(_) => out.extend(rows_of(ty, element).map(|row| padded(row.into_iter()))),
            Element::Members(members) => {
                out.extend(ty.members.iter().zip(members).flat_map(|(ty, value)| registers(ty, value)));
            }
            _ => {}
        }
    }
    out
}

/// The rows of an element that has numbers.
fn rows_of<'v>(ty: &'v fx2::Type, element: &'v Element) -> impl Iterator<Item = Vec<f32>> + 'v {
    let words = if let Element::Words(words) = element { &words[..] } else { &[] };
    let rows = words.chunks((ty.columns as usize).max(1));
    rows.map(|row| row.iter().map(|&word| ty.base.number(word) as f32).collect())
}

/// Four lanes, zeros after the last.
fn padded(mut lanes: impl Iterator<Item = f32>) -> [f32; 4] {
    core::array::from_fn(|_| lanes.next().unwrap_or(0.0))
}

/// The rows of a value.
fn rows(ty: &fx2::Type, value: &fx2::Value) -> Vec<Vec<f32>> {
    let mut out = Vec::new();
    for element in value {
        match element {
            Element::Members(members) => {
                out.extend(ty.members.iter().zip(members).flat_map(|(ty, value)| rows(ty, value)));
            }
            _ => out.extend(rows_of(ty, element)),
        }
    }
    out
}

/// Sets a value to numbers, as far as they go.
pub(super) fn set(ty: &fx2::Type, value: &mut fx2::Value, numbers: &mut dyn Iterator<Item = f64>) {
    for element in value {
        match element {
            Element::Words(words) => {
                for (word, number) in words.iter_mut().zip(&mut *numbers) {
                    *word = match ty.base {
                        fx2::Base::Float => (number as f32).to_bits(),
                        _ => number as i32 as u32,
                    };
                }
            }
            Element::Members(members) => {
                for (ty, value) in ty.members.iter().zip(members) {
                    set(ty, value, numbers);
                }
            }
            _ => {}
        }
    }
}
