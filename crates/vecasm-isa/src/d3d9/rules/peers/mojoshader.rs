//! What MojoShader's parser refuses.
//!
//! The parser looks at programs token by token and keeps few facts: which temporaries were written (not which components),
//! which registers were declared. It does not count ports, slots or nesting, and knows nothing of phases and pairs. The
//! messages are those that it gave.

use crate::d3d9::ctab;
use crate::d3d9::program::{ItemKind, Stage, Usage, Version};
use crate::d3d9::registers::RegType;
use crate::d3d9::rules::code::{Code, Instruction, Read, Write};
use crate::d3d9::rules::findings::{Findings, rules};
use crate::d3d9::table::{Opcode, Unit};
use alloc::collections::BTreeSet;
use core::fmt::Display;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::{Swizzle, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    VERSION "D3D9-mojoshader-version" Error Peer
        "%1",
        "MojoShader reads vertex and pixel shaders up to 3.255, even models that Direct3D does not have.";
    OPCODE "D3D9-mojoshader-opcode" Error Peer
        "%1",
        "MojoShader checks the stage of most instructions and the version of a few.";
    REGISTER "D3D9-mojoshader-register" Error Peer
        "%1",
        "MojoShader must know what a register is, from its file or from a declaration.";
    UNSET "D3D9-mojoshader-uninitialized" Error Peer
        "Temp register r%1 used uninitialized",
        "MojoShader tracks whether any component of a temporary was written earlier, and checks scratch registers too.";
    MODIFIER "D3D9-mojoshader-modifier" Error Peer
        "%1",
        "MojoShader accepts the modifiers of ps_1_x, in later models negation and the absolute value, and `!` for booleans.";
    SWIZZLE "D3D9-mojoshader-swizzle" Error Peer
        "%1",
        "MojoShader requires one component where an instruction reads one, even for Direct3D 8.";
    MASK "D3D9-mojoshader-mask" Error Peer
        "%1",
        "MojoShader checks a few masks.";
    TEXTURE "D3D9-mojoshader-texture" Error Peer
        "%1",
        "MojoShader checks texture numbers and rows of matrices of ps_1_1 to ps_1_3, and the operands of texld before ps_3_0.";
    RELATIVE "D3D9-mojoshader-relative" Error Peer
        "%1",
        "MojoShader accepts relative constants, and in vs_3_0 relative inputs and outputs.";
    DECLARATION "D3D9-mojoshader-declaration" Error Peer
        "%1",
        "MojoShader checks what is declared and defined, and where.";
    OPERANDS "D3D9-mojoshader-operands" Error Peer
        "%1",
        "MojoShader checks that the sources of a few instructions are what the documentation says.";
    FLOW "D3D9-mojoshader-flow" Error Peer
        "%1",
        "MojoShader checks only that break and endloop are inside a loop, that a label follows ret, and that models 1.x call nothing.";
    R0 "D3D9-mojoshader-r0" Error Peer
        "r0 (pixel shader 1.x color output) never written to",
        "The result of ps_1_x is r0.";
    TOKENS "D3D9-mojoshader-tokens" Error Peer
        "%1",
        "MojoShader reads tokens one by one; it does not require an end token.";
    NOT_TRANSLATED "D3D9-mojoshader-translation" Warning Peer
        "%1 is parsed but not translated",
        "MojoShader reads the instruction, and its writers of GLSL, HLSL, Metal and SPIR-V refuse it.";
    NO_CTAB "D3D9-mojoshader-no-ctab" Warning Peer
        "constants are addressed relative to a register, but no constant table says which ones",
        "MojoShader's writers need the table to find the array.";
}

/// Codes of source modifiers.
mod modifier {
    pub(super) const NONE: u8 = 0;
    pub(super) const NEGATE: u8 = 1;
    pub(super) const ABS: u8 = 11;
    pub(super) const NOT: u8 = 13;
}

/// Runs the parser's checks.
pub(in crate::d3d9::rules) fn pass(code: &Code<'_>, f: &mut Findings) {
    let mut parser = Parser::new(code);
    if !parser.version(code, f) {
        return;
    }
    for i in code.instructions() {
        parser.instruction(&i, f);
    }
    parser.end(code, f);
}

