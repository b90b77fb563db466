//! What `spelled!` gives types whose values have words.

use vecasm_ir::spelled;

/// A thing with a name in capitals, and others.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Metal {
    Iron,
    Gold,
    Unknown(u8),
}

impl Metal {
    const ALL: &'static [Self] = &[Self::Iron, Self::Gold];

    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Iron => Some("IRON"),
            Self::Gold => Some("GOLD"),
            Self::Unknown(_) => None,
        }
    }
}

spelled!(Metal, partly);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tree {
    Oak,
    Elm,
}

impl Tree {
    const ALL: [Self; 2] = [Self::Oak, Self::Elm];

    const fn name(self) -> &'static str {
        if matches!(self, Self::Oak) { "oak" } else { "Elm" }
    }
}

spelled!(Tree, "tree", any case);

#[test]
fn words_name_values() {
    assert_eq!([Metal::named("gold"), Metal::named("")], [Some(Metal::Gold), None]);
    assert_eq!(Metal::Unknown(3).name(), None);
    assert_eq!(["OAK", "elm"].map(Tree::named), [Some(Tree::Oak), Some(Tree::Elm)]);
    let error = "oax".parse::<Tree>().unwrap_err().to_string();
    assert_eq!(error, "no tree oax; did you mean `oak`? expected one of oak, Elm");
    assert_eq!(Tree::Oak.to_string(), "oak");
}
