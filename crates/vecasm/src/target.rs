//! The languages that programs are translated to.

use crate::isa::Isa;

/// One line a target: the variant, its word and other words for it, the extension of its files, a sentence.
macro_rules! targets {
    ($($(#[$cfg:meta])* $V:ident $name:literal [$($alias:literal),*] $extension:literal $doc:literal;)*) => {
        /// A language that programs are translated to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Target { $($(#[$cfg])* #[doc = $doc] $V,)* }

        impl Target {
            /// The targets of this build.
            pub const ALL: &'static [Self] = &[$($(#[$cfg])* Self::$V,)*];

            /// The word for it.
            pub const fn name(self) -> &'static str {
                match self { $($(#[$cfg])* Self::$V => $name,)* }
            }

            /// Other words for it.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $($(#[$cfg])* Self::$V => &[$($alias),*],)* }
            }

            /// The extension of its files, without a dot.
            pub const fn extension(self) -> &'static str {
                match self { $($(#[$cfg])* Self::$V => $extension,)* }
            }

            /// One sentence about it.
            pub const fn doc(self) -> &'static str {
                match self { $($(#[$cfg])* Self::$V => $doc,)* }
            }
        }
    };
}

targets! {
    #[cfg(feature = "wgsl")] Wgsl "wgsl" [] "wgsl" "WGSL, the shading language of WebGPU";
    #[cfg(feature = "spirv")] Spirv "spirv" ["spv", "spir-v"] "spv" "SPIR-V, the language of Vulkan, in binary";
    #[cfg(feature = "glsl")] Glsl "glsl" [] "glsl" "GLSL, the shading language of OpenGL and OpenGL ES";
    #[cfg(feature = "hlsl")] Hlsl "hlsl" [] "hlsl" "HLSL, the shading language of Direct3D";
    #[cfg(feature = "msl")] Msl "msl" ["metal"] "metal" "MSL, the Metal shading language";
    #[cfg(all(feature = "lower", feature = "agal"))] Agal "agal" [] "agal" "AGAL, the programs of Flash's Stage3D, as text or bytecode";
    #[cfg(all(feature = "lower", feature = "d3d9"))] D3d9 "d3d9" [] "d3d9" "programs of Direct3D 9, as text or tokens; d3d9:MODEL says which model";
    #[cfg(all(feature = "lower", feature = "nv2a"))] Nv2a "nv2a" [] "vsh" "vertex programs of the NV2A, of the original Xbox, as text or words";
    #[cfg(all(feature = "lower", feature = "tgsi"))] Tgsi "tgsi" [] "tgsi" "TGSI, the programs of Mesa's drivers, as text or tokens";
    Ir "ir" [] "ir" "The intermediate representation as text";
}

impl Target {
    /// The instruction set that it is, if it is one.
    pub const fn isa(self) -> Option<Isa> {
        match self {
            #[cfg(all(feature = "lower", feature = "agal"))]
            Self::Agal => Some(Isa::Agal),
            #[cfg(all(feature = "lower", feature = "d3d9"))]
            Self::D3d9 => Some(Isa::D3d9),
            #[cfg(all(feature = "lower", feature = "nv2a"))]
            Self::Nv2a => Some(Isa::Nv2a),
            #[cfg(all(feature = "lower", feature = "tgsi"))]
            Self::Tgsi => Some(Isa::Tgsi),
            _ => None,
        }
    }

    /// Whether it is a language that GPUs or their compilers take, not an instruction set or the intermediate representation.
    pub const fn is_of_gpus(self) -> bool {
        !matches!(self, Self::Ir) && self.isa().is_none()
    }
}

vecasm_ir::spelled!(Target, "target", aliases);
