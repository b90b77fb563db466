//! Constants with computed indices, of which two instruction sets have different numbers.
//!
//! Direct3D has 256 constants, TGSI 4,096, AGAL 128 and more, of which some are literals; a translation may put c0 at c96. An index
//! beyond what both have says nothing about the translation: there, both count as zero.

use super::interface::Interface;
use alloc::vec::Vec;
use vecasm_ir::ir::{
    Arg, Args, Arith, Inst, Node, Op, OutOfRange, Pure, Region, Scalar, Shader, Type, Value, ValueInfo,
};

/// The elements of an array in each shader that a computed index may mean: one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedArray {
    /// The array of each shader.
    pub(super) arrays: [usize; 2],
    /// Its first element that the other one has, too.
    pub(super) first: [u32; 2],
    /// How many there are.
    pub(super) count: u32,
}

impl SharedArray {
    /// What is added to an index, counted from the first shared element of a shader's array.
    pub(super) fn offset(&self, side: usize, array: usize, offset: i32) -> Option<i32> {
        let first = i32::try_from(*self.first.get(side)?).ok()?;
        if self.arrays.get(side) == Some(&array) { offset.checked_sub(first) } else { None }
    }
}

/// A shader whose computed indices beyond what both arrays have read zero.
pub(super) fn confined(shader: &Shader, side: usize, interface: &Interface) -> Option<Shader> {
    let shared = interface.shared?;
    let mut out = shader.clone();
    let body = core::mem::take(&mut out.body);
    let mut confining = Confining { out, side, shared };
    let body = confining.region(body);
    let mut out = confining.out;
    out.body = body;
    Some(out)
}

struct Confining {
    out: Shader,
    side: usize,
    shared: SharedArray,
}

impl Confining {
    fn region(&mut self, region: Region) -> Region {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        for mut node in region.nodes {
            node.for_each_region_mut(|inner| *inner = self.region(core::mem::take(inner)));
            match node {
                Node::Inst(inst) => nodes.extend(self.inst(inst).into_iter().flatten().map(Node::Inst)),
                node => nodes.push(node),
            }
        }
        Region { nodes, yields: region.yields }
    }

    /// An instruction with what it is confined by.
    fn inst(&mut self, inst: Inst) -> [Option<Inst>; 8] {
        let plain = [Some(inst), None, None, None, None, None, None, None];
        let (Op::ParamAt { array, offset, .. }, Some(result)) = (inst.op, inst.result) else { return plain };
        let Some(from) = self.shared.offset(self.side, array.index(), offset) else { return plain };
        let Some(&index) = self.out.args(inst.args).first() else { return plain };
        let ty = self.out.value(result).ty;
        // The index that means the first one, and the one that means the last.
        let least = from.checked_neg();
        let most = least.and_then(|least| least.checked_add(i32::try_from(self.shared.count).ok()? - 1));
        let (Some(least), Some(most)) = (least, most) else { return plain };
        let (step, tail) = (inst.step, inst.tail);
        let [loaded, low, high, above, below, within, zero] =
            [ty, Type::I32, Type::I32, Type::BOOL, Type::BOOL, Type::BOOL, ty].map(|ty| self.value(ty));
        let constant = |value: Value, bits: u32| Inst {
            op: Op::Const([bits, 0, 0, 0]),
            arith: Arith::IEEE,
            result: Some(value),
            args: Args { start: 0, len: 0 },
            step,
            tail,
        };
        let one = |value: Value| Arg::all_lanes(value, 1);
        let mut pure = |op: Pure, value: Value, args: &[Arg]| Inst {
            op: Op::Pure(op),
            arith: Arith::IEEE,
            result: Some(value),
            args: self.list(args),
            step,
            tail,
        };
        let tests = [
            pure(Pure::Ge, above, &[index, one(low)]),
            pure(Pure::Ge, below, &[one(high), index]),
            pure(Pure::And, within, &[one(above), one(below)]),
            pure(
                Pure::Select,
                result,
                &[one(within), Arg::all_lanes(loaded, ty.lanes), Arg::all_lanes(zero, ty.lanes)],
            ),
        ];
        let [above, below, within, chosen] = tests;
        let op = Op::ParamAt { array, offset, rule: OutOfRange::Zero };
        let load = Inst { op, result: Some(loaded), ..inst };
        [
            Some(load),
            Some(constant(low, least as u32)),
            Some(constant(high, most as u32)),
            Some(constant(zero, 0)),
            Some(above),
            Some(below),
            Some(within),
            Some(chosen),
        ]
    }

    fn value(&mut self, ty: Type) -> Value {
        let value = Value::new(self.out.values.len() as u32);
        self.out.values.push(ValueInfo { ty, home: None });
        value
    }

    fn list(&mut self, args: &[Arg]) -> Args {
        let start = self.out.args.len() as u32;
        self.out.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }
}

/// What two arrays share, if both are read with a computed index: all elements that are matched, if these are one after
/// another in both.
pub(super) fn shared(a: &Shader, b: &Shader, interface: &Interface) -> Option<SharedArray> {
    let plain = |shader: &Shader, array: usize| {
        let of = shader.params.get(array);
        of.is_some_and(|of| of.indexed && matches!(of.scalar, Scalar::F32 | Scalar::U32 | Scalar::I32))
    };
    let mut found: Option<SharedArray> = None;
    for element in interface.constants.iter().filter(|element| element.indexed) {
        let [Some((x, i)), Some((y, j))] = element.places else { continue };
        if !plain(a, x) || !plain(b, y) {
            continue;
        }
        let next = match found {
            None => SharedArray { arrays: [x, y], first: [i, j], count: 0 },
            Some(shared) => shared,
        };
        let place = (next.first[0].checked_add(next.count)?, next.first[1].checked_add(next.count)?);
        if next.arrays != [x, y] || place != (i, j) {
            return None;
        }
        found = Some(SharedArray { count: next.count + 1, ..next });
    }
    let mut stores = false;
    for shader in [a, b] {
        shader.body.for_each_inst(&mut |inst| stores |= matches!(inst.op, Op::StoreParamAt { .. }));
    }
    let shared = found.filter(|_| !stores)?;
    let whole = [a, b]
        .iter()
        .zip(shared.arrays)
        .all(|(shader, array)| shader.params.get(array).is_some_and(|of| of.size == shared.count));
    (!whole).then_some(shared)
}
