//! A reader of modules for tests: whether words are well formed, and their text.
//!
//! It knows the instructions that the writer uses from the specification's grammar, not from the writer: any other one is
//! an error. It judges that ids are defined once and before their use, that the types of operands and results agree, that
//! every block ends, and that phis name exactly the blocks that lead to theirs.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

/// What an operand is: `t` a type of the result, `r` the result, `i` an id, `I` ids up to the end, `n` a number, `N`
/// numbers up to the end, `s` a string, `l` a label, `P` pairs of a value and a label, `S` pairs of a number and a label, `M`
/// an optional mask with ids behind it.
const GRAMMAR: &[(u16, &str, &str)] = &[
    (2, "SourceContinued", "s"),
    (3, "Source", "nnis"),
    (5, "Name", "is"),
    (6, "MemberName", "ins"),
    (7, "String", "rs"),
    (8, "Line", "inn"),
    (10, "Extension", "s"),
    (11, "ExtInstImport", "rs"),
    (12, "ExtInst", "trinI"),
    (14, "MemoryModel", "nn"),
    (15, "EntryPoint", "nisI"),
    (16, "ExecutionMode", "iN"),
    (17, "Capability", "n"),
    (19, "TypeVoid", "r"),
    (20, "TypeBool", "r"),
    (21, "TypeInt", "rnn"),
    (22, "TypeFloat", "rn"),
    (23, "TypeVector", "rin"),
    (25, "TypeImage", "rinnnnnn"),
    (26, "TypeSampler", "r"),
    (27, "TypeSampledImage", "ri"),
    (28, "TypeArray", "rii"),
    (29, "TypeRuntimeArray", "ri"),
    (30, "TypeStruct", "rI"),
    (32, "TypePointer", "rni"),
    (33, "TypeFunction", "riI"),
    (41, "ConstantTrue", "tr"),
    (42, "ConstantFalse", "tr"),
    (43, "Constant", "trN"),
    (44, "ConstantComposite", "trI"),
    (46, "ConstantNull", "tr"),
    (48, "SpecConstantTrue", "tr"),
    (49, "SpecConstantFalse", "tr"),
    (50, "SpecConstant", "trN"),
    (51, "SpecConstantComposite", "trI"),
    (54, "Function", "trni"),
    (56, "FunctionEnd", ""),
    (59, "Variable", "trnI"),
    (60, "ImageTexelPointer", "triii"),
    (61, "Load", "tri"),
    (62, "Store", "ii"),
    (65, "AccessChain", "triI"),
    (68, "ArrayLength", "trin"),
    (71, "Decorate", "iN"),
    (72, "MemberDecorate", "inN"),
    (79, "VectorShuffle", "triiN"),
    (80, "CompositeConstruct", "trI"),
    (81, "CompositeExtract", "triN"),
    (82, "CompositeInsert", "triiN"),
    (86, "SampledImage", "trii"),
    (87, "ImageSampleImplicitLod", "triiM"),
    (88, "ImageSampleExplicitLod", "triiM"),
    (89, "ImageSampleDrefImplicitLod", "triiiM"),
    (90, "ImageSampleDrefExplicitLod", "triiiM"),
    (95, "ImageFetch", "triiM"),
    (96, "ImageGather", "triiiM"),
    (97, "ImageDrefGather", "triiiM"),
    (98, "ImageRead", "triiM"),
    (99, "ImageWrite", "iiiM"),
    (100, "Image", "tri"),
    (103, "ImageQuerySizeLod", "trii"),
    (104, "ImageQuerySize", "tri"),
    (105, "ImageQueryLod", "trii"),
    (106, "ImageQueryLevels", "tri"),
    (107, "ImageQuerySamples", "tri"),
    (109, "ConvertFToU", "tri"),
    (110, "ConvertFToS", "tri"),
    (111, "ConvertSToF", "tri"),
    (112, "ConvertUToF", "tri"),
    (113, "UConvert", "tri"),
    (114, "SConvert", "tri"),
    (115, "FConvert", "tri"),
    (124, "Bitcast", "tri"),
    (126, "SNegate", "tri"),
    (127, "FNegate", "tri"),
    (128, "IAdd", "trii"),
    (129, "FAdd", "trii"),
    (130, "ISub", "trii"),
    (131, "FSub", "trii"),
    (132, "IMul", "trii"),
    (133, "FMul", "trii"),
    (134, "UDiv", "trii"),
    (135, "SDiv", "trii"),
    (136, "FDiv", "trii"),
    (137, "UMod", "trii"),
    (138, "SRem", "trii"),
    (142, "VectorTimesScalar", "trii"),
    (148, "Dot", "trii"),
    (151, "UMulExtended", "trii"),
    (152, "SMulExtended", "trii"),
    (154, "Any", "tri"),
    (155, "All", "tri"),
    (164, "LogicalEqual", "trii"),
    (165, "LogicalNotEqual", "trii"),
    (166, "LogicalOr", "trii"),
    (167, "LogicalAnd", "trii"),
    (168, "LogicalNot", "tri"),
    (169, "Select", "triii"),
    (170, "IEqual", "trii"),
    (171, "INotEqual", "trii"),
    (172, "UGreaterThan", "trii"),
    (174, "UGreaterThanEqual", "trii"),
    (175, "SGreaterThanEqual", "trii"),
    (176, "ULessThan", "trii"),
    (177, "SLessThan", "trii"),
    (179, "SLessThanEqual", "trii"),
    (180, "FOrdEqual", "trii"),
    (183, "FUnordNotEqual", "trii"),
    (184, "FOrdLessThan", "trii"),
    (190, "FOrdGreaterThanEqual", "trii"),
    (194, "ShiftRightLogical", "trii"),
    (195, "ShiftRightArithmetic", "trii"),
    (196, "ShiftLeftLogical", "trii"),
    (197, "BitwiseOr", "trii"),
    (198, "BitwiseXor", "trii"),
    (199, "BitwiseAnd", "trii"),
    (200, "Not", "tri"),
    (201, "BitFieldInsert", "triiii"),
    (202, "BitFieldSExtract", "triii"),
    (203, "BitFieldUExtract", "triii"),
    (204, "BitReverse", "tri"),
    (205, "BitCount", "tri"),
    (210, "DPdxFine", "tri"),
    (211, "DPdyFine", "tri"),
    (213, "DPdxCoarse", "tri"),
    (214, "DPdyCoarse", "tri"),
    (218, "EmitVertex", ""),
    (219, "EndPrimitive", ""),
    (220, "EmitStreamVertex", "i"),
    (221, "EndStreamPrimitive", "i"),
    (224, "ControlBarrier", "iii"),
    (225, "MemoryBarrier", "ii"),
    (227, "AtomicLoad", "triii"),
    (229, "AtomicExchange", "triiii"),
    (230, "AtomicCompareExchange", "triiiiii"),
    (234, "AtomicIAdd", "triiii"),
    (236, "AtomicSMin", "triiii"),
    (237, "AtomicUMin", "triiii"),
    (238, "AtomicSMax", "triiii"),
    (239, "AtomicUMax", "triiii"),
    (240, "AtomicAnd", "triiii"),
    (241, "AtomicOr", "triiii"),
    (242, "AtomicXor", "triiii"),
    (245, "Phi", "trP"),
    (246, "LoopMerge", "lln"),
    (247, "SelectionMerge", "ln"),
    (248, "Label", "r"),
    (249, "Branch", "l"),
    (250, "BranchConditional", "ill"),
    (251, "Switch", "ilS"),
    (252, "Kill", ""),
    (253, "Return", ""),
    (255, "Unreachable", ""),
    (334, "GroupNonUniformAll", "trii"),
    (335, "GroupNonUniformAny", "trii"),
    (336, "GroupNonUniformAllEqual", "trii"),
    (338, "GroupNonUniformBroadcastFirst", "trii"),
    (339, "GroupNonUniformBallot", "trii"),
    (345, "GroupNonUniformShuffle", "triii"),
    (5056, "ReadClockKHR", "tri"),
    (5380, "DemoteToHelperInvocation", ""),
];

