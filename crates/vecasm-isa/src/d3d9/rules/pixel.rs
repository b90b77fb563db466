//! The rules of ps_2_0 to ps_3_0: declarations, texture instructions, outputs, swizzles, dependent reads, derivatives.

use super::code::{Code, Instruction, Read, Register, Write};
use super::files;
use super::findings::{Findings, rules};
use super::link::letters;
use super::options::Caps;
use crate::d3d9::program::{Usage, Version};
use crate::d3d9::registers::{RegType, SAMPLER_KINDS};
use crate::d3d9::table::{Opcode, TEXTURE_CONTROLS, Unit};
use crate::d3d9::usages;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::{Swizzle, WriteMask};

rules! {
    pub(in crate::d3d9) const RULES; const;

    DCL "D3D9-dcl" Error Documented
        "%1",
        "Pixel shaders declare v, t and s registers, in ps_3_0 also vPos and vFace, each once, without _sat and shifts. Pages dcl---ps, dcl-samplertype---ps and ps-registers-ps-3-0.";
    DCL_USAGE "D3D9-dcl-usage" Warning Documented
        "inputs have no usage before ps_3_0",
        "The usage token of such a declaration is 0x80000000. Page dcl---ps; Wine's assembler refuses a usage, MojoShader's accepts it.";
    DCL_SEMANTIC "D3D9-dcl-semantic" Error Recorded
        "%1",
        "An input of ps_3_0 has one of 14 usages, each with an index once, and none is position0: the runtime refuses it, as Wine's tests record. Page dcl-usage---ps.";
    DCL_MASK "D3D9-dcl-mask" Error Documented
        "%1",
        "vPos is declared with .x, .y or .xy, vFace without mask and modifier (page ps-registers-ps-3-0); that t registers have no gaps is not documented.";
    UNDECLARED "D3D9-ps-undeclared" Error Documented
        "%1 is not declared",
        "Inputs and samplers are declared from ps_2_0 on. Pages ps-registers-ps-2-0 and ps-registers-ps-3-0.";
    COORDINATES "D3D9-coordinates" Error Documented
        "%1 needs %2, but .%3 is not declared",
        "A texture of two dimensions needs .xy, a cube map or volume .xyz; texldp, texldb and texldl need .w as well, and texkill .xyz. Pages ps-registers-sampler, texldl---ps and texkill---ps.";
    TEX_DST "D3D9-texld-dst" Error Documented
        "%1",
        "Texture reads write an r register, before ps_3_0 the whole of it (texldd any part), and never with _sat. In ps_3_0 they write outputs too: Microsoft's compilers do that (fxc 9.26 to 10.1), although the pages name only r registers. Pages texld---ps-2-0, texldl---ps and ps-instructions-modifiers-ps-2-0.";
    TEX_SRC "D3D9-texld-src" Error Documented
        "%1",
        "Before ps_3_0 texld, texldp and texldb read an r or t register as it is; a sampler takes no modifier, and a swizzle only in ps_3_0. Page texld---ps-2-0.";
    TEXKILL "D3D9-texkill" Error Documented
        "%1",
        "texkill tests a whole r or t register, in ps_3_0 an r or v register. Page texkill---ps and the driver documentation.";
    FACE "D3D9-vface" Warning Documented
        "vFace can only be an operand of setp, if and break with a comparison",
        "Page ps-registers-ps-3-0 says so; the runtime accepts cmp of vFace, as Wine's tests record.";
    SWIZZLE "D3D9-ps2-swizzle" Error Documented
        "the swizzle .%1 is not in this version",
        "ps_2_0, and ps_2_x without D3DPS20CAPS_ARBITRARYSWIZZLE, have one component four times, .yzxw, .zxyw and .wzyx. Page ps-registers-modifiers-source-register-swizzling.";
    DEPENDENT_READS "D3D9-X5426" 5426 Error Recorded
        "shader uses texture addressing operations in a dependency chain that is too complex for the target shader model (%1) to handle",
        "A texture read whose coordinates, or whose destination, hold the result of another read depends on it; at most four such reads may form a chain. Page texld---ps-2-0.";
    GRADIENT "D3D9-gradient" Error Documented
        "%1 reads an r register where neighbouring pixels may take different paths",
        "texld, texldp, texldb, dsx and dsy look at neighbouring pixels. Inside an if on a comparison or the predicate, after such a break, and in predicated instructions, they may only read read-only registers. Page ps-instructions-flow-control.";
    OUTPUT "D3D9-ps-output" Error Documented
        "%1",
        "Before ps_3_0 a colour is written by one mov, whole and without swizzle or modifier; the depth by one mov of one component. Pages ps-registers-output-color and ps-registers-output-depth.";
    OUTPUT_FLOW "D3D9-ps-output-flow" Error Documented
        "%1 is written inside flow control",
        "In ps_2_x colours are not written inside dynamic flow control or with predication, the depth not inside any flow control. Pages ps-registers-output-color and ps-registers-output-depth.";
    OUTPUT_GAP "D3D9-ps-output-gap" Error Documented
        "the colours that are written skip oC%1",
        "Before ps_3_0 the colours are written from oC0 on without gaps. Page ps-registers-output-color.";
    NO_OUTPUT "D3D9-no-oc0" Error Documented
        "%1",
        "Before ps_3_0 oC0 must be written. Page ps-registers-output-color.";
    NO_COLOUR "D3D9-no-oc0-3-0" Warning Documented
        "oC0 is not written",
        "In ps_3_0 a colour that is not written leaves the render target as it is. Page ps-registers-output-color.";
}

