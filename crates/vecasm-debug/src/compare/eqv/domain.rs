//! The lanes that can be chosen, and batches made of choices.

use super::interface::Interface;
use super::probe::Probed;
use super::values::{Manner, Pool};
use super::{Options, Pair, Range, Texels};
use alloc::vec;
use alloc::vec::Vec;
use vecasm_exec::interp::{Interp, StepEvent};
use vecasm_exec::runfile::{RunFile, SplitMix};
use vecasm_exec::texture::{Extent, Texture};
use vecasm_exec::{Batch, BoundTexture, Engine as _, Outputs, RunError};
use vecasm_ir::ir::{Dim, Filter, InputKind, Mip, SamplerState, Scalar, Shader, Stage, System, Wrap};

/// The inputs of the invocations that belong together: for each invocation, for each of [`Interface::inputs`], its bits.
pub type Unit = Vec<Vec<[u32; 4]>>;

/// What the invocations of a batch share.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// For each of [`Interface::constants`], its bits.
    pub constants: Vec<[u32; 4]>,
    /// For each of [`Interface::states`], its bits; `None` for the default.
    pub states: Vec<Option<[u32; 4]>>,
    /// For each of [`Interface::textures`], its texels and how they are read where the program does not say.
    pub textures: Vec<Option<(Texture, SamplerState)>>,
}

/// Something that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Of an invocation of the unit: the input.
    Input(usize, usize),
    Constant(usize),
    State(usize),
}

/// A lane that can be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) place: Place,
    pub(super) lane: usize,
    pub(super) scalar: Scalar,
}

/// Texels a side of a texture.
const SIDE: u32 = 4;
/// The most cases that are all tried.
const ALL_CASES: u32 = 4096;

/// What can be chosen.
pub(super) struct Domain {
    /// Invocations of a unit.
    pub(super) unit: usize,
    /// Whether one invocation sees what the one before left.
    pub(super) serial: bool,
    pub(super) lanes: Vec<Lane>,
    /// What textures hold.
    texels: Texels,
    /// What numbers are chosen from.
    range: Range,
    /// Rounds of loops that an invocation may make.
    fuel: u64,
    inputs: Vec<Kind>,
    constants: Vec<Kind>,
    states: Vec<Kind>,
    textures: Vec<Picture>,
}

/// An input, constant or state.
#[derive(Clone, Copy, Debug)]
struct Kind {
    scalar: Scalar,
    fixed: Option<[u32; 4]>,
    system: Option<System>,
    /// A texture's dimension: it follows from the texture.
    dimension: bool,
    /// A bit for each lane that is read; the others stay zero.
    lanes: u8,
    /// Of a state its default.
    default: [u32; 4],
    /// The state that a constant holds.
    holds: Option<usize>,
}

impl Kind {
    fn read(self, value: [u32; 4]) -> [u32; 4] {
        core::array::from_fn(|lane| if self.lanes >> lane & 1 == 1 { value[lane] } else { 0 })
    }
}

/// A texture.
#[derive(Clone, Copy, Debug)]
struct Picture {
    dim: Dim,
    scalar: Scalar,
    /// Whether a state decides the dimension in both shaders.
    open: bool,
}

