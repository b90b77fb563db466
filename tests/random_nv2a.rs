//! Random programs for the NV2A, as text and as slots: most of them good, the others with one of the mistakes that
//! people make and tools have.

use super::Rng;
use vecasm::isa::nv2a::pair::Operator;
use vecasm::isa::nv2a::table::{self, Field, Ilu, Mac};
use vecasm::isa::nv2a::{Program, Slot};

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())]
}

/// Whether something happens that does so once in `n` times.
fn once_in(rng: &mut Rng, n: usize) -> bool {
    rng.below(n) == 0
}

/// What the operands of a statement share.
struct Shared {
    attribute: usize,
    constant: usize,
    relative: bool,
}

impl Shared {
    fn new(rng: &mut Rng) -> Self {
        Self { attribute: rng.below(16), constant: rng.below(192), relative: once_in(rng, 5) }
    }
}

fn letters(rng: &mut Rng, mut count: usize) -> String {
    let rgba = once_in(rng, 8);
    let set = if rgba { *b"rgba" } else { *b"xyzw" };
    let mut out = String::from(".");
    while count > 0 {
        let b = set[rng.below(4)];
        out.push(if once_in(rng, 20) { b.to_ascii_uppercase() } else { b } as char);
        count -= 1;
    }
    out
}

fn mask(rng: &mut Rng) -> String {
    if once_in(rng, 3) {
        return String::new();
    }
    let bits = 1 + rng.below(15);
    let set = if once_in(rng, 8) { b"rgba" } else { b"xyzw" };
    let lanes: String = (0..4).filter(|n| bits >> n & 1 == 1).map(|n| set[n] as char).collect();
    format!(".{lanes}")
}

fn constant(rng: &mut Rng, n: usize, relative: bool) -> String {
    match (relative, rng.below(4)) {
        (true, 0) => format!("c[ {n} + A0 ]"),
        (true, 1) => format!("C[{n}+A0]"),
        (true, _) => format!("c[A0+{n}]"),
        (false, 0) => format!("c[{n}]"),
        (false, 1) => format!("C{n}"),
        (false, _) => format!("c{n}"),
    }
}

fn source(rng: &mut Rng, shared: &Shared) -> String {
    let mut out = String::from(if once_in(rng, 4) { "-" } else { "" });
    out += &match rng.below(9) {
        0..=3 => format!("{}{}", pick(rng, &["r", "r", "R"]), rng.below(13)),
        4..=5 => {
            let n = if once_in(rng, 12) { rng.below(16) } else { shared.attribute };
            let named = table::INPUTS.iter().find(|named| usize::from(named.number) == n);
            match named {
                Some(named) if once_in(rng, 3) => named.long.to_string(),
                _ => format!("{}{n}", pick(rng, &["v", "v", "V"])),
            }
        }
        6..=7 => {
            let n = if once_in(rng, 12) { rng.below(192) } else { shared.constant };
            let relative = if once_in(rng, 12) { !shared.relative } else { shared.relative };
            constant(rng, n, relative)
        }
        _ => pick(rng, &["#m", "#v", "#m[1]", "#m[3]", "#w", "#r0"]).to_string(),
    };
    match rng.below(5) {
        0..=1 => {}
        2 => out += &letters(rng, 1),
        _ => {
            let count = 1 + rng.below(4);
            out += &letters(rng, count);
        }
    }
    out
}

fn destination(rng: &mut Rng, temporary: Option<usize>) -> String {
    let out = match (rng.below(8), temporary) {
        (_, Some(n)) => format!("r{n}"),
        (0..=3, None) => format!("{}{}", pick(rng, &["r", "r", "R"]), rng.below(12)),
        (4..=6, None) => {
            let named = &table::OUTPUTS[rng.below(table::OUTPUTS.len())];
            pick(rng, &[named.short, named.long]).to_string()
        }
        _ => match rng.below(4) {
            0 => format!("c[{}]", rng.below(192)),
            1 => format!("c{}", rng.below(192)),
            _ => pick(rng, &["#m", "#m[2]", "#v", "#w"]).to_string(),
        },
    };
    out + &mask(rng)
}

fn operators(scalar: bool) -> Vec<Operator> {
    let mut out = vec![Operator::Mov];
    if scalar {
        out.extend(Ilu::ALL.iter().skip(2).map(|op| Operator::Ilu(*op)));
    } else {
        out.extend(Mac::ALL.iter().skip(2).map(|op| Operator::Mac(*op)));
    }
    out
}

fn operation(rng: &mut Rng, shared: &Shared, scalar: bool, paired: bool) -> String {
    let all = operators(scalar);
    let operator = pick(rng, &all);
    let name =
        if once_in(rng, 10) { operator.name().to_ascii_uppercase() } else { operator.name().to_string() };
    let dest = if operator == Operator::Mac(Mac::Arl) {
        pick(rng, &["a0", "a0", "A0", "a0.x", "A0.yz"]).to_string()
    } else {
        let temporary = (paired && scalar && !once_in(rng, 5)).then_some(1);
        destination(rng, temporary)
    };
    let sources: Vec<String> = (0..operator.sources()).map(|_| source(rng, shared)).collect();
    format!("{name} {dest}, {}", sources.join(pick(rng, &[", ", ", ", ",", " , "])))
}

