//! Addresses, and the way along them through nested files.

use crate::container::{Edited, inside};
use crate::cursor::Result;
use crate::{Budget, Container, Entry, Kind, rules};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::fmt::Write as _;
use core::ops::ControlFlow;
use vecasm_ir::diag::Diagnostic;

/// The way to an entry: the address of it in its container, behind those of the containers around that one.
///
/// It is written with `::` between files: `effects/Sprite.fxb::technique0/pass0/vs`. In names that are part of it, `/`, `\`,
/// `:`, `%` and control characters stand as `%2F`, with the number of each byte.
///
/// ```
/// # use vecasm_container::Address;
/// let address = Address::parse("a.fxb::Blur/P0/ps");
/// assert_eq!(address.parts(), ["a.fxb", "Blur/P0/ps"]);
/// assert_eq!(address.to_string(), "a.fxb::Blur/P0/ps");
/// assert_eq!(Address::encode("a/b:c"), "a%2Fb%3Ac");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Address(Vec<String>);

impl Address {
    /// The address that a text says. Any text says one; whether something is there shows when it is followed.
    pub fn parse(text: &str) -> Self {
        Self(text.split("::").filter(|part| !part.is_empty()).map(String::from).collect())
    }

    /// The addresses of each container on the way, and of the entry.
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// The address of the container, and that of the entry in it.
    pub fn split_last(&self) -> Option<(Self, &str)> {
        let (last, above) = self.0.split_last()?;
        Some((Self(above.to_vec()), last))
    }

    /// The address of an entry of what this one leads to.
    #[must_use]
    pub fn join(&self, part: &str) -> Self {
        let mut parts = self.0.clone();
        parts.push(part.into());
        Self(parts)
    }

    /// The step of an address as it would be written here: folders with `/`, and [encoded](Self::encode) what has to be.
    pub(crate) fn plain(step: &str) -> String {
        let decode = |name: &str| {
            let mut out = Vec::with_capacity(name.len());
            let mut rest = name.as_bytes();
            while let Some((&byte, behind)) = rest.split_first() {
                let digits =
                    behind.get(..2).filter(|_| byte == b'%').and_then(|two| core::str::from_utf8(two).ok());
                let number = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
                out.push(number.unwrap_or(byte));
                rest = if number.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
            }
            String::from_utf8(out).unwrap_or_else(|_| name.into())
        };
        let names: Vec<String> =
            step.split(['/', '\\']).map(|name| Self::encode(&decode(name)).into_owned()).collect();
        names.join("/")
    }

    /// A name as it stands in addresses.
    pub fn encode(name: &str) -> Cow<'_, str> {
        let special = |c: char| matches!(c, '/' | '\\' | ':' | '%') || c.is_control();
        if !name.contains(special) {
            return Cow::Borrowed(name);
        }
        let mut out = String::with_capacity(name.len() + 8);
        for c in name.chars() {
            if special(c) {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string does not fail.
                    let _ = write!(out, "%{byte:02X}");
                }
            } else {
                out.push(c);
            }
        }
        Cow::Owned(out)
    }
}

/// A path as it stands in addresses: its folders are steps.
#[cfg(feature = "zip")]
pub(crate) fn encode_path(path: &str) -> String {
    let folders: Vec<Cow<'_, str>> = path.split('/').map(Address::encode).collect();
    folders.join("/")
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, part) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("::")?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

/// An entry on the way through a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found<'a> {
    /// Its whole address.
    pub address: &'a Address,
    /// The container that it is in.
    pub container: &'a Container<'a>,
    /// It.
    pub entry: &'a Entry,
    /// Its bytes; none of what is [foreign](Kind::Foreign), which [`Container::bytes`] has.
    pub bytes: &'a [u8],
}

