//! Texture instructions: which textures there are, and what is read of them.
//!
//! There are two families. The instructions of OpenGL (`TEX` and its kin) name a sampler, whose view has the same number,
//! and say the shape themselves; a declared view says what a texel is. Those of Direct3D 10 (`SAMPLE` and its kin) name a
//! view and a sampler, and the view's declaration says everything.
//!
//! An entry of the shader's table is a view with a sampler, read as one shape; so what a program reads in two ways is two
//! entries, which are to be bound to the same texture. Entries that are reached by a computed index stand in the table one
//! after another, before all others.

use super::options::Fault;
use super::scan::{Instruction, Scan};
use super::{LIMIT, Lifter, NO_MEANING, Refusal, Result};
use crate::lift::{broadcast, pick};
use crate::tgsi::names::{File, Target};
use crate::tgsi::program::{Declaration, Operand, ViewInfo};
use crate::tgsi::reads::{has_level, reference_lane};
use crate::tgsi::signature::Texels;
use crate::tgsi::table::{Opcode, Type as Taken};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Dim, Lod, Op, Pick, Pure, Scalar, Stage, State, StateId, Texture, TextureId, Type};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Textures that computed indices reach, at most: the samplers of a stage times the shapes they are read as.
const MAX_REACHED: usize = 1024;

/// Samplers that computed indices reach have numbers below this, as in Mesa.
const MAX_SAMPLERS: u16 = 128;

/// The number of a texture that only has a handle; no register has it.
const NONE: u16 = u16::MAX;

/// How a texture is read: the key of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    view: u16,
    sampler: u16,
    /// The position in [`Dim::ALL`].
    dim: u8,
    /// The position in [`Scalar::ALL`].
    scalar: u8,
    compare: bool,
    /// Whether the view has its number from the sampler.
    joined: bool,
}

impl Key {
    fn dim(self) -> Dim {
        Dim::ALL.get(usize::from(self.dim)).copied().unwrap_or(Dim::D2)
    }

    fn scalar(self) -> Scalar {
        Scalar::ALL.get(usize::from(self.scalar)).copied().unwrap_or(Scalar::F32)
    }
}

/// A texture that an instruction reads, and how it is chosen.
#[derive(Clone, Copy)]
struct Bound {
    id: TextureId,
    dim: Dim,
    compare: bool,
    pick: Pick,
    /// What the pick takes.
    by: Option<Arg>,
}

/// Where the level of detail comes from.
#[derive(Clone, Copy)]
enum Detail {
    Implicit,
    Bias(Arg),
    Level(Arg),
    Slopes(Arg, Arg),
}

/// The sampler views and samplers that a program declares.
#[derive(Default)]
pub(super) struct Views {
    /// The first one of a range, the last one, and what they are.
    views: BTreeMap<u16, (u16, ViewInfo)>,
    /// The first one of a range and the last one.
    samplers: BTreeMap<u16, u16>,
}

impl Views {
    /// Takes a declaration of any file.
    pub(super) fn declare(&mut self, declaration: &Declaration) {
        let (first, last) = (declaration.first, declaration.last.max(declaration.first));
        match (declaration.file, declaration.view) {
            (File::Samp, _) => {
                let end = self.samplers.entry(first).or_insert(last);
                *end = last.max(*end);
            }
            (File::Sview, Some(view)) => {
                self.views.insert(first, (last, view));
            }
            _ => {}
        }
    }

    /// What is declared of a view.
    fn view(&self, number: u16) -> Option<ViewInfo> {
        let (_, &(last, view)) = self.views.range(..=number).next_back()?;
        (number <= last).then_some(view)
    }

    fn has_sampler(&self, number: u16) -> bool {
        self.samplers.range(..=number).next_back().is_some_and(|(_, &last)| number <= last)
    }