#[derive(Clone, Debug)]
enum Operand {
    Type(u32),
    Result(u32),
    Id(u32),
    Number(u32),
    Text(String),
    Label(u32),
}

#[derive(Clone, Debug)]
struct Instruction {
    code: u16,
    name: &'static str,
    operands: Vec<Operand>,
}

impl Instruction {
    fn result(&self) -> Option<u32> {
        self.operands.iter().find_map(|o| if let Operand::Result(id) = o { Some(*id) } else { None })
    }

    fn ty(&self) -> Option<u32> {
        self.operands.iter().find_map(|o| if let Operand::Type(id) = o { Some(*id) } else { None })
    }

    fn ids(&self) -> Vec<u32> {
        self.operands.iter().filter_map(|o| if let Operand::Id(id) = o { Some(*id) } else { None }).collect()
    }

    fn numbers(&self) -> Vec<u32> {
        self.operands
            .iter()
            .filter_map(|o| if let Operand::Number(n) = o { Some(*n) } else { None })
            .collect()
    }

    fn labels(&self) -> Vec<u32> {
        self.operands
            .iter()
            .filter_map(|o| if let Operand::Label(id) = o { Some(*id) } else { None })
            .collect()
    }

    fn ends_block(&self) -> bool {
        (249..=255).contains(&self.code)
    }
}

