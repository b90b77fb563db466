//! Which location a varying has, and what a pair of stages still needs so that they fit.
//!
//! Direct3D matches what a vertex shader writes with what a pixel shader reads: up to 2.x by register (oD0 is v0, oT3 is
//! t3), in 3.0 by usage and index. Both are one here: the registers of the older models have the usages that fixed
//! functions gave them, and a usage with its index has one location, whatever the model. So shaders of any two models
//! fit, and each can be lifted alone.
//!
//! | location | usage | up to 2.x |
//! |---|---|---|
//! | 0, 1 | `color0`, `color1` | oD0, oD1; v0, v1 |
//! | 2–9 | `texcoord0`–`texcoord7` | oT0–oT7; t0–t7 |
//! | 10 | `fog0` | oFog |
//! | 11, 12 | `normal0`, `tangent0` | |
//! | 13 | `psize0`, until [points](super::Pipeline::points) are built | oPts |
//! | 14, 15 | distances to the user's clip planes 0–3, 4 and 5 | |
//! | 16 + 16 · usage + index | everything else | |
//!
//! Targets have few locations: WebGPU 16. [`link`] numbers those of a pair anew where one is above.

use super::super::usages::{self, USAGES};
use crate::locations::{self, SPARSE};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::ir::shader::numbered;
use vecasm_ir::ir::{DeclUsage, InputKind, Output, OutputKind, Shader};

/// The location of the fog factor.
pub const FOG_LOCATION: u32 = location(DeclUsage::Fog.code(), 0);
/// The location of the size of points.
pub const POINT_SIZE_LOCATION: u32 = location(DeclUsage::PointSize.code(), 0);
/// The first location of the distances to clip planes, four in each.
pub const CLIP_LOCATION: u32 = 14;

/// The location of a varying.
pub const fn location(usage: u8, index: u8) -> u32 {
    if (usage as usize) < USAGES.len() {
        let (count, first) = USAGES[usage as usize].locations;
        if index < count {
            return first + index as u32;
        }
    }
    SPARSE + 16 * usage as u32 + index as u32
}

/// A usage and its index as declarations write them: `texcoord3`, and `normal` for the first one.
pub fn semantic(usage: u8, index: u8) -> String {
    let name = usages::name(usage).unwrap_or("unknown");
    if index == 0 { name.into() } else { numbered(name, index.into()) }
}

/// Makes a pair of lifted shaders fit.
///
/// * Every varying that the pixel shader reads and the vertex shader lacks becomes an output of it that stays zero:
///   that is what such an input reads.
/// * If a location is above 15, all varyings that are read get the locations from 0 on, in ascending order, and what
///   is written but not read those behind.
///
/// Shaders of other stages, and those of other instruction sets, are left alone by the first rule only where they fit
/// already; the rules ask for nothing but stages and locations.
pub fn link(vertex: &mut Shader, fragment: &mut Shader) {
    let read: Vec<(u32, String, String)> = fragment
        .inputs
        .iter()
        .filter_map(|input| match input.kind {
            InputKind::Varying { location } => Some((location, input.name.clone(), input.semantic.clone())),
            _ => None,
        })
        .collect();
    for (location, name, semantic) in &read {
        let kind = OutputKind::Varying { location: *location };
        if !vertex.outputs.iter().any(|output| output.kind == kind) {
            let mut output = Output::new(free_name(vertex, name), kind);
            output.semantic.clone_from(semantic);
            vertex.outputs.push(output);
        }
    }
    locations::number(vertex, fragment);
}

/// A name that no output has, like the one that is wanted.
fn free_name(shader: &Shader, wanted: &str) -> String {
    let taken = |name: &str| shader.outputs.iter().any(|output| output.name == name);
    let mut name = String::from(wanted);
    let mut n = 0;
    while taken(&name) {
        n += 1;
        name = format!("{wanted}_{n}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use vecasm_ir::ir::{Input, Stage, Type};

    fn pair(written: &[u32], read: &[u32]) -> (Shader, Shader) {
        let mut vertex = Shader::new(Stage::Vertex, "d3d9", &[]);
        vertex.outputs.push(Output::new("oPos", OutputKind::Position));
        for &location in written {
            vertex.outputs.push(Output::new(format!("o{location}"), OutputKind::Varying { location }));
        }
        let mut fragment = Shader::new(Stage::Fragment, "d3d9", &[]);
        for &location in read {
            let kind = InputKind::Varying { location };
            fragment.inputs.push(Input::new(format!("v{location}"), kind, Type::F32X4));
        }
        link(&mut vertex, &mut fragment);
        (vertex, fragment)
    }

    fn locations((vertex, fragment): &(Shader, Shader)) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        (
            vertex.outputs.iter().map(|o| o.kind.number()).collect(),
            fragment.inputs.iter().map(|i| i.kind.number()).collect(),
        )
    }

    #[test]
    fn a_usage_has_one_place() {
        let mut seen = Vec::new();
        for usage in 0..USAGES.len() as u8 {
            for index in 0..16 {
                let location = location(usage, index);
                assert!(!seen.contains(&location) && ![14, 15].contains(&location), "{usage} {index}");
                seen.push(location);
            }
        }
        assert_eq!(location(DeclUsage::Color.code(), 1), 1);
        assert_eq!(location(DeclUsage::TexCoord.code(), 7), 9);
        assert_eq!((semantic(5, 3), semantic(0, 0)), ("texcoord3".into(), "position".into()));
    }

    #[test]
    fn what_is_missing_is_added() {
        let linked = pair(&[0], &[0, 3]);
        assert_eq!(locations(&linked), (vec![None, Some(0), Some(3)], vec![Some(0), Some(3)]));
        let added = &linked.0.outputs[2];
        assert_eq!((added.init, added.name.as_str()), ([0; 4], "v3"));
    }

    #[test]
    fn high_locations_are_numbered_anew() {
        // 16 + 16 · 13 + 2 (sample2) is read, 5 is read, 20 and 7 are only written.
        let linked = pair(&[226, 5, 20, 7], &[226, 5]);
        assert_eq!(
            locations(&linked),
            (vec![None, Some(1), Some(0), Some(3), Some(2)], vec![Some(1), Some(0)])
        );
    }
}
