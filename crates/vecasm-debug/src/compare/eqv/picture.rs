//! Both pixel shaders and their difference over a square of inputs.

use super::domain::{Domain, Place, Unit};
use super::interface::Interface;
use super::{Counterexample, Options};
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_exec::{Outputs, RunError};
use vecasm_ir::ir::{OutputKind, Scalar, Shader};

/// Three pictures of one size: what the first shader gives, what the second one gives, and where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels a side.
    pub side: usize,
    /// Red, green, blue and alpha of each pixel, row by row from the top.
    pub panels: [Vec<[u8; 4]>; 3],
    /// What is drawn along x and y, with the range: a sentence.
    pub axes: String,
    /// How many pixels differ.
    pub differing: usize,
}

/// Rows of quads that run together.
const ROWS: usize = 4;

/// Draws both shaders over a square: two lanes of an input go from one side to the other, everything else is as in the
/// counter-example. `None` if the shaders have no colour in common, or read no number from an earlier stage.
///
/// # Errors
///
/// As running the shaders.
pub fn picture(
    a: &Shader,
    b: &Shader,
    interface: &Interface,
    example: &Counterexample,
    options: &Options,
    side: usize,
) -> Result<Option<Picture>, RunError> {
    let side = side.clamp(2, 4096).next_multiple_of(2);
    let [a, b] = &[a, b].map(|shader| super::settled(shader, options, &mut Vec::new()));
    let [a, b] = &[(0, a), (1, b)].map(|(side, shader)| super::confined(shader, side, interface));
    let domain = Domain::new(a, b, interface, options);
    let is_color = |shader: &Shader, id: Option<usize>| {
        let output = id.and_then(|id| shader.outputs.get(id));
        output.is_some_and(|o| matches!(o.kind, OutputKind::Color { .. }) && o.scalar == Scalar::F32)
    };
    let color = interface.outputs.iter().find(|output| is_color(a, output.ids[0]));
    let Some(ids) = color.map(|output| output.ids) else { return Ok(None) };
    let varying = |lane: &&super::domain::Lane| {
        matches!(lane.place, Place::Input(0, n) if interface.inputs.get(n).is_some_and(|i| i.ordinary))
            && lane.scalar == Scalar::F32
    };
    let lanes: Vec<super::domain::Lane> = domain.lanes.iter().filter(varying).copied().collect();
    let Some(first) = lanes.first().copied() else { return Ok(None) };
    let second = lanes.iter().copied().find(|lane| lane.place == first.place && lane.lane != first.lane);
    let second = second.or(lanes.get(1).copied());
    let row = example.unit.get(example.difference.invocation).cloned().unwrap_or_default();
    let unit: Unit = alloc::vec![row];
    let value = |lane: &super::domain::Lane| f32::from_bits(domain.get(&example.setting, &unit, lane));
    let far = [Some(first), second].into_iter().flatten().map(|lane| value(&lane).abs());
    let range = far.filter(|x| x.is_finite()).fold(1.0f32, |range, x| range.max(x * 1.25));
    let at = |pixel: usize| ((pixel as f32 + 0.5) / side as f32 * 2.0 - 1.0) * range;
    let mut panels: [Vec<[u8; 4]>; 3] = core::array::from_fn(|_| alloc::vec![[0; 4]; side * side]);
    let mut differing = 0;
    let pixels = |quads: usize| {
        let corner = [(quads * 2) % side, (quads * 2) / side * 2];
        [[0, 0], [1, 0], [0, 1], [1, 1]].map(|d: [usize; 2]| [corner[0] + d[0], corner[1] + d[1]])
    };
    let all = side * side / 4;
    let mut from = 0;
    while from < all {
        let to = (from + ROWS * side / 2).min(all);
        let places: Vec<[usize; 2]> = (from..to).flat_map(pixels).collect();
        let rows: Unit = places
            .iter()
            .map(|&[x, y]| {
                let (mut setting, mut unit) = (example.setting.clone(), unit.clone());
                domain.set(&mut setting, &mut unit, &first, at(x).to_bits());
                if let Some(second) = &second {
                    domain.set(&mut setting, &mut unit, second, at(y).to_bits());
                }
                unit.into_iter().next().unwrap_or_default()
            })
            .collect();
        let units = core::slice::from_ref(&rows);
        let run = |which: usize, shader| domain.run(which, shader, interface, &example.setting, units);
        let outputs = [run(0, a)?, run(1, b)?];
        for (i, &[x, y]) in places.iter().enumerate() {
            let shown = [0, 1].map(|which| shown(&outputs[which], ids[which], i));
            let apart = apart(&outputs, ids, i, &options.tolerance);
            differing += usize::from(apart.is_some());
            let pixel = y * side + x;
            panels[0][pixel] = shown[0];
            panels[1][pixel] = shown[1];
            panels[2][pixel] = apart.unwrap_or([0, 0, 0, 255]);
        }
        from = to;
    }
    let name = |lane: &super::domain::Lane| {
        let Place::Input(_, n) = lane.place else { return String::new() };
        let input = interface.inputs.get(n).map_or("?", |input| input.name.as_str());
        alloc::format!("{input}.{}", vecasm_ir::operand::LANES[lane.lane & 3])
    };
    let along =
        second.map_or_else(String::new, |second| alloc::format!(", {} from top to bottom", name(&second)));
    let axes = alloc::format!("{} goes from left to right{along}, from {} to {range}", name(&first), -range);
    Ok(Some(Picture { side, panels, axes, differing }))
}

fn cell(outputs: &Outputs, id: Option<usize>, i: usize) -> [u32; 4] {
    id.and_then(|id| outputs.cells.get(id)?.get(i)).copied().unwrap_or([0; 4])
}

/// A colour as it is seen; killed pixels are dark blue, NaN is magenta.
fn shown(outputs: &Outputs, id: Option<usize>, i: usize) -> [u8; 4] {
    if outputs.killed.get(i).copied().unwrap_or(false) {
        return [20, 20, 60, 255];
    }
    let color = cell(outputs, id, i).map(f32::from_bits);
    if color[..3].iter().any(|c| c.is_nan()) {
        return [255, 0, 255, 255];
    }
    let [r, g, b] = [color[0], color[1], color[2]].map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
    [r, g, b, 255]
}

/// How a pixel differs, from dark red for little over yellow to white; `None` if it does not.
fn apart(
    outputs: &[Outputs; 2],
    ids: [Option<usize>; 2],
    i: usize,
    tolerance: &super::Tolerance,
) -> Option<[u8; 4]> {
    let killed = |which: usize| outputs[which].killed.get(i).copied().unwrap_or(false);
    match (killed(0), killed(1)) {
        (true, true) => return None,
        (false, false) => {}
        _ => return Some([255, 0, 255, 255]),
    }
    let (x, y) = (cell(&outputs[0], ids[0], i), cell(&outputs[1], ids[1], i));
    if (0..4).all(|lane| tolerance.same(Scalar::F32, x[lane], y[lane])) {
        return None;
    }
    let distance = (0..4).map(|lane| (f32::from_bits(x[lane]) - f32::from_bits(y[lane])).abs());
    let most = distance.fold(0.0f32, |most, d| if d.is_nan() { f32::INFINITY } else { most.max(d) });
    let heat = vecasm_ir::math::sqrt(most.min(1.0)) * 3.0;
    let part = |from: f32| ((heat - from).clamp(0.0, 1.0) * 255.0) as u8;
    Some([part(0.0).max(80), part(1.0), part(2.0), 255])
}
