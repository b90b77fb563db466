//! What Mesa's `tgsi_sanity` says of a program when it is told to print (`TGSI_PRINT_SANITY=1`).
//!
//! Source: Mesa 22.3.6, whose findings about 38 programs were recorded; words and order are those of a debug build. It is
//! wrong in places, and what it says is said here as it says it:
//!
//! - immediates of 64 bits are "Invalid immediate data type", and the file `NULL` an "Invalid register file name";
//! - of two indices the message has the second one first; names of files from 10 on are not in its list;
//! - what only an index, a texel offset or the first of two indices of a destination reads was "never used", and so are
//!   the views of samplers that texture instructions read.
//!
//! Unused registers come in the order of its hash table: chains in buckets, of which there are as many as the smallest
//! prime above a power of two, with equal keys beside each other, the last one first.

use super::findings::{At, Findings, instructions, rules, tokens};
use super::uses::Uses;
use crate::tgsi::dialect::Numbering;
use crate::tgsi::names::{File, ImmediateType, Primitive, PropertyName, Semantic};
use crate::tgsi::program::{Declaration, Dimension, Instruction, Op, Operand, Processor, Program, Token};
use crate::tgsi::table::Opcode;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
use vecasm_ir::diag::{Rule, Severity};

rules! {
    pub(super) const RULES; const;

    FILE "TGSI-sanity-file" Error Recorded
        "(%1): Invalid register file name",
        "tgsi_sanity rejects registers of file 0 and of numbers without a file. A NULL destination is legal nevertheless: that is a fault of the original.";
    UNDECLARED "TGSI-sanity-undeclared" Error Recorded
        "%1: Undeclared %2 register",
        "Every register that an instruction names must be declared. tgsi_sanity prints the second of two indices first, has no names for SVIEW and the files after it, and is wrong about PRIM_ID of geometry programs, first indices from a register, buffer 0 with and without its number, and the numbers of memories.";
    TWICE "TGSI-sanity-declared-twice" Error Recorded
        "%1[%2]: The same register declared more than once",
        "A register must be declared only once.";
    LATE_DECLARATION "TGSI-sanity-late-declaration" Error Recorded
        "Instruction expected but declaration found",
        "Declarations must precede the first instruction.";
    LATE_IMMEDIATE "TGSI-sanity-late-immediate" Error Recorded
        "Instruction expected but immediate found",
        "Immediates must precede the first instruction.";
    DESTINATIONS "TGSI-sanity-destinations" Error Peer
        "%1: Invalid number of destination operands, should be %2",
        "The number of operands must be that of the instruction.";
    SOURCES "TGSI-sanity-sources" Error Peer
        "%1: Invalid number of source operands, should be %2",
        "The number of operands must be that of the instruction.";
    OPCODE "TGSI-sanity-opcode" Error Peer
        "(%1): Invalid instruction opcode",
        "No instruction has that number.";
    MASK "TGSI-sanity-mask" Error Peer
        "Destination register has empty writemask",
        "A destination without components writes nothing; remove the instruction.";
    ENDS "TGSI-sanity-ends" Error Recorded
        "Too many END instructions",
        "A program must have exactly one END.";
    NO_END "TGSI-sanity-no-end" Error Recorded
        "Missing END instruction",
        "A program must end with END.";
    IMMEDIATE "TGSI-sanity-immediate" Error Recorded
        "(%1): Invalid immediate data type",
        "tgsi_sanity knows only FLT32, UINT32 and INT32. FLT64, UINT64 and INT64 are legal nevertheless: that is a fault of the original.";
    UNUSED "TGSI-sanity-unused" Warning Recorded
        "%1[%2]: Register never used",
        "No instruction names the register. tgsi_sanity ignores indices of destinations, texel offsets, and the use of sampler views.";
    SUMMARY "TGSI-sanity-summary" Note Recorded
        "%1 errors, %2 warnings",
        "tgsi_sanity counts its findings; an error makes tgsi_text_translate fail if it prints.";
}

/// What `tgsi_sanity` has names for; what is behind them in its list are null pointers.
const NAMES: [&str; 10] = ["NULL", "CONST", "IN", "OUT", "TEMP", "SAMP", "ADDR", "IMM", "SV", "RES"];

