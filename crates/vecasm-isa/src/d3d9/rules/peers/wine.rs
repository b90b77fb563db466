//! What Wine refuses: its assembler, and the creation of shaders.
//!
//! Wine's assembler knows which instructions, registers and modifiers a model has, and does not look at what a program
//! does; its validator accepts everything. Creating a shader fails for constants that the model does not have, and for
//! integers, booleans and flow control in ps_2_0. Answers of the assembler are those of Wine 8.0; creation is as Wine's
//! tests have it.

use crate::d3d9::program::{ItemKind, Stage, Version};
use crate::d3d9::registers::RegType;
use crate::d3d9::rules::code::{Code, Instruction, Read, Write};
use crate::d3d9::rules::findings::{Findings, rules};
use crate::d3d9::table::Opcode;
use core::fmt::Display;
use vecasm_ir::operand::Swizzle;

rules! {
    pub(in crate::d3d9) const RULES; const;

    MODEL "D3D9-wine-model" Error Peer
        "there is no model with version token 0x%1",
        "Wine's assembler has vs_1_0, vs_1_1, vs_2_0, vs_2_x and vs_3_0, and ps_1_0 to ps_1_4, ps_2_0, ps_2_x and ps_3_0; creating a shader also accepts software models.";
    OPCODE "D3D9-wine-opcode" Error Peer
        "%1 is not in this model",
        "Wine's assembler has a table of the instructions of each model.";
    REGISTER "D3D9-wine-register" Error Peer
        "%1 is not in this model",
        "Wine's assembler has a table of the registers of each model.";
    MODIFIER "D3D9-wine-modifier" Error Peer
        "%1",
        "Wine's assembler knows which modifiers a model has.";
    RELATIVE "D3D9-wine-relative" Error Peer
        "%1 is addressed relative to a register",
        "Wine's assembler accepts relative constants in vertex shaders, and relative inputs and outputs in models 3.0.";
    PAIR "D3D9-wine-pair" Error Peer
        "%1",
        "Wine's assembler accepts pairs in ps_1_x and predicates from 2.x on.";
    CONSTANT "D3D9-wine-constant" Error Peer
        "there is no %1, so the shader is not created",
        "Creating a shader fails for a constant that the model does not have; the limit of vertex shaders is the device's.";
    PS_2_0 "D3D9-wine-ps-2-0" Error Peer
        "ps_2_0 has no %1, so the shader is not created",
        "Wine's assembler accepts definitions of integers and booleans in ps_2_0; creating the shader fails.";
}

/// Runs the checks.
pub(in crate::d3d9::rules) fn pass(code: &Code<'_>, constants: u16, f: &mut Findings) {
    let version = code.version;
    let minor = version.minor();
    let known = match (version.known_stage(), version.major()) {
        (Some(Stage::Vertex), 1) => minor <= 1,
        (Some(Stage::Pixel), 1) => minor <= 4,
        (Some(_), 2) => matches!(minor, 0 | 1 | 0xff),
        (Some(_), 3) => matches!(minor, 0 | 0xff),
        _ => false,
    };
    if !known {
        f.at_program(MODEL, &[&format_args!("{:08x}", version.0)]);
        return;
    }
    let pixel = code.is_pixel();
    for item in
        code.program.items().iter().filter(|item| matches!(item.kind, ItemKind::Stray | ItemKind::Cut))
    {
        f.item(OPCODE, *item, &[&"an instruction with these operands"]);
    }
    for i in code.instructions() {
        Checker { version, pixel, constants }.instruction(&i, f);
    }
}

struct Checker {
    version: Version,
    pixel: bool,
    /// Floating-point constants of vertex shaders.
    constants: u16,
}

impl Checker {
    const fn from(&self, number: u16) -> bool {
        self.version.number() >= number
    }

