//! The whole number that a floor is, of bits.

use vecasm_exec::interp::Interp;
use vecasm_exec::{Batch, Engine};
use vecasm_ir::ir::random::Rng;
use vecasm_ir::ir::text::parse;
use vecasm_ir::ir::verify::verify;
use vecasm_ir::ir::{Op, Pure};
use vecasm_opt::{Expand, clean, exact, expand, fold};

/// Where a number is a floor and a whole number, one lane and several, and something else needs the bits.
const TEXT: &str = "vertex test
  input 0 v attribute 0 : f32x4
  output 0 a varying 0 : i32
  output 1 b varying 1

  %0 = input v : f32x4
  %1 = floor %0.y : f32
  %2 = to_i32 %1 : i32
  %3 = floor %0.wzx : f32x3
  %4 = to_i32 %3.zx : i32x2
  %5 = mul.nv20 %0.x %0.x : f32
  %6 = compose %2 %4 : i32x3
  store a.xyz %6
  store b.x %5
";

/// The floor, or the nearest number of i32; 0 for a NaN.
fn floor(bits: u32) -> u32 {
    f64::from(f32::from_bits(bits)).floor() as i32 as u32
}

#[test]
fn floors_are_whole_numbers_bit_for_bit() {
    let shader = parse(TEXT, "test", &[]).unwrap();
    assert_eq!(verify(&shader), []);
    // Every exponent with both signs, and fractions at both ends; what lies beside whole numbers; and all bits alike.
    let ends = [0, 1, 2, 0x003f_ffff, 0x0040_0000, 0x0040_0001, 0x007f_fffe, 0x007f_ffff];
    let mut bits: Vec<u32> =
        (0..512).flat_map(|top: u32| ends.map(|fraction| top << 23 | fraction)).collect();
    for n in -70..70 {
        let whole = (n as f32).to_bits();
        bits.extend([whole.wrapping_sub(1), whole, whole.wrapping_add(1), (n as f32 + 0.5).to_bits()]);
    }
    let mut rng = Rng::new(7);
    bits.extend((0..20_000).map(|_| rng.bits()));
    let rows: Vec<[u32; 4]> = bits.iter().map(|&x| [x, x ^ 1 << 31, x ^ 1, x.rotate_left(9)]).collect();
    let wanted: Vec<[u32; 3]> =
        rows.iter().map(|row| [floor(row[1]), floor(row[0]), floor(row[3])]).collect();
    let batch = Batch { count: rows.len(), inputs: vec![rows], ..Batch::default() };
    let expanded = clean(&fold(&expand(&shader, Expand::ALL)));
    let integers = exact(&shader).expect("it is exact");
    for shader in [&shader, &expanded, &integers] {
        assert_eq!(verify(shader), []);
        let out = Interp.run(shader, &batch).unwrap();
        let got: Vec<[u32; 3]> = out.cells[0].iter().map(|lanes| [lanes[0], lanes[1], lanes[2]]).collect();
        let differs = got.iter().zip(&wanted).zip(&batch.inputs[0]).find(|((got, wanted), _)| got != wanted);
        assert_eq!(differs, None);
    }
    // Nothing of f32 is left of them.
    for shader in [&expanded, &integers] {
        shader.body.for_each_inst(&mut |inst| assert_ne!(inst.op, Op::Pure(Pure::Floor)));
    }
}