/// Number of register files of Mesa 22.
const FILES: u8 = 15;

/// Number of opcodes of Mesa 22, those that were removed included.
const OPCODES: u8 = 252;

/// Vertices that inputs of tessellation programs are declared for.
const PATCH_VERTICES: u32 = 32;

/// Most registers that are put into the order of the hash table; of larger programs they come in order of declaration.
const MOST_ORDERED: u64 = 8192;

/// Most different sizes of arrays of vertices.
const MOST_SIZES: usize = 4;

/// The number of a file in Mesa; what has none gets one behind them.
fn code(file: File) -> u32 {
    file.code(Numbering::Mesa)
        .map_or_else(|| 16 + u32::from(file.code(Numbering::Legacy).unwrap_or(0)), u32::from)
}

/// The name that `tgsi_sanity` prints.
fn name(file: File) -> &'static str {
    match file.code(Numbering::Mesa) {
        Some(code) => NAMES.get(usize::from(code)).copied().unwrap_or("(null)"),
        None => file.name().unwrap_or("(null)"),
    }
}

/// A register as `tgsi_sanity` keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Register {
    file: File,
    /// The first of two indices.
    dimension: Option<u32>,
    /// The number.
    index: u32,
}

impl Register {
    fn of(operand: &Operand) -> Self {
        let wide = |index: i16| i32::from(index) as u32;
        Self {
            file: operand.file,
            index: wide(operand.index),
            dimension: operand.dimension.map(|d| wide(d.index)),
        }
    }

    /// The key in the hash table.
    const fn key(self, code: u32) -> u32 {
        let dimension = match self.dimension {
            Some(d) => d,
            None => 0,
        };
        code | self.index << 4 | dimension << 18
    }
}

impl Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", name(self.file), self.index as i32)?;
        match self.dimension {
            Some(d) => write!(f, "[{}]", d as i32),
            None => Ok(()),
        }
    }
}

/// What a declaration says of the first of two indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// There is none.
    One,
    /// It is this number.
    Two(u32),
    /// All numbers below this one.
    Below(u32),
}

impl Class {
    /// How many registers a declared one is.
    const fn count(self) -> u64 {
        match self {
            Self::One | Self::Two(_) => 1,
            Self::Below(n) => n as u64,
        }
    }

    /// The first index of the register number `n` of them.
    fn dimension(self, n: u64) -> Option<u32> {
        match self {
            Self::One => None,
            Self::Two(d) => Some(d),
            Self::Below(_) => Some(n as u32),
        }
    }
}

/// Registers that are declared, as ranges without common registers: file, class and first register, and the last one.
#[derive(Default)]
struct Declared {
    ranges: BTreeMap<(File, Class, u32), u32>,
    files: BTreeSet<File>,
    /// The sizes of arrays of vertices.
    sizes: Vec<u32>,
}

impl Declared {
    /// Adds a range, and gives the parts of it that were there.
    fn add(&mut self, file: File, class: Class, first: u32, last: u32) -> Vec<(u32, u32)> {
        let mut again = Vec::new();
        let (mut from, mut to) = (first, last);
        self.files.insert(file);
        while let Some((&(f, c, start), &end)) = self.ranges.range(..=(file, class, last)).next_back() {
            if f != file || c != class || end < first {
                break;
            }
            again.push((start.max(first), end.min(last)));
            from = from.min(start);
            to = to.max(end);
            self.ranges.remove(&(f, c, start));
        }
        self.ranges.insert((file, class, from), to);
        again.reverse();
        again
    }

    fn has_in(&self, file: File, class: Class, index: u32) -> bool {
        let found = self.ranges.range(..=(file, class, index)).next_back();
        found.is_some_and(|(&(f, c, _), &last)| f == file && c == class && index <= last)
    }

    fn has(&self, register: Register) -> bool {
        let Register { file, index, dimension } = register;
        match dimension {
            None => self.has_in(file, Class::One, index),
            Some(d) => {
                self.has_in(file, Class::Two(d), index)
                    || self.sizes.iter().any(|n| d < *n && self.has_in(file, Class::Below(*n), index))
            }
        }
    }
}