    fn instruction(&self, i: &Instruction<'_>, f: &mut Findings) {
        let name = i.name();
        let Some(op) = i.op else {
            f.at(OPCODE, i, &[&"the instruction"]);
            return;
        };
        if !self.has(op, i) {
            f.at(OPCODE, i, &[&name]);
            return;
        }
        if i.token.is_coissued() && !(self.pixel && self.version.major() == 1) {
            f.at(PAIR, i, &[&"Coissue is only supported in pixel shaders versions <= 1.4"]);
        }
        if i.token.is_predicated() && !self.from(0x0201) {
            f.at(PAIR, i, &[&"Predicate not supported in < VS 2.0 or PS 2.x"]);
        }
        let predicate = i.predicate.and_then(|predicate| predicate.register);
        if let Some(register) = predicate.filter(|register| register.number > 0) {
            f.at(REGISTER, i, &[&register.name(self.version)]);
        }
        if let Some(write) = i.write {
            self.write(op, i, write, f);
        }
        for read in i.reads() {
            self.read(i, read, f);
        }
        let integers = matches!(op, Opcode::Defi | Opcode::Defb | Opcode::Rep | Opcode::If);
        if self.pixel && self.version.number() == 0x0200 && integers {
            f.at(PS_2_0, i, &[&name]);
        }
    }

    /// Whether the assembler has the instruction in the model, with such operands.
    fn has(&self, op: Opcode, i: &Instruction<'_>) -> bool {
        let Some(form) = i.form else { return false };
        if form.is_in(self.version) {
            // Of ps_2_x it wants one source, as of ps_3_0.
            return !(self.pixel && op == Opcode::Sincos && self.version.major() == 2);
        }
        if !self.pixel {
            return false;
        }
        match (self.version.number(), op) {
            // One table for ps_1_0 to ps_1_3, without what 1.4 has.
            (..=0x0103, _) => form.since <= 0x0103,
            (0x0104, _) => false,
            (0x0200 | 0x0201, Opcode::Sincos) => form.since == 0x0300,
            (0x0200, Opcode::Defi | Opcode::Defb) => true,
            (0x0200..=0x0201, Opcode::Tex | Opcode::Texcoord) => form.until <= 0x0103,
            (0x0200..=0x0201, Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texreg2rgb) => true,
            _ => false,
        }
    }

    /// How many registers of a file there are, for reading and writing.
    fn count(&self, ty: RegType, write: bool) -> u16 {
        let (two, two_x, three) = (self.from(0x0200), self.from(0x0201), self.from(0x0300));
        let only = |there: bool, count: u16| if there { count } else { 0 };
        // Labels, and constants of vertex shaders, as many as tokens can name.
        let all = 2048;
        if self.pixel {
            let four = self.version.number() == 0x0104;
            return match ty {
                RegType::Temp if two => 32,
                RegType::Temp => {
                    if four {
                        6
                    } else {
                        2
                    }
                }
                RegType::Input => {
                    if three {
                        10
                    } else {
                        2
                    }
                }
                RegType::Const => {
                    if three {
                        224
                    } else if two {
                        32
                    } else {
                        8
                    }
                }
                RegType::AddrOrTexture if two => only(!three, 8),
                RegType::AddrOrTexture => {
                    if four {
                        6
                    } else {
                        4
                    }
                }
                RegType::ColorOut => only(two, 4),
                RegType::DepthOut => only(two, 1),
                RegType::Sampler => only(two, 16),
                RegType::ConstInt | RegType::ConstBool => only(two, 16),
                RegType::Predicate => only(two_x, 1),
                RegType::Label => only(two_x, all),
                RegType::Loop => only(three, 1),
                RegType::Misc => only(three && !write, 2),
                _ => 0,
            };
        }
        match ty {
            RegType::Temp => {
                if three {
                    32
                } else {
                    12
                }
            }
            RegType::Input => 16,
            RegType::Const => all,
            RegType::AddrOrTexture | RegType::RastOut if three => only(ty == RegType::AddrOrTexture, 1),
            RegType::AddrOrTexture => 1,
            RegType::RastOut => 3,
            RegType::AttrOut => only(!three, 2),
            RegType::Output => {
                if three {
                    12
                } else {
                    8
                }
            }
            RegType::ConstInt | RegType::ConstBool => only(two, 16),
            RegType::Sampler => only(three, 4),
            RegType::Loop => only(two, 1),
            RegType::Predicate => only(two_x, 1),
            RegType::Label => only(two, all),
            _ => 0,
        }
    }

