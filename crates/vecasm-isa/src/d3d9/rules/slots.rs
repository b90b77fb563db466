//! Instruction slots: what a program costs, and the limits.

use super::code::{Code, Instruction};
use super::findings::{Findings, rules};
use super::options::{Caps, Options};
use crate::d3d9::program::{InstructionToken, Program, Stage, Version};
use crate::d3d9::table::{Form, Opcode, TEXTURE_CONTROLS, Unit, slots};
use crate::d3d9::text::version_name;
use alloc::vec::Vec;

rules! {
    pub(in crate::d3d9) const RULES; const;

    ARITHMETIC "D3D9-X5608" 5608 Error Recorded
        "Compiled shader code uses too many arithmetic instruction slots (%1). Max. allowed by the target (%2) is %3.",
        "ps_1_1 to ps_1_3 have 8 arithmetic slots, ps_1_4 8 in each phase, ps_2_0 64. Pairs count once; macros count as what they expand to. Documented on the pages ps-instructions-ps-1-x and ps-2-0.";
    TOTAL "D3D9-X5609" 5609 Error Believed
        "the shader uses too many instruction slots (%1); the target (%2) has %3",
        "vs_1_1 has 128 slots, vs_2_0 and vs_2_x 256, ps_2_0 96, ps_2_x 96 to 512 and the models 3.0 512 to 32768, as the device says. Public reports quote the number next to X5608, but not its wording. Documented on the page of each model.";
    TEXTURE "D3D9-texture-slots" Error Documented
        "the shader uses too many texture instruction slots (%1); the target (%2) has %3",
        "ps_1_1 to ps_1_3 have 4 texture slots, ps_1_4 6 in each phase, ps_2_0 and ps_2_x without D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT 32. Pages ps-instructions-ps-1-x and ps-2-0.";
    COUNTED "D3D9-slots-of-cmp" Warning Documented
        "cmp and dp4 count twice by the documentation: %1 arithmetic slots of %2",
        "In ps_1_2 and ps_1_3 cmp and dp4 take two slots; the runtime counts one. The page Counting Instructions of the DirectX 8.1 help says both.";
}

/// Slots of instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCounts {
    /// Slots of arithmetic and of flow control.
    pub arithmetic: u32,
    /// Slots of texture instructions.
    pub texture: u32,
}

impl SlotCounts {
    /// All of them.
    pub const fn total(self) -> u32 {
        self.arithmetic.saturating_add(self.texture)
    }

    pub(in crate::d3d9) const fn plus(self, other: Self) -> Self {
        Self {
            arithmetic: self.arithmetic.saturating_add(other.arithmetic),
            texture: self.texture.saturating_add(other.texture),
        }
    }
}

/// The slots that a program uses, on the device that `options` describe.
///
/// The numbers are those of the documentation, which compilers print too: predication costs one more, the second
/// instruction of a pair nothing, and `texbeml` one of each kind. Declarations, definitions and what is no instruction of
/// the model count nothing.
pub fn slot_counts_on(program: &Program, options: &Options) -> SlotCounts {
    let code = Code::new(program);
    let caps = options.caps(code.version);
    code.instructions().fold(SlotCounts::default(), |sum, i| sum.plus(cost(&code, &caps, &i, false)))
}

/// The slots of each instruction that has a known code, in order, as [`slot_counts_on`] counts them. Declarations and definitions
/// are instructions without slots.
pub fn slots_of_instructions(program: &Program, options: &Options) -> Vec<u32> {
    let code = Code::new(program);
    let caps = options.caps(code.version);
    code.instructions().map(|i| cost(&code, &caps, &i, false).total()).collect()
}

/// The slots that a program uses, as [`slot_counts_on`] the default device.
pub fn slot_counts(program: &Program) -> SlotCounts {
    slot_counts_on(program, &Options::default())
}

/// The slots of one instruction; `native` counts cmp and dp4 of ps_1_2 and ps_1_3 as the runtime does.
fn cost(code: &Code<'_>, caps: &Caps, instruction: &Instruction<'_>, native: bool) -> SlotCounts {
    let (Some(op), Some(form)) = (instruction.op, instruction.form) else { return SlotCounts::default() };
    let prices = Prices { version: code.version, dear_textures: caps.dear_textures, native };
    let cube = || {
        let sampler = instruction.reads().iter().filter_map(|read| read.register);
        sampler
            .filter(|register| register.ty == crate::d3d9::registers::RegType::Sampler)
            .any(|register| code.kind(register.number) == CUBE)
    };
    prices.of(op, form, instruction.token, cube)
}

