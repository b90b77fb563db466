//! Shaders as programs of the NV2A: one operation a slot, which then find their slots anew.

use super::machine::{SCALAR, machine};
use super::{LOWERING, Options as Shortening, shorten};
use crate::code::What;
use crate::constants::{self, ReadConstants};
use crate::graph::{Definitions, Interface};
use crate::machine::{Conditionals, Loops, Machine};
use crate::physical::{IndexRegister, Literals, Operand, Physical, Register};
use crate::refusal::Refusals;
use crate::{Binding, Ends, Generated, How, Lowered, Reason, generate, prepare_for, rules};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Arith, InputKind, Op, OutputId, OutputKind, ParamArray, ParamId, Promise, Pure, Shader, Stage, Type,
    VaryingMeaning,
};
use vecasm_ir::operand::WriteMask;
use vecasm_isa::nv2a::pair::{self, Dest, Mode, Operation, Operator, Target};
use vecasm_isa::nv2a::program::{Mux, Program, Slot};
use vecasm_isa::nv2a::table::{self, Field, Ilu, Mac};

/// How programs of the NV2A are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowerOptions {
    /// Whether the program applies the viewport at its end, as the hardware wants it; `None` for all but those that were programs of the
    /// NV2A, which do so themselves.
    pub viewport: Option<bool>,
    /// The number of the constant that constant 0 becomes; `None` for their own in programs of the NV2A, and else for the first of
    /// [`BASES`] with room.
    pub constants_at: Option<u32>,
    /// The least that is kept of the shader; what is not kept so well is refused.
    pub promise: Option<Promise>,
    /// Whether it is checked that each register holds what is read; builds for tests do so in any case.
    pub checked: bool,
}

/// Where constants begin: with those that programs of users see, or behind those of the viewport.
pub const BASES: [u32; 2] = [table::DIRECT3D_BIAS as u32, table::VIEWPORT_CONSTANTS[1] + 1];

/// The name of the array of the constants of the viewport in a shader that applies it.
const VIEWPORT: &str = "viewport";

/// Lowers a shader.
///
/// # Errors
///
/// Everything that the NV2A cannot say, see [`rules`].
pub fn lower(shader: &Shader, options: &LowerOptions) -> Result<Lowered<Program>, Vec<Reason>> {
    lower_on(shader, options, &machine(is_own(shader)))
}

/// Whether a shader was a program of the NV2A.
fn is_own(shader: &Shader) -> bool {
    shader.isa == "nv2a"
}

/// Lowers a shader with the instructions of a machine.
pub(crate) fn lower_on(
    shader: &Shader,
    options: &LowerOptions,
    machine: &Machine,
) -> Result<Lowered<Program>, Vec<Reason>> {
    let mut refusals = Refusals::new(LOWERING);
    if shader.stage != Stage::Vertex {
        refusals.add(rules::STAGE, &[&LOWERING, &shader.stage.name()], None);
        return Err(refusals.list);
    }
    refusals.least = options.promise.unwrap_or(Promise::Close);
    let viewport = options.viewport.unwrap_or(!is_own(shader));
    // Nothing of the viewport is computed beforehand, so that whoever knows it finds it again.
    let shader = prepare_for(shader, Loops::None, Conditionals::None);
    let tailed = if viewport { with_viewport(&shader) } else { None };
    let shader = tailed.unwrap_or(shader);
    weaken_unwritten(&shader, &mut refusals);
    let how = How { checked: options.checked, ..How::default() };
    let (interface, generated) = generate(&shader, machine, how, &mut refusals);
    let mut writer = Writer {
        shader: &shader,
        own: is_own(&shader),
        options,
        refusals,
        binding: Binding::default(),
        constants: BTreeMap::new(),
        literals: Vec::new(),
        definitions: interface.definitions.clone(),
        base: 0,
        outputs: BTreeMap::new(),
    };
    writer.look_at_interface(&interface);
    let Some(Generated { list, literals }) = generated else { return Err(writer.refusals.list) };
    writer.number_constants(&list, &literals);
    let (mut slots, mut steps) = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
    for physical in &list {
        if let Some(slot) = writer.slot(physical) {
            slots.push(slot);
            steps.push(physical.steps.clone());
        }
    }
    if !writer.refusals.list.is_empty() {
        return Err(writer.refusals.list);
    }
    if let Some(last) = slots.last_mut() {
        last.set(Field::Final, 1);
    }
    let (mut program, mut steps) = paired(Program::new(slots), steps);
    if program.slots.is_empty() {
        program.slots.push(Slot::END);
        steps.push(Vec::new());
    }
    if program.slots.len() > table::SLOTS {
        writer.refusals.add(rules::SLOTS, &[&program.slots.len(), &LOWERING, &table::SLOTS], None);
        return Err(writer.refusals.list);
    }
    let Refusals { promise, notes, .. } = writer.refusals;
    Ok(Lowered { program, binding: writer.binding, steps, promise, notes })
}

