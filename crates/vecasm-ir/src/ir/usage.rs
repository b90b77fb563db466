//! The usages of Direct3D 9: what declarations in assembly and semantics in HLSL call the meaning of attributes and varyings.

crate::words! {
    /// A usage, in the order of the codes (`D3DDECLUSAGE`) from 0 on.
    DeclUsage "usage" {
        /// A position.
        Position "position",
        /// Blending weights.
        BlendWeight "blendweight",
        /// Blending indices.
        BlendIndices "blendindices",
        /// A normal.
        Normal "normal",
        /// The size of a point.
        PointSize "psize",
        /// Coordinates of a texture.
        TexCoord "texcoord",
        /// A tangent.
        Tangent "tangent",
        /// A binormal.
        Binormal "binormal",
        /// A tessellation factor.
        TessFactor "tessfactor",
        /// A transformed position.
        PositionT "positiont",
        /// A colour.
        Color "color",
        /// A fog factor.
        Fog "fog",
        /// A depth.
        Depth "depth",
        /// Sampler data.
        Sample "sample",
    }
}

impl DeclUsage {
    /// Its code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The usage with that code; 14 and above have none.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The usage that a semantic in lower case names, with or without its index: `texcoord3`.
    pub fn of_semantic(semantic: &str) -> Option<Self> {
        Self::named(semantic.trim_end_matches(|c: char| c.is_ascii_digit()))
    }
}
