//! Which entry of one container is which of another.

use std::collections::HashMap;
use std::hash::Hash;
use vecasm::container::Entry;

/// Pairs of what two lists have: those of both by the order of the first list, and what only the second one has behind them.
pub(super) type Pairs = Vec<(Option<usize>, Option<usize>)>;

/// Pairs the entries of two containers: by a name that one entry of each has, else by the address.
pub(super) fn entries(a: &[Entry], b: &[Entry]) -> Pairs {
    pair_by_keys(a, b, &[&names, &|entry| vec![entry.address.clone()]])
}

/// The names of an entry: those that do not depend on its place in the container.
fn names(entry: &Entry) -> Vec<String> {
    let is_number = |name: &String| name.starts_with('#');
    if entry.aliases.iter().any(is_number) {
        return vec![entry.address.clone()];
    }
    entry.aliases.clone()
}

/// What something can be matched by.
type Keys<'a, T, K> = &'a dyn Fn(&T) -> Vec<K>;

/// Pairs what has a key that is of nothing else in its list; by the first kind of keys first. What has no partner stays alone.
pub(super) fn pair_by_keys<T, K: Hash + Eq>(a: &[T], b: &[T], kinds: &[Keys<'_, T, K>]) -> Pairs {
    let mut partner: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    for keys in kinds {
        let only = |list: &[T]| {
            let mut out: HashMap<K, Option<usize>> = HashMap::new();
            for (n, one) in list.iter().enumerate() {
                for key in keys(one) {
                    out.entry(key).and_modify(|at| *at = at.filter(|at| *at == n)).or_insert(Some(n));
                }
            }
            out
        };
        let (first, second) = (only(a), only(b));
        for (n, one) in a.iter().enumerate().filter(|(n, _)| partner[*n].is_none()).collect::<Vec<_>>() {
            let fits = keys(one).into_iter().find_map(|key| {
                let own = first.get(&key).copied().flatten() == Some(n);
                second.get(&key).copied().flatten().filter(|other| own && !taken[*other])
            });
            if let Some(other) = fits {
                (partner[n], taken[other]) = (Some(other), true);
            }
        }
    }
    let alone = (0..b.len()).filter(|n| !taken[*n]).map(|n| (None, Some(n)));
    partner.iter().enumerate().map(|(n, other)| (Some(n), *other)).chain(alone).collect()
}
