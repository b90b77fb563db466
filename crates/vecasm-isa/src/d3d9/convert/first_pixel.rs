//! Pixel shaders 1.x as ps_2_0, instruction by instruction.
//!
//! Registers: `r#` stay, the texture registers of ps_1_1 to ps_1_3, which coordinates and results share, become `t#` for
//! the coordinates and `r6` to `r9` for the results; what is left of twelve temporaries is scratch. `c30` and `c31` hold
//! numbers. Constants are clamped to -1 to 1, as in 1.x, where the program does not define them.
//!
//! Not here: `texbem`, `texbeml` and `bem`. Their matrix and its luminance are state of a stage, which no instruction of ps_2_0
//! reads; a stream that means the same would need them as constants, and no stream can say that a constant is a state.

use super::lines::{Line, Lines, Op, ROOM, Reg, Use};
use crate::d3d9::program::{
    Destination, InstructionToken, ItemKind, PARAMETER, Source, Stage, Usage, Version,
};
use crate::d3d9::registers::RegType;
use crate::d3d9::table::{Opcode, code};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The model that is written.
const MODEL: Version = Version::new(Stage::Pixel, 2, 0);
/// Codes of kinds of samplers.
const KIND_2D: u8 = 2;
const KIND_CUBE: u8 = 3;
/// Codes of source modifiers.
const NEGATE: u8 = 1;
const DZ: u8 = 9;
const DW: u8 = 10;
/// Where the results of texture instructions of stage 0 lie.
const RESULTS: u16 = 6;
/// The numbers: the constants that hold them.
const NUMBERS: [(u16, [f32; 4]); 2] = [(31, [0.5, 1.0, 2.0, -1.0]), (30, [4.0, 8.0, 0.25, 0.125])];

const XY: WriteMask = WriteMask::from_bits(3);
const Z: WriteMask = WriteMask::from_bits(4);
const W: WriteMask = WriteMask::from_bits(8);

struct Writer<'a> {
    minor: u8,
    kinds: &'a [(u16, u8)],
    /// Instructions.
    out: Vec<Vec<u32>>,
    coordinates: BTreeSet<u16>,
    colors: BTreeSet<u16>,
    samplers: BTreeMap<u16, u8>,
    /// Constants that the program defines.
    defined: BTreeSet<u16>,
    /// Scratch registers, and how many of them the instruction has used.
    scratch: Vec<u16>,
    used: usize,
    /// The register that rows of a matrix product gather in.
    rows: u16,
}

type Step = Result<(), String>;

