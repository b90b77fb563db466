//! Names of constants, and the elements they lead to.

use vecasm_ir::ir::symbols::{Shape, transpose};

#[test]
fn paths_lead_to_elements() {
    let number = Shape::Matrix { rows: 1, columns: 1, by_columns: false };
    let matrix = Shape::Matrix { rows: 4, columns: 3, by_columns: true };
    let light = Shape::Struct(vec![("at".into(), matrix.clone()), ("range".into(), number.clone())]);
    let lights = Shape::Array(Box::new(light.clone()), 2);
    assert_eq!((light.elements(false), lights.elements(false), matrix.elements(true)), (4, 8, 12));
    assert_eq!(lights.part("[1].range", false), Some((7, &number)));
    assert_eq!(lights.part("[1]", false), Some((4, &light)));
    for wrong in ["[2]", "[-1]", "[+1]", ".at", "[0].size", "[0]at", "[0].range.x", "["] {
        assert_eq!(lights.part(wrong, false), None, "{wrong}");
    }
}

#[test]
fn columns_become_rows() {
    assert_eq!(transpose(&[[1, 2, 3, 0], [4, 5, 6, 0]], 3), [[1, 4, 0, 0], [2, 5, 0, 0], [3, 6, 0, 0]]);
}
