//! `cargo xtask scenes`: draws scene files to PNG files, to look at them.

use crate::{Args, Outcome, root};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;
use vecasm::exec::interp::Interp;
use vecasm::isa::Isa;
use vecasm::render::Picture;
use vecasm::render::draw::Budget;
use vecasm::render::scene::Scene;
use vecasm_conformance::host::FolderHost;

fn write_png(path: &Path, picture: &Picture) -> Result<(), String> {
    let said = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let file = File::create(path).map_err(|e| said(&e))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| said(&e))?;
    writer.write_image_data(&picture.rgba8).map_err(|e| said(&e))
}

/// Draws the scene files given, or all of `examples/`, into a folder.
pub(crate) fn main(args: &[String]) -> Outcome {
    let args = match Args::parse(args, &["out", "time", "sheet"], &[]) {
        Ok(args) => args,
        Err(why) => return Outcome::Usage(why),
    };
    let time = match args.value("time").map(str::parse::<f32>).transpose() {
        Ok(time) => time,
        Err(e) => return Outcome::Usage(format!("--time: {e}")),
    };
    let out = args.value("out").map_or_else(|| root().join("target/scenes"), PathBuf::from);
    if let Err(e) = std::fs::create_dir_all(&out) {
        return Outcome::Usage(format!("{}: {e}", out.display()));
    }
    let mut files: Vec<PathBuf> = args.alone().iter().map(PathBuf::from).collect();
    if files.is_empty() {
        for isa in Isa::ALL {
            let folder = root().join("examples").join(isa.name());
            let Ok(entries) = std::fs::read_dir(&folder) else {
                return Outcome::Usage(format!("{}: no such folder", folder.display()));
            };
            let mut of_isa: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
            of_isa.retain(|f| f.to_string_lossy().ends_with(".scene.json"));
            of_isa.sort();
            files.extend(of_isa);
        }
    }
    let mut fine = true;
    let mut pictures = Vec::new();
    for file in files {
        let start = Instant::now();
        match one(&file, &out, time) {
            Ok((png, picture)) => {
                println!("{} ({:.2} s)", png.display(), start.elapsed().as_secs_f64());
                pictures.push(picture);
            }
            Err(why) => {
                fine = false;
                println!("{}: {why}", file.display());
            }
        }
    }
    if let Some(sheet) = args.value("sheet") {
        if let Err(why) = write_png(Path::new(sheet), &contact_sheet(&pictures)) {
            return Outcome::Usage(why);
        }
        println!("{sheet}");
    }
    Outcome::of(fine)
}

/// All pictures side by side, each 200×150, eight in a row.
fn contact_sheet(pictures: &[Picture]) -> Picture {
    const COLUMNS: usize = 8;
    const CELL: (usize, usize) = (200, 150);
    let rows = pictures.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (COLUMNS * CELL.0, rows * CELL.1);
    let mut rgba8 = [21, 22, 28, 255].repeat(width * height);
    for (n, picture) in pictures.iter().enumerate() {
        let (left, top) = (n % COLUMNS * CELL.0, n / COLUMNS * CELL.1);
        for y in 0..CELL.1 {
            for x in 0..CELL.0 {
                let at = ((top + y) * width + left + x) * 4;
                rgba8[at..at + 4].copy_from_slice(&average(picture, x, y, CELL));
            }
        }
    }
    Picture { width: width as u32, height: height as u32, rgba8 }
}

/// The mean of the texels that pixel (x, y) of a picture scaled to `size` covers.
fn average(picture: &Picture, x: usize, y: usize, size: (usize, usize)) -> [u8; 4] {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let range = |n: usize, small: usize, large: usize| {
        let from = n * large / small;
        from..((n + 1) * large / small).max(from + 1)
    };
    let (mut sum, mut count) = ([0u32; 4], 0);
    for v in range(y, size.1, height) {
        for u in range(x, size.0, width) {
            let at = (v * width + u) * 4;
            sum.iter_mut().zip(&picture.rgba8[at..at + 4]).for_each(|(sum, c)| *sum += u32::from(*c));
            count += 1;
        }
    }
    sum.map(|sum| ((sum + count / 2) / count) as u8)
}

fn one(file: &Path, out: &Path, time: Option<f32>) -> Result<(PathBuf, Picture), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let mut host = FolderHost::new(file.parent().unwrap_or(Path::new(".")));
    let scene = Scene::read(&bytes, &mut host, time).map_err(|e| e.to_string())?;
    let picture = scene.render(&Interp, Budget::default()).map_err(|e| e.to_string())?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().replace(".scene.json", ".png");
    let png = out.join(name);
    write_png(&png, &picture)?;
    Ok((png, picture))
}
