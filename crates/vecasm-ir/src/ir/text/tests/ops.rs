//! Every operation with every attribute, there and back.

use super::{back, every_table};
use crate::ir::build::Builder;
use crate::ir::op::Slot;
use crate::ir::op::effects::Kind;
use crate::ir::text::forms;
use crate::ir::{
    Arg, Arith, At, Atomic, BufferId, ImageId, InputId, LocalId, Lod, Memory, Op, OutOfRange, OutputId,
    ParamId, Pick, Pure, Rule, Scalar, Shader, Site, Slope, StateId, Tail, TextureId, Type, Vote,
};
use crate::operand::{Swizzle, WriteMask};
use alloc::vec;
use alloc::vec::Vec;

/// An operation with the types of its arguments and of its result.
struct Sample {
    op: Op,
    args: Vec<Type>,
    result: Option<Type>,
}

/// The types of what an operation takes and gives, where the tables say it.
fn sample(tables: &Shader, op: Op, args: &[Type]) -> Sample {
    let args = match op.parameters(tables, args) {
        Some(list) => list.to_vec(),
        None => args.to_vec(),
    };
    let result = op.result_type(tables, &args);
    assert_eq!(result.is_some(), op.gives(), "{op:?} does not take {args:?}");
    Sample { op, args, result }
}

/// All pairs of two lists.
fn pairs<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

const BOTH: [bool; 2] = [false, true];
const INDEX: Type = Type::I32;
const F32X4: Type = Type::F32X4;
const BOOL: Type = Type::BOOL;
const OFFSETS: [i32; 5] = [i32::MIN, -1, 0, 3, i32::MAX];
const PICKS: [Pick; 4] =
    [Pick::Fixed, Pick::Index { count: 1 }, Pick::Index { count: u16::MAX }, Pick::Handle];

fn masks() -> Vec<WriteMask> {
    (1..16).map(WriteMask::from_bits).collect()
}

fn runs() -> Vec<At> {
    let places = pairs(&[1, 8, u32::MAX], &OFFSETS);
    let all = pairs(&places, OutOfRange::ALL);
    all.into_iter().map(|((count, offset), rule)| At { count, offset, rule }).collect()
}

/// Each entry of a table.
fn ids<T>(table: &[T]) -> Vec<u32> {
    (0..table.len() as u32).collect()
}

fn lods() -> Vec<Lod> {
    let mut all: Vec<Lod> = (i8::MIN..=i8::MAX).map(|bias_eighths| Lod::Implicit { bias_eighths }).collect();
    all.extend([Lod::Bias, Lod::Level, Lod::Gradient]);
    // A kind that is missing above does not compile here.
    match all[0] {
        Lod::Implicit { .. } | Lod::Bias | Lod::Level | Lod::Gradient => all,
    }
}

/// Every pure operation on every type it takes, with every number of lanes.
fn pures() -> Vec<(Pure, Vec<Type>)> {
    let mut all = Vec::new();
    for ((&pure, t), lanes) in
        Pure::ALL.iter().flat_map(|p| Scalar::ALL.map(|t| (p, t))).flat_map(|p| (1..=4).map(move |n| (p, n)))
    {
        let generic = pure.slots().contains(&Slot::T);
        if !(generic && pure.type_class().has(t) || !generic && t == Scalar::F32) {
            continue;
        }
        let ty = |slot: &Slot| match *slot {
            Slot::T => Type::new(t, lanes),
            Slot::Is(scalar) => Type::new(scalar, lanes),
        };
        let args: Vec<Type> = pure.slots().iter().map(ty).collect();
        if pure == Pure::Select {
            let mut one = args.clone();
            one[0] = BOOL;
            all.push((pure, one));
        }
        all.push((pure, args));
    }
    all
}

