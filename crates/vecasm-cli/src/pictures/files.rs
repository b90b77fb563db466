//! Textures from files: PNG, JPEG, DDS, KTX and KTX2, with the levels, faces and slices that they have.
//!
//! Colours are taken as they lie there; nothing is converted from sRGB. What a file says about its size is checked against
//! the limits here and against its length before anything is made of it.

use ddsfile::{D3DFormat, Dds, DxgiFormat, FourCC, MiscFlag};
use std::io::Cursor;
use vecasm::exec::texture::Texture;
use vecasm::ir::Dim;
use vecasm::render::Picture;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Most bytes of the pixels of a file.
pub(crate) const MAX_BYTES: usize = 1 << 27;
/// Longest side.
const MAX_SIDE: u32 = 8192;
/// Most texels of the largest level.
const MAX_TEXELS: u64 = 1 << 23;

/// A texture from the bytes of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Texture, String> {
    if bytes.starts_with(b"DDS ") {
        return dds(bytes);
    }
    if bytes.starts_with(b"\xabKTX 20\xbb") {
        return ktx2(bytes);
    }
    if bytes.starts_with(b"\xabKTX 11\xbb") {
        return ktx(bytes);
    }
    let picture = image(bytes)?;
    Texture::from_rgba8(Dim::D2, picture.width, picture.height, 1, &[&picture.rgba8])
        .map_err(|error| error.to_string())
}

/// A picture from the bytes of a file.
pub(crate) fn image(bytes: &[u8]) -> Result<Picture, String> {
    if bytes.starts_with(b"\xff\xd8") {
        return jpeg(bytes);
    }
    if bytes.starts_with(b"\x89PNG") {
        return super::png::read(bytes);
    }
    Err("not a PNG, JPEG, DDS, KTX or KTX2 file".into())
}

fn jpeg(bytes: &[u8]) -> Result<Picture, String> {
    let options = DecoderOptions::default()
        .set_max_width(MAX_SIDE as usize)
        .set_max_height(MAX_SIDE as usize)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| error.to_string())?;
    let info = decoder.info().ok_or("no size")?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    shape(Dim::D2, width, height, 1)?;
    let rgba8 = decoder.decode().map_err(|error| error.to_string())?;
    if rgba8.len() as u64 != u64::from(width) * u64::from(height) * 4 {
        return Err("the pixels are truncated".into());
    }
    Ok(Picture { width, height, rgba8 })
}

/// How texels lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Bytes of a texel, and which of them is red, green, blue, alpha: 4 stands for 0, 5 for 255.
    Bytes(u8, [u8; 4]),
    /// Sixteen bits: of red, green, blue, alpha how many, and how far up.
    Packed([(u8, u8); 4]),
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc7,
}

const ZERO: u8 = 4;
const ONE: u8 = 5;
const RGBA: Format = Format::Bytes(4, [0, 1, 2, 3]);
const RGBX: Format = Format::Bytes(4, [0, 1, 2, ONE]);
const BGRA: Format = Format::Bytes(4, [2, 1, 0, 3]);
const BGRX: Format = Format::Bytes(4, [2, 1, 0, ONE]);
const RGB: Format = Format::Bytes(3, [0, 1, 2, ONE]);
const BGR: Format = Format::Bytes(3, [2, 1, 0, ONE]);
const RG: Format = Format::Bytes(2, [0, 1, ZERO, ONE]);
const R: Format = Format::Bytes(1, [0, ZERO, ZERO, ONE]);
const L: Format = Format::Bytes(1, [0, 0, 0, ONE]);
const LA: Format = Format::Bytes(2, [0, 0, 0, 1]);
const A: Format = Format::Bytes(1, [ZERO, ZERO, ZERO, 0]);

impl Format {
    /// Bytes of a slice of that size, rows without gaps.
    fn bytes(self, width: u32, height: u32) -> usize {
        let (width, height) = (width as usize, height as usize);
        let blocks = width.div_ceil(4) * height.div_ceil(4);
        match self {
            Self::Bytes(size, _) => width * height * usize::from(size),
            Self::Packed(_) => width * height * 2,
            Self::Bc1 | Self::Bc4 => blocks * 8,
            Self::Bc2 | Self::Bc3 | Self::Bc5 | Self::Bc7 => blocks * 16,
        }
    }

