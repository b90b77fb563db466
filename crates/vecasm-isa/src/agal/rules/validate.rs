//! The rules of one program: header, tokens in order, end.
//!
//! The order of the checks is the player's, so that the first error reported is the one it raises. Behind an error
//! the checks go on where their answer still means something: an operand is judged up to its first fault, an
//! opcode nobody knows is not judged at all, and a register counts as written although the token that writes it
//! is faulty.
//!
//! The path without findings allocates nothing for a token: opcodes are looked up in a table made at compile time
//! from the rows of [`Opcode`], registers in arrays of limits and masks.

use super::super::bytes::decode_lossless;
use super::super::program::{Header, Program, RegType, Source, Stage, Token};
use super::super::table::Opcode;
use super::super::text::print;
use super::options::{
    ByteOrder, ElsWithoutIf, Generation, OpcodeArgument, Options, Switches, TedOpcode, TldOldVersion,
    UnaryConst, V2opInV1, VersionZero, XyzSubset,
};
use super::table::RuleId;
use crate::findings::Findings;
use crate::table::{Flow, Lift, Shape, Stages};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;
use vecasm_ir::diag::{Diagnostic, Place, Severity};
use vecasm_ir::operand::Swizzle;

/// What the player would say about `program`: every finding, in the player's order.
///
/// The error that the player raises is marked [`first`](Diagnostic::first); a program without errors is accepted.
/// Findings that the player does not have (something it only tolerates) are warnings or notes.
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let mut checked = check(program, program.stage(), options);
    mark_first([&mut checked.findings]);
    checked.findings
}

/// [`validate`] for the bytes of a program, whatever they are: too short, truncated, of another kind.
pub fn validate_bytes(bytes: &[u8], options: &Options) -> Vec<Diagnostic> {
    validate(&decode_lossless(bytes), options)
}

/// Marks the first error of several lists in a row.
pub(super) fn mark_first<const N: usize>(lists: [&mut Vec<Diagnostic>; N]) {
    for list in lists {
        for finding in list {
            if finding.severity == Severity::Error {
                finding.first = true;
                return;
            }
        }
    }
}

/// What the end of a program knows about it, for the linkage.
pub(super) struct ProgramCheck {
    /// The findings.
    pub(super) findings: Vec<Diagnostic>,
    /// The stage in the header, if the header could be read so far that the tokens were looked at.
    pub(super) stage: Option<Stage>,
    /// Lanes of each varying: read in a fragment program, written in a vertex program.
    pub(super) varyings: [u8; 16],
    /// Lanes of each output that are written.
    pub(super) outputs: [u8; 4],
}

/// Checks `program` in the slot `slot` of the upload.
pub(super) fn check(program: &Program, slot: Stage, options: &Options) -> ProgramCheck {
    let mut v = Validator::new(program, slot, options);
    let readable = v.header(options);
    if readable {
        for (index, token) in program.tokens.iter().enumerate() {
            v.index = index;
            v.token(token);
            // The player counts behind the other checks of a token, and stops; what follows is judged all the same.
            if index == v.token_limit {
                v.report(RuleId::E3629, MessageArguments::Number(index as u64 + 1));
            }
        }
        v.end();
    }
    v.finish(readable)
}

/// The operand of a token that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Dest,
    Source1,
    Source2,
}

impl Slot {
    /// The player's words for it.
    const fn words(self) -> &'static str {
        match self {
            Self::Dest => "destination operand",
            Self::Source1 => "source operand 1",
            Self::Source2 => "source operand 2",
        }
    }

    /// Where it is in a token.
    const fn offset(self) -> usize {
        match self {
            Self::Dest => 4,
            Self::Source1 => 8,
            Self::Source2 => 16,
        }
    }
}

/// The arguments of a message besides stage and token.
#[derive(Clone, Copy, Debug)]
pub(super) enum MessageArguments {
    /// None.
    Token,
    /// An operand.
    Operand(Slot),
    /// An operand with a value in it.
    Value(Slot, u8),
    /// The operation.
    Opcode,
    /// A number.
    Number(u64),
}

/// What a source operand has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unused,
    Plain,
    Scalar,
    /// A matrix of that many rows.
    Rows(u8),
    Sampler,
}

/// Whether an opcode can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// No row has the code.
    Hole,
    /// A row of AGAL 1 that no player ever implemented.
    Reserved,
    /// Yes.
    Ready,
    /// It depends: sgn, ted, tld.
    Special,
}

