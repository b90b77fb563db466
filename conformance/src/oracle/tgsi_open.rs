//! Rows of programs that leave their outcome open: what decided it when they were recorded. Each has to show two things: that
//! it is open, since the row is not what a run gives, and that it is nothing else, since with that one thing decided as Mesa
//! does it is.

use super::tgsi_differs::{Outcome, Setting};
use super::tgsi_exec::RunInputs;
use super::tgsi_mem;
use serde_json::Value;
use vecasm::exec::Engine as _;
use vecasm::exec::interp::Interp;
use vecasm::ir::Format;
use vecasm::isa::tgsi::lift::lift;
use vecasm::isa::tgsi::text::{ParseOptions, parse};

/// A colour half way between two bytes.
const TIE: &str = "a colour half way between two bytes: the product rounded before it is";

/// What a row leaves open.
#[derive(Clone, Copy)]
pub(super) enum Proof {
    Tie,
}

/// What the row with this id leaves open.
pub(super) fn proof(id: &str) -> Option<Proof> {
    match id {
        "prog/ownglsl__c-tex-comp.comp/0" => Some(Proof::Tie),
        _ => None,
    }
}

/// Runs a text on a row.
type Run<'a> = &'a dyn Fn(&str, &Value, &Setting) -> Result<(), String>;

impl Proof {
    /// What becomes of the row.
    pub(super) fn outcome(self, source: &str, row: &Value, setting: &Setting, run: Run<'_>) -> Outcome {
        let why = match self {
            Self::Tie => TIE,
        };
        if run(source, row, &Setting { deep: false, ..*setting }).is_ok() {
            return Outcome::Undone(why, Err("it gives what was recorded, so nothing is open".into()));
        }
        let proven = match self {
            // What lies outside of the texture is a matter of its own.
            Self::Tie => rounded_twice(source, row, &Setting::MESA),
        };
        Outcome::Undone(why, proven)
    }
}

/// A text with a part replaced that has to be in it.
fn with(source: &str, part: &str, by: &str) -> Result<String, String> {
    if source.contains(part) {
        Ok(source.replace(part, by))
    } else {
        Err(format!("{part} is not in the program"))
    }
}

/// The byte of a colour, as Mesa's `float_to_ubyte` has it: by the bits of a number whose unit in the last place is 1/256.
fn byte(x: f32) -> u8 {
    if x <= 0.0 || x.is_nan() {
        return 0;
    }
    if x >= 1.0 { 255 } else { (x * (255.0 / 256.0) + 32768.0).to_bits() as u8 }
}

/// The program with an image of floats: the bytes that Mesa makes of those are the recorded ones, and ours are but where the
/// number is half way between two.
fn rounded_twice(source: &str, row: &Value, setting: &Setting) -> Result<(), String> {
    let text = with(source, "PIPE_FORMAT_R8G8B8A8_UNORM", "PIPE_FORMAT_R32G32B32A32_FLOAT")?;
    let (program, findings) = parse(&text, &ParseOptions::default());
    let program = program.ok_or_else(|| format!("the text is refused: {findings:?}"))?;
    let shader = lift(&program, &setting.options()).map_err(|e| e.to_string())?;
    let mut wide = row.clone();
    wide["img"]["0"]["format"] = "R32G32B32A32_FLOAT".into();
    let given = RunInputs::of(&wide, &program, &shader, setting.model)?;
    let mut batch = given.batch();
    tgsi_mem::bind(&wide, &shader, &mut batch)?;
    let outputs = Interp.run(&shader, &batch).map_err(|e| e.to_string())?;
    let image = outputs.images.first().and_then(Option::as_ref).ok_or("there is no image")?;
    let wanted = row["expect"]["img"]["0"].as_str().ok_or("no image is expected")?;
    let wanted: Vec<u8> =
        wanted.split_whitespace().flat_map(|word| super::hex(word).into_iter().rev()).collect();
    if image.bytes().len() != wanted.len() * 4 {
        return Err(format!("{} bytes of floats for {} colours", image.bytes().len(), wanted.len()));
    }
    for (n, (texel, wanted)) in image.bytes().chunks_exact(16).zip(wanted.chunks_exact(4)).enumerate() {
        let mut lanes = [0_u32; 4];
        for (lane, bytes) in lanes.iter_mut().zip(texel.chunks_exact(4)) {
            *lane = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        let ours = Format::Rgba8Unorm.encode(lanes);
        for (c, (&lane, &wanted)) in lanes.iter().zip(wanted).enumerate() {
            let x = f32::from_bits(lane);
            let place = format!("colour {c} of texel {n}, {x}");
            if byte(x) != wanted {
                return Err(format!("{place} is {} by Mesa's rounding, not {wanted}", byte(x)));
            }
            let exact = f64::from(x) * 255.0;
            let tie = (exact - exact.floor() - 0.5).abs() < 1.0 / 256.0;
            if ours[c] != wanted && !(tie && ours[c].abs_diff(wanted) == 1) {
                return Err(format!("{place} is {} here, and no tie", ours[c]));
            }
        }
    }
    Ok(())
}
