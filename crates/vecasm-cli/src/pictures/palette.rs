//! A colour map in which equal steps look equal: from dark violet over teal to bright yellow, with a lightness that grows
//! evenly, so that it also reads in grey and for most who confuse red and green.
//!
//! It is computed: a path in Oklab (Björn Ottosson, 2020), lightness from 0.25 to 0.93 in a straight line, the hue turning from
//! violet through blue and green to yellow, the chroma as much as sRGB holds along it.

use super::Rgb;

/// The colour of a number from 0 to 1.
pub(crate) fn heat(at: f32) -> Rgb {
    let t = if at.is_nan() { 0.0 } else { at.clamp(0.0, 1.0) };
    let lightness = 0.25 + 0.68 * t;
    // From 300° (violet) down to 105° (yellow).
    let hue = (300.0 - 195.0 * t).to_radians();
    let chroma = 0.11 + 0.05 * (2.0 * t - 1.0).powi(2);
    oklab(lightness, chroma * hue.cos(), chroma * hue.sin())
}

/// Oklab to sRGB, cut off at its border.
fn oklab(lightness: f32, a: f32, b: f32) -> Rgb {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
    .map(encoded)
}

/// Linear light to a byte of sRGB.
fn encoded(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let value = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness of CIELAB, from the definition of sRGB and CIE: another scale than the one it was made with.
    fn lightness(color: Rgb) -> f32 {
        let linear = color.map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn lightness_grows_evenly() {
        let steps: Vec<f32> = (0..=10).map(|i| lightness(heat(i as f32 / 10.0))).collect();
        for pair in steps.windows(2) {
            assert!((4.0..12.0).contains(&(pair[1] - pair[0])), "{steps:?}");
        }
        assert!(steps[0] < 20.0 && steps[10] > 88.0, "{steps:?}");
    }

    #[test]
    fn black_and_white_are_what_they_are() {
        assert_eq!(oklab(0.0, 0.0, 0.0), [0; 3]);
        assert_eq!(oklab(1.0, 0.0, 0.0), [255; 3]);
        assert_eq!(heat(f32::NAN), heat(0.0));
    }
}
