//! Values, arguments, regions and exits.

use super::{LabelTarget, MAX_DEPTH, Verifier, Visibility, list_name, rules, type_name};
use crate::ir::{
    Arg, Args, Block, Idiom, If, Label, Loop, Node, Region, Scalar, Shader, Switch, Type, Value,
};
use crate::operand::LANES;
use alloc::collections::BTreeSet;
use alloc::format;
use core::fmt;

impl<'a> Verifier<'a> {
    pub(super) fn body(&mut self) {
        let shader: &'a Shader = self.shader;
        self.region(&shader.body, 0, rules::BODY_YIELDS, format_args!("the body of the shader yields"), &[]);
    }

    /// Finds the types of a list of arguments, for [`Verifier::given`]. False if they cannot be known.
    pub(super) fn arguments(&mut self, args: Args) -> bool {
        self.given.clear();
        let shader: &'a Shader = self.shader;
        let end = u64::from(args.start) + u64::from(args.len);
        if end > shader.args.len() as u64 {
            let message = format!(
                "arguments {} to {} are outside a table of {}",
                args.start,
                end.saturating_sub(1),
                shader.args.len()
            );
            self.breach(rules::ARGUMENT_LIST, message);
            return false;
        }
        let mut known = true;
        for &arg in shader.args(args) {
            match self.arg(arg) {
                Some(ty) => self.given.push(ty),
                None => known = false,
            }
        }
        known
    }

    /// The type of an argument, if its value exists.
    fn arg(&mut self, arg: Arg) -> Option<Type> {
        let n = arg.value.number();
        let Some(info) = self.shader.values.get(arg.value.index()).copied() else {
            self.breach(rules::VALUE_UNKNOWN, format!("%{n} does not exist"));
            return None;
        };
        match self.defined.get(arg.value.index()) {
            Some(Visibility::Visible) | None => {}
            Some(Visibility::Undefined) => {
                self.breach(rules::VALUE_BEFORE_DEFINITION, format!("%{n} is used before its definition"));
            }
            Some(Visibility::Gone) => {
                let message = format!("%{n} is used outside the region that defines it");
                self.breach(rules::VALUE_OUT_OF_SCOPE, message);
            }
        }
        if !(1..=4).contains(&arg.lanes) {
            let message = format!("an argument picks {} lanes of %{n}, not 1 to 4", arg.lanes);
            self.breach(rules::ARGUMENT_LANES, message);
        }
        for lane in 0..usize::from(arg.lanes.min(4)) {
            let from = arg.swizzle.get(lane);
            if from >= info.ty.lanes {
                let letter = LANES[usize::from(from)];
                let message = format!("%{n} has no lane {letter}: it is {}", type_name(info.ty));
                self.breach(rules::ARGUMENT_LANES, message);
                break;
            }
        }
        Some(Type::new(info.ty.scalar, arg.lanes))
    }

    pub(super) fn define(&mut self, value: Value) {
        match self.defined.get_mut(value.index()) {
            None => {
                let message = format!("%{} is defined but not in the table of values", value.number());
                self.breach(rules::VALUE_UNKNOWN, message);
            }
            Some(of @ Visibility::Undefined) => {
                *of = Visibility::Visible;
                self.scope.push(value);
            }
            Some(_) => self.breach(rules::VALUE_TWICE, format!("%{} is defined twice", value.number())),
        }
    }

    fn define_all(&mut self, values: &[Value]) {
        values.iter().for_each(|&value| self.define(value));
    }

    pub(super) fn value_type(&self, value: Value) -> Option<Type> {
        self.shader.values.get(value.index()).map(|info| info.ty)
    }

    /// Whether the given types are those of `values`; of values that do not exist any type will do.
    fn expect(&mut self, id: &'static str, what: fmt::Arguments<'_>, values: &[Value]) {
        let same = self.given.len() == values.len()
            && self.given.iter().zip(values).all(|(&got, &v)| self.value_type(v).is_none_or(|ty| ty == got));
        if !same {
            let got = list_name(self.given.iter().copied());
            let wanted = list_name(values.iter().map(|&v| self.value_type(v).unwrap_or(Type::F32)));
            self.breach(id, format!("{what} ({got}) where ({wanted}) is expected"));
        }
    }

