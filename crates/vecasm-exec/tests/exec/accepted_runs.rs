//! Sound shaders, changed at random: verification never panics, and what it accepts runs.

use vecasm_exec::image::Image;
use vecasm_exec::interp::Interp;
use vecasm_exec::texture::{Extent, Texture};
use vecasm_exec::{Batch, BoundTexture, Engine, RunError};
use vecasm_ir::ir::random::{Rng, Size, shader};
use vecasm_ir::ir::text::{parse_any, print};
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{
    Args, Arith, At, Atomic, BufferKind, Dim, Filter, Format, Home, ImageId, InputId, InputKind,
    Interpolation, Label, LocalId, Location, Memory, Node, Op, OutOfRange, OutputId, OutputKind, ParamId,
    Pick, Primitive, Pure, Region, Rule, SamplerState, Scalar, Shader, Stage, StateId, System, TextureId,
    Type, Value, Wrap,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// Sound shaders, as the verifier's own tests have them: blocks that begin with a line `== title`.
fn sound() -> Vec<Shader> {
    let text = include_str!("../../../vecasm-ir/tests/ir/verify/sound.txt");
    let blocks = text.split("\n== ").skip(1).map(|block| block.split_once('\n').unwrap().1);
    blocks.map(|text| parse_any(text).unwrap_or_else(|e| panic!("{e}\n{text}"))).collect()
}

fn of<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.below(list.len())]
}

/// A number near another one, or anywhere.
fn near(rng: &mut Rng, n: u32) -> u32 {
    match rng.below(8) {
        0 => rng.bits(),
        1..=3 => n.wrapping_add(1),
        4 | 5 => n.wrapping_sub(1),
        _ => rng.below(5) as u32,
    }
}

fn ty(rng: &mut Rng) -> Type {
    let lanes = if rng.one_in(12) { rng.bits() as u8 } else { 1 + rng.below(4) as u8 };
    Type::new(of(rng, &Scalar::ALL), lanes)
}

/// Calls `f` for region `n` of those in and below this one.
fn with_region(region: &mut Region, n: &mut usize, f: &mut dyn FnMut(&mut Region)) {
    if *n == 0 {
        f(region);
    }
    *n = n.wrapping_sub(1);
    for node in &mut region.nodes {
        node.for_each_region_mut(|inner| with_region(inner, n, f));
    }
}

fn regions(region: &Region) -> usize {
    let mut n = 1;
    for node in &region.nodes {
        node.for_each_region(|inner| n += regions(inner));
    }
    n
}

fn list(rng: &mut Rng, args: &mut Args) {
    if rng.one_in(2) {
        args.start = near(rng, args.start);
    } else {
        args.len = near(rng, args.len);
    }
}

fn pick(rng: &mut Rng, pick: &mut Pick) {
    *pick = match rng.below(3) {
        0 => Pick::Fixed,
        1 => Pick::Index { count: near(rng, 2) as u16 },
        _ => Pick::Handle,
    };
}

fn run(rng: &mut Rng, at: &mut At) {
    *at = At { count: near(rng, at.count), offset: rng.bits() as i32, rule: of(rng, OutOfRange::ALL) };
}

