//! Assembler, disassembler, validator, interpreter, debugger and translator for AGAL, Direct3D 8 and 9, TGSI and NV2A: shader
//! languages in which every value is a vector of four components and every instruction reads `op dst.mask, src.swizzle, …`.
//!
//! [`open()`] takes bytes of any kind and gives [`Program`]s; a [`Program`] is checked, printed, encoded, lifted and translated
//! by its methods. Everything else works on the [`ir::Shader`] that [`Program::lift`] gives.
//!
//! # Tasks
//!
//! ## Open bytes of any kind
//!
//! Bytecode, its digits in hexadecimal or base64, an array of a C source and assembly are told apart by their content; the name
//! of the file helps where that is not enough.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::{NoHost, OpenOptions, open};
//!
//! let program = open(b"mul oc, v0, fc0\n", &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//! let digits = program.hex();
//! let again = open(digits.as_bytes(), &OpenOptions::default(), &mut NoHost).program()?;
//! assert_eq!(again.encode(), program.encode());
//! # }
//! # Ok::<(), vecasm::open::ReadError>(())
//! ```
//!
//! ## Check a program
//!
//! Findings are those of the original runtime, with their places in the text that was opened. [`CheckOptions`] chooses among
//! runtimes and versions.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::{CheckOptions, NoHost, OpenOptions, open};
//!
//! let text = b"mov ft0, v0\nadd oc, ft0, ft1\n";
//! let program = open(text, &OpenOptions::named("sum.frag.agal"), &mut NoHost).program()?;
//! for finding in program.check(&CheckOptions::default()) {
//!     println!("{}", program.renderer().short(&finding)); // sum.frag.agal:2:1: error[AGAL3647]: …
//! #   assert!(program.renderer().short(&finding).starts_with("sum.frag.agal:2:1: error[AGAL3647]"));
//! }
//! assert!(!program.is_accepted(&CheckOptions::default()));
//! # }
//! # Ok::<(), vecasm::open::ReadError>(())
//! ```
//!
//! ## Disassemble and assemble
//!
//! Both ways keep every bit, also of broken programs. [`isa::AnyProgram::print`] has the other dialects.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::isa::Isa;
//! use vecasm::{NoHost, OpenOptions, Program, open};
//!
//! # let bytes = open(b"mov oc, v0", &OpenOptions::named("a.frag.agal"), &mut NoHost).program()?.encode();
//! let text = Program::decode(Isa::Agal, &bytes)?.to_text();
//! let program = open(text.as_bytes(), &OpenOptions::default(), &mut NoHost).program()?;
//! assert_eq!(program.encode(), bytes);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Translate a program
//!
//! A [`Target`] is parsed from its name: `"wgsl".parse()`. The error, [`word::Unknown`], knows the nearest name.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "wgsl"))] {
//! use vecasm::{NoHost, OpenOptions, Target, TranslateOptions, open};
//!
//! let text = b"tex ft0, v0, fs0 <2d,linear>\nmul oc, ft0, fc0\n";
//! let program = open(text, &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//! let wgsl = program.translate(Target::Wgsl, &TranslateOptions::default())?;
//! println!("{}", wgsl.text().unwrap_or_default());
//! # assert!(wgsl.text().is_some_and(|text| text.contains("textureSample(fs0")));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Translate a vertex and a fragment program
//!
//! [`translate_draw`] makes the varyings of the stages meet. Each stage is one [`Translation`]; in WGSL both are one module.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "wgsl"))] {
//! use vecasm::{NoHost, OpenOptions, Target, TranslateOptions, Translation, open, translate_draw};
//!
//! let text = b"m44 op, va0, vc0\nmov v0, va1\n";
//! let vertex = open(text, &OpenOptions::named("a.vert.agal"), &mut NoHost).program()?;
//! let fragment = open(b"mul oc, v0, fc0\n", &OpenOptions::named("a.frag.agal"), &mut NoHost).program()?;
//! for made in translate_draw(&[&vertex, &fragment], Target::Wgsl, &TranslateOptions::default())? {
//!     let Translation::Wgsl(module) = made else { continue };
//!     for it in &module.bindings {
//!         println!("@group({}) @binding({}) {}: {:?}", it.place.group, it.place.binding, it.name, it.kind);
//!     }
//! #   assert_eq!((module.entries.len(), module.bindings.len()), (2, 2));
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Take options in words
//!
//! [`options`](mod@options) has every option by name, with its values and what it does: for command lines, forms and bindings.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "hlsl"))] {
//! use vecasm::options::{ByName, Translating};
//! use vecasm::{NoHost, OpenOptions, Target, open};
//!
//! let mut how = Translating::default();
//! for (name, value) in [("shader-model", "3.0"), ("rename", "fc0=tint"), ("numerics", "ieee")] {
//!     how.set(name, value)?;
//! }
//! let program = open(b"mul oc, v0, fc0\n", &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//! let hlsl = how.translate(&program, Target::Hlsl)?;
//! # assert!(hlsl.text().is_some_and(|text| text.contains("tint : register(c0)")), "{hlsl:?}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Read every program of a log
//!
//! [`Opened::programs`] holds all programs of an input, or why one was not read. Findings have the lines of the log.
//!
//! ```
//! # #[cfg(feature = "tgsi")] {
//! use vecasm::{NoHost, OpenOptions, open};
//!
//! let log = b"[12.3] virgl: shader 7
//! [12.3] VERT
//! [12.3] DCL IN[0]
//! [12.3] DCL OUT[0], POSITION
//! [12.3]   0: MOV OUT[0], IN[0]
//! [12.3]   1: END
//! [12.4] virgl: shader 8
//! [12.4] FRAG
//! [12.4] DCL OUT[0], COLOR
//! [12.4] IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}
//! [12.4]   0: MOV OUT[0], IMM[0]
//! [12.4]   1: END
//! ";
//! let opened = open(log, &OpenOptions::named("driver.log"), &mut NoHost);
//! # assert_eq!(opened.programs.len(), 2);
//! for program in &opened.programs {
//!     match program {
//!         Ok(program) => println!("{}: {}", program.source().name, program.model()), // driver.log#1: …
//!         Err(why) => println!("{why}"),
//!     }
//! #   assert!(program.as_ref().is_ok_and(|program| program.source().name.starts_with("driver.log#")));
//! }
//! # }
//! ```
//!
//! ## Run a batch on the CPU
//!
//! Values are bits, four lanes of `u32` an element. A [run file](exec::runfile) names inputs and constants as the program does;
//! an [`exec::Batch`] can be filled by hand as well. All engines give the same bits.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec", feature = "files"))] {
//! use vecasm::exec::{Engine as _, lanes::Lanes, runfile::RunFile};
//! use vecasm::{LiftOptions, NoHost, OpenOptions, open};
//!
//! let program = open(b"mul oc, v0, fc0\n", &OpenOptions::named("tint.frag.agal"), &mut NoHost).program()?;
//! let shader = program.lift(&LiftOptions::default())?;
//! let given = r#"{"constants": {"fc0": [2, 2, 2, 1]}, "inputs": [{"v0": [0.25, 0.5, 0, 1]}]}"#;
//! let outputs = Lanes::default().run(&shader, &RunFile::parse(given, &shader)?.batch())?;
//! assert_eq!(outputs.cells[0][0].map(f32::from_bits), [0.5, 1.0, 0.0, 1.0]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Trace an invocation
//!
//! A [`Recording`](debug::recording::Recording) keeps every value of a run and who wrote it. The shader is lifted with
//! [`Depth::Full`](isa::Depth), so that it knows its source instructions.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec", feature = "files"))] {
//! use vecasm::debug::{access_name, recording::{Limits, Recording}};
//! use vecasm::{LiftOptions, NoHost, OpenOptions, exec::runfile::RunFile, isa::Depth, open};
//!
//! let text = b"mul ft0, v0, v0\nmov oc, ft0\n";
//! let program = open(text, &OpenOptions::named("square.frag.agal"), &mut NoHost).program()?;
//! let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full))?;
//! let given = RunFile::parse(r#"{"inputs": [{"v0": [1, 2, 3, 4]}]}"#, &shader)?;
//! let recording = Recording::of(&shader, &given.batch(), 0, &Limits::default())?;
//! # let mut seen = String::new();
//! for moment in recording.moments() {
//!     for (n, access) in moment.step().writes.iter().enumerate() {
//!         let values = moment.written(n, 0).map(f32::from_bits);
//!         println!("{} = {values:?}", access_name(&shader, access)); // ft0.xyzw = [1.0, 4.0, 9.0, 16.0]
//! #       seen += &format!("{} = {values:?}\n", access_name(&shader, access));
//!     }
//! }
//! # assert!(seen.starts_with("ft0.xyzw = [1.0, 4.0, 9.0, 16.0]\n"), "{seen}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Debug an invocation
//!
//! A [`Session`](debug::session::Session) steps through a run forward and back. [`debug::protocol`] drives it by lines of JSON, and
//! by the Debug Adapter Protocol of editors; `docs/debugging.md` lists the requests.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec", feature = "files"))] {
//! use vecasm::debug::protocol::handle;
//! use vecasm::{LiftOptions, NoHost, OpenOptions, exec::runfile::RunFile, isa::Depth, open};
//!
//! let text = b"mul ft0, v0, v0\nmov oc, ft0\n";
//! let program = open(text, &OpenOptions::named("square.frag.agal"), &mut NoHost).program()?;
//! let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full))?;
//! let given = RunFile::parse(r#"{"inputs": [{"v0": [1, 2, 3, 4]}]}"#, &shader)?;
//! let mut session = program.session(shader, &given.batch(), 0)?;
//! println!("{}", handle(&mut session, r#"{"do": "step"}"#)); // {"id":null,"ok":true,"stop":{"reason":"step", …
//! let answer = handle(&mut session, r#"{"do": "evaluate", "text": "ft0.xy"}"#).line;
//! assert!(answer.contains(r#""value":[1.0,4.0]"#));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Render a scene
//!
//! A [scene](render::scene) is JSON. [`scenes::Memory`] gives it the files that it names, and lifts its programs, also those in the
//! scene itself. Where there are only programs, [`guess::scene`](mod@guess) makes a scene.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "render", feature = "files"))] {
//! use vecasm::exec::lanes::Lanes;
//! use vecasm::render::{draw::Budget, scene::Scene};
//! use vecasm::scenes::Memory;
//!
//! let scene = br##"{"size": [64, 48], "background": "#14161c",
//!     "vertex": ["mov op, va0"], "fragment": "tint.frag.agal", "constants": {"fc0": [1, 0.5, 0, 1]},
//!     "mesh": {"layout": ["float3"], "vertices": [[0, 0.8, 0], [0.8, -0.8, 0], [-0.8, -0.8, 0]]}}"##;
//! let mut host = Memory::default().with_file("tint.frag.agal", "mov oc, fc0");
//! let picture = Scene::read(scene, &mut host, None)?.render(&Lanes::default(), Budget::default())?;
//! assert_eq!(picture.rgba8.len(), 64 * 48 * 4);
//! # assert_eq!(picture.rgba8[(24 * 64 + 32) * 4..][..4], [255, 128, 0, 255]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Compare two programs
//!
//! [`compare::eqv`] proves that two shaders do the same, finds an input on which they differ, or neither.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec"))] {
//! use vecasm::compare::eqv::{Options, Verdict, eqv};
//! use vecasm::{LiftOptions, NoHost, OpenOptions, open};
//!
//! let lift = |text: &str| -> Result<_, Box<dyn std::error::Error>> {
//!     let options = OpenOptions::named("a.frag.agal");
//!     Ok(open(text.as_bytes(), &options, &mut NoHost).program()?.lift(&LiftOptions::default())?)
//! };
//! let (a, b) = (lift("add oc, v0, v0\n")?, lift("mov ft0, v0\nadd oc, ft0, v0\n")?);
//! assert!(matches!(eqv(&a, &b, &Options::default())?.verdict, Verdict::Proved(_)));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Find every read of a constant
//!
//! [`symbols`](mod@symbols) knows where each register and name of a text is defined, read and written. The text may have errors.
//!
//! ```
//! # #[cfg(feature = "agal")] {
//! use vecasm::symbols::symbols;
//! use vecasm::{NoHost, OpenOptions};
//!
//! let text = "m44 op, va0, vc0\nmul v0, va1, vc3.w\n";
//! let all = symbols(text, &OpenOptions::named("sky.vert.agal"), &mut NoHost);
//! for it in all.named("vc3").flat_map(|symbol| symbol.reads()) {
//!     println!("bytes {}..{}: lanes {}, by {}", it.span.start, it.span.end, it.lanes.letters(), it.by);
//! }
//! # let reads: Vec<_> = all.named("vc3").flat_map(|symbol| symbol.reads()).map(|it| it.lanes.letters()).collect();
//! # assert_eq!(reads, ["xyzw", "w"]); // a row of the matrix, and the factor
//! # }
//! ```
//!
//! ## Ask why an output is NaN
//!
//! [`debug::why`](mod@debug::why) tells where NaN and infinities are born, which constants were never set, and other causes of
//! wrong results.
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec", feature = "files"))] {
//! use vecasm::debug::why::{Query, why};
//! use vecasm::{LiftOptions, NoHost, OpenOptions, exec::runfile::RunFile, isa::Depth, open};
//!
//! let text = b"rsq ft0.x, v0.x\nmov oc, ft0.x\n";
//! let program = open(text, &OpenOptions::named("glow.frag.agal"), &mut NoHost).program()?;
//! let shader = program.lift(&LiftOptions::default().with_depth(Depth::Full))?;
//! let run = RunFile::parse(r#"{"inputs": [{"v0": [-1, 0, 0, 1]}]}"#, &shader)?;
//! for finding in why(&shader, &run.batch(), &Query::default())?.findings {
//!     println!("instruction {:?}: {}", finding.at.map(|at| at.source), finding.message);
//! #   println!("{}", finding.cause.word());
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Check a repro file
//!
//! A [repro file](mod@repro) holds a program or a scene with all that it is given, and what should come out. `vecasm repro pack`
//! makes them, and so does [`Repro`](repro::Repro).
//!
//! ```
//! # #[cfg(all(feature = "agal", feature = "exec", feature = "files"))] {
//! use vecasm::repro::{Repro, Run};
//!
//! let run = Run::new("half.frag.agal", "mul oc, v0, fc0.x", r#"{"constants": {"fc0": [0.5, 0, 0, 0]}, "inputs": [{"v0": [1, 2, 3, 4]}]}"#);
//! let repro = Repro::new(run.with_expected(Some(r#"{"killed": [false]}"#.into()))).with_title("half of a colour");
//! let again = Repro::parse(repro.to_json()?.as_bytes())?;
//! assert_eq!(again.check()?, []);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Give files to `#include`
//!
//! The library reads no files. [`Host`] gives it those that Direct3D's assembly includes.
//!
//! ```
//! # #[cfg(feature = "d3d9")] {
//! use std::collections::HashMap;
//! use vecasm::open::{Included, Request};
//! use vecasm::{Host, OpenOptions, open};
//!
//! struct Files(HashMap<&'static str, &'static str>);
//!
//! impl Host for Files {
//!     fn include(&mut self, request: &Request<'_>) -> Result<Included, String> {
//!         let text = self.0.get(request.name).ok_or("not found")?;
//!         Ok(Included { name: request.name.into(), text: (*text).into() })
//!     }
//! }
//!
//! let mut files = Files(HashMap::from([("registers.h", "#define TINT c0\n")]));
//! let text = b"ps_2_0\n#include \"registers.h\"\nmov oC0, TINT\n";
//! let program = open(text, &OpenOptions::named("tint.psa"), &mut files).program()?;
//! assert_eq!(program.instruction_texts(), ["mov oC0, c0"]);
//! # }
//! # Ok::<(), vecasm::open::ReadError>(())
//! ```
//!
//! Whole programs are in `examples/` of this crate: `translate`, `check` and `trace`.
//!
//! # The steps, one by one
//!
//! ```text
//! bytes ─open→ Program ┬─check→ findings
//!                      ├─to_text, encode→ text, bytes
//!                      ├─translate→ wgsl, spirv, glsl, hlsl, msl
//!                      └─lift→ ir::Shader ┬─run──→ exec ─→ render
//!                                         ├─emit─→ texts, binaries
//!                                         └─why, eqv, record
//! ```
//!
//! * [`mod@open`] tells what bytes are and reads the programs in them.
//! * [`isa`] holds the instruction sets, each in a folder with the same rooms. Their `Program` is *lossless*:
//!   `encode(decode(b)) == b`, and `parse(print(p)) == p`.
//! * [`ir`] holds the *meaning* of a program, with no register of the source left.
//! * [`mod@translate`] has what is between a program and a target: lift, settle, link, write.
//! * `exec` runs it, `emit` translates it, `render` draws with it, `debug` shows why. None of them knows an ISA.
//! * `scenes` gives a scene its files and programs from memory, `guess` makes a scene for programs.
//! * `repro` packs everything that reproduces a fault into one file: a program or a scene, its inputs, and the expected result.
//! * [`compare`] tells whether two programs do the same, and where they differ; [`mod@reduce`] makes a failing one small.
//! * [`mod@options`] has the options of all of these by name, in one table.
//! * [`reflect`] has what a program is and uses as data, for other languages and for JSON.
//! * `hash` has hashes of programs, and knows the names that tools give to dumps.
//! * [`mod@symbols`] finds registers and names, and where each is defined, read and written.
//! * [`mod@highlight`] cuts texts into classes of words, for colours.
//! * [`diag`] is how everything reports; [`word`] is how values of every kind are named.
//!
//! | feature | adds | by default |
//! |---|---|---|
//! | `agal`, `d3d9`, `nv2a`, `tgsi` | an instruction set: Direct3D 8 and 9 are one | yes |
//! | `wgsl`, `spirv`, `glsl`, `hlsl`, `msl` | a target language | yes |
//! | `exec` | engines, the debugger, and `eqv` | yes |
//! | `render` | the rasterizer | yes |
//! | `files` | run files, scenes, repro files and the protocols of the debugger, which are JSON: of `exec` and `render`, if they are on; needs serde_json | yes |
//! | `containers` | files that carry programs: effects, assets, archives; needs `std` | yes |
//! | `hash` | hashes of programs: of their bytes, and of what they say | yes |
//! | `serde` | serde's `Serialize` for facts about programs, findings, bindings, symbols and results | no |
//! | `schemars` | the JSON Schema of facts about programs | no |
//! | `std` | square roots and fused products by the processor, with the same bits | yes |
//!
//! The library does no I/O, reads no clock, starts no thread and has no global state. It needs `alloc`, not `std`.

