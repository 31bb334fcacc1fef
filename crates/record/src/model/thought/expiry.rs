//! The lifetime of records, by type.

use serde_json::Value;

use crate::error::{Error, Result};
use forge_memory_journal::clock::{DAY_MS, Millis, format_iso, parse_iso};

/// The sentinel for "never".
pub const NEVER: Millis = Millis::MAX;

/// Returns the lifetime of a type in days; `None` for types that do not expire.
pub fn default_lifetime_days(kind: &str) -> Option<i64> {
    match kind {
        "lesson" => Some(365),
        "decision" => Some(180),
        "pattern" | "convention" => None,
        _ => Some(90),
    }
}

/// Returns when a record of this type, made at `at`, expires.
pub fn expiry_of(kind: &str, at: Millis) -> Option<Millis> {
    default_lifetime_days(kind).map(|days| at.saturating_add(days * DAY_MS))
}

/// Returns when a record expires: a confirmation restarts its lifetime.
#[inline]
pub fn lifted_expiry(created: Millis, expires: Millis, confirmed: Millis) -> Millis {
    if expires == NEVER || confirmed <= created {
        expires
    } else {
        expires.saturating_add(confirmed.saturating_sub(created))
    }
}

/// Adds `expiresAt` to a thought, unless it has one or its type does not expire. `overrides` has days by type, or `null`
/// for never.
///
/// # Errors
/// `INVALID_INPUT` when the thought is not an object or an override is not a number of days.
pub fn stamp_expiry(mut thought: Value, now: Millis, overrides: &serde_json::Map<String, Value>) -> Result<Value> {
    let Some(fields) = thought.as_object_mut() else {
        return Err(Error::invalid("thought", "expected an object"));
    };
    if fields.get("expiresAt").is_some_and(|at| !at.is_null()) {
        return Ok(thought);
    }
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    let days = match overrides.get(kind) {
        None => default_lifetime_days(kind).map(|days| days as f64),
        Some(Value::Null) => None,
        Some(days) => Some(
            days.as_f64()
                .filter(|days| (0.0..=365_000.0).contains(days))
                .ok_or_else(|| Error::invalid(format!("overrides.{kind}"), "expected a number of days or null"))?,
        ),
    };
    if let Some(days) = days {
        let at = now.saturating_add((days * DAY_MS as f64) as Millis);
        fields.insert("expiresAt".into(), Value::String(format_iso(at)));
    }
    Ok(thought)
}

/// Returns the thoughts that are not expired at `now`. One whose expiry is missing or invalid does not expire.
pub fn filter_unexpired(thoughts: Vec<Value>, now: Millis) -> Vec<Value> {
    let expired = |thought: &Value| {
        thought
            .get("expiresAt")
            .and_then(Value::as_str)
            .and_then(parse_iso)
            .is_some_and(|at| at <= now)
    };
    thoughts.into_iter().filter(|thought| !expired(thought)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    #[test]
    fn lifetimes_are_the_documented_ones() {
        let days = ["lesson", "decision", "gotcha", "pattern", "convention", "insight"].map(default_lifetime_days);
        assert_eq!(days, [Some(365), Some(180), Some(90), None, None, Some(90)]);
    }

    #[test]
    fn an_existing_expiry_is_kept() {
        let thought = json!({"type": "lesson", "expiresAt": "2030-01-01T00:00:00.000Z", "other": 1});
        assert_eq!(stamp_expiry(thought.clone(), 0, &Map::new()).unwrap(), thought);
    }

    #[test]
    fn overrides_win_and_null_means_never() {
        let overrides = json!({"lesson": 1, "gotcha": null}).as_object().cloned().unwrap();
        let stamped = stamp_expiry(json!({"type": "lesson"}), 0, &overrides).unwrap();
        assert_eq!(stamped["expiresAt"], "1970-01-02T00:00:00.000Z");
        assert_eq!(
            stamp_expiry(json!({"type": "gotcha"}), 0, &overrides).unwrap(),
            json!({"type": "gotcha"})
        );
        let bad = json!({"lesson": "soon"}).as_object().cloned().unwrap();
        assert_eq!(
            stamp_expiry(json!({"type": "lesson"}), 0, &bad).unwrap_err().code(),
            "INVALID_INPUT"
        );
        assert_eq!(
            stamp_expiry(json!(null), 0, &Map::new()).unwrap_err().code(),
            "INVALID_INPUT"
        );
    }

    #[test]
    fn only_expired_thoughts_are_filtered() {
        let thoughts = vec![
            json!({"n": 1, "expiresAt": "1970-01-01T00:00:01.000Z"}),
            json!({"n": 2, "expiresAt": "1970-01-01T00:00:01.001Z"}),
            json!({"n": 3}),
            json!({"n": 4, "expiresAt": "whenever"}),
        ];
        let kept: Vec<_> = filter_unexpired(thoughts, 1000)
            .iter()
            .map(|t| t["n"].as_i64().unwrap())
            .collect();
        assert_eq!(kept, [2, 3, 4]);
    }
}
