//! The engines of vecasm by their names, on as many threads as are wanted: what a command, or a library for another
//! language, needs to run and draw.
//!
//! A [`Choice`] is one engine or `auto`, the fastest that can run a shader and pays. It is an
//! [`Engine`](vecasm_exec::Engine), so whatever takes one takes it. [`Choice::ALL`] lists them, with a sentence each and with what this
//! machine lacks; all give the same bits.
//!
//! ```
//! use vecasm_engines::{Choice, Threads};
//! use vecasm_exec::{Batch, Engine};
//!
//! let shader = vecasm_ir::ir::text::parse_any(
//!     "vertex ir
//!      input 0 v attribute 0 : f32x4
//!      output 0 o position
//!      %0 = input v : f32x4
//!      %1 = add %0 %0 : f32x4
//!      store o.xyzw %1",
//! )?;
//! let inputs = (0..50_000).map(|n| [n as f32; 4].map(f32::to_bits)).collect();
//! let batch = Batch { count: 50_000, inputs: vec![inputs], ..Batch::default() };
//!
//! let engine: Choice = "lanes".parse()?;
//! let outputs = engine.run(&shader, &batch)?;
//! assert_eq!(outputs.cells[0][3], [6.0f32.to_bits(); 4]);
//!
//! // The fastest engine, and two threads.
//! assert_eq!(Choice::AUTO.run_on(&Threads::new(2)?, &shader, &batch)?, outputs);
//!
//! let error = "lane".parse::<Choice>().unwrap_err();
//! assert!(error.to_string().starts_with("no engine lane; did you mean `lanes`?"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `table` | the engines: a new one is a row |
//! | `choice` | one of them, or `auto`; running a first batch |
//! | `climbing` | shaders that are run again and again, by faster engines in time |
//! | `spread` | long batches on several threads |
//! | `threads` | threads |

#![forbid(unsafe_code)]

mod choice;
mod climbing;
mod spread;
mod table;
mod threads;

pub use choice::{Choice, ChosenEngine, NotRun, Reason};
pub use threads::{NoThreads, Threads};