    /// The sampler that an instruction names, if it names one, and what it reads. Nothing if the instruction reads no
    /// texture, or takes it by a handle.
    fn named<'a>(&self, i: &Instruction<'a>) -> Result<Option<(Option<&'a Operand>, Key)>> {
        let number = |operand: &Operand| {
            let index = if operand.indirect.is_some() { operand.index.max(0) } else { operand.index };
            let name = operand.file.name().unwrap_or("?");
            u16::try_from(index).map_err(|_| Refusal::new(NO_MEANING, format!("no {name}[{index}]")))
        };
        let sampler = i.from.iter().find(|operand| operand.file == File::Samp);
        if let Some(target) = target(i) {
            let Some(sampler) = sampler else { return Ok(None) };
            let at = number(sampler)?;
            let view = self.view(at);
            let target = match (target, view) {
                (Target::Unsaid, Some(view)) => view.target,
                (target, _) => target,
            };
            let Some(dim) = target.dim() else {
                return refuse(format!("SAMP[{at}] has no texture target"));
            };
            let scalar = view.map_or(Scalar::F32, |view| view.returns[0].scalar());
            return Ok(Some((Some(sampler), key(at, at, dim, scalar, target.is_shadow(), true))));
        }
        let view = i.from.iter().find(|operand| operand.file == File::Sview);
        let Some(view) = view.filter(|_| i.op.row().has_texture()) else { return Ok(None) };
        if view.indirect.is_some() {
            return refuse(format!("the view number of {} is computed", i.op.row().name));
        }
        let at = number(view)?;
        let Some(view) = self.view(at) else { return refuse(format!("SVIEW[{at}] is not declared")) };
        let Some(dim) = view.target.dim() else {
            return refuse(format!("SVIEW[{at}] has no texture target"));
        };
        let compare = matches!(i.op, Opcode::SampleC | Opcode::SampleCLz);
        let through = match sampler {
            Some(sampler) => number(sampler)?,
            None => at,
        };
        Ok(Some((sampler, key(at, through, dim, view.returns[0].scalar(), compare, false))))
    }

    /// Whether a computed index that means `key` may also mean the sampler of that number.
    fn may_mean(&self, key: Key, number: u16) -> bool {
        if !self.has_sampler(number) {
            return false;
        }
        let view = if key.joined { self.view(number) } else { None };
        view.is_none_or(|view| {
            let scalar = if key.compare { Scalar::F32 } else { view.returns[0].scalar() };
            view.target.dim() == Some(key.dim()) && scalar == key.scalar()
        })
    }

    /// The samplers that a computed index may mean, the first and the last one: those that are declared around the one
    /// that is named, with views of one kind.
    fn extent(&self, key: Key) -> (u16, u16) {
        let (mut first, mut last) = (key.sampler, key.sampler);
        let means = |n: &u16| *n < MAX_SAMPLERS && self.may_mean(key, *n);
        while let Some(before) = first.checked_sub(1).filter(means) {
            first = before;
        }
        while let Some(behind) = last.checked_add(1).filter(means) {
            last = behind;
        }
        (first, last)
    }
}

/// The textures of a program.
pub(super) struct Textures {
    ids: BTreeMap<Key, TextureId>,
    /// What a view of a shape is sampled through first, and whether it is compared then.
    sampled: BTreeMap<(u16, u8, bool), (u16, bool)>,
    /// The handles of textures.
    handles: BTreeMap<TextureId, Arg>,
}

impl Textures {
    /// The textures that a program reads by computed indices.
    pub(super) fn new(scan: &Scan<'_>, b: &mut Builder) -> Self {
        let mut this = Self { ids: BTreeMap::new(), sampled: BTreeMap::new(), handles: BTreeMap::new() };
        for i in &scan.code {
            // What is refused here is refused again where it is lifted.
            let Ok(Some((sampler, key))) = scan.views.named(i) else { continue };
            if samples(i.op) {
                this.sampled.entry((key.view, key.dim, key.joined)).or_insert((key.sampler, key.compare));
            }
            if sampler.is_some_and(|sampler| sampler.indirect.is_some()) {
                this.reach(&scan.views, b, key);
            }
        }
        this
    }

