//! The last drains, one by one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{DRAINS, lines_of};
use crate::project::layout::Layout;

/// A pass of the drain to the shared store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrainPass {
    /// ISO 8601.
    pub at: String,
    /// Records that were tried.
    pub attempted: u64,
    /// Records that arrived.
    pub delivered: u64,
    /// Records that are tried again later.
    pub deferred: u64,
    /// Records that became dead letters.
    pub dlq: u64,
    /// How long it took.
    pub duration_ms: f64,
    /// The caller that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Returns the last drains, oldest first.
pub(crate) fn drains(layout: &Layout, limit: usize) -> Vec<DrainPass> {
    let passes = lines_of(layout.disk().as_ref(), &layout.path_of(DRAINS));
    let older = passes.len().saturating_sub(limit);
    passes.iter().skip(older).map(read_pass).collect()
}

fn read_pass(line: &Value) -> DrainPass {
    let number = |name: &str| line.get(name).and_then(Value::as_u64).unwrap_or(0);
    let text = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| line.get(name)?.as_str());
        found.map(str::to_owned)
    };
    DrainPass {
        at: text(["timestamp", "at"]).unwrap_or_default(),
        attempted: number("attempted"),
        delivered: number("delivered"),
        deferred: number("deferred"),
        dlq: number("dlq"),
        duration_ms: line.get("durationMs").and_then(Value::as_f64).unwrap_or(0.0),
        source: text(["source", "trigger"]),
        error: text(["error", "lastError"]),
    }
}
