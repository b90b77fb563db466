//! PNG, and animated PNG.

use png::{BitDepth, ColorType, Encoder, EncodingError, Transformations};
use vecasm::render::Picture;

/// A picture as PNG.
pub(crate) fn write(picture: &Picture) -> Result<Vec<u8>, EncodingError> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, picture.width, picture.height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgba8)?;
    writer.finish()?;
    Ok(out)
}

/// Pictures of one size as an animated PNG that runs for ever, each shown for 1/`fps` seconds. Programs that know no
/// animation show the first one.
pub(crate) fn animate(frames: &[Picture], fps: u16) -> Result<Vec<u8>, EncodingError> {
    let mut out = Vec::new();
    let Some(first) = frames.first() else { return Ok(out) };
    let mut encoder = Encoder::new(&mut out, first.width, first.height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(1, fps)?;
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(&frame.rgba8)?;
    }
    writer.finish()?;
    Ok(out)
}

/// The pixels of a PNG; of an animated one the first frame.
pub(crate) fn read(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size =
        reader.output_buffer_size().filter(|size| *size <= super::files::MAX_BYTES).ok_or("too large")?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    pixels.truncate(info.buffer_size());
    let rgba8 = match info.color_type {
        ColorType::Rgba => pixels,
        ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        other => return Err(format!("the colour type {other:?} is not supported")),
    };
    Ok(Picture { width: info.width, height: info.height, rgba8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_png() {
        let picture = Picture { width: 2, height: 1, rgba8: vec![1, 2, 3, 255, 4, 5, 6, 255] };
        assert_eq!(read(&write(&picture).unwrap()), Ok(picture));
    }

    #[test]
    fn frames_survive_an_animation() {
        let frame = |n: u8| Picture { width: 1, height: 1, rgba8: vec![n, 2, 3, 255] };
        let bytes = animate(&[frame(7), frame(9)], 12).unwrap();
        assert_eq!(read(&bytes), Ok(frame(7)));
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes[..])).read_info().unwrap();
        let control = *reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (2, 0));
        let mut pixel = [0; 4];
        for expected in [7, 9] {
            reader.next_frame(&mut pixel).unwrap();
            assert_eq!(pixel, [expected, 2, 3, 255]);
            let shown = reader.info().frame_control().unwrap();
            assert_eq!((shown.delay_num, shown.delay_den), (1, 12));
        }
    }
}
