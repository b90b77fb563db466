//! The intermediate representation: what a program *means*, with no register of its source left.
//!
//! # Semantics
//!
//! A [`Shader`] describes what one **invocation** of a stage computes. Everything below holds for all sources;
//! what a variant of [`Op`] does exactly stands at the variant, and nowhere else.
//!
//! **Values.** A value has 1–4 lanes of one [`Scalar`] type and is defined once. Registers of the source are
//! renamed lane by lane while lifting: an [`Arg`] picks lanes of *one* value by a swizzle; lanes of several
//! values are put together by [`Op::Compose`]. Integer bits are never held in an f32 value: where a source has
//! untyped registers, lifting decides the type of each web of definitions and uses. A value may carry a
//! [`Home`]: the register it came from. It is a hint for names and never changes the meaning.
//!
//! **Regions.** A [`Region`] is a list of [`Node`]s run in order, and the values it *yields* at its end. Regions
//! nest: [`Node::If`], [`Node::Block`] and [`Node::Loop`] each own regions and define result values. A value is
//! visible in the region that defines it, after its definition, and in the regions inside. A block runs its
//! region once; its results are the yields. An `if` runs one of two; its results are the yields of the one that
//! ran. A loop starts with its initial arguments in the loop's parameters; reaching the end of its region goes
//! round again with the yields as the new parameters. [`Node::Leave`] ends a block or loop by its label with the
//! given values as its results; [`Node::Again`] starts the next round of a loop. Both may cross any number of
//! regions. (Fallthrough, `DEFAULT` anywhere and returns inside flow become nested blocks.)
//!
//! **Groups.** Invocations run in groups: the invocations that can see one another. In the fragment stage a
//! group is a 2×2 quad in the order left-top, right-top, left-bottom, right-bottom; elsewhere one invocation
//! (a later patch, workgroup or vote group is only a larger group). A group runs in lock step, node by node,
//! under a mask of active invocations. A region is entered if any invocation of the group is active in it.
//! *Pure operations are computed for every invocation of the group, active or not*; the mask guards effects
//! (stores, demotion, exits) and selects the results of an `if`. So a derivative inside divergent flow is
//! defined: it sees what the other invocations would have computed there. Once no invocation is active in a
//! region, the rest of it is skipped; the yields of an arm or block whose end nobody reached count as zero. An
//! invocation that was not active gets a block's yields, and zero from a loop; one that does not go round a loop
//! keeps the loop's parameters as they were. (Only a derivative in divergent flow can see these.)
//!
//! **Helpers.** [`Op::Demote`] makes an invocation a helper: its stores no longer happen, the rest goes on.
//! Fragment invocations may also start as helpers, to complete a quad.
//!
//! **Outputs are cells**, not results: four f32 lanes that start at the cell's [`Output::init`], may be written in
//! part, several times, and read back. A pass may turn cells into values; lifting does not.
//!
//! **Parameters** are arrays of four-lane constants set from outside. A load with a computed index states its
//! out-of-range rule.
//!
//! **Arithmetic** is an attribute of each instruction ([`Arith`]), not of the shader. Quirks of hardware are
//! operations and attributes chosen while lifting; nothing after lifting asks which ISA a shader came from.
//!
//! **NaN.** The sign and payload of an arithmetic result are not a value; where bits become visible they are
//! canonical, `7fc00000`. `neg`, `abs`, `select` and moves keep bits.
//!
//! **Denormals** are kept.
//!
//! **Fuel.** Going round a loop costs each active invocation one unit. An invocation without fuel stops: its
//! outputs so far count, and it is reported as exhausted.
//!
//! **Steps.** A shader may carry the provenance of every write: see [`steps`].
//!
//! **State outside the shader** (the dimension, filter and wrap of a texture that the program does not fix) is
//! part of the binding: see [`Texture`].

pub mod build;
pub mod op;
pub mod random;
mod resource;
pub mod steps;
pub mod text;
pub mod verify;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

pub use op::{Arith, Lod, Op, OutOfRange, Pure};
pub use resource::*;

/// The type of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// IEEE 754 binary32.
    F32,
    /// 32-bit two's complement.
    I32,
    /// 32-bit unsigned.
    U32,
    /// True or false.
    Bool,
    /// IEEE 754 binary64.
    F64,
    /// 64-bit two's complement.
    I64,
    /// 64-bit unsigned.
    U64,
}

impl Scalar {
    /// The spelling: `f32`, `i32`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::Bool => "bool",
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }
}

