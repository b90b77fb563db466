//! At which draws of a recording of the Xbox a program runs, and with which constants.

use crate::io::Input;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use vecasm::contents::number_text;
use vecasm::isa::nv2a::methods;
use vecasm::reflect::nv2a::Draw;

/// The draws of the recording that was asked for last: its programs come one after another.
#[derive(Default)]
pub(super) struct Recordings {
    last: Mutex<Option<(Place, Arc<Vec<methods::Draw>>)>>,
}

/// Where a recording is: its file, and its address in a container.
type Place = (Option<PathBuf>, Option<String>);

impl Recordings {
    /// The draws at which a program runs that a recording uploads.
    pub(super) fn draws(&self, program: &Input) -> Vec<Draw> {
        let Some(piece) = program.piece() else { return Draw::of(&program.draws(), 1) };
        // What was asked for by its draw is no program of a list.
        if piece.names().first().is_some_and(|name| name.starts_with("draw")) {
            return Vec::new();
        }
        // Standard input is one file, too.
        let entry = piece.address().and_then(|address| Some(address.rsplit_once("::")?.0.to_string()));
        let place = (program.path.clone(), entry);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let all = match last.as_ref().filter(|(of, _)| *of == place) {
            Some((_, all)) => all.clone(),
            None => {
                let all = Arc::new(program.draws());
                *last = Some((place, all.clone()));
                all
            }
        };
        Draw::of(&all, piece.number() as usize)
    }
}

/// Lines about the draws, for reading.
pub(super) fn for_reading(draws: &[Draw]) -> String {
    draws.iter().fold(String::new(), |out, draw| {
        let constants = draw.constants.iter().map(|(n, lanes)| {
            format!("c{n} = ({})", lanes.map(|lane| number_text(f64::from(lane))).join(", "))
        });
        let constants: Vec<String> = constants.collect();
        let with = if constants.is_empty() { String::new() } else { format!("  {}", constants.join(", ")) };
        format!("{out}  draw{}{with}\n", draw.draw)
    })
}