fn read(words: &[u32]) -> Result<Vec<Instruction>, String> {
    if words.len() < 5 || words[0] != 0x0723_0203 || words[4] != 0 {
        return Err("no header".into());
    }
    let mut out = Vec::new();
    let mut at = 5;
    while at < words.len() {
        let (code, len) = (words[at] as u16, (words[at] >> 16) as usize);
        let body = words.get(at + 1..at + len).filter(|_| len > 0).ok_or(format!("word {at}: a length"))?;
        let (_, name, grammar) =
            GRAMMAR.iter().find(|(c, ..)| *c == code).ok_or(format!("instruction {code} is not known"))?;
        let mut operands = Vec::new();
        let mut rest = body;
        let take = |rest: &mut &[u32]| -> Result<u32, String> {
            let (first, more) = rest.split_first().ok_or(format!("{name} is too short"))?;
            *rest = more;
            Ok(*first)
        };
        for kind in grammar.chars() {
            match kind {
                't' => operands.push(Operand::Type(take(&mut rest)?)),
                'r' => operands.push(Operand::Result(take(&mut rest)?)),
                'i' => operands.push(Operand::Id(take(&mut rest)?)),
                'l' => operands.push(Operand::Label(take(&mut rest)?)),
                'n' => operands.push(Operand::Number(take(&mut rest)?)),
                's' => {
                    let mut bytes = Vec::new();
                    loop {
                        let word = take(&mut rest)?.to_le_bytes();
                        bytes.extend(word.iter().take_while(|b| **b != 0));
                        if word.contains(&0) {
                            break;
                        }
                    }
                    operands.push(Operand::Text(String::from_utf8(bytes).map_err(|e| e.to_string())?));
                }
                _ => {
                    if kind == 'M' && !rest.is_empty() {
                        operands.push(Operand::Number(take(&mut rest)?));
                    }
                    let mut n = 0;
                    while !rest.is_empty() {
                        let word = take(&mut rest)?;
                        operands.push(match kind {
                            'I' | 'M' => Operand::Id(word),
                            'P' if n % 2 == 0 => Operand::Id(word),
                            'S' if n % 2 == 0 => Operand::Number(word),
                            'P' | 'S' => Operand::Label(word),
                            _ => Operand::Number(word),
                        });
                        n += 1;
                    }
                }
            }
        }
        if !rest.is_empty() {
            return Err(format!("{name} has {} words too many", rest.len()));
        }
        out.push(Instruction { code, name, operands });
        at += len;
    }
    Ok(out)
}

/// The text of a module, without its header: an instruction a line.
pub(crate) fn text(words: &[u32]) -> String {
    let mut out = String::new();
    for instruction in read(words).unwrap() {
        if let Some(id) = instruction.result() {
            let _ = write!(out, "%{id} = ");
        }
        out.push_str("Op");
        out.push_str(instruction.name);
        for operand in &instruction.operands {
            let _ = match operand {
                Operand::Type(id) | Operand::Id(id) | Operand::Label(id) => write!(out, " %{id}"),
                Operand::Number(n) => write!(out, " {n:#x}"),
                Operand::Text(text) => write!(out, " {text:?}"),
                Operand::Result(_) => Ok(()),
            };
        }
        out.push('\n');
    }
    out
}

