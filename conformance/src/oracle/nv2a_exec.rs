//! Running NV2A programs: single slots, programs of the corpus, random programs, and what the console's pictures show.
//!
//! Every case is lifted with its step table, so that temporaries and A0 can be read off the trace as well. Then each
//! pass has to keep what came out, and the program in IEEE arithmetic has to verify and run.

use super::{File, bits, check_lines, check_numbered_lines, check_table};
use crate::passes::check::PASSES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine, Outputs};
use vecasm::ir::steps::Cell;
use vecasm::ir::verify::verify;
use vecasm::ir::{Arith, Rule, Shader};
use vecasm::isa::nv2a::lift::{Arl, Clamp, Numerics, Options, Space, lift};
use vecasm::isa::nv2a::text::{ParseOptions, parse};
use vecasm::isa::nv2a::{Program, Slot};
use vecasm::isa::{AnyProgram, Depth};
use vecasm::lower::{Ends, OptimizeOptions, optimize};
use vecasm::opt::exact;

/// The lanes of a register; `None` is one that nobody wrote.
type Lanes = [Option<u32>; 4];
/// Registers by their names: `r5`, `o0`, `c96`, `fog`, `a0`.
type Registers = BTreeMap<String, Lanes>;

/// Every file about execution.
pub(crate) fn all(shared: &Path) -> Vec<File<'_>> {
    vec![
        check_lines(shared, "oracle/nv2a/slots.jsonl", |report, id, case| report.case(id, slot(case))),
        check_lines(shared, "oracle/nv2a/programs.jsonl", |report, id, case| {
            let words = text(case, "program").and_then(|name| {
                let file = shared.join("corpus/nv2a").join(format!("{name}.words"));
                std::fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))
            });
            report.case(id, words.and_then(|words| program(case, &slots(&words)?)));
        }),
        synthetic(shared),
        arl(shared),
        facts(shared),
        fog(shared),
    ]
}

/// `programs_synth.jsonl`: only the first row of each program has its words.
fn synthetic(shared: &Path) -> File<'_> {
    let name = "oracle/nv2a/programs_synth.jsonl";
    let text = std::fs::read_to_string(shared.join(name)).unwrap_or_default();
    let mut words = Vec::new();
    let mut by_line = Vec::new();
    for line in text.lines() {
        let case = serde_json::from_str::<Value>(line).unwrap_or_default();
        if let Some(list) = case.get("words").and_then(Value::as_array) {
            let text: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            words = slots(&text.join(" ")).unwrap_or_default();
        }
        by_line.push(words.clone());
    }
    check_numbered_lines(shared, name, move |report, id, line, case| {
        report.case(id, program(case, &by_line[line - 1]));
    })
}

fn text<'a>(case: &'a Value, key: &str) -> Result<&'a str, String> {
    case.get(key).and_then(Value::as_str).ok_or_else(|| format!("no {key}"))
}

/// Slots from words in hexadecimal.
pub(super) fn slots(text: &str) -> Result<Vec<Slot>, String> {
    let words: Option<Vec<u32>> =
        text.split(|c: char| !c.is_ascii_hexdigit()).filter(|word| word.len() == 8).map(bits).collect();
    let words = words.ok_or("words that are none")?;
    Ok(words.chunks_exact(4).map(|w| Slot([w[0], w[1], w[2], w[3]])).collect())
}

/// Lanes as the files write them.
fn lanes(text: &str) -> Result<Lanes, String> {
    let mut out = [None; 4];
    for (lane, word) in out.iter_mut().zip(text.split(' ')) {
        if word != "--------" {
            *lane = Some(bits(word).ok_or_else(|| format!("{word} is no lane"))?);
        }
    }
    Ok(out)
}

/// A scalar of the files: the bits of `fog`, the number of `a0`; null is none.
fn scalar(value: &Value) -> Result<Option<u32>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Number(n) => Ok(n.as_i64().map(|n| n as u32)),
        Value::String(word) => bits(word).map(Some).ok_or_else(|| format!("{word} is no lane")),
        other => Err(format!("{other} is no lane")),
    }
}

/// The registers of an object; `prefix` stands before its keys.
fn registers(into: &mut Registers, object: Option<&Value>, prefix: &str) -> Result<(), String> {
    for (key, value) in object.and_then(Value::as_object).into_iter().flatten() {
        let lanes = match value.as_str() {
            Some(text) if text.contains(' ') => lanes(text)?,
            _ => [scalar(value)?, None, None, None],
        };
        into.insert(format!("{prefix}{key}"), lanes);
    }
    Ok(())
}

