//! What `cargo xtask peepholes` asks: what operations cost, and how long programs get.

use super::{Entry, Kind, price};
use crate::machine::Machine;
use crate::refusal::Refusals;
use crate::{How, Measure, generate, prepare};
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Promise, Pure, Rule, Shader};

/// An operation of a form in a shader, on what its operands are.
pub fn operation(b: &mut Builder, kind: Kind, op: Pure, args: &[Arg]) -> Arg {
    match (kind, args) {
        (Kind::Set, _) => {
            let test = b.pure(op, args);
            b.pure(Pure::ToF32, &[test])
        }
        (Kind::Choose, &[x, y, yes, no]) => {
            let test = b.pure(op, &[x, y]);
            b.pure(Pure::Select, &[test, yes, no])
        }
        _ => b.pure(op, args),
    }
}

/// The targets that are told apart, by name.
pub const TARGETS: &[&str] = &["agal", "ps_2_0", "ps_3_0", "vs_2_0", "tgsi", "nv2a"];

/// A target, as what programs of it can say.
#[derive(Clone, Debug)]
pub struct Target(Machine);

impl Target {
    /// The target of that name.
    pub fn named(name: &str) -> Option<Self> {
        let machine = match name {
            #[cfg(feature = "agal")]
            "agal" => {
                let fragment = vecasm_isa::agal::program::Stage::Fragment;
                Some(crate::agal::machine::machine(fragment, 2, None))
            }
            #[cfg(feature = "d3d9")]
            "ps_2_0" | "ps_3_0" | "vs_2_0" => {
                crate::d3d9::Model::named(name).map(|model| crate::d3d9::machine::machine(model, true))
            }
            #[cfg(feature = "tgsi")]
            "tgsi" => {
                let mesa = vecasm_isa::tgsi::dialect::Dialect::Mesa22;
                Some(crate::tgsi::machine::machine(mesa, Rule::Ieee))
            }
            #[cfg(feature = "nv2a")]
            "nv2a" => Some(crate::nv2a::machine::machine(true)),
            _ => None,
        };
        machine.map(Self)
    }

    /// The arithmetic of it.
    pub const fn rule(&self) -> Rule {
        self.0.rule
    }

    /// What an operation costs; nothing if there is none.
    pub fn price(&self, kind: Kind, op: Pure) -> Option<u32> {
        price(&self.0, kind, op)
    }

    /// How many slots the program of a shader takes, with these peepholes; nothing if it cannot be had exactly.
    pub fn slots(&self, shader: &Shader, peepholes: &'static [Entry]) -> Option<usize> {
        let machine = Machine { peepholes, ..self.0.clone() };
        let shader = prepare(shader, machine.loops);
        let mut refusals = Refusals::new(machine.name);
        refusals.least = Promise::Exact;
        let how = How { measure: Measure::Slots, checked: false };
        let (_, generated) = generate(&shader, &machine, how, &mut refusals);
        let slots: Vec<usize> = generated?.list.iter().map(|of| machine.slots(of.what)).collect();
        (refusals.promise == Promise::Exact).then(|| slots.iter().sum())
    }
}
