//! Shaders as programs of Direct3D 9.

pub(crate) mod machine;
mod model;
mod old_pixel;
mod system;
mod varyings;

pub use model::{MODELS, Model};
pub use old_pixel::{PixelOptions, ShorterPixel, is_old_pixel, shorten_pixel};

use crate::code::{Count, Test, What};
use crate::constants::{self, LiteralPlace, NoRoom};
use crate::graph::{Interface, ReadKind};
use crate::machine::{Conditionals, Loops, Machine};
use crate::physical::{IndexRegister, Literals, Operand, Physical, Register};
use crate::refusal::Refusals;
use crate::{Binding, Generated, How, Lowered, Measure, Reason, generate, prepare_for, rules};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::{
    DeclUsage, Dim, InputKind, Interpolation, Lod, OutputKind, ParamId, Promise, Pure, Scalar, Shader,
    System, Tail, VaryingMeaning,
};
use vecasm_ir::operand::{Swizzle, WriteMask};
use vecasm_isa::d3d9::ctab;
use vecasm_isa::d3d9::program::{
    Destination, InstructionToken, ItemKind, Program, Source, Stage, Usage, Version,
};
use vecasm_isa::d3d9::registers::{RegType, SAMPLER_KINDS, spelling};
use vecasm_isa::d3d9::rules::{slot_counts_on, slots_of_instructions};
use vecasm_isa::d3d9::table::{COMPARISONS, Opcode, TEXTURE_CONTROLS, code};

/// The code of the row that loads an index before 2.0, where `mov` does.
pub(crate) const LOAD_INDEX: u16 = u16::MAX;

/// How programs of Direct3D 9 are made.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The model; `None` for the first of 2.0 and later that has room for the program.
    pub model: Option<Model>,
    /// The program that the shader was lifted from: its constants and comments are those of the result, and its declarations if the
    /// result is of its model.
    pub like: Option<&'a Program>,
    /// At most so many temporary registers; `None` for all of the model.
    pub temporaries: Option<u16>,
    /// The other stage of a pair, whose varyings have the registers of this one.
    pub partner: Option<&'a Shader>,
    /// The least that is kept of the shader; what is not kept so well is refused.
    pub promise: Option<Promise>,
    /// What is to be as little as it can.
    pub measure: Measure,
    /// Whether it is checked that each register holds what is read; builds for tests do so in any case.
    pub checked: bool,
}

impl<'a> Options<'a> {
    /// Those for a program that takes the place of another one.
    pub fn like(program: &'a Program) -> Self {
        Self { like: Some(program), model: Model::of(program.version()), ..Self::default() }
    }

    /// The program that the shader was lifted from, if it is of that model.
    fn own(&self, model: Model) -> Option<&'a Program> {
        self.like.filter(|like| like.version() == model.version)
    }
}

/// More temporary registers than any model has.
const MANY_TEMPORARIES: u16 = 256;

/// How many constants there are of each kind that flow asks for.
const FLOW_CONSTANTS: u16 = 16;

/// The modifier of a source that is the opposite of a truth.
const NOT: u32 = 13 << 24;

/// The rules of the validator about how much flow there may be.
const FLOW_LIMITS: [&str; 4] =
    ["D3D9-static-depth", "D3D9-dynamic-depth", "D3D9-loop-depth", "D3D9-static-count"];

/// The rules of the validator about outputs that a program must write: what the source does not, the result does not either.
const MISSING_OUTPUTS: [&str; 2] = ["D3D9-X5350", "D3D9-no-oc0"];

/// The rule of the validator about levels of detail.
const GRADIENT: &str = "D3D9-gradient";

/// The rule of the validator about chains of texture reads.
const DEPENDENT_READS: &str = "D3D9-X5426";

/// What messages call programs of no model in particular.
const TARGET: &str = "Direct3D 9";

/// Lowers a shader.
///
/// # Errors
///
/// Everything that the model cannot say, or the last of those that were tried, see [`rules`].
pub fn lower(shader: &Shader, options: &Options<'_>) -> Result<Lowered<Program>, Vec<Reason>> {
    let stage = match shader.stage {
        vecasm_ir::ir::Stage::Vertex => Stage::Vertex,
        vecasm_ir::ir::Stage::Fragment => Stage::Pixel,
        other => {
            let mut refusals = Refusals::new(TARGET);
            refusals.add(rules::STAGE, &[&TARGET, &other.name()], None);
            return Err(refusals.list);
        }
    };
    if let Some(model) = options.model {
        if model.version.stage() != stage {
            let mut refusals = Refusals::new(model.name);
            refusals.add(rules::STAGE, &[&model.name, &shader.stage.name()], None);
            return Err(refusals.list);
        }
        return lower_on(shader, model, options, &machine::machine(model, shader.isa == "d3d9"));
    }
    let mut reasons = Vec::new();
    for model in MODELS.iter().filter(|model| model.version.stage() == stage && model.is_tried) {
        match lower_on(shader, *model, options, &machine::machine(*model, shader.isa == "d3d9")) {
            Ok(lowered) => return Ok(lowered),
            // Those of the newest model: what no model can say.
            Err(list) => reasons = list,
        }
    }
    Err(reasons)
}

