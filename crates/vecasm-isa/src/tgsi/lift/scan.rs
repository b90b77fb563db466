//! What has to be known of a program before it is lifted: its instructions, what its declarations say, which registers
//! it uses, and which of them are arrays because an index is computed.

use super::memory;
use super::texture::Views;
use super::{LIMIT, NO_MEANING, Refusal, Result};
use crate::tgsi::names::{File, ImmediateType, PropertyName};
use crate::tgsi::program::{
    Declaration, Indirect, Instruction as Token, InterpolationInfo, Op, Operand, Program, SemanticInfo,
    Token as Piece,
};
use crate::tgsi::table::Opcode;
use alloc::format;
use alloc::vec::Vec;

/// The largest number of an input, output or system value, plus one. Mesa has 80 of a kind.
pub(super) const INTERFACE: usize = 256;

/// An instruction with its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction<'a> {
    pub(super) op: Opcode,
    pub(super) token: &'a Token,
    /// Where it writes.
    pub(super) to: &'a [Operand],
    /// What it reads.
    pub(super) from: &'a [Operand],
    /// Texel offsets.
    pub(super) offsets: &'a [Operand],
}

/// A register of the interface, as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    /// Its number.
    pub(super) index: u16,
    pub(super) semantic: Option<SemanticInfo>,
    pub(super) interpolation: Option<InterpolationInfo>,
}

/// Registers of one file that a computed index may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) file: File,
    /// Whether each vertex has them.
    pub(super) of_vertices: bool,
    /// The number that its declaration gives it; 0 for the whole file.
    pub(super) id: u16,
    pub(super) first: u16,
    pub(super) last: u16,
}

impl Array {
    pub(super) const fn size(&self) -> u32 {
        self.last as u32 - self.first as u32 + 1
    }

    const fn has(&self, index: u16) -> bool {
        self.first <= index && index <= self.last
    }
}

/// What an operand names, as far as the program fixes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A register that is renamed.
    Slot(usize),
    /// An element of an array of temporaries.
    Element { array: usize, element: u32 },
    /// An element of an array at a computed index plus a number.
    ElementAt { array: usize, offset: i32 },
    /// An input: a place in [`Scan::inputs`].
    Input(usize),
    /// An output: a place in [`Scan::outputs`].
    Output(usize),
    /// A constant of a buffer: a place in [`Scan::buffers`].
    Constant { buffer: usize, element: i32 },
    /// A constant at a computed index plus a number.
    ConstantAt { buffer: usize, offset: i32 },
    /// A constant of a buffer whose number is computed.
    ConstantOf { element: i32 },
    /// An immediate.
    Immediate(usize),
    /// A system value: a place in [`Scan::systems`].
    System(usize),
    /// Nothing.
    Null,
}

/// The registers of one file that are renamed: their slots by number, plus one.
#[derive(Debug, Default)]
struct Slots(Vec<u32>);

impl Slots {
    fn get(&self, index: u16) -> Option<usize> {
        let slot = *self.0.get(usize::from(index))?;
        (slot as usize).checked_sub(1)
    }
}

/// See the file.
pub(super) struct Scan<'a> {
    pub(super) program: &'a Program,
    pub(super) code: Vec<Instruction<'a>>,
    /// In ascending order of their numbers; so are those below.
    pub(super) inputs: Vec<Declared>,
    pub(super) outputs: Vec<Declared>,
    pub(super) systems: Vec<Declared>,
    pub(super) immediates: Vec<(ImmediateType, [u32; 4])>,
    /// Buffers of constants that are declared or read, by number, and whether declarations write it in front.
    pub(super) buffers: Vec<(u16, bool)>,
    /// What computed indices mean.
    pub(super) arrays: Vec<Array>,
    /// The registers that are renamed.
    pub(super) slots: Vec<(File, u16)>,
    temporaries: Slots,
    addresses: Slots,
    /// Arrays that declarations number: file, number and registers.
    numbered: Vec<Array>,
    last_temporary: u16,
    /// What declarations say of textures.
    pub(super) views: Views,
    /// What they say of buffers, images and memories.
    pub(super) resources: memory::Declared,
    pub(super) zero_wins: bool,
    pub(super) early_tests: bool,
}

