//! The rules of ps_1_0 to ps_1_4: order and phases, texture registers, masks, selectors, pairs, ports.
//!
//! Sources: Microsoft's shader reference, and for the order of instructions, pairs and ports the help of the SDK of
//! DirectX 8.1 and 9.0, which later editions dropped. Slots are counted in [`slots`](super::slots).

use super::code::{Code, Instruction, Read, Register};
use super::findings::{Findings, rules};
use super::options::Profile;
use crate::d3d9::program::Version;
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Opcode, Unit};
use core::fmt::Display;
use vecasm_ir::operand::{Swizzle, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    TEX_ORDER "D3D9-tex-order" Error Documented
        "%1 comes after an arithmetic instruction",
        "Texture instructions come first, in ps_1_4 first in each phase. Page Instruction Flow of the DirectX 8.1 help.";
    TEX_STAGE "D3D9-tex-stage" Error Believed
        "%1 is loaded twice",
        "A stage is used by one texture instruction; in ps_1_4 a register is loaded once per phase. Not documented; no accepted shader is known that does otherwise.";
    TEX_STAGE_ORDER "D3D9-tex-stage-order" Warning Believed
        "stage %1 comes after stage %2",
        "Texture stages are usually addressed in order; only those that read a register must be.";
    TEX_INDEX "D3D9-tex-index" Error Documented
        "%1 of stage %2 reads t%3",
        "The destination of a texture instruction has a higher number than its source. Pages of texbem, texreg2ar, texm3x2pad and the others.";
    TEX_DST "D3D9-tex-dst" Error Documented
        "%1",
        "Texture instructions up to ps_1_3 write a whole t register, texld of ps_1_4 an r register, without mask, _sat or shift. Pages ps-registers-modifiers-write-mask and ps-instructions-modifiers.";
    TEX_SRC "D3D9-tex-src" Error Documented
        "%1",
        "Texture instructions read texture registers, from ps_1_4 on also temporaries, with few modifiers and selectors. Pages of each instruction and ps-registers-modifiers-source.";
    TEX_PAD "D3D9-tex-pad" Error Documented
        "%1",
        "The rows of a matrix product are in consecutive stages and multiply one register: texm3x2pad and one more, or texm3x3pad twice and one more. Pages of texm3x2pad and texm3x3pad.";
    TEXBEM_SOURCE "D3D9-texbem-source" Error Recorded
        "Register data that has been read by texbem or texbeml instruction cannot be read by other instructions",
        "The message is the runtime's; only texbem and texbeml may read the register again. Page texbem---ps.";
    DEPTH_READ "D3D9-depth-read" Error Documented
        "%1 is read after the depth was computed from it",
        "After texdepth r5 can no longer be read, after texm3x2depth its texture register. Pages texdepth---ps and texm3x2depth---ps.";
    MASK "D3D9-ps1-mask" Error Recorded
        "Dest write mask must be .rgb, .a, or .rgba (all).",
        "The message is the runtime's. ps_1_4 accepts any mask.";
    DP3_MASK "D3D9-dp3-mask" Error Documented
        "dp3 writes .rgb or .rgba",
        "Up to ps_1_3. Page ps-registers-modifiers-write-mask.";
    SELECTOR "D3D9-ps1-selector" Error Documented
        "the selector .%1 is not in this version: %2",
        "Page ps-registers-modifiers-source-register-swizzling.";
    SRC_MODIFIER "D3D9-ps1-src-modifier" Error Documented
        "%1",
        "Up to ps_1_3 arithmetic has negation, _bias, _bx2 and 1-r, in ps_1_4 also _x2; _dz and _dw are for texture coordinates. Page ps-registers-modifiers-source.";
    CONST_MODIFIER "D3D9-ps1-const-modifier" Error Documented
        "c%1 has a modifier",
        "Modifiers of constants are undefined, and refused by Direct3D 9; Direct3D 8 accepts them. Page ps-registers-modifiers-source.";
    SHIFT "D3D9-ps1-shift" Error Documented
        "%1",
        "Results are shifted by _x2, _x4 and _d2, in ps_1_4 also by _x8, _d4 and _d8, and saturated. Page ps-instructions-modifiers-ps-1-x.";
    PORTS "D3D9-ps1-ports" Error Documented
        "%1 different %2 registers are read; an instruction can read at most %3",
        "Page ps-registers-ps-1-x.";
    CND_SOURCE "D3D9-cnd-source" Error Documented
        "the first source of cnd is r0.a",
        "Up to ps_1_3. Page cnd---ps.";
    CND_PAIR "D3D9-cnd-pair" Warning Recorded
        "the runtime always selects the second source here, whatever r0.a is",
        "A cnd of the colour in a pair, up to ps_1_3, always selects its second source, as Wine's tests record of Windows.";
    CMP_COUNT "D3D9-cmp-count" Error Documented
        "more than three cmp",
        "In ps_1_2 and ps_1_3. Page cmp---ps.";
    CMP_DST "D3D9-cmp-dst" Error Documented
        "cmp reads the register that it writes",
        "In ps_1_2 and ps_1_3. Page cmp---ps.";
    DP4_COUNT "D3D9-dp4-count" Error Documented
        "more than four dp4",
        "In ps_1_2 and ps_1_3. Page dp4---ps.";
    COISSUE "D3D9-coissue" Error Documented
        "%1",
        "A pair is two arithmetic instructions, one for the colour and one for alpha; dp3 is always the colour half, dp4 and bem use both pipes. Page Instruction Pairing of the DirectX 8.1 help.";
    COISSUE_PORTS "D3D9-coissue-ports" Error Documented
        "the pair reads %1 different %2 registers; it can read at most 3",
        "Page Registers of the DirectX 8.1 help.";
    PHASE "D3D9-phase" Error Documented
        "%1",
        "A program of ps_1_4 has one or two phases, and `phase` between them. Page phase---ps.";
    PHASE_INPUT "D3D9-phase-input" Error Documented
        "v%1 is read in phase 1",
        "The colours can only be read in phase 2. Page ps-registers-input-color.";
    PHASE_SOURCE "D3D9-phase-source" Error Documented
        "%1",
        "Coordinates come from an r register in phase 2 only, and phase 1 must have written them; a program without `phase` has only phase 2. Page texld---ps-1-4.";
    TEX_SELECTORS "D3D9-tex-selectors" Error Documented
        "t%1 is read as .xyz and as .xyw",
        "All reads of a texture register have the same selector. Pages texcrd---ps and texld---ps-1-4.";
    DZ_COUNT "D3D9-dz-count" Error Documented
        "_dz is used more than twice",
        "Page texld---ps-1-4.";
    TEXCRD "D3D9-texcrd" Error Documented
        "texcrd writes .%1 here",
        "The mask is .rgb, or .rg with _dw. Page texcrd---ps.";
    TEXDEPTH "D3D9-texdepth" Error Documented
        "%1",
        "texdepth takes r5, in phase 2. Page texdepth---ps.";
    BEM "D3D9-bem" Error Documented
        "%1",
        "bem writes .rg, once, in phase 1; a program without `phase` has only phase 2. Page bem---ps.";
    CONSTANT_RANGE "D3D9-ps1-constant-range" Warning Documented
        "c%1 is defined outside -1 to 1",
        "Constants of ps_1_x are clamped to that range. Page ps-registers-ps-1-x.";
    COORDINATE "D3D9-ps14-coordinate" Error Documented
        "t%1 is used in arithmetic",
        "In ps_1_4 only texture instructions can read texture registers, and nothing can write them. Page ps-registers-texture-coordinate.";
    R0 "D3D9-no-r0" Error Documented
        "r0.rgb, the colour of the pixel, is not written",
        "The result of ps_1_x is r0. Which components must be written is not documented.";
    R0_ALPHA "D3D9-no-r0-alpha" Warning Believed
        "r0.a is not written",
        "Shipped shaders that leave it out are known. In ps_1_4 `phase` takes the alpha that phase 1 wrote.";
}