/// Goes through the entries of a container, each before those that are in it, until `see` breaks. `wrong` hears of entries
/// that cannot be read, which are passed over: damaged ones, those that exceed a limit, encrypted ones; and of the warnings about
/// containers in it.
///
/// # Errors
///
/// [`LIMIT`](rules::LIMIT) where there are more entries than the limit, all nested ones counted.
pub fn visit<B>(
    container: &Container<'_>,
    budget: &mut Budget,
    see: &mut dyn FnMut(&Found<'_>) -> ControlFlow<B>,
    wrong: &mut dyn FnMut(&Address, Diagnostic),
) -> Result<ControlFlow<B>> {
    visit_below(container, &Address::default(), budget, see, wrong)
}

fn visit_below<B>(
    container: &Container<'_>,
    above: &Address,
    budget: &mut Budget,
    see: &mut dyn FnMut(&Found<'_>) -> ControlFlow<B>,
    wrong: &mut dyn FnMut(&Address, Diagnostic),
) -> Result<ControlFlow<B>> {
    for entry in container.entries() {
        let address = above.join(&entry.address);
        let bytes = match &entry.kind {
            Kind::Foreign(_) => Ok(Cow::Borrowed(&[][..])),
            _ => container.bytes(entry, budget),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(finding) => {
                wrong(&address, finding);
                continue;
            }
        };
        if let Some(finding) = container.unread(entry) {
            wrong(&address, finding);
        }
        if let ControlFlow::Break(out) = see(&Found { address: &address, container, entry, bytes: &bytes }) {
            return Ok(ControlFlow::Break(out));
        }
        if !is_container(entry) {
            continue;
        }
        match container.open_bytes(bytes, budget) {
            Ok(inner) => {
                inner.findings().iter().for_each(|finding| wrong(&address, finding.clone()));
                let out = visit_below(&inner, &address, budget, see, wrong)?;
                if out.is_break() {
                    return Ok(out);
                }
            }
            // Those that follow could make it read without end.
            Err(finding) if finding.id == rules::LIMIT.id && budget.is_spent() => {
                return Err(inside(finding, &address.to_string()));
            }
            Err(finding) => wrong(&address, finding),
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Follows an address and calls `then` with the entry that it leads to. A part may be the number of a program, counted from 1
/// through all nested files; a container that is the only one in another need not be named.
///
/// # Errors
///
/// [`ADDRESS`](rules::ADDRESS) or [`AMBIGUOUS`](rules::AMBIGUOUS) if it leads nowhere or to several entries, and what is wrong
/// with a container on the way.
pub fn find<T>(
    container: &Container<'_>,
    address: &Address,
    budget: &mut Budget,
    then: &mut dyn FnMut(&Found<'_>) -> T,
) -> Result<T> {
    let way = resolve(container, address.parts(), budget)?;
    follow(container, &way, &Address::default(), budget, then)
}

/// The numbers of the entries on the way to what an address names.
fn resolve(container: &Container<'_>, parts: &[String], budget: &mut Budget) -> Result<Vec<usize>> {
    let Some((first, rest)) = parts.split_first() else {
        return Err(rules::ADDRESS.finding("an address without steps"));
    };
    let own = match container.entry(first) {
        Ok(n) => Ok(n),
        Err(error) if error.id == rules::ADDRESS.id => match first.parse::<usize>() {
            Ok(number) if rest.is_empty() => return nth_program(container, number, budget),
            _ => Err(error),
        },
        Err(error) => Err(error),
    };
    match own {
        Ok(n) if rest.is_empty() => Ok(Vec::from([n])),
        Ok(n) => {
            let inner = container.open(&container.entries()[n], budget)?;
            let mut way = Vec::from([n]);
            way.extend(resolve(&inner, rest, budget).map_err(|finding| inside(finding, first))?);
            Ok(way)
        }
        Err(error) => {
            let mut containers =
                container.entries().iter().enumerate().filter(|(_, entry)| is_container(entry));
            let (Some((n, only)), None) = (containers.next(), containers.next()) else { return Err(error) };
            let inner = container.open(only, budget)?;
            let mut way = Vec::from([n]);
            way.extend(resolve(&inner, parts, budget)?);
            Ok(way)
        }
    }
}

const fn is_container(entry: &Entry) -> bool {
    matches!(entry.kind, Kind::Container(_))
}

/// The way to the program of that number, from 1.
fn nth_program(container: &Container<'_>, number: usize, budget: &mut Budget) -> Result<Vec<usize>> {
    fn go(
        container: &Container<'_>,
        left: &mut usize,
        way: &mut Vec<usize>,
        budget: &mut Budget,
    ) -> Result<bool> {
        for (n, entry) in container.entries().iter().enumerate() {
            way.push(n);
            if entry.is_program() {
                *left -= 1;
                if *left == 0 {
                    return Ok(true);
                }
            } else if is_container(entry) {
                match container.open(entry, budget) {
                    Ok(inner) if go(&inner, left, way, budget)? => return Ok(true),
                    Err(finding) if finding.id == rules::LIMIT.id => return Err(finding),
                    _ => {}
                }
            }
            way.pop();
        }
        Ok(false)
    }
    let (mut left, mut way) = (number, Vec::new());
    if number > 0 && go(container, &mut left, &mut way, budget)? {
        return Ok(way);
    }
    let programs = number - left.min(number);
    let message = format!("there is no program {number}; there are {programs}");
    Err(rules::ADDRESS.finding(message).with_help("`vecasm info FILE` lists them"))
}

fn follow<T>(
    container: &Container<'_>,
    way: &[usize],
    above: &Address,
    budget: &mut Budget,
    then: &mut dyn FnMut(&Found<'_>) -> T,
) -> Result<T> {
    let [n, rest @ ..] = way else {
        return Err(rules::ADDRESS.finding("an address without steps"));
    };
    let entry = &container.entries()[*n];
    let address = above.join(&entry.address);
    if rest.is_empty() {
        let bytes = container.bytes(entry, budget)?;
        return Ok(then(&Found { address: &address, container, entry, bytes: &bytes }));
    }
    follow(&container.open(entry, budget)?, rest, &address, budget, then)
}

/// The file in which static combos of the Source engine that are the same as others have programs of their own, where addresses lead to
/// them by their own numbers; `None` if none does. Then [`edit`] changes the one and not the others.
///
/// # Errors
///
/// As [`find`]; [`FIT`](rules::FIT) if there is no room.
pub fn break_aliases(
    container: &Container<'_>,
    addresses: &[Address],
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>> {
    let mut file: Option<Vec<u8>> = None;
    for address in addresses {
        let made = match &file {
            None => break_alias(container, address, budget)?,
            Some(bytes) => {
                break_alias(&container.open_bytes(Cow::Borrowed(bytes), budget)?, address, budget)?
            }
        };
        file = made.or(file);
    }
    Ok(file)
}

/// The same for one address.
fn break_alias(container: &Container<'_>, address: &Address, budget: &mut Budget) -> Result<Option<Vec<u8>>> {
    let way = resolve(container, address.parts(), budget)?;
    let Some((_, above)) = way.split_last() else { return Ok(None) };
    let name = address.parts().last().map_or("", |part| part);
    let Some(bytes) = with_own(container, above, name, budget)? else { return Ok(None) };
    match above {
        [] => Ok(Some(bytes)),
        above => edit_below(container, &[(above, &bytes)], budget).map(|edited| Some(edited.bytes)),
    }
}

/// The container at the end of a way with a static combo of its own.
fn with_own(
    container: &Container<'_>,
    way: &[usize],
    name: &str,
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>> {
    match way {
        [] => shared(container, name).map(|id| own_combo(container, id)).transpose(),
        [n, rest @ ..] => with_own(&container.open(&container.entries()[*n], budget)?, rest, name, budget),
    }
}

/// The static combo that a name of a container means, if it is the same as another.
fn shared(container: &Container<'_>, name: &str) -> Option<u32> {
    #[cfg(feature = "vcs")]
    return crate::vcs::alias_of(container, name);
    #[cfg(not(feature = "vcs"))]
    return None.filter(|_: &u32| container.entries().is_empty() && name.is_empty());
}

/// The container with programs of its own for a static combo.
fn own_combo(container: &Container<'_>, id: u32) -> Result<Vec<u8>> {
    #[cfg(feature = "vcs")]
    return crate::vcs::with_own_combo(container, id);
    #[cfg(not(feature = "vcs"))]
    return Err(rules::READ_ONLY
        .finding(format!("static combo {id} of {} cannot be written", container.format().title())));
}

/// Refuses an address that leads to a static combo of the Source engine which is the same as another, and has nothing of its own to edit.
///
/// # Errors
///
/// [`ALIAS`](rules::ALIAS), which [`break_aliases`] removes; and as [`find`].
pub fn check_alias(container: &Container<'_>, address: &Address, budget: &mut Budget) -> Result<()> {
    let way = resolve(container, address.parts(), budget)?;
    check_own(container, &way, address, budget)
}

fn check_own(container: &Container<'_>, way: &[usize], address: &Address, budget: &mut Budget) -> Result<()> {
    let name = address.parts().last().map_or("", |part| part);
    match way {
        [n] if shared(container, name).is_some() => {
            let message = format!("{address} is the same as {}", container.entries()[*n].address);
            let help =
                "edit that one, which changes both, or have `repack --break-alias` give this one its own";
            Err(rules::ALIAS.finding(message).with_help(help))
        }
        [n, rest @ ..] if !rest.is_empty() => {
            check_own(&container.open(&container.entries()[*n], budget)?, rest, address, budget)
        }
        _ => Ok(()),
    }
}

/// The file with other bytes in the place of what addresses lead to; containers on the way are written anew around them.
///
/// # Errors
///
/// As [`find`], and as [`Container::replace`]; [`ALIAS`](rules::ALIAS) for an address whose entry is the same as another one, which
/// [`break_aliases`] tells apart.
pub fn edit(container: &Container<'_>, edits: &[(Address, Vec<u8>)], budget: &mut Budget) -> Result<Edited> {
    let mut ways = Vec::with_capacity(edits.len());
    for (address, bytes) in edits {
        let way = resolve(container, address.parts(), budget)?;
        check_own(container, &way, address, budget)?;
        ways.push((way, address, &**bytes));
    }
    ways.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    if let Some([(_, first, _), (_, second, _)]) = ways.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(rules::AMBIGUOUS.finding(format!("{first} and {second} are one entry, edited twice")));
    }
    let ways: Vec<(&[usize], &[u8])> = ways.iter().map(|(way, _, bytes)| (&**way, *bytes)).collect();
    edit_below(container, &ways, budget)
}

fn edit_below(container: &Container<'_>, ways: &[(&[usize], &[u8])], budget: &mut Budget) -> Result<Edited> {
    let mut made: Vec<(usize, Cow<'_, [u8]>)> = Vec::new();
    let mut findings = Vec::new();
    for group in ways.chunk_by(|(a, _), (b, _)| a.first() == b.first()) {
        let Some((&n, _)) = group.first().and_then(|(way, _)| way.split_first()) else { continue };
        if let [(way, bytes)] = group {
            if way.len() == 1 {
                made.push((n, Cow::Borrowed(*bytes)));
                continue;
            }
        }
        let entry = &container.entries()[n];
        let inner = container.open(entry, budget)?;
        let below: Vec<(&[usize], &[u8])> = group
            .iter()
            .filter_map(|(way, bytes)| Some((way.get(1..).filter(|way| !way.is_empty())?, *bytes)))
            .collect();
        if below.len() < group.len() {
            let message = format!("{} is replaced, and so is what is in it", entry.address);
            return Err(rules::AMBIGUOUS.finding(message));
        }
        let edited = edit_below(&inner, &below, budget)?;
        findings.extend(edited.findings.into_iter().map(|finding| inside(finding, &entry.address)));
        made.push((n, Cow::Owned(edited.bytes)));
    }
    let made: Vec<(usize, &[u8])> = made.iter().map(|(n, bytes)| (*n, &**bytes)).collect();
    let mut edited = container.replace(&made)?;
    findings.append(&mut edited.findings);
    Ok(Edited { bytes: edited.bytes, findings })
}
