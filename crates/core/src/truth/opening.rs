//! What texts and sentences begin with that is not part of a statement: introductory words and the datelines of log entries.

use super::token::{Shape, Token};
use super::words::words;

/// Returns the number of introductory words: "Update:", "Decision (2026-01-14):". A sentence that begins with a date tells of a day.
pub(super) fn len_of_opening(tokens: &[Token<'_>]) -> usize {
    let is_said = |(at, token): (usize, &Token<'_>)| !is_opening(token) && (at == 0 || !is_date(token));
    tokens.iter().enumerate().position(is_said).unwrap_or(0)
}

/// "Update: ...", "TIL ...", "note to self: ..."
fn is_opening(token: &Token<'_>) -> bool {
    token.is(words![
        "update",
        "correction",
        "til",
        "fyi",
        "learned",
        "decision",
        "reminder",
        "note",
        "self",
        "psa",
        "ok",
        "so",
        "apparently",
        "heads",
        "up",
        "renamed",
        "renewed",
        "fact",
        "to",
        "wip",
    ]) && token.shape == Shape::Word
}

/// Returns the number of tokens of the dateline that the entry of a log begins with: "2025-05-03:", "[login] 2025-04-15", "# 2025-10-04
/// importer", "Milan, 26.3.", "Handover search:"; 0 when there is none.
pub(super) fn len_of_dateline(list: &[Token<'_>]) -> usize {
    match list {
        [first, ..] if is_date(first) => 1,
        [first, second, ..] if is_date(second) && is_heading(first) => 2,
        [name, day, ..] if name.is_capital() && name.breaks && is_day(day) => 2,
        [kind, ..] if kind.is(words!["handover", "standup", "stand-up", "daily", "logbook", "worklog"]) => {
            let mut line = list.iter().take(3);
            line.position(|token| token.defines).map_or(0, |at| at + 1)
        }
        _ => 0,
    }
}

/// "#", "[login]"; but "Decision (2026-01-14):" dates a statement.
fn is_heading(token: &Token<'_>) -> bool {
    let dates_statement = token.is(words![
        "decision",
        "decided",
        "adr",
        "update",
        "correction",
        "learned",
        "note"
    ]);
    token.raw == "#" || (token.breaks && !token.is_filler() && !dates_statement)
}

/// "2025-05-03"
fn is_date(token: &Token<'_>) -> bool {
    token.shape == Shape::Time && token.raw.matches('-').count() == 2
}

/// "26.3."
fn is_day(token: &Token<'_>) -> bool {
    let is_short = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = token.raw.split_once('.');
    parts.is_some_and(|(day, month)| is_short(day) && is_short(month))
}