/// `.xyz` of a texture coordinate, as its token has it.
const XYZ: Swizzle = Swizzle::from_bits(0xa4);
/// `.xyw`
const XYW: Swizzle = Swizzle::from_bits(0xf4);

/// Codes of source modifiers that these rules name.
mod modifier {
    pub(super) const NONE: u8 = 0;
    pub(super) const BX2: u8 = 4;
    pub(super) const X2: u8 = 7;
    pub(super) const X2_NEGATED: u8 = 8;
    pub(super) const DZ: u8 = 9;
    pub(super) const DW: u8 = 10;
}

/// Checks a program of ps_1_x.
pub(super) fn pass(code: &Code<'_>, profile: Profile, f: &mut Findings) {
    let mut checker = Checker::new(code, profile);
    for i in code.instructions() {
        checker.instruction(&i, f);
    }
    checker.end(f);
}

/// The rows of a matrix product that wait for the next one.
#[derive(Clone, Copy, Default)]
struct Pads {
    /// Rows of the matrix: 2 or 3, 0 for none.
    rows: u8,
    /// Rows there are.
    have: u8,
    /// The stage of the last one.
    stage: u16,
    /// The register with the colour.
    source: u16,
}

/// What half of a pair is there.
#[derive(Clone, Copy)]
struct Half {
    op: Opcode,
    mask: u8,
    register: Register,
    numbers: Numbers,
    second: bool,
}

