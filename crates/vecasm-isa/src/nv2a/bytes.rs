//! Microcode: decoding and encoding, both without loss.
//!
//! Three binary forms are recognized: the words of the slots alone, the header of the XDK's microcode files in front
//! of them, and pushbuffers that upload slots. A word is little-endian. Lists of words in text (`.inl` files, C
//! arrays, dumps) are read by [`parse_words`].

use super::methods::{Method, Use};
use super::program::{Commands, Container, Kind, Program, Slot};
use super::table::{Field, SLOTS};
use alloc::vec::Vec;
use vecasm_ir::diag::{Diagnostic, Place, rules};

rules! {
    /// The rules of this room.
    pub const RULES;
    const;

    NOT_NV2A "NV2A-not-nv2a" Error
        "%1",
        "A program is a list of 32-bit words, four per slot, bare, after a microcode header, or in a pushbuffer.";
    COMBINERS "NV2A-combiner-methods" Error Peer
        "the pushbuffer sets up the register combiners, which are not a vertex program",
        "The register combiners and texture shaders are the pixel half of the hardware and have methods of their own.";
}

/// First and last method of `SET_TRANSFORM_PROGRAM`: the data of a packet to these are words of slots.
const UPLOAD: core::ops::RangeInclusive<u32> = 0x0b00..=0x0b7c;

/// Whether `bytes` are a program beyond doubt: a microcode header with the right length, bare slots of which the last
/// one and no other is final, or a pushbuffer that uploads slots.
pub fn looks_like(bytes: &[u8]) -> bool {
    let header =
        bytes.first_chunk().map(|&[a, b, c, d]| (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])));
    if let Some((version, count)) = header {
        let fits = usize::from(count) * Slot::SIZE + 4 == bytes.len();
        if count > 0 && usize::from(count) <= SLOTS && fits && Kind::from_version(version).is_some() {
            return true;
        }
    }
    if bytes.len() % Slot::SIZE == 0 && (1..=SLOTS).contains(&(bytes.len() / Slot::SIZE)) {
        let last = bytes.len() / Slot::SIZE - 1;
        if slots(bytes).enumerate().all(|(n, slot)| is_plausible(slot) && slot.is_final() == (n == last)) {
            return true;
        }
    }
    pushbuffer(bytes).is_some() || is_combiners(bytes)
}

