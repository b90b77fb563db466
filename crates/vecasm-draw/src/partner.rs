//! Stages of our own for a program that is drawn alone: a vertex stage that feeds a fragment program, and a fragment stage
//! that shows what a vertex program writes.

use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::build::Builder;
use vecasm_ir::ir::{
    Arg, Args, Arith, DeclUsage, Input, InputId, InputKind, Inst, Node, Op, Output, OutputId, OutputKind,
    ParamArray, ParamId, Primitive, Pure, Scalar, Shader, Slope, Stage, System, Type, Value, ValueInfo,
};
use vecasm_ir::operand::{Swizzle, WriteMask};

/// The name of these stages where an instruction set is named.
const NAME: &str = "built-in";

/// Registers of the vertex stage: the matrix into clip space, the matrix of the model, what normals are multiplied by,
/// the eye, and the direction to the light.
pub const CONSTANTS: [(&str, u32); 5] =
    [("modelViewProjection", 0), ("model", 4), ("normal", 8), ("eye", 11), ("light", 12)];
/// The attributes of the vertex stage, from 0 on.
pub const ATTRIBUTES: [&str; 5] = ["position", "normal", "uv", "tangent", "color"];

macro_rules! feeds {
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal;)*) => {
        /// What the vertex stage gives to an input of a fragment program.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Feed {
            $($(#[doc = $doc])+ $V,)*
            /// The same four numbers everywhere.
            Value([f32; 4]),
        }

        impl Feed {
            /// Every one that has a name, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word of scene files; empty for numbers.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$V => $name,)*
                    Self::Value(_) => "",
                }
            }
        }
    };
}

feeds! {
    /// Texture coordinates u and v, and (0, 1).
    Uv "uv";
    /// The normal, turned as the model is, w = 0.
    Normal "normal";
    /// The tangent, turned as the model is, w = 0.
    Tangent "tangent";
    /// The vector that stands on normal and tangent, w = 0.
    Binormal "binormal";
    /// The place, moved as the model is, w = 1.
    Position "position";
    /// The place in clip space.
    Clip "clip";
    /// The colour of the mesh.
    Color "color";
    /// The unit vector to the eye, w = 0.
    View "view";
    /// The unit vector to the light, w = 0.
    Light "light";
    /// The unit vector halfway between those to the eye and to the light, w = 0.
    Half "half";
    /// The direction that is seen in a mirror, w = 0.
    Reflection "reflection";
    /// The unit vector to the light along tangent, binormal and normal, w = 0.
    LightTangent "light-tangent";
    /// The unit vector to the eye along tangent, binormal and normal, w = 0.
    ViewTangent "view-tangent";
}

impl Feed {
    /// What an input is usually given, by what the source calls its meaning: `texcoord`, `color1`, `normal`… Coordinates
    /// of textures if it says nothing.
    pub fn of(input: &Input) -> Self {
        let word = input.semantic.to_ascii_lowercase();
        let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        match DeclUsage::of_semantic(&word) {
            Some(DeclUsage::Normal) => Self::Normal,
            Some(DeclUsage::Tangent) => Self::Tangent,
            Some(DeclUsage::Binormal) => Self::Binormal,
            Some(DeclUsage::Position | DeclUsage::PositionT) => Self::Position,
            Some(DeclUsage::Color) if number.is_empty() || number == "0" => Self::Color,
            // Highlights.
            Some(DeclUsage::Color) => Self::Value([0.1, 0.1, 0.1, 1.0]),
            // No fog.
            Some(DeclUsage::Fog) => Self::Value([1.0; 4]),
            _ => Self::Uv,
        }
    }
}