/// Numbers of the registers of each file that are read, a bit each.
#[derive(Clone, Copy, Default)]
struct Numbers([u64; 4]);

/// The files of [`Numbers`].
const FILES: [(RegType, char); 4] =
    [(RegType::Temp, 'r'), (RegType::Input, 'v'), (RegType::Const, 'c'), (RegType::AddrOrTexture, 't')];

impl Numbers {
    fn of(i: &Instruction<'_>) -> Self {
        let mut out = Self::default();
        for register in i.reads().iter().filter_map(|read| read.register) {
            let bit = 1_u64.checked_shl(u32::from(register.number)).unwrap_or(0);
            for (set, _) in out.0.iter_mut().zip(FILES).filter(|(_, (ty, _))| *ty == register.ty) {
                *set |= bit;
            }
        }
        out
    }

    fn and(mut self, other: Self) -> Self {
        for (set, more) in self.0.iter_mut().zip(other.0) {
            *set |= more;
        }
        self
    }

    /// How many there are of each file.
    fn counts(self) -> impl Iterator<Item = (char, u32)> {
        FILES.into_iter().zip(self.0).map(|((_, letter), set)| (letter, set.count_ones()))
    }
}

/// Different registers of a file, `r`, `t`, `c` or `v`, that an instruction of ps_1_x may read.
pub const fn ports(file: char, version: Version) -> u32 {
    match (file, version.minor()) {
        ('t', 0) | ('v', 0) => 1,
        ('r', 4..) | ('t', 2 | 3) => 3,
        // Arithmetic of ps_1_4 reads none, which is another rule.
        ('t', 4..) => 4,
        _ => 2,
    }
}

/// The bit of a small number.
fn bit(number: u16) -> u8 {
    1_u8.checked_shl(u32::from(number)).unwrap_or(0)
}

struct Checker {
    version: Version,
    profile: Profile,
    /// ps_1_4
    four: bool,
    /// Whether there is a `phase`; without one, everything is phase 2.
    phased: bool,
    second_phase: bool,
    arithmetic: bool,
    pads: Pads,
    /// t# that texbem or texbeml has read.
    bumped: u8,
    /// The register that holds the depth.
    depth: Option<u16>,
    /// Stages, in ps_1_4 registers that are loaded in this phase.
    stages: u8,
    last_stage: Option<u16>,
    /// Components of r0 that are written.
    r0: u8,
    /// Components of r# written in phase 1.
    first: [u8; 6],
    /// Of t#, whether its reads are .xyw.
    selectors: [Option<bool>; 8],
    dz: u32,
    cmp: u32,
    dp4: u32,
    bem: u32,
    half: Option<Half>,
}

