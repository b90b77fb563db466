//! Textures as a target has them: those that an index chooses are all read, and those of a shape that the target lacks are read
//! in another one.

use super::options::BindingKind;
use vecasm_ir::ir::{Shader, Texture};
use vecasm_opt::{TextureUse, choose, reshape};

/// The shader with textures that a target can say; `None` if there is nothing to do. `wanted` tells which ones are read in
/// another shape.
pub(super) fn shaped(shader: &Shader, wanted: impl Fn(&Texture, TextureUse) -> bool) -> Option<Shader> {
    let chosen = choose(shader);
    let shaped = reshape(chosen.as_ref().unwrap_or(shader), wanted);
    shaped.or(chosen)
}

/// Says of what is bound in which shape the shader reads it.
pub(super) fn tell_shapes<'b>(kinds: impl Iterator<Item = &'b mut BindingKind>, shader: &Shader) {
    for kind in kinds {
        let (BindingKind::Texture { slot, of, .. } | BindingKind::Combined { slot, of, .. }) = kind else {
            continue;
        };
        if let Some(texture) = shader.textures.iter().find(|texture| texture.slot == *slot) {
            *of = texture.dim;
        }
    }
}
