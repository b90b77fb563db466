//! Outputs as data of Serde.

use serde_json::{json, to_value};
use vecasm_exec::image::Image;
use vecasm_exec::texture::Extent;
use vecasm_exec::{DivergentBarrier, Emitted, Outputs};
use vecasm_ir::ir::{Dim, Format};

#[test]
fn outputs_are_serialized_as_bits() {
    let format = Format::ALL[0];
    let bytes = vec![7; usize::from(format.bytes())];
    let image = Image::new(Dim::D2, format, Extent::new(1, 1), bytes.clone()).unwrap();
    let outputs = Outputs {
        cells: vec![vec![[0x3f80_0000, 0, 0, 1]]],
        killed: vec![false],
        exhausted: vec![true],
        images: vec![None, Some(image)],
        streams: vec![vec![Emitted { invocation: 3, vertices: vec![vec![[1, 2, 3, 4]]] }]],
        barriers: vec![DivergentBarrier { first: 4, step: 5 }],
        ..Outputs::default()
    };
    let expected = json!({
        "cells": [[[0x3f80_0000, 0, 0, 1]]],
        "killed": [false],
        "exhausted": [true],
        "params": [],
        "carried": [],
        "buffers": [],
        "images": [null, {
            "kind": "2d", "format": format.name(), "width": 1, "height": 1, "depth": 1, "layers": 1, "samples": 1,
            "bytes": bytes,
        }],
        "streams": [[{"invocation": 3, "vertices": [[[1, 2, 3, 4]]]}]],
        "barriers": [{"first": 4, "step": 5}],
    });
    assert_eq!(to_value(&outputs).unwrap(), expected);
}