impl Checker {
    fn new(code: &Code<'_>, profile: Profile) -> Self {
        let phased = code.instructions().any(|i| i.is(Opcode::Phase));
        Self {
            version: code.version,
            profile,
            four: code.version.minor() >= 4,
            phased,
            second_phase: !phased,
            arithmetic: false,
            pads: Pads::default(),
            bumped: 0,
            depth: None,
            stages: 0,
            last_stage: None,
            r0: 0,
            first: [0; 6],
            selectors: [None; 8],
            dz: 0,
            cmp: 0,
            dp4: 0,
            bem: 0,
            half: None,
        }
    }

    fn instruction(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let (Some(op), Some(_)) = (i.op, i.form) else {
            self.half = None;
            return;
        };
        let unit = op.row().unit;
        if op == Opcode::Def {
            let inside = |bits: &u32| f32::from_bits(*bits).abs() <= 1.0;
            if let Some(register) = i.write.and_then(|write| write.register) {
                if !i.numbers.iter().all(inside) {
                    f.at(CONSTANT_RANGE, i, &[&register.number]);
                }
            }
        } else if op == Opcode::Phase {
            self.phase(i, f);
        } else if unit == Unit::Texture {
            self.texture(op, i, f);
        } else if unit == Unit::Arithmetic && op != Opcode::Nop {
            self.arithmetic(op, i, f);
        }
        self.unreadable(op, i, f);
        self.coissue(op, i, f);
        self.write(op, i);
    }

    fn phase(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        if self.second_phase {
            f.at(PHASE, i, &[&"more than one `phase`"]);
        }
        self.second_phase = true;
        self.arithmetic = false;
        self.stages = 0;
        self.last_stage = None;
        // Phase 2 begins without the alpha of the temporaries.
        self.r0 &= 7;
    }

    /// A texture instruction.
    fn texture(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        if self.arithmetic {
            f.at(TEX_ORDER, i, &[&i.name()]);
        }
        if let Some(write) = i.write {
            if write.destination.modifiers() != 0 || write.destination.shift() != 0 {
                f.at(TEX_DST, i, &[&format_args!("{} takes no modifier of the result", i.name())]);
            }
            let masked = self.four && op == Opcode::Texcoord;
            if !masked && write.mask() != WriteMask::ALL {
                f.at(TEX_DST, i, &[&format_args!("{} takes no write mask", i.name())]);
            }
        }
        if op == Opcode::Texkill {
            self.texkill(i, f);
        } else if self.four {
            self.texture_4(op, i, f);
        } else {
            self.texture_3(op, i, f);
        }
    }

    /// texkill, whose operand is written as a destination.
    fn texkill(&self, i: &Instruction<'_>, f: &mut Findings) {
        let Some(read) = i.reads().first() else { return };
        if read.source_mask() != WriteMask::ALL {
            f.at(TEX_DST, i, &[&"texkill takes no write mask"]);
        }
        if !(read.is_of(RegType::AddrOrTexture) || self.four && read.is_of(RegType::Temp)) {
            let what =
                if self.four { "texkill reads a t or r register" } else { "texkill reads a t register" };
            f.at(TEX_SRC, i, &[&what]);
        }
    }

    /// A texture instruction of ps_1_0 to ps_1_3.
    fn texture_3(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let Some(register) = i.write.and_then(|write| write.register) else { return };
        if register.ty != RegType::AddrOrTexture {
            f.at(TEX_DST, i, &[&format_args!("{} writes a t register", i.name())]);
            return;
        }
        let stage = register.number;
        let behind = self.last_stage.filter(|last| *last > stage);
        if self.stages & bit(stage) != 0 {
            f.at(TEX_STAGE, i, &[&format_args!("stage {stage}")]);
        } else if let Some(last) = behind {
            f.at(TEX_STAGE_ORDER, i, &[&stage, &last]);
        }
        self.stages |= bit(stage);
        self.last_stage = Some(stage);
        if let Some(read) = i.reads().first() {
            self.texture_source(op, i, read, f);
            let source = read.register.filter(|source| source.ty == RegType::AddrOrTexture);
            if let Some(source) = source.filter(|source| source.number >= stage) {
                f.at(TEX_INDEX, i, &[&i.name(), &stage, &source.number]);
            }
            if matches!(op, Opcode::Texbem | Opcode::Texbeml) {
                self.bumped |= source.map_or(0, |source| bit(source.number));
            }
        }
        if let Some(eye) = i.reads().get(1) {
            let plain = eye.modifier == modifier::NONE && eye.swizzle == Swizzle::IDENTITY;
            if !eye.is_of(RegType::Const) || !plain {
                f.at(TEX_SRC, i, &[&"the eye vector must be a c register without swizzle or modifier"]);
            }
        }
        self.pad(op, i, stage, f);
        if op == Opcode::Texm3x2depth {
            self.depth = Some(stage);
        }
    }