/// Highest order of dependent reads, where it is limited.
const ORDER: u8 = 3;

/// The swizzles of ps_2_0 besides single components.
const SWIZZLES: [u8; 4] = [0xe4, 0xc9, 0xd2, 0x1b];

/// Checks a program of ps_2_0 or later.
pub(super) fn pass(code: &Code<'_>, caps: &Caps, f: &mut Findings) {
    let mut checker = Checker::new(code, *caps);
    for i in code.instructions() {
        checker.instruction(&i, f);
    }
    checker.end(f);
}

/// What is declared.
#[derive(Default)]
struct Declared {
    /// Components of v#.
    inputs: [u8; 16],
    /// Components of t#.
    coordinates: [u8; 16],
    /// Components of vPos and vFace.
    misc: [u8; 2],
    /// s#, a bit each.
    samplers: u16,
    /// Usage and index of the inputs of ps_3_0, a bit for each index.
    semantics: [u16; DeclUsage::ALL.len()],
}

impl Declared {
    /// The components of a register that are declared; `None` for files without declarations.
    fn components(&self, register: Register) -> Option<u8> {
        let file: &[u8] = match register.ty {
            RegType::Input => &self.inputs,
            RegType::AddrOrTexture => &self.coordinates,
            RegType::Misc => &self.misc,
            _ => return None,
        };
        Some(file.get(usize::from(register.number)).copied().unwrap_or(0))
    }
}

/// A block of flow control.
struct Block {
    /// Whether neighbouring pixels may take different ways.
    varying: bool,
}

struct Checker<'a> {
    code: &'a Code<'a>,
    caps: Caps,
    version: Version,
    /// ps_3_0
    three: bool,
    declared: Declared,
    blocks: Vec<Block>,
    /// How many of them are varying.
    varying_blocks: usize,
    /// Numbers of the loops that a comparison or the predicate leaves.
    left: Vec<u32>,
    /// Labels of subroutines that are called where pixels take different ways.
    varying_labels: BTreeSet<u16>,
    routine_varying: bool,
    /// Writes of oC#, and of oDepth.
    colours: [u32; 4],
    depths: u32,
    kills: bool,
    /// Of r#, whether it is written, and the order of the reads it depends on.
    written: u64,
    orders: [Option<u8>; 64],
}

