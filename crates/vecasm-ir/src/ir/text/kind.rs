//! The words of the operations that are not pure, and how each is written.

use crate::ir::Op;

macro_rules! kinds {
    ($($V:ident $word:literal: $($Variant:ident $form:literal),+;)*) => {
        /// The word of an operation that is not pure. Variants of [`Op`] that differ in how a place is given share one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind { $($V,)* }

        impl Kind {
            /// Every one, in the order of [`Op`].
            pub(super) const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word.
            pub(super) const fn name(self) -> &'static str { match self { $(Self::$V => $word,)* } }

            /// Variants of [`Op`] and how they are written, without result, arithmetic and step. How a binding is picked
            /// is left out.
            pub(super) const fn forms(self) -> &'static [(&'static str, &'static str)] {
                match self { $(Self::$V => &[$((stringify!($Variant), $form)),+],)* }
            }
        }

        crate::spelled!(Kind, "operation", [$($V $word,)*]);
    };
}

kinds! {
    Const "const": Const "const LITERAL…";
    Compose "compose": Compose "compose %v…";
    Input "input": Input "input NAME", InputAt "input.RULE NAME[±N of COUNT] %index";
    InputOf "input_of":
        InputOf "input_of NAME %vertex",
        InputOf "input_of.RULE NAME[±N of COUNT] %vertex %index";
    Interpolate "interpolate":
        Interpolate "interpolate.SITE NAME",
        Interpolate "interpolate.SITE NAME %what";
    Load "load": LoadOutput "load NAME", LoadOutputAt "load.RULE NAME[±N of COUNT] %index";
    LoadOf "load_of":
        LoadOutputOf "load_of NAME %vertex",
        LoadOutputOf "load_of.RULE NAME[±N of COUNT] %vertex %index";
    Store "store":
        StoreOutput "store NAME.MASK %v",
        StoreOutputAt "store.RULE NAME[±N of COUNT].MASK %index %v";
    Param "param": Param "param NAME[N]", ParamAt "param.RULE NAME[±N] %index";
    StoreParam "store_param":
        StoreParam "store_param NAME[N].MASK %v",
        StoreParamAt "store_param NAME[±N].MASK %index %v";
    LoadLocal "load_local":
        LoadLocal "load_local NAME[N]",
        LoadLocalAt "load_local.RULE NAME[±N] %index";
    StoreLocal "store_local":
        StoreLocal "store_local NAME[N].MASK %v",
        StoreLocalAt "store_local.RULE NAME[±N].MASK %index %v";
    State "state": State "state NAME";
    Sample "sample": Sample "sample[.LOD][.compare][.offset] TEXTURE %coordinate…";
    Gather "gather": Gather "gather.LANE[.compare][.offset] TEXTURE %coordinate…";
    Fetch "fetch": Fetch "fetch[.offset] TEXTURE %coordinate %level…";
    TextureSize "texture_size": TextureSize "texture_size TEXTURE %level…";
    TextureLod "texture_lod": TextureLod "texture_lod TEXTURE %coordinate…";
    TextureSamples "texture_samples": TextureSamples "texture_samples TEXTURE…";
    SamplePosition "sample_position": SamplePosition "sample_position TEXTURE %sample…";
    LoadMemory "load_memory": LoadMemory "load_memory MEMORY %offset…";
    StoreMemory "store_memory": StoreMemory "store_memory MEMORY.MASK %offset %v…";
    AtomicMemory "atomic": AtomicMemory "atomic.ATOMIC MEMORY %offset %v…";
    MemorySize "memory_size": MemorySize "memory_size MEMORY…";
    LoadImage "load_image": LoadImage "load_image IMAGE %coordinate…";
    StoreImage "store_image": StoreImage "store_image IMAGE %coordinate %v…";
    AtomicImage "atomic_image": AtomicImage "atomic_image.ATOMIC IMAGE %coordinate %v…";
    ImageSize "image_size": ImageSize "image_size IMAGE…";
    Framebuffer "framebuffer": Framebuffer "framebuffer N";
    Ddx "ddx": Ddx "ddx[.coarse] %v";
    Ddy "ddy": Ddy "ddy[.coarse] %v";
    Demote "demote": Demote "demote %condition";
    IsHelper "is_helper": IsHelper "is_helper";
    Barrier "barrier": Barrier "barrier";
    Fence "fence": Fence "fence";
    Vote "vote": Vote "vote.VOTE %v";
    Ballot "ballot": Ballot "ballot %condition";
    ReadFirst "read_first": ReadFirst "read_first %v";
    ReadInvocation "read_invocation": ReadInvocation "read_invocation %v %number";
    Clock "clock": Clock "clock";
    EmitVertex "emit_vertex": EmitVertex "emit_vertex N";
    EndPrimitive "end_primitive": EndPrimitive "end_primitive N";
    Mark "mark": Mark "mark N %v…";
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
