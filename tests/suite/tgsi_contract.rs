//! The contract of TGSI: what must hold for every row of its table, in every dialect that has it.

use crate::properties::tgsi::survives;
use crate::trial;
use libtest_mimic::Trial;
use std::collections::{BTreeMap, BTreeSet};
use vecasm::isa::operand::{Swizzle, WriteMask};
use vecasm::isa::table::Shape;
use vecasm::isa::tgsi::bytes::{decode_as, encode};
use vecasm::isa::tgsi::dialect::{Dialect, Numbering};
use vecasm::isa::tgsi::formats::Format;
use vecasm::isa::tgsi::names::{File, ReturnType, Target};
use vecasm::isa::tgsi::program::{
    Dimension, Indirect, Instruction, Memory, Op, Operand, Predicate, Processor, Program, Texture,
};
use vecasm::isa::tgsi::table::{ALIASES, Mode, Opcode};
use vecasm::isa::tgsi::text::{ParseOptions, Style, parse, print};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("contract tgsi: the table is sound".into(), table_is_sound),
        trial("contract tgsi: every row".into(), every_row),
        trial("contract tgsi: every single-bit corruption".into(), every_corruption),
    ]
}

const NUMBERINGS: [Numbering; 3] = [Numbering::Legacy, Numbering::Mesa, Numbering::Virgl];

/// The numbers that Mesa 22.3.6 leaves out; its last one is 251.
const MESA_GAPS: [u8; 8] = [67, 81, 82, 93, 113, 114, 115, 165];

/// Numbers of removed instructions: in Mesa 10.1.6, and in virglrenderer 1.3.0, which kept five.
const REMOVED: &[(&str, u8, Option<u8>)] = &[
    ("SUB", 17, Some(17)),
    ("CND", 19, None),
    ("DP2A", 21, None),
    ("CLAMP", 25, None),
    ("XPD", 31, Some(27)),
    ("ABS", 33, Some(28)),
    ("RCC", 34, None),
    ("DPH", 35, Some(29)),
    ("RFL", 44, None),
    ("SFL", 46, None),
    ("STR", 51, None),
    ("X2D", 59, None),
    ("ARA", 60, None),
    ("BRA", 62, None),
    ("SCS", 67, Some(55)),
    ("NRM", 69, None),
    ("PUSHA", 81, None),
    ("POPA", 82, None),
    ("SAD", 93, None),
    ("TXQ_LZ", 103, None),
    ("NRM4", 112, None),
    ("CALLNZ", 113, None),
    ("BREAKC", 115, None),
    ("MFENCE", 163, None),
    ("LFENCE", 164, None),
    ("SFENCE", 165, None),
];