impl Domain {
    pub(super) fn new(a: &Shader, b: &Shader, interface: &Interface, options: &Options) -> Self {
        let (texels, range, fuel) = (options.texels, options.range, options.fuel);
        let shaders = [a, b];
        let quads = a.stage == Stage::Fragment && shaders.iter().any(|s| vecasm_exec::interp::in_quads(s));
        let serial = shaders.iter().any(|s| s.serial);
        let unit = if quads || serial { 4 } else { 1 };
        let kind = |scalar, fixed, lanes| Kind {
            scalar,
            fixed,
            system: None,
            dimension: false,
            lanes,
            default: [0; 4],
            holds: None,
        };
        let inputs: Vec<Kind> = interface
            .inputs
            .iter()
            .map(|input| {
                let of = input.ids.iter().zip(shaders).find_map(|(id, s)| s.inputs.get((*id)?));
                let system = of.and_then(|of| match of.kind {
                    InputKind::System(system) => Some(system),
                    _ => None,
                });
                Kind { system, ..kind(input.scalar, input.fixed, input.lanes) }
            })
            .collect();
        let constants = interface.constants.iter();
        let constants: Vec<Kind> =
            constants.map(|e| Kind { holds: e.state, ..kind(e.scalar, e.fixed, e.lanes) }).collect();
        let states: Vec<Kind> = interface
            .states
            .iter()
            .map(|state| {
                let decides = |shader: &Shader, id: Option<usize>| {
                    let by = |t: &vecasm_ir::ir::Texture| t.dim_by.map(|by| by.index()) == id && id.is_some();
                    shader.textures.iter().any(by)
                };
                let dimension = shaders.iter().zip(state.ids).any(|(shader, id)| decides(shader, id));
                let of = |side: usize| shaders[side].states.get(state.ids[side]?);
                let default = of(0).or(of(1)).map_or([0; 4], |state| state.default);
                Kind { dimension, default, ..kind(state.scalar, state.fixed, state.lanes) }
            })
            .collect();
        let textures = interface
            .textures
            .iter()
            .map(|texture| {
                let of = |side: usize| shaders[side].textures.get(texture.ids[side]?);
                let dims: Vec<Dim> = [of(0), of(1)].into_iter().flatten().map(|t| t.dim).collect();
                let fixed = [of(0), of(1)].into_iter().flatten().find(|t| t.dim_by.is_none()).map(|t| t.dim);
                Picture {
                    dim: fixed.or(dims.first().copied()).unwrap_or(Dim::D2),
                    scalar: texture.scalar,
                    open: fixed.is_none(),
                }
            })
            .collect();
        let mut lanes = Vec::new();
        let mut add = |place: Place, kind: &Kind, mask: u8| {
            if kind.fixed.is_some() || kind.dimension || kind.holds.is_some() {
                return;
            }
            let each = (0..4).filter(|lane| mask >> lane & 1 == 1);
            lanes.extend(each.map(|lane| Lane { place, lane, scalar: kind.scalar }));
        };
        for invocation in 0..unit {
            for (n, (kind, input)) in inputs.iter().zip(&interface.inputs).enumerate() {
                add(Place::Input(invocation, n), kind, input.lanes);
            }
        }
        for (n, (kind, element)) in constants.iter().zip(&interface.constants).enumerate() {
            add(Place::Constant(n), kind, element.lanes);
        }
        for (n, (kind, state)) in states.iter().zip(&interface.states).enumerate() {
            add(Place::State(n), kind, state.lanes);
        }
        Self { unit, serial, lanes, texels, range, fuel, inputs, constants, states, textures }
    }

    /// Every case there is, if these are few.
    pub(super) fn all_cases(&self) -> Option<Vec<(Setting, Unit)>> {
        let bits = self.lanes.len() as u32;
        let few = self.lanes.iter().all(|lane| lane.scalar == Scalar::Bool) && bits <= ALL_CASES.ilog2();
        if !few || !self.textures.is_empty() {
            return None;
        }
        let cases = (0..1u32 << bits).map(|case| {
            let (mut setting, mut unit) = (self.plain_setting(), self.plain_unit());
            for (n, lane) in self.lanes.iter().enumerate() {
                self.set(&mut setting, &mut unit, lane, case >> n & 1);
            }
            (setting, unit)
        });
        Some(cases.collect())
    }

    /// A setting of zeros and defaults.
    fn plain_setting(&self) -> Setting {
        Setting {
            constants: self.constants.iter().map(|kind| kind.fixed.unwrap_or([0; 4])).collect(),
            states: self.states.iter().map(|kind| kind.fixed).collect(),
            textures: vec![None; self.textures.len()],
        }
    }

    fn plain_unit(&self) -> Unit {
        let row: Vec<[u32; 4]> = self.inputs.iter().map(|kind| kind.fixed.unwrap_or([0; 4])).collect();
        vec![row; self.unit]
    }

