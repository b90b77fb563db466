//! Gathering symbols while a text is read.

use super::{Mention, Register, Role, Symbol, SymbolKind, Symbols, Use};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

/// A place in a text, before it is known what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The name.
    pub(crate) span: Span,
    /// The statement.
    pub(crate) statement: Span,
    /// How the name comes to mean what it means.
    pub(crate) by: Mention,
}

impl Place {
    /// A place where the name stands.
    pub(crate) const fn named(span: Span, statement: Span) -> Self {
        Self { span, statement, by: Mention::Name }
    }

    /// The same, in another way; what stands behind an alias stays there.
    pub(crate) const fn mentioned(self, by: Mention) -> Self {
        Self { by: if matches!(self.by, Mention::Alias) { Mention::Alias } else { by }, ..self }
    }

    const fn used(self, role: Role, lanes: WriteMask) -> Use {
        let Self { span, statement, by } = self;
        Use { span, statement, role, by, lanes }
    }
}

/// A macro that has parameters: the number of its symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope(usize);

/// The symbols of a text so far.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    symbols: Vec<Symbol>,
    places: BTreeMap<SymbolKind, BTreeMap<String, usize>>,
    /// Bytes that parameters may still take: each repeats the name of its macro, so that they may be much larger than the text.
    room: usize,
}

impl Collector {
    /// For a text with macros: parameters may take 64 KiB, and 24 bytes for each byte of the text.
    pub(crate) const fn with_macros(text: &str) -> Self {
        let room = text.len().saturating_mul(24).saturating_add(64 << 10);
        Self { symbols: Vec::new(), places: BTreeMap::new(), room }
    }

    /// The number of the symbol of that name, which may be new.
    fn entry(&mut self, kind: SymbolKind, name: &str) -> usize {
        let names = self.places.entry(kind).or_default();
        if let Some(number) = names.get(name) {
            return *number;
        }
        names.insert(name.into(), self.symbols.len());
        self.insert(kind, None, name)
    }

    fn insert(&mut self, kind: SymbolKind, scope: Option<String>, name: &str) -> usize {
        let (register, uses) = (None, Vec::with_capacity(1));
        let name = name.into();
        self.symbols.push(Symbol { name, kind, scope, register, program: 0, uses, fixed: false });
        self.symbols.len() - 1
    }

    fn add(&mut self, number: usize, next: Use) {
        if let Some(symbol) = self.symbols.get_mut(number) {
            add(&mut symbol.uses, next);
        }
    }

    /// A use of a name; returns the scope of its parameters if it is a macro.
    pub(crate) fn name(&mut self, kind: SymbolKind, name: &str, place: Place, role: Role) -> Scope {
        self.lanes(kind, name, place, role, WriteMask::NONE)
    }

    /// A use of a name with lanes.
    pub(crate) fn lanes(
        &mut self,
        kind: SymbolKind,
        name: &str,
        place: Place,
        role: Role,
        lanes: WriteMask,
    ) -> Scope {
        let number = self.entry(kind, name);
        self.add(number, place.used(role, lanes));
        Scope(number)
    }

    /// A use of a parameter, as long as there is room for another one.
    pub(crate) fn parameter(&mut self, scope: Scope, name: &str, place: Place, role: Role) {
        let key = format!("{}({name}", scope.0);
        let known = self.places.entry(SymbolKind::Parameter).or_default().get(&key).copied();
        let number = match (known, self.symbols.get(scope.0)) {
            (Some(number), _) => number,
            (None, Some(of)) => {
                let size = 2 * size_of::<Symbol>() + of.name.len() + name.len() + key.len() + 64;
                let Some(left) = self.room.checked_sub(size) else { return };
                self.room = left;
                let scope = of.name.clone();
                self.places.entry(SymbolKind::Parameter).or_default().insert(key, self.symbols.len());
                self.insert(SymbolKind::Parameter, Some(scope), name)
            }
            (None, None) => return,
        };
        self.add(number, place.used(role, WriteMask::NONE));
    }

    /// A use of a register: its name, the file, and the number, if it has one.
    pub(crate) fn register(
        &mut self,
        kind: SymbolKind,
        (name, file, number): (&str, &str, Option<i32>),
        place: Place,
        role: Role,
        lanes: WriteMask,
    ) {
        let entry = self.entry(kind, name);
        let Some(symbol) = self.symbols.get_mut(entry) else { return };
        if symbol.register.is_none() {
            symbol.register = Some(Register { file: file.into(), number });
        }
        add(&mut symbol.uses, place.used(role, lanes));
    }

    /// Another name would give another program.
    pub(crate) fn fix(&mut self, kind: SymbolKind, name: &str) {
        if let Some(number) = self.places.get(&kind).and_then(|names| names.get(name)) {
            if let Some(symbol) = self.symbols.get_mut(*number) {
                symbol.fixed = true;
            }
        }
    }

    /// The symbols, in order.
    pub(crate) fn finish(mut self) -> Symbols {
        for symbol in &mut self.symbols {
            // Of the same place and way in the order in which they came.
            symbol.uses.sort_by_key(|it| (it.span.start, it.span.end, it.by));
            symbol.uses.dedup_by(|next, it| join(it, next));
        }
        let first = |symbol: &Symbol| symbol.uses.first().map_or((0, 0), |it| (it.span.start, it.span.end));
        let number = |symbol: &Symbol| symbol.register.as_ref().and_then(|register| register.number);
        let key = |symbol: &Symbol| (first(symbol), symbol.kind, number(symbol));
        self.symbols.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name)));
        Symbols { symbols: self.symbols }
    }
}

/// Adds a use. What a macro stands for has the place of the macro however often it comes, so that a short text may have many: they
/// are joined at once.
fn add(uses: &mut Vec<Use>, next: Use) {
    if !uses.last_mut().is_some_and(|last| join(last, &next)) {
        uses.push(next);
    }
}

/// Makes one of two uses in the same place, if they are one.
fn join(it: &mut Use, next: &Use) -> bool {
    let same = it.span == next.span && it.by == next.by;
    let role = if same { joined(it.role, next.role) } else { None };
    if let Some(role) = role {
        it.role = role;
        it.lanes = it.lanes.union(next.lanes);
    }
    role.is_some()
}

/// What two uses in one place are together.
fn joined(a: Role, b: Role) -> Option<Role> {
    match (a, b) {
        _ if a == b => Some(a),
        (Role::Name, other) | (other, Role::Name) => Some(other),
        _ if (a.reads() || a.writes()) && (b.reads() || b.writes()) => Some(Role::ReadWrite),
        _ => None,
    }
}
