//! An expression as its source says it: by names, in the words of HLSL.

use super::{File, Instruction, Op, Operand, Preshader, Slot};
use crate::d3d9::ctab::{Constant, RegisterSet};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// Bytes of a text that is not written any longer: every use of a temporary repeats what is in it.
const LONGEST: usize = 240;

/// How closely a text holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Comparison,
    Sum,
    Product,
    Sign,
    Name,
}

/// What a lane holds, as text.
#[derive(Clone, Debug)]
struct Term {
    text: String,
    level: Level,
}

impl Term {
    const fn name(text: String) -> Self {
        Self { text, level: Level::Name }
    }

    /// The text where only what holds together at least so may stand.
    fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// The first lanes that an expression computes, by the names of its table: `PSIndices[ShaderIndex]`, one text a lane. `None` if a lane is not written, if the expression has what HLSL has no word for, and if a text would be too long.
pub fn infix(preshader: &Preshader, lanes: u32) -> Option<Vec<String>> {
    let table = preshader.table().0?;
    let mut names = Names { preshader, constants: &table.constants, lanes: BTreeMap::new() };
    for instruction in preshader.code() {
        names.run(instruction)?;
    }
    (0..lanes)
        .map(|lane| names.lanes.get(&(File::Float.code(), lane)).map(|term| term.text.clone()))
        .collect()
}

/// What the lanes of temporaries and results hold.
struct Names<'a> {
    preshader: &'a Preshader,
    constants: &'a [Constant],
    lanes: BTreeMap<(u32, u32), Term>,
}

impl Names<'_> {
    fn run(&mut self, instruction: &Instruction) -> Option<()> {
        let op = instruction.op()?;
        if instruction.result.index.is_some() || instruction.lanes() > 4 {
            return None;
        }
        let mut made = Vec::new();
        for lane in 0..instruction.result_lanes() {
            made.push(match op {
                Op::Dot => self.products(instruction)?,
                _ => {
                    let count = instruction.operands.len();
                    let operand = |n| {
                        let lane = if n == 0 && instruction.is_scalar() { 0 } else { lane };
                        self.read(*instruction.operands.get(n)?, lane)
                    };
                    let terms: Vec<Term> = (0..count).map(operand).collect::<Option<_>>()?;
                    applied(op, &terms)?
                }
            });
        }
        let to = instruction.result.slot;
        for (lane, term) in (0..).zip(made) {
            if term.text.len() > LONGEST {
                return None;
            }
            self.lanes.insert((to.table, to.offset.checked_add(lane)?), term);
        }
        Some(())
    }

    /// The sum of the products of the lanes of two operands.
    fn products(&self, of: &Instruction) -> Option<Term> {
        let mut words = Vec::new();
        for lane in 0..of.lanes() {
            let [a, b] = [0, 1].map(|n| {
                let lane = if n == 0 && of.is_scalar() { 0 } else { lane };
                self.read(*of.operands.get(n)?, lane)
            });
            words.push(format!("{} * {}", a?.at(Level::Product), b?.at(Level::Sign)));
        }
        let level = if words.len() > 1 { Level::Sum } else { Level::Product };
        Some(Term { text: words.join(" + "), level })
    }

    fn read(&self, operand: Operand, lane: u32) -> Option<Term> {
        let Slot { table, offset } = operand.slot;
        let offset = offset.checked_add(lane)?;
        let file = File::from_code(table)?;
        match (file, operand.index) {
            (File::Literal, None) => {
                let value = f64::from_bits(*self.preshader.literals().get(offset as usize)?);
                let level = if value.is_sign_negative() { Level::Sign } else { Level::Name };
                value.is_finite().then(|| Term { text: value.to_string(), level })
            }
            (File::Constant, None) => self.constant(offset, None),
            (File::Constant, Some(index)) => {
                let index = self.read(Operand { slot: index, index: None }, 0)?;
                self.constant(offset, Some(&index))
            }
            (File::Temp | File::Float, None) => self.lanes.get(&(table, offset)).cloned(),
            _ => None,
        }
    }

    /// The name of a lane of a constant, or of one as many elements of an array behind it as an index says.
    fn constant(&self, offset: u32, index: Option<&Term>) -> Option<Term> {
        let (register, lane) = (offset / 4, offset % 4);
        let constant = self.constants.iter().find(|constant| {
            let first = u32::from(constant.index);
            let range = first..first + u32::from(constant.count);
            constant.register_set() == Some(RegisterSet::Float4) && range.contains(&register)
        })?;
        let ty = &constant.ty;
        // Members of structures have offsets of their own.
        if !ty.members.is_empty() {
            return None;
        }
        let is_matrix = ty.class_name().starts_with("matrix");
        let each = match ty.class_name() {
            "matrix_rows" => u32::from(ty.rows),
            "matrix_columns" => u32::from(ty.columns),
            _ => 1,
        };
        let behind = register - u32::from(constant.index);
        let (element, line) = (behind.checked_div(each)?, behind.checked_rem(each)?);
        let mut name = constant.name.clone();
        match index {
            // An index counts registers.
            Some(index) if each == 1 && ty.elements > 1 => {
                let more = if element > 0 { format!(" + {element}") } else { String::new() };
                let index = if element > 0 { index.at(Level::Sum) } else { index.text.clone() };
                name.push_str(&format!("[{index}{more}]"));
            }
            Some(_) => return None,
            None if ty.elements > 1 => name.push_str(&format!("[{element}]")),
            None => {}
        }
        let [row, column] = if ty.class_name() == "matrix_columns" { [lane, line] } else { [line, lane] };
        if is_matrix {
            name.push_str(&format!("._m{row}{column}"));
        } else if ty.columns > 1 || ty.class_name() == "vector" {
            name.push_str([".x", ".y", ".z", ".w"][lane as usize]);
        } else if lane > 0 {
            return None;
        }
        Some(Term::name(name))
    }
}

