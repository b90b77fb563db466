//! The table of the operations that are not pure: word, what they work on and how, arguments, result, where they may stand,
//! how they are written.
//!
//! A row is what parsing, printing, verifying and generating shaders know of an operation, and what passes ask for.
//! [`Op::parts`] and [`Kind::op`] lead from an operation to what its row speaks of, and back.

#[cfg(doc)]
use super::{Atomic, Site, Slope, Vote};
use super::{Lod, Memory, Op, Parts, Place};
use crate::ir::{Scalar, Stage, Type};

/// What an operation does beside computing a result from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing.
    None,
    /// Asks what its [place](Place) is like: its size, the level that would be read. No store changes the answer.
    Query,
    /// Reads its place.
    Read,
    /// Writes its place.
    Write,
    /// Reads and writes its place in one step.
    Modify,
    /// Looks at other invocations, or at what has become of its own.
    Observe,
    /// Changes what invocations do or give, or marks a step.
    Control,
}

/// What an operation names behind its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Nothing,
    Input,
    Output,
    Param,
    Local,
    State,
    Texture,
    Image,
    Memory,
    /// A render target or a stream: [`Parts::number`] up to 255.
    Number,
    /// A step: [`Parts::number`].
    Step,
}

/// What stands in the list of arguments, in order: none, one or two of them each. Some have an attribute of the operation
/// that says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The number of a vertex.
    Vertex,
    /// The computed index of a cell or an element, if it has one.
    Index,
    /// What the [`Site`] takes.
    Site,
    /// As many lanes of the place's type as the mask has; of an image all four.
    Stored,
    /// Where a texture is sampled.
    Coordinate,
    /// The reference, if it compares.
    Reference,
    /// What the [`Lod`] takes.
    Detail,
    /// The lane that is gathered: an attribute alone.
    Component,
    /// The offset in texels, if it has one.
    Offset,
    /// The place of a texel.
    Texel,
    /// The sample of a texel, if the image is multisampled.
    Sample,
    /// A level or a sample.
    Number,
    /// A byte offset.
    Byte,
    /// What the [`Atomic`] takes.
    Operands,
    /// Any number of lanes of f32, with a [`Slope`].
    Floats,
    /// One bool.
    Condition,
    /// What the [`Vote`] is about.
    Voted,
    /// Any type.
    Anything,
    /// The number of an invocation.
    Invocation,
    /// What chooses the binding, if an argument does.
    Pick,
    /// Arguments that have rules of their own.
    Others,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultType {
    /// There is none.
    Nothing,
    /// The instruction says it.
    Given,
    /// That of an input or a state value; four lanes of what other cells hold.
    Cell,
    /// Four lanes of what the texture or image holds.
    Texel,
    /// As many u32 as [`Parts::number`] says, 1 to 4.
    Words,
    /// That of the first argument.
    First,
    /// The lanes of all arguments.
    Lanes,
    /// This type.
    Is(Type),
}

/// Which invocations a result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dependence {
    /// No other ones.
    Alone,
    /// Those of the quad.
    Quad,
    /// Those of the quad, if the level of detail does.
    Level,
    /// Those of the subgroup.
    Subgroup,
}

/// What the table says of one word.
struct Row {
    word: &'static str,
    effect: Effect,
    subject: Subject,
    slots: &'static [Slot],
    gives: ResultType,
    /// The stages that have it; empty for all.
    stages: &'static [Stage],
    depends: Dependence,
    /// Variants of [`Op`] and how they are written.
    forms: &'static [(&'static str, &'static str)],
}

impl ResultType {
    const U32X2: Self = Self::Is(Type::new(Scalar::U32, 2));
    const U32X4: Self = Self::Is(Type::new(Scalar::U32, 4));
    const F32X2: Self = Self::Is(Type::new(Scalar::F32, 2));
    const F32X4: Self = Self::Is(Type::F32X4);
    const U32: Self = Self::Is(Type::U32);
    const BOOL: Self = Self::Is(Type::BOOL);
}

