//! Instructions to bytes, and jumps between them.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// Where the encoder thinks that code starts; anything that keeps jumps in range.
const BASE: u64 = 0x1000_0000;

/// Code that is being written.
pub(super) struct Asm {
    encoder: Encoder,
    at: usize,
    /// Jumps: the byte behind each, and its target.
    jumps: Vec<(usize, Target)>,
    targets: Vec<Option<usize>>,
    error: Option<String>,
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target(u32);

/// What stands at `base + offset`.
pub(super) fn memory(base: Register, offset: usize) -> MemoryOperand {
    operand(base, Register::None, offset, false)
}

/// The same, one element for all lanes.
pub(super) fn repeated(base: Register, offset: usize) -> MemoryOperand {
    operand(base, Register::None, offset, true)
}

/// What stands at `base + index + offset`.
pub(super) fn indexed(base: Register, index: Register, offset: usize) -> MemoryOperand {
    operand(base, index, offset, false)
}

/// What stands at `base + 8 · index + offset`, for each lane of `index`.
pub(super) fn scaled(base: Register, index: Register, offset: usize) -> MemoryOperand {
    MemoryOperand::new(base, index, 8, offset as i64, u32::from(offset != 0), false, Register::None)
}

fn operand(base: Register, index: Register, offset: usize, broadcast: bool) -> MemoryOperand {
    // These two always have a displacement.
    let needs = matches!(base, Register::RBP | Register::R13);
    let size = u32::from(offset != 0 || needs);
    MemoryOperand::new(base, index, 1, offset as i64, size, broadcast, Register::None)
}

impl Asm {
    pub(super) fn new() -> Self {
        Self { encoder: Encoder::new(64), at: 0, jumps: Vec::new(), targets: Vec::new(), error: None }
    }

    pub(super) fn target(&mut self) -> Target {
        self.targets.push(None);
        Target(self.targets.len() as u32 - 1)
    }

    /// The target is here.
    pub(super) fn place(&mut self, target: Target) {
        if let Some(to) = self.targets.get_mut(target.0 as usize) {
            *to = Some(self.at);
        }
    }

    pub(super) fn emit(&mut self, instruction: &Instruction) {
        match self.encoder.encode(instruction, BASE + self.at as u64) {
            Ok(bytes) => self.at += bytes,
            Err(error) => self.fail(&error.to_string()),
        }
    }

    fn fail(&mut self, what: &str) {
        if self.error.is_none() {
            self.error = Some(what.to_owned());
        }
    }

    /// Writes what one of iced's constructors made.
    pub(super) fn put(&mut self, made: Result<Instruction, iced_x86::IcedError>) {
        match made {
            Ok(instruction) => self.emit(&instruction),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// A jump or call with 32 bits of distance.
    pub(super) fn jump(&mut self, code: Code, target: Target) {
        self.put(Instruction::with_branch(code, BASE));
        self.jumps.push((self.at, target));
    }

    /// All of the code.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, String> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut bytes = self.encoder.take_buffer();
        for (end, target) in self.jumps {
            let to = self.targets.get(target.0 as usize).copied().flatten().ok_or("a jump to nowhere")?;
            let distance = i32::try_from(to as i64 - end as i64).map_err(|_| "too much code")?;
            let at = bytes.get_mut(end - 4..end).ok_or("a jump outside")?;
            at.copy_from_slice(&distance.to_le_bytes());
        }
        Ok(bytes)
    }
}