/// Changes what an operation names.
fn tweak(rng: &mut Rng, op: &mut Op) {
    let mut id = |id: &mut u32| *id = near(rng, *id);
    match op {
        Op::Pure(pure) => *pure = of(rng, Pure::ALL),
        Op::Const(bits) => bits[rng.below(4)] = near(rng, 0),
        Op::Input(InputId(n)) | Op::LoadOutput(OutputId(n)) | Op::State(StateId(n)) | Op::Mark(n) => id(n),
        Op::InputAt { at, .. }
        | Op::LoadOutputAt { at, .. }
        | Op::InputOf { at: Some(at), .. }
        | Op::LoadOutputOf { at: Some(at), .. } => run(rng, at),
        Op::InputOf { first: InputId(n), .. } | Op::LoadOutputOf { first: OutputId(n), .. } => id(n),
        Op::Interpolate { input: InputId(n), .. } => id(n),
        Op::StoreOutput { output: OutputId(n), mask } => {
            id(n);
            *mask = WriteMask::from_bits(rng.bits() as u8);
        }
        Op::StoreOutputAt { at, mask, .. } => {
            run(rng, at);
            *mask = WriteMask::from_bits(rng.bits() as u8);
        }
        Op::Param { array: ParamId(n), index } | Op::StoreParam { array: ParamId(n), index, .. } => {
            id(n);
            *index = near(rng, *index);
        }
        Op::LoadLocal { array: LocalId(n), index } | Op::StoreLocal { array: LocalId(n), index, .. } => {
            id(n);
            *index = near(rng, *index);
        }
        Op::ParamAt { offset, .. }
        | Op::StoreParamAt { offset, .. }
        | Op::LoadLocalAt { offset, .. }
        | Op::StoreLocalAt { offset, .. } => *offset = rng.bits() as i32,
        Op::Sample { texture: TextureId(n), compare, offset, pick: by, .. } => {
            id(n);
            (*compare, *offset) = (rng.one_in(2), rng.one_in(2));
            pick(rng, by);
        }
        Op::Gather { texture: TextureId(n), component, pick: by, .. } => {
            id(n);
            *component = rng.below(6) as u8;
            pick(rng, by);
        }
        Op::Fetch { texture: TextureId(n), offset, pick: by } => {
            id(n);
            *offset = rng.one_in(2);
            pick(rng, by);
        }
        Op::TextureSize { texture: TextureId(n), pick: by }
        | Op::TextureLod { texture: TextureId(n), pick: by }
        | Op::TextureSamples { texture: TextureId(n), pick: by }
        | Op::SamplePosition { texture: TextureId(n), pick: by } => {
            id(n);
            pick(rng, by);
        }
        Op::LoadMemory { memory, lanes, pick: by } => {
            *lanes = rng.below(6) as u8;
            memory_of(rng, memory);
            pick(rng, by);
        }
        Op::StoreMemory { memory, pick: by, .. } | Op::MemorySize { memory, pick: by } => {
            memory_of(rng, memory);
            pick(rng, by);
        }
        Op::AtomicMemory { memory, atomic, pick: by } => {
            *atomic = of(rng, Atomic::ALL);
            memory_of(rng, memory);
            pick(rng, by);
        }
        Op::LoadImage { image: ImageId(n), pick: by }
        | Op::StoreImage { image: ImageId(n), pick: by }
        | Op::AtomicImage { image: ImageId(n), pick: by, .. }
        | Op::ImageSize { image: ImageId(n), pick: by } => {
            id(n);
            pick(rng, by);
        }
        Op::Framebuffer { target: n } | Op::EmitVertex { stream: n } | Op::EndPrimitive { stream: n } => {
            *n = near(rng, (*n).into()) as u8;
        }
        _ => {}
    }
}

fn memory_of(rng: &mut Rng, memory: &mut Memory) {
    match memory {
        Memory::Buffer(id) if !rng.one_in(3) => id.0 = near(rng, id.0),
        Memory::Buffer(_) => *memory = Memory::Shared,
        Memory::Shared => {}
    }
}