macro_rules! kinds {
    ($($V:ident $word:literal: $effect:ident $subject:ident ($($slot:ident),*) -> $gives:ident, [$($stage:ident),*] $depends:ident;
        $($Variant:ident $form:literal),+;)*) => {
        /// The word of an operation that is not pure. Variants of [`Op`] that differ in how a place is given share one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind { $($V,)* }

        impl Kind {
            /// Every one, in the order of [`Op`].
            pub(crate) const ALL: &'static [Self] = &[$(Self::$V),*];

            const ROWS: &'static [Row] = &[$({
                Row {
                    word: $word,
                    effect: Effect::$effect,
                    subject: Subject::$subject,
                    slots: &[$(Slot::$slot),*],
                    gives: ResultType::$gives,
                    stages: &[$(Stage::$stage),*],
                    depends: Dependence::$depends,
                    forms: &[$((stringify!($Variant), $form)),+],
                }
            }),*];

            /// The word of an operation; `None` for a pure one, which has its own.
            #[allow(unreachable_patterns, reason = "a variant may have several forms")]
            pub(crate) const fn of(op: Op) -> Option<Self> {
                Some(match op {
                    Op::Pure(_) => return None,
                    $($(Op::$Variant { .. })|+ => Self::$V,)*
                })
            }
        }

        crate::spelled!(Kind, "operation", [$($V $word,)*]);
    };
}

