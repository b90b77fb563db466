//! Every entry of every table, there and back, and every word of the tables of words.

use super::{back, every_table};
use crate::ir::steps::{Access, Cell, Step};
use crate::ir::text::{parse, parse_any, print};
use crate::ir::{
    Buffer, BufferKind, Compare, Dim, FileRole, Filter, FloatBits, Format, Home, Image, Input, InputId,
    InputKind, Interpolation, LocalArray, LocalId, Location, Mip, Output, OutputId, OutputKind, ParamArray,
    ParamId, Primitive, RegisterFile, SamplerModel, SamplerQuirk, SamplerState, Scalar, Setup, Shader,
    Spacing, Stage, State, StateId, System, Texture, Type, Wrap,
};
use crate::operand::WriteMask;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

fn empty() -> Shader {
    Shader::new(Stage::Fragment, "test", &["r"])
}

/// Values of an enum; one that is missing does not compile.
macro_rules! all {
    ($Type:ident: $($pattern:pat => $value:expr;)*) => {{
        let known = |value: &$Type| match value { $($pattern => {})* };
        let all = vec![$($value),*];
        all.iter().for_each(known);
        all
    }};
}

#[test]
fn the_first_line() {
    for stage in Stage::ALL {
        back(&Shader::new(stage, "test", &[]));
    }
    for isa in ["agal", "NV_vertex_program 1.1", "", "\"\\\n"] {
        back(&Shader::new(Stage::Vertex, isa, &["r", "TEMP(1)", "r", "", "ps.1", "7"]));
    }
    let text = print(&empty());
    assert_eq!(text, "fragment test\n  files r\n\n");
    let message = |r: Result<Shader, super::TextError>| r.unwrap_err().to_string();
    assert_eq!(message(parse(&text, "other", &["r"])), "line 1: the shader is of `test`, not `other`");
    assert_eq!(
        message(parse(&text, "test", &["q"])),
        "line 2: the register files do not match the instruction set"
    );
    assert_eq!(message(parse_any("")), "line 1: the first line must be `stage isa`, but the text is empty");
    assert_eq!(
        message(parse_any("; a comment\nvertex\n")),
        "line 2: expected a name, found the end of the line"
    );
}

#[test]
fn every_setup_comes_back() {
    let usual = Setup::default();
    let mut setups = vec![
        usual,
        Setup { workgroup: [0, u32::MAX, 7], ..usual },
        Setup { shared: 4, ..usual },
        Setup { vertices_in: 3, ..usual },
        Setup { invocations: 0, ..usual },
        Setup { max_vertices: u32::MAX, ..usual },
        Setup { clockwise: true, ..usual },
        Setup { points: true, ..usual },
        Setup { early_tests: true, ..usual },
        Setup { fours: true, ..usual },
        Setup { byte_offsets: true, ..usual },
        Setup { primitive_limit: true, ..usual },
        Setup { one_sequence: true, ..usual },
    ];
    setups.extend(Primitive::ALL.iter().map(|&primitive_in| Setup { primitive_in, ..usual }));
    setups.extend(Primitive::ALL.iter().map(|&primitive_out| Setup { primitive_out, ..usual }));
    setups.extend(Spacing::ALL.iter().map(|&spacing| Setup { spacing, ..usual }));
    setups.push(Setup {
        workgroup: [8, 8, 1],
        shared: 64,
        vertices_in: 4,
        invocations: 32,
        primitive_in: Primitive::Quads,
        primitive_out: Primitive::LineStrip,
        max_vertices: 1024,
        spacing: Spacing::FractionalOdd,
        clockwise: true,
        points: true,
        fours: true,
        byte_offsets: true,
        primitive_limit: true,
        one_sequence: true,
        early_tests: true,
    });
    for setup in setups {
        for serial in [false, true] {
            back(&Shader { setup, serial, ..empty() });
        }
    }
}

#[test]
fn every_register_file_comes_back() {
    let mut shader = empty();
    for &role in FileRole::ALL {
        for (name, count) in [("va", Some(8)), ("iid", None), ("TEMP(1)", Some(u32::MAX)), ("", Some(0))] {
            shader.registers.push(RegisterFile { name: name.into(), role, count });
        }
    }
    back(&shader);
}

