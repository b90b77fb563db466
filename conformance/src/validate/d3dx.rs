//! Effects before D3DX of Wine: `xtask/hlsl/d3dxeffect.c` says which parameters, techniques and passes `D3DXCreateEffect` finds,
//! and which function it hands out for each parameter and pass.
//!
//! D3DX takes no effect with XNA's wrapper, so that is taken off, as callers do.

use super::Judges;
use super::edits::{Item, Reader, Refused, budget, read};
use super::hlsl::under_wine;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use vecasm::container::{Address, Detail, Format, Limits};
use vecasm::isa::to_hex;

/// Which DLL of Wine has `D3DXCreateEffect`.
const DLL: &str = "d3dx9_43.dll";

/// The effects that the oracle knows, and whether D3DX took them when it was recorded.
pub(super) fn items(shared: &Path) -> Option<Vec<Item>> {
    let text = std::fs::read_to_string(shared.join("oracle/containers/fx2.jsonl")).ok()?;
    let item = |row: Value| {
        let id = row["id"].as_str().unwrap_or("").into();
        let path = row["file"].as_str().map(|file| shared.join("corpus/containers").join(file));
        let file = path.and_then(|path| std::fs::read(path).ok());
        let refused = match (&file, row["peers"]["d3dx"] == "ok") {
            (None, _) => Refused::Left("the file is named by reference"),
            (Some(_), true) => Refused::Wrong,
            (Some(_), false) => Refused::Known,
        };
        Item { id, file: file.unwrap_or_default(), refused }
    };
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).map(item).collect())
}

/// D3DX of Wine.
pub(super) struct Effects;

impl Reader for Effects {
    const NAME: &'static str = "d3dx";
    const MISSING: &'static str = "D3DX of Wine is not among the judges";
    const WORD: &'static str = "function ";

    fn command(&self, judges: &Judges) -> Option<Command> {
        let mut command = under_wine(judges.d3dx.as_ref()?)?;
        command.arg(DLL);
        Some(command)
    }

    /// The effect in a file, without XNA's wrapper.
    fn view(&self, file: &[u8]) -> Result<Vec<u8>, String> {
        let container = read(file)?;
        let effect = if container.format() == Format::Xnb {
            let entry = container.entries().first().ok_or("no effect in it")?;
            container.bytes(entry, &mut budget()).map_err(|finding| finding.to_string())?.into_owned()
        } else {
            file.to_vec()
        };
        let word = |at: usize| effect.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        match (word(0), word(4)) {
            (Some(0xBCF0_0BCF), Some(size)) => {
                Ok(effect.get(size as usize..).ok_or("a wrapper larger than the file")?.to_vec())
            }
            _ => Ok(effect),
        }
    }

    fn shown(&self, program: &[u8]) -> String {
        to_hex(program)
    }

    fn place(&self, address: &Address) -> String {
        address.parts().last().cloned().unwrap_or_default()
    }

    /// The programs of passes, which may be those of parameters: those that an expression chooses with the defaults.
    fn others(&self, view: &[u8]) -> Result<BTreeMap<String, String>, String> {
        let container = read(view)?;
        let Detail::Fx2(effect) = container.detail() else { return Err("no effect".into()) };
        let mut out = BTreeMap::new();
        for (t, technique) in effect.techniques.iter().enumerate() {
            for p in 0..technique.passes.len() {
                let address = format!("technique{t}/pass{p}");
                let draw = vecasm::effect::draw(view, Some(&address), &[], Limits::DEFAULT);
                let draw = draw.map_err(|finding| finding.to_string())?;
                let Some(pass) = draw.as_ref().and_then(|draw| draw.passes.first()) else { continue };
                for (program, step) in [(&pass.vertex, "vs"), (&pass.fragment, "ps")] {
                    out.extend(program.clone().map(|program| (format!("{address}/{step}"), program)));
                }
            }
        }
        Ok(out)
    }
}
