//! Which results count as the same.

use super::interface::Interface;
use vecasm_exec::Outputs;
use vecasm_ir::ir::{Scalar, Shader};

/// How far results may lie apart. A lane of f32 is the same if any of the distances that are given allows it; without
/// any of them only the same bits are. NaN equals NaN. Integers are always exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Units in the last place; ±0 are one and the same place.
    pub ulp: Option<u32>,
    /// Difference.
    pub abs: Option<f32>,
    /// Difference over the larger magnitude.
    pub rel: Option<f32>,
    /// Whether a NaN is only equal to one of the same bits.
    pub nan_bits: bool,
}

impl Tolerance {
    /// Whether two lanes count as the same.
    pub fn same(&self, scalar: Scalar, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        if scalar != Scalar::F32 {
            return false;
        }
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan() && !self.nan_bits;
        }
        let (wide, other) = (f64::from(x), f64::from(y));
        let apart = (wide - other).abs();
        let scale = wide.abs().max(other.abs());
        // An infinity lies apart from every number, also by this arithmetic: the distance is infinite or not a number.
        let within = |most: f64| apart.is_finite() && apart <= most;
        self.ulp.is_some_and(|most| {
            // The place of the largest number is next to that of the infinity, but it is none.
            x.is_finite() == y.is_finite() && order(a).abs_diff(order(b)) <= most
        }) || self.abs.is_some_and(|most| within(f64::from(most)))
            || self.rel.is_some_and(|most| within(f64::from(most) * scale))
    }
}

/// The place of a number among all of them: neighbours are one apart, both zeros are at 0.
pub(super) const fn order(bits: u32) -> i32 {
    let magnitude = (bits & 0x7fff_ffff) as i32;
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

/// The bits at such a place.
pub(super) const fn at_order(order: i32) -> u32 {
    if order < 0 { 0x8000_0000 | order.unsigned_abs() } else { order as u32 }
}

/// A difference of the results of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The invocation of the unit.
    pub invocation: usize,
    /// What is different.
    pub what: Observable,
    /// What the two shaders give, as bits; 0 or 1 for whether something happened.
    pub values: [u32; 2],
}

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observable {
    /// A lane of an output: its place in [`Interface::outputs`], and the lane.
    Output(usize, u8),
    /// Whether the invocation was killed.
    Killed,
    /// Whether the invocation ran out of fuel.
    Exhausted,
    /// A lane of a constant that the program writes: its place in [`Interface::constants`], and the lane.
    Constant(usize, u8),
}

/// The first difference of the results of a batch.
pub(super) fn judge(
    shaders: [&Shader; 2],
    interface: &Interface,
    tolerance: &Tolerance,
    outputs: &[Outputs; 2],
) -> Option<Difference> {
    let [a, b] = outputs;
    let count = a.killed.len().min(b.killed.len());
    for i in 0..count {
        let flag =
            |what, a: bool, b: bool| Difference { invocation: i, what, values: [u32::from(a), u32::from(b)] };
        if a.exhausted[i] != b.exhausted[i] {
            return Some(flag(Observable::Exhausted, a.exhausted[i], b.exhausted[i]));
        }
        if a.exhausted[i] {
            continue;
        }
        if a.killed[i] != b.killed[i] {
            return Some(flag(Observable::Killed, a.killed[i], b.killed[i]));
        }
        // Nobody sees what a killed fragment writes.
        if a.killed[i] {
            continue;
        }
        for (n, output) in interface.outputs.iter().enumerate() {
            let [Some(x), Some(y)] = output.ids else { continue };
            let value = |outputs: &Outputs, id: usize| outputs.cells.get(id).and_then(|c| c.get(i)).copied();
            let (Some(x), Some(y)) = (value(a, x), value(b, y)) else { continue };
            for lane in (0..4u8).filter(|lane| output.lanes >> lane & 1 == 1) {
                let values = [x[usize::from(lane)], y[usize::from(lane)]];
                if !tolerance.same(output.scalar, values[0], values[1]) {
                    return Some(Difference { invocation: i, what: Observable::Output(n, lane), values });
                }
            }
        }
    }
    if shaders.iter().any(|shader| shader.serial) {
        for (n, element) in interface.constants.iter().enumerate() {
            let [Some(x), Some(y)] = element.places else { continue };
            let value = |outputs: &Outputs, (array, index): (usize, u32)| {
                outputs.params.get(array).and_then(|p| p.get(index as usize)).copied().unwrap_or([0; 4])
            };
            let (x, y) = (value(a, x), value(b, y));
            for lane in 0..4u8 {
                let values = [x[usize::from(lane)], y[usize::from(lane)]];
                if !tolerance.same(element.scalar, values[0], values[1]) {
                    let invocation = count.saturating_sub(1);
                    return Some(Difference { invocation, what: Observable::Constant(n, lane), values });
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_numbers() {
        let numbers = [f32::NEG_INFINITY, -1.0, -f32::MIN_POSITIVE, 0.0, 1e-40, 1.0, f32::INFINITY];
        assert!(numbers.windows(2).all(|w| order(w[0].to_bits()) < order(w[1].to_bits())));
        for x in numbers {
            assert_eq!(at_order(order(x.to_bits())), x.to_bits());
        }
    }
}
