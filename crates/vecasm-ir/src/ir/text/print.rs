//! Writing the text form.

use super::name::{self, Names, SHARED};
use super::{literal, op_name};
use crate::ir::op::effects::{Kind, Subject};
use crate::ir::op::{Element, Parts, Place, constant_lane};
use crate::ir::steps::{Access, Cell};
use crate::ir::verify::{MAX_DEPTH, type_name};
use crate::ir::{
    Arg, Args, At, Atomic, Inst, Interpolation, Location, Lod, Memory, Node, Op, Pick, Region, Rule,
    SamplerState, Scalar, Setup, Shader, Site, Slope, Texture, Type, Value, ValueInfo, Vote,
};
use crate::operand::{LANES, WriteMask};
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;
use core::fmt::{self, Arguments};

/// Writes a shader.
pub fn print(shader: &Shader) -> String {
    let mut printer = Printer { shader, names: Names::of(shader), level: 1, out: String::new() };
    printer.tables();
    printer.out.push('\n');
    printer.region(&shader.body, 0);
    printer.out
}

/// Shows something with `, ` or another separator between.
fn join<T>(
    out: &mut String,
    list: impl IntoIterator<Item = T>,
    between: &str,
    show: impl Fn(&mut String, T),
) {
    for (i, item) in list.into_iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        show(out, item);
    }
}

struct Printer<'a> {
    shader: &'a Shader,
    names: Names,
    /// How far lines are indented.
    level: usize,
    out: String,
}

