//! Names that a program's own tables give to constants, and how values of their types lie in registers.
//!
//! They are for people and files alone: no operation refers to them, the text form leaves them out, and two shaders that differ
//! in nothing else are equal.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What is known of the constants of a program besides their registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Constants with names.
    pub constants: Vec<Symbol>,
    /// Elements of parameter arrays that something computes before the program runs, so that nobody has to give them: the name
    /// of the array, and the element.
    pub computed: Vec<(String, u32)>,
    /// What elements hold that nobody gives, because the program brings their values: the name of the array, the element, and
    /// its bits.
    pub defaults: Vec<(String, u32, [u32; 4])>,
    /// What the program calls the meanings of the inputs that it declares, read or not: `GENERIC[3]`, `texcoord1`.
    pub inputs: Vec<String>,
    /// Textures with names.
    pub textures: Vec<TextureSymbol>,
}

/// A texture, or the sampler that it is read through, with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureSymbol {
    /// The name.
    pub name: String,
    /// The slot of the texture.
    pub slot: u32,
}

/// A constant with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The name of the parameter array that it lies in; one that the shader does not have belongs to something beside it.
    pub array: String,
    /// The first element.
    pub first: u32,
    /// Number of elements; what the type has beyond them the program does not read.
    pub count: u32,
    /// Whether each component has an element of its own, instead of up to four.
    pub single: bool,
    /// The type.
    pub shape: Shape,
}

/// How a value lies in elements of four lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number (one row, one column), a vector (one row), or a matrix.
    Matrix {
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
        /// Whether an element holds a column instead of a row.
        by_columns: bool,
    },
    /// Values one behind another.
    Array(Box<Shape>, u16),
    /// Members one behind another, each from an element of its own on.
    Struct(Vec<(String, Shape)>),
}

impl Shape {
    /// Number of elements that a value takes: of up to four components each, or of one where `single`.
    pub fn elements(&self, single: bool) -> u32 {
        match self {
            Self::Matrix { rows, columns, .. } if single => u32::from(*rows) * u32::from(*columns),
            Self::Matrix { columns, by_columns: true, .. } => (*columns).into(),
            Self::Matrix { rows, .. } => (*rows).into(),
            Self::Array(of, count) => of.elements(single).saturating_mul(u32::from(*count)),
            Self::Struct(members) => {
                let sizes = members.iter().map(|(_, shape)| shape.elements(single));
                sizes.fold(0, u32::saturating_add)
            }
        }
    }

    /// The part that a path names, and the number of elements in front of it: `[2].color`; the empty path is all of it.
    pub fn part(&self, path: &str, single: bool) -> Option<(u32, &Self)> {
        if path.is_empty() {
            return Some((0, self));
        }
        let (offset, rest, part) = match self {
            Self::Array(of, count) => {
                let (number, rest) = path.strip_prefix('[')?.split_once(']')?;
                let plain = number.bytes().all(|b| b.is_ascii_digit());
                let number: u32 = number.parse().ok().filter(|n| plain && *n < u32::from(*count))?;
                (of.elements(single).saturating_mul(number), rest, &**of)
            }
            Self::Struct(members) => {
                let path = path.strip_prefix('.')?;
                let end = path.find(['.', '[']).unwrap_or(path.len());
                let (name, rest) = path.split_at(end);
                let at = members.iter().position(|(member, _)| member == name)?;
                let before = members.iter().take(at).map(|(_, shape)| shape.elements(single));
                (before.fold(0, u32::saturating_add), rest, &members.get(at)?.1)
            }
            Self::Matrix { .. } => return None,
        };
        let (inner, part) = part.part(rest, single)?;
        Some((offset.saturating_add(inner), part))
    }
}

impl Symbols {
    /// The elements of an array that the program brings, each with its bits.
    pub fn defaults_of<'a>(&'a self, array: &'a str) -> impl Iterator<Item = (u32, [u32; 4])> + 'a {
        self.defaults
            .iter()
            .filter(move |(name, ..)| name == array)
            .map(|(_, element, bits)| (*element, *bits))
    }

    /// The constants that a path means, each with its first element and what lies there: several, where the program and
    /// something beside it have the same name.
    pub fn find<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a Symbol, u32, &'a Shape)> {
        self.constants.iter().filter_map(move |symbol| {
            let rest = path.strip_prefix(symbol.name.as_str())?;
            let (offset, part) = symbol.shape.part(rest, symbol.single)?;
            Some((symbol, symbol.first.saturating_add(offset), part))
        })
    }
}

/// Puts the rows of a matrix into elements; the other way round it gives the rows back. Rows have up to four numbers.
pub fn transpose<T: Copy + Default>(rows: &[[T; 4]], columns: usize) -> Vec<[T; 4]> {
    let lane = |column: usize| {
        let mut out = [T::default(); 4];
        out.iter_mut().zip(rows).for_each(|(to, row)| *to = row.get(column).copied().unwrap_or_default());
        out
    };
    (0..columns.min(4)).map(lane).collect()
}
