//! Enums whose documentation can be shown.

/// An enum whose variants have one paragraph of documentation each, which `doc` gives.
#[doc(hidden)]
#[macro_export]
macro_rules! documented {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident { $( $(#[doc = $doc:literal])+ $Variant:ident, )* }
    ) => {
        $(#[$meta])*
        pub enum $Name { $( $(#[doc = $doc])+ $Variant, )* }

        impl $Name {
            /// What it is, in a sentence.
            pub const fn doc(self) -> &'static str {
                match self { $( Self::$Variant => concat!($($doc),+).trim_ascii(), )* }
            }
        }
    };
}
