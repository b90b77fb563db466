//! From a case near a boundary to one on each side of it.
//!
//! A comparison that was never seen below, equal or above is a goal. A case in which its two sides come close is
//! changed, one lane at a time, until the comparison tips; then the lane is narrowed down to two neighbouring numbers.
//! So both sides of `x < 0.37` are tried, and the point where `<` and `<=` part, whatever stands between an input and x.

use super::domain::{Lane, Place, Setting, Unit};
use super::judge::{at_order, order};
use super::values::{Manner, Pool};
use super::{Counterexample, Pair};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_exec::RunError;
use vecasm_exec::runfile::SplitMix;
use vecasm_ir::ir::Scalar;

/// Settings that cases to start from are taken of.
const STARTS: usize = 6;
/// Goals, at most, of each shader.
const GOALS: usize = 64;
/// Lanes that are tried for a goal.
const LANES: usize = 12;
/// Values that a lane is tried with.
const RUNGS: usize = 20;
/// Parts that an interval is cut into.
const PARTS: i64 = 12;
/// Invocations of a search for each one that is asked for at random.
const SHARE: usize = 4;

/// A probe and a lane of it.
type Goal = (usize, usize);
/// The two sides of goals that were seen in a case, as a distance in places.
type Seen = BTreeMap<Goal, i64>;

/// What a few runs have shown.
enum Shown {
    Different(Counterexample),
    /// For each unit, what of the goals was seen.
    Seen(Vec<Seen>),
}