kinds! {
    // word: effect, what it names (arguments) -> result, [stages; none means all] other invocations it depends on;
    //     variants and their forms, without result, arithmetic and step; how a binding is picked is left out
    Const "const": None Nothing () -> Given, [] Alone;
        Const "const LITERAL…";
    Compose "compose": None Nothing (Others) -> Lanes, [] Alone;
        Compose "compose %v…";
    Input "input": Read Input (Index) -> Cell, [] Alone;
        Input "input NAME",
        InputAt "input.RULE NAME[±N of COUNT] %index";
    InputOf "input_of": Read Input (Vertex, Index) -> Cell, [TessControl, TessEval, Geometry] Alone;
        InputOf "input_of NAME %vertex",
        InputOf "input_of.RULE NAME[±N of COUNT] %vertex %index";
    Interpolate "interpolate": Read Input (Site) -> Cell, [Fragment] Alone;
        Interpolate "interpolate.SITE NAME",
        Interpolate "interpolate.SITE NAME %what";
    Load "load": Read Output (Index) -> Cell, [] Alone;
        LoadOutput "load NAME",
        LoadOutputAt "load.RULE NAME[±N of COUNT] %index";
    LoadOf "load_of": Read Output (Vertex, Index) -> Cell, [TessControl] Alone;
        LoadOutputOf "load_of NAME %vertex",
        LoadOutputOf "load_of.RULE NAME[±N of COUNT] %vertex %index";
    Store "store": Write Output (Index, Stored) -> Nothing, [] Alone;
        StoreOutput "store NAME.MASK %v",
        StoreOutputAt "store.RULE NAME[±N of COUNT].MASK %index %v";
    Param "param": Read Param (Index) -> Cell, [] Alone;
        Param "param NAME[N]",
        ParamAt "param.RULE NAME[±N] %index";
    StoreParam "store_param": Write Param (Index, Stored) -> Nothing, [] Alone;
        StoreParam "store_param NAME[N].MASK %v",
        StoreParamAt "store_param NAME[±N].MASK %index %v";
    LoadLocal "load_local": Read Local (Index) -> Cell, [] Alone;
        LoadLocal "load_local NAME[N]",
        LoadLocalAt "load_local.RULE NAME[±N] %index";
    StoreLocal "store_local": Write Local (Index, Stored) -> Nothing, [] Alone;
        StoreLocal "store_local NAME[N].MASK %v",
        StoreLocalAt "store_local.RULE NAME[±N].MASK %index %v";
    State "state": Read State () -> Cell, [] Alone;
        State "state NAME";
    Sample "sample": Read Texture (Coordinate, Reference, Detail, Offset, Pick) -> Texel, [] Level;
        Sample "sample[.LOD][.compare][.offset] TEXTURE %coordinate…";
    Gather "gather": Read Texture (Component, Coordinate, Reference, Offset, Pick) -> Texel, [] Alone;
        Gather "gather.LANE[.compare][.offset] TEXTURE %coordinate…";
    Fetch "fetch": Read Texture (Texel, Number, Offset, Pick) -> Texel, [] Alone;
        Fetch "fetch[.offset] TEXTURE %coordinate %level…";
    TextureSize "texture_size": Query Texture (Number, Pick) -> U32X4, [] Alone;
        TextureSize "texture_size TEXTURE %level…";
    TextureLod "texture_lod": Query Texture (Coordinate, Pick) -> F32X2, [] Quad;
        TextureLod "texture_lod TEXTURE %coordinate…";
    TextureSamples "texture_samples": Query Texture (Pick) -> U32, [] Alone;
        TextureSamples "texture_samples TEXTURE…";
    SamplePosition "sample_position": Query Texture (Number, Pick) -> F32X2, [] Alone;
        SamplePosition "sample_position TEXTURE %sample…";
    LoadMemory "load_memory": Read Memory (Byte, Pick) -> Words, [] Alone;
        LoadMemory "load_memory MEMORY %offset…";
    StoreMemory "store_memory": Write Memory (Byte, Stored, Pick) -> Nothing, [] Alone;
        StoreMemory "store_memory MEMORY.MASK %offset %v…";
    AtomicMemory "atomic": Modify Memory (Byte, Operands, Pick) -> U32, [] Alone;
        AtomicMemory "atomic.ATOMIC MEMORY %offset %v…";
    MemorySize "memory_size": Query Memory (Pick) -> U32, [] Alone;
        MemorySize "memory_size MEMORY…";
    LoadImage "load_image": Read Image (Texel, Sample, Pick) -> Texel, [] Alone;
        LoadImage "load_image IMAGE %coordinate…";
    StoreImage "store_image": Write Image (Texel, Sample, Stored, Pick) -> Nothing, [] Alone;
        StoreImage "store_image IMAGE %coordinate %v…";
    AtomicImage "atomic_image": Modify Image (Texel, Operands, Pick) -> U32, [] Alone;
        AtomicImage "atomic_image.ATOMIC IMAGE %coordinate %v…";
    ImageSize "image_size": Query Image (Pick) -> U32X4, [] Alone;
        ImageSize "image_size IMAGE…";
    Framebuffer "framebuffer": Read Number () -> F32X4, [Fragment] Alone;
        Framebuffer "framebuffer N";
    Ddx "ddx": Observe Nothing (Floats) -> First, [Fragment] Quad;
        Ddx "ddx[.coarse] %v";
    Ddy "ddy": Observe Nothing (Floats) -> First, [Fragment] Quad;
        Ddy "ddy[.coarse] %v";
    Demote "demote": Control Nothing (Condition) -> Nothing, [Fragment] Alone;
        Demote "demote %condition";
    IsHelper "is_helper": Observe Nothing () -> BOOL, [Fragment] Alone;
        IsHelper "is_helper";
    Barrier "barrier": Control Nothing () -> Nothing, [TessControl, Compute] Alone;
        Barrier "barrier";
    Fence "fence": Control Nothing () -> Nothing, [] Alone;
        Fence "fence";
    Vote "vote": Observe Nothing (Voted) -> BOOL, [] Subgroup;
        Vote "vote.VOTE %v";
    Ballot "ballot": Observe Nothing (Condition) -> U32X2, [] Subgroup;
        Ballot "ballot %condition";
    ReadFirst "read_first": Observe Nothing (Anything) -> First, [] Subgroup;
        ReadFirst "read_first %v";
    ReadInvocation "read_invocation": Observe Nothing (Anything, Invocation) -> First, [] Subgroup;
        ReadInvocation "read_invocation %v %number";
    Clock "clock": Control Nothing () -> U32X2, [] Alone;
        Clock "clock";
    EmitVertex "emit_vertex": Control Number () -> Nothing, [Geometry] Alone;
        EmitVertex "emit_vertex N";
    EndPrimitive "end_primitive": Control Number () -> Nothing, [Geometry] Alone;
        EndPrimitive "end_primitive N";
    Mark "mark": Control Step (Others) -> Nothing, [] Alone;
        Mark "mark N %v…";
}

