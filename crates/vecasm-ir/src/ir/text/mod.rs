//! The text form of the IR: a head of tables, an empty line, and the body, one node a line. [`print`](print()) writes it,
//! [`parse`](parse()) reads it back: reading what was printed gives an equal shader, and printing that the same text.
//!
//! ```text
//! fragment agal
//!   files ft fc va v
//!   input 0 v0 varying 0 : f32x4
//!   output 0 oc color 0
//!   texture 0 fs0 slot 0 2d wrap=repeat,repeat,repeat filter=linear mip=none
//!
//!   %0 = input v0 : f32x4                         step 0  home v0
//!   %1 = sample fs0 %0.xy : f32x4                 step 0  home ft0
//!   %2 = lt %1.w %0.w : bool                      step 1
//!   %4: f32x4 @ft0 = if %2 {
//!     %3 = neg %1 : f32x4                           step 2  home ft0
//!     yield %3
//!   } else {
//!     yield %1
//!   }
//!   store oc.xyzw %4                              step 4
//! ```
//!
//! Lines end with a line feed; indentation and the width of blanks make no difference. `;` starts a
//! comment. Words of kinds, modes and rules are those of the enums' own tables.
//!
//! # Names
//!
//! A name is a plain word (a letter or `_`, then letters, digits, `_` and `-`), or is in quotes: `"TEMP(1)"`,
//! `"bump-matrix 1"`, with the escapes `\\`, `\"`, `\n`, `\t` and `\u{7f}`. A name refers to an entry of the table that
//! the operation works on. `#3` refers to the entry of that number; it is written where a name is empty or is in the
//! table twice. The memory that a workgroup shares is `shared`; a buffer of that name is `"shared"`.
//!
//! A home is the name of a register file and the number of the register: `ft3`, or just `oc` where there is only one.
//! Where the name of the file cannot be separated from a number after it, a home is `#file:number` or `#file`.
//!
//! # The head
//!
//! The first line is the stage and the instruction set. Each further line fills a table; entries are numbered in order.
//! Settings may be in any order, and defaults are omitted. An entry is named before it is referred to.
//!
//! ```text
//! compute tgsi
//!   files TEMP IN
//!   registers CONST param 32, SAMP texture 8, iid input
//!   setup workgroup=8,8,1 shared=1024
//!   serial
//!   input 0 "SV[0]" local-id : u32x3
//!   local 0 "TEMP(1)" : u32 size 16
//!   buffer 0 "BUFFER[0]" slot 0 storage write
//!   image 0 "IMAGE[0]" slot 0 2d rgba8-unorm read write
//! ```
//!
//! * `files NAME…`: [`Shader::files`](super::Shader::files); `registers NAME ROLE [COUNT], …`:
//!   [`Shader::registers`](super::Shader::registers); `serial`: [`Shader::serial`](super::Shader::serial).
//! * `setup SETTING…`: `workgroup=X,Y,Z`, `shared=BYTES`, `fours`, `byte-offsets`, `vertices-in=N`, `invocations=N`, `max-vertices=N`,
//!   `in=PRIMITIVE`, `out=PRIMITIVE`, `primitive-limit`, `one-sequence`, `spacing=SPACING`, `clockwise`, `points`, `early-tests`; see
//!   [`Setup`](super::Setup).
//! * `input N NAME KIND [NUMBER] : TYPE [INTERPOLATION] [LOCATION] [semantic=NAME]`
//! * `output N NAME KIND [NUMBER] [: SCALAR] [init=X,Y,Z,W] [streams=X,Y,Z,W] [carried] [semantic=NAME]`
//! * `param N NAME [: SCALAR] size N used N [indexed] [fixed=N:X,Y,Z,W]…`
//! * `local N NAME [: SCALAR] size N`
//! * `state N NAME : TYPE [default=LANE,…]`
//! * `texture N NAME slot N DIM [sampler=N] [texels=SCALAR] [depth] [dim=state NAME] [SAMPLER]`, where the state of the
//!   sampler, if the program fixes it, is `wrap=U,V,W filter=MAG[,MIN] mip=MIP [anisotropy=N] [border=X,Y,Z,W] [bias=B]
//!   [min-lod=L] [max-lod=L] [compare=COMPARE] [seamless] [model=MODEL[,MODEL…]]`
//! * `buffer N NAME slot N KIND [write]`
//! * `image N NAME slot N DIM FORMAT [read] [write]`
//! * `step N source N [part N] reads ACCESS… writes ACCESS…`, with accesses `@ft0.xy` (a register), `oc.xyzw` (an
//!   output), `fc[2].x` (a parameter), `&x[1].xy` (a local array) and `$fog.x` (a state value), and at a computed index
//!   plus something `vc[+5].w` (a parameter), `&x[+1].xy` (a local array), `<v0[+2].x` (an input counted from v0) and
//!   `>o0[+1].w` (an output counted from o0); see [`steps`](super::steps).
//!
//! A scalar that is left out is f32. A lane of f32 or f64 is the shortest decimal that gives the same bits, and where it
//! is not finite `0x` and all its bits; integers are decimal, or `0x…`; bool is `true` or `false`.
//!
//! # Operations
//!
//! `[%n =] WORD[.ATTRIBUTE…] [WHAT] ARGUMENT… [: TYPE] [step N] [tail PART] [home REGISTER]`. A result has a type. An
//! argument is `%n`, or `%n.xyy` for some of its lanes. Without `step` it is step 0; `tail` says which part of the
//! pipeline it is there for, see [`Inst::tail`](crate::ir::Inst::tail). The arithmetic is `.zero_wins` or `.nv20` (ieee is left out), `.flush` and
//! `.precise`, after the other attributes.
//!
//! What an operation names is the entry of a table, and then
//!
//! * `[3]` for an element of an array,
//! * `[+3]` for the element at 3 plus the index in an argument,
//! * `[+3 of 8]` for the same out of a run of 8 cells that starts with the named one,
//! * `[of 8]` for one out of a run of 8 bindings that starts with the named one, by an argument.
//!
//! A computed index of a cell or element goes with what happens out of range: `.zero`, `.clamp`, `.undefined`.
//! `.handle` means that a 64-bit handle in the last argument selects the binding. Stores name the lanes that they
//! write, as `.xz` after all that.
//!
//! ```text
//! %10 = add.nv20 %0 %2.x : f32
//! %11 = mul.zero_wins.precise %2 %2.wzyx : f32x4
//! %12 = const 1.5 -0.0 0x7fc00001 : f32x3
//! %13 = compose %0 %12 : f32x4
//! %14 = input.clamp v0[+0 of 8] %9 : f32x4
//! %15 = input_of "IN[1]" %9 : f32x4
//! %16 = interpolate.offset v0 %2.xy : f32x4
//! %17 = load_of.zero o0[-1 of 4] %9 %9 : f32x4
//! %18 = param fc[3] : f32x4
//! %19 = param.undefined fc[+3] %9 : f32x4
//! store.clamp o0[+0 of 8].xy %9 %2.xy
//! store_local "TEMP(1)"[0].w %0
//! %20 = state "bump-matrix 1" : f32x4
//! %21 = sample fs0 %2.xy : f32x4
//! %22 = sample.bias(-1.5).offset fs0 %2.xy %4 : f32x4
//! %23 = sample.gradient.compare "SVIEW[2]"[of 4] %2.xyz %0 %2.xy %2.zw %3 : f32x4
//! %24 = gather.x fs0 %2.xy : f32x4
//! %25 = load_memory "BUFFER[0]" %3 : u32x2
//! store_memory shared.xy %3 %25
//! %26 = atomic.umin shared %3 %3 : u32
//! %27 = atomic_image.add.handle "IMAGE[0]" %4 %3 %5 : u32
//! %28 = framebuffer 0 : f32x4
//! %29 = ddx.coarse %2 : f32x4
//! %30 = vote.any %6 : bool
//! emit_vertex 1
//! ```
//!
//! A sampling's level of detail is `.bias(B)` for a constant bias in steps of 1/8, `.bias` for one in an argument,
//! `.level`, `.gradient`, and otherwise from the derivatives alone.
//!
//! # Nodes
//!
//! ```text
//! %10: f32x4 @ft0, %11: bool = if %6 {
//!   yield %2 %6
//! } else {
//!   yield %2.wzyx %6
//! }
//! %12: f32 = block L0 {
//!   leave L0 %10.x
//! }
//! %15: f32 = loop L1 %13: f32 = %12 %14: i32 = %9 {
//!   again L1 %13 %14
//! }
//! %16: f32 = switch %9 {
//!   case 1 -2 {
//!     yield %12
//!   }
//!   default {
//!     yield %15
//!   }
//! }
//! %18: f32x3 = idiom normalize (%10.xyz) {
//!   %17 = mul %10.xyz %16.xxx : f32x3
//!   yield %17
//! }
//! ```
//!
//! Results precede the construct, each with its type and, after `@`, its home. A region is on lines of its own between
//! braces; its last line may `yield`. An exit is `leave LABEL VALUE…` or `again LABEL VALUE…`.

mod literal;
mod name;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use parse::{TextError, parse, parse_any};
pub use print::print;

use super::op::effects::Kind;
use super::{Op, Pure};

/// The word for an operation, without attributes and what it names.
pub fn op_name(op: Op) -> &'static str {
    match (op, Kind::of(op)) {
        (Op::Pure(pure), _) => pure.name(),
        (_, Some(kind)) => kind.name(),
        (_, None) => "",
    }
}

/// The manual of the pure operations: name and meaning, in table order.
pub fn manual() -> impl Iterator<Item = (&'static str, &'static str)> {
    Pure::ALL.iter().map(|op| (op.name(), op.doc()))
}

/// How the other operations are written, in the order of [`Op`]: the name of the variant, the word, and the form without
/// result, arithmetic and step. A variant may have several forms.
pub fn forms() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let of = |&kind: &Kind| kind.forms().iter().map(move |&(variant, form)| (variant, kind.name(), form));
    Kind::ALL.iter().flat_map(of)
}
