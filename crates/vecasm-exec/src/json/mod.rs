//! JSON, for all who read and write it: values whose objects keep the order of their members, whether or not another crate of
//! the build asks serde_json for `preserve_order`, and [`Node`], a value with its place in a file. Nothing is promised for a build
//! that asks it for `arbitrary_precision`, by which it hands out numbers as objects.

pub mod lanes;
mod node;

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Index;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

pub use node::{Node, PlacedError};

/// A value. [`Display`](fmt::Display) writes it without blanks.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Box<Object>),
}

/// The members of an object, in the order in which they came. Two are equal if they have the same members.
#[derive(Clone, Debug, Default)]
pub struct Object {
    items: Vec<(String, Json)>,
    /// The places in `items`, sorted by key; empty up to [`FEW`] members. A hostile text may be all small objects, which an index
    /// of their own would make many times as large, or one object of very many keys, in which a search would take too long.
    order: Vec<usize>,
}

/// Most members that are searched one by one.
const FEW: usize = 8;

impl Json {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and where, in the words of serde_json.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text).map_err(|error| format!("{error}"))
    }

    /// Reads a value in whose objects no key may stand twice; `key` is what a message calls one: `key`, `the key`.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_unique(text: &[u8], key: &'static str) -> Result<Self, String> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let value = Reader { unique: Some(key) }.deserialize(&mut reader);
        value.and_then(|value| reader.end().map(|()| value)).map_err(|error| format!("{error}"))
    }

    /// The word for its kind in messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The truth value, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(truth) = self { Some(*truth) } else { None }
    }

    /// The number, if it is a whole one that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.as_u64() } else { None }
    }

    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(number) = self { number.as_f64() } else { None }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The same, to be changed.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The members; none if it is no object.
    pub fn into_object(self) -> Object {
        if let Self::Object(members) = self { *members } else { Object::new() }
    }

    /// Whether it is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it is a number.
    pub const fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// The member of that name, if it is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.as_object_mut()?.get_mut(key)
    }
}

impl PartialEq<&str> for Json {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == Some(*text)
    }
}

/// The member of that name; `null` if there is none.
impl Index<&str> for Json {
    type Output = Self;

    fn index(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(&Self::Null)
    }
}

impl Object {
    /// Without members.
    pub const fn new() -> Self {
        Self { items: Vec::new(), order: Vec::new() }
    }

    /// Where a key is in `items`.
    fn find(&self, key: &str) -> Option<usize> {
        if self.order.is_empty() {
            return self.items.iter().position(|(own, _)| own == key);
        }
        let rank = self.order.binary_search_by(|place| self.items[*place].0.as_str().cmp(key)).ok()?;
        Some(self.order[rank])
    }

    /// Whether there are so few members that they have no index, and no key twice.
    fn is_plain(&self) -> bool {
        let twice =
            |(n, (key, _)): (usize, &(String, Json))| self.items[..n].iter().any(|(own, _)| own == key);
        self.items.len() <= FEW && !self.items.iter().enumerate().any(twice)
    }

    /// The first in the alphabet of the keys that stand twice.
    fn repeated(&self) -> Option<&str> {
        if self.is_plain() {
            return None;
        }
        let mut keys: Vec<&str> = self.keys().collect();
        keys.sort_unstable();
        keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    /// Unites members of the same key, at the place of the first and with the value of the last, and makes the index anew.
    fn unite(&mut self) {
        if self.is_plain() {
            self.order = Vec::new();
            return;
        }
        let items = &mut self.items;
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_unstable_by(|a, b| items[*a].0.cmp(&items[*b].0).then(a.cmp(b)));
        let mut gone = Vec::new();
        for pair in order.windows(2).rev() {
            let [first, second] = [pair[0], pair[1]];
            if items[first].0 == items[second].0 {
                items[first].1 = core::mem::take(&mut items[second].1);
                gone.push(second);
            }
        }
        if !gone.is_empty() {
            gone.sort_unstable();
            let mut place = 0..items.len();
            items.retain(|_| place.next().is_none_or(|place| gone.binary_search(&place).is_err()));
            return self.unite();
        }
        self.order = if items.len() > FEW { order } else { Vec::new() };
    }

    /// Adds a member behind the others, or gives the one of that name another value.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Json>) {
        let (key, value) = (key.into(), value.into());
        if let Some(place) = self.find(&key) {
            self.items[place].1 = value;
        } else if self.order.is_empty() {
            self.items.push((key, value));
            if self.items.len() > FEW {
                self.unite();
            }
        } else {
            let rank = self.order.partition_point(|place| self.items[*place].0 < key);
            self.order.insert(rank, self.items.len());
            self.items.push((key, value));
        }
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let (_, value) = self.items.remove(self.find(key)?);
        self.unite();
        Some(value)
    }

    /// The member of that name.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.find(key).map(|place| &self.items[place].1)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.find(key).map(|place| &mut self.items[place].1)
    }

    /// The member of that name, which is an empty object if there was none; `None` if it is something else.
    pub fn object(&mut self, key: &str) -> Option<&mut Self> {
        if !self.contains_key(key) {
            self.insert(key, Self::new());
        }
        self.get_mut(key)?.as_object_mut()
    }

    /// Whether there is a member of that name.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.items.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The names of the members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|(key, _)| key.as_str())
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &Json> {
        self.items.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Json> {
        self.items.iter_mut().map(|(_, value)| value)
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.items.len() == other.items.len()
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|own| own == value))
    }
}