#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

#[cfg(feature = "d3d9")]
pub mod captures;
#[cfg(feature = "containers")]
pub mod contents;
#[cfg(feature = "containers")]
pub mod effect;
#[cfg(all(feature = "render", feature = "files"))]
pub mod guess;
#[cfg(feature = "hash")]
pub mod hash;
pub mod highlight;
#[cfg(all(feature = "lower", any(feature = "agal", feature = "d3d9", feature = "nv2a", feature = "tgsi")))]
pub mod lower;
pub mod open;
pub mod options;
mod program;
pub mod reflect;
#[cfg(all(feature = "exec", feature = "files"))]
pub mod repro;
#[cfg(all(feature = "render", feature = "files"))]
pub mod scenes;
#[cfg(feature = "exec")]
mod session;
pub mod symbols;
mod target;
pub mod translate;

pub use open::{Host, NoHost, OpenOptions, Opened, open};
pub use program::Program;
pub use target::Target;
pub use translate::{Layout, Pipeline, TranslateOptions, Translation, translate, translate_draw};
pub use vecasm_ir::word;
pub use vecasm_isa::any::{CheckOptions, LiftOptions};

#[cfg(feature = "lower")]
#[doc(inline)]
pub use vecasm_code as code;
#[cfg(feature = "containers")]
#[doc(inline)]
pub use vecasm_container as container;
#[cfg(feature = "exec")]
#[doc(inline)]
pub use vecasm_debug::debug;
#[doc(inline)]
pub use vecasm_debug::{compare, reduce};
#[cfg(feature = "render")]
#[doc(inline)]
pub use vecasm_draw as render;
#[doc(inline)]
pub use vecasm_emit as emit;
#[cfg(feature = "exec")]
#[doc(inline)]
pub use vecasm_exec as exec;
#[doc(inline)]
pub use vecasm_ir::{diag, ir, math};
#[doc(inline)]
pub use vecasm_isa as isa;
#[doc(inline)]
pub use vecasm_opt as opt;

/// Compiles the example in README.md.
#[cfg(all(doctest, feature = "agal", feature = "wgsl"))]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
