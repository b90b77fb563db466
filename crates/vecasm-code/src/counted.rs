//! Loops whose number of rounds is a constant, for targets that have those alone.
//!
//! A shader says such a loop as one that carries a counter round: a round begins with a test whether it is below one, and ends with one
//! less. Here the counter and its test go, and the loop says its number. What the test left behind the loop is then carried round, too,
//! since the last round ends in front of what follows the loop.

use crate::code::Count;
use crate::graph::{Action, Def, Exit, Graph, How, LaneId, exits};
use alloc::vec::Vec;
use vecasm_ir::ir::{Pure, Scalar};

/// What a loop became.
pub(crate) struct Counted {
    pub(crate) count: Count,
    /// The lanes of its results, in their order.
    pub(crate) results: Vec<LaneId>,
}

/// Makes a loop one of a number of rounds: `carried` is what it carries round with what that begins with, `body` what it does, `results`
/// are the lanes of its results, and lanes from `first_inside` on were defined in it. Nothing is changed where that cannot be done.
pub(crate) fn count_rounds(
    graph: &mut Graph,
    carried: &mut Vec<[LaneId; 2]>,
    body: &mut Vec<Action>,
    results: &[LaneId],
    first_inside: usize,
) -> Option<Counted> {
    let at = body.iter().position(|action| !matches!(action, Action::Pack(_)))?;
    let Some(Action::If(test)) = body.get(at) else { return None };
    let does_nothing = |list: &[Action]| list.iter().all(|action| matches!(action, Action::Pack(_)));
    let (Some(Action::Exit(exit)), true) = (test.then.last(), does_nothing(&test.otherwise)) else {
        return None;
    };
    let leaves = exit.how == How::Break && test.merged.is_empty();
    if !leaves || !does_nothing(&test.then[..test.then.len() - 1]) {
        return None;
    }
    // The counter.
    let (condition, left) = (test.condition, exit.copies.clone());
    let Some((Pure::Lt, &[counter, one])) = graph.operation(condition) else { return None };
    let place = carried.iter().position(|[to, _]| *to == counter)?;
    let init = carried.get(place)?[1];
    let count = match graph.lane(init).def {
        Def::Param { array, index, lane: 0 } => Count::Constant { array, index },
        Def::Const(bits) => Count::Number(bits as i32),
        _ => return None,
    };
    let is_number = |id: LaneId, number: i32| graph.number(id) == Some(number as u32);
    if graph.lane(counter).scalar != Scalar::I32 || !is_number(one, 1) {
        return None;
    }
    let ends: Vec<Exit> = exits(body).into_iter().cloned().collect();
    let mut nexts = ends.iter().filter(|exit| exit.how != How::Break).map(|exit| {
        let next = exit.copies.iter().find(|[to, _]| *to == counter).map(|[_, from]| *from)?;
        let is_less = match graph.operation(next) {
            Some((Pure::Sub, &[of, by])) => of == counter && is_number(by, 1),
            Some((Pure::Add, &[of, by])) => of == counter && is_number(by, -1),
            _ => false,
        };
        is_less.then_some(next)
    });
    // One that is always left in its first round has none.
    let next = match nexts.next() {
        None => None,
        Some(first) => Some(first?),
    };
    if nexts.any(|other| other != next) {
        return None;
    }
    // Nobody else may ask how many rounds are left.
    let asks = |lane: LaneId| lane == counter || Some(lane) == next;
    for n in first_inside..graph.lanes.len() {
        let id = LaneId(n as u32);
        let reads = crate::select::reads_of(graph, &graph.lanes[n].def);
        if id != condition && Some(id) != next && reads.into_iter().any(asks) {
            return None;
        }
    }
    let mut uses = 0usize;
    graph.for_each_read(body, &mut |lane| uses += usize::from(asks(lane)));
    let own: usize = ends.iter().filter(|exit| exit.how != How::Break).count();
    if uses != 2 * own {
        return None;
    }
    // What the test leaves in each result is carried round from now on.
    let goes_round = |lane: LaneId| carried.iter().any(|[to, _]| *to == lane);
    let is_outside = |graph: &Graph, lane: LaneId| {
        let is_given = matches!(graph.lane(lane).def, Def::Const(_) | Def::Param { .. } | Def::Input { .. });
        is_given || lane.index() < first_inside && !goes_round(lane)
    };
    let mut names: Vec<LaneId> = Vec::with_capacity(results.len());
    let mut new: Vec<[LaneId; 2]> = Vec::new();
    for &result in results {
        let from = left.iter().find(|[to, _]| *to == result).map(|[_, from]| *from)?;
        let is_carried = goes_round(from);
        let is_same = ends.iter().all(|exit| {
            let there = exit.copies.iter().find(|[to, _]| *to == result);
            exit.how != How::Break || there.is_some_and(|[_, other]| *other == from)
        });
        let is_free = is_carried && !names.contains(&from);
        if is_free || is_same && (is_carried || is_outside(graph, from)) {
            names.push(from);
        } else if is_outside(graph, from) {
            let scalar = graph.lane(from).scalar;
            let (to, _) = graph.add(Def::Merged, scalar, graph.lane(from).step);
            new.push([to, from]);
            names.push(to);
        } else {
            return None;
        }
    }
    // Two results of one name would have to be left with the same in every place.
    let twice = |n: usize| names[..n].contains(&names[n]);
    for n in (0..names.len()).filter(|n| twice(*n)) {
        let differs = |exit: &&Exit| {
            let of = |result: LaneId| exit.copies.iter().find(|[to, _]| *to == result).map(|[_, from]| *from);
            let first = names.iter().position(|name| *name == names[n]).unwrap_or(n);
            of(results[n]) != of(results[first])
        };
        if ends.iter().filter(|exit| exit.how == How::Break).any(|exit| differs(&exit)) {
            return None;
        }
    }
    carried.remove(place);
    carried.extend(new);
    body.remove(at);
    let renamed = |lane: LaneId| {
        let n = results.iter().position(|result| *result == lane);
        n.and_then(|n| names.get(n)).copied().unwrap_or(lane)
    };
    for_each_exit(body, &mut |exit| {
        exit.copies.retain(|[to, _]| *to != counter);
        for [to, _] in &mut exit.copies {
            *to = renamed(*to);
        }
        exit.copies.retain(|[to, from]| to != from);
        exit.copies.sort_unstable();
        exit.copies.dedup();
    });
    Some(Counted { count, results: names })
}

fn for_each_exit(body: &mut [Action], f: &mut impl FnMut(&mut Exit)) {
    for action in body {
        match action {
            Action::Exit(exit) => f(exit),
            Action::If(branches) => {
                for_each_exit(&mut branches.then, f);
                for_each_exit(&mut branches.otherwise, f);
            }
            _ => {}
        }
    }
}
