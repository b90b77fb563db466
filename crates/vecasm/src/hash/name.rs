//! Names that tools give to the programs that they dump, with hashes in them.

use super::{Algorithm, Digests};

/// A hash in the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileName<'n> {
    /// Its digits as they stand in the name.
    pub digits: &'n str,
    /// Who names files in this way, where that is known.
    pub tool: Option<&'static str>,
    /// What that says about the bytes.
    pub verdict: Verdict,
}

/// What a hash in the name of a file says about its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It is that hash of them.
    Is(Algorithm),
    /// The tool takes that hash, and it is not that of the bytes: they were edited after the dump, or are those of another program.
    IsNot(Algorithm),
    /// It cannot be recomputed from the bytes, or nobody has verified how.
    Untold,
}

impl<'n> FileName<'n> {
    /// The hash in the name of a file, if one is there that tells something.
    ///
    /// | name | hash |
    /// |---|---|
    /// | `game.exe_shader_0x63081D55.cso`, of ReShade | CRC-32 |
    /// | `VS_` or `PS_` and 40 digits, of DXVK up to 2 | SHA-1, which is said where it is the same; else nothing is, because nobody verified it on files of that tool |
    /// | `vs.`, `fs.` and 32 digits, `.sm3_dxbc`, of DXVK 3 | one of the bytes and of options, which cannot be recomputed |
    /// | anything else with as many digits together as a hash has | the one that it is; where it is none, the name says nothing |
    pub fn of(name: &'n str, bytes: &Digests) -> Option<Self> {
        let runs = || name.split(|c: char| !c.is_ascii_hexdigit());
        let is = |digits: &str| {
            let mut all = Algorithm::ALL.iter().copied();
            all.find(|&algorithm| bytes.hex(algorithm).eq_ignore_ascii_case(digits))
        };
        if let Some((_, behind)) = name.rsplit_once("_shader_0x") {
            let digits = behind.split('.').next().unwrap_or_default();
            if digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let verdict = match is(digits) {
                    Some(algorithm) => Verdict::Is(algorithm),
                    None => Verdict::IsNot(Algorithm::Crc32),
                };
                return Some(Self { digits, tool: Some("ReShade"), verdict });
            }
        }
        let tool = if name.ends_with(".sm3_dxbc") && (name.starts_with("vs.") || name.starts_with("fs.")) {
            Some(("DXVK 3", 32))
        } else if name.starts_with("VS_") || name.starts_with("PS_") {
            Some(("DXVK", 40))
        } else {
            None
        };
        if let Some(digits) = tool.and_then(|(_, len)| runs().find(|run| run.len() == len)) {
            let verdict = is(digits).map_or(Verdict::Untold, Verdict::Is);
            return Some(Self { digits, tool: tool.map(|(tool, _)| tool), verdict });
        }
        let found = |digits: &'n str| Some((digits, is(digits)?));
        let (digits, algorithm) = runs().find_map(found)?;
        Some(Self { digits, tool: None, verdict: Verdict::Is(algorithm) })
    }
}