/// What the checks ask about an opcode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    op: Option<Opcode>,
    status: Status,
    has_dst: bool,
    sources: [Kind; 2],
    stages: Stages,
    flow: Flow,
    /// Result lanes end at z.
    no_w: bool,
    /// One source, and not mov.
    unary: bool,
    /// tex, ted, tld.
    pub(super) texture: bool,
    /// ddx, ddy.
    derivative: bool,
}

impl Info {
    /// Whether this is the row of `op`.
    pub(super) fn is(&self, op: Opcode) -> bool {
        self.op == Some(op)
    }

    const HOLE: Self = Self {
        op: None,
        status: Status::Hole,
        has_dst: false,
        sources: [Kind::Unused; 2],
        stages: Stages::VF,
        flow: Flow::Straight,
        no_w: false,
        unary: false,
        texture: false,
        derivative: false,
    };

    const fn of(op: Opcode) -> Self {
        let row = op.row();
        let mut info = Self { op: Some(op), stages: row.stages, flow: row.flow, ..Self::HOLE };
        info.status = match (op, &row.lift) {
            (_, Lift::Reserved) => Status::Reserved,
            (Opcode::Sgn | Opcode::Ted | Opcode::Tld, _) => Status::Special,
            _ => Status::Ready,
        };
        let (mut i, mut n) = (0, 0);
        while i < row.shape.len() {
            let kind = match row.shape[i] {
                Shape::Dst => None,
                Shape::Scalar => Some(Kind::Scalar),
                rows @ (Shape::Rows3 | Shape::Rows4) => Some(Kind::Rows(rows.rows())),
                Shape::Sampler => Some(Kind::Sampler),
                // Besides `Src`, the shapes of other instruction sets.
                _ => Some(Kind::Plain),
            };
            match kind {
                None => info.has_dst = true,
                Some(kind) => {
                    info.sources[n] = kind;
                    n += 1;
                }
            }
            i += 1;
        }
        info.no_w = info.has_dst && row.lanes == 3;
        info.unary = n == 1 && !matches!(op, Opcode::Mov);
        info.texture = matches!(info.sources[1], Kind::Sampler);
        info.derivative = matches!(op, Opcode::Ddx | Opcode::Ddy);
        info
    }
}

/// One past the highest code of any row.
const CODES: usize = {
    let (mut i, mut end) = (0, 0);
    while i < Opcode::ALL.len() {
        let code = Opcode::ALL[i].row().code;
        if code >= end {
            end = code + 1;
        }
        i += 1;
    }
    end as usize
};

/// For versions up to 1 and above, what to check for each code.
static INFO: [[Info; CODES]; 2] = [infos(true), infos(false)];

const fn infos(version_1: bool) -> [Info; CODES] {
    let mut out = [Info::HOLE; CODES];
    let mut i = 0;
    while i < Opcode::ALL.len() {
        let op = Opcode::ALL[i];
        let row = op.row();
        // A row that version 1 does not have is kept there only where no other row has the code: that is for the
        // rule which says so.
        let fits = if version_1 { row.since <= 1 } else { row.until > 1 };
        if fits {
            out[row.code as usize] = Info::of(op);
        }
        i += 1;
    }
    out
}

/// The lanes that each of the 256 swizzles reads.
pub(super) static READS: [u8; 256] = {
    let mut out = [0; 256];
    let mut i = 0;
    while i < 256 {
        let s = Swizzle::from_bits(i as u8);
        out[i] = 1 << s.get(0) | 1 << s.get(1) | 1 << s.get(2) | 1 << s.get(3);
        i += 1;
    }
    out
};

/// Lanes of each temporary that are written on every path to a token.
type WrittenLanes = [u8; 32];

/// An open conditional.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// els has been seen.
    after_else: bool,
    /// The current branch has an instruction.
    filled: bool,
    /// What was written before the condition.
    before: WrittenLanes,
    /// What every branch that has ended wrote; none has before els.
    ended: Option<WrittenLanes>,
}

impl Frame {
    fn new(before: &WrittenLanes) -> Self {
        Self { after_else: false, filled: false, before: *before, ended: None }
    }

    /// els: ends the branch that wrote `temps`, and begins the other one.
    fn begin_else(&mut self, temps: &mut WrittenLanes) {
        let mut written = core::mem::replace(temps, self.before);
        if let Some(ended) = &self.ended {
            keep_common(&mut written, ended);
        }
        *self = Self { after_else: true, filled: false, ended: Some(written), ..*self };
    }

