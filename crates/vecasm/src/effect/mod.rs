//! What an effect of Direct3D 9 draws with: the programs, states, samplers and constants of each pass, with the effect's own
//! defaults.
//!
//! A pass may choose a program out of an array, and may set a state to an expression of parameters. Both are evaluated here as the
//! runtime does before a draw, with the default of each parameter.
//!
//! | file | holds |
//! |---|---|
//! | `listing` | an effect as a block of comments |
//! | `scene` | a pass as what a scene is guessed with |
//! | `values` | values of parameters, and expressions of them |

mod listing;
#[cfg(all(feature = "render", feature = "files"))]
mod scene;
mod values;

use crate::container::fx2::{self, Element};
use crate::container::{Address, Budget, Container, Detail, Format, Kind, Limits, find, visit};
use crate::diag::Diagnostic;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use values::Values;

pub use listing::listing;

/// A pass of an effect, or a program of one that is drawn on its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// Its address in the file: `technique0/pass1`, or that of the program.
    pub address: String,
    /// What is drawn, for people: `Blur/P1: VSArray[0], PSArray[2]`.
    pub title: String,
    /// The address of its vertex program; `None` if it sets none.
    pub vertex: Option<String>,
    /// The address of its pixel program; `None` if it sets none.
    pub fragment: Option<String>,
    /// What it sets but the programs.
    pub states: Vec<Setting>,
    /// The samplers of the effect.
    pub samplers: Vec<Sampler>,
    /// The parameters of the effect that have a default other than zeros, which compilers write where the source says nothing.
    pub constants: Vec<Constant>,
    /// The names of all parameters of the effect.
    pub names: Vec<String>,
    /// What could not be evaluated.
    pub findings: Vec<Diagnostic>,
}

/// A state that is set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// Its name: `CULLMODE`.
    pub name: &'static str,
    /// The number of a light, a texture stage or a register, from 0.
    pub index: u32,
    /// The numbers that it is set to.
    pub value: Vec<f64>,
}

/// A sampler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Its name; that of an element of an array has a number, `samplers[1]`.
    pub name: String,
    /// The parameter that is its texture.
    pub texture: Option<String>,
    /// What it sets but the texture.
    pub states: Vec<Setting>,
}

/// A parameter with a default.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// The registers that it fills: one for each scalar and vector, and for each row of a matrix that is stored by rows, each column
    /// of one by columns.
    pub registers: Vec<[f32; 4]>,
    /// Its rows: one for each scalar and vector, and for each row of a matrix.
    pub rows: Vec<Vec<f32>>,
}

/// The passes that an address means. Without one they are those of the first technique that has a program; of a technique they
/// are all; of a program it is its pass with that program alone. `None` if the file has no effect, or several of which the
/// address chooses none.
///
/// Parameters of the effects have the numbers that `given` has for their names, row by row and element by element, in place of their
/// defaults.
///
/// # Errors
///
/// What is wrong with the file, or with the address.
pub fn passes(
    file: &[u8],
    address: Option<&str>,
    given: &[(String, Vec<f64>)],
    limits: Limits,
) -> Result<Option<Vec<Pass>>, Diagnostic> {
    let mut budget = Budget::new(limits);
    let container = Container::read(file, &mut budget)?;
    let parts = address.map(Address::parse).unwrap_or_default();
    let effects = effects(&container, &mut budget)?;
    // The address of the effect, and what is asked for in it.
    let (effect, inside) = match (&effects[..], parts.parts()) {
        ([], _) => return Ok(None),
        ([only], []) => (only.clone(), None),
        (_, []) => return Ok(None),
        (all, parts) => {
            let whole = Address::parse(&parts.join("::"));
            let of_whole = find(&container, &whole, &mut budget, &mut |found| {
                (found.address.clone(), found.entry.kind == Kind::Container(Format::Fx2))
            });
            match of_whole {
                Ok((address, true)) => (address, None),
                Ok((address, false)) => {
                    let Some((last, above)) = address.parts().split_last() else { return Ok(None) };
                    let above = Address::parse(&above.join("::"));
                    if !all.contains(&above) {
                        return Ok(None);
                    }
                    (above, Some(last.clone()))
                }
                // Techniques and passes are no entries.
                Err(error) => {
                    let Some((last, above)) = parts.split_last() else { return Err(error) };
                    let above = match (above, all) {
                        ([], [only]) => only.clone(),
                        ([], _) => return Err(error),
                        _ => {
                            find(&container, &Address::parse(&above.join("::")), &mut budget, &mut |found| {
                                found.address.clone()
                            })
                            .map_err(|_| error.clone())?
                        }
                    };
                    if !all.contains(&above) {
                        return Err(error);
                    }
                    let meant = in_effect(&container, &above, given, &mut budget, limits, &|reader| {
                        reader.of_technique(last)
                    })?;
                    return meant.map(Some).ok_or(error);
                }
            }
        }
    };
    let found = in_effect(&container, &effect, given, &mut budget, limits, &|reader| match &inside {
        Some(entry) => reader.of_program(entry),
        None => Some(reader.first()),
    })?;
    Ok(found.filter(|passes| !passes.is_empty()))
}