/// Rewrites the program; says why not, and at which piece.
pub(super) fn rewrite(lines: &mut Lines, kinds: &[(u16, u8)]) -> Result<(), (usize, String)> {
    let version = lines.version();
    let ops = lines.ops();
    let four = version.minor() == 4;
    let scratch = if four { (6..12).collect() } else { [2, 3, 4, 10, 11].to_vec() };
    let mut writer = Writer {
        minor: version.minor(),
        kinds,
        out: Vec::new(),
        coordinates: BTreeSet::new(),
        colors: BTreeSet::new(),
        samplers: BTreeMap::new(),
        defined: BTreeSet::new(),
        scratch,
        used: 0,
        rows: 5,
    };
    let mut definitions = Vec::new();
    for op in ops.iter().filter(|op| op.op == Some(Opcode::Def)) {
        let words = lines.all.get(op.line).map_or(&[][..], |line| &line.words);
        let (Some((reg, _)), Some(values)) = (op.write, words.get(2..6)) else { continue };
        writer.defined.insert(reg.1);
        let mut words = alloc::vec![Destination::new(RegType::Const, reg.1, WriteMask::ALL).0];
        words.extend(values.iter().map(|bits| f32::from_bits(*bits).clamp(-1.0, 1.0).to_bits()));
        definitions.push(instruction(Opcode::Def, 0, &words));
    }
    let mut n = 0;
    while let Some(op) = ops.get(n) {
        let pair = ops.get(n + 1).filter(|next| next.coissued);
        let done = match pair {
            Some(second) => writer.pair(lines, op, second),
            None => writer.one(lines, op, None),
        };
        done.map_err(|why| (op.line, why))?;
        if writer.out.len() > ROOM {
            return Err((
                op.line,
                format!("the result would have more than {ROOM} instructions; ps_2_0 has room for 96"),
            ));
        }
        n += 1 + usize::from(pair.is_some());
    }
    writer.emit(Opcode::Mov, 0, dst((RegType::ColorOut, 0), WriteMask::ALL), &[src((RegType::Temp, 0))]);
    // Head, comments in front, declarations, definitions, instructions.
    let mut head = Vec::new();
    for number in &writer.colors {
        head.push(declaration(PARAMETER, (RegType::Input, *number)));
    }
    for number in &writer.coordinates {
        head.push(declaration(PARAMETER, (RegType::AddrOrTexture, *number)));
    }
    for (number, kind) in &writer.samplers {
        head.push(declaration(Usage::sampler(*kind).0, (RegType::Sampler, *number)));
    }
    for (number, values) in NUMBERS {
        let mut words = alloc::vec![Destination::new(RegType::Const, number, WriteMask::ALL).0];
        words.extend(values.map(f32::to_bits));
        head.push(instruction(Opcode::Def, 0, &words));
    }
    head.extend(definitions);
    head.append(&mut writer.out);
    let version = Line { kind: ItemKind::Version, words: alloc::vec![MODEL.0], origin: 0, number: None };
    let comments = lines.all.iter().filter(|line| line.kind == ItemKind::Comment).cloned();
    let mut all: Vec<Line> = core::iter::once(version).chain(comments).collect();
    all.extend(head.into_iter().map(|words| Line {
        kind: ItemKind::Instruction,
        words,
        origin: 0,
        number: None,
    }));
    all.push(Line { kind: ItemKind::End, words: alloc::vec![code::END], origin: 0, number: None });
    for (number, kind) in &writer.samplers {
        let named = writer.kinds.iter().any(|row| row.0 == *number);
        if !named {
            let kind = if *kind == KIND_CUBE { "cube" } else { "2d" };
            lines.note(0, format!("s{number} is declared as dcl_{kind}; in 1.x the bound texture decides"));
        }
    }
    lines.note(0, format!("ps_1_{} is converted to ps_2_0", writer.minor));
    if !four && !writer.samplers.is_empty() {
        lines.note(0, "stages must not be projected (D3DTTFF_PROJECTED): ps_2_0 ignores it".into());
    }
    lines.all = all;
    Ok(())
}

fn instruction(op: Opcode, control: u8, parameters: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(parameters.len() + 1);
    out.push(u32::from(op.row().code) | u32::from(control) << 16 | (parameters.len() as u32 & 15) << 24);
    out.extend_from_slice(parameters);
    out
}

fn declaration(usage: u32, reg: Reg) -> Vec<u32> {
    instruction(Opcode::Dcl, 0, &[usage, Destination::new(reg.0, reg.1, WriteMask::ALL).0])
}

fn dst(reg: Reg, mask: WriteMask) -> u32 {
    Destination::new(reg.0, reg.1, mask).0
}

fn src(reg: Reg) -> u32 {
    Source::new(reg.0, reg.1, Swizzle::IDENTITY).0
}

fn lane(reg: Reg, lane: u8) -> u32 {
    Source::new(reg.0, reg.1, Swizzle::splat(lane)).0
}

const fn temp(number: u16) -> Reg {
    (RegType::Temp, number)
}

fn negated(token: u32) -> u32 {
    token ^ u32::from(NEGATE) << 24
}

/// A source that holds that number in every lane.
fn number(value: f32) -> u32 {
    let all = NUMBERS.iter().flat_map(|(reg, values)| {
        values.iter().enumerate().map(move |(n, value)| (*value, lane((RegType::Const, *reg), n as u8)))
    });
    all.into_iter().find(|row| row.0 == value).map_or(0, |row| row.1)
}

