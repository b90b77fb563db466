//! What an invocation sees of others: derivatives, and what a subgroup knows.

use super::QUAD;
use super::bank::Bank;
use super::mask::Mask;
use super::pack::Pack;
use crate::code::Operand;
use vecasm_ir::ir::op::Word;
use vecasm_ir::ir::{Arith, Op, Pure, Scalar, Slope, Stage, Vote};

impl<W: Word, B: Bank<W>, const N: usize> Pack<'_, W, B, N> {
    /// Whether this is the fragment stage.
    pub(super) fn in_fragments(&self) -> bool {
        self.shader.stage == Stage::Fragment
    }

    /// The derivative of a lane in invocation `i`; zero where there are no quads.
    pub(super) fn slope(&self, row: &[W], i: usize, down: bool, slope: Slope, arith: Arith) -> u32 {
        if self.plan.group % QUAD != 0 || !self.in_fragments() {
            return 0;
        }
        let quad = i & !3;
        let (from, to) = match (slope, down) {
            (Slope::Fine, false) => (i & 2, i & 2 | 1),
            (Slope::Fine, true) => (i & 1, i & 1 | 2),
            (Slope::Coarse, false) => (2, 3),
            (Slope::Coarse, true) => (0, 2),
        };
        let at = |i: usize| row.get(quad + i).copied().unwrap_or_default();
        let none = W::default();
        Pure::Sub.eval(Scalar::F32, arith, [at(to), at(from), none, none]).low()
    }

    /// The number of an invocation's first one in its subgroup, in the pack.
    fn subgroup_of(&self, i: usize) -> usize {
        i / self.plan.subgroup * self.plan.subgroup
    }

    /// An operation on the subgroup.
    pub(super) fn ask(&self, op: Op, args: &[Operand], mask: Mask<N>, out: &mut [[W; 4]]) {
        let Some(&arg) = args.first() else { return };
        let voters = mask.without(&self.helpers);
        for first in (0..self.n).step_by(self.plan.subgroup) {
            let members = first..(first + self.plan.subgroup).min(self.n);
            let mut votes = members.clone().filter(|&i| voters.has(i));
            let lanes = usize::from(arg.lanes);
            let of = |lane: usize, i: usize| self.row(arg, lane).get(i).copied().unwrap_or_default();
            let holds = |i: usize| of(0, i).low() != 0;
            let answer = match op {
                Op::Vote(Vote::Any) => [u32::from(votes.any(holds)), 0],
                Op::Vote(Vote::All) => [u32::from(votes.all(holds)), 0],
                Op::Vote(Vote::Equal) => {
                    let equal = match votes.next() {
                        Some(one) => votes.all(|i| (0..lanes).all(|lane| of(lane, i) == of(lane, one))),
                        None => true,
                    };
                    [u32::from(equal), 0]
                }
                Op::Ballot => {
                    let bits = votes.filter(|&i| holds(i)).fold(0u64, |bits, i| bits | 1 << (i - first));
                    [bits as u32, (bits >> 32) as u32]
                }
                _ => [0; 2],
            };
            let source = members.clone().find(|&i| mask.has(i));
            for i in members {
                for (lane, row) in out.chunks_exact_mut(self.quads).enumerate() {
                    row[i / 4][i % 4] = match op {
                        Op::ReadFirst => source.map_or(W::default(), |from| of(lane, from)),
                        Op::ReadInvocation => {
                            let number = self.word(args, 1, i) as usize;
                            let from = self.subgroup_of(i).saturating_add(number);
                            let there = number < self.plan.subgroup && self.all.has(from);
                            if there { of(lane, from) } else { W::default() }
                        }
                        _ => W::from_low(answer.get(lane).copied().unwrap_or(0)),
                    };
                }
            }
        }
    }
}
