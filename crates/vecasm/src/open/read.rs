//! One program.

use super::pieces::Content;
use super::{AssumedNotation, Form, Host, Input, OpenOptions, ReadError, pieces};
use crate::diag::{self, Diagnostic};
use crate::ir::symbols::{Symbol, TextureSymbol};
#[cfg(feature = "tgsi")]
use crate::isa::tgsi;
use crate::isa::{self, AnyProgram, Isa};
use crate::program::Program;
use alloc::sync::Arc;
use alloc::vec::Vec;
#[cfg(feature = "d3d9")]
use {
    crate::diag::{Lines, Place, Span},
    crate::isa::d3d9::text::preprocess::{File, Finding, Options},
    crate::isa::d3d9::text::{ReadOptions, assemble},
    alloc::collections::BTreeMap,
    alloc::format,
};

impl Input {
    /// Reads the program. Of an input with [several](Self::pieces) that is the first that its reader finds.
    ///
    /// # Errors
    ///
    /// [`ReadError::Unknown`] if it is no program, [`ReadError::Bad`] with all findings if it has errors.
    pub fn read(
        &self,
        options: &OpenOptions<'_>,
        host: &mut (impl Host + ?Sized),
    ) -> Result<Program, ReadError> {
        if let Some(piece) = &self.piece {
            if let Content::Read(program, spans, constants) = &piece.content {
                let text = piece.whole_text().cloned();
                return Ok(Program::read(AnyProgram::clone(program), self, text)
                    .with_spans(spans.clone())
                    .with_constants(constants.clone()));
            }
        }
        if self.is_numbered() {
            return self.read_text(options, host);
        }
        #[cfg(feature = "containers")]
        if let Some(format) = self.container(options) {
            let mut contained =
                self.contained(options).map_err(|finding| ReadError::Bad(alloc::vec![finding]))?;
            if contained.programs.is_empty() {
                let errors = contained.errors();
                if !errors.is_empty() {
                    return Err(ReadError::Bad(errors));
                }
                let nothing = super::contained::nothing_in(self, format, options);
                return Err(super::Unknown::Foreign(nothing.into()).into());
            }
            return contained.programs.swap_remove(0).read(options, host);
        }
        let bytes = match self.form(options)? {
            Form::Bytes(bytes) => bytes,
            Form::Text => return self.read_text(options, host),
            Form::Broken(mut findings) => {
                if let Some(piece) = &self.piece {
                    piece.shift(&mut findings);
                }
                return Err(ReadError::Bad(findings));
            }
        };
        let isa = match (options.isa, isa::sniff(&bytes)) {
            (Some(isa), _) | (None, Some(isa::Content::Binary(isa))) => isa,
            // A list of words may be a part of a program.
            _ => match self.content() {
                Some(isa::Content::Hex(isa)) => isa,
                _ => self.likely_isa(options)?,
            },
        };
        let program = match decode(isa, &bytes, options) {
            Ok(program) => program,
            Err(finding) if options.likely != AssumedNotation::Anything => {
                return Err(ReadError::Bad(alloc::vec![finding]));
            }
            Err(_) => AnyProgram::decode_lossless(isa, &bytes),
        };
        let constants = match &program {
            #[cfg(feature = "nv2a")]
            AnyProgram::Nv2a(all) => pieces::uploaded(all),
            #[allow(unreachable_patterns, reason = "there may be no other")]
            _ => pieces::Constants::new(),
        };
        Ok(Program::read(program, self, None).with_constants(constants))
    }

    /// The names of registers that the text says beside its program.
    fn names_of_registers(&self, text: &str) -> (Vec<Symbol>, Vec<TextureSymbol>) {
        if let Some(piece) = &self.piece {
            return (piece.names.constants.clone(), piece.names.textures.clone());
        }
        #[cfg(feature = "d3d9")]
        if text.contains("Registers:") {
            return isa::d3d9::text::names_in_header(text);
        }
        let _ = text;
        Default::default()
    }

