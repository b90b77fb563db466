//! Which input, output, constant, state and texture of one shader is which of the other.
//!
//! Inputs and outputs are matched by hand first, then by what the source calls their meaning, by kind and location (varyings of two
//! instruction sets by their [`VaryingMeaning`]), by name, and between two instruction sets at last if they are the only ones of their
//! kind that are left. Constants are matched element by element: arrays of one name, else the only ones of their type. Textures are
//! matched by name, else by number; states by name.
//!
//! A list of a [binding](crate::compare::Link) takes the place of all that but what is matched by hand.

use super::super::link::{CONSTANTS, INPUTS, LinkError, OUTPUTS, SAMPLERS, STATES};
use super::arrays::{SharedArray, shared};
use super::partners::{Bound, Matching};
use super::{EqvError, Options};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::ir::op::Place;
use vecasm_ir::ir::{Input, InputKind, Op, Output, ParamId, Scalar, Shader, Type, Value, VaryingMeaning};
use vecasm_ir::operand::WriteMask;
use vecasm_opt::{clean, fold};

/// An input, output, state or texture of both shaders, or of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Matched {
    /// Its name: that of the first shader; where the second one calls it otherwise, `v0=oT0`.
    pub name: String,
    /// Its place in the table of each shader.
    pub ids: [Option<usize>; 2],
    /// Type of its lanes.
    pub scalar: Scalar,
    /// A bit for each lane that a shader reads (of inputs, states) or writes (of outputs).
    pub lanes: u8,
    /// What its lanes always are.
    pub fixed: Option<[u32; 4]>,
    /// Whether it is a vertex attribute or varying, and no system value.
    pub ordinary: bool,
}

/// An element of a constant array of both shaders, or of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name: `fc0`, or `fc0=c4`.
    pub name: String,
    /// Array and element of each shader.
    pub places: [Option<(usize, u32)>; 2],
    /// Type of its lanes.
    pub scalar: Scalar,
    /// A bit for each lane that a shader reads.
    pub lanes: u8,
    /// What its lanes always are.
    pub fixed: Option<[u32; 4]>,
    /// Whether it is read with a computed index.
    pub indexed: bool,
    /// Which of [`Interface::states`] it holds, where a binding says so.
    pub state: Option<usize>,
}

/// What of one shader is what of the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Inputs that are read.
    pub inputs: Vec<Matched>,
    /// Outputs that are compared; every one has both.
    pub outputs: Vec<Matched>,
    /// Elements of constants that are read.
    pub constants: Vec<Element>,
    /// States that both have and one reads.
    pub states: Vec<Matched>,
    /// Textures.
    pub textures: Vec<Matched>,
    /// What is worth knowing about the matching, a sentence each.
    pub notes: Vec<String>,
    /// The elements of constants of the target that hold a state, and which of `states` that is.
    held: BTreeMap<(usize, u32), usize>,
    /// What arrays with computed indices have in common.
    pub(super) shared: Option<SharedArray>,
}

/// What a shader reads and writes.
struct Uses {
    inputs: Vec<u8>,
    outputs: Vec<u8>,
    states: Vec<u8>,
    textures: Vec<bool>,
    /// Lanes of elements of each array.
    params: Vec<BTreeMap<u32, u8>>,
    /// Elements that are read without a computed index.
    direct: BTreeSet<(usize, u32)>,
    indexed: Vec<bool>,
}

