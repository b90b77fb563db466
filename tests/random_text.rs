//! Random fragment programs as text: functions of special numbers, flow that parts the invocations of a quad, and derivatives
//! and implicit levels of what those computed that took no part.

use super::Rng;
use std::fmt::Write;
use vecasm::isa::Isa;

/// Instruction sets whose fragment programs have flow and derivatives.
pub(crate) const ISAS: [Isa; 3] = [Isa::Agal, Isa::D3d9, Isa::Tgsi];

/// Temporaries that statements choose from; those behind them count rounds and hold conditions.
const TEMPORARIES: usize = 4;
const CONSTANTS: usize = 4;
/// Loops in loops, at most.
const LOOPS: usize = 2;
const DEPTH: usize = 4;

/// What an instruction set calls things.
struct Words {
    temporary: &'static str,
    input: &'static str,
    constant: &'static str,
    /// What stands behind the number of a register.
    close: &'static str,
    /// Instructions that take one number, by component.
    unary: &'static [&'static str],
    /// The same, of one component.
    scalar: &'static [&'static str],
    binary: &'static [&'static str],
    /// Two numbers, of one component each.
    scalar_binary: &'static [&'static str],
    ternary: &'static [&'static str],
    slopes: &'static [&'static str],
    kill: &'static str,
}

const AGAL: Words = Words {
    temporary: "ft",
    input: "v",
    constant: "fc",
    close: "",
    unary: &["mov", "rcp", "frc", "sqt", "rsq", "log", "exp", "sin", "cos", "abs", "neg", "sat"],
    scalar: &["rcp", "log", "rsq"],
    binary: &["add", "sub", "mul", "div", "min", "max", "pow", "dp3", "dp4", "sge", "slt", "seq", "sne"],
    scalar_binary: &["pow", "div"],
    ternary: &[],
    slopes: &["ddx", "ddy"],
    kill: "kil",
};

const D3D9: Words = Words {
    temporary: "r",
    input: "v",
    constant: "c",
    close: "",
    unary: &["mov", "frc", "abs", "mov_sat"],
    scalar: &["rcp", "rsq", "log", "exp"],
    binary: &["add", "sub", "mul", "min", "max", "dp3", "dp4", "add_sat"],
    scalar_binary: &["pow"],
    ternary: &["mad", "cmp", "lrp"],
    slopes: &["dsx", "dsy"],
    kill: "texkill",
};

const TGSI: Words = Words {
    temporary: "TEMP[",
    input: "IN[",
    constant: "CONST[",
    close: "]",
    unary: &["MOV", "FRC", "FLR", "CEIL", "TRUNC", "ROUND", "SSG", "MOV_SAT", "LIT", "EXP", "LOG"],
    scalar: &["RCP", "RSQ", "LG2", "EX2", "SIN", "COS", "SQRT"],
    binary: &["ADD", "MUL", "MIN", "MAX", "DP3", "DP4", "SLT", "SGE", "SEQ", "SNE", "DST", "DIV"],
    scalar_binary: &["POW"],
    ternary: &["MAD", "CMP", "LRP"],
    slopes: &["DDX", "DDY", "DDX_FINE", "DDY_FINE"],
    kill: "KILL_IF",
};

/// A fragment program that its instruction set can say; [`ISAS`] are those there are.
pub(crate) fn fragment(isa: Isa, rng: &mut Rng) -> String {
    let words = match isa {
        Isa::Agal => &AGAL,
        Isa::D3d9 => &D3D9,
        _ => &TGSI,
    };
    let budget = 4 + rng.below(24);
    // A sampler of AGAL has one set of options in a program.
    let options = ["mipnearest", "miplinear,linear", "miplinear,repeat", "mipnearest,2"][rng.below(4)];
    let mut writer = Writer { rng, isa, words, options, out: String::new(), budget, depth: 0, loops: 0 };
    writer.program();
    writer.out
}