/// The type of a value: 1–4 lanes of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Type of each lane.
    pub scalar: Scalar,
    /// Number of lanes, 1–4.
    pub lanes: u8,
}

impl Type {
    /// One f32.
    pub const F32: Self = Self { scalar: Scalar::F32, lanes: 1 };
    /// Four f32.
    pub const F32X4: Self = Self { scalar: Scalar::F32, lanes: 4 };
    /// One bool.
    pub const BOOL: Self = Self { scalar: Scalar::Bool, lanes: 1 };

    /// `lanes` lanes of `scalar`.
    pub const fn new(scalar: Scalar, lanes: u8) -> Self {
        Self { scalar, lanes }
    }
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $Id:ident;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Id(pub u32);

        impl $Id {
            /// The position in its table.
            pub const fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// A value: an index into [`Shader::values`].
    Value;
    /// An input: an index into [`Shader::inputs`].
    InputId;
    /// An output cell: an index into [`Shader::outputs`].
    OutputId;
    /// A parameter array: an index into [`Shader::params`].
    ParamId;
    /// A texture with its sampler: an index into [`Shader::textures`].
    TextureId;
    /// The label of a block or loop, unique in the shader.
    Label;
}

/// Some lanes of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The value.
    pub value: Value,
    /// Lane `i` of the argument is lane `swizzle.get(i)` of the value.
    pub swizzle: crate::isa::operand::Swizzle,
    /// Number of lanes, 1–4.
    pub lanes: u8,
}

impl Arg {
    /// All lanes of `value`, which has `lanes` of them.
    pub const fn whole(value: Value, lanes: u8) -> Self {
        Self { value, swizzle: crate::isa::operand::Swizzle::IDENTITY, lanes }
    }

    /// One lane of `value`.
    pub const fn lane(value: Value, lane: u8) -> Self {
        Self { value, swizzle: crate::isa::operand::Swizzle::splat(lane), lanes: 1 }
    }
}

/// A run of [`Shader::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Args {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// The register a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Home {
    /// Register file: an index into [`Shader::files`].
    pub file: u8,
    /// Register number; [`Home::ONLY`] for the only register of its file, which has none.
    pub index: u16,
}

impl Home {
    /// The number of a register that has none.
    pub const ONLY: u16 = u16::MAX;
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
    /// The register it came from, if it is a hint worth having.
    pub home: Option<Home>,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    /// What is done.
    pub op: Op,
    /// By which arithmetic.
    pub arith: Arith,
    /// The value defined, if the operation gives one.
    pub result: Option<Value>,
    /// The arguments.
    pub args: Args,
    /// Number of the source instruction, from 0.
    pub step: u32,
}

/// A list of nodes and what it yields at its end.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Region {
    /// Run in order.
    pub nodes: Vec<Node>,
    /// The values at the end, one for each result (or loop parameter) of the owner.
    pub yields: Args,
}

/// An instruction or a nested construct.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// One operation.
    Inst(Inst),
    /// Runs one of two regions.
    If(Box<If>),
    /// Runs its region once; [`Node::Leave`] may end it early.
    Block(Box<Block>),
    /// Runs its region until a [`Node::Leave`] ends it.
    Loop(Box<Loop>),
    /// Ends the block or loop `label`.
    Leave {
        /// Which one.
        label: Label,
        /// Its results.
        values: Args,
    },
    /// Starts the next round of the loop `label`.
    Again {
        /// Which one.
        label: Label,
        /// Its parameters.
        values: Args,
    },
}

/// See [`Node::If`].
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// One bool lane.
    pub cond: Arg,
    /// Run where the condition is true.
    pub then: Region,
    /// Run where it is false.
    pub otherwise: Region,
    /// Defined by the yields of the region that ran.
    pub results: Vec<Value>,
}

/// See [`Node::Block`].
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its name for exits.
    pub label: Label,
    /// What is run.
    pub body: Region,
    /// Defined by the yields or by the leave that ended it.
    pub results: Vec<Value>,
}

/// See [`Node::Loop`].
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its name for exits.
    pub label: Label,
    /// The values carried round; visible in the body.
    pub params: Vec<Value>,
    /// What the parameters are in the first round.
    pub init: Args,
    /// What is run; its yields are the parameters of the next round.
    pub body: Region,
    /// Defined by the leave that ended it.
    pub results: Vec<Value>,
}

/// The stage of the pipeline a shader is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Once a vertex.
    Vertex,
    /// Once a control point of a patch.
    TessControl,
    /// Once a vertex of a tessellated patch.
    TessEval,
    /// Once a primitive.
    Geometry,
    /// Once a fragment, in quads.
    Fragment,
    /// Once a work item.
    Compute,
}