#[test]
fn every_input_comes_back() {
    let mut kinds = all! { InputKind:
        InputKind::Attribute { .. } => InputKind::Attribute { location: 0 };
        InputKind::Varying { .. } => InputKind::Varying { location: 31 };
        InputKind::PatchVarying { .. } => InputKind::PatchVarying { location: u32::MAX };
        InputKind::System(_) => InputKind::System(System::VertexIndex);
    };
    kinds.extend(System::ALL.iter().map(|&s| InputKind::System(s)));
    let mut shader = empty();
    for kind in kinds {
        for scalar in Scalar::ALL {
            shader.inputs.push(Input::new("i", kind, Type::new(scalar, 1 + scalar as u8 % 4)));
        }
        for &interpolation in Interpolation::ALL {
            for &location in Location::ALL {
                for semantic in ["", "TEXCOORD3", "a b"] {
                    let semantic = semantic.into();
                    let plain = Input::new(format!("i{}", shader.inputs.len()), kind, Type::F32X4);
                    shader.inputs.push(Input { interpolation, location, semantic, ..plain });
                }
            }
        }
    }
    back(&shader);
}

#[test]
fn every_output_comes_back() {
    let kinds = all! { OutputKind:
        OutputKind::Position => OutputKind::Position;
        OutputKind::Varying { .. } => OutputKind::Varying { location: 3 };
        OutputKind::PatchVarying { .. } => OutputKind::PatchVarying { location: 0 };
        OutputKind::Color { .. } => OutputKind::Color { target: 7 };
        OutputKind::SecondColor { .. } => OutputKind::SecondColor { target: u32::MAX };
        OutputKind::Depth => OutputKind::Depth;
        OutputKind::Stencil => OutputKind::Stencil;
        OutputKind::SampleMask => OutputKind::SampleMask;
        OutputKind::PointSize => OutputKind::PointSize;
        OutputKind::ClipDistance { .. } => OutputKind::ClipDistance { index: 1 };
        OutputKind::CullDistance { .. } => OutputKind::CullDistance { index: 0 };
        OutputKind::ClipVertex => OutputKind::ClipVertex;
        OutputKind::Fog => OutputKind::Fog;
        OutputKind::EdgeFlag => OutputKind::EdgeFlag;
        OutputKind::Layer => OutputKind::Layer;
        OutputKind::ViewportIndex => OutputKind::ViewportIndex;
        OutputKind::PrimitiveIndex => OutputKind::PrimitiveIndex;
        OutputKind::TessOuter => OutputKind::TessOuter;
        OutputKind::TessInner => OutputKind::TessInner;
    };
    let mut shader = empty();
    for kind in kinds {
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            let init = [0x3f80_0000, 0, 0xffff_ffff, 0x7fc0_0001];
            let plain = Output { scalar, ..Output::new(format!("o{}", shader.outputs.len()), kind) };
            shader.outputs.push(Output { init, ..plain.clone() });
            shader.outputs.push(Output { streams: [0, 1, 2, 255], ..plain.clone() });
            shader.outputs.push(Output { carried: true, semantic: "FOG 0".into(), ..plain.clone() });
            shader.outputs.push(plain);
        }
    }
    back(&shader);
}

#[test]
fn every_array_and_state_comes_back() {
    let mut shader = empty();
    for scalar in Scalar::ALL {
        let name = || scalar.name().to_string();
        for indexed in [false, true] {
            let fixed = if indexed { vec![(1, [0; 4]), (u32::MAX, [0, 1, 1, 0])] } else { Vec::new() };
            shader.params.push(ParamArray { name: name(), scalar, size: 3, used: u32::MAX, indexed, fixed });
        }
        shader.locals.push(LocalArray { name: name(), scalar, size: LocalArray::MAX_SIZE });
        for lanes in 1..=4 {
            for default in [[0; 4], [1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0x7fc0_0001]] {
                shader.states.push(State {
                    name: format!("{} {lanes}", name()),
                    ty: Type::new(scalar, lanes),
                    default,
                });
            }
        }
    }
    back(&shader);
}

