//! The table of a list.

use std::borrow::Cow;

use super::cell::{one_line, push_cut, push_spaces, width};
use super::entries;
use crate::entry::RalphEntry;
use crate::halves::in_halves;
use crate::reading::{Found, Reading};

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
    let count = reading.found.len();
    let sorted = reading.sorted();
    let (mut out, rest) = in_halves(&sorted, |found, is_first| {
        // The first ones get room for the others as well.
        let rows = if is_first { count + 8 } else { found.len() };
        let mut out = String::with_capacity(rows * row_bytes);
        if is_first {
            push_head(&mut out, count, &widths, lesson_max);
        }
        for found in found {
            push_row(&mut out, &cells_of(&found.entry), &widths, lesson_max);
        }
        out
    });
    out.push_str(&rest.unwrap_or_default());
    out.push_str("\nUse /ralph-memory query --query \"<text>\" to search.\n");
    out.into_bytes()
}

fn push_head(out: &mut String, count: usize, widths: &[usize; 6], lesson_max: usize) {
    out.push_str("Al Memory \u{2014} ");
    out.push_str(&entries(count));
    out.push_str("\n\n");
    push_row(out, &TITLES.map(Cow::Borrowed), widths, lesson_max);
    for columns in widths {
        out.push('|');
        out.extend(std::iter::repeat_n('-', columns + 2));
    }
    out.push_str("|\n");
}

/// Returns how wide each column is, and how long a lesson may be.
fn widths(found: &[Found<'_>], room: Option<usize>) -> ([usize; 6], usize) {
    let (first, second) = in_halves(found, |found, _| widest_cells(found));
    let widths = [first, second.unwrap_or_default()]
        .into_iter()
        .fold(TITLES.map(width), larger)
        .map(|columns| columns.min(PADDING_MAX));
    let Some(room) = room else {
        return (widths, usize::MAX);
    };
    let others = widths.iter().sum::<usize>() - widths[LESSON] + FRAME_COLUMNS;
    let lesson_max = room.saturating_sub(others).max(LESSON_COLUMNS_MIN);
    let mut cut = widths;
    cut[LESSON] = cut[LESSON].min(lesson_max);
    (cut, lesson_max)
}

fn widest_cells(found: &[Found<'_>]) -> [usize; 6] {
    found
        .iter()
        .map(|found| cells_of(&found.entry).map(|cell| width(&cell)))
        .fold([0; 6], larger)
}

fn larger(mut these: [usize; 6], those: [usize; 6]) -> [usize; 6] {
    for (this, that) in these.iter_mut().zip(those) {
        *this = that.max(*this);
    }
    these
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