/// Where in a file the effects are.
fn effects(container: &Container<'_>, budget: &mut Budget) -> Result<Vec<Address>, Diagnostic> {
    let mut out = Vec::new();
    if container.format() == Format::Fx2 {
        out.push(Address::default());
    }
    let _ = visit::<()>(
        container,
        budget,
        &mut |found| {
            if found.entry.kind == Kind::Container(Format::Fx2) {
                out.push(found.address.clone());
            }
            ControlFlow::Continue(())
        },
        &mut |_, _| {},
    )?;
    Ok(out)
}

/// What a reader tells of the effect at an address.
fn in_effect<T>(
    container: &Container<'_>,
    address: &Address,
    given: &[(String, Vec<f64>)],
    budget: &mut Budget,
    limits: Limits,
    tell: &dyn Fn(&Reader<'_>) -> Option<T>,
) -> Result<Option<T>, Diagnostic> {
    if address.parts().is_empty() {
        let effect = effect_of(container, given);
        return Ok(effect.and_then(|effect| tell(&Reader::new(container, &effect, address))));
    }
    find(container, address, budget, &mut |found| {
        let inner = Container::read(found.bytes, &mut Budget::new(limits))?;
        let effect = effect_of(&inner, given);
        Ok(effect.and_then(|effect| tell(&Reader::new(&inner, &effect, found.address))))
    })?
}

/// The effect that a container is, with other numbers for some parameters.
fn effect_of(container: &Container<'_>, given: &[(String, Vec<f64>)]) -> Option<fx2::Effect> {
    let Detail::Fx2(effect) = container.detail() else { return None };
    let mut effect = fx2::Effect::clone(effect);
    for parameter in &mut effect.parameters {
        let numbers = given.iter().rev().find(|(name, _)| parameter.ty.name.as_ref() == Some(name));
        if let Some((_, numbers)) = numbers {
            values::set(&parameter.ty, &mut parameter.value, &mut numbers.iter().copied());
        }
    }
    Some(effect)
}

/// Reads the passes of an effect.
struct Reader<'a> {
    container: &'a Container<'a>,
    effect: &'a fx2::Effect,
    values: Values<'a>,
    /// The address of the effect, with what leads on into it.
    above: String,
    /// The addresses of entries, by where they begin.
    addresses: BTreeMap<usize, &'a str>,
}

impl<'a> Reader<'a> {
    fn new(container: &'a Container<'a>, effect: &'a fx2::Effect, address: &Address) -> Self {
        let above = if address.parts().is_empty() { String::new() } else { format!("{address}::") };
        let entries = container.entries().iter();
        let addresses = entries.map(|entry| (entry.part.range().start, &*entry.address)).collect();
        Self { container, effect, values: Values { effect }, above, addresses }
    }

    /// The passes of the first technique that has a program.
    fn first(&self) -> Vec<Pass> {
        let all = (0..self.effect.techniques.len()).map(|technique| self.technique(technique));
        let mut drawn = all.filter(|passes| !passes.is_empty());
        drawn.next().unwrap_or_default()
    }

