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
use crate::container::{Address, Budget, Container, Detail, Entry, Format, Kind, Limits, find, visit};
use crate::diag::Diagnostic;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use values::Parameters;

pub use listing::listing;

/// What of an effect is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Draw {
    /// The passes, one over the other.
    pub passes: Vec<Pass>,
    /// The samplers of the effect.
    pub samplers: Vec<Sampler>,
    /// The parameters of the effect that have a default other than zeros, which compilers write where the source says nothing.
    pub constants: Vec<Constant>,
    /// The names of all parameters.
    pub names: Vec<String>,
    /// What could not be evaluated.
    pub findings: Vec<Diagnostic>,
}

/// A pass of an effect, or a program of one that is drawn on its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// Its address in the file: `technique0/pass1`, or that of the program.
    pub address: String,
    /// What is drawn, for people: `Blur/P1: VSArray[0], PSArray[2]`. Empty for a program.
    pub title: String,
    /// The address of its vertex program; `None` if it sets none.
    pub vertex: Option<String>,
    /// The address of its pixel program; `None` if it sets none.
    pub fragment: Option<String>,
    /// What it sets but the programs.
    pub states: Vec<Setting>,
}

impl Pass {
    const fn has_program(&self) -> bool {
        self.vertex.is_some() || self.fragment.is_some()
    }
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

/// What an address means of an effect in a file. Without one it is the passes of the first technique that has a program; of a
/// technique all passes that have one; of a program its pass with that program alone. `None` if the file has no effect, or several
/// of which the address chooses none.
///
/// Parameters of the effect have the numbers that `given` has for their names, row by row and element by element, in place of their
/// defaults.
///
/// # Errors
///
/// What is wrong with the file, or with the address.
pub fn draw(
    file: &[u8],
    address: Option<&str>,
    given: &[(String, Vec<f64>)],
    limits: Limits,
) -> Result<Option<Draw>, Diagnostic> {
    let mut budget = Budget::new(limits);
    let container = Container::read(file, &mut budget)?;
    let address = address.map(Address::parse).unwrap_or_default();
    let effects = effects(&container, &mut budget)?;
    // What is asked for in an effect; without anything the file has to have one alone.
    let (effect, asked, error) = match (&effects[..], address.split_last()) {
        ([], _) => return Ok(None),
        ([only], None) => (only.clone(), None, None),
        (_, None) => return Ok(None),
        (all, Some((above, last))) => {
            let entry = find(&container, &address, &mut budget, &mut |found| {
                (found.address.clone(), found.entry.kind == Kind::Container(Format::Fx2))
            });
            match entry {
                Ok((effect, true)) => (effect, None, None),
                Ok((entry, false)) => match entry.split_last() {
                    Some((effect, entry)) => (effect, Some(entry.to_string()), None),
                    None => return Ok(None),
                },
                // Techniques and passes are no entries.
                Err(error) => {
                    let effect = match all {
                        [only] if above.parts().is_empty() => Some(only.clone()),
                        _ => find(&container, &above, &mut budget, &mut |found| found.address.clone()).ok(),
                    };
                    let Some(effect) = effect else { return Err(error) };
                    (effect, Some(last.to_string()), Some(error))
                }
            }
        }
    };
    if !effects.contains(&effect) {
        return error.map_or(Ok(None), Err);
    }
    let draw = |inner: &Container<'_>, address: &Address| {
        let effect = effect_of(inner, given)?;
        let mut reader = Reader::new(inner, &effect, address);
        let passes = match &asked {
            None => reader.first(),
            Some(step) if error.is_some() => reader.of_technique(step)?,
            Some(entry) => reader.of_program(entry)?,
        };
        Some(reader.draw(passes))
    };
    let draw = if effect.parts().is_empty() {
        draw(&container, &effect)
    } else {
        find(&container, &effect, &mut budget, &mut |found| {
            let inner = Container::read(found.bytes, &mut Budget::new(limits))?;
            Ok(draw(&inner, found.address))
        })??
    };
    match (draw, error) {
        (None, Some(error)) => Err(error),
        (draw, error) => Ok(draw.filter(|draw| error.is_some() || !draw.passes.is_empty())),
    }
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
    /// The address of the effect, with what leads on into it.
    above: String,
    /// The entries, by where they begin.
    entries: BTreeMap<usize, &'a Entry>,
    /// The parameters, by name.
    parameters: Parameters<'a>,
    findings: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn new(container: &'a Container<'a>, effect: &'a fx2::Effect, address: &Address) -> Self {
        let above = if address.parts().is_empty() { String::new() } else { format!("{address}::") };
        let entries = container.entries().iter().map(|entry| (entry.part.range().start, entry)).collect();
        // Of several with one name the first counts.
        let named = effect.parameters.iter().rev().filter_map(|one| Some((one.ty.name.as_deref()?, one)));
        Self { container, effect, above, entries, parameters: named.collect(), findings: Vec::new() }
    }