    /// Makes room for everything that a computed index may mean.
    fn reach(&mut self, views: &Views, b: &mut Builder, key: Key) {
        if self.ids.contains_key(&key) {
            return;
        }
        let (first, last) = views.extent(key);
        if self.ids.len() + usize::from(last - first) >= MAX_REACHED {
            return;
        }
        for number in first..=last {
            self.entry(b, through(key, number));
        }
    }

    /// How something that is not sampled is read: as it is where it is sampled, so that the two are one.
    fn usual(&self, key: Key) -> Key {
        let usual = self.sampled.get(&(key.view, key.dim, key.joined));
        let &(sampler, compare) = usual.unwrap_or(&(key.sampler, false));
        Key { sampler, compare: compare && key.scalar() == Scalar::F32, ..key }
    }

    /// The first entry of those that a computed index may mean.
    fn run(&self, key: Key, begin: u16, end: u16) -> Option<TextureId> {
        let [first, last] = [begin, end].map(|number| self.ids.get(&through(key, number)).copied());
        first.filter(|first| last.is_some_and(|last| last.0.wrapping_sub(first.0) == u32::from(end - begin)))
    }

    /// The entry of the table.
    fn entry(&mut self, b: &mut Builder, key: Key) -> TextureId {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let Key { view, sampler, compare, joined, .. } = key;
        let name = match joined {
            true if view == NONE => String::from("bindless"),
            true => format!("SAMP[{sampler}]"),
            false if view == sampler => format!("SVIEW[{view}]"),
            false => format!("SVIEW[{view}] SAMP[{sampler}]"),
        };
        // The other ways to read the same one have longer names.
        let (least, most) = (Key { joined, ..lowest(view, sampler) }, highest(view, sampler));
        let others = self.ids.range(least..=most).any(|(other, _)| other.joined == joined);
        let name = if others || view == NONE {
            let shadow = if compare { " compared" } else { "" };
            let scalar = if key.scalar() == Scalar::F32 { "" } else { key.scalar().name() };
            let space = if scalar.is_empty() { "" } else { " " };
            format!("{name} {}{shadow}{space}{scalar}", key.dim().name())
        } else {
            name
        };
        let id = TextureId(b.shader.textures.len() as u32);
        b.shader.textures.push(Texture {
            sampler_slot: u32::from(sampler),
            scalar: key.scalar(),
            compare,
            ..Texture::new(name, u32::from(view), key.dim())
        });
        self.ids.insert(key, id);
        id
    }
}

/// The texels that an instruction of this file is about.
pub(super) fn texels(scan: &Scan<'_>, i: &Instruction<'_>) -> Option<Texels> {
    match scan.views.named(i) {
        Ok(Some((_, key))) => {
            Some(Texels { dim: Some(key.dim()), compared: key.compare, scalar: Some(key.scalar()) })
        }
        _ => target(i).map(Texels::from),
    }
}

/// Lifts an instruction; `false` if this file has none of that kind.
pub(super) fn instruction(lifter: &mut Lifter<'_>, i: &Instruction<'_>) -> Result<bool> {
    if !i.op.row().has_texture() {
        return Ok(false);
    }
    let Some(to) = i.to.first() else { return refuse(format!("{} has no destination", i.op.row().name)) };
    let result = lifter.texture(i)?;
    let lanes: Vec<u8> = to.mask.lanes().map(|lane| lane as u8).collect();
    lifter.write(i, pick(result, &lanes))?;
    Ok(true)
}