struct Writer<'r> {
    rng: &'r mut Rng,
    isa: Isa,
    words: &'static Words,
    options: &'static str,
    out: String,
    budget: usize,
    depth: usize,
    loops: usize,
}

impl Writer<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len())]
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.rng.below(n) == 0
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
    }

    fn program(&mut self) {
        match self.isa {
            Isa::Agal => self.line(".agal fragment 2"),
            Isa::D3d9 => {
                self.line("ps_3_0");
                self.line("def c4, 0, 1, -1, 0.5");
                self.line("def c5, -1e-39, 3e38, -3e30, 8");
                let rounds = self.rng.below(5);
                self.line(&format!("defi i0, {rounds}, 0, 1, 0"));
                self.line("dcl_texcoord v0");
                self.line("dcl_texcoord1 v1");
                self.line("dcl vFace");
                self.line("dcl_2d s0");
            }
            _ => {
                self.line("FRAG");
                self.line("DCL IN[0..1], GENERIC[0], PERSPECTIVE");
                self.line("DCL IN[2], FACE, CONSTANT");
                self.line("DCL OUT[0], COLOR");
                self.line("DCL OUT[1], COLOR[1]");
                self.line("DCL SAMP[0]");
                self.line("DCL SVIEW[0], 2D, FLOAT");
                self.line("DCL CONST[0..3]");
                self.line("DCL TEMP[0..7]");
                self.line("IMM[0] FLT32 {0.0, 1.0, -1.0, 3.0}");
                let [a, b, c, d] = self.rng.lanes();
                self.line(&format!("IMM[1] UINT32 {{{a}, {b}, {c}, {d}}}"));
            }
        }
        let mov = self.words.unary[0];
        for n in 0..TEMPORARIES {
            let (temporary, input) = (self.temporary(n), self.register(self.words.input, n % 2));
            self.line(&format!("{mov} {temporary}, {input}"));
        }
        while self.budget > 0 {
            self.statement();
        }
        let (first, second) = match self.isa {
            Isa::Agal => ("oc", "fo1"),
            Isa::D3d9 => ("oC0", "oC1"),
            _ => ("OUT[0]", "OUT[1]"),
        };
        for (n, output) in [first, second].into_iter().enumerate() {
            let temporary = self.temporary(n);
            self.line(&format!("{mov} {output}, {temporary}"));
        }
        if self.isa == Isa::Tgsi {
            self.line("END");
        }
    }

    fn register(&self, file: &str, n: usize) -> String {
        format!("{file}{n}{}", self.words.close)
    }

    fn temporary(&self, n: usize) -> String {
        self.register(self.words.temporary, n)
    }

    fn any_temporary(&mut self) -> String {
        let n = self.rng.below(TEMPORARIES);
        self.temporary(n)
    }

    /// Something that can be read, without components.
    fn source(&mut self) -> String {
        match (self.rng.below(8), self.isa) {
            (0, _) => {
                let n = self.rng.below(CONSTANTS);
                self.register(self.words.constant, n)
            }
            (1, _) => {
                let n = self.rng.below(2);
                self.register(self.words.input, n)
            }
            (2, Isa::D3d9) => self.pick(&["c4", "c5", "vFace"]).into(),
            (2, Isa::Tgsi) => self.pick(&["IMM[0]", "IMM[1]", "IN[2]"]).into(),
            _ => self.any_temporary(),
        }
    }

    /// The sign and the magnitude of a source, where the instruction set has such.
    fn modified(&mut self, source: String) -> String {
        match (self.rng.below(6), self.isa) {
            (0, Isa::D3d9 | Isa::Tgsi) => format!("-{source}"),
            (1, Isa::Tgsi) => format!("|{source}|"),
            _ => source,
        }
    }

    fn vector(&mut self) -> String {
        let mut source = self.source();
        if self.once_in(3) {
            source.push('.');
            for _ in 0..4 {
                source.push(self.pick(&['x', 'y', 'z', 'w']));
            }
        }
        self.modified(source)
    }

    /// One component, as instructions want it that take one.
    fn scalar(&mut self) -> String {
        let (source, lane) = (self.source(), self.pick(&["x", "y", "z", "w"]));
        let times = if self.isa == Isa::Tgsi { 4 } else { 1 };
        self.modified(format!("{source}.{}", lane.repeat(times)))
    }

    fn destination(&mut self) -> String {
        let mut out = self.any_temporary();
        if self.once_in(2) {
            let bits = 1 + self.rng.below(15);
            out.push('.');
            out.extend((0..4).zip("xyzw".chars()).filter(|(n, _)| bits >> n & 1 != 0).map(|(_, lane)| lane));
        }
        out
    }

    fn statements(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.rng.below(5) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        let deep = self.depth >= DEPTH || self.budget == 0;
        match self.rng.below(24) {
            0..=3 if !deep => self.branch(),
            4 if !deep && self.loops < LOOPS && self.isa != Isa::Agal => self.cycle(),
            5 if self.loops > 0 => self.leave(),
            6 => {
                let source = if self.isa == Isa::D3d9 { self.any_temporary() } else { self.scalar() };
                if self.once_in(4) {
                    self.line(&format!("{} {source}", self.words.kill));
                }
            }
            7..=11 => self.slope(),
            12 | 13 => self.texture(),
            14 if self.isa == Isa::D3d9 => self.predicate(),
            14 if self.isa == Isa::Tgsi && !deep => self.switch(),
            _ => {
                let line = self.calculation();
                self.line(&line);
            }
        }
    }

    fn calculation(&mut self) -> String {
        let (words, dst) = (self.words, self.destination());
        match self.rng.below(8) {
            0 | 1 => format!("{} {dst}, {}", self.pick(words.unary), self.vector()),
            2..=4 => format!("{} {dst}, {}", self.pick(words.scalar), self.scalar()),
            5 => format!("{} {dst}, {}, {}", self.pick(words.scalar_binary), self.scalar(), self.scalar()),
            6 if !words.ternary.is_empty() => {
                let (a, b, c) = (self.vector(), self.vector(), self.vector());
                format!("{} {dst}, {a}, {b}, {c}", self.pick(words.ternary))
            }
            _ => format!("{} {dst}, {}, {}", self.pick(words.binary), self.vector(), self.vector()),
        }
    }

    /// A derivative, often of what an instruction before it gave.
    fn slope(&mut self) {
        let words = self.words;
        if self.once_in(2) {
            let (n, lane) = (self.rng.below(TEMPORARIES), self.pick(&["x", "y", "z", "w"]));
            let temporary = self.temporary(n);
            let function = self.pick(words.scalar);
            let source = self.scalar();
            let lanes = if self.isa == Isa::Tgsi { lane.repeat(4) } else { lane.into() };
            self.line(&format!("{function} {temporary}.{lane}, {source}"));
            let (slope, dst) = (self.pick(words.slopes), self.destination());
            self.line(&format!("{slope} {dst}, {temporary}.{lanes}"));
        } else {
            let (slope, dst, source) = (self.pick(words.slopes), self.destination(), self.vector());
            self.line(&format!("{slope} {dst}, {source}"));
        }
    }

    fn texture(&mut self) {
        let (dst, place) = (self.any_temporary(), self.any_temporary());
        let line = match self.isa {
            Isa::Agal => format!("tex {dst}, {place}, fs0 <2d,{}>", self.options),
            Isa::D3d9 => format!("{} {dst}, {place}, s0", self.pick(&["texld", "texld", "texldb", "texldp"])),
            _ => format!("{} {dst}, {place}, SAMP[0], 2D", self.pick(&["TEX", "TEX", "TXB", "TXP"])),
        };
        self.line(&line);
    }

    fn comparison(&mut self) -> &'static str {
        self.pick(&["gt", "lt", "ge", "le", "eq", "ne"])
    }

    /// Sets a register to a condition of TGSI, and says the instruction that asks it.
    fn condition(&mut self) -> String {
        if self.once_in(3) {
            return format!("IF {}", self.scalar());
        }
        let (compare, a, b) = (self.pick(&["FSLT", "FSGE", "FSEQ", "FSNE"]), self.scalar(), self.scalar());
        self.line(&format!("{compare} TEMP[6].x, {a}, {b}"));
        "UIF TEMP[6].xxxx".into()
    }

    fn predicate_lane(&mut self) -> String {
        let not = if self.once_in(2) { "!" } else { "" };
        format!("{not}p0.{}", self.pick(&["x", "y", "z", "w"]))
    }

    fn branch(&mut self) {
        let (open, otherwise, close) = match self.isa {
            Isa::Agal => {
                let open = self.pick(&["ife", "ine", "ifg", "ifl"]);
                (format!("{open} {}, {}", self.scalar(), self.scalar()), "els", "eif")
            }
            Isa::D3d9 => {
                let open = match self.rng.below(6) {
                    0 => format!("if {}", self.pick(&["b0", "!b1"])),
                    1 => format!("if {}", self.predicate_lane()),
                    _ => format!("if_{} {}, {}", self.comparison(), self.scalar(), self.scalar()),
                };
                (open, "else", "endif")
            }
            _ => (self.condition(), "ELSE", "ENDIF"),
        };
        self.line(&open);
        self.statements();
        if self.once_in(2) {
            self.line(otherwise);
            self.statements();
        }
        self.line(close);
    }

    fn cycle(&mut self) {
        self.loops += 1;
        if self.isa == Isa::D3d9 {
            let (open, close) =
                self.pick(&[("rep i0", "endrep"), ("rep i1", "endrep"), ("loop aL, i0", "endloop")]);
            self.line(open);
            self.statements();
            self.line(close);
        } else {
            // Its own counter ends it, if nothing else does.
            let counter = format!("TEMP[{}]", 3 + self.loops);
            self.line(&format!("MOV {counter}.x, IMM[0].xxxx"));
            self.line("BGNLOOP");
            self.line(&format!("FSGE TEMP[6].x, {counter}.xxxx, IMM[0].wwww"));
            self.line("UIF TEMP[6].xxxx\nBRK\nENDIF");
            self.line(&format!("ADD {counter}.x, {counter}.xxxx, IMM[0].yyyy"));
            self.statements();
            self.line("ENDLOOP");
        }
        self.loops -= 1;
    }

    fn leave(&mut self) {
        if self.isa == Isa::D3d9 {
            let line = if self.once_in(3) {
                format!("breakp {}", self.predicate_lane())
            } else {
                format!("break_{} {}, {}", self.comparison(), self.scalar(), self.scalar())
            };
            self.line(&line);
        } else {
            let (condition, exit) = (self.condition(), self.pick(&["BRK", "BRK", "CONT"]));
            self.line(&format!("{condition}\n{exit}\nENDIF"));
        }
    }

    /// Sets the predicate, or does something where it holds.
    fn predicate(&mut self) {
        if self.once_in(2) {
            let line = format!("setp_{} p0, {}, {}", self.comparison(), self.vector(), self.vector());
            self.line(&line);
        } else {
            let predicate =
                if self.once_in(2) { self.pick(&["p0", "!p0"]).into() } else { self.predicate_lane() };
            let line = self.calculation();
            self.line(&format!("({predicate}) {line}"));
        }
    }

    fn switch(&mut self) {
        let selector = self.scalar();
        self.line(&format!("SWITCH {selector}"));
        for lane in self.pick(&[["xxxx", "yyyy"], ["zzzz", "wwww"]]) {
            self.line(&format!("CASE IMM[0].{lane}"));
            self.statements();
            if self.once_in(2) {
                self.line("BRK");
            }
        }
        if self.once_in(2) {
            self.line("DEFAULT");
            self.statements();
        }
        self.line("ENDSWITCH");
    }
}