impl Uses {
    /// Of what is left without dead code, so that what nobody sees does not count.
    fn of(shader: &Shader) -> Self {
        let mut shader = shader.clone();
        vecasm_ir::ir::steps::strip(&mut shader);
        let shader = clean(&fold(&shader));
        let mut lanes: BTreeMap<Value, u8> = BTreeMap::new();
        let mut add = |arg: &vecasm_ir::ir::Arg| {
            let of = lanes.entry(arg.value).or_default();
            for lane in 0..usize::from(arg.lanes) {
                *of |= 1 << arg.swizzle.get(lane);
            }
        };
        shader.args.iter().for_each(&mut add);
        conditions(&shader.body, &mut add);
        let mut uses = Self {
            inputs: vec![0; shader.inputs.len()],
            outputs: vec![0; shader.outputs.len()],
            states: vec![0; shader.states.len()],
            textures: vec![false; shader.textures.len()],
            params: vec![BTreeMap::new(); shader.params.len()],
            direct: BTreeSet::new(),
            indexed: vec![false; shader.params.len()],
        };
        let set = |list: &mut Vec<u8>, id: usize, mask: u8| {
            if let Some(of) = list.get_mut(id) {
                *of |= mask;
            }
        };
        shader.body.for_each_inst(&mut |inst| {
            let mask = inst.result.and_then(|value| lanes.get(&value)).copied().unwrap_or(0);
            let (op, parts) = (inst.op, inst.op.parts());
            let run = op.cells().map_or(0, |(_, count)| count as usize);
            match parts.place {
                Some(Place::Input(first)) => {
                    let mask = if matches!(op, Op::Input(_)) { mask } else { 15 };
                    (0..run).for_each(|n| set(&mut uses.inputs, first.index() + n, mask));
                }
                Some(Place::Output(first)) => {
                    let mask = parts.mask.unwrap_or(WriteMask::NONE).bits();
                    (0..run).for_each(|n| set(&mut uses.outputs, first.index() + n, mask));
                }
                Some(Place::State(id)) => set(&mut uses.states, id.index(), mask),
                Some(Place::Param(array)) => match parts.fixed() {
                    Some(index) => {
                        uses.direct.insert((array.index(), index));
                        if let Some(of) = uses.params.get_mut(array.index()) {
                            // A store keeps what others need of it.
                            let of = of.entry(index);
                            if op.is_pure() { *of.or_default() |= mask } else { _ = of.or_insert(15) }
                        }
                    }
                    None => {
                        if let Some(of) = uses.indexed.get_mut(array.index()) {
                            *of = true;
                        }
                    }
                },
                Some(Place::Texture(texture)) => {
                    if let Some(of) = uses.textures.get_mut(texture.index()) {
                        *of = true;
                    }
                }
                Some(Place::Local(_) | Place::Image(_) | Place::Memory(_)) | None => {}
            }
        });
        for (n, texture) in shader.textures.iter().enumerate() {
            // The dimension decides how texels are read.
            if let (Some(by), true) = (texture.dim_by, uses.textures[n]) {
                set(&mut uses.states, by.index(), 1);
            }
        }
        for ((array, of), indexed) in shader.params.iter().zip(&mut uses.params).zip(&uses.indexed) {
            if *indexed {
                *of = (0..array.size).map(|n| (n, 15)).collect();
            }
        }
        uses
    }
}

/// Arguments that stand in nodes themselves.
fn conditions(region: &vecasm_ir::ir::Region, add: &mut impl FnMut(&vecasm_ir::ir::Arg)) {
    for node in &region.nodes {
        match node {
            vecasm_ir::ir::Node::If(node) => add(&node.cond),
            vecasm_ir::ir::Node::Switch(node) => add(&node.selector),
            _ => {}
        }
        node.for_each_region(|region| conditions(region, add));
    }
}

/// As what the bits of a register are given and compared that one shader has as one type and the other as another:
/// instruction sets whose registers have no types leave that to each program. `None` if nothing is common.
fn common(a: Scalar, b: Scalar) -> Option<Scalar> {
    let number = |of: Scalar| matches!(of, Scalar::F32 | Scalar::I32 | Scalar::U32);
    match (a, b) {
        _ if a == b => Some(a),
        // Where one of them is a float, a NaN is a NaN.
        _ if number(a) && number(b) => {
            Some(if a == Scalar::F32 || b == Scalar::F32 { Scalar::F32 } else { Scalar::U32 })
        }
        _ => None,
    }
}

impl Interface {
    /// Of two shaders.
    ///
    /// # Errors
    ///
    /// [`EqvError::Unmatched`] and [`EqvError::Name`].
    pub fn of(a: &Shader, b: &Shader, options: &Options) -> Result<Self, EqvError> {
        let uses = [Uses::of(a), Uses::of(b)];
        let bound = Bound::of(options, [a, b])?;
        let mut out = Self::default();
        // Each name that is mapped, fixed or picked has to mean something.
        let mut known: BTreeSet<&str> = BTreeSet::new();
        out.match_inputs(a, b, &uses, options, bound, &mut known)?;
        out.match_outputs(a, b, &uses, options, bound, &mut known)?;
        // Constants may hold states.
        out.match_states(a, b, &uses, options, bound, &mut known)?;
        out.match_constants(a, b, &uses, options, bound, &mut known)?;
        out.match_textures(a, b, &uses, options, bound, &mut known)?;
        let maps = options.maps.iter().map(|(a, _)| a);
        let names = maps.chain(options.fixed.iter().map(|(name, _)| name)).chain(&options.only);
        match names.into_iter().find(|name| !known.contains(name.as_str())) {
            Some(name) => Err(EqvError::Name(format!("neither shader uses anything called {name}"))),
            None => Ok(out),
        }
    }

