//! Where the fields of token words stand, by dialect.
//!
//! Sources: the token headers of Mesa 22.3.6, Mesa 10.1.6 and virglrenderer 1.3.0, and the token streams that Mesa 22.3.6
//! and virglrenderer 1.3.0 were seen to write. Where nothing tells how Mesa 10.1.6 and 20 differ, they are taken to have
//! what Mesa 22.3.6 has.

use crate::tgsi::dialect::{Dialect, Numbering};
use crate::tgsi::names::File;

/// A field of a word. One without width is not there: it holds 0, and nothing can be put in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    at: u32,
    width: u32,
}

impl Field {
    const NONE: Self = Self::new(0, 0);

    const fn new(at: u32, width: u32) -> Self {
        Self { at, width }
    }

    /// The largest number in it.
    pub(super) const fn max(self) -> u32 {
        ((1_u64 << self.width) - 1) as u32
    }

    /// What a word holds in it.
    pub(super) const fn of(self, word: u32) -> u32 {
        (word >> self.at) & self.max()
    }

    /// Whether it is a bit that is set.
    pub(super) const fn is_set(self, word: u32) -> bool {
        self.of(word) != 0
    }

    /// A word with a number in it; bits that do not fit are dropped.
    pub(super) const fn with(self, value: u32) -> u32 {
        (value & self.max()) << self.at
    }
}

/// The types of tokens.
pub(super) mod kind {
    pub(in super::super) const DECLARATION: u32 = 0;
    pub(in super::super) const IMMEDIATE: u32 = 1;
    pub(in super::super) const INSTRUCTION: u32 = 2;
    pub(in super::super) const PROPERTY: u32 = 3;
}

/// The header: the number of its words, and the number of words behind them.
pub(super) mod header {
    use super::Field;
    pub(in super::super) const SIZE: Field = Field::new(0, 8);
    pub(in super::super) const BODY: Field = Field::new(8, 24);
    pub(in super::super) const PROCESSOR: Field = Field::new(0, 4);
    /// What [`SIZE`] is.
    pub(in super::super) const WORDS: usize = 2;
}

/// The type of a token.
pub(super) const TYPE: Field = Field::new(0, 4);

/// The words of a declaration.
pub(super) mod declaration {
    use super::Field;
    pub(in super::super) const LENGTH: Field = Field::new(4, 8);
    pub(in super::super) const FILE: Field = Field::new(12, 4);
    pub(in super::super) const MASK: Field = Field::new(16, 4);
    pub(in super::super) const DIMENSION: Field = Field::new(20, 1);
    pub(in super::super) const SEMANTIC: Field = Field::new(21, 1);
    pub(in super::super) const INTERPOLATE: Field = Field::new(22, 1);
    pub(in super::super) const INVARIANT: Field = Field::new(23, 1);
    pub(in super::super) const LOCAL: Field = Field::new(24, 1);
    pub(in super::super) const ARRAY: Field = Field::new(25, 1);
    pub(in super::super) const ATOMIC: Field = Field::new(26, 1);
    pub(in super::super) const MEMORY_TYPE: Field = Field::new(27, 2);

    pub(in super::super) const FIRST: Field = Field::new(0, 16);
    pub(in super::super) const LAST: Field = Field::new(16, 16);

    pub(in super::super) const DIMENSION_INDEX: Field = Field::new(0, 16);

    pub(in super::super) const MODE: Field = Field::new(0, 4);
    pub(in super::super) const LOCATION: Field = Field::new(4, 2);

    pub(in super::super) const NAME: Field = Field::new(0, 8);
    pub(in super::super) const INDEX: Field = Field::new(8, 16);

    pub(in super::super) const RESOURCE: Field = Field::new(0, 8);
    pub(in super::super) const RAW: Field = Field::new(8, 1);
    pub(in super::super) const WRITABLE: Field = Field::new(9, 1);

    pub(in super::super) const RETURNS: [Field; 4] =
        [Field::new(8, 6), Field::new(14, 6), Field::new(20, 6), Field::new(26, 6)];

    pub(in super::super) const ARRAY_ID: Field = Field::new(0, 10);
}

/// The first word of an immediate.
pub(super) mod immediate {
    use super::Field;
    pub(in super::super) const LENGTH: Field = Field::new(4, 14);
    pub(in super::super) const DATA_TYPE: Field = Field::new(18, 4);
}

/// The first word of a property.
pub(super) mod property {
    use super::Field;
    pub(in super::super) const LENGTH: Field = Field::new(4, 8);
    pub(in super::super) const NAME: Field = Field::new(12, 8);
}

/// The words of operands.
pub(super) mod operand {
    use super::Field;
    pub(in super::super) const FILE: Field = Field::new(0, 4);

    pub(in super::super) const DST_MASK: Field = Field::new(4, 4);
    pub(in super::super) const DST_INDIRECT: Field = Field::new(8, 1);
    pub(in super::super) const DST_DIMENSION: Field = Field::new(9, 1);
    pub(in super::super) const DST_INDEX: Field = Field::new(10, 16);

    pub(in super::super) const SRC_INDIRECT: Field = Field::new(4, 1);
    pub(in super::super) const SRC_DIMENSION: Field = Field::new(5, 1);
    pub(in super::super) const SRC_INDEX: Field = Field::new(6, 16);
    pub(in super::super) const SRC_SWIZZLE: Field = Field::new(22, 8);
    pub(in super::super) const SRC_ABSOLUTE: Field = Field::new(30, 1);
    pub(in super::super) const SRC_NEGATE: Field = Field::new(31, 1);

