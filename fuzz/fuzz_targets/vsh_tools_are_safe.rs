//! The property of that name.
#![cfg_attr(fuzzing, no_main)]

vecasm_fuzz::fuzz!("vsh_tools_are_safe");