    fn match_inputs<'o>(
        &mut self,
        a: &Shader,
        b: &Shader,
        uses: &[Uses; 2],
        options: &'o Options,
        bound: Option<Bound<'_>>,
        known: &mut BTreeSet<&'o str>,
    ) -> Result<(), EqvError> {
        let used = |side: usize, id: usize| uses[side].inputs.get(id).is_some_and(|&m| m != 0);
        let mut matching = Matching::new(a.inputs.len(), b.inputs.len());
        let number = |of: &Shader, name: &str| of.inputs.iter().position(|one| one.name == name);
        for (name, x, y) in by_hand(options, |n| number(a, n), |n| number(b, n)) {
            known.insert(name);
            matching.join(x, y);
        }
        let pair = |x: usize, y: usize| (&a.inputs[x], &b.inputs[y]);
        let listed = match bound {
            Some(bound) => bound.pairs(INPUTS, |side, name| number([a, b][side], name))?,
            None => None,
        };
        for found in listed.iter().flatten() {
            let &[Some(x), Some(y)] = found else { continue };
            if common(a.inputs[x].ty.scalar, b.inputs[y].ty.scalar).is_none() {
                let message = format!("{} and {} are of other types", a.inputs[x].name, b.inputs[y].name);
                return Err(LinkError::at(INPUTS.key, message).into());
            }
            matching.join(x, y);
        }
        // Of what the stage gives by itself a binding says nothing.
        let free = |x: usize, y: usize| {
            listed.is_none() || (class(pair(x, y).0), class(pair(x, y).1)) == (SYSTEM, SYSTEM)
        };
        let both =
            |x: usize, y: usize| free(x, y) && common(a.inputs[x].ty.scalar, b.inputs[y].ty.scalar).is_some();
        let means = |input: &Input| VaryingMeaning::of_input(input.kind, &input.semantic, &input.name);
        matching.by(|x, y| {
            let (i, o) = pair(x, y);
            both(x, y) && !i.semantic.is_empty() && i.semantic == o.semantic && class(i) == class(o)
        });
        matching.by(|x, y| {
            let (i, o) = pair(x, y);
            both(x, y) && same_place(a, b, (i.kind, means(i)), (o.kind, means(o)))
        });
        matching.by(|x, y| both(x, y) && pair(x, y).0.name == pair(x, y).1.name);
        // The last ones of a kind that are left, if both are read. Within one instruction set names and meanings are
        // not a matter of taste.
        let kinds: &[u8] = if a.isa == b.isa { &[] } else { &[0, 1] };
        for &kind in kinds {
            let free = |matching: &Matching| -> (Vec<usize>, Vec<usize>) {
                let x = (0..a.inputs.len()).filter(|&x| matching.partner[x].is_none() && used(0, x));
                let y = (0..b.inputs.len()).filter(|&y| !matching.taken[y] && used(1, y));
                (
                    x.filter(|&x| class(&a.inputs[x]) == kind).collect(),
                    y.filter(|&y| class(&b.inputs[y]) == kind).collect(),
                )
            };
            if let ([x], [y]) = (&free(&matching).0[..], &free(&matching).1[..]) {
                if both(*x, *y) {
                    matching.join(*x, *y);
                    let (x, y) = pair(*x, *y);
                    self.notes.push(format!("{} is matched with {}: no other input is left", x.name, y.name));
                }
            }
        }
        let one = |side: usize, id: usize, input: &Input| Matched {
            name: input.name.clone(),
            ids: if side == 0 { [Some(id), None] } else { [None, Some(id)] },
            scalar: input.ty.scalar,
            lanes: uses[side].inputs.get(id).copied().unwrap_or(0) & lanes_of(input.ty),
            fixed: None,
            ordinary: class(input) != SYSTEM,
        };
        for (x, input) in a.inputs.iter().enumerate() {
            let mut found = one(0, x, input);
            if let Some((y, other)) = matching.partner[x].and_then(|y| Some((y, b.inputs.get(y)?))) {
                found.scalar = common(found.scalar, other.ty.scalar).unwrap_or(found.scalar);
                found.join(&one(1, y, other));
            }
            self.inputs.push(found);
        }
        for (y, input) in b.inputs.iter().enumerate().filter(|(y, _)| !matching.taken[*y]) {
            self.inputs.push(one(1, y, input));
        }
        self.inputs.retain(|input| input.lanes != 0);
        for input in &mut self.inputs {
            input.fixed = fixed(options, &input.name, input.scalar, known);
            if input.ids.contains(&None) {
                let which = if input.ids[0].is_some() { "first" } else { "second" };
                self.notes.push(format!("only the {which} shader reads {}", input.name));
            }
        }
        Ok(())
    }

    fn match_outputs<'o>(
        &mut self,
        a: &Shader,
        b: &Shader,
        uses: &[Uses; 2],
        options: &'o Options,
        bound: Option<Bound<'_>>,
        known: &mut BTreeSet<&'o str>,
    ) -> Result<(), EqvError> {
        let mut matching = Matching::new(a.outputs.len(), b.outputs.len());
        let number = |of: &Shader, name: &str| of.outputs.iter().position(|one| one.name == name);
        for (name, x, y) in by_hand(options, |n| number(a, n), |n| number(b, n)) {
            known.insert(name);
            matching.join(x, y);
        }
        let pair = |x: usize, y: usize| (&a.outputs[x], &b.outputs[y]);
        let listed = match bound {
            Some(bound) => bound.pairs(OUTPUTS, |side, name| number([a, b][side], name))?,
            None => None,
        };
        for found in listed.iter().flatten() {
            if let &[Some(x), Some(y)] = found {
                matching.join(x, y);
            }
        }
        let means = |output: &Output| VaryingMeaning::of_output(output.kind, &output.semantic, &output.name);
        if listed.is_none() {
            matching.by(|x, y| {
                let (i, o) = pair(x, y);
                same_place(a, b, (i.kind, means(i)), (o.kind, means(o)))
            });
            matching.by(|x, y| {
                !pair(x, y).0.semantic.is_empty() && pair(x, y).0.semantic == pair(x, y).1.semantic
            });
            matching.by(|x, y| pair(x, y).0.name == pair(x, y).1.name);
        }
        let outputs_of = [&a.outputs, &b.outputs];
        // Of a depth one lane counts, whatever a program writes beside it.
        let written = |side: usize, id: usize| {
            let lanes = uses[side].outputs.get(id).copied().unwrap_or(0);
            let counted = outputs_of[side].get(id).map_or(4, |output| output.kind.lanes());
            lanes & WriteMask::first(counted as u8).bits()
        };
        let only = |name: &str| options.only.is_empty() || options.only.iter().any(|n| n == name);
        let mut lonely: [Vec<String>; 2] = [Vec::new(), Vec::new()];
        // What a target writes beside what its source writes is its own affair.
        let added = |side: usize| bound.is_some_and(|bound| bound.source != side);
        for (x, output) in a.outputs.iter().enumerate() {
            let Some(y) = matching.partner[x] else {
                if written(0, x) != 0 && only(&output.name) {
                    lonely[0].push(output.name.clone());
                }
                continue;
            };
            let Some(other) = b.outputs.get(y) else { continue };
            let Some(scalar) = common(output.scalar, other.scalar) else {
                lonely[0].push(output.name.clone());
                lonely[1].push(other.name.clone());
                continue;
            };
            let name = joined(&output.name, &other.name);
            let mut lanes = written(0, x) | written(1, y);
            if let Some(bound) = bound {
                let kept = written(bound.source, [x, y][bound.source]);
                if lanes & !kept != 0 {
                    let more = WriteMask::from_bits(lanes & !kept).letters();
                    self.notes.push(format!("only the target writes {name}.{more}"));
                }
                lanes = kept;
            }
            let picked = only(&output.name) || only(&other.name) || only(&name);
            let named =
                options.only.iter().filter(|n| **n == output.name || **n == other.name || **n == name);
            known.extend(named.map(String::as_str));
            if lanes == 0 || !picked {
                continue;
            }
            let lanes = if output.carried || other.carried { 15 } else { lanes };
            let ids = [Some(x), Some(y)];
            let (fixed, ordinary) = (None, true);
            self.outputs.push(Matched { name, ids, scalar, lanes, fixed, ordinary });
        }
        for (y, output) in b.outputs.iter().enumerate().filter(|(y, _)| !matching.taken[*y]) {
            if written(1, y) != 0 && only(&output.name) {
                lonely[1].push(output.name.clone());
            }
        }
        for side in (0..2).filter(|&side| added(side)) {
            for name in core::mem::take(&mut lonely[side]) {
                self.notes.push(format!("only the target writes {name}"));
            }
        }
        if let (Some(_), [names, others]) = (&listed, &lonely) {
            if let Some(name) = names.iter().chain(others).next() {
                let message = format!("{name} of the source is no output of the target");
                return Err(LinkError::at(OUTPUTS.key, message).into());
            }
        }
        if lonely.iter().any(|names| !names.is_empty()) {
            let [x, y] = lonely;
            return Err(EqvError::Unmatched(x, y));
        }
        Ok(())
    }

    fn match_constants<'o>(
        &mut self,
        a: &Shader,
        b: &Shader,
        uses: &[Uses; 2],
        options: &'o Options,
        bound: Option<Bound<'_>>,
        known: &mut BTreeSet<&'o str>,
    ) -> Result<(), EqvError> {
        // The array of the second shader for each one of the first.
        let mut arrays = Matching::new(a.params.len(), b.params.len());
        let pair = |x: usize, y: usize| (&a.params[x], &b.params[y]);
        arrays.by(|x, y| {
            let (x, y) = pair(x, y);
            x.name == y.name && common(x.scalar, y.scalar).is_some()
        });
        arrays.by(|x, y| pair(x, y).0.scalar == pair(x, y).1.scalar);
        let by_hand = by_hand(options, |n| element(a, n), |n| element(b, n));
        let mut mapped: BTreeMap<(usize, u32), (usize, u32)> = BTreeMap::new();
        let mut taken: BTreeSet<(usize, u32)> = BTreeSet::new();
        for (name, x, y) in by_hand {
            known.insert(name);
            mapped.insert(x, y);
            taken.insert(y);
        }
        let find = |side: usize, name: &str| element([a, b][side], name);
        let listed = match bound {
            Some(bound) => bound.pairs(CONSTANTS, find)?,
            None => None,
        };
        for found in listed.iter().flatten() {
            if let &[Some(x), Some(y)] = found {
                mapped.insert(x, y);
                taken.insert(y);
            }
        }
        // What holds a literal or a state is no constant of the source.
        let literals = bound.map_or(Ok(Vec::new()), |bound| bound.literals(find))?;
        let literals: BTreeMap<(usize, u32), [u32; 4]> = literals.into_iter().collect();
        let target = bound.map_or(1, |bound| 1 - bound.source);
        let held = |side: usize, place: (usize, u32)| {
            side == target && (literals.contains_key(&place) || self.held.contains_key(&place))
        };
        let one = |side: usize, place: (usize, u32), lanes: u8| {
            let array = if side == 0 { a.params.get(place.0) } else { b.params.get(place.0) };
            Element {
                name: (if side == 0 { a } else { b }).param_name(ParamId(place.0 as u32), place.1),
                places: if side == 0 { [Some(place), None] } else { [None, Some(place)] },
                scalar: array.map_or(Scalar::F32, |array| array.scalar),
                lanes,
                fixed: None,
                indexed: uses[side].indexed.get(place.0).copied().unwrap_or(false),
                state: None,
            }
        };
        let mut rest: BTreeMap<(usize, u32), u8> = BTreeMap::new();
        for (array, elements) in uses[1].params.iter().enumerate() {
            rest.extend(elements.iter().map(|(&index, &lanes)| ((array, index), lanes)));
        }
        for (array, elements) in uses[0].params.iter().enumerate() {
            for (&index, &lanes) in elements {
                let mut found = one(0, (array, index), lanes);
                let partner = mapped.get(&(array, index)).copied().or_else(|| {
                    let place = (arrays.partner.get(array).copied().flatten()?, index);
                    let free = listed.is_none() && !held(0, (array, index)) && !held(1, place);
                    (free && !taken.contains(&place)).then_some(place)
                });
                if let Some(place) = partner {
                    if let Some(lanes) = rest.remove(&place) {
                        let other = one(1, place, lanes);
                        found.name = joined(&found.name, &other.name);
                        found.scalar = common(found.scalar, other.scalar).unwrap_or(found.scalar);
                        found.places[1] = Some(place);
                        found.lanes |= other.lanes;
                        found.indexed |= other.indexed;
                    }
                }
                self.constants.push(found);
            }
        }
        self.constants.extend(rest.into_iter().map(|(place, lanes)| one(1, place, lanes)));
        self.constants.retain(|element| element.lanes != 0);
        if a.isa != b.isa || bound.is_some() {
            self.share_arrays(a, b, uses);
        }
        for element in &mut self.constants {
            element.fixed = fixed(options, &element.name, element.scalar, known);
            let Some(place) = element.places[target] else { continue };
            let (literal, state) = (literals.get(&place), self.held.get(&place).copied());
            if (literal.is_some() || state.is_some()) && !element.places.contains(&None) {
                let message =
                    format!("{} is matched by hand, and the binding says what it holds", element.name);
                return Err(EqvError::Name(message));
            }
            // What is fixed by hand is fixed so.
            let value = literal.map(|value| value.map(|bits| of_number(bits, element.scalar)));
            element.fixed = element.fixed.or(value);
            element.state = state;
        }
        for (side, which) in ["first", "second"].into_iter().enumerate() {
            let lonely = self
                .constants
                .iter()
                .filter(|e| e.places[1 - side].is_none() && e.fixed.is_none() && e.state.is_none());
            let names: Vec<&str> = lonely.map(|e| e.name.as_str()).collect();
            if !names.is_empty() {
                self.notes.push(format!("only the {which} shader reads {}", short_list(&names)));
            }
        }
        Ok(())
    }

    /// Finds what arrays have in common, and forgets elements that no index means any more.
    fn share_arrays(&mut self, a: &Shader, b: &Shader, uses: &[Uses; 2]) {
        self.shared = shared(a, b, self);
        let Some(shared) = self.shared else { return };
        self.constants.retain(|element| {
            let lonely =
                element.places.iter().enumerate().find(|(side, _)| element.places[1 - side].is_none());
            let Some((side, Some((array, index)))) = lonely else { return true };
            *array != shared.arrays[side] || uses[side].direct.contains(&(*array, *index))
        });
        let names = [(0, a), (1, b)].map(|(side, shader)| {
            let name =
                |n: u32| shader.param_name(ParamId(shared.arrays[side] as u32), shared.first[side] + n);
            format!("{} to {}", name(0), name(shared.count - 1))
        });
        self.notes.push(format!(
            "computed indices beyond {} count as zero in both",
            joined(&names[0], &names[1]).replace('=', " and ")
        ));
    }

    fn match_states<'o>(
        &mut self,
        a: &Shader,
        b: &Shader,
        uses: &[Uses; 2],
        options: &'o Options,
        bound: Option<Bound<'_>>,
        known: &mut BTreeSet<&'o str>,
    ) -> Result<(), EqvError> {
        let number =
            |side: usize, name: &str| [a, b][side].states.iter().position(|state| state.name == name);
        let alike = |x: usize, y: usize| a.states[x].ty == b.states[y].ty;
        let mut matching = Matching::new(a.states.len(), b.states.len());
        // States of the source that constants of the target hold.
        let mut held: Vec<(usize, (usize, u32))> = Vec::new();
        let listed = match bound {
            Some(bound) => {
                let find = |side: usize, name: &str| {
                    let of = number(side, name).map(Holder::State);
                    let constant = || element([a, b][side], name).map(Holder::Constant);
                    of.or_else(|| if side == bound.source { None } else { constant() })
                };
                bound.pairs(STATES, find)?
            }
            None => None,
        };
        for found in listed.iter().flatten() {
            match *found {
                [Some(Holder::State(x)), Some(Holder::State(y))] if alike(x, y) => matching.join(x, y),
                [Some(Holder::State(x)), Some(Holder::State(y))] => {
                    let names = (&a.states[x].name, &b.states[y].name);
                    let message = format!("the states {} and {} are of other types", names.0, names.1);
                    return Err(LinkError::at(STATES.key, message).into());
                }
                [Some(Holder::State(state)), Some(Holder::Constant(place))]
                | [Some(Holder::Constant(place)), Some(Holder::State(state))] => held.push((state, place)),
                _ => {}
            }
        }
        if listed.is_none() {
            matching.by(|x, y| alike(x, y) && a.states[x].name == b.states[y].name);
        }
        let source = bound.map_or(0, |bound| bound.source);
        let first = a.states.iter().enumerate().map(|(x, state)| ([Some(x), matching.partner[x]], state));
        let rest = b.states.iter().enumerate().filter(|(y, _)| !matching.taken[*y]);
        for (ids, state) in first.chain(rest.map(|(y, state)| ([None, Some(y)], state))) {
            let of = |side: usize| ids[side].and_then(|id| uses[side].states.get(id).copied()).unwrap_or(0);
            let places = held.iter().filter(|(state, _)| ids[source] == Some(*state));
            let places: Vec<(usize, u32)> = places.map(|(_, place)| *place).collect();
            let lanes = if places.is_empty() { of(0) | of(1) } else { 15 } & lanes_of(state.ty);
            let fixed = fixed(options, &state.name, state.ty.scalar, known).or_else(|| {
                let link = options.link.as_ref().filter(|_| ids[source].is_some())?;
                link.fixed.iter().find(|(name, _)| *name == state.name).map(|(_, bits)| *bits)
            });
            if lanes == 0 {
                continue;
            }
            let which = match ids {
                [Some(_), None] => Some("first"),
                [None, Some(_)] => Some("second"),
                _ => None,
            };
            if let (Some(which), None, true) = (which, fixed, places.is_empty()) {
                self.notes.push(format!(
                    "only the {which} shader reads the state {}: it keeps its default",
                    state.name
                ));
                continue;
            }
            let n = self.states.len();
            self.held.extend(places.into_iter().map(|place| (place, n)));
            let other = ids[1].filter(|_| ids[0].is_some()).and_then(|y| b.states.get(y));
            let name = other.map_or_else(|| state.name.clone(), |other| joined(&state.name, &other.name));
            let scalar = state.ty.scalar;
            self.states.push(Matched { name, ids, scalar, lanes, fixed, ordinary: true });
        }
        Ok(())
    }

    fn match_textures<'o>(
        &mut self,
        a: &Shader,
        b: &Shader,
        uses: &[Uses; 2],
        options: &'o Options,
        bound: Option<Bound<'_>>,
        known: &mut BTreeSet<&'o str>,
    ) -> Result<(), EqvError> {
        let used = |side: usize, id: usize| uses[side].textures.get(id).copied().unwrap_or(false);
        let mut matching = Matching::new(a.textures.len(), b.textures.len());
        let number = |of: &Shader, name: &str| of.textures.iter().position(|one| one.name == name);
        for (name, x, y) in by_hand(options, |n| number(a, n), |n| number(b, n)) {
            known.insert(name);
            matching.join(x, y);
        }
        let pair = |x: usize, y: usize| (&a.textures[x], &b.textures[y]);
        let listed = match bound {
            Some(bound) => bound.pairs(SAMPLERS, |side, name| number([a, b][side], name))?,
            None => None,
        };
        for found in listed.iter().flatten() {
            if let &[Some(x), Some(y)] = found {
                matching.join(x, y);
            }
        }
        if listed.is_none() {
            matching.by(|x, y| pair(x, y).0.name == pair(x, y).1.name);
            matching.by(|x, y| pair(x, y).0.slot == pair(x, y).1.slot);
        }
        for (x, texture) in a.textures.iter().enumerate() {
            let y = matching.partner[x];
            if !used(0, x) && !y.is_some_and(|y| used(1, y)) {
                continue;
            }
            let mut found = Matched {
                name: texture.name.clone(),
                ids: [Some(x), y],
                scalar: texture.scalar,
                lanes: 15,
                fixed: None,
                ordinary: texture.dim_by.is_none(),
            };
            if let Some(other) = y.and_then(|y| b.textures.get(y)) {
                found.name = joined(&texture.name, &other.name);
                let open = texture.dim_by.is_some() || other.dim_by.is_some();
                if other.scalar != texture.scalar || (other.dim != texture.dim && !open) {
                    return Err(EqvError::Name(format!(
                        "{} is a {} texture in the first shader and a {} texture in the second",
                        found.name,
                        texture.dim.name(),
                        other.dim.name()
                    )));
                }
            } else {
                self.notes.push(format!("only the first shader reads the texture {}", texture.name));
            }
            self.textures.push(found);
        }
        for (y, texture) in b.textures.iter().enumerate() {
            if matching.taken[y] || !used(1, y) {
                continue;
            }
            self.notes.push(format!("only the second shader reads the texture {}", texture.name));
            self.textures.push(Matched {
                name: texture.name.clone(),
                ids: [None, Some(y)],
                scalar: texture.scalar,
                lanes: 15,
                fixed: None,
                ordinary: texture.dim_by.is_none(),
            });
        }
        Ok(())
    }
}

