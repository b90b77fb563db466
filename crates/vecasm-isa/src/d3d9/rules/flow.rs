//! Blocks, loops, calls and labels: nesting, depths, places; what may be predicated; the counter of loops.

use super::code::{Code, Instruction};
use super::findings::{Findings, rules};
use super::options::Caps;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Opcode, Unit};
use crate::d3d9::text::version_name;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

rules! {
    pub(in crate::d3d9) const RULES; const;

    NESTING "D3D9-nesting" Error Documented "%1",
        "if … else … endif, loop … endloop and rep … endrep are closed in the reverse order, within one routine. Pages if-bool---vs, loop---vs, rep---vs.";
    BREAK "D3D9-break" Error Documented "%1 is outside any loop",
        "break leaves the innermost loop or rep. Page break---vs.";
    STATIC_DEPTH "D3D9-static-depth" Error Documented "conditionals on constants are nested %1 deep; %2 has %3 levels",
        "24 levels in the models 3.0 and software models, and in ps_2_x if the device has static flow control; vs_2_0 and vs_2_x limit only their number. A call adds to the depth of its caller. Pages vs-instructions-flow-control, ps-instructions-flow-control.";
    DYNAMIC_DEPTH "D3D9-dynamic-depth" Error Documented "dynamic flow control is nested %1 deep; %2 has %3 levels",
        "if and break with two numbers and if and callnz on a predicate need room for one level each: 24 in the models 3.0, 0 or 24 in 2.x as the device says (DynamicFlowControlDepth), none in 2.0. Pages vs-instructions-flow-control, ps-instructions-flow-control.";
    LOOP_DEPTH "D3D9-loop-depth" Error Documented "loops are nested %1 deep; %2 has %3 levels",
        "One level in vs_2_0, 1 to 4 in 2.x as the device says (StaticFlowControlDepth), 4 in the models 3.0. A call adds to the depth of its caller. Pages vs-instructions-flow-control, ps-instructions-flow-control.";
    CALL_DEPTH "D3D9-call-depth" Error Documented "calls are nested %1 deep; %2 has %3 levels",
        "One level in vs_2_0, 1 to 4 in 2.x as the device says (StaticFlowControlDepth), 4 in the models 3.0. Pages vs-instructions-flow-control, ps-instructions-flow-control.";
    COUNT "D3D9-static-count" Error Documented "%1 instructions of static flow control; %2 has %3",
        "vs_2_0 and vs_2_x take 16 of these: if and callnz on a constant, else of such an if, loop, rep, call. Page vs-instructions-flow-control.";
    LABEL_NUMBER "D3D9-label-number" Error Documented "there is no l%1; the last one is l%2",
        "l0 to l15 in 2.0 and 2.x, to l2047 in the models 3.0 and software models. Pages label---vs, software-shaders.";
    LABEL_TWICE "D3D9-label-twice" Error Believed "l%1 is defined twice",
        "A call would be ambiguous. Inferred; page label---vs.";
    LABEL_PLACE "D3D9-label-place" Error Documented "a label may only follow ret",
        "The main program ends with ret, followed by the subroutines, each from a label to its ret. Page label---vs, shader-code-format of the driver documentation.";
    UNDEFINED "D3D9-label-undefined" Error Believed "l%1 is called but not defined",
        "Inferred; page call---vs.";
    BACKWARD "D3D9-call-backward" Error Documented "l%1 is called after its label",
        "Only forward calls are allowed, so there is no recursion. Page call---vs.";
    UNREACHED "D3D9-label-unreached" Warning Believed "nothing calls l%1",
        "Whether the runtime rejects it is not known.";
    RET "D3D9-ret" Error Documented "%1",
        "A routine has one ret, at its end; that of the main program may be left out if there are no subroutines. Page ret---vs.";
    COUNTER "D3D9-loop-counter" Error Documented "aL is read outside any loop",
        "aL belongs to the innermost loop; a subroutine that reads it may only be called from loops. Pages vs-registers-loop-counter, call---vs.";
    PREDICATED "D3D9-predicated" Error Documented "%1 cannot be predicated",
        "Predicates are for arithmetic and texture instructions. Page setp-comp---vs; that setp counts as flow control is inferred.";
    INTEGERS "D3D9-loop-values" Warning Documented "%1",
        "loop takes a count of 0 to 255, a start of 0 to 255 and a step of -128 to 127 with w = 0, rep a count of 0 to 255. Pages loop---vs, rep---vs; values outside are undefined.";
}

