//! Writing the text form.

use super::op_name;
use crate::ir::steps::Cell;
use crate::ir::verify::{MAX_DEPTH, type_name};
use crate::ir::{Arg, Args, Inst, Lod, Node, Op, Region, Rule, SamplerState, Scalar, Shader, Type, Value};
use crate::isa::operand::LANES;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write as _;

/// Writes a shader.
pub fn print(shader: &Shader) -> String {
    let mut out = format!("{} {}\n", shader.stage.name(), shader.isa);
    let _ = writeln!(out, "  files {}", shader.files.join(" "));
    for (i, input) in shader.inputs.iter().enumerate() {
        let kind = kind(input.kind.name(), input.kind.number());
        let _ = writeln!(out, "  input {i} {} {kind} : {}", input.name, type_name(input.ty));
    }
    for (i, output) in shader.outputs.iter().enumerate() {
        let kind = kind(output.kind.name(), output.kind.number());
        let _ = write!(out, "  output {i} {} {kind}", output.name);
        if output.init != [0; 4] {
            let [x, y, z, w] = output.init;
            let _ = write!(out, " init {x:08x} {y:08x} {z:08x} {w:08x}");
        }
        out.push('\n');
    }
    for (i, param) in shader.params.iter().enumerate() {
        let indexed = if param.indexed { " indexed" } else { "" };
        let _ = writeln!(out, "  param {i} {} size {} used {}{indexed}", param.name, param.size, param.used);
    }
    for (i, texture) in shader.textures.iter().enumerate() {
        let _ = write!(out, "  texture {i} {} slot {} {}", texture.name, texture.slot, texture.dim.name());
        if texture.sampler_slot != texture.slot {
            let _ = write!(out, " sampler={}", texture.sampler_slot);
        }
        if texture.scalar != Scalar::F32 {
            let _ = write!(out, " texels={}", texture.scalar.name());
        }
        if texture.compare {
            out.push_str(" depth");
        }
        if let Some(state) = texture.sampler {
            sampler(&mut out, &state);
        }
        out.push('\n');
    }
    for (i, step) in shader.steps.iter().enumerate() {
        let _ = write!(out, "  step {i} source {} reads", step.source);
        for access in &step.reads {
            let _ = write!(out, " {}.{}", cell(shader, access.cell), access.mask.letters());
        }
        out.push_str(" writes");
        for access in &step.writes {
            let _ = write!(out, " {}.{}", cell(shader, access.cell), access.mask.letters());
        }
        out.push('\n');
    }
    out.push('\n');
    let mut printer = Printer { shader, out };
    printer.region(&shader.body, 1);
    printer.out
}

/// The state of a sampler; settings that are as in [`SamplerState::PLAIN`] are left out, but for the first three.
fn sampler(out: &mut String, s: &SamplerState) {
    let (u, v, w) = (s.wrap_u.name(), s.wrap_v.name(), s.wrap_w.name());
    let _ = write!(out, " wrap={u},{v},{w} filter={}", s.mag.name());
    if s.min != s.mag {
        let _ = write!(out, ",{}", s.min.name());
    }
    let _ = write!(out, " mip={}", s.mip.name());
    let plain = SamplerState::PLAIN;
    if s.anisotropy != plain.anisotropy {
        let _ = write!(out, " anisotropy={}", s.anisotropy);
    }
    if s.border != plain.border {
        let [x, y, z, w] = s.border;
        let _ = write!(out, " border={x:08x},{y:08x},{z:08x},{w:08x}");
    }
    for (key, value, usual) in [
        ("bias", s.lod_bias, plain.lod_bias),
        ("min-lod", s.min_lod, plain.min_lod),
        ("max-lod", s.max_lod, plain.max_lod),
    ] {
        // A NaN has bits that no number shows.
        if value != usual && value.get().is_nan() {
            let _ = write!(out, " {key}=0x{:08x}", value.0);
        } else if value != usual {
            let _ = write!(out, " {key}={:?}", value.get());
        }
    }
    if let Some(compare) = s.compare {
        let _ = write!(out, " compare={}", compare.name());
    }
    if s.seamless {
        out.push_str(" seamless");
    }
    if s.model != plain.model {
        let _ = write!(out, " model={}", s.model.name());
    }
}