#[test]
fn every_resource_comes_back() {
    let mut shader = empty();
    shader.states.push(State { name: "texture dimension 0".into(), ty: Type::U32, default: [1, 0, 0, 0] });
    for &dim in Dim::ALL {
        for scalar in [Scalar::F32, Scalar::I32, Scalar::U32] {
            let plain = Texture { scalar, ..Texture::new(format!("t{}", shader.textures.len()), 4, dim) };
            shader.textures.push(Texture { sampler_slot: 0, compare: true, ..plain.clone() });
            shader.textures.push(Texture { dim_by: Some(StateId(0)), ..plain.clone() });
            let border = [0x3f80_0000, 1, 0xffff_ffff, 0];
            let sampler = Some(SamplerState { border, ..SamplerState::PLAIN });
            shader.textures.push(Texture { sampler, ..plain.clone() });
            shader.textures.push(plain);
        }
        for &format in Format::ALL {
            for (read, write) in [(false, false), (false, true), (true, false), (true, true)] {
                let name = format!("IMAGE[{}]", shader.images.len());
                shader.images.push(Image { name, slot: u32::MAX, dim, format, read, write });
            }
        }
    }
    for &kind in BufferKind::ALL {
        for write in [false, true] {
            shader.buffers.push(Buffer { name: "BUFFER[0]".into(), slot: 2, kind, write });
        }
    }
    back(&shader);
}

#[test]
fn every_sampler_state_comes_back() {
    let plain = SamplerState::PLAIN;
    let mut states = vec![plain];
    for (i, &wrap) in Wrap::ALL.iter().enumerate() {
        let other = Wrap::ALL[(i + 1) % Wrap::ALL.len()];
        states.push(SamplerState { wrap_u: wrap, wrap_v: other, ..plain });
        states.push(SamplerState { wrap_w: wrap, ..plain });
    }
    for &mag in Filter::ALL {
        states.extend(Filter::ALL.iter().map(|&min| SamplerState { mag, min, ..plain }));
    }
    states.extend(Mip::ALL.iter().map(|&mip| SamplerState { mip, ..plain }));
    states.extend(Compare::ALL.iter().map(|&c| SamplerState { compare: Some(c), ..plain }));
    let models = SamplerQuirk::ALL.iter().map(|&quirk| SamplerModel::EXACT.with(quirk));
    states.extend(models.map(|model| SamplerState { model, ..plain }));
    let two = SamplerModel::EXACT.with(SamplerQuirk::FirstFace).with(SamplerQuirk::FetchNearest);
    states.extend([SamplerModel::SOFTPIPE, two].map(|model| SamplerState { model, ..plain }));
    states.push(SamplerState { seamless: true, anisotropy: 16, ..plain });
    for bits in [0, 0x8000_0000, 0x3fc0_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 1] {
        let bits = FloatBits(bits);
        states.push(SamplerState { lod_bias: bits, ..plain });
        states.push(SamplerState { min_lod: bits, ..plain });
        states.push(SamplerState { max_lod: bits, ..plain });
    }
    let mut shader = empty();
    for state in states {
        shader.textures.push(Texture { sampler: Some(state), ..Texture::new("t", 0, Dim::D2) });
    }
    back(&shader);
}

#[test]
fn every_step_comes_back() {
    let mut shader = every_table();
    let mut cells = Vec::new();
    for file in 0..shader.files.len() as u8 {
        for index in [0, 12, 65_534, Home::ONLY] {
            cells.push(Cell::Register(Home { file, index }));
        }
    }
    cells.extend((0..shader.outputs.len() as u32).map(|id| Cell::Output(OutputId(id))));
    for id in (0..shader.params.len() as u32).map(ParamId) {
        cells.extend([0, u32::MAX].map(|index| Cell::Param(id, index)));
        cells.extend([0, -1, i32::MIN, i32::MAX].map(|offset| Cell::ParamAt(id, offset)));
    }
    for id in (0..shader.locals.len() as u32).map(LocalId) {
        cells.extend([0, u32::MAX].map(|index| Cell::Local(id, index)));
        cells.extend([0, -1, i32::MIN].map(|offset| Cell::LocalAt(id, offset)));
    }
    for offset in [0, i32::MAX] {
        cells.extend((0..shader.inputs.len() as u32).map(|id| Cell::InputAt(InputId(id), offset)));
        cells.extend((0..shader.outputs.len() as u32).map(|id| Cell::OutputAt(OutputId(id), offset)));
    }
    cells.extend((0..shader.states.len() as u32).map(|id| Cell::State(StateId(id))));
    let access = |(i, &cell): (usize, &Cell)| Access { cell, mask: WriteMask::from_bits(1 + i as u8 % 15) };
    let all: Vec<Access> = cells.iter().enumerate().map(access).collect();
    for (source, split) in [(0, 0), (7, 3), (u32::MAX, all.len())] {
        let (reads, writes) = all.split_at(split);
        shader.steps.push(Step { source, part: split as u8, reads: reads.to_vec(), writes: writes.to_vec() });
    }
    shader.steps.push(Step { source: 1, part: 1, reads: Vec::new(), writes: Vec::new() });
    back(&shader);
}

