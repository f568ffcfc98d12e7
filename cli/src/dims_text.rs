//! The contents of a TOML file of `quaff dims`, with the place of each part in the file.

use quaff_dialects::Dialect;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use toml::Spanned;

/// A string with its place, including its quotes.
pub(crate) type Text = Spanned<String>;

/// The entries of a table in the order of the file.
pub(crate) struct Entries<V>(pub(crate) Vec<(Text, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<V> Entries<V> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &V)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Table<V> {
            type Value = Entries<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<V>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Table(PhantomData))
    }
}

/// A value that may have several forms.
pub(crate) type Value = Spanned<toml::Value>;

/// `value` as a table with the fields of `T`.
pub(crate) fn table<T: DeserializeOwned>(value: &Value) -> Result<T, toml::de::Error> {
    value.get_ref().clone().try_into()
}

/// The contents of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) name: Option<Text>,
    /// The language of the expressions.
    pub(crate) from: Option<Text>,
    #[serde(default)]
    pub(crate) equations: Vec<Text>,
    #[serde(default)]
    pub(crate) sizes: Entries<Value>,
    #[serde(default)]
    pub(crate) assume: Vec<Text>,
    #[serde(default)]
    pub(crate) scopes: BTreeMap<String, ScopeEntry>,
    #[serde(default)]
    pub(crate) parameters: Vec<Text>,
    #[serde(default)]
    pub(crate) buffers: Entries<Value>,
    #[serde(default)]
    pub(crate) values: Entries<Value>,
    #[serde(default)]
    pub(crate) set: Entries<Value>,
    #[serde(default)]
    pub(crate) want: Vec<Want>,
}

impl File {
    /// The name of the kernel.
    pub(crate) fn name(&self) -> &str {
        self.name.as_ref().map_or("kernel", |name| name.get_ref())
    }
}

/// A size that is known at run time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunTimeEntry {
    pub(crate) range: String,
    #[serde(default = "one")]
    pub(crate) step: i64,
}

fn one() -> i64 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScopeEntry {
    pub(crate) parent: Option<Text>,
    #[serde(default)]
    pub(crate) equations: Vec<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueEntry {
    pub(crate) range: String,
    pub(crate) code: Option<String>,
}

/// A buffer: a pointer parameter, or an array of `shared` or `registers` elements.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferEntry {
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) align: Option<i64>,
    pub(crate) shared: Option<i64>,
    pub(crate) registers: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Want {
    #[serde(default)]
    pub(crate) enter: Vec<Text>,
    #[serde(default)]
    pub(crate) transfer: Vec<TransferEntry>,
    /// Whether there is a barrier after the transfers, and another barrier at the end.
    #[serde(default)]
    pub(crate) sync: bool,
    #[serde(default)]
    pub(crate) get: Vec<Text>,
    /// Whether the requested indices and the code run only if these indices are inside.
    #[serde(default = "yes")]
    pub(crate) guard: bool,
    pub(crate) code: Option<Text>,
    /// The code for one element. It is used for a vector that crosses the end of a covered dimension.
    pub(crate) rest: Option<Text>,
    /// The values that the statement computes.
    #[serde(default)]
    pub(crate) values: Entries<Value>,
    /// The indices that the statement sets.
    #[serde(default)]
    pub(crate) set: Entries<Value>,
    /// Statements within the entered blocks, one after another.
    #[serde(default, rename = "do")]
    pub(crate) body: Vec<Want>,
}

fn yes() -> bool {
    true
}

/// A copy between buffers: `to` and `from` are `buffer[dimension]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferEntry {
    pub(crate) to: Text,
    pub(crate) from: Text,
    pub(crate) lanes: Option<Text>,
    /// The upper limits of dimensions.
    #[serde(default)]
    pub(crate) below: Entries<Text>,
    /// Whether skipped elements become zeros.
    #[serde(default)]
    pub(crate) zero: bool,
}

/// The text of a file, and the language of its expressions.
#[derive(Clone, Copy)]
pub(crate) struct Source<'f> {
    pub(crate) text: &'f str,
    pub(crate) from: Dialect,
}

/// The place of `inner`, a part of `text`. If escapes hide the place of the part, it is the place of all of `text`.
pub(crate) fn part_of(file: &str, text: &Text, inner: Range<usize>) -> Range<usize> {
    let (span, value) = (text.span(), text.get_ref());
    match file.get(span.clone()).and_then(|raw| raw.find(value.as_str())) {
        Some(at) if value.get(inner.clone()).is_some() => span.start + at + inner.start..span.start + at + inner.end,
        _ => span,
    }
}