fn table_is_sound() -> Result<(), String> {
    for op in Opcode::ALL {
        let row = op.row();
        let fail = |why: &str| Err(format!("{}: {why}", row.name));
        if row.doc.is_empty() || !row.doc.ends_with('.') {
            return fail("the sentence is missing or does not end");
        }
        if row.stages.list().is_empty() {
            return fail("no stage has it");
        }
        if !Dialect::ALL.iter().any(|dialect| row.is_in(*dialect)) {
            return fail("no dialect has it");
        }
        let (destinations, sources) = (row.destinations(), row.source_shapes());
        let behind = usize::from(row.has_target()) + usize::from(row.has_label());
        if destinations + sources.len() + behind != row.shape.len() || destinations > 2 || sources.len() > 5 {
            return fail("the shape is not destinations, sources, and a target or label");
        }
        if sources.iter().any(|s| matches!(s, Shape::Dst | Shape::Store | Shape::Target | Shape::Label)) {
            return fail("a source that is none");
        }
        if destinations > 0 && row.mode == Mode::None {
            return fail("a destination without a result");
        }
        for numbering in NUMBERINGS {
            if row.code(numbering).is_some_and(|code| Opcode::from_code(numbering, code) != Some(*op)) {
                return fail("its number does not give it");
            }
        }
        // What both have has one number in both.
        if let (Some(old), Some(new)) = (row.code(Numbering::Legacy), row.code(Numbering::Mesa)) {
            if old != new {
                return fail("Mesa has renumbered it");
            }
        }
        let old_only = row.code(Numbering::Mesa).is_none();
        let removed = REMOVED.iter().find(|(name, ..)| *name == row.name);
        if old_only != removed.is_some() {
            return fail("Mesa 22 has what was removed, or lacks what was not");
        }
        let numbers = (row.code(Numbering::Legacy), row.code(Numbering::Virgl));
        if removed.is_some_and(|(_, legacy, virgl)| numbers != (Some(*legacy), *virgl)) {
            return fail("the numbers of what was removed are others");
        }
    }
    if Opcode::ALL.iter().filter(|op| op.row().code(Numbering::Mesa).is_none()).count() != REMOVED.len() {
        return Err("a removed instruction is missing".into());
    }
    // Rows stand in the order of Mesa's numbers, and which numbers there are is known.
    let mesa: Vec<u8> = Opcode::ALL.iter().filter_map(|op| op.row().code(Numbering::Mesa)).collect();
    if mesa != (0..=251).filter(|code| !MESA_GAPS.contains(code)).collect::<Vec<u8>>() {
        return Err("the numbers of Mesa are not in order, or not those".into());
    }
    let virgl: BTreeSet<u8> = Opcode::ALL.iter().filter_map(|op| op.row().code(Numbering::Virgl)).collect();
    if virgl != (0..235).collect() {
        return Err("virglrenderer numbers 235 instructions from 0".into());
    }
    for dialect in Dialect::ALL {
        let mut names = BTreeMap::new();
        let rows = Opcode::ALL.iter().filter(|op| op.row().is_in(*dialect));
        let all = rows.map(|op| (op.row().name, *op)).chain(ALIASES.iter().copied());
        for (name, op) in all {
            if let Some(other) = names.insert(name.to_ascii_uppercase(), op) {
                return Err(format!("{name}: {other:?} and {op:?} share the name in {dialect:?}"));
            }
        }
    }
    Ok(())
}

fn swizzles() -> [Swizzle; 4] {
    [Swizzle::IDENTITY, Swizzle::splat(3), Swizzle::new(3, 2, 1, 0), Swizzle::new(1, 1, 0, 3)]
}

/// Masks: none, a lane, some, all.
const MASKS: [u8; 5] = [0, 1, 8, 10, 15];

const fn through(file: File, index: i16, component: u8, array: u16) -> Option<Indirect> {
    Some(Indirect { file, index, component, array })
}

/// Ways to say which register: plain, at the ends of the range, through an address, with two indices.
fn registers(file: File) -> Vec<Operand> {
    let plain = Operand::new(file, 3);
    let address = through(File::Addr, 0, 1, 0);
    vec![
        plain,
        Operand::new(file, i16::MAX),
        Operand { index: -1, ..plain },
        Operand { indirect: address, ..plain },
        Operand { index: -7, indirect: through(File::Temp, 5, 3, 1023), ..plain },
        Operand { dimension: Some(Dimension { index: 2, indirect: None }), ..plain },
        Operand { indirect: address, dimension: Some(Dimension { index: 0, indirect: address }), ..plain },
    ]
}

fn files(shape: Shape, dialect: Dialect) -> Vec<File> {
    let files: &[File] = match shape {
        Shape::Sampler => &[File::Samp],
        Shape::View => &[File::Sview],
        Shape::Resource | Shape::Store => &[File::Buffer, File::Image, File::Memory, File::Res],
        Shape::Dst => &[File::Temp, File::Out, File::Addr],
        _ => &[File::Temp, File::In, File::Const, File::Imm],
    };
    files.iter().copied().filter(|file| file.code(dialect.numbering()).is_some()).collect()
}

/// One form of an instruction: the head, destinations, sources, texel offsets.
#[derive(Clone)]
struct Form {
    head: Instruction,
    lists: [Vec<Operand>; 3],
}

impl Form {
    fn program(&self, dialect: Dialect) -> Program {
        let mut program = Program::new(dialect, Processor::Fragment, 1);
        let [destinations, sources, offsets] = &self.lists;
        program.push_instruction(self.head, destinations, sources, offsets);
        program
    }
}

