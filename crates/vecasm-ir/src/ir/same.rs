//! Equality of shaders: tables as they are, bodies by what they say.

use super::{Arg, Args, Node, Region, Shader, Value};

impl PartialEq for Shader {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            stage,
            isa,
            files,
            registers,
            setup,
            serial,
            inputs,
            outputs,
            params,
            locals,
            states,
            textures,
            buffers,
            images,
            values: _,
            steps,
            args: _,
            body,
            symbols: _,
        } = self;
        *stage == other.stage
            && *isa == other.isa
            && *files == other.files
            && *registers == other.registers
            && *setup == other.setup
            && *serial == other.serial
            && *inputs == other.inputs
            && *outputs == other.outputs
            && *params == other.params
            && *locals == other.locals
            && *states == other.states
            && *textures == other.textures
            && *buffers == other.buffers
            && *images == other.images
            && *steps == other.steps
            && Comparison { a: self, b: other }.regions(body, &other.body)
    }
}

struct Comparison<'a> {
    a: &'a Shader,
    b: &'a Shader,
}

impl Comparison<'_> {
    fn regions(&self, a: &Region, b: &Region) -> bool {
        a.nodes.len() == b.nodes.len()
            && self.args(a.yields, b.yields)
            && a.nodes.iter().zip(&b.nodes).all(|(a, b)| self.nodes(a, b))
    }

    fn nodes(&self, a: &Node, b: &Node) -> bool {
        match (a, b) {
            (Node::Inst(a), Node::Inst(b)) => {
                (a.op, a.arith, a.step, a.tail) == (b.op, b.arith, b.step, b.tail)
                    && self.values(a.result.as_slice(), b.result.as_slice())
                    && self.args(a.args, b.args)
            }
            (Node::If(a), Node::If(b)) => {
                arg(a.cond) == arg(b.cond)
                    && self.regions(&a.then, &b.then)
                    && self.regions(&a.otherwise, &b.otherwise)
                    && self.values(&a.results, &b.results)
            }
            (Node::Block(a), Node::Block(b)) => {
                a.label == b.label && self.regions(&a.body, &b.body) && self.values(&a.results, &b.results)
            }
            (Node::Loop(a), Node::Loop(b)) => {
                a.label == b.label
                    && self.values(&a.params, &b.params)
                    && self.args(a.init, b.init)
                    && self.regions(&a.body, &b.body)
                    && self.values(&a.results, &b.results)
            }
            (Node::Switch(a), Node::Switch(b)) => {
                let same = |((a, x), (b, y)): (&(_, _), &(_, _))| a == b && self.regions(x, y);
                arg(a.selector) == arg(b.selector)
                    && a.cases.len() == b.cases.len()
                    && a.cases.iter().zip(&b.cases).all(same)
                    && self.regions(&a.default, &b.default)
                    && self.values(&a.results, &b.results)
            }
            (Node::Idiom(a), Node::Idiom(b)) => {
                a.what == b.what
                    && self.args(a.operands, b.operands)
                    && self.regions(&a.body, &b.body)
                    && self.values(&a.results, &b.results)
            }
            (Node::Leave { label: a, values: x }, Node::Leave { label: b, values: y })
            | (Node::Again { label: a, values: x }, Node::Again { label: b, values: y }) => {
                a == b && self.args(*x, *y)
            }
            _ => false,
        }
    }

    fn args(&self, a: Args, b: Args) -> bool {
        let lists = (self.a.args(a), self.b.args(b));
        lists.0.iter().map(|&a| arg(a)).eq(lists.1.iter().map(|&b| arg(b)))
    }

    /// The same values, known to be of the same type and home.
    fn values(&self, a: &[Value], b: &[Value]) -> bool {
        let info = |shader: &Shader, v: Value| shader.values.get(v.index()).copied();
        a == b && a.iter().all(|&v| info(self.a, v) == info(self.b, v))
    }
}

/// What counts of an argument: selectors beyond its lanes do not.
fn arg(arg: Arg) -> (Value, u8, [u8; 4]) {
    let mut lanes = arg.swizzle.lanes();
    lanes.iter_mut().skip(usize::from(arg.lanes)).for_each(|lane| *lane = 0);
    (arg.value, arg.lanes, lanes)
}
