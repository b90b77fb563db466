//! Operations on images. How texels are held is tested beside `exec::image`.

use super::*;
use crate::image::Image as Texels;
use crate::texture::Extent;
use vecasm_ir::ir::{Atomic, Format, Image as Slot, ImageId, Pick};

const FIXED: Pick = Pick::Fixed;

fn slot(n: u32, dim: Dim, format: Format) -> Slot {
    Slot { name: alloc::format!("i{n}"), slot: n, dim, format, read: true, write: true }
}

fn image(dim: Dim, format: Format, extent: Extent, bytes: &[u8]) -> Texels {
    Texels::new(dim, format, extent, bytes.to_vec()).unwrap()
}

#[test]
fn texels_are_written_and_read_in_order() {
    // Invocation n writes n to texel (n, 0) and reads its left neighbour's, one after another; a fragment that is a
    // helper writes nothing. Then it adds 5 to the texel in the middle.
    let shader = build(Stage::Fragment, |b| {
        let format = Format::R32Uint;
        b.shader.images.push(slot(0, Dim::D2, format));
        let id = ImageId(0);
        let n = b.given(InputKind::Varying { location: 0 }, Type::I32);
        let (one, zero, five) = (b.int(1), b.int(0), b.uint(5));
        let place = b.op(Op::Compose, &[n, zero]);
        let value = b.pure(Pure::ToU32, &[n]);
        let value = b.op(Op::Compose, &[value, value, value, value]);
        b.effect(Op::StoreImage { image: id, pick: FIXED }, &[place, value]);
        let left = b.pure(Pure::Sub, &[n, one]);
        let left = b.op(Op::Compose, &[left, zero]);
        let read = b.op(Op::LoadImage { image: id, pick: FIXED }, &[left]);
        b.out(Scalar::U32, &[read]);
        let middle = b.op(Op::Compose, &[one, one]);
        let old = b.op(Op::AtomicImage { image: id, atomic: Atomic::Add, pick: FIXED }, &[middle, five]);
        b.out(Scalar::U32, &[old]);
        let size = b.op(Op::ImageSize { image: id, pick: FIXED }, &[]);
        b.out(Scalar::U32, &[size]);
    });
    let inputs = vec![[7, 1, 2, 9].map(|n| [n, 0, 0, 0]).to_vec()];
    let start: Vec<u8> = (0..6u32).flat_map(|n| (100 + n).to_le_bytes()).collect();
    let images = vec![Some(image(Dim::D2, Format::R32Uint, Extent::new(3, 2), &start))];
    let helpers = vec![false, false, true, false];
    let batch = Batch { count: 4, inputs, images, helpers, ..Batch::default() };
    let outputs = go(&shader, &batch);
    // A texel that is not there has the alpha 1 that the format lacks. The helper's 2 is not written or shown.
    assert_eq!(outputs.cells[0], [[0, 0, 0, 1], [100, 0, 0, 1], [0; 4], [0, 0, 0, 1]]);
    let old: Vec<u32> = outputs.cells[1].iter().map(|c| c[0]).collect();
    assert_eq!(old, [104, 109, 0, 114]);
    assert_eq!(outputs.cells[2][0], [3, 2, 0, 1]);
    let held: Vec<u32> = outputs.images[0]
        .as_ref()
        .unwrap()
        .bytes()
        .chunks(4)
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect();
    assert_eq!(held, [100, 1, 102, 103, 119, 105]);
    // Nothing bound: zero, no size, nothing written.
    let outputs = go(&shader, &Batch { images: Vec::new(), ..batch });
    assert_eq!(outputs.cells, vec![vec![[0; 4]; 4]; 3]);
    assert_eq!(outputs.images, [None]);
}

#[test]
fn images_are_picked_and_have_samples() {
    let shader = build(Stage::Vertex, |b| {
        let (dim, format) = (Dim::D2Ms, Format::R8Uint);
        b.shader.images.extend([slot(0, dim, format), slot(1, dim, format)]);
        let id = ImageId(0);
        let n = b.given(InputKind::Attribute { location: 0 }, Type::U32);
        let sample = b.int(1);
        let place = b.constant(Scalar::I32, &[0, 0]);
        let pick = Pick::Index { count: 2 };
        let read = b.op(Op::LoadImage { image: id, pick }, &[place, sample, n]);
        b.out(Scalar::U32, &[read]);
        let value = b.op(Op::Compose, &[n, n, n, n]);
        let handle = b.pure(Pure::ToU64, &[n]);
        b.effect(Op::StoreImage { image: id, pick: Pick::Handle }, &[place, sample, value, handle]);
    });
    let two = Extent { samples: 2, ..Extent::new(1, 1) };
    let of = |bytes: &[u8]| Some(image(Dim::D2Ms, Format::R8Uint, two, bytes));
    let other = Some(image(Dim::D2, Format::R8Uint, Extent::new(1, 1), &[40]));
    let images = vec![of(&[10, 11]), of(&[20, 21]), of(&[30, 31]), other];
    let handles = vec![(0, 2), (1, 0), (2, 3)];
    let inputs = vec![[0, 1, 2].map(|n| [n, 0, 0, 0]).to_vec()];
    let outputs = go(&shader, &Batch { count: 3, inputs, images, handles, ..Batch::default() });
    assert_eq!(outputs.cells[0], [[11, 0, 0, 1], [21, 0, 0, 1], [0; 4]]);
    let held: Vec<Vec<u8>> = outputs.images.iter().flatten().map(|i| i.bytes().to_vec()).collect();
    // Handle 2 is an image of another kind.
    assert_eq!(held, [vec![10, 1], vec![20, 21], vec![30, 0], vec![40]]);
}

#[test]
fn an_image_of_another_kind_is_refused() {
    let shader = build(Stage::Vertex, |b| b.shader.images.push(slot(0, Dim::D2, Format::R8Uint)));
    let run = |dim, format, bytes: &[u8]| {
        let images = vec![Some(image(dim, format, Extent::new(1, 1), bytes))];
        plan(&shader, &Batch { count: 1, images, ..Batch::default() })
    };
    assert!(run(Dim::D2, Format::R8Uint, &[1]).is_ok());
    assert!(matches!(run(Dim::D2, Format::R8Sint, &[1]), Err(RunError::Binding(_))));
    assert!(matches!(run(Dim::D1, Format::R8Uint, &[1]), Err(RunError::Binding(_))));
}