/// How much of what `tgsi_sanity` says is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// All of it, as it says it.
    Exact,
    /// What is true: its faults are notes, and of registers that are not used there is one finding a declaration.
    True,
}

struct Check<'a, 'b> {
    program: &'a Program,
    f: &'b mut Findings<'a>,
    depth: Depth,
    declared: Declared,
    used: Vec<Register>,
    used_indexed: BTreeSet<File>,
    /// Every declaration of registers in order: of immediates, too.
    list: Vec<(At, File, Class, u32, u32)>,
    errors: u64,
    warnings: u64,
    instructions: u64,
    ended: bool,
    /// Vertices that inputs and outputs are declared for.
    implied: [u32; 2],
    immediates: u32,
    /// Inputs that are one for all vertices, though they are declared for each.
    single: BTreeSet<u32>,
}

/// What `tgsi_sanity` says of a program.
pub(super) fn pass<'a>(program: &'a Program, depth: Depth, f: &mut Findings<'a>) {
    let tessellation = matches!(program.processor, Processor::TessControl | Processor::TessEval);
    let mut check = Check {
        program,
        f,
        depth,
        declared: Declared::default(),
        used: Vec::new(),
        used_indexed: BTreeSet::new(),
        list: Vec::new(),
        errors: 0,
        warnings: 0,
        instructions: 0,
        ended: false,
        implied: [if tessellation { PATCH_VERTICES } else { 0 }, 0],
        immediates: 0,
        single: BTreeSet::new(),
    };
    for (at, token) in tokens(program) {
        match token {
            Token::Declaration(declaration) => check.declaration(at, declaration),
            Token::Immediate(immediate) => check.immediate(at, immediate.ty),
            Token::Property(property) => {
                let value = program.words_of(property.words).first().copied().unwrap_or(0);
                check.property(property.name, value);
            }
            Token::Instruction(instruction) => check.instruction(at, instruction),
            Token::Raw(_) => {}
        }
    }
    if !check.ended {
        check.error(NO_END, None, &[]);
    }
    check.used.sort_unstable();
    check.used.dedup();
    match depth {
        Depth::Exact => check.unused(),
        Depth::True => check.unused_declarations(),
    }
    if depth == Depth::Exact && (check.errors > 0 || check.warnings > 0) {
        check.f.at_program(SUMMARY, &[&check.errors, &check.warnings]);
    }
}