impl Lifter<'_> {
    /// What an instruction that reads a texture gives: four lanes.
    fn texture(&mut self, i: &Instruction<'_>) -> Result<Arg> {
        use Opcode as O;
        let view = i.from.iter().find(|operand| operand.file == File::Sview);
        let swizzle = view.map_or(Swizzle::IDENTITY, |view| view.swizzle);
        if matches!(i.op, O::SamplePos | O::SampleInfo) && view.is_none() {
            // Of the render target, of which nothing is known here but that it is not shaded by samples.
            return Ok(self.samples(i.op, None, None));
        }
        let bound = self.bound(i)?;
        let coord = bound.dim.coord_lanes();
        let result = match i.op {
            O::Tex | O::TexLz | O::Txp | O::Txb | O::Txl | O::Txd | O::Tex2 | O::Txb2 | O::Txl2 => {
                sampled(bound.dim, i.op)?;
                let mut at = self.first(i, 0, coord, Taken::F32)?;
                let two = matches!(i.op, O::Tex2 | O::Txb2 | O::Txl2);
                let mut reference = match reference_lane(bound.dim).filter(|_| bound.compare) {
                    Some(lane) => Some(self.component(i, 0, lane, Taken::F32)?),
                    None => None,
                };
                if bound.compare && reference.is_none() {
                    // Of an array of cubes; it stands in front of a bias or level, in whose place it is in Mesa's
                    // interpreter.
                    let lane = if i.op == O::Tex2 || self.options.compat.has(Fault::CubeArrayReference) {
                        0
                    } else {
                        1
                    };
                    if !two {
                        return refuse(format!(
                            "{} of SHADOWCUBEARRAY has no reference value",
                            i.op.row().name
                        ));
                    }
                    reference = Some(self.component(i, 1, lane, Taken::F32)?);
                }
                if i.op == O::Txp {
                    let by = self.component(i, 0, 3, Taken::F32)?;
                    let quotient = |b: &mut Builder, x: Arg| b.pure(Pure::Div, &[x, broadcast(by, x.lanes)]);
                    at = quotient(&mut self.b, at);
                    reference = reference.map(|reference| quotient(&mut self.b, reference));
                }
                let place = bound.dim.place_lanes();
                let detail = match i.op {
                    O::TexLz => Detail::Level(self.b.splat(0.0, 1)),
                    O::Txb => Detail::Bias(self.component(i, 0, 3, Taken::F32)?),
                    O::Txl => Detail::Level(self.component(i, 0, 3, Taken::F32)?),
                    O::Txb2 => Detail::Bias(self.component(i, 1, 0, Taken::F32)?),
                    O::Txl2 => Detail::Level(self.component(i, 1, 0, Taken::F32)?),
                    O::Txd => Detail::Slopes(
                        self.first(i, 1, place, Taken::F32)?,
                        self.first(i, 2, place, Taken::F32)?,
                    ),
                    _ => Detail::Implicit,
                };
                self.sample(bound, at, reference, detail, i)?
            }
            O::Sample | O::SampleB | O::SampleC | O::SampleCLz | O::SampleD | O::SampleL => {
                sampled(bound.dim, i.op)?;
                if bound.compare && bound.dim == Dim::D3 {
                    return refuse(format!(
                        "{} of 3d: texels of that shape are not compared",
                        i.op.row().name
                    ));
                }
                let at = self.first(i, 0, coord, Taken::F32)?;
                let place = bound.dim.place_lanes();
                let (reference, detail) = match i.op {
                    O::SampleB => (None, Detail::Bias(self.component(i, 3, 0, Taken::F32)?)),
                    O::SampleL => (None, Detail::Level(self.component(i, 3, 0, Taken::F32)?)),
                    O::SampleD => {
                        let x = self.first(i, 3, place, Taken::F32)?;
                        (None, Detail::Slopes(x, self.first(i, 4, place, Taken::F32)?))
                    }
                    O::SampleC => (Some(self.component(i, 3, 0, Taken::F32)?), Detail::Implicit),
                    O::SampleCLz => {
                        let reference = self.component(i, 3, 0, Taken::F32)?;
                        (Some(reference), Detail::Level(self.b.splat(0.0, 1)))
                    }
                    _ => (None, Detail::Implicit),
                };
                self.sample(bound, at, reference, detail, i)?
            }
            O::Txf | O::TxfLz | O::SampleI | O::SampleIMs => {
                let at = self.first(i, 0, bound.dim.texel_lanes(), Taken::I32)?;
                let which = match i.op {
                    O::Txf | O::SampleI if has_level(i.op, bound.dim) || bound.dim.multisampled() => {
                        let which = self.component(i, 0, 3, Taken::I32)?;
                        self.level_of_first(which)
                    }
                    O::SampleIMs => self.component(i, 2, 0, Taken::I32)?,
                    _ => self.b.int(0),
                };
                let offset = self.offset(bound.dim, i.offsets.first())?;
                let op = Op::Fetch { texture: bound.id, offset: offset.is_some(), pick: bound.pick };
                self.op_on(op, [Some(at), Some(which), offset, bound.by])
            }
            O::Tg4 | O::Gather4 => self.gathered(bound, i)?,
            O::Txq | O::TxqLz | O::Sviewinfo => {
                let level = if has_level(i.op, bound.dim) {
                    let level = self.component(i, 0, 0, Taken::I32)?;
                    self.level_of_first(level)
                } else {
                    self.b.int(0)
                };
                let op = Op::TextureSize { texture: bound.id, pick: bound.pick };
                let size = self.op_on(op, [Some(level), bound.by, None, None]);
                if bound.dim == Dim::Buffer && self.options.compat.has(Fault::BufferLevels) {
                    // Not even one level.
                    return Ok(self.with_zeros(pick(size, &[0])));
                }
                // The swizzle of the view does not count here, says the manual.
                return Ok(size);
            }
            O::Txqs => {
                let op = Op::TextureSamples { texture: bound.id, pick: bound.pick };
                let samples = self.op_on(op, [bound.by, None, None, None]);
                self.with_zeros(samples)
            }
            O::Lodq | O::Lod => {
                sampled(bound.dim, i.op)?;
                if self.b.shader.stage != Stage::Fragment {
                    return refuse(format!(
                        "{} needs derivatives, which exist only in fragment programs",
                        i.op.row().name
                    ));
                }
                let at = self.first(i, 0, coord, Taken::F32)?;
                let op = Op::TextureLod { texture: bound.id, pick: bound.pick };
                let lod = self.op_on(op, [Some(at), bound.by, None, None]);
                self.with_zeros(lod)
            }
            O::SamplePos => {
                let number = self.component(i, 1, 0, Taken::I32)?;
                self.samples(i.op, Some(bound), Some(number))
            }
            O::SampleInfo => self.samples(i.op, Some(bound), None),
            O::Samp2hnd => self.handle(bound)?,
            _ => return refuse(format!("{} does not read a texture", i.op.row().name)),
        };
        Ok(if swizzle == Swizzle::IDENTITY { result } else { pick(result, &swizzle.lanes()) })
    }

    /// The first lanes of a source.
    fn first(&mut self, i: &Instruction<'_>, n: usize, lanes: u8, ty: Taken) -> Result<Arg> {
        self.read(i, n, WriteMask::first(lanes), ty)
    }

    /// One lane of a source.
    fn component(&mut self, i: &Instruction<'_>, n: usize, lane: u8, ty: Taken) -> Result<Arg> {
        self.read(i, n, WriteMask::lane(lane.into()), ty)
    }

    /// An operation on those arguments that are there.
    fn op_on(&mut self, op: Op, args: [Option<Arg>; 4]) -> Arg {
        let args: Vec<Arg> = args.into_iter().flatten().collect();
        self.b.op(op, &args)
    }

    /// Zeros behind a value, up to four lanes.
    fn with_zeros(&mut self, value: Arg) -> Arg {
        let ty = Type::new(self.b.shader.value(value.value).ty.scalar, 4 - value.lanes);
        let zeros = Arg::all_lanes(self.b.push_entry(Op::Const([0; 4]), ty), ty.lanes);
        self.b.op(Op::Compose, &[value, zeros])
    }

    /// The texture that an instruction reads.
    fn bound(&mut self, i: &Instruction<'_>) -> Result<Bound> {
        let Some((sampler, key)) = self.scan.views.named(i)? else { return self.by_handle(i) };
        let Some((index, indirect)) = sampler.and_then(|sampler| Some((sampler.index, sampler.indirect?)))
        else {
            let key = if samples(i.op) { key } else { self.textures.usual(key) };
            let id = self.textures.entry(&mut self.b, key);
            return Ok(Bound { id, dim: key.dim(), compare: key.compare, pick: Pick::Fixed, by: None });
        };
        let (begin, end) = self.scan.views.extent(key);
        let Some(id) = self.textures.run(key, begin, end) else {
            let message = format!("computed indices can reach more than {MAX_REACHED} textures");
            return Err(Refusal::new(LIMIT, message));
        };
        let register =
            Operand { swizzle: Swizzle::splat(indirect.component), ..Scan::index_register(indirect) };
        let mut by = self.operand(&register, WriteMask::X, Taken::I32)?;
        if self.options.compat.has(Fault::FirstSampler) {
            by = self.b.op(Op::ReadFirst, &[by]);
        }
        let offset = i32::from(index) - i32::from(begin);
        if offset != 0 {
            let offset = self.b.int(offset);
            by = self.b.pure(Pure::Add, &[by, offset]);
        }
        let by = Some(self.b.pure(Pure::AsU32, &[by]));
        let pick = Pick::Index { count: end - begin + 1 };
        Ok(Bound { id, dim: key.dim(), compare: key.compare, pick, by })
    }

    /// A texture whose handle is in two components of a register.
    fn by_handle(&mut self, i: &Instruction<'_>) -> Result<Bound> {
        let name = i.op.row().name;
        let (Some(target), Some(register)) = (target(i), i.from.last()) else {
            return refuse(format!("{name} is not a texture"));
        };
        let Some(dim) = target.dim() else {
            return refuse(format!("{name} has no texture target"));
        };
        let compare = target.is_shadow();
        let [low, high] = [1, 2].map(|lane| self.operand(register, WriteMask::from_bits(lane), Taken::U32));
        let by = Some(self.b.pure(Pure::Pack64, &[low?, high?]));
        let id = self.textures.entry(&mut self.b, key(NONE, NONE, dim, Scalar::F32, compare, true));
        Ok(Bound { id, dim, compare, pick: Pick::Handle, by })
    }

    /// The handle of a texture: a state value, since who binds it decides. Run files count the textures of a shader from 1.
    fn handle(&mut self, bound: Bound) -> Result<Arg> {
        if bound.pick != Pick::Fixed {
            return refuse("SAMP2HND of a sampler with a computed number");
        }
        let handle = match self.textures.handles.get(&bound.id) {
            Some(&handle) => handle,
            None => {
                let name = self.b.shader.textures.get(bound.id.index()).map_or("", |texture| &texture.name);
                let (name, ty) = (format!("handle of {name}"), Type::new(Scalar::U32, 2));
                let id = StateId(self.b.shader.states.len() as u32);
                self.b.shader.states.push(State { name, ty, default: [bound.id.0 + 1, 0, 0, 0] });
                let handle = Arg::all_lanes(self.b.push_entry(Op::State(id), ty), 2);
                self.textures.handles.insert(bound.id, handle);
                handle
            }
        };
        Ok(self.with_zeros(handle))
    }

    fn sample(
        &mut self,
        bound: Bound,
        at: Arg,
        reference: Option<Arg>,
        detail: Detail,
        i: &Instruction<'_>,
    ) -> Result<Arg> {
        let offset = self.offset(bound.dim, i.offsets.first())?;
        // Without derivatives nothing changes: level 0, and what is added to it.
        let detail = match detail {
            Detail::Implicit if self.b.shader.stage != Stage::Fragment => Detail::Level(self.b.splat(0.0, 1)),
            Detail::Bias(by) if self.b.shader.stage != Stage::Fragment => Detail::Level(by),
            detail => detail,
        };
        let (lod, one, two) = match detail {
            Detail::Implicit => (Lod::Implicit { bias_eighths: 0 }, None, None),
            Detail::Bias(by) => (Lod::Bias, Some(by), None),
            Detail::Level(level) => (Lod::Level, Some(level), None),
            Detail::Slopes(x, y) => (Lod::Gradient, Some(x), Some(y)),
        };
        let (compare, pick) = (reference.is_some(), bound.pick);
        let op = Op::Sample { texture: bound.id, lod, compare, offset: offset.is_some(), pick };
        let args = [Some(at), reference, one, two, offset, bound.by];
        let args: Vec<Arg> = args.into_iter().flatten().collect();
        Ok(self.b.op(op, &args))
    }

    /// TG4 and GATHER4.
    fn gathered(&mut self, bound: Bound, i: &Instruction<'_>) -> Result<Arg> {
        if !matches!(bound.dim, Dim::D2 | Dim::D2Array | Dim::Cube | Dim::CubeArray | Dim::Rect) {
            return refuse(format!("{} cannot gather from {}", i.op.row().name, bound.dim.name()));
        }
        let at = self.first(i, 0, bound.dim.coord_lanes(), Taken::F32)?;
        if i.op == Opcode::Gather4 {
            return self.gather_with(bound, at, 0, None, i.offsets);
        }
        if bound.compare {
            let reference = match reference_lane(bound.dim) {
                Some(lane) => self.component(i, 0, lane, Taken::F32)?,
                None => self.component(i, 1, 0, Taken::F32)?,
            };
            return self.gather_with(bound, at, 0, Some(reference), i.offsets);
        }
        if let Some(component) = i.from.get(1).and_then(|of| self.known(of, 0)) {
            return self.gather_with(bound, at, component.min(3) as u8, None, i.offsets);
        }
        let component = self.component(i, 1, 0, Taken::U32)?;
        let mut result = self.gather_with(bound, at, 3, None, i.offsets)?;
        for other in 0..3 {
            let texels = self.gather_with(bound, at, other, None, i.offsets)?;
            let number = self.b.uint(u32::from(other));
            let meant = self.b.pure(Pure::Eq, &[component, number]);
            result = self.b.pure(Pure::Select, &[meant, texels, result]);
        }
        Ok(result)
    }

    fn gather_with(
        &mut self,
        bound: Bound,
        at: Arg,
        component: u8,
        reference: Option<Arg>,
        offsets: &[Operand],
    ) -> Result<Arg> {
        let one_only = self.options.compat.has(Fault::OneOffset);
        let mut one = |offset: Option<&Operand>| -> Result<Arg> {
            let offset = self.offset(bound.dim, offset)?;
            let (compare, pick) = (reference.is_some(), bound.pick);
            let op = Op::Gather { texture: bound.id, component, compare, offset: offset.is_some(), pick };
            Ok(self.op_on(op, [Some(at), reference, offset, bound.by]))
        };
        // Mesa's interpreter knows one offset only.
        let [a, b, c, d] = offsets else { return one(offsets.first()) };
        if one_only {
            return one(Some(a));
        }
        // Each is for one texel: the last one of those that it gathers (textureGatherOffsets of ARB_gpu_shader5).
        let texels = [one(Some(a))?, one(Some(b))?, one(Some(c))?, one(Some(d))?];
        Ok(self.b.op(Op::Compose, &texels.map(|texels| pick(texels, &[3]))))
    }

    /// An offset in texels, a lane for each axis. Cubes have none.
    fn offset(&mut self, dim: Dim, offset: Option<&Operand>) -> Result<Option<Arg>> {
        let Some(offset) = offset.filter(|_| dim.faces() == 1) else { return Ok(None) };
        let mut by = self.operand(offset, WriteMask::first(dim.axes()), Taken::I32)?;
        if self.options.compat.has(Fault::FirstOffset) && self.known(offset, 0).is_none() {
            // The eight low bits.
            by = self.of_first(by);
            let bits = self.word(24, by.lanes);
            by = self.b.pure(Pure::Shl, &[by, bits]);
            by = self.b.pure(Pure::Shr, &[by, bits]);
        }
        Ok(Some(by))
    }

    /// What Mesa's interpreter takes of a level: that of the first invocation of the four, active or not.
    fn level_of_first(&mut self, value: Arg) -> Arg {
        if self.options.compat.has(Fault::FirstLevel) { self.of_first(value) } else { value }
    }

    /// A component of a source that is an immediate without modifiers.
    fn known(&self, operand: &Operand, lane: usize) -> Option<u32> {
        let Operand { file: File::Imm, index, absolute: false, negate: false, indirect: None, .. } = *operand
        else {
            return None;
        };
        let (_, bits) = self.scan.immediates.get(usize::try_from(index).ok()?)?;
        bits.get(usize::from(operand.swizzle.get(lane))).copied()
    }

    /// The number of samples, or the place of one of them; without a texture, of what is not multisampled.
    fn samples(&mut self, op: Opcode, bound: Option<Bound>, number: Option<Arg>) -> Arg {
        if op == Opcode::SampleInfo {
            let samples = match bound {
                Some(Bound { id, pick, by, .. }) => {
                    self.op_on(Op::TextureSamples { texture: id, pick }, [by, None, None, None])
                }
                None => self.b.uint(1),
            };
            return self.with_zeros(samples);
        }
        let mut place = self.b.splat(0.5, 2);
        if let Some(Bound { id, pick, by, .. }) = bound {
            // The centre of a pixel is 0.5 here, and 0 there.
            let from_centre = self.op_on(Op::SamplePosition { texture: id, pick }, [number, by, None, None]);
            place = self.b.pure(Pure::Add, &[from_centre, place]);
        }
        self.with_zeros(place)
    }
}

