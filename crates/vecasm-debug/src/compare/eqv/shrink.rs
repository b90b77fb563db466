//! Smaller counter-examples: as few lanes as possible that are not zero, and the simplest values there.

use super::domain::{Lane, Place, Setting, Unit, plain_texture, unorm_texture};
use super::judge::Difference;
use super::{Counterexample, Pair};
use alloc::vec::Vec;
use vecasm_exec::RunError;
use vecasm_exec::texture::Texture;
use vecasm_ir::ir::Scalar;

/// Values from the simplest one on.
const SIMPLE: [f32; 12] = [1.0, -1.0, 2.0, 0.5, 3.0, -2.0, 4.0, -0.5, 0.25, 8.0, 16.0, 100.0];
/// Bits that matter.
const ODD: [u32; 5] = [0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1];

struct Shrink<'p, 'a> {
    pair: &'p Pair<'a>,
    setting: Setting,
    unit: Unit,
    difference: Difference,
    left: usize,
}

/// A smaller case that shows a difference too.
pub(super) fn shrink(pair: &Pair<'_>, from: Counterexample) -> Result<Counterexample, RunError> {
    let Counterexample { setting, unit, difference } = from;
    let mut it = Shrink { pair, setting, unit, difference, left: pair.options.shrink };
    it.run()?;
    let Shrink { setting, unit, difference, .. } = it;
    Ok(Counterexample { setting, unit, difference })
}

impl Shrink<'_, '_> {
    fn run(&mut self) -> Result<(), RunError> {
        self.textures()?;
        self.states()?;
        loop {
            let before = self.cost();
            self.alike()?;
            self.zero()?;
            self.simplify()?;
            if self.cost() == before || self.left == 0 {
                return Ok(());
            }
        }
    }

    /// Lanes that are not zero, and how long their values are.
    fn cost(&self) -> (usize, usize) {
        let lanes = self.lanes();
        let values = lanes.iter().map(|lane| self.pair.domain.get(&self.setting, &self.unit, lane));
        let odd: Vec<u32> = values.filter(|bits| *bits != 0).collect();
        (odd.len(), odd.iter().map(|bits| 32 - bits.trailing_zeros() as usize).sum())
    }

    /// Takes a case over if it shows a difference.
    fn take(&mut self, setting: Setting, unit: Unit) -> Result<bool, RunError> {
        if self.left == 0 || (setting == self.setting && unit == self.unit) {
            return Ok(false);
        }
        self.left -= 1;
        let Some(difference) = self.pair.difference(&setting, &unit)? else { return Ok(false) };
        (self.setting, self.unit, self.difference) = (setting, unit, difference);
        Ok(true)
    }