impl<'a> Check<'a, '_> {
    fn error(&mut self, rule: &Rule, at: Option<At>, args: &[&dyn Display]) {
        self.errors += 1;
        self.f.with(rule, rule.severity, at, args, None);
    }

    /// A register that is not declared, and what to do.
    #[cold]
    fn undeclared(&mut self, at: At, register: &dyn Display, kind: &str, help: &str) {
        self.errors += 1;
        self.f.with(UNDECLARED, UNDECLARED.severity, Some(at), &[register, &kind], Some(help.into()));
    }

    /// An error that is a fault of `tgsi_sanity`.
    fn fault(&mut self, rule: &Rule, at: At, args: &[&dyn Display]) {
        self.errors += 1;
        let severity = if self.depth == Depth::Exact { rule.severity } else { Severity::Note };
        self.f.with(rule, severity, Some(at), args, None);
    }

    fn has_name(&mut self, file: File, at: At) -> bool {
        match file.code(Numbering::Mesa) {
            Some(0) => self.fault(FILE, at, &[&0]),
            Some(code) if code >= FILES => self.error(FILE, Some(at), &[&code]),
            _ => return true,
        }
        false
    }

    fn declaration(&mut self, at: At, d: &Declaration) {
        if self.instructions > 0 {
            self.error(LATE_DECLARATION, Some(at), &[]);
        }
        if !self.has_name(d.file, at) {
            return;
        }
        let patch = d.semantic.is_some_and(|semantic| {
            matches!(semantic.name, Semantic::Patch | Semantic::Tessouter | Semantic::Tessinner)
        });
        if d.file == File::In && d.semantic.is_some_and(|semantic| semantic.name == Semantic::PrimId) {
            self.single.insert(u32::from(d.first));
        }
        let arrays = match (d.file, self.program.processor) {
            (File::In, Processor::Geometry | Processor::TessControl | Processor::TessEval) if !patch => {
                Some(self.implied[0])
            }
            (File::Out, Processor::TessControl) if !patch => Some(self.implied[1]),
            _ => None,
        };
        let class = match (arrays, d.dimension) {
            (Some(n), _) => {
                if !self.declared.sizes.contains(&n) && self.declared.sizes.len() < MOST_SIZES {
                    self.declared.sizes.push(n);
                }
                Class::Below(n)
            }
            (None, Some(d)) => Class::Two(i32::from(d) as u32),
            (None, None) => Class::One,
        };
        self.declare(at, d.file, class, u32::from(d.first), u32::from(d.last));
    }

    fn declare(&mut self, at: At, file: File, class: Class, first: u32, last: u32) {
        if first > last || class.count() == 0 {
            return;
        }
        for (from, to) in self.declared.add(file, class, first, last) {
            let count = u64::from(to - from + 1) * class.count();
            self.errors = self.errors.saturating_add(count);
            let mut said = 0;
            while said < count && !self.f.is_full() {
                let index = u64::from(from) + said / class.count();
                self.f.with(TWICE, TWICE.severity, Some(at), &[&name(file), &index], None);
                said += 1;
            }
            self.f.leave_out(count - said);
        }
        self.list.push((at, file, class, first, last));
    }

    fn immediate(&mut self, at: At, ty: ImmediateType) {
        if self.instructions > 0 {
            self.error(LATE_IMMEDIATE, Some(at), &[]);
        }
        // Immediates are declared without asking whether they were.
        self.declared.add(File::Imm, Class::One, self.immediates, self.immediates);
        self.list.push((at, File::Imm, Class::One, self.immediates, self.immediates));
        self.immediates += 1;
        let code = ty.code(Numbering::Mesa).unwrap_or(0);
        match ty {
            ImmediateType::Flt32 | ImmediateType::Uint32 | ImmediateType::Int32 => {}
            ImmediateType::Unknown(_) => self.error(IMMEDIATE, Some(at), &[&code]),
            _ => self.fault(IMMEDIATE, at, &[&code]),
        }
    }

    fn property(&mut self, name: PropertyName, value: u32) {
        match (self.program.processor, name) {
            (Processor::Geometry, PropertyName::GsInputPrimitive) => {
                self.implied[0] = vertices(Primitive::from_code(Numbering::Mesa, value.min(254) as u8));
            }
            (Processor::TessControl, PropertyName::TcsVerticesOut) => self.implied[1] = value,
            _ => {}
        }
    }

    fn instruction(&mut self, at: At, instruction: &Instruction) {
        if instruction.op == Op::Known(Opcode::End) {
            if self.ended {
                self.error(ENDS, Some(at), &[]);
            }
            self.ended = true;
        }
        let (destinations, sources) =
            (self.program.destinations(instruction), self.program.sources(instruction));
        let removed;
        let (word, wanted): (&dyn Display, _) = match instruction.op {
            Op::Known(op) => {
                let row = op.row();
                (&row.name, [row.destinations(), row.sources_in(self.program.dialect)])
            }
            Op::Unknown(code) if code >= OPCODES => return self.error(OPCODE, Some(at), &[&code]),
            // The gaps that removed instructions left are instructions without operands to it.
            Op::Unknown(code) => {
                removed = alloc::format!("UNK{code}");
                (&removed, [0, 0])
            }
        };
        if wanted[0] != destinations.len() {
            self.error(DESTINATIONS, Some(at), &[word, &wanted[0]]);
        }
        if wanted[1] != sources.len() {
            self.error(SOURCES, Some(at), &[word, &wanted[1]]);
        }
        for operand in destinations {
            self.usage(at, operand, "destination");
            if operand.mask.bits() == 0 {
                self.error(MASK, Some(at), &[]);
            }
        }
        for operand in sources {
            let Some(indirect) = &operand.indirect else {
                self.usage(at, operand, "source");
                continue;
            };
            if self.has_name(operand.file, at) {
                if !self.declared.files.contains(&operand.file) {
                    let file = name(operand.file);
                    let help = format!("declare the registers that it may be: `DCL {file}[0..7]`");
                    self.undeclared(at, &file, "source", &help);
                }
                self.used_indexed.insert(operand.file);
            }
            self.usage(at, &Operand::new(indirect.file, indirect.index), "indirect");
        }
        self.instructions += 1;
    }

    fn usage(&mut self, at: At, operand: &Operand, kind: &'static str) {
        let register = Register::of(operand);
        if !self.has_name(register.file, at) {
            return;
        }
        if !self.declared.has(register) {
            match self.is_there(operand) {
                true => self.fault(UNDECLARED, at, &[&register, &kind]),
                false => {
                    let help = match register.file {
                        // tgsi_sanity names the second index first.
                        _ if register.dimension.is_some() => "declare it before the first instruction".into(),
                        File::Imm | File::ImmX => format!("define it: `{register} FLT32 {{0, 0, 0, 0}}`"),
                        File::In | File::Out | File::Sv => {
                            format!("declare it with its semantic: `DCL {register}, …`")
                        }
                        _ => format!("declare it: `DCL {register}`"),
                    };
                    self.undeclared(at, &register, kind, &help);
                }
            }
        }
        self.used.push(register);
    }

    /// Whether a register that is not declared for `tgsi_sanity` is declared all the same.
    fn is_there(&self, operand: &Operand) -> bool {
        let Ok(index) = u32::try_from(operand.index) else { return false };
        match (operand.file, operand.dimension) {
            // Nobody looks at the number of a memory.
            (File::Memory, _) => self.declared.files.contains(&File::Memory),
            // The first buffer has two names.
            (File::Const, None) => self.declared.has_in(File::Const, Class::Two(0), index),
            (File::Const, Some(Dimension { index: 0, indirect: None })) => {
                self.declared.has_in(File::Const, Class::One, index)
            }
            // The number of the primitive is one for all vertices.
            (File::In, None) => self.single.contains(&index),
            // It takes what is added to the first index for that index.
            (file, Some(Dimension { indirect: Some(_), .. })) => self.declared.files.contains(&file),
            _ => false,
        }
    }

    fn is_used(&self, register: Register) -> bool {
        self.used_indexed.contains(&register.file) || self.used.binary_search(&register).is_ok()
    }

    /// Every register of a declaration.
    fn registers(file: File, class: Class, first: u32, last: u32) -> impl Iterator<Item = Register> {
        let of = move |index| {
            (0..class.count()).map(move |n| Register { file, index, dimension: class.dimension(n) })
        };
        (first..=last).flat_map(of)
    }

    /// The warnings about registers that are not used.
    fn unused(&mut self) {
        let size = |&(_, _, class, first, last): &(At, File, Class, u32, u32)| {
            u64::from(last - first + 1).saturating_mul(class.count())
        };
        let total = self.list.iter().map(size).fold(0, u64::saturating_add);
        let list = core::mem::take(&mut self.list);
        if total <= MOST_ORDERED {
            let registers = list.iter().flat_map(|&(at, file, class, first, last)| {
                Self::registers(file, class, first, last).map(move |register| (at, register))
            });
            for (at, register) in ordered(registers.collect()) {
                if !self.is_used(register) {
                    self.warnings += 1;
                    let args: [&dyn Display; 2] = [&name(register.file), &register.index];
                    self.f.with(UNUSED, UNUSED.severity, Some(at), &args, None);
                }
            }
            return;
        }
        let below = |n: &u32| {
            let used = self.used.iter().filter(|r| r.dimension.is_some_and(|d| d < *n));
            let mut list: Vec<(File, u32)> = used.map(|r| (r.file, r.index)).collect();
            list.sort_unstable();
            list
        };
        let below: Vec<Vec<(File, u32)>> = self.declared.sizes.iter().map(below).collect();
        for row in &list {
            let &(at, file, class, first, last) = row;
            if self.used_indexed.contains(&file) {
                continue;
            }
            let count = size(row).saturating_sub(self.used_among(&below, row));
            self.warnings = self.warnings.saturating_add(count);
            let mut said = 0;
            for register in Self::registers(file, class, first, last) {
                if self.f.is_full() || said == count {
                    break;
                }
                if !self.is_used(register) {
                    self.f.with(UNUSED, UNUSED.severity, Some(at), &[&name(file), &register.index], None);
                    said += 1;
                }
            }
            self.f.leave_out(count - said);
        }
    }

    /// How many registers of a declaration are used. `below` are the used ones of each size of an array of vertices.
    fn used_among(&self, below: &[Vec<(File, u32)>], row: &(At, File, Class, u32, u32)) -> u64 {
        let &(_, file, class, first, last) = row;
        let dimension = match class {
            Class::One => None,
            Class::Two(d) => Some(d),
            Class::Below(n) => {
                let list = self.declared.sizes.iter().position(|size| *size == n).and_then(|n| below.get(n));
                let at = |key| list.map_or(0, |list| list.partition_point(|row| *row < key));
                return (at((file, last + 1)) - at((file, first))) as u64;
            }
        };
        let at = |index| self.used.partition_point(|r| *r < Register { file, dimension, index });
        (at(last + 1) - at(first)) as u64
    }

    /// A warning for each declaration of which nothing uses a register.
    fn unused_declarations(&mut self) {
        let uses = Uses::of(instructions(self.program).map(|row| row.1), self.program);
        for (at, file, _, first, last) in core::mem::take(&mut self.list) {
            if uses.any(file, first, last) {
                continue;
            }
            let help =
                (first < last).then(|| alloc::format!("Neither are those up to {}[{last}].", name(file)));
            let help: Option<String> = help.or_else(|| Some("Nothing reads or writes it.".into()));
            self.f.with(UNUSED, UNUSED.severity, Some(at), &[&super::findings::FileName(file), &first], help);
        }
    }
}