/// Whether a file of that size that starts so may be a program: a microcode header with the right length, slots, packets of a pushbuffer.
pub(crate) fn may_begin(start: &[u8], size: u64) -> bool {
    if start.len() as u64 >= size {
        return looks_like(start);
    }
    if let Some(&[a, b, c, d]) = start.first_chunk() {
        let (version, count) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        if u64::from(count) * Slot::SIZE as u64 + 4 == size && Kind::from_version(version).is_some() {
            return true;
        }
    }
    let all = size / Slot::SIZE as u64;
    if size % Slot::SIZE as u64 == 0 && (1..=SLOTS as u64).contains(&all) {
        let mut known = slots(start);
        if known.all(|slot| is_plausible(slot) && !slot.is_final()) {
            return true;
        }
    }
    // Zeros are packets without data: something has to be said.
    let (mut rest, mut says) = (start, false);
    while let Some((&header, behind)) = rest.split_first_chunk() {
        let Some(packet) = Packet::from_word(u32::from_le_bytes(header)) else { return false };
        says |= packet.count > 0;
        match behind.get(packet.count as usize * 4..) {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    size % 4 == 0 && says
}

/// Whether bytes are a pushbuffer that writes to the register combiners or texture shaders and uploads no slot.
fn is_combiners(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut found = false;
    while let Some((&header, behind)) = rest.split_first_chunk() {
        let Some(packet) = Packet::from_word(u32::from_le_bytes(header)) else { return false };
        let Some(behind) = behind.get(packet.count as usize * 4..) else { return false };
        rest = behind;
        let purpose = Method::from_number(packet.method).map(|method| method.purpose);
        if purpose == Some(Use::Program) {
            return false;
        }
        found |= purpose == Some(Use::Combiner) && packet.count > 0;
    }
    found && rest.is_empty()
}

/// Whether the fields that the hardware does not keep are zero and the operations exist.
fn is_plausible(slot: Slot) -> bool {
    slot.get(Field::Word0) == 0 && slot.get(Field::Word1High) == 0 && slot.mac().is_some()
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}

fn slots(bytes: &[u8]) -> impl Iterator<Item = Slot> {
    bytes.chunks_exact(Slot::SIZE).map(|chunk| {
        let mut slot = Slot::default();
        for (to, from) in slot.0.iter_mut().zip(words(chunk)) {
            *to = from;
        }
        slot
    })
}

/// Reads any bytes as a program. Nothing is checked and nothing is lost: [`encode`] gives the same bytes.
pub fn decode_lossless(bytes: &[u8]) -> Program {
    if let Some((&[a, b, c, d], rest)) = bytes.split_first_chunk() {
        let (version, count) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        if Kind::from_version(version).is_some() {
            return bare(Container::Microcode { version, count }, rest);
        }
    }
    if !(slots(bytes).all(is_plausible) && bytes.len() % Slot::SIZE == 0) {
        if let Some(program) = pushbuffer(bytes) {
            return program;
        }
    }
    bare(Container::Bare, bytes)
}

fn bare(container: Container, bytes: &[u8]) -> Program {
    let tail = bytes.chunks_exact(Slot::SIZE).remainder().to_vec();
    Program { container, slots: slots(bytes).collect(), tail }
}

/// Reads a program. What is odd about it is for [`validate`](super::rules::validate()) to say.
///
/// # Errors
///
/// Fails with `NV2A-not-nv2a` only if nothing is recognizable: the bytes are no whole words and no microcode header
/// stands in front.
pub fn decode(bytes: &[u8]) -> Result<Program, Diagnostic> {
    let known =
        bytes.first_chunk().is_some_and(|&[a, b]| Kind::from_version(u16::from_le_bytes([a, b])).is_some());
    let what = if bytes.is_empty() {
        "the input is empty"
    } else if known && bytes.len() < 4 {
        "the microcode header is cut off"
    } else if !known && bytes.len() % 4 != 0 {
        "found neither whole words nor the header of a microcode file"
    } else if !known && bytes.len() < Slot::SIZE && bytes.get(2..4) != Some(&[0, 0]) && bytes[0] != 0 {
        "too short for a slot, and not the header of a microcode file"
    } else if !known && !slots(bytes).all(is_plausible) && is_combiners(bytes) {
        let help = "vecasm reads the vertex program that goes with it";
        return Err(COMBINERS.finding(COMBINERS.message).with_help(help));
    } else {
        return Ok(decode_lossless(bytes));
    };
    Err(NOT_NV2A.finding(what).at(Place::Binary { offset: 0, token: None }))
}

/// Writes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut out =
        Vec::with_capacity(program.header_size() + program.slots.len() * Slot::SIZE + program.tail.len());
    let mut push = |words: &[u32]| words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    let mut commands: &[Commands] = &[];
    match &program.container {
        Container::Bare => {}
        Container::Microcode { version, count } => push(&[u32::from(*version) | u32::from(*count) << 16]),
        Container::Pushbuffer(list) => commands = list,
    }
    for (index, slot) in program.slots.iter().enumerate() {
        while let Some((first, rest)) = commands.split_first().filter(|(first, _)| first.before <= index) {
            push(&first.words);
            commands = rest;
        }
        push(&slot.0);
    }
    commands.iter().for_each(|rest| push(&rest.words));
    out.extend_from_slice(&program.tail);
    out
}

/// The header of one packet of a pushbuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The method of the first word of data: a multiple of 4 below 0x2000.
    pub method: u32,
    /// The subchannel, 0–7.
    pub subchannel: u32,
    /// Number of words of data, 0–2047.
    pub count: u32,
    /// Whether all data goes to the one method.
    pub fixed: bool,
}

impl Packet {
    /// Reads a header; jumps, calls and what has no meaning are none.
    pub const fn from_word(word: u32) -> Option<Self> {
        if word & 0xa003_0003 != 0 {
            return None;
        }
        let (method, subchannel) = (word & 0x1ffc, word >> 13 & 7);
        Some(Self { method, subchannel, count: word >> 18 & 0x7ff, fixed: word >> 30 & 1 == 1 })
    }

    /// The method that word `n` of the data goes to.
    pub const fn target(self, n: u32) -> u32 {
        if self.fixed { self.method } else { self.method.wrapping_add(n.wrapping_mul(4)) }
    }

    /// Whether its data are words of slots from the first of a slot on.
    fn uploads(self) -> bool {
        !self.fixed
            && UPLOAD.contains(&self.method)
            && (self.method - UPLOAD.start()) % 16 == 0
            && UPLOAD.contains(&self.target(self.count.saturating_sub(1)))
    }
}