/// One row of `slots.jsonl`.
fn slot(case: &Value) -> Result<(), String> {
    let (mut given, mut wanted) = (Registers::new(), Registers::new());
    registers(&mut given, case.get("in"), "")?;
    registers(&mut wanted, case.get("out"), "")?;
    check(&slots(text(case, "w")?)?, &given, &wanted, true)
}

/// One row of the files of whole programs.
fn program(case: &Value, words: &[Slot]) -> Result<(), String> {
    let (mut given, mut wanted) = (Registers::new(), Registers::new());
    for (section, prefix) in [("v", "v"), ("c", "c"), ("rin", "r")] {
        registers(&mut given, case.get(section), prefix)?;
    }
    for (section, prefix) in [("o", "o"), ("cw", "c"), ("r", "r")] {
        registers(&mut wanted, case.get(section), prefix)?;
    }
    for key in ["fog", "a0"] {
        if let Some(value) = scalar(case.get(key).unwrap_or(&Value::Null))? {
            wanted.insert(key.into(), [Some(value), None, None, None]);
        }
    }
    let any_state = case.get("rin").is_some();
    check(words, &given, &wanted, any_state)?;
    shortened(words, &given, &wanted, any_state)
}

/// A program with fewer slots gives what the row says: what a host sees, and, where they are to be the same, all temporaries.
fn shortened(words: &[Slot], given: &Registers, wanted: &Registers, any_state: bool) -> Result<(), String> {
    let program = AnyProgram::Nv2a(Program::new(words.to_vec()));
    let usual = OptimizeOptions::default();
    for (what, how, ends) in [
        ("shortened", usual, None),
        ("shortened, with its temporaries", usual, Some(Ends::Same)),
        ("in other slots", usual.with_schedule_only(true), None),
    ] {
        let made = optimize(&program, &how.with_ends(ends)).map_err(|why| format!("{what}: {why}"))?;
        let AnyProgram::Nv2a(short) = &made.program else { return Err("another instruction set".into()) };
        if made.kept.is_some() {
            continue;
        }
        let counts = |name: &str| ends.is_some() || !name.starts_with('r');
        let seen = |registers: &Registers| -> Registers {
            let all = registers.iter().filter(|(name, _)| counts(name) && *name != "a0");
            all.map(|(name, lanes)| (name.clone(), *lanes)).collect()
        };
        let (mut got, wanted) = (seen(&written(short, given, any_state)?), seen(wanted));
        // Lanes that nobody wrote before may hold anything.
        got.retain(|name, _| !name.starts_with('r') || wanted.contains_key(name));
        for (name, lanes) in got.iter_mut().filter(|(name, _)| name.starts_with('r')) {
            let own = wanted.get(name).copied().unwrap_or_default();
            lanes.iter_mut().zip(own).for_each(|(lane, own)| *lane = lane.filter(|_| own.is_some()));
        }
        if got != wanted {
            return Err(format!("{what}: {}", differences(&got, &wanted)));
        }
    }
    Ok(())
}

/// The lanes that a program writes in one run.
fn written(program: &Program, given: &Registers, any_state: bool) -> Result<Registers, String> {
    let options = Options { registers: any_state, depth: Depth::Full, ..Options::default() };
    let shader = lift(program, &options).map_err(|e| e.to_string())?;
    Ok(watched(&shader, given)?.0)
}

/// The lanes that a shader with its step table writes in one run, and what comes out.
fn watched(shader: &Shader, given: &Registers) -> Result<(Registers, Outputs), String> {
    let mut written = Registers::new();
    let outputs = Interp
        .run_watched(shader, &batch(shader, given), &mut |event| {
            let Some(step) = shader.steps.get(event.step) else { return };
            for (n, access) in step.writes.iter().enumerate() {
                let value = event.values.get(step.reads.len() + n).and_then(|v| v.first());
                let register = written.entry(cell_name(shader, access.cell)).or_default();
                for (from, lane) in access.mask.lanes().enumerate() {
                    register[lane] = value.map(|v| v[from]);
                }
            }
        })
        .map_err(|e| e.to_string())?;
    Ok((written, outputs))
}

