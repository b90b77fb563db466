//! Pictures that are put together: canvases, text, colour maps, and the files they go to and come from.
//!
//! | file | holds |
//! |---|---|
//! | `files` | textures from files |
//! | `font` | letters of three by six pixels |
//! | `palette` | a colour map in which equal steps look equal |
//! | `png` | PNG and animated PNG |

pub(crate) mod files;
mod font;
pub(crate) mod palette;
pub(crate) mod png;

use vecasm::render::Picture;

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// Space from one letter to the next, at scale 1.
pub(crate) const ADVANCE: u32 = 4;
/// Space from one line to the next, at scale 1.
pub(crate) const LINE: u32 = 8;

/// A picture under construction, opaque.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    picture: Picture,
}

impl Canvas {
    /// A canvas of one colour.
    pub(crate) fn new(width: u32, height: u32, color: Rgb) -> Self {
        let [r, g, b] = color;
        let rgba8 = [r, g, b, 255].repeat(width as usize * height as usize);
        Self { picture: Picture { width, height, rgba8 } }
    }

    /// What has been drawn.
    pub(crate) fn finish(self) -> Picture {
        self.picture
    }

    /// Sets a pixel, if it is on the canvas.
    pub(crate) fn set(&mut self, x: u32, y: u32, [r, g, b]: Rgb) {
        if x < self.picture.width && y < self.picture.height {
            let at = (y as usize * self.picture.width as usize + x as usize) * 4;
            if let Some(pixel) = self.picture.rgba8.get_mut(at..at + 4) {
                pixel.copy_from_slice(&[r, g, b, 255]);
            }
        }
    }

    /// Fills a rectangle.
    pub(crate) fn fill(&mut self, x: u32, y: u32, width: u32, height: u32, color: Rgb) {
        for row in y..y.saturating_add(height).min(self.picture.height) {
            for column in x..x.saturating_add(width).min(self.picture.width) {
                self.set(column, row, color);
            }
        }
    }

    /// Puts a picture onto it; its alpha does not count.
    pub(crate) fn put(&mut self, x: u32, y: u32, picture: &Picture) {
        for (i, pixel) in picture.rgba8.chunks_exact(4).enumerate() {
            let (column, row) = (i as u32 % picture.width.max(1), i as u32 / picture.width.max(1));
            self.set(x.saturating_add(column), y.saturating_add(row), [pixel[0], pixel[1], pixel[2]]);
        }
    }

    /// Writes a line of text from its left top corner on. Letters without a form of their own are boxes.
    pub(crate) fn text(&mut self, x: u32, y: u32, text: &str, scale: u32, color: Rgb) {
        for (i, c) in text.chars().enumerate() {
            let left = x + i as u32 * ADVANCE * scale;
            for (row, bits) in font::rows(c).enumerate() {
                for column in 0..3u32 {
                    if bits >> (2 - column) & 1 == 1 {
                        self.fill(left + column * scale, y + row as u32 * scale, scale, scale, color);
                    }
                }
            }
        }
    }
}

/// The width of a text.
pub(crate) fn text_width(text: &str, scale: u32) -> u32 {
    (text.chars().count() as u32 * ADVANCE).saturating_sub(1) * scale
}
