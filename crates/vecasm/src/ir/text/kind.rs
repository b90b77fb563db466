//! The words of the operations that are not pure, and how each is written.

use crate::ir::Op;

macro_rules! kinds {
    ($($V:ident $word:literal $form:literal $(, $more:literal)*;)*) => {
        /// The word of an operation that is not pure. Variants of [`Op`] that differ in how a place is given share one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind { $($V,)* }

        impl Kind {
            /// Every one, in the order of [`Op`].
            pub(super) const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word.
            pub(super) const fn name(self) -> &'static str { match self { $(Self::$V => $word,)* } }

            /// The one that a word names.
            pub(super) fn named(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$V),)* _ => None }
            }

            /// How it is written, without result, arithmetic and step.
            pub(super) const fn forms(self) -> &'static [&'static str] {
                match self { $(Self::$V => &[$form $(, $more)*],)* }
            }
        }
    };
}

kinds! {
    Const "const" "const LITERAL…";
    Compose "compose" "compose %v…";
    Input "input" "input NAME", "input.RULE NAME[±N of COUNT] %index";
    InputOf "input_of" "input_of NAME %vertex", "input_of.RULE NAME[±N of COUNT] %vertex %index";
    Interpolate "interpolate" "interpolate.SITE NAME", "interpolate.SITE NAME %what";
    Load "load" "load NAME", "load.RULE NAME[±N of COUNT] %index";
    LoadOf "load_of" "load_of NAME %vertex", "load_of.RULE NAME[±N of COUNT] %vertex %index";
    Store "store" "store NAME.MASK %v", "store.RULE NAME[±N of COUNT].MASK %index %v";
    Param "param" "param NAME[N]", "param.RULE NAME[±N] %index";
    StoreParam "store_param" "store_param NAME[N].MASK %v", "store_param NAME[±N].MASK %index %v";
    LoadLocal "load_local" "load_local NAME[N]", "load_local.RULE NAME[±N] %index";
    StoreLocal "store_local" "store_local NAME[N].MASK %v", "store_local.RULE NAME[±N].MASK %index %v";
    State "state" "state NAME";
    Sample "sample" "sample[.LOD][.compare][.offset] TEXTURE %coordinate…";
    Gather "gather" "gather.LANE[.compare][.offset] TEXTURE %coordinate…";
    Fetch "fetch" "fetch[.offset] TEXTURE %coordinate %level…";
    TextureSize "texture_size" "texture_size TEXTURE %level…";
    TextureLod "texture_lod" "texture_lod TEXTURE %coordinate…";
    TextureSamples "texture_samples" "texture_samples TEXTURE…";
    SamplePosition "sample_position" "sample_position TEXTURE %sample…";
    LoadMemory "load_memory" "load_memory MEMORY %offset…";
    StoreMemory "store_memory" "store_memory MEMORY.MASK %offset %v…";
    AtomicMemory "atomic" "atomic.WHAT MEMORY %offset %v…";
    MemorySize "memory_size" "memory_size MEMORY…";
    LoadImage "load_image" "load_image IMAGE %coordinate…";
    StoreImage "store_image" "store_image IMAGE %coordinate %v…";
    AtomicImage "atomic_image" "atomic_image.WHAT IMAGE %coordinate %v…";
    ImageSize "image_size" "image_size IMAGE…";
    Framebuffer "framebuffer" "framebuffer N";
    Ddx "ddx" "ddx[.coarse] %v";
    Ddy "ddy" "ddy[.coarse] %v";
    Demote "demote" "demote %condition";
    IsHelper "is_helper" "is_helper";
    Barrier "barrier" "barrier";
    Fence "fence" "fence";
    Vote "vote" "vote.WHAT %v";
    Ballot "ballot" "ballot %condition";
    ReadFirst "read_first" "read_first %v";
    ReadInvocation "read_invocation" "read_invocation %v %number";
    Clock "clock" "clock";
    EmitVertex "emit_vertex" "emit_vertex STREAM";
    EndPrimitive "end_primitive" "end_primitive STREAM";
    Mark "mark" "mark STEP %v…";
}

impl Kind {
    /// The word of an operation; `None` for a pure one, which has its own.
    pub(super) const fn of(op: Op) -> Option<Self> {
        Some(match op {
            Op::Pure(_) => return None,
            Op::Const(_) => Self::Const,
            Op::Compose => Self::Compose,
            Op::Input(_) | Op::InputAt { .. } => Self::Input,
            Op::InputOf { .. } => Self::InputOf,
            Op::Interpolate { .. } => Self::Interpolate,
            Op::LoadOutput(_) | Op::LoadOutputAt { .. } => Self::Load,
            Op::LoadOutputOf { .. } => Self::LoadOf,
            Op::StoreOutput { .. } | Op::StoreOutputAt { .. } => Self::Store,
            Op::Param { .. } | Op::ParamAt { .. } => Self::Param,
            Op::StoreParam { .. } | Op::StoreParamAt { .. } => Self::StoreParam,
            Op::LoadLocal { .. } | Op::LoadLocalAt { .. } => Self::LoadLocal,
            Op::StoreLocal { .. } | Op::StoreLocalAt { .. } => Self::StoreLocal,
            Op::State(_) => Self::State,
            Op::Sample { .. } => Self::Sample,
            Op::Gather { .. } => Self::Gather,
            Op::Fetch { .. } => Self::Fetch,
            Op::TextureSize { .. } => Self::TextureSize,
            Op::TextureLod { .. } => Self::TextureLod,
            Op::TextureSamples { .. } => Self::TextureSamples,
            Op::SamplePosition { .. } => Self::SamplePosition,
            Op::LoadMemory { .. } => Self::LoadMemory,
            Op::StoreMemory { .. } => Self::StoreMemory,
            Op::AtomicMemory { .. } => Self::AtomicMemory,
            Op::MemorySize { .. } => Self::MemorySize,
            Op::LoadImage { .. } => Self::LoadImage,
            Op::StoreImage { .. } => Self::StoreImage,
            Op::AtomicImage { .. } => Self::AtomicImage,
            Op::ImageSize { .. } => Self::ImageSize,
            Op::Framebuffer { .. } => Self::Framebuffer,
            Op::Ddx(_) => Self::Ddx,
            Op::Ddy(_) => Self::Ddy,
            Op::Demote => Self::Demote,
            Op::IsHelper => Self::IsHelper,
            Op::Barrier => Self::Barrier,
            Op::Fence => Self::Fence,
            Op::Vote(_) => Self::Vote,
            Op::Ballot => Self::Ballot,
            Op::ReadFirst => Self::ReadFirst,
            Op::ReadInvocation => Self::ReadInvocation,
            Op::Clock => Self::Clock,
            Op::EmitVertex { .. } => Self::EmitVertex,
            Op::EndPrimitive { .. } => Self::EndPrimitive,
            Op::Mark(_) => Self::Mark,
        })
    }
}