/// What instructions of a model cost.
#[derive(Clone, Copy, Debug)]
pub(in crate::d3d9) struct Prices {
    version: Version,
    dear_textures: bool,
    native: bool,
}

impl Prices {
    /// Those of the default device, as [`slot_counts`] counts.
    pub(in crate::d3d9) fn new(version: Version) -> Self {
        let caps = Options::default().caps(version);
        Self { version, dear_textures: caps.dear_textures, native: false }
    }

    /// The slots of an instruction in that form; `cube` tells whether it reads a cube map.
    pub(in crate::d3d9) fn of(
        self,
        op: Opcode,
        form: &Form,
        token: InstructionToken,
        cube: impl FnOnce() -> bool,
    ) -> SlotCounts {
        let mut out = SlotCounts::default();
        let version = self.version;
        let paired = version.stage() == Stage::Pixel && version.major() == 1 && token.is_coissued();
        if !form.is_in(version) || paired {
            return out;
        }
        let unit = op.row().unit;
        // Where texture instructions are unlimited, they cost what they do in 3.0.
        let (priced, cube) = match unit {
            Unit::Texture if self.dear_textures => (Version::new(version.stage(), 3, 0), cube()),
            Unit::Texture => (version, cube()),
            _ => (version, false),
        };
        let control = if op == Opcode::Tex { token.control() } else { 0 };
        let known = TEXTURE_CONTROLS.iter().any(|row| row.code == control);
        let n = slots(op, priced, if known { control } else { 0 }, cube).map_or(0, u32::from);
        let n = if self.native && matches!(op, Opcode::Cmp | Opcode::Dp4) { 1 } else { n };
        match unit {
            Unit::Texture if op == Opcode::Texbeml => {
                (out.texture, out.arithmetic) = (1, n.saturating_sub(1));
            }
            Unit::Texture => out.texture = n,
            Unit::Setup => {}
            Unit::Arithmetic | Unit::Flow => out.arithmetic = n,
        }
        if token.is_predicated() {
            match unit {
                Unit::Texture => out.texture += 1,
                Unit::Arithmetic => out.arithmetic += 1,
                Unit::Setup | Unit::Flow => {}
            }
        }
        out
    }
}

/// The kind of a cube map.
pub(in crate::d3d9) const CUBE: u8 = 3;

/// Compares the slots with those of the model.
pub(super) fn pass(code: &Code<'_>, caps: &Caps, f: &mut Findings) {
    // Up to 1.3 a program is one phase.
    let mut phase = SlotCounts::default();
    let mut documented = SlotCounts::default();
    let target = version_name(code.version);
    let mut total = SlotCounts::default();
    for instruction in code.instructions() {
        if instruction.is(Opcode::Phase) {
            limits(caps, f, phase, &target);
            phase = SlotCounts::default();
            continue;
        }
        let cost_of = |native| cost(code, caps, &instruction, native);
        phase = phase.plus(cost_of(true));
        total = total.plus(cost_of(true));
        documented = documented.plus(cost_of(false));
    }
    limits(caps, f, phase, &target);
    if let Some(max) = caps.slots.filter(|max| total.total() > *max) {
        f.at_program(TOTAL, &[&total.total(), &target, &max]);
    }
    if let Some(max) = caps.arithmetic_slots {
        if code.version.number() < 0x0104 && documented.arithmetic > max && phase.arithmetic <= max {
            f.at_program(COUNTED, &[&documented.arithmetic, &max]);
        }
    }
}

fn limits(caps: &Caps, f: &mut Findings, used: SlotCounts, target: &str) {
    if let Some(max) = caps.arithmetic_slots.filter(|max| used.arithmetic > *max) {
        f.at_program(ARITHMETIC, &[&used.arithmetic, &target, &max]);
    }
    if let Some(max) = caps.texture_slots.filter(|max| used.texture > *max) {
        f.at_program(TEXTURE, &[&used.texture, &target, &max]);
    }
}