fn node(rng: &mut Rng, node: &mut Node, ops: &[Op], values: u32) {
    let value = |rng: &mut Rng| {
        Value::new(if rng.one_in(8) { rng.bits() } else { rng.below(values as usize + 1) as u32 })
    };
    match node {
        Node::Inst(inst) => match rng.below(6) {
            0 => inst.op = of(rng, ops),
            1 | 2 => tweak(rng, &mut inst.op),
            3 => list(rng, &mut inst.args),
            4 => inst.result = if rng.one_in(3) { None } else { Some(value(rng)) },
            _ => {
                let (flush, precise) = (rng.one_in(2), rng.one_in(2));
                inst.arith = Arith { rule: of(rng, Rule::ALL), flush, precise };
            }
        },
        Node::If(node) => {
            node.cond.value = value(rng);
            std::mem::swap(&mut node.then, &mut node.otherwise);
        }
        Node::Block(node) => match rng.below(3) {
            0 => node.label = Label(rng.below(3) as u32),
            1 => node.results.push(value(rng)),
            _ => drop(node.results.pop()),
        },
        Node::Loop(node) => match rng.below(6) {
            0 => node.label = Label(rng.below(3) as u32),
            1 => node.results.push(value(rng)),
            2 => drop(node.results.pop()),
            3 => node.params.push(value(rng)),
            4 => drop(node.params.pop()),
            _ => list(rng, &mut node.init),
        },
        Node::Switch(node) => match rng.below(4) {
            0 => node.selector.value = value(rng),
            1 => drop(node.cases.pop()),
            2 => drop(node.results.pop()),
            _ => {
                if let Some((numbers, _)) = node.cases.first_mut() {
                    numbers.push(rng.below(4) as u32);
                }
            }
        },
        Node::Idiom(node) => match rng.below(2) {
            0 => list(rng, &mut node.operands),
            _ => drop(node.results.pop()),
        },
        Node::Leave { label, values } | Node::Again { label, values } => {
            if rng.one_in(2) {
                *label = Label(rng.below(3) as u32);
            } else {
                list(rng, values);
            }
        }
    }
}

/// Changes an entry of a table.
fn table(rng: &mut Rng, shader: &mut Shader) {
    let one = |rng: &mut Rng, n: usize| rng.below(n);
    let scalar = of(rng, &Scalar::ALL);
    match rng.below(12) {
        0 if !shader.inputs.is_empty() => {
            let at = one(rng, shader.inputs.len());
            let input = &mut shader.inputs[at];
            match rng.below(4) {
                0 => input.ty = ty(rng),
                1 => {
                    let location = rng.below(3) as u32;
                    input.kind = match rng.below(4) {
                        0 => InputKind::Attribute { location },
                        1 => InputKind::Varying { location },
                        2 => InputKind::PatchVarying { location },
                        _ => InputKind::System(of(rng, System::ALL)),
                    };
                    if let InputKind::System(system) = input.kind {
                        input.ty = system.ty();
                    }
                }
                2 => input.interpolation = of(rng, Interpolation::ALL),
                _ => input.location = of(rng, Location::ALL),
            }
        }
        1 if !shader.outputs.is_empty() => {
            let at = one(rng, shader.outputs.len());
            let output = &mut shader.outputs[at];
            match rng.below(4) {
                0 => output.scalar = scalar,
                1 => output.carried = !output.carried,
                2 => output.streams[rng.below(4)] = rng.below(5) as u8,
                _ => {
                    let index = rng.below(3) as u32;
                    let kinds = [
                        OutputKind::Position,
                        OutputKind::ClipDistance { index },
                        OutputKind::Color { target: index },
                        OutputKind::PatchVarying { location: index },
                        OutputKind::Varying { location: index },
                    ];
                    output.kind = of(rng, &kinds);
                }
            }
        }
        2 if !shader.params.is_empty() => {
            let at = one(rng, shader.params.len());
            let param = &mut shader.params[at];
            match rng.below(4) {
                0 => param.scalar = scalar,
                1 => param.size = near(rng, param.size),
                2 => param.used = near(rng, param.used),
                _ => param.indexed = !param.indexed,
            }
        }
        3 if !shader.locals.is_empty() => {
            let at = one(rng, shader.locals.len());
            let local = &mut shader.locals[at];
            if rng.one_in(2) {
                local.scalar = scalar;
            } else {
                local.size = near(rng, local.size);
            }
        }
        4 if !shader.states.is_empty() => {
            let at = one(rng, shader.states.len());
            let state = &mut shader.states[at];
            if rng.one_in(2) {
                state.ty = ty(rng);
            } else {
                state.default[rng.below(4)] = rng.below(3) as u32;
            }
        }
        5 | 6 if !shader.textures.is_empty() => {
            let at = one(rng, shader.textures.len());
            let texture = &mut shader.textures[at];
            match rng.below(4) {
                0 => texture.scalar = scalar,
                1 => texture.dim = of(rng, Dim::ALL),
                2 => texture.compare = !texture.compare,
                _ => texture.dim_by = if rng.one_in(2) { None } else { Some(StateId(rng.below(3) as u32)) },
            }
        }
        7 if !shader.buffers.is_empty() => {
            let at = one(rng, shader.buffers.len());
            let buffer = &mut shader.buffers[at];
            buffer.kind = of(rng, BufferKind::ALL);
            buffer.write = rng.one_in(2);
        }
        8 if !shader.images.is_empty() => {
            let at = one(rng, shader.images.len());
            let image = &mut shader.images[at];
            match rng.below(3) {
                0 => image.dim = of(rng, Dim::ALL),
                1 => image.format = of(rng, Format::ALL),
                _ => (image.read, image.write) = (rng.one_in(2), rng.one_in(2)),
            }
        }
        9 => {
            let setup = &mut shader.setup;
            match rng.below(11) {
                0 => setup.workgroup[rng.below(3)] = rng.below(4) as u32,
                1 => setup.shared = near(rng, setup.shared),
                2 => setup.vertices_in = near(rng, setup.vertices_in),
                3 => setup.invocations = near(rng, setup.invocations),
                4 => setup.primitive_in = of(rng, Primitive::ALL),
                5 => setup.primitive_out = of(rng, Primitive::ALL),
                6 => setup.primitive_limit = !setup.primitive_limit,
                7 => setup.one_sequence = !setup.one_sequence,
                8 => setup.byte_offsets = !setup.byte_offsets,
                9 => setup.fours = !setup.fours,
                _ => setup.max_vertices = near(rng, setup.max_vertices),
            }
        }
        10 => shader.serial = !shader.serial,
        11 => shader.stage = of(rng, &Stage::ALL),
        _ => {}
    }
}