/// The instruction as it is usually written.
fn plain(op: Opcode, dialect: Dialect) -> Form {
    let row = op.row();
    let operand =
        |shape: &Shape| Operand::new(files(*shape, dialect).first().copied().unwrap_or(File::Temp), 1);
    let (destinations, rest) = row.shape.split_at(row.destinations());
    let sources = rest.iter().take(row.sources_in(dialect)).map(operand).collect();
    let mut head = Instruction::new(Op::Known(op));
    let texture = |target| Some(Texture { target, returns: ReturnType::UNSAID });
    if row.has_target() {
        head.texture = texture(Target::D2);
    } else if row.says_texture() {
        head.texture = texture(Target::Unsaid);
    }
    if row.says_memory(dialect) {
        head.memory = Some(Memory { qualifiers: 0, target: Target::Buffer, format: Format::NONE });
    }
    Form { head, lists: [destinations.iter().map(operand).collect(), sources, Vec::new()] }
}

/// The forms of a row that the contract is about: one thing after the other is not as usual.
fn forms(op: Opcode, dialect: Dialect) -> Vec<Form> {
    let row = op.row();
    let usual = plain(op, dialect);
    let mut out = vec![usual.clone()];
    let mut with = |change: &dyn Fn(&mut Form)| {
        let mut form = usual.clone();
        change(&mut form);
        out.push(form);
    };
    let legacy = dialect == Dialect::Legacy;
    for saturate in 0..if legacy { 3 } else { 2 } {
        for precise in [false, true] {
            with(&|form| (form.head.saturate, form.head.precise) = (saturate, precise && !legacy));
        }
    }
    if legacy {
        for negate in [false, true] {
            let predicate = Predicate { index: 0, swizzle: Swizzle::splat(2), negate };
            with(&|form| form.head.predicate = Some(predicate));
        }
    }
    if row.has_label() {
        for label in [0, 9, 0xff_ffff] {
            with(&|form| form.head.label = Some(label));
        }
    }
    if row.has_target() {
        for target in Target::ALL.iter().filter(|target| target.code(dialect.numbering()).is_some()) {
            with(&|form| form.head.texture = Some(Texture { target: *target, returns: ReturnType::UNSAID }));
        }
        let offset = |n| Operand { swizzle: Swizzle::new(2, 1, 0, 3), ..Operand::new(File::Imm, n) };
        for count in 1..=4 {
            with(&|form| form.lists[2] = (0..count).map(offset).collect());
        }
    }
    if row.says_memory(dialect) {
        for qualifiers in 0..8 {
            for target in [Target::Buffer, Target::D2] {
                with(&|form| {
                    form.head.memory = Some(Memory { qualifiers, target, format: Format::NONE });
                });
            }
        }
    }
    for (list, shapes) in [(0, &row.shape[..row.destinations()]), (1, row.source_shapes())] {
        for (n, shape) in shapes.iter().take(usual.lists[list].len()).enumerate() {
            for file in files(*shape, dialect) {
                for register in registers(file) {
                    with(&|form| form.lists[list][n] = register);
                }
                let register = Operand::new(file, 3);
                if list == 0 {
                    for mask in MASKS {
                        let mask = WriteMask::from_bits(mask);
                        with(&|form| form.lists[0][n] = Operand { mask, ..register });
                    }
                    continue;
                }
                for swizzle in swizzles() {
                    for (absolute, negate) in [(false, false), (true, false), (false, true), (true, true)] {
                        let changed = Operand { swizzle, absolute, negate, ..register };
                        with(&|form| form.lists[1][n] = changed);
                    }
                }
            }
        }
    }
    out
}