    /// The passes of a technique that have a program.
    fn technique(&self, number: usize) -> Vec<Pass> {
        let Some(technique) = self.effect.techniques.get(number) else { return Vec::new() };
        let all = technique.passes.iter().enumerate();
        let all = all.map(|(n, pass)| self.pass(number, n, pass));
        all.filter(|pass| pass.vertex.is_some() || pass.fragment.is_some()).collect()
    }

    /// The passes that `technique0`, `Blur` or `Blur/P1` mean.
    fn of_technique(&self, address: &str) -> Option<Vec<Pass>> {
        let is = |text: &str, kind: &str, n: usize, name: Option<&str>| {
            text == format!("{kind}{n}")
                || name.is_some_and(|name| Address::encode(name).eq_ignore_ascii_case(text))
        };
        let find = |text: &str| {
            let mut all = self.effect.techniques.iter().enumerate();
            all.find(|(n, technique)| is(text, "technique", *n, technique.name.as_deref()))
        };
        let (technique, pass) = address.split_once('/').map_or((address, None), |(t, p)| (t, Some(p)));
        let (number, technique) = find(technique)?;
        let Some(pass) = pass else { return Some(self.technique(number)) };
        let mut passes = technique.passes.iter().enumerate();
        let (n, found) = passes.find(|(n, found)| is(pass, "pass", *n, found.name.as_deref()))?;
        Some(Vec::from([self.pass(number, n, found)]))
    }

    /// The program of an entry, in the first pass that uses it, without the other program of that.
    fn of_program(&self, entry: &str) -> Option<Vec<Pass>> {
        let entry = &self.container.entries()[self.container.entry(entry).ok()?];
        if !entry.is_program() {
            return None;
        }
        let address = format!("{}{}", self.above, entry.address);
        let techniques = (0..self.effect.techniques.len()).flat_map(|number| self.technique(number));
        let is = |program: &Option<String>| program.as_ref() == Some(&address);
        let mut using = techniques.filter(|pass| is(&pass.vertex) || is(&pass.fragment));
        let mut pass = using.next().unwrap_or_else(|| Pass {
            samplers: self.samplers(&mut Vec::new()),
            constants: self.values.constants(),
            names: self.names(),
            ..Pass::default()
        });
        pass.title = String::new();
        let is_vertex = entry.stage == Some(crate::ir::Stage::Vertex);
        (pass.vertex, pass.fragment) =
            if is_vertex { (Some(address.clone()), None) } else { (None, Some(address.clone())) };
        pass.address = address;
        Some(Vec::from([pass]))
    }

    fn pass(&self, technique: usize, number: usize, pass: &fx2::Pass) -> Pass {
        let address = format!("{}technique{technique}/pass{number}", self.above);
        let mut out = Pass { address, ..Pass::default() };
        for state in &pass.states {
            match state.name() {
                Some("VertexShader") => out.vertex = self.program(state, &mut out.findings),
                Some("PixelShader") => out.fragment = self.program(state, &mut out.findings),
                Some(name) => out.states.extend(self.setting(name, state, &mut out.findings)),
                None => {}
            }
        }
        out.samplers = self.samplers(&mut out.findings);
        out.constants = self.values.constants();
        out.names = self.names();
        let name = |name: Option<&str>, other: String| {
            name.filter(|name| !name.is_empty()).map_or(other, String::from)
        };
        let of = self.effect.techniques.get(technique).and_then(|technique| technique.name.as_deref());
        let of = name(of, format!("technique{technique}"));
        let own = name(pass.name.as_deref(), format!("pass{number}"));
        let programs: Vec<&str> =
            [&out.vertex, &out.fragment].into_iter().flatten().map(|address| self.called(address)).collect();
        out.title = format!("{of}/{own}: {}", programs.join(", "));
        out
    }

    fn names(&self) -> Vec<String> {
        self.effect.parameters.iter().filter_map(|parameter| parameter.ty.name.clone()).collect()
    }

