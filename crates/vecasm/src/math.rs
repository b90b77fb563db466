//! Elementary functions from basic operations.

/// The NaN that arithmetic gives.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;
macro_rules! stub { ($($f:ident)*) => {$(
/// Temporary.
pub fn $f(x: f32) -> f32 { x.$f() }
)*} }
stub!(sqrt exp2 log2 sin cos floor);
/// Temporary.
pub fn rsqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}
/// Temporary.
pub fn pow(x: f32, y: f32) -> f32 {
    x.powf(y)
}