impl Stage {
    /// The word used everywhere: `vertex`, `fragment`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::TessControl => "tess-control",
            Self::TessEval => "tess-eval",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// A vertex attribute; missing components are filled from (0, 0, 0, 1).
    Attribute {
        /// Its location.
        location: u32,
    },
    /// A value interpolated over the primitive with perspective correction.
    Varying {
        /// Its location.
        location: u32,
    },
    /// The number of the instance, u32.
    InstanceIndex,
}

/// An input of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The register it came from, as the ISA spells it: `va0`.
    pub name: String,
    /// What it is.
    pub kind: InputKind,
    /// Its type.
    pub ty: Type,
}

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputKind {
    /// The clip-space position, with z in 0..=w.
    Position,
    /// A value interpolated over the primitive.
    Varying {
        /// Its location.
        location: u32,
    },
    /// A colour of render target `target`.
    Color {
        /// Which target.
        target: u32,
    },
    /// The depth of the fragment, in lane x, 0..=1.
    Depth,
}

/// An output cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The register it came from, as the ISA spells it: `op`, `v0`, `fo1`.
    pub name: String,
    /// What it is.
    pub kind: OutputKind,
    /// The bits before the first write.
    pub init: [u32; 4],
}

/// An array of four-lane constants set from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamArray {
    /// The register file it came from: `vc`.
    pub name: String,
    /// Number of elements the profile allows.
    pub size: u32,
    /// Number of elements that direct loads use: highest index + 1.
    pub used: u32,
    /// Whether a load has a computed index, so that any element may be read.
    pub indexed: bool,
}

/// What a register file of the source is filled with from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileRole {
    /// Inputs.
    Input,
    /// Elements of a parameter array.
    Param,
    /// Textures with their samplers.
    Texture,
}

/// A register file of the source that is filled from outside. It tells a register that exists but is not read from
/// one that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterFile {
    /// Its name as the ISA spells it: `vc`.
    pub name: &'static str,
    /// What it holds.
    pub role: FileRole,
    /// Number of registers; `None` for a single one without a number.
    pub count: Option<u32>,
}

/// A program's meaning; see the [module documentation](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    /// The stage.
    pub stage: Stage,
    /// Name of the instruction set it was lifted from, for messages only.
    pub isa: &'static str,
    /// Names of the register files that [`Home`] refers to.
    pub files: &'static [&'static str],
    /// Register files that are filled from outside, also where the program does not read them. For names only.
    pub registers: Vec<RegisterFile>,
    /// Inputs.
    pub inputs: Vec<Input>,
    /// Output cells.
    pub outputs: Vec<Output>,
    /// Parameter arrays.
    pub params: Vec<ParamArray>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// All values.
    pub values: Vec<ValueInfo>,
    /// The step table, if the shader was lifted with one; see [`steps`].
    pub steps: Vec<steps::Step>,
    /// All argument lists, one after another; see [`Args`].
    pub args: Vec<Arg>,
    /// What is run.
    pub body: Region,
}

impl Shader {
    /// The arguments of a list.
    pub fn args(&self, args: Args) -> &[Arg] {
        self.args.get(args.start as usize..(args.start + args.len) as usize).unwrap_or(&[])
    }

    /// What is known of a value.
    pub fn value(&self, value: Value) -> ValueInfo {
        self.values[value.index()]
    }

    /// The type of the lanes an argument picks.
    pub fn arg_type(&self, arg: Arg) -> Type {
        Type::new(self.value(arg.value).ty.scalar, arg.lanes)
    }

    /// The name of a home, for example `ft0`.
    pub fn home_name(&self, home: Home) -> String {
        let file = self.files.get(home.file as usize).copied().unwrap_or("r");
        if home.index == Home::ONLY {
            return file.into();
        }
        alloc::format!("{file}{}", home.index)
    }
}

impl Region {
    /// Calls `f` for every instruction, also of nested regions, in order.
    pub fn for_each_inst<'a>(&'a self, f: &mut impl FnMut(&'a Inst)) {
        for node in &self.nodes {
            match node {
                Node::Inst(inst) => f(inst),
                Node::If(node) => {
                    node.then.for_each_inst(f);
                    node.otherwise.for_each_inst(f);
                }
                Node::Block(node) => node.body.for_each_inst(f),
                Node::Loop(node) => node.body.for_each_inst(f),
                Node::Leave { .. } | Node::Again { .. } => {}
            }
        }
    }
}