impl<K: Into<String>, V: Into<Json>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        self.items.extend(members.into_iter().map(|(key, value)| (key.into(), value.into())));
        self.unite();
    }
}

impl<K: Into<String>, V: Into<Json>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut out = Self::new();
        out.extend(members);
        out
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = alloc::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<V: Into<Json>> FromIterator<V> for Json {
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// What serde_json makes numbers of.
macro_rules! numbers {
    ($($T:ty)*) => { $(
        impl From<$T> for Json {
            fn from(number: $T) -> Self {
                Self::Number(number.into())
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 usize i32);

/// `null` for what is not finite, which JSON has no numbers for.
impl From<f64> for Json {
    fn from(number: f64) -> Self {
        Number::from_f64(number).map_or(Self::Null, Self::Number)
    }
}

impl From<f32> for Json {
    fn from(number: f32) -> Self {
        f64::from(number).into()
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Object> for Json {
    fn from(members: Object) -> Self {
        Self::Object(Box::new(members))
    }
}

impl<V: Into<Json>> From<Option<V>> for Json {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Json>> From<Vec<V>> for Json {
    fn from(items: Vec<V>) -> Self {
        items.into_iter().collect()
    }
}

impl<V: Into<Json>, const N: usize> From<[V; N]> for Json {
    fn from(items: [V; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<V: Clone + Into<Json>> From<&V> for Json {
    fn from(value: &V) -> Self {
        value.clone().into()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members.iter()),
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reader { unique: None }.deserialize(deserializer)
    }
}

/// Reads a value.
#[derive(Clone, Copy)]
struct Reader {
    /// What a message calls a key, if none may stand twice.
    unique: Option<&'static str>,
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            out.push(item);
        }
        out.shrink_to_fit();
        Ok(Json::List(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut out = Object::new();
        while let Some(key) = members.next_key()? {
            out.items.push((key, members.next_value_seed(self)?));
        }
        if let Some((what, key)) = self.unique.zip(out.repeated()) {
            return Err(A::Error::custom(format!("{what} \"{key}\" is given twice")));
        }
        out.unite();
        out.items.shrink_to_fit();
        Ok(out.into())
    }
}

/// A [`Json`] as it is written: `json!({ "a": [1, x], "b": { "c": null } })`. Keys are literals, values expressions.
#[doc(hidden)]
#[macro_export]
macro_rules! json {
    (null) => { $crate::json::Json::Null };
    ({ $($members:tt)* }) => {{
        #[allow(unused_mut, reason = "an object may have no members")]
        let mut object = $crate::json::Object::new();
        $crate::json!(@object object $($members)*);
        $crate::json::Json::from(object)
    }};
    ([ $($items:tt)* ]) => {{
        #[allow(unused_mut, reason = "a list may have no items")]
        let mut list = $crate::json::items();
        $crate::json!(@list list $($items)*);
        $crate::json::Json::List(list)
    }};
    (@object $object:ident) => {};
    (@object $object:ident $key:literal : null $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!(null));
        $($crate::json!(@object $object $($rest)*);)?
    };
    (@object $object:ident $key:literal : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!({ $($inner)* }));
        $($crate::json!(@object $object $($rest)*);)?
    };
    (@object $object:ident $key:literal : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!([ $($inner)* ]));
        $($crate::json!(@object $object $($rest)*);)?
    };
    (@object $object:ident $key:literal : $value:expr $(, $($rest:tt)*)?) => {
        $object.insert($key, $value);
        $($crate::json!(@object $object $($rest)*);)?
    };
    (@list $list:ident) => {};
    (@list $list:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $list.push($crate::json!({ $($inner)* }));
        $($crate::json!(@list $list $($rest)*);)?
    };
    (@list $list:ident $item:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::json::Json::from($item));
        $($crate::json!(@list $list $($rest)*);)?
    };
    ($value:expr) => { $crate::json::Json::from($value) };
}

/// No items, for [`json!`](crate::json!).
#[doc(hidden)]
pub const fn items() -> Vec<Json> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_have_to_be_alone() {
        let twice = br#"{"b": 1, "a": 1, "c": [{"a": 1, "b": 2, "a": 3}]}"#;
        assert_eq!(Json::parse(twice).unwrap()["c"].to_string(), r#"[{"a":3,"b":2}]"#);
        let error = Json::parse_unique(twice, "the key").unwrap_err();
        assert!(error.starts_with("the key \"a\" is given twice at line 1"), "{error}");
        assert!(Json::parse_unique(b"{} 1", "key").is_err() && Json::parse_unique(b"{", "key").is_err());
    }

    #[test]
    fn deep_nesting_is_refused_without_overflow() {
        let deep = alloc::vec![b'['; 100_000];
        assert!(Json::parse(&deep).is_err() && Json::parse_unique(&deep, "key").is_err());
    }

    /// What a small object takes: the value, the object, and one member, with no room for more.
    #[test]
    fn small_objects_stay_small() {
        let read = Json::parse(br#"[{"":0}]"#).unwrap();
        let Json::List(items) = &read else { panic!("{read}") };
        let object = items[0].as_object().unwrap();
        let sizes = [items.capacity(), object.items.capacity(), object.order.capacity()];
        assert_eq!(sizes, [1, 1, 0]);
        let bytes = size_of::<Json>() + size_of::<Object>() + size_of::<(String, Json)>();
        assert!(bytes < 20 * r#"{"":0},"#.len(), "{bytes}");
    }
}
