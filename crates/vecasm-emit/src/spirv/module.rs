//! A module under construction: its sections, and every type and constant once.

use super::words::{MAGIC, capability, decoration, first_word, op, push, push_text, storage};
use super::{Environment, Options};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use vecasm_ir::ir::{Scalar, Type};

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
    capabilities: Vec<u32>,
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
    /// Execution modes, each behind the number of its words.
    modes: Vec<u32>,
    /// By scalar and number of lanes.
    values: [[Id; 5]; 7],
    /// Where in [`globals`](Self::globals) other types stand that may be declared once only.
    types: Vec<u32>,
    /// Zeros, as `values` has types.
    zeros: [[Id; 5]; 7],
    /// Small integers.
    ints: [Id; 32],
    constants: Memo<(Id, u64)>,
    composites: Memo<(Id, [Id; 4])>,
}

impl Module {
    pub(super) fn new(options: &Options<'_>, operations: usize) -> Self {
        Self {
            environment: options.environment,
            named: options.names,
            bound: FIRST + 1,
            capabilities: Vec::from([capability::SHADER]),
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
            zeros: [[0; 5]; 7],
            ints: [0; 32],
            constants: Memo::default(),
            composites: Memo::default(),
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
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
        }
    }

    /// Asks for an extension that is part of SPIR-V since version 1.`since`.
    pub(super) fn extension(&mut self, name: &'static str, since: Option<u32>) {
        let part = since.is_some_and(|minor| self.since(minor));
        if !part && !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    pub(super) fn mode(&mut self, words: &[u32]) {
        let mut rest = self.modes.as_slice();
        while let Some((len, more)) = rest.split_first() {
            let (there, behind) = more.split_at((*len as usize).min(more.len()));
            if there == words {
                return;
            }
            rest = behind;
        }
        self.modes.push(words.len() as u32);
        self.modes.extend_from_slice(words);
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
            self.always_name_member(id, member, name);
        }
    }

    /// Gives something the name that the program has for it.
    pub(super) fn always_name(&mut self, id: Id, name: &str) {
        push_text(&mut self.names, op::NAME, &[id], name, &[]);
    }

    /// Gives a member of a block the name that the program has for it.
    pub(super) fn always_name_member(&mut self, id: Id, member: u32, name: &str) {
        push_text(&mut self.names, op::MEMBER_NAME, &[id, member], name, &[]);
    }

    pub(super) fn named(&self) -> bool {
        self.named
    }

    pub(super) fn decorate(&mut self, id: Id, words: &[u32]) {
        self.decorations.extend([first_word(op::DECORATE, words.len() + 1), id]);
        self.decorations.extend_from_slice(words);
    }

    pub(super) fn decorate_member(&mut self, id: Id, member: u32, words: [u32; 2]) {
        push(&mut self.decorations, op::MEMBER_DECORATE, &[id, member, words[0], words[1]]);
    }

    pub(super) fn no_contraction(&mut self, id: Id) {
        self.decorate(id, &[decoration::NO_CONTRACTION]);
    }

    // Types

    /// The type of values.
    #[inline]
    pub(super) fn ty(&mut self, ty: Type) -> Id {
        let known = self.values[ty.scalar as usize][usize::from(ty.lanes.clamp(1, 4))];
        if known != 0 { known } else { self.new_ty(ty) }
    }

    #[cold]
    fn new_ty(&mut self, ty: Type) -> Id {
        let lanes = usize::from(ty.lanes.clamp(1, 4));
        let at = ty.scalar as usize;
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
        let first = first_word(code, operands.len() + 1);
        for at in &self.types {
            let words = self.globals.get(*at as usize..).unwrap_or(&[]);
            if let [there, id, rest @ ..] = words {
                if *there == first && rest.starts_with(operands) {
                    return *id;
                }
            }
        }
        self.types.push(self.globals.len() as u32);
        self.fresh_type(code, operands)
    }

    /// A type that nothing else shares, for decorations of its own.
    pub(super) fn fresh_type(&mut self, code: u16, operands: &[u32]) -> Id {
        let id = self.id();
        self.globals.extend([first_word(code, operands.len() + 1), id]);
        self.globals.extend_from_slice(operands);
        id
    }