/// A vertex stage that gives each varying of the program behind it, which may be of any later stage, what it says, in the
/// order of the program's inputs; where there is nothing, [`Feed::of`] the input.
///
/// It reads the [`ATTRIBUTES`] and the [`CONSTANTS`].
pub fn vertex(next: &Shader, feeds: &[Option<Feed>]) -> Shader {
    let mut stage = VertexStage { b: Builder::new(Stage::Vertex, NAME, &[], 64) };
    stage.b.shader.params.push(ParamArray { used: 13, ..ParamArray::new("c", 16) });
    for (location, name) in (0..).zip(ATTRIBUTES) {
        stage.b.shader.inputs.push(Input::new(name, InputKind::Attribute { location }, Type::F32X4));
    }
    let place = stage.attribute(0);
    let clip = stage.transformed(place, 0, 4);
    stage.b.shader.outputs.push(Output::new("position", OutputKind::Position));
    stage.b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[clip]);
    for (at, input) in next.inputs.iter().enumerate() {
        let kind = match input.kind {
            InputKind::Varying { location } => OutputKind::Varying { location },
            _ => continue,
        };
        if stage.b.shader.outputs.iter().any(|output| output.kind == kind) {
            continue;
        }
        let feed = feeds.get(at).copied().flatten().unwrap_or_else(|| Feed::of(input));
        let value = stage.value(feed);
        let mut output = Output::new(format!("{}_", input.name), kind);
        output.semantic.clone_from(&input.semantic);
        let id = OutputId(stage.b.shader.outputs.len() as u32);
        stage.b.shader.outputs.push(output);
        stage.b.effect(Op::StoreOutput { output: id, mask: WriteMask::ALL }, &[value]);
    }
    stage.b.finish()
}

/// A tessellation evaluation stage behind a control program: what that wrote for its vertices, mixed over the patch. A square
/// number of vertices from 4 on is a grid, of which the corners count; any others are a triangle by the first three, and two
/// are a line. Where the program writes no position, the first varying is one.
pub fn evaluation(control: &Shader) -> Shader {
    let count = control.setup.invocations.max(1);
    let side = (2..=5).find(|side| side * side == count);
    let (corners, domain) = match (side, count) {
        (Some(side), _) => ([0, side - 1, count - side, count - 1].to_vec(), Primitive::Quads),
        (None, 1 | 2) => ([0, count - 1].to_vec(), Primitive::Lines),
        _ => ([0, 1, 2].to_vec(), Primitive::Triangles),
    };
    let mut b = Builder::new(Stage::TessEval, NAME, &[], 64);
    b.shader.setup.primitive_in = domain;
    b.shader.setup.vertices_in = count;
    let varying = |output: &&Output| matches!(output.kind, OutputKind::Varying { .. });
    let floats = control.outputs.iter().filter(|output| output.scalar == Scalar::F32);
    let mut free = 0;
    for output in control.outputs.iter().filter(varying) {
        if let OutputKind::Varying { location } = output.kind {
            free = free.max(location + 1);
        }
    }
    let place = floats.clone().find(|output| output.kind == OutputKind::Position);
    let place = place.or_else(|| floats.clone().find(varying));
    // What is mixed, and what it becomes.
    let position = place.into_iter().map(|output| (output, OutputKind::Position));
    let others = floats.filter(varying).map(|output| (output, output.kind));
    let wanted: Vec<(&Output, OutputKind)> = position.chain(others).collect();
    // The input that reads each; the place may be a varying, too.
    let mut reads: Vec<u32> = Vec::new();
    for (output, _) in &wanted {
        let location = match output.kind {
            OutputKind::Varying { location } => location,
            _ => free,
        };
        let kind = InputKind::Varying { location };
        let known = b.shader.inputs.iter().position(|input| input.kind == kind);
        reads.push(known.unwrap_or(b.shader.inputs.len()) as u32);
        if known.is_none() {
            let mut input = Input::new(format!("{}_", output.name), kind, Type::F32X4);
            if output.kind == OutputKind::Position {
                input.semantic = "POSITION".into();
            }
            b.shader.inputs.push(input);
        }
    }
    let coordinate = InputId(b.shader.inputs.len() as u32);
    let ty = Type::new(Scalar::F32, 3);
    b.shader.inputs.push(Input::new("place", InputKind::System(System::TessCoord), ty));
    let at = Arg::all_lanes(b.push_entry(Op::Input(coordinate), ty), 3);
    for (first, (output, kind)) in reads.into_iter().zip(&wanted) {
        let mut values = Vec::new();
        for corner in &corners {
            let vertex = b.int(*corner as i32);
            values.push(b.op(Op::InputOf { first: InputId(first), at: None }, &[vertex]));
        }
        let value = match values.as_slice() {
            [a, c, d] => {
                let parts = [(a, 0), (c, 1), (d, 2)];
                let [a, c, d] = parts.map(|(v, lane)| b.pure(Pure::Mul, &[*v, repeat(part(at, lane, 1), 4)]));
                let sum = b.pure(Pure::Add, &[a, c]);
                b.pure(Pure::Add, &[sum, d])
            }
            [a, c, d, e] => {
                let (near, far) =
                    (between(&mut b, *a, *c, part(at, 0, 1)), between(&mut b, *d, *e, part(at, 0, 1)));
                between(&mut b, near, far, part(at, 1, 1))
            }
            [a, c] => between(&mut b, *a, *c, part(at, 0, 1)),
            _ => continue,
        };
        let id = OutputId(b.shader.outputs.len() as u32);
        b.shader.outputs.push(match kind {
            OutputKind::Position => Output::new("position", OutputKind::Position),
            kind => Output { semantic: output.semantic.clone(), ..Output::new(output.name.clone(), *kind) },
        });
        b.effect(Op::StoreOutput { output: id, mask: WriteMask::ALL }, &[value]);
    }
    b.finish()
}

