//! How the passes report: findings in the order of the program up to a limit.

use crate::tgsi::names::File;
use crate::tgsi::program::{Declaration, Indirect, Instruction, Operand, Program, Token};
use crate::tgsi::text;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
pub(super) use vecasm_ir::diag::rules;
use vecasm_ir::diag::{Diagnostic, Place, Rule, Severity};

/// Collects findings.
pub(super) struct Findings<'a> {
    program: &'a Program,
    offsets: Vec<u32>,
    all: crate::findings::Findings,
}

/// A piece of a program: which token it is, and which instruction if it is one, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    /// The token.
    pub(super) token: u32,
    /// The instruction.
    pub(super) number: Option<u32>,
}

/// Every token with its place.
pub(super) fn tokens(program: &Program) -> impl Iterator<Item = (At, &Token)> {
    let mut count = 0;
    program.tokens.iter().enumerate().map(move |(token, it)| {
        let number = matches!(it, Token::Instruction(_)).then_some(count);
        count += u32::from(number.is_some());
        (At { token: token as u32, number }, it)
    })
}

/// Every instruction with its place.
pub(super) fn instructions(program: &Program) -> impl Iterator<Item = (At, &Instruction)> {
    tokens(program).filter_map(|(at, token)| match token {
        Token::Instruction(instruction) => Some((at, instruction)),
        _ => None,
    })
}

/// Every declaration with its place.
pub(super) fn declarations(program: &Program) -> impl Iterator<Item = (At, &Declaration)> {
    tokens(program).filter_map(|(at, token)| match token {
        Token::Declaration(declaration) => Some((at, declaration)),
        _ => None,
    })
}

impl<'a> Findings<'a> {
    /// A collector for a program.
    pub(super) fn new(program: &'a Program) -> Self {
        let all = crate::findings::Findings::new(text::id::MORE);
        Self { program, offsets: program.token_offsets(), all }
    }

    /// Whether what comes now would be left out.
    pub(super) fn is_full(&self) -> bool {
        self.all.is_full()
    }

    /// Counts findings that are left out.
    pub(super) const fn leave_out(&mut self, count: u64) {
        self.all.leave_out(count);
    }

    #[cold]
    fn push(
        &mut self,
        rule: &Rule,
        severity: Severity,
        at: Option<At>,
        args: &[&dyn Display],
    ) -> Option<&mut Diagnostic> {
        let place = at.and_then(|at| self.offsets.get(at.token as usize).map(|offset| (at, *offset)));
        let place = place.map_or(Place::Whole, |(at, offset)| Place::Binary {
            offset,
            token: at.number.map(|number| number.saturating_add(1)),
        });
        let finding = self.all.push(severity, rule.id, place, rule.fill(args))?;
        finding.help = Some(rule.reason.into());
        let token = at.and_then(|at| self.program.tokens.get(at.token as usize));
        if let Some(Token::Instruction(instruction)) = token {
            finding.instruction = Some(text::instruction(self.program, instruction));
        }
        Some(finding)
    }

    /// A finding about a piece of the program.
    #[cold]
    pub(super) fn at(&mut self, rule: &Rule, at: At, args: &[&dyn Display]) {
        self.push(rule, rule.severity, Some(at), args);
    }

    /// A finding about a piece of the program, or the whole of it, that is as bad as said and has other help.
    #[cold]
    pub(super) fn with(
        &mut self,
        rule: &Rule,
        severity: Severity,
        at: Option<At>,
        args: &[&dyn Display],
        help: Option<String>,
    ) {
        if let (Some(finding), Some(help)) = (self.push(rule, severity, at, args), help) {
            finding.help = Some(help.into());
        }
    }

    /// A finding about the program as a whole.
    #[cold]
    pub(super) fn at_program(&mut self, rule: &Rule, args: &[&dyn Display]) {
        self.push(rule, rule.severity, None, args);
    }

    /// The findings in the order in which they came.
    pub(super) fn in_order(self) -> Vec<Diagnostic> {
        self.all.finish()
    }

    /// The findings in the order of the program, those about the whole of it last.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.all.sort();
        self.all.finish()
    }
}

/// The name of a file.
pub(super) struct FileName(pub(super) File);

impl Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.name(), self.0) {
            (Some(name), _) => f.write_str(name),
            (None, File::Unknown(code)) => write!(f, "file {code}"),
            (None, _) => f.write_str("?"),
        }
    }
}

/// A name of the table of an enumeration, or its number.
pub(super) struct Word(pub(super) Option<&'static str>, pub(super) u32);

impl Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.1),
        }
    }
}

/// A register as texts write it.
pub(super) struct Register<'a>(pub(super) &'a Operand);

fn bracket(f: &mut fmt::Formatter<'_>, index: i16, indirect: Option<&Indirect>) -> fmt::Result {
    let Some(i) = indirect else { return write!(f, "[{index}]") };
    let component = vecasm_ir::operand::LANES[usize::from(i.component & 3)];
    write!(f, "[{}[{}].{component}", FileName(i.file), i.index)?;
    if index != 0 {
        write!(f, "{index:+}")?;
    }
    f.write_str("]")?;
    if i.array != 0 { write!(f, "({})", i.array) } else { Ok(()) }
}

impl Display for Register<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = self.0;
        write!(f, "{}", FileName(operand.file))?;
        if let Some(d) = &operand.dimension {
            bracket(f, d.index, d.indirect.as_ref())?;
        }
        bracket(f, operand.index, operand.indirect.as_ref())
    }
}