/// Rows of matrix products that the next instruction needs.
#[derive(Clone, Copy, Default)]
struct Pads {
    rows2: Option<u16>,
    rows3: [Option<u16>; 2],
}

struct Parser {
    version: Version,
    pixel: bool,
    /// An instruction that is no declaration or definition was there.
    begun: bool,
    /// r#, whether it was written.
    written: [bool; 2048],
    declared: BTreeSet<(u8, u16)>,
    loops: u32,
    reps: u32,
    cmps: u32,
    pads: Pads,
    after_ret: bool,
    relative: bool,
}

/// The texture instructions that MojoShader knows up to ps_1_3 alone.
const fn is_early(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::Texbem
            | Opcode::Texbeml
            | Opcode::Texm3x2pad
            | Opcode::Texm3x2tex
            | Opcode::Texm3x3pad
            | Opcode::Texm3x3tex
            | Opcode::Texm3x3spec
            | Opcode::Texm3x3vspec
            | Opcode::Texm3x3
    )
}

impl Parser {
    fn new(code: &Code<'_>) -> Self {
        Self {
            version: code.version,
            pixel: code.is_pixel(),
            begun: false,
            written: [false; 2048],
            declared: BTreeSet::new(),
            loops: 0,
            reps: 0,
            cmps: 0,
            pads: Pads::default(),
            after_ret: false,
            relative: false,
        }
    }

    /// The version token; gives whether the rest is looked at.
    fn version(&self, code: &Code<'_>, f: &mut Findings) -> bool {
        let version = self.version;
        if version.known_stage().is_none() {
            f.at_program(VERSION, &[&"Unsupported shader type or not a shader at all"]);
            return false;
        }
        if version.major() > 3 {
            let message = alloc::format!(
                "Shader Model {}.{} is currently unsupported.",
                version.major(),
                version.minor()
            );
            f.at_program(VERSION, &[&message]);
            return false;
        }
        for item in code.program.items().iter().filter(|item| item.kind == ItemKind::Cut) {
            f.item(TOKENS, *item, &[&"the stream ends within an instruction"]);
        }
        true
    }

    /// Whether the version is at least that one.
    const fn from(&self, number: u16) -> bool {
        self.version.number() >= number
    }

    fn instruction(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let Some(op) = i.op else {
            f.at(TOKENS, i, &[&"Unknown opcode."]);
            return;
        };
        if let Some(why) = self.refused(op) {
            f.at(OPCODE, i, &[&why]);
            return;
        }
        if i.form.is_none() {
            f.at(TOKENS, i, &[&"the operands are not those of the instruction"]);
            return;
        }
        if let Some(write) = i.write {
            self.destination(op, i, write, f);
        }
        // The destination is read first, so that an instruction may read what it writes.
        let written =
            i.write.and_then(|write| write.register).filter(|register| register.ty == RegType::Temp);
        if let Some(slot) = written.and_then(|r| self.written.get_mut(usize::from(r.number))) {
            *slot = true;
        }
        for read in i.reads() {
            self.source(op, i, read, f);
        }
        self.state(op, i, f);
        if !i.is_setup() {
            self.begun = true;
        }
        self.after_ret = op == Opcode::Ret;
    }

    /// Why the stage or version does not have the instruction.
    fn refused(&self, op: Opcode) -> Option<RefusalReason> {
        let row = op.row();
        let vertex_only = matches!(op, Opcode::Dst | Opcode::Mova);
        let pixel_only = row.forms.iter().all(|form| !form.is_for(Stage::Vertex));
        let flow = matches!(op, Opcode::Phase);
        if flow {
            return (!self.pixel || self.version.number() != 0x0104).then_some(RefusalReason::Phase);
        }
        if self.pixel && vertex_only || !self.pixel && pixel_only {
            return Some(RefusalReason::Stage(op));
        }
        if is_early(op) && self.from(0x0104) {
            return Some(RefusalReason::After(op));
        }
        match op {
            Opcode::Texcoord if self.from(0x0200) => Some(RefusalReason::Texcrd),
            Opcode::Texm3x3 if !self.from(0x0102) => Some(RefusalReason::First),
            Opcode::Texm3x3diff => Some(RefusalReason::Stage(op)),
            Opcode::Call | Opcode::Callnz if !self.from(0x0200) => Some(RefusalReason::Call(op)),
            _ => None,
        }
    }