impl Kind {
    const fn row(self) -> &'static Row {
        &Self::ROWS[self as usize]
    }

    /// The word.
    pub(crate) const fn name(self) -> &'static str {
        self.row().word
    }

    /// What it names.
    pub(crate) const fn subject(self) -> Subject {
        self.row().subject
    }

    /// The arguments and attributes, in order.
    pub(crate) const fn slots(self) -> &'static [Slot] {
        self.row().slots
    }

    /// The type of the result.
    pub(crate) const fn gives(self) -> ResultType {
        self.row().gives
    }

    /// Variants of [`Op`] and how they are written.
    pub(crate) const fn forms(self) -> &'static [(&'static str, &'static str)] {
        self.row().forms
    }

    /// What it does beside computing its result.
    pub(crate) const fn effect(self) -> Effect {
        self.row().effect
    }

    /// Whether it depends on the other invocations of the quad, with these parts.
    const fn needs_quad(self, parts: &Parts) -> bool {
        match self.row().depends {
            Dependence::Quad => true,
            Dependence::Level => matches!(parts.lod, Some(Lod::Implicit { .. } | Lod::Bias)),
            Dependence::Alone | Dependence::Subgroup => false,
        }
    }

    /// Whether it depends on the other invocations of the subgroup.
    pub(crate) const fn needs_subgroup(self) -> bool {
        matches!(self.row().depends, Dependence::Subgroup)
    }

    /// The stages that have it with these parts; none if all do.
    pub(crate) const fn stages(self, parts: &Parts) -> &'static [Stage] {
        if self.needs_quad(parts) {
            return &[Stage::Fragment];
        }
        match parts.place {
            Some(Place::Memory(Memory::Shared)) => &[Stage::Compute],
            _ => self.row().stages,
        }
    }

    /// Whether it works on a cell of a vertex that an argument names.
    pub(crate) fn is_of_vertex(self) -> bool {
        self.slots().contains(&Slot::Vertex)
    }
}

impl Op {
    /// The word of the text form.
    pub const fn word(self) -> &'static str {
        match (self, Kind::of(self)) {
            (_, Some(kind)) => kind.name(),
            (Self::Pure(pure), _) => pure.name(),
            (Self::Compose, _) => "compose",
            _ => "const",
        }
    }

    /// What it does beside computing its result.
    #[inline]
    pub const fn effect(self) -> Effect {
        match Kind::of(self) {
            Some(kind) => kind.effect(),
            None => Effect::None,
        }
    }

    /// Whether the operation does nothing but give its result, so that an unused one may be dropped.
    #[inline]
    pub const fn is_pure(self) -> bool {
        !matches!(self.effect(), Effect::Write | Effect::Modify | Effect::Control)
    }

    /// Whether the operation changes what invocations of other groups and the host see: a parameter array, memory, an image.
    pub const fn writes_outside(self) -> bool {
        matches!(self.effect(), Effect::Write | Effect::Modify)
            && matches!(self.place(), Some(Place::Param(_) | Place::Memory(_) | Place::Image(_)))
    }

    /// Whether the operation gives the same result wherever it stands in the shader, its arguments being the same:
    /// it reads nothing that a shader can write, and no other invocation.
    pub const fn is_constant(self) -> bool {
        let Some(kind) = Kind::of(self) else { return true };
        match kind.effect() {
            Effect::None | Effect::Query => !self.needs_quad(),
            Effect::Read => {
                matches!(self.place(), Some(Place::Input(_) | Place::State(_) | Place::Texture(_)))
                    && !self.needs_quad()
            }
            Effect::Write | Effect::Modify | Effect::Observe | Effect::Control => false,
        }
    }

    /// Whether the operation gives a value.
    #[inline]
    pub const fn gives(self) -> bool {
        match Kind::of(self) {
            Some(kind) => !matches!(kind.gives(), ResultType::Nothing),
            None => true,
        }
    }

    /// Whether the result depends on the other invocations of the quad.
    #[inline]
    pub const fn needs_quad(self) -> bool {
        match Kind::of(self) {
            Some(kind) => match kind.row().depends {
                Dependence::Quad => true,
                Dependence::Level => kind.needs_quad(&self.parts()),
                Dependence::Alone | Dependence::Subgroup => false,
            },
            None => false,
        }
    }

    /// Whether the result depends on the other invocations of the subgroup.
    #[inline]
    pub const fn needs_subgroup(self) -> bool {
        match Kind::of(self) {
            Some(kind) => kind.needs_subgroup(),
            None => false,
        }
    }

    /// The stages that have it; none if all do.
    pub const fn stages(self) -> &'static [Stage] {
        match Kind::of(self) {
            Some(kind) => kind.stages(&self.parts()),
            None => &[],
        }
    }
}
