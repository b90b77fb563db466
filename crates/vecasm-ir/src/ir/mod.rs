//! The intermediate representation: the *meaning* of a program, without the registers of its source.
//!
//! # Semantics
//!
//! A [`Shader`] describes what one **invocation** of a stage computes. Everything below holds for all sources;
//! the exact definition of each operation is at its variant of [`Op`], and nowhere else.
//!
//! **Values.** A value has 1–4 lanes of one [`Scalar`] type and is defined once. Registers of the source are renamed
//! lane by lane while lifting: an [`Arg`] picks lanes of *one* value by a swizzle; lanes of several values are combined
//! by [`Op::Compose`]. Integer bits are never held in an f32 value: where a source has untyped registers, lifting
//! decides the type of each web of definitions and uses. 64-bit values exist only between operations: inputs, outputs
//! and cells have lanes of 32 bits, so pairs of registers are `pack64` and `low64`, `high64`. A value may carry a
//! [`Home`]: the register it came from. It is a hint for names and never changes the meaning.
//!
//! **Regions.** A [`Region`] is a list of [`Node`]s run in order, and the values it *yields* at its end. Regions nest:
//! [`Node::If`], [`Node::Block`], [`Node::Loop`], [`Node::Switch`] and [`Node::Idiom`] each own regions and define
//! result values. A value is visible in the region that defines it, after its definition, and in the regions inside. A
//! block runs its region once; its results are the yields. An `if` runs one of two, a switch one of many; the results
//! are the yields of the one that ran. A loop starts with its initial arguments in the loop's parameters; reaching the
//! end of its region starts the next iteration with the yields as the new parameters. [`Node::Leave`] ends a block or
//! loop by its label with the given values as its results; [`Node::Again`] starts the next iteration of a loop. Both
//! may cross any number of regions, but not leave an idiom. (Fallthrough, `DEFAULT` anywhere and returns inside flow
//! become nested blocks. Calls are inlined.) An idiom brackets what a composite instruction of the source does: its
//! region runs once, as if the bracket were not there.
//!
//! **Groups.** Invocations run in groups: the invocations that can see one another. A group is a 2×2 quad in the
//! fragment stage, in the order left-top, right-top, left-bottom, right-bottom; the invocations of a patch in the
//! tessellation control stage; the invocations of a workgroup in the compute stage; elsewhere one invocation. Where a
//! shader has *subgroup* operations ([`Op::Vote`], [`Op::Ballot`], [`Op::ReadFirst`], [`Op::ReadInvocation`]), the
//! group is that: a run of S invocations, where S is an input of the run (4 if it is not given); a workgroup or a patch
//! is then divided into such runs, and stays the group. A group runs in lock step, node by node, under a mask of active
//! invocations. A region is entered if any invocation of the group is active in it. *Pure operations are computed for
//! every invocation of the group, active or not*; the mask guards effects (stores, demotion, exits) and selects the
//! results of an `if` or a switch. So a derivative inside divergent flow is defined: it sees what the other invocations
//! would have computed there. Once no invocation is active in a region, the rest of it is skipped; the yields of a
//! region whose end nobody reached count as zero. An invocation that was not active gets a block's yields, and zero
//! from a loop; one that does not run another iteration keeps the loop's parameters. (Only a derivative or a vote in
//! divergent flow can see these.)
//!
//! Effects of one operation happen in ascending order of the invocations: the largest number wins a store that several
//! make to one place, and atomics take their turn. The next operation sees what an operation wrote. In lock step a
//! barrier does nothing; if some invocations that have not ended are inactive there, the run reports it. (An invocation
//! has ended if it is out of fuel, or left a block or loop that nothing follows.)
//!
//! **Helpers.** [`Op::Demote`] makes an invocation a helper: its stores, atomics and votes no longer happen, the rest
//! continues. (Its stores to local arrays do happen: no other invocation sees them.) An atomic gives 0 to a helper, and
//! to an invocation that is not active. Fragment invocations may also start as helpers, to complete a quad.
//!
//! **Memory.** *Outputs are cells*, not results: four lanes that start at the cell's [`Output::init`], may be written
//! in part, several times, and read back. Cells of [patch kinds](OutputKind::is_of_patch) are one for the patch.
//! *Parameters* are arrays of four-lane constants set from outside; a serial shader may write them. *Local arrays*
//! belong to the invocation and start at zero. *Shared memory* belongs to the workgroup and starts at zero. *Buffers*
//! and *images* belong to the batch. A load or store with a computed index states its out-of-range rule. Words of
//! buffers and shared memory are little-endian, and the low two bits of an offset are ignored, unless [the shader says
//! otherwise](Setup::byte_offsets). Passes may turn cells into values; lifting does not.
//!
//! **Serial shaders** ([`Shader::serial`]) run one invocation after another, in order: each sees the parameters that
//! earlier ones wrote, and what the previous one left in its [carried](Output::carried) outputs. Their stage has groups
//! of one invocation, and they have no subgroup operations.
//!
//! **Arithmetic** is an attribute of each instruction ([`Arith`]), not of the shader. Quirks of hardware are operations
//! and attributes chosen while lifting; nothing after lifting asks which ISA a shader came from. The rule applies only
//! to f32; an operation without a definition under [`Rule::Nv20`] must not have it. An instruction has only the
//! attributes that [apply](Arith::concerning) to it.
//!
//! **NaN.** The sign and payload of an arithmetic result are not a value; where bits become visible they are
//! canonical, `7fc00000`. `neg`, `abs`, `select`, `as_…` and moves keep bits. (Under nv20 all bits are exact.)
//!
//! **Denormals** are kept, unless the instruction flushes them ([`Arith::flush`]).
//!
//! **Fuel.** Each iteration of a loop costs each active invocation one unit. An invocation without fuel stops: its
//! outputs so far are kept, and it is reported as exhausted.
//!
//! **Steps.** A shader may carry the provenance of every write: see [`steps`].
//!
//! **Tails.** A shader is the program and what its lift added of the pipeline: colours are clamped, fog is mixed in, the
//! viewport is undone. Instructions that are there for that say for what ([`Inst::tail`]), and mean the same as without.
//! Passes that copy instructions keep it. Stores that become values lose it.
//!
//! **State outside the shader.** What the pipeline fixes and the program does not (fog, the alpha test, bump
//! matrices, the dimension of a texture) is a [state value](State), read by [`Op::State`] or named by
//! [`Texture::dim_by`]. Sampler state that the program does not fix is part of the binding: see [`Texture`].
//!
//! **Resources.** An operation on a texture, image or buffer names an entry of the shader's tables, one of a run of
//! entries by a computed index, or takes a 64-bit handle ([`Pick`]). What is not bound reads as (0, 0, 0, 1) from a
//! texture, as zero from the rest, has no size, and drops what is written.
//!
//! **Tables.** Names in a table are unique, and so are the kinds of inputs and of outputs, the slots of images, and
//! those of buffers of one kind. A *run* of entries is one or more of them, one after another, of one type and shape.

pub mod build;
pub mod calls;
mod node;
pub mod op;
pub mod pressure;
mod promise;
pub mod random;
mod resource;
mod same;
#[cfg(feature = "serde")]
mod serial;
#[doc(hidden)]
pub mod shader;
pub mod steps;
pub mod symbols;
mod tail;
pub mod text;
mod types;
mod usage;
mod varying;
pub mod verify;

pub use node::{Block, Composite, Idiom, If, Inst, Loop, Node, Region, Switch};
pub use op::{Arith, At, Atomic, Lod, Memory, Op, OutOfRange, Pick, Pure, Rule, Site, Slope, Vote};
pub use promise::Promise;
pub use resource::*;
pub use shader::{
    FileRole, Input, InputKind, Interpolation, LocalArray, Location, Output, OutputKind, ParamArray,
    Primitive, RegisterFile, Setup, Shader, Spacing, Stage, State, System,
};
pub use tail::Tail;
pub use types::*;
pub use usage::DeclUsage;
pub use varying::VaryingMeaning;
