//! Random shaders that keep every rule of the IR, for testing passes and engines.

mod maker;
mod operation;

pub use operation::operation;

use super::build::Builder;
use super::{
    Buffer, BufferKind, Dim, Input, InputKind, LocalArray, Op, Output, OutputId, OutputKind, ParamArray,
    Scalar, Shader, Stage, State, StateId, System, Texture, Type,
};
use crate::operand::WriteMask;
use alloc::format;
use maker::Maker;

/// A small pseudo-random generator (xorshift64*), the same on every platform.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed; any will do.
    pub fn new(seed: u64) -> Self {
        // The finalizer of splitmix64: every seed starts somewhere else, and none at 0.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Self(if z == 0 { 1 } else { z })
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// The bits of an f32: ordinary numbers mostly, zeros, ones, infinities, NaN and denormals sometimes.
    pub fn float(&mut self) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x7f7f_ffff,
            0x4000_0000,
        ];
        if self.one_in(3) {
            return SPECIAL[self.below(SPECIAL.len())];
        }
        let magnitude = self.below(4000) as f32 / 250.0 - 8.0;
        magnitude.to_bits()
    }
}

/// How large a random shader gets.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes, about.
    pub nodes: usize,
    /// Deepest nesting of regions.
    pub depth: usize,
}

/// What may be in a random shader beside 32-bit values, ifs, blocks, loops, demotion, parameters and output cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Stages other than vertex and fragment: patches, primitives that come out vertex by vertex, workgroups with
    /// barriers in
    /// uniform flow and shared memory.
    pub stages: bool,
    /// Values of 64 bits.
    pub wide: bool,
    /// Vectors of more than two of them.
    pub broad: bool,
    /// Zero-wins and nv20 arithmetic, flushed denormals.
    pub arithmetic: bool,
    /// Switches.
    pub switches: bool,
    /// Idioms.
    pub idioms: bool,
    /// Local arrays, directly and by computed index.
    pub locals: bool,
    /// Outputs and inputs by computed index.
    pub indexed: bool,
    /// State values, and a texture whose dimension is one.
    pub states: bool,
    /// Buffers and atomics.
    pub memory: bool,
    /// Derivatives, votes and their kin.
    pub groups: bool,
    /// Serial shaders, which write parameters.
    pub serial: bool,
    /// Fragment shaders with derivatives and implicit levels wherever flow diverges, mostly of what elementary functions
    /// give, so that invocations show others what they computed without taking part. Passes need not keep that, and
    /// [`ALL`](Self::ALL) does not have it.
    pub quads: bool,
}

impl Kind {
    /// Nothing more.
    pub const BASIC: Self = Self {
        stages: false,
        wide: false,
        broad: false,
        arithmetic: false,
        switches: false,
        idioms: false,
        locals: false,
        indexed: false,
        states: false,
        memory: false,
        groups: false,
        serial: false,
        quads: false,
    };

    /// Everything that passes have to keep.
    pub const ALL: Self = Self {
        stages: true,
        wide: true,
        broad: true,
        arithmetic: true,
        switches: true,
        idioms: true,
        locals: true,
        indexed: true,
        states: true,
        memory: true,
        groups: true,
        serial: true,
        quads: false,
    };

    /// Each of what is allowed with a chance of a half.
    fn some(self, rng: &mut Rng) -> Self {
        let mut half = |allowed: bool| allowed && rng.one_in(2);
        Self {
            stages: half(self.stages),
            wide: half(self.wide),
            broad: self.broad,
            arithmetic: half(self.arithmetic),
            switches: half(self.switches),
            idioms: half(self.idioms),
            locals: half(self.locals),
            indexed: half(self.indexed),
            states: half(self.states),
            memory: half(self.memory),
            groups: half(self.groups),
            serial: half(self.serial),
            quads: self.quads,
        }
    }
}

/// Makes a fragment or vertex shader with two inputs, a parameter array of 4 elements, and two output cells:
/// [`program`] of [`Kind::BASIC`].
pub fn shader(rng: &mut Rng, size: Size) -> Shader {
    program(rng, size, Kind::BASIC)
}

