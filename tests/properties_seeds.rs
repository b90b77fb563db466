//! What inputs of properties are made from, by kind.

use super::{Input, containers, d3d9, nv2a, tgsi};

/// The seeds of each kind of input. Microcode has those of slots, and macros those of texts of Direct3D.
#[derive(Debug, Default)]
pub(crate) struct Seeds([Vec<Vec<u8>>; Input::ALL.len()]);

impl Seeds {
    /// Those of a kind.
    pub(crate) fn of(&self, kind: Input) -> &[Vec<u8>] {
        &self.0[kind.origin() as usize]
    }

    /// Adds some of a kind.
    pub(crate) fn add(&mut self, kind: Input, seeds: impl IntoIterator<Item = Vec<u8>>) {
        self.0[kind.origin() as usize].extend(seeds);
    }

    /// Adds a test file or example, and the binary of it, by the ending of its name; `false` if that is of none of the kinds,
    /// as those of AGAL, whose test files may have several programs.
    pub(crate) fn add_file(&mut self, ending: &str, text: &str) -> bool {
        let bytes = [text.as_bytes().to_vec()];
        match ending {
            "nv2a" | "vsh" => {
                self.add(Input::Slots, nv2a::microcode(text));
                self.add(Input::Vsh, bytes);
            }
            "d3d9" => {
                self.add(Input::Stream, d3d9::stream(text));
                self.add(Input::StreamText, bytes);
            }
            "tgsi" => {
                self.add(Input::Tokens, tgsi::tokens(text));
                self.add(Input::TokenText, bytes);
            }
            "ir" => self.add(Input::Ir, bytes),
            _ => return false,
        }
        true
    }

    /// Puts them in an order that does not depend on that of the files, each once.
    pub(crate) fn sort(&mut self) {
        for list in &mut self.0 {
            list.sort();
            list.dedup();
        }
        containers::balance(&mut self.0[Input::Container as usize]);
    }
}
