//! Programs in containers: effects, assets, archives.
//!
//! Each is an input of its own, called `file::address`.

use super::pieces::Piece;
use super::{Input, OpenOptions, indices_at, plain};
use crate::container::{Address, Budget, Container, Format, Found, Kind, find, visit};
use crate::diag::{Diagnostic, Place, Severity};
use crate::isa::Isa;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What is in a container.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Contained {
    /// Its programs, in its order.
    pub programs: Vec<Input>,
    /// The addresses of what in it cannot be read, and why; and what is odd about it and about containers in it, as warnings. The
    /// address of the container itself is empty.
    pub unread: Vec<(Address, Diagnostic)>,
}

impl Contained {
    /// The errors among what cannot be read, each with its address: what is encrypted is none, and what is odd.
    pub fn errors(&self) -> Vec<Diagnostic> {
        self.findings().filter(|finding| finding.severity == Severity::Error).collect()
    }

    /// What cannot be read, each with its address, as warnings beside something that can be. Where nothing can be, which `is_alone`
    /// says, errors are [those of the container](Self::errors), and none of these.
    pub fn warnings(&self, is_alone: bool) -> Vec<Diagnostic> {
        let others = self.findings().filter(|finding| !is_alone || finding.severity != Severity::Error);
        others.map(|finding| Diagnostic { severity: Severity::Warning, ..finding }).collect()
    }

    fn findings(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.unread.iter().map(|(address, finding)| {
            let (address, message) = (address.to_string(), &finding.message);
            if address.is_empty() {
                return finding.clone();
            }
            let message =
                if message.starts_with(&address) { message.clone() } else { format!("{address}: {message}") };
            Diagnostic { message, place: Place::Whole, ..finding.clone() }
        })
    }
}

impl Input {
    /// The format of the container that the content is, unless it is to be read in a notation.
    pub fn container(&self, options: &OpenOptions<'_>) -> Option<Format> {
        (options.notation.is_none() && self.piece.is_none()).then(|| Format::of(self.bytes())).flatten()
    }

    /// The programs in a container, and what in it cannot be read.
    ///
    /// # Errors
    ///
    /// What is wrong with the container as a whole.
    pub fn contained(&self, options: &OpenOptions<'_>) -> Result<Contained, Diagnostic> {
        let mut budget = Budget::new(options.limits);
        let container = Container::read(self.bytes(), &mut budget)?;
        let mut found: Vec<(Address, Self)> = Vec::new();
        let own = |finding: &Diagnostic| (Address::default(), finding.clone());
        let mut unread: Vec<_> = container.findings().iter().map(own).collect();
        let _ = visit::<()>(
            &container,
            &mut budget,
            &mut |one| {
                let is_asked = |isa| options.isa.is_none_or(|asked| asked == isa);
                let named = |bytes| Self::new(self.name(), one.entry.file_name(), bytes);
                match one.entry.kind {
                    Kind::Stream(isa) if is_asked(isa) => {
                        found.push((one.address.clone(), named(one.bytes.to_vec())));
                    }
                    Kind::File => {
                        let input = named(plain(one.bytes.to_vec()));
                        if input.isa().is_some_and(is_asked) {
                            let pieces = input.pieces(options);
                            if pieces.is_empty() {
                                found.push((one.address.clone(), input));
                            } else {
                                found.extend(pieces.into_iter().map(|piece| {
                                    let step = piece.piece.as_ref().map(Piece::step).unwrap_or_default();
                                    (one.address.join(&step), piece)
                                }));
                            }
                        }
                    }
                    _ => {}
                }
                ControlFlow::Continue(())
            },
            &mut |address, finding| unread.push((address.clone(), finding)),
        )?;
        let of = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let piece = |(number, (address, input)): (u32, (Address, Self))| {
            let address = address.to_string();
            let name = format!("{}::{address}", self.file().unwrap_or_else(|| self.name()));
            // What is a piece of a file in the container keeps its place in that.
            let piece = match &input.piece {
                Some(piece) => Piece { of, address: Some(address), ..piece.clone() },
                None => Piece::in_container(number, of, address),
            };
            input.with_piece(piece).with_name(name)
        };
        Ok(Contained { programs: (1..).zip(found).map(piece).collect(), unread })
    }