    /// A lane of a case.
    pub(super) fn get(&self, setting: &Setting, unit: &Unit, lane: &Lane) -> u32 {
        let value = match lane.place {
            Place::Input(invocation, n) => unit.get(invocation).and_then(|row| row.get(n)).copied(),
            Place::Constant(n) => setting.constants.get(n).copied(),
            Place::State(n) => setting.states.get(n).copied().flatten(),
        };
        value.map_or(0, |value| value[lane.lane])
    }

    /// Changes a lane of a case, to the nearest number of those that there are. A state that has its default gets zeros in
    /// its other lanes.
    pub(super) fn set(&self, setting: &mut Setting, unit: &mut Unit, lane: &Lane, bits: u32) {
        let given = match lane.place {
            Place::Input(_, n) => self.inputs.get(n).is_some_and(|kind| kind.system.is_some()),
            _ => false,
        };
        let bits = if lane.scalar == Scalar::F32 && !given { self.range.nearest(bits) } else { bits };
        let value = match lane.place {
            Place::Input(invocation, n) => unit.get_mut(invocation).and_then(|row| row.get_mut(n)),
            Place::Constant(n) => setting.constants.get_mut(n),
            Place::State(n) => setting.states.get_mut(n).map(|state| state.get_or_insert([0; 4])),
        };
        if let Some(value) = value {
            value[lane.lane] = bits;
        }
    }

    /// A setting at random; the first one is ordinary.
    pub(super) fn setting(&self, pool: &Pool, random: &mut SplitMix, round: usize) -> Setting {
        let manner = pool.manner(random, round);
        let few = [random.ordinary(), random.ordinary()];
        let mut setting = self.plain_setting();
        for (value, kind) in setting.constants.iter_mut().zip(&self.constants) {
            if kind.fixed.is_none() && kind.holds.is_none() {
                // One array in a manner, single elements in others.
                let manner = if random.below(8) == 0 { pool.manner(random, 1) } else { manner };
                *value = kind.read(self.drawn(pool.vector(random, manner, kind.scalar, few), kind.scalar));
            }
        }
        for (value, kind) in setting.states.iter_mut().zip(&self.states) {
            if kind.fixed.is_none() && !kind.dimension && random.below(2) == 0 {
                let drawn = self.drawn(pool.vector(random, manner, kind.scalar, few), kind.scalar);
                *value = Some(kind.read(drawn));
            }
        }
        for (bound, of) in setting.textures.iter_mut().zip(&self.textures) {
            let dims = [Dim::D2, Dim::D2, Dim::Cube, Dim::D3];
            let dim = if of.open && round > 0 { dims[random.below(4) as usize] } else { of.dim };
            *bound = texture(random, dim, of.scalar, (self.texels, self.range), round);
        }
        setting
    }

    /// A unit at random: its number is `n` of its setting, the `round`th.
    pub(super) fn unit(&self, pool: &Pool, random: &mut SplitMix, round: usize, n: usize) -> Unit {
        let manner = if round == 0 && n < 4 { Manner::Ordinary } else { pool.manner(random, n * 2 + 1) };
        let manner = if n % 2 == 0 && round % 2 == 0 { Manner::Ordinary } else { manner };
        let few = [random.ordinary(), random.ordinary()];
        let mut unit = self.plain_unit();
        // Neighbours are alike in half of all quads, so that derivatives are small.
        let smooth = self.unit > 1 && !self.serial && random.below(2) == 0;
        for (input, kind) in self.inputs.iter().enumerate() {
            if kind.fixed.is_some() {
                continue;
            }
            let first = self.input(pool, random, kind, manner, few);
            let slopes: [f32; 2] = [random.below(64), random.below(64)].map(|s| s as f32 / 256.0);
            for (i, row) in unit.iter_mut().enumerate() {
                let Some(value) = row.get_mut(input) else { continue };
                *value = match (smooth && kind.scalar == Scalar::F32, i) {
                    (_, 0) => first,
                    (true, _) => first.map(|bits| {
                        let step = (i & 1) as f32 * slopes[0] + (i >> 1) as f32 * slopes[1];
                        (f32::from_bits(bits) + step).to_bits()
                    }),
                    (false, _) => self.input(pool, random, kind, manner, few),
                };
                if kind.system == Some(System::FragCoord) {
                    // Pixels of a quad stand side by side.
                    let corner = [first[0], first[1]].map(|b| f32::from_bits(b).floor_half());
                    value[0] = (corner[0] + (i & 1) as f32).to_bits();
                    value[1] = (corner[1] + (i >> 1 & 1) as f32).to_bits();
                }
                if kind.system.is_none() {
                    *value = self.drawn(*value, kind.scalar);
                }
                *value = kind.read(*value);
            }
        }
        unit
    }