/// a + (b − a) t
fn between(b: &mut Builder, from: Arg, to: Arg, t: Arg) -> Arg {
    let by = b.pure(Pure::Sub, &[to, from]);
    let moved = b.pure(Pure::Mul, &[by, repeat(t, 4)]);
    b.pure(Pure::Add, &[from, moved])
}

struct VertexStage {
    b: Builder,
}

impl VertexStage {
    fn attribute(&mut self, location: u32) -> Arg {
        Arg::all_lanes(self.b.push_entry(Op::Input(InputId(location)), Type::F32X4), 4)
    }

    fn constant(&mut self, index: u32) -> Arg {
        Arg::all_lanes(self.b.push_entry(Op::Param { array: ParamId(0), index }, Type::F32X4), 4)
    }

    /// `rows` dot products with the constants from `first` on, over as many lanes as there are rows.
    fn transformed(&mut self, vector: Arg, first: u32, rows: u8) -> Arg {
        let mut lanes = Vec::new();
        for row in 0..u32::from(rows) {
            let constant = self.constant(first + row);
            lanes.push(self.b.pure(Pure::Dot, &[part(vector, 0, rows), part(constant, 0, rows)]));
        }
        self.b.op(Op::Compose, &lanes)
    }

    fn value(&mut self, feed: Feed) -> Arg {
        let three = match feed {
            Feed::Value(lanes) => {
                let op = Op::Const(lanes.map(f32::to_bits));
                return Arg::all_lanes(self.b.push_entry(op, Type::F32X4), 4);
            }
            Feed::Uv => {
                let uv = self.attribute(2);
                let (zero, one) = (self.b.splat(0.0, 1), self.b.splat(1.0, 1));
                return self.b.op(Op::Compose, &[part(uv, 0, 2), zero, one]);
            }
            Feed::Color => return self.attribute(4),
            Feed::Clip => {
                let place = self.attribute(0);
                return self.transformed(place, 0, 4);
            }
            Feed::Position => {
                let place = self.attribute(0);
                return self.transformed(place, 4, 4);
            }
            Feed::Normal => self.normal(),
            Feed::Tangent => self.tangent(),
            Feed::Binormal => self.binormal(),
            Feed::View => self.view(),
            Feed::Light => self.light(),
            Feed::Half => {
                let (view, light) = (self.view(), self.light());
                let sum = self.b.pure(Pure::Add, &[view, light]);
                self.unit(sum)
            }
            Feed::Reflection => {
                // 2 (n · v) n − v
                let (view, normal) = (self.view(), self.normal());
                let along = self.b.pure(Pure::Dot, &[normal, view]);
                let twice = self.b.pure(Pure::Add, &[along, along]);
                let part = self.b.pure(Pure::Mul, &[normal, repeat(twice, 3)]);
                self.b.pure(Pure::Sub, &[part, view])
            }
            Feed::LightTangent => {
                let light = self.light();
                self.in_tangent_space(light)
            }
            Feed::ViewTangent => {
                let view = self.view();
                self.in_tangent_space(view)
            }
        };
        let zero = self.b.splat(0.0, 1);
        self.b.op(Op::Compose, &[three, zero])
    }

    fn unit(&mut self, vector: Arg) -> Arg {
        let square = self.b.pure(Pure::Dot, &[vector, vector]);
        let least = self.b.splat(1e-12, 1);
        let square = self.b.pure(Pure::Max, &[square, least]);
        let length = self.b.pure(Pure::Rsq, &[square]);
        self.b.pure(Pure::Mul, &[vector, repeat(length, 3)])
    }

    fn normal(&mut self) -> Arg {
        let normal = self.attribute(1);
        let turned = self.transformed(normal, 8, 3);
        self.unit(turned)
    }

