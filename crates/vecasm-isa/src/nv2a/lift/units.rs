//! What the two units compute.

use super::super::table::{Field, Special};
use super::{ADDRESS, Cell, READABLE, REGISTERS_AT};
use super::{Arl, Lifter, MAC, Numerics, Port, ReservedMac, Words};
use crate::lift::{EMPTY, Kit, Lanes, repeat_first, spread, take_first};
use crate::table::{Lift, OpRow};
use vecasm_ir::ir::{Arg, Arith, Home, Pure, Scalar, Type};
use vecasm_ir::operand::WriteMask;

impl Lifter<'_> {
    /// What the vector unit gives in the lanes of `needed`; `None` if it gives nothing to write.
    pub(super) fn mac(&mut self, slot: &Words, needed: WriteMask) -> Option<Lanes> {
        match slot.mac() {
            Some(op) => self.operation(op.row(), op.ports(), slot, needed),
            None => self.reserved(slot, needed),
        }
    }

    /// What the scalar unit gives in the lanes of `needed`; `None` if it gives nothing to write.
    pub(super) fn ilu(&mut self, slot: &Words, needed: WriteMask) -> Option<Lanes> {
        self.operation(slot.ilu().row(), &[Port::C], slot, needed)
    }

    fn operation(
        &mut self,
        row: &OpRow<Special>,
        ports: &[Port],
        slot: &Words,
        needed: WriteMask,
    ) -> Option<Lanes> {
        if needed == WriteMask::NONE {
            return None;
        }
        match row.lift {
            Lift::PerComponent(pure) => {
                let result = self.apply(pure, ports, slot, needed);
                Some(spread(result, needed))
            }
            Lift::Set(pure) => {
                let test = self.apply(pure, ports, slot, needed);
                let result = match self.options.numerics {
                    Numerics::Ieee => self.b.pure(Pure::ToF32, &[test]),
                    // A choice of bits, which nothing converts.
                    Numerics::Nv20 => {
                        let [one, zero] = [self.one(), self.zero(Scalar::F32)]
                            .map(|value| Arg { lanes: test.lanes, ..Arg::lane(value, 0) });
                        self.b.pure(Pure::Select, &[test, one, zero])
                    }
                };
                Some(spread(result, needed))
            }
            Lift::Replicate(pure, lanes) => {
                let read = WriteMask::first(lanes);
                Some(repeat_first(self.apply(pure, ports, slot, read)))
            }
            Lift::Custom(special) => self.special(special, slot, needed),
            Lift::Reserved => None,
        }
    }

    /// An operation on the given lanes of its sources.
    fn apply(&mut self, pure: Pure, ports: &[Port], slot: &Words, lanes: WriteMask) -> Arg {
        let mut args = [None; 3];
        for (arg, port) in args.iter_mut().zip(ports) {
            *arg = Some(self.source(slot, *port, lanes));
        }
        match args {
            [Some(a), Some(b), _] => self.b.pure(pure, &[a, b]),
            [Some(a), ..] => self.scalar(pure, a),
            _ => self.gather(Scalar::F32, [None].into_iter()),
        }
    }

    /// An operation on one argument; under ieee those that take the magnitude are told so.
    fn scalar(&mut self, pure: Pure, of: Arg) -> Arg {
        let ieee = self.options.numerics == Numerics::Ieee;
        let of = match pure {
            Pure::Rsq | Pure::Log2 if ieee => self.b.pure(Pure::Abs, &[of]),
            _ => of,
        };
        self.b.pure(pure, &[of])
    }

    fn special(&mut self, special: Special, slot: &Words, needed: WriteMask) -> Option<Lanes> {
        let x = WriteMask::X;
        let mut out = EMPTY;
        match special {
            // ARL writes A0 alone: see `arl`.
            Special::Nop | Special::Address => return None,
            Special::Move => {
                let port = if self.kit.steps.part == MAC { Port::A } else { Port::C };
                let value = self.source(slot, port, needed);
                out = spread(value, needed);
            }
            Special::MultiplyAdd => {
                let product = self.apply(Pure::Mul, &[Port::A, Port::B], slot, needed);
                let addend = self.source(slot, Port::C, needed);
                out = spread(self.b.pure(Pure::Add, &[product, addend]), needed);
            }
            Special::DotHomogeneous => {
                let a = spread(self.source(slot, Port::A, WriteMask::XYZ), WriteMask::XYZ);
                let one = Some((self.one(), 0));
                let a = self.gather(Scalar::F32, [a[0], a[1], a[2], one].into_iter());
                let b = self.source(slot, Port::B, WriteMask::ALL);
                out = repeat_first(self.b.pure(Pure::Dot, &[a, b]));
            }
            Special::Distance => {
                for n in needed.lanes() {
                    out[n] = match n {
                        0 => Some((self.one(), 0)),
                        1 => take_first(self.apply(Pure::Mul, &[Port::A, Port::B], slot, WriteMask::lane(1))),
                        2 => take_first(self.source(slot, Port::A, WriteMask::lane(2))),
                        _ => take_first(self.source(slot, Port::B, WriteMask::lane(3))),
                    };
                }
            }
            Special::Exponential | Special::Logarithm => {
                let parts = if special == Special::Exponential {
                    [Pure::Exp2Floor, Pure::Fract, Pure::Exp2]
                } else {
                    [Pure::Exponent, Pure::Mantissa, Pure::Log2]
                };
                let of = self.source(slot, Port::C, x);
                for n in needed.lanes() {
                    out[n] = match parts.get(n) {
                        Some(pure) => take_first(self.scalar(*pure, of)),
                        None => Some((self.one(), 0)),
                    };
                }
            }
            Special::Light => {
                for n in needed.lanes() {
                    out[n] = match n {
                        // Of a number with its sign set 0, of any other one its bits.
                        1 => {
                            let of = self.source(slot, Port::C, x);
                            let zero = Arg::all_lanes(self.zero(Scalar::F32), 1);
                            take_first(self.b.pure(Pure::Max, &[of, zero]))
                        }
                        2 => {
                            let [diffuse, specular, exponent] =
                                [0, 1, 3].map(|n| self.source(slot, Port::C, WriteMask::lane(n)));
                            take_first(self.b.pure(Pure::Lit, &[diffuse, specular, exponent]))
                        }
                        _ => Some((self.one(), 0)),
                    };
                }
            }
        }
        Some(out)
    }

    /// Operations 14 and 15 of the vector unit.
    fn reserved(&mut self, slot: &Words, needed: WriteMask) -> Option<Lanes> {
        if needed == WriteMask::NONE || self.options.switches.reserved_mac == ReservedMac::None {
            return None;
        }
        let of = self.source(slot, Port::A, needed);
        let arith = core::mem::replace(&mut self.b.arith, Arith::IEEE);
        let pure = if slot.get(Field::Mac) == 14 { Pure::Fract } else { Pure::Floor };
        let result = self.b.pure(pure, &[of]);
        self.b.arith = arith;
        Some(spread(result, needed))
    }

    /// What ARL gives.
    pub(super) fn arl(&mut self, slot: &Words) -> Arg {
        let of = self.source(slot, Port::A, WriteMask::X);
        let arith = core::mem::replace(&mut self.b.arith, Arith::IEEE);
        let switches = self.options.switches;
        let mut x = of;
        if switches.arl == Arl::Bias001 {
            let bias = self.b.splat(0.001, 1);
            x = self.b.pure(Pure::Add, &[x, bias]);
        }
        // Exact for every number: where f32 is held as bits, `expand` makes integer operations of both together.
        let floor = self.b.pure(Pure::Floor, &[x]);
        let mut address = self.b.pure(Pure::ToI32, &[floor]);
        if switches.arl == Arl::ExpPrestep {
            // floor(x · 2^13) >> 13 is floor(x), but for what is lost at both ends of the fixed-point number.
            let magnitude = self.magnitude(x);
            let (low, high) = (self.b.int(-(1 << 18)), self.b.int((1 << 18) - 1));
            let within = self.b.pure(Pure::Max, &[address, low]);
            let within = self.b.pure(Pure::Min, &[within, high]);
            let within = self.select_where(Pure::Lt, INFINITY, magnitude, high, within);
            let zero = self.b.int(0);
            let least = (127 - 23) << 23;
            address = self.select_where(Pure::Ge, least - 1, magnitude, zero, within);
        }
        if switches.a0_bits < 32 {
            let (from, bits) = (self.b.uint(0), self.b.uint(u32::from(switches.a0_bits)));
            address = self.b.pure(Pure::BitExtract, &[address, from, bits]);
        }
        self.b.arith = arith;
        address
    }

    /// The bits of a number without its sign.
    fn magnitude(&mut self, x: Arg) -> Arg {
        let bits = self.b.pure(Pure::AsU32, &[x]);
        let mask = self.b.uint(u32::MAX >> 1);
        self.b.pure(Pure::And, &[bits, mask])
    }

    /// `then` where a number compares so with one of u32, else `otherwise`.
    fn select_where(&mut self, compare: Pure, number: u32, with: Arg, then: Arg, otherwise: Arg) -> Arg {
        let number = self.b.uint(number);
        let test = self.b.pure(compare, &[number, with]);
        self.b.pure(Pure::Select, &[test, then, otherwise])
    }

    pub(super) fn write_address(&mut self, address: Arg) {
        let home = Home { file: ADDRESS, index: Home::ONLY };
        if self.b.shader.value(address.value).home.is_none() {
            self.b.set_home(address.value, home);
        }
        self.address = Some(address);
        self.kit.steps.note_write(Cell::Register(home), WriteMask::X, &repeat_first(address));
    }

    /// A0, unless it is the 0 it starts with.
    pub(super) fn present_address(&mut self) -> Option<Arg> {
        if self.address.is_none() && self.options.registers {
            let home = Home { file: ADDRESS, index: Home::ONLY };
            let value = self.input(REGISTERS_AT + READABLE as u32, "a0".into(), Type::I32, home);
            self.address = Some(Arg::all_lanes(value, 1));
        }
        self.address
    }
}

/// The bits of the infinity.
const INFINITY: u32 = 0xff << 23;