/// Lowers a shader with the instructions of a machine: with as little flow as can be, then with more of it.
fn lower_on(
    shader: &Shader,
    model: Model,
    options: &Options<'_>,
    machine: &Machine,
) -> Result<Lowered<Program>, Vec<Reason>> {
    let lower = |machine: &Machine| lower_with(shader, model, options, machine, true);
    let mut made = lower(machine);
    // Reads find no level of detail where fragments went different ways.
    let is_of = |made: &Result<_, Vec<Reason>>, ids: &[&str]| {
        made.as_ref().is_err_and(|list: &Vec<Reason>| list.iter().any(|of| ids.contains(&of.finding.id)))
    };
    if machine.conditionals == Conditionals::All && is_of(&made, &[rules::TEXTURE_FLOW.id]) {
        let without = if machine.has_truths { Conditionals::Constant } else { Conditionals::None };
        if let Ok(flat) = lower(&Machine { conditionals: without, ..machine.clone() }) {
            made = Ok(flat);
        }
    }
    // Rounds that are written out run faster, where there is room for them.
    let is_short = options.own(model).is_none() && made.is_ok();
    if !shader.body.has_loop() || !model.caps().loops || is_short {
        return made;
    }
    let counted = lower(&Machine { loops: Loops::Counted, ..machine.clone() });
    let slots = |of: &Lowered<Program>| slot_counts_on(&of.program, &model.options()).total();
    match (made, counted) {
        (Ok(made), Ok(counted)) => Ok(if slots(&counted) < slots(&made) { counted } else { made }),
        (Err(reasons), Err(others)) => {
            let flow = reasons.iter().any(|of| of.finding.id == rules::FLOW.id);
            Err(if flow { others } else { reasons })
        }
        (made, counted) => made.or(counted),
    }
}

/// The instructions of the source that take most slots of a model, whether or not there is room for all: three notes at most, none if the
/// model cannot say something. Of an instruction that does the work of several, the first one takes the slots.
pub fn largest(shader: &Shader, model: Model, options: &Options<'_>) -> Vec<Reason> {
    let mut machine = machine::machine(model, shader.isa == "d3d9");
    machine.room = None;
    machine.temporaries = MANY_TEMPORARIES;
    let options = Options { temporaries: None, ..options.clone() };
    let Ok(made) = lower_with(shader, model, &options, &machine, false) else { return Vec::new() };
    let mut slots: BTreeMap<u32, u32> = BTreeMap::new();
    let costs = slots_of_instructions(&made.program, &model.options());
    for (steps, cost) in made.steps.iter().zip(costs) {
        if let Some(step) = steps.iter().min().filter(|_| cost > 0) {
            *slots.entry(*step).or_default() += cost;
        }
    }
    let all: u32 = slots.values().sum();
    let mut largest: Vec<(u32, u32)> = slots.into_iter().collect();
    largest.sort_by_key(|(step, slots)| (core::cmp::Reverse(*slots), *step));
    let note = |(step, slots): (u32, u32)| Reason {
        finding: rules::LARGEST.finding(rules::LARGEST.fill(&[&slots, &all])),
        step: Some(step),
    };
    largest.into_iter().take(3).map(note).collect()
}

/// The same with the flow that the machine says, and as many slots as it takes where it is not bounded.
pub(crate) fn lower_with(
    shader: &Shader,
    model: Model,
    options: &Options<'_>,
    machine: &Machine,
    is_bounded: bool,
) -> Result<Lowered<Program>, Vec<Reason>> {
    let sources = [Some(shader), options.partner];
    let has_colors = sources.into_iter().flatten().all(|of| varyings::is_clamped(of, DeclUsage::Color));
    let has_fog = varyings::is_clamped(shader, DeclUsage::Fog);
    let has_scalars = sources.into_iter().flatten().all(varyings::has_scalars);
    let mut refusals = Refusals::new(model.name);
    refusals.least = options.promise.unwrap_or(Promise::Close);
    let mut writer = Writer {
        shader,
        interface: &Interface::default(),
        model,
        like: options.like,
        refusals,
        binding: Binding::default(),
        inputs: BTreeMap::new(),
        outputs: BTreeMap::new(),
        constants: BTreeMap::new(),
        literals: Vec::new(),
        counts: BTreeMap::new(),
        words: Vec::new(),
        steps: Vec::new(),
        has_colors,
        has_scalars,
        has_fog,
    };
    writer.place_inputs(options.partner);
    writer.place_outputs(options.partner);
    // What the pipeline clamps is not clamped before.
    let stripped = vecasm_opt::strip_tail(shader, &writer.clamps());
    let mut prepared = prepare_for(&stripped, machine.loops, machine.conditionals);
    system::as_registers(&mut prepared, model.name, &mut writer.refusals);
    writer.shader = &prepared;
    let mut machine = machine.clone();
    machine.temporaries = options.temporaries.map_or(machine.temporaries, |own| own.min(machine.temporaries));
    writer.tell(&mut machine);
    let how = How { measure: options.measure, checked: options.checked };
    let (interface, generated) = generate(&prepared, &machine, how, &mut writer.refusals);
    writer.interface = &interface;
    writer.look_at_interface();
    let Some(generated) = generated else { return Err(writer.refusals.list) };
    writer.write(&generated);
    let program = Program::new(core::mem::take(&mut writer.words), &[]);
    if is_bounded {
        writer.look_at_slots(&program);
        writer.look_at_findings(&program);
    }
    if writer.refusals.list.is_empty() {
        let Refusals { promise, notes, .. } = writer.refusals;
        Ok(Lowered { program, binding: writer.binding, steps: writer.steps, promise, notes })
    } else {
        Err(writer.refusals.list)
    }
}

/// The register that an input or output of a shader is, with what a declaration says of it.
#[derive(Clone, Copy, Debug)]
struct Place {
    ty: RegType,
    number: u16,
    usage: Option<(u8, u8)>,
    centroid: bool,
}

struct Writer<'a> {
    shader: &'a Shader,
    interface: &'a Interface,
    model: Model,
    like: Option<&'a Program>,
    refusals: Refusals,
    binding: Binding,
    inputs: BTreeMap<u32, Place>,
    outputs: BTreeMap<u32, Place>,
    /// The number of each constant, by array and element.
    constants: BTreeMap<(u32, u32), u16>,
    literals: Vec<u16>,
    /// The number of each constant that is a number of rounds.
    counts: BTreeMap<i32, u16>,
    words: Vec<u32>,
    steps: Vec<Vec<u32>>,
    /// Whether all colours are clamped where they come from, and fog and sizes are no vectors.
    has_colors: bool,
    has_scalars: bool,
    /// Whether fog is clamped where it comes from.
    has_fog: bool,
}

