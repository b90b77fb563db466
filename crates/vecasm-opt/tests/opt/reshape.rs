//! Textures read in other shapes give what they gave, and so do those that an index chooses from.

use vecasm_exec::interp::Interp;
use vecasm_exec::texture::{Extent, Texture as Texels};
use vecasm_exec::{Batch, BoundTexture, Engine};
use vecasm_ir::ir::random::Rng;
use vecasm_ir::ir::text::parse_any;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{Compare, Dim, Filter, Mip, Pick, SamplerState, Scalar, Shader, Wrap};
use vecasm_opt::{choose, reshape};

/// A texture of 8 or 8 x 8 texels, of which three layers or cubes.
fn texels(dim: Dim, scalar: Scalar, rng: &mut Rng) -> Texels {
    let height = if dim.axes() == 1 { 1 } else { 8 };
    let layers = if dim.arrayed() { 3 } else { 1 };
    let extent = Extent { layers, ..Extent::new(8, height) };
    let levels = (0..if dim.has_levels() { 3 } else { 1 }).map(|level| {
        let count = extent.level(level).texels(dim);
        (0..count)
            .map(|_| {
                core::array::from_fn(|_| match scalar {
                    Scalar::F32 => (rng.below(64) as f32 / 16.0).to_bits(),
                    _ => rng.bits(),
                })
            })
            .collect()
    });
    Texels::new(dim, scalar, extent, levels.collect()).unwrap()
}

/// A sampler without the wrap modes that a rectangle has not.
fn sampler(compare: bool, dim: Dim, rng: &mut Rng) -> SamplerState {
    let pick = |rng: &mut Rng| if rng.one_in(2) { Filter::Nearest } else { Filter::Linear };
    let wraps = if dim == Dim::Rect { &[Wrap::Clamp, Wrap::Border][..] } else { Wrap::ALL };
    SamplerState {
        mag: pick(rng),
        min: pick(rng),
        mip: [Mip::None, Mip::Nearest, Mip::Linear][rng.below(3)],
        compare: compare.then(|| Compare::ALL[rng.below(Compare::ALL.len())]),
        ..SamplerState::PLAIN.with_wrap(wraps[rng.below(wraps.len())])
    }
}

/// Runs a shader as it is, and as it becomes with other shapes, on the same texels.
fn agrees(text: &str) -> Result<(), String> {
    let shader = parse_any(text).map_err(|e| e.to_string())?;
    let after = reshape(&shader, |_, _| true).ok_or("nothing is done")?;
    assert_eq!(verify(&after), []);
    let kept = after.textures.iter().any(|texture| texture.dim.stand_in().is_some());
    assert!(!kept, "a shape stays: {:?}", after.textures);
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let own: Vec<Texels> = shader.textures.iter().map(|t| texels(t.dim, t.scalar, &mut rng)).collect();
        let others: Vec<Texels> = own.iter().filter_map(Texels::stand_in).collect();
        let states: Vec<_> = shader.textures.iter().map(|t| sampler(t.compare, t.dim, &mut rng)).collect();
        // Sixteenths, so that coordinates in texels divide without a rest; integers around the size.
        let mut float = |_| core::array::from_fn(|_| (rng.below(256) as f32 / 16.0 - 4.0).to_bits());
        let first: Vec<[u32; 4]> = (0..4).map(&mut float).collect();
        let second = (0..4).map(|_| core::array::from_fn(|_| (rng.below(12) as u32).wrapping_sub(2)));
        let inputs = vec![first, second.collect()];
        let run = |shader: &Shader, textures: &[Texels]| {
            let bound = textures.iter().zip(&states);
            let textures = bound.map(|(texture, &sampler)| Some(BoundTexture { texture, sampler }));
            let batch =
                Batch { count: 4, inputs: inputs.clone(), textures: textures.collect(), ..Batch::default() };
            Interp.run(shader, &batch).unwrap().cells
        };
        let (expected, given) = (run(&shader, &own), run(&after, &others));
        if expected != given {
            return Err(format!("seed {seed}: {expected:x?}, not {given:x?}: {states:?}"));
        }
    }
    Ok(())
}

/// A shader with one operation on one texture.
fn one(texture: &str, op: &str) -> String {
    let ints = op.contains("texture_size") || texture.contains("u32");
    let (ty, out) = if ints { ("u32x4", "color 0 : u32") } else { ("f32x4", "color 0") };
    format!(
        "fragment ir
  input 0 v varying 0 : f32x4
  input 1 n varying 1 : i32x4 flat
  output 0 o {out}
  texture 0 t slot 0 {texture}

  %0 = input v : f32x4
  %1 = input n : i32x4
  %2 = const 2 : i32
  %3 = const 2 -1 : i32x2
  %4 = {op} : {ty}
  store o.xyzw %4
"
    )
}

