//! Texture instructions, from their parameters to what `texture` does.

use super::operands::{Instruction, Operand};
use super::registers::Read;
use super::texture::{self, Detail, Outcome, TextureOperands};
use super::{Lifter, REGISTER, Refusal, Result, TEXTURE, TexcoordW, Texkill};
use crate::d3d9::program::{Destination, Source};
use crate::d3d9::reads;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::lift::{Kit, pick, pick_masked};
use crate::table::Shape;
use alloc::format;
use vecasm_ir::ir::steps::Cell;
use vecasm_ir::ir::{Arg, Pure, Scalar};
use vecasm_ir::operand::{Swizzle, WriteMask};

impl Lifter<'_> {
    /// A texture instruction.
    pub(super) fn texture_instruction(&mut self, i: &Instruction) -> Result<()> {
        let version = self.version.number();
        match i.op {
            Opcode::Texkill => self.texkill(i),
            Opcode::Texdepth => {
                let source = Source::new(RegType::Temp, i.to.number(), Swizzle::IDENTITY);
                let register = self.operand(Operand { source, index: None }, 0, WriteMask::from_bits(3))?;
                let depth = texture::depth(&mut self.b, register);
                self.depth(depth);
                Ok(())
            }
            Opcode::Texcoord if version >= 0x0104 => {
                let place = self.read(i, 0, WriteMask::ALL)?;
                self.write_picked(i, place)
            }
            Opcode::Tex if version == 0x0104 => {
                let place = self.read(i, 0, WriteMask::ALL)?;
                let texel = self.textures.sample(&mut self.b, i.to.number(), place, Detail::Implicit);
                self.write_picked(i, texel)
            }
            Opcode::Tex if version >= 0x0200 => {
                let place = self.coordinates(i, 0)?;
                match i.token.control() {
                    1 => {
                        let place = texture::by_fourth(&mut self.b, place);
                        self.sampled(i, place, Detail::Implicit)
                    }
                    2 => {
                        let bias = pick(place, &[3]);
                        self.sampled(i, place, Detail::Bias(bias))
                    }
                    _ => self.sampled(i, place, Detail::Implicit),
                }
            }
            Opcode::Texldl => {
                let place = self.coordinates(i, 0)?;
                let level = pick(place, &[3]);
                self.sampled(i, place, Detail::Level(level))
            }
            Opcode::Texldd => {
                let place = self.coordinates(i, 0)?;
                let x = self.coordinates(i, 2)?;
                let y = self.coordinates(i, 3)?;
                self.sampled(i, place, Detail::Slopes(x, y))
            }
            _ => self.stage(i),
        }
    }

    /// The four lanes of a source of which a texture takes as many as it has dimensions; only these are noted as read.
    fn coordinates(&mut self, i: &Instruction, n: usize) -> Result<Arg> {
        let kind = i.source(1).map_or(0, |sampler| self.textures.kind(sampler.source.number()));
        let lanes = reads::lanes(i.op, self.version, i.token.control(), n, Shape::Src);
        self.taken = lanes.mask(i.mask(), kind);
        let arg = self.read(i, n, WriteMask::ALL);
        self.taken = WriteMask::ALL;
        arg
    }

    /// Reads the texture of the sampler that an instruction names.
    fn sampled(&mut self, i: &Instruction, place: Arg, how: Detail) -> Result<()> {
        let sampler = i.source(1)?.source;
        if sampler.reg_type() != Some(RegType::Sampler)
            || u32::from(sampler.number()) >= super::registers::SAMPLERS
        {
            return Err(Refusal::new(REGISTER, "there is no such sampler"));
        }
        let texel = self.textures.sample(&mut self.b, sampler.number(), place, how);
        let texel = pick(texel, &sampler.swizzle().lanes());
        self.write_picked(i, texel)
    }

    /// Writes the lanes of four that the mask names.
    fn write_picked(&mut self, i: &Instruction, lanes: Arg) -> Result<()> {
        let mut places = [0; 4];
        let mut n = 0;
        for lane in i.mask().lanes() {
            places[n] = lane as u8;
            n += 1;
        }
        self.write(i, i.mask(), pick(lanes, &places[..n]))
    }

    /// An instruction of ps_1_0 to ps_1_3: the number of its destination is that of its stage.
    fn stage(&mut self, i: &Instruction) -> Result<()> {
        let stage = i.to.number();
        if u32::from(stage) >= super::registers::COORDINATES {
            return Err(Refusal::new(REGISTER, format!("there is no stage {stage}")));
        }
        let by_color = matches!(i.op, Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texreg2rgb);
        let Read { cell, lanes } = self.input_read(RegType::AddrOrTexture, stage);
        if let (Some(cell), false) = (cell, by_color) {
            self.kit.steps.note_read(cell, WriteMask::ALL, &lanes);
        }
        let at = self.gather(Scalar::F32, lanes.into_iter());
        let source = match i.sources() {
            0 => at,
            _ => self.read(i, 0, WriteMask::ALL)?,
        };
        let eye = match i.sources() {
            0 | 1 => at,
            _ => self.read(i, 1, WriteMask::ALL)?,
        };
        let taken = TextureOperands { stage, at, source, eye };
        let outcome = self.textures.stage(&mut self.b, i.op, taken, self.options.pipeline);
        match outcome {
            Ok(Outcome::Color(color)) => {
                let clamps =
                    i.op == Opcode::Texcoord && self.options.switches.texcoord_w == TexcoordW::Clamped;
                let color = if clamps { self.b.pure(Pure::Saturate, &[at]) } else { color };
                self.write_picked(i, color)
            }
            Ok(Outcome::Depth(depth)) => {
                self.depth(depth);
                Ok(())
            }
            Ok(Outcome::Nothing) => Ok(()),
            Err(texture::MissingRow) => {
                Err(Refusal::new(TEXTURE, format!("no matrix rows come before {}", i.form.name)))
            }
        }
    }

    /// Writes the depth of the pixel.
    fn depth(&mut self, depth: Arg) {
        let output = texture::depth_cell(&mut self.b);
        self.kit.steps.note_write_of(Cell::Output(output), WriteMask::X, depth);
        texture::write_depth(&mut self.b, depth);
    }

    /// Drops the pixel if a component is negative. The operand has the form of a destination.
    fn texkill(&mut self, i: &Instruction) -> Result<()> {
        let operand = i.source(0)?;
        let to = Destination(operand.source.0);
        let version = self.version.number();
        let (mask, lanes) = if version < 0x0104 {
            // The coordinates, not what the register holds.
            if u32::from(to.number()) >= super::registers::COORDINATES {
                return Err(Refusal::new(REGISTER, "there is no such stage"));
            }
            let Read { cell, lanes } = self.input_read(RegType::AddrOrTexture, to.number());
            if let Some(cell) = cell {
                self.kit.steps.note_read(cell, WriteMask::XYZ, &lanes);
            }
            (WriteMask::XYZ, lanes)
        } else {
            let mask = match self.options.switches.texkill {
                Texkill::Mask if version >= 0x0200 => to.mask(),
                _ => WriteMask::XYZ,
            };
            let Some(ty) = to.reg_type() else { return Err(Refusal::new(REGISTER, "there is no such file")) };
            let source = Source::new(ty, to.number(), Swizzle::IDENTITY);
            (mask, self.lanes_of(Operand { source, ..operand }, mask)?)
        };
        if mask == WriteMask::NONE {
            return Ok(());
        }
        let lanes = self.gather(Scalar::F32, pick_masked(&lanes, mask));
        let guard = self.predicate(i, mask)?;
        texture::kill(&mut self.b, lanes, guard);
        Ok(())
    }

    /// `dsx` and `dsy`, and `bem`, which looks like them to a program.
    pub(super) fn slope_or_bump(&mut self, i: &Instruction) -> Result<()> {
        let mask = i.mask();
        if i.op == Opcode::Bem {
            let xy = WriteMask::from_bits(3);
            let at = self.read(i, 0, xy)?;
            let by = self.read(i, 1, xy)?;
            let moved = texture::bump(&mut self.b, i.to.number(), at, by);
            let mask = WriteMask::from_bits(mask.bits() & 3);
            let places: &[u8] = match mask.bits() {
                1 => &[0],
                2 => &[1],
                _ => &[0, 1],
            };
            return self.write(i, mask, pick(moved, places));
        }
        let lanes = self.read(i, 0, mask)?;
        let slope = texture::slope(&mut self.b, lanes, i.op == Opcode::Dsy);
        self.write(i, mask, slope)
    }
}