fn edit(rng: &mut Rng, shader: &mut Shader, ops: &[Op]) {
    let values = shader.values.len() as u32;
    match rng.below(16) {
        0 if values > 0 => {
            let at = rng.below(values as usize);
            shader.values[at].ty = ty(rng);
        }
        1 if values > 0 => {
            let at = rng.below(values as usize);
            shader.values[at].home = Some(Home { file: rng.below(3) as u8, index: 1 });
        }
        2..=4 if !shader.args.is_empty() => {
            let at = rng.below(shader.args.len());
            let arg = &mut shader.args[at];
            match rng.below(3) {
                0 => arg.value = Value::new(near(rng, arg.value.number())),
                1 => arg.lanes = rng.below(6) as u8,
                _ => arg.swizzle = Swizzle::from_bits(rng.bits() as u8),
            }
        }
        5..=7 => table(rng, shader),
        8 => {
            let mut spare = None;
            let (mut from, mut to) = (rng.below(regions(&shader.body)), 0);
            let at = rng.bits() as usize;
            with_region(&mut shader.body, &mut from, &mut |region| {
                if !region.nodes.is_empty() {
                    spare = Some(region.nodes.remove(at % region.nodes.len()));
                }
            });
            to += rng.below(regions(&shader.body));
            with_region(&mut shader.body, &mut to, &mut |region| {
                if let Some(node) = spare.take() {
                    region.nodes.insert(at % (region.nodes.len() + 1), node);
                }
            });
        }
        9 => {
            let mut n = rng.below(regions(&shader.body));
            with_region(&mut shader.body, &mut n, &mut |region| {
                let at = rng.below(region.nodes.len());
                match (rng.below(3), region.nodes.get(at).cloned()) {
                    (_, None) => list(rng, &mut region.yields),
                    (0, _) => drop(region.nodes.remove(at)),
                    (1, Some(node)) => region.nodes.push(node),
                    _ => list(rng, &mut region.yields),
                }
            });
        }
        _ => {
            let mut n = rng.below(regions(&shader.body));
            with_region(&mut shader.body, &mut n, &mut |region| {
                let at = rng.below(region.nodes.len());
                if let Some(of) = region.nodes.get_mut(at) {
                    node(rng, of, ops, values);
                }
            });
        }
    }
}

