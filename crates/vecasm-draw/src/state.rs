//! The fixed state of the pipeline: what a draw call does besides running its two shaders.
//!
//! Names are those of Stage3D (`Context3DBlendFactor`, `Context3DCompareMode`…).

macro_rules! named {
    ($(#[doc = $doc:literal])+ $T:ident: $($(#[doc = $vdoc:literal])+ $V:ident $name:literal;)+) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $T { $($(#[doc = $vdoc])+ $V,)+ }

        impl $T {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$V),+];

            /// The word in a scene file.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $name,)+ } }
        }
    };
}

named! {
    /// A factor of the blend equation `source · factor + destination · factor`.
    BlendFactor:
    /// 0.
    Zero "zero";
    /// 1.
    One "one";
    /// The colour of the fragment, lane by lane.
    SourceColor "sourceColor";
    /// 1 − the colour of the fragment.
    OneMinusSourceColor "oneMinusSourceColor";
    /// The alpha of the fragment.
    SourceAlpha "sourceAlpha";
    /// 1 − the alpha of the fragment.
    OneMinusSourceAlpha "oneMinusSourceAlpha";
    /// The colour in the target, lane by lane.
    DestinationColor "destinationColor";
    /// 1 − the colour in the target.
    OneMinusDestinationColor "oneMinusDestinationColor";
    /// The alpha in the target.
    DestinationAlpha "destinationAlpha";
    /// 1 − the alpha in the target.
    OneMinusDestinationAlpha "oneMinusDestinationAlpha";
}

named! {
    /// A comparison of an incoming value with a stored one: `incoming ? stored`.
    Compare:
    /// Passes always.
    Always "always";
    /// Passes never.
    Never "never";
    /// incoming < stored.
    Less "less";
    /// incoming ≤ stored.
    LessEqual "lessEqual";
    /// incoming = stored.
    Equal "equal";
    /// incoming ≥ stored.
    GreaterEqual "greaterEqual";
    /// incoming > stored.
    Greater "greater";
    /// incoming ≠ stored.
    NotEqual "notEqual";
}

impl Compare {
    /// Whether `incoming` passes against `stored`.
    pub fn passes<T: PartialOrd>(self, incoming: T, stored: T) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Less => incoming < stored,
            Self::LessEqual => incoming <= stored,
            Self::Equal => incoming == stored,
            Self::GreaterEqual => incoming >= stored,
            Self::Greater => incoming > stored,
            Self::NotEqual => incoming != stored,
        }
    }
}

named! {
    /// Which faces a setting is about. The front face is the one whose vertices run clockwise on the screen.
    Face:
    /// No triangle.
    None "none";
    /// Triangles that run counter-clockwise.
    Back "back";
    /// Triangles that run clockwise.
    Front "front";
    /// All triangles.
    FrontAndBack "frontAndBack";
}

impl Face {
    /// Whether a triangle belongs to the faces.
    pub fn covers(self, front: bool) -> bool {
        match self {
            Self::None => false,
            Self::Back => !front,
            Self::Front => front,
            Self::FrontAndBack => true,
        }
    }
}

named! {
    /// What happens to a stencil value.
    StencilAction:
    /// Nothing.
    Keep "keep";
    /// Becomes 0.
    Zero "zero";
    /// Becomes the reference value.
    Set "set";
    /// One more, at most 255.
    IncrementSaturate "incrementSaturate";
    /// One less, at least 0.
    DecrementSaturate "decrementSaturate";
    /// All bits flipped.
    Invert "invert";
    /// One more; 255 becomes 0.
    IncrementWrap "incrementWrap";
    /// One less; 0 becomes 255.
    DecrementWrap "decrementWrap";
}

impl StencilAction {
    /// The value after the action on `stored`.
    pub fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            Self::Keep => stored,
            Self::Zero => 0,
            Self::Set => reference,
            Self::IncrementSaturate => stored.saturating_add(1),
            Self::DecrementSaturate => stored.saturating_sub(1),
            Self::Invert => !stored,
            Self::IncrementWrap => stored.wrapping_add(1),
            Self::DecrementWrap => stored.wrapping_sub(1),
        }
    }
}

