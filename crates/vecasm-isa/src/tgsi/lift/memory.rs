//! Buffers, shared memory, images and counters: LOAD, STORE, RESQ, the atomic instructions, barriers.
//!
//! | register | is |
//! |---|---|
//! | `BUFFER[n]` | a storage buffer, addressed in bytes |
//! | `MEMORY[n]` | by its declaration: what a workgroup shares, a storage buffer (`GLOBAL`) or a uniform one (`INPUT`) |
//! | `HWATOMIC[b][n]` | counter `n` of a buffer of counters; the address of the instruction does not count |
//! | `IMAGE[n]` | an image, by the shape and the format of its declaration |
//! | `CONST[b]`, `CONSTBUF[b]` | the buffer of constants of that number, addressed in bytes |
//! | any other register | the handle of an image in its first two components |
//!
//! There is one shared memory, whatever number its declaration has: Mesa's own compiler declares `MEMORY[1]` and reads
//! `MEMORY[0]`.
//!
//! An address that is no multiple of four means the word that it lies in. The manual calls such accesses undefined; under
//! [`Compat::TgsiExec`](super::Compat) they are about the bytes that they name, as in that interpreter.

use super::options::Fault;
use super::scan::{Instruction, Scan};
use super::{LIMIT, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{Kit, get_lane};
use crate::tgsi::formats::Format as Named;
use crate::tgsi::names::{File, MemoryType, PropertyName, Target};
use crate::tgsi::program::{Declaration, ImageInfo, Operand};
use crate::tgsi::reads::address_of;
use crate::tgsi::signature::{Signature, Texels};
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Atomic, Buffer, BufferId, BufferKind, Channel, Dim, Format, If, Image, ImageId, Memory, Node, Op,
    Pick, Pure, Scalar, Stage, State, StateId, Type, Value,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Buffers, and images, at most.
const MOST: usize = 256;
/// Slots of buffers that are no `BUFFER[n]`, and of images that only have a handle, are these plus a number.
const GLOBAL_SLOTS: u32 = 256;
const BINDLESS_SLOTS: u32 = 0x1_0000;

/// What a program declares.
#[derive(Default)]
pub(super) struct Declared {
    buffers: BTreeSet<u16>,
    /// Buffers of counters.
    counters: BTreeSet<u16>,
    images: BTreeMap<u16, ImageInfo>,
    memories: BTreeMap<u16, MemoryType>,
}

impl Declared {
    /// Takes a declaration of any file.
    pub(super) fn declare(&mut self, declaration: &Declaration) -> Result<()> {
        let (first, last) = (declaration.first, declaration.last.max(declaration.first));
        let count = usize::from(last - first) + 1;
        let before = match declaration.file {
            File::Buffer => self.buffers.len(),
            File::Image => self.images.len(),
            File::Memory => self.memories.len(),
            File::HwAtomic => {
                let number = declaration.dimension.unwrap_or(0);
                let number = u16::try_from(number).map_err(|_| no_such("HWATOMIC", number.into()))?;
                if self.counters.len() >= MOST && !self.counters.contains(&number) {
                    return Err(too_many("buffers of counters"));
                }
                self.counters.insert(number);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if before.saturating_add(count) > MOST {
            return Err(too_many(match declaration.file {
                File::Buffer => "buffers",
                File::Image => "images",
                _ => "memories",
            }));
        }
        for number in first..=last {
            match (declaration.file, declaration.image) {
                (File::Buffer, _) => {
                    self.buffers.insert(number);
                }
                (File::Image, Some(image)) => {
                    self.images.entry(number).or_insert(image);
                }
                (File::Memory, _) => {
                    self.memories.entry(number).or_insert(declaration.memory);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What kind of memory a number is. One that is not declared is as the first one that is.
    fn memory(&self, number: u16) -> Option<MemoryType> {
        self.memories.get(&number).or_else(|| self.memories.values().next()).copied()
    }
}

#[cold]
fn too_many(what: &str) -> Refusal {
    Refusal::new(LIMIT, format!("more than {MOST} {what}"))
}

#[cold]
fn no_such(file: &str, number: i32) -> Refusal {
    Refusal::new(NO_MEANING, format!("{file}[{number}] is not declared"))
}

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Refusal::new(NO_MEANING, message))
}

/// How an image is held: the format of that name, if it has the channels of a format of the IR. Names are made of the
/// letter and the bits of each channel from the lowest one, and what they hold.
fn format_named(name: &str) -> Option<Format> {
    Format::ALL.iter().copied().find(|format| pipe_name(*format) == name)
}

/// The name that Mesa has for a format, without `PIPE_FORMAT_`.
pub(crate) fn pipe_name(format: Format) -> String {
    let mut out = String::new();
    for (&lane, &bits) in format.order().iter().zip(format.bits()) {
        out.push(*['R', 'G', 'B', 'A'].get(usize::from(lane)).unwrap_or(&'X'));
        vecasm_ir::ir::shader::push_u32(&mut out, bits.into());
    }
    out.push_str(match format.channel() {
        Channel::Unorm => "_UNORM",
        Channel::Snorm => "_SNORM",
        Channel::Uint => "_UINT",
        Channel::Sint => "_SINT",
        Channel::Float => "_FLOAT",
    });
    out
}

/// The formats that images can have, as declarations name them.
pub fn image_formats() -> impl Iterator<Item = (String, Format)> {
    let named = Format::ALL.iter().map(|format| (pipe_name(*format), *format));
    named
        .filter(|(name, _)| Named::named(name).is_some())
        .map(|(name, format)| (format!("PIPE_FORMAT_{name}"), format))
}

/// The shape and format of an image; `what` names it.
fn shape_of(info: &ImageInfo, usual: Format, what: &str) -> Result<(Dim, Format)> {
    let Some(dim) = info.target.dim() else { return refuse(format!("{what} has no texture target")) };
    if info.target.is_shadow() {
        return refuse(format!("{what} has a shadow target, which images cannot have"));
    }
    if info.format == Named::NONE {
        return Ok((dim, usual));
    }
    let name = info.format.name().unwrap_or("a format without a name");
    match format_named(name) {
        Some(format) => Ok((dim, format)),
        None => refuse(format!("{what} has the format {name}, which is not an image format")),
    }
}

/// What a compute program says of its workgroups.
pub(super) fn setup(scan: &Scan<'_>, options: &super::Options, b: &mut Builder) -> Result<()> {
    if b.shader.stage != Stage::Compute {
        return Ok(());
    }
    let said =
        [PropertyName::CsFixedBlockWidth, PropertyName::CsFixedBlockHeight, PropertyName::CsFixedBlockDepth]
            .map(|name| scan.program.property(name).filter(|size| *size > 0));
    // What starts the program says it where the program does not.
    let open = if said[0].is_some() { 1 } else { 0 };
    let size = said.map(|size| size.unwrap_or(open));
    let count = size.iter().fold(1_u64, |n, &axis| n.saturating_mul(axis.max(1).into()));
    if count > 1024 {
        let [x, y, z] = size;
        return Err(Refusal::new(
            LIMIT,
            format!("a workgroup of {x} x {y} x {z} has more than 1024 invocations"),
        ));
    }
    b.shader.setup.workgroup = size;
    b.shader.setup.fours = options.compat.has(Fault::InTurn);
    let exec = options.compat.has(Fault::OneMemory);
    if scan.resources.memories.values().any(|memory| exec || *memory == MemoryType::Shared) {
        b.shader.setup.shared = options.switches.shared_memory;
    }
    Ok(())
}

/// The entries of the shader's tables.
#[derive(Default)]
pub(super) struct Tables {
    buffers: BTreeMap<u16, BufferId>,
    counters: BTreeMap<u16, BufferId>,
    /// Memories that are buffers.
    memories: BTreeMap<u16, BufferId>,
    images: BTreeMap<u16, ImageId>,
    /// What handles are of, by the positions of shape and format.
    bindless: BTreeMap<(usize, usize), ImageId>,
    /// The handles of images.
    handles: BTreeMap<ImageId, Arg>,
}

/// What is done with the things of one file.
#[derive(Default)]
struct Uses {
    read: BTreeSet<u16>,
    written: BTreeSet<u16>,
    /// Whether any may be read, and written: one is chosen by a computed number, and those that can be chosen are alike.
    any_read: bool,
    any_written: bool,
}

impl Uses {
    fn of(scan: &Scan<'_>, file: File) -> Self {
        let mut uses = Self::default();
        let mut computed = false;
        for i in &scan.code {
            let (atomic, store) = (atomic(i.op).is_some(), i.op == Opcode::Store);
            let operand = if store { i.to.first() } else { i.from.first() };
            let Some(operand) = operand.filter(|operand| operand.file == file) else { continue };
            let (read, written) = (i.op == Opcode::Load || atomic, store || atomic);
            if operand.indirect.is_some() {
                computed = true;
                uses.any_read |= read;
                uses.any_written |= written;
            } else if let Ok(number) = u16::try_from(operand.index) {
                if read {
                    uses.read.insert(number);
                }
                if written {
                    uses.written.insert(number);
                }
            }
        }
        uses.any_read |= computed && !uses.read.is_empty();
        uses.any_written |= computed && !uses.written.is_empty();
        uses
    }

    fn reads(&self, number: u16) -> bool {
        self.any_read || self.read.contains(&number)
    }

    fn writes(&self, number: u16) -> bool {
        self.any_written || self.written.contains(&number)
    }
}

impl Tables {
    /// Makes the entries of everything that is declared, in the order of the numbers.
    pub(super) fn new(scan: &Scan<'_>, options: &super::Options, b: &mut Builder) -> Result<Self> {
        let mut this = Self::default();
        let declared = &scan.resources;
        let uses = Uses::of(scan, File::Buffer);
        for &number in &declared.buffers {
            let (name, write) = (format!("BUFFER[{number}]"), uses.writes(number));
            this.buffers.insert(number, push_buffer(b, name, number.into(), BufferKind::Storage, write));
        }
        for &number in &declared.counters {
            let id = push_buffer(b, format!("HWATOMIC[{number}]"), number.into(), BufferKind::Counter, true);
            this.counters.insert(number, id);
        }
        for (&number, &memory) in &declared.memories {
            let (kind, slot) = match memory {
                MemoryType::Global => (BufferKind::Storage, GLOBAL_SLOTS + u32::from(number)),
                MemoryType::Input => (BufferKind::Uniform, number.into()),
                _ => continue,
            };
            let name = format!("MEMORY[{number}]");
            let id = push_buffer(b, name, slot, kind, kind == BufferKind::Storage);
            this.memories.insert(number, id);
        }
        let uses = Uses::of(scan, File::Image);
        let usual = options.switches.image_format.format();
        for (&number, info) in &declared.images {
            let name = format!("IMAGE[{number}]");
            let (dim, format) = shape_of(info, usual, &name)?;
            let id = ImageId(b.shader.images.len() as u32);
            let (read, write) = (uses.reads(number), uses.writes(number));
            b.shader.images.push(Image { name, slot: number.into(), dim, format, read, write });
            this.images.insert(number, id);
        }
        let memory = !b.shader.buffers.is_empty() || b.shader.setup.shared > 0;
        b.shader.setup.byte_offsets = memory && options.compat.has(Fault::ByteOffsets);
        Ok(this)
    }
}

fn push_buffer(b: &mut Builder, name: String, slot: u32, kind: BufferKind, write: bool) -> BufferId {
    let id = BufferId(b.shader.buffers.len() as u32);
    b.shader.buffers.push(Buffer { name, slot, kind, write });
    id
}

/// What an instruction does atomically.
const fn atomic(op: Opcode) -> Option<Atomic> {
    Some(match op {
        Opcode::Atomuadd => Atomic::Add,
        Opcode::Atomfadd => Atomic::FloatAdd,
        Opcode::Atomxchg => Atomic::Exchange,
        Opcode::Atomcas => Atomic::CompareExchange,
        Opcode::Atomand => Atomic::And,
        Opcode::Atomor => Atomic::Or,
        Opcode::Atomxor => Atomic::Xor,
        Opcode::Atomumin => Atomic::MinUnsigned,
        Opcode::Atomumax => Atomic::MaxUnsigned,
        Opcode::Atomimin => Atomic::MinSigned,
        Opcode::Atomimax => Atomic::MaxSigned,
        Opcode::AtomincWrap => Atomic::IncrementWrap,
        Opcode::AtomdecWrap => Atomic::DecrementWrap,
        _ => return None,
    })
}

/// The shape of what an instruction reads or writes, if it is about an image, and the type of a texel.
fn texel(scan: &Scan<'_>, i: &Instruction<'_>, operand: &Operand) -> Option<(Option<Dim>, Scalar)> {
    let (target, format) = match operand.file {
        File::Image => {
            let number = u16::try_from(operand.index).ok();
            let images = &scan.resources.images;
            let info = number.and_then(|number| images.get(&number)).or_else(|| images.values().next())?;
            (Some(info.target), info.format)
        }
        File::Buffer | File::Memory | File::HwAtomic | File::Const | File::ConstBuf | File::Res => {
            return None;
        }
        _ => match i.token.memory {
            Some(said) => (Some(said.target), said.format),
            None => (None, Named::NONE),
        },
    };
    let format = Some(format).filter(|format| *format != Named::NONE);
    let format = format.and_then(|format| format_named(format.name()?));
    Some((target.and_then(Target::dim), format.map_or(Scalar::F32, Format::scalar)))
}

/// The texels that an instruction of this file is about; `None` of memory.
pub(super) fn texels(scan: &Scan<'_>, i: &Instruction<'_>) -> Option<Texels> {
    let resource = if i.op == Opcode::Store { i.to.first() } else { i.from.first() }?;
    let (dim, scalar) = texel(scan, i, resource)?;
    Some(Texels { dim, scalar: Some(scalar), compared: false })
}

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    match i.op {
        Opcode::Load => lifter.load(i)?,
        Opcode::Store => lifter.store_memory(i)?,
        Opcode::Resq => lifter.size(i)?,
        Opcode::Img2hnd => lifter.image_handle(i)?,
        Opcode::Membar | Opcode::Mfence | Opcode::Lfence | Opcode::Sfence => lifter.effect(Op::Fence, &[]),
        Opcode::Barrier => {
            // Elsewhere there is nobody to wait for.
            if matches!(lifter.b.shader.stage, Stage::Compute | Stage::TessControl) {
                lifter.effect(Op::Barrier, &[]);
            }
        }
        Opcode::Clock => {
            let clock = lifter.effect_with(Op::Clock, &[], Type::new(Scalar::U32, 2));
            lifter.write_words(i, clock)?;
        }
        op => match atomic(op) {
            Some(atomic) => lifter.atomic(i, atomic)?,
            None => return Ok(false),
        },
    }
    Ok(true)
}

/// What an instruction is about.
enum Resource {
    Memory { memory: Memory, pick: Pick, by: Option<Arg>, counter: Option<Arg> },
    Image { id: ImageId, dim: Dim, format: Format, pick: Pick, by: Option<Arg> },
    Constants(usize),
}

impl Lifter<'_> {
    /// The resource of an instruction.
    fn resource(&mut self, i: &Instruction<'_>) -> Result<(Resource, Operand)> {
        let operand = if i.op == Opcode::Store { i.to.first() } else { i.from.first() };
        let Some(operand) = operand.copied() else {
            return refuse(format!("{} is not a resource", i.op.row().name));
        };
        let name = operand.file.name().unwrap_or("?");
        let number = || u16::try_from(operand.index).map_err(|_| no_such(name, operand.index.into()));
        let resource = match operand.file {
            File::Buffer => {
                let (id, pick, by) = self.picked(&operand, |tables| {
                    tables.buffers.iter().map(|(number, id)| (*number, id.0)).collect()
                })?;
                Resource::Memory { memory: Memory::Buffer(BufferId(id)), pick, by, counter: None }
            }
            File::Memory => self.memory_of(number()?)?,
            File::HwAtomic => {
                let buffer = operand.dimension.map_or(0, |dimension| dimension.index);
                let known = u16::try_from(buffer).ok().and_then(|n| self.memory.counters.get(&n).copied());
                let id = known.ok_or_else(|| no_such(name, buffer.into()))?;
                if operand.dimension.is_some_and(|dimension| dimension.indirect.is_some()) {
                    return refuse("the buffer of a counter has a computed number");
                }
                let mut counter = self.b.int(operand.index.into());
                if operand.indirect.is_some() {
                    let index = self.index(operand.indirect)?;
                    counter = self.b.pure(Pure::Add, &[counter, index]);
                }
                let counter = self.b.pure(Pure::AsU32, &[counter]);
                let two = self.b.uint(2);
                let counter = Some(self.b.pure(Pure::Shl, &[counter, two]));
                Resource::Memory { memory: Memory::Buffer(id), pick: Pick::Fixed, by: None, counter }
            }
            File::Image => {
                let (id, pick, by) = self.picked(&operand, |tables| {
                    tables.images.iter().map(|(number, id)| (*number, id.0)).collect()
                })?;
                let id = ImageId(id);
                let Some(image) = self.b.shader.images.get(id.index()) else {
                    return Err(no_such(name, operand.index.into()));
                };
                Resource::Image { id, dim: image.dim, format: image.format, pick, by }
            }
            File::Const | File::ConstBuf => {
                let number = self.scan.constants_of(&operand);
                let at = number.and_then(|number| self.scan.buffer_at(number));
                Resource::Constants(at.ok_or_else(|| no_such(name, operand.index.into()))?)
            }
            File::Res => return refuse("Mesa 22 does not have the resources of Direct3D 10"),
            _ => self.by_image_handle(i, &operand)?,
        };
        match (&resource, i.op) {
            (Resource::Memory { memory: Memory::Buffer(id), .. }, op)
                if op != Opcode::Load && op != Opcode::Resq =>
            {
                let kind = self.b.shader.buffers.get(id.index()).map(|buffer| buffer.kind);
                if kind == Some(BufferKind::Uniform)
                    || (kind == Some(BufferKind::Counter) && op == Opcode::Store)
                {
                    return refuse(format!("{} of {name}, which is read-only", op.row().name));
                }
            }
            (Resource::Constants(_), op) if op != Opcode::Load && op != Opcode::Resq => {
                return refuse(format!("{} of a constant buffer", op.row().name));
            }
            _ => {}
        }
        Ok((resource, operand))
    }

    /// What a memory is, by its declaration.
    fn memory_of(&self, number: u16) -> Result<Resource> {
        let of = |memory| Resource::Memory { memory, pick: Pick::Fixed, by: None, counter: None };
        let ty = self.scan.resources.memory(number).ok_or_else(|| no_such("MEMORY", number.into()))?;
        // Mesa's interpreter has one memory besides buffers.
        let shared = ty == MemoryType::Shared || self.options.compat.has(Fault::OneMemory);
        if shared && self.b.shader.stage == Stage::Compute {
            return Ok(of(Memory::Shared));
        }
        match ty {
            MemoryType::Global | MemoryType::Input => {
                let known =
                    self.memory.memories.get(&number).or_else(|| self.memory.memories.values().next());
                known.map(|id| of(Memory::Buffer(*id))).ok_or_else(|| no_such("MEMORY", number.into()))
            }
            MemoryType::Shared => refuse("only compute programs have shared memory"),
            _ => refuse("the size of the private memory of an invocation is unknown"),
        }
    }

    /// The entry that a register names, and how one of a run is chosen by a computed number.
    fn picked(
        &mut self,
        operand: &Operand,
        entries: impl Fn(&Tables) -> Vec<(u16, u32)>,
    ) -> Result<(u32, Pick, Option<Arg>)> {
        let entries = entries(&self.memory);
        let refusal = || no_such(operand.file.name().unwrap_or("?"), operand.index.into());
        let wanted = u16::try_from(operand.index).ok();
        let at = wanted.and_then(|wanted| entries.binary_search_by_key(&wanted, |entry| entry.0).ok());
        let Some(indirect) = operand.indirect else {
            let entry = at.and_then(|at| entries.get(at)).ok_or_else(refusal)?;
            return Ok((entry.1, Pick::Fixed, None));
        };
        // Those that stand one after another with the one that is named, or with the first one.
        let at = at.unwrap_or(0);
        let alike = |a: usize, b: usize| match (entries.get(a), entries.get(b)) {
            (Some(&(n, first)), Some(&(m, second))) => {
                let next = m == n + 1 && second == first + 1;
                let [x, y] = [first, second].map(|id| self.b.shader.images.get(id as usize));
                let same = x.zip(y).is_some_and(|(x, y)| (x.dim, x.format) == (y.dim, y.format));
                next && (operand.file != File::Image || same)
            }
            _ => false,
        };
        let (mut first, mut last) = (at, at);
        while first > 0 && alike(first - 1, first) {
            first -= 1;
        }
        while alike(last, last + 1) {
            last += 1;
        }
        let &(number, id) = entries.get(first).ok_or_else(refusal)?;
        let mut by = self.index(Some(indirect))?;
        if self.options.compat.has(Fault::FirstResource) {
            by = self.b.op(Op::ReadFirst, &[by]);
        }
        let offset = i32::from(operand.index) - i32::from(number);
        if offset != 0 {
            let offset = self.b.int(offset);
            by = self.b.pure(Pure::Add, &[by, offset]);
        }
        let by = self.b.pure(Pure::AsU32, &[by]);
        let count = u16::try_from(last - first + 1).unwrap_or(u16::MAX);
        Ok((id, Pick::Index { count }, Some(by)))
    }

    /// An image whose handle is in two components of a register.
    fn by_image_handle(&mut self, i: &Instruction<'_>, register: &Operand) -> Result<Resource> {
        let name = i.op.row().name;
        let Some(said) = i.token.memory else {
            return refuse(format!("{name} does not name its resource"));
        };
        let info = ImageInfo { target: said.target, format: said.format, raw: false, writable: true };
        let usual = self.options.switches.image_format.format();
        let (dim, format) = shape_of(&info, usual, "the resource of the handle")?;
        let as_source = Operand { swizzle: Swizzle::IDENTITY, ..*register };
        // A destination has no swizzle.
        let register = if i.op == Opcode::Store { &as_source } else { register };
        let [low, high] = [1, 2].map(|lane| self.operand(register, WriteMask::from_bits(lane), Taken::U32));
        let by = Some(self.b.pure(Pure::Pack64, &[low?, high?]));
        let position = |list: &[Dim]| list.iter().position(|of| *of == dim).unwrap_or(0);
        let key = (position(Dim::ALL), Format::ALL.iter().position(|of| *of == format).unwrap_or(0));
        let id = match self.memory.bindless.get(&key) {
            Some(&id) => id,
            None => {
                let id = ImageId(self.b.shader.images.len() as u32);
                let slot = BINDLESS_SLOTS + self.memory.bindless.len() as u32;
                let name = format!("bindless {} {}", dim.name(), format.name());
                self.b.shader.images.push(Image { name, slot, dim, format, read: true, write: true });
                self.memory.bindless.insert(key, id);
                id
            }
        };
        Ok(Resource::Image { id, dim, format, pick: Pick::Handle, by })
    }

    /// An operation that does something and gives a value, where instructions write; elsewhere it gives zero.
    fn effect_with(&mut self, op: Op, args: &[Arg], ty: Type) -> Arg {
        let Some(exec) = self.exec() else { return self.b.op(op, args) };
        let zero = Arg::all_lanes(self.b.push_entry(Op::Const([0; 4]), ty), ty.lanes);
        self.b.open();
        let value = self.b.op(op, args);
        let then = self.b.close(&[value]);
        self.b.open();
        let otherwise = self.b.close(&[zero]);
        let result: Value = self.b.value(ty, None);
        let node = If { cond: exec, then, otherwise, results: alloc::vec![result] };
        self.b.node(Node::If(Box::new(node)));
        Arg::all_lanes(result, ty.lanes)
    }

    /// Writes words to the components of the destination that have their numbers; the rest of them is zero.
    fn write_words(&mut self, i: &Instruction<'_>, words: Arg) -> Result<()> {
        let mask = super::lane::mask_of(i);
        let zero = self.zero(Scalar::U32);
        let lanes = mask.lanes().map(|lane| match lane < usize::from(words.lanes) {
            true => (words.value, words.swizzle.get(lane)),
            false => (zero, 0),
        });
        let places: Vec<(Value, u8)> = lanes.collect();
        if places.is_empty() {
            return Ok(());
        }
        let value = self.b.gather(places.into_iter());
        self.write(i, value)
    }

    /// The byte that an instruction names in a memory.
    fn address(&mut self, i: &Instruction<'_>, counter: Option<Arg>) -> Result<Arg> {
        match counter {
            Some(counter) => Ok(counter),
            None => self.scalar(i, address_of(i.op).unwrap_or(0), Taken::U32),
        }
    }

    /// The texel that an instruction names: its place, and the sample if there are several.
    fn texel_address(&mut self, i: &Instruction<'_>, dim: Dim) -> Result<Vec<Arg>> {
        let n = address_of(i.op).unwrap_or(0);
        let first = WriteMask::first(dim.texel_lanes());
        let mut out = alloc::vec![self.read(i, n, first, Taken::I32)?];
        if dim.multisampled() {
            out.push(self.read(i, n, WriteMask::lane(3), Taken::I32)?);
        }
        Ok(out)
    }

    /// The components of what is loaded that go to those of the destination. Mesa's interpreter takes them as they come.
    fn loaded(&self, i: &Instruction<'_>, operand: &Operand) -> Vec<u8> {
        // That of a register with a handle is about the handle.
        let resource = matches!(
            operand.file,
            File::Buffer | File::Memory | File::HwAtomic | File::Image | File::Const | File::ConstBuf
        );
        let swizzle = match self.options.compat.has(Fault::LoadedSwizzle) {
            false if resource => operand.swizzle,
            _ => Swizzle::IDENTITY,
        };
        super::lane::mask_of(i).lanes().map(|lane| swizzle.get(lane)).collect()
    }

    fn load(&mut self, i: &Instruction<'_>) -> Result<()> {
        let (resource, operand) = self.resource(i)?;
        let picked = self.loaded(i, &operand);
        let Some(most) = picked.iter().max() else { return Ok(()) };
        let words = most + 1;
        let value = match resource {
            Resource::Memory { memory, pick, by, counter } => {
                let offset = self.address(i, counter)?;
                let args: Vec<Arg> = [Some(offset), by].into_iter().flatten().collect();
                self.b.op(Op::LoadMemory { memory, lanes: words, pick }, &args)
            }
            Resource::Image { id, dim, pick, by, .. } => {
                let mut args = self.texel_address(i, dim)?;
                args.extend(by);
                self.b.op(Op::LoadImage { image: id, pick }, &args)
            }
            Resource::Constants(buffer) => {
                let offset = self.address(i, None)?;
                self.load_constants(buffer, offset, words)
            }
        };
        let value = self.b.gather(picked.iter().map(|lane| (value.value, value.swizzle.get((*lane).into()))));
        self.write(i, value)
    }

    /// Words of constants from a byte on; what lies outside is zero.
    fn load_constants(&mut self, buffer: usize, offset: Arg, words: u8) -> Arg {
        let (two, three) = (self.b.uint(2), self.b.uint(3));
        let first = self.b.pure(Pure::Shr, &[offset, two]);
        let mut parts = Vec::with_capacity(4);
        for n in 0..u32::from(words) {
            let more = self.b.uint(n);
            let at = self.b.pure(Pure::Add, &[first, more]);
            let element = self.b.pure(Pure::Shr, &[at, two]);
            let element = self.b.pure(Pure::AsI32, &[element]);
            let lane = self.b.pure(Pure::And, &[at, three]);
            let read = self.constant_at(buffer, element, 0);
            if let Some(cell) = read.cell {
                self.kit.steps.note_read(cell, WriteMask::ALL, &read.lanes);
            }
            let of = |this: &mut Self, n: usize| {
                this.gather(Scalar::U32, core::iter::once(get_lane(&read.lanes, n)))
            };
            let mut word = of(self, 0);
            for n in 1..4 {
                let (other, number) = (of(self, n), self.b.uint(n as u32));
                let meant = self.b.pure(Pure::Eq, &[lane, number]);
                word = self.b.pure(Pure::Select, &[meant, other, word]);
            }
            parts.push(word);
        }
        self.b.op(Op::Compose, &parts)
    }

    fn store_memory(&mut self, i: &Instruction<'_>) -> Result<()> {
        let (resource, operand) = self.resource(i)?;
        match resource {
            Resource::Memory { memory, pick, by, counter } => {
                let mask = operand.mask;
                if mask == WriteMask::NONE {
                    return Ok(());
                }
                let offset = self.address(i, counter)?;
                let value = self.read(i, 1, mask, Taken::Bits)?;
                let value = self.cast(value, Scalar::U32);
                let args: Vec<Arg> = [Some(offset), Some(value), by].into_iter().flatten().collect();
                self.effect(Op::StoreMemory { memory, mask, pick }, &args);
            }
            Resource::Image { id, dim, format, pick, by } => {
                let mut args = self.texel_address(i, dim)?;
                args.push(self.read(i, 1, WriteMask::ALL, Taken::of_lane(format.scalar()))?);
                args.extend(by);
                self.effect(Op::StoreImage { image: id, pick }, &args);
            }
            Resource::Constants(_) => {}
        }
        Ok(())
    }

    /// Whether an instruction writes all components whatever its mask: those of Mesa's interpreter that are atomic do.
    pub(super) fn writes_all(&self, op: Opcode) -> bool {
        self.options.compat.has(Fault::AtomicMask) && op.row().is_atomic()
    }

    fn atomic(&mut self, i: &Instruction<'_>, atomic: Atomic) -> Result<()> {
        let (resource, _) = self.resource(i)?;
        let mut operands = Vec::with_capacity(2);
        let ty = Signature::of(i.op, Texels::default()).result;
        let (op, mut args, by) = match resource {
            Resource::Memory { memory, pick, by, counter } => {
                let offset = self.address(i, counter)?;
                (Op::AtomicMemory { memory, atomic, pick }, alloc::vec![offset], by)
            }
            Resource::Image { id, dim, format, pick, by } => {
                let single = matches!(format, Format::R32Uint | Format::R32Sint | Format::R32Float);
                if !single || dim.multisampled() {
                    let (name, dim, format) = (i.op.row().name, dim.name(), pipe_name(format));
                    return refuse(format!("{name} of an image that is {dim} of {format}"));
                }
                (Op::AtomicImage { image: id, atomic, pick }, self.texel_address(i, dim)?, by)
            }
            Resource::Constants(_) => return Ok(()),
        };
        for n in 0..atomic.operands() {
            let operand = self.read(i, 2 + n, WriteMask::X, ty)?;
            operands.push(self.cast(operand, Scalar::U32));
        }
        args.extend(operands);
        args.extend(by);
        let old = self.effect_with(op, &args, Type::U32);
        let Some(to) = i.to.first() else { return Ok(()) };
        if self.writes_all(i.op) {
            // All components, whatever the mask.
            let all = Arg { swizzle: Swizzle::splat(0), lanes: 4, ..old };
            let all = self.saturated(i, all)?;
            return self.store(to, WriteMask::ALL, all);
        }
        self.write_same(i, old)
    }

    fn size(&mut self, i: &Instruction<'_>) -> Result<()> {
        let (resource, _) = self.resource(i)?;
        let size = match resource {
            Resource::Memory { memory, pick, by, .. } => {
                let args: Vec<Arg> = by.into_iter().collect();
                self.b.op(Op::MemorySize { memory, pick }, &args)
            }
            Resource::Image { id, pick, by, .. } => {
                let args: Vec<Arg> = by.into_iter().collect();
                self.b.op(Op::ImageSize { image: id, pick }, &args)
            }
            Resource::Constants(_) => return refuse("RESQ of a constant buffer"),
        };
        self.write_words(i, size)
    }

    /// The handle of an image: a state value, since who binds it decides. Run files count the images of a shader from 1.
    fn image_handle(&mut self, i: &Instruction<'_>) -> Result<()> {
        let from = Self::source(i, 0)?;
        if from.file != File::Image {
            // What is a handle already stays one.
            let pair = self.read(i, 0, WriteMask::from_bits(3), Taken::U32)?;
            return self.write_words(i, pair);
        }
        let (Resource::Image { id, pick: Pick::Fixed, .. }, _) = self.resource(i)? else {
            return refuse("IMG2HND of an image with a computed number");
        };
        let handle = match self.memory.handles.get(&id) {
            Some(&handle) => handle,
            None => {
                let name = self.b.shader.images.get(id.index()).map_or("", |image| &image.name);
                let (name, ty) = (format!("handle of {name}"), Type::new(Scalar::U32, 2));
                let state = StateId(self.b.shader.states.len() as u32);
                self.b.shader.states.push(State { name, ty, default: [id.0 + 1, 0, 0, 0] });
                let handle = Arg::all_lanes(self.b.push_entry(Op::State(state), ty), 2);
                self.memory.handles.insert(id, handle);
                handle
            }
        };
        self.write_words(i, handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_atomic_instruction_has_an_operation() {
        for op in Opcode::ALL {
            assert_eq!(op.row().is_atomic(), atomic(*op).is_some(), "{op:?}");
        }
    }
}