impl<'a> Checker<'a> {
    fn new(code: &'a Code<'a>, caps: Caps) -> Self {
        Self {
            code,
            caps,
            version: code.version,
            three: code.version.major() >= 3,
            declared: Declared::default(),
            blocks: Vec::new(),
            varying_blocks: 0,
            left: left_loops(code),
            varying_labels: BTreeSet::new(),
            routine_varying: false,
            colours: [0; 4],
            depths: 0,
            kills: false,
            written: 0,
            orders: [None; 64],
        }
    }

    fn instruction(&mut self, i: &Instruction<'_>, f: &mut Findings) {
        let (Some(op), Some(_)) = (i.op, i.form) else { return };
        match op.row().unit {
            Unit::Setup => {
                if let (Opcode::Dcl, Some(write), Some(usage)) = (op, i.write, i.usage) {
                    self.declaration(i, write, usage, f);
                }
                return;
            }
            Unit::Flow => self.flow(op, i),
            Unit::Texture => self.texture(op, i, f),
            Unit::Arithmetic => self.arithmetic(i, f),
        }
        for read in i.reads() {
            self.source(op, i, read, f);
        }
        self.gradient(op, i, f);
        if let Some(write) = i.write {
            self.output(op, i, write, f);
            self.dependency(op, i, write, f);
        }
    }

    /// dcl
    fn declaration(&mut self, i: &Instruction<'_>, write: Write, usage: Usage, f: &mut Findings) {
        let Some(register) = write.register else { return };
        let destination = write.destination;
        let mask = write.mask().bits();
        let name = register.name(self.version);
        if destination.modifiers() & 1 != 0 || destination.shift() != 0 {
            f.at(DCL, i, &[&"a declaration only takes _pp and _centroid"]);
        }
        let number = usize::from(register.number);
        let before = match register.ty {
            RegType::Sampler => {
                let known = usage.kind() == 0 || SAMPLER_KINDS.iter().any(|(kind, _)| *kind == usage.kind());
                if !known {
                    f.at(DCL, i, &[&format_args!("there is no kind {} of textures", usage.kind())]);
                }
                let bit = 1_u16.checked_shl(u32::from(register.number)).unwrap_or(0);
                let before = self.declared.samplers & bit != 0;
                self.declared.samplers |= bit;
                before
            }
            RegType::AddrOrTexture => {
                if !matches!(mask, 1 | 3 | 7 | 15) {
                    f.at(DCL_MASK, i, &[&format_args!("{name} is declared with .x, .xy, .xyz or .xyzw")]);
                }
                declare(&mut self.declared.coordinates, number, mask, false)
            }
            RegType::Input => {
                if self.three {
                    self.semantic(i, usage, f);
                }
                // Several usages may share a register of ps_3_0.
                declare(&mut self.declared.inputs, number, mask, self.three)
            }
            RegType::Misc => {
                let (fits, which) = if number == 0 {
                    (matches!(mask, 1..=3), ".x, .y or .xy")
                } else {
                    (mask == 15 && destination.modifiers() == 0, "the full mask and without modifier")
                };
                if !fits {
                    f.at(DCL_MASK, i, &[&format_args!("{name} is declared with {which}")]);
                }
                declare(&mut self.declared.misc, number, mask, false)
            }
            _ => {
                f.at(DCL, i, &[&format_args!("{name} is not declared in pixel shaders")]);
                return;
            }
        };
        if before {
            f.at(DCL, i, &[&format_args!("{name} is declared twice")]);
        }
        let input = matches!(register.ty, RegType::AddrOrTexture | RegType::Input);
        if !self.three && input && usage.0 != Usage::sampler(0).0 {
            f.at(DCL_USAGE, i, &[]);
        }
    }

    /// The usage of an input of ps_3_0.
    fn semantic(&mut self, i: &Instruction<'_>, usage: Usage, f: &mut Findings) {
        let row = usize::from(usage.usage());
        let (Some(name), Some(indices)) = (usages::name(usage.usage()), self.declared.semantics.get_mut(row))
        else {
            f.at(DCL_SEMANTIC, i, &[&format_args!("there is no usage {row}")]);
            return;
        };
        let index = usage.index();
        if (usage.usage(), index) == (DeclUsage::Position.code(), 0) {
            f.at(DCL_SEMANTIC, i, &[&"position0 cannot be an input of a pixel shader"]);
        }
        let bit = 1_u16.checked_shl(u32::from(index)).unwrap_or(0);
        if *indices & bit != 0 {
            f.at(DCL_SEMANTIC, i, &[&format_args!("{name}{index} is declared twice")]);
        }
        *indices |= bit;
    }