/// Tries to see every side of every comparison.
pub(super) fn search(
    pair: &mut Pair<'_>,
    pool: &Pool,
    random: &mut SplitMix,
    starts: &[(Setting, Vec<Unit>)],
    tried: &mut usize,
) -> Result<Option<Counterexample>, RunError> {
    let most = tried.saturating_add(pair.options.count.saturating_mul(SHARE));
    for side in 0..2 {
        if pair.probed[side].notes().goals().is_empty() {
            continue;
        }
        // The closest case for each goal.
        let mut closest: BTreeMap<Goal, (u64, usize, usize)> = BTreeMap::new();
        for (s, (setting, units)) in starts.iter().enumerate().take(STARTS) {
            match observe(pair, side, setting, units, tried)? {
                Shown::Different(example) => return Ok(Some(example)),
                Shown::Seen(seen) => {
                    for (u, seen) in seen.iter().enumerate() {
                        for (goal, distance) in seen {
                            let near = (distance.unsigned_abs(), s, u);
                            let entry = closest.entry(*goal).or_insert(near);
                            *entry = near.min(*entry);
                        }
                    }
                }
            }
        }
        for goal in pair.probed[side].notes().goals().into_iter().take(GOALS) {
            let Some(&(_, s, u)) = closest.get(&goal) else { continue };
            let Some((setting, unit)) = starts.get(s).and_then(|(s, units)| Some((s, units.get(u)?))) else {
                continue;
            };
            for lane in lanes(pair, random) {
                if !pair.probed[side].notes().goals().contains(&goal) || *tried >= most {
                    break;
                }
                let found = tip(pair, pool, random, (side, goal), (setting, unit), &lane, tried)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
    }
    Ok(None)
}

/// Some lanes to change, inputs of one invocation first.
fn lanes(pair: &Pair<'_>, random: &mut SplitMix) -> Vec<Lane> {
    let near = |lane: &&Lane| !matches!(lane.place, Place::Input(invocation, _) if invocation > 0);
    let floats = pair.domain.lanes.iter().filter(near).filter(|lane| lane.scalar == Scalar::F32);
    let mut lanes: Vec<Lane> = floats.copied().collect();
    // Those of a large interface are taken at random.
    for i in (1..lanes.len()).rev() {
        lanes.swap(i, random.below(i as u64 + 1) as usize);
    }
    lanes.truncate(LANES);
    lanes.sort_by_key(|lane| !matches!(lane.place, Place::Input(..)));
    lanes
}

/// Changes one lane of a case until a comparison tips.
fn tip(
    pair: &mut Pair<'_>,
    pool: &Pool,
    random: &mut SplitMix,
    (side, goal): (usize, Goal),
    (setting, unit): (&Setting, &Unit),
    lane: &Lane,
    tried: &mut usize,
) -> Result<Option<Counterexample>, RunError> {
    let here = pair.domain.get(setting, unit, lane);
    let number = f32::from_bits(here);
    let mut values: Vec<u32> =
        [0.0, 1.0, -1.0, number + 1.0, number - 1.0, number * 2.0, -number, number * 0.5]
            .into_iter()
            .chain([64.0, -64.0, 1e4, -1e4])
            .map(f32::to_bits)
            .collect();
    values.push(here);
    values.resize_with(RUNGS, || pool.lane(random, Manner::Mined, Scalar::F32));
    values.retain(|bits| !f32::from_bits(*bits).is_nan());
    values.sort_unstable_by_key(|bits| order(*bits));
    let mut places: Vec<i32> = values.into_iter().map(order).collect();
    places.dedup();
    let mut before = i64::MAX;
    loop {
        let distances = match line(pair, side, goal, (setting, unit), lane, &places, tried)? {
            Ok(distances) => distances,
            Err(example) => return Ok(Some(example)),
        };
        let at: Vec<(i32, i64)> =
            places.iter().zip(distances).filter_map(|(place, d)| Some((*place, d?))).collect();
        let tips = at.windows(2).find(|w| (w[0].1 < 0) != (w[1].1 < 0) || (w[0].1 == 0) != (w[1].1 == 0));
        let Some([(low, _), (high, _)]) = tips else { return Ok(None) };
        let (low, wide) = (i64::from(*low), i64::from(*high) - i64::from(*low));
        // Where nothing in between comes to the comparison, the interval stays as wide as it was.
        if wide <= 1 || wide >= before {
            return Ok(None);
        }
        before = wide;
        places = (0..=PARTS).map(|n| (low + wide * n / PARTS) as i32).collect();
        places.dedup();
    }
}

/// The distances of a goal where a lane has each of some values.
fn line(
    pair: &mut Pair<'_>,
    side: usize,
    goal: Goal,
    (setting, unit): (&Setting, &Unit),
    lane: &Lane,
    places: &[i32],
    tried: &mut usize,
) -> Result<Result<Vec<Option<i64>>, Counterexample>, RunError> {
    let cases: Vec<(Setting, Unit)> =
        places.iter().map(|&place| pair.with(setting, unit, lane, at_order(place))).collect();
    let mut out = Vec::with_capacity(cases.len());
    if matches!(lane.place, Place::Input(..)) {
        let units: Vec<Unit> = cases.into_iter().map(|(_, unit)| unit).collect();
        match observe(pair, side, setting, &units, tried)? {
            Shown::Different(example) => return Ok(Err(example)),
            Shown::Seen(seen) => out.extend(seen.iter().map(|seen| seen.get(&goal).copied())),
        }
        return Ok(Ok(out));
    }
    for (setting, unit) in cases {
        match observe(pair, side, &setting, core::slice::from_ref(&unit), tried)? {
            Shown::Different(example) => return Ok(Err(example)),
            Shown::Seen(seen) => out.push(seen.first().and_then(|seen| seen.get(&goal).copied())),
        }
    }
    Ok(Ok(out))
}

/// Runs units of one setting through both shaders, and tells what the probes of one saw in the first invocation of each.
fn observe(
    pair: &mut Pair<'_>,
    side: usize,
    setting: &Setting,
    units: &[Unit],
    tried: &mut usize,
) -> Result<Shown, RunError> {
    *tried += units.len() * pair.domain.unit;
    let size = pair.domain.unit;
    let mut out = alloc::vec![Seen::new(); units.len()];
    let together = if pair.domain.serial { 1 } else { units.len().max(1) };
    for (n, part) in units.chunks(together).enumerate() {
        pair.probed[side].parts().1.seen = Some(Vec::new());
        if let Some(example) = pair.try_units(setting, part, true)? {
            pair.probed[side].parts().1.seen = None;
            return Ok(Shown::Different(example));
        }
        let notes = pair.probed[side].parts().1;
        for (probe, lane, invocation, values) in notes.seen.take().unwrap_or_default() {
            let Some(distance) = notes.distance(probe, values) else { continue };
            if invocation % size == 0 {
                if let Some(seen) = out.get_mut(n * together + invocation / size) {
                    seen.entry((probe, lane)).or_insert(distance);
                }
            }
        }
    }
    Ok(Shown::Seen(out))
}
