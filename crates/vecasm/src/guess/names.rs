//! What constants and textures are, by the names that the source gives them.

use crate::exec::json;
use crate::exec::json::Json;
#[cfg(feature = "d3d9")]
use crate::ir::symbols::Shape;
use crate::ir::symbols::Symbols;
use crate::isa::AnyProgram;
#[cfg(feature = "d3d9")]
use crate::isa::d3d9::{
    ctab::{self, RegisterSet},
    preshader,
    symbols::PRESHADER,
};
use alloc::string::String;
use alloc::vec::Vec;

/// A constant or a texture that has a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NamedRegisters {
    /// As the source has it.
    pub(super) name: String,
    /// The bank: `c`, `i`, `b`, or `s` for textures.
    pub(super) bank: char,
    /// The first register.
    pub(super) first: u32,
    /// How many.
    pub(super) count: u32,
    /// What it is where nobody sets it.
    pub(super) default: Option<Vec<f32>>,
}

/// The names that a program carries.
#[cfg(feature = "d3d9")]
pub(super) fn find_named(program: &AnyProgram) -> Vec<NamedRegisters> {
    let AnyProgram::D3d9(program) = program else { return Vec::new() };
    let table = ctab::of(program).0;
    let constants = table.iter().flat_map(|table| &table.constants);
    let named = constants.filter_map(|constant| {
        let set = constant.register_set()?;
        let float = set == RegisterSet::Float4;
        // Compilers write zeros where the source gives no default.
        let given = |words: &&Vec<u32>| float && words.iter().any(|word| *word != 0);
        let bits = |words: &Vec<u32>| words.iter().map(|word| f32::from_bits(*word)).collect();
        Some(NamedRegisters {
            name: constant.name.clone(),
            bank: set.letter(),
            first: constant.index.into(),
            count: constant.count.into(),
            default: constant.default.as_ref().filter(given).map(bits),
        })
    });
    named.collect()
}

/// A constant that the preshader of a program reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PreshaderConstant {
    /// As the source has it.
    pub(super) name: String,
    /// Rows of one value.
    rows: u16,
    /// How many values, of an array.
    count: Option<u16>,
    /// Whether the program brings its value.
    pub(super) is_brought: bool,
}

/// The constants that the preshader of a program reads, but for structures.
#[cfg(feature = "d3d9")]
pub(super) fn find_preshader_constants(program: &AnyProgram, symbols: &Symbols) -> Vec<PreshaderConstant> {
    let AnyProgram::D3d9(program) = program else { return Vec::new() };
    let table = preshader::of(program).0.and_then(|found| found.table().0);
    let brought = |name: &str| {
        let mut all = table.iter().flat_map(|table| &table.constants);
        let constant = all.find(|constant| constant.name == name);
        let words = constant.and_then(|constant| constant.default.as_ref());
        words.is_some_and(|words| words.iter().any(|word| *word != 0))
    };
    let own = symbols.constants.iter().filter(|symbol| symbol.array == PRESHADER);
    let all = own.filter_map(|symbol| {
        let (shape, count) = match &symbol.shape {
            Shape::Array(of, count) => (&**of, Some(*count)),
            shape => (shape, None),
        };
        let Shape::Matrix { rows, .. } = shape else { return None };
        let is_brought = brought(&symbol.name);
        Some(PreshaderConstant { name: symbol.name.clone(), rows: (*rows).max(1), count, is_brought })
    });
    all.collect()
}

/// Only Direct3D has a table of names.
#[cfg(not(feature = "d3d9"))]
pub(super) fn find_named(_: &AnyProgram) -> Vec<NamedRegisters> {
    Vec::new()
}

/// Only Direct3D has preshaders.
#[cfg(not(feature = "d3d9"))]
pub(super) fn find_preshader_constants(_: &AnyProgram, _: &Symbols) -> Vec<PreshaderConstant> {
    Vec::new()
}

impl PreshaderConstant {
    /// What it usually is, as a value of a scene, and whether its name says so; otherwise `other` in each row, or the identity.
    pub(super) fn value(&self, other: &Json) -> (Json, bool) {
        let by_name = constant(&self.name, self.rows.into());
        match (self.count, self.rows, by_name) {
            // Effects multiply vectors from the left.
            (None, 4, Some(value)) => (json!({ "transpose": value }), true),
            (None, 1, Some(value)) => (value, true),
            (None, 1, None) => (other.clone(), false),
            (count, rows, _) => {
                let one = |row: u16| match rows {
                    1 => other.clone(),
                    _ => json!(core::array::from_fn::<u8, 4, _>(|lane| u8::from(lane == usize::from(row)))),
                };
                let all = (0..count.unwrap_or(1)).flat_map(|_| (0..rows).map(one));
                (Json::List(all.collect()), false)
            }
        }
    }
}

