//! What a shader is made of: instructions, and regions that hold them.

use super::{Arg, Args, Arith, Label, Op, Tail, Value};
use alloc::boxed::Box;
use alloc::vec::Vec;

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
    /// The part of the pipeline that it belongs to, if the lift added it to the program.
    pub tail: Option<Tail>,
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
    /// Runs the region of the case that a number selects.
    Switch(Box<Switch>),
    /// A composite instruction of the source, as its plain operations.
    Idiom(Box<Idiom>),
    /// Ends the block or loop `label`.
    Leave {
        /// Which one.
        label: Label,
        /// Its results.
        values: Args,
    },
    /// Starts the next iteration of the loop `label`.
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

/// See [`Node::Switch`].
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// One lane of i32 or u32.
    pub selector: Arg,
    /// Regions with the bits of the numbers that select them, one or more; no number appears twice. A case does not
    /// fall through into the next.
    pub cases: Vec<(Vec<u32>, Region)>,
    /// Run for every other number.
    pub default: Region,
    /// Defined by the yields of the region that ran.
    pub results: Vec<Value>,
}

macro_rules! idioms {
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal $operands:expr => $results:literal;)*) => {
        /// A composite instruction that readable targets and assemblers have a word for. Its operands are the
        /// [`Idiom::operands`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Composite { $($(#[doc = $doc])+ $V,)* }

        impl Composite {
            /// Every one, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The spelling in the text form.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $name,)* } }

            /// What it is, and its operands, one sentence.
            pub const fn doc(self) -> &'static str { match self { $(Self::$V => concat!($($doc),+),)* } }

            /// Least and largest number of operands.
            pub const fn operands(self) -> core::ops::RangeInclusive<usize> {
                match self { $(Self::$V => $operands,)* }
            }

            /// Number of results.
            pub const fn results(self) -> usize { match self { $(Self::$V => $results,)* } }
        }

        crate::spelled!(Composite, "composite instruction", [$($V $name,)*]);
    };
}

idioms! {
    /// A vector divided by its length: `v`.
    Normalize "normalize" 1..=1 => 1;
    /// The cross product: `a b`.
    Cross "cross" 2..=2 => 1;
    /// A matrix times a vector: `v`, then one to four rows.
    MatrixVector "matrix_vector" 2..=5 => 1;
    /// `a · t + b · (1 - t)`: `t a b`.
    Lerp "lerp" 3..=3 => 1;
    /// The lighting factors: `v`.
    Lit "lit" 1..=1 => 1;
    /// The distance vector: `a b`.
    Dst "dst" 2..=2 => 1;
    /// The sine and the cosine: `x`.
    SinCos "sincos" 1..=1 => 2;
    /// A direction mirrored at a normal: `i n`.
    Reflect "reflect" 2..=2 => 1;
    /// The length of a vector: `v`.
    Length "length" 1..=1 => 1;
}

/// See [`Node::Idiom`]. The body is the meaning, and it sees everything around it; an emitter may write `what` of the
/// operands instead, and a pass that changes the meaning of the body, or removes some of its results, removes the
/// bracket too.
#[derive(Clone, Debug, PartialEq)]
pub struct Idiom {
    /// The composite instruction.
    pub what: Composite,
    /// Its operands.
    pub operands: Args,
    /// What it does; no exit in it leads out.
    pub body: Region,
    /// Defined by the yields.
    pub results: Vec<Value>,
}

/// Calls something for each region directly inside a node, in order.
macro_rules! each_region {
    ($name:ident $(, $mutable:tt)?) => {
        impl Node {
            /// Calls `f` for each region directly inside the node, in order.
            pub fn $name<'a>(&'a $($mutable)? self, mut f: impl FnMut(&'a $($mutable)? Region)) {
                match self {
                    Self::If(node) => {
                        f(& $($mutable)? node.then);
                        f(& $($mutable)? node.otherwise);
                    }
                    Self::Block(node) => f(& $($mutable)? node.body),
                    Self::Loop(node) => f(& $($mutable)? node.body),
                    Self::Idiom(node) => f(& $($mutable)? node.body),
                    Self::Switch(node) => {
                        for (_, region) in & $($mutable)? node.cases {
                            f(region);
                        }
                        f(& $($mutable)? node.default);
                    }
                    Self::Inst(_) | Self::Leave { .. } | Self::Again { .. } => {}
                }
            }
        }
    };
}

each_region!(for_each_region);
each_region!(for_each_region_mut, mut);

impl Region {
    /// Calls `f` for every instruction, also of nested regions, in order.
    pub fn for_each_inst<'a>(&'a self, f: &mut impl FnMut(&'a Inst)) {
        for node in &self.nodes {
            match node {
                Node::Inst(inst) => f(inst),
                node => node.for_each_region(|region| region.for_each_inst(f)),
            }
        }
    }

    /// Calls `f` for every instruction, also of nested regions, in order.
    pub fn for_each_inst_mut(&mut self, f: &mut impl FnMut(&mut Inst)) {
        for node in &mut self.nodes {
            match node {
                Node::Inst(inst) => f(inst),
                node => node.for_each_region_mut(|region| region.for_each_inst_mut(f)),
            }
        }
    }

    /// Whether there is a loop in it, however deep.
    pub fn has_loop(&self) -> bool {
        self.nodes.iter().any(|node| {
            let mut inside = matches!(node, Node::Loop(_));
            if !inside {
                node.for_each_region(|region| inside |= region.has_loop());
            }
            inside
        })
    }

    /// Whether the region ends in an exit, so that its yields do not matter.
    pub fn exits(&self) -> bool {
        matches!(self.nodes.last(), Some(Node::Leave { .. } | Node::Again { .. }))
    }
}
