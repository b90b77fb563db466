//! Numbers, cells and operations in words.

use super::flow::{Flow, Site};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use vecasm_ir::ir::steps::{Access, Cell};
use vecasm_ir::ir::{Op, ParamId, Pure, Scalar, Shader};

/// A lane as a reader wants to see it.
pub fn number(bits: u32, scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::F32 => {
            let value = f32::from_bits(bits);
            let size = value.abs();
            if value.is_nan() {
                "NaN".into()
            } else if value.is_infinite() {
                if value > 0.0 { "Inf".into() } else { "-Inf".into() }
            } else if size != 0.0 && !(1e-4..1e7).contains(&size) {
                format!("{value:e}")
            } else {
                format!("{value}")
            }
        }
        Scalar::U32 | Scalar::F64 | Scalar::I64 | Scalar::U64 => bits.to_string(),
    }
}

/// A cell as the source spells it, constants as registers: `c8`, `vc3`.
pub(super) fn cell(shader: &Shader, cell: Cell) -> String {
    match cell {
        Cell::Param(id, index) => param(shader, id.index(), index),
        cell => shader.cell_name(cell),
    }
}

/// A constant register.
pub(super) fn param(shader: &Shader, array: usize, index: u32) -> String {
    shader.param_name(ParamId(array as u32), index)
}

/// A lane of a constant register.
pub(super) fn lane_of(shader: &Shader, array: usize, index: u32, lane: u8) -> String {
    format!("{}.{}", param(shader, array, index), letter(lane.into()))
}

pub(super) fn letter(lane: usize) -> char {
    ['x', 'y', 'z', 'w'].get(lane).copied().unwrap_or('?')
}

/// A lane of a cell: `r0.x`.
pub(super) fn lane(shader: &Shader, of: Cell, lane: usize) -> String {
    format!("{}.{}", cell(shader, of), letter(lane))
}

/// Where the lanes that a step reads stand, for finding the name of an operand.
pub(super) struct Names<'f, 'a> {
    flow: &'f Flow<'a>,
    read: BTreeMap<Site, (&'a Access, usize)>,
}

impl<'f, 'a> Names<'f, 'a> {
    /// Of the step of an event.
    pub(super) fn new(flow: &'f Flow<'a>, event: u32, invocation: u32) -> Self {
        let mut read = BTreeMap::new();
        for (access, lane, site) in flow.accesses(event, false, invocation) {
            let mut at = site;
            // The name stands at every place that the lane only passed through, the innermost being the value itself.
            while let Some(from) = moved(flow, at, false) {
                read.entry(from).or_insert((access, lane));
                at = from;
            }
        }
        Self { flow, read }
    }

    /// The access and lane that an operand comes from, with the modifiers on the way.
    pub(super) fn of(&self, operand: Site) -> Option<(&'a Access, usize, String)> {
        let mut at = operand;
        let (mut before, mut behind) = (String::new(), String::new());
        loop {
            if let Some(&(access, lane)) = self.read.get(&at) {
                let name = self::lane(self.flow.shader, access.cell, lane);
                return Some((access, lane, format!("{before}{name}{behind}")));
            }
            match self.flow.inst(at.event).map(|inst| inst.op) {
                Some(Op::Pure(Pure::Neg)) => before.push('-'),
                Some(Op::Pure(Pure::Abs)) => {
                    before.push('|');
                    behind.insert(0, '|');
                }
                _ => {}
            }
            at = moved(self.flow, at, true)?;
        }
    }
}

/// The lane that a lane is the same as; with `sign`, up to its sign.
pub(super) fn moved(flow: &Flow<'_>, site: Site, sign: bool) -> Option<Site> {
    if let Some(inst) = flow.inst(site.event) {
        let moves = match inst.op {
            Op::Compose | Op::Pure(Pure::Select | Pure::AsF32 | Pure::AsI32 | Pure::AsU32) => true,
            Op::Pure(Pure::Neg | Pure::Abs) => sign,
            Op::LoadOutput(_) | Op::LoadLocal { .. } | Op::LoadOutputAt { .. } | Op::LoadLocalAt { .. } => {
                true
            }
            _ => false,
        };
        if !moves {
            return None;
        }
    }
    let from = flow.made_of(site);
    from.iter().find(|(_, way)| *way == super::flow::Dependence::Data).map(|(site, _)| *site)
}

/// An operation on values: `rsq(-0.3)`, `0 * Inf`.
pub(super) fn operation(op: Op, values: &[String]) -> String {
    let name = match op {
        Op::Pure(pure) => pure.name(),
        Op::Ddx(_) => "ddx",
        Op::Ddy(_) => "ddy",
        _ => "",
    };
    let sign = match op {
        Op::Pure(Pure::Mul) => "*",
        Op::Pure(Pure::Add) => "+",
        Op::Pure(Pure::Sub) => "-",
        Op::Pure(Pure::Div) => "/",
        Op::Pure(Pure::Lt) => "<",
        Op::Pure(Pure::Ge) => ">=",
        Op::Pure(Pure::Eq) => "==",
        Op::Pure(Pure::Ne) => "!=",
        _ => "",
    };
    match (op, values) {
        (_, [a, b]) if !sign.is_empty() => format!("{a} {sign} {b}"),
        (Op::Pure(Pure::Rcp), [a]) => format!("1 / {a}"),
        (Op::Pure(Pure::Rsq), [a]) => format!("1 / sqrt({a})"),
        (Op::Pure(Pure::Exp2), [a]) => format!("2 to the power {a}"),
        (Op::Pure(Pure::Pow), [a, b]) => format!("{a} to the power {b}"),
        (Op::Pure(Pure::Fma), [a, b, c]) => format!("{a} * {b} + {c}"),
        (Op::Pure(Pure::Dot), values) if values.len() % 2 == 0 => {
            let half = values.len() / 2;
            let terms: Vec<String> = (0..half)
                .map(|n| {
                    let of = |at: usize| values.get(at).map_or("", String::as_str);
                    format!("{} * {}", of(n), of(n + half))
                })
                .collect();
            terms.join(" + ")
        }
        (Op::Pure(Pure::Sum), values) => values.join(" + "),
        _ => format!("{name}({})", values.join(", ")),
    }
}
