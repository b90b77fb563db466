//! What other implementations refuse: the profiles besides Direct3D's own.
//!
//! These are models of programs that exist, with their gaps: what one of them takes may be refused by Direct3D, and the
//! other way round. They were put together from what the programs answered to a large number of shaders.
//!
//! | file | holds |
//! |---|---|
//! | `mojoshader` | the parser of MojoShader, revision 6333f74 |
//! | `dxvk` | the validator that DXVK offers to programs that ask for one |
//! | `wine` | the assembler of Wine 8.0, and what creating a shader refuses |

pub(super) mod dxvk;
pub(super) mod mojoshader;
pub(super) mod wine;