/// A refusal, and the number of the instruction it is about.
pub(super) type At = (Refusal, Option<u32>);

impl<'a> Scan<'a> {
    pub(super) fn new(program: &'a Program) -> core::result::Result<Self, At> {
        let mut scan = Self {
            program,
            code: Vec::with_capacity(program.tokens.len()),
            inputs: Vec::new(),
            outputs: Vec::new(),
            systems: Vec::new(),
            immediates: Vec::new(),
            buffers: Vec::new(),
            arrays: Vec::new(),
            slots: Vec::new(),
            temporaries: Slots::default(),
            addresses: Slots::default(),
            numbered: Vec::new(),
            last_temporary: 0,
            views: Views::default(),
            resources: memory::Declared::default(),
            zero_wins: program.property(PropertyName::LegacyMathRules).unwrap_or(0) != 0,
            early_tests: program.property(PropertyName::FsEarlyDepthStencil).unwrap_or(0) != 0,
        };
        for piece in &program.tokens {
            match piece {
                Piece::Declaration(declaration) => {
                    scan.declaration(declaration).map_err(|refusal| (refusal, None))?;
                }
                Piece::Immediate(immediate) => {
                    let mut words = [0; 4];
                    for (to, from) in words.iter_mut().zip(program.words_of(immediate.words)) {
                        *to = *from;
                    }
                    scan.immediates.push((immediate.ty, words));
                }
                Piece::Instruction(token) => {
                    let number = scan.code.len() as u32;
                    let Op::Known(op) = token.op else {
                        let what = "no instruction has this number";
                        return Err((Refusal::new(NO_MEANING, what), Some(number)));
                    };
                    scan.code.push(Instruction {
                        op,
                        token,
                        to: program.destinations(token),
                        from: program.sources(token),
                        offsets: program.offsets(token),
                    });
                }
                Piece::Property(_) => {}
                Piece::Raw(_) => {
                    let what = "the program has words that are not a token";
                    return Err((Refusal::new(NO_MEANING, what), Some(scan.code.len() as u32)));
                }
            }
        }
        scan.registers();
        Ok(scan)
    }

    fn declaration(&mut self, declaration: &Declaration) -> Result<()> {
        let (first, last) = (declaration.first, declaration.last.max(declaration.first));
        if let Some(id) = declaration.array.filter(|id| *id != 0) {
            let of_vertices = false;
            self.numbered.push(Array { file: declaration.file, of_vertices, id, first, last });
        }
        self.views.declare(declaration);
        self.resources.declare(declaration)?;
        let list = match declaration.file {
            File::In => &mut self.inputs,
            File::Out => &mut self.outputs,
            File::Sv => &mut self.systems,
            File::Temp => {
                self.last_temporary = self.last_temporary.max(last);
                return Ok(());
            }
            File::Const => {
                let number = declaration.dimension.unwrap_or(0);
                return self.buffer(number, declaration.dimension.is_some());
            }
            _ => return Ok(()),
        };
        if usize::from(last) >= INTERFACE {
            let name = declaration.file.name().unwrap_or("?");
            return Err(Refusal::new(
                LIMIT,
                format!("{name}[{last}]: expected at most {INTERFACE} of a kind"),
            ));
        }
        for index in first..=last {
            let semantic = declaration
                .semantic
                .map(|info| SemanticInfo { index: info.index.wrapping_add(index - first), ..info });
            let new = Declared { index, semantic, interpolation: declaration.interpolation };
            // The first declaration of a register counts.
            if let Err(at) = list.binary_search_by_key(&index, |declared| declared.index) {
                list.insert(at, new);
            }
        }
        Ok(())
    }

    fn buffer(&mut self, number: i16, two: bool) -> Result<()> {
        let Ok(number) = u16::try_from(number) else {
            return Err(Refusal::new(NO_MEANING, format!("no CONST[{number}]")));
        };
        match self.buffers.binary_search_by_key(&number, |buffer| buffer.0) {
            Ok(at) => {
                if let Some(buffer) = self.buffers.get_mut(at) {
                    buffer.1 |= two;
                }
            }
            Err(at) => {
                // Each is an array of parameters of its own.
                if self.buffers.len() >= INTERFACE {
                    return Err(Refusal::new(LIMIT, format!("more than {INTERFACE} buffers of constants")));
                }
                self.buffers.insert(at, (number, two));
            }
        }
        Ok(())
    }

