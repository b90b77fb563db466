//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

vecasm_fuzz::fuzz!("repro_files_are_safe");