/// Reads bytes as a pushbuffer; `None` unless they are packets to the end and at least one slot is uploaded.
fn pushbuffer(bytes: &[u8]) -> Option<Program> {
    if bytes.len() % 4 != 0 {
        return None;
    }
    // A cheap look first: most files are something else.
    let mut rest = bytes;
    let mut uploads = false;
    while let Some((&header, behind)) = rest.split_first_chunk() {
        let packet = Packet::from_word(u32::from_le_bytes(header))?;
        rest = behind.get(packet.count as usize * 4..)?;
        uploads |= packet.uploads() && packet.count >= 4;
    }
    if !uploads {
        return None;
    }
    let mut out = Program::default();
    let (mut commands, mut pending) = (Vec::new(), Vec::new());
    let mut rest = bytes;
    while let Some((&header, behind)) = rest.split_first_chunk() {
        let packet = Packet::from_word(u32::from_le_bytes(header))?;
        let (data, behind) = behind.split_at_checked(packet.count as usize * 4)?;
        rest = behind;
        pending.push(u32::from_le_bytes(header));
        let whole = if packet.uploads() { data.len() / Slot::SIZE * Slot::SIZE } else { 0 };
        let (upload, other) = data.split_at_checked(whole)?;
        if !upload.is_empty() {
            commands.push(Commands { before: out.slots.len(), words: core::mem::take(&mut pending) });
            out.slots.extend(slots(upload));
        }
        pending.extend(words(other));
    }
    if !pending.is_empty() {
        commands.push(Commands { before: out.slots.len(), words: pending });
    }
    out.container = Container::Pushbuffer(commands);
    Some(out)
}

/// Reads 32-bit words written as hexadecimal digits, most significant first, eight a word or fewer behind `0x`, into
/// bytes of a binary. White space, commas, semicolons, braces and comments (`/* */`, `//`) are separators. Of a source
/// in C or C++ the first array counts that is declared with its values. `None` if anything else stands there, or no
/// word at all.
pub fn parse_words(text: &str) -> Option<Vec<u8>> {
    parse_list(text).or_else(|| {
        let (start, end) = crate::list::array(text)?;
        parse_list(text.get(start..end)?)
    })
}

fn parse_list(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 3);
    let mut rest = text.as_bytes();
    while let Some(&first) = rest.first() {
        if first.is_ascii_whitespace() || matches!(first, b',' | b';' | b'{' | b'}') {
            rest = &rest[1..];
            continue;
        }
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            rest = &rest[end..];
            continue;
        }
        if rest.starts_with(b"/*") {
            let end = rest.windows(2).skip(2).position(|w| w == b"*/")? + 4;
            rest = &rest[end..];
            continue;
        }
        let prefixed = rest.starts_with(b"0x") || rest.starts_with(b"0X");
        let digits = if prefixed { &rest[2..] } else { rest };
        let len = digits.iter().position(|b| !b.is_ascii_hexdigit()).unwrap_or(digits.len());
        let mut behind = &digits[len..];
        if prefixed {
            // The suffixes of a C or Rust literal.
            let ends = [&b"u32"[..], b"ul", b"UL", b"u", b"U"];
            behind = ends.iter().find_map(|end| behind.strip_prefix(*end)).unwrap_or(behind);
        }
        let ends =
            behind.first().is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b',' | b';' | b'}' | b'/'));
        if !ends || len > 8 || len == 0 || (!prefixed && len != 8) {
            return None;
        }
        let word = digits[..len].iter().fold(0_u32, |n, &b| n << 4 | (b as char).to_digit(16).unwrap_or(0));
        out.extend_from_slice(&word.to_le_bytes());
        rest = behind;
    }
    (!out.is_empty()).then_some(out)
}

/// Whether bytes read from a list of words are a program: as [`looks_like`], but no slot needs to be final, since
/// parts of programs are often shown.
pub fn words_look_like(bytes: &[u8]) -> bool {
    looks_like(bytes)
        || (!bytes.is_empty()
            && bytes.len() % Slot::SIZE == 0
            && bytes.len() / Slot::SIZE <= SLOTS
            && slots(bytes).all(is_plausible))
}

/// Whether the first slot of a list of words is one that does something, whatever the others are.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    let works = |slot: Slot| slot.get(Field::Mac) != 0 || slot.get(Field::Ilu) != 0;
    slots(bytes).next().is_some_and(|slot| is_plausible(slot) && works(slot))
}
