//! Why a colour is black, or cut off: the way back from a zero to the factor, the clamp or the constant that made it.

use super::findings::{Gathered, Group, Source};
use super::flow::{Dependence, Site};
use super::words::{self, Names};
use super::{At, Cause, Finding, Role, Station};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use vecasm_ir::diag::Severity;
use vecasm_ir::ir::{Op, OutputId, OutputKind, Pure, Scalar, Shader, Stage};

/// The longest way back.
const FURTHEST: usize = 64;

/// What became of the colour of one output.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    output: u32,
    /// Invocations that were looked at.
    seen: usize,
    /// Those with a colour whose red, green and blue are 0 or less.
    black: usize,
    /// Those whose red, green and blue are cut off at 1.
    white: usize,
    /// The story of the first black one, and its place.
    story: Option<(usize, ZeroStory)>,
    /// The first one cut off, and the step that wrote it.
    cut: Option<(usize, At, String)>,
    /// Whether a black or a cut off colour rests on values that are made up.
    made_up: bool,
}

/// Why a lane is zero.
#[derive(Clone, Debug, Default)]
struct ZeroStory {
    at: Option<At>,
    trail: Vec<Station>,
    why: String,
    /// It comes down to a value that is made up.
    made_up: bool,
}

impl Group<'_, '_> {
    /// Looks at the colours of the group.
    pub(super) fn colours(&self, out: &mut Gathered) {
        let flow = self.flow;
        if flow.shader.stage != Stage::Fragment || flow.truncated {
            return;
        }
        for (id, output) in flow.shader.outputs.iter().enumerate() {
            if !matches!(output.kind, OutputKind::Color { target: 0 }) || output.scalar != Scalar::F32 {
                continue;
            }
            for invocation in self.invocations() {
                let sites: Vec<Site> =
                    (0..3).filter_map(|lane| flow.output(OutputId(id as u32), lane, invocation)).collect();
                if sites.len() < 3 {
                    continue;
                }
                let values: Vec<f32> = sites.iter().map(|site| f32::from_bits(flow.bits(*site))).collect();
                let black = values.iter().all(|v| *v <= 0.0);
                let white = values.iter().all(|v| *v > 1.0);
                let at = match out.colours.iter().position(|c| c.output == id as u32) {
                    Some(at) => at,
                    None => {
                        out.colours.push(Colours { output: id as u32, ..Colours::default() });
                        out.colours.len() - 1
                    }
                };
                let Some(colours) = out.colours.get_mut(at) else { continue };
                colours.seen += 1;
                colours.black += usize::from(black);
                colours.white += usize::from(white);
                let number = flow.first + invocation as usize;
                if black && colours.story.is_none() {
                    colours.story = sites.first().map(|site| (number, self.zero(*site)));
                    colours.made_up |= colours.story.as_ref().is_some_and(|(_, told)| told.made_up);
                }
                if white && colours.cut.is_none() {
                    let step = sites.first().and_then(|site| self.steps.around(site.event));
                    let shown: Vec<String> = sites.iter().map(|site| self.number(*site)).collect();
                    colours.made_up |= sites.iter().any(|site| self.is_made_up(*site));
                    colours.cut = step.map(|step| (number, self.at(step), shown.join(", ")));
                }
            }
        }
    }

    /// The way back from a zero.
    fn zero(&self, root: Site) -> ZeroStory {
        let mut told = ZeroStory::default();
        let end = self.back(root, &mut told);
        told.made_up |= self.is_made_up(end);
        told
    }