    /// Appends the texels of a slice as four bytes each.
    fn decode(self, data: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(size, places) => {
                for texel in data.chunks_exact(usize::from(size)) {
                    out.extend(places.map(|place| match place {
                        ONE => 255,
                        ZERO => 0,
                        place => texel.get(usize::from(place)).copied().unwrap_or(0),
                    }));
                }
            }
            Self::Packed(fields) => {
                for texel in data.chunks_exact(2) {
                    let bits = u32::from(u16::from_le_bytes([texel[0], texel[1]]));
                    out.extend(fields.map(|(size, shift)| {
                        let most = (1u32 << size) - 1;
                        if most == 0 {
                            255
                        } else {
                            ((bits >> shift & most) * 255 + most / 2).div_euclid(most) as u8
                        }
                    }));
                }
            }
            _ => self.blocks(data, width as usize, height as usize, out),
        }
    }

    /// The same for blocks of 4 × 4 texels.
    fn blocks(self, data: &[u8], width: usize, height: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + width * height * 4, 0);
        let size = self.bytes(4, 4);
        for (at, block) in data.chunks_exact(size).enumerate() {
            let mut rgba = [0u8; 64];
            match self {
                Self::Bc1 => bcdec_rs::bc1(block, &mut rgba, 16),
                Self::Bc2 => bcdec_rs::bc2(block, &mut rgba, 16),
                Self::Bc3 => bcdec_rs::bc3(block, &mut rgba, 16),
                Self::Bc7 => bcdec_rs::bc7(block, &mut rgba, 16),
                Self::Bc4 => {
                    let mut red = [0u8; 16];
                    bcdec_rs::bc4(block, &mut red, 4, false);
                    for (texel, red) in rgba.chunks_exact_mut(4).zip(red) {
                        texel.copy_from_slice(&[red, 0, 0, 255]);
                    }
                }
                _ => {
                    let mut pairs = [0u8; 32];
                    bcdec_rs::bc5(block, &mut pairs, 8, false);
                    for (texel, pair) in rgba.chunks_exact_mut(4).zip(pairs.chunks_exact(2)) {
                        texel.copy_from_slice(&[pair[0], pair[1], 0, 255]);
                    }
                }
            }
            let columns = width.div_ceil(4);
            let (left, top) = (at % columns * 4, at / columns * 4);
            for row in 0..4.min(height.saturating_sub(top)) {
                let count = 4.min(width.saturating_sub(left));
                let to = start + ((top + row) * width + left) * 4;
                if let (Some(to), Some(from)) =
                    (out.get_mut(to..to + count * 4), rgba.get(row * 16..row * 16 + count * 4))
                {
                    to.copy_from_slice(from);
                }
            }
        }
    }
}

/// Checks a size.
fn shape(dim: Dim, width: u32, height: u32, depth: u32) -> Result<(), String> {
    if width == 0 || height == 0 || depth == 0 {
        return Err("a side has length 0".into());
    }
    if width > MAX_SIDE || height > MAX_SIDE || depth > MAX_SIDE {
        return Err(format!("a side is longer than {MAX_SIDE}"));
    }
    let texels = u64::from(width) * u64::from(height) * u64::from(depth) * u64::from(dim.faces());
    if texels > MAX_TEXELS {
        return Err(format!("it has more than {MAX_TEXELS} texels"));
    }
    if dim == Dim::Cube && width != height {
        return Err("the faces of a cube map are not square".into());
    }
    Ok(())
}

/// The sizes of levels, at most as many as there are.
fn levels(width: u32, height: u32, depth: u32, count: u32) -> Vec<[u32; 3]> {
    let most = 32 - width.max(height).max(depth).leading_zeros();
    (0..count.clamp(1, most)).map(|level| [width, height, depth].map(|side| (side >> level).max(1))).collect()
}

/// Reads slice after slice from the front of data.
struct Slices<'a> {
    data: &'a [u8],
    format: Format,
}

