//! Unsettled points: what no source decides about an original runtime, as switches with names and values.
//!
//! `switches!` turns the rows of an ISA into one enum a switch, a struct of all of them with `set`,
//! and the list that the command line, `--rule help` and the manual print.

/// A point that is not settled: its name, what it decides, the values it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The name, as in `--rule NAME=VALUE`.
    pub name: &'static str,
    /// What it decides and why it is open.
    pub doc: &'static str,
    /// The values with their meaning.
    pub values: &'static [(&'static str, &'static str)],
    /// The value used if nothing is said.
    pub default: &'static str,
}

/// What is wrong with a switch setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwitchError {
    /// No switch has that name.
    UnknownName,
    /// The switch does not take that value.
    UnknownValue,
}

/// Turns rows into one enum a switch, `Switches`, `SWITCHES` and `Switches::set`.
///
/// A row: doc comment, then `field: Enum = "name" { /// meaning` `Variant = "value", … ; default Variant }`. Behind
/// `numbers` stand rows of `field: type = "name" low..=high, default N, "what the number is"`.
macro_rules! switches {
    ( $( #[doc = $doc:literal] $field:ident: $E:ident = $name:literal {
            $( #[doc = $value_doc:literal] $V:ident = $value:literal ),* ; default $D:ident
         } )*
      numbers
      $( #[doc = $number_doc:literal] $number:ident: $ty:ty = $number_name:literal
         $low:literal..=$high:literal, default $number_default:literal, $what:literal )* ) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum $E { $( #[doc = $value_doc] $V ),* }

            impl Default for $E {
                fn default() -> Self { Self::$D }
            }

            impl $E {
                /// The value as written on the command line.
                pub const fn name(self) -> &'static str {
                    match self { $( Self::$V => $value ),* }
                }
            }
        )*

        /// The unsettled points.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Switches {
            $( #[doc = $doc] pub $field: $E, )*
            $( #[doc = $number_doc] pub $number: $ty, )*
        }

        impl Default for Switches {
            fn default() -> Self {
                Self { $( $field: $E::$D, )* $( $number: $number_default, )* }
            }
        }

        /// Every switch.
        pub const SWITCHES: &[$crate::switch::Switch] = &[
            $( $crate::switch::Switch {
                name: $name,
                doc: $doc.trim_ascii(),
                values: &[$( ($value, $value_doc.trim_ascii()) ),*],
                default: $E::$D.name(),
            }, )*
            $( $crate::switch::Switch {
                name: $number_name,
                doc: $number_doc.trim_ascii(),
                values: &[(concat!($low, "-", $high), $what)],
                default: stringify!($number_default),
            }, )*
        ];

        impl Switches {
            /// Sets the switch `name` to `value`, both as in [`SWITCHES`].
            ///
            /// # Errors
            ///
            /// If there is no such switch, or it does not take that value.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::switch::SwitchError> {
                use $crate::switch::SwitchError;
                match name {
                    $( $name => {
                        self.$field = match value {
                            $( $value => $E::$V, )*
                            _ => return Err(SwitchError::UnknownValue),
                        };
                    } )*
                    $( $number_name => {
                        self.$number = match value.parse() {
                            Ok(n) if ($low..=$high).contains(&n) => n,
                            _ => return Err(SwitchError::UnknownValue),
                        };
                    } )*
                    _ => return Err(SwitchError::UnknownName),
                }
                Ok(())
            }
        }
    };
}

pub(crate) use switches;