named! {
    /// How a vertex attribute lies in its buffer; lanes it lacks are filled from (0, 0, 0, 1).
    VertexFormat:
    /// One f32.
    Float1 "float1";
    /// Two f32.
    Float2 "float2";
    /// Three f32.
    Float3 "float3";
    /// Four f32.
    Float4 "float4";
    /// Four bytes x, y, z, w as in memory, each n standing for n/255.
    Bytes4 "bytes4";
}

impl VertexFormat {
    /// Size in 32-bit words.
    pub const fn words(self) -> usize {
        match self {
            Self::Float1 | Self::Bytes4 => 1,
            Self::Float2 => 2,
            Self::Float3 => 3,
            Self::Float4 => 4,
        }
    }

    /// The four lanes, as bits of f32, of an attribute whose words are given.
    pub fn fetch(self, words: &[u32]) -> [u32; 4] {
        let mut lanes = [0, 0, 0, 1.0f32.to_bits()];
        if self == Self::Bytes4 {
            let bytes = words.first().copied().unwrap_or(0).to_le_bytes();
            return bytes.map(|b| (f32::from(b) / 255.0).to_bits());
        }
        for (lane, word) in lanes.iter_mut().zip(words.iter().take(self.words())) {
            *lane = *word;
        }
        lanes
    }
}

/// The depth test of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTest {
    /// How the depth of a fragment has to compare to the stored one.
    pub compare: Compare,
    /// Whether a fragment that passes replaces the stored depth.
    pub write: bool,
}

/// The stencil test of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilOps {
    /// How the reference value has to compare to the stored one, both under the read mask.
    pub compare: Compare,
    /// If the stencil and the depth test pass.
    pub both_pass: StencilAction,
    /// If the stencil test passes and the depth test fails.
    pub depth_fail: StencilAction,
    /// If the stencil test fails.
    pub stencil_fail: StencilAction,
}

impl Default for StencilOps {
    fn default() -> Self {
        Self {
            compare: Compare::Always,
            both_pass: StencilAction::Keep,
            depth_fail: StencilAction::Keep,
            stencil_fail: StencilAction::Keep,
        }
    }
}

/// The stencil test of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// For front faces.
    pub front: StencilOps,
    /// For back faces.
    pub back: StencilOps,
    /// The reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
}

impl Default for Stencil {
    fn default() -> Self {
        let ops = StencilOps::default();
        Self { front: ops, back: ops, reference: 0, read_mask: 0xff, write_mask: 0xff }
    }
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Where clip space is put on a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The pixels that x and y from −1 to 1 span, y up in clip space and down on the target. Nothing is drawn outside.
    pub rect: Rect,
    /// The depths, 0..=1, that z/w = 0 and z/w = 1 become.
    pub depth: [f32; 2],
    /// The scissor rectangle of this viewport, instead of [that of the draw](State::scissor).
    pub scissor: Option<Rect>,
}

/// Most viewports of a draw, as of Direct3D 11 and of Gallium (`PIPE_MAX_VIEWPORTS`).
pub const MAX_VIEWPORTS: usize = 16;

/// The state of a draw besides shaders and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Factor of the fragment's colour.
    pub source: BlendFactor,
    /// Factor of the colour in the target.
    pub destination: BlendFactor,
    /// Which of red, green, blue and alpha are written.
    pub color_mask: [bool; 4],
    /// Faces that are not drawn.
    pub culling: Face,
    /// Pixels outside are left alone.
    pub scissor: Option<Rect>,
    /// The depth test; does nothing where there is no depth buffer.
    pub depth: DepthTest,
    /// The stencil test; does nothing where there is no stencil buffer.
    pub stencil: Stencil,
}

impl Default for State {
    /// The state of a new `Context3D`: blend one/zero, all channels, no culling, depth test `less` with writing.
    fn default() -> Self {
        Self {
            source: BlendFactor::One,
            destination: BlendFactor::Zero,
            color_mask: [true; 4],
            culling: Face::None,
            scissor: None,
            depth: DepthTest { compare: Compare::Less, write: true },
            stencil: Stencil::default(),
        }
    }
}

impl State {
    /// Whether the target keeps nothing of what it held under a fragment.
    pub(super) fn replaces(&self) -> bool {
        self.source == BlendFactor::One
            && self.destination == BlendFactor::Zero
            && self.color_mask == [true; 4]
    }
}
