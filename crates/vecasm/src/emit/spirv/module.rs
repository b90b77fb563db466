//! A module under construction: its sections, and every type and constant once.

use super::words::{MAGIC, capability, decoration, op, push, push_text, storage};
use super::{Environment, Options};
use crate::ir::{Scalar, Type};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// The result of an instruction; 0 is none.
pub(super) type Id = u32;

/// The label of the first block.
pub(super) const FIRST: Id = 1;

/// The sections of a module, in the order in which they stand.
#[derive(Debug)]
pub(super) struct Module {
    environment: Environment,
    /// Whether things get names.
    named: bool,
    bound: u32,
    capabilities: BTreeSet<u32>,
    extensions: Vec<&'static str>,
    glsl: Id,
    /// The name of the source, and the words that say what it is.
    file: Id,
    source: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    /// Types, constants and variables of the module.
    globals: Vec<u32>,
    /// The variables that the entry point has to name.
    interface: Vec<Id>,
    /// Variables of the function.
    locals: Vec<u32>,
    /// The blocks of the function; the first label is left out.
    pub(super) code: Vec<u32>,
    /// Execution modes with their operands.
    modes: Vec<Vec<u32>>,
    /// By scalar and number of lanes.
    values: [[Id; 5]; 7],
    /// Other types that may be declared once only.
    types: Vec<(u16, Vec<u32>, Id)>,
    constants: BTreeMap<(Id, u64), Id>,
    composites: BTreeMap<(Id, [Id; 4]), Id>,
}

impl Module {
    pub(super) fn new(options: &Options<'_>, operations: usize) -> Self {
        Self {
            environment: options.environment,
            named: options.names,
            bound: FIRST + 1,
            capabilities: BTreeSet::from([capability::SHADER]),
            extensions: Vec::new(),
            glsl: 0,
            file: 0,
            source: Vec::new(),
            names: Vec::new(),
            decorations: Vec::with_capacity(128),
            globals: Vec::with_capacity(256),
            interface: Vec::with_capacity(16),
            locals: Vec::new(),
            code: Vec::with_capacity(64 + operations.min(1 << 16) * 6),
            modes: Vec::new(),
            values: [[0; 5]; 7],
            types: Vec::with_capacity(16),
            constants: BTreeMap::new(),
            composites: BTreeMap::new(),
        }
    }

    /// A new id.
    pub(super) fn id(&mut self) -> Id {
        self.bound += 1;
        self.bound - 1
    }

    /// Whether the version is this one or later.
    pub(super) fn since(&self, minor: u32) -> bool {
        self.environment.version() >> 8 & 0xff >= minor
    }

    pub(super) fn capability(&mut self, capability: u32) {
        self.capabilities.insert(capability);
    }