/// Bits that are hard to write: zeros, ones, extremes, infinities, NaN with payloads, denormals.
fn constants() -> Vec<(Type, [u32; 4])> {
    let mut all = Vec::new();
    for bits in
        [0u32, 1, 0x8000_0000, 0x7fff_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffa1_2345, 0x3dcc_cccd]
    {
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            all.push((Type::new(scalar, 1), [bits, 0, 0, 0]));
            all.push((Type::new(scalar, 4), [bits, !bits, bits >> 3, bits.rotate_left(9)]));
        }
        for scalar in [Scalar::F64, Scalar::I64, Scalar::U64] {
            all.push((Type::new(scalar, 1), [bits, !bits, 0, 0]));
            all.push((Type::new(scalar, 1), [!bits, bits, 0, 0]));
            all.push((Type::new(scalar, 2), [bits, 0, 1, bits]));
        }
    }
    for lanes in 1..=4 {
        let mut bits = [0; 4];
        bits[..usize::from(lanes)].fill(1);
        all.push((Type::new(Scalar::Bool, lanes), bits));
        all.push((Type::new(Scalar::Bool, lanes), [0; 4]));
    }
    all
}

/// Rows of a pattern and the operations that it matches. A variant of [`Op`] without a row does not compile.
macro_rules! rows {
    ($($pattern:pat => $samples:expr;)*) => {{
        let known = |op: &Op| match op { $($pattern => {})* };
        let rows: Vec<Vec<(Op, Vec<Type>)>> = vec![$({
            let row: Vec<(Op, Vec<Type>)> = $samples;
            assert!(!row.is_empty() && row.iter().all(|(op, _)| matches!(op, $pattern)), "{}", stringify!($pattern));
            row.iter().for_each(|(op, _)| known(op));
            row
        }),*];
        rows
    }};
}