    /// Opens and closes blocks.
    fn flow(&mut self, op: Opcode, i: &Instruction<'_>) {
        let predicated = i.reads().iter().any(|read| read.is_of(RegType::Predicate));
        let opened = match op {
            Opcode::If => Some(predicated),
            Opcode::Ifc => Some(true),
            Opcode::Rep | Opcode::Loop => Some(self.left.binary_search(&i.number).is_ok()),
            _ => None,
        };
        if let Some(varying) = opened {
            self.blocks.push(Block { varying });
            self.varying_blocks += usize::from(varying);
        }
        match op {
            Opcode::Endif | Opcode::Endrep | Opcode::Endloop => {
                if let Some(block) = self.blocks.pop() {
                    self.varying_blocks -= usize::from(block.varying);
                }
            }
            Opcode::Call | Opcode::Callnz if predicated || self.varying() => {
                self.varying_labels.extend(i.label());
            }
            Opcode::Label => {
                // Calls go forward, so that all of them are known.
                self.routine_varying = i.label().is_some_and(|label| self.varying_labels.contains(&label));
                self.blocks.clear();
                self.varying_blocks = 0;
            }
            _ => {}
        }
    }

    /// Whether neighbouring pixels may do different things here.
    fn varying(&self) -> bool {
        self.routine_varying || self.varying_blocks > 0
    }

    /// A texture instruction.
    fn texture(&mut self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        if op == Opcode::Texkill {
            self.kills = true;
            self.texkill(i, f);
            return;
        }
        let Some(write) = i.write else { return };
        let output = write.is_of(RegType::ColorOut) || write.is_of(RegType::DepthOut);
        if !(write.is_of(RegType::Temp) || self.three && output) {
            let or = if self.three { " or an output" } else { "" };
            f.at(TEX_DST, i, &[&format_args!("{} writes an r register{or}", spelled(i))]);
        }
        let plain = !self.three && op == Opcode::Tex;
        if plain && write.mask() != WriteMask::ALL {
            f.at(TEX_DST, i, &[&format_args!("{} takes no write mask", spelled(i))]);
        }
        if write.destination.modifiers() & 1 != 0 {
            f.at(TEX_DST, i, &[&format_args!("{} takes no _sat", spelled(i))]);
        }
        let [at, sampler, ..] = i.reads() else { return };
        if plain {
            if !at.is_of(RegType::Temp) && !at.is_of(RegType::AddrOrTexture) {
                f.at(TEX_SRC, i, &[&format_args!("{} reads an r or t register", spelled(i))]);
            }
            if at.swizzle != Swizzle::IDENTITY || at.modifier != 0 {
                f.at(TEX_SRC, i, &[&format_args!("{} takes no swizzle and no modifier", spelled(i))]);
            }
        }
        let Some(unit) = sampler.register.filter(|register| register.ty == RegType::Sampler) else {
            f.at(TEX_SRC, i, &[&"the second source is a sampler"]);
            return;
        };
        if sampler.modifier != 0 {
            f.at(TEX_SRC, i, &[&"a sampler takes no modifier"]);
        } else if plain && sampler.swizzle != Swizzle::IDENTITY {
            f.at(TEX_SRC, i, &[&"a sampler takes a swizzle only in ps_3_0"]);
        }
        let bit = 1_u16.checked_shl(u32::from(unit.number)).unwrap_or(0);
        if self.declared.samplers & bit == 0 {
            f.at(UNDECLARED, i, &[&unit.name(self.version)]);
        } else if self.code.kind(unit.number) != 0 {
            self.components(i, at, at.lanes, f);
        }
    }

