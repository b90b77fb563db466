//! What registers hold. Registers have no types; instructions do. What is written to a component of a register and what
//! reads it form a web, moves join webs, and a web is of floats if every instruction on it takes floats, else of
//! integers. Only what has to have a type is given that of its web: what flow control merges, arrays, inputs and
//! outputs, constants. In between a value keeps the type it was computed with.

use super::scan::{Instruction, Place, Scan};
use super::{memory, texture};
use crate::tgsi::names::File;
use crate::tgsi::program::Operand;
use crate::tgsi::reads;
use crate::tgsi::signature::{Signature, Texels};
use crate::tgsi::table::{Mode, Opcode, Type};
use alloc::vec::Vec;
use vecasm_ir::ir::Scalar;
use vecasm_ir::operand::WriteMask;

/// What is known of the texture or image that an instruction is about.
fn texels(scan: &Scan<'_>, i: &Instruction<'_>) -> Texels {
    let row = i.op.row();
    let known = if row.mode != Mode::Other {
        None
    } else if row.has_texture() {
        texture::texels(scan, i)
    } else if row.has_resource() {
        memory::texels(scan, i)
    } else {
        None
    };
    known.unwrap_or_default()
}

/// What an instruction takes its operands for, with its modifiers.
pub(super) fn signature(scan: &Scan<'_>, i: &Instruction<'_>) -> Signature {
    modified(i, Signature::of(i.op, texels(scan, i)))
}

fn modified(i: &Instruction<'_>, mut signature: Signature) -> Signature {
    if i.token.saturate != 0 && !signature.result.is_wide() {
        // Whatever it is, it is clamped as a float.
        signature.result = Type::F32;
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
        let texels = texels(scan, i);
        let signature = modified(i, Signature::of(i.op, texels));
        let shapes = i.op.row().source_shapes();
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
            let read = match shapes.get(n) {
                // A register that is one of these has one type, so that it stays one value.
                Some(shape) if reads::is_handle(*shape, operand.file) => WriteMask::ALL,
                _ if texels.dim.is_some() && reads::address_of(i.op) == Some(n) => WriteMask::ALL,
                // Of the colour buffer it reads what is there, whatever has been written.
                _ if i.op == Opcode::Fbfetch => WriteMask::ALL,
                _ => reads::lanes(i.op, n, reads::written(i.op, 0, written), texels),
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