/// Every operation that is neither pure nor a constant, with the types of its arguments where no table says them.
fn others(t: &Shader) -> Vec<Vec<(Op, Vec<Type>)>> {
    let mask_type = |mask: WriteMask, scalar| Type::new(scalar, mask.count() as u8);
    let inputs: Vec<InputId> = ids(&t.inputs).into_iter().map(InputId).collect();
    let outputs: Vec<OutputId> = ids(&t.outputs).into_iter().map(OutputId).collect();
    let params: Vec<ParamId> = ids(&t.params).into_iter().map(ParamId).collect();
    let locals: Vec<LocalId> = ids(&t.locals).into_iter().map(LocalId).collect();
    let textures: Vec<TextureId> = ids(&t.textures).into_iter().map(TextureId).collect();
    let images: Vec<ImageId> = ids(&t.images).into_iter().map(ImageId).collect();
    let mut memories: Vec<Memory> =
        ids(&t.buffers).into_iter().map(|id| Memory::Buffer(BufferId(id))).collect();
    memories.push(Memory::Shared);
    let (texture_picks, image_picks) = (pairs(&textures, &PICKS), pairs(&images, &PICKS));
    let memory_picks = pairs(&memories, &PICKS);
    let flags = pairs(&BOTH, &BOTH);
    let vertex = |at: Option<At>| if at.is_some() { vec![INDEX; 2] } else { vec![INDEX] };
    let mut maybe_runs: Vec<Option<At>> = runs().into_iter().map(Some).collect();
    maybe_runs.push(None);
    let indices = [0, 7, u32::MAX];
    rows! {
        Op::Pure(_) => vec![(Op::Pure(Pure::Neg), vec![F32X4])];
        Op::Const(_) => vec![(Op::Const([0; 4]), vec![])];
        Op::Compose => vec![(Op::Compose, vec![F32X4]), (Op::Compose, vec![BOOL; 3])];
        Op::Input(_) => inputs.iter().map(|&id| (Op::Input(id), vec![])).collect();
        Op::InputAt { .. } => pairs(&inputs, &runs())
            .into_iter().map(|(first, at)| (Op::InputAt { first, at }, vec![INDEX])).collect();
        Op::InputOf { .. } => pairs(&inputs, &maybe_runs)
            .into_iter().map(|(first, at)| (Op::InputOf { first, at }, vertex(at))).collect();
        Op::Interpolate { .. } => pairs(&inputs, Site::ALL)
            .into_iter().map(|(input, site)| (Op::Interpolate { input, site }, match site {
                Site::Center | Site::Centroid => vec![],
                Site::Sample => vec![INDEX],
                Site::Offset => vec![Type::new(Scalar::F32, 2)],
            })).collect();
        Op::LoadOutput(_) => outputs.iter().map(|&id| (Op::LoadOutput(id), vec![])).collect();
        Op::LoadOutputAt { .. } => pairs(&outputs, &runs())
            .into_iter().map(|(first, at)| (Op::LoadOutputAt { first, at }, vec![INDEX])).collect();
        Op::LoadOutputOf { .. } => pairs(&outputs, &maybe_runs)
            .into_iter().map(|(first, at)| (Op::LoadOutputOf { first, at }, vertex(at))).collect();
        Op::StoreOutput { .. } => pairs(&outputs, &masks()).into_iter().map(|(output, mask)| {
            (Op::StoreOutput { output, mask }, vec![mask_type(mask, Scalar::F32)])
        }).collect();
        Op::StoreOutputAt { .. } => pairs(&pairs(&outputs, &masks()), &runs())
            .into_iter().map(|((first, mask), at)| {
                (Op::StoreOutputAt { first, at, mask }, vec![INDEX, mask_type(mask, Scalar::F32)])
            }).collect();
        Op::Param { .. } => pairs(&params, &indices)
            .into_iter().map(|(array, index)| (Op::Param { array, index }, vec![])).collect();
        Op::ParamAt { .. } => pairs(&pairs(&params, &OFFSETS), OutOfRange::ALL)
            .into_iter().map(|((array, offset), rule)| (Op::ParamAt { array, offset, rule }, vec![INDEX]))
            .collect();
        Op::StoreParam { .. } => pairs(&pairs(&params, &indices), &masks())
            .into_iter().map(|((array, index), mask)| {
                (Op::StoreParam { array, index, mask }, vec![mask_type(mask, Scalar::F32)])
            }).collect();
        Op::StoreParamAt { .. } => pairs(&pairs(&params, &OFFSETS), &masks())
            .into_iter().map(|((array, offset), mask)| {
                (Op::StoreParamAt { array, offset, mask }, vec![INDEX, mask_type(mask, Scalar::F32)])
            }).collect();
        Op::LoadLocal { .. } => pairs(&locals, &indices)
            .into_iter().map(|(array, index)| (Op::LoadLocal { array, index }, vec![])).collect();
        Op::LoadLocalAt { .. } => pairs(&pairs(&locals, &OFFSETS), OutOfRange::ALL)
            .into_iter().map(|((array, offset), rule)| (Op::LoadLocalAt { array, offset, rule }, vec![INDEX]))
            .collect();
        Op::StoreLocal { .. } => pairs(&pairs(&locals, &indices), &masks())
            .into_iter().map(|((array, index), mask)| {
                (Op::StoreLocal { array, index, mask }, vec![mask_type(mask, Scalar::F32)])
            }).collect();
        Op::StoreLocalAt { .. } => pairs(&pairs(&pairs(&locals, &OFFSETS), OutOfRange::ALL), &masks())
            .into_iter().map(|(((array, offset), rule), mask)| {
                let op = Op::StoreLocalAt { array, offset, mask, rule };
                (op, vec![INDEX, mask_type(mask, Scalar::F32)])
            }).collect();
        Op::State(_) => ids(&t.states).into_iter().map(|id| (Op::State(StateId(id)), vec![])).collect();
        Op::Sample { .. } => pairs(&pairs(&texture_picks, &flags), &lods())
            .into_iter().map(|(((texture, pick), (compare, offset)), lod)| {
                (Op::Sample { texture, lod, compare, offset, pick }, vec![])
            }).collect();
        Op::Gather { .. } => pairs(&pairs(&texture_picks, &flags), &[0, 1, 2, 3])
            .into_iter().map(|(((texture, pick), (compare, offset)), component)| {
                (Op::Gather { texture, component, compare, offset, pick }, vec![])
            }).collect();
        Op::Fetch { .. } => pairs(&texture_picks, &BOTH)
            .into_iter().map(|((texture, pick), offset)| (Op::Fetch { texture, offset, pick }, vec![])).collect();
        Op::TextureSize { .. } => texture_picks
            .iter().map(|&(texture, pick)| (Op::TextureSize { texture, pick }, vec![])).collect();
        Op::TextureLod { .. } => texture_picks
            .iter().map(|&(texture, pick)| (Op::TextureLod { texture, pick }, vec![])).collect();
        Op::TextureSamples { .. } => texture_picks
            .iter().map(|&(texture, pick)| (Op::TextureSamples { texture, pick }, vec![])).collect();
        Op::SamplePosition { .. } => texture_picks
            .iter().map(|&(texture, pick)| (Op::SamplePosition { texture, pick }, vec![])).collect();
        Op::LoadMemory { .. } => pairs(&memory_picks, &[1, 2, 3, 4])
            .into_iter().map(|((memory, pick), lanes)| (Op::LoadMemory { memory, lanes, pick }, vec![])).collect();
        Op::StoreMemory { .. } => pairs(&memory_picks, &masks())
            .into_iter().map(|((memory, pick), mask)| (Op::StoreMemory { memory, mask, pick }, vec![])).collect();
        Op::AtomicMemory { .. } => pairs(&memory_picks, Atomic::ALL)
            .into_iter().map(|((memory, pick), atomic)| (Op::AtomicMemory { memory, atomic, pick }, vec![]))
            .collect();
        Op::MemorySize { .. } => memory_picks
            .iter().map(|&(memory, pick)| (Op::MemorySize { memory, pick }, vec![])).collect();
        Op::LoadImage { .. } => image_picks
            .iter().map(|&(image, pick)| (Op::LoadImage { image, pick }, vec![])).collect();
        Op::StoreImage { .. } => image_picks
            .iter().map(|&(image, pick)| (Op::StoreImage { image, pick }, vec![])).collect();
        Op::AtomicImage { .. } => pairs(&image_picks, Atomic::ALL)
            .into_iter().map(|((image, pick), atomic)| (Op::AtomicImage { image, atomic, pick }, vec![])).collect();
        Op::ImageSize { .. } => image_picks
            .iter().map(|&(image, pick)| (Op::ImageSize { image, pick }, vec![])).collect();
        Op::Framebuffer { .. } => (0..=u8::MAX).map(|target| (Op::Framebuffer { target }, vec![])).collect();
        Op::Ddx(_) => Slope::ALL.iter().map(|&slope| (Op::Ddx(slope), vec![F32X4])).collect();
        Op::Ddy(_) => Slope::ALL.iter().map(|&slope| (Op::Ddy(slope), vec![Type::F32])).collect();
        Op::Demote => vec![(Op::Demote, vec![BOOL])];
        Op::IsHelper => vec![(Op::IsHelper, vec![])];
        Op::Barrier => vec![(Op::Barrier, vec![])];
        Op::Fence => vec![(Op::Fence, vec![])];
        Op::Vote(_) => Vote::ALL.iter().map(|&vote| (Op::Vote(vote), vec![BOOL])).collect();
        Op::Ballot => vec![(Op::Ballot, vec![BOOL])];
        Op::ReadFirst => vec![(Op::ReadFirst, vec![Type::new(Scalar::F64, 2)])];
        Op::ReadInvocation => vec![(Op::ReadInvocation, vec![Type::new(Scalar::I32, 3), Type::U32])];
        Op::Clock => vec![(Op::Clock, vec![])];
        Op::EmitVertex { .. } => (0..4).map(|stream| (Op::EmitVertex { stream }, vec![])).collect();
        Op::EndPrimitive { .. } => (0..4).map(|stream| (Op::EndPrimitive { stream }, vec![])).collect();
        Op::Mark(_) => vec![(Op::Mark(0), vec![F32X4, Type::F32]), (Op::Mark(u32::MAX), vec![])];
    }
}