/// What a shader is run on.
fn batch(shader: &Shader, given: &Registers) -> Batch<'static> {
    // Numbers of the special values that the reference names stand for what nobody gives.
    let zero = |lanes: &Lanes| lanes.map(Option::unwrap_or_default);
    let inputs = shader.inputs.iter().map(|input| {
        let initial = match input.name.as_str() {
            "r12" => [0, 0, 0, 1.0f32.to_bits()],
            _ => [0; 4],
        };
        vec![given.get(&input.name).map_or(initial, zero)]
    });
    let params = shader.params.iter().map(|array| {
        (0..array.size).map(|n| given.get(&format!("{}{n}", array.name)).map_or([0; 4], zero)).collect()
    });
    Batch { count: 1, inputs: inputs.collect(), params: params.collect(), ..Batch::default() }
}

/// Runs slots from a state and compares what was written, lane by lane.
fn check(words: &[Slot], given: &Registers, wanted: &Registers, any_state: bool) -> Result<(), String> {
    let program = Program::new(words.to_vec());
    let plain = Options { registers: any_state, ..Options::default() };
    let options = Options { depth: Depth::Full, ..plain };
    let traced = lift(&program, &options).map_err(|e| e.to_string())?;
    sound(&traced, "with steps")?;
    let (written, outputs) = watched(&traced, given)?;
    if written != *wanted {
        return Err(differences(&written, wanted));
    }
    // The cells that a host sees hold the same.
    let shader = lift(&program, &plain).map_err(|e| e.to_string())?;
    sound(&shader, "lean")?;
    let lean = run(&shader, given)?;
    if lean != outputs {
        return Err("the step table changes what comes out".into());
    }
    for (at, output) in shader.outputs.iter().enumerate() {
        let name = cell_name(&shader, Cell::Output(vecasm::ir::OutputId(at as u32)));
        let wanted = wanted.get(&name).ok_or_else(|| format!("nothing writes {name}"))?;
        for lane in 0..4 {
            let got = lean.cells[at].first().map(|cell| cell[lane]);
            if got != Some(wanted[lane].unwrap_or(output.init[lane])) {
                return Err(format!("cell {name} lane {lane}: {got:08x?}, not {:08x?}", wanted[lane]));
            }
        }
    }
    for (array, cells) in shader.params.iter().zip(&lean.params) {
        for (n, cell) in cells.iter().enumerate() {
            let name = format!("{}{n}", array.name);
            let before = given.get(&name).map_or([0; 4], |lanes| lanes.map(Option::unwrap_or_default));
            let new = wanted.get(&name).copied().unwrap_or_default();
            for lane in 0..4 {
                if cell[lane] != new[lane].unwrap_or(before[lane]) {
                    return Err(format!("{name} lane {lane} is {:08x} after the run", cell[lane]));
                }
            }
        }
    }
    passes(&shader, given, &lean)?;
    others(&program, plain, given)
}

/// The name of a cell as the oracle has it.
fn cell_name(shader: &Shader, cell: Cell) -> String {
    match cell {
        Cell::Output(id) => {
            let name = shader.outputs[id.index()].name.as_str();
            match vecasm::isa::nv2a::table::OUTPUTS.iter().find(|o| o.short == name) {
                Some(output) if output.short == "oFog" => "fog".into(),
                Some(output) => format!("o{}", output.number),
                None => name.into(),
            }
        }
        Cell::Param(_, index) => format!("c{index}"),
        cell => shader.cell_name(cell),
    }
}

fn differences(got: &Registers, wanted: &Registers) -> String {
    let names = got.keys().chain(wanted.keys());
    let mut list: Vec<String> = names
        .filter(|name| got.get(*name) != wanted.get(*name))
        .map(|name| format!("{name}: {:08x?}, not {:08x?}", got.get(name), wanted.get(name)))
        .collect();
    list.dedup();
    list.join("; ")
}

fn sound(shader: &Shader, what: &str) -> Result<(), String> {
    match verify(shader).first() {
        Some(breach) => Err(format!("{what}: {breach}")),
        None => Ok(()),
    }
}

fn run(shader: &Shader, given: &Registers) -> Result<Outputs, String> {
    Interp.run(shader, &batch(shader, given)).map_err(|e| e.to_string())
}

/// Every pass keeps every bit, and so do integers alone.
fn passes(shader: &Shader, given: &Registers, wanted: &Outputs) -> Result<(), String> {
    for pass in PASSES {
        let after = (pass.run)(shader, &batch(shader, given));
        sound(&after, pass.name)?;
        if run(&after, given)? != *wanted {
            return Err(format!("{} changes what comes out", pass.name));
        }
    }
    let integers = exact(shader).map_err(|why| format!("is not exact on a GPU: {why}"))?;
    sound(&integers, "in integers")?;
    if run(&integers, given)? != *wanted {
        return Err("what comes out is other bits in integers".into());
    }
    Ok(())
}

