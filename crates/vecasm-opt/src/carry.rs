//! Loops without what they carry round for nobody.

use super::clean::{Effects, Need};
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, Args, Label, Node, Region, Shader, Value};

/// Drops values that nothing visible depends on, where they stand: a lifter lets loops carry every register that they
/// write. It costs half of what [`clean`](super::clean()) does, which makes a new shader and narrows lanes, too; here lanes
/// that nobody reads of values that are needed stay, and idioms stay whole.
pub(super) fn uncarried(shader: &mut Shader) {
    let (needed, effects) = Need::needed_lanes(shader);
    let mut body = core::mem::take(&mut shader.body);
    Trim { needed: &needed, effects: &effects, args: &mut shader.args, open: Vec::new() }.region(&mut body);
    shader.body = body;
}

struct Trim<'a> {
    /// For each value its needed lanes: all or none.
    needed: &'a [u8],
    effects: &'a Effects,
    args: &'a mut [Arg],
    /// The loops and blocks around, with the results and parameters they had.
    open: Vec<(Label, Vec<Value>, Vec<Value>)>,
}

impl Trim<'_> {
    fn region(&mut self, region: &mut Region) {
        region.nodes.retain_mut(|node| self.stays(node));
    }

    fn is_needed(&self, value: Value) -> bool {
        self.needed.get(value.index()).is_some_and(|lanes| *lanes != 0)
    }

    /// Whether a node is needed; if it is, it loses what is not.
    fn stays(&mut self, node: &mut Node) -> bool {
        let used = |this: &Self, results: &[Value]| results.iter().any(|value| this.is_needed(*value));
        let stays = match &*node {
            Node::Inst(inst) => {
                return inst.result.is_none_or(|result| self.is_needed(result)) || self.effects.has(inst.op);
            }
            Node::If(of) => used(self, &of.results) || self.effects.within(node),
            Node::Switch(of) => used(self, &of.results) || self.effects.within(node),
            Node::Block(of) => used(self, &of.results) || self.effects.within(node),
            Node::Idiom(of) => used(self, &of.results) || self.effects.within(node),
            Node::Loop(_) | Node::Leave { .. } | Node::Again { .. } => true,
        };
        if !stays {
            return false;
        }
        match node {
            Node::Inst(_) => {}
            // All its results are what its operations give.
            Node::Idiom(of) => self.region(&mut of.body),
            Node::If(of) => {
                for region in [&mut of.then, &mut of.otherwise] {
                    region.yields = self.needed_args(region.yields, &of.results);
                    self.region(region);
                }
                of.results.retain(|value| self.is_needed(*value));
            }
            Node::Switch(of) => {
                for region in of.cases.iter_mut().map(|(_, region)| region).chain([&mut of.default]) {
                    region.yields = self.needed_args(region.yields, &of.results);
                    self.region(region);
                }
                of.results.retain(|value| self.is_needed(*value));
            }
            Node::Block(of) => {
                of.body.yields = self.needed_args(of.body.yields, &of.results);
                (of.results, _) =
                    self.labeled(of.label, &mut of.body, core::mem::take(&mut of.results), Vec::new());
            }
            Node::Loop(of) => {
                of.init = self.needed_args(of.init, &of.params);
                of.body.yields = self.needed_args(of.body.yields, &of.params);
                let (results, params) = (core::mem::take(&mut of.results), core::mem::take(&mut of.params));
                (of.results, of.params) = self.labeled(of.label, &mut of.body, results, params);
            }
            Node::Leave { label, values } => *values = self.exit(*label, *values, false),
            Node::Again { label, values } => *values = self.exit(*label, *values, true),
        }
        true
    }

    /// The body of a block or loop; gives the results and parameters that are needed.
    fn labeled(
        &mut self,
        label: Label,
        body: &mut Region,
        results: Vec<Value>,
        params: Vec<Value>,
    ) -> (Vec<Value>, Vec<Value>) {
        self.open.push((label, results, params));
        self.region(body);
        let (_, mut results, mut params) = self.open.pop().unwrap_or((label, Vec::new(), Vec::new()));
        results.retain(|value| self.is_needed(*value));
        params.retain(|value| self.is_needed(*value));
        (results, params)
    }

    /// What an exit gives.
    fn exit(&mut self, label: Label, values: Args, again: bool) -> Args {
        let Some(at) = self.open.iter().rposition(|open| open.0 == label) else { return values };
        let open = self.open.swap_remove(at);
        let kept = self.needed_args(values, if again { &open.2 } else { &open.1 });
        self.open.push(open);
        let last = self.open.len() - 1;
        self.open.swap(at, last);
        kept
    }

    /// Of what is given to values that for those which are needed, in the same place.
    fn needed_args(&mut self, list: Args, to: &[Value]) -> Args {
        let Args { start, len } = list;
        let mut end = start;
        for (at, value) in (start..start + len).zip(to) {
            if self.is_needed(*value) {
                self.args[end as usize] = self.args[at as usize];
                end += 1;
            }
        }
        Args { start, len: end - start }
    }
}
