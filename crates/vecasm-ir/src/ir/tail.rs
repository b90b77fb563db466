//! What a lift adds to a program: what the pipeline around it does.

crate::words! {
    /// A part of the pipeline that a lift has built into a shader: what an instruction is there for, if not for the program.
    Tail "part of the pipeline" {
        /// Colours are clamped to 0..=1 as they leave a vertex shader, and as they reach a fragment shader.
        ClampColors "clamp-colors",
        /// The fog factor is clamped to 0..=1 as it leaves a vertex shader.
        ClampFog "clamp-fog",
        /// Constants are clamped to -1..=1 as a fragment shader reads them.
        ClampConstants "clamp-constants",
        /// The viewport and the division by w, which the program applied itself, are undone: the position is in clip space.
        Viewport "viewport",
        /// The position is moved by half a pixel.
        HalfPixel "half-pixel",
        /// User clip planes: distances as outputs, and fragments that are outside are dropped.
        ClipPlanes "clip-planes",
        /// The size of points is that of the pipeline where the program has none, and clamped; a fragment shader gets the place in
        /// the point as its texture coordinates.
        Points "points",
        /// Texture coordinates are divided by their third or fourth component.
        Projected "projected",
        /// The alpha test.
        AlphaTest "alpha-test",
        /// Fog after a fragment shader.
        Fog "fog",
    }
}