/// An open block.
#[derive(Clone, Copy, Debug)]
struct Block {
    kind: Kind,
    /// Whether its condition is dynamic.
    dynamic: bool,
    /// Whether its else has been seen.
    is_else: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    If,
    Loop,
    Rep,
}

/// How deep a place is.
#[derive(Clone, Copy, Debug, Default)]
struct Depth {
    fixed: u32,
    dynamic: u32,
    loops: u32,
    calls: u32,
}

/// What is known of a subroutine in front of its label.
#[derive(Clone, Copy, Debug, Default)]
struct Routine {
    /// How deep its callers are at most.
    depth: Depth,
    /// Whether it is called from outside of loops, and at all.
    outside: bool,
    called: bool,
    /// Whether its label has been seen.
    seen: bool,
}

struct Pass<'a, 'b> {
    code: &'b Code<'a>,
    caps: &'b Caps,
    blocks: Vec<Block>,
    base: Depth,
    depth: Depth,
    /// Whether the routine is called within loops alone; true of none in the main program.
    in_loop: bool,
    /// Open loops with a counter.
    counters: u32,
    routines: BTreeMap<u16, Routine>,
    /// Labels that are there: a bit each.
    labels: [u64; 32],
    /// Whether the last executed instruction was ret.
    ended: bool,
    /// Whether what follows ret without a label has been reported.
    reported: bool,
    fixed_count: u32,
    integers: BTreeMap<u16, [i32; 4]>,
}

pub(super) fn pass(code: &Code<'_>, caps: &Caps, f: &mut Findings) {
    let mut pass = Pass {
        code,
        caps,
        blocks: Vec::new(),
        base: Depth::default(),
        depth: Depth::default(),
        in_loop: false,
        counters: 0,
        routines: BTreeMap::new(),
        labels: labels(code),
        ended: false,
        reported: false,
        fixed_count: 0,
        integers: BTreeMap::new(),
    };
    for i in code.instructions() {
        pass.one(&i, f);
    }
    if !pass.blocks.is_empty() {
        f.at_program(NESTING, &[&format_args!("{} blocks are not closed at the end", pass.blocks.len())]);
    }
    // Labels that are not there have their finding at the call.
    let subroutines = pass.routines.values().any(|routine| routine.seen);
    if subroutines && !pass.ended {
        f.at_program(RET, &[&"the last subroutine has no ret"]);
    }
    if let Some(max) = caps.static_flow.filter(|max| pass.fixed_count > *max) {
        f.at_program(COUNT, &[&pass.fixed_count, &version_name(code.version), &max]);
    }
}

impl Pass<'_, '_> {
    fn one(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let Some(op) = i.op else { return };
        let flow = op.row().unit == Unit::Flow || op == Opcode::Setp;
        if i.predicate.is_some() && (flow || op.row().unit == Unit::Setup) {
            f.at(PREDICATED, i, &[&i.name()]);
        }
        self.counter(i, f);
        match op {
            Opcode::Defi => {
                if let (Some(register), &[x, y, z, w]) = (i.write.and_then(|write| write.register), i.numbers)
                {
                    self.integers.insert(register.number, [x as i32, y as i32, z as i32, w as i32]);
                }
                return;
            }
            Opcode::Dcl | Opcode::Def | Opcode::Defb => return,
            Opcode::Label => return self.label(i, f),
            _ => {}
        }
        if self.ended && !self.reported {
            self.reported = true;
            f.at(RET, i, &[&"an instruction follows ret without a label"]);
        }
        match op {
            Opcode::If | Opcode::Ifc => self.open(i, f),
            Opcode::Else => self.otherwise(i, f),
            Opcode::Endif => self.close(i, Kind::If, f),
            Opcode::Loop | Opcode::Rep => self.begin(i, op, f),
            Opcode::Endloop => self.close(i, Kind::Loop, f),
            Opcode::Endrep => self.close(i, Kind::Rep, f),
            Opcode::Break | Opcode::Breakc | Opcode::Breakp => {
                if !self.blocks.iter().any(|block| block.kind != Kind::If) {
                    f.at(BREAK, i, &[&i.name()]);
                }
                if op == Opcode::Breakc {
                    self.dynamic(i, self.depth.dynamic + 1, f);
                }
            }
            Opcode::Call | Opcode::Callnz => self.call(i, op, f),
            Opcode::Ret => {
                if !self.blocks.is_empty() {
                    f.at(NESTING, i, &[&"ret is inside a block"]);
                    self.blocks.clear();
                    self.counters = 0;
                    self.depth = self.base;
                }
                self.ended = true;
            }
            _ => {}
        }
    }