    /// Asks for an extension that is part of SPIR-V since version 1.`since`.
    pub(super) fn extension(&mut self, name: &'static str, since: Option<u32>) {
        let part = since.is_some_and(|minor| self.since(minor));
        if !part && !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    pub(super) fn mode(&mut self, words: &[u32]) {
        if !self.modes.iter().any(|there| there == words) {
            self.modes.push(words.to_vec());
        }
    }

    /// The set of instructions `GLSL.std.450`.
    pub(super) fn glsl(&mut self) -> Id {
        if self.glsl == 0 {
            self.glsl = self.id();
        }
        self.glsl
    }

    /// The name of the source, with its text, which stands in as many instructions as it takes.
    pub(super) fn source(&mut self, file: &str, text: &str) -> Id {
        if self.file == 0 {
            self.file = self.id();
            push_text(&mut self.source, op::STRING, &[self.file], file, &[]);
            // A language without a number, in no version.
            let (first, mut rest) = cut(text);
            push_text(&mut self.source, op::SOURCE, &[0, 0, self.file], first, &[]);
            while !rest.is_empty() {
                let (next, more) = cut(rest);
                push_text(&mut self.source, op::SOURCE_CONTINUED, &[], next, &[]);
                rest = more;
            }
        }
        self.file
    }

    /// Gives something a name, if names are wanted.
    pub(super) fn name(&mut self, id: Id, name: &str) {
        if self.named && !name.is_empty() {
            push_text(&mut self.names, op::NAME, &[id], name, &[]);
        }
    }

    pub(super) fn member_name(&mut self, id: Id, member: u32, name: &str) {
        if self.named {
            push_text(&mut self.names, op::MEMBER_NAME, &[id, member], name, &[]);
        }
    }

    pub(super) fn named(&self) -> bool {
        self.named
    }

    pub(super) fn decorate(&mut self, id: Id, words: &[u32]) {
        let start = self.decorations.len();
        push(&mut self.decorations, op::DECORATE, &[id]);
        self.decorations.extend_from_slice(words);
        if let Some(first) = self.decorations.get_mut(start) {
            *first += (words.len() as u32) << 16;
        }
    }

    pub(super) fn decorate_member(&mut self, id: Id, member: u32, words: [u32; 2]) {
        push(&mut self.decorations, op::MEMBER_DECORATE, &[id, member, words[0], words[1]]);
    }

    pub(super) fn no_contraction(&mut self, id: Id) {
        self.decorate(id, &[decoration::NO_CONTRACTION]);
    }

    // Types

    /// The type of values.
    pub(super) fn ty(&mut self, ty: Type) -> Id {
        let lanes = usize::from(ty.lanes.clamp(1, 4));
        let at = ty.scalar as usize;
        if self.values[at][lanes] != 0 {
            return self.values[at][lanes];
        }
        let id = if lanes == 1 {
            let id = self.id();
            match ty.scalar {
                Scalar::Bool => push(&mut self.globals, op::TYPE_BOOL, &[id]),
                Scalar::F32 => push(&mut self.globals, op::TYPE_FLOAT, &[id, 32]),
                Scalar::F64 => {
                    self.capability(capability::FLOAT64);
                    push(&mut self.globals, op::TYPE_FLOAT, &[id, 64]);
                }
                Scalar::I32 => push(&mut self.globals, op::TYPE_INT, &[id, 32, 1]),
                Scalar::U32 => push(&mut self.globals, op::TYPE_INT, &[id, 32, 0]),
                Scalar::I64 | Scalar::U64 => {
                    self.capability(capability::INT64);
                    push(&mut self.globals, op::TYPE_INT, &[id, 64, u32::from(ty.scalar == Scalar::I64)]);
                }
            }
            id
        } else {
            let scalar = self.ty(Type::new(ty.scalar, 1));
            let id = self.id();
            push(&mut self.globals, op::TYPE_VECTOR, &[id, scalar, lanes as u32]);
            id
        };
        self.values[at][lanes] = id;
        id
    }

    /// Another type that is declared once.
    pub(super) fn other(&mut self, code: u16, operands: &[u32]) -> Id {
        if let Some((.., id)) = self.types.iter().find(|(c, o, _)| *c == code && o == operands) {
            return *id;
        }
        let id = self.fresh_type(code, operands);
        self.types.push((code, operands.to_vec(), id));
        id
    }

    /// A type that nothing else shares, for decorations of its own.
    pub(super) fn fresh_type(&mut self, code: u16, operands: &[u32]) -> Id {
        let id = self.id();
        let mut words = vec![id];
        words.extend_from_slice(operands);
        push(&mut self.globals, code, &words);
        id
    }

    pub(super) fn pointer(&mut self, class: u32, to: Id) -> Id {
        self.other(op::TYPE_POINTER, &[class, to])
    }

    pub(super) fn array(&mut self, of: Id, len: u32) -> Id {
        let len = self.uint(len.max(1));
        self.other(op::TYPE_ARRAY, &[of, len])
    }

    // Constants

    /// A constant of one lane.
    fn lane(&mut self, scalar: Scalar, bits: u64) -> Id {
        let ty = self.ty(Type::new(scalar, 1));
        if let Some(id) = self.constants.get(&(ty, bits)) {
            return *id;
        }
        let id = self.id();
        match scalar {
            Scalar::Bool if bits == 0 => push(&mut self.globals, op::CONSTANT_FALSE, &[ty, id]),
            Scalar::Bool => push(&mut self.globals, op::CONSTANT_TRUE, &[ty, id]),
            scalar if scalar.is_wide() => {
                push(&mut self.globals, op::CONSTANT, &[ty, id, bits as u32, (bits >> 32) as u32]);
            }
            _ => push(&mut self.globals, op::CONSTANT, &[ty, id, bits as u32]),
        }
        self.constants.insert((ty, bits), id);
        id
    }

    /// A constant; `bits` of each lane.
    pub(super) fn constant(&mut self, scalar: Scalar, bits: &[u64]) -> Id {
        if let [only] = bits {
            return self.lane(scalar, *only);
        }
        let mut ids = [0; 4];
        for (id, bits) in ids.iter_mut().zip(bits) {
            *id = self.lane(scalar, *bits);
        }
        let lanes = bits.len().min(4);
        let ty = self.ty(Type::new(scalar, lanes as u8));
        if let Some(id) = self.composites.get(&(ty, ids)) {
            return *id;
        }
        let id = self.id();
        let mut words = vec![ty, id];
        words.extend_from_slice(&ids[..lanes]);
        push(&mut self.globals, op::CONSTANT_COMPOSITE, &words);
        self.composites.insert((ty, ids), id);
        id
    }

    /// A constant whose lanes are all the same.
    pub(super) fn splat(&mut self, ty: Type, bits: u64) -> Id {
        self.constant(ty.scalar, &[bits; 4][..usize::from(ty.lanes.clamp(1, 4))])
    }

    pub(super) fn uint(&mut self, n: u32) -> Id {
        self.lane(Scalar::U32, u64::from(n))
    }

    pub(super) fn int(&mut self, n: i32) -> Id {
        self.lane(Scalar::I32, u64::from(n as u32))
    }

    /// A number that may be chosen when the pipeline is made.
    pub(super) fn spec(&mut self, scalar: Scalar, bits: u32, number: u32) -> Id {
        let ty = self.ty(Type::new(scalar, 1));
        let id = self.id();
        match scalar {
            Scalar::Bool if bits == 0 => push(&mut self.globals, op::SPEC_CONSTANT_FALSE, &[ty, id]),
            Scalar::Bool => push(&mut self.globals, op::SPEC_CONSTANT_TRUE, &[ty, id]),
            _ => push(&mut self.globals, op::SPEC_CONSTANT, &[ty, id, bits]),
        }
        self.decorate(id, &[decoration::SPEC_ID, number]);
        id
    }

    /// Such numbers as a vector.
    pub(super) fn spec_vector(&mut self, scalar: Scalar, ids: &[Id]) -> Id {
        let ty = self.ty(Type::new(scalar, ids.len() as u8));
        let id = self.id();
        let mut words = vec![ty, id];
        words.extend_from_slice(ids);
        push(&mut self.globals, op::SPEC_CONSTANT_COMPOSITE, &words);
        id
    }

    /// Elements that fit beside the code, the type and the id into the 65,535 words of an instruction.
    pub(super) const LONGEST: u32 = 65_532;

    /// An array of constants, at most [`LONGEST`](Self::LONGEST) of them.
    pub(super) fn list(&mut self, ty: Id, elements: &[Id]) -> Id {
        let id = self.id();
        let mut words = vec![ty, id];
        words.extend_from_slice(elements);
        push(&mut self.globals, op::CONSTANT_COMPOSITE, &words);
        id
    }

    /// A constant of any type whose bits are all zero.
    pub(super) fn null(&mut self, ty: Id) -> Id {
        // No constant of one lane is all ones in 64 bits of this kind of key.
        let key = (ty, [u32::MAX; 4]);
        if let Some(id) = self.composites.get(&key) {
            return *id;
        }
        let id = self.id();
        push(&mut self.globals, op::CONSTANT_NULL, &[ty, id]);
        self.composites.insert(key, id);
        id
    }

    // Variables

    /// A variable of the module.
    pub(super) fn variable(&mut self, class: u32, of: Id) -> Id {
        self.variable_with(class, of, None)
    }

    /// The same with its first value.
    pub(super) fn variable_with(&mut self, class: u32, of: Id, init: Option<Id>) -> Id {
        let ty = self.pointer(class, of);
        let id = self.id();
        match init {
            Some(init) => push(&mut self.globals, op::VARIABLE, &[ty, id, class, init]),
            None => push(&mut self.globals, op::VARIABLE, &[ty, id, class]),
        }
        // Before version 1.4 the entry point names what lies between stages only.
        if self.since(4) || matches!(class, storage::INPUT | storage::OUTPUT) {
            self.interface.push(id);
        }
        id
    }

    /// A variable of the function, with its first value.
    pub(super) fn local(&mut self, of: Id, init: Id) -> Id {
        let ty = self.pointer(storage::FUNCTION, of);
        let id = self.id();
        push(&mut self.locals, op::VARIABLE, &[ty, id, storage::FUNCTION, init]);
        id
    }

    /// The whole module.
    pub(super) fn finish(mut self, model: u32, entry: &str) -> Vec<u32> {
        let void = self.other(op::TYPE_VOID, &[]);
        let function = self.other(op::TYPE_FUNCTION, &[void]);
        let main = self.id();
        self.name(main, entry);
        let rest = self.names.len() + self.decorations.len() + self.globals.len() + self.locals.len();
        let mut out = Vec::with_capacity(128 + rest + self.code.len());
        out.extend([MAGIC, self.environment.version(), 0, self.bound, 0]);
        for capability in &self.capabilities {
            push(&mut out, op::CAPABILITY, &[*capability]);
        }
        for extension in &self.extensions {
            push_text(&mut out, op::EXTENSION, &[], extension, &[]);
        }
        if self.glsl != 0 {
            push_text(&mut out, op::EXT_INST_IMPORT, &[self.glsl], "GLSL.std.450", &[]);
        }
        // Logical addresses, the memory model GLSL450.
        push(&mut out, op::MEMORY_MODEL, &[0, 1]);
        push_text(&mut out, op::ENTRY_POINT, &[model, main], entry, &self.interface);
        for words in &self.modes {
            let mut mode = vec![main];
            mode.extend_from_slice(words);
            push(&mut out, op::EXECUTION_MODE, &mode);
        }
        out.append(&mut self.source);
        out.append(&mut self.names);
        out.append(&mut self.decorations);
        out.append(&mut self.globals);
        push(&mut out, op::FUNCTION, &[void, main, 0, function]);
        push(&mut out, op::LABEL, &[FIRST]);
        out.append(&mut self.locals);
        out.append(&mut self.code);
        push(&mut out, op::FUNCTION_END, &[]);
        out
    }
}

/// The part of a text that one instruction takes, and the rest.
fn cut(text: &str) -> (&str, &str) {
    let end = (0..=text.len().min(4096)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.split_at(end)
}
