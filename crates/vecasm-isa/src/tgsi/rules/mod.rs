//! What is wrong with a program, by who would mind.
//!
//! Mesa itself refuses next to nothing: its checker `tgsi_sanity` does so only if it is told to print, and looks at few
//! things. What it says is reported in its words; the other rules are about what has no meaning, or another one than it
//! seems to have, in `tgsi_exec`, in drivers or in virglrenderer.
//!
//! | file | holds |
//! |---|---|
//! | `findings` | how passes report |
//! | `uses` | what is declared, and what instructions name |
//! | `sanity` | what Mesa's `tgsi_sanity` says |
//! | `structure` | blocks, jumps, subroutines, labels, the end |
//! | `declarations` | declarations, properties, what is no token |
//! | `operands` | stages, registers, indices, masks, modifiers |
//! | `textures` | targets, texel offsets, views, images |
//! | `written` | what is read and was not written |
//! | `virgl` | what virglrenderer refuses and drops |
//! | [`link`](mod@link) | a vertex and a fragment program together |

mod declarations;
mod findings;
pub mod link;
mod operands;
mod sanity;
mod structure;
mod textures;
mod uses;
mod virgl;
mod written;

use super::program::{Program, Token};
use super::text;
use crate::findings::join_rules;
use alloc::vec::Vec;
use findings::Findings;
use vecasm_ir::diag::{Diagnostic, Place, Rule};

pub use crate::any::PairFindings;
pub use link::check_pair;

/// Every rule about programs, pass by pass.
pub const RULES: &[Rule] = join_rules![
    sanity::RULES,
    structure::RULES,
    declarations::RULES,
    operands::RULES,
    textures::RULES,
    written::RULES,
    link::RULES,
    virgl::RULES,
];

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Nobody: only what no reader takes.
    Parse,
    /// Mesa's `tgsi_sanity`: everything that it prints, in its order, if it is told to.
    Sanity,
    /// What is wrong, has no meaning or another one than it seems to have, and what is true of the findings of
    /// `tgsi_sanity`: its faults are notes, and of registers that nothing uses there is one warning a declaration.
    #[default]
    Strict,
    /// virglrenderer: its limits and what its converter refuses, and `tgsi_sanity` as for [`Strict`](Self::Strict).
    Virgl,
}

impl Profile {
    /// Every profile.
    pub const ALL: &'static [Self] = &[Self::Parse, Self::Sanity, Self::Strict, Self::Virgl];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Sanity => "tgsi-sanity",
            Self::Strict => "tgsi-strict",
            Self::Virgl => "virgl",
        }
    }
}

vecasm_ir::spelled!(Profile, "profile");

/// How programs are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// Who is asked.
    pub profile: Profile,
}

/// Every finding about a program in its order, those about the whole of it last; of [`Profile::Sanity`] in the order of
/// `tgsi_sanity`. At most a thousand are listed.
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let mut f = Findings::new(program);
    match options.profile {
        Profile::Parse => {}
        Profile::Sanity => {
            sanity::pass(program, sanity::Depth::Exact, &mut f);
            return f.in_order();
        }
        Profile::Strict => {
            declarations::pass(program, &mut f);
            structure::pass(program, &mut f);
            operands::pass(program, &mut f);
            textures::pass(program, &mut f);
            sanity::pass(program, sanity::Depth::True, &mut f);
            written::pass(program, &mut f);
        }
        Profile::Virgl => {
            virgl::pass(program, &mut f);
            sanity::pass(program, sanity::Depth::True, &mut f);
        }
    }
    f.finish()
}

/// Gives findings about a program their places in the text that it was read from. What validators say of a token has
/// its place in the binary form, which says which one it is.
pub fn place(program: &Program, source: &str, findings: &mut [Diagnostic]) {
    let (spans, offsets) = (text::token_spans(source), program.token_offsets());
    let instructions = program.tokens.iter().enumerate();
    let instructions = instructions.filter(|(_, token)| matches!(token, Token::Instruction(_)));
    let instructions: Vec<usize> = instructions.map(|(number, _)| number).collect();
    for finding in findings {
        let Place::Binary { offset, token: number } = finding.place else { continue };
        let token = offsets.partition_point(|at| *at < offset);
        let token = if offsets.get(token) == Some(&offset) {
            Some(token)
        } else {
            // Who knows instructions only counts them, from 1.
            number.and_then(|n| instructions.get((n as usize).checked_sub(1)?)).copied()
        };
        if let Some(span) = token.and_then(|token| spans.get(token)) {
            finding.place = Place::Text(*span);
        }
    }
}