    /// eif: what is written after it, of what the last branch wrote. Without els, the condition may have skipped
    /// everything inside.
    fn close(&self, temps: &mut WrittenLanes) {
        match &self.ended {
            Some(ended) => keep_common(temps, ended),
            None if self.after_else => {}
            None => *temps = self.before,
        }
    }
}

/// Keeps the lanes that are in both.
fn keep_common(written: &mut WrittenLanes, other: &WrittenLanes) {
    for (lanes, other) in written.iter_mut().zip(other) {
        *lanes &= other;
    }
}

/// The state of a validation.
pub(super) struct Validator<'p> {
    program: &'p Program,
    /// The word in the messages.
    slot: Stage,
    pub(super) stage: Stage,
    pub(super) version: u32,
    pub(super) modern: bool,
    pub(super) switches: Switches,
    opcodes: &'static [Info; CODES],
    /// Number of registers of each type code, for sources; 0 for types that do not exist.
    pub(super) source_limits: [u16; 16],
    /// The same for destinations: the limits of vertex programs, but for outputs.
    pub(super) dest_limits: [u16; 8],
    token_limit: usize,
    /// The token looked at.
    index: usize,
    /// Lanes of each temporary that are written on every path to the current token.
    pub(super) temps: WrittenLanes,
    pub(super) varyings: [u8; 16],
    pub(super) outputs: [u8; 4],
    /// The operand that used each sampler first.
    samplers: [u64; 16],
    samplers_used: u16,
    frames: Vec<Frame>,
    findings: Findings,
}

impl<'p> Validator<'p> {
    fn new(program: &'p Program, slot: Stage, options: &Options) -> Self {
        let modern = options.generation == Generation::Modern;
        let version = program.version().clamp(1, 4);
        let stage = program.header.stage().unwrap_or(slot);
        let count = |ty: RegType, stage: Stage| ty.count(stage, version) as u16;
        let temporaries = match options.profile.temporaries(stage) {
            Some(n) if modern => n as u16,
            _ => count(RegType::Temporary, stage),
        };
        let samplers = match stage {
            // Vertex programs without samplers are told so by another rule than the one of the range.
            Stage::Vertex if version >= 4 => count(RegType::Sampler, stage),
            _ => count(RegType::Sampler, Stage::Fragment),
        };
        // The depth output and the instance id have their own rules for the wrong stage.
        let depth = if modern { count(RegType::Depth, Stage::Fragment) } else { 0 };
        let iid = if modern { count(RegType::InstanceId, Stage::Vertex) } else { 0 };
        let mut source_limits = [0; 16];
        let mut dest_limits = [0; 8];
        for ty in RegType::ALL {
            let code = usize::from(ty.code());
            let (source, dest) = match ty {
                RegType::Temporary => (temporaries, temporaries),
                RegType::Sampler => (samplers, count(ty, Stage::Fragment)),
                RegType::Depth => (depth, depth),
                RegType::InstanceId => (iid, iid),
                RegType::Output => (count(ty, stage), count(ty, stage)),
                _ => (count(ty, stage), count(ty, Stage::Vertex)),
            };
            source_limits[code] = source;
            dest_limits[code] = dest;
        }
        Self {
            program,
            slot,
            stage,
            version,
            modern,
            switches: options.switches_in_force(),
            opcodes: &INFO[usize::from(version > 1)],
            source_limits,
            dest_limits,
            token_limit: match version {
                1 => 200,
                2 => 1024,
                _ => 2048,
            },
            index: 0,
            temps: [0; 32],
            varyings: [0; 16],
            outputs: [0; 4],
            samplers: [0; 16],
            samplers_used: 0,
            frames: Vec::new(),
            // A finding takes about a kilobyte, a token 24 bytes, of which 64 times as much is granted.
            findings: Findings::up_to(1000 + program.tokens.len()),
        }
    }