    fn read_text(
        &self,
        options: &OpenOptions<'_>,
        host: &mut (impl Host + ?Sized),
    ) -> Result<Program, ReadError> {
        let text = self.text()?;
        let isa = self.isa_of_text(text, options)?;
        // What the text itself says counts more than its file name.
        let stage = match (options.stage, isa.stage_of_text(text)) {
            (Some(stage), _) => Some(stage),
            (None, Some(_)) => None,
            (None, None) => self.stage_of_name(),
        };
        let _ = &host;
        let (program, spans, constants, mut findings) = match isa {
            #[cfg(feature = "nv2a")]
            Isa::Nv2a => {
                let (assembled, findings) =
                    isa::nv2a::text::assemble(text, &isa::nv2a::text::ParseOptions::default());
                let constants = assembled.as_ref().map_or_else(pieces::Constants::new, pieces::brought);
                let (program, spans) = assembled.map(|a| (AnyProgram::Nv2a(a.program), a.spans)).unzip();
                (program, spans, constants, findings)
            }
            #[cfg(feature = "d3d9")]
            Isa::D3d9 => {
                let reading = ReadOptions { number: self.number(), ..ReadOptions::default() };
                let naming = Options { name: self.name(), ..Options::default() };
                let done = assemble(text, &naming, &reading, &mut |request| host.include(request));
                let in_text = |file| file == 0;
                let spans = done
                    .places
                    .iter()
                    .map(|origin| if in_text(origin.file) { origin.span } else { Span::default() });
                let spans = spans.collect();
                let findings = flat(&done.files, done.findings);
                (done.program.map(AnyProgram::D3d9), Some(spans), pieces::Constants::new(), findings)
            }
            #[cfg(feature = "tgsi")]
            Isa::Tgsi => {
                let parsing = match options.dialect {
                    Some(dialect) => tgsi::text::ParseOptions {
                        dialect: Some(dialect),
                        ..tgsi::text::ParseOptions::default()
                    },
                    None => tgsi::text::ParseOptions::tolerant(),
                };
                let (program, findings) = tgsi::text::parse(text, &parsing);
                (program.map(AnyProgram::Tgsi), None, pieces::Constants::new(), findings)
            }
            #[allow(unreachable_patterns, reason = "there may be no other")]
            _ => {
                let (program, findings) = AnyProgram::parse(isa, text, stage, options.version);
                (program, None, pieces::Constants::new(), findings)
            }
        };
        isa::source::blame(isa, text, &mut findings);
        if let Some(piece) = &self.piece {
            piece.shift(&mut findings);
        }
        match program {
            Some(program) if !diag::has_errors(&findings) => {
                // Where only a reader tells programs apart, each has the text of all.
                let all =
                    self.piece.as_ref().filter(|piece| !piece.is_part()).and_then(|piece| piece.whole_text());
                let text = all.cloned().unwrap_or_else(|| Arc::from(text));
                let (named, textures) = self.names_of_registers(&text);
                Ok(Program::read(program, self, Some(text))
                    .with_names(named, textures)
                    .with_spans(spans)
                    .with_constants(constants)
                    .with_remarks(findings))
            }
            _ => Err(ReadError::Bad(findings)),
        }
    }
}

/// Reads bytecode, in the dialect that is asked for.
fn decode(isa: Isa, bytes: &[u8], options: &OpenOptions<'_>) -> Result<AnyProgram, Diagnostic> {
    let _ = options;
    #[cfg(feature = "tgsi")]
    if let Some(dialect) = options.dialect.filter(|_| isa == Isa::Tgsi && tgsi::bytes::looks_like(bytes)) {
        return Ok(AnyProgram::Tgsi(tgsi::bytes::decode_as(bytes, dialect)));
    }
    AnyProgram::decode(isa, bytes)
}

/// Findings for those who know the first file only: those about others say where they are.
#[cfg(feature = "d3d9")]
pub fn flat(files: &[File], findings: Vec<Finding>) -> Vec<Diagnostic> {
    let mut indices: BTreeMap<usize, Lines<'_>> = BTreeMap::new();
    let flat = |Finding { file: number, mut diagnostic }: Finding| {
        if let (1.., Some(file), Place::Text(span)) = (number, files.get(number), diagnostic.place) {
            let lines = indices.entry(number).or_insert_with(|| Lines::new(&file.text));
            let (line, column) = lines.line_column(span.start);
            diagnostic.message = format!("{}:{line}:{column}: {}", file.name, diagnostic.message);
            diagnostic.place = Place::Whole;
        }
        diagnostic
    };
    findings.into_iter().map(flat).collect()
}
