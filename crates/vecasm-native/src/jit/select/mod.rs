//! From rows to instructions on virtual registers.
//!
//! One invocation is one lane. What does not take part is computed, too, and nobody looks at it: masks are for what can be
//! seen, and for regions that are left out where no lane needs them.
//!
//! * this file: values, masks, the pool;
//! * `calc`: pure operations; `functions`: the elementary ones; `nv20`: the arithmetic of that name;
//! * `flow`: regions;
//! * `cells`: inputs, outputs and all else that is not pure; `indexed`: those that an index chooses;
//! * `neighbours`: derivatives;
//! * `textures`: reads of textures.

mod calc;
mod cells;
mod flow;
mod functions;
mod indexed;
mod neighbours;
mod nv20;
mod textures;

use super::call::Computation;
use super::isa::Isa;
use super::mir::{Call, Kind, MachineInst, MachineOp, Mode, NONE, Program, Src, V, relation};
use super::rows::{Bits, Facts};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use vecasm_exec::code::{Code, Node, Region};
use vecasm_ir::ir::{Op, Shader};
use vecasm_ir::math::CANONICAL_NAN;

/// Instructions, and what has to be bound to run them.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) program: Program,
    /// What a batch fills entries of the pool with.
    pub(super) uniforms: Vec<(Uniform, u32)>,
    /// Lists, in order.
    pub(super) lists: Vec<List>,
}

/// An entry of the pool that a batch fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Uniform {
    /// A lane of a parameter or a state.
    Lane(Op, u8),
    /// All ones where that entry, an f32, is not zero; or, no denormal either.
    NotZero(u32, bool),
}

/// Something that is read or written invocation by invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Input(usize),
    Output(usize),
    /// A parameter array, whole, the same for all invocations.
    Param(usize),
    /// What the invocation before left in an output of a serial shader.
    Carried(usize),
    /// Of each invocation, in the first word, whether it is a helper from the start.
    Helpers,
    /// A bit for each invocation that became a helper.
    Killed,
}

/// Which lanes take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mask {
    All,
    None,
    Some(V),
}

/// What a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Nothing yet.
    Missing,
    Word(Src),
    Mask(Mask),
    /// A lane of an input that is loaded where it is first needed.
    Input(usize, u8),
}

struct Select<'a> {
    isa: Isa,
    shader: &'a Shader,
    code: &'a Code,
    facts: Facts,
    out: Selected,
    constants: HashMap<u64, u32>,
    /// Some of the constants, by a hash.
    recent: [(u64, u32); 64],
    /// Entries of the pool that a batch fills.
    uniform: HashMap<Uniform, u32>,
    /// Those entries.
    filled: Vec<bool>,
    /// The bits of rows that hold the same for ever.
    constant: Vec<Option<u32>>,
    values: Vec<Value>,
    /// Rows that are never NaN.
    never_nan: Vec<bool>,
    /// Masks of the lanes in which a row is not zero; or, no denormal either.
    not_zero: HashMap<(u32, bool), Mask>,
    /// Rows of `not_zero` in the order in which they came there.
    found: Vec<(u32, bool)>,
    /// For each input, its lanes, once they are loaded.
    inputs: Vec<Option<[Src; 4]>>,
    cells: cells::Cells,
    frames: Vec<flow::Frame>,
    /// How many regions are open around.
    depth: usize,
    /// Who takes part where code is chosen.
    active: Mask,
    /// Whose values somebody can see there, once it has been asked for: see [`Select::visible_mask`].
    seen: Option<Mask>,
    /// The mode at this point.
    mode: Mode,
    /// Rows of which each NaN stands for that of nv20.
    any_nan: Vec<bool>,
    /// Rows that are products by the arithmetic of nv20.
    products: HashMap<u32, nv20::Product>,
    /// First entries of tables.
    tables: HashMap<nv20::Table, u32>,
    /// Helpers, if the shader makes any or asks for them.
    helpers: Option<V>,
    /// Whether invocations see those of their quad. Then it counts what those hold that take no part.
    quads: bool,
}

/// What cannot be compiled, for a person.
pub(super) type Refusal = String;