    /// The source of a texture instruction up to ps_1_3.
    fn texture_source(&self, op: Opcode, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        if !read.is_of(RegType::AddrOrTexture) {
            f.at(TEX_SRC, i, &[&format_args!("{} reads a t register", i.name())]);
        }
        if read.swizzle != Swizzle::IDENTITY {
            f.at(TEX_SRC, i, &[&format_args!("{} takes no selector", i.name())]);
        }
        let scaled = match self.version.minor() {
            0 | 1 => matches!(
                op,
                Opcode::Texm3x2pad
                    | Opcode::Texm3x2tex
                    | Opcode::Texm3x3pad
                    | Opcode::Texm3x3tex
                    | Opcode::Texm3x3spec
                    | Opcode::Texm3x3vspec
            ),
            _ => !matches!(op, Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texbem | Opcode::Texbeml),
        };
        match read.modifier {
            modifier::NONE => {}
            modifier::BX2 if scaled => {}
            modifier::BX2 => {
                f.at(TEX_SRC, i, &[&format_args!("{} takes no _bx2 in this version", i.name())]);
            }
            _ => f.at(TEX_SRC, i, &[&"a texture register can only have the modifier _bx2 here"]),
        }
    }

    /// The rows of a matrix product.
    fn pad(&mut self, op: Opcode, i: &Instruction<'_>, stage: u16, f: &mut Findings) {
        let (rows, last) = match op {
            Opcode::Texm3x2pad => (2, false),
            Opcode::Texm3x2tex | Opcode::Texm3x2depth => (2, true),
            Opcode::Texm3x3pad => (3, false),
            Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec | Opcode::Texm3x3 => (3, true),
            _ => return,
        };
        let source = i.reads().first().and_then(|read| read.register).map_or(0, |source| source.number);
        let open = self.pads;
        let complete = open.have != 0 && open.have + 1 == open.rows;
        if !last && (open.have == 0 || complete || open.rows != rows) {
            if open.have != 0 {
                f.at(TEX_PAD, i, &[&"the matrix product before it is not finished"]);
            }
            self.pads = Pads { rows, have: 1, stage, source };
            return;
        }
        if last && (!complete || open.rows != rows) {
            let pads = if rows == 2 { "a texm3x2pad" } else { "two texm3x3pad" };
            f.at(TEX_PAD, i, &[&format_args!("{} is not preceded by {pads}", i.name())]);
        } else if stage != open.stage + 1 {
            let next = open.stage + 1;
            f.at(
                TEX_PAD,
                i,
                &[&format_args!("the row after that of stage {} must be in stage {next}", open.stage)],
            );
        } else if source != open.source {
            f.at(
                TEX_PAD,
                i,
                &[&format_args!("the rows before multiply t{}, this one t{source}", open.source)],
            );
        }
        self.pads = if last { Pads::default() } else { Pads { have: open.have + 1, stage, ..open } };
    }

