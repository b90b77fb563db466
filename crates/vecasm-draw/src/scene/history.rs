//! What happened to a pixel of a scene, draw after draw.

use crate::pick::{FragmentOutcome, Pixel, Shading};
use alloc::collections::VecDeque;
use alloc::string::String;

/// Most events of a pixel that are kept: the last ones.
pub const MAX_EVENTS: usize = 4096;

/// The target was cleared.
#[derive(Clone, Debug, PartialEq)]
pub struct Clear {
    /// Number of the event, from 1.
    pub number: usize,
    /// The place of the command in the scene file.
    pub path: String,
    /// The colour, if colours are cleared: red, green, blue, alpha as they are stored.
    pub color: Option<[u8; 4]>,
    /// The depth, if that is cleared.
    pub depth: Option<f32>,
    /// The stencil value, if that is cleared.
    pub stencil: Option<u8>,
}

/// Something that happened to a pixel.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "nearly all are shadings")]
pub enum Event {
    /// It was cleared.
    Clear(Clear),
    /// A triangle covers it.
    Shading(Shading),
}

impl Event {
    /// Its number, from 1.
    pub const fn number(&self) -> usize {
        match self {
            Self::Clear(clear) => clear.number,
            Self::Shading(shading) => shading.number,
        }
    }

    /// The shading, if it is one.
    pub const fn shading(&self) -> Option<&Shading> {
        match self {
            Self::Shading(shading) => Some(shading),
            Self::Clear(_) => None,
        }
    }
}

/// Triangles that are drawn nowhere, because the vertex shader gave a corner that is not finite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenTriangles {
    /// How many there are, instances counted each.
    pub count: u64,
    /// The place of the first one's draw in the scene file.
    pub path: String,
    /// Number of that draw, from 1.
    pub draw: u32,
    /// Number of the first one in the draw, from 0.
    pub triangle: u32,
}

/// What happened to a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The pixel in the target that is looked at; none where the picture shows no pixel of the back buffer.
    pub at: Option<Pixel>,
    /// What happened, in order: the last [`MAX_EVENTS`] of it.
    pub events: VecDeque<Event>,
    /// How many happened, also those that are not kept.
    pub count: usize,
    /// The number of the last event that the picture shows; later ones came after the last `present`.
    pub shown: usize,
    /// What the pixel is in the end: red, green, blue, alpha.
    pub color: [u8; 4],
    /// Samples of a pixel of the target.
    pub samples: u32,
    /// Triangles that could not be drawn into the target, if there are any.
    pub broken: Option<BrokenTriangles>,
}

impl History {
    pub(crate) fn new(at: Option<Pixel>, samples: u32) -> Self {
        Self { at, events: VecDeque::new(), count: 0, shown: 0, color: [0; 4], samples, broken: None }
    }

    pub(crate) fn push(&mut self, event: Event) {
        if self.events.len() == MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// Finds for each shading who overwrote it.
    pub(crate) fn finish(&mut self) {
        // For each sample, the first later event that replaces it.
        let mut next: [Option<usize>; 16] = [None; 16];
        for event in self.events.iter_mut().rev() {
            if event.number() > self.shown {
                continue;
            }
            match event {
                Event::Clear(clear) => {
                    if clear.color.is_some() {
                        next = [Some(clear.number); 16];
                    }
                }
                Event::Shading(shading) => {
                    let samples = || (0..16).filter(|n| shading.tested.passed >> n & 1 != 0);
                    if shading.fate == FragmentOutcome::Kept && samples().all(|n| next[n].is_some()) {
                        shading.overwritten = samples().filter_map(|n| next[n]).max();
                    }
                    for (n, next) in next.iter_mut().enumerate() {
                        if replaced(shading) >> n & 1 != 0 {
                            *next = Some(shading.number);
                        }
                    }
                }
            }
        }
    }

    /// The shadings, in order.
    pub fn shadings(&self) -> impl DoubleEndedIterator<Item = &Shading> {
        self.events.iter().filter_map(Event::shading)
    }

    /// The shading that made the pixel: the last one that was kept and that the picture shows.
    pub fn made_by(&self) -> Option<&Shading> {
        self.shadings()
            .rev()
            .find(|s| s.fate == FragmentOutcome::Kept && s.number <= self.shown && s.overwritten.is_none())
    }
}

/// The samples whose former contents are gone.
fn replaced(shading: &Shading) -> u16 {
    if shading.fate == FragmentOutcome::Kept && shading.state.replaces() { shading.tested.passed } else { 0 }
}