/// Chooses instructions for a shader.
pub(super) fn select(shader: &Shader, code: &Code, isa: Isa) -> Result<Selected, Refusal> {
    let survey = cells::survey(shader, code)?;
    let out = Selected { program: Program::default(), uniforms: Vec::new(), lists: Vec::new() };
    let mut select = Select {
        isa,
        shader,
        code,
        facts: Facts::of(code),
        out,
        constants: HashMap::with_capacity(code.constants.len() + 64),
        recent: [(0, u32::MAX); 64],
        uniform: HashMap::with_capacity(code.uniforms.len()),
        filled: Vec::new(),
        constant: vec![None; code.rows as usize],
        values: vec![Value::Missing; code.rows as usize],
        never_nan: vec![false; code.rows as usize],
        not_zero: HashMap::new(),
        found: Vec::new(),
        inputs: vec![None; shader.inputs.len()],
        cells: cells::Cells::new(shader, &survey),
        frames: Vec::new(),
        depth: 0,
        active: Mask::All,
        seen: None,
        mode: survey.home(),
        any_nan: vec![false; code.rows as usize],
        products: HashMap::new(),
        tables: HashMap::new(),
        helpers: None,
        quads: survey.quads,
    };
    select.out.program.home = survey.home();
    // The first one.
    select.word(0);
    select.uniforms();
    select.start(&survey);
    select.body()?;
    Ok(select.out)
}

