//! Constants that recordings of other programs set: dumps of apitrace.
//!
//! Recordings of the NV2A (pushbuffers, logs of xemu) hold the programs as well, and [`Program::constants`](crate::Program::constants)
//! are those that were set before the draw.

use crate::ir::Stage;
use crate::isa::d3d9::registers::MAX_CONSTANTS;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Constants by their arrays and registers: `c`, `i` or `b`, a number, the lanes as bits.
pub type Values = Vec<(String, u32, [u32; 4])>;

/// What a recording leaves of the constants of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// The constants.
    pub values: Values,
    /// The numbers of calls whose values the recording does not have in full, and what is missing.
    pub gaps: Vec<(u64, String)>,
}

/// Whether a text is one that `apitrace dump` writes of Direct3D: it has a numbered call of it.
pub fn is_apitrace(text: &str) -> bool {
    calls(text).any(|call| call.text.starts_with("IDirect3D") || call.text.starts_with("Direct3DCreate"))
}

/// The programs that a dump of apitrace has in files of its own, as `apitrace dump --blobs` writes them: the number of the call that
/// creates each, and the name of the file.
///
/// ```
/// let dump = "230 IDirect3DDevice9::CreatePixelShader(this = 0x20, pFunction = blob(\"call230.bin\"), ppShader = &0x30) = D3D_OK";
/// assert_eq!(vecasm::captures::blobs(dump), [(230, "call230.bin".to_string())]);
/// ```
pub fn blobs(dump: &str) -> Vec<(u64, String)> {
    const BLOB: &str = "blob(\"";
    if !dump.contains(BLOB) || !is_apitrace(dump) {
        return Vec::new();
    }
    let creates = |call: &Call<'_>| call.text.contains("Shader(");
    let name = |call: Call<'_>| {
        let (_, rest) = call.text.split_once(BLOB)?;
        Some((call.number, String::from(rest.split('"').next()?)))
    };
    calls(dump).filter(creates).filter_map(name).collect()
}

/// A call in a dump of apitrace.
pub(crate) struct Call<'t> {
    /// Where its line begins.
    pub(crate) place: usize,
    /// Its number.
    pub(crate) number: u64,
    /// The rest of its first line.
    pub(crate) text: &'t str,
}

/// The calls of a dump, by their first lines.
pub(crate) fn calls(dump: &str) -> impl Iterator<Item = Call<'_>> {
    let mut place = 0;
    let lines = dump.split_inclusive('\n').map(move |line| {
        place += line.len();
        (place - line.len(), line)
    });
    lines.filter_map(|(place, line)| {
        let (number, text) = numbered_call(line)?;
        Some(Call { place, number, text: text.trim_end_matches(['\n', '\r']) })
    })
}

/// The number of the call in a line, and the call.
fn numbered_call(line: &str) -> Option<(u64, &str)> {
    let (number, call) = line.split_once(' ')?;
    // A sign is no digit.
    number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok()).flatten().map(|n| (n, call))
}

/// The constants of programs of a stage as the text of `apitrace dump` leaves them: after all its calls, or before the call of that
/// number. They are those of Direct3D 9, `SetVertexShaderConstantF`, `…I` and `…B` and the same of pixel shaders, and of Direct3D 8,
/// `SetVertexShaderConstant` and `SetPixelShaderConstant`. Numbers that cannot be read end the list of a call; one with fewer numbers than
/// it says is among the gaps.
///
/// ```
/// use vecasm::{captures::apitrace, ir::Stage};
///
/// let dump = "221 IDirect3DDevice9::SetVertexShaderConstantF(this = 0x20, StartRegister = 4, \
///     pConstantData = {1, 0, 0.5, 0}, Vector4fCount = 1) = D3D_OK";
/// let bits = [1.0f32, 0.0, 0.5, 0.0].map(f32::to_bits);
/// assert_eq!(apitrace(dump, Stage::Vertex, None).values, [("c".to_string(), 4, bits)]);
/// assert_eq!(apitrace(dump, Stage::Vertex, Some(221)).values, []);
/// let lost = dump.replace("{1, 0, 0.5, 0}", "?");
/// assert_eq!(apitrace(&lost, Stage::Vertex, None).gaps, [(221, "pConstantData has 0 of 4 numbers".to_string())]);
/// ```
pub fn apitrace(dump: &str, stage: Stage, before: Option<u64>) -> State {
    let mut set: BTreeMap<(char, u32), [u32; 4]> = BTreeMap::new();
    let mut gaps = Vec::new();
    for Call { number: call, text: line, .. } in calls(dump) {
        // Calls of several threads need not stand in the order of their numbers.
        if before.is_some_and(|before| call >= before) {
            continue;
        }
        let Some((name, arguments)) = line.split_once('(') else { continue };
        let Some((device, method)) = name.split_once("::") else { continue };
        if !device.starts_with("IDirect3DDevice") {
            continue;
        }
        let of = if stage == Stage::Vertex { "SetVertexShaderConstant" } else { "SetPixelShaderConstant" };
        let array = match method.strip_prefix(of) {
            Some("F" | "") => 'c',
            Some("I") => 'i',
            Some("B") => 'b',
            _ => continue,
        };
        let number =
            |name: &str| argument(arguments, name)?.split([',', ')']).next()?.trim().parse::<u32>().ok();
        let Some(first) = number("StartRegister = ").or_else(|| number("Register = ")) else { continue };
        let data = argument(arguments, "pConstantData = {").unwrap_or_default();
        let each = if array == 'b' { 1 } else { 4 };
        let count = COUNTS.iter().find_map(|name| number(name));
        let all = count.map_or(each, |count| (count as usize).saturating_mul(each));
        let lanes: Vec<u32> = data
            .split('}')
            .next()
            .unwrap_or_default()
            .split(',')
            .map_while(|number| bits(number.trim(), array))
            .take(all)
            .collect();
        if lanes.len() < all {
            gaps.push((call, format!("pConstantData has {} of {all} numbers", lanes.len())));
        }
        for (n, lanes) in (first..MAX_CONSTANTS).zip(lanes.chunks(each)) {
            // A truth value is in all lanes; of others what is missing is 0.
            let value = match lanes {
                [only] if array == 'b' => [*only; 4],
                lanes => core::array::from_fn(|lane| lanes.get(lane).copied().unwrap_or(0)),
            };
            set.insert((array, n), value);
        }
    }
    let values = set.into_iter().map(|((array, n), value)| (String::from(array), n, value)).collect();
    State { values, gaps }
}