impl Writer<'_> {
    fn emit(&mut self, op: Opcode, control: u8, destination: u32, sources: &[u32]) {
        let mut parameters = alloc::vec![destination];
        parameters.extend_from_slice(sources);
        self.out.push(instruction(op, control, &parameters));
    }

    fn scratch(&mut self) -> Result<Reg, String> {
        let found = self.scratch.get(self.used).copied();
        self.used += 1;
        found
            .map(temp)
            .ok_or_else(|| String::from("no register is free for an intermediate result of ps_2_0"))
    }

    /// The register that holds what a register of 1.x holds.
    fn home(&mut self, reg: Reg) -> Reg {
        match reg.0 {
            RegType::AddrOrTexture => temp(RESULTS + reg.1),
            RegType::Input => {
                self.colors.insert(reg.1);
                reg
            }
            _ => reg,
        }
    }

    fn coordinates(&mut self, stage: u16) -> Reg {
        self.coordinates.insert(stage);
        (RegType::AddrOrTexture, stage)
    }

    /// The sampler of a stage.
    fn sampler(&mut self, stage: u16, cube: bool) -> u32 {
        let told = self.kinds.iter().find(|row| row.0 == stage).map(|row| row.1);
        let kind = told.unwrap_or(if cube { KIND_CUBE } else { KIND_2D });
        self.samplers.insert(stage, kind);
        src((RegType::Sampler, stage))
    }

    fn sample(&mut self, to: Reg, coordinates: Reg, stage: u16, cube: bool) {
        let sampler = self.sampler(stage, cube);
        self.emit(Opcode::Tex, 0, dst(to, WriteMask::ALL), &[src(coordinates), sampler]);
    }

    /// A source as ps_2_0 can have it: constants clamped, one in an instruction, no modifier but a minus.
    fn source(&mut self, read: &Use, constant: &mut Option<u16>) -> Result<u32, String> {
        let token = read.token;
        let mut reg = self.home(read.reg);
        let modifier = token.modifier();
        if reg.0 == RegType::Const {
            let known = self.defined.contains(&reg.1);
            let second = constant.is_some_and(|first| first != reg.1);
            let steps = matches!(modifier, 2..=8);
            if !known || second || steps {
                let copy = self.scratch()?;
                self.emit(Opcode::Mov, 0, dst(copy, read.lanes), &[src(reg)]);
                if !known {
                    self.emit(Opcode::Max, 0, dst(copy, read.lanes), &[src(copy), number(-1.0)]);
                    self.emit(Opcode::Min, 0, dst(copy, read.lanes), &[src(copy), number(1.0)]);
                }
                reg = copy;
            } else {
                *constant = Some(reg.1);
            }
        }
        let swizzled = |reg: Reg| Source::new(reg.0, reg.1, token.swizzle()).0;
        if matches!(modifier, 0 | NEGATE) {
            let plain = swizzled(reg);
            return Ok(if modifier == NEGATE { negated(plain) } else { plain });
        }
        let to = self.scratch()?;
        let out = dst(to, read.lanes);
        match modifier {
            2 | 3 => self.emit(Opcode::Add, 0, out, &[src(reg), negated(number(0.5))]),
            4 | 5 => self.emit(Opcode::Mad, 0, out, &[src(reg), number(2.0), number(-1.0)]),
            6 => self.emit(Opcode::Add, 0, out, &[negated(src(reg)), number(1.0)]),
            7 | 8 => self.emit(Opcode::Add, 0, out, &[src(reg), src(reg)]),
            _ => return Err(String::from("a coordinate modifier on an operand that is not a coordinate")),
        }
        let plain = swizzled(to);
        Ok(if matches!(modifier, 3 | 5 | 8) { negated(plain) } else { plain })
    }

    fn sources(&mut self, op: &Op) -> Result<Vec<u32>, String> {
        let mut constant = None;
        op.reads.iter().map(|read| self.source(read, &mut constant)).collect()
    }

    /// Two instructions that read before either writes.
    fn pair(&mut self, lines: &Lines, first: &Op, second: &Op) -> Step {
        let Some((reg, mask)) = first.write else {
            return Err(String::from("half of a pair writes nothing"));
        };
        if !second.reads(reg) {
            self.one(lines, first, None)?;
            return self.one(lines, second, None);
        }
        // The last scratch register is kept through both halves.
        let kept = self.scratch.pop().ok_or_else(|| String::from("no register is free for a pair"))?;
        let done = self.one(lines, first, Some(temp(kept))).and_then(|()| self.one(lines, second, None));
        self.scratch.push(kept);
        done?;
        let home = self.home(reg);
        self.emit(Opcode::Mov, 0, dst(home, mask), &[src(temp(kept))]);
        Ok(())
    }

    /// One instruction; its result goes to `instead` if that is given.
    fn one(&mut self, lines: &Lines, op: &Op, instead: Option<Reg>) -> Step {
        self.used = 0;
        let Some(code) = op.op else { return Err(String::from("unknown instruction")) };
        if matches!(code, Opcode::Def | Opcode::Nop | Opcode::Phase) {
            return Ok(());
        }
        if code == Opcode::Texkill {
            return self.kill(op);
        }
        let Some((reg, mask)) = op.write else {
            return Err(format!("{} has no counterpart in ps_2_0", op.name));
        };
        let words = lines.all.get(op.line).map_or(&[][..], |line| &line.words);
        let token = Destination(words.get(1).copied().unwrap_or(0));
        match code {
            Opcode::Mov
            | Opcode::Add
            | Opcode::Sub
            | Opcode::Mul
            | Opcode::Mad
            | Opcode::Dp3
            | Opcode::Dp4 => {}
            Opcode::Lrp | Opcode::Cmp => {}
            Opcode::Cnd => {}
            _ => return self.texture(op, code, reg),
        }
        let paired = InstructionToken(words.first().copied().unwrap_or(0)).is_coissued() && self.minor < 4;
        // Such a cnd does not compare, but for alpha: Wine's tests of Windows show it.
        let chosen = code == Opcode::Cnd && paired && mask != W;
        let target = instead
            .unwrap_or_else(|| temp(if reg.0 == RegType::AddrOrTexture { RESULTS + reg.1 } else { reg.1 }));
        let mut sources = match op.reads.get(1).filter(|_| chosen) {
            Some(read) => alloc::vec![self.source(read, &mut None)?],
            None => self.sources(op)?,
        };
        let saturate = u32::from(token.modifiers() & 1) << 20;
        let shift = match token.shift() {
            1 => Some(2.0),
            2 => Some(4.0),
            3 => Some(8.0),
            15 => Some(0.5),
            14 => Some(0.25),
            13 => Some(0.125),
            _ => None,
        };
        let mut code = code;
        if chosen {
            code = Opcode::Mov;
        } else if code == Opcode::Cnd {
            // source 1 > 0.5 ? source 2 : source 3, by a comparison with 0 the other way round.
            let (Some(&test), Some(&yes), Some(&no)) = (sources.first(), sources.get(1), sources.get(2))
            else {
                return Err(String::from("cnd takes three sources"));
            };
            let difference = self.scratch()?;
            self.emit(Opcode::Add, 0, dst(difference, mask), &[negated(test), number(0.5)]);
            sources = alloc::vec![src(difference), no, yes];
            code = Opcode::Cmp;
        }
        let aliased = code == Opcode::Lrp
            && sources.iter().any(|token| {
                (Source(*token).reg_type(), Source(*token).number()) == (Some(target.0), target.1)
            });
        if shift.is_none() && !aliased {
            self.emit(code, 0, dst(target, mask) | saturate, &sources);
            return Ok(());
        }
        let result = self.scratch()?;
        self.emit(code, 0, dst(result, mask), &sources);
        match shift {
            Some(scale) => {
                self.emit(Opcode::Mul, 0, dst(target, mask) | saturate, &[src(result), number(scale)]);
            }
            None => self.emit(Opcode::Mov, 0, dst(target, mask) | saturate, &[src(result)]),
        }
        Ok(())
    }

    /// texkill asks for three components; in ps_2_0 for those of its mask, which must be all.
    fn kill(&mut self, op: &Op) -> Step {
        let Some(read) = op.reads.first() else { return Err(String::from("texkill has no operand")) };
        let from = match read.reg.0 {
            RegType::AddrOrTexture => self.coordinates(read.reg.1),
            _ => read.reg,
        };
        let test = self.scratch()?;
        self.emit(Opcode::Mov, 0, dst(test, WriteMask::XYZ), &[src(from)]);
        self.emit(Opcode::Mov, 0, dst(test, W), &[number(1.0)]);
        self.out.push(instruction(Opcode::Texkill, 0, &[dst(test, WriteMask::ALL)]));
        Ok(())
    }

    fn texture(&mut self, op: &Op, code: Opcode, reg: Reg) -> Step {
        let stage = reg.1;
        if self.minor == 4 {
            return self.texture_4(op, code, reg);
        }
        let to = temp(RESULTS + stage);
        let cube = matches!(code, Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec);
        let rows = temp(self.rows);
        match code {
            Opcode::Tex => {
                let coordinates = self.coordinates(stage);
                self.sample(to, coordinates, stage, false);
            }
            Opcode::Texcoord => {
                let coordinates = self.coordinates(stage);
                self.emit(Opcode::Mov, 0, dst(to, WriteMask::XYZ) | 1 << 20, &[src(coordinates)]);
                self.emit(Opcode::Mov, 0, dst(to, W), &[number(1.0)]);
            }
            Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texreg2rgb => {
                let source = self.sources(op)?.first().copied().unwrap_or(0);
                let from = (RegType::Temp, Source(source).number());
                if code == Opcode::Texreg2rgb {
                    self.sample(to, from, stage, false);
                    return Ok(());
                }
                let (x, y) = if code == Opcode::Texreg2ar { (3, 0) } else { (1, 2) };
                let place = self.scratch()?;
                self.emit(Opcode::Mov, 0, dst(place, WriteMask::X), &[lane(from, x)]);
                self.emit(Opcode::Mov, 0, dst(place, WriteMask::from_bits(2)), &[lane(from, y)]);
                self.sample(to, place, stage, false);
            }
            Opcode::Texdp3 | Opcode::Texdp3tex => {
                let coordinates = self.coordinates(stage);
                let source = self.sources(op)?.first().copied().unwrap_or(0);
                if code == Opcode::Texdp3 {
                    self.emit(Opcode::Dp3, 0, dst(to, WriteMask::ALL), &[src(coordinates), source]);
                    return Ok(());
                }
                let place = self.scratch()?;
                self.emit(Opcode::Dp3, 0, dst(place, WriteMask::X), &[src(coordinates), source]);
                self.emit(
                    Opcode::Add,
                    0,
                    dst(place, WriteMask::from_bits(14)),
                    &[number(1.0), negated(number(1.0))],
                );
                self.sample(to, place, stage, false);
            }
            Opcode::Texm3x2pad | Opcode::Texm3x3pad | Opcode::Texm3x2tex => self.row(op, code, stage, to)?,
            Opcode::Texm3x3 | Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec => {
                self.row_into(op, stage, Z)?;
                match code {
                    Opcode::Texm3x3 => {
                        self.emit(Opcode::Mov, 0, dst(to, WriteMask::XYZ), &[src(rows)]);
                        self.emit(Opcode::Mov, 0, dst(to, W), &[number(1.0)]);
                        return Ok(());
                    }
                    Opcode::Texm3x3spec | Opcode::Texm3x3vspec => self.reflect(op, code, stage)?,
                    _ => {}
                }
                self.sample(to, rows, stage, cube);
            }
            Opcode::Texm3x2depth => {
                self.row_into(op, stage, WriteMask::from_bits(2))?;
                self.depth(lane(rows, 0), lane(rows, 1))?;
            }
            _ => return Err(format!("{} depends on state that ps_2_0 does not have", op.name)),
        }
        Ok(())
    }

    /// `above / below` as the depth, from 0 to 1; 1 where `below` is 0.
    fn depth(&mut self, above: u32, below: u32) -> Step {
        let part = self.scratch()?;
        let (x, y) = (WriteMask::X, WriteMask::from_bits(2));
        self.emit(Opcode::Rcp, 0, dst(part, x), &[below]);
        self.emit(Opcode::Mul, 0, dst(part, x) | 1 << 20, &[above, lane(part, 0)]);
        self.emit(Opcode::Abs, 0, dst(part, y), &[below]);
        let tested = [negated(lane(part, 1)), number(1.0), lane(part, 0)];
        self.emit(Opcode::Cmp, 0, dst(part, x), &tested);
        self.emit(Opcode::Mov, 0, dst((RegType::DepthOut, 0), WriteMask::ALL), &[lane(part, 0)]);
        Ok(())
    }

    /// A row that is not the last one of three, or the last one of two.
    fn row(&mut self, op: &Op, code: Opcode, stage: u16, to: Reg) -> Step {
        let y = WriteMask::from_bits(2);
        // The second pad of three is behind another pad.
        let second = code == Opcode::Texm3x2tex || code == Opcode::Texm3x3pad && self.last_is_row();
        self.row_into(op, stage, if second { y } else { WriteMask::X })?;
        if code == Opcode::Texm3x2tex {
            self.sample(to, temp(self.rows), stage, false);
        }
        Ok(())
    }

    /// Whether the last instruction wrote the first row.
    fn last_is_row(&self) -> bool {
        let wanted = dst(temp(self.rows), WriteMask::X);
        self.out.last().and_then(|words| words.get(1)) == Some(&wanted)
    }

    fn row_into(&mut self, op: &Op, stage: u16, mask: WriteMask) -> Step {
        let coordinates = self.coordinates(stage);
        let Some(read) = op.reads.first() else { return Err(String::from("a matrix row takes a source")) };
        let source = self.source(read, &mut None)?;
        self.emit(Opcode::Dp3, 0, dst(temp(self.rows), mask), &[src(coordinates), source]);
        Ok(())
    }

    /// 2 (N·E) / (N·N) N - E, for the normal that the rows are.
    fn reflect(&mut self, op: &Op, code: Opcode, stage: u16) -> Step {
        let normal = temp(self.rows);
        let eye = self.scratch()?;
        if code == Opcode::Texm3x3spec {
            let Some(read) = op.reads.get(1) else {
                return Err(String::from("texm3x3spec takes two sources"));
            };
            let source = self.source(read, &mut None)?;
            self.emit(Opcode::Mov, 0, dst(eye, WriteMask::XYZ), &[source]);
        } else {
            for n in 0..3 {
                let Some(row) = (stage + n).checked_sub(2) else {
                    return Err(String::from("the matrix rows would begin below stage 0"));
                };
                let coordinates = self.coordinates(row);
                self.emit(Opcode::Mov, 0, dst(eye, WriteMask::lane(n.into())), &[lane(coordinates, 3)]);
            }
        }
        let part = self.scratch()?;
        let (x, y) = (WriteMask::X, WriteMask::from_bits(2));
        self.emit(Opcode::Dp3, 0, dst(part, x), &[src(normal), src(eye)]);
        self.emit(Opcode::Dp3, 0, dst(part, y), &[src(normal), src(normal)]);
        self.emit(Opcode::Rcp, 0, dst(part, y), &[lane(part, 1)]);
        self.emit(Opcode::Mul, 0, dst(part, x), &[lane(part, 0), lane(part, 1)]);
        self.emit(Opcode::Add, 0, dst(part, x), &[lane(part, 0), lane(part, 0)]);
        self.emit(
            Opcode::Mad,
            0,
            dst(normal, WriteMask::XYZ),
            &[lane(part, 0), src(normal), negated(src(eye))],
        );
        Ok(())
    }

    /// Texture instructions of ps_1_4.
    fn texture_4(&mut self, op: &Op, code: Opcode, reg: Reg) -> Step {
        if reg.0 != RegType::Temp {
            return Err(format!("the result of {} is not a temporary", op.name));
        }
        if code == Opcode::Texdepth {
            // r / g, where g counts as 1 at most.
            let below = self.scratch()?;
            self.emit(Opcode::Min, 0, dst(below, WriteMask::X), &[lane(reg, 1), number(1.0)]);
            return self.depth(lane(reg, 0), lane(below, 0));
        }
        let (Opcode::Tex | Opcode::Texcoord, Some(read)) = (code, op.reads.first()) else {
            return Err(format!("{} depends on state that ps_2_0 does not have", op.name));
        };
        let from = match read.reg.0 {
            RegType::AddrOrTexture => self.coordinates(read.reg.1),
            _ => read.reg,
        };
        let mask = op.write.map_or(WriteMask::ALL, |write| write.1);
        let third_is_w = read.token.swizzle().get(2) == 3;
        let divided = match read.token.modifier() {
            0 => None,
            DZ => Some(2),
            DW => Some(3),
            _ => return Err(String::from("the modifier is not one of coordinates")),
        };
        let mut place = from;
        if let Some(by) = divided {
            // x/z and y/z; 1 where z is 0.
            let quotient = self.scratch()?;
            let divisor = self.scratch()?;
            self.emit(Opcode::Rcp, 0, dst(divisor, WriteMask::X), &[lane(from, by)]);
            self.emit(Opcode::Mul, 0, dst(quotient, XY), &[src(from), lane(divisor, 0)]);
            self.emit(Opcode::Mul, 0, dst(divisor, WriteMask::X), &[lane(from, by), lane(from, by)]);
            let tested = [negated(lane(divisor, 0)), number(1.0), src(quotient)];
            self.emit(Opcode::Cmp, 0, dst(quotient, XY), &tested);
            place = quotient;
        } else if third_is_w {
            let moved = self.scratch()?;
            self.emit(Opcode::Mov, 0, dst(moved, XY), &[src(from)]);
            self.emit(Opcode::Mov, 0, dst(moved, Z), &[lane(from, 3)]);
            place = moved;
        }
        if code == Opcode::Tex {
            self.sample(reg, place, reg.1, false);
        } else {
            self.emit(Opcode::Mov, 0, dst(reg, mask), &[src(place)]);
        }
        Ok(())
    }
}