/// The same program by other options verifies and runs.
fn others(program: &Program, plain: Options, given: &Registers) -> Result<(), String> {
    for options in [
        Options { numerics: Numerics::Ieee, ..plain },
        Options { numerics: Numerics::Ieee, space: Space::Clip, clamp: Clamp::All, ..plain },
        Options { space: Space::Clip, subpixel: true, clamp: Clamp::Diffuse, ..plain },
    ] {
        let shader = lift(program, &options).map_err(|e| format!("{options:?}: {e}"))?;
        sound(&shader, "with other options")?;
        run(&shader, given)?;
        let fine =
            options.numerics == Numerics::Nv20 || !any_arith(&shader, |arith| arith.rule == Rule::Nv20);
        if !fine {
            return Err("ieee, with operations of the NV20".into());
        }
    }
    Ok(())
}

fn any_arith(shader: &Shader, which: fn(Arith) -> bool) -> bool {
    let mut any = false;
    shader.body.for_each_inst(&mut |inst| any |= which(inst.arith));
    any
}

/// Runs a text on one state and gives the lanes that were written.
fn run_text(source: &str, given: &Registers, options: &Options) -> Result<Registers, String> {
    let (program, findings) = parse(source, &ParseOptions::default());
    let program = program.ok_or_else(|| format!("{findings:?}"))?;
    let shader = lift(&program, &Options { depth: Depth::Full, ..*options }).map_err(|e| e.to_string())?;
    sound(&shader, source)?;
    Ok(watched(&shader, given)?.0)
}

/// `arl_options.tsv`: what A0 holds after ARL by each rule.
fn arl(shared: &Path) -> File<'_> {
    check_table(shared, "oracle/nv2a/arl_options.tsv", |report, id, columns| {
        report.case(id, arl_row(columns));
    })
}

fn arl_row(columns: &[&str]) -> Result<(), String> {
    let [x, rules @ .., _] = columns else { return Err("too few columns".into()) };
    let x = bits(x).ok_or("no bits")?;
    for (value, arl) in rules.iter().zip([Arl::Floor, Arl::ExpPrestep, Arl::Bias001]) {
        let wanted = match *value {
            // The rule leaves it open.
            "-" => continue,
            // The fixed-point number has 13 bits behind the point, and NaN saturates upward.
            "sat" if arl == Arl::ExpPrestep && f32::from_bits(x) < 0.0 => i32::MIN >> 13,
            "sat" if arl == Arl::ExpPrestep => i32::MAX >> 13,
            "sat" if f32::from_bits(x) < 0.0 => i32::MIN,
            "sat" => i32::MAX,
            number => number.parse::<i32>().map_err(|e| format!("{number}: {e}"))?,
        };
        let mut options = Options::default();
        options.switches.arl = arl;
        let given = Registers::from([("v0".to_string(), [Some(x); 4])]);
        let got = run_text("arl a0, v0.x\nmov oPos, v0\n", &given, &options)?;
        let got = got.get("a0").and_then(|lanes| lanes[0]).ok_or("A0 is not written")?;
        if got as i32 != wanted {
            return Err(format!("{}: {}, not {wanted}", arl.name(), got as i32));
        }
    }
    Ok(())
}

/// The rows of the console's facts that are about execution.
fn facts(shared: &Path) -> File<'_> {
    let file = check_table(shared, "oracle/nv2a/hw_facts.tsv", |report, id, columns| {
        if let Some(outcome) = fact(columns) {
            report.case(id, outcome);
        }
    });
    file.append_name(" (programs)")
}

/// The bits of numbers.
fn floats(v: [f32; 4]) -> Lanes {
    v.map(|x| Some(x.to_bits()))
}