    /// Those passes, with what the effect says of all.
    fn draw(mut self, passes: Vec<Pass>) -> Draw {
        Draw {
            passes,
            samplers: self.samplers(),
            constants: values::constants(self.effect),
            names: self.effect.parameters.iter().filter_map(|parameter| parameter.ty.name.clone()).collect(),
            findings: self.findings,
        }
    }

    /// The passes of the first technique that has a program.
    fn first(&mut self) -> Vec<Pass> {
        for technique in 0..self.effect.techniques.len() {
            let passes = self.technique(technique);
            if !passes.is_empty() {
                return passes;
            }
        }
        Vec::new()
    }

    /// The passes of a technique that have a program.
    fn technique(&mut self, number: usize) -> Vec<Pass> {
        let count = self.effect.techniques.get(number).map_or(0, |technique| technique.passes.len());
        (0..count).filter_map(|pass| self.pass(number, pass)).filter(Pass::has_program).collect()
    }

    /// The passes that `technique0`, `Blur` or `Blur/P1` mean.
    fn of_technique(&mut self, address: &str) -> Option<Vec<Pass>> {
        let is = |text: &str, kind: &str, n: usize, name: &Option<String>| {
            text == format!("{kind}{n}")
                || name.as_ref().is_some_and(|name| Address::encode(name).eq_ignore_ascii_case(text))
        };
        let (technique, pass) = address.split_once('/').map_or((address, None), |(t, p)| (t, Some(p)));
        let mut techniques = self.effect.techniques.iter().enumerate();
        let (number, found) = techniques.find(|(n, found)| is(technique, "technique", *n, &found.name))?;
        let Some(pass) = pass else { return Some(self.technique(number)) };
        let n = found.passes.iter().enumerate().position(|(n, found)| is(pass, "pass", n, &found.name))?;
        self.pass(number, n).map(|pass| Vec::from([pass]))
    }

    /// The program of an entry, with the states of the first pass that uses it.
    fn of_program(&mut self, entry: &str) -> Option<Vec<Pass>> {
        let entry = &self.container.entries()[self.container.entry(entry).ok()?];
        if !entry.is_program() {
            return None;
        }
        let address = format!("{}{}", self.above, entry.address);
        let mut techniques = (0..self.effect.techniques.len()).map(|number| self.technique(number));
        let uses = |pass: &Pass| [&pass.vertex, &pass.fragment].contains(&&Some(address.clone()));
        let using = techniques.find_map(|passes| passes.into_iter().find(uses));
        // What other passes set says nothing here.
        self.findings.clear();
        let is_vertex = entry.stage == Some(crate::ir::Stage::Vertex);
        let program = Some(address.clone());
        let (vertex, fragment) = if is_vertex { (program, None) } else { (None, program) };
        let states = using.map(|pass| pass.states).unwrap_or_default();
        Some(Vec::from([Pass { address, vertex, fragment, states, ..Pass::default() }]))
    }