    fn tangent(&mut self) -> Arg {
        let tangent = self.attribute(3);
        let turned = self.transformed(tangent, 4, 3);
        self.unit(turned)
    }

    fn binormal(&mut self) -> Arg {
        let (normal, tangent) = (self.normal(), self.tangent());
        let mut product =
            |a: [u8; 3], b: [u8; 3]| self.b.pure(Pure::Mul, &[lanes(normal, a), lanes(tangent, b)]);
        let (plus, minus) = (product([1, 2, 0], [2, 0, 1]), product([2, 0, 1], [1, 2, 0]));
        self.b.pure(Pure::Sub, &[plus, minus])
    }

    fn view(&mut self) -> Arg {
        let place = self.attribute(0);
        let (place, eye) = (self.transformed(place, 4, 4), self.constant(11));
        let to_eye = self.b.pure(Pure::Sub, &[part(eye, 0, 3), part(place, 0, 3)]);
        self.unit(to_eye)
    }

    fn light(&mut self) -> Arg {
        let light = self.constant(12);
        self.unit(part(light, 0, 3))
    }

    fn in_tangent_space(&mut self, vector: Arg) -> Arg {
        let axes = [self.tangent(), self.binormal(), self.normal()];
        let along = axes.map(|axis| self.b.pure(Pure::Dot, &[axis, vector]));
        self.b.op(Op::Compose, &along)
    }
}

