//! Edited containers before readers of others: each container of the corpus as it is, and with each of its programs grown and
//! shrunk, as [`oracle`](crate::oracle) edits them. Our own reader finds what is edited; another one has to find the same names
//! in what was written, the new program in the place of the old, and in all other places what was there.
//!
//! | files | reader |
//! |---|---|
//! | effects of Direct3D 9, alone and in assets of XNA | [`d3dx`]: D3DX of Wine, from `xtask/hlsl/install.sh` |

use super::{Judges, d3dx};
use crate::oracle::{File, grown_and_shrunk};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use vecasm::container::{Address, Budget, Container, Limits, edit, visit};
use vecasm::isa::Isa;

/// A container with one program changed, or none.
#[derive(Debug)]
pub(super) struct Edit {
    /// What was done: `unchanged`, or the address of the program and `grown` or `shrunk`.
    pub(super) name: String,
    /// The address of the program, its bytes, and the bytes that were put in their place.
    pub(super) program: Option<Program>,
    /// The file that came out.
    pub(super) file: Vec<u8>,
}

/// A program that is changed.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) address: Address,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
}

pub(super) fn budget() -> Budget {
    Budget::new(Limits::DEFAULT)
}

pub(super) fn read(file: &[u8]) -> Result<Container<'_>, String> {
    Container::read(file, &mut budget()).map_err(|finding| finding.to_string())
}

/// A file, written again without a change and with each of its programs of Direct3D 9 grown and shrunk.
pub(super) fn edits(file: &[u8]) -> Result<Vec<Edit>, String> {
    let container = read(file)?;
    let again = container.replace(&[]).map_err(|finding| finding.to_string())?;
    let mut out = vec![Edit { name: "unchanged".into(), program: None, file: again.bytes }];
    let mut programs = Vec::new();
    let walked = visit::<()>(
        &container,
        &mut budget(),
        &mut |found| {
            if found.entry.is_program() {
                programs.push((found.address.clone(), found.entry.kind.clone(), found.bytes.to_vec()));
            }
            ControlFlow::Continue(())
        },
        &mut |_, _| {},
    );
    let _ = walked.map_err(|finding| finding.to_string())?;
    for (address, kind, old) in programs {
        let changed = match kind {
            vecasm::container::Kind::Stream(Isa::D3d9) => grown_and_shrunk(&old),
            _ => None,
        };
        for (new, what) in changed.into_iter().flatten().zip(["grown", "shrunk"]) {
            let edits = [(address.clone(), new.clone())];
            let edited = edit(&container, &edits, &mut budget());
            let edited = edited.map_err(|finding| format!("{address} {what}: {finding}"))?;
            let program = Program { address: address.clone(), old: old.clone(), new };
            out.push(Edit { name: format!("{address} {what}"), program: Some(program), file: edited.bytes });
        }
    }
    Ok(out)
}

/// The edited containers of the corpus before each reader.
pub fn plan<'a>(shared: &Path, judges: &Arc<Judges>) -> Vec<File<'a>> {
    vec![d3dx::plan(shared, Arc::clone(judges))]
}