/// Whether it reads a texture through its sampler.
fn samples(op: Opcode) -> bool {
    let only_asks = matches!(
        op,
        Opcode::Txf
            | Opcode::TxfLz
            | Opcode::Txq
            | Opcode::TxqLz
            | Opcode::Txqs
            | Opcode::Samp2hnd
            | Opcode::SampleI
            | Opcode::SampleIMs
            | Opcode::Sviewinfo
            | Opcode::SamplePos
            | Opcode::SampleInfo
    );
    !only_asks && op.row().has_texture()
}

/// Refuses textures that are only fetched from.
fn sampled(dim: Dim, op: Opcode) -> Result<()> {
    if dim == Dim::Buffer || dim.multisampled() {
        let name = op.row().name;
        return refuse(format!("{name} of {}: such texels can only be fetched, as by TXF", dim.name()));
    }
    Ok(())
}

/// What an instruction says of the shape of its texture.
fn target(i: &Instruction<'_>) -> Option<Target> {
    if !i.op.row().has_target() {
        return None;
    }
    Some(i.token.texture.map_or(Target::Unsaid, |texture| texture.target))
}

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Refusal::new(NO_MEANING, message))
}

const fn lowest(view: u16, sampler: u16) -> Key {
    Key { view, sampler, dim: 0, scalar: 0, compare: false, joined: false }
}

const fn highest(view: u16, sampler: u16) -> Key {
    Key { view, sampler, dim: u8::MAX, scalar: u8::MAX, compare: true, joined: true }
}

fn key(view: u16, sampler: u16, dim: Dim, scalar: Scalar, compare: bool, joined: bool) -> Key {
    let scalar = if compare { Scalar::F32 } else { scalar };
    let at = Scalar::ALL.iter().position(|s| *s == scalar);
    let dim = Dim::ALL.iter().position(|d| *d == dim);
    Key {
        dim: dim.unwrap_or(0) as u8,
        scalar: at.unwrap_or(0) as u8,
        compare,
        joined,
        ..lowest(view, sampler)
    }
}

/// The same through another sampler.
const fn through(key: Key, sampler: u16) -> Key {
    let view = if key.joined { sampler } else { key.view };
    Key { view, sampler, ..key }
}