    /// A texture instruction of ps_1_4.
    fn texture_4(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let Some(register) = i.write.and_then(|write| write.register) else { return };
        if op == Opcode::Texdepth {
            if !register.is(RegType::Temp, 5) {
                f.at(TEXDEPTH, i, &[&"texdepth must read r5"]);
            } else if !self.second_phase {
                f.at(TEXDEPTH, i, &[&"texdepth must be in phase 2"]);
            }
            self.depth = Some(register.number);
            return;
        }
        if register.ty == RegType::Temp {
            if self.stages & bit(register.number) != 0 {
                f.at(TEX_STAGE, i, &[&format_args!("r{}", register.number)]);
            }
            self.stages |= bit(register.number);
        } else {
            f.at(TEX_DST, i, &[&format_args!("{} writes an r register", i.name())]);
        }
        let Some(read) = i.reads().first() else { return };
        match read.register {
            Some(source) if source.ty == RegType::AddrOrTexture => {
                self.coordinate(op, i, read, source.number, f);
            }
            Some(source) if source.ty == RegType::Temp && op == Opcode::Tex => {
                self.dependent(i, read, source.number, f);
            }
            _ => {
                let what = if op == Opcode::Tex { "a t or r register" } else { "a t register" };
                f.at(TEX_SRC, i, &[&format_args!("{} reads {what}", i.name())]);
            }
        }
    }

    /// t# as the source of texld and texcrd.
    fn coordinate(&mut self, op: Opcode, i: &Instruction<'_>, read: &Read, number: u16, f: &mut Findings) {
        let projected = read.modifier == modifier::DW;
        let w = read.swizzle == XYW;
        if !w && read.swizzle != XYZ && read.swizzle != Swizzle::IDENTITY {
            f.at(TEX_SRC, i, &[&"the selector of a coordinate must be .xyz or .xyw"]);
        } else if read.modifier != modifier::NONE && !projected {
            f.at(TEX_SRC, i, &[&"a t register can only have the modifier _dw here"]);
        } else if projected && !w {
            f.at(TEX_SRC, i, &[&"_dw needs the selector .xyw"]);
        }
        if op == Opcode::Texcoord {
            let (mask, letters) = if projected { (3, "rg") } else { (7, "rgb") };
            if i.write.is_some_and(|write| write.mask().bits() != mask) {
                f.at(TEXCRD, i, &[&letters]);
            }
        }
        if let Some(slot) = self.selectors.get_mut(usize::from(number)) {
            if slot.is_some_and(|before| before != w) {
                f.at(TEX_SELECTORS, i, &[&number]);
            }
            *slot = Some(w);
        }
    }

    /// r# as the source of texld.
    fn dependent(&mut self, i: &Instruction<'_>, read: &Read, number: u16, f: &mut Findings) {
        if read.modifier == modifier::DZ {
            self.dz += 1;
            if self.dz == 3 {
                f.at(DZ_COUNT, i, &[]);
            }
        } else if read.modifier != modifier::NONE {
            f.at(TEX_SRC, i, &[&"an r register can only have the modifier _dz here"]);
        }
        if read.swizzle != XYZ && read.swizzle != Swizzle::IDENTITY {
            f.at(TEX_SRC, i, &[&"the selector of an r register must be .xyz here"]);
        }
        let written = self.first.get(usize::from(number)).copied().unwrap_or(0);
        if !self.phased || !self.second_phase {
            f.at(PHASE_SOURCE, i, &[&format_args!("r{number} can only give coordinates after `phase`")]);
        } else if written & 7 != 7 {
            f.at(PHASE_SOURCE, i, &[&format_args!("r{number}.rgb is not written in phase 1")]);
        }
    }