    /// Numbers at random as ones of those that there are.
    fn drawn(&self, value: [u32; 4], scalar: Scalar) -> [u32; 4] {
        if scalar == Scalar::F32 { value.map(|bits| self.range.drawn(bits)) } else { value }
    }

    fn input(
        &self,
        pool: &Pool,
        random: &mut SplitMix,
        kind: &Kind,
        manner: Manner,
        few: [u32; 2],
    ) -> [u32; 4] {
        match kind.system {
            Some(System::FragCoord) => {
                let pixel = |random: &mut SplitMix| (random.below(640) as f32 + 0.5).to_bits();
                let unit = |random: &mut SplitMix| pool.lane(random, Manner::Unit, Scalar::F32);
                [pixel(random), pixel(random), unit(random), unit(random)]
            }
            Some(system) if system.ty().scalar != Scalar::F32 => {
                core::array::from_fn(|_| pool.lane(random, manner, kind.scalar))
            }
            _ => pool.vector(random, manner, kind.scalar, few),
        }
    }

    /// What a constant holds that holds a state.
    fn held(&self, setting: &Setting, constant: usize) -> Option<[u32; 4]> {
        let of = self.constants.get(constant)?;
        let n = of.holds?;
        let state = self.states.get(n)?;
        let value = setting.states.get(n).copied().flatten().unwrap_or(state.default);
        Some(value.map(|bits| of_state(bits, state.scalar, of.scalar)))
    }

    /// The batch of some units for one of the shaders.
    fn batch<'a>(
        &self,
        side: usize,
        shader: &Shader,
        interface: &Interface,
        setting: &'a Setting,
        units: &[Unit],
    ) -> Batch<'a> {
        let count = units.iter().map(Vec::len).sum();
        let mut batch = Batch {
            count,
            inputs: vec![Vec::new(); shader.inputs.len()],
            params: vec![Vec::new(); shader.params.len()],
            states: vec![None; shader.states.len()],
            textures: vec![None; shader.textures.len()],
            fuel: Some(self.fuel),
            ..Batch::default()
        };
        for (n, input) in interface.inputs.iter().enumerate() {
            let Some(list) = input.ids[side].and_then(|id| batch.inputs.get_mut(id)) else { continue };
            list.extend(units.iter().flatten().map(|row| row.get(n).copied().unwrap_or([0; 4])));
        }
        for (n, (element, value)) in interface.constants.iter().zip(&setting.constants).enumerate() {
            let Some((array, index)) = element.places[side] else { continue };
            let Some(elements) = batch.params.get_mut(array) else { continue };
            let index = index as usize;
            if elements.len() <= index {
                elements.resize(index + 1, [0; 4]);
            }
            elements[index] = self.held(setting, n).unwrap_or(*value);
        }
        for (state, value) in interface.states.iter().zip(&setting.states) {
            if let Some(to) = state.ids[side].and_then(|id| batch.states.get_mut(id)) {
                *to = *value;
                // The lanes beyond a state's type are zero.
                if let (Some(value), Some(of)) = (to, state.ids[side].and_then(|id| shader.states.get(id))) {
                    value[usize::from(of.ty.lanes).min(4)..].fill(0);
                }
            }
        }
        for (texture, bound) in interface.textures.iter().zip(&setting.textures) {
            let Some((texels, sampler)) = bound else { continue };
            let Some(id) = texture.ids[side] else { continue };
            let (Some(of), Some(to)) = (shader.textures.get(id), batch.textures.get_mut(id)) else {
                continue;
            };
            *to = Some(BoundTexture { texture: texels, sampler: of.sampler.unwrap_or(*sampler) });
            if let Some(by) = of.dim_by {
                let number = Dim::ALL.iter().position(|dim| *dim == texels.dim()).unwrap_or(0);
                if let Some(state) = batch.states.get_mut(by.index()) {
                    *state = Some([number as u32, 0, 0, 0]);
                }
            }
        }
        batch
    }

    /// Runs units of one setting through one of the shaders.
    pub(super) fn run(
        &self,
        side: usize,
        shader: &Shader,
        interface: &Interface,
        setting: &Setting,
        units: &[Unit],
    ) -> Result<Outputs, RunError> {
        let batch = self.batch(side, shader, interface, setting, units);
        let outputs = Interp.run(shader, &batch)?;
        Ok(with_params(outputs, batch))
    }

    /// The same, watched.
    pub(super) fn run_watched(
        &self,
        side: usize,
        shader: &Shader,
        interface: &Interface,
        setting: &Setting,
        units: &[Unit],
        watch: &mut dyn FnMut(&StepEvent<'_>),
    ) -> Result<Outputs, RunError> {
        let batch = self.batch(side, shader, interface, setting, units);
        let outputs = Interp.run_watched(shader, &batch, watch)?;
        Ok(with_params(outputs, batch))
    }

    /// The same, noting what is reached.
    pub(super) fn run_probed(
        &self,
        side: usize,
        probed: &mut Probed,
        interface: &Interface,
        setting: &Setting,
        units: &[Unit],
    ) -> Result<Outputs, RunError> {
        let batch = self.batch(side, &probed.shader, interface, setting, units);
        let (shader, notes) = probed.parts();
        let outputs = Interp.run_watched(shader, &batch, &mut |event| notes.note(event))?;
        Ok(with_params(outputs, batch))
    }
}