/// Makes a shader with some of what `kind` allows. It verifies, and it ends: loops are bounded by fuel only, so run it
/// with little.
///
/// What an inactive invocation would show others in divergent flow is not asked for, so passes have to keep all results;
/// but for [`Kind::quads`].
pub fn program(rng: &mut Rng, size: Size, kind: Kind) -> Shader {
    let mut kind = kind.some(rng);
    let stage = if kind.quads {
        Stage::Fragment
    } else if kind.stages {
        Stage::ALL[rng.below(Stage::ALL.len())]
    } else if rng.one_in(2) {
        Stage::Fragment
    } else {
        Stage::Vertex
    };
    let mut b = Builder::new(stage, "random", &["r"], size.nodes);
    let serial = kind.serial && stage == Stage::Vertex;
    b.shader.serial = serial;
    // Serial invocations have no subgroup. Where only a vote makes groups, the order of writes to memory depends on it.
    kind.groups &= !serial;
    let alone = matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry);
    kind.memory &= !(alone && kind.groups);
    tables(&mut b.shader, kind, rng);
    let outputs = b.shader.outputs.len();
    let mut maker = Maker::new(rng, b, kind, size);
    maker.inputs();
    maker.nodes(size.depth, size.nodes);
    for output in 0..outputs {
        let scalar = maker.b.shader.outputs[output].scalar;
        let arg = maker.mixed(scalar);
        let output = OutputId(output as u32);
        maker.b.effect(Op::StoreOutput { output, mask: WriteMask::ALL }, &[arg]);
    }
    maker.end();
    maker.b.finish()
}

fn tables(shader: &mut Shader, kind: Kind, rng: &mut Rng) {
    let stage = shader.stage;
    let ones = [0, 0, 0, 0x3f80_0000];
    for location in 0..2 {
        let kind = match stage {
            Stage::Vertex => InputKind::Attribute { location },
            Stage::Compute if location == 0 => InputKind::System(System::LocalIndex),
            Stage::Compute => InputKind::System(System::GroupIndex),
            _ => InputKind::Varying { location },
        };
        let ty = if let InputKind::System(system) = kind { system.ty() } else { Type::F32X4 };
        shader.inputs.push(Input::new(format!("i{location}"), kind, ty));
    }
    shader.params.push(ParamArray { used: 4, indexed: true, ..ParamArray::new("c", 4) });
    if stage != Stage::Compute {
        for n in 0..2 {
            let kind = match stage {
                Stage::Fragment => OutputKind::Color { target: n },
                _ => OutputKind::Varying { location: n },
            };
            let carried = shader.serial && rng.one_in(3);
            let output = Output { init: ones, carried, ..Output::new(format!("o{n}"), kind) };
            shader.outputs.push(output);
        }
    }
    if kind.indexed && stage != Stage::Compute {
        let kind = match stage {
            Stage::Fragment => OutputKind::Color { target: 2 },
            Stage::TessControl => OutputKind::PatchVarying { location: 0 },
            _ => OutputKind::Varying { location: 2 },
        };
        shader.outputs.push(Output { scalar: Scalar::U32, ..Output::new("u", kind) });
        shader.params.push(ParamArray {
            scalar: Scalar::U32,
            used: 3,
            indexed: true,
            fixed: alloc::vec![(0, [1, 2, 3, 4]), (2, [0xffff_fffd, 0, 7, 0x3f80_0000])],
            ..ParamArray::new("k", 3)
        });
    }
    if kind.locals {
        for (name, scalar, size) in [("t", Scalar::F32, 3), ("n", Scalar::U32, 2)] {
            shader.locals.push(LocalArray { name: name.into(), scalar, size });
        }
    }
    if kind.states {
        for (name, ty, default) in [
            ("fog", Type::F32X4, ones),
            ("level", Type::U32, [2, 0, 0, 0]),
            ("flat", Type::BOOL, [1, 0, 0, 0]),
            ("dim", Type::U32, [1, 0, 0, 0]),
        ] {
            shader.states.push(State { name: name.into(), ty, default });
        }
        let dim_by = Some(StateId(3));
        shader.textures.push(Texture { dim_by, ..Texture::new("s0", 0, Dim::D2) });
    }
    if kind.quads {
        let slot = shader.textures.len() as u32;
        shader.textures.push(Texture::new("near", slot, Dim::D2));
    }
    if kind.memory || stage == Stage::Compute {
        for (slot, kind, write) in [(0, BufferKind::Storage, true), (1, BufferKind::Uniform, false)] {
            shader.buffers.push(Buffer { name: format!("b{slot}"), slot, kind, write });
        }
    }
    match stage {
        Stage::TessControl => (shader.setup.vertices_in, shader.setup.invocations) = (3, 4),
        Stage::TessEval => shader.setup.vertices_in = 3,
        Stage::Geometry => {
            shader.setup.vertices_in = 3;
            shader.setup.max_vertices = 1 + rng.below(12) as u32;
            shader.setup.primitive_limit = rng.one_in(3);
        }
        Stage::Compute => {
            shader.setup.workgroup = [2, 1 + rng.below(2) as u32, 1];
            shader.setup.shared = 32;
        }
        Stage::Vertex | Stage::Fragment => {}
    }
}
