//! The table of a list.

use std::borrow::Cow;

use super::cell::{one_line, push_cut, push_spaces, width};
use super::{date_of, entries};
use crate::ralph::entry::RalphEntry;
use crate::ralph::reading::Reading;

const TITLES: [&str; 6] = ["ID", "Type", "Loop", "Iter", "Lesson", "Date"];
/// The column that is cut when a line has too little room.
const LESSON: usize = 4;
const LESSON_COLUMNS_MIN: usize = 20;
/// A bar and a space on both sides of every column.
const FRAME_COLUMNS: usize = 3 * TITLES.len() + 1;

pub(super) fn page(reading: &Reading<'_>, room: Option<usize>) -> Vec<u8> {
    let rows = || reading.found.iter().map(|found| cells_of(&found.entry));
    let mut widths = TITLES.map(width);
    for row in rows() {
        for (column, cell) in row.iter().enumerate() {
            widths[column] = widths[column].max(width(cell));
        }
    }
    if let Some(room) = room {
        let others: usize = widths.iter().sum::<usize>() - widths[LESSON] + FRAME_COLUMNS;
        let left = room.saturating_sub(others).max(LESSON_COLUMNS_MIN);
        widths[LESSON] = widths[LESSON].min(left);
    }
    let line_bytes = widths.iter().sum::<usize>() + FRAME_COLUMNS + 1;
    let mut out = String::with_capacity(line_bytes.min(256) * (reading.found.len() + 4));
    out.push_str("Al Memory \u{2014} ");
    out.push_str(&entries(reading.found.len()));
    out.push_str("\n\n");
    push_row(&mut out, &TITLES.map(Cow::Borrowed), &widths);
    for columns in widths {
        out.push('|');
        out.extend(std::iter::repeat_n('-', columns + 2));
    }
    out.push_str("|\n");
    for row in rows() {
        push_row(&mut out, &row, &widths);
    }
    out.push_str("\nUse /ralph-memory query --query \"<text>\" to search.\n");
    out.into_bytes()
}

fn push_row(out: &mut String, cells: &[Cow<'_, str>; 6], widths: &[usize; 6]) {
    for (cell, columns) in cells.iter().zip(widths) {
        out.push_str("| ");
        let used = push_cut(out, cell, *columns);
        push_spaces(out, columns - used + 1);
    }
    out.push_str("|\n");
}

fn cells_of<'e>(entry: &'e RalphEntry<'_>) -> [Cow<'e, str>; 6] {
    [
        cell(entry.shown_id()),
        cell(&entry.kind),
        cell(&entry.loop_id),
        Cow::Owned(entry.iteration.map(|number| number.to_string()).unwrap_or_default()),
        cell(entry.text()),
        Cow::Owned(entry.created_ms.map(date_of).unwrap_or_default()),
    ]
}

/// A bar would end the cell, so it is escaped as Markdown has it; a backslash in front of it must not undo that.
fn cell(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    if line.contains('|') {
        Cow::Owned(line.replace("\\|", "\\ |").replace('|', "\\|"))
    } else {
        line
    }
}
