//! Declarations and definitions: where they stand; of vertex shaders what they say, and that what is used is declared. Those of
//! pixel shaders are in the pass for them.

use super::code::{Code, Instruction, Register, Write};
use super::files;
use super::findings::{Findings, rules};
use super::options::Caps;
use crate::d3d9::program::{Stage, Usage};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::Opcode;
use crate::d3d9::text::version_name;
use vecasm_ir::ir::DeclUsage;
use vecasm_ir::operand::WriteMask;

rules! {
    pub(in crate::d3d9) const RULES; const;

    LATE "D3D9-late-declaration" Error Documented "%1 comes after the first instruction",
        "Declarations and definitions come first. Pages dcl-usage-input-register---vs, dcl---ps, def---ps.";
    DEF_TWICE "D3D9-def-twice" Warning Documented "%1 is defined twice; the last definition counts",
        "Page def---ps.";
    DECLARED "D3D9-declared-register" Error Documented "%1 cannot be declared in %2",
        "Vertex shaders declare v#, vs_3_0 also o# and s#; ps_2_x v#, t# and s#, ps_3_0 v#, s#, vPos and vFace. Pages dcl-usage-input-register---vs, dcl---ps, dcl-samplertype---ps.";
    INPUT "D3D9-0x12C" 300 Error Peer "there is no %1 to declare; the last one is %2",
        "Message id 0x12C of the runtime's validator is a bad declaration of an input register, as known from DXVK for v10 of ps_3_0; page ps-registers-ps-3-0.";
    NUMBER "D3D9-declared-number" Error Documented "there is no %1 to declare; the last one is %2",
        "The register pages (vs-registers-*, ps-registers-*) give the number of registers of each file.";
    USAGE "D3D9-usage" Error Documented "%1",
        "A usage is one of D3DDECLUSAGE, 0 to 13, with an index from 0 to 15. Pages d3ddeclusage, dcl-instruction of the driver documentation.";
    KIND "D3D9-sampler-kind" Warning Documented "%1",
        "A sampler is declared as 2d, cube or volume; the header has no other kind, and 0 is unknown. Pages dcl-samplertype---ps, d3dsampler-texture-type.";
    TWICE "D3D9-declared-twice" Error Documented "%1 is declared twice",
        "From 3.0 on several declarations may share a register if their masks do not overlap. Pages dcl-usage-input-register---vs, dcl-usage-outut-register---vs.";
    SAME_USAGE "D3D9-usage-twice" Error Documented "%1%2 is declared twice",
        "Each usage and index belongs to one register. Pages dcl-usage-outut-register---vs and dcl-instruction of the driver documentation.";
    UNDECLARED "D3D9-undeclared" Error Documented "%1 is not declared",
        "Direct3D 9 requires declarations of v# in vertex shaders, and of o# and s# in vs_3_0. Column \"requires dcl\" of the register pages. Direct3D 8 has none.";
    POSITION "D3D9-position-output" Error Documented "%1",
        "vs_3_0 declares position 0 once, with all four components and a register of its own; psize 0 likewise. Page dcl-usage-outut-register---vs.";
    INDEXED_ORDER "D3D9-indexed-outputs" Warning Documented "outputs are indexed, and %1 is not %2",
        "If outputs are indexed, position must be o0 and psize o1, and the index must not reach them. Page shader-model-3; explicitly not validated.";
}

/// Files that are declared, with the number of registers kept.
const KEPT: usize = 16;

/// What has been declared.
#[derive(Debug, Default)]
struct Declared {
    inputs: [WriteMask; KEPT],
    outputs: [WriteMask; KEPT],
    samplers: [WriteMask; KEPT],
    /// Usages and indices of inputs and outputs: a bit an index.
    input_usages: [u16; 16],
    output_usages: [u16; 16],
    /// The registers of position 0 and psize 0.
    position: Option<u16>,
    psize: Option<u16>,
}

impl Declared {
    fn of(&mut self, ty: RegType, number: u16) -> Option<&mut WriteMask> {
        let file = match ty {
            RegType::Input => &mut self.inputs,
            RegType::Output => &mut self.outputs,
            RegType::Sampler => &mut self.samplers,
            _ => return None,
        };
        file.get_mut(usize::from(number))
    }
}

