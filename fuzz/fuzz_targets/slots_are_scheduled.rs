//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

vecasm_fuzz::fuzz!("slots_are_scheduled");
