//! Which registers a program uses: the reflection behind `vecasm info`.
//!
//! The counting is that of the function of the same name in Adobe's C++ code (glsl2agal), oddities included:
//!
//! * A source counts with every lane of its swizzle, whatever the opcode and the write mask need.
//! * A matrix counts its rows (m44 four, m33 and m34 three); the index register of an indirect matrix counts as
//!   that many registers too.
//! * One indirect operand makes every constant count as read in full.
//!
//! Adobe's code describes valid AGAL 1 programs only. Here any program is described: what is out of range is left
//! out, and the samplers, the further outputs, the depth output and the instance id of later versions are added.

use super::super::program::{Program, RegType, Sampler, Source, Stage, Token};
use super::super::table::Opcode;
use super::validate::READS;
use crate::table::Shape;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::operand::WriteMask;

/// Which registers a program uses. The vectors are indexed by register number and as long as the version and the
/// stage of the program have registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The stage of the program.
    pub stage: Stage,
    /// Its version.
    pub version: u32,
    /// Number of tokens.
    pub instructions: u32,
    /// Number of tex, ted and tld tokens.
    pub texture_reads: u32,
    /// Number of kil tokens.
    pub kills: u32,
    /// Whether an operand is indirect.
    pub indirect: bool,
    /// Whether there is a sin or cos, which costs more on some hardware.
    pub sin_cos: bool,
    /// Whether there is a kil, sge, slt, seq or sne, which some hardware runs by predication.
    pub predicated: bool,
    /// Whether the instance id is read.
    pub instance_id: bool,
    /// Whether the depth output is written.
    pub depth: bool,
    /// Lanes written of each output.
    pub outputs: Vec<WriteMask>,
    /// Lanes read of each attribute.
    pub attributes: Vec<WriteMask>,
    /// Lanes of each varying, written in a vertex program, read in a fragment program.
    pub varyings: Vec<WriteMask>,
    /// Lanes read or written of each temporary.
    pub temporaries: Vec<WriteMask>,
    /// Lanes read of each constant.
    pub constants: Vec<WriteMask>,
    /// The samplers used, by number, each with the operand that used it first.
    pub samplers: Vec<Sampler>,
}

impl Usage {
    /// Most runs that [`constant_batches`](Self::constant_batches) gives.
    pub const MAX_BATCHES: usize = 8;

    /// Runs of constants that are read, as (first, length), ascending: what a player has to upload. There are at
    /// most [`MAX_BATCHES`](Self::MAX_BATCHES) runs; the last one takes in all that follow, with the gaps.
    pub fn constant_batches(&self) -> Vec<(usize, usize)> {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for (i, _) in self.constants.iter().enumerate().filter(|(_, mask)| **mask != WriteMask::NONE) {
            let full = out.len() == Self::MAX_BATCHES;
            match out.last_mut() {
                Some((first, length)) if *first + *length == i || full => *length = i + 1 - *first,
                _ => out.push((i, 1)),
            }
        }
        out
    }

    fn add(file: &mut [WriteMask], number: usize, lanes: u8) {
        if let Some(mask) = file.get_mut(number) {
            *mask = mask.union(WriteMask::from_bits(lanes));
        }
    }

    fn read(&mut self, ty: Option<RegType>, number: usize, lanes: u8) {
        match ty {
            Some(RegType::Attribute) => Self::add(&mut self.attributes, number, lanes),
            Some(RegType::Constant) => Self::add(&mut self.constants, number, lanes),
            Some(RegType::Temporary) => Self::add(&mut self.temporaries, number, lanes),
            Some(RegType::Varying) if self.stage == Stage::Fragment => {
                Self::add(&mut self.varyings, number, lanes);
            }
            Some(RegType::InstanceId) => self.instance_id = true,
            _ => {}
        }
    }

    fn source(&mut self, source: Source, shape: Shape) {
        let rows = match shape {
            Shape::Sampler => return self.sampler(source.sampler()),
            shape => usize::from(shape.rows()),
        };
        let number = usize::from(source.number());
        for row in number..number + rows {
            if source.is_indirect() {
                self.read(source.index_type(), row, 1 << source.index_component());
            } else {
                self.read(source.reg_type(), row, READS[usize::from(source.swizzle().bits())]);
            }
        }
        if source.is_indirect() {
            self.indirect = true;
            self.constants.fill(WriteMask::ALL);
        }
    }

    fn sampler(&mut self, sampler: Sampler) {
        let count = RegType::Sampler.count(Stage::Fragment, self.version);
        if sampler.type_byte() != RegType::Sampler.code() || u32::from(sampler.number()) >= count {
            return;
        }
        if let Err(at) = self.samplers.binary_search_by_key(&sampler.number(), |s| s.number()) {
            self.samplers.insert(at, sampler);
        }
    }

    fn token(&mut self, token: &Token) {
        let Some(op) = token.operation(self.version) else { return };
        let row = op.row();
        match op {
            Opcode::Kil => self.kills += 1,
            Opcode::Tex | Opcode::Ted | Opcode::Tld => self.texture_reads += 1,
            Opcode::Sin | Opcode::Cos => self.sin_cos = true,
            _ => {}
        }
        self.predicated |= matches!(op, Opcode::Kil | Opcode::Sge | Opcode::Slt | Opcode::Seq | Opcode::Sne);
        for (source, shape) in [token.src1, token.src2].into_iter().zip(row.sources()) {
            self.source(source, *shape);
        }
        if !row.has_dst() {
            return;
        }
        let (number, lanes) = (usize::from(token.dest.number()), token.dest.mask().bits());
        match token.dest.reg_type() {
            Some(RegType::Temporary) => Self::add(&mut self.temporaries, number, lanes),
            Some(RegType::Output) => Self::add(&mut self.outputs, number, lanes),
            Some(RegType::Varying) if self.stage == Stage::Vertex => {
                Self::add(&mut self.varyings, number, lanes);
            }
            Some(RegType::Depth) => self.depth |= lanes != 0,
            _ => {}
        }
    }
}

/// Which registers `program` uses.
pub fn describe(program: &Program) -> Usage {
    let (stage, version) = (program.stage(), program.version());
    let file = |ty: RegType| vec![WriteMask::NONE; ty.count(stage, version) as usize];
    let mut usage = Usage {
        stage,
        version,
        instructions: u32::try_from(program.tokens.len()).unwrap_or(u32::MAX),
        texture_reads: 0,
        kills: 0,
        indirect: false,
        sin_cos: false,
        predicated: false,
        instance_id: false,
        depth: false,
        outputs: file(RegType::Output),
        attributes: file(RegType::Attribute),
        varyings: file(RegType::Varying),
        temporaries: file(RegType::Temporary),
        constants: file(RegType::Constant),
        samplers: Vec::new(),
    };
    for token in &program.tokens {
        usage.token(token);
    }
    usage
}