/// What an operation makes of lanes.
fn applied(op: Op, of: &[Term]) -> Option<Term> {
    let call = |name: &str| {
        let words: Vec<&str> = of.iter().map(|term| term.text.as_str()).collect();
        Term::name(format!("{name}({})", words.join(", ")))
    };
    // The runtime takes the size of these.
    let of_size = |name: &str| Some(Term::name(format!("{name}(abs({}))", of.first()?.text)));
    let between = |word: &str, level: Level, right: Level| {
        let [a, b] = of else { return None };
        Some(Term { text: format!("{} {word} {}", a.at(level), b.at(right)), level })
    };
    Some(match (op, of) {
        (Op::Nop, _) => return None,
        (Op::Mov, [a]) => a.clone(),
        (Op::Neg, [a]) => Term { text: format!("-{}", a.at(Level::Name)), level: Level::Sign },
        (Op::Rcp, [a]) => Term { text: format!("1 / {}", a.at(Level::Sign)), level: Level::Product },
        (Op::Log, _) => return of_size("log2"),
        (Op::Rsq, _) => return of_size("rsqrt"),
        (Op::Exp, _) => call("exp2"),
        (Op::Frc, _) => call("frac"),
        (Op::Sin | Op::Cos | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 | Op::Min | Op::Max, _) => {
            call(op.name())
        }
        (Op::Lt, _) => return between("<", Level::Sum, Level::Sum).map(truth),
        (Op::Ge, _) => return between(">=", Level::Sum, Level::Sum).map(truth),
        (Op::Mul, _) => return between("*", Level::Product, Level::Sign),
        (Op::Add, [a, b]) => match b.text.strip_prefix('-').filter(|_| b.level == Level::Sign) {
            Some(b) => Term { text: format!("{} - {b}", a.at(Level::Sum)), level: Level::Sum },
            None => return between("+", Level::Sum, Level::Sum),
        },
        (Op::Cmp, [a, b, c]) => {
            let text =
                format!("{} >= 0 ? {} : {}", a.at(Level::Sum), b.at(Level::Comparison), c.at(Level::Choice));
            Term { text, level: Level::Choice }
        }
        // The runtime gives 0 for a division, and of the last one no source is known.
        _ => return None,
    })
}