/// A kind of input or output.
fn kind(name: &str, number: Option<u32>) -> String {
    match number {
        Some(number) => format!("{name} {number}"),
        None => name.into(),
    }
}

/// A cell as the step table spells it; a computed index is `name[at+n]`.
fn cell(shader: &Shader, cell: Cell) -> String {
    match cell {
        Cell::ParamAt(id, offset) => {
            let name = shader.params.get(id.index()).map_or("?", |p| p.name.as_str());
            format!("{name}[at{offset:+}]")
        }
        cell => shader.cell_name(cell),
    }
}

struct Printer<'a> {
    shader: &'a Shader,
    out: String,
}

impl Printer<'_> {
    fn indent(&mut self, depth: usize) {
        // A malformed shader may be nested without end; the text stays bounded.
        for _ in 0..depth.min(40) {
            self.out.push_str("  ");
        }
    }

    fn region(&mut self, region: &Region, depth: usize) {
        if depth > MAX_DEPTH {
            self.indent(depth);
            self.out.push_str("...\n");
            return;
        }
        for node in &region.nodes {
            self.indent(depth);
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::If(node) => {
                    self.results(&node.results);
                    let _ = write!(self.out, "if ");
                    self.arg(node.cond);
                    self.out.push_str(" {\n");
                    self.region(&node.then, depth + 1);
                    self.indent(depth);
                    self.out.push_str("} else {\n");
                    self.region(&node.otherwise, depth + 1);
                    self.indent(depth);
                    self.out.push_str("}\n");
                }
                Node::Block(node) => {
                    self.results(&node.results);
                    let _ = writeln!(self.out, "block L{} {{", node.label.0);
                    self.region(&node.body, depth + 1);
                    self.indent(depth);
                    self.out.push_str("}\n");
                }
                Node::Loop(node) => {
                    self.results(&node.results);
                    let _ = write!(self.out, "loop L{}", node.label.0);
                    for (i, &param) in node.params.iter().enumerate() {
                        let _ = write!(self.out, " {}", self.typed(param));
                        self.out.push_str(" = ");
                        match self.shader.args(node.init).get(i) {
                            Some(&arg) => self.arg(arg),
                            None => self.out.push('?'),
                        }
                    }
                    self.out.push_str(" {\n");
                    self.region(&node.body, depth + 1);
                    self.indent(depth);
                    self.out.push_str("}\n");
                }
                Node::Switch(_) | Node::Idiom(_) => {}
                Node::Leave { label, values } => {
                    let _ = write!(self.out, "leave L{}", label.0);
                    self.args(*values);
                    self.out.push('\n');
                }
                Node::Again { label, values } => {
                    let _ = write!(self.out, "again L{}", label.0);
                    self.args(*values);
                    self.out.push('\n');
                }
            }
        }
        if region.yields.len != 0 {
            self.indent(depth);
            self.out.push_str("yield");
            self.args(region.yields);
            self.out.push('\n');
        }
    }

    fn results(&mut self, results: &[Value]) {
        for (i, &value) in results.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            let text = self.typed(value);
            self.out.push_str(&text);
        }
        if !results.is_empty() {
            self.out.push_str(" = ");
        }
    }

    fn typed(&self, value: Value) -> String {
        let Some(info) = self.shader.values.get(value.index()) else { return format!("%{}: ?", value.0) };
        match info.home {
            Some(home) => format!("%{}: {} @{}", value.0, type_name(info.ty), self.shader.home_name(home)),
            None => format!("%{}: {}", value.0, type_name(info.ty)),
        }
    }

    fn args(&mut self, args: Args) {
        for &arg in self.shader.args(args) {
            self.out.push(' ');
            self.arg(arg);
        }
    }

    fn arg(&mut self, arg: Arg) {
        let _ = write!(self.out, "%{}", arg.value.0);
        let lanes = self.shader.values.get(arg.value.index()).map_or(4, |info| info.ty.lanes);
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
        let shader = self.shader;
        if let Some(result) = inst.result {
            let _ = write!(self.out, "%{} = ", result.0);
        }
        self.out.push_str(op_name(inst.op));
        if inst.arith.rule != Rule::Ieee {
            let _ = write!(self.out, ".{}", inst.arith.rule.name());
        }
        if inst.arith.flush {
            self.out.push_str(".flush");
        }
        if inst.arith.precise {
            self.out.push_str(".precise");
        }
        let name = |names: Option<&str>| names.unwrap_or("?").to_string();
        match inst.op {
            Op::Pure(_) | Op::Compose | Op::Ddx(_) | Op::Ddy(_) | Op::Demote => {}
            Op::Const(bits) => {
                let ty = inst.result.and_then(|v| shader.values.get(v.index())).map_or(Type::F32X4, |v| v.ty);
                for &lane in bits.iter().take(usize::from(ty.lanes.min(4))) {
                    let _ = match ty.scalar {
                        Scalar::F32 if f32::from_bits(lane).is_finite() => {
                            write!(self.out, " {:?}", f32::from_bits(lane))
                        }
                        Scalar::Bool => write!(self.out, " {}", lane != 0),
                        Scalar::I32 => write!(self.out, " {}", lane as i32),
                        Scalar::U32 => write!(self.out, " {lane}"),
                        _ => write!(self.out, " 0x{lane:08x}"),
                    };
                }
            }
            Op::Mark(step) => {
                let _ = write!(self.out, " {step}");
            }
            Op::Input(id) => {
                let _ = write!(self.out, " {}", name(shader.inputs.get(id.index()).map(|i| i.name.as_str())));
            }
            Op::Param { array, index } => {
                let array = name(shader.params.get(array.index()).map(|p| p.name.as_str()));
                let _ = write!(self.out, " {array}[{index}]");
            }
            Op::ParamAt { array, offset, rule } => {
                let array = name(shader.params.get(array.index()).map(|p| p.name.as_str()));
                let _ = write!(self.out, ".{} {array}[{offset:+}]", rule.name());
            }
            Op::LoadOutput(id) => {
                let _ =
                    write!(self.out, " {}", name(shader.outputs.get(id.index()).map(|o| o.name.as_str())));
            }
            Op::StoreOutput { output, mask } => {
                let output = name(shader.outputs.get(output.index()).map(|o| o.name.as_str()));
                let _ = write!(self.out, " {output}.{}", mask.letters());
            }
            Op::Sample { texture, lod, .. } => {
                match lod {
                    Lod::Implicit { bias_eighths: 0 } => {}
                    Lod::Implicit { bias_eighths } => {
                        let _ = write!(self.out, ".bias({})", f32::from(bias_eighths) / 8.0);
                    }
                    Lod::Level => self.out.push_str(".level"),
                    Lod::Bias => self.out.push_str(".lod_bias"),
                    Lod::Gradient => self.out.push_str(".gradient"),
                }
                let texture = name(shader.textures.get(texture.index()).map(|t| t.name.as_str()));
                let _ = write!(self.out, " {texture}");
            }
            _ => {}
        }
        self.args(inst.args);
        let info = inst.result.and_then(|v| shader.values.get(v.index()));
        if let Some(info) = info {
            let _ = write!(self.out, " : {}", type_name(info.ty));
        }
        let pad = 46usize.saturating_sub(self.out.len() - start).max(2);
        let _ = write!(self.out, "{:pad$}step {}", "", inst.step);
        if let Some(home) = info.and_then(|info| info.home) {
            let _ = write!(self.out, "  home {}", shader.home_name(home));
        }
        self.out.push('\n');
    }
}