    /// Tells the way back from a zero, and gives its beginning.
    fn back(&self, root: Site, told: &mut ZeroStory) -> Site {
        let flow = self.flow;
        let mut site = root;
        for _ in 0..FURTHEST {
            let data: Vec<Site> = flow
                .made_of(site)
                .into_iter()
                .filter(|(_, way)| *way == Dependence::Data)
                .map(|(site, _)| site)
                .collect();
            let value = |site: &Site| f32::from_bits(flow.bits(*site));
            let zero = |site: &&Site| value(site) == 0.0;
            let op = flow.inst(site.event).map(|inst| inst.op);
            let Some(op) = op else {
                match data.first() {
                    Some(&from) => {
                        // It came by a way that was chosen.
                        told.made_up |= self.is_made_up(site) && !self.is_made_up(from);
                        site = from;
                    }
                    None => break,
                }
                continue;
            };
            let next = match op {
                Op::Pure(Pure::Mul | Pure::Fma | Pure::Dot) => data.iter().find(zero).copied(),
                Op::Pure(Pure::Saturate | Pure::Max) if data.iter().any(|from| value(from) < 0.0) => {
                    let below = data.iter().find(|from| value(from) < 0.0).copied();
                    self.station(told, site, below, "is clamped to 0");
                    return site;
                }
                Op::Pure(Pure::Lt | Pure::Ge | Pure::Eq | Pure::Ne | Pure::ToF32) => {
                    self.station(told, site, data.first().copied(), "is the result of a comparison");
                    return site;
                }
                // One of two constants, by a comparison.
                Op::Pure(Pure::Select) if data.iter().all(|from| self.is_constant(*from)) => {
                    let condition =
                        flow.made_of(site).into_iter().find(|(_, way)| *way == Dependence::Choice);
                    let compared =
                        condition.and_then(|(condition, _)| flow.made_of(condition).first().copied());
                    self.station(told, site, compared.map(|(site, _)| site), "is the result of a comparison");
                    return site;
                }
                Op::Pure(_) | Op::Compose => data.iter().find(zero).copied(),
                Op::Sample { texture, .. } => {
                    let name = flow.shader.textures.get(texture.index()).map_or("?", |t| t.name.as_str());
                    let bound = self.batch.textures.get(texture.index()).is_some_and(Option::is_some);
                    let state = if bound { "" } else { ", which is not bound," };
                    self.station(told, site, None, "");
                    told.why = format!("the texture {name}{state} returns 0 there");
                    return site;
                }
                _ => None,
            };
            let is_product = matches!(op, Op::Pure(Pure::Mul | Pure::Fma | Pure::Dot));
            if is_product && value(&site) == 0.0 {
                self.station(told, site, next, "is a factor");
            }
            match next {
                Some(from) => site = from,
                None => break,
            }
        }
        // What it comes down to.
        match self.source_of(site) {
            Some(Source::Param { array, index, set }) => {
                let name = words::lane_of(flow.shader, array, index, site.lane);
                let how = match set {
                    false => " because it is never set",
                    true if self.is_brought(array, index) => ", as the program brings it",
                    true => "",
                };
                told.why = format!("{name} is 0{how}");
            }
            Some(Source::Input { input, set }) => {
                let name = flow.shader.inputs.get(input).map_or("an input", |input| input.name.as_str());
                let how = if set { "" } else { " because it is not given" };
                told.why = format!("{name}.{} is 0{how}", words::letter(site.lane.into()));
            }
            Some(Source::Nothing) => told.why = "a register that is never written is 0".into(),
            Some(Source::Defined) => told.why = "a constant defined in the program is 0".into(),
            None => {}
        }
        if told.trail.is_empty() {
            self.station(told, site, None, "");
        }
        site
    }

    fn is_constant(&self, site: Site) -> bool {
        self.flow.inst(site.event).is_some_and(|inst| matches!(inst.op, Op::Const(_)))
    }

    /// Notes the step in which a lane became zero.
    fn station(&self, told: &mut ZeroStory, site: Site, operand: Option<Site>, how: &str) {
        let Some(step) = self.steps.around(site.event) else { return };
        let names = Names::new(self.flow, step, site.invocation);
        let at = self.at(step);
        let value = operand.map(|site| self.number(site));
        let name = operand.and_then(|site| names.of(site)).map(|(_, _, name)| name);
        let text = match (name, value) {
            (Some(name), Some(value)) => format!("{name} = {value} {how}"),
            (None, Some(value)) => format!("{value} {how}"),
            _ => format!("the value is {}", self.number(site)),
        };
        if told.why.is_empty() || how == "is a factor" {
            told.why.clone_from(&text);
        }
        told.at = Some(at);
        if told.trail.last().is_none_or(|last| last.at != at) {
            told.trail.insert(0, Station { at, role: Role::Through, text });
        }
    }
}

/// Findings about colours that all invocations share.
pub(super) fn outcome(out: &mut Gathered, shader: &Shader) {
    let mut more = Vec::new();
    for colours in &out.colours {
        let name = shader.outputs.get(colours.output as usize).map_or("?", |output| output.name.as_str());
        if let (Some((first, told)), true) = (&colours.story, colours.black == colours.seen) {
            let mut trail = told.trail.clone();
            if let Some(culprit) = trail.iter_mut().find(|station| Some(station.at) == told.at) {
                culprit.role = Role::Culprit;
            }
            more.push(Finding {
                cause: Cause::Black,
                severity: Severity::Warning,
                made_up: colours.made_up,
                message: format!("{name} is black{}: {}", everywhere(colours.seen), told.why),
                at: told.at,
                invocation: Some(*first),
                count: colours.black,
                trail,
                notes: Vec::new(),
            });
        }
        if let (Some((first, at, shown)), true) = (&colours.cut, colours.white == colours.seen) {
            more.push(Finding {
                cause: Cause::Clamped,
                severity: Severity::Warning,
                made_up: colours.made_up,
                message: format!(
                    "{name} is white{}: every component of the colour is above 1",
                    everywhere(colours.seen)
                ),
                at: Some(*at),
                invocation: Some(*first),
                count: colours.white,
                trail: vec![Station {
                    at: *at,
                    role: Role::Culprit,
                    text: format!("the colour is ({shown}), which the target clamps to 0..1"),
                }],
                notes: Vec::new(),
            });
        }
    }
    out.findings.extend(more);
}

fn everywhere(seen: usize) -> &'static str {
    if seen > 1 { " in every invocation" } else { "" }
}