/// Vertices of a primitive of a geometry shader's input, as Mesa counts them.
pub(super) const fn vertices(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines | Primitive::LineLoop | Primitive::LineStrip => 2,
        Primitive::LinesAdjacency
        | Primitive::LineStripAdjacency
        | Primitive::Quads
        | Primitive::QuadStrip => 4,
        Primitive::TrianglesAdjacency | Primitive::TriangleStripAdjacency => 6,
        _ => 3,
    }
}

/// The smallest prime above 2^`bits`.
fn prime_above(bits: u32) -> u32 {
    let is_prime = |n: u32| (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
    let mut n = (1u32 << bits.min(20)) + 1;
    while !is_prime(n) {
        n += 1;
    }
    n
}

/// Registers in the order of the hash table that they were put into one after another. It has no buckets at first, then
/// about 16, and twice as many whenever there are as many registers as buckets; chains are moved in their order then.
fn ordered(mut registers: Vec<(At, Register)>) -> Vec<(At, Register)> {
    let key = |register: Register| register.key(code(register.file));
    let mut bits = 3;
    let mut buckets = 0;
    // Keys in the order of the table up to the last time that it grew, then those that came since.
    let mut keys: Vec<u32> = Vec::new();
    let mut seen = BTreeSet::new();
    for (size, (_, register)) in registers.iter().enumerate() {
        if size >= buckets as usize {
            if buckets > 0 {
                keys.sort_by_key(|key| key % buckets);
            }
            bits += 1;
            buckets = prime_above(bits);
            keys.sort_by_key(|key| key % buckets);
        }
        let key = key(*register);
        if seen.insert(key) {
            keys.push(key);
        }
    }
    if buckets > 0 {
        keys.sort_by_key(|key| key % buckets);
    }
    let mut ranks: Vec<(u32, u32)> = keys.iter().enumerate().map(|(rank, key)| (*key, rank as u32)).collect();
    ranks.sort_unstable();
    let rank = |register: Register| {
        let found = ranks.binary_search_by_key(&key(register), |row| row.0);
        found.ok().and_then(|n| ranks.get(n)).map_or(u32::MAX, |row| row.1)
    };
    registers.reverse();
    registers.sort_by_cached_key(|row| rank(row.1));
    registers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_primes_near_powers_of_two() {
        let primes: Vec<u32> = (2..9).map(prime_above).collect();
        assert_eq!(primes, [5, 11, 17, 37, 67, 131, 257]);
    }
}