/// The arguments that say how many registers a call sets.
const COUNTS: [&str; 4] = ["Vector4fCount = ", "Vector4iCount = ", "BoolCount = ", "ConstantCount = "];

/// What follows a name among arguments.
fn argument<'t>(arguments: &'t str, name: &str) -> Option<&'t str> {
    let at = arguments.match_indices(name).find(|(at, _)| {
        // `Register = ` is the end of another name, too.
        at.checked_sub(1).is_none_or(|before| arguments.as_bytes()[before] == b' ')
    })?;
    arguments.get(at.0 + name.len()..)
}

/// The bits of a number as apitrace writes it.
fn bits(text: &str, array: char) -> Option<u32> {
    match array {
        'c' => text.parse::<f32>().ok().map(f32::to_bits),
        'i' => text.parse::<i32>().ok().map(|number| number as u32),
        _ => match text {
            "TRUE" => Some(1),
            "FALSE" => Some(0),
            number => number.parse::<i32>().ok().map(|number| u32::from(number != 0)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn calls_set_constants_in_turn() {
        let dump = "// process.name = \"a.exe\"
1 Direct3DCreate9(SDKVersion = 32) = 0x1000
2 IDirect3DDevice9::SetPixelShaderConstantF(this = 0x2, StartRegister = 0, pConstantData = {1, 2, 3, 4, 5, 6, 7, 8}, Vector4fCount = 2) = D3D_OK
3 IDirect3DDevice9Ex::SetPixelShaderConstantF(this = 0x2, StartRegister = 1, pConstantData = {-0.5, 1e-3, 0, 9}, Vector4fCount = 1) = D3D_OK
4 IDirect3DDevice9::SetPixelShaderConstantI(this = 0x2, StartRegister = 3, pConstantData = {4, -1, 1, 0}, Vector4iCount = 1) = D3D_OK
5 IDirect3DDevice9::SetPixelShaderConstantB(this = 0x2, StartRegister = 7, pConstantData = {TRUE, FALSE}, BoolCount = 2) = D3D_OK
6 IDirect3DDevice8::SetPixelShaderConstant(this = 0x2, Register = 0, pConstantData = {9, 9, 9, 9}, ConstantCount = 1) = D3D_OK
7 IDirect3DDevice9::SetVertexShaderConstantF(this = 0x2, StartRegister = 0, pConstantData = {8, 8, 8, 8}, Vector4fCount = 1) = D3D_OK
8 IDirect3DDevice9::SetPixelShaderConstantF(this = 0x2, StartRegister = 4294967295, pConstantData = {1}, Vector4fCount = 1) = D3D_OK
";
        let floats = |numbers: [f32; 4]| numbers.map(f32::to_bits);
        let State { values: found, gaps } = apitrace(dump, Stage::Fragment, None);
        // The last call has one number of four.
        assert_eq!(gaps, [(8, "pConstantData has 1 of 4 numbers".into())]);
        let expected = vec![
            ("b".into(), 7, [1; 4]),
            ("b".into(), 8, [0; 4]),
            ("c".into(), 0, floats([9.0; 4])),
            ("c".into(), 1, floats([-0.5, 1e-3, 0.0, 9.0])),
            ("i".into(), 3, [4, u32::MAX, 1, 0]),
        ];
        assert_eq!(found, expected);
        let before = apitrace(dump, Stage::Fragment, Some(3)).values;
        assert_eq!(before[1], ("c".into(), 1, floats([5.0, 6.0, 7.0, 8.0])));
        assert_eq!(before.len(), 2);
    }
}
