//! States and types as serde sees them.

use serde_json::json;
use vecasm_ir::ir::{Compare, Filter, FloatBits, SamplerModel, SamplerState, Scalar, Type, Wrap};

#[test]
fn the_state_of_a_sampler_is_in_the_words_of_run_files() {
    let state = SamplerState {
        mag: Filter::Linear,
        min: Filter::Nearest,
        max_lod: FloatBits::new(f32::INFINITY),
        compare: Some(Compare::Less),
        border: [0x3f80_0000, 0, 0, 1],
        model: SamplerModel::SOFTPIPE,
        ..SamplerState::PLAIN.with_wrap(Wrap::Repeat)
    };
    let json = serde_json::to_value(state).unwrap();
    assert_eq!(json["wrap_v"], "repeat");
    assert_eq!((&json["mag"], &json["min"]), (&json!("linear"), &json!("nearest")));
    assert_eq!(json.get("filter"), None);
    assert_eq!(json["compare"], "less");
    assert_eq!(json["max_lod"], "0x7f800000");
    assert_eq!(json["border"], json!(["0x3f800000", "0x00000000", "0x00000000", "0x00000001"]));
    assert_eq!(json["model"], json!(["softpipe"]));
    let plain = serde_json::to_value(SamplerState::PLAIN).unwrap();
    assert_eq!(plain["filter"], SamplerState::PLAIN.min.name());
    assert_eq!(plain["model"], json!(["exact"]));
    assert_eq!(plain.get("compare"), None);
    assert_eq!(
        serde_json::to_value(Type { scalar: Scalar::I32, lanes: 3 }).unwrap(),
        json!({"scalar": "i32", "lanes": 3})
    );
}
