//! Lines of a shared store: the records that this memory had delivered, and their rulings.

use serde_json::Value;

use super::incoming::{Incoming, Reading};
use super::lines::own_record;
use crate::journal::each_line;
use crate::model::hallmark::{Standing, verify_line};
use crate::model::thought::{DEFAULT_CREATOR, LineKind, read_line};

/// Who a record names in the files of its project, where a store of several people names the person.
const UNNAMED: [&str; 2] = ["you", DEFAULT_CREATOR];

/// Reads lines. No record is left out because of its rulings: they come with it.
pub(in super::super) fn read(lines: &str) -> Reading {
    let mut reading = Reading {
        format: "shared store",
        ..Reading::default()
    };
    for (_, line) in each_line(lines.as_bytes()) {
        match read_line(line) {
            LineKind::Record(_) => match serde_json::from_slice(line).ok().and_then(as_delivered) {
                Some(record) => reading.records.push(record),
                None => reading.unreadable += 1,
            },
            LineKind::Ruling(ruling) => reading.rulings.push(ruling),
            _ => reading.unreadable += 1,
        }
    }
    reading
}

/// Returns a record as it was in the files: the hallmark tells. Another one is no revision, and keeps its id without a hallmark.
fn as_delivered(record: Value) -> Option<Incoming> {
    let names = std::iter::once(None).chain(UNNAMED.map(Some));
    let found = names
        .map(|name| {
            let mut named = record.clone();
            if let (Some(name), Some(fields)) = (name, named.as_object_mut()) {
                fields.insert("created_by".into(), name.into());
            }
            named
        })
        .find(|named| verify_line(named.to_string().as_bytes(), None).standing == Standing::Intact);
    match found {
        Some(found) => own_record(found),
        None => own_record(record).map(|incoming| Incoming { own: None, ..incoming }),
    }
}
