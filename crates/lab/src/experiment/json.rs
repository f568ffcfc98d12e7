//! Reads JSON objects. Unlike other readers, it keeps repeated keys and the position of every part.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A key of an object and its value. Both are slices of the text that was read.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    /// The decoded key.
    pub(super) name: String,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
}

/// The members (keys and values) of the object in `text`, in their order. The error is a byte position in `text` and a
/// message.
pub(super) fn members<'a>(text: &'a str) -> Result<Vec<Member<'a>>, (usize, String)> {
    let Object(pairs) = serde_json::from_str(text).map_err(|e| match e.classify() {
        serde_json::error::Category::Data => (0, "not a JSON object".into()),
        _ => {
            let message = e.to_string();
            let what = message.rfind(" at line ").map_or(&*message, |end| &message[..end]);
            (e.column().saturating_sub(1), format!("not JSON: {what}"))
        }
    })?;
    let member = |(key, value): (&'a RawValue, &'a RawValue)| {
        let at = (key.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        match serde_json::from_str(key.get()) {
            Ok(name) => Ok(Member { name, key: key.get(), value: value.get() }),
            Err(_) => Err((at, "not JSON: a key that is no text".to_string())),
        }
    };
    pairs.into_iter().map(member).collect()
}

struct Object<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        from.deserialize_map(Pairs)
    }
}

/// The column of a byte in `text`, counted in characters from 1.
pub(super) fn column(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|(i, _)| *i < at).count() + 1
}

/// The position of byte `at` of a decoded string in its JSON text `written`, which includes the quotes.
pub(super) fn string_offset(written: &str, at: usize) -> usize {
    let (mut left, mut here) = (at, 1);
    while let Some(first) = written.get(here..).and_then(|rest| rest.chars().next()) {
        let (long, stands_for) = match (first, written[here + first.len_utf8()..].chars().next()) {
            ('\\', Some('u')) => unit(&written[here..]),
            ('\\', Some(_)) => (2, 1),
            _ => (first.len_utf8(), first.len_utf8()),
        };
        if left < stands_for {
            break;
        }
        left -= stands_for;
        here += long;
    }
    here.min(written.len().saturating_sub(1))
}

/// The length of a numeric escape such as `\u00e9`, and the length of its character in UTF-8. A character may consist
/// of two escapes.
fn unit(escape: &str) -> (usize, usize) {
    let number = escape.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
    match number {
        0xD800..=0xDBFF => (12, 4),
        _ => (6, char::from_u32(number).map_or(3, char::len_utf8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_string_are_found_where_they_are_written() {
        for text in ["plain", "a\"b\\c", "tab\tnew\nline", "é and \u{1F600}!", "\u{7f}\u{800}x"] {
            let written = serde_json::to_string(text).expect("a text");
            let escaped: String = text.encode_utf16().map(|u| format!("\\u{u:04x}")).collect();
            for written in [written, format!("\"{escaped}\"")] {
                assert_eq!(serde_json::from_str::<String>(&written).expect("JSON"), text);
                for (at, c) in text.char_indices() {
                    let rest = format!("\"{}", &written[string_offset(&written, at)..]);
                    assert_eq!(serde_json::from_str::<String>(&rest).expect("JSON"), text[at..], "{c} in {written}");
                }
                assert_eq!(string_offset(&written, text.len()), written.len() - 1, "the end");
            }
        }
    }

    #[test]
    fn members_are_kept_as_they_stand() {
        let text = r#" {"a": [1,  2], "\u0061": {"b": 1, "b": 2}} "#;
        let all = members(text).expect("an object");
        let shown: Vec<_> = all.iter().map(|m| (m.name.as_str(), m.key, m.value)).collect();
        assert_eq!(shown, [("a", "\"a\"", "[1,  2]"), ("a", "\"\\u0061\"", r#"{"b": 1, "b": 2}"#)]);
        assert_eq!(members("[1]").map(|_| ()), Err((0, "not a JSON object".into())));
        assert_eq!(members("{\"a\": nix}").map(|_| ()), Err((7, "not JSON: expected ident".into())));
    }
}