/// What outputs hold before they are written.
const INITIAL: [u32; 4] = [0, 0, 0, 1f32.to_bits()];

/// Lanes of outputs that nobody writes hold what the hardware has there, not what those of the source do.
fn weaken_unwritten(shader: &Shader, refusals: &mut Refusals) {
    let mut written: BTreeMap<u32, (WriteMask, u32)> = BTreeMap::new();
    shader.body.for_each_inst(&mut |inst| {
        if let Op::StoreOutput { output, mask } = inst.op {
            let known = written.entry(output.0).or_insert((WriteMask::NONE, inst.step));
            known.0 = known.0.union(mask);
        }
    });
    for (output, (mask, step)) in written {
        let Some(of) = shader.outputs.get(output as usize) else { continue };
        let lanes = of.init.iter().zip(INITIAL).enumerate().take(of.kind.lanes());
        if lanes.clone().any(|(n, (own, here))| !mask.has(n) && *own != here) {
            refusals.weaken(Promise::Operations, "store", "lanes that are not written", step);
        }
    }
}

/// Nodes of the search for fewer slots, times slots: some hundred milliseconds for the longest programs.
const NODES_BY_SLOTS: u32 = 40_000;

/// The operations in as few slots as are found; as they are if there are no registers for that.
fn paired(program: Program, steps: Vec<Vec<u32>>) -> (Program, Vec<Vec<u32>>) {
    // A node costs as much as there are operations.
    let budget = (NODES_BY_SLOTS / program.slots.len().max(1) as u32).min(Shortening::default().budget);
    let options =
        Shortening { ends: Some(Ends::Nothing), most: 2 * table::SLOTS, budget, ..Shortening::default() };
    let Ok(shorter) = shorten(&program, &options) else { return (program, steps) };
    let origins = shorter.steps.iter().map(|of| {
        let mut all: Vec<u32> =
            of.iter().filter_map(|slot| steps.get(*slot as usize)).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    });
    let origins = origins.collect();
    (shorter.program, origins)
}

