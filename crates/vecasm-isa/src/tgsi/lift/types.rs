//! What registers hold. Registers have no types; instructions do. What is written to a component of a register and what
//! reads it form a web, moves join webs, and a web is of floats if every instruction on it takes floats, else of
//! integers. Only what has to have a type is given that of its web: what flow control merges, arrays, inputs and
//! outputs, constants. In between a value keeps the type it was computed with.

use super::scan::{Instruction, Place, Scan};
use super::{channels, fragment, legacy, memory, pack, texture, vertices, wide};
use crate::table::Shape;
use crate::tgsi::names::File;
use crate::tgsi::program::Operand;
use crate::tgsi::table::{Mode, Opcode, Type};
use alloc::vec::Vec;
use vecasm_ir::ir::Scalar;
use vecasm_ir::operand::WriteMask;

/// Most sources of an instruction.
const SOURCES: usize = 5;

/// What an instruction takes its operands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    pub(super) result: Type,
    pub(super) sources: [Type; SOURCES],
}

impl Signature {
    /// One type for the sources, and one for the result.
    pub(super) const fn new(result: Type, sources: Type) -> Self {
        Self { result, sources: [sources; SOURCES] }
    }

    /// What a source is taken for.
    pub(super) fn source(&self, n: usize) -> Type {
        self.sources.get(n).copied().unwrap_or(Type::Bits)
    }
}

/// What an instruction takes its operands for. The table has what Mesa says; instructions it says nothing of, or something
/// that only concerns modifiers, are known to the files that lift them.
pub(super) fn signature(scan: &Scan<'_>, i: &Instruction<'_>) -> Signature {
    use Type::{Bits, F32, U32};
    if i.op == Opcode::Ucmp {
        return Signature { result: Bits, sources: [U32, Bits, Bits, Bits, Bits] };
    }
    let row = i.op.row();
    let plain = matches!(row.mode, Mode::PerComponent | Mode::Replicated) && !row.result.is_wide();
    let special = if plain && matches!(i.op, Opcode::Mov | Opcode::Add | Opcode::Mul | Opcode::Mad) {
        None
    } else {
        texture::signature(scan, i)
            .or_else(|| memory::signature(scan, i))
            .or_else(|| fragment::signature(i))
            .or_else(|| vertices::signature(i))
            .or_else(|| pack::signature(i))
            .or_else(|| wide::signature(i))
            .or_else(|| legacy::signature(i))
            .or_else(|| channels::signature(i))
    };
    let mut signature = special.unwrap_or_else(|| Signature {
        result: row.result,
        sources: core::array::from_fn(|n| row.source(n)),
    });
    if i.token.saturate != 0 && !signature.result.is_wide() {
        // Whatever it is, it is clamped as a float.
        signature.result = F32;
    }
    signature
}

const FLOAT: u8 = 1;
const SIGNED: u8 = 2;
const UNSIGNED: u8 = 4;

const fn flag(ty: Type) -> u8 {
    match ty {
        Type::Bits => 0,
        Type::F32 => FLOAT,
        Type::I32 => SIGNED,
        Type::U32 | Type::F64 | Type::I64 | Type::U64 => UNSIGNED,
    }
}

/// The webs of a program.
pub(super) struct Webs {
    parents: Vec<u32>,
    flags: Vec<u8>,
    arrays: usize,
    inputs: usize,
    outputs: usize,
    buffers: usize,
}

impl Webs {
    pub(super) fn new(scan: &Scan<'_>) -> Self {
        let arrays = scan.slots.len() * 4;
        let inputs = arrays + scan.arrays.len();
        let outputs = inputs + scan.inputs.len();
        let buffers = outputs + scan.outputs.len();
        let count = buffers + scan.buffers.len();
        let mut webs = Self {
            parents: (0..count as u32).collect(),
            flags: alloc::vec![0; count],
            arrays,
            inputs,
            outputs,
            buffers,
        };
        // What an index may mean is of one type.
        for (n, array) in scan.arrays.iter().enumerate() {
            let (list, base) = match array.file {
                File::In => (&scan.inputs, inputs),
                File::Out => (&scan.outputs, outputs),
                _ => continue,
            };
            for (at, declared) in list.iter().enumerate() {
                if (array.first..=array.last).contains(&declared.index) {
                    webs.join(arrays + n, base + at);
                }
            }
        }
        for i in &scan.code {
            webs.instruction(scan, i);
        }
        for node in 0..count {
            let root = webs.root(node);
            if let Some(parent) = webs.parents.get_mut(node) {
                *parent = root as u32;
            }
        }
        webs
    }