impl Slices<'_> {
    fn next(&mut self, width: u32, height: u32, out: &mut Vec<u8>) -> Result<(), String> {
        let size = self.format.bytes(width, height);
        let Some((slice, rest)) = self.data.split_at_checked(size) else {
            return Err("the texels are truncated".into());
        };
        self.format.decode(slice, width, height, out);
        self.data = rest;
        Ok(())
    }
}

fn texture(dim: Dim, width: u32, height: u32, depth: u32, levels: &[Vec<u8>]) -> Result<Texture, String> {
    let levels: Vec<&[u8]> = levels.iter().map(Vec::as_slice).collect();
    Texture::from_rgba8(dim, width, height, depth, &levels).map_err(|error| error.to_string())
}

fn dds(bytes: &[u8]) -> Result<Texture, String> {
    let dds = Dds::read(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let format = dds_format(&dds).ok_or("this texel format is not supported")?;
    let header = &dds.header;
    let cube = header.caps2.contains(ddsfile::Caps2::CUBEMAP)
        || dds.header10.as_ref().is_some_and(|h| h.misc_flag.contains(MiscFlag::TEXTURECUBE));
    let volume = header.caps2.contains(ddsfile::Caps2::VOLUME);
    let dim = match (cube, volume) {
        (true, _) => Dim::Cube,
        (false, true) => Dim::D3,
        _ => Dim::D2,
    };
    let (width, height) = (header.width, header.height);
    let depth = if volume { header.depth.unwrap_or(1) } else { 1 };
    shape(dim, width, height, depth)?;
    let sizes = levels(width, height, depth, header.mip_map_count.unwrap_or(1));
    let mut out = vec![Vec::new(); sizes.len()];
    let mut slices = Slices { data: &dds.data, format };
    // Face after face, each with all its levels.
    for _ in 0..dim.faces() {
        for ([width, height, depth], level) in sizes.iter().zip(&mut out) {
            for _ in 0..*depth {
                slices.next(*width, *height, level)?;
            }
        }
    }
    texture(dim, width, height, depth, &out)
}

fn dds_format(dds: &Dds) -> Option<Format> {
    let packed = |r, g, b, a| Some(Format::Packed([r, g, b, a]));
    if let Some(FourCC(code)) = dds.header.spf.fourcc {
        match &code.to_le_bytes() {
            b"ATI1" | b"BC4U" => return Some(Format::Bc4),
            b"ATI2" | b"BC5U" => return Some(Format::Bc5),
            _ => {}
        }
    }
    if let Some(format) = dds.get_dxgi_format() {
        return Some(match format {
            DxgiFormat::BC1_UNorm | DxgiFormat::BC1_UNorm_sRGB => Format::Bc1,
            DxgiFormat::BC2_UNorm | DxgiFormat::BC2_UNorm_sRGB => Format::Bc2,
            DxgiFormat::BC3_UNorm | DxgiFormat::BC3_UNorm_sRGB => Format::Bc3,
            DxgiFormat::BC4_UNorm => Format::Bc4,
            DxgiFormat::BC5_UNorm => Format::Bc5,
            DxgiFormat::BC7_UNorm | DxgiFormat::BC7_UNorm_sRGB => Format::Bc7,
            DxgiFormat::R8G8B8A8_UNorm | DxgiFormat::R8G8B8A8_UNorm_sRGB => RGBA,
            DxgiFormat::B8G8R8A8_UNorm | DxgiFormat::B8G8R8A8_UNorm_sRGB => BGRA,
            DxgiFormat::B8G8R8X8_UNorm | DxgiFormat::B8G8R8X8_UNorm_sRGB => BGRX,
            DxgiFormat::R8G8_UNorm => RG,
            DxgiFormat::R8_UNorm => R,
            DxgiFormat::A8_UNorm => A,
            _ => return None,
        });
    }
    Some(match dds.get_d3d_format()? {
        D3DFormat::DXT1 => Format::Bc1,
        D3DFormat::DXT2 | D3DFormat::DXT3 => Format::Bc2,
        D3DFormat::DXT4 | D3DFormat::DXT5 => Format::Bc3,
        D3DFormat::A8B8G8R8 => RGBA,
        D3DFormat::X8B8G8R8 => RGBX,
        D3DFormat::A8R8G8B8 => BGRA,
        D3DFormat::X8R8G8B8 => BGRX,
        D3DFormat::R8G8B8 => BGR,
        D3DFormat::L8 => L,
        D3DFormat::A8L8 => LA,
        D3DFormat::A8 => A,
        D3DFormat::R5G6B5 => return packed((5, 11), (6, 5), (5, 0), (0, 0)),
        D3DFormat::A1R5G5B5 => return packed((5, 10), (5, 5), (5, 0), (1, 15)),
        D3DFormat::X1R5G5B5 => return packed((5, 10), (5, 5), (5, 0), (0, 0)),
        D3DFormat::A4R4G4B4 => return packed((4, 8), (4, 4), (4, 0), (4, 12)),
        D3DFormat::X4R4G4B4 => return packed((4, 8), (4, 4), (4, 0), (0, 0)),
        _ => return None,
    })
}

fn ktx2(bytes: &[u8]) -> Result<Texture, String> {
    let reader = ktx2::Reader::new(bytes).map_err(|error| error.to_string())?;
    let header = reader.header();
    if header.supercompression_scheme.is_some() {
        return Err("supercompressed levels are not supported".into());
    }
    if header.layer_count > 1 {
        return Err("texture arrays are not supported".into());
    }
    // Numbers of VkFormat.
    let format = match header.format.map_or(0, |format| format.value()) {
        9 | 15 => R,
        16 | 22 => RG,
        23 | 29 => RGB,
        30 | 36 => BGR,
        37 | 43 => RGBA,
        44 | 50 => BGRA,
        131..=134 => Format::Bc1,
        135 | 136 => Format::Bc2,
        137 | 138 => Format::Bc3,
        139 => Format::Bc4,
        141 => Format::Bc5,
        145 | 146 => Format::Bc7,
        other => return Err(format!("VkFormat {other} is not supported")),
    };
    let (width, height, depth) = (header.pixel_width, header.pixel_height.max(1), header.pixel_depth.max(1));
    let dim = match (header.face_count, header.pixel_depth, header.pixel_height) {
        (6, ..) => Dim::Cube,
        (_, 1.., _) => Dim::D3,
        (_, _, 0) => Dim::D1,
        _ => Dim::D2,
    };
    shape(dim, width, height, depth)?;
    let sizes = levels(width, height, depth, header.level_count);
    let mut out = Vec::new();
    for ([width, height, depth], level) in sizes.iter().zip(reader.levels()) {
        let mut slices = Slices { data: level.data, format };
        let mut texels = Vec::new();
        for _ in 0..u32::from(dim.faces()) * depth {
            slices.next(*width, *height, &mut texels)?;
        }
        out.push(texels);
    }
    texture(dim, width, height, depth, &out)
}

/// KTX 1.1: a header of sixteen words, keys and values, then each level with its length in front. From the specification of
/// the Khronos Group, section 2.
fn ktx(bytes: &[u8]) -> Result<Texture, String> {
    let cut = || "the file is truncated".to_string();
    let header = bytes.get(12..64).ok_or_else(cut)?;
    match header.first_chunk() {
        Some([1, 2, 3, 4]) => {}
        Some([4, 3, 2, 1]) => return Err("big-endian files are not supported".into()),
        _ => return Err("unknown byte order".into()),
    }
    let word = |n: usize| {
        let bytes = header.get(n * 4..n * 4 + 4).and_then(|w| <[u8; 4]>::try_from(w).ok());
        bytes.map_or(0, u32::from_le_bytes)
    };
    let (kind, internal) = (word(1), word(4));
    // Formats of OpenGL: the layout of texels for those that are not compressed, else the internal format.
    let format = match if kind == 0 { internal } else { word(3) } {
        0x1908 if kind == 0x1401 => RGBA,
        0x80e1 if kind == 0x1401 => BGRA,
        0x1907 if kind == 0x1401 => RGB,
        0x8227 if kind == 0x1401 => RG,
        0x1903 if kind == 0x1401 => R,
        0x1909 if kind == 0x1401 => L,
        0x190a if kind == 0x1401 => LA,
        0x1906 if kind == 0x1401 => A,
        0x83f0 | 0x83f1 | 0x8c4c | 0x8c4d => Format::Bc1,
        0x83f2 | 0x8c4e => Format::Bc2,
        0x83f3 | 0x8c4f => Format::Bc3,
        0x8dbb => Format::Bc4,
        0x8dbd => Format::Bc5,
        0x8e8c | 0x8e8d => Format::Bc7,
        other => return Err(format!("the OpenGL format {other:#x} is not supported")),
    };
    let (width, height, depth) = (word(6), word(7).max(1), word(8).max(1));
    let (layers, faces, count, keys) = (word(9), word(10), word(11), word(12));
    if layers > 0 {
        return Err("texture arrays are not supported".into());
    }
    let dim = match (faces, word(8), word(7)) {
        (6, ..) => Dim::Cube,
        (_, 1.., _) => Dim::D3,
        (_, _, 0) => Dim::D1,
        _ => Dim::D2,
    };
    shape(dim, width, height, depth)?;
    let mut rest = bytes.get(64..).and_then(|rest| rest.get(keys as usize..)).ok_or_else(cut)?;
    let mut out = Vec::new();
    for [width, height, depth] in levels(width, height, depth, count) {
        // The length, of one face for cube maps; then rows that begin at multiples of four bytes.
        rest = rest.get(4..).ok_or_else(cut)?;
        let mut texels = Vec::new();
        for _ in 0..u32::from(dim.faces()) * depth {
            match format {
                Format::Bytes(..) | Format::Packed(_) => {
                    for _ in 0..height {
                        let row = format.bytes(width, 1);
                        format.decode(rest.get(..row).ok_or_else(cut)?, width, 1, &mut texels);
                        rest = rest.get(row.next_multiple_of(4)..).ok_or_else(cut)?;
                    }
                }
                _ => {
                    let mut slices = Slices { data: rest, format };
                    slices.next(width, height, &mut texels)?;
                    rest = slices.data;
                }
            }
        }
        out.push(texels);
    }
    texture(dim, width, height, depth, &out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn texel(texture: &Texture, level: u32, x: u32, y: u32, slice: u32) -> [u8; 4] {
        texture.texel(level, x, y, slice).map(|bits| (f32::from_bits(bits) * 255.0 + 0.5) as u8)
    }

    /// The header of a DDS file: size, levels, pixel format, and what kind of texture it is.
    fn dds_header(width: u32, height: u32, mips: u32, format: [u32; 7], caps2: u32) -> Vec<u8> {
        let mut out = vec![u32::from_le_bytes(*b"DDS "), 124, 0x0002_1007, height, width, 0, 1, mips];
        out.extend([0; 11]);
        out.push(32);
        out.extend(format);
        out.extend([0x0040_1008, caps2, 0, 0, 0]);
        words(&out)
    }

    const DXT1: [u32; 7] = [4, u32::from_le_bytes(*b"DXT1"), 0, 0, 0, 0, 0];
    const A8R8G8B8: [u32; 7] = [0x41, 0, 32, 0x00ff_0000, 0xff00, 0xff, 0xff00_0000];

    /// 8 × 4 texels in two blocks, red and blue, and a second level of one green block of which 4 × 2 count. In 5:6:5
    /// red is 0xf800, green 0x07e0, blue 0x001f.
    fn blocks() -> Vec<u8> {
        let mut out = dds_header(8, 4, 2, DXT1, 0);
        for color in [0xf800u16, 0x001f, 0x07e0] {
            out.extend(color.to_le_bytes());
            out.extend(color.to_le_bytes());
            out.extend([0; 4]);
        }
        out
    }

    /// A cube whose faces are one texel each, blue 10 times the number of the face.
    fn cube() -> Vec<u8> {
        let mut out = dds_header(1, 1, 1, A8R8G8B8, 0xfe00);
        for face in 0..6 {
            out.extend([face * 10, 1, 2, 255]);
        }
        out
    }

    #[test]
    fn dds_files_keep_levels_and_faces() {
        let texture = read(&blocks()).unwrap();
        assert_eq!((texture.dim(), texture.level_count(), texture.size(1)), (Dim::D2, 2, Some([4, 2, 1])));
        assert_eq!(texel(&texture, 0, 0, 0, 0), [255, 0, 0, 255]);
        assert_eq!(texel(&texture, 0, 4, 3, 0), [0, 0, 255, 255]);
        assert_eq!(texel(&texture, 1, 3, 1, 0), [0, 255, 0, 255]);
        let texture = read(&cube()).unwrap();
        assert_eq!(texture.dim(), Dim::Cube);
        assert_eq!(texel(&texture, 0, 0, 0, 4), [2, 1, 40, 255]);
    }

    /// Two texels of three bytes: rows of KTX begin at multiples of four.
    fn ktx1() -> Vec<u8> {
        let mut out = b"\xabKTX 11\xbb\r\n\x1a\n".to_vec();
        out.extend(words(&[0x0403_0201, 0x1401, 1, 0x1907, 0x8051, 0x1907, 1, 2, 0, 0, 1, 1, 0]));
        out.extend(words(&[8]));
        out.extend([1, 2, 3, 0, 4, 5, 6, 0]);
        out
    }

    /// One texel of VkFormat 37 (R8G8B8A8_UNORM), with a descriptor of 92 bytes that nothing here looks into.
    fn ktx2_file() -> Vec<u8> {
        let mut out = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        out.extend(words(&[37, 1, 1, 1, 0, 0, 1, 1, 0]));
        // Descriptor, keys and values, global data; then where the level is.
        out.extend(words(&[104, 4, 0, 0, 0, 0, 0, 0]));
        out.extend([108u64, 4, 4].iter().flat_map(|n| n.to_le_bytes()));
        out.extend(words(&[4]));
        out.extend([9, 8, 7, 6]);
        out
    }

    #[test]
    fn ktx_files_are_read() {
        let texture = read(&ktx1()).unwrap();
        assert_eq!(texel(&texture, 0, 0, 0, 0), [1, 2, 3, 255]);
        assert_eq!(texel(&texture, 0, 0, 1, 0), [4, 5, 6, 255]);
        let texture = read(&ktx2_file()).unwrap();
        assert_eq!(texel(&texture, 0, 0, 0, 0), [9, 8, 7, 6]);
    }

    /// 8 × 8 red pixels, written by libjpeg at quality 95.
    const RED: &str = "ffd8ffe000104a46494600010100000100010000ffdb00430002010101010102010101020202020204030202020205040403\
        04060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a0affdb004301020202020202\
        050303050a0706070a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a\
        0a0a0a0a0a0a0a0affc00011080008000803011100021101031101ffc40014000100000000000000000000000000000008ff\
        c40014100100000000000000000000000000000000ffc4001501010100000000000000000000000000000809ffc400141101\
        00000000000000000000000000000000ffda000c03010002110311003f00178a6bf8ffd9";

    fn jpeg_file() -> Vec<u8> {
        let digits: Vec<u8> = RED.bytes().filter(u8::is_ascii_hexdigit).collect();
        let nibble = |c: u8| (c as char).to_digit(16).unwrap() as u8;
        digits.chunks(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])).collect()
    }

    #[test]
    fn jpeg_files_are_read() {
        let picture = image(&jpeg_file()).unwrap();
        assert_eq!((picture.width, picture.height), (8, 8));
        let [r, g, b, a] = [picture.rgba8[0], picture.rgba8[1], picture.rgba8[2], picture.rgba8[3]];
        assert!(r >= 252 && g <= 3 && b <= 3 && a == 255, "{r} {g} {b} {a}");
    }

    #[test]
    fn damaged_files_are_refused_or_read_but_nothing_worse() {
        for good in [blocks(), cube(), ktx1(), ktx2_file(), jpeg_file()] {
            assert!(read(&good).is_ok());
            for cut in 0..good.len() {
                let _ = read(&good[..cut]);
            }
            for at in 0..good.len() {
                for value in [0, 1, 0x7f, 0xff, good[at] ^ 0x80] {
                    let mut bad = good.clone();
                    bad[at] = value;
                    let _ = read(&bad);
                }
            }
        }
        assert!(read(&blocks()[..140]).is_err_and(|why| why.contains("truncated")));
        let huge = dds_header(8192, 8192, 1, DXT1, 0);
        assert!(read(&huge).is_err_and(|why| why.contains("texels")));
        assert!(read(b"").is_err() && read(b"GIF89a").is_err());
    }
}
