//! Operations.

use super::super::literal;
use super::lex::quoted;
use super::{Parser, Result_, Table};
use crate::ir::op::effects::{Kind, Slot, Subject};
use crate::ir::op::{Element, Parts, Place, constant_of};
use crate::ir::{
    Arith, At, Atomic, BufferId, ImageId, InputId, Inst, LocalId, Lod, Memory, Op, OutOfRange, OutputId,
    ParamId, Pick, Pure, Rule, Scalar, Site, Slope, StateId, Tail, TextureId, Type, Value, ValueInfo, Vote,
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
    /// `name.attribute reference arguments [: type] [step n] [tail t] [home r]`; what stands before `=` is known.
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
        let tail = if self.c.keyword("tail") {
            Some(self.c.named("a part of the pipeline", Tail::named)?)
        } else {
            None
        };
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
        Ok(Inst { op, arith, result, args, step, tail })
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

    /// Which of the cells that a name is the first of.
    fn cell(&mut self, attributes: &mut Attributes<'a>) -> Result_<Element> {
        match (self.bracket()?, attributes.take(OutOfRange::named)) {
            (Bracket::None, None) => Ok(Element::Only),
            (Bracket::At(offset, count), Some(rule)) => Ok(Element::Run(At { count, offset, rule })),
            (Bracket::At(..), None) => self.no_rule(),
            (_, Some(_)) => self.c.fail("an out-of-range rule needs a run: `name[±n of count]`"),
            _ => self.c.fail("a run of cells is written `[±n of count]`"),
        }
    }

    fn no_rule<T>(&mut self) -> Result_<T> {
        self.c.fail("a computed index needs an out-of-range rule: `.zero`, `.clamp` or `.undefined`")
    }

    /// An element of an array: fixed, or at an offset from a computed index with its rule, if there is one.
    fn element(&mut self, attributes: &mut Attributes<'a>) -> Result_<Element> {
        match (self.bracket()?, attributes.take(OutOfRange::named)) {
            (Bracket::Element(index), None) => Ok(Element::Fixed(index)),
            (Bracket::Offset(offset), rule) => Ok(Element::Computed { offset, rule }),
            (Bracket::Element(_), Some(_)) => {
                self.c.fail("an out-of-range rule needs a computed index: `name[±n]`")
            }
            _ => self
                .c
                .fail("an element of an array is written `name[n]` or, with a computed index, `name[±n]`"),
        }
    }

    /// How a binding is chosen.
    fn pick(&mut self, attributes: &mut Attributes<'a>) -> Result_<Element> {
        let pick = match (self.bracket()?, attributes.flag("handle")) {
            (Bracket::None, false) => Pick::Fixed,
            (Bracket::None, true) => Pick::Handle,
            (Bracket::Of(count), false) => Pick::Index { count },
            (_, true) => return self.c.fail("a handle does not select from a run"),
            (_, false) => return self.c.fail("a run of bindings is written `[of count]`"),
        };
        Ok(Element::Binding(pick))
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
        if kind == Kind::Const {
            for slot in literals.iter_mut() {
                *slot = self.c.literal();
                if slot.is_empty() {
                    break;
                }
            }
            if !self.c.at(':') {
                return self.c.want("a number, or `:` and the type of the constant");
            }
        }
        let mut parts = Parts::NONE;
        for slot in kind.slots() {
            match slot {
                Slot::Site => parts.site = Some(self.needed(attributes, kind, Site::named)?),
                Slot::Component => {
                    let lane = |word: &str| LANES.iter().position(|lane| word.chars().eq([*lane]));
                    parts.component = Some(self.needed(attributes, kind, lane)? as u8);
                }
                Slot::Operands => parts.atomic = Some(self.needed(attributes, kind, Atomic::named)?),
                Slot::Voted => parts.vote = Some(self.needed(attributes, kind, Vote::named)?),
                Slot::Floats => parts.slope = Some(attributes.take(Slope::named).unwrap_or_default()),
                Slot::Detail => parts.lod = Some(self.lod(attributes)?),
                Slot::Reference => parts.compare = attributes.flag("compare"),
                Slot::Offset => parts.offset = attributes.flag("offset"),
                _ => {}
            }
        }
        self.subject(kind, attributes, &mut parts)?;
        // Of an image all lanes are written.
        if kind.slots().contains(&Slot::Stored) && kind.subject() != Subject::Image {
            parts.mask = Some(self.mask()?);
        }
        match (kind.op(&parts), parts.element) {
            (Some(op), _) => Ok(op),
            (None, Element::Computed { rule: Some(_), .. }) => {
                self.c.fail("stores outside a parameter array are dropped; they have no out-of-range rule")
            }
            (None, _) => self.no_rule(),
        }
    }

    /// What an operation names.
    fn subject(&mut self, kind: Kind, attributes: &mut Attributes<'a>, parts: &mut Parts) -> Result_<()> {
        let (place, element) = match kind.subject() {
            Subject::Nothing => return Ok(()),
            Subject::Number => {
                parts.number = u32::from(self.c.number::<u8>()?);
                return Ok(());
            }
            Subject::Step => {
                parts.number = self.c.number()?;
                return Ok(());
            }
            Subject::Input => {
                let place = Place::Input(InputId(self.reference(Table::Inputs)?));
                // What is interpolated is one input.
                let run = !kind.slots().contains(&Slot::Site);
                (place, if run { self.cell(attributes)? } else { Element::Only })
            }
            Subject::Output => {
                (Place::Output(OutputId(self.reference(Table::Outputs)?)), self.cell(attributes)?)
            }
            Subject::Param => {
                (Place::Param(ParamId(self.reference(Table::Params)?)), self.element(attributes)?)
            }
            Subject::Local => {
                (Place::Local(LocalId(self.reference(Table::Locals)?)), self.element(attributes)?)
            }
            Subject::State => (Place::State(StateId(self.reference(Table::States)?)), Element::Only),
            Subject::Texture => {
                (Place::Texture(TextureId(self.reference(Table::Textures)?)), self.pick(attributes)?)
            }
            Subject::Image => (Place::Image(ImageId(self.reference(Table::Images)?)), self.pick(attributes)?),
            Subject::Memory => {
                let memory = self.memory()?.map_or(Memory::Shared, |id| Memory::Buffer(BufferId(id)));
                (Place::Memory(memory), self.pick(attributes)?)
            }
        };
        (parts.place, parts.element) = (Some(place), element);
        Ok(())
    }
}