    fn root(&mut self, node: usize) -> usize {
        let mut at = node;
        loop {
            let Some(&parent) = self.parents.get(at) else { return node };
            let parent = parent as usize;
            if parent == at {
                return at;
            }
            // Half the way is enough to keep ways short.
            let above = self.parents.get(parent).copied().unwrap_or(0);
            if let Some(to) = self.parents.get_mut(at) {
                *to = above;
            }
            at = parent;
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let flags = self.flags.get(b).copied().unwrap_or(0);
        if let (Some(parent), Some(to)) = (self.parents.get_mut(b), self.flags.get_mut(a)) {
            *parent = a as u32;
            *to |= flags;
        }
    }

    fn mark(&mut self, node: usize, flag: u8) {
        let root = self.root(node);
        if let Some(flags) = self.flags.get_mut(root) {
            *flags |= flag;
        }
    }

    /// The node of a component of what an operand names; `None` of what has a type of its own.
    fn node(&self, place: Place, lane: usize) -> Option<usize> {
        Some(match place {
            Place::Slot(slot) => slot * 4 + lane,
            Place::Element { array, .. } | Place::ElementAt { array, .. } => self.arrays + array,
            Place::Input(n) => self.inputs + n,
            Place::Output(n) => self.outputs + n,
            Place::Constant { buffer, .. } | Place::ConstantAt { buffer, .. } => self.buffers + buffer,
            Place::ConstantOf { .. } | Place::Immediate(_) | Place::System(_) | Place::Null => return None,
        })
    }

    fn instruction(&mut self, scan: &Scan<'_>, i: &Instruction<'_>) {
        let signature = signature(scan, i);
        let row = i.op.row();
        let mut written = WriteMask::NONE;
        for operand in i.to {
            written = operand.mask;
            self.index(scan, operand);
            let Ok(place) = scan.place(operand) else { continue };
            for lane in operand.mask.lanes() {
                if let Some(node) = self.node(place, lane) {
                    self.mark(node, flag(signature.result));
                }
            }
        }
        let moves = signature.result == Type::Bits && i.to.len() == 1;
        for (n, operand) in i.from.iter().enumerate() {
            self.index(scan, operand);
            let Ok(place) = scan.place(operand) else { continue };
            let ty = signature.source(n);
            let read = match row.mode {
                Mode::PerComponent if !ty.is_wide() && !signature.result.is_wide() => written,
                _ => match (row.source_shapes().get(n), i.op) {
                    _ if memory::lanes(i, n).is_some() => memory::lanes(i, n).unwrap_or(WriteMask::ALL),
                    (Some(Shape::Scalar), _) => WriteMask::X,
                    (_, Opcode::Dp2) => WriteMask::from_bits(3),
                    (_, Opcode::Dp3) => WriteMask::XYZ,
                    _ => WriteMask::ALL,
                },
            };
            for lane in read.lanes() {
                let Some(node) = self.node(place, operand.swizzle.get(lane).into()) else { continue };
                self.mark(node, flag(ty));
                if moves && ty == Type::Bits {
                    let to = i.to.first().and_then(|to| self.node(scan.place(to).ok()?, lane));
                    if let Some(to) = to {
                        self.join(node, to);
                    }
                }
            }
        }
        for operand in i.offsets {
            let Ok(place) = scan.place(operand) else { continue };
            for lane in WriteMask::XYZ.lanes() {
                if let Some(node) = self.node(place, operand.swizzle.get(lane).into()) {
                    self.mark(node, SIGNED);
                }
            }
        }
    }

    /// The registers that indices of an operand are taken from hold integers.
    fn index(&mut self, scan: &Scan<'_>, operand: &Operand) {
        let by = [operand.indirect, operand.dimension.and_then(|dimension| dimension.indirect)];
        for by in by.into_iter().flatten() {
            let Ok(place) = scan.place(&Scan::index_register(by)) else { continue };
            if let Some(node) = self.node(place, by.component.into()) {
                self.mark(node, SIGNED);
            }
        }
    }

    fn scalar(&self, node: usize) -> Scalar {
        let root = self.parents.get(node).map_or(node, |root| *root as usize);
        match self.flags.get(root).copied().unwrap_or(0) {
            0 | FLOAT => Scalar::F32,
            SIGNED => Scalar::I32,
            _ => Scalar::U32,
        }
    }

    /// The type of a component of a register that is renamed.
    pub(super) fn of_slot(&self, slot: usize, lane: usize) -> Scalar {
        self.scalar(slot * 4 + lane)
    }

    /// The type of an array.
    pub(super) fn of_array(&self, array: usize) -> Scalar {
        self.scalar(self.arrays + array)
    }

    /// The type of an input.
    pub(super) fn of_input(&self, input: usize) -> Scalar {
        self.scalar(self.inputs + input)
    }

    /// The type of an output.
    pub(super) fn of_output(&self, output: usize) -> Scalar {
        self.scalar(self.outputs + output)
    }

    /// The type of a buffer of constants.
    pub(super) fn of_buffer(&self, buffer: usize) -> Scalar {
        self.scalar(self.buffers + buffer)
    }
}