    /// An arithmetic instruction.
    fn arithmetic(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        self.arithmetic = true;
        self.result(op, i, f);
        for read in i.reads() {
            self.source(i, read, f);
        }
        for (file, count) in Numbers::of(i).counts() {
            let most = ports(file, self.version);
            if count > most {
                f.at(PORTS, i, &[&count, &file, &most]);
            }
        }
        match op {
            Opcode::Cnd if !self.four => {
                let fits = i.reads().first().is_some_and(|read| {
                    let r0 = read.register.is_some_and(|register| register.is(RegType::Temp, 0));
                    r0 && read.swizzle == Swizzle::splat(3)
                });
                if !fits {
                    f.at(CND_SOURCE, i, &[]);
                }
            }
            Opcode::Cmp if !self.four => {
                self.cmp += 1;
                if self.cmp == 4 {
                    f.at(CMP_COUNT, i, &[]);
                }
                let written = i.write.and_then(|write| write.register);
                let read = |read: &Read| read.register.zip(written).is_some_and(|(a, b)| a.same(b));
                if i.reads().iter().any(read) {
                    f.at(CMP_DST, i, &[]);
                }
            }
            Opcode::Dp4 if !self.four => {
                self.dp4 += 1;
                if self.dp4 == 5 {
                    f.at(DP4_COUNT, i, &[]);
                }
            }
            Opcode::Bem => {
                self.bem += 1;
                if i.write.is_some_and(|write| write.mask().bits() != 3) {
                    f.at(BEM, i, &[&"bem can only write .rg"]);
                }
                if self.bem == 2 {
                    f.at(BEM, i, &[&"more than one bem"]);
                }
                if self.second_phase {
                    f.at(BEM, i, &[&"bem is in phase 2"]);
                }
            }
            _ => {}
        }
    }

    /// The result of an arithmetic instruction.
    fn result(&self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let Some(write) = i.write else { return };
        let destination = write.destination;
        if self.four {
            if let Some(register) = write.register.filter(|r| r.ty == RegType::AddrOrTexture) {
                f.at(COORDINATE, i, &[&register.number]);
            }
        } else if !matches!(write.mask().bits(), 7 | 8 | 15) {
            f.at(MASK, i, &[]);
        } else if op == Opcode::Dp3 && write.mask().bits() == 8 && !i.token.is_coissued() {
            f.at(DP3_MASK, i, &[]);
        }
        if destination.modifiers() & !1 != 0 {
            f.at(SHIFT, i, &[&"_pp and _centroid are not in this version"]);
        }
        let shifts: &[u8] = if self.four { &[0, 1, 2, 3, 13, 14, 15] } else { &[0, 1, 2, 15] };
        if !shifts.contains(&destination.shift()) {
            let which = if self.four {
                "the shifts are _x2 _x4 _x8 _d2 _d4 _d8"
            } else {
                "the shifts of this version are _x2 _x4 _d2"
            };
            f.at(SHIFT, i, &[&which]);
        }
    }

    /// A source of an arithmetic instruction.
    fn source(&self, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        let swizzle = read.swizzle;
        let alpha = i.write.is_some_and(|write| write.mask().bits() == 8);
        let selected = swizzle.is_scalar().then(|| swizzle.get(0));
        let fits = match selected {
            Some(3) => true,
            Some(2) => self.four || alpha,
            Some(_) => self.four,
            None => swizzle == Swizzle::IDENTITY,
        };
        if !fits {
            let which =
                if self.four { ".r, .g, .b and .a are" } else { ".a is, and .b where only alpha is written" };
            f.at(SELECTOR, i, &[&swizzle.short_letters(), &which]);
        }
        let constant = read.register.filter(|register| register.ty == RegType::Const);
        match (read.modifier, constant) {
            (modifier::DZ.., _) => f.at(SRC_MODIFIER, i, &[&"the modifier is not allowed in arithmetic"]),
            (modifier::X2 | modifier::X2_NEGATED, _) if !self.four => {
                f.at(SRC_MODIFIER, i, &[&"_x2 of a source is only in ps_1_4"]);
            }
            (modifier::NONE, _) | (_, None) => {}
            (_, Some(_)) if self.profile == Profile::D3d8 => {}
            (_, Some(register)) => f.at(CONST_MODIFIER, i, &[&register.number]),
        }
        if let Some(register) = read.register.filter(|r| self.four && r.ty == RegType::AddrOrTexture) {
            f.at(COORDINATE, i, &[&register.number]);
        }
    }