/// Some invocations with inputs at random.
fn go(rng: &mut Rng, shader: &Shader) -> Result<(), RunError> {
    let setup = shader.setup;
    let (groups, workgroup) = (2, [2, 1, 1]);
    let count = match shader.stage {
        Stage::TessControl | Stage::Geometry => setup.invocations as usize * groups,
        Stage::Compute => {
            let axes = setup.workgroup.iter().zip(workgroup);
            axes.map(|(&n, open)| if n == 0 { open } else { n } as usize).product()
        }
        _ => 5,
    };
    let mut lanes =
        || core::array::from_fn(|_| if rng.one_in(2) { rng.below(4) as u32 } else { rng.float() });
    let inputs = shader.inputs.iter().map(|_| (0..count.min(40)).map(|_| lanes()).collect()).collect();
    let params = shader.params.iter().map(|_| (0..3).map(|_| lanes()).collect()).collect();
    let buffers = shader.buffers.iter().map(|_| vec![7; 40]).collect();
    // Two texels along each axis and two layers, where the shape has them.
    let extent = |dim: Dim| Extent {
        width: 2,
        height: if dim.axes() > 1 { 2 } else { 1 },
        depth: if dim.axes() > 2 { 2 } else { 1 },
        layers: if dim.arrayed() { 2 } else { 1 },
        samples: if dim.multisampled() { 4 } else { 1 },
    };
    let texels = |dim: Dim| {
        let e = extent(dim);
        (e.width * e.height * e.depth * e.layers * e.samples) as usize * usize::from(dim.faces())
    };
    let made = |t: &vecasm_ir::ir::Texture| {
        let level = vec![[7; 4]; texels(t.dim)];
        Texture::new(t.dim, t.scalar, extent(t.dim), vec![level]).unwrap()
    };
    let made: Vec<Texture> = shader.textures.iter().map(made).collect();
    let sampler = SamplerState { wrap_u: Wrap::Repeat, ..SamplerState::PLAIN.with_filter(Filter::Linear) };
    let textures = made.iter().map(|texture| Some(BoundTexture { texture, sampler })).collect();
    let image = |i: &vecasm_ir::ir::Image| {
        let bytes = vec![5; texels(i.dim) * usize::from(i.format.bytes())];
        Some(Image::new(i.dim, i.format, extent(i.dim), bytes).unwrap())
    };
    let batch = Batch {
        count,
        inputs,
        params,
        buffers,
        textures,
        images: shader.images.iter().map(image).collect(),
        handles: vec![(0, 0), (1, 1)],
        grid: [1; 3],
        workgroup,
        fuel: Some(5),
        ..Batch::default()
    };
    Interp.run(shader, &batch).map(|_| ())
}

#[test]
fn what_is_accepted_runs() {
    let rng = &mut Rng::new(1);
    let sound = sound();
    let mut ops = Vec::new();
    sound.iter().for_each(|shader| shader.body.for_each_inst(&mut |inst| ops.push(inst.op)));
    let (mut accepted, mut refused, mut ran) = (0, 0, 0);
    for round in 0..6000 {
        let mut changed = match round % 4 {
            0 => shader(rng, Size { nodes: 12, depth: 3 }),
            _ => sound[rng.below(sound.len())].clone(),
        };
        for _ in 0..1 + rng.below(3) {
            edit(rng, &mut changed, &ops);
        }
        if !verify(&changed).is_empty() {
            refused += 1;
            continue;
        }
        accepted += 1;
        let text = print(&changed);
        match std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| go(rng, &changed))) {
            Ok(Ok(())) => ran += 1,
            Ok(Err(RunError::Malformed(what))) => panic!("{what}\n{text}"),
            Ok(Err(_)) => {}
            Err(_) => panic!("round {round} panics\n{text}"),
        }
    }
    // Neither way is empty.
    assert!(accepted > 500 && refused > 2000 && ran > 400, "{accepted} {refused} {ran}");
}
