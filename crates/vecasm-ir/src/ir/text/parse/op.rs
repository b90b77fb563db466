//! Operations.

use super::super::kind::Kind;
use super::super::literal;
use super::lex::quoted;
use super::{Parser, Result_, Table};
use crate::ir::op::constant_of;
use crate::ir::{
    Arith, At, Atomic, BufferId, ImageId, InputId, Inst, LocalId, Lod, Memory, Op, OutOfRange, OutputId,
    ParamId, Pick, Pure, Rule, Scalar, Site, Slope, StateId, TextureId, Type, Value, ValueInfo, Vote,
};
use crate::operand::LANES;
use alloc::format;

/// What stands in square brackets behind a name.
pub(super) enum Bracket {
    /// No brackets.
    None,
    /// `[3]`
    Element(u32),
    /// `[+3]`
    Offset(i32),
    /// `[+3 of 8]`
    At(i32, u32),
    /// `[of 8]`
    Of(u16),
}

/// Which element of an array is meant.
enum Element {
    /// That one.
    Fixed(u32),
    /// That many behind a computed index, with the rule if there is one.
    Computed(i32, Option<OutOfRange>),
}

/// The words behind the name of an operation, with dots before them. Those that are understood are taken out.
struct Attributes<'a> {
    words: [&'a str; Attributes::MOST],
}

impl<'a> Attributes<'a> {
    /// No operation has more.
    const MOST: usize = 8;

    fn take<T>(&mut self, named: impl Fn(&str) -> Option<T>) -> Option<T> {
        for word in self.words.iter_mut().filter(|word| !word.is_empty()) {
            if let Some(found) = named(word) {
                *word = "";
                return Some(found);
            }
        }
        None
    }

    fn flag(&mut self, wanted: &str) -> bool {
        self.take(|word| (word == wanted).then_some(())).is_some()
    }

    fn left(&self) -> Option<&'a str> {
        self.words.into_iter().find(|word| !word.is_empty())
    }
}

impl<'a> Parser<'a> {
    /// `name.attribute reference arguments [: type] [step n] [home r]`; what stands before `=` is known.
    pub(super) fn inst(&mut self, result: Option<Value>) -> Result_<Inst> {
        let name = self.c.word();
        if name.is_empty() {
            return self.c.want("an operation");
        }
        // The literals of a constant wait for its type, the attributes for what the name says.
        let mut attributes = self.attributes(name)?;
        let arith = Arith {
            rule: attributes.take(Rule::named).unwrap_or_default(),
            flush: attributes.flag("flush"),
            precise: attributes.flag("precise"),
        };
        let mut literals = [""; 4];
        let mut op = match Kind::named(name) {
            Some(kind) => self.op(kind, &mut attributes, &mut literals)?,
            None => match Pure::named(name) {
                Some(pure) => Op::Pure(pure),
                None => return self.c.fail(format!("{} is not an operation", quoted(name))),
            },
        };
        if let Some(word) = attributes.left() {
            return self.c.fail(format!("{} does not belong to `{name}`", quoted(word)));
        }
        let args = self.args()?;
        let ty = if self.c.at(':') { Some(self.typed()?) } else { None };
        let step = if self.c.keyword("step") { self.c.number()? } else { 0 };
        let home = if self.c.keyword("home") { Some(self.home()?) } else { None };
        match (&mut op, ty) {
            (Op::Const(bits), Some(ty)) => *bits = self.constant(&literals, ty)?,
            (Op::LoadMemory { lanes, .. }, Some(ty)) => *lanes = ty.lanes,
            _ => {}
        }
        match (result, ty) {
            (Some(value), Some(ty)) => self.define(value, ValueInfo { ty, home }),
            (None, None) if home.is_none() => {}
            (Some(_), None) => return self.c.want("`:` and the type of the result"),
            (None, _) => {
                return self.c.fail("a type and a home belong to a result, but the operation has none");
            }
        }
        Ok(Inst { op, arith, result, args, step })
    }