#[test]
fn what_stands_in_gives_the_same() {
    let rows = [
        ("1d", "sample t %0.x"),
        ("1d", "sample.bias t %0.x %0.y"),
        ("1d", "sample.level.offset t %0.x %0.y %2"),
        ("1d", "sample.gradient t %0.x %0.y %0.z"),
        ("1d depth", "sample.compare t %0.x %0.y"),
        ("1d", "fetch.offset t %1.x %1.y %2"),
        ("1d", "texture_size t %1.x"),
        ("1d-array", "sample t %0.xy"),
        ("1d-array", "sample.gradient.offset t %0.xy %0.z %0.w %2"),
        ("1d-array depth", "sample.compare t %0.xy %0.z"),
        ("1d-array texels=u32", "fetch t %1.xy %1.z"),
        ("1d-array", "texture_size t %1.x"),
        ("rect", "sample t %0.xy"),
        ("rect", "sample.offset t %0.xy %3"),
        ("rect", "sample.gradient t %0.xy %0.zw %0.wx"),
        ("rect", "gather.y t %0.xy"),
        ("rect depth", "sample.compare t %0.xy %0.z"),
        ("rect texels=u32", "fetch t %1.xy %1.z"),
        ("rect", "texture_size t %1.x"),
        ("cube", "fetch t %1.xyz %1.w"),
        ("cube", "texture_size t %1.x"),
        ("cube-array texels=u32", "fetch t %1.xyz %1.w"),
        ("cube-array", "texture_size t %1.x"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(texture, op)| {
            agrees(&one(texture, op)).err().map(|why| format!("{texture}, {op}: {why}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_filtered_across_edges_and_what_is_chosen_stays() {
    for text in [
        one("cube", "sample t %0.xyz"),
        one("2d", "sample t %0.xy"),
        one("1d", "sample t %0.x")
            .replace("  texture 0 t slot 0 1d", "  texture 0 t slot 0 1d\n  texture 1 u slot 1 1d")
            .replace("sample t %0.x", "sample t[of 2] %0.x %9")
            .replace("  %2 =", "  %9 = to_u32 %1.x : u32\n  %2 ="),
    ] {
        let shader = parse_any(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
        assert_eq!(reshape(&shader, |_, _| true), None, "{text}");
    }
}

#[test]
fn all_that_may_be_chosen_are_read() {
    let ops = [
        ("sample t[of 3] %0.xy %9", "f32x4"),
        ("gather.w t[of 3] %0.xy %9", "f32x4"),
        ("fetch t[of 3] %1.xy %1.z %9", "f32x4"),
        ("texture_size t[of 3] %1.x %9", "u32x4"),
    ];
    for (op, ty) in ops {
        let out = if ty == "u32x4" { "color 0 : u32" } else { "color 0" };
        let text = format!(
            "fragment ir
  input 0 v varying 0 : f32x4
  input 1 n varying 1 : i32x4 flat
  output 0 o {out}
  texture 0 t slot 0 2d
  texture 1 u slot 1 2d
  texture 2 w slot 2 2d

  %0 = input v : f32x4
  %1 = input n : i32x4
  %9 = to_u32 %1.w : u32
  %4 = {op} : {ty}
  store o.xyzw %4
"
        );
        let shader = parse_any(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
        let after = choose(&shader).unwrap();
        assert_eq!(verify(&after), []);
        after.body.for_each_inst(&mut |inst| {
            assert!(inst.op.texture().is_none_or(|(_, pick)| pick == Pick::Fixed));
        });
        let mut rng = Rng::new(1);
        let own: Vec<Texels> = (0..3).map(|_| texels(Dim::D2, Scalar::F32, &mut rng)).collect();
        let coords = (0..4).map(|_| core::array::from_fn(|_| (rng.below(64) as f32 / 32.0).to_bits()));
        // The last lane chooses: each of the three, and none.
        let inputs = vec![coords.collect(), (0..4).map(|i| [i, 3, i & 1, i]).collect()];
        let run = |shader: &Shader| {
            let sampler = SamplerState::PLAIN;
            let textures = own.iter().map(|texture| Some(BoundTexture { texture, sampler })).collect();
            let batch = Batch { count: 4, inputs: inputs.clone(), textures, ..Batch::default() };
            Interp.run(shader, &batch).unwrap().cells
        };
        assert_eq!(run(&after), run(&shader), "{op}");
    }
}
