//! Symbols: every register, label and name of a text, with the places where it is defined, read and written.
//!
//! For editors (go to a definition, find references, rename, highlight reads and writes) and for whoever asks a text what it
//! uses. [`symbols`] takes texts of every instruction set, with errors, too. In a statement that cannot be read registers are only
//! [named](Role::Name): in AGAL all of them, elsewhere those in front of the error, and none behind an unknown mnemonic.
//!
//! ```
//! # #[cfg(feature = "d3d9")] {
//! use vecasm::symbols::symbols;
//! use vecasm::{NoHost, OpenOptions};
//!
//! let text = "vs_1_1\nm4x4 oPos, v0, c0\nmul oD0, v1, c4.x\nadd r0.xy, c4, v2\n";
//! let all = symbols(text, &OpenOptions::default(), &mut NoHost);
//! let c4 = all.named("c4").next().ok_or("not used")?;
//! let reads: Vec<_> = c4.reads().map(|it| (it.span.start, it.lanes.letters())).collect();
//! assert_eq!(reads, [(38, "x".into()), (54, "xy".into())]);
//! // The last row of the matrix is read at the name of the first one.
//! let c3 = all.named("c3").next().ok_or("not used")?;
//! assert_eq!(c3.uses[0].span, all.named("c0").next().ok_or("not used")?.uses[0].span);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "d3d9")]
use crate::isa::Isa;
use crate::open::{Host, Input, OpenOptions};
pub use vecasm_isa::symbols::{Mention, Register, Role, Symbol, SymbolKind, Symbols, Use};

/// The symbols of a text, in UTF-8; of several programs those of each. The instruction set is the one that the options, the text or
/// the name of the file tell; where nothing tells it there are none. `host` gives the files that Direct3D's assembly includes: what
/// they define counts, uses inside them are not listed.
///
/// A text that is not assembly, such as digits or a log of methods, has no symbols.
pub fn symbols(text: &str, options: &OpenOptions<'_>, host: &mut (impl Host + ?Sized)) -> Symbols {
    let input = Input::new(options.name, Some(options.name), text.into());
    let pieces = input.pieces(options);
    if pieces.is_empty() {
        return of_input(&input, options, host);
    }
    let mut all = Symbols::default();
    for (program, piece) in pieces.iter().enumerate() {
        let start = piece.piece().map_or(0, |piece| piece.start());
        all.append(of_input(piece, options, host).of_part(start, program));
    }
    all
}

/// The symbols of one program.
fn of_input(input: &Input, options: &OpenOptions<'_>, host: &mut (impl Host + ?Sized)) -> Symbols {
    let Ok(text) = input.text() else { return Symbols::default() };
    let Ok(isa) = input.isa_of_text(text, options) else { return Symbols::default() };
    let _ = &host;
    match isa {
        #[cfg(feature = "d3d9")]
        Isa::D3d9 => {
            use crate::isa::d3d9::text::{preprocess, symbols};
            let naming = preprocess::Options { name: input.name(), ..preprocess::Options::default() };
            symbols(text, &naming, input.number(), &mut |request| host.include(request))
        }
        _ => {
            // What the text itself says counts more than the name of its file.
            let named = || isa.stage_of_text(text).or_else(|| input.stage_of_name());
            isa.symbols(text, options.stage.or_else(named), options.version)
        }
    }
}