impl Matched {
    fn join(&mut self, other: &Self) {
        self.name = joined(&self.name, &other.name);
        self.ids[1] = other.ids[1];
        self.lanes |= other.lanes;
    }
}

/// The name of something that two shaders may call differently.
fn joined(a: &str, b: &str) -> String {
    if a == b { a.to_string() } else { format!("{a}={b}") }
}

/// Whether a [joined] name holds a name.
fn is_called(joined: &str, name: &str) -> bool {
    joined == name || joined.split('=').any(|part| part == name)
}

/// What holds a state.
#[derive(Clone, Copy)]
enum Holder {
    State(usize),
    Constant((usize, u32)),
}

/// Whether an input or output of each shader is in the same place: within one instruction set by kind and location, whose
/// locations are not those of others.
fn same_place<K: PartialEq>(
    a: &Shader,
    b: &Shader,
    first: (K, Option<VaryingMeaning>),
    second: (K, Option<VaryingMeaning>),
) -> bool {
    match (first.1, second.1) {
        _ if a.isa == b.isa => first.0 == second.0,
        (None, None) => first.0 == second.0,
        (first, second) => first == second,
    }
}

/// The class of system values.
const SYSTEM: u8 = 2;

/// 0 for vertex attributes, 1 for varyings, [`SYSTEM`] for system values.
const fn class(input: &Input) -> u8 {
    match input.kind {
        InputKind::Attribute { .. } => 0,
        InputKind::Varying { .. } | InputKind::PatchVarying { .. } => 1,
        InputKind::System(_) => SYSTEM,
    }
}

