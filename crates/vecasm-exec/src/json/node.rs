//! Values that know their place in the file, so that every complaint names it.

use super::{Json, Object};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::marker::PhantomData;

/// An error about a value of a file.
pub trait PlacedError: Sized {
    /// The path of the file's own value.
    const ROOT: &'static str = "$";

    /// The error about the value with that path, for example `$.commands[3].source`.
    fn placed(path: String, message: String) -> Self;

    /// What is said of a value of another kind than `what` names.
    fn expected(what: &str, found: &str) -> String {
        format!("expected {what}, found {found}")
    }
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

/// A value and where it stands.
pub struct Node<'j, 'p, E> {
    json: &'j Json,
    parent: Option<&'p Node<'p, 'p, E>>,
    step: Step<'p>,
    error: PhantomData<fn() -> E>,
}

impl<E> Clone for Node<'_, '_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Node<'_, '_, E> {}

impl<'j, 'p, E: PlacedError> Node<'j, 'p, E> {
    /// The value of a file.
    pub const fn root(json: &'j Json) -> Self {
        Self { json, parent: None, step: Step::Root, error: PhantomData }
    }

    const fn child<'c>(&'c self, json: &'j Json, step: Step<'c>) -> Node<'j, 'c, E> {
        Node { json, parent: Some(self), step, error: PhantomData }
    }

