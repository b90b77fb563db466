//! The list of instruction sets, a row each. All that has an entry for every instruction set is made of it: [`Isa`],
//! [`AnyProgram`], the options by instruction set, and what is asked of whichever it is (`of_isa!`, `of_program!`).

/// Calls a macro of this module with its arguments in brackets and, behind them, the rows: what programs are, the feature, the module,
/// the name.
macro_rules! for_instruction_sets {
    ($then:ident [$($arguments:tt)*]) => {
        $crate::registry::$then! {
            [$($arguments)*]
            /// Adobe Flash Stage3D shaders.
            "agal" agal Agal;
            /// Vertex programs of the original Xbox.
            "nv2a" nv2a Nv2a;
            /// Shaders of Direct3D 8 and 9.
            "d3d9" d3d9 D3d9;
            /// The intermediate language of Mesa's Gallium drivers.
            "tgsi" tgsi Tgsi;
        }
    };
}

/// Makes the types that have an entry for every instruction set.
macro_rules! define_types {
    ([] $( $(#[doc = $doc:literal])+ $feature:literal $isa:ident $Isa:ident; )*) => {
        /// An instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Isa { $(
            $(#[doc = $doc])+
            #[cfg(feature = $feature)]
            $Isa,
        )* }

        impl Isa {
            /// Every instruction set of this build.
            pub const ALL: &'static [Isa] = &[ $(
                #[cfg(feature = $feature)]
                Isa::$Isa,
            )* ];
        }

        /// A program of any instruction set, without loss of a bit.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyProgram { $(
            $(#[doc = $doc])+
            #[cfg(feature = $feature)]
            $Isa(crate::$isa::Program),
        )* }

        impl AnyProgram {
            /// The instruction set.
            pub const fn isa(&self) -> Isa {
                match *self { $(
                    #[cfg(feature = $feature)]
                    Self::$Isa(_) => Isa::$Isa,
                )* }
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl From<crate::$isa::Program> for AnyProgram {
                fn from(program: crate::$isa::Program) -> Self {
                    Self::$Isa(program)
                }
            }
        )*

        /// What lifting leaves open, for every instruction set.
        #[derive(Clone, Copy, Debug, Default)]
        #[non_exhaustive]
        pub struct LiftOptions { $(
            #[doc = concat!("For `", $feature, "`.")]
            #[cfg(feature = $feature)]
            pub $isa: crate::$isa::lift::Options,
        )* }

        impl LiftOptions {
            /// With so much kept, whatever the instruction set. Recordings, traces and `why` need [`Depth::Full`].
            #[must_use]
            pub const fn with_depth(mut self, depth: Depth) -> Self {
                $(
                    #[cfg(feature = $feature)]
                    { self.$isa.depth = depth; }
                )*
                self
            }
        }

        /// Who is asked whether a program is good, for every instruction set.
        #[derive(Clone, Copy, Debug, Default)]
        #[non_exhaustive]
        pub struct CheckOptions { $(
            #[doc = concat!("For `", $feature, "`.")]
            #[cfg(feature = $feature)]
            pub $isa: crate::$isa::rules::Options,
        )* }
    };
}

/// Calculates something of the instruction set that an [`Isa`] is: `of_isa!(isa, P => P::NAME)`.
macro_rules! of_isa {
    ($isa:expr, $P:ident => $body:expr) => {
        $crate::registry::for_instruction_sets! { match_isa [$isa, $P => $body] }
    };
}

macro_rules! match_isa {
    ([$value:expr, $P:ident => $body:expr] $( $(#[doc = $doc:literal])+ $feature:literal $isa:ident $Isa:ident; )*) => {
        match $value { $(
            #[cfg(feature = $feature)]
            $crate::Isa::$Isa => {
                type $P = $crate::$isa::Program;
                $body
            }
        )* }
    };
}

/// The same of a program: `of_program!(program, p => InstructionSet::encode(p))`.
macro_rules! of_program {
    ($program:expr, $p:ident => $body:expr) => {
        $crate::registry::for_instruction_sets! { match_program [$program, $p => $body] }
    };
}

macro_rules! match_program {
    ([$value:expr, $p:ident => $body:expr] $( $(#[doc = $doc:literal])+ $feature:literal $isa:ident $Isa:ident; )*) => {
        // `match *`, because without any instruction set there are no programs: a place of an empty type needs no arms, a
        // reference to it does.
        match *$value { $(
            #[cfg(feature = $feature)]
            $crate::AnyProgram::$Isa(ref $p) => $body,
        )* }
    };
}

pub(crate) use {define_types, for_instruction_sets, match_isa, match_program, of_isa, of_program};

use crate::Depth;

for_instruction_sets! { define_types [] }