    /// Checks what stands before the tokens; whether it makes sense to look at them.
    fn header(&mut self, options: &Options) -> bool {
        let header = &self.program.header;
        let bytes = header.bytes();
        let length = bytes.len() + self.program.tokens.len() * Token::SIZE + self.program.tail.len();
        if length == 0 {
            let place = Place::Binary { offset: 0, token: None };
            self.push(RuleId::E3615, Severity::Error, place, [&""; 4]);
            return false;
        }
        if options.order(self.slot) == ByteOrder::Big {
            self.report_at(RuleId::E3612, MessageArguments::Token, 0);
        }
        if length < Header::SIZE + Token::SIZE {
            self.report_at(RuleId::E3615, MessageArguments::Token, length);
        }
        if bytes.len() < Header::SIZE {
            return false;
        }
        if bytes[0] != Header::MAGIC {
            self.report_at(RuleId::E3616, MessageArguments::Token, 0);
        }
        let version = header.version_word();
        let newest = options.generation.newest_version();
        let mut readable = true;
        if version > newest || (version == 0 && self.switches.version_0 == VersionZero::Refuse) {
            self.report_at(RuleId::E3617, MessageArguments::Number(newest.into()), 1);
            // What the tokens of an unknown version mean is not known.
            readable = version <= newest;
        } else if version > options.profile.newest_version() && self.modern {
            self.report_at(RuleId::E3725, MessageArguments::Number(version.into()), 1);
        }
        if !header.is_extended() && bytes[5] != Header::STAGE_TAG {
            self.report_at(RuleId::E3618, MessageArguments::Token, 5);
        }
        if header.stage().is_none() {
            self.report_at(RuleId::E3619, MessageArguments::Token, bytes.len() - 1);
            readable = false;
        }
        readable
    }

    fn token(&mut self, token: &Token) {
        let Some(info) = self.opcodes.get(token.opcode as usize) else {
            return self.out_of_range(token);
        };
        let mut sampler_counts = true;
        if info.status != Status::Ready {
            match self.opcode(info, token) {
                Opinion::Stop => return,
                Opinion::Faulty => sampler_counts = false,
                Opinion::Fine => {}
            }
        }
        if info.stages != Stages::VF && (info.stages == Stages::F) != (self.stage == Stage::Fragment) {
            let fragment_only = info.stages == Stages::F;
            self.report(if fragment_only { RuleId::E3622 } else { RuleId::E3803 }, MessageArguments::Opcode);
            sampler_counts = false;
        }
        if info.flow != Flow::Straight {
            self.flow(info.flow);
        } else if let Some(frame) = self.frames.last_mut() {
            frame.filled = true;
            self.in_conditional(info, token);
        }
        let [kind1, kind2] = info.sources;
        self.source(token.src1, Slot::Source1, kind1, info);
        let sampler = kind2 == Kind::Sampler;
        if !sampler || sampler_counts {
            self.source(token.src2, Slot::Source2, kind2, info);
        }
        let is_constant = |s: Source| s.type_byte() == RegType::Constant.code();
        if is_constant(token.src1) {
            if is_constant(token.src2) && !sampler && kind2 != Kind::Unused {
                // Published content compares two constants, so the conditionals are exempt.
                if info.flow != Flow::If {
                    self.report(RuleId::E3625, MessageArguments::Token);
                }
            } else if info.unary {
                match self.switches.unary_const {
                    UnaryConst::Refuse => self.report(RuleId::E3625, MessageArguments::Token),
                    UnaryConst::Warn => self.warn(RuleId::E3625, MessageArguments::Token),
                    UnaryConst::Accept => {}
                }
            }
        }
        if matches!(kind2, Kind::Rows(_))
            && token.src2.swizzle() != Swizzle::IDENTITY
            && token.src2.type_byte() != RegType::Sampler.code()
        {
            self.report(RuleId::E3689, MessageArguments::Opcode);
        }
        if info.flow == Flow::If && token.src1 == token.src2 {
            self.report(RuleId::E3758, MessageArguments::Token);
        }
        if info.has_dst {
            self.dest(token.dest);
            if info.no_w {
                self.mask_without_w(token);
            }
        } else if token.dest.0 != 0 {
            self.report(RuleId::E3627, MessageArguments::Opcode);
        }
        if sampler && sampler_counts {
            self.sampler_again(token.src2);
        }
    }

    /// An opcode above the table.
    #[cold]
    fn out_of_range(&mut self, token: &Token) {
        self.report(RuleId::E3620, MessageArguments::Number(token.opcode.into()));
        self.assume_written(token);
    }

