//! How serde writes and reads values. A value with a text notation, such as an expression, is written as text.
//!
//! The value that is read equals the value that was written. Writing fails for a value whose text would be read as
//! another value or not at all. Such a text has names that cannot be read, or is longer than [`DISPLAY_LIMIT`].

use crate::domain::{Bounds, Congruence, Domain, Interval};
use crate::expr::{DISPLAY_LIMIT, Expr};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// Writes `value` as `text`, from which `value` can be read.
fn write_text<T: FromStr + PartialEq, S: Serializer>(value: &T, text: &str, to: S) -> Result<S::Ok, S::Error> {
    match text.parse::<T>() {
        Ok(read) if read == *value => to.serialize_str(text),
        _ => Err(S::Error::custom("there is no text from which this value can be read: a name in it is no word")),
    }
}

/// Reads a value that [`write_text`] wrote.
fn read_text<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write_text(self, &self.to_infix(DISPLAY_LIMIT).map_err(S::Error::custom)?, to)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Expr, D::Error> {
        read_text(from)
    }
}

impl Serialize for Domain {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write_text(self, &self.to_string(), to)
    }
}

impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Domain, D::Error> {
        read_text(from)
    }
}

/// The fields of an [`Interval`]. A missing end is open.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Interval", deny_unknown_fields)]
struct Ends {
    lo: Option<i64>,
    hi: Option<i64>,
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Ends { lo: self.lo(), hi: self.hi() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Interval, D::Error> {
        let Ends { lo, hi } = Ends::deserialize(from)?;
        let found = Interval::new(lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX));
        found.ok_or_else(|| D::Error::custom("an interval whose lower end is above its upper one"))
    }
}

/// The fields of a [`Congruence`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "Congruence", deny_unknown_fields)]
struct Residues {
    modulus: i64,
    residue: i64,
}

impl Serialize for Congruence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Residues { modulus: self.modulus(), residue: self.residue() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Congruence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Congruence, D::Error> {
        let Residues { modulus, residue } = Residues::deserialize(from)?;
        Ok(Congruence::new(modulus, residue))
    }
}

/// The fields of a [`Bounds`]. A missing end is open.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Bounds", deny_unknown_fields)]
struct SymbolicEnds {
    lower: Option<Expr>,
    upper: Option<Expr>,
}

impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SymbolicEnds { lower: self.lower().cloned(), upper: self.upper().cloned() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bounds, D::Error> {
        let SymbolicEnds { lower, upper } = SymbolicEnds::deserialize(from)?;
        Ok(Bounds::new(lower, upper))
    }
}