    /// The value itself.
    pub const fn json(&self) -> &'j Json {
        self.json
    }

    /// For example `$.commands[3].source`.
    pub fn path(&self) -> String {
        let mut steps = Vec::new();
        let mut here = Some(self as &Node<'_, '_, E>);
        while let Some(node) = here {
            steps.push(node.step);
            here = node.parent;
        }
        let mut path = String::from(E::ROOT);
        for step in steps.iter().rev() {
            match step {
                Step::Root => {}
                Step::Key(key) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(key);
                }
                Step::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        path
    }

    /// The error that says this about the value.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> E {
        E::placed(self.path(), message.into())
    }

    /// The error that says this about the value of a key, which need not be there.
    #[cold]
    pub fn error_under(&self, key: &str, message: impl Into<String>) -> E {
        self.child(&Json::Null, Step::Key(key)).error(message)
    }

    /// The error that says this about an item, which need not be there.
    #[cold]
    pub fn error_at(&self, index: usize, message: impl Into<String>) -> E {
        self.child(&Json::Null, Step::Index(index)).error(message)
    }

    /// The error that says of which kind the value has to be.
    #[cold]
    pub fn expected(&self, what: &str) -> E {
        self.error(E::expected(what, self.json.kind()))
    }

    /// The value of a key; none if this is no object.
    pub fn get<'c>(&'c self, key: &'c str) -> Option<Node<'j, 'c, E>> {
        Some(self.child(self.json.get(key)?, Step::Key(key)))
    }

    /// The value of a key, or another one in its place.
    pub fn get_or<'c>(&'c self, key: &'c str, default: &'c Json) -> Node<'c, 'c, E> {
        Node::child(self, self.json.get(key).unwrap_or(default), Step::Key(key))
    }

    /// The value of a key that has to be there.
    ///
    /// # Errors
    ///
    /// It is not there.
    pub fn need<'c>(&'c self, key: &'c str) -> Result<Node<'j, 'c, E>, E> {
        self.get(key).ok_or_else(|| self.error(format!("\"{key}\" is missing")))
    }

    /// The members.
    ///
    /// # Errors
    ///
    /// This is no object.
    pub fn object(&self) -> Result<&'j Object, E> {
        self.json.as_object().ok_or_else(|| self.expected("an object"))
    }

    /// The items without their places.
    ///
    /// # Errors
    ///
    /// This is no list.
    pub fn list(&self) -> Result<&'j [Json], E> {
        self.json.as_list().ok_or_else(|| self.expected("a list"))
    }

    /// All keys and values of an object, in their order.
    ///
    /// # Errors
    ///
    /// This is no object.
    pub fn entries<'c>(
        &'c self,
    ) -> Result<impl Iterator<Item = (&'j str, Node<'j, 'c, E>)> + use<'c, 'j, 'p, E>, E>
    where
        'j: 'c,
    {
        let child = |(key, json): (&'j str, &'j Json)| (key, self.child(json, Step::Key(key)));
        Ok(self.object()?.iter().map(child))
    }

    /// All keys and values of an object, sorted by key.
    ///
    /// # Errors
    ///
    /// This is no object.
    pub fn sorted_entries<'c>(&'c self) -> Result<Vec<(&'j str, Node<'j, 'c, E>)>, E>
    where
        'j: 'c,
    {
        let mut entries: Vec<_> = self.entries()?.collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        Ok(entries)
    }

    /// All items of a list.
    ///
    /// # Errors
    ///
    /// This is no list.
    pub fn items<'c>(
        &'c self,
    ) -> Result<impl ExactSizeIterator<Item = Node<'j, 'c, E>> + use<'c, 'j, 'p, E>, E> {
        let child = |(index, json)| self.child(json, Step::Index(index));
        Ok(self.list()?.iter().enumerate().map(child))
    }

    /// Checks that this is an object with no other keys than these.
    ///
    /// # Errors
    ///
    /// It is not; with the keys in the order of the alphabet.
    pub fn only(&self, known: &[&str]) -> Result<(), E> {
        for (key, node) in self.entries()? {
            if !known.contains(&key) {
                let mut known = known.to_vec();
                known.sort_unstable();
                return Err(node.error(format!("unknown key; expected one of {}", known.join(", "))));
            }
        }
        Ok(())
    }

    /// Whether this is a list.
    pub const fn is_list(&self) -> bool {
        matches!(self.json, Json::List(_))
    }

    /// Whether this is an object.
    pub const fn is_object(&self) -> bool {
        matches!(self.json, Json::Object(_))
    }

    /// Whether this is a number.
    pub const fn is_number(&self) -> bool {
        self.json.is_number()
    }

    /// Whether this is `null`.
    pub const fn is_null(&self) -> bool {
        self.json.is_null()
    }

    /// The text.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn text(&self) -> Result<&'j str, E> {
        self.json.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// The truth value.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn flag(&self) -> Result<bool, E> {
        self.json.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// The number.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn number(&self) -> Result<f32, E> {
        self.json.as_f64().map(|number| number as f32).ok_or_else(|| self.expected("a number"))
    }

    /// A whole number between `least` and `most`.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn integer(&self, least: i64, most: i64) -> Result<i64, E> {
        let number = self.json.as_f64().ok_or_else(|| self.expected("a whole number"))?;
        let integer = number as i64;
        if integer as f64 != number || integer < least || integer > most {
            return Err(self.error(format!("expected a whole number between {least} and {most}")));
        }
        Ok(integer)
    }

    /// A whole number up to `most`.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn count(&self, most: u32) -> Result<u32, E> {
        Ok(self.integer(0, i64::from(most))? as u32)
    }

    /// As many numbers as `N`.
    ///
    /// # Errors
    ///
    /// These are not.
    pub fn numbers<const N: usize>(&self) -> Result<[f32; N], E> {
        let items = self.items()?;
        if items.len() != N {
            return Err(self.error(format!("expected {N} numbers, found {}", items.len())));
        }
        let mut out = [0.0; N];
        for (out, item) in out.iter_mut().zip(items) {
            *out = item.number()?;
        }
        Ok(out)
    }

    /// One of some words.
    ///
    /// # Errors
    ///
    /// This is none.
    pub fn word<T: Copy>(&self, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, E> {
        let text = self.text()?;
        all.iter().copied().find(|&t| name(t) == text).ok_or_else(|| {
            let words: Vec<String> = all.iter().map(|&t| name(t).to_string()).collect();
            self.error(format!("unknown \"{text}\"; expected one of {}", words.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Wrong(String);

    impl PlacedError for Wrong {
        fn placed(path: String, message: String) -> Self {
            Self(format!("{path}: {message}"))
        }
    }

    #[test]
    fn paths_name_the_place() {
        let json = Json::parse(br#"{"a": [1, {"b": "x"}]}"#).unwrap();
        let root = Node::<Wrong>::root(&json);
        let list = root.need("a").ok().unwrap();
        let second = list.items().ok().unwrap().nth(1).unwrap();
        let error = second.need("b").ok().unwrap().number().unwrap_err();
        assert_eq!(error.0, "$.a[1].b: expected a number, found a string");
        assert_eq!(second.only(&["c"]).unwrap_err().0, "$.a[1].b: unknown key; expected one of c");
        assert_eq!(root.error_under("c", "?").0, "$.c: ?");
        assert_eq!(list.error_at(7, "?").0, "$.a[7]: ?");
    }
}