    /// An opcode that not every program can use.
    #[cold]
    fn opcode(&mut self, info: &Info, token: &Token) -> Opinion {
        let old = info.op == Some(Opcode::Tld) && self.version < 4;
        // The rule that tld came with AGAL 4 speaks of vertex programs.
        let vertex_rule =
            self.stage == Stage::Vertex && self.switches.tld_old_version == TldOldVersion::E3805;
        if old && !vertex_rule {
            self.out_of_range(token);
            return Opinion::Stop;
        }
        match info.status {
            Status::Hole | Status::Reserved => {
                let later = INFO[1].get(token.opcode as usize).and_then(|info| info.op);
                let rule = match self.switches.v2op_in_v1 {
                    V2opInV1::E3726 if later.is_some() && info.status == Status::Reserved => RuleId::E3726,
                    _ => RuleId::E3621,
                };
                self.report(rule, MessageArguments::Opcode);
                self.assume_written(token);
                Opinion::Stop
            }
            Status::Special if old => {
                self.report(RuleId::E3805, MessageArguments::Token);
                Opinion::Faulty
            }
            Status::Special if info.op == Some(Opcode::Sgn) => {
                self.report(RuleId::E3621, MessageArguments::Opcode);
                Opinion::Fine
            }
            Status::Special if info.op == Some(Opcode::Ted) && self.switches.ted == TedOpcode::Refuse => {
                self.report(RuleId::E3621, MessageArguments::Opcode);
                Opinion::Faulty
            }
            _ => Opinion::Fine,
        }
    }

    /// The register that a token would write counts as written, so that its readers are not blamed.
    fn assume_written(&mut self, token: &Token) {
        if token.dest.reg_type() == Some(RegType::Temporary) {
            if let Some(temp) = self.temps.get_mut(usize::from(token.dest.number())) {
                *temp |= token.dest.mask().bits();
            }
        }
    }