/// A type as far as it is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ty {
    Void,
    Bool,
    Int(u32, bool),
    Float(u32),
    Vector(u32, u32),
    Image(u32),
    Sampler,
    SampledImage(u32),
    Array(u32),
    Struct(Vec<u32>),
    Pointer(u32),
    Function,
}

struct Module {
    types: BTreeMap<u32, Ty>,
    /// The type of each result.
    of: BTreeMap<u32, u32>,
    /// Constants of one lane.
    numbers: BTreeMap<u32, u32>,
}

impl Module {
    fn ty(&self, id: u32) -> Result<&Ty, String> {
        self.types.get(&id).ok_or(format!("%{id} is no type"))
    }

    fn of(&self, id: u32) -> Result<u32, String> {
        self.of.get(&id).copied().ok_or(format!("%{id} has no type"))
    }

    /// The type of a lane, and how many there are.
    fn lanes(&self, id: u32) -> Result<(u32, u32), String> {
        Ok(match self.ty(id)? {
            Ty::Vector(of, n) => (*of, *n),
            _ => (id, 1),
        })
    }

    /// The type of a part.
    fn part(&self, id: u32, index: Option<u32>) -> Result<u32, String> {
        match self.ty(id)? {
            Ty::Vector(of, n) if index.is_none_or(|i| i < *n) => Ok(*of),
            Ty::Array(of) => Ok(*of),
            Ty::Struct(members) => members
                .get(index.ok_or("a computed member")? as usize)
                .copied()
                .ok_or("no such member".into()),
            other => Err(format!("a part {index:?} of {other:?}")),
        }
    }

    fn is(&self, id: u32, what: fn(&Ty) -> bool) -> Result<bool, String> {
        let (lane, _) = self.lanes(id)?;
        Ok(what(self.ty(lane)?))
    }

