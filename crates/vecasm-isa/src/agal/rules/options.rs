//! What is assumed about the player: profile, generation, and the unsettled points.

use super::super::program::Stage;
pub use crate::switch::{Switch, SwitchError};

/// A `Context3D` profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Whichever profile the version of the program needs.
    #[default]
    Any,
    /// `baselineConstrained`: AGAL 1 with seven fragment temporaries.
    BaselineConstrained,
    /// `baseline`: AGAL 1.
    Baseline,
    /// `baselineExtended`: AGAL 1.
    BaselineExtended,
    /// `standardConstrained`: up to AGAL 2.
    StandardConstrained,
    /// `standard`: up to AGAL 2.
    Standard,
    /// `standardExtended`: up to AGAL 3.
    StandardExtended,
    /// `enterprise`: up to AGAL 4. The name is believed, not recorded.
    Enterprise,
}

impl Profile {
    /// Every profile, from the least to the most able.
    pub const ALL: [Self; 8] = [
        Self::Any,
        Self::BaselineConstrained,
        Self::Baseline,
        Self::BaselineExtended,
        Self::StandardConstrained,
        Self::Standard,
        Self::StandardExtended,
        Self::Enterprise,
    ];

    /// The name in ActionScript; `any` for [`Profile::Any`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::BaselineConstrained => "baselineConstrained",
            Self::Baseline => "baseline",
            Self::BaselineExtended => "baselineExtended",
            Self::StandardConstrained => "standardConstrained",
            Self::Standard => "standard",
            Self::StandardExtended => "standardExtended",
            Self::Enterprise => "enterprise",
        }
    }

    /// The highest version of AGAL that the profile takes.
    pub const fn newest_version(self) -> u32 {
        match self {
            Self::BaselineConstrained | Self::Baseline | Self::BaselineExtended => 1,
            Self::StandardConstrained | Self::Standard => 2,
            Self::StandardExtended => 3,
            Self::Enterprise | Self::Any => 4,
        }
    }

    /// Number of temporaries of programs of `stage`, if it is less than the version of AGAL says.
    ///
    /// A bug report of a real player shows a fragment program of `baselineConstrained` refused at ft7. The profile
    /// limits vertex programs too, by an unknown amount.
    pub const fn temporaries(self, stage: Stage) -> Option<u32> {
        match (self, stage) {
            (Self::BaselineConstrained, Stage::Fragment) => Some(7),
            _ => None,
        }
    }
}

vecasm_ir::spelled!(Profile, "profile");

/// Which player is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Generation {
    /// Adobe's C++ validator of 2013, as published in glsl2agal: AGAL 1 only, nothing tolerated. The [`Switches`]
    /// do not apply to it.
    Adobe2013,
    /// A current player: AGAL 1 to 4.
    #[default]
    Modern,
}

impl Generation {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Adobe2013, Self::Modern];

    /// `adobe2013` or `modern`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adobe2013 => "adobe2013",
            Self::Modern => "modern",
        }
    }

    /// The newest version of AGAL that the player knows.
    pub const fn newest_version(self) -> u32 {
        match self {
            Self::Adobe2013 => 1,
            Self::Modern => 4,
        }
    }
}

vecasm_ir::spelled!(Generation, "generation");

/// The `endian` property of the ByteArray that carries a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ByteOrder {
    /// `Endian.LITTLE_ENDIAN`, which the player requires.
    #[default]
    Little,
    /// `Endian.BIG_ENDIAN`, the default of a new ByteArray.
    Big,
}

