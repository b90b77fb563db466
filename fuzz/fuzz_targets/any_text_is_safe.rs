//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

vecasm_fuzz::fuzz!("any_text_is_safe");