    /// A constant that is put together.
    fn composite(&mut self, code: u16, ty: Id, parts: &[Id]) -> Id {
        let id = self.id();
        self.globals.extend([first_word(code, parts.len() + 2), ty, id]);
        self.globals.extend_from_slice(parts);
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
            return id;
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
        let mut last = None;
        for (id, bits) in ids.iter_mut().zip(bits) {
            *id = match last {
                Some((before, id)) if before == *bits => id,
                _ => self.lane(scalar, *bits),
            };
            last = Some((*bits, *id));
        }
        let lanes = bits.len().min(4);
        let ty = self.ty(Type::new(scalar, lanes as u8));
        if let Some(id) = self.composites.get(&(ty, ids)) {
            return id;
        }
        let id = self.composite(op::CONSTANT_COMPOSITE, ty, &ids[..lanes]);
        self.composites.insert((ty, ids), id);
        id
    }

    /// A constant whose lanes are all the same.
    pub(super) fn splat(&mut self, ty: Type, bits: u64) -> Id {
        let lanes = usize::from(ty.lanes.clamp(1, 4));
        let known = self.zeros[ty.scalar as usize][lanes];
        if bits == 0 && known != 0 {
            return known;
        }
        let id = self.constant(ty.scalar, &[bits; 4][..lanes]);
        if bits == 0 {
            self.zeros[ty.scalar as usize][lanes] = id;
        }
        id
    }

    pub(super) fn uint(&mut self, n: u32) -> Id {
        self.lane(Scalar::U32, u64::from(n))
    }

    pub(super) fn int(&mut self, n: i32) -> Id {
        let Some(known) = self.ints.get(n as u32 as usize).copied() else {
            return self.lane(Scalar::I32, u64::from(n as u32));
        };
        if known != 0 {
            return known;
        }
        let id = self.lane(Scalar::I32, u64::from(n as u32));
        self.ints[n as usize] = id;
        id
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
        self.composite(op::SPEC_CONSTANT_COMPOSITE, ty, ids)
    }

    /// Elements that fit beside the code, the type and the id into the 65,535 words of an instruction.
    pub(super) const LONGEST: u32 = 65_532;

    /// An array of constants, at most [`LONGEST`](Self::LONGEST) of them.
    pub(super) fn list(&mut self, ty: Id, elements: &[Id]) -> Id {
        self.composite(op::CONSTANT_COMPOSITE, ty, elements)
    }

    /// A constant of any type whose bits are all zero.
    pub(super) fn null(&mut self, ty: Id) -> Id {
        // No constant of one lane is all ones in 64 bits of this kind of key.
        let key = (ty, [u32::MAX; 4]);
        if let Some(id) = self.composites.get(&key) {
            return id;
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
        self.capabilities.sort_unstable();
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
        let mut rest = self.modes.as_slice();
        while let Some((len, more)) = rest.split_first() {
            let (words, behind) = more.split_at((*len as usize).min(more.len()));
            out.extend([first_word(op::EXECUTION_MODE, words.len() + 1), main]);
            out.extend_from_slice(words);
            rest = behind;
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

/// What there is once only, by what it is.
#[derive(Debug)]
struct Memo<K> {
    /// Most modules have so few that looking through them is the shortest way.
    few: Vec<(K, Id)>,
    /// What came later.
    many: BTreeMap<K, Id>,
}

impl<K> Default for Memo<K> {
    fn default() -> Self {
        Self { few: Vec::new(), many: BTreeMap::new() }
    }
}

impl<K: Ord> Memo<K> {
    const FEW: usize = 24;

    fn get(&self, key: &K) -> Option<Id> {
        let found = self.few.iter().find(|(k, _)| k == key).map(|(_, id)| *id);
        if found.is_none() && !self.many.is_empty() { self.many.get(key).copied() } else { found }
    }

    fn insert(&mut self, key: K, id: Id) {
        if self.few.len() < Self::FEW {
            self.few.push((key, id));
        } else {
            self.many.insert(key, id);
        }
    }
}

/// The part of a text that one instruction takes, and the rest.
fn cut(text: &str) -> (&str, &str) {
    let end = (0..=text.len().min(4096)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.split_at(end)
}
