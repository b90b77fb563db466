//! Instructions for operations that TGSI alone has: those of the program that the shader was lifted from, with other registers.

use super::{LOWERING, Writer};
use crate::graph::Call;
use crate::physical::Physical;
use crate::rules;
use alloc::format;
use alloc::vec::Vec;
use vecasm_ir::ir::{Op as Does, Pure, Scalar};
use vecasm_ir::operand::Swizzle;
use vecasm_isa::table::Lift;
use vecasm_isa::tgsi::names::{File, ImmediateType};
use vecasm_isa::tgsi::program::{Instruction, Op, Operand, Program};
use vecasm_isa::tgsi::table::{Opcode, Type};

/// The instruction of a program with a number.
fn instruction_at(program: &Program, step: u32) -> Option<(Opcode, &Instruction)> {
    let found = program.instructions().nth(step as usize)?;
    match found.op {
        Op::Known(op) => Some((op, found)),
        _ => None,
    }
}

/// The instruction that computes something on 64-bit values, or gives such.
fn wide(op: Pure, of: Scalar, gives: Scalar, args: usize) -> Option<Opcode> {
    use Scalar::{F32, F64, I32, I64, U32, U64};
    Some(match (op, of, gives) {
        (Pure::Add, F64, _) if args == 3 => Opcode::Dmad,
        (Pure::Rsq, F64, _) => Opcode::Drsq,
        (Pure::Abs, F64, _) => Opcode::Dabs,
        (Pure::Abs, I64, _) => Opcode::I64abs,
        (Pure::Ldexp, F64, _) => Opcode::Dldexp,
        (Pure::Shl, U64, _) => Opcode::U64shl,
        (Pure::Shr, U64, _) => Opcode::U64shr,
        (Pure::Shr, I64, _) => Opcode::I64shr,
        (Pure::Div, I64, _) => Opcode::I64div,
        (Pure::Div, U64, _) => Opcode::U64div,
        (Pure::Rem, I64, _) => Opcode::I64mod,
        (Pure::Rem, U64, _) => Opcode::U64mod,
        (Pure::ToF64, F32, _) => Opcode::F2d,
        (Pure::ToF64, I32, _) => Opcode::I2d,
        (Pure::ToF64, U32, _) => Opcode::U2d,
        (Pure::ToF64, I64, _) => Opcode::I642d,
        (Pure::ToF64, U64, _) => Opcode::U642d,
        (Pure::ToI64, I32, _) => Opcode::I2i64,
        (Pure::ToI64, U32, _) => Opcode::U2i64,
        (Pure::ToI64, F32, _) => Opcode::F2i64,
        (Pure::ToU64, F32, _) => Opcode::F2u64,
        (Pure::ToI64, F64, _) => Opcode::D2i64,
        (Pure::ToU64, F64, _) => Opcode::D2u64,
        (Pure::ToF32, F64, _) => Opcode::D2f,
        (Pure::ToF32, I64, _) => Opcode::I642f,
        (Pure::ToF32, U64, _) => Opcode::U642f,
        (Pure::ToI32, F64, _) => Opcode::D2i,
        (Pure::ToU32, F64, _) => Opcode::D2u,
        (Pure::Lt, F64, _) => Opcode::Dslt,
        (Pure::Lt, I64, _) => Opcode::I64slt,
        (Pure::Lt, U64, _) => Opcode::U64slt,
        (Pure::Ge, F64, _) => Opcode::Dsge,
        (Pure::Ge, I64, _) => Opcode::I64sge,
        (Pure::Ge, U64, _) => Opcode::U64sge,
        (Pure::Eq, F64, _) => Opcode::Dseq,
        (Pure::Eq, U64, _) => Opcode::U64seq,
        (Pure::Ne, F64, _) => Opcode::Dsne,
        (Pure::Ne, U64, _) => Opcode::U64sne,
        // Where the table says it.
        (op, ..) => {
            let taken = match of {
                F64 => Type::F64,
                I64 => Type::I64,
                U64 => Type::U64,
                _ => return None,
            };
            let is_it = |code: &&Opcode| {
                let row = code.row();
                matches!(row.lift, Lift::PerComponent(of) if of == op)
                    && row.source(0) == taken
                    && row.is_wide()
            };
            return Opcode::ALL.iter().find(is_it).copied();
        }
    })
}

/// Whether an instruction of a program does what an operation says.
fn does(op: Opcode, what: &Does) -> bool {
    match what {
        Does::LoadMemory { .. } | Does::LoadImage { .. } => op == Opcode::Load,
        Does::StoreMemory { .. } | Does::StoreImage { .. } => op == Opcode::Store,
        Does::AtomicMemory { .. } | Does::AtomicImage { .. } => op.row().is_atomic(),
        Does::MemorySize { .. } | Does::ImageSize { .. } => op == Opcode::Resq,
        Does::Interpolate { .. } => {
            matches!(op, Opcode::InterpCentroid | Opcode::InterpSample | Opcode::InterpOffset)
        }
        Does::Barrier => op == Opcode::Barrier,
        Does::Fence => matches!(op, Opcode::Membar | Opcode::Mfence | Opcode::Lfence | Opcode::Sfence),
        Does::Vote(_) => matches!(op, Opcode::VoteAny | Opcode::VoteAll),
        Does::Ballot => op == Opcode::Ballot,
        Does::ReadFirst => op == Opcode::ReadFirst,
        Does::ReadInvocation => op == Opcode::ReadInvoc,
        Does::IsHelper => op == Opcode::ReadHelper,
        Does::Clock => op == Opcode::Clock,
        Does::Framebuffer { .. } => op == Opcode::Fbfetch,
        Does::EmitVertex { .. } => op == Opcode::Emit,
        Does::EndPrimitive { .. } => op == Opcode::Endprim,
        _ => false,
    }
}