    fn pass(&mut self, technique: usize, number: usize) -> Option<Pass> {
        let of = self.effect.techniques.get(technique)?;
        let pass = of.passes.get(number)?;
        let address = format!("{}technique{technique}/pass{number}", self.above);
        let mut out = Pass { address, ..Pass::default() };
        let mut programs = Vec::new();
        for state in &pass.states {
            match state.name() {
                Some(name @ ("VertexShader" | "PixelShader")) => {
                    let program = self.program(state);
                    programs.extend(program.map(called));
                    let address = program.map(|entry| format!("{}{}", self.above, entry.address));
                    if name == "VertexShader" { out.vertex = address } else { out.fragment = address }
                }
                Some(name) => out.states.extend(self.setting(name, state)),
                None => {}
            }
        }
        let name = |name: &Option<String>, other: String| {
            name.clone().filter(|name| !name.is_empty()).unwrap_or(other)
        };
        let technique = name(&of.name, format!("technique{technique}"));
        let own = name(&pass.name, format!("pass{number}"));
        out.title = format!("{technique}/{own}: {}", programs.join(", "));
        Some(out)
    }

    /// The program that a state is set to; none if that has no code.
    fn program(&mut self, state: &fx2::State) -> Option<&'a Entry> {
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
                let name = fx2::reference(bytes)?;
                // An element of an array is named with its number.
                let element = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
                match element.and_then(|(name, n)| Some((name, n.parse().ok()?))) {
                    Some((name, n)) => self.of_array(name, n)?,
                    None => self.of_array(name, 0)?,
                }
            }
            2 => {
                let (array, expression) = fx2::selector(bytes)?;
                let number = self.evaluated(bytes.get(expression..)?)?;
                // Cut off towards zero, as Wine's D3DX does; a negative one is no element.
                self.of_array(array, usize::try_from(number[0] as i64).ok()?)?
            }
            _ => object,
        };
        self.entries.get(&object.range.start).copied().filter(|_| !object.range.is_empty())
    }

    /// The program that is an element of a parameter.
    fn of_array(&self, name: &str, element: usize) -> Option<&'a fx2::Object> {
        match self.parameters.get(name)?.value.get(element)? {
            Element::Object(id) => self.effect.object(*id),
            _ => None,
        }
    }

    /// What an expression gives; why it gives nothing is a finding.
    fn evaluated(&mut self, stream: &[u8]) -> Option<[f32; 4]> {
        values::evaluated(&self.parameters, stream).map_err(|finding| self.findings.push(finding)).ok()
    }

    fn samplers(&mut self) -> Vec<Sampler> {
        let mut out = Vec::new();
        for parameter in self.effect.parameters.iter().filter(|parameter| parameter.ty.base.is_sampler()) {
            let name = parameter.ty.name.clone().unwrap_or_default();
            for (n, element) in parameter.value.iter().enumerate() {
                let Element::Sampler(states) = element else { continue };
                let name = if parameter.ty.elements > 0 { format!("{name}[{n}]") } else { name.clone() };
                let mut sampler = Sampler { name, texture: None, states: Vec::new() };
                for state in states {
                    match state.name() {
                        Some("Texture") => sampler.texture = self.texture(state),
                        Some(name) => sampler.states.extend(self.setting(name, state)),
                        None => {}
                    }
                }
                out.push(sampler);
            }
        }
        out
    }

    /// The name of the parameter that a state is set to.
    fn texture(&self, state: &fx2::State) -> Option<String> {
        let object = self.effect.objects.get(state.object?).filter(|object| object.usage == 1)?;
        fx2::reference(self.container.file().get(object.range.clone())?).map(String::from)
    }

    /// What a state is set to, if it is numbers or an expression.
    fn setting(&mut self, name: &'static str, state: &fx2::State) -> Option<Setting> {
        let value = match state.object.and_then(|n| self.effect.objects.get(n)) {
            Some(object) if object.usage == 0 => {
                let value = self.evaluated(self.container.file().get(object.range.clone())?)?;
                let lanes = (state.ty.columns.max(1) as usize).min(4);
                value.iter().take(lanes).map(|&lane| f64::from(lane)).collect()
            }
            Some(_) => return None,
            None => state.ty.numbers(&state.value),
        };
        (!value.is_empty()).then_some(Setting { name, index: state.number(), value })
    }
}

/// What an effect calls a program: the element of an array by its name.
fn called(entry: &Entry) -> &str {
    let alias = entry.aliases.first().filter(|_| entry.address.starts_with("param"));
    alias.unwrap_or(&entry.address)
}
