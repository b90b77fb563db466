//! The words of reflection outside `info`.

use serde_json::{Value, json};
use vecasm::ir::SamplerState;
use vecasm::reflect::SamplerWords;

/// The state of a sampler as `info` has it; null where the program leaves it to the runtime.
pub(crate) fn sampler(state: Option<SamplerState>) -> Value {
    json!(state.map(SamplerWords::from))
}
