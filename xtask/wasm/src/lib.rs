//! The engine `lanes` as WebAssembly, for `cargo xtask wasm`: a request is the text of a shader and a seed, the answer one number
//! for all that came out. The task computes the same number with the interpreter, from the same code natively.
//!
//! A request is 8 bytes of seed and 4 of the count of invocations, little-endian, and the text. The host asks
//! [`room`] for a place, puts the request there and calls [`answer`].

use std::sync::{Mutex, PoisonError};
use vecasm::exec::lanes::{Lanes, Portable};
use vecasm::exec::runfile::RunFile;
use vecasm::exec::{Engine, Outputs, RunError};
use vecasm::ir::text;

/// Fuel of an invocation, so that no random loop takes long.
const FUEL: u64 = 1000;

/// The request that the host writes.
static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A place for a request of `len` bytes; the one before is gone.
#[unsafe(no_mangle)]
pub extern "C" fn room(len: usize) -> *mut u8 {
    let mut request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    request.clear();
    request.resize(len, 0);
    request.as_mut_ptr()
}

/// The answer of `lanes` to the request, as [`digest`] makes it.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> u64 {
    let request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    digest(&Lanes::<Portable>::default(), &request)
}

/// A request.
pub fn request(text: &str, count: u32, seed: u64) -> Vec<u8> {
    [&seed.to_le_bytes()[..], &count.to_le_bytes(), text.as_bytes()].concat()
}

/// One number for all that an engine makes of a request: every word of every output, who was killed and who ran out of fuel; or for the
/// reason why it does not run.
pub fn digest(engine: &dyn Engine, request: &[u8]) -> u64 {
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    match run(engine, request) {
        Ok(outputs) => {
            let Outputs { cells, killed, exhausted, params, carried, buffers, images, streams, barriers } =
                &outputs;
            for cell in cells.iter().chain(params).chain([carried]) {
                sum.word(cell.len() as u32);
                cell.iter().flatten().for_each(|&word| sum.word(word));
            }
            for flags in [killed, exhausted] {
                flags.iter().for_each(|&flag| sum.byte(u8::from(flag)));
            }
            for buffer in buffers {
                buffer.iter().for_each(|&byte| sum.byte(byte));
            }
            let rest = format!("{images:?} {streams:?} {barriers:?}");
            rest.bytes().for_each(|byte| sum.byte(byte));
        }
        Err(why) => why.bytes().for_each(|byte| sum.byte(byte)),
    }
    sum.0
}

fn run(engine: &dyn Engine, request: &[u8]) -> Result<Outputs, String> {
    let read = || Some((request.first_chunk::<8>()?, request.get(8..)?.split_first_chunk::<4>()?));
    let (seed, (count, text)) = read().ok_or("a request of less than 12 bytes")?;
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let shader = text::parse_any(text).map_err(|error| error.to_string())?;
    let file = RunFile::random(&shader, u32::from_le_bytes(*count) as usize, u64::from_le_bytes(*seed));
    let mut batch = file.batch();
    batch.fuel = Some(FUEL);
    engine.run(&shader, &batch).map_err(|error: RunError| error.to_string())
}

/// FNV-1a, 64 bits.
struct Sum(u64);

impl Sum {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }

    fn word(&mut self, word: u32) {
        word.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }
}
