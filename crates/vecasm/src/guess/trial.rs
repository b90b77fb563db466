//! Trials: small pictures that tell whether a guess shows something.

use crate::exec::json::{Json, Object};
use crate::exec::texture::Texture;
use crate::exec::{Engine, json};
use crate::ir::{Shader, Stage};
use crate::math::sqrt;
use crate::render::Picture;
use crate::render::draw::Budget;
use crate::render::scene::{Element, Host, Scene};
use crate::scenes::Programs;
use alloc::string::String;
use alloc::string::ToString as _;
use alloc::vec::Vec;

/// Width and height of a trial.
const SIDE: u32 = 24;
/// What nothing is drawn over keeps: a colour that programs hardly give.
const GROUND: [u8; 4] = [255, 0, 254, 255];

/// What draws trials: who gives the files of the scene, the programs that are none, and an engine.
pub(super) struct Trials<'a> {
    pub(super) host: &'a mut dyn Host,
    pub(super) programs: Programs,
    pub(super) engine: &'a dyn Engine,
}

impl Host for Trials<'_> {
    fn load(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if self.programs.has(name) { Ok(name.into()) } else { self.host.load(name) }
    }

    fn image(&mut self, name: &str) -> Result<Picture, String> {
        self.host.image(name)
    }

    fn texture(&mut self, name: &str) -> Result<Texture, String> {
        self.host.texture(name)
    }

    fn compile(&mut self, stage: Stage, name: &str, code: &[u8]) -> Result<Shader, String> {
        match self.programs.compile(stage, name, code) {
            Some(shader) => Ok(shader),
            None => self.host.compile(stage, name, code),
        }
    }

    fn fragment(&mut self, vertex: &Shader, textured: bool) -> Result<Shader, String> {
        self.host.fragment(vertex, textured)
    }

    fn computed(&mut self, stage: Stage, name: &str, given: &[Element]) -> Result<Vec<Element>, String> {
        if self.programs.has(name) {
            self.programs.computed(stage, name, given)
        } else {
            self.host.computed(stage, name, given)
        }
    }
}

/// Draws a scene small, on a ground that tells what is covered; `None` if it cannot be drawn.
pub(super) fn draw(scene: &Json, trials: &mut Trials<'_>) -> Option<Picture> {
    let mut scene = scene.clone();
    let object = scene.as_object_mut()?;
    object.insert("size", json!([SIDE, SIDE]));
    object.insert("antialias", json!(1));
    object.insert("background", json!("#ff00fe"));
    shrink(object.get_mut("textures"));
    for (mesh, segments) in [("torus", [20, 10]), ("sphere", [16, 8])] {
        if object.get("mesh") == Some(&json!(mesh)) {
            object.insert("mesh", Object::from_iter([(mesh, json!({ "segments": segments }))]));
        }
    }
    if object.contains_key("spread") {
        object.insert("mesh", json!({ "quad": { "segments": 12 } }));
    }
    let budget = Budget { vertices: 1 << 18, fragments: 1 << 19 };
    let scene = Scene::read(scene.to_string().as_bytes(), trials, None).ok()?;
    scene.render(trials.engine, budget).ok()
}

/// Patterns of a trial need few texels.
fn shrink(textures: Option<&mut Json>) {
    let Some(textures) = textures.and_then(Json::as_object_mut) else { return };
    for texture in textures.values_mut() {
        if let Some(pattern) = texture.as_object_mut().filter(|t| t.contains_key("pattern")) {
            let side = if pattern.get("pattern") == Some(&json!("volume")) { 8 } else { 32 };
            pattern.insert("size", json!(side));
        }
    }
}

/// Which pixels are covered.
fn covered(picture: &Picture) -> impl Iterator<Item = bool> + '_ {
    picture.rgba8.chunks_exact(4).map(|pixel| *pixel != GROUND)
}

/// The share of the picture that is covered, 0 to 1.
pub(super) fn coverage(picture: &Picture) -> f32 {
    covered(picture).filter(|covered| *covered).count() as f32 / (SIDE * SIDE) as f32
}

/// How well two pictures cover the same: what both cover as a part of what either covers.
pub(super) fn likeness(a: &Picture, b: &Picture) -> f32 {
    let (mut both, mut either) = (0u32, 0u32);
    for (a, b) in covered(a).zip(covered(b)) {
        both += u32::from(a && b);
        either += u32::from(a || b);
    }
    if either == 0 { 0.0 } else { both as f32 / either as f32 }
}

/// How much there is to see, 0 to about 1: something covered, in several colours, neither black nor white.
pub(super) fn interest(picture: &Picture) -> f32 {
    let (mut sum, mut squares, mut count, mut flat) = ([0.0f32; 3], [0.0f32; 3], 0.0f32, 0.0f32);
    let mut colors = alloc::collections::BTreeSet::new();
    for (pixel, _) in picture.rgba8.chunks_exact(4).zip(covered(picture)).filter(|(_, covered)| *covered) {
        count += 1.0;
        for (lane, value) in pixel.iter().take(3).enumerate() {
            let value = f32::from(*value) / 255.0;
            sum[lane] += value;
            squares[lane] += value * value;
        }
        let rgb = [pixel[0], pixel[1], pixel[2]];
        flat += f32::from(u8::from(rgb.iter().all(|c| *c < 8) || rgb.iter().all(|c| *c > 247)));
        colors.insert(rgb.map(|c| c >> 4));
    }
    if count == 0.0 {
        return 0.0;
    }
    let variance = |lane: usize| (squares[lane] / count - (sum[lane] / count) * (sum[lane] / count)).max(0.0);
    let spread = (sqrt(variance(0) + variance(1) + variance(2)) / 0.4).min(1.0);
    let variety = (colors.len() as f32 / 40.0).min(1.0);
    let share = (coverage(picture) * 3.0).min(1.0);
    share * (0.05 + 0.4 * spread + 0.55 * variety) * (1.0 - 0.8 * flat / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(color: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let place = |i: u32| color(i % SIDE, i / SIDE);
        let rgba8 = (0..SIDE * SIDE).flat_map(|i| [place(i)[0], place(i)[1], place(i)[2], 255]).collect();
        Picture { width: SIDE, height: SIDE, rgba8 }
    }

    #[test]
    fn what_shows_more_counts_more() {
        let nothing = picture(|_, _| [255, 0, 254]);
        let black = picture(|_, _| [0, 0, 0]);
        let grey = picture(|_, _| [90, 90, 90]);
        let ramp = picture(|x, y| [(x * 10) as u8, (y * 10) as u8, 90]);
        assert_eq!(interest(&nothing), 0.0);
        assert!(interest(&black) < interest(&grey));
        assert!(interest(&grey) < interest(&ramp));
        assert_eq!((coverage(&nothing), coverage(&ramp)), (0.0, 1.0));
        // The left half against the upper half: a quarter of the picture of three quarters.
        let left = picture(|x, _| if x < SIDE / 2 { [0, 0, 0] } else { [255, 0, 254] });
        let upper = picture(|_, y| if y < SIDE / 2 { [0, 0, 0] } else { [255, 0, 254] });
        assert!((likeness(&left, &upper) - 1.0 / 3.0).abs() < 1e-6);
    }
}