/// A comparison.
fn truth(term: Term) -> Term {
    Term { level: Level::Comparison, ..term }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, VERSION};
    use super::*;
    use crate::d3d9::ctab::{CLASSES, ConstantTable, KINDS, Type};

    fn constant(name: &str, index: u16, class: &str, (columns, elements): (u16, u16)) -> Constant {
        let class = CLASSES.iter().position(|&word| word == class).unwrap() as u16;
        let kind = KINDS.iter().position(|&word| word == "float").unwrap() as u16;
        let ty = Type { class, kind, rows: 1, columns, elements, members: Vec::new() };
        Constant { name: name.into(), set: 2, index, count: elements, reserved: 0, ty, default: None }
    }

    /// What a text of instructions says with these constants: an index, an array of scalars from c1 on, a vector in c5.
    fn said(code: &str, lanes: u32) -> Option<Vec<String>> {
        let table = ConstantTable {
            constants: [
                constant("Index", 0, "scalar", (1, 1)),
                constant("Table", 1, "scalar", (1, 4)),
                constant("Tint", 5, "vector", (4, 1)),
            ]
            .into(),
            creator: None,
            version: VERSION.0,
            flags: 0,
            target: None,
        };
        let (parsed, findings) = super::super::parse(&format!("preshader\n{code}"));
        assert!(findings.is_empty(), "{findings:?}");
        let mut preshader = parsed.unwrap();
        preshader.version = VERSION;
        preshader.blocks.retain(|block| !matches!(block, Block::Table(_)));
        preshader.set_table(&table);
        infix(&preshader, lanes)
    }

    /// What the lanes are is counted by hand from the registers above.
    #[test]
    fn lanes_have_names() {
        let one = |code: &str| said(code, 1).map(|mut all| all.remove(0));
        assert_eq!(one("mov c0.x, c0.x\n").as_deref(), Some("Index"));
        assert_eq!(one("mov c0.x, c1[c0.x].x\n").as_deref(), Some("Table[Index]"));
        assert_eq!(one("mov c0.x, c3[c0.x].x\n").as_deref(), Some("Table[Index + 2]"));
        assert_eq!(one("mov c0.x, c4.x\n").as_deref(), Some("Table[3]"));
        assert_eq!(one("add c0.x, c5.w, (-1)\n").as_deref(), Some("Tint.w - 1"));
        assert_eq!(
            one("add r0.x, c0.x, (1)\nmul c0.x, r0.x, c5.y\n").as_deref(),
            Some("(Index + 1) * Tint.y")
        );
        assert_eq!(one("lt r0.x, c0.x, (2)\nneg c0.x, r0.x\n").as_deref(), Some("-(Index < 2)"));
        assert_eq!(one("cmp c0.x, c5.x, c5.y, (3)\n").as_deref(), Some("Tint.x >= 0 ? Tint.y : 3"));
        assert_eq!(one("dot c0.x, c5.xy, c5.zw\n").as_deref(), Some("Tint.x * Tint.z + Tint.y * Tint.w"));
        assert_eq!(
            said("mul c0.xy, c0.x, c5.zw\n", 2),
            Some(["Index * Tint.z".into(), "Index * Tint.w".into()].into())
        );
        assert_eq!(
            said("mul c0.xy, c5.xy, c5.zw\n", 2),
            Some(["Tint.x * Tint.z".into(), "Tint.y * Tint.w".into()].into())
        );
        // Not written, an index beyond arrays, what no source says.
        assert_eq!(one("mov c0.y, c0.x\n"), None);
        assert_eq!(one("mov c0.x, c5[c0.x].x\n"), None);
        assert_eq!(one("div c0.x, c0.x, c5.x\n"), None);
        // Twice as long with each line.
        let doubled = "add r0.x, r0.x, r0.x\n".repeat(40);
        assert_eq!(one(&format!("mov r0.x, c0.x\n{doubled}mov c0.x, r0.x\n")), None);
    }
}