    /// Reads of aL, which is a counter only within loop.
    fn counter(&self, i: &Instruction<'_>, f: &mut Findings) {
        let of = |index: Option<super::code::Index>| index.and_then(super::code::Index::ty);
        let mut indices = i.reads().iter().map(|read| of(read.index));
        let written = i.write.and_then(|write| of(write.index));
        let reads = indices.any(|ty| ty == Some(RegType::Loop)) || written == Some(RegType::Loop);
        if reads && self.counters == 0 && !self.in_loop {
            f.at(COUNTER, i, &[]);
        }
    }

    fn open(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let dynamic =
            i.is(Opcode::Ifc) || i.reads().first().is_some_and(|read| read.is_of(RegType::Predicate));
        self.blocks.push(Block { kind: Kind::If, dynamic, is_else: false });
        if dynamic {
            self.depth.dynamic += 1;
            return self.dynamic(i, self.depth.dynamic, f);
        }
        self.fixed_count += 1;
        self.depth.fixed += 1;
        if self.depth.fixed > self.caps.static_depth {
            let args: [&dyn core::fmt::Display; 3] =
                [&self.depth.fixed, &version_name(self.code.version), &self.caps.static_depth];
            f.at(STATIC_DEPTH, i, &args);
        }
    }

    fn dynamic(&self, i: &Instruction<'_>, depth: u32, f: &mut Findings) {
        if depth > self.caps.dynamic_depth {
            f.at(DYNAMIC_DEPTH, i, &[&depth, &version_name(self.code.version), &self.caps.dynamic_depth]);
        }
    }

    fn otherwise(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        match self.blocks.last_mut() {
            Some(block) if block.kind == Kind::If && !block.is_else => {
                block.is_else = true;
                self.fixed_count += u32::from(!block.dynamic);
            }
            Some(block) if block.kind == Kind::If => f.at(NESTING, i, &[&"a second else"]),
            _ => f.at(NESTING, i, &[&"else without if"]),
        }
    }

    fn begin(&mut self, i: &Instruction<'_>, op: Opcode, f: &mut Findings) {
        let kind = if op == Opcode::Loop { Kind::Loop } else { Kind::Rep };
        self.blocks.push(Block { kind, dynamic: false, is_else: false });
        self.counters += u32::from(kind == Kind::Loop);
        self.fixed_count += 1;
        self.depth.loops += 1;
        if self.depth.loops > self.caps.loop_depth {
            let args: [&dyn core::fmt::Display; 3] =
                [&self.depth.loops, &version_name(self.code.version), &self.caps.loop_depth];
            f.at(LOOP_DEPTH, i, &args);
        }
        if self.caps.software {
            return;
        }
        let register = i.reads().last().and_then(|read| read.register);
        let register = register.filter(|register| register.ty == RegType::ConstInt);
        let Some(&[count, start, step, w]) = register.and_then(|r| self.integers.get(&r.number)) else {
            return;
        };
        let name = register.map(|register| register.name(self.code.version));
        let Some(name) = name else { return };
        if !(0..=255).contains(&count) {
            f.at(INTEGERS, i, &[&format_args!("the count in {name} is {count}")]);
        }
        if kind == Kind::Rep {
            return;
        }
        if !(0..=255).contains(&start) {
            f.at(INTEGERS, i, &[&format_args!("the start in {name} is {start}")]);
        }
        if !(-128..=127).contains(&step) {
            f.at(INTEGERS, i, &[&format_args!("the step in {name} is {step}")]);
        }
        if w != 0 {
            f.at(INTEGERS, i, &[&format_args!("w of {name} is {w}")]);
        }
    }