/// What a text of one line behind the head is read as.
fn line(line: &str) -> Shader {
    parse_any(&format!("fragment test\n{line}\n")).unwrap_or_else(|e| panic!("{e}: {line}"))
}

#[test]
fn every_word_is_accepted() {
    for stage in Stage::ALL {
        assert_eq!(parse_any(&format!("{} test", stage.name())).unwrap().stage, stage);
    }
    let texture = |settings: &str| {
        let read = line(&format!("texture 0 t slot 1 2d {settings}"));
        read.textures[0].sampler.unwrap()
    };
    for &w in Wrap::ALL {
        assert_eq!(texture(&format!("wrap={0},{0},{0}", w.name())), SamplerState::PLAIN.with_wrap(w));
    }
    for &f in Filter::ALL {
        assert_eq!(texture(&format!("filter={}", f.name())), SamplerState::PLAIN.with_filter(f));
    }
    for &mip in Mip::ALL {
        assert_eq!(texture(&format!("mip={}", mip.name())).mip, mip);
    }
    for &compare in Compare::ALL {
        assert_eq!(texture(&format!("compare={}", compare.name())).compare, Some(compare));
    }
    for &quirk in SamplerQuirk::ALL {
        let model = SamplerModel::EXACT.with(quirk);
        assert_eq!(texture(&format!("model={}", quirk.name())).model, model);
        assert_eq!(
            texture(&format!("model={},first-face", quirk.name())).model,
            model.with(SamplerQuirk::FirstFace)
        );
    }
    assert_eq!(texture("model=exact").model, SamplerModel::EXACT);
    assert_eq!(texture("model=softpipe").model, SamplerModel::SOFTPIPE);
    for &dim in Dim::ALL {
        assert_eq!(line(&format!("texture 0 t slot 1 {}", dim.name())).textures[0].dim, dim);
        let image = line(&format!("image 0 i slot 0 {} r32-uint", dim.name()));
        assert_eq!(image.images[0].dim, dim);
    }
    for &format in Format::ALL {
        let image = line(&format!("image 0 i slot 0 2d {}", format.name()));
        assert_eq!(image.images[0].format, format);
    }
    for &kind in BufferKind::ALL {
        assert_eq!(line(&format!("buffer 0 b slot 0 {}", kind.name())).buffers[0].kind, kind);
    }
    for &primitive in Primitive::ALL {
        let setup = line(&format!("setup in={0} out={0}", primitive.name())).setup;
        assert_eq!((setup.primitive_in, setup.primitive_out), (primitive, primitive));
    }
    for &spacing in Spacing::ALL {
        assert_eq!(line(&format!("setup spacing={}", spacing.name())).setup.spacing, spacing);
    }
    for &system in System::ALL {
        let input = line(&format!("input 0 i {} : u32", system.name()));
        assert_eq!(input.inputs[0].kind, InputKind::System(system));
    }
    for &how in Interpolation::ALL {
        let input = line(&format!("input 0 i varying 0 : f32 {}", how.name()));
        assert_eq!(input.inputs[0].interpolation, how);
    }
    for &place in Location::ALL {
        let input = line(&format!("input 0 i varying 0 : f32 {}", place.name()));
        assert_eq!(input.inputs[0].location, place);
    }
    for &role in FileRole::ALL {
        assert_eq!(
            line(&format!("registers a {}, b {} 3", role.name(), role.name())).registers[1].role,
            role
        );
    }
    for scalar in Scalar::ALL {
        let states = line(&format!("state 0 s : {}x3", scalar.name())).states;
        assert_eq!(states[0].ty, Type::new(scalar, 3));
    }
}
