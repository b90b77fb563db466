//! JSON with places: every complaint about a scene names the path of the value it is about.

use crate::RenderError;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// A value. Objects keep the order of their keys; a key given twice is an error.
#[derive(Debug)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(Box<str>),
    Array(Box<[Json]>),
    Object(Box<[(Box<str>, Json)]>),
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items.into_boxed_slice()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut items: Vec<(Box<str>, Json)> = Vec::new();
        while let Some(item) = map.next_entry::<Box<str>, Json>()? {
            items.push(item);
        }
        let mut keys: Vec<&str> = items.iter().map(|(key, _)| &**key).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(A::Error::custom(format!("key \"{}\" is given twice", pair[0])));
        }
        Ok(Json::Object(items.into_boxed_slice()))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

impl Json {
    /// Reads a document.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, RenderError> {
        serde_json::from_slice(bytes).map_err(|e| RenderError::new(format!("not JSON: {e}")))
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

/// A value and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Node<'j, 'p> {
    pub(super) json: &'j Json,
    parent: Option<&'p Node<'p, 'p>>,
    step: Step<'p>,
}

impl<'j, 'p> Node<'j, 'p> {
    pub(super) fn root(json: &'j Json) -> Self {
        Self { json, parent: None, step: Step::Root }
    }

    /// For example `$.commands[3].source`.
    pub(super) fn path(&self) -> String {
        let mut steps = Vec::new();
        let mut here = Some(self as &Node<'_, '_>);
        while let Some(node) = here {
            steps.push(node.step);
            here = node.parent;
        }
        let mut path = String::from("$");
        for step in steps.iter().rev() {
            match step {
                Step::Root => {}
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }

    #[cold]
    pub(super) fn error(&self, message: impl Into<String>) -> RenderError {
        RenderError { path: self.path(), message: message.into() }
    }

    #[cold]
    fn expected(&self, what: &str) -> RenderError {
        self.error(format!("expected {what}, found {}", self.json.kind()))
    }

    /// The value of a key.
    pub(super) fn get<'c>(&'c self, key: &'c str) -> Option<Node<'j, 'c>> {
        let Json::Object(items) = self.json else { return None };
        let (_, json) = items.iter().find(|(k, _)| &**k == key)?;
        Some(Node { json, parent: Some(self), step: Step::Key(key) })
    }

    /// The value of a key that has to be there.
    pub(super) fn need<'c>(&'c self, key: &'c str) -> Result<Node<'j, 'c>, RenderError> {
        self.get(key).ok_or_else(|| self.error(format!("\"{key}\" is missing")))
    }

    /// All keys and values of an object.
    pub(super) fn entries<'c>(
        &'c self,
    ) -> Result<impl Iterator<Item = (&'j str, Node<'j, 'c>)> + use<'c, 'j, 'p>, RenderError>
    where
        'j: 'c,
    {
        let Json::Object(items) = self.json else { return Err(self.expected("an object")) };
        let child = move |(key, json): &'j (Box<str>, Json)| {
            (&**key, Node { json, parent: Some(self), step: Step::Key(key) })
        };
        Ok(items.iter().map(child))
    }

    /// All items of a list.
    pub(super) fn items<'c>(
        &'c self,
    ) -> Result<impl ExactSizeIterator<Item = Node<'j, 'c>> + use<'c, 'j, 'p>, RenderError> {
        let Json::Array(items) = self.json else { return Err(self.expected("a list")) };
        let child =
            move |(index, json)| Node { json, parent: Some(self as &Node<'_, '_>), step: Step::Index(index) };
        Ok(items.iter().enumerate().map(child))
    }

    /// Checks that this is an object with no other keys than these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), RenderError> {
        for (key, node) in self.entries()? {
            if !known.contains(&key) {
                let mut known = known.to_vec();
                known.sort_unstable();
                return Err(node.error(format!("unknown key; expected one of {}", known.join(", "))));
            }
        }
        Ok(())
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.json, Json::Array(_))
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.json, Json::Object(_))
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.json, Json::Number(_))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.json, Json::Null)
    }

    pub(super) fn text(&self) -> Result<&'j str, RenderError> {
        match self.json {
            Json::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    pub(super) fn flag(&self) -> Result<bool, RenderError> {
        match self.json {
            Json::Bool(flag) => Ok(*flag),
            _ => Err(self.expected("true or false")),
        }
    }

    pub(super) fn number(&self) -> Result<f32, RenderError> {
        match self.json {
            Json::Number(number) => Ok(*number as f32),
            _ => Err(self.expected("a number")),
        }
    }

    /// A whole number between `least` and `most`.
    pub(super) fn integer(&self, least: i64, most: i64) -> Result<i64, RenderError> {
        let Json::Number(number) = *self.json else { return Err(self.expected("a whole number")) };
        let whole = number as i64;
        if whole as f64 != number || whole < least || whole > most {
            return Err(self.error(format!("expected a whole number between {least} and {most}")));
        }
        Ok(whole)
    }

    /// A whole number up to `most`.
    pub(super) fn count(&self, most: u32) -> Result<u32, RenderError> {
        Ok(self.integer(0, i64::from(most))? as u32)
    }

    /// As many numbers as `N`.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f32; N], RenderError> {
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
    pub(super) fn word<T: Copy>(
        &self,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, RenderError> {
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

    #[test]
    fn paths_name_the_place() {
        let json = Json::read(br#"{"a": [1, {"b": "x"}]}"#).unwrap();
        let root = Node::root(&json);
        let list = root.need("a").unwrap();
        let second = list.items().unwrap().nth(1).unwrap();
        let error = second.need("b").unwrap().number().unwrap_err();
        assert_eq!(error.to_string(), "$.a[1].b: expected a number, found a string");
        assert_eq!(second.only(&["c"]).unwrap_err().path, "$.a[1].b");
    }

    #[test]
    fn a_key_given_twice_is_refused() {
        assert!(Json::read(br#"{"a": 1, "a": 2}"#).is_err());
        assert!(Json::read(b"{").is_err());
    }

    #[test]
    fn deep_nesting_is_refused_without_overflow() {
        let deep = alloc::vec![b'['; 100_000];
        assert!(Json::read(&deep).is_err());
    }
}