/// The words of a name in small letters: `WorldViewProj_0` is world, view, proj, 0.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut previous = ' ';
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && !previous.is_ascii_uppercase()
            || c.is_ascii_digit() != previous.is_ascii_digit()
            || !previous.is_ascii_alphanumeric();
        if c.is_ascii_alphanumeric() {
            if starts || out.is_empty() {
                out.push(String::new());
            }
            if let Some(word) = out.last_mut() {
                word.push(c.to_ascii_lowercase());
            }
        }
        previous = c;
    }
    out
}

/// What a constant of that name and so many registers usually is, as a value of a scene.
pub(super) fn constant(name: &str, count: u32) -> Option<Json> {
    let words = words(name);
    let all = words.concat();
    let has = |part: &str| all.contains(part);
    if count >= 3 {
        let inverse = has("inv");
        if has("wvp") || has("mvp") || has("modelviewproj") || has("worldviewproj") || has("matrixtransform")
        {
            return Some(json!("modelViewProjection"));
        }
        let (world, view, projection) = (
            has("world") || has("model") || has("bone") || has("skin"),
            has("view") || has("camera"),
            has("proj"),
        );
        let value = match (world, view, projection) {
            (true, _, false) if inverse || has("normal") => "normal",
            _ if has("normal") => "normal",
            (true, true, true) => "modelViewProjection",
            (true, true, false) => "modelView",
            (true, false, _) => "model",
            (false, true, true) => "viewProjection",
            (false, true, false) => "view",
            (false, false, true) => "projection",
            (false, false, false) if has("transform") || has("matrix") => "modelViewProjection",
            _ => return None,
        };
        return Some(json!(value));
    }
    let light = has("light") || has("sun");
    let color = has("color") || has("colour") || has("diffuse") || has("tint") || has("ambient");
    let value = if has("eye") || has("camera") || has("viewpos") {
        json!("eye")
    } else if has("ambient") || has("emissive") {
        json!([0.2, 0.2, 0.22, 1.0])
    } else if has("fog") {
        if has("color") { json!([0.5, 0.6, 0.7, 1.0]) } else { json!([0.0, 0.0, 0.0, 0.0]) }
    } else if light && (has("dir") || has("vec")) {
        // What programs are given is the way that the light goes.
        if has("specular") || color {
            json!([1.0, 0.95, 0.85, 1.0])
        } else {
            json!([-0.48, -0.6, -0.64, 0.0])
        }
    } else if light && has("pos") {
        json!([2.0, 2.5, 2.5, 1.0])
    } else if has("specular") && has("pow") || has("shininess") || has("gloss") || has("exponent") {
        json!(16.0)
    } else if has("specular") {
        json!([0.5, 0.5, 0.5, 16.0])
    } else if light || color {
        json!([0.95, 0.85, 0.7, 1.0])
    } else if words.iter().any(|word| word == "time" || word == "gametime" || word == "elapsed")
        || all == "time"
    {
        json!("time")
    } else if has("texel") || has("pixelsize") || has("invsize") {
        json!([1.0 / 256.0, 1.0 / 256.0, 1.0 / 256.0, 1.0 / 256.0])
    } else if has("viewport") || has("resolution") || has("screensize") || has("targetsize") {
        json!("size")
    } else if has("alpha") || has("opacity") || has("intensity") || has("strength") || has("scale") {
        json!(1.0)
    } else if has("offset") || has("bias") || has("scroll") {
        json!(0.0)
    } else {
        return None;
    };
    Some(value)
}

/// The pattern for a 2D texture of that name.
pub(super) fn pattern(name: &str) -> Option<&'static str> {
    let all = words(name).concat();
    let has = |part: &str| all.contains(part);
    Some(if has("normal") || has("bump") {
        "bumps"
    } else if has("noise") || has("cloud") || has("caustic") {
        "noise"
    } else if has("ramp") || has("lookup") || has("lut") || has("gradient") || has("palette") {
        "gradient"
    } else if has("mask") || has("glow") || has("spot") || has("shadow") {
        "disc"
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("g_mWorldViewProj0"), ["g", "m", "world", "view", "proj", "0"]);
        assert_eq!(words("EyePosition"), ["eye", "position"]);
        assert_eq!(words(""), [""; 0]);
    }

    #[test]
    fn names_tell_values() {
        for (name, count, value) in [
            ("WorldViewProj", 4, json!("modelViewProjection")),
            ("matWVP", 4, json!("modelViewProjection")),
            ("MatrixTransform", 4, json!("modelViewProjection")),
            ("World", 4, json!("model")),
            ("WorldInverseTranspose", 3, json!("normal")),
            ("g_ViewProjection", 4, json!("viewProjection")),
            ("EyePosition", 1, json!("eye")),
            ("Time", 1, json!("time")),
        ] {
            assert_eq!(constant(name, count), Some(value), "{name}");
        }
        assert_eq!(constant("foo", 1), None);
        assert_eq!(pattern("BumpMap"), Some("bumps"));
        assert_eq!(pattern("tex0"), None);
    }
}
