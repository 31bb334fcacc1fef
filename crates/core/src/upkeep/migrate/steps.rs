//! One function per version step, from version N to N + 1.

use serde_json::{Map, Value};

use super::files::RecordShape;
use crate::model::thought::FORMAT_VERSION;

type Record = Map<String, Value>;

/// The context of a record that a step needs.
pub(super) struct Context<'a> {
    pub shape: RecordShape,
    /// The id of the record: its own, or the one derived for it.
    pub id: &'a str,
}

/// The steps; number N leads from version N to N + 1.
const STEPS: [fn(Record, &Context<'_>) -> Record; FORMAT_VERSION as usize] = [name_and_number];

pub(super) fn upgrade(mut record: Record, from: u32, context: &Context<'_>) -> Record {
    for step in STEPS.iter().skip(from as usize) {
        record = step(record, context);
    }
    record
}

/// 0 to 1: records get a version, thoughts and patterns an id of their own, and a teardown guard's time the name that
/// all others have.
fn name_and_number(record: Record, context: &Context<'_>) -> Record {
    let mut out = Record::new();
    if context.shape != RecordShape::Patterns {
        out.insert("_v".into(), 1.into());
    }
    let has_id = record
        .get("id")
        .and_then(Value::as_str)
        .is_some_and(|id| !id.is_empty());
    if context.shape != RecordShape::Plain && !has_id && !context.id.is_empty() {
        out.insert("id".into(), context.id.into());
    }
    let renamed = context.shape == RecordShape::Thoughts && !record.contains_key("captured_at");
    for (name, value) in record {
        match name.as_str() {
            "_v" => {}
            "id" if out.contains_key("id") => {}
            "capturedAt" if renamed => {
                out.insert("captured_at".into(), value);
            }
            _ => {
                out.insert(name, value);
            }
        }
    }
    if context.shape == RecordShape::Patterns {
        out.insert("_v".into(), 1.into());
    }
    out
}