    /// Something that is written, or declared.
    fn destination(&mut self, op: Opcode, i: &Instruction<'_>, write: Write, f: &mut Findings) {
        let destination = write.destination;
        let declaration = op == Opcode::Dcl;
        let mut say = |message: &dyn Display| f.at(MODIFIER, i, &[message]);
        if destination.shift() != 0 {
            if !self.pixel {
                say(&"Result shift scale in non-pixel shader");
            } else if self.from(0x0200) {
                say(&"Result shift scale in pixel shader version >= 2.0");
            }
        }
        if destination.modifiers() & 2 != 0 && !self.pixel {
            say(&"Partial precision result mod in non-pixel shader");
        }
        if destination.modifiers() & 4 != 0 {
            if !self.pixel {
                say(&"Centroid result mod in non-pixel shader");
            } else if !declaration && !matches!(op, Opcode::Tex | Opcode::Texldd | Opcode::Texldl) {
                say(&"Centroid modifier not allowed here");
            }
        }
        if write.index.is_some() && (self.pixel || !self.from(0x0300)) {
            f.at(RELATIVE, i, &[&"Relative addressing of a destination in this model"]);
        }
        let Some(register) = write.register else {
            f.at(REGISTER, i, &[&"Register type is out of range"]);
            return;
        };
        if declaration {
            return;
        }
        let file = matches!(register.ty, RegType::RastOut | RegType::AttrOut | RegType::Output);
        let output = file && !self.pixel && self.from(0x0300);
        if output && write.index.is_none() && !self.is_declared(register.ty, register.number) {
            f.at(REGISTER, i, &[&"vs_3 can't use output registers without declaring them first."]);
        }
        let sampler = register.ty == RegType::Sampler && !self.is_declared(register.ty, register.number);
        if sampler && self.from(0x0200) {
            f.at(REGISTER, i, &[&"BUG: we used a register we don't know how to define."]);
        }
    }

    fn is_declared(&self, ty: RegType, number: u16) -> bool {
        self.declared.contains(&(ty.code(), number))
    }

    /// Something that is read.
    fn source(&mut self, op: Opcode, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        let Some(register) = read.register else {
            f.at(REGISTER, i, &[&"Register type is out of range"]);
            return;
        };
        self.index(i, read, f);
        if self.pixel && self.version.major() == 1 {
            // Every modifier that ps_1_x has.
        } else if read.modifier == modifier::NOT {
            let boolean = matches!(register.ty, RegType::ConstBool | RegType::Predicate);
            if !boolean {
                f.at(MODIFIER, i, &[&"NOT only allowed on bool registers."]);
            }
        } else if !matches!(read.modifier, modifier::NONE | modifier::NEGATE | modifier::ABS..=12) {
            f.at(MODIFIER, i, &[&"illegal source mod for this Shader Model."]);
        }
        let scalar = matches!(register.ty, RegType::DepthOut | RegType::Loop | RegType::ConstBool);
        if scalar && read.swizzle != Swizzle::IDENTITY {
            f.at(SWIZZLE, i, &[&"Swizzle specified for scalar register"]);
        }
        if read.index.is_some() {
            return;
        }
        let written = self.written.get(usize::from(register.number)).copied().unwrap_or(false);
        let declared = self.is_declared(register.ty, register.number);
        match register.ty {
            RegType::Temp if op != Opcode::Texkill && !written => f.at(UNSET, i, &[&register.number]),
            RegType::Output if !self.pixel && self.from(0x0300) && !declared => {
                f.at(REGISTER, i, &[&"vs_3 can't use output registers without declaring them first."]);
            }
            // Direct3D 8 does not declare its inputs.
            RegType::Input if !self.from(0x0200) => {}
            RegType::Input | RegType::Sampler | RegType::Misc if !declared => {
                f.at(REGISTER, i, &[&"BUG: we used a register we don't know how to define."]);
            }
            _ => {}
        }
    }

