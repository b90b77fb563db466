//! Values of parameters, and expressions of them.

use super::Constant;
use crate::container::fx2::{self, Class, Element};
use crate::diag::Diagnostic;
use crate::isa::d3d9::ctab::RegisterSet;
use crate::isa::d3d9::preshader::run::Switches;
use crate::isa::d3d9::preshader::{Inputs, read, run};
use alloc::vec::Vec;

/// Values for the parameters of an effect: their defaults.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    pub(super) effect: &'a fx2::Effect,
}

impl Values<'_> {
    /// The parameters that have a default other than zeros.
    pub(super) fn constants(self) -> Vec<Constant> {
        let all = self.effect.parameters.iter().filter_map(|parameter| {
            let rows = rows(&parameter.ty, &parameter.value);
            let is_given = rows.iter().flatten().any(|&number| number != 0.0);
            let name = parameter.ty.name.clone().filter(|_| is_given)?;
            Some(Constant { name, registers: registers(&parameter.ty, &parameter.value), rows })
        });
        all.collect()
    }

    /// The first register that an expression writes.
    pub(super) fn evaluated(self, stream: &[u8]) -> Result<[f32; 4], Diagnostic> {
        let words: Vec<u32> = stream
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let (expression, findings) = read(&words);
        let Some(expression) = expression else {
            return findings.into_iter().next().map_or(Ok([0.0; 4]), Err);
        };
        let mut inputs = Inputs::of(&expression);
        for constant in expression.table().0.iter().flat_map(|table| &table.constants) {
            let Some(parameter) = self.effect.parameter(&constant.name) else { continue };
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
}

/// The registers that a value fills.
fn registers(ty: &fx2::Type, value: &fx2::Value) -> Vec<[f32; 4]> {
    let rows = rows(ty, value);
    // Columns of a matrix are those of its rows; members of structures have their own.
    if ty.class != Class::MatrixColumns {
        return if ty.class == Class::Struct {
            of_members(ty, value)
        } else {
            rows.iter().map(|row| padded(row)).collect()
        };
    }
    let per_element = (ty.rows as usize).max(1);
    let mut out = Vec::new();
    for matrix in rows.chunks(per_element) {
        for column in 0..ty.columns as usize {
            let column: Vec<f32> = matrix.iter().map(|row| row.get(column).copied().unwrap_or(0.0)).collect();
            out.push(padded(&column));
        }
    }
    out
}

fn of_members(ty: &fx2::Type, value: &fx2::Value) -> Vec<[f32; 4]> {
    let mut out = Vec::new();
    for element in value {
        let Element::Members(members) = element else { continue };
        for (ty, value) in ty.members.iter().zip(members) {
            out.extend(registers(ty, value));
        }
    }
    out
}

/// As four lanes, zeros behind the last.
fn padded(row: &[f32]) -> [f32; 4] {
    core::array::from_fn(|lane| row.get(lane).copied().unwrap_or(0.0))
}

/// The rows of a value.
fn rows(ty: &fx2::Type, value: &fx2::Value) -> Vec<Vec<f32>> {
    let mut out = Vec::new();
    for element in value {
        match element {
            Element::Words(words) => {
                let columns = (ty.columns as usize).max(1);
                let each = words.chunks(columns);
                out.extend(each.map(|row| row.iter().map(|&word| ty.base.number(word) as f32).collect()));
            }
            Element::Members(members) => {
                for (ty, value) in ty.members.iter().zip(members) {
                    out.extend(rows(ty, value));
                }
            }
            _ => {}
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