/// The shader with its position in pixels: x, y and z scaled, divided by w, and moved. `None` if it has none.
fn with_viewport(shader: &Shader) -> Option<Shader> {
    let position = shader.outputs.iter().position(|output| output.kind == OutputKind::Position)?;
    let output = OutputId(position as u32);
    let mut b = Builder::like(shader, shader.values.len());
    b.shader.values.clone_from(&shader.values);
    b.shader.args.clone_from(&shader.args);
    let mut last = 0;
    shader.body.for_each_inst(&mut |inst| last = inst.step);
    for node in &shader.body.nodes {
        b.node(node.clone());
    }
    b.step = last;
    b.arith = Arith::NV20;
    let array = ParamId(b.shader.params.len() as u32);
    b.shader.params.push(ParamArray::new(VIEWPORT, table::VIEWPORT_CONSTANTS.len() as u32));
    let [scale, offset] = [0, 1].map(|index| first_three(b.param(array, index)));
    let clip = Arg::all_lanes(b.push(Op::LoadOutput(output), &[], Type::F32X4), 4);
    let inverse = b.pure(Pure::Rcc, &[Arg::lane(clip.value, 3)]);
    let scaled = b.pure(Pure::Mul, &[first_three(clip), scale]);
    let inverse = first_three(Arg::lane(inverse.value, 0));
    let divided = b.pure(Pure::Mul, &[scaled, inverse]);
    let screen = b.pure(Pure::Add, &[divided, offset]);
    b.effect(Op::StoreOutput { output, mask: WriteMask::XYZ }, &[screen]);
    Some(vecasm_opt::promote(&b.finish()))
}

const fn first_three(of: Arg) -> Arg {
    Arg { lanes: 3, ..of }
}

struct Writer<'a> {
    shader: &'a Shader,
    /// Whether it was a program of the NV2A.
    own: bool,
    options: &'a LowerOptions,
    refusals: Refusals,
    binding: Binding,
    /// The number of each constant, by array and element.
    constants: BTreeMap<(u32, u32), u32>,
    /// The number of each register of literals.
    literals: Vec<u32>,
    /// What elements are that the program says, and reads by computed indices.
    definitions: Definitions,
    /// The number of constant 0.
    base: u32,
    /// The address of each output.
    outputs: BTreeMap<u32, u8>,
}