    /// Finds the registers that are used.
    fn registers(&mut self) {
        let (mut temporaries, mut addresses) = (Vec::new(), Vec::new());
        let mut note = |file: File, index: i16| {
            let list = match file {
                File::Temp => &mut temporaries,
                File::Addr => &mut addresses,
                _ => return,
            };
            if let Ok(index) = usize::try_from(index) {
                if list.len() <= index {
                    list.resize(index + 1, false);
                }
                if let Some(used) = list.get_mut(index) {
                    *used = true;
                }
            }
        };
        let code = core::mem::take(&mut self.code);
        for i in &code {
            if matches!(i.op, Opcode::Load | Opcode::Resq) {
                let bytes = i.from.first().and_then(|operand| self.constants_of(operand));
                let _ = bytes.map(|number| self.buffer(number as i16, true));
            }
            for operand in i.to.iter().chain(i.from).chain(i.offsets) {
                if let Some(by) = operand.indirect {
                    note(by.file, by.index);
                    let array = self.array_of(operand.file, by.array, operand.dimension.is_some());
                    if let Some(array) = array.filter(|array| !self.arrays.contains(array)) {
                        self.arrays.push(array);
                    }
                } else {
                    note(operand.file, operand.index);
                }
                if let Some(dimension) = operand.dimension {
                    if let Some(by) = dimension.indirect {
                        note(by.file, by.index);
                    } else if operand.file == File::Const {
                        // What is refused here is refused again where it is read.
                        let _ = self.buffer(dimension.index, true);
                    }
                } else if operand.file == File::Const {
                    let _ = self.buffer(0, false);
                }
            }
        }
        self.code = code;
        self.last_temporary = self.last_temporary.max(temporaries.len().saturating_sub(1) as u16);
        // The whole file has the numbered ones in it.
        let of_vertices = [(File::In, true), (File::Out, true)];
        for (file, of_vertices) in
            [File::Temp, File::In, File::Out].map(|file| (file, false)).into_iter().chain(of_vertices)
        {
            let of_file = |array: &Array| array.file == file && array.of_vertices == of_vertices;
            if self.arrays.iter().any(|array| of_file(array) && array.id == 0) {
                self.arrays.retain(|array| !of_file(array) || array.id == 0);
                if let Some(whole) = self.array_of(file, 0, of_vertices) {
                    self.arrays.retain(|array| !of_file(array));
                    self.arrays.push(whole);
                }
            }
        }
        for (file, used) in [(File::Temp, temporaries), (File::Addr, addresses)] {
            let mut table = alloc::vec![0; used.len()];
            for (index, slot) in table.iter_mut().enumerate() {
                let index = index as u16;
                let in_array = self.arrays.iter().any(|array| array.file == file && array.has(index));
                if used.get(usize::from(index)) == Some(&true) && !in_array {
                    self.slots.push((file, index));
                    *slot = self.slots.len() as u32;
                }
            }
            if file == File::Temp {
                self.temporaries = Slots(table);
            } else {
                self.addresses = Slots(table);
            }
        }
    }

    /// The registers that an index computed for a file may mean; `of_vertices` is whether a vertex is said.
    fn array_of(&self, file: File, id: u16, of_vertices: bool) -> Option<Array> {
        let of_file = |array: &&Array| array.file == file;
        if let Some(array) = self.numbered.iter().filter(of_file).find(|array| array.id == id && id != 0) {
            return Some(Array { of_vertices: self.has_vertices(file, array.first), ..*array });
        }
        let ends = |list: &[Declared]| {
            let mut alike = list.iter().filter(|declared| self.is_of_vertices(file, declared) == of_vertices);
            let first = alike.next()?.index;
            Some((first, alike.next_back().map_or(first, |last| last.index)))
        };
        let of_vertices = of_vertices && matches!(file, File::In | File::Out);
        let (first, last) = match file {
            File::Temp => (0, self.last_temporary),
            File::In => ends(&self.inputs)?,
            File::Out => ends(&self.outputs)?,
            File::Sv => ends(&self.systems)?,
            File::Imm => (0, u16::try_from(self.immediates.len().checked_sub(1)?).ok()?),
            _ => return None,
        };
        Some(Array { file, of_vertices, id: 0, first, last })
    }

