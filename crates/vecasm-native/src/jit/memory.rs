//! Memory that holds machine code: written first, then made executable and never written again.

use memmap2::{Mmap, MmapOptions};
use std::io;

/// Machine code ready to run.
#[derive(Debug)]
pub(super) struct Executable(Mmap);

impl Executable {
    pub(super) fn new(code: &[u8]) -> io::Result<Self> {
        let mut map = MmapOptions::new().len(code.len().max(1)).map_anon()?;
        map[..code.len()].copy_from_slice(code);
        Ok(Self(map.make_exec()?))
    }

    pub(super) fn start(&self) -> *const u8 {
        self.0.as_ptr()
    }
}
