//! What a shader is bound to besides inputs, outputs and parameters: textures with their samplers, images, buffers.
//!
//! Every list of words stands here once: names in the text form, in run files and in reflection come from these
//! tables. How a texture is read is `exec::texture`.

mod format;
mod texel;

pub use format::{Channel, Format};

use super::{OutOfRange, Scalar, StateId};
use crate::words;
use alloc::string::String;

macro_rules! dims {
    ($($(#[$doc:meta])+ $V:ident $word:literal $place:literal $faces:literal $array:literal $samples:literal;)*) => {
        words! {
            /// The shape of a texture or an image.
            Dim "dimension" { $($(#[$doc])+ $V $word,)* }
        }

        impl Dim {
            /// Lanes of a place inside one layer, and of a derivative: 3 for cubes, which take a direction.
            pub const fn place_lanes(self) -> u8 { match self { $(Self::$V => $place,)* } }

            /// Number of faces: 6 for cubes, else 1.
            pub const fn faces(self) -> u8 { match self { $(Self::$V => $faces,)* } }

            /// Whether it has layers; the coordinate has the layer as its last lane.
            pub const fn arrayed(self) -> bool { match self { $(Self::$V => $array,)* } }

            /// Whether a texel has several samples. Such a texture has one level and is only fetched from.
            pub const fn multisampled(self) -> bool { match self { $(Self::$V => $samples,)* } }
        }
    };
}

dims! {
    // name in text, lanes of a place, faces, layers, samples

    /// Width.
    D1 "1d" 1 1 false false;
    /// Width × height.
    D2 "2d" 2 1 false false;
    /// Width × height × depth.
    D3 "3d" 3 1 false false;
    /// Six square faces.
    Cube "cube" 3 6 false false;
    /// Layers of width.
    D1Array "1d-array" 1 1 true false;
    /// Layers of width × height.
    D2Array "2d-array" 2 1 true false;
    /// Layers of six square faces.
    CubeArray "cube-array" 3 6 true false;
    /// Width × height with one level, whose coordinates are in texels.
    Rect "rect" 2 1 false false;
    /// A line of texels that is only fetched from; may be longer than the side of a texture.
    Buffer "buffer" 1 1 false false;
    /// Width × height × samples.
    D2Ms "2d-ms" 2 1 false true;
    /// Layers of width × height × samples.
    D2MsArray "2d-ms-array" 2 1 true true;
}

impl Dim {
    /// Lanes of a coordinate, the layer included.
    pub const fn coord_lanes(self) -> u8 {
        self.place_lanes() + self.arrayed() as u8
    }

    /// Whether there can be more levels than one.
    pub const fn has_levels(self) -> bool {
        !self.multisampled() && !matches!(self, Self::Rect | Self::Buffer)
    }

    /// Lanes of an integer place: the axes, and then the layer, the face, or of an array of cubes 6·layer + face.
    pub const fn texel_lanes(self) -> u8 {
        self.axes() + (self.arrayed() || self.faces() > 1) as u8
    }

    /// How many axes a layer or face has: 1, 2 or 3. This is also the number of lanes of an integer place in a fetch,
    /// without the layer (or face, which an image counts as layers).
    pub const fn axes(self) -> u8 {
        if self.faces() > 1 { 2 } else { self.place_lanes() }
    }

    /// The shape of a texture that holds the same texels and that `reshape` reads
    /// instead.
    ///
    /// | the shader reads | what is bound |
    /// |---|---|
    /// | a cube, an array of cubes | an array of planes: layer 6·cube + face |
    /// | a line, an array of lines | a plane, an array of planes, of height 1 |
    /// | a rectangle | a plane of one level |
    #[must_use]
    pub const fn stand_in(self) -> Option<Self> {
        match self {
            Self::D1 | Self::Rect => Some(Self::D2),
            Self::Cube | Self::CubeArray | Self::D1Array => Some(Self::D2Array),
            Self::D2 | Self::D3 | Self::D2Array | Self::Buffer | Self::D2Ms | Self::D2MsArray => None,
        }
    }
}

words! {
    /// What happens to a coordinate outside the texture. What the names mean is in table 8.20 of OpenGL 4.6 and under
    /// `D3D11_TEXTURE_ADDRESS_MODE`.
    Wrap "wrap mode" {
        /// The edge texel.
        Clamp "clamp",
        /// Modulo 1.
        Repeat "repeat",
        /// Every other repetition is mirrored.
        Mirror "mirror",
        /// Mirrored about 0 once, then the edge texel.
        MirrorOnce "mirror-once",
        /// The border colour.
        Border "border",
        /// Mirrored about 0 once, then the border colour.
        MirrorOnceBorder "mirror-once-border",
        /// OpenGL's old `CLAMP`: the coordinate is clamped to 0..=1, so that a linear filter takes half of the border
        /// colour at the edge, and a nearest one the edge texel.
        ClampHalf "clamp-half",
        /// The same, mirrored about 0 once: `MIRROR_CLAMP_EXT`.
        MirrorOnceHalf "mirror-once-half",
    }
}

words! {
    /// How texels of one level are combined.
    Filter "filter" {
        /// The nearest one.
        Nearest "nearest",
        /// Weighted by distance.
        Linear "linear",
    }
}

words! {
    /// How levels are combined.
    Mip "filter between levels" {
        /// Level 0 only.
        None "none",
        /// The nearest level.
        Nearest "nearest",
        /// Weighted by distance.
        Linear "linear",
    }
}

words! {
    /// A deviation of Mesa's softpipe, where standards leave something open, or against them.
    SamplerQuirk "deviation of softpipe" {
        /// The length of a gradient is its largest component, not the Euclidean length.
        LargestComponent "largest-component",
        /// The gradient of a cube is that of the direction, wherever that points: a face is two units wide.
        DirectionGradient "direction-gradient",
        /// The gradient of a coordinate in texels is multiplied by the size.
        ScaledTexels "scaled-texels",
        /// Where a coordinate does not change at all, the level is −127.
        UnchangingLevel "unchanging-level",
        /// The sampler's bias is ignored where the program gives gradients.
        UnbiasedGradients "unbiased-gradients",
        /// A gather reads the nearest level to the sampler's bias, not level 0.
        GatherLevel "gather-level",
        /// Texels are weighed first, and the result is compared.
        CompareLast "compare-last",
        /// A linear filter mirrors the coordinate once, not the numbers of texels.
        MirroredCoordinates "mirrored-coordinates",
        /// A linear filter clamps a coordinate in texels, not the numbers of texels.
        ClampedCoordinates "clamped-coordinates",
        /// The faces of a cube that is not seamless wrap by the sampler's modes.
        WrappedFaces "wrapped-faces",
        /// Of equal components of a direction x is preferred to y, and y to z.
        FirstFace "first-face",
        /// Fetching outside the texture reads the nearest texel, before the start of a buffer the last one.
        FetchNearest "fetch-nearest",
    }
}

/// How a sampler does what standards leave open: a set of [quirks](SamplerQuirk).
///
/// Without any, the length of a gradient is Euclidean; the sampler's bias counts for every level of detail, given or not;
/// texels are compared one by one, and the results weighed. With a few of them a difference from softpipe can be traced to
/// what makes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SamplerModel(u16);

impl SamplerModel {
    /// No quirk: `exact` in texts.
    pub const EXACT: Self = Self(0);
    /// All of them, as the results of softpipe were recorded: `softpipe` in texts.
    pub const SOFTPIPE: Self = Self((1 << SamplerQuirk::ALL.len()) - 1);

    /// The same with one more quirk.
    #[must_use]
    pub const fn with(self, quirk: SamplerQuirk) -> Self {
        Self(self.0 | 1 << quirk as u16)
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has a quirk.
    #[inline(always)]
    pub const fn has(self, quirk: SamplerQuirk) -> bool {
        self.0 & 1 << quirk as u16 != 0
    }

    /// The models that have words of their own; those of others are the words of their quirks.
    const WHOLE: [(Self, &'static str); 2] = [(Self::EXACT, "exact"), (Self::SOFTPIPE, "softpipe")];

    /// The words for it in texts: `exact`, `softpipe`, or those of its quirks.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let whole = Self::WHOLE.iter().find(|row| row.0 == self).map(|row| row.1);
        let named = whole.is_some();
        let quirks = SamplerQuirk::ALL.iter().filter(move |quirk| !named && self.has(**quirk));
        whole.into_iter().chain(quirks.map(|quirk| quirk.name()))
    }

    /// What one word says.
    pub fn named(word: &str) -> Option<Self> {
        // A model is a set: several words may name it, so it is none of `spelled!`.
        let whole = Self::WHOLE.iter().find(|row| row.1 == word).map(|row| row.0);
        whole.or_else(|| SamplerQuirk::named(word).map(|quirk| Self::EXACT.with(quirk)))
    }

    /// What fetching outside a texture gives.
    pub const fn outside(self) -> OutOfRange {
        if self.has(SamplerQuirk::FetchNearest) { OutOfRange::Clamp } else { OutOfRange::Zero }
    }
}

impl core::fmt::Display for SamplerModel {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (n, word) in self.words().enumerate() {
            write!(f, "{}{word}", if n == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::fmt::Debug for SamplerModel {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{self}")
    }
}

words! {
    /// How a reference value is compared with a texel: `reference OP texel`.
    Compare "comparison" {
        /// Never true.
        Never "never",
        /// Less.
        Less "less",
        /// Equal.
        Equal "equal",
        /// Less or equal.
        LessEqual "less-equal",
        /// Greater.
        Greater "greater",
        /// Not equal; the only ordered one that is true if either is NaN.
        NotEqual "not-equal",
        /// Greater or equal.
        GreaterEqual "greater-equal",
        /// Always true.
        Always "always",
    }
}

impl Compare {
    /// Whether the comparison holds.
    pub fn test(self, reference: f32, texel: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < texel,
            Self::Equal => reference == texel,
            Self::LessEqual => reference <= texel,
            Self::Greater => reference > texel,
            Self::NotEqual => reference != texel,
            Self::GreaterEqual => reference >= texel,
            Self::Always => true,
        }
    }
}

/// The bits of an f32, so that what holds it can be compared and hashed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatBits(pub u32);

impl FloatBits {
    /// The bits of `value`.
    pub const fn new(value: f32) -> Self {
        Self(value.to_bits())
    }

    /// The value.
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl core::fmt::Debug for FloatBits {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?}", self.get())
    }
}

/// The state of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerState {
    /// Horizontal wrap.
    pub wrap_u: Wrap,
    /// Vertical wrap.
    pub wrap_v: Wrap,
    /// Wrap along the depth of a 3D texture.
    pub wrap_w: Wrap,
    /// Within a level where the texture is magnified: where the level of detail, clamped to
    /// [`min_lod`](Self::min_lod)`..=`[`max_lod`](Self::max_lod), is 0 or less.
    pub mag: Filter,
    /// Within a level where the texture is minified.
    pub min: Filter,
    /// Between levels.
    pub mip: Mip,
    /// Largest anisotropy, 1–16; 1 for none.
    pub anisotropy: u8,
    /// What [`Wrap::Border`] reads outside the texture: four lanes of bits of the texture's scalar.
    pub border: [u32; 4],
    /// Added to the level of detail, also to one that the program gives.
    pub lod_bias: FloatBits,
    /// The least level of detail.
    pub min_lod: FloatBits,
    /// The largest level of detail.
    pub max_lod: FloatBits,
    /// How a reading with comparison compares; `None` reads texels as they are.
    pub compare: Option<Compare>,
    /// Whether a linear filter continues across the edges of a cube's faces. If not, each face is clamped at its edges.
    pub seamless: bool,
    /// The choice for everything that standards leave open.
    pub model: SamplerModel,
}

impl SamplerState {
    /// Clamped to the edge, nearest texel, level 0, nothing else.
    pub const PLAIN: Self = Self {
        wrap_u: Wrap::Clamp,
        wrap_v: Wrap::Clamp,
        wrap_w: Wrap::Clamp,
        mag: Filter::Nearest,
        min: Filter::Nearest,
        mip: Mip::None,
        anisotropy: 1,
        border: [0; 4],
        lod_bias: FloatBits::new(0.0),
        min_lod: FloatBits::new(f32::NEG_INFINITY),
        max_lod: FloatBits::new(f32::INFINITY),
        compare: None,
        seamless: false,
        model: SamplerModel::EXACT,
    };

    /// The same state with one filter for magnification and minification.
    #[must_use]
    pub const fn with_filter(self, filter: Filter) -> Self {
        Self { mag: filter, min: filter, ..self }
    }

    /// The same state with one wrap mode for all axes.
    #[must_use]
    pub const fn with_wrap(self, wrap: Wrap) -> Self {
        Self { wrap_u: wrap, wrap_v: wrap, wrap_w: wrap, ..self }
    }
}

impl Default for SamplerState {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// A texture and the sampler it is read through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The register it came from: `fs0`.
    pub name: String,
    /// The number of the texture register.
    pub slot: u32,
    /// The number of the sampler register; equal to [`slot`](Self::slot) where texture and sampler are one.
    pub sampler_slot: u32,
    /// Its shape.
    pub dim: Dim,
    /// What a texel's lanes are: f32, i32 or u32. Integers are never filtered: the sampler asks for the nearest one.
    pub scalar: Scalar,
    /// Whether it holds depths that are read with a comparison: samples and gathers compare if it does, and only then.
    /// Its texels are f32, and it is neither 3D nor only fetched from.
    pub compare: bool,
    /// The state value, one u32 lane, that selects its [`Dim`], as the position in [`Dim::ALL`]: `1d`, `2d`, `3d` or
    /// `cube`. The coordinate then has three lanes, of which as many as needed are used. `dim` applies where the state
    /// is not set, and is one of these four too. Such a texture can only be sampled, without gradients and offset, and
    /// queried for size, samples and level.
    pub dim_by: Option<StateId>,
    /// The sampler state that the program sets; `None` where it leaves it to the runtime, and of textures that are
    /// only fetched from. It compares only if [`compare`](Self::compare) is set.
    pub sampler: Option<SamplerState>,
}

impl Texture {
    /// Lanes of a coordinate.
    pub const fn coord_lanes(&self) -> u8 {
        if self.dim_by.is_some() { 3 } else { self.dim.coord_lanes() }
    }

    /// A texture of f32 texels in one register with its sampler, whose state is left to the runtime.
    pub fn new(name: impl Into<String>, slot: u32, dim: Dim) -> Self {
        Self {
            name: name.into(),
            slot,
            sampler_slot: slot,
            dim,
            scalar: Scalar::F32,
            compare: false,
            dim_by: None,
            sampler: None,
        }
    }
}

/// Texels that a shader may write: one level, no sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The register it came from: `IMAGE[0]`.
    pub name: String,
    /// The number of the register.
    pub slot: u32,
    /// Its shape.
    pub dim: Dim,
    /// How a texel is held.
    pub format: Format,
    /// Whether the program may read it.
    pub read: bool,
    /// Whether the program may write it, or change it atomically.
    pub write: bool,
}

words! {
    /// What a buffer is for.
    BufferKind "kind of buffer" {
        /// Bytes that a program reads and, if the binding says so, writes.
        Storage "storage",
        /// Bytes that a program only reads.
        Uniform "uniform",
        /// Counters, u32 each, that a program reads, and changes only atomically.
        Counter "counter",
    }
}

/// Memory outside the shader, addressed by bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The register it came from: `BUFFER[0]`.
    pub name: String,
    /// The number of the register.
    pub slot: u32,
    /// What it is for.
    pub kind: BufferKind,
    /// Whether the program may write it, or change it atomically; never of a uniform one.
    pub write: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn lanes_of_coordinates() {
        // OpenGL 4.6, tables of the texture functions; TGSI's list of targets agrees.
        let lanes: Vec<u8> = Dim::ALL.iter().map(|d| d.coord_lanes()).collect();
        assert_eq!(lanes, [1, 2, 3, 3, 2, 3, 4, 2, 1, 2, 3]);
    }

    #[test]
    fn names_find_their_owner() {
        for dim in Dim::ALL {
            assert_eq!(Dim::named(dim.name()), Some(*dim));
        }
        for compare in Compare::ALL {
            assert_eq!(Compare::named(compare.name()), Some(*compare));
        }
        assert_eq!(Wrap::named("2d"), None);
    }

    #[test]
    fn comparisons() {
        // Each by reference below, equal to and above the texel, and NaN.
        let held = |c: Compare| [1.0, 2.0, 3.0, f32::NAN].map(|r| c.test(r, 2.0));
        assert_eq!(held(Compare::Never), [false; 4]);
        assert_eq!(held(Compare::Less), [true, false, false, false]);
        assert_eq!(held(Compare::Equal), [false, true, false, false]);
        assert_eq!(held(Compare::LessEqual), [true, true, false, false]);
        assert_eq!(held(Compare::Greater), [false, false, true, false]);
        assert_eq!(held(Compare::NotEqual), [true, false, true, true]);
        assert_eq!(held(Compare::GreaterEqual), [false, true, true, false]);
        assert_eq!(held(Compare::Always), [true; 4]);
    }
}
