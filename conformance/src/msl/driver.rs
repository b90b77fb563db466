//! What runs a text: a function of C++ that gives the entry point its arguments, and the same by the interpreter.

use std::collections::HashMap;
use std::fmt::Write as _;
use vecasm::emit::msl::{BindingKind, Output};
use vecasm::exec::interp::Interp;
use vecasm::exec::{Batch, Engine as _, Outputs};
use vecasm::ir::random::Rng;
use vecasm::ir::{InputKind, Op, OutOfRange, OutputKind, Scalar, Shader, System};

/// Invocations of each text.
const COUNT: usize = 16;

/// What all drivers use.
pub(super) const COMMON: &str = r#"
template<class T> T load(const unsigned *w) {
    T t;
    __builtin_memcpy((void *)&t, (const void *)w, sizeof t);
    return t;
}
template<class T> void store(unsigned *o, T const &value) {
    auto a = metal::plain(value);
    __builtin_memcpy((void *)o, (const void *)&a, sizeof a);
}
static std::vector<unsigned> read(const char *file) {
    std::vector<unsigned> w;
    unsigned word;
    FILE *f = std::fopen(file, "rb");
    while (f && std::fread(&word, 4, 1, f) == 1) w.push_back(word);
    if (f) std::fclose(f);
    w.push_back(0);
    return w;
}
static int write(const char *file, std::vector<unsigned> const &o) {
    FILE *f = std::fopen(file, "wb");
    if (!f || std::fwrite(o.data(), 4, o.size(), f) != o.size()) return 1;
    return std::fclose(f);
}
"#;

/// A text that is run.
pub(super) struct Run {
    pub(super) driver: String,
    expected: Outputs,
    /// Where the results begin: of each invocation a word that tells whether it was discarded, and four for each output.
    first: usize,
    /// Invocations.
    count: usize,
    /// Whether every bit counts.
    exact: bool,
}