/// A shader of these operations on made-up values.
fn shader(tables: &Shader, samples: &[Sample], arith: impl Fn(usize) -> Arith) -> Shader {
    let mut b = Builder::like(tables, samples.len());
    for (i, sample) in samples.iter().enumerate() {
        b.arith = Arith::IEEE;
        let mut args = Vec::new();
        for &ty in &sample.args {
            // Wide values of more than two lanes are put together.
            let whole = if ty.scalar.is_wide() && ty.lanes > 2 { 1 } else { ty.lanes };
            let value = b.push(Op::Const([0; 4]), &[], Type::new(ty.scalar, whole));
            let swizzle = if whole == ty.lanes { Swizzle::IDENTITY } else { Swizzle::splat(0) };
            args.push(Arg { value, swizzle, lanes: ty.lanes });
        }
        b.arith = arith(i);
        b.step = i as u32;
        b.tail = Tail::ALL.get(i % (Tail::ALL.len() + 1)).copied();
        match sample.result {
            Some(ty) => {
                b.push(sample.op, &args, ty);
            }
            None => b.effect(sample.op, &args),
        }
    }
    b.finish()
}

#[test]
fn every_operation_with_every_attribute_comes_back() {
    let tables = every_table();
    let mut kinds = Vec::new();
    let mut count = 0;
    for row in others(&tables) {
        // Constants and pure operations have rows of their own below.
        if matches!(row[0].0, Op::Const(_)) {
            kinds.push(Kind::Const);
            continue;
        }
        kinds.extend(Kind::of(row[0].0));
        let samples: Vec<Sample> = row.iter().map(|(op, args)| sample(&tables, *op, args)).collect();
        count += samples.len();
        back(&shader(&tables, &samples, |_| Arith::IEEE));
    }
    kinds.dedup();
    assert!(Kind::ALL.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(count > 20_000, "{count}");
}

#[test]
fn every_pure_operation_on_every_type_comes_back() {
    let tables = every_table();
    let mut samples = Vec::new();
    for (pure, args) in pures() {
        samples.push(sample(&tables, Op::Pure(pure), &args));
    }
    for pure in Pure::ALL {
        assert!(samples.iter().any(|s| s.op == Op::Pure(*pure)), "{pure:?}");
    }
    let rules = pairs(&pairs(Rule::ALL, &BOTH), &BOTH);
    let ariths: Vec<Arith> =
        rules.into_iter().map(|((rule, flush), precise)| Arith { rule, flush, precise }).collect();
    for start in 0..ariths.len() {
        back(&shader(&tables, &samples, |i| ariths[(start + i) % ariths.len()]));
    }
}

#[test]
fn every_constant_comes_back() {
    let constants = constants();
    let samples: Vec<Sample> = constants
        .into_iter()
        .map(|(ty, bits)| Sample { op: Op::Const(bits), args: Vec::new(), result: Some(ty) })
        .collect();
    back(&shader(&every_table(), &samples, |_| Arith::IEEE));
}

#[test]
fn every_operation_has_a_form_that_starts_with_its_word() {
    for (_, word, form) in forms() {
        let end = form.find([' ', '.', '[']).unwrap_or(form.len());
        assert_eq!(&form[..end], word);
    }
    for row in others(&every_table()) {
        let op = row[0].0;
        let Some(kind) = Kind::of(op) else { continue };
        let debug = alloc::format!("{op:?}");
        let variant = debug.split([' ', '(']).next();
        assert!(kind.forms().iter().any(|(name, _)| Some(*name) == variant), "{op:?}");
    }
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.name()), Some(*kind));
        assert!(Pure::ALL.iter().all(|pure| pure.name() != kind.name()), "{kind:?}");
    }
}