    fn close(&mut self, i: &Instruction<'_>, kind: Kind, f: &mut Findings) {
        match self.blocks.last() {
            Some(block) if block.kind == kind => {
                match block.kind {
                    Kind::If if block.dynamic => self.depth.dynamic -= 1,
                    Kind::If => self.depth.fixed -= 1,
                    Kind::Loop => {
                        self.counters -= 1;
                        self.depth.loops -= 1;
                    }
                    Kind::Rep => self.depth.loops -= 1,
                }
                self.blocks.pop();
            }
            Some(block) => {
                let open = match block.kind {
                    Kind::If => "if",
                    Kind::Loop => "loop",
                    Kind::Rep => "rep",
                };
                f.at(NESTING, i, &[&format_args!("{} within {open}", i.name())]);
            }
            None => f.at(NESTING, i, &[&format_args!("{} closes nothing", i.name())]),
        }
    }

    fn call(&mut self, i: &Instruction<'_>, op: Opcode, f: &mut Findings) {
        let mut depth = self.depth;
        depth.calls += 1;
        let predicate = i.reads().get(1).is_some_and(|read| read.is_of(RegType::Predicate));
        if op == Opcode::Callnz && predicate {
            depth.dynamic += 1;
            self.dynamic(i, depth.dynamic, f);
        } else {
            self.fixed_count += 1;
        }
        if depth.calls > self.caps.call_depth {
            f.at(CALL_DEPTH, i, &[&depth.calls, &version_name(self.code.version), &self.caps.call_depth]);
        }
        let Some(label) = i.label() else { return };
        if label >= self.caps.labels {
            return self.label_number(i, label, f);
        }
        let outside = self.counters == 0 && !self.in_loop;
        let word = self.labels.get(usize::from(label / 64)).copied().unwrap_or(0);
        let exists = word >> (label % 64) & 1 == 1;
        let routine = self.routines.entry(label).or_default();
        if routine.seen {
            return f.at(BACKWARD, i, &[&label]);
        }
        if !routine.called && !exists {
            f.at(UNDEFINED, i, &[&label]);
        }
        routine.called = true;
        routine.outside |= outside;
        let most = &mut routine.depth;
        most.fixed = most.fixed.max(depth.fixed);
        most.dynamic = most.dynamic.max(depth.dynamic);
        most.loops = most.loops.max(depth.loops);
        most.calls = most.calls.max(depth.calls);
    }

    fn label(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        if !self.ended || !self.blocks.is_empty() {
            f.at(LABEL_PLACE, i, &[]);
            self.blocks.clear();
        }
        self.ended = false;
        self.reported = false;
        self.counters = 0;
        (self.base, self.in_loop) = (Depth::default(), false);
        if let Some(label) = i.label() {
            if label < self.caps.labels {
                let routine = self.routines.entry(label).or_default();
                if routine.seen {
                    f.at(LABEL_TWICE, i, &[&label]);
                } else if !routine.called {
                    f.at(UNREACHED, i, &[&label]);
                }
                routine.seen = true;
                self.base = routine.depth;
                self.in_loop = routine.called && !routine.outside;
            } else {
                self.label_number(i, label, f);
            }
        }
        self.depth = self.base;
    }

    fn label_number(&self, i: &Instruction<'_>, number: u16, f: &mut Findings) {
        // A model without labels has its finding.
        if let Some(last) = self.caps.labels.checked_sub(1) {
            f.at(LABEL_NUMBER, i, &[&number, &last]);
        }
    }
}

/// Which labels are anywhere in the program: a bit each.
fn labels(code: &Code<'_>) -> [u64; 32] {
    let mut out = [0; 32];
    for i in code.instructions().filter(|i| i.is(Opcode::Label)) {
        let Some(label) = i.label() else { continue };
        if let Some(word) = out.get_mut(usize::from(label / 64)) {
            *word |= 1 << (label % 64);
        }
    }
    out
}