    /// The programs that an address in a container means: one, or all that are below it. `programs` are all of the
    /// [container](Self::contained).
    ///
    /// # Errors
    ///
    /// It leads nowhere, or to what is no program.
    pub fn at_address(
        &self,
        programs: Vec<Self>,
        address: &str,
        options: &OpenOptions<'_>,
    ) -> Result<Vec<Self>, Diagnostic> {
        let of =
            |input: &Self| input.piece.as_ref().and_then(|piece| piece.address.clone()).unwrap_or_default();
        if let Some(n) = programs.iter().position(|program| of(program) == address) {
            return Ok(programs.into_iter().skip(n).take(1).collect());
        }
        let mut budget = Budget::new(options.limits);
        let container = Container::read(self.bytes(), &mut budget)?;
        let found = find(&container, &Address::parse(address), &mut budget, &mut |found| {
            // No program of the file, but one that can be looked at.
            let expression = (found.entry.kind == Kind::Expression).then(|| found.bytes.to_vec());
            (found.address.to_string(), found.entry.kind.clone(), meant_by(found), expression)
        });
        let among = |meant: &BTreeSet<String>, programs: Vec<Self>| -> Vec<Self> {
            let is_meant = |program: &Self| {
                let own = of(program);
                let mut above = own.match_indices("::").map(|(at, _)| &own[..at]).chain([&*own]);
                above.any(|entry| meant.contains(entry))
            };
            programs.into_iter().filter(is_meant).collect()
        };
        let (meant, kind, below, expression) = match found {
            Ok(found) => found,
            Err(error) => {
                let named = self.in_text(&container, &programs, address, options, &mut budget);
                if !named.is_empty() {
                    return Ok(named);
                }
                let below = entries_below(&container, address, &mut budget)?;
                let below = among(&below, programs.clone());
                if !below.is_empty() {
                    return Ok(below);
                }
                // `file#2` is short for `file::2`.
                let number = address.rsplit_once('#').filter(|(file, number)| {
                    !file.is_empty() && !file.ends_with(':') && number.bytes().all(|b| b.is_ascii_digit())
                });
                let numbered = number.map(|(file, number)| format!("{file}::{number}"));
                let found = numbered.and_then(|address| self.at_address(programs, &address, options).ok());
                return found.ok_or(error);
            }
        };
        if let Some(bytes) = expression.filter(|_| options.isa.is_none_or(|isa| isa == Isa::D3d9)) {
            let file = self.file().unwrap_or_else(|| self.name());
            let input = Self::new(format!("{file}::{meant}"), None, bytes);
            return Ok(alloc::vec![input.with_piece(Piece::in_container(1, 1, meant))]);
        }
        let programs = among(&below, programs);
        if programs.is_empty() {
            let message = match kind {
                Kind::Foreign(what) => format!("{meant} is {what}"),
                Kind::Container(format) => {
                    format!("{meant} is {}, and has no programs in it", format.title())
                }
                kind => format!("{meant} is {}, and no program", kind.title()),
            };
            return Err(crate::container::rules::ADDRESS.finding(message));
        }
        Ok(programs)
    }
}

impl Input {
    /// The programs that the last step of an address names in a text of a container.
    fn in_text(
        &self,
        container: &Container<'_>,
        programs: &[Self],
        address: &str,
        options: &OpenOptions<'_>,
        budget: &mut Budget,
    ) -> Vec<Self> {
        let address = Address::parse(address);
        let Some((above, name)) = address.split_last() else { return Vec::new() };
        let found = find(container, &above, budget, &mut |found| {
            let name = self.file().unwrap_or_else(|| self.name());
            (found.address.to_string(), Self::new(name, found.entry.file_name(), plain(found.bytes.to_vec())))
        });
        let Ok((entry, text)) = found else { return Vec::new() };
        let of = |program: &Self| {
            program.piece.as_ref().and_then(|piece| piece.address.clone()).unwrap_or_default()
        };
        let below = format!("{entry}::");
        let inside: Vec<Self> =
            programs.iter().filter(|program| of(program).starts_with(&below)).cloned().collect();
        let named = |all: &[Self]| -> Vec<Self> {
            let found = indices_at(all.iter().map(|one| one.piece.as_ref()), name);
            found.into_iter().filter_map(|n| all.get(n).cloned()).collect()
        };
        let meant = if inside.is_empty() {
            // A text with one program is that program, whose name is good all the same.
            let is_named = !named(&text.carried(options)).is_empty();
            programs.iter().filter(|program| is_named && of(program) == entry).cloned().collect()
        } else {
            named(&inside)
        };
        if !meant.is_empty() {
            return meant;
        }
        let draw = text.draw_named(name).map(|mut draw| {
            draw.piece.iter_mut().for_each(|piece| piece.address = Some(format!("{below}{name}")));
            draw.with_name(format!("{}::{below}{name}", self.file().unwrap_or_else(|| self.name())))
        });
        draw.into_iter().collect()
    }
}

