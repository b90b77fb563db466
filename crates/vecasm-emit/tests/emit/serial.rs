//! Bindings and constants as JSON.

use serde_json::{json, to_value};
use vecasm_emit::options::{Binding, BindingKind, BindingPoint, Constant, Space};
use vecasm_ir::ir::{BufferKind, Dim, Format, SamplerState, Scalar, Stage, Type};

/// What a binding of that kind is as JSON, without its place.
fn of(kind: BindingKind) -> serde_json::Value {
    let binding = Binding {
        stage: Stage::Fragment,
        place: BindingPoint { group: 1, binding: 2 },
        name: "n".into(),
        kind,
    };
    let mut json = to_value(binding).unwrap();
    let fields = json.as_object_mut().unwrap();
    assert_eq!(fields.remove("stage"), Some(json!("fragment")));
    assert_eq!(fields.remove("group"), Some(json!(1)));
    assert_eq!(fields.remove("binding"), Some(json!(2)));
    assert_eq!(fields.remove("name"), Some(json!("n")));
    json
}

#[test]
fn bindings_have_the_words_of_a_layout() {
    let (space, scalar, dim) = (Space::Storage, Scalar::F32, Dim::CubeArray);
    assert_eq!(
        of(BindingKind::Constants { elements: 4, space, scalar }),
        json!({"kind": "constants", "elements": 4, "space": "storage", "scalar": "f32"})
    );
    assert_eq!(of(BindingKind::States { count: 3 }), json!({"kind": "states", "count": 3}));
    assert_eq!(
        of(BindingKind::State { number: 2, ty: Type { scalar: Scalar::Bool, lanes: 1 } }),
        json!({"kind": "state", "number": 2, "scalar": "bool", "lanes": 1})
    );
    assert_eq!(of(BindingKind::Draw), json!({"kind": "draw"}));
    assert_eq!(
        of(BindingKind::Buffer { slot: 1, of: BufferKind::Counter, write: true, atomic: false }),
        json!({"kind": "buffer", "slot": 1, "of": BufferKind::Counter.name(), "write": true, "atomic": false})
    );
    let format = Format::ALL[0];
    assert_eq!(
        of(BindingKind::Image { slot: 0, dim, format, read: true, write: false }),
        json!({
            "kind": "image", "slot": 0, "dim": dim.name(), "format": format.name(), "read": true, "write": false,
        })
    );
    assert_eq!(
        of(BindingKind::Sampler { slot: 0, state: None, compare: false, normalized: true }),
        json!({"kind": "sampler", "slot": 0, "state": null, "compare": false, "normalized": true})
    );
    let state = Some(SamplerState::PLAIN);
    let combined = of(BindingKind::Combined {
        slot: 3,
        sampler_slot: 4,
        dim,
        of: Dim::Cube,
        scalar,
        compare: true,
        state,
    });
    assert_eq!((&combined["sampler_slot"], &combined["of"]), (&json!(4), &json!("cube")));
    let words = json!({
        "wrap_u": "clamp", "wrap_v": "clamp", "filter": "nearest", "mip": "none", "anisotropy": 1,
    });
    assert_eq!(combined["state"], words);
}

#[test]
fn a_constant_without_a_name_in_the_table_has_none() {
    let mut constant = Constant {
        stage: Stage::Vertex,
        symbol: String::new(),
        name: "c[3]".into(),
        binding: "c".into(),
        register: "c3".into(),
        first: 3,
        count: 1,
    };
    let mut expected = json!({
        "stage": "vertex", "symbol": null, "name": "c[3]", "binding": "c", "register": "c3", "first": 3, "count": 1,
    });
    assert_eq!(to_value(&constant).unwrap(), expected);
    constant.symbol = "tint".into();
    expected["symbol"] = json!("tint");
    assert_eq!(to_value(&constant).unwrap(), expected);
}

#[cfg(feature = "hlsl")]
#[test]
fn hlsl_has_registers() {
    let kind = BindingKind::States { count: 1 };
    let place = vecasm_emit::hlsl::Register { class: 'b', number: 3, space: 1 };
    let binding = Binding { stage: Stage::Vertex, place, name: "s".into(), kind };
    let expected =
        json!({"stage": "vertex", "name": "s", "register": "b3", "space": 1, "kind": "states", "count": 1});
    assert_eq!(to_value(binding).unwrap(), expected);
}

/// Constants have a space, too, which must not take the place of that of the register.
#[cfg(feature = "hlsl")]
#[test]
fn hlsl_has_the_space_of_the_register() {
    let kind = BindingKind::Constants { elements: 2, scalar: Scalar::F32, space: Space::Uniform };
    let place = vecasm_emit::hlsl::Register { class: 'b', number: 0, space: 3 };
    let text =
        serde_json::to_string(&Binding { stage: Stage::Fragment, place, name: "fc".into(), kind }).unwrap();
    let expected = r#"{"stage":"fragment","name":"fc","register":"b0","space":3,"kind":"constants","elements":2,"scalar":"f32"}"#;
    assert_eq!(text, expected);
}

#[cfg(feature = "msl")]
#[test]
fn msl_has_tables() {
    let kind = BindingKind::Words { count: 1 };
    let place = vecasm_emit::msl::Argument { table: vecasm_emit::msl::Table::Buffer, index: 30 };
    let binding = Binding { stage: Stage::Compute, place, name: "w".into(), kind };
    let expected =
        json!({"stage": "compute", "name": "w", "table": "buffer", "index": 30, "kind": "words", "count": 1});
    assert_eq!(to_value(binding).unwrap(), expected);
}