    /// Whether the types of an instruction agree.
    fn agrees(&self, i: &Instruction) -> Result<(), String> {
        let fail = |why: &str| Err(format!("{}: {why}", i.name));
        let Some(ty) = i.ty() else {
            if i.code == 62 {
                let ids = i.ids();
                let Ty::Pointer(to) = self.ty(self.of(ids[0])?)? else { return fail("no pointer") };
                if *to != self.of(ids[1])? {
                    return fail("another type than what is pointed to");
                }
            }
            if i.code == 99 {
                let ids = i.ids();
                let Ty::Image(of) = self.ty(self.of(ids[0])?)? else { return fail("no image") };
                let (lane, lanes) = self.lanes(self.of(ids[2])?)?;
                if lane != *of || lanes != 4 || !self.is(self.of(ids[1])?, |t| matches!(t, Ty::Int(..)))? {
                    return fail("the texel or its place");
                }
            }
            if i.code == 250 && *self.ty(self.of(i.ids()[0])?)? != Ty::Bool {
                return fail("the condition");
            }
            return Ok(());
        };
        let ids = i.ids();
        let given: Vec<u32> = match i.code {
            12 => ids[1..].iter().map(|id| self.of(*id)).collect::<Result<_, _>>()?,
            43 | 50 | 54 => Vec::new(),
            // The first value of a variable is one of what it points to.
            59 => Vec::new(),
            _ => ids.iter().map(|id| self.of(*id)).collect::<Result<_, _>>()?,
        };
        if i.code == 100 {
            let same = *self.ty(given[0])? == Ty::SampledImage(ty);
            return if same { Ok(()) } else { fail("another image") };
        }
        let (lane, lanes) = self.lanes(ty)?;
        let float = |id| self.is(id, |t| matches!(t, Ty::Float(_)));
        let int = |id| self.is(id, |t| matches!(t, Ty::Int(..)));
        let bool = |id| self.is(id, |t| *t == Ty::Bool);
        let same = given.iter().all(|g| *g == ty);
        let equal = given.windows(2).all(|w| w[0] == w[1]);
        let count = |id| self.lanes(id).map(|(_, n)| n);
        let fine = match i.code {
            127 | 129 | 131 | 133 | 136 | 210..=214 => same && float(ty)?,
            126 | 128 | 130 | 132 | 134 | 135 | 137 | 138 | 197..=200 | 204 => same && int(ty)?,
            142 => float(ty)? && given == [ty, lane],
            148 => equal && float(ty)? && self.lanes(given[0])?.0 == ty && count(given[0])? > 1,
            154 | 155 => bool(given[0])? && *self.ty(ty)? == Ty::Bool && count(given[0])? > 1,
            164..=168 => same && bool(ty)?,
            169 => {
                given[1] == ty && given[2] == ty && bool(given[0])? && [1, lanes].contains(&count(given[0])?)
            }
            170..=179 => equal && bool(ty)? && int(given[0])? && count(given[0])? == lanes,
            180..=190 => equal && bool(ty)? && float(given[0])? && count(given[0])? == lanes,
            194..=196 => given[0] == ty && int(ty)? && int(given[1])? && count(given[1])? == lanes,
            109 | 110 => float(given[0])? && int(ty)? && count(given[0])? == lanes,
            111 | 112 => int(given[0])? && float(ty)? && count(given[0])? == lanes,
            113 | 114 => int(given[0])? && int(ty)? && count(given[0])? == lanes && given[0] != ty,
            115 => float(given[0])? && float(ty)? && given[0] != ty && count(given[0])? == lanes,
            124 => {
                let bits = |id: u32| -> Result<u32, String> {
                    let (lane, n) = self.lanes(id)?;
                    Ok(match self.ty(lane)? {
                        Ty::Int(width, _) | Ty::Float(width) => width * n,
                        _ => 0,
                    })
                };
                bits(given[0])? == bits(ty)? && bits(ty)? > 0 && given[0] != ty
            }
            79 => {
                let all = count(given[0])? + count(given[1])?;
                self.lanes(given[0])?.0 == lane
                    && self.lanes(given[1])?.0 == lane
                    && i.numbers().len() as u32 == lanes
                    && i.numbers().iter().all(|n| *n < all)
            }
            80 => {
                let mut n = 0;
                for part in &given {
                    let (of, more) = self.lanes(*part)?;
                    n += more;
                    if of != lane {
                        return fail("a part of another type");
                    }
                }
                n == lanes && given.len() > 1
            }
            81 => self.part(given[0], Some(i.numbers()[0]))? == ty,
            82 => given[1] == ty && self.part(ty, Some(i.numbers()[0]))? == given[0],
            44 => {
                let parts = given.iter().enumerate();
                parts
                    .map(|(n, part)| Ok(self.part(ty, Some(n as u32))? == *part))
                    .collect::<Result<Vec<bool>, String>>()?
                    .iter()
                    .all(|fits| *fits)
            }
            61 => *self.ty(given[0])? == Ty::Pointer(ty),
            65 => {
                let Ty::Pointer(mut to) = self.ty(given[0])?.clone() else { return fail("no pointer") };
                for index in &ids[1..] {
                    to = self.part(to, self.numbers.get(index).copied())?;
                }
                *self.ty(ty)? == Ty::Pointer(to)
            }
            245 => same && !given.is_empty(),
            86 => {
                let Ty::SampledImage(image) = self.ty(ty)? else { return fail("no image with a sampler") };
                given[0] == *image && *self.ty(given[1])? == Ty::Sampler
            }
            87 | 88 | 96 | 97 => {
                let Ty::SampledImage(image) = self.ty(given[0])? else { return fail("no sampler") };
                let Ty::Image(of) = self.ty(*image)? else { return fail("no image") };
                lane == *of && lanes == 4 && float(given[1])?
            }
            89 | 90 => {
                matches!(self.ty(given[0])?, Ty::SampledImage(_)) && float(given[1])? && given[2] == ty
            }
            95 => {
                let Ty::Image(of) = self.ty(given[0])? else { return fail("no image") };
                lane == *of && lanes == 4 && int(given[1])?
            }
            98 => {
                let Ty::Image(of) = self.ty(given[0])? else { return fail("no image") };
                lane == *of && lanes == 4 && int(given[1])?
            }
            60 => {
                let Ty::Pointer(image) = self.ty(given[0])? else { return fail("no pointer") };
                let Ty::Image(of) = self.ty(*image)? else { return fail("no image") };
                *self.ty(ty)? == Ty::Pointer(*of) && int(given[1])? && int(given[2])?
            }
            68 => {
                let Ty::Pointer(block) = self.ty(given[0])? else { return fail("no pointer") };
                matches!(self.ty(self.part(*block, Some(i.numbers()[0]))?)?, Ty::Array(_))
                    && *self.ty(ty)? == Ty::Int(32, false)
            }
            227..=242 => {
                let scopes = if i.code == 230 { 4 } else { 3 };
                *self.ty(given[0])? == Ty::Pointer(ty)
                    && int(ty)?
                    && given[1..scopes].iter().all(|of| self.ty(*of) == Ok(&Ty::Int(32, false)))
                    && given[scopes..].iter().all(|of| *of == ty)
            }
            334 | 335 => given[1] == ty && *self.ty(ty)? == Ty::Bool,
            336 => *self.ty(ty)? == Ty::Bool && !float(given[1])?,
            338 | 345 => given[1] == ty,
            339 => *self.ty(given[1])? == Ty::Bool && int(ty)? && lanes == 4,
            51 => given.len() as u32 == lanes && given.iter().all(|of| *of == lane),
            201 => given[0] == ty && given[1] == ty && int(ty)?,
            202 | 203 => given[0] == ty && int(ty)?,
            205 => int(ty)? && int(given[0])? && count(given[0])? == lanes,
            12 => match i.numbers()[0] {
                76..=78 => float(ty)?,
                58 => int(ty)? && float(given[0])?,
                62 => float(ty)? && int(given[0])?,
                5 | 7 | 38..=42 | 44 | 45 | 73..=75 => same && int(ty)?,
                _ => same && float(ty)?,
            },
            _ => true,
        };
        if fine { Ok(()) } else { fail(&format!("the types do not agree: {i:?}")) }
    }
}

