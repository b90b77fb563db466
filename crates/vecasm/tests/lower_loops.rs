//! Random programs of TGSI with loops, exits and conditionals do the same once they are lowered to TGSI again.

#![cfg(all(feature = "lower", feature = "tgsi", feature = "exec"))]

use std::fmt::Write as _;
use vecasm::code::tgsi;
use vecasm::compare::eqv::{Options, Verdict, eqv};
use vecasm::exec::runfile::SplitMix;
use vecasm::ir::Promise;
use vecasm::isa::AnyProgram;
use vecasm::{LiftOptions, NoHost, OpenOptions, open};

/// Writes a program: what is carried round and rotated, read behind the loop or left over, written before an exit or behind it.
struct Writer {
    numbers: SplitMix,
    text: String,
    /// How many loops are open, and how many there were: each counts in a register of its own.
    open: usize,
    counters: usize,
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

impl Writer {
    fn below(&mut self, most: u64) -> usize {
        self.numbers.below(most) as usize
    }

    fn letters(&mut self) -> String {
        (0..4).map(|_| LETTERS[self.below(4)]).collect()
    }

    fn source(&mut self) -> String {
        let letters = self.letters();
        match self.below(8) {
            0 => format!("IN[{}].{letters}", self.below(2)),
            1 => format!("CONST[{}].{letters}", self.below(2)),
            2 => format!("-TEMP[{}].{letters}", self.below(4)),
            _ => format!("TEMP[{}].{letters}", self.below(4)),
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn instruction(&mut self) {
        let mask: String = LETTERS.into_iter().filter(|_| self.below(2) == 0).collect();
        let mask = if mask.is_empty() { String::from("y") } else { mask };
        let to = format!("TEMP[{}].{mask}", self.below(4));
        let [a, b, c] = [self.source(), self.source(), self.source()];
        let line = match self.below(7) {
            0 | 1 => format!("MOV {to}, {a}"),
            2 => format!("ADD {to}, {a}, {b}"),
            3 => format!("MUL {to}, {a}, {b}"),
            4 => format!("MAD {to}, {a}, {b}, {c}"),
            5 => format!("SLT {to}, {a}, {b}"),
            _ => format!("DP3 {to}, {a}, {b}"),
        };
        self.line(&line);
    }

    fn conditional(&mut self, depth: usize, exit: bool) {
        let (a, b) = (self.source(), self.source());
        self.line(&format!("FSLT TEMP[4].x, {a}, {b}"));
        self.line("UIF TEMP[4].xxxx");
        if exit {
            for _ in 0..self.below(3) {
                self.instruction();
            }
            let exit = if self.below(3) == 0 { "CONT" } else { "BRK" };
            self.line(exit);
        } else {
            self.block(depth + 1);
        }
        if self.below(2) == 0 {
            self.line("ELSE");
            self.block(depth + 1);
        }
        self.line("ENDIF");
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.below(4) {
            match self.below(6) {
                0 if depth < 3 => self.conditional(depth, false),
                1 if depth < 4 && self.open > 0 => self.conditional(depth, true),
                2 if depth < 2 && self.counters < 3 => self.rounds(depth),
                _ => self.instruction(),
            }
        }
    }

    /// A loop that ends after some rounds whatever happens: it counts where it begins.
    fn rounds(&mut self, depth: usize) {
        let counter = format!("TEMP[{}]", 5 + self.counters);
        self.counters += 1;
        self.open += 1;
        self.line(&format!("MOV {counter}.x, IMM[0].xxxx"));
        self.line("BGNLOOP");
        self.line(&format!("UADD {counter}.x, {counter}.xxxx, IMM[0].yyyy"));
        let most = ["zzzz", "wwww"][self.below(2)];
        self.line(&format!("USLT {counter}.y, IMM[0].{most}, {counter}.xxxx"));
        self.line(&format!("UIF {counter}.yyyy"));
        self.line("BRK");
        self.line("ENDIF");
        self.block(depth + 1);
        self.line("ENDLOOP");
        self.open -= 1;
    }
}

#[test]
fn random_loops_come_back() {
    let (mut exits, mut nested) = (0, 0);
    for seed in 0..96 {
        let head = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\n\
                    DCL CONST[0..1]\nDCL TEMP[0..7]\nIMM[0] UINT32 {0, 1, 2, 3}\n";
        let mut writer =
            Writer { numbers: SplitMix::new(seed), text: String::from(head), open: 0, counters: 0 };
        for n in 0..4 {
            writer.line(&format!("MOV TEMP[{n}], IN[{}]", n % 2));
        }
        writer.block(0);
        writer.rounds(0);
        writer.block(0);
        let (a, b) = (writer.source(), writer.source());
        writer.line(&format!("ADD OUT[0], {a}, {b}"));
        writer.line("END");
        let text = writer.text;
        let program = open(text.as_bytes(), &OpenOptions::named("a.tgsi"), &mut NoHost).program();
        let program = program.unwrap_or_else(|why| panic!("{why}\n{text}"));
        let shader = program.lift(&LiftOptions::default()).expect("it is lifted");
        let AnyProgram::Tgsi(own) = &*program else { panic!("a program of TGSI") };
        let options = tgsi::Options { promise: Some(Promise::Exact), ..tgsi::Options::like(own) };
        let made = tgsi::lower(&shader, &options).unwrap_or_else(|reasons| panic!("{reasons:?}\n{text}"));
        let made = AnyProgram::Tgsi(made.program);
        let again = made.lift(&LiftOptions::default()).expect("what is lowered is lifted");
        let options = Options { count: 300, fuel: 128, prove: false, ..Options::default() };
        let report = eqv(&shader, &again, &options).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let different = matches!(report.verdict, Verdict::Different(_));
        assert!(!different, "{text}\n{}\n{:?}", made.to_text(), report.verdict);
        exits += usize::from(text.contains("CONT"));
        nested += usize::from(text.matches("BGNLOOP").count() > 1);
    }
    assert!(exits > 15 && nested > 15, "{exits} with CONT, {nested} with several loops");
}