/// The addresses of an entry and of the programs that it can choose.
fn meant_by(found: &Found<'_>) -> BTreeSet<String> {
    let whole = found.address.to_string();
    let above = whole.strip_suffix(found.entry.address.as_str()).unwrap_or_default();
    let candidates = found.container.candidates(found.entry, found.bytes);
    let mut out: BTreeSet<String> =
        candidates.into_iter().map(|entry| format!("{above}{}", entry.address)).collect();
    out.insert(whole);
    out
}

/// The addresses of the entries below a step, and of the programs that they choose: of a technique, a pass, an array of programs, a folder.
fn entries_below(
    container: &Container<'_>,
    step: &str,
    budget: &mut Budget,
) -> Result<BTreeSet<String>, Diagnostic> {
    let step = step.trim_end_matches('/');
    let is_below = |address: &str| {
        let rest = address.get(..step.len()).filter(|start| start.eq_ignore_ascii_case(step));
        rest.is_some_and(|_| address[step.len()..].starts_with(['/', '[']))
    };
    // The only container in another need not be named.
    let mut inner = container.entries().iter().filter(|entry| matches!(entry.kind, Kind::Container(_)));
    let only = match (inner.next(), inner.next()) {
        (Some(only), None) => format!("{}::", only.address),
        _ => String::new(),
    };
    let mut out = BTreeSet::new();
    let _ = visit::<()>(
        container,
        budget,
        &mut |found| {
            let whole = found.address.to_string();
            let above = whole.strip_suffix(found.entry.address.as_str()).unwrap_or_default();
            let names = core::iter::once(&found.entry.address).chain(&found.entry.aliases);
            let named = |name: &String| {
                let address = format!("{above}{name}");
                is_below(&address) || !only.is_empty() && address.strip_prefix(&only).is_some_and(is_below)
            };
            if names.into_iter().any(named) {
                out.append(&mut meant_by(found));
            }
            ControlFlow::Continue(())
        },
        &mut |_, _| {},
    )?;
    Ok(out)
}

/// That a container holds nothing that can be read.
pub(super) fn nothing_in(input: &Input, format: Format, options: &OpenOptions<'_>) -> String {
    /// Kinds that are told apart.
    const KINDS: usize = 16;
    /// Kinds that are named.
    const NAMED: usize = 3;
    let mut held = Vec::new();
    let mut budget = Budget::new(options.limits);
    if let Ok(container) = Container::read(input.bytes(), &mut budget) {
        let _ = visit::<()>(
            &container,
            &mut budget,
            &mut |one| {
                if let Kind::Foreign(what) = &one.entry.kind {
                    if !held.contains(what) && held.len() < KINDS {
                        held.push(what.clone());
                    }
                }
                ControlFlow::Continue(())
            },
            &mut |_, _| {},
        );
        if let crate::container::Detail::Xnb(asset) = container.detail() {
            held.extend(
                asset
                    .content()
                    .filter(|_| container.entries().is_empty())
                    .map(|what| what.to_string().into()),
            );
        }
    }
    // Others may be there.
    if let Some(isa) = options.isa {
        return format!("{}: no shaders of {} inside", format.title(), isa.name());
    }
    // Beside code, inputs and outputs say nothing.
    if held.iter().any(|what| what.starts_with("code")) {
        held.retain(|what| what.starts_with("code"));
    }
    held.truncate(NAMED);
    let held = if held.is_empty() { String::new() } else { format!(": {}", held.join(", ")) };
    format!("{}: no shaders inside{held}", format.title())
}