    /// The attributes behind a name: `.word`, or `.word(number)`.
    fn attributes(&mut self, name: &str) -> Result_<Attributes<'a>> {
        let mut words = [""; Attributes::MOST];
        let mut n = 0;
        while self.c.tight('.') {
            let word = self.c.attribute()?;
            match words.get_mut(n) {
                Some(slot) => *slot = word,
                None => return self.c.fail(format!("{} has too many attributes", quoted(name))),
            }
            n += 1;
        }
        Ok(Attributes { words })
    }

    fn constant(&mut self, literals: &[&str; 4], ty: Type) -> Result_<[u32; 4]> {
        let given = literals.iter().position(|word| word.is_empty()).unwrap_or(literals.len());
        if given != usize::from(ty.lanes) {
            return self.c.fail(format!("a constant has as many numbers as lanes; found {given}"));
        }
        let mut lanes = [0; 4];
        for (lane, word) in lanes.iter_mut().zip(&literals[..given]) {
            match literal::read(word, ty.scalar) {
                Some(bits) => *lane = bits,
                None => {
                    return self.c.fail(format!("{} is not a value of {}", quoted(word), ty.scalar.name()));
                }
            }
        }
        match constant_of(&lanes[..given], ty.scalar) {
            Some(bits) => Ok(bits),
            None => self.c.fail("a constant of 64-bit lanes has at most two lanes"),
        }
    }

    /// What stands in square brackets, if they follow without a blank.
    pub(super) fn bracket(&mut self) -> Result_<Bracket> {
        if !self.c.tight('[') {
            return Ok(Bracket::None);
        }
        let bracket = if self.c.keyword("of") {
            Bracket::Of(self.c.number()?)
        } else if let Some(offset) = self.c.signed()? {
            if self.c.keyword("of") { Bracket::At(offset, self.c.number()?) } else { Bracket::Offset(offset) }
        } else {
            Bracket::Element(self.c.number()?)
        };
        self.c.expect(']')?;
        Ok(bracket)
    }

    /// A cell of a table: the number of the first one and, of a run, where in it.
    fn cell(&mut self, table: Table, attributes: &mut Attributes<'a>) -> Result_<(u32, Option<At>)> {
        let id = self.reference(table)?;
        match (self.bracket()?, attributes.take(OutOfRange::named)) {
            (Bracket::None, None) => Ok((id, None)),
            (Bracket::At(offset, count), Some(rule)) => Ok((id, Some(At { count, offset, rule }))),
            (Bracket::At(..), None) => self.no_rule(),
            (_, Some(_)) => self.c.fail("an out-of-range rule needs a run: `name[±n of count]`"),
            _ => self.c.fail("a run of cells is written `[±n of count]`"),
        }
    }

    fn no_rule<T>(&mut self) -> Result_<T> {
        self.c.fail("a computed index needs an out-of-range rule: `.zero`, `.clamp` or `.undefined`")
    }

    /// An element of an array: fixed, or at an offset from a computed index with its rule.
    fn element(&mut self, table: Table, attributes: &mut Attributes<'a>) -> Result_<(u32, Element)> {
        let id = self.reference(table)?;
        match (self.bracket()?, attributes.take(OutOfRange::named)) {
            (Bracket::Element(index), None) => Ok((id, Element::Fixed(index))),
            (Bracket::Offset(offset), rule) => Ok((id, Element::Computed(offset, rule))),
            (Bracket::Element(_), Some(_)) => {
                self.c.fail("an out-of-range rule needs a computed index: `name[±n]`")
            }
            _ => self
                .c
                .fail("an element of an array is written `name[n]` or, with a computed index, `name[±n]`"),
        }
    }

    /// How a binding is chosen.
    fn pick(&mut self, attributes: &mut Attributes<'a>) -> Result_<Pick> {
        match (self.bracket()?, attributes.flag("handle")) {
            (Bracket::None, false) => Ok(Pick::Fixed),
            (Bracket::None, true) => Ok(Pick::Handle),
            (Bracket::Of(count), false) => Ok(Pick::Index { count }),
            (_, true) => self.c.fail("a handle does not select from a run"),
            (_, false) => self.c.fail("a run of bindings is written `[of count]`"),
        }
    }

    fn texture_pick(&mut self, attributes: &mut Attributes<'a>) -> Result_<(TextureId, Pick)> {
        let texture = TextureId(self.reference(Table::Textures)?);
        Ok((texture, self.pick(attributes)?))
    }

    fn image_pick(&mut self, attributes: &mut Attributes<'a>) -> Result_<(ImageId, Pick)> {
        let image = ImageId(self.reference(Table::Images)?);
        Ok((image, self.pick(attributes)?))
    }

    fn memory_pick(&mut self, attributes: &mut Attributes<'a>) -> Result_<(Memory, Pick)> {
        let memory = match self.memory()? {
            Some(id) => Memory::Buffer(BufferId(id)),
            None => Memory::Shared,
        };
        Ok((memory, self.pick(attributes)?))
    }

    /// An attribute that must stand behind the name.
    fn needed<T>(
        &mut self,
        attributes: &mut Attributes<'a>,
        kind: Kind,
        named: impl Fn(&str) -> Option<T>,
    ) -> Result_<T> {
        match attributes.take(named) {
            Some(found) => Ok(found),
            None => {
                let form = kind.forms().first().map_or("", |(_, form)| form);
                self.c.fail(format!("`{}` lacks an attribute: `{form}`", kind.name()))
            }
        }
    }

    fn lod(&mut self, attributes: &mut Attributes<'a>) -> Result_<Lod> {
        let fixed = attributes.take(|word| {
            let bias = word.strip_prefix("bias(")?.strip_suffix(')')?;
            let bits = literal::read(bias, Scalar::F32)?;
            Some(f32::from_bits(bits as u32))
        });
        if let Some(bias) = fixed {
            let eighths = bias * 8.0;
            if !(-128.0..=127.0).contains(&eighths) || f32::from(eighths as i8) != eighths {
                return self.c.fail(format!("a bias of {bias} is not a multiple of 1/8 in -16..15.875"));
            }
            return Ok(Lod::Implicit { bias_eighths: eighths as i8 });
        }
        let lod = attributes.take(|word| match word {
            "bias" => Some(Lod::Bias),
            "level" => Some(Lod::Level),
            "gradient" => Some(Lod::Gradient),
            _ => None,
        });
        Ok(lod.unwrap_or(Lod::Implicit { bias_eighths: 0 }))
    }

    /// An operation that is not pure: its attributes and what it names.
    fn op(
        &mut self,
        kind: Kind,
        attributes: &mut Attributes<'a>,
        literals: &mut [&'a str; 4],
    ) -> Result_<Op> {
        Ok(match kind {
            Kind::Const => {
                for slot in literals.iter_mut() {
                    *slot = self.c.literal();
                    if slot.is_empty() {
                        break;
                    }
                }
                if !self.c.at(':') {
                    return self.c.want("a number, or `:` and the type of the constant");
                }
                Op::Const([0; 4])
            }
            Kind::Compose => Op::Compose,
            Kind::Input => match self.cell(Table::Inputs, attributes)? {
                (id, None) => Op::Input(InputId(id)),
                (first, Some(at)) => Op::InputAt { first: InputId(first), at },
            },
            Kind::InputOf => {
                let (first, at) = self.cell(Table::Inputs, attributes)?;
                Op::InputOf { first: InputId(first), at }
            }
            Kind::Interpolate => {
                let site = self.needed(attributes, kind, Site::named)?;
                Op::Interpolate { input: InputId(self.reference(Table::Inputs)?), site }
            }
            Kind::Load => match self.cell(Table::Outputs, attributes)? {
                (id, None) => Op::LoadOutput(OutputId(id)),
                (first, Some(at)) => Op::LoadOutputAt { first: OutputId(first), at },
            },
            Kind::LoadOf => {
                let (first, at) = self.cell(Table::Outputs, attributes)?;
                Op::LoadOutputOf { first: OutputId(first), at }
            }
            Kind::Store => {
                let (id, at) = self.cell(Table::Outputs, attributes)?;
                let (id, mask) = (OutputId(id), self.mask()?);
                match at {
                    None => Op::StoreOutput { output: id, mask },
                    Some(at) => Op::StoreOutputAt { first: id, at, mask },
                }
            }
            Kind::Param => {
                let (id, element) = self.element(Table::Params, attributes)?;
                let array = ParamId(id);
                match element {
                    Element::Fixed(index) => Op::Param { array, index },
                    Element::Computed(offset, Some(rule)) => Op::ParamAt { array, offset, rule },
                    Element::Computed(_, None) => return self.no_rule(),
                }
            }
            Kind::StoreParam => {
                let (id, element) = self.element(Table::Params, attributes)?;
                let (array, mask) = (ParamId(id), self.mask()?);
                match element {
                    Element::Fixed(index) => Op::StoreParam { array, index, mask },
                    Element::Computed(offset, None) => Op::StoreParamAt { array, offset, mask },
                    Element::Computed(_, Some(_)) => {
                        return self.c.fail(
                            "stores outside a parameter array are dropped; they have no out-of-range rule",
                        );
                    }
                }
            }
            Kind::LoadLocal => {
                let (id, element) = self.element(Table::Locals, attributes)?;
                let array = LocalId(id);
                match element {
                    Element::Fixed(index) => Op::LoadLocal { array, index },
                    Element::Computed(offset, Some(rule)) => Op::LoadLocalAt { array, offset, rule },
                    Element::Computed(_, None) => return self.no_rule(),
                }
            }
            Kind::StoreLocal => {
                let (id, element) = self.element(Table::Locals, attributes)?;
                let (array, mask) = (LocalId(id), self.mask()?);
                match element {
                    Element::Fixed(index) => Op::StoreLocal { array, index, mask },
                    Element::Computed(offset, Some(rule)) => Op::StoreLocalAt { array, offset, mask, rule },
                    Element::Computed(_, None) => return self.no_rule(),
                }
            }
            Kind::State => Op::State(StateId(self.reference(Table::States)?)),
            Kind::Sample => {
                let lod = self.lod(attributes)?;
                let (compare, offset) = (attributes.flag("compare"), attributes.flag("offset"));
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::Sample { texture, lod, compare, offset, pick }
            }
            Kind::Gather => {
                let lane = |word: &str| LANES.iter().position(|lane| word.chars().eq([*lane]));
                let component = self.needed(attributes, kind, lane)? as u8;
                let (compare, offset) = (attributes.flag("compare"), attributes.flag("offset"));
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::Gather { texture, component, compare, offset, pick }
            }
            Kind::Fetch => {
                let offset = attributes.flag("offset");
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::Fetch { texture, offset, pick }
            }
            Kind::TextureSize => {
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::TextureSize { texture, pick }
            }
            Kind::TextureLod => {
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::TextureLod { texture, pick }
            }
            Kind::TextureSamples => {
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::TextureSamples { texture, pick }
            }
            Kind::SamplePosition => {
                let (texture, pick) = self.texture_pick(attributes)?;
                Op::SamplePosition { texture, pick }
            }
            Kind::LoadMemory => {
                let (memory, pick) = self.memory_pick(attributes)?;
                // The number of lanes is that of the type.
                Op::LoadMemory { memory, lanes: 0, pick }
            }
            Kind::StoreMemory => {
                let (memory, pick) = self.memory_pick(attributes)?;
                Op::StoreMemory { memory, mask: self.mask()?, pick }
            }
            Kind::AtomicMemory => {
                let atomic = self.needed(attributes, kind, Atomic::named)?;
                let (memory, pick) = self.memory_pick(attributes)?;
                Op::AtomicMemory { memory, atomic, pick }
            }
            Kind::MemorySize => {
                let (memory, pick) = self.memory_pick(attributes)?;
                Op::MemorySize { memory, pick }
            }
            Kind::LoadImage => {
                let (image, pick) = self.image_pick(attributes)?;
                Op::LoadImage { image, pick }
            }
            Kind::StoreImage => {
                let (image, pick) = self.image_pick(attributes)?;
                Op::StoreImage { image, pick }
            }
            Kind::AtomicImage => {
                let atomic = self.needed(attributes, kind, Atomic::named)?;
                let (image, pick) = self.image_pick(attributes)?;
                Op::AtomicImage { image, atomic, pick }
            }
            Kind::ImageSize => {
                let (image, pick) = self.image_pick(attributes)?;
                Op::ImageSize { image, pick }
            }
            Kind::Framebuffer => Op::Framebuffer { target: self.c.number()? },
            Kind::Ddx => Op::Ddx(attributes.take(Slope::named).unwrap_or_default()),
            Kind::Ddy => Op::Ddy(attributes.take(Slope::named).unwrap_or_default()),
            Kind::Demote => Op::Demote,
            Kind::IsHelper => Op::IsHelper,
            Kind::Barrier => Op::Barrier,
            Kind::Fence => Op::Fence,
            Kind::Vote => Op::Vote(self.needed(attributes, kind, Vote::named)?),
            Kind::Ballot => Op::Ballot,
            Kind::ReadFirst => Op::ReadFirst,
            Kind::ReadInvocation => Op::ReadInvocation,
            Kind::Clock => Op::Clock,
            Kind::EmitVertex => Op::EmitVertex { stream: self.c.number()? },
            Kind::EndPrimitive => Op::EndPrimitive { stream: self.c.number()? },
            Kind::Mark => Op::Mark(self.c.number()?),
        })
    }
}