/// A lane of a state as a constant of some type holds it.
pub(super) fn of_state(bits: u32, state: Scalar, constant: Scalar) -> u32 {
    match (state, constant) {
        (Scalar::F32, _) | (_, Scalar::I32 | Scalar::U32 | Scalar::Bool) => bits,
        (Scalar::I32, _) => (bits as i32 as f32).to_bits(),
        _ => (bits as f32).to_bits(),
    }
}

/// Constants that a shader cannot write are what they were.
fn with_params(outputs: Outputs, batch: Batch<'_>) -> Outputs {
    if outputs.params.is_empty() { Outputs { params: batch.params, ..outputs } } else { outputs }
}

/// The number of a pixel's centre.
trait FloorHalf {
    fn floor_half(self) -> Self;
}

impl FloorHalf for f32 {
    fn floor_half(self) -> Self {
        // Even, so that a quad starts here; pixels are below 640.
        ((self as u32) & !1) as Self + 0.5
    }
}

/// Texels at random: noise, one colour, steps, or, if they may be any, now and then numbers far outside 0..=1.
fn texture(
    random: &mut SplitMix,
    dim: Dim,
    scalar: Scalar,
    (texels, range): (Texels, Range),
    round: usize,
) -> Option<(Texture, SamplerState)> {
    let extent = Extent {
        height: if dim.axes() > 1 { SIDE } else { 1 },
        depth: if dim == Dim::D3 { SIDE } else { 1 },
        layers: if dim.arrayed() { 2 } else { 1 },
        samples: if dim.multisampled() { 4 } else { 1 },
        ..Extent::new(SIDE, 1)
    };
    let manners = match texels {
        Texels::Any => 8,
        Texels::Unorm => 6,
    };
    let manner = if round == 0 { 0 } else { random.below(manners) };
    let color: [u32; 4] = [(); 4].map(|()| (random.below(256) as f32 / 255.0).to_bits());
    let levels = if dim.has_levels() { SIDE.ilog2() } else { 0 };
    let levels = (0..=levels).map(|level| {
        let texels = extent.level(level).texels(dim);
        let lane = |random: &mut SplitMix, n: u64, lane: usize| match (scalar, manner) {
            (Scalar::F32, 4) => color[lane],
            (Scalar::F32, 5) => (((n >> lane) & 1) as f32).to_bits(),
            (Scalar::F32, 6) => random.ordinary(),
            (Scalar::F32, 7) if random.below(8) == 0 => special(random),
            (Scalar::F32, _) => (random.below(256) as f32 / 255.0).to_bits(),
            _ => random.next() as u32,
        };
        let mut lane = |n: u64, l: usize| {
            let bits = lane(random, n, l);
            if scalar == Scalar::F32 { range.drawn(bits) } else { bits }
        };
        (0..texels).map(|n| [0, 1, 2, 3].map(|l| lane(n, l))).collect()
    });
    let levels = levels.collect();
    let texels = Texture::new(dim, scalar, extent, levels).ok()?;
    let smooth = scalar == Scalar::F32 && random.below(2) == 0;
    let sampler = if smooth {
        SamplerState {
            mip: Mip::Nearest,
            ..SamplerState::PLAIN.with_wrap(Wrap::Repeat).with_filter(Filter::Linear)
        }
    } else {
        SamplerState::PLAIN.with_wrap(Wrap::Repeat)
    };
    Some((texels, sampler))
}