/// Whether a module is well formed.
pub(crate) fn check(words: &[u32]) -> Result<(), String> {
    let all = read(words)?;
    let bound = words[3];
    let mut module = Module { types: BTreeMap::new(), of: BTreeMap::new(), numbers: BTreeMap::new() };
    let mut defined: BTreeSet<u32> = BTreeSet::new();
    // The blocks of the function: where each leads, and its phis.
    let mut leads: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut phis: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut later: Vec<u32> = Vec::new();
    let mut block: Option<u32> = None;
    let mut inside = false;
    let mut before_phi = true;
    for (n, i) in all.iter().enumerate() {
        let at = |why: String| format!("instruction {n}: {why}");
        for id in i.result().into_iter().chain(i.ty()).chain(i.ids()).chain(i.labels()) {
            if id == 0 || id >= bound {
                return Err(at(format!("%{id} is out of bounds")));
            }
        }
        if inside && !matches!(i.code, 248 | 56 | 59) && block.is_none() {
            return Err(at(format!("{} is in no block", i.name)));
        }
        // Names, decorations and the entry point speak of what comes later; so do phis of loops.
        match i.code {
            5 | 6 | 15 | 16 | 71 | 72 => later.extend(i.ids()),
            245 => later.extend(i.ids()),
            _ => {
                for id in i.ty().into_iter().chain(i.ids()) {
                    if !defined.contains(&id) {
                        return Err(at(format!("{}: %{id} is used before it is defined", i.name)));
                    }
                }
            }
        }
        if let Some(id) = i.result() {
            if !defined.insert(id) {
                return Err(at(format!("%{id} is defined twice")));
            }
            if let Some(ty) = i.ty() {
                module.of.insert(id, ty);
            }
        }
        let (ids, numbers) = (i.ids(), i.numbers());
        let ty = match i.code {
            19 => Some(Ty::Void),
            20 => Some(Ty::Bool),
            21 => Some(Ty::Int(numbers[0], numbers[1] == 1)),
            22 => Some(Ty::Float(numbers[0])),
            23 => Some(Ty::Vector(ids[0], numbers[0])),
            25 => Some(Ty::Image(ids[0])),
            26 => Some(Ty::Sampler),
            27 => Some(Ty::SampledImage(ids[0])),
            28 | 29 => Some(Ty::Array(ids[0])),
            30 => Some(Ty::Struct(ids.clone())),
            32 => Some(Ty::Pointer(ids[0])),
            33 => Some(Ty::Function),
            _ => None,
        };
        if let (Some(ty), Some(id)) = (ty, i.result()) {
            // No two types may be the same, but for those with decorations of their own.
            let own = matches!(ty, Ty::Array(_) | Ty::Struct(_) | Ty::Image(_));
            if !own && !matches!(ty, Ty::Pointer(_)) && module.types.values().any(|there| *there == ty) {
                return Err(at(format!("{ty:?} is declared twice")));
            }
            module.types.insert(id, ty);
        }
        if let (43, Some(id)) = (i.code, i.result()) {
            module.numbers.insert(id, numbers[0]);
        }
        match i.code {
            54 => inside = true,
            56 => {
                if block.is_some() {
                    return Err(at("the last block does not end".into()));
                }
                inside = false;
            }
            248 => {
                if block.is_some() {
                    return Err(at("a block does not end".into()));
                }
                block = i.result();
                before_phi = true;
            }
            245 if !before_phi => return Err(at("a phi follows something else".into())),
            245 => phis.push((block.unwrap_or(0), i.labels())),
            246 | 247 => {
                let next = all.get(n + 1).map_or(0, |next| next.code);
                if !matches!((i.code, next), (246, 249 | 250) | (247, 250 | 251)) {
                    return Err(at("a merge in front of no branch".into()));
                }
                later.extend(i.labels());
            }
            _ => {}
        }
        before_phi &= matches!(i.code, 248 | 245);
        if inside && i.ends_block() {
            if let Some(block) = block.take() {
                leads.insert(block, i.labels());
            }
        }
        if i.code != 245 {
            module.agrees(i).map_err(at)?;
        }
    }
    if inside {
        return Err("the function does not end".into());
    }
    for i in all.iter().filter(|i| i.code == 245) {
        module.agrees(i)?;
    }
    if let Some(id) = later.iter().find(|id| !defined.contains(id)) {
        return Err(format!("%{id} is defined nowhere"));
    }
    for to in leads.values().flatten() {
        if !leads.contains_key(to) {
            return Err(format!("a branch to %{to}, which is no block"));
        }
    }
    for (block, parents) in phis {
        let mut from: Vec<u32> =
            leads.iter().filter(|(_, to)| to.contains(&block)).map(|(from, _)| *from).collect();
        let mut named = parents;
        from.sort_unstable();
        named.sort_unstable();
        if from != named {
            return Err(format!("a phi of block %{block} names {named:?}, and {from:?} lead there"));
        }
    }
    Ok(())
}