pub(super) fn pass(code: &Code<'_>, caps: &Caps, d3d8: bool, f: &mut Findings) {
    let mut declared = Declared::default();
    let mut defined = Defined::default();
    let mut started = false;
    let mut indexed = None;
    for i in code.instructions() {
        let Some(op) = i.op else { continue };
        if i.is_setup() {
            if started {
                f.at(LATE, &i, &[&i.name()]);
            }
        } else {
            started |= op != Opcode::Nop;
        }
        match op {
            Opcode::Dcl => declaration(code, caps, &i, &mut declared, f),
            Opcode::Def | Opcode::Defi | Opcode::Defb => {
                if let Some(register) = i.write.and_then(|write| write.register) {
                    if defined.note_definition(op, register.number) {
                        f.at(DEF_TWICE, &i, &[&register.name(code.version)]);
                    }
                }
            }
            _ if code.is_pixel() => {}
            _ => uses(code, d3d8, &i, &mut declared, &mut indexed, f),
        }
    }
    if code.version.stage() == Stage::Vertex && code.version.major() >= 3 {
        if declared.position.is_none() {
            f.at_program(POSITION, &[&"no output is declared as position"]);
        }
        if let Some(i) = indexed {
            order(code, &declared, &i, f);
        }
    }
}

/// Which constants have been defined.
#[derive(Debug)]
struct Defined {
    floats: [u64; 128],
    integers: [u64; 32],
    booleans: [u64; 32],
}

impl Default for Defined {
    fn default() -> Self {
        Self { floats: [0; 128], integers: [0; 32], booleans: [0; 32] }
    }
}

impl Defined {
    /// Notes a definition and gives whether there was one.
    fn note_definition(&mut self, op: Opcode, number: u16) -> bool {
        let file = match op {
            Opcode::Def => &mut self.floats[..],
            Opcode::Defi => &mut self.integers[..],
            _ => &mut self.booleans[..],
        };
        let Some(word) = file.get_mut(usize::from(number / 64)) else { return false };
        let bit = 1 << (number % 64);
        let again = *word & bit != 0;
        *word |= bit;
        again
    }
}

/// Whether a model declares a file.
fn is_declared(code: &Code<'_>, ty: RegType) -> bool {
    let number = code.version.number();
    match (code.is_pixel(), ty) {
        (false, RegType::Input) => true,
        (false, RegType::Output | RegType::Sampler) => number >= 0x0300,
        (true, RegType::Input | RegType::Sampler) => number >= 0x0200,
        (true, RegType::AddrOrTexture) => (0x0200..0x0300).contains(&number),
        (true, RegType::Misc) => number >= 0x0300,
        _ => false,
    }
}

fn declaration(code: &Code<'_>, caps: &Caps, i: &Instruction<'_>, declared: &mut Declared, f: &mut Findings) {
    let (Some(write), Some(usage)) = (i.write, i.usage) else { return };
    let version = code.version;
    // What the model does not have at all has its finding.
    if i.form.is_none_or(|form| !form.is_in(version)) {
        return;
    }
    let Some(register) = write.register.filter(|register| is_declared(code, register.ty)) else {
        let name = version_name(version);
        match write.register {
            // What no pixel shader declares the pass for them knows.
            Some(register)
                if code.is_pixel() && !matches!(register.ty, RegType::AddrOrTexture | RegType::Misc) => {}
            Some(register) => f.at(DECLARED, i, &[&register.name(version), &name]),
            None => f.at(DECLARED, i, &[&"a file that does not exist", &name]),
        }
        return;
    };
    let count = files::count(register.ty, version, caps).unwrap_or(0);
    if register.number >= count {
        let most = Register { number: count.saturating_sub(1), ..register };
        let input = register.ty == RegType::Input && code.is_pixel() && version.major() >= 3;
        let rule = if input { INPUT } else { NUMBER };
        return f.at(rule, i, &[&register.name(version), &most.name(version)]);
    }
    if register.ty == RegType::Sampler {
        sampler(code, i, usage, f);
    }
    if code.is_pixel() {
        return;
    }
    if register.ty != RegType::Sampler {
        semantic(i, &write, register, usage, declared, f);
    }
    let Some(mask) = declared.of(register.ty, register.number) else { return };
    // A sampler has no components.
    let new = if register.ty == RegType::Sampler { WriteMask::ALL } else { write.mask() };
    if mask.bits() & new.bits() != 0 {
        f.at(TWICE, i, &[&register.name(version)]);
    }
    *mask = mask.union(new);
}