/// A fact; `None` is one about a single operation.
fn fact(columns: &[&str]) -> Option<Result<(), String>> {
    let (what, input, expected) = (*columns.first()?, *columns.get(1)?, *columns.get(2)?);
    Some(match what {
        "COLOUR_CLAMP" => (|| {
            let wanted: f32 = expected.parse().map_err(|_| "no number")?;
            let nan = bits(input).ok_or("no bits")?;
            let (program, _) = parse("mov oD0, v0\nmov oB0, v0\n", &ParseOptions::default());
            let options = Options { clamp: Clamp::Diffuse, ..Options::default() };
            let shader = lift(&program.ok_or("no program")?, &options).map_err(|e| e.to_string())?;
            let outputs = run(&shader, &Registers::from([("v0".into(), [Some(nan); 4])]))?;
            let right = outputs.cells.iter().all(|cell| cell[0] == [wanted.to_bits(); 4]);
            if right { Ok(()) } else { Err(format!("{:08x?}", outputs.cells)) }
        })(),
        "PAIRED_ILU_DEST" => expect(
            "dp4 oD0.x, v0, v0 + rsq r10.x, v0.x\n",
            &[("v0", floats([25.0, 0.0, 0.0, 0.0]))],
            |written| {
                let r1 = written.get("r1")?[0]?;
                let near = (f32::from_bits(r1) - 0.2).abs() < 1e-6;
                (near && !written.contains_key("r10")).then_some(())
            },
        ),
        "PAIR_READS_OLD" => expect(
            "mov r0, v1\ndp3 r0.x, v0, v0 + rsq r1.z, r0.x\n",
            &[("v0", floats([1.0, 2.0, 3.0, 0.0])), ("v1", floats([16.0; 4]))],
            // 1/sqrt(16), an even power of two: one unit low.
            |written| (written.get("r1")?[2] == Some(0x3e7f_ffff)).then_some(()),
        ),
        "R12_READS_OLD" => expect(
            "mov oPos, v0\nmul oPos, r12, v1 + mul r2, r12, v1\nadd oPos, r12, r12 + add r3, r12, r12\n",
            &[("v0", floats([1.0; 4])), ("v1", floats([2.0; 4]))],
            |written| {
                let two = floats([2.0; 4]);
                let four = floats([4.0; 4]);
                (*written.get("r2")? == two && *written.get("r3")? == four && *written.get("o0")? == four)
                    .then_some(())
            },
        ),
        "OFOG" if input.starts_with("w written") => expect(
            "mov oFog.w, v0.w\nmov oFog.x, v0.x\n",
            &[("v0", floats([0.25, 9.0, 9.0, 0.5]))],
            |written| (written.get("fog")?[0] == Some(0.25f32.to_bits())).then_some(()),
        ),
        // Nothing is written, so nothing changes.
        "OFOG" => expect("mov oPos, v0\n", &[], |written| (!written.contains_key("fog")).then_some(())),
        _ => return None,
    })
}

/// `fog.tsv`: what the pictures of a console show of writes to oFog.
fn fog(shared: &Path) -> File<'_> {
    check_table(shared, "oracle/nv2a/fog.tsv", |report, id, columns| report.case(id, fog_row(columns)))
}

fn fog_row(columns: &[&str]) -> Result<(), String> {
    let [writes, constant, fog, red, _] = columns else { return Err("not five columns".into()) };
    let number = |text: &str| text.parse::<f32>().map_err(|e| format!("{text}: {e}"));
    let (fog, red) = (number(fog)?, number(red)?);
    if (255.0 * (1.0 - fog) - red).abs() > 1.0 {
        return Err(format!("{fog} does not give the red of the picture, {red}"));
    }
    let source = format!("mov oPos, v0\n{}\n", writes.replace("; ", "\n"));
    let program = parse(&source, &ParseOptions::default()).0.ok_or("is no program")?;
    let c120: Vec<f32> = constant.split(' ').map(number).collect::<Result<_, _>>()?;
    let c120: [f32; 4] = c120.try_into().map_err(|_| "c120 has not four lanes")?;
    let v0 = floats([0.0, 0.0, 0.0, 1.0]);
    let given = Registers::from([("c120".into(), floats(c120)), ("v0".into(), v0)]);
    let fog = [Some(fog.to_bits()), None, None, None];
    check(&program.slots, &given, &Registers::from([("fog".into(), fog), ("o0".into(), v0)]), false)
}

/// Runs a text and asks what it wrote.
fn expect(
    source: &str,
    given: &[(&str, Lanes)],
    holds: impl Fn(&Registers) -> Option<()>,
) -> Result<(), String> {
    let given = given.iter().map(|(name, lanes)| (name.to_string(), *lanes)).collect();
    let written = run_text(source, &given, &Options::default())?;
    holds(&written).ok_or_else(|| format!("{source:?} wrote {written:08x?}"))
}