#[test]
fn what_is_wrong_is_found() {
    // A module whose function adds two numbers: each change breaks one rule.
    let float = 1f32.to_bits();
    let good = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
        let mut list: Vec<Vec<u32>> = vec![
            vec![19, 1],
            vec![33, 2, 1],
            vec![22, 3, 32],
            vec![43, 3, 4, float],
            vec![54, 1, 5, 0, 2],
            vec![248, 6],
            vec![129, 3, 7, 4, 4],
            vec![253],
            vec![56],
        ];
        change(&mut list);
        let mut words = vec![0x0723_0203, 0x1_0000, 0, 9, 0];
        for i in list {
            words.push(i[0] | (i.len() as u32) << 16);
            words.extend(&i[1..]);
        }
        check(&words)
    };
    assert_eq!(good(&|_| {}), Ok(()));
    type Breaks<'a> = &'a dyn Fn(&mut Vec<Vec<u32>>);
    let broken: &[(Breaks<'_>, &str)] = &[
        (&|l| l[6][3] = 8, "used before"),
        (&|l| l[6][2] = 4, "defined twice"),
        (&|l| l[6][0] = 128, "do not agree"),
        (&|l| l[6][4] = 9, "out of bounds"),
        (&|l| drop(l.remove(7)), "does not end"),
        (&|l| l[7] = vec![249, 8], "no block"),
        (&|l| drop(l.remove(5)), "in no block"),
        (&|l| l[2] = vec![22, 3], "too short"),
        (&|l| l[7].push(1), "too many"),
    ];
    for (change, expected) in broken {
        let said = good(*change).unwrap_err();
        assert!(said.contains(expected), "{said}: not {expected}");
    }
}