    /// A relative number.
    fn index(&mut self, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        let (Some(index), Some(register)) = (read.index, read.register) else { return };
        let mut say = |message: &str| f.at(RELATIVE, i, &[&message]);
        match register.ty {
            RegType::Const => self.relative = true,
            RegType::Input if self.from(0x0300) && !self.pixel => {}
            RegType::Input => {
                say("relative addressing of input registers not supported in this shader model");
            }
            RegType::Output if self.from(0x0300) => {}
            _ => say("relative addressing of invalid register"),
        }
        if self.pixel && !self.from(0x0300) {
            say("Relative addressing in pixel shader version < 3.0");
        }
        if !matches!(index.ty(), Some(RegType::AddrOrTexture | RegType::Loop)) {
            say("invalid register for relative address");
        } else if index.ty() == Some(RegType::AddrOrTexture) && !index.source.swizzle().is_scalar() {
            say("relative address needs replicate swizzle");
        } else if index.ty() == Some(RegType::Loop) && index.source.swizzle() != Swizzle::IDENTITY {
            f.at(SWIZZLE, i, &[&"Swizzle specified for scalar register"]);
        }
    }

    /// What depends on the instruction.
    fn state(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        match op {
            Opcode::Dcl => self.declaration(i, f),
            Opcode::Def | Opcode::Defi | Opcode::Defb => {
                let (ty, name) = match op {
                    Opcode::Def => (RegType::Const, "DEF"),
                    Opcode::Defi => (RegType::ConstInt, "DEFI"),
                    _ => (RegType::ConstBool, "DEFB"),
                };
                if self.begun {
                    let message = alloc::format!("{name} token must come before any instructions");
                    f.at(DECLARATION, i, &[&message]);
                }
                if !i.write.is_some_and(|write| write.is_of(ty)) {
                    f.at(DECLARATION, i, &[&alloc::format!("{name} using non-CONST register")]);
                }
            }
            Opcode::Loop => self.loops += 1,
            Opcode::Rep => self.reps += 1,
            Opcode::Endloop => {
                if self.loops == 0 {
                    f.at(FLOW, i, &[&"ENDLOOP without LOOP"]);
                }
                self.loops = self.loops.saturating_sub(1);
            }
            Opcode::Endrep => {
                if self.reps == 0 {
                    f.at(FLOW, i, &[&"ENDREP without REP"]);
                }
                self.reps = self.reps.saturating_sub(1);
            }
            Opcode::Break | Opcode::Breakc | Opcode::Breakp if self.loops + self.reps == 0 => {
                f.at(FLOW, i, &[&"BREAK outside LOOP/ENDLOOP or REP/ENDREP"]);
            }
            Opcode::Label if !self.after_ret => {
                f.at(FLOW, i, &[&"LABEL not followed by a RET"]);
            }
            _ => {}
        }
        let label = i.reads().iter().filter_map(|read| read.register).find(|r| r.ty == RegType::Label);
        if let Some(label) = label.filter(|label| label.number > 15 && !self.from(0x02ff)) {
            f.at(FLOW, i, &[&alloc::format!("l{} is beyond l15", label.number)]);
        }
        self.masks(op, i, f);
        self.scalars(op, i, f);
        self.operands(op, i, f);
        if op.row().unit == Unit::Texture {
            self.texture(op, i, f);
        }
    }

