//! The software rasterizer.