/// The words of the usual form, by hand from the layout of tokens: a header of two words with so many behind it, the
/// number of the fragment stage, then the instruction with its destinations and sources.
fn words(op: Opcode, dialect: Dialect) -> Option<Vec<u32>> {
    let row = op.row();
    let code = u32::from(row.code(dialect.numbering())?);
    let form = plain(op, dialect);
    let [destinations, sources] = [0, 1].map(|n| form.lists[n].len() as u32);
    let file = |operand: &Operand| operand.file.code(dialect.numbering()).map(u32::from);
    let mut body = Vec::new();
    // 2D is 2, what is not said 18. What a texel is stands from bit 12 where Mesa writes it: 5 if it is not said.
    if let Some(texture) = form.head.texture {
        let target = if texture.target == Target::D2 { 2 } else { 18 };
        body.push(if dialect.numbering() == Numbering::Mesa { target | 5 << 12 } else { target });
    }
    if form.head.memory.is_some() {
        body.push(0);
    }
    for operand in &form.lists[0] {
        body.push(file(operand)? | 0xf << 4 | 1 << 10);
    }
    for operand in &form.lists[1] {
        body.push(file(operand)? | 1 << 6 | 0xe4 << 22);
    }
    let [texture, memory] = [form.head.texture.is_some(), form.head.memory.is_some()].map(u32::from);
    let length = body.len() as u32;
    let rest = match dialect.numbering() {
        Numbering::Legacy => code << 12 | destinations << 22 | sources << 24 | texture << 30,
        Numbering::Mesa => code << 12 | destinations << 21 | sources << 23 | texture << 28 | memory << 29,
        Numbering::Virgl => code << 13 | destinations << 22 | sources << 24 | texture << 29 | memory << 30,
    };
    // Fragment programs are number 0 in the oldest enumeration, 1 in the manual's, 4 along the pipeline.
    let stage = match dialect {
        Dialect::Legacy | Dialect::Virgl => 0,
        Dialect::Seed => 1,
        Dialect::Mesa22 | Dialect::Mesa25 => 4,
    };
    let mut out = vec![2 | (length + 1) << 8, stage, 2 | length << 4 | rest];
    out.extend(body);
    Some(out)
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Every form of every row gives the same program from its tokens and from its text; the usual one is what the layout
/// asks for, and ordinary text.
fn every_row() -> Result<(), String> {
    let (mut rows, mut cases) = (0, 0);
    for &dialect in Dialect::ALL {
        for &op in Opcode::ALL.iter().filter(|op| op.row().is_in(dialect)) {
            let place = |why: String| format!("{op:?} in {dialect:?}: {why}");
            for form in forms(op, dialect) {
                let program = form.program(dialect);
                let bytes = encode(&program);
                if decode_as(&bytes, dialect) != program {
                    let again = decode_as(&bytes, dialect);
                    return Err(place(format!("{program:?}\nis decoded as\n{again:?}")));
                }
                survives(&program).map_err(place)?;
                cases += 1;
            }
            let program = plain(op, dialect).program(dialect);
            let wanted = words(op, dialect).ok_or_else(|| place("it has no number".into()))?;
            if encode(&program) != bytes_of(&wanted) {
                return Err(place(format!("{:02x?} is not {wanted:08x?}", encode(&program))));
            }
            // Whoever has the instruction reads the text of it.
            let printed = print(&program, Style::Lossless);
            let line = printed.lines().find(|line| line.contains(op.row().name)).unwrap_or_default();
            let text = format!("FRAG\n{line}\n");
            let strict = ParseOptions { dialect: Some(dialect), ..ParseOptions::default() };
            match parse(&text, &strict) {
                (Some(again), _) if again == program => {}
                (again, findings) => {
                    return Err(place(format!("{text}is read as {again:?}: {findings:?}")));
                }
            }
            rows += 1;
        }
    }
    // 244 rows are Mesa's, 235 virglrenderer's: less would mean that nothing was tried.
    if rows < 1_100 || cases < 100_000 { Err(format!("only {rows} rows in {cases} cases")) } else { Ok(()) }
}

/// The usual tokens of each row survive the loss of any bit.
fn every_corruption() -> Result<(), String> {
    for &dialect in Dialect::ALL {
        for &op in Opcode::ALL.iter().filter(|op| op.row().is_in(dialect)) {
            let words = words(op, dialect).ok_or("a row without a number")?;
            for bit in 0..words.len() * 32 {
                let mut words = words.clone();
                words[bit / 32] ^= 1 << (bit % 32);
                let bytes = bytes_of(&words);
                let program = decode_as(&bytes, dialect);
                let place = |why: &str| format!("{op:?} in {dialect:?}, bit {bit}: {why}");
                if encode(&program) != bytes {
                    return Err(place("other bytes came back"));
                }
                survives(&program).map_err(|why| place(&why))?;
            }
        }
    }
    Ok(())
}
