//! The question before clearing, and what is said after it.

use super::cell::{one_line, push_cut, push_spaces, width};
use super::{entries, memory_entries};
use crate::clear::{ClearOutcome, LoopCount};

const TITLE_COLUMNS_MAX: usize = 60;
const NO_LOOP: &str = "(no loop)";

pub(super) fn question(outcome: &ClearOutcome) -> Vec<u8> {
    let mut out = format!(
        "This will permanently delete {}.\n\nEntries by loop:\n",
        memory_entries(outcome.counted)
    );
    let shown = |count: &LoopCount| match count.loop_id.as_str() {
        "" => NO_LOOP.to_owned(),
        id => one_line(id).into_owned(),
    };
    let id_columns = outcome
        .loops
        .iter()
        .map(|count| width(&shown(count)))
        .max()
        .unwrap_or(0);
    for count in &outcome.loops {
        let (id, number) = (shown(count), entries(count.entries));
        out.push_str("  ");
        out.push_str(&id);
        push_spaces(&mut out, id_columns - width(&id));
        out.push_str(" \u{2014} ");
        out.push_str(&number);
        push_about(&mut out, count);
        out.push('\n');
    }
    if outcome.stores.len() > 1 {
        out.push_str("\nMemory files:\n");
        for store in &outcome.stores {
            out.push_str(&format!("  {store}\n"));
        }
    }
    out.push_str("\nType 'yes' to confirm:\n");
    out.into_bytes()
}

fn push_about(out: &mut String, count: &LoopCount) {
    let mut about = String::new();
    if let Some(title) = &count.title {
        push_cut(&mut about, &one_line(title), TITLE_COLUMNS_MAX);
    }
    if let Some(date) = &count.date {
        if !about.is_empty() {
            about.push_str(", ");
        }
        about.push_str(date);
    }
    if !about.is_empty() {
        // The one place where singular and plural stand above each other.
        let padding = if count.entries == 1 { " " } else { "" };
        out.push_str(&format!("{padding} ({about})"));
    }
}

pub(super) fn answer(outcome: &ClearOutcome, loop_id: Option<&str>) -> Vec<u8> {
    let mut out = match loop_id {
        Some(id) => format!(
            "Cleared {} for loop {}.\n\nRemaining entries: {} (in other loops)\n",
            memory_entries(outcome.deleted),
            one_line(id),
            outcome.remaining.saturating_sub(outcome.arrived)
        ),
        None => {
            let mut out = format!("Al memory cleared. {} deleted.\n", entries(outcome.deleted));
            for (at, store) in outcome.stores.iter().enumerate() {
                out.push_str(if at == 0 { "\n" } else { "" });
                out.push_str(&format!("Memory file reset: {store}\n"));
            }
            out
        }
    };
    if outcome.arrived > 0 {
        let verb = if outcome.arrived == 1 { "was" } else { "were" };
        out.push_str(&format!(
            "\nArrived meanwhile: {}, which {verb} kept.\n",
            entries(outcome.arrived)
        ));
    }
    out.into_bytes()
}