crate::switch::switches! {
    /// A one-source operation other than mov on a constant (3625). Adobe's 2013 validator refuses it; published programs do it.
    unary_const: UnaryConst = "unary-const" {
        /// accepted with a warning
        Warn = "warn",
        /// accepted silently
        Accept = "accept",
        /// refused with 3625
        Refuse = "refuse"; default Warn
    }
    /// A write mask smaller than .xyz on nrm, crs, m33 and m34 (3628). Adobe's 2013 validator requires exactly .xyz; the message says ".xyz or less".
    xyz_subset: XyzSubset = "xyz-subset" {
        /// accepted with a warning
        Warn = "warn",
        /// accepted silently
        Accept = "accept",
        /// refused with 3628
        Refuse = "refuse"; default Warn
    }
    /// Sampler values that came after 2013: anisotropic filters (3665), mixed wrapping (3667), ignoresampler, and, with a warning, centroid and single (3668).
    sampler_extended: SamplerExtended = "sampler-extended" {
        /// accepted, as by Flash Player 14
        Accept = "accept",
        /// refused, as in 2013
        Refuse = "refuse"; default Accept
    }
    /// What an AGAL 2 opcode in an AGAL 1 program gives. Adobe's 2013 validator says 3621; a message 3726 exists for it, but nobody has recorded it.
    v2op_in_v1: V2opInV1 = "v2op-in-v1" {
        /// the opcode is not implemented
        E3621 = "3621",
        /// the opcode needs version 2
        E3726 = "3726"; default E3621
    }
    /// What els without an open conditional gives.
    els_without_if: ElsWithoutIf = "els-without-if" {
        /// nesting underflow
        E3623 = "3623",
        /// broken else chain
        E3752 = "3752"; default E3623
    }
    /// A cube map sampled without mipmaps (3704). The message exists, but Adobe's 2013 validator has no such check and published content does it.
    cube_nomip: CubeNomip = "cube-nomip" {
        /// accepted
        Accept = "accept",
        /// refused with 3704
        Refuse = "refuse"; default Accept
    }
    /// Whether a varying counts as an output that must not be written inside a conditional (3751).
    varying_in_if: VaryingInIf = "varying-in-if" {
        /// refused with 3751
        Refuse = "refuse",
        /// accepted
        Accept = "accept"; default Refuse
    }
    /// What a color output above fo3 gives.
    output_range: OutputRange = "output-range" {
        /// the color output index is out of range
        E3760 = "3760",
        /// the output register index is out of bounds
        E3660 = "3660"; default E3760
    }
    /// What tld in a program below AGAL 4 gives.
    tld_old_version: TldOldVersion = "tld-old-version" {
        /// vertex texture fetch needs version 4
        E3805 = "3805",
        /// the opcode is out of range, as in 2013
        E3620 = "3620"; default E3805
    }
    /// Whether ted exists. Only the assembler of the 2012 beta of AGAL 2 writes it; messages about it remain.
    ted: TedOpcode = "ted" {
        /// known from AGAL 2 on
        Accept = "accept",
        /// refused with 3621
        Refuse = "refuse"; default Accept
    }
    /// A header of version 0. Adobe's 2013 validator only refuses versions above its own.
    version_0: VersionZero = "version-0" {
        /// accepted as version 1
        Accept = "accept",
        /// refused with 3617
        Refuse = "refuse"; default Accept
    }
    /// Bits 24-31 of a sampler operand, which no assembler sets (3654). Adobe's 2013 validator ignores them.
    sampler_reserved: SamplerReserved = "sampler-reserved" {
        /// ignored
        Accept = "accept",
        /// refused with 3654
        Refuse = "refuse"; default Accept
    }
    /// What the destination types 11, 12, 13 and 16 give: they are internal to Adobe's 2013 code, where they pass as types and fail as reserved bits.
    dest_high_nibble: DestHighNibble = "dest-high-nibble" {
        /// reserved bits are set
        E3654 = "3654",
        /// the register type is unknown
        E3655 = "3655"; default E3654
    }
    /// How messages name an opcode (3621, 3622, 3627, 3628, 3689, 3726, 3803). No such message has been recorded.
    opcode_argument: OpcodeArgument = "opcode-argument" {
        /// by its mnemonic
        Mnemonic = "mnemonic",
        /// by its code, in decimal, as in the recorded 3620
        Code = "code"; default Mnemonic
    }
    numbers
    /// How deep conditionals may be nested before 3624. Content with 3 levels has shipped; 4 is a constant of Adobe's assembler.
    nest_limit: u8 = "nest-limit" 1..=255, default 4, "the number of levels"
}

/// Who is asked, and under which assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The profile of the Context3D. It does not matter to [`Generation::Adobe2013`].
    pub profile: Profile,
    /// The player.
    pub generation: Generation,
    /// Byte order of the ByteArray with the vertex program.
    pub vertex_order: ByteOrder,
    /// Byte order of the ByteArray with the fragment program.
    pub fragment_order: ByteOrder,
    /// The unsettled points. They do not matter to [`Generation::Adobe2013`].
    pub switches: Switches,
}

impl Options {
    /// The byte order of the ByteArray with the program of that slot.
    pub const fn order(&self, slot: Stage) -> ByteOrder {
        match slot {
            Stage::Vertex => self.vertex_order,
            Stage::Fragment => self.fragment_order,
        }
    }

    /// The switches in force: those of the published source for [`Generation::Adobe2013`].
    pub(super) fn switches_in_force(&self) -> Switches {
        match self.generation {
            Generation::Modern => self.switches,
            Generation::Adobe2013 => Switches {
                unary_const: UnaryConst::Refuse,
                xyz_subset: XyzSubset::Refuse,
                sampler_extended: SamplerExtended::Refuse,
                tld_old_version: TldOldVersion::E3620,
                nest_limit: 1,
                ..Switches::default()
            },
        }
    }
}
