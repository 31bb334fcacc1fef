//! How answers are written as JSON: the rules that their fields have in common. The declarations of the fields are the schema of the
//! answers as well.

use serde::{Serialize, Serializer};

use forge_memory_journal::clock::{Millis, format_iso};

/// True if a flag is absent from an answer.
pub fn is_false(flag: &bool) -> bool {
    !flag
}

/// Writes a moment in ISO 8601 UTC.
///
/// # Errors
/// Those of the serializer.
pub fn iso<S: Serializer>(at: &Millis, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&format_iso(*at))
}

/// Writes a moment that is there in ISO 8601 UTC.
///
/// # Errors
/// Those of the serializer.
pub fn iso_if_some<S: Serializer>(at: &Option<Millis>, to: S) -> Result<S::Ok, S::Error> {
    at.map(format_iso).serialize(to)
}

/// Writes pairs as an object, in their order.
///
/// # Errors
/// Those of the serializer.
pub fn in_order<K: Serialize, V: Serialize, S: Serializer>(pairs: &[(K, V)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
