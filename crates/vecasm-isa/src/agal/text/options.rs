//! The options between `<` and `>` behind a sampler, and the bits they set.

use crate::agal::program::Sampler;

/// A field of the sampler word that options set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Texture format.
    Format,
    /// Dimension.
    Dim,
    /// Special flags: the only field in which several options add up.
    Special,
    /// Wrap mode.
    Wrap,
    /// Mip mode.
    Mip,
    /// Filter.
    Filter,
}

impl Field {
    /// Every field, in the order in which programs are printed.
    pub(super) const ALL: [Self; 6] =
        [Self::Dim, Self::Filter, Self::Mip, Self::Wrap, Self::Format, Self::Special];

    /// First bit of the field in the sampler word; it is four bits wide.
    pub(super) const fn shift(self) -> u32 {
        match self {
            Self::Format => 40,
            Self::Dim => 44,
            Self::Special => 48,
            Self::Wrap => 52,
            Self::Mip => 56,
            Self::Filter => 60,
        }
    }

    /// What it is called in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Format => "texture format",
            Self::Dim => "dimension",
            Self::Special => "special flag",
            Self::Wrap => "wrap mode",
            Self::Mip => "mip mode",
            Self::Filter => "filter",
        }
    }

    /// Its value in `sampler`.
    pub(super) const fn get(self, sampler: Sampler) -> u8 {
        (sampler.0 >> self.shift()) as u8 & 15
    }
}

/// An option: spelling, field, value.
pub(super) struct SamplerOption {
    /// The spelling; case matters.
    pub(super) name: &'static str,
    /// The field it sets.
    pub(super) field: Field,
    /// The value, or the flag.
    pub(super) value: u8,
}

const fn option(name: &'static str, field: Field, value: u8) -> SamplerOption {
    SamplerOption { name, field, value }
}

/// Every option. Of several spellings of one value the first is the one that is printed.
pub(super) const OPTIONS: &[SamplerOption] = &[
    option("rgba", Field::Format, 0),
    option("dxt1", Field::Format, 1),
    option("compressed", Field::Format, 1),
    option("dxt5", Field::Format, 2),
    option("compressedalpha", Field::Format, 2),
    option("video", Field::Format, 3),
    option("2d", Field::Dim, 0),
    option("cube", Field::Dim, 1),
    option("3d", Field::Dim, 2),
    option("mipnone", Field::Mip, 0),
    option("nomip", Field::Mip, 0),
    option("mipnearest", Field::Mip, 1),
    option("miplinear", Field::Mip, 2),
    option("nearest", Field::Filter, 0),
    option("linear", Field::Filter, 1),
    option("anisotropic2x", Field::Filter, 2),
    option("anisotropic4x", Field::Filter, 3),
    option("anisotropic8x", Field::Filter, 4),
    option("anisotropic16x", Field::Filter, 5),
    option("centroid", Field::Special, Sampler::CENTROID),
    option("single", Field::Special, Sampler::SINGLE),
    option("ignoresampler", Field::Special, Sampler::IGNORE_SAMPLER),
    option("clamp", Field::Wrap, 0),
    option("repeat", Field::Wrap, 1),
    option("wrap", Field::Wrap, 1),
    option("clamp_u_repeat_v", Field::Wrap, 2),
    option("repeat_u_clamp_v", Field::Wrap, 3),
];

/// The option of that name.
pub(super) fn by_name(name: &str) -> Option<&'static SamplerOption> {
    OPTIONS.iter().find(|o| o.name == name)
}

/// The spelling that is printed for `value` in `field`.
pub(super) fn name_of(field: Field, value: u8) -> Option<&'static str> {
    OPTIONS.iter().find(|o| o.field == field && o.value == value).map(|o| o.name)
}
