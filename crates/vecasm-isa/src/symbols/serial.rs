//! Symbols for serde: words by their names, lanes by their letters, spans by the offsets of their ends.

use super::{Mention, Role, Symbol, SymbolKind, Symbols, Use};
use serde::{Serialize, Serializer};
use vecasm_ir::diag::Span;
use vecasm_ir::operand::WriteMask;

vecasm_ir::serialized_by_name!(Mention, Role, SymbolKind);

impl Serialize for Use {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            #[serde(flatten)]
            span: Span,
            statement: Span,
            role: Role,
            by: Mention,
            lanes: WriteMask,
        }
        let Self { span, statement, role, by, lanes } = *self;
        Fields { span, statement, role, by, lanes }.serialize(serializer)
    }
}

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            name: &'a str,
            kind: SymbolKind,
            #[serde(skip_serializing_if = "Option::is_none")]
            scope: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            number: Option<i32>,
            program: usize,
            renamable: bool,
            uses: &'a [Use],
        }
        let register = self.register.as_ref();
        Fields {
            name: &self.name,
            kind: self.kind,
            scope: self.scope.as_deref(),
            file: register.map(|register| register.file.as_str()),
            number: register.and_then(|register| register.number),
            program: self.program,
            renamable: self.is_renamable(),
            uses: &self.uses,
        }
        .serialize(serializer)
    }
}

impl Serialize for Symbols {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