    /// Registers that are not there any more, or not yet.
    fn unreadable(&self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        // Up to ps_1_3 texkill looks at the interpolated coordinates.
        if op == Opcode::Texkill && !self.four {
            return;
        }
        let bumps = matches!(op, Opcode::Texbem | Opcode::Texbeml);
        for register in i.reads().iter().filter_map(|read| read.register) {
            let number = register.number;
            match register.ty {
                RegType::Input if self.four && !self.second_phase => f.at(PHASE_INPUT, i, &[&number]),
                RegType::AddrOrTexture if !self.four => {
                    if self.bumped & bit(number) != 0 && !bumps {
                        f.at(TEXBEM_SOURCE, i, &[]);
                    }
                    if self.depth == Some(number) {
                        f.at(DEPTH_READ, i, &[&format_args!("t{number}")]);
                    }
                }
                RegType::Temp if self.four && self.depth == Some(number) => {
                    f.at(DEPTH_READ, i, &[&format_args!("r{number}")]);
                }
                _ => {}
            }
        }
    }

    /// Pairs.
    fn coissue(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        let arithmetic = op.row().unit == Unit::Arithmetic;
        let second = i.token.is_coissued();
        let written = i.write.filter(|_| arithmetic).and_then(|write| Some((write.mask(), write.register?)));
        let this = written.map(|(mask, register)| Half {
            op,
            mask: mask.bits(),
            register,
            numbers: Numbers::of(i),
            second,
        });
        if second {
            let mut say = |what: &dyn Display| f.at(COISSUE, i, &[what]);
            match (self.half, this) {
                (_, None) => say(&format_args!("{} cannot be half of a pair", i.name())),
                (None, _) => say(&"there is no arithmetic instruction before it to pair with"),
                (Some(first), _) if first.second => say(&"a pair has two instructions"),
                (Some(first), Some(second)) => self.pair(i, first, second, f),
            }
        }
        self.half = this;
    }

    fn pair(&self, i: &Instruction<'_>, first: Half, second: Half, f: &mut Findings) {
        let halves = [first, second];
        let colour = |mask: u8| mask & 8 == 0 && mask != 0;
        let wrong = if halves.iter().any(|half| matches!(half.op, Opcode::Dp4 | Opcode::Bem)) {
            "dp4 and bem use both pipes"
        } else if halves.iter().any(|half| half.op == Opcode::Dp3 && half.mask == 8) {
            "dp3 is the colour half of a pair"
        } else if !(colour(first.mask) && second.mask == 8 || first.mask == 8 && colour(second.mask)) {
            "one half of a pair must write the colour, the other one alpha"
        } else if self.version.minor() == 0 && !first.register.same(second.register) {
            "the halves of a pair must write the same register in ps_1_0"
        } else {
            ""
        };
        if !wrong.is_empty() {
            f.at(COISSUE, i, &[&wrong]);
        }
        if !self.four && halves.iter().any(|half| half.op == Opcode::Cnd && half.mask != 8) {
            f.at(CND_PAIR, i, &[]);
        }
        for (file, count) in first.numbers.and(second.numbers).counts() {
            if count > 3 {
                f.at(COISSUE_PORTS, i, &[&count, &file]);
            }
        }
    }

    /// Remembers what is written.
    fn write(&mut self, op: Opcode, i: &Instruction<'_>) {
        if op == Opcode::Texdepth {
            return;
        }
        let Some((mask, register)) = i.write.and_then(|write| Some((write.mask(), write.register?))) else {
            return;
        };
        match register.ty {
            RegType::Temp => {
                if register.number == 0 {
                    self.r0 |= mask.bits();
                }
                if let Some(slot) = self.first.get_mut(usize::from(register.number)) {
                    *slot |= if self.second_phase { 0 } else { mask.bits() };
                }
            }
            // Other data may be read.
            RegType::AddrOrTexture if mask == WriteMask::ALL => self.bumped &= !bit(register.number),
            _ => {}
        }
    }

    fn end(&mut self, f: &mut Findings) {
        if self.pads.have != 0 {
            f.at_program(TEX_PAD, &[&"a matrix product is not finished"]);
        }
        if self.r0 & 7 != 7 {
            f.at_program(R0, &[]);
        } else if self.r0 & 8 == 0 {
            f.at_program(R0_ALPHA, &[]);
        }
    }
}