    /// texkill, whose operand is written as a destination.
    fn texkill(&self, i: &Instruction<'_>, f: &mut Findings) {
        let Some(read) = i.reads().first() else { return };
        if read.source_mask() != WriteMask::ALL {
            f.at(TEXKILL, i, &[&"texkill takes no write mask"]);
        }
        let input = if self.three { RegType::Input } else { RegType::AddrOrTexture };
        if read.is_of(input) {
            self.components(i, read, WriteMask::XYZ, f);
        } else if !read.is_of(RegType::Temp) {
            let what = if self.three {
                "texkill reads an r or v register"
            } else {
                "texkill reads an r or t register"
            };
            f.at(TEXKILL, i, &[&what]);
        }
    }

    /// Whether the components that a texture instruction needs are declared.
    fn components(&self, i: &Instruction<'_>, read: &Read, needed: WriteMask, f: &mut Findings) {
        let Some(register) = read.register.filter(|_| read.index.is_none()) else { return };
        // What is not declared at all is a finding of the source.
        let Some(have) = self.declared.components(register).filter(|have| *have != 0) else { return };
        let missing = needed.bits() & !have;
        if missing != 0 {
            let name = register.name(self.version);
            f.at(
                COORDINATES,
                i,
                &[&spelled(i), &format_args!("{name}.{}", letters(needed.bits())), &letters(missing)],
            );
        }
    }

    /// Swizzles of an arithmetic instruction.
    fn arithmetic(&self, i: &Instruction<'_>, f: &mut Findings) {
        if self.caps.arbitrary_swizzle {
            return;
        }
        for swizzle in i.reads().iter().map(|read| read.swizzle) {
            if !swizzle.is_scalar() && !SWIZZLES.contains(&swizzle.bits()) {
                f.at(SWIZZLE, i, &[&swizzle.short_letters()]);
            }
        }
    }

    /// Declarations and vFace, for a source of any instruction.
    fn source(&self, op: Opcode, i: &Instruction<'_>, read: &Read, f: &mut Findings) {
        let Some(register) = read.register else { return };
        if register.is(RegType::Misc, 1) && !matches!(op, Opcode::Setp | Opcode::Ifc | Opcode::Breakc) {
            f.at(FACE, i, &[]);
        }
        // One that does not exist has a finding of its own.
        let count = files::count(register.ty, self.version, &self.caps).unwrap_or(0);
        let there = read.row_registers(register).filter(|row| read.index.is_none() && row.number < count);
        for row in there.filter(|row| self.declared.components(*row) == Some(0)) {
            f.at(UNDECLARED, i, &[&row.name(self.version)]);
        }
    }

    /// Instructions that look at neighbouring pixels.
    fn gradient(&self, op: Opcode, i: &Instruction<'_>, f: &mut Findings) {
        if !matches!(op, Opcode::Tex | Opcode::Dsx | Opcode::Dsy) {
            return;
        }
        let computed = i.reads().first().is_some_and(|read| read.is_of(RegType::Temp));
        if computed && (self.varying() || i.token.is_predicated()) {
            f.at(GRADIENT, i, &[&spelled(i)]);
        }
    }

    /// Writes of colours and depth.
    fn output(&mut self, op: Opcode, i: &Instruction<'_>, write: Write, f: &mut Findings) {
        let Some(register) = write.register else { return };
        let depth = match register.ty {
            RegType::ColorOut => false,
            RegType::DepthOut => true,
            _ => return,
        };
        let predicated = i.token.is_predicated();
        let count =
            if depth { Some(&mut self.depths) } else { self.colours.get_mut(usize::from(register.number)) };
        let Some(count) = count else { return };
        *count = count.saturating_add(1);
        let twice = *count == 2;
        if self.three {
            return;
        }
        let name = register.name(self.version);
        let mut say = |what: &dyn Display| f.at(OUTPUT, i, &[what]);
        if twice {
            say(&format_args!("{name} is written twice"));
        }
        if op != Opcode::Mov {
            say(&format_args!("{name} can only be written by mov"));
        } else if let Some(read) = i.reads().first() {
            if depth && !read.swizzle.is_scalar() {
                say(&format_args!("the source of {name} is one component"));
            } else if read.modifier != 0 || !depth && read.swizzle != Swizzle::IDENTITY {
                say(&format_args!("the source of {name} takes no swizzle and no modifier"));
            }
        }
        if write.mask() != WriteMask::ALL {
            say(&format_args!("{name} takes no write mask"));
        }
        if write.destination.modifiers() & 1 != 0 {
            say(&format_args!("{name} takes no _sat"));
        }
        if depth && !self.blocks.is_empty() || self.varying() || predicated {
            f.at(OUTPUT_FLOW, i, &[&name]);
        }
    }

