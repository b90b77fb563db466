//! What passes share: a shader is written anew, with a map from each old lane to its new place.

use super::walk::ConstantKey;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{Arg, Args, Shader, Type, Value};

/// A lane of a value of the new shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) value: Value,
    pub(super) lane: u8,
}

/// A shader being written from another one.
pub(super) struct Rewrite<'a> {
    pub(super) from: &'a Shader,
    pub(super) b: Builder,
    places: Vec<[Option<Place>; 4]>,
    spare: Vec<Arg>,
    pub(super) constants: BTreeMap<ConstantKey, Value>,
}

/// Up to four places.
pub(super) struct Places {
    list: [Place; 4],
    len: usize,
}

impl Default for Places {
    fn default() -> Self {
        Self { list: [Place { value: Value::new(0), lane: 0 }; 4], len: 0 }
    }
}

impl Places {
    pub(super) fn push(&mut self, place: Place) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = place;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[Place] {
        &self.list[..self.len]
    }
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(from: &'a Shader) -> Self {
        let mut b = Builder::like(from, from.values.len());
        b.shader.steps.clone_from(&from.steps);
        Self {
            from,
            b,
            places: vec![[None; 4]; from.values.len()],
            spare: Vec::new(),
            constants: BTreeMap::new(),
        }
    }

    /// Where a lane of an old value is now.
    pub(super) fn place(&self, value: Value, lane: u8) -> Option<Place> {
        self.places.get(value.index())?[usize::from(lane & 3)]
    }

    /// Says where a lane of an old value is now.
    pub(super) fn put(&mut self, value: Value, lane: u8, place: Place) {
        self.places[value.index()][usize::from(lane & 3)] = Some(place);
    }

    /// Says that lane `i` of an old value is lane `i` of a new one.
    pub(super) fn put_whole(&mut self, value: Value, new: Value) {
        for lane in 0..4 {
            self.put(value, lane, Place { value: new, lane });
        }
    }

    /// Says that lane `i` of an old value is what lane `i` of a new argument picks.
    pub(super) fn put_arg(&mut self, value: Value, arg: Arg) {
        for lane in 0..arg.lanes {
            self.put(value, lane, Place { value: arg.value, lane: arg.swizzle.get(usize::from(lane)) });
        }
    }

    /// Adds the places that some lanes of an old argument read.
    pub(super) fn places(&self, arg: Arg, lanes: impl Iterator<Item = usize>, out: &mut Places) {
        // A lane without a place is one that no node gave: the shader was not sound.
        let lost = Place { value: Value::new(0), lane: 0 };
        for lane in lanes {
            out.push(self.place(arg.value, arg.swizzle.get(lane)).unwrap_or(lost));
        }
    }

    /// One argument for some places: a swizzle of one value, else a new `compose`.
    pub(super) fn gather(&mut self, places: &Places) -> Arg {
        self.b.gather(places.as_slice().iter().map(|place| (place.value, place.lane)))
    }

    /// The new form of some lanes of an old argument.
    pub(super) fn lanes(&mut self, arg: Arg, lanes: impl Iterator<Item = usize>) -> Arg {
        let mut places = Places::default();
        self.places(arg, lanes, &mut places);
        self.gather(&places)
    }

    /// The new form of an old argument.
    pub(super) fn arg(&mut self, arg: Arg) -> Arg {
        self.lanes(arg, 0..usize::from(arg.lanes))
    }

    /// The new form of old arguments, in a list that [`done`](Self::done) takes back.
    pub(super) fn args(&mut self, args: Args) -> Vec<Arg> {
        let mut out = self.list();
        let from = self.from;
        out.extend(from.args(args).iter().map(|&arg| self.arg(arg)));
        out
    }

    /// An empty list, one that was used before if there is one.
    pub(super) fn list(&mut self) -> Vec<Arg> {
        core::mem::take(&mut self.spare)
    }

    /// Takes a list back, for the next one.
    pub(super) fn done(&mut self, mut list: Vec<Arg>) {
        list.clear();
        if list.capacity() > self.spare.capacity() {
            self.spare = list;
        }
    }

    /// A new value with the type and home of an old one, but `lanes` lanes.
    pub(super) fn value_like(&mut self, old: Value, lanes: u8) -> Value {
        let info = self.from.value(old);
        self.b.value(Type::new(info.ty.scalar, lanes), info.home)
    }

    /// Keeps the home of an old value at the new one.
    pub(super) fn keep_home(&mut self, old: Value, new: Value) {
        if let Some(home) = self.from.value(old).home {
            self.b.set_home(new, home);
        }
    }
}