impl Select<'_> {
    /// Gives entries of the pool to rows that are the same for all invocations. Those that a batch fills come first.
    fn uniforms(&mut self) {
        let code = self.code;
        for uniform in &code.uniforms {
            let entry = self.uniform_entry(Uniform::Lane(uniform.op, uniform.lane));
            self.values[uniform.row as usize] = Value::Word(Src::C(entry));
        }
        for &(row, bits) in &code.constants {
            let bits = bits as u32;
            let entry = self.word(bits);
            self.values[row as usize] = Value::Word(entry);
            self.constant[row as usize] = Some(bits);
            self.never_nan[row as usize] = !f32::from_bits(bits).is_nan();
        }
    }

    fn uniform_entry(&mut self, uniform: Uniform) -> u32 {
        let pool = &mut self.out.program.pool;
        let entry = match self.uniform.entry(uniform) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(new) => *new.insert(pool.len() as u32),
        };
        pool.push(0);
        self.filled.resize(entry as usize, false);
        self.filled.push(true);
        self.out.uniforms.push((uniform, entry));
        entry
    }

    fn pool(&mut self, bits: u64) -> u32 {
        let pool = &mut self.out.program.pool;
        pool.push(bits);
        pool.len() as u32 - 1
    }

    /// An entry of 64 bits.
    fn long(&mut self, bits: u64) -> Src {
        // Most are asked for again and again.
        let at = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        if let Some(&(known, entry)) = self.recent.get(at) {
            if known == bits && entry != u32::MAX {
                return Src::C(entry);
            }
        }
        let entry = match self.constants.get(&bits) {
            Some(&entry) => entry,
            None => {
                let entry = self.pool(bits);
                self.constants.insert(bits, entry);
                entry
            }
        };
        self.recent[at] = (bits, entry);
        Src::C(entry)
    }

    /// The same word in all lanes.
    fn word(&mut self, bits: u32) -> Src {
        self.long(u64::from(bits) | u64::from(bits) << 32)
    }

    fn float(&mut self, value: f32) -> Src {
        self.word(value.to_bits())
    }

    fn double(&mut self, value: f64) -> Src {
        self.long(value.to_bits())
    }

    fn virtual_register(&mut self, kind: Kind) -> V {
        let kinds = &mut self.out.program.kinds;
        kinds.push(kind);
        kinds.len() as V - 1
    }

    fn push(&mut self, op: MachineOp, dst: V, src: [Src; 3], imm: u32) {
        if matches!(op, MachineOp::Label | MachineOp::JumpIfNone | MachineOp::LoopBegin | MachineOp::LoopEnd)
        {
            // Where ways meet they agree.
            self.enter(self.out.program.home);
        }
        self.out.program.code.push(MachineInst { op, dst, src, imm });
    }

    /// Has the machine compute in a mode from here on.
    fn enter(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.push(MachineOp::Mode, NONE, [Src::None; 3], mode as u32);
        }
    }

    /// Whether denormals are flushed here.
    fn flushes(&self) -> bool {
        self.mode != Mode::Keep
    }

    fn label(&mut self) -> u32 {
        self.out.program.labels += 1;
        self.out.program.labels - 1
    }

    /// An instruction that gives a vector.
    fn op(&mut self, op: MachineOp, src: [Src; 3], imm: u32) -> Src {
        let dst = self.virtual_register(Kind::Vector);
        self.push(op, dst, src, imm);
        Src::V(dst)
    }

    fn one(&mut self, op: MachineOp, a: Src) -> Src {
        self.op(op, [a, Src::None, Src::None], 0)
    }

    fn two(&mut self, op: MachineOp, a: Src, b: Src) -> Src {
        self.op(op, [a, b, Src::None], 0)
    }

    fn three(&mut self, op: MachineOp, a: Src, b: Src, c: Src) -> Src {
        self.op(op, [a, b, c], 0)
    }

    fn shift(&mut self, op: MachineOp, a: Src, count: u32) -> Src {
        self.op(op, [a, Src::None, Src::None], count)
    }

    fn mask_op(&mut self, op: MachineOp, src: [Src; 3], imm: u32) -> Mask {
        let dst = self.virtual_register(Kind::Mask);
        self.push(op, dst, src, imm);
        Mask::Some(dst)
    }

    /// Lanes in which two f32 are so related.
    fn compare(&mut self, relation: u32, a: Src, b: Src) -> Mask {
        // A constant stands in memory where it is the second one.
        let turned = match relation {
            relation::LT => Some(relation::GT),
            relation::GT => Some(relation::LT),
            relation::LE => Some(relation::GE),
            relation::GE => Some(relation::LE),
            relation::EQ | relation::NE | relation::UNORDERED => Some(relation),
            _ => None,
        };
        match (a, turned) {
            (Src::C(_), Some(turned)) if !matches!(b, Src::C(_)) => {
                self.mask_op(MachineOp::Compare, [b, a, Src::None], turned)
            }
            _ => self.mask_op(MachineOp::Compare, [a, b, Src::None], relation),
        }
    }

    /// A mask in a register.
    fn mask_register(&mut self, mask: Mask) -> V {
        match mask {
            Mask::Some(v) => v,
            Mask::All | Mask::None => {
                let dst = self.virtual_register(Kind::Mask);
                let op = if mask == Mask::All { MachineOp::MaskAll } else { MachineOp::MaskNone };
                self.push(op, dst, [Src::None; 3], 0);
                dst
            }
        }
    }

    fn and(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (Mask::All, other) | (other, Mask::All) => other,
            (Mask::None, _) | (_, Mask::None) => Mask::None,
            (Mask::Some(a), Mask::Some(b)) if a == b => Mask::Some(a),
            (Mask::Some(a), Mask::Some(b)) => {
                self.mask_op(MachineOp::MaskAnd, [Src::V(a), Src::V(b), Src::None], 0)
            }
        }
    }

    fn or(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (Mask::None, other) | (other, Mask::None) => other,
            (Mask::All, _) | (_, Mask::All) => Mask::All,
            (Mask::Some(a), Mask::Some(b)) if a == b => Mask::Some(a),
            (Mask::Some(a), Mask::Some(b)) => {
                self.mask_op(MachineOp::MaskOr, [Src::V(a), Src::V(b), Src::None], 0)
            }
        }
    }

    fn xor(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (Mask::None, other) | (other, Mask::None) => other,
            (Mask::All, other) | (other, Mask::All) => self.not(other),
            (Mask::Some(a), Mask::Some(b)) => {
                self.mask_op(MachineOp::MaskXor, [Src::V(a), Src::V(b), Src::None], 0)
            }
        }
    }

    fn not(&mut self, mask: Mask) -> Mask {
        match mask {
            Mask::All => Mask::None,
            Mask::None => Mask::All,
            Mask::Some(v) => match self.isa {
                Isa::Avx2 => {
                    let ones = self.word(u32::MAX);
                    self.mask_op(MachineOp::Xor, [Src::V(v), ones, Src::None], 0)
                }
                Isa::Avx512 => self.mask_op(MachineOp::MaskNot, [Src::V(v), Src::None, Src::None], 0),
            },
        }
    }

    /// Those of `a` that are not in `b`.
    fn without(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (_, Mask::None) => a,
            (Mask::None, _) | (_, Mask::All) => Mask::None,
            (Mask::All, other) => self.not(other),
            (Mask::Some(a), Mask::Some(b)) => {
                self.mask_op(MachineOp::MaskAndNot, [Src::V(b), Src::V(a), Src::None], 0)
            }
        }
    }

    /// `yes` where the mask holds, else `no`.
    fn blend(&mut self, no: Src, yes: Src, mask: Mask) -> Src {
        let zero = self.word(0);
        match mask {
            Mask::All => yes,
            Mask::None => no,
            Mask::Some(_) if no == yes => yes,
            Mask::Some(m) if no == zero => self.three(MachineOp::Keep, Src::None, yes, Src::V(m)),
            Mask::Some(m) if yes == zero => self.three(MachineOp::Drop, Src::None, no, Src::V(m)),
            Mask::Some(m) => self.three(MachineOp::Blend, no, yes, Src::V(m)),
        }
    }

    /// Lanes whose bits are not all zero.
    fn not_all_zero(&mut self, word: Src) -> Mask {
        let zero = self.word(0);
        if word == zero {
            return Mask::None;
        }
        let equal = self.mask_op(MachineOp::Equal, [word, zero, Src::None], 0);
        self.not(equal)
    }

    /// What a row holds, as words; of a bool, 0 or 1.
    fn value(&mut self, row: u32) -> Src {
        match self.values[row as usize] {
            Value::Word(src) => src,
            Value::Mask(mask) => {
                let (zero, one) = (self.word(0), self.word(1));
                self.blend(zero, one, mask)
            }
            Value::Input(id, lane) => {
                let src = self.input(id)[usize::from(lane) & 3];
                self.values[row as usize] = Value::Word(src);
                src
            }
            // Nothing has been written there: the interpreter has zeros.
            Value::Missing => self.word(0),
        }
    }

    /// What a row holds, as a mask.
    fn mask(&mut self, row: u32) -> Mask {
        match self.values[row as usize] {
            Value::Mask(mask) => mask,
            _ => {
                if let Some(bits) = self.constant[row as usize] {
                    return if bits == 0 { Mask::None } else { Mask::All };
                }
                let word = self.value(row);
                let mask = self.not_all_zero(word);
                if self.depth == 0 {
                    self.values[row as usize] = Value::Mask(mask);
                }
                mask
            }
        }
    }

    /// What a row holds, with canonical NaN if they are not.
    fn exact(&mut self, row: u32) -> Src {
        let word = self.value(row);
        if self.any_nan[row as usize] {
            let nan = self.word(vecasm_ir::math::nv20::NAN);
            let word = self.nan_as(word, nan);
            if self.depth == 0 {
                self.values[row as usize] = Value::Word(word);
                self.any_nan[row as usize] = false;
            }
            return word;
        }
        if self.facts.bits[row as usize] == Bits::Loose && !self.never_nan[row as usize] {
            self.canonical(word)
        } else {
            word
        }
    }

    /// With canonical NaN.
    fn canonical(&mut self, word: Src) -> Src {
        let canonical = self.word(CANONICAL_NAN);
        self.nan_as(word, canonical)
    }

    /// With another word instead of NaN.
    fn nan_as(&mut self, word: Src, other: Src) -> Src {
        let nan = self.compare(relation::UNORDERED, word, word);
        self.blend(word, other, nan)
    }

    /// Lets Rust compute lanes: all of them, or those of a mask, while the others keep `old`.
    fn call(&mut self, what: Computation, args: Vec<Src>, lanes: Option<(Mask, Src)>, kind: Kind) -> V {
        let (mask, old) = match lanes {
            None | Some((Mask::All, _)) => (Src::None, Src::None),
            Some((mask, old)) => (Src::V(self.mask_register(mask)), old),
        };
        self.push_call(what, args, [old, Src::None, mask], kind)
    }

    /// Lets Rust compute lanes of a mask, unless a word is zero in all of them.
    fn call_unless_zero(
        &mut self,
        what: Computation,
        args: Vec<Src>,
        (mask, old): (Mask, Src),
        word: Src,
        kind: Kind,
    ) -> V {
        let mask = Src::V(self.mask_register(mask));
        self.push_call(what, args, [old, word, mask], kind)
    }

    fn push_call(&mut self, what: Computation, args: Vec<Src>, src: [Src; 3], kind: Kind) -> V {
        let number = self.out.program.calls.len() as u32;
        self.out.program.calls.push(Call { what, args });
        let dst = self.virtual_register(kind);
        self.push(MachineOp::Call, dst, src, number);
        dst
    }

    fn body(&mut self) -> Result<(), Refusal> {
        let code = self.code;
        let mut active = Mask::All;
        for (at, node) in code.body.nodes.iter().enumerate() {
            if active == Mask::None {
                break;
            }
            if !matches!(node, Node::Pure(_) | Node::Inst(_)) {
                self.prepare(node);
            }
            active = self.node(node, active)?;
            self.cells_done(at);
        }
        self.end();
        self.enter(self.out.program.home);
        Ok(())
    }
}

/// Calls a function with each region inside a node.
fn regions<'a>(node: &'a Node, mut of: impl FnMut(&'a Region)) {
    match node {
        Node::If(node) => {
            of(&node.then);
            of(&node.otherwise);
        }
        Node::Switch(node) => {
            node.cases.iter().for_each(|(_, region)| of(region));
            of(&node.default);
        }
        Node::Block(node) => of(&node.body),
        Node::Loop(node) => of(&node.body),
        Node::Pure(_) | Node::Inst(_) | Node::Leave(_) | Node::Again(_) => {}
    }
}
