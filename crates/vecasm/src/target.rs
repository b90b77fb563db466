//! The languages that programs are translated to.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

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

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget {
    word: String,
}

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no target {}; ", crate::diag::printable(&self.word))?;
        let names = || Target::ALL.iter().map(|target| target.name());
        if let Some(near) = crate::diag::near::nearest(&self.word, names()) {
            write!(f, "did you mean `{near}`? ")?;
        }
        for (n, name) in names().enumerate() {
            write!(f, "{}{name}", if n == 0 { "expected one of " } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownTarget {}

impl FromStr for Target {
    type Err = UnknownTarget;

    /// A [name](Target::name) or one of the [other words](Target::aliases), in any case.
    fn from_str(word: &str) -> Result<Self, UnknownTarget> {
        let fits = |name: &str| name.eq_ignore_ascii_case(word);
        let is = |target: &&Self| fits(target.name()) || target.aliases().iter().copied().any(fits);
        Self::ALL.iter().find(is).copied().ok_or_else(|| UnknownTarget { word: word.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_targets() {
        for &target in Target::ALL {
            assert_eq!(target.name().parse(), Ok(target));
            for word in target.aliases() {
                assert_eq!(word.to_uppercase().parse(), Ok(target), "{word}");
            }
        }
    }

    #[test]
    #[cfg(all(feature = "wgsl", feature = "glsl", feature = "spirv", feature = "hlsl", feature = "msl"))]
    fn errors_name_the_nearest() {
        use alloc::string::ToString as _;
        let said = |word: &str| word.parse::<Target>().unwrap_err().to_string();
        let all = "expected one of wgsl, spirv, glsl, hlsl, msl, ir";
        assert_eq!(said("wsgl"), alloc::format!("no target wsgl; did you mean `wgsl`? {all}"));
        assert_eq!(said("verilog"), alloc::format!("no target verilog; {all}"));
    }
}