    /// The order of dependent reads.
    fn dependency(&mut self, op: Opcode, i: &Instruction<'_>, write: Write, f: &mut Findings) {
        let Some(register) = write.register.filter(|register| register.ty == RegType::Temp) else { return };
        let number = usize::from(register.number);
        let Some(before) = self.orders.get(number).copied() else { return };
        let bit = 1_u64.checked_shl(u32::from(register.number)).unwrap_or(0);
        let overwrites = self.written & bit != 0;
        let of = |read: &Read| {
            let register = read.register.filter(|register| register.ty == RegType::Temp)?;
            self.orders.get(usize::from(register.number)).copied().flatten()
        };
        let after = if op.row().unit == Unit::Texture {
            let at = i.reads().first();
            let computed = at.is_some_and(|read| read.is_of(RegType::Temp));
            let last = at.and_then(of).max(before).unwrap_or(0);
            let order = if computed || overwrites { last.saturating_add(1) } else { 0 };
            if order == ORDER + 1 && self.caps.dependent_reads_limited {
                f.at(DEPENDENT_READS, i, &[&crate::d3d9::text::version_name(self.version)]);
            }
            Some(order)
        } else {
            let sources = i.reads().iter().filter_map(of).max();
            if write.mask() == WriteMask::ALL { sources } else { sources.max(before) }
        };
        self.written |= bit;
        if let Some(slot) = self.orders.get_mut(number) {
            *slot = after;
        }
    }

    fn end(&mut self, f: &mut Findings) {
        let count = self.colours.iter().filter(|count| **count > 0).count();
        let first = self.colours.first().is_some_and(|count| *count > 0);
        if self.three && (count > 0 || self.depths > 0 || self.kills) {
            if !first {
                f.at_program(NO_COLOUR, &[]);
            }
        } else if !first {
            let what = if self.three { "the program writes nothing" } else { "oC0 is not written" };
            f.at_program(NO_OUTPUT, &[&what]);
        } else if !self.three {
            if let Some(gap) = self.colours.iter().take(count).position(|count| *count == 0) {
                f.at_program(OUTPUT_GAP, &[&gap]);
            }
        }
    }
}

/// Declares components of a register; gives whether it was declared before. `shared` lets other components be.
fn declare(file: &mut [u8], number: usize, mask: u8, shared: bool) -> bool {
    let Some(slot) = file.get_mut(number) else { return false };
    let before = if shared { *slot & mask != 0 } else { *slot != 0 };
    *slot |= mask;
    before
}

/// The name of an instruction, with its variant.
fn spelled(i: &Instruction<'_>) -> &'static str {
    let row = TEXTURE_CONTROLS.iter().find(|row| i.is(Opcode::Tex) && row.code == i.token.control());
    row.map_or_else(|| i.name(), |row| row.name)
}

/// Numbers of the loops that a comparison or the predicate leaves, in order.
fn left_loops(code: &Code<'_>) -> Vec<u32> {
    let mut open = Vec::new();
    let mut left = Vec::new();
    for i in code.instructions() {
        match i.op {
            Some(Opcode::Rep | Opcode::Loop) => open.push(i.number),
            Some(Opcode::Endrep | Opcode::Endloop) => {
                open.pop();
            }
            Some(Opcode::Breakc | Opcode::Breakp) => left.extend(open.last()),
            _ => {}
        }
    }
    left.sort_unstable();
    left.dedup();
    left
}
