//! Conflicts that rules of older versions found: most of them are between records that have nothing to do with each other. A migration
//! removes those that the present rules do not find, and says so in a line of the journal, so that it happens once.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::clock::{Millis, format_iso};
use crate::journal::each_line;
use crate::model::thought::{LineKind, RulingKind, read_line};
use crate::text::Statement;
use crate::truth::{Claims, reason_of_rule, rule_between};

/// The action of the line, which nothing else reads.
const ACTION: &str = "\"_action\":\"lapse\"";

/// Returns the bytes of a journal without the conflicts that have lapsed, and their number; `None` when there is none.
pub(super) fn without_lapsed(bytes: &[u8], now: Millis) -> Option<(Vec<u8>, usize)> {
    let lapsed = lapsed_lines(bytes);
    if lapsed.is_empty() {
        return None;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut next = lapsed.iter().copied().peekable();
    for (number, (raw, _)) in each_line(bytes).enumerate() {
        if next.next_if_eq(&number).is_none() {
            kept.extend_from_slice(raw);
        }
    }
    if !kept.is_empty() && !kept.ends_with(b"\n") {
        kept.push(b'\n');
    }
    let (count, at) = (lapsed.len(), Value::from(format_iso(now)));
    kept.extend_from_slice(format!("{{\"_v\":1,{ACTION},\"conflicts\":{count},\"at\":{at}}}\n").as_bytes());
    Some((kept, count))
}

/// Counts the conflicts that a migration would remove.
pub(crate) fn count_lapsed(bytes: &[u8]) -> usize {
    lapsed_lines(bytes).len()
}

/// Returns the numbers of the lines of conflicts that no present rule finds, ascending.
fn lapsed_lines(bytes: &[u8]) -> Vec<usize> {
    let conflict = format!("\"_action\":\"{}\"", RulingKind::Conflict.name());
    let has = |text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
    if !has(&conflict) || has(ACTION) {
        return Vec::new();
    }
    let mut conflicts: Vec<(usize, String, String)> = Vec::new();
    for (number, (_, line)) in each_line(bytes).enumerate() {
        if memchr::memmem::find(line, conflict.as_bytes()).is_none() {
            continue;
        }
        if let LineKind::Ruling(ruling) = read_line(line)
            && ruling.kind == RulingKind::Conflict
            && reason_of_rule(&ruling.why).is_some()
            && let Some(newer) = ruling.other
        {
            conflicts.push((number, ruling.id, newer));
        }
    }
    let mut said: FxHashMap<&str, Option<(Statement, Claims)>> = FxHashMap::default();
    said.extend(
        conflicts
            .iter()
            .flat_map(|(_, older, newer)| [(older.as_str(), None), (newer.as_str(), None)]),
    );
    for (_, line) in each_line(bytes) {
        if let LineKind::Record(fields) = read_line(line)
            && let Some(known) = said.get_mut(fields.id.as_ref())
        {
            let statement = Statement::of(&fields.text);
            let claims = Claims::of(&statement);
            *known = Some((statement, claims));
        }
    }
    let still_holds = |older: &str, newer: &str| {
        let of = |id| said.get(id).and_then(Option::as_ref);
        let pair = of(newer).zip(of(older));
        // A record that is not here may come with a merge.
        pair.is_none_or(|((ours, claims), (theirs, others))| rule_between(claims, others, ours, theirs).is_some())
    };
    let lapsed = conflicts.iter().filter(|(_, older, newer)| !still_holds(older, newer));
    lapsed.map(|(number, ..)| *number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, text: &str) -> String {
        format!("{{\"_v\":1,\"id\":\"{id}\",\"content\":\"{text}\",\"type\":\"lesson\"}}\n")
    }

    fn conflict(older: &str, newer: &str, why: &str) -> String {
        format!("{{\"_v\":1,\"_action\":\"conflict\",\"id\":\"{older}\",\"with\":\"{newer}\",\"why\":\"{why}\"}}\n")
    }

    #[test]
    fn conflicts_that_no_present_rule_finds_lapse_once() {
        let records = [
            record("a", "Payment Service: logging goes through pino"),
            record("b", "Payment Service: retries are idempotent"),
            record("c", "The API listens on port 8080"),
            record("d", "The API listens on port 9090"),
        ];
        let kept = [
            conflict("c", "d", "number"),
            conflict("a", "b", "supersedes"),
            conflict("a", "elsewhere", "subject"),
        ];
        let lapsed = [
            conflict("a", "b", "predicate"),
            conflict("a", "b", "number"),
            conflict("c", "b", "subject"),
        ];
        let bytes = [records.concat(), lapsed.concat(), kept.concat()].concat();
        assert_eq!(count_lapsed(bytes.as_bytes()), 3);
        let (fresh, count) = without_lapsed(bytes.as_bytes(), 0).unwrap();
        let line = "{\"_v\":1,\"_action\":\"lapse\",\"conflicts\":3,\"at\":\"1970-01-01T00:00:00.000Z\"}\n";
        let wanted = [records.concat(), kept.concat(), line.to_owned()].concat();
        assert_eq!((String::from_utf8(fresh.clone()).unwrap(), count), (wanted, 3));
        assert_eq!(without_lapsed(&fresh, 1), None);
        assert_eq!(read_line(line.trim_end().as_bytes()), LineKind::Other);
    }

    #[test]
    fn a_journal_with_a_hundred_thousand_conflicts_is_read_once() {
        let mut bytes = record("a", "Payment Service: logging goes through pino");
        for number in 0..100_000 {
            bytes += &record(&format!("n{number}"), "Payment Service: retries are idempotent");
            bytes += &conflict("a", &format!("n{number}"), "predicate");
        }
        let (fresh, count) = without_lapsed(bytes.as_bytes(), 0).unwrap();
        assert_eq!((count, count_lapsed(&fresh)), (100_000, 0));
    }
}
