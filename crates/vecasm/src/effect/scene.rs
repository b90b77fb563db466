//! A pass as what a scene is guessed with.
//!
//! The numbers of states are those of Direct3D 9: `D3DBLEND`, `D3DCMPFUNC`, `D3DCULL`, `D3DSTENCILOP`, `D3DTEXTUREADDRESS`,
//! `D3DTEXTUREFILTERTYPE`.

use super::{Draw, Pass, Sampler, Setting};
use crate::exec::json;
use crate::exec::json::{Json, Object};
use crate::guess::Options;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

const COMPARISONS: [&str; 8] =
    ["never", "less", "equal", "lessEqual", "greater", "notEqual", "greaterEqual", "always"];

const FACTORS: [&str; 10] = [
    "zero",
    "one",
    "sourceColor",
    "oneMinusSourceColor",
    "sourceAlpha",
    "oneMinusSourceAlpha",
    "destinationAlpha",
    "oneMinusDestinationAlpha",
    "destinationColor",
    "oneMinusDestinationColor",
];

const STENCIL_ACTIONS: [&str; 8] = [
    "keep",
    "zero",
    "set",
    "incrementSaturate",
    "decrementSaturate",
    "invert",
    "incrementWrap",
    "decrementWrap",
];

/// The word of a number, which begin at 1.
fn word<'w>(words: &[&'w str], number: u32) -> Option<&'w str> {
    words.get(number.checked_sub(1)? as usize).copied()
}

/// States of passes by name.
struct States<'a> {
    all: &'a [Setting],
    /// What pictures do not show.
    missing: Vec<String>,
}

impl States<'_> {
    /// The last setting of a state.
    fn value(&self, name: &str) -> Option<f64> {
        let set = self.all.iter().rev().find(|set| set.name == name && set.index == 0)?;
        set.value.first().copied()
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.value(name).map(|value| value as i64 as u32)
    }

    fn is_on(&self, name: &str) -> Option<bool> {
        self.value(name).map(|value| value != 0.0)
    }

    /// The word for the number of a state, or that of `other` where it is not set.
    fn word<'w>(&mut self, name: &str, words: &[&'w str], other: u32) -> Option<&'w str> {
        let number = self.number(name).unwrap_or(other);
        let word = word(words, number);
        if word.is_none() {
            self.missing.push(format!("{name} {number}"));
        }
        word
    }

    fn blend(&mut self) -> Option<Json> {
        match self.is_on("ALPHABLENDENABLE")? {
            false => Some(json!("none")),
            true => {
                if let Some(operation) = self.number("BLENDOP").filter(|&operation| operation != 1) {
                    self.missing.push(format!("BLENDOP {operation}"));
                }
                let source = self.word("SRCBLEND", &FACTORS, 2)?;
                let destination = self.word("DESTBLEND", &FACTORS, 1)?;
                Some(json!([source, destination]))
            }
        }
    }

    fn depth(&mut self) -> Option<Json> {
        if self.is_on("ZENABLE") == Some(false) {
            return Some(json!(false));
        }
        let asked = ["ZENABLE", "ZWRITEENABLE", "ZFUNC"].iter().any(|name| self.value(name).is_some());
        let compare = self.word("ZFUNC", &COMPARISONS, 4).filter(|_| asked)?;
        Some(json!({ "compare": compare, "write": (self.is_on("ZWRITEENABLE").unwrap_or(true)) }))
    }

    fn cull(&mut self) -> Option<Json> {
        self.value("CULLMODE")?;
        // The front of a triangle is where it runs clockwise.
        self.word("CULLMODE", &["none", "front", "back"], 1).map(|word| json!(word))
    }

    fn color_mask(&self) -> Option<Json> {
        let bits = self.number("COLORWRITEENABLE")?;
        Some(json!([bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0]))
    }

    fn stencil(&mut self) -> Option<Json> {
        if !self.is_on("STENCILENABLE")? {
            return None;
        }
        let number = |name: &str, other: u32| self.number(name).unwrap_or(other) & 255;
        let (reference, read, write) =
            (number("STENCILREF", 0), number("STENCILMASK", 255), number("STENCILWRITEMASK", 255));
        Some(json!({
            "compare": (self.word("STENCILFUNC", &COMPARISONS, 8)?),
            "bothPass": (self.word("STENCILPASS", &STENCIL_ACTIONS, 1)?),
            "depthFail": (self.word("STENCILZFAIL", &STENCIL_ACTIONS, 1)?),
            "stencilFail": (self.word("STENCILFAIL", &STENCIL_ACTIONS, 1)?),
            "reference": reference,
            "read_mask": read,
            "write_mask": write,
        }))
    }

    /// State values of the programs: the alpha test and fog.
    fn values(&self) -> Vec<(&'static str, Json)> {
        let mut out = Vec::new();
        if self.is_on("ALPHATESTENABLE") == Some(true) {
            out.push(("alpha-func", json!(self.number("ALPHAFUNC").unwrap_or(8))));
            out.push(("alpha-ref", json!(f64::from(self.number("ALPHAREF").unwrap_or(0) & 255) / 255.0)));
        }
        if self.is_on("FOGENABLE") == Some(true) {
            // Without a table the vertex program calculates the factor.
            let mode = self.number("FOGTABLEMODE").filter(|&mode| (1..=3).contains(&mode)).unwrap_or(4);
            let [blue, green, red, alpha] =
                self.number("FOGCOLOR").unwrap_or(0).to_le_bytes().map(|byte| f64::from(byte) / 255.0);
            let real = |name: &str, other: f64| self.value(name).unwrap_or(other);
            out.push(("fog-mode", json!(mode)));
            out.push(("fog-color", json!([red, green, blue, alpha])));
            out.push(("fog-range", json!([real("FOGSTART", 0.0), real("FOGEND", 1.0)])));
            out.push(("fog-density", json!(real("FOGDENSITY", 1.0))));
        }
        out
    }
}