/// Whether the first source of an instruction, or of a store its destination, is what it is about.
const fn has_resource(what: &Does) -> bool {
    !matches!(
        what,
        Does::Barrier
            | Does::Fence
            | Does::Vote(_)
            | Does::Ballot
            | Does::ReadFirst
            | Does::ReadInvocation
            | Does::IsHelper
            | Does::Clock
            | Does::EmitVertex { .. }
            | Does::EndPrimitive { .. }
    )
}

impl Writer<'_> {
    /// Finds which operations have no instruction.
    pub(super) fn look_at_calls(&mut self) {
        for call in &self.interface.calls {
            if self.opcode_of_call(call).is_none() {
                let what = format!("`{}`", call.op.word());
                let rule = if matches!(call.op, Does::Pure(_)) { rules::WIDE } else { rules::MEMORY };
                self.refusals.add(rule, &[&LOWERING, &what], call.step);
            }
        }
    }

    fn opcode_of_call(&self, call: &Call) -> Option<Opcode> {
        let dialect = self.program.dialect;
        let op = match call.op {
            Does::Pure(op) => wide(op, call.scalar, call.gives, call.args.len())?,
            ref what => {
                let (op, own) = instruction_at(self.like?, call.step)?;
                let plain = own.predicate.is_none() && does(op, what);
                let fence = !matches!(what, Does::Fence) || self.scope_of(own).is_some();
                (plain && fence).then_some(op)?
            }
        };
        op.row().is_in(dialect).then_some(op)
    }

    /// What a barrier of memory says that it is about.
    fn scope_of(&self, own: &Instruction) -> Option<Vec<u32>> {
        let like = self.like?;
        let mut scope = Vec::new();
        for source in like.sources(own) {
            let register = (source.file == File::Imm).then(|| like.immediates().nth(source.index as usize));
            let (_, words) = register.flatten()?;
            scope.push(*words.get(usize::from(source.swizzle.get(0)))?);
        }
        Some(scope)
    }

    /// Immediates that only barriers read, behind the literals.
    pub(super) fn declare_scopes(&mut self, first: usize) {
        for call in &self.interface.calls {
            let own = self.like.and_then(|like| instruction_at(like, call.step));
            let (Does::Fence, Some((_, own))) = (&call.op, own) else { continue };
            for scope in self.scope_of(own).unwrap_or_default() {
                if !self.scopes.contains(&scope) {
                    self.scopes.push(scope);
                }
            }
        }
        self.first_scope = first as i16;
        for n in 0..self.scopes.len() {
            self.program.push_immediate(ImmediateType::Uint32, &[self.scopes[n], 0, 0, 0]);
        }
    }

    /// Writes the instruction of an operation.
    pub(super) fn call(&mut self, number: u32, physical: &Physical) {
        let interface = self.interface;
        let Some(call) = interface.calls.get(number as usize) else { return };
        let Some(op) = self.opcode_of_call(call) else { return };
        let mut instruction = Instruction::new(Op::Known(op));
        instruction.saturate = u8::from(physical.saturate);
        instruction.precise = physical.precise;
        let mut destinations: Vec<Operand> = Vec::new();
        if let Some((register, mask)) = physical.destination {
            destinations.push(self.destination(register, mask));
        }
        let mut sources: Vec<Operand> = Vec::new();
        let own = self.like.and_then(|like| Some((like, instruction_at(like, call.step)?.1)));
        if let (false, Some((like, own))) = (matches!(call.op, Does::Pure(_)), own) {
            instruction.memory = own.memory;
            instruction.texture = own.texture;
            let stores = matches!(call.op, Does::StoreMemory { .. } | Does::StoreImage { .. });
            let about = if stores { like.destinations(own) } else { like.sources(own) };
            match about.first().filter(|_| has_resource(&call.op)) {
                Some(&resource) if stores => destinations.push(resource),
                Some(&resource) => {
                    let plain =
                        Operand { swizzle: Swizzle::IDENTITY, negate: false, absolute: false, ..resource };
                    sources.push(plain);
                }
                None => {}
            }
            if call.op == Does::Fence {
                for scope in self.scope_of(own).unwrap_or_default() {
                    let at = self.scopes.iter().position(|known| *known == scope).unwrap_or(0);
                    let register = Operand::new(File::Imm, self.first_scope + at as i16);
                    sources.push(Operand { swizzle: Swizzle::splat(0), ..register });
                }
            }
        }
        for source in &physical.sources {
            let operand = self.source(source, call.step);
            sources.push(operand);
        }
        self.program.push_instruction(instruction, &destinations, &sources, &[]);
    }
}