impl Run {
    /// The driver, if the text can be run, on random values unless some are given; of those every bit counts. Its words are
    /// appended to `words`; `results` counts words that all give.
    pub(super) fn new(
        shader: &Shader,
        output: &Output,
        given: Option<&Batch<'_>>,
        words: &mut Vec<u32>,
        results: &mut usize,
    ) -> Option<Self> {
        let mut plain = shader.buffers.is_empty() && shader.images.is_empty();
        shader.body.for_each_inst(&mut |inst| {
            let asks = matches!(
                inst.op,
                Op::Ddx(_) | Op::Ddy(_) | Op::Gather { .. } | Op::Fetch { .. } | Op::TextureSize { .. }
            );
            // What the IR leaves open is not compared.
            plain &= inst.op.outside() != Some(OutOfRange::Undefined);
            plain &=
                !asks && !matches!(inst.op, Op::TextureSamples { .. } | Op::Sample { compare: true, .. });
        });
        if !plain {
            return None;
        }
        let own;
        let batch = match given {
            Some(given) => given,
            None => {
                own = batch(shader);
                &own
            }
        };
        let count = batch.count;
        let expected = Interp.run(shader, batch).ok()?;
        if expected.exhausted.contains(&true) {
            return None;
        }
        let mut driver = String::from("static void drive(const unsigned *w, unsigned *o) {\n");
        let _ = writeln!(driver, "    for (int n = 0; n < {count}; n++) {{");
        let text = Text::new(&output.source)?;
        // What each argument is.
        let mut arguments = Vec::new();
        for (ty, _, attribute) in &text.arguments {
            let (table, index) = attribute.split_once('(').unwrap_or((attribute, ""));
            let index: Option<u32> = index.trim_end_matches(')').parse().ok();
            let bound = output
                .bindings
                .iter()
                .find(|b| b.place.table.name() == table && Some(b.place.index) == index);
            let argument = match (table, bound.map(|b| b.kind)) {
                ("stage_in", _) => {
                    let _ = writeln!(driver, "        {ty} in;");
                    for (ty, name, attribute) in text.structs.get(ty.as_str())? {
                        let input = shader
                            .inputs
                            .iter()
                            .position(|i| place(i.kind).as_deref() == attribute.split(", ").next())?;
                        let at = words.len();
                        words.extend(batch.inputs[input].iter().flatten());
                        let _ = writeln!(driver, "        in.{name} = load<{ty}>(w + {at} + 4 * n);");
                    }
                    "in".to_string()
                }
                (_, Some(BindingKind::Constants { .. })) => {
                    let at = words.len();
                    let array = index? as usize;
                    words.extend(batch.params.get(array)?.iter().flatten());
                    // A pointer to all, or a struct of its parts.
                    if ty.ends_with('*') {
                        format!("({ty})(w + {at})")
                    } else {
                        format!("*(const {ty} *)(w + {at})")
                    }
                }
                (_, Some(BindingKind::States { .. })) => {
                    let at = words.len();
                    words.extend(
                        batch
                            .states
                            .iter()
                            .map(|s| s.unwrap_or_default())
                            .collect::<Vec<_>>()
                            .iter()
                            .flatten(),
                    );
                    format!("*(const {ty} *)(w + {at})")
                }
                (_, Some(_)) => format!("{ty}()"),
                (attribute, None) => {
                    let of = |system| shader.inputs.iter().position(|i| i.kind == InputKind::System(system));
                    let system = match attribute {
                        "vertex_id" => of(System::VertexIndex),
                        "instance_id" => of(System::InstanceIndex),
                        "position" => of(System::FragCoord),
                        "front_facing" => of(System::FrontFacing),
                        "point_coord" => of(System::PointCoord),
                        "sample_id" => of(System::SampleIndex),
                        "sample_mask" => of(System::SampleMask),
                        "primitive_id" => of(System::PrimitiveIndex),
                        // Instances are counted from 0 here.
                        "base_instance" => None,
                        _ => return None,
                    };
                    match system {
                        Some(input) => {
                            let at = words.len();
                            words.extend(batch.inputs[input].iter().flatten());
                            let load = format!("(w + {at} + 4 * n)");
                            if ty == "bool" { format!("*{load} != 0") } else { format!("load<{ty}>{load}") }
                        }
                        None if attribute == "base_instance" => "0u".into(),
                        None => return None,
                    }
                }
            };
            arguments.push(argument);
        }
        let first = *results;
        let width = 1 + 4 * shader.outputs.len();
        *results += count * width;
        let call = format!("{}({})", output.entry, arguments.join(", "));
        driver.push_str("        metal::discarded = false;\n");
        let void = text.result == "void";
        let _ = writeln!(driver, "        {}{call};", if void { "" } else { "auto out = " });
        let _ = writeln!(
            driver,
            "        unsigned *r = o + {first} + n * {width};\n        r[0] = metal::discarded;"
        );
        for (i, cell) in shader.outputs.iter().enumerate() {
            let to = format!("r + {}", 1 + 4 * i);
            let Some(fields) = text.structs.get(&text.result) else {
                if !void {
                    let _ = writeln!(driver, "        store({to}, out);");
                }
                continue;
            };
            if let OutputKind::ClipDistance { index } = cell.kind {
                for lane in 0..4 {
                    let _ = writeln!(
                        driver,
                        "        store({to} + {lane}, out.clip_distance[{}]);",
                        index * 4 + lane
                    );
                }
                continue;
            }
            let wanted = out_place(cell.kind)?;
            let (_, name, _) = fields.iter().find(|(_, _, attribute)| *attribute == wanted)?;
            let _ = writeln!(driver, "        store({to}, out.{name});");
        }
        driver.push_str("    }\n}\n");
        Some(Self { driver, expected, first, count, exact: given.is_some() })
    }

