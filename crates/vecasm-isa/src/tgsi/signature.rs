//! The types of operands: those of [`table`](super::table), and those of instructions for which Mesa's table says nothing, or only what
//! matters to modifiers.

use super::names::Target;
use super::table::{Opcode, Type};
use crate::table::Shape;
use vecasm_ir::ir::{Dim, Scalar};

/// The most sources that an instruction has.
const SOURCES: usize = 5;

/// What is known of the texture or image that an instruction is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texels {
    /// Its shape; `None` if it is not known, or for memory.
    pub dim: Option<Dim>,
    /// Whether they are compared with a reference value.
    pub compared: bool,
    /// The type of a component; `None` for memory, whose words have none.
    pub scalar: Option<Scalar>,
}

impl From<Target> for Texels {
    fn from(target: Target) -> Self {
        Self { dim: target.dim(), compared: target.is_shadow(), scalar: None }
    }
}

/// What an instruction takes its operands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What the result is.
    pub result: Type,
    sources: [Type; SOURCES],
}

impl Signature {
    /// One type for the sources, and one for the result.
    const fn new(result: Type, sources: Type) -> Self {
        Self { result, sources: [sources; SOURCES] }
    }

    /// With a source of another type.
    const fn with(mut self, n: usize, source: Type) -> Self {
        self.sources[n] = source;
        self
    }

    /// What an instruction takes its operands for. `texels` are those of its texture, its view or its image.
    pub fn of(op: Opcode, texels: Texels) -> Self {
        use Opcode as O;
        use Type::{Bits, F32, I32, U32};
        let row = op.row();
        match op {
            O::Ucmp => Self::new(Bits, Bits).with(0, U32),
            O::D2i => Self::new(I32, row.source(0)),
            O::D2u => Self::new(U32, row.source(0)),
            // Counts are words.
            O::U64shl | O::I64shr | O::U64shr => Self::new(row.result, row.source(0)).with(1, I32),
            O::Pk2h | O::Pk2us | O::Pk4b | O::Pk4ub => Self::new(U32, F32),
            O::Up2h | O::Up2us | O::Up4b | O::Up4ub => Self::new(F32, U32),
            O::InterpSample => Self::new(F32, I32).with(0, F32),
            O::ReadHelper | O::VoteAny | O::VoteAll | O::VoteEq | O::Ballot => Self::new(U32, U32),
            O::ReadFirst => Self::new(Bits, Bits),
            O::ReadInvoc => Self::new(Bits, U32).with(0, Bits),
            O::Emit | O::Endprim | O::Resq | O::Img2hnd | O::Membar | O::Clock => Self::new(U32, U32),
            O::Load => Self::new(texels.scalar.map_or(Bits, Type::of_lane), U32).with(0, Bits),
            O::Store => Self::new(Bits, U32).with(1, texels.scalar.map_or(Bits, Type::of_lane)),
            _ if row.is_atomic() => {
                let word = match op {
                    O::Atomfadd => F32,
                    O::Atomimin | O::Atomimax => I32,
                    O::Atomxchg | O::Atomcas => Bits,
                    _ => U32,
                };
                Self::new(word, word).with(0, Bits).with(1, U32)
            }
            _ if row.has_texture() => Self::of_texture(op, texels),
            _ => Self { result: row.result, sources: core::array::from_fn(|n| row.source(n)) },
        }
    }

    /// Of an instruction that is about a texture.
    fn of_texture(op: Opcode, texels: Texels) -> Self {
        use Opcode as O;
        use Type::{F32, I32, U32};
        let row = op.row();
        let texel = texels.scalar.map_or(F32, Type::of_lane);
        let mut all = match op {
            O::Txq | O::Sviewinfo => Self::new(U32, I32),
            O::TxqLz | O::Txqs | O::Samp2hnd | O::SampleInfo => Self::new(U32, U32),
            O::Txf | O::TxfLz | O::SampleI | O::SampleIMs => Self::new(texel, I32),
            O::SamplePos => Self::new(F32, I32),
            O::Lodq | O::Lod => Self::new(F32, F32),
            // Source 2 is the number of a component, or a reference value.
            O::Tg4 if !texels.compared => Self::new(texel, F32).with(1, U32),
            _ => Self::new(texel, F32),
        };
        if row.has_target() {
            // A handle stands where a sampler could.
            let sampler = row.source_shapes().iter().position(|shape| *shape == Shape::Sampler);
            if let Some(handle) = sampler.and_then(|n| all.sources.get_mut(n)) {
                *handle = U32;
            }
        }
        all
    }

    /// What a source is taken for.
    pub fn source(&self, n: usize) -> Type {
        self.sources.get(n).copied().unwrap_or(Type::Bits)
    }
}
