//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

vecasm_fuzz::fuzz!("old_pixels_are_scheduled");