    /// Compares what came out with what the interpreter gives.
    pub(super) fn compare(&self, shader: &Shader, results: &[u32]) -> Result<(), String> {
        let width = 1 + 4 * shader.outputs.len();
        for n in 0..self.count {
            let row = results
                .get(self.first + n * width..)
                .and_then(|r| r.get(..width))
                .ok_or("too few results")?;
            let killed = self.expected.killed.get(n) == Some(&true);
            if killed != (row[0] != 0) {
                return Err(format!("invocation {n}: discarded {}, not {killed}", row[0] != 0));
            }
            if killed {
                continue;
            }
            for (i, output) in shader.outputs.iter().enumerate() {
                let expected = self.expected.cells[i][n];
                let single =
                    output.kind != OutputKind::Position && out_place(output.kind).is_some_and(single);
                for lane in 0..if single { 1 } else { 4 } {
                    let (got, want) = (row[1 + 4 * i + lane], expected[lane]);
                    if got != want && (self.exact || !close(output.scalar, got, want)) {
                        let name = &output.name;
                        return Err(format!(
                            "invocation {n}: {name} lane {lane} is {got:08x}, not {want:08x}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a place of an output takes one lane.
fn single(place: String) -> bool {
    !place.starts_with("user") && !place.starts_with("color") && place != "position"
}

/// Whether two values are the same, as far as functions with an error let them be.
fn close(scalar: Scalar, got: u32, want: u32) -> bool {
    if got == want {
        return true;
    }
    // Registers without a type hold floats as bits, too; all ones is what is true there, and no NaN that was computed.
    let float = |bits: u32| !f32::from_bits(bits).is_subnormal();
    if scalar != Scalar::F32 && !(want != u32::MAX && float(got) && float(want)) {
        return false;
    }
    let (got, want) = (f32::from_bits(got), f32::from_bits(want));
    if got.is_nan() || want.is_nan() {
        return got.is_nan() && want.is_nan();
    }
    // The largest numbers may go over to infinities.
    let scale = got.abs().max(want.abs()).max(1e-3);
    (got - want).abs() <= scale * 1e-3 || (scale > 1e38 && got.signum() == want.signum())
}

/// Random values: tame ones first, at the end of any kind.
fn batch(shader: &Shader) -> Batch<'static> {
    let mut rng = Rng::new(shader.values.len() as u64);
    let mut word = |scalar: Scalar, wild: bool| match scalar {
        Scalar::F32 if wild => rng.float(),
        Scalar::F32 => ((rng.below(4001) as f32 - 1600.0) / 512.0).to_bits(),
        Scalar::Bool => rng.bits() & 1,
        _ if wild => rng.bits(),
        _ => (rng.below(12) as u32).wrapping_sub(3),
    };
    let mut inputs = Vec::new();
    for input in &shader.inputs {
        let wild = |n: usize| n >= COUNT * 3 / 4;
        let four = |n: usize| [(); 4].map(|()| word(input.ty.scalar, wild(n)));
        inputs.push((0..COUNT).map(four).collect());
    }
    // Inputs of one location are one.
    for i in 0..shader.inputs.len() {
        if let Some(j) = (0..i).find(|j| shader.inputs[*j].kind == shader.inputs[i].kind) {
            inputs[i] = Vec::clone(&inputs[j]);
        }
    }
    let params =
        shader.params.iter().map(|p| (0..p.size).map(|_| [(); 4].map(|()| word(p.scalar, false))).collect());
    let params = params.collect();
    // Of a state its lanes, at the start of 16 bytes.
    let states = shader
        .states
        .iter()
        .map(|s| {
            let mut bits = [(); 4].map(|()| word(s.ty.scalar, false));
            bits[usize::from(s.ty.lanes)..].fill(0);
            Some(bits)
        })
        .collect();
    Batch { count: COUNT, inputs, params, states, fuel: Some(10_000), ..Batch::default() }
}

/// What stands in the brackets of an input.
fn place(kind: InputKind) -> Option<String> {
    match kind {
        InputKind::Attribute { location } => Some(format!("attribute({location})")),
        InputKind::Varying { location } => Some(format!("user(locn{location})")),
        _ => None,
    }
}

fn out_place(kind: OutputKind) -> Option<String> {
    Some(match kind {
        OutputKind::Position => "position".into(),
        OutputKind::PointSize => "point_size".into(),
        OutputKind::Depth => "depth(any)".into(),
        OutputKind::SampleMask => "sample_mask".into(),
        OutputKind::Stencil => "stencil".into(),
        OutputKind::Layer => "render_target_array_index".into(),
        OutputKind::ViewportIndex => "viewport_array_index".into(),
        OutputKind::Varying { location } => format!("user(locn{location})"),
        OutputKind::Color { target } => format!("color({target})"),
        OutputKind::SecondColor { target } => format!("color({target}), index(1)"),
        _ => return None,
    })
}

/// A declaration: type, name, and what stands in its brackets.
type Declared = (String, String, String);

/// The structs and the entry point of a text.
struct Text {
    structs: HashMap<String, Vec<Declared>>,
    arguments: Vec<Declared>,
    result: String,
}

impl Text {
    fn new(source: &str) -> Option<Self> {
        let mut structs = HashMap::new();
        for part in source.split("\nstruct ").skip(1) {
            let (name, body) = part.split_once(" {\n")?;
            let (body, _) = body.split_once("};")?;
            structs.insert(name.to_string(), body.lines().filter_map(declared).collect());
        }
        let head = ["\nvertex ", "\nfragment "].iter().find_map(|word| source.split_once(word))?.1;
        let (result, rest) = head.split_once(' ')?;
        let (_, rest) = rest.split_once('(')?;
        let (arguments, _) = rest.split_once(" {\n")?;
        let lines = arguments.trim_end_matches(')').lines();
        Some(Self { structs, arguments: lines.filter_map(declared).collect(), result: result.into() })
    }
}

/// `constant float4 *vc [[buffer(0)]],` in parts; of pointers and references what they point to, with the star.
fn declared(line: &str) -> Option<Declared> {
    let (front, attribute) = line.split_once(" [[").unwrap_or((line.trim_end_matches(';'), ""));
    let attribute = attribute.split("]]").next()?;
    let (ty, name) = front.trim().rsplit_once(' ')?;
    let plain = name.trim_start_matches(['*', '&']);
    let ty = ty.replace("constant ", "const ");
    let ty = match name.strip_prefix('*') {
        Some(_) => format!("{ty} *"),
        None => ty.trim_start_matches("const ").to_string(),
    };
    Some((ty, plain.to_string(), attribute.to_string()))
}