/// The same operation with another destination.
fn twin(rng: &mut Rng, operation: &str) -> String {
    let (head, sources) = operation.split_once(',').unwrap_or((operation, ""));
    let name = head.split(' ').next().unwrap_or("");
    let dest = if name.eq_ignore_ascii_case("arl") { "a0".into() } else { destination(rng, None) };
    format!("{name} {dest},{sources}")
}

fn statement(rng: &mut Rng) -> String {
    let shared = Shared::new(rng);
    match rng.below(20) {
        0..=9 => {
            let scalar = once_in(rng, 3);
            operation(rng, &shared, scalar, false)
        }
        10..=16 => {
            let mut parts = vec![operation(rng, &shared, false, true), operation(rng, &shared, true, true)];
            match rng.below(8) {
                0 => parts.push(twin(rng, &parts[0])),
                1 => parts.push(twin(rng, &parts[1])),
                2 => parts[1] = twin(rng, &parts[0]),
                3 => parts[1] = operation(rng, &shared, false, false),
                _ => {}
            }
            if once_in(rng, 3) {
                parts.reverse();
            }
            parts.join(pick(rng, &[" + ", "+", "\n+ ", " +\n\n  "]))
        }
        17 => format!("%matmul4x4 {} {} #m", destination(rng, None), source(rng, &shared)),
        18 => format!("%norm3 {} {} r{}", destination(rng, None), source(rng, &shared), rng.below(12)),
        // MOVs of one or two values.
        _ => {
            let values = [source(rng, &shared), source(rng, &shared)];
            let count = 2 + rng.below(2);
            let movs: Vec<String> = (0..count)
                .map(|n| {
                    let value = if n == 0 { 0 } else { rng.below(2) };
                    let temporary = if once_in(rng, 2) { Some(1) } else { None };
                    format!("mov {}, {}", destination(rng, temporary), values[value])
                })
                .collect();
            movs.join(" + ")
        }
    }
}

/// A text in the language of nv2a-vsh.
pub(crate) fn text(rng: &mut Rng) -> String {
    let mut out = String::new();
    // The uniforms that operands name.
    let (matrix, vector) = if once_in(rng, 6) { (rng.below(400), rng.below(400)) } else { (96, 20) };
    out += &format!("#m matrix4 {matrix}\n#v vector {vector}\n#w VECTOR {}\n#r0 vector 96\n", rng.below(192));
    for _ in 0..=rng.below(4) {
        match rng.below(12) {
            0 => out += pick(rng, &["; a comment\n", "// 0x1\n", "/* one */\n", "\n\n", "\t"]),
            1 => out += " ",
            _ => {}
        }
        out += &statement(rng);
        out += pick(rng, &["\n", "\n", "\n", " ; behind\n", " // 0x2\n", " "]);
    }
    if once_in(rng, 10) {
        out = out.trim_end().to_string();
    }
    out
}

/// A slot that an assembler could give.
pub(crate) fn slot(rng: &mut Rng) -> Slot {
    let mut slot = Slot::EMPTY;
    let mac = if once_in(rng, 6) { Mac::Nop } else { Mac::ALL[rng.below(Mac::ALL.len())] };
    let ilu = if once_in(rng, 2) { Ilu::Nop } else { Ilu::ALL[rng.below(Ilu::ALL.len())] };
    slot.set(Field::Mac, mac.row().code);
    slot.set(Field::Ilu, ilu.row().code);
    for mux in [Field::AMux, Field::BMux, Field::CMux] {
        slot.set(mux, 1 + rng.below(3) as u32);
    }
    for field in [Field::ATempReg, Field::BTempReg, Field::CTempReg] {
        slot.set(field, rng.below(13) as u32);
    }
    for field in [Field::ASwz, Field::BSwz, Field::CSwz] {
        let swizzle = [0x1b, 0x00, 0x55, 0xaa, 0xff, rng.next() as u32, rng.next() as u32];
        slot.set(field, swizzle[rng.below(swizzle.len())]);
    }
    for field in [Field::ANeg, Field::BNeg, Field::CNeg] {
        slot.set(field, once_in(rng, 4).into());
    }
    slot.set(Field::Input, rng.below(16) as u32);
    slot.set(Field::Const, rng.below(192) as u32);
    slot.set(Field::A0x, once_in(rng, 5).into());
    let masks = [0, 15, rng.next() as u32 & 15];
    slot.set(Field::OutTempReg, rng.below(12) as u32);
    if mac != Mac::Nop && mac != Mac::Arl {
        slot.set(Field::OutMacMask, pick(rng, &masks));
    }
    if ilu != Ilu::Nop {
        slot.set(Field::OutIluMask, pick(rng, &masks));
    }
    let to_ilu = ilu != Ilu::Nop && (mac == Mac::Nop || mac == Mac::Arl || once_in(rng, 2));
    slot.set(Field::OutMux, to_ilu.into());
    if mac != Mac::Arl || to_ilu {
        slot.set(Field::OutOMask, pick(rng, &masks));
    }
    let to_constant = once_in(rng, 5);
    slot.set(Field::OutOrb, (!to_constant).into());
    let output = table::OUTPUTS[rng.below(table::OUTPUTS.len())].number.into();
    slot.set(Field::OutAddress, if to_constant { rng.below(192) as u32 } else { output });
    slot
}

/// A program whose last slot is final.
pub(crate) fn program(rng: &mut Rng) -> Program {
    let mut slots: Vec<Slot> = (0..=rng.below(6)).map(|_| slot(rng)).collect();
    if let Some(last) = slots.last_mut() {
        last.set(Field::Final, 1);
    }
    Program::new(slots)
}