    pub(in super::super) const INDIRECT_INDEX: Field = Field::new(4, 16);
    pub(in super::super) const INDIRECT_COMPONENT: Field = Field::new(20, 2);
    pub(in super::super) const INDIRECT_ARRAY: Field = Field::new(22, 10);

    pub(in super::super) const DIMENSION_INDIRECT: Field = Field::new(0, 1);
    pub(in super::super) const DIMENSION_INDEX: Field = Field::new(16, 16);

    pub(in super::super) const OFFSET_INDEX: Field = Field::new(0, 16);
    pub(in super::super) const OFFSET_FILE: Field = Field::new(16, 4);
    pub(in super::super) const OFFSET_SWIZZLE: Field = Field::new(20, 6);
}

/// The words of an instruction that are the same in every dialect.
pub(super) mod instruction {
    use super::Field;
    pub(in super::super) const PREDICATE_INDEX: Field = Field::new(0, 16);
    pub(in super::super) const PREDICATE_SWIZZLE: Field = Field::new(16, 8);
    pub(in super::super) const PREDICATE_NEGATE: Field = Field::new(24, 1);

    pub(in super::super) const LABEL: Field = Field::new(0, 24);

    pub(in super::super) const TARGET: Field = Field::new(0, 8);
    pub(in super::super) const OFFSETS: Field = Field::new(8, 4);
}

/// What differs between the dialects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The dialect.
    pub(super) dialect: Dialect,
    /// Its numbers.
    pub(super) numbering: Numbering,
    /// Of an instruction, the number of words behind the first.
    pub(super) length: Field,
    /// Its number.
    pub(super) opcode: Field,
    /// How its result is clamped.
    pub(super) saturate: Field,
    /// Number of destinations.
    pub(super) destinations: Field,
    /// Number of sources.
    pub(super) sources: Field,
    /// Whether a word for a condition follows.
    pub(super) predicate: Field,
    /// Whether a word for a label follows.
    pub(super) label: Field,
    /// Whether words for a texture follow.
    pub(super) texture: Field,
    /// Whether a word for memory follows.
    pub(super) memory: Field,
    /// Whether it is exact.
    pub(super) precise: Field,
    /// What a texel is that an instruction reads. virglrenderer was never seen to write it.
    pub(super) returns: Field,
    /// What accesses to memory promise.
    pub(super) qualifiers: Field,
    /// The target of an image that is accessed.
    pub(super) memory_target: Field,
    /// Its format.
    pub(super) memory_format: Field,
    /// Of a declaration, the axes of a cylinder.
    pub(super) cylindrical: Field,
    /// The streams of each component.
    pub(super) streams: Field,
    /// The format of an image.
    pub(super) image_format: Field,
}

impl Layout {
    /// That of a dialect.
    pub(super) const fn of(dialect: Dialect) -> Self {
        let numbering = dialect.numbering();
        // Everything behind the length of instructions, and behind the qualifiers of memory.
        let (longer, fewer) = match numbering {
            Numbering::Virgl => (1, 1),
            Numbering::Mesa | Numbering::Legacy => (0, 0),
        };
        let mesa = Self {
            dialect,
            numbering,
            length: Field::new(4, 8 + longer),
            opcode: Field::new(12 + longer, 8),
            saturate: Field::new(20 + longer, 1),
            destinations: Field::new(21 + longer, 2),
            sources: Field::new(23 + longer, 4),
            predicate: Field::NONE,
            label: Field::new(27 + longer, 1),
            texture: Field::new(28 + longer, 1),
            memory: Field::new(29 + longer, 1),
            precise: Field::new(30 + longer, 1),
            returns: match numbering {
                Numbering::Mesa => Field::new(12, 3),
                Numbering::Virgl | Numbering::Legacy => Field::NONE,
            },
            qualifiers: Field::new(0, 4 - fewer),
            memory_target: Field::new(4 - fewer, 8),
            memory_format: Field::new(12 - fewer, 10),
            cylindrical: match dialect {
                Dialect::Mesa22 | Dialect::Mesa25 => Field::NONE,
                Dialect::Legacy | Dialect::Seed | Dialect::Virgl => Field::new(6, 4),
            },
            streams: Field::new(24, 8),
            image_format: Field::new(10, 10),
        };
        match numbering {
            Numbering::Mesa | Numbering::Virgl => mesa,
            Numbering::Legacy => Self {
                saturate: Field::new(20, 2),
                destinations: Field::new(22, 2),
                sources: Field::new(24, 4),
                predicate: Field::new(28, 1),
                label: Field::new(29, 1),
                texture: Field::new(30, 1),
                memory: Field::NONE,
                precise: Field::NONE,
                qualifiers: Field::NONE,
                memory_target: Field::NONE,
                memory_format: Field::NONE,
                streams: Field::NONE,
                image_format: Field::NONE,
                ..mesa
            },
        }
    }

    /// Whether a word about an image stands behind declarations of a file.
    pub(super) const fn has_image(file: File) -> bool {
        matches!(file, File::Image | File::Res)
    }

    /// Whether a word about a sampler view stands behind declarations of a file.
    pub(super) const fn has_view(file: File) -> bool {
        matches!(file, File::Sview)
    }

    /// The file of a number.
    pub(super) fn file(&self, code: u32) -> File {
        File::from_code(self.numbering, code as u8)
    }
}
