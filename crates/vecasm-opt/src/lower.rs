//! Switches as ifs, and idioms as their operations, for targets that lack them.

use super::rewrite::Rewrite;
use super::walk::Walk;
use alloc::boxed::Box;
use alloc::vec::Vec;
use vecasm_ir::ir::{Arg, If, Node, Pure, Region, Shader, Switch, Type};

/// What [`lower`] takes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lower {
    /// Switches become one if for each case, one after another, and one for the default behind them. Regions are nested
    /// no deeper than they were.
    pub switches: bool,
    /// Idioms become the operations of their bodies.
    pub idioms: bool,
}

/// Takes out switches, idioms or both. The step table stays exact.
#[must_use]
pub fn lower(shader: &Shader, what: Lower) -> Shader {
    let mut pass = Lowering { rw: Rewrite::new(shader), what };
    pass.nodes(&shader.body);
    pass.rw.b.finish()
}

struct Lowering<'a> {
    rw: Rewrite<'a>,
    what: Lower,
}

impl<'a> Walk<'a> for Lowering<'a> {
    fn rw(&mut self) -> &mut Rewrite<'a> {
        &mut self.rw
    }

    fn node(&mut self, node: &'a Node) -> bool {
        match node {
            Node::Switch(node) if self.what.switches => self.switch(node),
            Node::Idiom(node) if self.what.idioms => self.splice(&node.body, &node.results),
            node => self.copy_node(node),
        }
    }
}

impl<'a> Lowering<'a> {
    /// Says whether what runs ends in an exit.
    fn switch(&mut self, node: &'a Switch) -> bool {
        let selector = self.rw.arg(node.selector);
        let scalar = self.rw.b.shader.arg_type(selector).scalar;
        let mut conds: Vec<Arg> = Vec::with_capacity(node.cases.len());
        for (numbers, _) in &node.cases {
            let mut cond = None;
            for &number in numbers {
                let number = self.rw.constant([number, 0, 0, 0], Type::new(scalar, 1));
                let equal = self.rw.b.pure(Pure::Eq, &[selector, number]);
                cond = Some(match cond {
                    None => equal,
                    Some(others) => self.rw.b.pure(Pure::Or, &[others, equal]),
                });
            }
            conds.push(cond.unwrap_or_else(|| self.rw.constant([0; 4], Type::BOOL)));
        }
        match conds.as_slice() {
            [] => return self.splice(&node.default, &node.results),
            [cond] => {
                let then = self.region(&node.cases[0].1);
                let otherwise = self.region(&node.default);
                let results = self.results(&node.results);
                self.rw.b.node(Node::If(Box::new(If { cond: *cond, then, otherwise, results })));
            }
            [first, others @ ..] => {
                let mut any = *first;
                for &cond in others {
                    any = self.rw.b.pure(Pure::Or, &[any, cond]);
                }
                let types: Vec<Type> = node.results.iter().map(|&v| self.rw.from.value(v).ty).collect();
                let mut state: Vec<Arg> = types.iter().map(|&ty| self.rw.zero(ty)).collect();
                let none = self.rw.b.pure(Pure::Not, &[any]);
                let cases = node.cases.iter().map(|(_, region)| region);
                let last = core::iter::once((none, &node.default));
                for (cond, region) in conds.iter().copied().zip(cases).chain(last) {
                    state = self.guarded(cond, region, &state, &types);
                }
                for (&result, &arg) in node.results.iter().zip(&state) {
                    self.rw.put_arg(result, arg);
                    if let Some(home) = self.rw.from.value(result).home {
                        self.rw.b.set_home(arg.value, home);
                    }
                }
            }
        }
        false
    }

    /// Runs a region under a condition; its yields take the place of `state`.
    fn guarded(&mut self, cond: Arg, region: &'a Region, state: &[Arg], types: &[Type]) -> Vec<Arg> {
        let then = self.region(region);
        self.rw.b.open();
        let otherwise = self.rw.b.close(state);
        let results: Vec<_> = types.iter().map(|&ty| self.rw.b.value(ty, None)).collect();
        let out = results.iter().zip(types).map(|(&v, ty)| Arg::all_lanes(v, ty.lanes)).collect();
        self.rw.b.node(Node::If(Box::new(If { cond, then, otherwise, results })));
        out
    }
}

/// Whether a shader has switches, and whether it has idioms: what [`lower`] would find.
#[must_use]
pub fn lowerable(shader: &Shader) -> Lower {
    fn look(region: &Region, found: &mut Lower) {
        for node in &region.nodes {
            found.switches |= matches!(node, Node::Switch(_));
            found.idioms |= matches!(node, Node::Idiom(_));
            node.for_each_region(|region| look(region, found));
        }
    }
    let mut found = Lower::default();
    look(&shader.body, &mut found);
    found
}
