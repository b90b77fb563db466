//! Whether two files are a vertex and a fragment program that belong together, as their names tell.

use std::path::Path;

/// Words of names that tell a stage.
const STAGES: [&str; 18] = [
    "vertex", "vert", "vsh", "vsa", "vso", "vs", "vp", "v", "fragment", "frag", "fsh", "pixel", "psa", "pso",
    "fs", "fp", "ps", "f",
];

/// Whether the names say the same but for words and ends of words that tell a stage: `sky.vert.agal` and `sky.frag.agal`,
/// `vs/sky.txt` and `ps/sky.txt`, `SkyVS.bin` and `SkyPS.bin`.
pub(super) fn related(first: &Path, second: &Path) -> bool {
    let (first, second) = (first.to_string_lossy(), second.to_string_lossy());
    first != second && words(&first) == words(&second)
}

/// The words of a name without those that tell a stage.
fn words(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !STAGES.contains(word));
    let short = |word: &str| {
        let ends = STAGES.iter().filter(|end| end.len() > 1);
        let bare = ends.filter_map(|end| word.strip_suffix(end)).min_by_key(|bare| bare.len());
        bare.unwrap_or(word).to_string()
    };
    words.map(short).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_pairs() {
        for (first, second, expected) in [
            ("a/sky.vert.agal", "a/sky.frag.agal", true),
            ("v.agal", "f.agal", true),
            ("sky.vs", "sky.ps", true),
            ("vs/sky.txt", "ps/sky.txt", true),
            ("SkyVS.bin", "SkyPS.bin", true),
            ("sky_vertex.tgsi", "sky_fragment.tgsi", true),
            ("sky.vert.agal", "sea.frag.agal", false),
            ("a/sky.vert.agal", "b/sky.frag.agal", false),
            ("a.bin", "b.bin", false),
            ("a.vs", "a.vs", false),
        ] {
            assert_eq!(related(Path::new(first), Path::new(second)), expected, "{first} {second}");
        }
    }
}
