//! The table of a list.

use std::borrow::Cow;

use super::cell::{one_line, push_cut, push_spaces, width};
use super::entries;
use crate::ralph::entry::RalphEntry;
use crate::ralph::reading::{Found, Reading};

const TITLES: [&str; 6] = ["ID", "Type", "Loop", "Iter", "Lesson", "Date"];
/// The column that is cut when a line has too little room.
const LESSON: usize = 4;
const LESSON_COLUMNS_MIN: usize = 20;
/// A bar and a space on both sides of every column.
const FRAME_COLUMNS: usize = 3 * TITLES.len() + 1;
/// Columns are padded up to here: one lesson of many pages must not make every other row as long.
const PADDING_MAX: usize = 400;

pub(super) fn page(reading: &Reading<'_>, room: Option<usize>) -> Vec<u8> {
    let (widths, lesson_max) = widths(&reading.found, room);
    let row_bytes = widths.iter().sum::<usize>() + FRAME_COLUMNS + 1;
    let mut out = String::with_capacity((reading.found.len() + 8) * row_bytes);
    out.push_str("Al Memory \u{2014} ");
    out.push_str(&entries(reading.found.len()));
    out.push_str("\n\n");
    push_row(&mut out, &TITLES.map(Cow::Borrowed), &widths, lesson_max);
    for columns in widths {
        out.push('|');
        out.extend(std::iter::repeat_n('-', columns + 2));
    }
    out.push_str("|\n");
    for found in reading.sorted() {
        push_row(&mut out, &cells_of(&found.entry), &widths, lesson_max);
    }
    out.push_str("\nUse /ralph-memory query --query \"<text>\" to search.\n");
    out.into_bytes()
}

/// Returns how wide each column is, and how long a lesson may be.
fn widths(found: &[Found<'_>], room: Option<usize>) -> ([usize; 6], usize) {
    let mut widths = TITLES.map(width);
    for found in found {
        for (widest, cell) in widths.iter_mut().zip(&cells_of(&found.entry)) {
            *widest = width(cell).max(*widest);
        }
    }
    let widths = widths.map(|columns| columns.min(PADDING_MAX));
    let Some(room) = room else {
        return (widths, usize::MAX);
    };
    let others = widths.iter().sum::<usize>() - widths[LESSON] + FRAME_COLUMNS;
    let lesson_max = room.saturating_sub(others).max(LESSON_COLUMNS_MIN);
    let mut cut = widths;
    cut[LESSON] = cut[LESSON].min(lesson_max);
    (cut, lesson_max)
}

fn push_row(out: &mut String, cells: &[Cow<'_, str>; 6], widths: &[usize; 6], lesson_max: usize) {
    for (at, (cell, columns)) in cells.iter().zip(widths).enumerate() {
        out.push_str("| ");
        let room = if at == LESSON { lesson_max } else { usize::MAX };
        let used = push_cut(out, cell, room);
        push_spaces(out, columns.saturating_sub(used) + 1);
    }
    out.push_str("|\n");
}

fn cells_of<'e>(entry: &'e RalphEntry<'_>) -> [Cow<'e, str>; 6] {
    [
        cell(entry.shown_id()),
        cell(&entry.kind),
        cell(&entry.loop_id),
        entry.iteration.map(number).unwrap_or_default(),
        cell(entry.text()),
        entry.date(),
    ]
}

/// Small whole numbers are what stands there nearly always.
fn number(number: f64) -> Cow<'static, str> {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let digit = DIGITS.iter().enumerate().find(|(digit, _)| {
        let digit = u32::try_from(*digit).unwrap_or(0);
        f64::from(digit) == number
    });
    match digit {
        Some((_, shown)) => Cow::Borrowed(shown),
        None => Cow::Owned(number.to_string()),
    }
}

/// A bar would end the cell, so it is escaped as Markdown has it; a backslash in front of it must not undo that.
fn cell(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    if memchr::memchr(b'|', line.as_bytes()).is_none() {
        return line;
    }
    Cow::Owned(line.replace("\\|", "\\ |").replace('|', "\\|"))
}