    /// dcl
    fn declaration(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let (Some(write), Some(usage)) = (i.write, i.usage) else { return };
        let Some(register) = write.register else { return };
        if self.begun {
            f.at(DECLARATION, i, &[&"DCL token must come before any instructions"]);
        }
        let three = self.from(0x0300);
        let fits = if self.pixel {
            match register.ty {
                RegType::Input | RegType::Sampler => self.from(0x0200),
                RegType::AddrOrTexture => self.from(0x0200),
                RegType::Misc => three,
                _ => false,
            }
        } else {
            match register.ty {
                RegType::Input => true,
                RegType::Output | RegType::Sampler => three,
                _ => false,
            }
        };
        if !fits {
            f.at(DECLARATION, i, &[&"invalid DCL register type for this shader model"]);
            return;
        }
        let known = DeclUsage::from_code(usage.usage()).is_some();
        let plain = usage.0 & !Usage::semantic(15, 15).0 == 0;
        let sampler = register.ty == RegType::Sampler;
        let wrong = if sampler { usage.0 & 0x07ff_ffff != 0 } else { !known || !plain };
        if wrong {
            let message = if sampler || usage.kind() != 0 {
                "Invalid usage"
            } else {
                "reserved bits in DCL dword aren't zero"
            };
            f.at(DECLARATION, i, &[&message]);
        }
        let texture = self.pixel && three && register.ty == RegType::AddrOrTexture;
        if texture {
            f.at(DECLARATION, i, &[&"Invalid DCL texture usage"]);
        }
        self.declared.insert((register.ty.code(), register.number));
    }

    /// Masks.
    fn masks(&self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let Some(write) = i.write else { return };
        let mask = write.mask().bits();
        let wrong = match op {
            Opcode::Frc if !self.from(0x0200) && !matches!(mask, 2 | 3) => {
                "FRC writemask must be .y or .xy for shader model 1.x"
            }
            Opcode::M3x2 if mask != 3 => "M3X2 writemask must be .xy",
            Opcode::Sincos if !matches!(mask, 1..=3) => "SINCOS write mask must be .x or .y or .xy",
            _ => return,
        };
        f.at(MASK, i, &[&wrong]);
    }

    /// Sources of which one component is read.
    fn scalars(&self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let sources: &[usize] = match op {
            Opcode::Rcp | Opcode::Rsq | Opcode::Log | Opcode::Logp | Opcode::Sincos | Opcode::Breakp => &[0],
            Opcode::Pow | Opcode::Ifc | Opcode::Breakc => &[0, 1],
            Opcode::Dp2add => &[2],
            _ => return,
        };
        for n in sources {
            if i.reads().get(*n).is_some_and(|read| !read.swizzle.is_scalar()) {
                let message = alloc::format!("{} src{n} must have replicate swizzle", Upper(i.name()));
                f.at(SWIZZLE, i, &[&message]);
            }
        }
    }

    /// Which registers an instruction reads.
    fn operands(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let register = |n: usize| i.reads().get(n).and_then(|read| read.register);
        let same_constants = register(1).zip(register(2)).is_some_and(|(a, b)| a.same(b));
        match op {
            Opcode::Sincos if !self.from(0x0300) && same_constants => {
                f.at(OPERANDS, i, &[&"SINCOS src1 and src2 must be different registers"]);
            }
            Opcode::Cnd if !self.from(0x0104) => {
                let fits = i.reads().first().is_some_and(|read| {
                    let r0 = read.register.is_some_and(|register| register.is(RegType::Temp, 0));
                    r0 && read.swizzle == Swizzle::splat(3)
                });
                if !fits {
                    f.at(OPERANDS, i, &[&"CND src must be r0.a in this shader model"]);
                }
            }
            Opcode::Cmp if self.pixel && self.from(0x0102) && !self.from(0x0104) => {
                self.cmps += 1;
                if self.cmps == 4 {
                    f.at(OPERANDS, i, &[&"only 3 CMP instructions allowed in this shader model"]);
                }
                let written = i.write.and_then(|write| write.register);
                let same = |read: &Read| read.register.zip(written).is_some_and(|(a, b)| a.same(b));
                if i.reads().iter().any(same) {
                    f.at(OPERANDS, i, &[&"CMP dest can't match sources in this shader model"]);
                }
            }
            _ => {}
        }
    }