    /// A token of a conditional.
    fn flow(&mut self, flow: Flow) {
        match flow {
            Flow::If => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.filled = true;
                }
                if self.frames.len() == usize::from(self.switches.nest_limit) {
                    self.report(RuleId::E3624, MessageArguments::Token);
                }
                self.frames.push(Frame::new(&self.temps));
            }
            Flow::Else => match self.frames.last_mut() {
                None => {
                    self.report(
                        match self.switches.els_without_if {
                            ElsWithoutIf::E3623 => RuleId::E3623,
                            ElsWithoutIf::E3752 => RuleId::E3752,
                        },
                        MessageArguments::Token,
                    );
                    // The eif that follows is not to blame, and neither is a reader of what is written here.
                    self.frames.push(Frame { after_else: true, ..Frame::new(&self.temps) });
                }
                Some(frame) => {
                    let (again, empty) = (frame.after_else, !frame.filled);
                    frame.begin_else(&mut self.temps);
                    if again {
                        self.report(RuleId::E3752, MessageArguments::Token);
                    }
                    if empty {
                        self.report(RuleId::E3748, MessageArguments::Token);
                    }
                }
            },
            Flow::EndIf => match self.frames.pop() {
                None => self.report(RuleId::E3623, MessageArguments::Token),
                Some(frame) => {
                    frame.close(&mut self.temps);
                    if !frame.filled {
                        self.report(RuleId::E3748, MessageArguments::Token);
                    }
                }
            },
            // There are no loops and subroutines.
            _ => {}
        }
    }

    /// What an ordinary instruction must not do inside a conditional.
    fn in_conditional(&mut self, info: &Info, token: &Token) {
        if info.derivative {
            self.report(RuleId::E3742, MessageArguments::Token);
        }
        if info.op == Some(Opcode::Tex) && token.src1.reg_type() != Some(RegType::Varying) {
            self.report(RuleId::E3741, MessageArguments::Token);
        }
    }

    /// Whether a conditional is open.
    pub(super) fn conditional(&self) -> bool {
        !self.frames.is_empty()
    }

    fn mask_without_w(&mut self, token: &Token) {
        let mask = token.dest.mask().bits();
        if mask == 7 || mask == 0 {
            return;
        }
        if mask & 8 != 0 {
            return self.report(RuleId::E3628, MessageArguments::Opcode);
        }
        match self.switches.xyz_subset {
            XyzSubset::Refuse => self.report(RuleId::E3628, MessageArguments::Opcode),
            XyzSubset::Warn => self.warn(RuleId::E3628, MessageArguments::Opcode),
            XyzSubset::Accept => {}
        }
    }

    /// Whether a sampler is used as it was before.
    fn sampler_again(&mut self, operand: Source) {
        let number = usize::from(operand.number());
        if operand.type_byte() != RegType::Sampler.code() || number >= self.samplers.len() {
            return;
        }
        if self.samplers_used >> number & 1 == 0 {
            self.samplers_used |= 1 << number;
            self.samplers[number] = operand.0;
        } else if self.samplers[number] != operand.0 {
            self.report(RuleId::E3696, MessageArguments::Token);
        }
    }

    /// The rules that need the whole program.
    fn end(&mut self) {
        let end = self.program.token_offset(self.program.tokens.len());
        if !self.frames.is_empty() {
            self.report_at(RuleId::E3739, MessageArguments::Token, end);
        }
        if self.stage == Stage::Fragment && self.version > 1 {
            let last = self.outputs.iter().rposition(|&mask| mask != 0);
            if last.is_some_and(|last| self.outputs[..last].contains(&0)) {
                self.report_at(RuleId::E3775, MessageArguments::Token, end);
            }
        }
        if !self.program.tail.is_empty() {
            let what = MessageArguments::Number(self.program.tail.len() as u64);
            self.say(
                RuleId::Trailing,
                Severity::Warning,
                what,
                Place::Binary { offset: end as u32, token: None },
            );
        }
    }

    fn finish(self, readable: bool) -> ProgramCheck {
        ProgramCheck {
            findings: self.findings.finish_with(|count| {
                let rule = RuleId::More.rule();
                rule.finding(rule.fill(&[&self.slot.name(), &count])).with_help(rule.reason)
            }),
            stage: if readable { self.program.header.stage() } else { None },
            varyings: self.varyings,
            outputs: self.outputs,
        }
    }

    /// An error at the current token.
    #[cold]
    #[inline(never)]
    pub(super) fn report(&mut self, rule: RuleId, what: MessageArguments) {
        self.say(rule, Severity::Error, what, self.place(what));
    }

    /// Something at the current token that the player accepts.
    #[cold]
    #[inline(never)]
    pub(super) fn warn(&mut self, rule: RuleId, what: MessageArguments) {
        self.say(rule, Severity::Warning, what, self.place(what));
    }

    /// An error at a byte that is in no token.
    #[cold]
    fn report_at(&mut self, rule: RuleId, what: MessageArguments, offset: usize) {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.say(rule, Severity::Error, what, Place::Binary { offset, token: None });
    }

    /// The current token, or the operand in it.
    fn place(&self, what: MessageArguments) -> Place {
        let inside = match what {
            MessageArguments::Operand(slot) | MessageArguments::Value(slot, _) => slot.offset(),
            _ => 0,
        };
        let offset = self.program.token_offset(self.index) + inside;
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place::Binary { offset: clamp(offset), token: Some(clamp(self.index + 1)) }
    }

    #[cold]
    fn say(&mut self, rule: RuleId, severity: Severity, what: MessageArguments, place: Place) {
        let token = match place {
            Place::Binary { token: Some(_), .. } => self.program.tokens.get(self.index),
            _ => None,
        };
        let number = (self.index + 1).to_string();
        let mut value = String::new();
        let second: Cow<'static, str> = match what {
            // The one message that has the token in second place.
            MessageArguments::Token => Cow::Owned(number.clone()),
            MessageArguments::Operand(slot) => Cow::Borrowed(slot.words()),
            MessageArguments::Value(slot, v) => {
                value = v.to_string();
                Cow::Borrowed(slot.words())
            }
            MessageArguments::Opcode => self.opcode_word(token),
            MessageArguments::Number(n) => Cow::Owned(n.to_string()),
        };
        let (stage, version, word) = (self.stage, self.version, self.slot.name());
        if let Some(finding) = self.push(rule, severity, place, [&word, &second, &number, &value]) {
            finding.instruction = token.map(|token| print::instruction(stage, version, token));
        }
    }

    /// How messages name the opcode of `token`.
    fn opcode_word(&self, token: Option<&Token>) -> Cow<'static, str> {
        let Some(token) = token else { return Cow::Borrowed("") };
        match (token.operation(self.version), self.switches.opcode_argument) {
            (Some(op), OpcodeArgument::Mnemonic) => Cow::Borrowed(op.row().name),
            _ => Cow::Owned(token.opcode.to_string()),
        }
    }

    fn push(
        &mut self,
        rule: RuleId,
        severity: Severity,
        place: Place,
        arguments: [&dyn Display; 4],
    ) -> Option<&mut Diagnostic> {
        let row = rule.rule();
        let finding = self.findings.push(severity, row.id, place, row.fill(&arguments))?;
        finding.help = Some(row.reason.into());
        Some(finding)
    }
}

/// What the check of an opcode says about the rest of its token.
enum Opinion {
    /// The operands mean nothing.
    Stop,
    /// The operands can be judged, but not the sampler.
    Faulty,
    /// Go on.
    Fine,
}
