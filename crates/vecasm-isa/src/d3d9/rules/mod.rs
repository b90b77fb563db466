//! What is wrong with a program, by who would mind; and how many instruction slots it takes.
//!
//! The runtime's validator is not public: the rules are those of Microsoft's shader reference and driver documentation,
//! of messages seen in public reports, and of what Wine's tests record of Windows. Where those are silent or contradict
//! each other, the reason of the rule says so. An id with a number is the runtime's: `D3D9-X5350`, `D3D9-0x21E`.
//!
//! Each pass goes through the program once and has its rules at the top of its file; [`validate`] puts the findings in the
//! order of the program.
//!
//! | file | holds |
//! |---|---|
//! | [`options`] | who is asked, and what the device can do |
//! | `findings` | how passes report |
//! | `code` | the instructions taken apart: what every pass reads |
//! | `files` | register files by model, and read ports |
//! | `tokens` | lengths, reserved bits, versions, the end |
//! | `operands` | what the model has: instructions, registers, read ports, indices |
//! | `modifiers` | modifiers, swizzles, write masks, but those of ps_1_x |
//! | `aliases` | registers that an instruction must not name twice |
//! | `declarations` | declarations and definitions, and what must be declared |
//! | `written` | reads of what was not written |
//! | `ranges` | what outputs and inputs that are relative to the counter of a loop reach |
//! | `depth` | whether every way through a pixel shader writes the depth |
//! | `flow` | blocks, loops, calls, labels, predicates |
//! | `outputs` | what vertex shaders write |
//! | `ps1` | ps_1_0 to ps_1_4: order, phases, texture registers, masks, pairs, ports |
//! | `pixel` | ps_2_0 to ps_3_0: declarations, texture reads, outputs, dependent reads, derivatives |
//! | [`peers`] | the profiles of other implementations: MojoShader, DXVK, Wine |
//! | [`link`](mod@link) | a vertex and a pixel program together |
//! | [`slots`] | instruction slots and their limits |

mod aliases;
pub(in crate::d3d9) mod code;
mod declarations;
mod depth;
mod files;
mod findings;
mod flow;
pub mod link;
mod modifiers;
mod operands;
pub mod options;
mod outputs;
pub mod peers;
mod pixel;
pub(super) mod ps1;
mod ranges;
pub mod slots;
mod tokens;
mod written;

use super::{ctab, preshader, program::Program};
use crate::findings::join_rules;
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Rule};

pub use crate::any::PairFindings;
pub use link::{check_pair, link};
pub use options::{Caps, Options, Profile, SWITCHES};
pub use ps1::ports;
pub use slots::{SlotCounts, slot_counts, slot_counts_on, slots_of_instructions};

use code::Code;
use findings::Findings;

/// Every rule about programs, pass by pass.
pub const RULES: &[Rule] = join_rules![
    tokens::RULES,
    operands::RULES,
    modifiers::RULES,
    aliases::RULES,
    declarations::RULES,
    written::RULES,
    ranges::RULES,
    flow::RULES,
    outputs::RULES,
    ps1::RULES,
    pixel::RULES,
    depth::RULES,
    slots::RULES,
    link::RULES,
    peers::mojoshader::RULES,
    peers::dxvk::RULES,
    peers::wine::RULES,
];

/// Every finding about a program in its order, those about the whole of it and about its table of constants last.
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    if program.version().is_preshader() {
        return preshader::of(program).1;
    }
    let code = Code::new(program);
    let mut f = Findings::new(code.version);
    match options.profile {
        Profile::Mojoshader => peers::mojoshader::pass(&code, &mut f),
        Profile::Dxvk => peers::dxvk::pass(&code, &mut f),
        Profile::Wine => peers::wine::pass(&code, options.switches.vertex_constants, &mut f),
        Profile::D3d9 | Profile::D3d8 => native(&code, options, &mut f),
    }
    let mut out = f.finish();
    out.extend(ctab::of(program).1);
    out.extend(preshader::of(program).1);
    out
}

/// What Direct3D itself checks.
fn native(code: &Code<'_>, options: &Options, f: &mut Findings) {
    let caps = options.caps(code.version);
    let d3d8 = options.profile == Profile::D3d8;
    if !tokens::pass(code, d3d8, f) {
        return;
    }
    operands::pass(code, &caps, f);
    modifiers::pass(code, d3d8, f);
    aliases::pass(code, d3d8, f);
    declarations::pass(code, &caps, d3d8, f);
    written::pass(code, f);
    ranges::pass(code, f);
    flow::pass(code, &caps, f);
    if code.is_pixel() {
        match code.version.major() {
            0 | 1 => ps1::pass(code, options.profile, f),
            _ => {
                pixel::pass(code, &caps, f);
                depth::pass(code, f);
            }
        }
    }
    outputs::pass(code, d3d8, f);
    slots::pass(code, &caps, f);
}