fn sampler(code: &Code<'_>, i: &Instruction<'_>, usage: Usage, f: &mut Findings) {
    match usage.kind() {
        2..=4 => {}
        0 => f.at(KIND, i, &[&"the kind of texture is missing"]),
        1 => f.at(KIND, i, &[&"textures of one dimension are declared as 2d"]),
        // The pass for pixel shaders refuses it.
        _ if code.is_pixel() => {}
        kind => f.at(KIND, i, &[&format_args!("there is no kind of texture {kind}")]),
    }
}

fn semantic(
    i: &Instruction<'_>,
    write: &Write,
    register: Register,
    usage: Usage,
    declared: &mut Declared,
    f: &mut Findings,
) {
    let Some(named) = DeclUsage::from_code(usage.usage()) else {
        return f.at(USAGE, i, &[&format_args!("there is no usage {}", usage.usage())]);
    };
    let output = register.ty == RegType::Output;
    let usages = if output { &mut declared.output_usages } else { &mut declared.input_usages };
    let bit = 1 << usage.index();
    if let Some(seen) = usages.get_mut(usize::from(usage.usage())) {
        if *seen & bit != 0 {
            let index = usage.index();
            let index = if index == 0 { "".into() } else { alloc::format!("{index}") };
            f.at(SAME_USAGE, i, &[&named, &index]);
        }
        *seen |= bit;
    }
    if !output || usage.index() != 0 {
        return;
    }
    let slot = match named {
        DeclUsage::Position => &mut declared.position,
        DeclUsage::PointSize => &mut declared.psize,
        _ => return,
    };
    *slot = slot.or(Some(register.number));
    if write.mask() != WriteMask::ALL {
        f.at(POSITION, i, &[&format_args!("{named} is declared with a mask")]);
    } else if declared.outputs.get(usize::from(register.number)).is_some_and(|mask| mask.bits() != 0) {
        f.at(POSITION, i, &[&format_args!("{named} shares its register")]);
    }
}

fn uses<'a>(
    code: &Code<'_>,
    d3d8: bool,
    i: &Instruction<'a>,
    declared: &mut Declared,
    indexed: &mut Option<Instruction<'a>>,
    f: &mut Findings,
) {
    let version = code.version;
    let absent = |declared: &mut Declared, register: Register| {
        is_declared(code, register.ty)
            && declared.of(register.ty, register.number).is_some_and(|mask| *mask == WriteMask::NONE)
    };
    for read in i.reads() {
        let Some(register) = read.register else { continue };
        // Which one is read is not known; that the range is declared is explicitly not validated.
        if read.index.is_some() {
            continue;
        }
        let old = d3d8 && register.ty == RegType::Input;
        for register in read.row_registers(register).filter(|_| !old) {
            if absent(declared, register) {
                f.at(UNDECLARED, i, &[&register.name(version)]);
            }
        }
    }
    let output = i.write.filter(|write| write.is_of(RegType::Output));
    match output.map(|write| (write.register, write.index.is_some())) {
        Some((Some(register), false)) if absent(declared, register) => {
            f.at(UNDECLARED, i, &[&register.name(version)]);
        }
        Some((_, true)) if indexed.is_none() => *indexed = Some(*i),
        _ => {}
    }
}

fn order(code: &Code<'_>, declared: &Declared, i: &Instruction<'_>, f: &mut Findings) {
    let o =
        |number: u16| Register { ty: RegType::Output, number, encoded: RegType::Output }.name(code.version);
    if declared.position.is_some_and(|number| number != 0) {
        f.at(INDEXED_ORDER, i, &[&"position", &o(0)]);
    }
    if declared.psize.is_some_and(|number| number != 1) {
        f.at(INDEXED_ORDER, i, &[&"psize", &o(1)]);
    }
}