    /// What the effect calls a program, of a pass or an element of an array.
    fn called<'s>(&'s self, address: &'s str) -> &'s str {
        let own = address.strip_prefix(&*self.above).unwrap_or(address);
        let entry = self.container.entries().iter().find(|entry| entry.address == own);
        let alias = entry.and_then(|entry| entry.aliases.first()).filter(|_| own.starts_with("param"));
        alias.map_or(own, String::as_str)
    }

    /// The address of the program that a state is set to; none if that has no code.
    fn program(&self, state: &fx2::State, findings: &mut Vec<Diagnostic>) -> Option<String> {
        let object = match state.object {
            Some(n) => self.effect.objects.get(n)?,
            None => match state.value[..] {
                [Element::Object(id), ..] => self.effect.object(id)?,
                _ => return None,
            },
        };
        let bytes = self.container.file().get(object.range.clone())?;
        let object = match object.usage {
            1 => {
                let name = core::str::from_utf8(bytes.split(|&byte| byte == 0).next()?).ok()?;
                // An element of an array is named with its number.
                let element = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
                match element.and_then(|(name, n)| Some((name, n.parse().ok()?))) {
                    Some((name, n)) => self.of_array(name, n)?,
                    None => self.of_array(name, 0)?,
                }
            }
            2 => {
                let (array, expression) = fx2::selector(bytes)?;
                let number = self.values.evaluated(bytes.get(expression..)?);
                let number = number.map_err(|finding| findings.push(finding)).ok()?;
                // Cut off towards zero, as Wine's D3DX does; a negative one is no element.
                self.of_array(array, number[0] as usize)?
            }
            _ => object,
        };
        let address = self.addresses.get(&object.range.start).filter(|_| !object.range.is_empty())?;
        Some(format!("{}{address}", self.above))
    }

    /// The program that is an element of a parameter.
    fn of_array(&self, name: &str, element: usize) -> Option<&'a fx2::Object> {
        match self.effect.parameter(name)?.value.get(element)? {
            Element::Object(id) => self.effect.object(*id),
            _ => None,
        }
    }

    fn samplers(&self, findings: &mut Vec<Diagnostic>) -> Vec<Sampler> {
        let mut out = Vec::new();
        for parameter in self.effect.parameters.iter().filter(|parameter| parameter.ty.base.is_sampler()) {
            let name = parameter.ty.name.clone().unwrap_or_default();
            for (n, element) in parameter.value.iter().enumerate() {
                let Element::Sampler(states) = element else { continue };
                let name = if parameter.ty.elements > 0 { format!("{name}[{n}]") } else { name.clone() };
                let mut sampler = Sampler { name, texture: None, states: Vec::new() };
                for state in states {
                    match state.name() {
                        Some("Texture") => sampler.texture = self.reference(state),
                        Some(name) => sampler.states.extend(self.setting(name, state, findings)),
                        None => {}
                    }
                }
                out.push(sampler);
            }
        }
        out
    }

    /// The name of the parameter that a state is set to.
    fn reference(&self, state: &fx2::State) -> Option<String> {
        let object = self.effect.objects.get(state.object?).filter(|object| object.usage == 1)?;
        let bytes = self.container.file().get(object.range.clone())?;
        let name = bytes.split(|&byte| byte == 0).next()?;
        core::str::from_utf8(name).ok().map(|name| name.to_string())
    }

    /// What a state is set to, if it is numbers or an expression.
    fn setting(
        &self,
        name: &'static str,
        state: &fx2::State,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Setting> {
        let value = match state.object.and_then(|n| self.effect.objects.get(n)) {
            Some(object) if object.usage == 0 => {
                let bytes = self.container.file().get(object.range.clone())?;
                let value = self.values.evaluated(bytes).map_err(|finding| findings.push(finding)).ok()?;
                let lanes = (state.ty.columns.max(1) as usize).min(4);
                value.iter().take(lanes).map(|&lane| f64::from(lane)).collect()
            }
            Some(_) => return None,
            None => state.ty.numbers(&state.value),
        };
        // Samplers have a bit there whose meaning is not known.
        (!value.is_empty()).then_some(Setting { name, index: state.index & !0x100, value })
    }
}
