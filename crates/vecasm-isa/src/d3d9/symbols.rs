//! The names of constants in the tables of a program, for files that give constants by name: those of the shader, and those of its
//! preshader.

use super::ctab::{self, ConstantTable, RegisterSet, Type};
use super::preshader::{self, File};
use super::program::Program;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::symbols::{Shape, Symbol, Symbols, TextureSymbol};

/// The array of the constants that a preshader reads. No shader has it.
pub const PRESHADER: &str = "preshader c";

/// The names in the tables of a program, and the registers that its preshader writes.
pub fn of(program: &Program) -> Symbols {
    let mut out = Symbols::default();
    let table = ctab::of(program).0;
    add(table.as_ref(), None, &mut out.constants);
    out.textures = table.as_ref().map(textures).unwrap_or_default();
    if let Some(preshader) = preshader::of(program).0 {
        add(preshader.table().0.as_ref(), Some(PRESHADER), &mut out.constants);
        out.computed = preshader
            .written()
            .into_iter()
            .map(|(file, number)| {
                let array = match file {
                    File::Int => "i",
                    File::Bool => "b",
                    _ => "c",
                };
                (String::from(array), number)
            })
            .collect();
    }
    out.defaults = defaults(table.as_ref());
    // What the preshader sets it sets after these.
    out.defaults.retain(|(array, element, _)| !out.computed.iter().any(|c| c.0 == *array && c.1 == *element));
    out
}

/// The default values of a table, register by register: those that D3DX sets with `SetDefaults`; the runtime itself sets none.
/// Compilers write zeros where the source gives no value, so a constant of nothing but zeros has none.
fn defaults(table: Option<&ConstantTable>) -> Vec<(String, u32, [u32; 4])> {
    let mut out = Vec::new();
    for constant in table.iter().flat_map(|table| &table.constants) {
        let set = constant.register_set().filter(|set| *set != RegisterSet::Sampler);
        let (Some(set), Some(words)) = (set, &constant.default) else { continue };
        if words.iter().all(|word| *word == 0) {
            continue;
        }
        let of = |bits: &[u32]| match *bits {
            [x, y, z, w] => [x, y, z, w],
            _ => [u32::from(bits != [0]); 4],
        };
        // What the type has beyond its registers belongs to others.
        let values = words.chunks_exact(if set == RegisterSet::Bool { 1 } else { 4 }).map(of);
        for (n, value) in (0..u32::from(constant.count)).zip(values) {
            out.push((String::from(set.letter()), u32::from(constant.index) + n, value));
        }
    }
    out
}

/// The names of samplers; one of several is called `name[n]`.
fn textures(table: &ConstantTable) -> Vec<TextureSymbol> {
    let mut out = Vec::new();
    for constant in table.constants.iter().filter(|c| c.register_set() == Some(RegisterSet::Sampler)) {
        let (name, first, count) = (&constant.name, u32::from(constant.index), constant.count);
        // No model has more registers.
        for n in 0..u32::from(count.min(16)) {
            let name = if count == 1 { name.clone() } else { format!("{name}[{n}]") };
            out.push(TextureSymbol { name, slot: first + n });
        }
    }
    out
}

fn add(table: Option<&ConstantTable>, array: Option<&str>, out: &mut Vec<Symbol>) {
    for constant in table.iter().flat_map(|table| &table.constants) {
        let set = constant.register_set();
        let Some(set) = set.filter(|set| *set != RegisterSet::Sampler) else { continue };
        out.push(Symbol {
            name: constant.name.clone(),
            array: array.map_or_else(|| String::from(set.letter()), String::from),
            first: constant.index.into(),
            count: constant.count.into(),
            single: set == RegisterSet::Bool,
            shape: shape(&constant.ty),
        });
    }
}

/// How a value of a type lies in registers.
fn shape(ty: &Type) -> Shape {
    let one = if ty.members.is_empty() {
        // A class without rows is one row of its columns.
        let by_columns = ty.class_name() == "matrix_columns";
        let rows = if by_columns || ty.class_name() == "matrix_rows" { ty.rows } else { 1 };
        Shape::Matrix { rows, columns: ty.columns, by_columns }
    } else {
        Shape::Struct(ty.members.iter().map(|member| (member.name.clone(), shape(&member.ty))).collect())
    };
    if ty.elements > 1 { Shape::Array(Box::new(one), ty.elements) } else { one }
}