    /// Texture instructions.
    fn texture(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        if op == Opcode::Texkill {
            let masked = i.reads().first().is_some_and(|read| read.source_mask() != WriteMask::ALL);
            if masked && self.from(0x0200) {
                f.at(MASK, i, &[&"TEXKILL writemask must be .xyzw"]);
            }
            return;
        }
        let Some(written) = i.write.and_then(|write| write.register) else { return };
        let read = i.reads().first().and_then(|read| read.register);
        if op == Opcode::Tex && self.version.major() == 2 {
            if let Some(read) = i.reads().first() {
                if read.swizzle != Swizzle::IDENTITY {
                    f.at(TEXTURE, i, &[&"TEXLD src0 must not swizzle"]);
                }
                if read.modifier != modifier::NONE {
                    f.at(TEXTURE, i, &[&"TEXLD src0 must have no modifiers"]);
                }
            }
        }
        let four = self.version.number() == 0x0104;
        let untranslated = matches!(op, Opcode::Tex | Opcode::Texcoord) && four
            || matches!(
                op,
                Opcode::Texdepth
                    | Opcode::Texdp3
                    | Opcode::Texdp3tex
                    | Opcode::Texreg2ar
                    | Opcode::Texreg2gb
                    | Opcode::Texreg2rgb
                    | Opcode::Texm3x2depth
            )
            || op == Opcode::Texcoord;
        if untranslated {
            f.at(NOT_TRANSLATED, i, &[&i.name()]);
        }
        if is_early(op) && read.is_some_and(|read| read.number >= written.number) {
            let message = alloc::format!("{} dest must be a higher register than source", Upper(i.name()));
            f.at(TEXTURE, i, &[&message]);
        }
        self.rows(op, i, written.number, f);
    }

    /// Rows of matrix products.
    fn rows(&mut self, op: Opcode, i: &Instruction<'_>, stage: u16, f: &mut Findings) {
        match op {
            Opcode::Texm3x2pad => self.pads.rows2 = Some(stage),
            Opcode::Texm3x3pad => self.pads.rows3 = [self.pads.rows3[1], Some(stage)],
            Opcode::Texm3x2tex if self.pads.rows2.is_none() => {
                f.at(TEXTURE, i, &[&"TEXM3X2TEX opcode without matching TEXM3X2PAD"]);
            }
            Opcode::Texm3x2tex => {
                self.pads.rows2 = None;
            }
            Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec | Opcode::Texm3x3 => {
                if self.pads.rows3.iter().any(Option::is_none) {
                    let message = alloc::format!("{} opcode without matching TEXM3X3PADs", Upper(i.name()));
                    f.at(TEXTURE, i, &[&message]);
                }
                self.pads.rows3 = [None; 2];
            }
            _ => {}
        }
    }

    fn end(&self, code: &Code<'_>, f: &mut Findings) {
        let first_written = self.written.first().copied().unwrap_or(false);
        if self.pixel && self.version.major() < 2 && !first_written {
            f.at_program(R0, &[]);
        }
        if self.relative && ctab::of(code.program).0.is_none() {
            f.at_program(NO_CTAB, &[]);
        }
    }
}

/// Why an instruction is refused.
#[derive(Clone, Copy)]
enum RefusalReason {
    Stage(Opcode),
    After(Opcode),
    Call(Opcode),
    First,
    Texcrd,
    Phase,
}

impl Display for RefusalReason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = |op: Opcode| Upper(op.row().forms.last().map_or("", |form| form.name));
        match *self {
            Self::Stage(op) => write!(f, "opcode '{}' not available in this shader type.", name(op)),
            Self::After(op) => write!(f, "{} opcode not available after Shader Model 1.3", name(op)),
            Self::Call(op) => write!(f, "{} not supported in Shader Model 1", name(op)),
            Self::First => f.write_str("TEXM3X3 opcode not available in Shader Model 1.1"),
            Self::Texcrd => f.write_str("TEXCRD in Shader Model >= 2.0"),
            Self::Phase => f.write_str("phase token only available in 1.4 pixel shaders"),
        }
    }
}

/// Writes a name in capital letters.
struct Upper(&'static str);

impl Display for Upper {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.chars().try_for_each(|c| write!(f, "{}", c.to_ascii_uppercase()))
    }
}