fn special(random: &mut SplitMix) -> u32 {
    [0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 0x8000_0000][random.below(4) as usize]
}

/// Texels of one colour, for smaller counter-examples.
pub(super) fn plain_texture(like: &Texture, color: [u32; 4]) -> Option<Texture> {
    let dim = like.dim();
    let extent = Extent {
        layers: if dim.arrayed() { 2 } else { 1 },
        samples: if dim.multisampled() { 4 } else { 1 },
        ..Extent::new(1, 1)
    };
    let texels = extent.texels(dim) as usize;
    Texture::new(dim, like.scalar(), extent, vec![vec![color; texels]]).ok()
}

/// The texture nearest to one that a texture of 8 bits a channel can hold; `None` if it is one.
pub(super) fn unorm_texture(like: &Texture) -> Option<Texture> {
    let levels = (0..like.level_count()).map(|level| like.texels(level).to_vec());
    let mut levels: Vec<Vec<[u32; 4]>> = levels.collect();
    let lanes = || levels.iter().flatten().flatten();
    if like.scalar() != Scalar::F32 || lanes().all(|bits| Texels::Unorm.hold(*bits)) {
        return None;
    }
    levels.iter_mut().flatten().flatten().for_each(|bits| *bits = super::unorm(*bits));
    let [width, height, slices] = like.size(0)?;
    let (dim, layers) = (like.dim(), like.layers());
    let depth = if dim == Dim::D3 { slices } else { 1 };
    let extent = Extent { depth, layers, samples: like.samples(), ..Extent::new(width, height) };
    Texture::new(dim, Scalar::F32, extent, levels).ok()
}

impl Pair<'_> {
    /// A case with one lane changed.
    pub(super) fn with(&self, setting: &Setting, unit: &Unit, lane: &Lane, bits: u32) -> (Setting, Unit) {
        let (mut setting, mut unit) = (setting.clone(), unit.clone());
        self.domain.set(&mut setting, &mut unit, lane, bits);
        (setting, unit)
    }
}

impl super::Counterexample {
    /// The counter-example as a run file for one of the shaders: 0 for the first one, 1 for the second one. Constants and
    /// inputs that the comparison does not choose are zero.
    pub fn run_file(&self, a: &Shader, b: &Shader, interface: &Interface, side: usize) -> RunFile {
        let domain = Domain::new(a, b, interface, &Options { fuel: 0, ..Options::default() });
        let side = side.min(1);
        let shader = if side == 0 { a } else { b };
        let units = core::slice::from_ref(&self.unit);
        let batch = domain.batch(side, shader, interface, &self.setting, units);
        let mut out = RunFile { fuel: None, ..RunFile::of(&batch) };
        for (elements, array) in out.params.iter_mut().zip(&shader.params) {
            // Whatever the program names has to be there.
            let least = if array.indexed { array.size } else { array.used } as usize;
            if elements.len() < least {
                elements.resize(least, [0; 4]);
            }
        }
        out.inputs.iter_mut().for_each(|list| list.resize(out.count, [0; 4]));
        out
    }
}