/// States that pictures show, or that change nothing in them.
const SHOWN: &[&str] = &[
    "ZENABLE",
    "ZWRITEENABLE",
    "ZFUNC",
    "ALPHABLENDENABLE",
    "SRCBLEND",
    "DESTBLEND",
    "BLENDOP",
    "CULLMODE",
    "COLORWRITEENABLE",
    "ALPHATESTENABLE",
    "ALPHAFUNC",
    "ALPHAREF",
    "FOGENABLE",
    "FOGCOLOR",
    "FOGTABLEMODE",
    "FOGSTART",
    "FOGEND",
    "FOGDENSITY",
    "STENCILENABLE",
    "STENCILFUNC",
    "STENCILPASS",
    "STENCILZFAIL",
    "STENCILFAIL",
    "STENCILREF",
    "STENCILMASK",
    "STENCILWRITEMASK",
    "DITHERENABLE",
    "CLIPPING",
    "LASTPIXEL",
];

impl Draw {
    /// What a picture of one of the passes is made with: `options`, and after them the constants and samplers of the effect and the
    /// states of the pass; and what of these no picture shows.
    pub fn options(&self, pass: &Pass, options: Options) -> (Options, Vec<String>) {
        let mut out = options;
        for constant in &self.constants {
            out = out.with_default(&constant.name, constant.registers.clone(), constant.rows.clone());
        }
        let mut states = States { all: &pass.states, missing: Vec::new() };
        let keys = [
            ("blend", states.blend()),
            ("depth", states.depth()),
            ("cull", states.cull()),
            ("color_mask", states.color_mask()),
            ("stencil", states.stencil()),
        ];
        for (key, value) in keys {
            out = value.into_iter().fold(out, |out, value| out.with_key(key, &value.to_string()));
        }
        for (name, value) in states.values() {
            out = out.with_state(name, &value.to_string());
        }
        let mut missing = states.missing;
        for set in &pass.states {
            if !SHOWN.contains(&set.name) && !missing.iter().any(|one| one == set.name) {
                missing.push(set.name.to_string());
            }
        }
        for sampler in &self.samplers {
            let (value, more) = sampler.scene();
            missing.extend(more);
            out = out.with_sampler(&sampler.name, sampler.texture.as_deref(), &Json::from(value).to_string());
        }
        (out, missing)
    }
}

impl Sampler {
    /// What a scene says of it, and what it cannot say.
    fn scene(&self) -> (Object, Vec<String>) {
        let number = |name: &str| {
            let set = self.states.iter().rev().find(|set| set.name == name)?;
            set.value.first().map(|&value| value as i64 as u32)
        };
        let (mut out, mut missing) = (Object::new(), Vec::new());
        let (u, v) = (number("AddressU"), number("AddressV"));
        if u.is_some() || v.is_some() {
            let mut clamps = |name: &str, mode: Option<u32>| match mode.unwrap_or(1) {
                1 => false,
                3 => true,
                other => {
                    missing.push(format!("{}.{name} {other}", self.name));
                    // Mirrors repeat, and borders end, like the two that there are.
                    other >= 4
                }
            };
            let wrap = match (clamps("AddressU", u), clamps("AddressV", v)) {
                (false, false) => "repeat",
                (true, true) => "clamp",
                (true, false) => "clamp_u_repeat_v",
                (false, true) => "repeat_u_clamp_v",
            };
            out.insert("wrap", json!(wrap));
        }
        let filter = number("MinFilter").or(number("MagFilter"));
        if let Some(filter) = filter {
            let most = number("MaxAnisotropy").unwrap_or(1);
            let word = match (filter, most) {
                (0 | 1, _) => "nearest",
                (3, 12..) => "anisotropic16x",
                (3, 6..) => "anisotropic8x",
                (3, 3..) => "anisotropic4x",
                (3, 2) => "anisotropic2x",
                _ => "linear",
            };
            out.insert("filter", json!(word));
        }
        if let Some(mip) = number("MipFilter") {
            let word = match mip {
                0 => "mipnone",
                1 => "mipnearest",
                _ => "miplinear",
            };
            out.insert("mip", json!(word));
        }
        (out, missing)
    }
}
