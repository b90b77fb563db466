//! The passes, by what they make of shaders.

mod ancestry;
mod gpu;
mod passes;
mod reshape;
