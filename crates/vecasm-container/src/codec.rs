//! Unpacking.

use crate::Codec;
use alloc::string::String;
use alloc::vec::Vec;

/// The bytes that packed ones give, of which there are `size`; or why there are none.
pub(crate) fn unpack(codec: Codec, packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    match codec {
        #[cfg(feature = "deflate")]
        Codec::Deflate => deflate::unpack(packed, size),
        #[cfg(not(feature = "deflate"))]
        Codec::Deflate => {
            let _ = (packed, size);
            Err("this build does not unpack it".into())
        }
    }
}

#[cfg(feature = "deflate")]
pub(crate) mod deflate {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;
    use miniz_oxide::inflate::TINFLStatus;
    use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

    /// The first bytes of raw data, at most as many as `most`.
    fn start(packed: &[u8], most: usize, flags: u32) -> (TINFLStatus, Vec<u8>) {
        let mut out = vec![0; most];
        let flags = flags | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, _, n) = decompress(&mut DecompressorOxide::new(), packed, &mut out, 0, flags);
        out.truncate(n);
        (status, out)
    }

    fn unpack_all(packed: &[u8], size: usize, flags: u32) -> Result<Vec<u8>, String> {
        match start(packed, size, flags) {
            (TINFLStatus::Done, out) if out.len() == size => Ok(out),
            (TINFLStatus::Done, out) => Err(format!("{} bytes came out, not {size}", out.len())),
            (TINFLStatus::HasMoreOutput, _) => Err(format!("more than {size} bytes come out")),
            (TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput, _) => {
                Err("the packed data end too early".into())
            }
            (TINFLStatus::Adler32Mismatch, _) => Err("the checksum does not fit".into()),
            _ => Err("the packed data are damaged".into()),
        }
    }

    /// All bytes of raw data.
    pub(crate) fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
        unpack_all(packed, size, 0)
    }

    /// All bytes of data with a header and a checksum.
    #[cfg(feature = "swf")]
    pub(crate) fn unpack_zlib(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
        unpack_all(packed, size, inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER)
    }

    /// Where packed data with a header and a checksum end, of which `size` bytes come out.
    #[cfg(all(feature = "scan", feature = "swf"))]
    pub(crate) fn zlib_end(packed: &[u8], size: usize) -> Option<usize> {
        let mut out = vec![0; size];
        let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
            | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, n, _) = decompress(&mut DecompressorOxide::new(), packed, &mut out, 0, flags);
        (status == TINFLStatus::Done).then_some(n)
    }

    /// The first bytes of raw data: fewer if there are no more, or if they are damaged.
    #[cfg(feature = "zip")]
    pub(crate) fn peek(packed: &[u8], most: usize) -> Vec<u8> {
        start(packed, most, inflate_flags::TINFL_FLAG_HAS_MORE_INPUT).1
    }
}