macro_rules! views {
    ($($(#[doc = $doc:literal])+ $V:ident $name:literal;)*) => {
        /// How a fragment stage shows what a vertex program writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum View { $($(#[doc = $doc])+ $V,)* }

        impl View {
            /// Every one, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$V),*];

            /// The word of scene files.
            pub const fn name(self) -> &'static str { match self { $(Self::$V => $name,)* } }
        }
    };
}

views! {
    /// As it is, cut off at 0 and 1.
    Color "color";
    /// Half of it plus one half, so that directions are seen.
    Direction "direction";
    /// The fractions of x and y as red and green, over squares that tell whole numbers apart.
    Uv "uv";
    /// Nothing of it: the slope of the surface, lit from the upper left.
    Shape "shape";
}

/// A vertex program that no longer places its vertices: attribute `location` does, which must be one that it does not read,
/// and what it wrote as its position is a varying like any other. So one sees what it computes over a plane, also where
/// nothing of it would be on the screen.
pub fn spread(vertex: &Shader, location: u32) -> Shader {
    let mut shader = vertex.clone();
    let written = |shader: &Shader, kind: OutputKind| shader.outputs.iter().any(|o| o.kind == kind);
    let mut free = 0;
    while written(&shader, OutputKind::Varying { location: free }) {
        free += 1;
    }
    for output in &mut shader.outputs {
        if output.kind == OutputKind::Position {
            output.kind = OutputKind::Varying { location: free };
        }
    }
    let input = InputId(shader.inputs.len() as u32);
    shader.inputs.push(Input::new("place", InputKind::Attribute { location }, Type::F32X4));
    let output = OutputId(shader.outputs.len() as u32);
    shader.outputs.push(Output::new("placed", OutputKind::Position));
    // At the start of the body, where nothing has left yet.
    let value = Value::new(shader.values.len() as u32);
    shader.values.push(ValueInfo { ty: Type::F32X4, home: None });
    let args = Args { start: shader.args.len() as u32, len: 1 };
    shader.args.push(Arg::all_lanes(value, 4));
    let inst = |op: Op, args: Args, result: Option<Value>| {
        Node::Inst(Inst { op, arith: Arith::IEEE, result, args, step: 0, tail: None })
    };
    let store = Op::StoreOutput { output, mask: WriteMask::ALL };
    shader
        .body
        .nodes
        .splice(0..0, [inst(Op::Input(input), Args::default(), Some(value)), inst(store, args, None)]);
    shader
}

/// A fragment stage that shows a varying of a vertex program.
pub fn fragment(location: u32, view: View) -> Shader {
    let mut b = Builder::new(Stage::Fragment, NAME, &[], 32);
    let rgb = if view == View::Shape {
        shape(&mut b)
    } else {
        b.shader.inputs.push(Input::new("shown", InputKind::Varying { location }, Type::F32X4));
        let value = Arg::all_lanes(b.push_entry(Op::Input(InputId(0)), Type::F32X4), 4);
        shown(&mut b, value, view)
    };
    let one = b.splat(1.0, 1);
    let color = b.op(Op::Compose, &[rgb, one]);
    b.shader.outputs.push(Output::new("color", OutputKind::Color { target: 0 }));
    b.effect(Op::StoreOutput { output: OutputId(0), mask: WriteMask::ALL }, &[color]);
    b.finish()
}

fn shown(b: &mut Builder, value: Arg, view: View) -> Arg {
    let rgb = part(value, 0, 3);
    match view {
        View::Direction => {
            let half = b.splat(0.5, 3);
            let scaled = b.pure(Pure::Mul, &[rgb, half]);
            let moved = b.pure(Pure::Add, &[scaled, half]);
            b.pure(Pure::Saturate, &[moved])
        }
        View::Uv => {
            let uv = part(value, 0, 2);
            let fraction = b.pure(Pure::Fract, &[uv]);
            // Eight squares to a whole number: the parity of the sum of their numbers.
            let (eight, half) = (b.splat(8.0, 2), b.splat(0.5, 1));
            let scaled = b.pure(Pure::Mul, &[uv, eight]);
            let square = b.pure(Pure::Floor, &[scaled]);
            let sum = b.pure(Pure::Sum, &[square]);
            let sum = b.pure(Pure::Mul, &[sum, half]);
            let odd = b.pure(Pure::Fract, &[sum]);
            let base = b.splat(0.25, 1);
            let blue = b.pure(Pure::Add, &[odd, base]);
            b.op(Op::Compose, &[fraction, blue])
        }
        View::Color | View::Shape => b.pure(Pure::Saturate, &[rgb]),
    }
}

/// The slope of the surface from the depths of neighbours, as a light from the upper left shows it.
fn shape(b: &mut Builder) -> Arg {
    b.shader.inputs.push(Input::new("place", InputKind::System(System::FragCoord), Type::F32X4));
    let place = Arg::all_lanes(b.push_entry(Op::Input(InputId(0)), Type::F32X4), 4);
    // The distance along the view, near enough: w of the place is 1/w.
    let distance = b.pure(Pure::Rcp, &[part(place, 3, 1)]);
    let (dx, dy) = (b.op(Op::Ddx(Slope::Fine), &[distance]), b.op(Op::Ddy(Slope::Fine), &[distance]));
    let pixels = b.splat(120.0, 1);
    let (dx, dy) = (b.pure(Pure::Mul, &[dx, pixels]), b.pure(Pure::Mul, &[dy, pixels]));
    let one = b.splat(1.0, 1);
    let slope = b.op(Op::Compose, &[dx, dy, one]);
    let square = b.pure(Pure::Dot, &[slope, slope]);
    let length = b.pure(Pure::Rsq, &[square]);
    let normal = b.pure(Pure::Mul, &[slope, repeat(length, 3)]);
    let light = constant(b, [-0.41, -0.51, 0.76]);
    let lit = b.pure(Pure::Dot, &[normal, light]);
    let zero = b.splat(0.0, 1);
    let lit = b.pure(Pure::Max, &[lit, zero]);
    let (ambient, tint) = (constant(b, [0.16, 0.17, 0.20]), constant(b, [0.70, 0.74, 0.80]));
    let diffuse = b.pure(Pure::Mul, &[tint, repeat(lit, 3)]);
    b.pure(Pure::Add, &[ambient, diffuse])
}

fn constant(b: &mut Builder, [x, y, z]: [f32; 3]) -> Arg {
    let op = Op::Const([x.to_bits(), y.to_bits(), z.to_bits(), 0]);
    Arg::all_lanes(b.push_entry(op, Type::new(Scalar::F32, 3)), 3)
}

/// `count` lanes from `first` on.
fn part(arg: Arg, first: usize, count: u8) -> Arg {
    let lane = |i: usize| arg.swizzle.get((first + i).min(3));
    Arg { value: arg.value, swizzle: Swizzle::new(lane(0), lane(1), lane(2), lane(3)), lanes: count }
}

fn lanes(arg: Arg, at: [u8; 3]) -> Arg {
    let at = at.map(|lane| arg.swizzle.get(usize::from(lane)));
    Arg { value: arg.value, swizzle: Swizzle::new(at[0], at[1], at[2], at[2]), lanes: 3 }
}

/// The first lane, `count` times.
fn repeat(arg: Arg, count: u8) -> Arg {
    Arg { value: arg.value, swizzle: Swizzle::splat(arg.swizzle.get(0)), lanes: count }
}