    fn textures(&mut self) -> Result<(), RunError> {
        let color = [0x3f80_0000, 0x3f00_0000, 0, 0x3f80_0000];
        for n in 0..self.setting.textures.len() {
            let like = |s: &Self| s.setting.textures.get(n).cloned().flatten().map(|(texture, _)| texture);
            let Some(texture) = like(self) else { continue };
            // Texels that most textures can hold, if they show it too.
            let odd = match unorm_texture(&texture) {
                Some(plain) => !self.bind(n, plain)?,
                None => false,
            };
            let odd: &[_] = if odd { &[[0xbf80_0000; 4], [0x7f80_0000; 4], [0x7fc0_0000; 4]] } else { &[] };
            let range = self.pair.options.range;
            let held = |color: &&[u32; 4]| color.iter().all(|&bits| range.holds(bits));
            for &color in [[0; 4], [0x3f80_0000; 4], color].iter().chain(odd).filter(held) {
                let Some(plain) = plain_texture(&texture, color) else { continue };
                if self.bind(n, plain)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes a case with another texture over if it shows a difference.
    fn bind(&mut self, n: usize, texture: Texture) -> Result<bool, RunError> {
        let mut setting = self.setting.clone();
        if let Some(Some((to, _))) = setting.textures.get_mut(n) {
            *to = texture;
        }
        self.take(setting, self.unit.clone())
    }

    fn states(&mut self) -> Result<(), RunError> {
        for n in 0..self.setting.states.len() {
            let mut setting = self.setting.clone();
            if let Some(state) = setting.states.get_mut(n) {
                let fixed = self.pair.interface.states.get(n).and_then(|s| s.fixed);
                *state = fixed;
            }
            self.take(setting, self.unit.clone())?;
        }
        Ok(())
    }

    /// Makes all invocations of a unit those of the one that differs.
    fn alike(&mut self) -> Result<(), RunError> {
        if self.unit.len() > 1 && !self.is_alike() && !self.pair.domain.serial {
            if let Some(row) = self.unit.get(self.difference.invocation).cloned() {
                let unit = alloc::vec![row; self.unit.len()];
                self.take(self.setting.clone(), unit)?;
            }
        }
        Ok(())
    }

    /// Whether all invocations of the unit are the same, and stay so.
    fn is_alike(&self) -> bool {
        self.unit.len() > 1 && self.unit.windows(2).all(|rows| rows[0] == rows[1])
    }

    /// The lanes that can be changed: where all invocations are alike, those of the first one stand for all.
    fn lanes(&self) -> Vec<Lane> {
        let alike = self.is_alike();
        let first =
            |lane: &&Lane| !alike || !matches!(lane.place, Place::Input(invocation, _) if invocation > 0);
        self.pair.domain.lanes.iter().filter(first).copied().collect()
    }

    fn set(&mut self, lanes: &[Lane], bits: u32) -> Result<bool, RunError> {
        let (mut setting, mut unit) = (self.setting.clone(), self.unit.clone());
        let alike = self.is_alike();
        for lane in lanes {
            self.pair.domain.set(&mut setting, &mut unit, lane, bits);
            if let (Place::Input(_, n), true) = (lane.place, alike) {
                for invocation in 1..unit.len() {
                    let other = Lane { place: Place::Input(invocation, n), ..*lane };
                    self.pair.domain.set(&mut setting, &mut unit, &other, bits);
                }
            }
        }
        self.take(setting, unit)
    }

    /// Sets lanes to zero: halves, quarters and so on down to single ones.
    fn zero(&mut self) -> Result<(), RunError> {
        let all = self.lanes();
        let odd = |s: &Self, lane: &Lane| s.pair.domain.get(&s.setting, &s.unit, lane) != 0;
        let mut size = all.len().div_ceil(2);
        while size > 0 {
            let odd: Vec<Lane> = all.iter().filter(|lane| odd(self, lane)).copied().collect();
            for part in odd.chunks(size) {
                self.set(part, 0)?;
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(())
    }

    /// Gives single lanes simpler values.
    fn simplify(&mut self) -> Result<(), RunError> {
        for lane in self.lanes() {
            let bits = self.pair.domain.get(&self.setting, &self.unit, &lane);
            if bits == 0 {
                continue;
            }
            for value in simpler(bits, lane.scalar) {
                if self.set(core::slice::from_ref(&lane), value)? {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Values that are simpler than one, from the simplest on.
fn simpler(bits: u32, scalar: Scalar) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    if scalar != Scalar::F32 {
        out.extend((0..bits.min(4)).chain([bits / 2]));
        out.retain(|value| *value < bits);
        return out;
    }
    let value = f32::from_bits(bits);
    out.extend(SIMPLE.map(f32::to_bits));
    if let Some(place) = out.iter().position(|b| *b == bits) {
        out.truncate(place);
        return out;
    }
    out.extend(ODD);
    if let Some(place) = out.iter().position(|b| *b == bits) {
        out.truncate(place);
        return out;
    }
    if value.is_finite() && value.abs() < 8_388_608.0 {
        for scale in [1.0f32, 2.0, 10.0, 16.0, 100.0, 1000.0] {
            let whole = (value * scale) as i32;
            for whole in [whole, whole + 1, whole - 1] {
                out.push((whole as f32 / scale).to_bits());
            }
        }
    }
    // Fewer bits.
    out.extend([20u32, 16, 12, 8, 4].map(|cut| bits >> cut << cut));
    if let Some(place) = out.iter().position(|b| *b == bits) {
        out.truncate(place);
    }
    out
}
