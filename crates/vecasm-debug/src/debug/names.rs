//! Finding cells by name.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::Shader;
use vecasm_ir::ir::shader::register_name;
use vecasm_ir::ir::steps::{Cell, Step, first_of};
use vecasm_ir::ir::{LocalId, OutputId, ParamId, StateId};

/// Most names that are taken from a program's own tables.
const MAX_SYMBOLS: usize = 4096;

/// The cells that a shader's source can name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Cells of the step table, outputs, states and parameters that were given names, by name.
    cells: BTreeMap<String, Cell>,
    /// Arrays: name, with brackets if numbers stand in them, number of their first element, number of elements, and the
    /// cell of the first one.
    arrays: Vec<(String, i64, u32, Cell)>,
    /// What the program calls elements of parameter arrays.
    symbols: BTreeMap<String, Cell>,
    called: BTreeMap<Cell, String>,
}

impl Names {
    /// Of a shader with its step table.
    pub fn of(shader: &Shader) -> Self {
        let mut out = Self::default();
        let accesses = shader.steps.iter().flat_map(Step::accesses);
        let named = accesses.map(|access| access.cell).filter(|cell| !cell.is_computed());
        let outputs = (0..shader.outputs.len()).map(|n| Cell::Output(OutputId(n as u32)));
        let states = (0..shader.states.len()).map(|n| Cell::State(StateId(n as u32)));
        for cell in named.chain(outputs).chain(states) {
            out.cells.entry(shader.cell_name(cell)).or_insert(cell);
        }
        for (n, array) in shader.params.iter().enumerate() {
            let id = ParamId(n as u32);
            let brackets = shader.param_name(id, 0).ends_with(']');
            let file = if brackets { format!("{}[]", array.name) } else { array.name.clone() };
            out.arrays.push((file, 0, array.size, Cell::Param(id, 0)));
        }
        for (n, array) in shader.locals.iter().enumerate() {
            let (file, first) = first_of(&array.name);
            let file = if file.len() < array.name.len() { format!("{file}[]") } else { file.into() };
            out.arrays.push((file, first, array.size, Cell::Local(LocalId(n as u32), 0)));
        }
        for symbol in &shader.symbols.constants {
            let Some(array) = shader.params.iter().position(|array| array.name == symbol.array) else {
                continue;
            };
            for n in 0..symbol.count {
                let Some(element) = symbol.first.checked_add(n).filter(|_| out.symbols.len() < MAX_SYMBOLS)
                else {
                    break;
                };
                let name =
                    if symbol.count == 1 { symbol.name.clone() } else { format!("{}[{n}]", symbol.name) };
                let cell = Cell::Param(ParamId(array as u32), element);
                out.called.entry(cell).or_insert_with(|| name.clone());
                out.symbols.entry(name).or_insert(cell);
            }
        }
        out
    }

    /// What the program calls a cell, where it has a table of constants: `World[2]`.
    pub fn called(&self, cell: Cell) -> Option<&str> {
        self.called.get(&cell).map(String::as_str)
    }

    /// The cell of that name: as the step table spells it (`ft0`, `vc[3]`), an element of an array without its brackets
    /// (`vc3`), or as the program calls a constant
    /// (`World[2]`). Capitals and small letters are told apart only where both exist.
    pub fn cell(&self, name: &str) -> Option<Cell> {
        self.exact(name, |a, b| a == b).or_else(|| self.exact(name, str::eq_ignore_ascii_case))
    }

    /// What names like this one there are, for a message.
    pub fn known(&self) -> String {
        let mut all: Vec<String> = self.cells.keys().take(24).cloned().collect();
        all.extend(self.arrays.iter().map(|(name, first, size, _)| {
            let last = first.saturating_add(i64::from(size.saturating_sub(1)));
            let [first, last] = [*first, last].map(|n| register_name(name, n.try_into().unwrap_or(0)));
            format!("{first} to {last}")
        }));
        all.join(", ")
    }

    fn exact(&self, name: &str, same: impl Fn(&str, &str) -> bool) -> Option<Cell> {
        let find =
            |map: &BTreeMap<String, Cell>| map.iter().find(|(n, _)| same(n, name)).map(|(_, cell)| *cell);
        find(&self.cells).or_else(|| find(&self.symbols)).or_else(|| {
            self.arrays.iter().find_map(|(array, from, size, first)| {
                let array = array.strip_suffix("[]").unwrap_or(array);
                let rest = name
                    .get(array.len()..)
                    .filter(|_| name.get(..array.len()).is_some_and(|n| same(n, array)))?;
                let digits = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')).unwrap_or(rest);
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let number: i64 = digits.parse().ok().filter(|_| plain)?;
                let number = u32::try_from(number.checked_sub(*from)?).ok().filter(|n| n < size)?;
                Some(match *first {
                    Cell::Param(id, _) => Cell::Param(id, number),
                    Cell::Local(id, _) => Cell::Local(id, number),
                    other => other,
                })
            })
        })
    }
}