    fn write(&self, op: Opcode, i: &Instruction<'_>, write: Write, f: &mut Findings) {
        let destination = write.destination;
        let mut say = |message: &dyn Display| f.at(MODIFIER, i, &[message]);
        if destination.shift() != 0 && !(self.pixel && self.version.major() == 1) {
            say(&"Shift modifiers not supported in this shader version");
        }
        for (bit, suffix) in [(2, "_pp"), (4, "_centroid")] {
            if destination.modifiers() & bit != 0 && !self.pixel {
                say(&format_args!("Instruction modifier {suffix} not supported in this shader version"));
            }
        }
        let Some(register) = write.register else {
            f.at(REGISTER, i, &[&"the register"]);
            return;
        };
        let name = register.name(self.version);
        let relative = !self.pixel && self.from(0x0300) && register.ty == RegType::Output;
        if write.index.is_some() {
            if !relative {
                f.at(RELATIVE, i, &[&name]);
            }
            return;
        }
        let defined = match op {
            Opcode::Def => RegType::Const,
            Opcode::Defi => RegType::ConstInt,
            Opcode::Defb => RegType::ConstBool,
            _ => register.ty,
        };
        let declared = matches!(
            register.ty,
            RegType::Input | RegType::AddrOrTexture | RegType::Sampler | RegType::Output | RegType::Misc
        );
        if defined != register.ty || op == Opcode::Dcl && !declared {
            f.at(REGISTER, i, &[&name]);
            return;
        }
        // Any number of samplers can be declared.
        let sampler = op == Opcode::Dcl && register.ty == RegType::Sampler;
        if op == Opcode::Dcl && !self.from(if self.pixel { 0x0200 } else { 0 }) {
            f.at(OPCODE, i, &[&"dcl"]);
        } else if register.number >= self.count(register.ty, true) {
            if matches!(register.ty, RegType::Const | RegType::ConstInt | RegType::ConstBool)
                && self.count(register.ty, true) > 0
            {
                f.at(CONSTANT, i, &[&name]);
            } else if !sampler || self.count(register.ty, true) == 0 {
                f.at(REGISTER, i, &[&name]);
            }
        } else if self.beyond(register.ty, register.number) {
            f.at(CONSTANT, i, &[&name]);
        }
    }

    /// Whether a constant of a vertex shader is more than the device has.
    fn beyond(&self, ty: RegType, number: u16) -> bool {
        let software = self.version.minor() == 0xff;
        !self.pixel && !software && ty == RegType::Const && number >= self.constants
    }

    fn read(&self, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        let fits = match read.modifier {
            0 | 1 => true,
            2..=8 => self.pixel && self.version.major() == 1,
            9 | 10 => self.pixel && self.version.number() == 0x0104,
            11 | 12 => self.from(0x0300),
            13 => !self.pixel || self.from(0x0200),
            _ => false,
        };
        if !fits {
            f.at(MODIFIER, i, &[&"Source modifier not supported in this shader version"]);
        }
        let Some(register) = read.register else {
            f.at(REGISTER, i, &[&"the register"]);
            return;
        };
        let name = register.name(self.version);
        if let Some(index) = read.index {
            let three = self.from(0x0300);
            let fits = match register.ty {
                RegType::Const => !self.pixel,
                RegType::Input => three,
                RegType::Output => three && !self.pixel,
                _ => false,
            };
            let loops = index.ty() == Some(RegType::Loop);
            let plain = index.source.swizzle() == Swizzle::IDENTITY;
            let by = loops && plain && self.from(0x0200)
                || index.ty() == Some(RegType::AddrOrTexture) && !self.pixel;
            if !fits || !by {
                f.at(RELATIVE, i, &[&name]);
            }
            return;
        }
        let count = self.count(register.ty, false);
        if register.number >= count {
            // The assembler looks at the numbers of constants in pixel shaders alone.
            f.at(REGISTER, i, &[&name]);
        } else if self.beyond(register.ty, register.number) {
            f.at(CONSTANT, i, &[&name]);
        }
    }
}