impl Printer<'_> {
    fn put(&mut self, text: Arguments<'_>) {
        // Writing to a string does not fail.
        let _: fmt::Result = self.out.write_fmt(text);
    }

    fn flag(&mut self, word: &str, holds: bool) {
        if holds {
            self.put(format_args!(" {word}"));
        }
    }

    /// The head of a line of a table: `  input 3 NAME`.
    fn entry(&mut self, table: &str, number: usize, name: &str) {
        self.put(format_args!("  {table} {number} "));
        name::write(&mut self.out, name);
    }

    fn semantic(&mut self, semantic: &str) {
        if !semantic.is_empty() {
            self.out.push_str(" semantic=");
            name::write(&mut self.out, semantic);
        }
    }

    /// `key=a,b…`: words of 32 bits as lanes of a type.
    fn lanes(&mut self, key: &str, bits: &[u32], scalar: Scalar) {
        self.put(format_args!(" {key}="));
        self.words(bits, scalar);
    }

    fn words(&mut self, bits: &[u32], scalar: Scalar) {
        // A wide lane does not fit into one word; it is shown by its bits.
        let scalar = if scalar.is_wide() { Scalar::U32 } else { scalar };
        join(&mut self.out, bits, ",", |out, &bits| literal::write(out, bits.into(), scalar));
    }

    /// The type of lanes where it is not the usual one.
    fn scalar(&mut self, scalar: Scalar) {
        if scalar != Scalar::F32 {
            self.put(format_args!(" : {}", scalar.name()));
        }
    }

    fn kind(&mut self, name: &str, number: Option<u32>) {
        self.put(format_args!(" {name}"));
        if let Some(number) = number {
            self.put(format_args!(" {number}"));
        }
    }

    fn tables(&mut self) {
        let shader = self.shader;
        self.put(format_args!("{} ", shader.stage.name()));
        name::write(&mut self.out, &shader.isa);
        self.out.push('\n');
        if !shader.files.is_empty() {
            self.out.push_str("  files");
            for file in &shader.files {
                self.out.push(' ');
                name::write(&mut self.out, file);
            }
            self.out.push('\n');
        }
        if !shader.registers.is_empty() {
            self.out.push_str("  registers ");
            join(&mut self.out, &shader.registers, ", ", |out, file| {
                name::write(out, &file.name);
                let _ = write!(out, " {}", file.role.name());
                if let Some(count) = file.count {
                    let _ = write!(out, " {count}");
                }
            });
            self.out.push('\n');
        }
        self.setup();
        if shader.serial {
            self.out.push_str("  serial\n");
        }
        for (i, input) in shader.inputs.iter().enumerate() {
            self.entry("input", i, &input.name);
            self.kind(input.kind.name(), input.kind.number());
            self.put(format_args!(" : {}", type_name(input.ty)));
            self.flag(input.interpolation.name(), input.interpolation != Interpolation::default());
            self.flag(input.location.name(), input.location != Location::default());
            self.semantic(&input.semantic);
            self.out.push('\n');
        }
        for (i, output) in shader.outputs.iter().enumerate() {
            self.entry("output", i, &output.name);
            self.kind(output.kind.name(), output.kind.number());
            self.scalar(output.scalar);
            if output.init != [0; 4] {
                self.lanes("init", &output.init, output.scalar);
            }
            if output.streams != [0; 4] {
                let [x, y, z, w] = output.streams;
                self.put(format_args!(" streams={x},{y},{z},{w}"));
            }
            self.flag("carried", output.carried);
            self.semantic(&output.semantic);
            self.out.push('\n');
        }
        for (i, param) in shader.params.iter().enumerate() {
            self.entry("param", i, &param.name);
            self.scalar(param.scalar);
            self.put(format_args!(" size {} used {}", param.size, param.used));
            self.flag("indexed", param.indexed);
            for (element, bits) in &param.fixed {
                self.put(format_args!(" fixed={element}:"));
                self.words(bits, param.scalar);
            }
            self.out.push('\n');
        }
        for (i, local) in shader.locals.iter().enumerate() {
            self.entry("local", i, &local.name);
            self.scalar(local.scalar);
            self.put(format_args!(" size {}\n", local.size));
        }
        for (i, state) in shader.states.iter().enumerate() {
            self.entry("state", i, &state.name);
            self.put(format_args!(" : {}", type_name(state.ty)));
            // Lanes beyond the type are shown where they hold something.
            let last = state.default.iter().rposition(|&bits| bits != 0);
            if let Some(last) = last {
                let shown = usize::from(state.ty.lanes.clamp(1, 4)).max(last + 1);
                self.lanes("default", &state.default[..shown], state.ty.scalar);
            }
            self.out.push('\n');
        }
        for (i, texture) in shader.textures.iter().enumerate() {
            self.texture(i, texture);
        }
        for (i, buffer) in shader.buffers.iter().enumerate() {
            self.entry("buffer", i, &buffer.name);
            self.put(format_args!(" slot {} {}", buffer.slot, buffer.kind.name()));
            self.flag("write", buffer.write);
            self.out.push('\n');
        }
        for (i, image) in shader.images.iter().enumerate() {
            self.entry("image", i, &image.name);
            self.put(format_args!(" slot {} {} {}", image.slot, image.dim.name(), image.format.name()));
            self.flag("read", image.read);
            self.flag("write", image.write);
            self.out.push('\n');
        }
        for (i, step) in shader.steps.iter().enumerate() {
            self.put(format_args!("  step {i} source {}", step.source));
            if step.part != 0 {
                self.put(format_args!(" part {}", step.part));
            }
            self.out.push_str(" reads");
            step.reads.iter().for_each(|access| self.access(access));
            self.out.push_str(" writes");
            step.writes.iter().for_each(|access| self.access(access));
            self.out.push('\n');
        }
    }

    /// What a stage declares about itself, where it differs from [`Setup::default`].
    fn setup(&mut self) {
        let (s, usual) = (self.shader.setup, Setup::default());
        if s == usual {
            return;
        }
        self.out.push_str("  setup");
        if s.workgroup != usual.workgroup {
            let [x, y, z] = s.workgroup;
            self.put(format_args!(" workgroup={x},{y},{z}"));
        }
        for (key, value, usual) in [
            ("shared", s.shared, usual.shared),
            ("vertices-in", s.vertices_in, usual.vertices_in),
            ("invocations", s.invocations, usual.invocations),
            ("max-vertices", s.max_vertices, usual.max_vertices),
        ] {
            if value != usual {
                self.put(format_args!(" {key}={value}"));
            }
        }
        if s.primitive_in != usual.primitive_in {
            self.put(format_args!(" in={}", s.primitive_in.name()));
        }
        if s.primitive_out != usual.primitive_out {
            self.put(format_args!(" out={}", s.primitive_out.name()));
        }
        if s.spacing != usual.spacing {
            self.put(format_args!(" spacing={}", s.spacing.name()));
        }
        self.flag("fours", s.fours);
        self.flag("byte-offsets", s.byte_offsets);
        self.flag("primitive-limit", s.primitive_limit);
        self.flag("one-sequence", s.one_sequence);
        self.flag("clockwise", s.clockwise);
        self.flag("points", s.points);
        self.flag("early-tests", s.early_tests);
        self.out.push('\n');
    }

    fn texture(&mut self, number: usize, texture: &Texture) {
        self.entry("texture", number, &texture.name);
        self.put(format_args!(" slot {} {}", texture.slot, texture.dim.name()));
        if texture.sampler_slot != texture.slot {
            self.put(format_args!(" sampler={}", texture.sampler_slot));
        }
        if texture.scalar != Scalar::F32 {
            self.put(format_args!(" texels={}", texture.scalar.name()));
        }
        self.flag("depth", texture.compare);
        if let Some(state) = texture.dim_by {
            self.out.push_str(" dim=state ");
            put_reference(&mut self.out, &self.names.states, state.0);
        }
        if let Some(state) = texture.sampler {
            self.sampler(&state, texture.scalar);
        }
        self.out.push('\n');
    }

    /// The state of a sampler; settings that are as in [`SamplerState::PLAIN`] are left out, but for the first three.
    fn sampler(&mut self, s: &SamplerState, texels: Scalar) {
        let plain = SamplerState::PLAIN;
        let (u, v, w) = (s.wrap_u.name(), s.wrap_v.name(), s.wrap_w.name());
        self.put(format_args!(" wrap={u},{v},{w} filter={}", s.mag.name()));
        if s.min != s.mag {
            self.put(format_args!(",{}", s.min.name()));
        }
        self.put(format_args!(" mip={}", s.mip.name()));
        if s.anisotropy != plain.anisotropy {
            self.put(format_args!(" anisotropy={}", s.anisotropy));
        }
        if s.border != plain.border {
            self.lanes("border", &s.border, texels);
        }
        for (key, value, usual) in [
            ("bias", s.lod_bias, plain.lod_bias),
            ("min-lod", s.min_lod, plain.min_lod),
            ("max-lod", s.max_lod, plain.max_lod),
        ] {
            if value != usual {
                self.lanes(key, &[value.0], Scalar::F32);
            }
        }
        if let Some(compare) = s.compare {
            self.put(format_args!(" compare={}", compare.name()));
        }
        self.flag("seamless", s.seamless);
        if s.model != plain.model {
            self.put(format_args!(" model={}", s.model));
        }
    }

    fn access(&mut self, access: &Access) {
        self.out.push(' ');
        let names = &self.names;
        let (sigil, table, number, index) = match access.cell {
            Cell::Register(home) => {
                let home = names.home(home);
                self.put(format_args!("@{home}"));
                return self.mask(access.mask);
            }
            Cell::Output(id) => ("", &names.outputs, id.0, String::new()),
            Cell::Param(id, index) => ("", &names.params, id.0, format!("[{index}]")),
            Cell::ParamAt(id, offset) => ("", &names.params, id.0, format!("[{offset:+}]")),
            Cell::Local(id, index) => ("&", &names.locals, id.0, format!("[{index}]")),
            Cell::LocalAt(id, offset) => ("&", &names.locals, id.0, format!("[{offset:+}]")),
            Cell::InputAt(id, offset) => ("<", &names.inputs, id.0, format!("[{offset:+}]")),
            Cell::OutputAt(id, offset) => (">", &names.outputs, id.0, format!("[{offset:+}]")),
            Cell::State(id) => ("$", &names.states, id.0, String::new()),
        };
        self.out.push_str(sigil);
        put_reference(&mut self.out, table, number);
        self.out.push_str(&index);
        self.mask(access.mask);
    }

    fn mask(&mut self, mask: WriteMask) {
        self.out.push('.');
        self.out.extend(mask.lanes().map(|lane| LANES[lane]));
    }

    fn indent(&mut self) {
        // However deep a shader is nested, the text stays bounded.
        for _ in 0..self.level.min(40) {
            self.out.push_str("  ");
        }
    }

    /// A region between braces, up to the closing one, with what stands behind that.
    fn braces(&mut self, region: &Region, depth: usize, behind: &str) {
        self.out.push_str(" {\n");
        self.level += 1;
        self.region(region, depth + 1);
        self.level -= 1;
        self.indent();
        self.out.push('}');
        self.out.push_str(behind);
    }

    fn region(&mut self, region: &Region, depth: usize) {
        if depth > MAX_DEPTH {
            self.indent();
            self.out.push_str("...\n");
            return;
        }
        for node in &region.nodes {
            self.indent();
            self.node(node, depth);
        }
        if region.yields.len != 0 {
            self.indent();
            self.out.push_str("yield");
            self.args(region.yields);
            self.out.push('\n');
        }
    }

    fn node(&mut self, node: &Node, depth: usize) {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::If(node) => {
                self.results(&node.results);
                self.out.push_str("if ");
                self.arg(node.cond);
                self.braces(&node.then, depth, " else");
                self.braces(&node.otherwise, depth, "\n");
            }
            Node::Block(node) => {
                self.results(&node.results);
                self.put(format_args!("block L{}", node.label.0));
                self.braces(&node.body, depth, "\n");
            }
            Node::Loop(node) => {
                self.results(&node.results);
                self.put(format_args!("loop L{}", node.label.0));
                for (i, &param) in node.params.iter().enumerate() {
                    self.out.push(' ');
                    self.typed(param);
                    self.out.push_str(" = ");
                    match self.shader.args(node.init).get(i) {
                        Some(&arg) => self.arg(arg),
                        None => self.out.push('?'),
                    }
                }
                self.braces(&node.body, depth, "\n");
            }
            Node::Switch(node) => {
                self.results(&node.results);
                self.out.push_str("switch ");
                self.arg(node.selector);
                self.out.push_str(" {\n");
                let scalar = self.info(node.selector.value).map_or(Scalar::U32, |info| info.ty.scalar);
                self.level += 1;
                for (numbers, region) in &node.cases {
                    self.indent();
                    self.out.push_str("case");
                    for &number in numbers {
                        self.out.push(' ');
                        let scalar = if scalar == Scalar::I32 { Scalar::I32 } else { Scalar::U32 };
                        literal::write(&mut self.out, number.into(), scalar);
                    }
                    self.braces(region, depth, "\n");
                }
                self.indent();
                self.out.push_str("default");
                self.braces(&node.default, depth, "\n");
                self.level -= 1;
                self.indent();
                self.out.push_str("}\n");
            }
            Node::Idiom(node) => {
                self.results(&node.results);
                self.put(format_args!("idiom {} (", node.what.name()));
                for (i, &arg) in self.shader.args(node.operands).iter().enumerate() {
                    if i > 0 {
                        self.out.push(' ');
                    }
                    self.arg(arg);
                }
                self.out.push(')');
                self.braces(&node.body, depth, "\n");
            }
            Node::Leave { label, values } => {
                self.put(format_args!("leave L{}", label.0));
                self.args(*values);
                self.out.push('\n');
            }
            Node::Again { label, values } => {
                self.put(format_args!("again L{}", label.0));
                self.args(*values);
                self.out.push('\n');
            }
        }
    }

    fn results(&mut self, results: &[Value]) {
        for (i, &value) in results.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.typed(value);
        }
        if !results.is_empty() {
            self.out.push_str(" = ");
        }
    }

    fn info(&self, value: Value) -> Option<ValueInfo> {
        self.shader.values.get(value.index()).copied()
    }

    fn typed(&mut self, value: Value) {
        let Some(info) = self.info(value) else {
            self.put(format_args!("%{}: ?", value.number()));
            return;
        };
        self.put(format_args!("%{}: {}", value.number(), type_name(info.ty)));
        if let Some(home) = info.home {
            let home = self.names.home(home);
            self.put(format_args!(" @{home}"));
        }
    }

    fn args(&mut self, args: Args) {
        for &arg in self.shader.args(args) {
            self.out.push(' ');
            self.arg(arg);
        }
    }

    fn arg(&mut self, arg: Arg) {
        self.put(format_args!("%{}", arg.value.number()));
        let lanes = self.info(arg.value).map_or(4, |info| info.ty.lanes);
        let whole = arg.lanes == lanes && (0..lanes).all(|i| arg.swizzle.get(usize::from(i)) == i);
        if !whole {
            self.out.push('.');
            for i in 0..usize::from(arg.lanes.min(4)) {
                self.out.push(LANES[usize::from(arg.swizzle.get(i))]);
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let start = self.out.len();
        let info = inst.result.and_then(|value| self.info(value));
        if let Some(result) = inst.result {
            self.put(format_args!("%{} = ", result.number()));
        }
        self.out.push_str(op_name(inst.op));
        let parts = inst.op.parts();
        self.attributes(&parts);
        if inst.arith.rule != Rule::default() {
            self.put(format_args!(".{}", inst.arith.rule.name()));
        }
        if inst.arith.flush {
            self.out.push_str(".flush");
        }
        if inst.arith.precise {
            self.out.push_str(".precise");
        }
        self.operand(inst.op, &parts, info.map_or(Type::F32X4, |info| info.ty));
        self.args(inst.args);
        if let Some(info) = info {
            self.put(format_args!(" : {}", type_name(info.ty)));
        }
        let pad = 46usize.saturating_sub(self.out.len() - start).max(2);
        self.put(format_args!("{:pad$}step {}", "", inst.step));
        if let Some(tail) = inst.tail {
            self.put(format_args!("  tail {tail}"));
        }
        if let Some(home) = info.and_then(|info| info.home) {
            let home = self.names.home(home);
            self.put(format_args!("  home {home}"));
        }
        self.out.push('\n');
    }

    fn attribute(&mut self, word: &str) {
        self.put(format_args!(".{word}"));
    }

    fn attribute_if(&mut self, word: &str, holds: bool) {
        if holds {
            self.attribute(word);
        }
    }

    /// What stands behind the name of an operation, with dots.
    fn attributes(&mut self, parts: &Parts) {
        match parts.element {
            Element::Run(At { rule, .. }) | Element::Computed { rule: Some(rule), .. } => {
                self.attribute(rule.name());
            }
            _ => {}
        }
        let words = [
            parts.site.map(Site::name),
            parts.atomic.map(Atomic::name),
            parts.vote.map(Vote::name),
            parts.slope.filter(|slope| *slope != Slope::default()).map(Slope::name),
        ];
        words.into_iter().flatten().for_each(|word| self.attribute(word));
        if let Some(component) = parts.component {
            let lane = LANES.get(usize::from(component)).copied().unwrap_or('?');
            self.put(format_args!(".{lane}"));
        }
        match parts.lod {
            None | Some(Lod::Implicit { bias_eighths: 0 }) => {}
            Some(Lod::Implicit { bias_eighths }) => {
                self.put(format_args!(".bias({})", f32::from(bias_eighths) / 8.0));
            }
            Some(Lod::Bias) => self.attribute("bias"),
            Some(Lod::Level) => self.attribute("level"),
            Some(Lod::Gradient) => self.attribute("gradient"),
        }
        self.attribute_if("compare", parts.compare);
        self.attribute_if("offset", parts.offset);
        self.attribute_if("handle", parts.pick() == Pick::Handle);
    }

    /// What an operation names, and numbers that are no arguments.
    fn operand(&mut self, op: Op, parts: &Parts, ty: Type) {
        if let Op::Const(bits) = op {
            let most = if ty.scalar.is_wide() { 2 } else { 4 };
            for lane in 0..usize::from(ty.lanes).min(most) {
                self.out.push(' ');
                literal::write(&mut self.out, constant_lane(bits, ty.scalar, lane), ty.scalar);
            }
        }
        if let Some(Subject::Number | Subject::Step) = Kind::of(op).map(Kind::subject) {
            self.put(format_args!(" {}", parts.number));
        }
        let Some(place) = parts.place else { return };
        self.out.push(' ');
        self.place(place);
        match parts.element {
            Element::Only | Element::Binding(Pick::Fixed | Pick::Handle) => {}
            Element::Fixed(index) => self.put(format_args!("[{index}]")),
            Element::Computed { offset, .. } => self.put(format_args!("[{offset:+}]")),
            Element::Run(at) => self.put(format_args!("[{:+} of {}]", at.offset, at.count)),
            Element::Binding(Pick::Index { count }) => self.put(format_args!("[of {count}]")),
        }
        if let Some(mask) = parts.mask {
            self.mask(mask);
        }
    }

    fn place(&mut self, place: Place) {
        let names = &self.names;
        let (table, id) = match place {
            Place::Input(id) => (&names.inputs, id.0),
            Place::Output(id) => (&names.outputs, id.0),
            Place::Param(id) => (&names.params, id.0),
            Place::Local(id) => (&names.locals, id.0),
            Place::State(id) => (&names.states, id.0),
            Place::Texture(id) => (&names.textures, id.0),
            Place::Image(id) => (&names.images, id.0),
            Place::Memory(Memory::Buffer(id)) => (&names.buffers, id.0),
            Place::Memory(Memory::Shared) => return self.out.push_str(SHARED),
        };
        put_reference(&mut self.out, table, id);
    }
}

/// Appends how the thing of that number in a table is referred to, also if the table lacks it.
fn put_reference(out: &mut String, table: &[String], number: u32) {
    match table.get(number as usize) {
        Some(name) => out.push_str(name),
        None => {
            let _ = write!(out, "#{number}");
        }
    }
}