    /// Checks a region that yields what is to go to `to`. `what` begins the message if it does not.
    fn region(
        &mut self,
        region: &'a Region,
        depth: usize,
        id: &'static str,
        what: fmt::Arguments<'_>,
        to: &[Value],
    ) {
        if depth > MAX_DEPTH {
            self.breach(rules::DEPTH, format!("regions are nested more than {MAX_DEPTH} deep"));
            return;
        }
        let outer = self.scope.len();
        let mut ended = false;
        for node in &region.nodes {
            if ended {
                self.breach(rules::BEHIND_EXIT, "a node follows an exit");
                ended = false;
            }
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => self.branch(node, depth),
                Node::Block(node) => self.block(node, depth),
                Node::Loop(node) => self.cycle(node, depth),
                Node::Switch(node) => self.switch(node, depth),
                Node::Idiom(node) => self.idiom(node, depth),
                Node::Leave { label, values } => {
                    self.exit(*label, *values, true);
                    ended = true;
                }
                Node::Again { label, values } => {
                    self.exit(*label, *values, false);
                    ended = true;
                }
            }
        }
        if self.arguments(region.yields) && !region.exits() {
            self.expect(id, what, to);
        }
        self.close(outer);
    }

    /// Ends the visibility of everything defined since the scope had `outer` values.
    fn close(&mut self, outer: usize) {
        for value in self.scope.drain(outer..) {
            if let Some(of) = self.defined.get_mut(value.index()) {
                *of = Visibility::Gone;
            }
        }
    }

    fn branch(&mut self, node: &'a If, depth: usize) {
        if let Some(cond) = self.arg(node.cond).filter(|&ty| ty != Type::BOOL) {
            let message = format!("the condition of an if is {}, expected bool", type_name(cond));
            self.breach(rules::CONDITION, message);
        }
        for arm in [&node.then, &node.otherwise] {
            self.region(arm, depth + 1, rules::YIELDS, format_args!("an arm of an if yields"), &node.results);
        }
        self.define_all(&node.results);
    }

    fn block(&mut self, node: &'a Block, depth: usize) {
        let label = node.label;
        let opened = self.enter(label, &node.results, None);
        self.region(
            &node.body,
            depth + 1,
            rules::YIELDS,
            format_args!("block L{} yields", label.0),
            &node.results,
        );
        self.leave(label, opened);
        self.define_all(&node.results);
    }

    fn cycle(&mut self, node: &'a Loop, depth: usize) {
        let label = node.label;
        if self.arguments(node.init) {
            self.expect(rules::LOOP_START, format_args!("loop L{} starts with", label.0), &node.params);
        }
        let outside = self.scope.len();
        self.define_all(&node.params);
        let opened = self.enter(label, &node.results, Some(&node.params));
        self.region(
            &node.body,
            depth + 1,
            rules::YIELDS,
            format_args!("loop L{} yields", label.0),
            &node.params,
        );
        self.leave(label, opened);
        self.close(outside);
        self.define_all(&node.results);
    }

    fn switch(&mut self, node: &'a Switch, depth: usize) {
        let selector = self.arg(node.selector).unwrap_or(Type::U32);
        if selector.lanes != 1 || !matches!(selector.scalar, Scalar::I32 | Scalar::U32) {
            let message = format!("a switch selects by {}, expected i32 or u32", type_name(selector));
            self.breach(rules::SWITCH_SELECTOR, message);
        }
        let mut seen = BTreeSet::new();
        for (numbers, region) in &node.cases {
            if numbers.is_empty() {
                self.breach(rules::SWITCH_EMPTY, "a case of a switch has no number");
            }
            for &number in numbers {
                if !seen.insert(number) {
                    let shown = match selector.scalar {
                        Scalar::I32 => format!("{}", number as i32),
                        _ => format!("{number}"),
                    };
                    self.breach(rules::SWITCH_NUMBER, format!("a switch has case {shown} twice"));
                }
            }
            self.region(
                region,
                depth + 1,
                rules::YIELDS,
                format_args!("a case of a switch yields"),
                &node.results,
            );
        }
        self.region(
            &node.default,
            depth + 1,
            rules::YIELDS,
            format_args!("the default of a switch yields"),
            &node.results,
        );
        self.define_all(&node.results);
    }

    fn idiom(&mut self, node: &'a Idiom, depth: usize) {
        let name = node.what.name();
        if self.arguments(node.operands) {
            let (takes, got) = (node.what.operands(), self.given.len());
            if !takes.contains(&got) {
                let wanted = match (*takes.start(), *takes.end()) {
                    (least, most) if least == most => format!("{least}"),
                    (least, most) => format!("{least} to {most}"),
                };
                let message = format!("idiom {name} has {got} operands, expected {wanted}");
                self.breach(rules::IDIOM_OPERANDS, message);
            }
        }
        if node.results.len() != node.what.results() {
            let (got, wanted) = (node.results.len(), node.what.results());
            let message = format!("idiom {name} has {got} results, expected {wanted}");
            self.breach(rules::IDIOM_RESULTS, message);
        }
        self.idioms += 1;
        self.region(&node.body, depth + 1, rules::YIELDS, format_args!("idiom {name} yields"), &node.results);
        self.idioms -= 1;
        self.define_all(&node.results);
    }

    /// Opens a label; false if it was seen before.
    fn enter(&mut self, label: Label, results: &'a [Value], params: Option<&'a [Value]>) -> bool {
        if self.labels.contains_key(&label) {
            self.breach(rules::LABEL_TWICE, format!("label L{} names two regions", label.0));
            return false;
        }
        self.labels.insert(label, LabelTarget { open: true, results, params, idioms: self.idioms });
        true
    }

    fn leave(&mut self, label: Label, opened: bool) {
        if let (true, Some(named)) = (opened, self.labels.get_mut(&label)) {
            named.open = false;
        }
    }

    fn exit(&mut self, label: Label, values: Args, leave: bool) {
        let known = self.arguments(values);
        let word = if leave { "leave" } else { "again" };
        let n = label.0;
        let Some(named) = self.labels.get(&label).filter(|named| named.open) else {
            let message = format!("{word} L{n} is outside any block or loop of that label");
            return self.breach(rules::EXIT_LABEL, message);
        };
        let crosses = named.idioms != self.idioms;
        let wanted = if leave { Some(named.results) } else { named.params };
        if crosses {
            self.breach(rules::EXIT_IDIOM, format!("{word} L{n} leads out of an idiom"));
        }
        match wanted {
            None => self.breach(rules::AGAIN_BLOCK, format!("again L{n}: a block has no next iteration")),
            Some(wanted) if known => {
                self.expect(rules::EXIT_VALUES, format_args!("{word} L{n} gives"), wanted);
            }
            Some(_) => {}
        }
    }
}