impl Writer<'_> {
    fn version(&self) -> Version {
        self.model.version
    }

    /// The program that the shader was lifted from, if it is of the same model.
    fn own(&self) -> Option<&Program> {
        self.like.filter(|like| like.version() == self.version())
    }

    fn is_vertex(&self) -> bool {
        self.version().stage() == Stage::Vertex
    }

    fn is_three(&self) -> bool {
        self.version().major() >= 3
    }

    fn name(&self, ty: RegType, number: u16) -> String {
        match spelling(ty, number, self.version()) {
            Some((name, Some(number))) => format!("{name}{number}"),
            Some((name, None)) => name.into(),
            None => format!("register {number}"),
        }
    }

    /// The register of that name.
    fn named(&self, name: &str) -> Option<(RegType, u16)> {
        let name = name.split('.').next()?;
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = name.get(letters.len()..)?;
        RegType::ALL.iter().find_map(|&ty| {
            let number = if digits.is_empty() { None } else { Some(digits.parse::<u16>().ok()?) };
            (0..3u16).map(|n| number.unwrap_or(n)).find_map(|number| {
                let spelled = self.name(ty, number);
                (spelled == name).then_some((ty, number))
            })
        })
    }

    // Where inputs and outputs are.

    /// The register before 3.0 that has a usage.
    fn fixed(&self, usage: (u8, u8)) -> Option<(RegType, u16)> {
        let (written, read) = varyings::register_of(usage)?;
        let ty = if self.is_vertex() { Some(written.0) } else { read };
        let number = if self.is_vertex() { written.1 } else { usage.1.into() };
        Some((ty?, number))
    }

    /// The usages of the varyings of a shader and its partner, by location: their own where all fit, else coordinates in order.
    fn usages(&self, partner: Option<&Shader>) -> BTreeMap<u32, (u8, u8)> {
        let all = crate::varyings_of_pair(self.shader, partner.unwrap_or(self.shader));
        let shaders = [Some(self.shader), partner];
        let own = |location: &u32| {
            shaders.into_iter().flatten().find_map(|shader| {
                let inputs =
                    shader.inputs.iter().filter(|of| of.kind == InputKind::Varying { location: *location });
                let mut inputs = inputs.filter(|_| shader.stage == vecasm_ir::ir::Stage::Fragment);
                let mut outputs = shader.outputs.iter();
                let output = outputs.find(|of| of.kind == OutputKind::Varying { location: *location });
                inputs.find_map(varyings::usage_of_input).or_else(|| varyings::usage_of_output(output?))
            })
        };
        let three = self.is_three();
        let fragments =
            || shaders.into_iter().flatten().filter(|of| of.stage == vecasm_ir::ir::Stage::Fragment);
        let is_read = |location: u32| fragments().any(|of| crate::varyings(of).contains(&location));
        // Before 3.0 colours are clamped, and fog and sizes are one number.
        let fits = |usage: (u8, u8), location: u32| {
            let is = |of: DeclUsage| usage.0 == of.code();
            let right = if is(DeclUsage::Color) {
                self.has_colors
            } else if is(DeclUsage::Fog) || is(DeclUsage::PointSize) {
                self.has_scalars
            } else {
                true
            };
            let has_register = |(_, read): (_, Option<RegType>)| read.is_some() || !is_read(location);
            three || varyings::register_of(usage).is_some_and(has_register) && right
        };
        let mut seen = BTreeSet::new();
        let wanted: Vec<(u32, Option<(u8, u8)>)> = all
            .into_iter()
            .map(|location| (location, own(&location).filter(|usage| fits(*usage, location))))
            .collect();
        if wanted.iter().all(|(_, usage)| usage.is_some_and(|usage| seen.insert(usage))) {
            return wanted.into_iter().filter_map(|(location, usage)| Some((location, usage?))).collect();
        }
        let mut out = BTreeMap::new();
        let mut next = 0;
        let most = if three { 16 } else { 8 };
        for (location, usage) in wanted {
            // What has a register of its own that is none for coordinates keeps it, unless pixels read it: they have no such register.
            let special = [DeclUsage::Fog.code(), DeclUsage::PointSize.code()];
            let is_special = |usage: &(u8, u8)| special.contains(&usage.0) && usage.1 == 0;
            match usage.filter(|usage| is_special(usage) && (three || !is_read(location))) {
                Some(usage) => _ = out.insert(location, usage),
                None if next < most => {
                    out.insert(location, (DeclUsage::TexCoord.code(), next));
                    next += 1;
                }
                None => {}
            }
        }
        out
    }

    /// The register of a name, if the model has it.
    fn named_place(&self, name: &str) -> Option<Place> {
        let (ty, number) = self.named(name)?;
        Some(Place { ty, number, usage: None, centroid: false })
    }

    /// The registers of names, by their places in the list.
    fn named_places<'n>(&self, names: impl Iterator<Item = &'n str>) -> BTreeMap<u32, Place> {
        (0..).zip(names).filter_map(|(n, name)| Some((n, self.named_place(name)?))).collect()
    }

    fn place_inputs(&mut self, partner: Option<&Shader>) {
        let shader = self.shader;
        if self.own().is_some() {
            self.inputs = self.named_places(shader.inputs.iter().map(|of| of.name.as_str()));
            return;
        }
        let usages = self.usages(partner);
        let mut next = 0;
        for (n, input) in shader.inputs.iter().enumerate() {
            let place = match input.kind {
                InputKind::Attribute { location } => {
                    let usage = Some(varyings::usage_of_attribute(shader, input, location));
                    Some(Place { ty: RegType::Input, number: location as u16, usage, centroid: false })
                }
                InputKind::Varying { location } => usages.get(&location).and_then(|&usage| {
                    let centroid = input.location == vecasm_ir::ir::Location::Centroid;
                    let (ty, number) = if self.is_three() {
                        next += 1;
                        (RegType::Input, next - 1)
                    } else {
                        self.fixed(usage)?
                    };
                    Some(Place { ty, number, usage: self.is_three().then_some(usage), centroid })
                }),
                InputKind::System(System::FragCoord) if self.is_three() => self.named_place("vPos"),
                InputKind::System(System::FrontFacing) if self.is_three() => self.named_place("vFace"),
                _ => None,
            };
            if let Some(place) = place {
                self.inputs.insert(n as u32, place);
            }
        }
    }

    fn place_outputs(&mut self, partner: Option<&Shader>) {
        let shader = self.shader;
        if self.own().is_some() {
            self.outputs = self.named_places(shader.outputs.iter().map(|of| of.name.as_str()));
            return;
        }
        let usages = self.usages(partner);
        let three = self.is_three();
        let mut next = 0;
        for (n, output) in shader.outputs.iter().enumerate() {
            let usage = match output.kind {
                OutputKind::Position => Some((DeclUsage::Position.code(), 0)),
                OutputKind::Varying { location } => usages.get(&location).copied(),
                OutputKind::Fog => Some((DeclUsage::Fog.code(), 0)),
                OutputKind::PointSize => Some((DeclUsage::PointSize.code(), 0)),
                _ => None,
            };
            let place = match (output.kind, self.is_vertex()) {
                (OutputKind::Color { target }, false) if target < 4 => {
                    Some((RegType::ColorOut, target as u16))
                }
                (OutputKind::Depth, false) => Some((RegType::DepthOut, 0)),
                (_, true) if three && usage.is_some() => {
                    next += 1;
                    Some((RegType::Output, next - 1))
                }
                (OutputKind::Position, true) => Some((RegType::RastOut, 0)),
                (_, true) => usage.and_then(|usage| self.fixed(usage)),
                _ => None,
            };
            if let Some((ty, number)) = place {
                let usage = usage.filter(|_| three);
                self.outputs.insert(n as u32, Place { ty, number, usage, centroid: false });
            }
        }
    }

    /// Tells the machine what it has to know of registers.
    fn tell(&self, machine: &mut Machine) {
        let file = |place: &Place| match place.ty {
            RegType::AddrOrTexture => 1,
            RegType::Misc => 2 + place.number as u8,
            _ => 0,
        };
        machine.ports.files =
            (0..self.shader.inputs.len() as u32).map(|n| self.inputs.get(&n).map_or(0, file)).collect();
        if self.is_vertex() && !self.is_three() {
            let numbers = |ty: RegType, number: Option<u16>| -> Vec<u32> {
                let is = |place: &Place| place.ty == ty && number.is_none_or(|number| place.number == number);
                self.outputs.iter().filter(|(_, place)| is(place)).map(|(n, _)| *n).collect()
            };
            machine.whole = numbers(RegType::RastOut, Some(0));
            machine.gapless = numbers(RegType::Output, None);
        }
    }

    /// What the pipeline does to the registers of the program, if all that its source does it to is there.
    fn clamps(&self) -> Vec<Tail> {
        let has = |meaning: &Option<VaryingMeaning>, fog: bool| match meaning {
            Some(VaryingMeaning::Color(_) | VaryingMeaning::BackColor(_)) => !fog,
            Some(VaryingMeaning::Fog) => fog,
            _ => false,
        };
        let outputs = self.shader.outputs.iter().enumerate().map(|(n, of)| {
            (VaryingMeaning::of_output(of.kind, &of.semantic, &of.name), self.outputs.get(&(n as u32)))
        });
        let inputs = self.shader.inputs.iter().enumerate().map(|(n, of)| {
            (VaryingMeaning::of_input(of.kind, &of.semantic, &of.name), self.inputs.get(&(n as u32)))
        });
        let all: Vec<(Option<VaryingMeaning>, Option<&Place>)> = outputs.chain(inputs).collect();
        let clamped = |fog: bool| {
            all.iter().filter(|(meaning, _)| has(meaning, fog)).all(|(_, place)| {
                place.is_some_and(|place| match place.ty {
                    RegType::AttrOut | RegType::Input => !fog,
                    RegType::RastOut => fog,
                    _ => false,
                })
            })
        };
        let tails = [
            (Tail::ClampColors, self.has_colors && clamped(false)),
            (Tail::ClampFog, self.has_fog && clamped(true)),
        ];
        let clamps = tails.into_iter().filter(|(_, clamps)| *clamps && !self.is_three());
        clamps.map(|(tail, _)| tail).collect()
    }

    /// Finds everything outside of the program that the model lacks.
    fn look_at_interface(&mut self) {
        let interface = self.interface;
        for (&number, &step) in &interface.inputs {
            self.input(number, step);
        }
        for (&number, &step) in &interface.outputs {
            self.output(number, step);
        }
        for read in &interface.reads {
            self.look_at_read(read.kind, read.lod, read.texture.0, read.step);
        }
    }

    fn input(&mut self, number: u32, step: u32) -> Place {
        let none = Place { ty: RegType::Input, number: 0, usage: None, centroid: false };
        let Some(input) = self.shader.inputs.get(number as usize) else { return none };
        let name = self.model.name;
        let Some(place) = self.inputs.get(&number).copied() else {
            match input.kind {
                InputKind::Varying { .. } => {
                    let (need, most) =
                        (crate::varyings(self.shader).len(), if self.is_three() { 10 } else { 8 });
                    self.refusals.add(rules::INPUTS, &[&need, &name, &most], step);
                }
                other => self.refusals.add(rules::SYSTEM, &[&name, &other.name()], step),
            }
            return none;
        };
        let most = match place.ty {
            RegType::Input if self.is_vertex() => 16,
            RegType::Input if self.is_three() => 10,
            RegType::Input => 2,
            _ => 8,
        };
        if place.number >= most {
            self.refusals.add(rules::INPUTS, &[&(place.number + 1), &name, &most], step);
        }
        if matches!(input.interpolation, Interpolation::Linear | Interpolation::Flat) {
            let how = input.interpolation.name();
            self.refusals.add(rules::INTERPOLATION, &[&name, &input.name, &how], step);
        }
        let target = self.name(place.ty, place.number);
        if !self.binding.inputs.iter().any(|(known, _)| *known == target) {
            self.binding.inputs.push((target, input.name.clone()));
        }
        place
    }

    fn output(&mut self, number: u32, step: u32) -> Place {
        let none = Place { ty: RegType::Temp, number: 0, usage: None, centroid: false };
        let Some(output) = self.shader.outputs.get(number as usize) else { return none };
        let Some(place) = self.outputs.get(&number).copied() else {
            let what = match output.kind.number() {
                Some(number) => format!("{} {number}", output.kind.name()),
                None => String::from(output.kind.name()),
            };
            self.refusals.add(rules::OUTPUT, &[&self.model.name, &what], step);
            return none;
        };
        if (place.ty, place.number) == (RegType::RastOut, 1) && !self.has_fog && self.own().is_none() {
            self.refusals.weaken(Promise::Close, "fog", "factors below 0 and above 1", step);
        }
        if self.is_vertex() && self.is_three() && place.number >= 12 {
            self.refusals.add(rules::OUTPUT, &[&self.model.name, &"more than 12 varyings"], step);
        }
        let target = self.name(place.ty, place.number);
        if !self.binding.outputs.iter().any(|(known, _)| *known == target) {
            self.binding.outputs.push((target, output.name.clone()));
        }
        place
    }

    fn look_at_read(&mut self, kind: ReadKind, lod: Lod, texture: u32, step: u32) {
        let name = self.model.name;
        let Some(texture) = self.shader.textures.get(texture as usize) else { return };
        if kind_of(texture.dim).is_none()
            || texture.dim_by.is_some()
            || texture.compare
            || kind != ReadKind::Sample
        {
            self.refusals.add(rules::TEXTURE, &[&name, &texture.dim.name()], step);
        }
        if texture.slot != texture.sampler_slot {
            self.refusals.add(rules::TEXTURE, &[&name, &"a texture with another's sampler"], step);
        }
        let most = if self.is_vertex() { 4 } else { 16 };
        if self.is_vertex() && !self.is_three() {
            self.refusals.add(rules::VERTEX_TEXTURE, &[&name], step);
        } else if texture.slot >= most {
            self.refusals.add(rules::SAMPLERS, &[&texture.slot, &name, &most], step);
        }
        let lacks = match lod {
            Lod::Level if !self.is_three() => Some("an explicit level of detail"),
            Lod::Gradient if !self.model.caps().gradients || self.is_vertex() => Some("given gradients"),
            Lod::Bias | Lod::Implicit { .. } if self.is_vertex() => Some("a level of detail of its own"),
            _ => None,
        };
        if let Some(what) = lacks {
            self.refusals.add(rules::LEVEL, &[&name, &what], step);
        }
        let sampler = self.name(RegType::Sampler, texture.slot as u16);
        if !self.binding.samplers.iter().any(|(known, _)| *known == sampler) {
            self.binding.samplers.push((sampler, texture.name.clone()));
        }
    }

    // Words.

    fn instruction(&mut self, op: Opcode, control: u8, parameters: &[u32], steps: Vec<u32>) {
        let mut token = u32::from(op.row().code) | u32::from(control) << 16;
        if self.version().has_lengths() {
            token |= (parameters.len() as u32 & 15) << 24;
        }
        self.words.push(token);
        self.words.extend_from_slice(parameters);
        self.steps.push(steps);
    }

    fn write(&mut self, generated: &Generated) {
        let Generated { list, literals } = generated;
        self.words.push(self.version().0);
        self.declare(list);
        self.number_constants(list, literals);
        self.define_counts(list);
        let mut rest = &list[..];
        while let [physical, after @ ..] = rest {
            rest = after;
            // One that only leaves the loop says so at once.
            match after {
                [leave, end, after @ ..]
                    if matches!(physical.what, What::If(Test::Compare(_)))
                        && (leave.what, end.what) == (What::Break, What::EndIf) =>
                {
                    self.physical(physical, Some(Opcode::Breakc));
                    rest = after;
                }
                _ => self.physical(physical, None),
            }
        }
        self.words.push(code::END);
    }

    /// Declarations: those of another program, or of everything that is read and written.
    fn declare(&mut self, list: &[Physical]) {
        if let Some(like) = self.like {
            let is_own = self.own().is_some();
            for item in like.items() {
                let words = like.words_of(*item);
                let op = words.first().and_then(|word| InstructionToken(*word).opcode());
                match item.kind {
                    ItemKind::Comment if is_own => self.words.extend_from_slice(words),
                    ItemKind::Comment => self.words.extend(self.comment(words)),
                    ItemKind::Instruction if is_own && op == Some(Opcode::Dcl) => {
                        self.words.extend_from_slice(words);
                        self.steps.push(Vec::new());
                    }
                    _ => {}
                }
            }
            if is_own {
                return;
            }
        }
        if self.version().major() < 2 && !self.is_vertex() {
            return;
        }
        let mut read: BTreeMap<u32, u8> = BTreeMap::new();
        let mut written: BTreeMap<u32, u8> = BTreeMap::new();
        let mut textures: BTreeSet<u32> = BTreeSet::new();
        for physical in list {
            let number = match physical.what {
                What::Read(number) | What::ReadProjected(number) => Some(number),
                _ => None,
            };
            let needed = number.and_then(|number| self.interface.reads.get(number as usize));
            textures.extend(needed.map(|read| read.texture.0));
            for (n, operand) in physical.sources.iter().enumerate() {
                if let Register::Input(input) = operand.register {
                    let lanes = match (needed, n) {
                        (Some(read), 0) => {
                            let last =
                                matches!(physical.what, What::ReadProjected(_)) || !read.detail.is_empty();
                            ((1u8 << read.coordinates.len().min(4)) - 1) | u8::from(last) << 3
                        }
                        _ if physical.what == What::Discard => 15,
                        _ => operand.swizzle.lanes().iter().fold(0, |mask, lane| mask | 1 << lane),
                    };
                    *read.entry(input).or_default() |= lanes;
                }
            }
            if let Some((Register::Output(output), mask)) = physical.destination {
                *written.entry(output).or_default() |= mask.bits();
            }
        }
        for (number, lanes) in read {
            let Some(place) = self.inputs.get(&number).copied() else { continue };
            // From x on, as registers of coordinates have it.
            let mut mask = (1u8 << (8 - lanes.leading_zeros())) - 1;
            let system = self.shader.inputs.get(number as usize).map(|input| input.kind);
            match system {
                Some(InputKind::System(System::FragCoord)) => mask &= 3,
                Some(InputKind::System(_)) => mask = 15,
                _ if self.is_vertex() || place.ty == RegType::Input && !self.is_three() => mask = 15,
                _ => {}
            }
            let usage = place.usage.map_or(Usage::sampler(0), |(usage, index)| Usage::semantic(usage, index));
            let mut to = Destination::new(place.ty, place.number, WriteMask::from_bits(mask)).0;
            if place.centroid {
                to |= 4 << 20;
            }
            self.instruction(Opcode::Dcl, 0, &[usage.0, to], Vec::new());
        }
        let declares_outputs = self.is_vertex() && self.is_three();
        for (number, lanes) in written.into_iter().filter(|_| declares_outputs) {
            let Some(Place { ty, number, usage: Some((usage, index)), .. }) =
                self.outputs.get(&number).copied()
            else {
                continue;
            };
            // A size is a register of its own, which is written whole.
            let lanes = if usage == DeclUsage::PointSize.code() { 15 } else { lanes };
            let to = Destination::new(ty, number, WriteMask::from_bits(lanes));
            self.instruction(Opcode::Dcl, 0, &[Usage::semantic(usage, index).0, to.0], Vec::new());
        }
        for number in textures {
            let Some(texture) = self.shader.textures.get(number as usize) else { continue };
            let kind = kind_of(texture.dim).unwrap_or(0);
            let to = Destination::new(RegType::Sampler, texture.slot as u16, WriteMask::ALL);
            self.instruction(Opcode::Dcl, 0, &[Usage::sampler(kind).0, to.0], Vec::new());
        }
    }

    /// A comment of a program of another model: a table of constants says the model that it is of.
    fn comment(&self, words: &[u32]) -> Vec<u32> {
        let Some((&token, inside)) = words.split_first() else { return Vec::new() };
        let is_table = inside.first() == Some(&u32::from_le_bytes(*ctab::NAME));
        let Some(mut table) = ctab::read(inside).0.filter(|_| is_table) else { return words.into() };
        table.version = self.version().0;
        table.target = table.target.map(|_| self.model.name.into());
        let inside = table.words();
        let mut out = alloc::vec![token & 0xffff | (inside.len() as u32) << 16];
        out.extend(inside);
        out
    }

    /// Constants keep their numbers where they fit; literals are defined behind them.
    fn number_constants(&mut self, list: &[Physical], literals: &Literals) {
        let most = u32::from(self.model.caps().constants);
        let (mut before, mut taken) = (Vec::new(), BTreeSet::new());
        if let Some(like) = self.like {
            before.extend(definitions(like).map(|(number, _)| number));
            for symbol in &self.shader.symbols.constants {
                if symbol.array == "c" {
                    taken.extend(symbol.first..symbol.first.saturating_add(symbol.count).min(most));
                }
            }
        } else {
            let fixed =
                self.shader.params.iter().filter(|of| of.scalar == Scalar::F32).flat_map(|of| &of.fixed);
            before.extend(fixed.map(|(number, _)| *number));
        }
        let defined = before.iter().filter_map(|number| Some((*number, self.defined_as(*number)?))).collect();
        let place = LiteralPlace::Next { before, taken, defined };
        let numbers = constants::number(self.shader, list, literals, |_, _| 1, (0, most), &place);
        let numbers = match numbers {
            Ok(numbers) => numbers,
            Err(NoRoom::Constants(need)) => {
                self.refusals.add(rules::CONSTANTS, &[&need, &self.model.name, &most], None);
                return;
            }
            Err(NoRoom::Indexed) => {
                let what = "constants beside literals";
                self.refusals.add(rules::INDEXED, &[&self.model.name, &what], None);
                return;
            }
        };
        // What indices reach that the program defines it defines again.
        let defined = &self.interface.definitions;
        let mut again: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
        let named = numbers.constants.iter().map(|(of, number)| (*of, *number));
        for ((array, index), number) in named.chain(numbers.reached.iter().copied()) {
            if let Some(lanes) = defined.get(&(array, index)) {
                again.insert(number, lanes.map(|lane| lane.unwrap_or(0)));
                continue;
            }
            let target = self.name(RegType::Const, number as u16);
            self.binding.constants.push((target, self.shader.param_name(ParamId(array), index)));
        }
        self.constants = numbers.constants.into_iter().map(|(of, number)| (of, number as u16)).collect();
        self.literals = numbers.literals.into_iter().map(|number| number as u16).collect();
        for (number, register) in self.literals.iter().zip(&literals.registers) {
            let mut lanes = [0; 4];
            lanes.iter_mut().zip(register).for_each(|(to, from)| *to = *from);
            again.insert((*number).into(), lanes);
        }
        for (number, [x, y, z, w]) in again {
            let to = Destination::new(RegType::Const, number as u16, WriteMask::ALL).0;
            self.instruction(Opcode::Def, 0, &[to, x, y, z, w], Vec::new());
        }
    }

    /// What the source says that a constant is.
    fn defined_as(&self, number: u32) -> Option<[u32; 4]> {
        let arrays = self.shader.params.iter().filter(|of| of.scalar == Scalar::F32);
        let mut fixed = arrays.flat_map(|of| &of.fixed);
        fixed.find(|(of, _)| *of == number).map(|(_, bits)| *bits)
    }

    /// Writes an instruction, as another one where that does the same.
    fn physical(&mut self, physical: &Physical, instead: Option<Opcode>) {
        let step = physical.steps.first().copied().unwrap_or(0);
        let (op, control) = self.opcode(physical.what);
        let op = instead.unwrap_or(op);
        let mut parameters: Vec<u32> = Vec::with_capacity(6);
        let mut scalar = false;
        if let Some((register, mask)) = physical.destination {
            let (ty, number) = match register {
                Register::Output(output) => {
                    let place = self.output(output, step);
                    let is_size = place.usage.is_some_and(|(usage, _)| usage == DeclUsage::PointSize.code());
                    scalar = is_size && mask.bits() == 1;
                    (place.ty, place.number)
                }
                Register::Address(number) => (RegType::AddrOrTexture, number),
                Register::Temporary(number) => (RegType::Temp, number),
                _ => (RegType::Temp, 0),
            };
            // One number, without a mask.
            scalar |= ty == RegType::DepthOut || ty == RegType::RastOut && number > 0;
            let mask = if scalar { WriteMask::ALL } else { mask };
            let to = Destination::new(ty, number, mask).0;
            parameters.push(to | u32::from(physical.saturate) << 20);
        }
        for (n, operand) in physical.sources.iter().enumerate() {
            if physical.what == What::Discard {
                let source = Source(self.source(operand, step).0);
                let to = Destination::new(
                    source.reg_type().unwrap_or(RegType::Temp),
                    source.number(),
                    WriteMask::ALL,
                );
                parameters.push(to.0);
                continue;
            }
            let mut operand = *operand;
            if scalar && !matches!(op, Opcode::Dp3 | Opcode::Dp4) {
                operand.swizzle = Swizzle::splat(operand.swizzle.get(0));
            }
            let (source, index) = self.source_with_index(&operand, step);
            parameters.push(source.0);
            parameters.extend(index);
            if let (What::Read(number) | What::ReadProjected(number), 0) = (physical.what, n) {
                let read = self.interface.reads.get(number as usize);
                let slot = read
                    .and_then(|read| self.shader.textures.get(read.texture.index()))
                    .map_or(0, |texture| texture.slot as u16);
                parameters.push(Source::new(RegType::Sampler, slot, Swizzle::IDENTITY).0);
            }
        }
        match physical.what {
            What::If(Test::Constant { array, index, opposite }) => {
                let number = self.host_constant(RegType::ConstBool, array, index, step);
                let word = Source::new(RegType::ConstBool, number, Swizzle::IDENTITY).0;
                parameters.push(if opposite { word | NOT } else { word });
            }
            What::Loop(count) => {
                let number = match count {
                    Count::Constant { array, index } => {
                        self.host_constant(RegType::ConstInt, array, index, step)
                    }
                    Count::Number(rounds) => self.counts.get(&rounds).copied().unwrap_or(0),
                    Count::Endless => 0,
                };
                parameters.push(Source::new(RegType::ConstInt, number, Swizzle::IDENTITY).0);
            }
            _ => {}
        }
        self.instruction(op, control, &parameters, physical.steps.clone());
    }

    /// The number of a constant that only the host sets, which keeps its own.
    fn host_constant(&mut self, ty: RegType, array: u32, index: u32, step: u32) -> u16 {
        let number = u16::try_from(index).ok().filter(|number| *number < FLOW_CONSTANTS);
        let Some(number) = number else {
            let name = self.model.name;
            self.refusals.add(rules::CONSTANTS, &[&(index + 1), &name, &FLOW_CONSTANTS], step);
            return 0;
        };
        let target = self.name(ty, number);
        if !self.binding.constants.iter().any(|(known, _)| *known == target) {
            self.binding.constants.push((target, self.shader.param_name(ParamId(array), index)));
        }
        number
    }

    /// Defines the numbers of rounds: those that the program had before keep their constants.
    fn define_counts(&mut self, list: &[Physical]) {
        let mut taken: BTreeSet<u16> = BTreeSet::new();
        let mut wanted: BTreeSet<i32> = BTreeSet::new();
        for physical in list {
            match physical.what {
                What::Loop(Count::Constant { index, .. }) => _ = taken.insert(index as u16),
                What::Loop(Count::Number(rounds)) => _ = wanted.insert(rounds),
                _ => {}
            }
        }
        let before: Vec<(u16, i32)> = self.like.into_iter().flat_map(counts_of).collect();
        // What the host may set stays alone.
        let symbols = &self.shader.symbols.constants;
        let named = symbols.iter().filter(|symbol| symbol.array == "i");
        taken.extend(
            named.flat_map(|of| of.first..of.first.saturating_add(of.count).min(16)).map(|n| n as u16),
        );
        for rounds in wanted {
            let old = before.iter().find(|(_, value)| *value == rounds).map(|(number, _)| *number);
            let mut free = (0..FLOW_CONSTANTS).rev();
            let number = old.or_else(|| free.find(|number| !taken.contains(number)));
            let name = self.model.name;
            let Some(number) = number else {
                self.refusals.add(rules::CONSTANTS, &[&(FLOW_CONSTANTS + 1), &name, &FLOW_CONSTANTS], None);
                return;
            };
            if !(0..=255).contains(&rounds) {
                self.refusals.add(rules::FLOW, &[&name, &"loops of more than 255 rounds"], None);
            }
            taken.insert(number);
            self.counts.insert(rounds, number);
            let to = Destination::new(RegType::ConstInt, number, WriteMask::ALL).0;
            self.instruction(Opcode::Defi, 0, &[to, rounds as u32, 0, 0, 0], Vec::new());
        }
    }

    fn opcode(&self, what: What) -> (Opcode, u8) {
        let comparison = |name: &str| COMPARISONS.iter().find(|row| row.1 == name).map_or(0, |row| row.0);
        let read =
            |name: &str| TEXTURE_CONTROLS.iter().find(|row| row.name == name).map_or(0, |row| row.code);
        match what {
            What::Row(LOAD_INDEX) => (Opcode::Mov, 0),
            What::Row(row) => (Opcode::ALL.get(usize::from(row)).copied().unwrap_or(Opcode::Nop), 0),
            What::Index if self.version().major() >= 2 => (Opcode::Mova, 0),
            What::Read(number) => match self.interface.reads.get(number as usize).map(|read| read.lod) {
                Some(Lod::Bias) => (Opcode::Tex, read("texldb")),
                Some(Lod::Level) => (Opcode::Texldl, 0),
                Some(Lod::Gradient) => (Opcode::Texldd, 0),
                _ => (Opcode::Tex, 0),
            },
            What::ReadProjected(_) => (Opcode::Tex, read("texldp")),
            What::If(Test::Constant { .. }) => (Opcode::If, 0),
            What::If(Test::Compare(test)) => {
                let name = match test {
                    Pure::Eq => "eq",
                    Pure::Ne => "ne",
                    Pure::Ge => "ge",
                    _ => "lt",
                };
                (Opcode::Ifc, comparison(name))
            }
            What::Loop(_) => (Opcode::Rep, 0),
            What::EndLoop => (Opcode::Endrep, 0),
            What::Break => (Opcode::Break, 0),
            What::If(_) => (Opcode::Ifc, comparison("ne")),
            What::Else => (Opcode::Else, 0),
            What::EndIf => (Opcode::Endif, 0),
            What::Discard => (Opcode::Texkill, 0),
            _ => (Opcode::Mov, 0),
        }
    }

    fn source(&mut self, operand: &Operand, step: u32) -> Source {
        self.source_with_index(operand, step).0
    }

    /// A source, and the word of its index, if it has one.
    fn source_with_index(&mut self, operand: &Operand, step: u32) -> (Source, Option<u32>) {
        let mut relative = None;
        let (ty, number) = match operand.register {
            Register::Temporary(number) => (RegType::Temp, number),
            Register::Address(number) => (RegType::AddrOrTexture, number),
            Register::Input(input) => {
                let place = self.input(input, step);
                (place.ty, place.number)
            }
            Register::Output(_) | Register::Vertex { .. } => (RegType::Temp, 0),
            Register::Param { array, index } => {
                (RegType::Const, self.constants.get(&(array, index)).copied().unwrap_or(0))
            }
            Register::Literal(at) => (RegType::Const, self.literals.get(at as usize).copied().unwrap_or(0)),
            Register::ParamAt { offset, by, lane, .. } => {
                let IndexRegister::Address(register) = by else {
                    let what = "constants by something that is no address";
                    self.refusals.add(rules::INDEXED, &[&self.model.name, &what], step);
                    return (Source::new(RegType::Const, 0, operand.swizzle), None);
                };
                let number = u16::try_from(offset).ok().filter(|number| *number < 2048);
                if number.is_none() || !self.is_vertex() {
                    self.refusals.add(rules::INDEXED, &[&self.model.name, &"constants"], step);
                }
                relative = Some(Source::new(RegType::AddrOrTexture, register, Swizzle::splat(lane)).0);
                (RegType::Const, number.unwrap_or(0))
            }
        };
        let modifier = match (operand.negate, operand.absolute) {
            (false, false) => 0u32,
            (true, false) => 1,
            (false, true) => 11,
            (true, true) => 12,
        };
        let mut word = Source::new(ty, number, operand.swizzle).0 | modifier << 24;
        if relative.is_some() {
            word |= 1 << 13;
        }
        (Source(word), relative.filter(|_| self.version().has_lengths()))
    }

    /// Finds what the original runtime would refuse for a reason that the source does not have. Of programs that take the place of
    /// others only what lowering decides counts: they are compared with those.
    fn look_at_findings(&mut self, program: &Program) {
        let name = self.model.name;
        // Of half a program all sorts of things are wrong.
        let tells = self.own().is_none() && self.refusals.list.is_empty();
        for finding in vecasm_isa::d3d9::rules::validate(program, &self.model.options()) {
            match finding.id {
                DEPENDENT_READS => self.refusals.add(rules::DEPENDENT, &[&name], None),
                GRADIENT => self.refusals.add(rules::TEXTURE_FLOW, &[&name], None),
                id if FLOW_LIMITS.contains(&id) => {
                    let what = "room for so many or so deep conditionals and loops";
                    self.refusals.add(rules::FLOW, &[&name, &what], None);
                }
                id => {
                    let is_error = finding.severity == Severity::Error;
                    if is_error && !MISSING_OUTPUTS.contains(&id) && tells {
                        self.refusals.add(rules::REFUSED, &[&name, &finding.message], None);
                    }
                }
            }
        }
    }

    /// Finds whether the program has more slots than the model.
    fn look_at_slots(&mut self, program: &Program) {
        let caps = self.model.caps();
        let counts = slot_counts_on(program, &self.model.options());
        let name = self.model.name;
        let limits = [
            (counts.total(), caps.slots),
            (counts.texture, caps.texture_slots),
            (counts.arithmetic, caps.arithmetic_slots),
        ];
        for (need, most) in limits {
            if let Some(most) = most.filter(|most| need > *most) {
                self.refusals.add(rules::SLOTS, &[&need, &name, &most], None);
            }
        }
    }
}

/// The constants that a program defines, with their values.
fn definitions(program: &Program) -> impl Iterator<Item = (u32, [u32; 4])> + '_ {
    program.instructions().filter_map(|words| {
        let [token, to, x, y, z, w] = *words else { return None };
        let is = InstructionToken(token).opcode() == Some(Opcode::Def);
        is.then(|| (u32::from(Destination(to).number()), [x, y, z, w]))
    })
}

/// The constants that a program defines as numbers of rounds, with the numbers.
fn counts_of(program: &Program) -> impl Iterator<Item = (u16, i32)> + '_ {
    program.instructions().filter_map(|words| {
        let [token, to, rounds, ..] = *words else { return None };
        let is = InstructionToken(token).opcode() == Some(Opcode::Defi);
        is.then(|| (Destination(to).number(), rounds as i32))
    })
}

/// The code of the kind of a sampler; nothing if there is no such texture.
fn kind_of(dim: Dim) -> Option<u8> {
    let name = match dim {
        Dim::D2 => "2d",
        Dim::Cube => "cube",
        Dim::D3 => "volume",
        _ => return None,
    };
    SAMPLER_KINDS.iter().find(|row| row.1 == name).map(|row| row.0)
}
