//! The languages that programs are translated to.

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
    Ir "ir" [] "ir" "The intermediate representation as text";
}

vecasm_ir::spelled!(Target, "target", aliases);