const fn lanes_of(ty: Type) -> u8 {
    if ty.lanes >= 4 { 15 } else { (1 << ty.lanes) - 1 }
}

/// What is mapped by hand, if both names are found.
fn by_hand<T>(
    options: &Options,
    first: impl Fn(&str) -> Option<T>,
    second: impl Fn(&str) -> Option<T>,
) -> Vec<(&str, T, T)> {
    let maps = options.maps.iter();
    maps.filter_map(|(x, y)| Some((x.as_str(), first(x)?, second(y)?))).collect()
}

/// An element of a constant array by its name.
fn element(shader: &Shader, name: &str) -> Option<(usize, u32)> {
    shader.param_named(name).map(|(array, number)| (array.index(), number))
}

/// The bits that something is fixed to.
fn fixed<'o>(
    options: &'o Options,
    name: &str,
    scalar: Scalar,
    known: &mut BTreeSet<&'o str>,
) -> Option<[u32; 4]> {
    let (called, values) = options.fixed.iter().find(|(called, _)| is_called(name, called))?;
    known.insert(called);
    let one = |value: f32| match scalar {
        // Bits for registers without types mean numbers in a binding, but whole numbers here.
        Scalar::U32 => value as u32,
        _ => of_number(value.to_bits(), scalar),
    };
    Some(match values[..] {
        [all] => [one(all); 4],
        ref values => core::array::from_fn(|lane| values.get(lane).map_or(0, |&value| one(value))),
    })
}

/// A number of f32 as a constant of some type has it. Arrays of words hold the bits of numbers.
fn of_number(bits: u32, scalar: Scalar) -> u32 {
    let value = f32::from_bits(bits);
    match scalar {
        Scalar::Bool => u32::from(value != 0.0),
        Scalar::I32 => value as i32 as u32,
        _ => bits,
    }
}

/// Names for a sentence; a long list is cut.
fn short_list(names: &[&str]) -> String {
    match names.split_at_checked(8) {
        Some((some, rest)) if !rest.is_empty() => format!("{} and {} more", some.join(", "), rest.len()),
        _ => names.join(", "),
    }
}
