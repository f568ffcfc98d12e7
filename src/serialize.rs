//! How serde writes and reads values: a cost as a number of instructions, and a stop reason as its name.

use crate::cost::Cost;
use crate::egraph::StopReason;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.instructions())
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Cost, D::Error> {
        let instructions = f64::deserialize(from)?;
        if !(0.0..=Cost::MAX.instructions()).contains(&instructions) {
            return Err(D::Error::custom("a cost is a number of instructions, not below 0"));
        }
        Ok(Cost::from_tenths((instructions * 10.0).round() as u64))
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<StopReason, D::Error> {
        let name = String::deserialize(from)?;
        let found = StopReason::ALL.into_iter().find(|reason| reason.as_str() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no reason for which a search ends")))
    }
}