impl Writer<'_> {
    /// Finds everything outside of the program that the NV2A lacks, also where there are no instructions.
    fn look_at_interface(&mut self, interface: &Interface) {
        for (&input, &step) in &interface.inputs {
            self.input(input, step);
        }
        self.number_outputs(interface);
        if let Some(read) = interface.reads.first() {
            self.refusals.add(rules::VERTEX_TEXTURE, &[&LOWERING], read.step);
        }
    }

    /// Outputs go to the registers that mean the same; coordinates to those of their numbers, or in order if one is too large.
    fn number_outputs(&mut self, interface: &Interface) {
        let meaning = |number: u32| {
            let output = self.shader.outputs.get(number as usize)?;
            VaryingMeaning::of_output(output.kind, &output.semantic, &output.name)
        };
        let coordinates: BTreeSet<u32> = interface
            .outputs
            .keys()
            .filter_map(|&output| match meaning(output) {
                Some(VaryingMeaning::Coordinates(number)) => Some(number),
                _ => None,
            })
            .collect();
        let most = table::COORDINATES;
        let fits = coordinates.iter().all(|number| *number < most);
        let colors = [table::DIFFUSE[0], table::SPECULAR[0]];
        // Colours that are not written have room for coordinates, as far as those are colours.
        let written = |color: u32| {
            interface.outputs.keys().any(|&output| meaning(output) == Some(VaryingMeaning::Color(color)))
        };
        let spare: Vec<u32> =
            (0..).zip(colors).filter(|(number, _)| !written(*number)).map(|(_, of)| of).collect();
        for (&output, &step) in &interface.outputs {
            let Some(of) = self.shader.outputs.get(output as usize) else { continue };
            let address = match (of.kind, meaning(output)) {
                (OutputKind::Position, _) => Some(0),
                (OutputKind::Varying { location }, _) if self.own => Some(location),
                (_, Some(VaryingMeaning::Color(n @ 0..=1))) => colors.get(n as usize).copied(),
                (_, Some(VaryingMeaning::BackColor(n @ 0..=1))) => {
                    [table::DIFFUSE, table::SPECULAR].get(n as usize).map(|of| of[1])
                }
                (_, Some(VaryingMeaning::Fog)) => Some(table::FOG),
                (_, Some(VaryingMeaning::PointSize)) => Some(table::POINT_SIZE),
                (_, Some(VaryingMeaning::Coordinates(number))) => {
                    let in_order = coordinates.iter().position(|of| *of == number).unwrap_or(0) as u32;
                    let place = if fits { number } else { in_order };
                    if place < most {
                        Some(table::FIRST_COORDINATES + place)
                    } else {
                        let color = spare.get((place - most) as usize).copied();
                        if color.is_some() {
                            let differs = "numbers outside of 0 to 1";
                            self.refusals.weaken(Promise::Approximate, &of.name, differs, step);
                        }
                        color
                    }
                }
                _ => None,
            };
            let Some(address) = address.and_then(|address| u8::try_from(address).ok()) else {
                if coordinates.len() > most as usize
                    && matches!(meaning(output), Some(VaryingMeaning::Coordinates(_)))
                {
                    self.refusals.add(rules::INPUTS, &[&coordinates.len(), &LOWERING, &most], step);
                } else {
                    self.refusals.add(rules::OUTPUT, &[&LOWERING, &of.name], step);
                }
                continue;
            };
            let taken = self.outputs.iter().find(|(_, other)| **other == address);
            let name = output_name(address);
            if let Some((other, _)) = taken {
                let other = self.shader.outputs.get(*other as usize).map_or("?", |other| other.name.as_str());
                self.refusals.add(rules::VARYING, &[&other, &of.name, &name], step);
            }
            self.outputs.insert(output, address);
            self.binding.outputs.push((name, of.name.clone()));
        }
    }

    fn input(&mut self, input: u32, step: u32) -> u8 {
        let Some(input) = self.shader.inputs.get(input as usize) else { return 0 };
        let InputKind::Attribute { location } = input.kind else {
            self.refusals.add(rules::SYSTEM, &[&LOWERING, &input.kind.name()], step);
            return 0;
        };
        if location >= table::ATTRIBUTES {
            self.refusals.add(
                rules::INPUTS,
                &[&location.saturating_add(1), &LOWERING, &table::ATTRIBUTES],
                step,
            );
        }
        let name = format!("v{location}");
        if !self.binding.inputs.iter().any(|(target, _)| *target == name) {
            self.binding.inputs.push((name, input.name.clone()));
        }
        location as u8
    }

    /// Constants keep their order and their distances where they fit, else their order alone; literals come from the end of the file.
    fn number_constants(&mut self, list: &[Physical], literals: &Literals) {
        let viewport = self.shader.params.iter().position(|array| array.name == VIEWPORT).map(|at| at as u32);
        let ReadConstants { mut used, indexed } = constants::read(self.shader, list, |_, _| 1);
        // Those of the viewport have their own numbers.
        for (index, number) in (0..).zip(table::VIEWPORT_CONSTANTS) {
            let of = viewport.map(|array| (array, index));
            if let Some(of) = of.filter(|of| used.remove(of)) {
                self.constants.insert(of, number);
            }
        }
        let own = self.own;
        let reserved = |number: u32| !own && table::VIEWPORT_CONSTANTS.contains(&number);
        let need = used.iter().map(|(_, index)| index + 1).max().unwrap_or(0);
        let one_array =
            used.iter().map(|(array, _)| array).chain(indexed.keys()).collect::<BTreeSet<_>>().len() <= 1;
        let fits = |base: u32| {
            let taken = used.iter().map(|(_, index)| base + index);
            one_array && taken.clone().all(|number| number < table::CONSTANTS && !reserved(number))
        };
        let bases: &[u32] = match self.options.constants_at {
            Some(ref base) => core::slice::from_ref(base),
            None if self.own => &[0],
            None => &BASES,
        };
        let base = bases.iter().copied().find(|base| *base <= table::CONSTANTS && fits(*base));
        let all = 0..table::CONSTANTS;
        let mut free: BTreeSet<u32> =
            all.filter(|number| !table::VIEWPORT_CONSTANTS.contains(number)).collect();
        match base {
            Some(base) => {
                self.base = base;
                for &(array, index) in &used {
                    self.bind(array, index, base + index, &mut free);
                }
                let definitions = core::mem::take(&mut self.definitions);
                for (&(array, index), lanes) in &definitions {
                    let number = base + index;
                    if number >= table::CONSTANTS || !indexed.contains_key(&array) {
                        continue;
                    }
                    free.remove(&number);
                    self.constants.insert((array, index), number);
                    self.binding.literals.push((format!("c{number}"), lanes.map(Option::unwrap_or_default)));
                }
                for (&array, reached) in &indexed {
                    let room = table::CONSTANTS - base;
                    let size = self.shader.params.get(array as usize).map_or(0, |of| of.size);
                    let end = reached.last().map_or(0, |last| last + 1);
                    let known = (reached.len() as u32) < size;
                    if known && end > room {
                        let differs = format!("indices from {room} on, which have no room");
                        let step = list.first().and_then(|of| of.steps.first()).copied().unwrap_or(0);
                        self.refusals.weaken(Promise::Close, "param", &differs, step);
                    }
                    for &index in reached.range(..room) {
                        self.bind(array, index, base + index, &mut free);
                    }
                    // What lies between the constants that indices reach is out of their way where the source says so.
                    free.retain(|number| known || *number < base);
                }
            }
            None if indexed.is_empty() && self.options.constants_at.is_none() => {
                // From the first one that programs of users see.
                let first = BASES[0];
                let mut order = (first..table::CONSTANTS).chain((0..first).rev()).filter(|n| !reserved(*n));
                for &(array, index) in &used {
                    let Some(number) = order.next() else {
                        return self.too_many(used.len() as u32, literals);
                    };
                    self.bind(array, index, number, &mut free);
                }
            }
            None => return self.too_many(bases.first().map_or(0, |base| base + need), literals),
        }
        for register in &literals.registers {
            // In front of the constants, where indices may reach those.
            let front = free.range(..self.base).next_back().filter(|_| !indexed.is_empty()).copied();
            let Some(number) = front.or_else(|| free.last().copied()) else {
                return self.too_many(table::CONSTANTS, literals);
            };
            free.remove(&number);
            self.literals.push(number);
            let mut lanes = [0; 4];
            lanes.iter_mut().zip(register).for_each(|(to, from)| *to = *from);
            self.binding.literals.push((format!("c{number}"), lanes));
        }
        // An index that means something else than the table of the source says still finds what the source has there.
        for &array in indexed.keys().filter(|_| base.is_some()) {
            let size = self.shader.params.get(array as usize).map_or(0, |of| of.size);
            for index in 0..size.min(table::CONSTANTS - self.base) {
                if free.contains(&(self.base + index)) {
                    self.bind(array, index, self.base + index, &mut free);
                }
            }
        }
    }

    fn too_many(&mut self, need: u32, literals: &Literals) {
        let need = need.saturating_add(literals.registers.len() as u32);
        self.refusals.add(rules::CONSTANTS, &[&need, &LOWERING, &table::CONSTANTS], None);
    }

    fn bind(&mut self, array: u32, index: u32, number: u32, free: &mut BTreeSet<u32>) {
        free.remove(&number);
        if self.constants.insert((array, index), number).is_none() {
            let source = self.shader.param_name(ParamId(array), index);
            self.binding.constants.push((format!("c{number}"), source));
        }
    }

    /// The slot of an instruction; `None` if it does nothing.
    fn slot(&mut self, physical: &Physical) -> Option<Slot> {
        let step = physical.steps.first().copied().unwrap_or(0);
        let operator = match physical.what {
            What::Row(code) if code & SCALAR != 0 => {
                Operator::Ilu(*Ilu::ALL.get(usize::from(code ^ SCALAR))?)
            }
            What::Row(code) => match *Mac::ALL.get(usize::from(code))? {
                Mac::Mov => Operator::Mov,
                op => Operator::Mac(op),
            },
            What::Copy => Operator::Mov,
            // Refused already.
            What::Read(_) | What::ReadProjected(_) => return None,
            // An integer that was no number of floats.
            What::Index => {
                self.refusals.add(rules::INTEGER, &[&LOWERING, &"an index"], step);
                return None;
            }
            _ => {
                self.refusals.add(rules::FLOW, &[&LOWERING, &"conditionals"], step);
                return None;
            }
        };
        let (register, mask) = physical.destination?;
        let dest = match register {
            Register::Temporary(number) => Dest::new(Target::Temporary(number as u8), mask),
            Register::Address(_) => Dest::new(Target::Address, WriteMask::X),
            Register::Output(output) => {
                let address = self.outputs.get(&output).copied()?;
                // One number, which is lane x of what is written, whatever the mask.
                let single = [table::FOG, table::POINT_SIZE].contains(&u32::from(address));
                let lanes = self.shader.outputs.get(output as usize).map_or(4, |of| of.kind.lanes());
                let mask = match single {
                    true if lanes == 1 => WriteMask::from_bits(mask.bits() & 1),
                    // Parts of programs are lifted as if there were four.
                    true if !mask.has(0) => {
                        let differs = "all lanes of fog and sizes but the first";
                        self.refusals.weaken(Promise::Operations, "store", differs, step);
                        WriteMask::NONE
                    }
                    _ => mask,
                };
                Dest::new(Target::Output(address), mask)
            }
            _ => return None,
        };
        if dest.mask == WriteMask::NONE {
            return None;
        }
        let mut sources = [pair::Operand::NONE; 3];
        for (to, from) in sources.iter_mut().zip(&physical.sources) {
            *to = self.operand(from, step);
        }
        let operation = Operation { operator, dest, sources };
        match pair::combine(&[operation], &[], Mode::Strict) {
            Ok(made) => Some(made.slot),
            Err(why) => {
                debug_assert!(!self.refusals.list.is_empty(), "an operation fits a slot: {why:?}");
                self.refusals.add(rules::OPERATION, &[&LOWERING, &operator.name()], step);
                None
            }
        }
    }

    fn operand(&mut self, from: &Operand, step: u32) -> pair::Operand {
        let (mux, number, relative) = match from.register {
            Register::Temporary(number) => (Mux::Temporary, u32::from(number), false),
            Register::Input(input) => (Mux::Attribute, self.input(input, step).into(), false),
            Register::Param { array, index } => {
                (Mux::Constant, self.constants.get(&(array, index)).copied().unwrap_or(0), false)
            }
            Register::Literal(at) => {
                (Mux::Constant, self.literals.get(at as usize).copied().unwrap_or(0), false)
            }
            Register::ParamAt { offset, by, .. } => {
                let number = i64::from(self.base) + i64::from(offset);
                let known = matches!(by, IndexRegister::Address(_));
                let number = u32::try_from(number).ok().filter(|number| known && *number < table::CONSTANTS);
                if number.is_none() {
                    self.refusals.add(rules::INDEXED, &[&LOWERING, &"constants"], step);
                }
                (Mux::Constant, number.unwrap_or(0), true)
            }
            Register::Address(_) | Register::Output(_) | Register::Vertex { .. } => {
                self.refusals.add(rules::INTEGER, &[&LOWERING, &"an index"], step);
                (Mux::Temporary, 0, false)
            }
        };
        pair::Operand {
            mux,
            number: number as u8,
            relative,
            swizzle: from.swizzle,
            negate: from.negate,
            page: 0,
        }
    }
}

/// The name of an output register.
fn output_name(address: u8) -> String {
    match table::output(address.into()) {
        Some(named) => named.short.into(),
        None => format!("o{address}"),
    }
}
