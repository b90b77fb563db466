//! The golden pictures: scenes with what the real thing shows.
//!
//! The tolerances are those of the scene files, which come from the tests the pictures belong to: per channel the
//! difference that does not count, and how many pixels may exceed it. They are not ours to choose; they exist
//! because the pictures were drawn by GPUs, which differ from one another at anti-aliased edges (the place of a
//! sample, the order of blend and resolve) and at texel borders under nearest filtering (the last bit of an
//! interpolated coordinate).

use super::File;
use crate::host::{FolderHost, read_png};
use serde_json::Value;
use std::path::Path;
use vecasm::exec::interp::Interp;
use vecasm::render::Picture;
use vecasm::render::draw::Budget;
use vecasm::render::scene::Scene;

const FOLDER: &str = "oracle/agal/render";

/// Every scene of the folder.
pub(crate) fn scenes(shared: &Path) -> Vec<File<'_>> {
    let Ok(entries) = std::fs::read_dir(shared.join(FOLDER)) else { return vec![File::absent(FOLDER)] };
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".scene.json"))
        .collect();
    names.sort();
    let scene = |name: String| {
        let mut file = File::new(format!("{FOLDER}/{name}"));
        file.add(name, |report, name| match compare(&shared.join(FOLDER), name) {
            Ok(facts) => {
                report.count(facts, 1);
                report.case(name, Ok(()));
            }
            Err(why) => report.case(name, Err(why)),
        });
        // The facts are counted once.
        file.summarize(|report| {
            if let Some(facts) = report.counts.keys().next() {
                report.file = format!("{} ({facts})", report.file);
            }
        });
        file
    };
    names.into_iter().map(scene).collect()
}

/// Draws a scene and compares; tells how many pixels are above each tolerance.
fn compare(folder: &Path, name: &str) -> Result<String, String> {
    let bytes = std::fs::read(folder.join(name)).map_err(|e| e.to_string())?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    let mut host = FolderHost::new(folder);
    let scene = Scene::read(&bytes, &mut host, None).map_err(|e| e.to_string())?;
    let got = scene.render(&Interp, Budget::default()).map_err(|e| e.to_string())?;
    let expected = json["expected"].as_str().ok_or("the scene names no expected picture")?;
    let wanted = read_png(&folder.join(expected))?;
    if (got.width, got.height) != (wanted.width, wanted.height) {
        return Err(format!(
            "{} × {} pixels, not {} × {}",
            got.width, got.height, wanted.width, wanted.height
        ));
    }
    let conditions = match &json["compare"] {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    let ignored = rectangles(&json["ignore_rectangles"]);
    let (mut facts, mut wrong) = (Vec::new(), false);
    for condition in conditions {
        let number = |key: &str| condition[key].as_u64().ok_or(format!("compare.{key} is no number"));
        let (tolerance, most) = (number("tolerance")?, number("max_outliers")?);
        let above = outliers(&got, &wanted, tolerance, &ignored);
        wrong |= above > most;
        facts.push(format!("{above} of at most {most} pixels above {tolerance}"));
    }
    let facts = facts.join(", ");
    if wrong { Err(facts) } else { Ok(facts) }
}

fn rectangles(list: &Value) -> Vec<[u64; 4]> {
    let one = |r: &Value| ["x", "y", "width", "height"].map(|key| r[key].as_u64().unwrap_or(0));
    list.as_array().map(|list| list.iter().map(one).collect()).unwrap_or_default()
}

/// Pixels outside the ignored rectangles in which some channel differs by more than the tolerance.
fn outliers(got: &Picture, wanted: &Picture, tolerance: u64, ignored: &[[u64; 4]]) -> u64 {
    let width = u64::from(got.width);
    let pixels = got.rgba8.chunks_exact(4).zip(wanted.rgba8.chunks_exact(4));
    let above = |(i, (a, b)): (usize, (&[u8], &[u8]))| {
        let (x, y) = (i as u64 % width, i as u64 / width);
        let inside =
            |[left, top, w, h]: &[u64; 4]| (*left..left + w).contains(&x) && (*top..top + h).contains(&y);
        let differs = a.iter().zip(b).any(|(a, b)| u64::from(a.abs_diff(*b)) > tolerance);
        differs && !ignored.iter().any(inside)
    };
    pixels.enumerate().filter(|pixel| above(*pixel)).count() as u64
}
