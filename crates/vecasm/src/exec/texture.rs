//! Textures and how they are read.
/// Texels in levels.
#[derive(Clone, Debug)]
pub struct Texture {}
