//! The parts that pictures are drawn with. Pictures are drawn in tiles however small they are, which takes private items:
//! their tests are in the library.

mod partner;
mod state;
mod tessellate;