    /// The array that an operand with a computed index is in, by its place in the list.
    fn array(&self, file: File, id: u16, of_vertices: bool) -> Option<usize> {
        let found = |id: u16, of_vertices: bool| {
            let is = |array: &Array| array.file == file && array.id == id && array.of_vertices == of_vertices;
            self.arrays.iter().position(is)
        };
        // Where one access has no number, the arrays are one.
        found(id, of_vertices)
            .or_else(|| found(0, of_vertices))
            .or_else(|| found(id, !of_vertices).filter(|_| id != 0))
    }

    /// What an operand names.
    pub(super) fn place(&self, operand: &Operand) -> Result<Place> {
        if operand.file == File::Null {
            return Ok(Place::Null);
        }
        if operand.file == File::Const {
            return self.constant(operand);
        }
        let refusal = || {
            let name = operand.file.name().unwrap_or("a file without a name");
            Refusal::new(NO_MEANING, format!("{name}[{}] is not declared or does not exist", operand.index))
        };
        if let Some(by) = operand.indirect {
            let array =
                self.array(operand.file, by.array, operand.dimension.is_some()).ok_or_else(refusal)?;
            let (first, of_vertices) =
                self.arrays.get(array).map_or((0, false), |array| (array.first, array.of_vertices));
            self.vertex_fits(operand, of_vertices)?;
            return Ok(Place::ElementAt { array, offset: i32::from(operand.index) - i32::from(first) });
        }
        let index = u16::try_from(operand.index).map_err(|_| refusal())?;
        self.vertex_fits(operand, self.has_vertices(operand.file, index))?;
        let at = |list: &[Declared]| list.binary_search_by_key(&index, |declared| declared.index).ok();
        let found = match operand.file {
            File::Temp => self.temporaries.get(index).map(Place::Slot).or_else(|| {
                let array =
                    self.arrays.iter().position(|array| array.file == File::Temp && array.has(index))?;
                let first = self.arrays.get(array)?.first;
                Some(Place::Element { array, element: u32::from(index - first) })
            }),
            File::Addr => self.addresses.get(index).map(Place::Slot),
            File::In => at(&self.inputs).map(Place::Input),
            File::Out => at(&self.outputs).map(Place::Output),
            File::Sv => at(&self.systems).map(Place::System),
            File::Imm => {
                let index = usize::from(index);
                (index < self.immediates.len()).then_some(Place::Immediate(index))
            }
            _ => None,
        };
        found.ok_or_else(refusal)
    }

    fn constant(&self, operand: &Operand) -> Result<Place> {
        let number = match operand.dimension {
            Some(dimension) if dimension.indirect.is_some() => {
                return Ok(Place::ConstantOf { element: operand.index.into() });
            }
            Some(dimension) => dimension.index,
            None => 0,
        };
        let buffer = u16::try_from(number)
            .ok()
            .and_then(|number| self.buffers.binary_search_by_key(&number, |buffer| buffer.0).ok())
            .ok_or_else(|| Refusal::new(NO_MEANING, format!("no CONST[{number}]")))?;
        Ok(match operand.indirect {
            Some(_) => Place::ConstantAt { buffer, offset: operand.index.into() },
            None => Place::Constant { buffer, element: operand.index.into() },
        })
    }

    /// The buffer of constants that an instruction reads by bytes: its number stands alone.
    pub(super) fn constants_of(&self, operand: &Operand) -> Option<u16> {
        let number = match (operand.file, operand.dimension) {
            (File::Const, Some(dimension)) if dimension.indirect.is_none() => dimension.index,
            (File::Const | File::ConstBuf, None) if operand.indirect.is_none() => operand.index,
            _ => return None,
        };
        u16::try_from(number).ok()
    }

    /// A buffer of constants, by its place in [`buffers`](Self::buffers).
    pub(super) fn buffer_at(&self, number: u16) -> Option<usize> {
        self.buffers.binary_search_by_key(&number, |buffer| buffer.0).ok()
    }

    /// The register that an index is taken from.
    pub(super) const fn index_register(by: Indirect) -> Operand {
        Operand::new(by.file, by.index)
    }
}
