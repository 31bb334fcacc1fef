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

const THREADS_MAX: usize = 8;
/// Below this a thread costs more than it saves.
const THREAD_ROWS_MIN: usize = 4096;
const ROW_BYTES_GUESS: usize = 256;

pub(super) fn page(reading: &Reading<'_>, room: Option<usize>) -> Vec<u8> {
    let widths = widths(&reading.found, room);
    let mut out = String::from("Al Memory \u{2014} ");
    out.push_str(&entries(reading.found.len()));
    out.push_str("\n\n");
    push_row(&mut out, &TITLES.map(Cow::Borrowed), &widths);
    for columns in widths {
        out.push('|');
        out.extend(std::iter::repeat_n('-', columns + 2));
    }
    out.push_str("|\n");
    push_rows(&mut out, &reading.sorted(), &widths);
    out.push_str("\nUse /ralph-memory query --query \"<text>\" to search.\n");
    out.into_bytes()
}

fn widths(found: &[Found<'_>], room: Option<usize>) -> [usize; 6] {
    let mut widths = TITLES.map(width);
    for found in found {
        for (widest, cell) in widths.iter_mut().zip(&cells_of(&found.entry)) {
            *widest = width(cell).max(*widest);
        }
    }
    if let Some(room) = room {
        let others = widths.iter().sum::<usize>() - widths[LESSON] + FRAME_COLUMNS;
        let left = room.saturating_sub(others).max(LESSON_COLUMNS_MIN);
        widths[LESSON] = widths[LESSON].min(left);
    }
    widths
}

/// A long table is written in parts at the same time: its rows are far apart in memory.
fn push_rows(out: &mut String, found: &[&Found<'_>], widths: &[usize; 6]) {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX));
    let part = found.len().div_ceil(threads).max(THREAD_ROWS_MIN);
    let row_bytes = widths.iter().sum::<usize>() + FRAME_COLUMNS + 1;
    let rows = |found: &[&Found<'_>]| {
        let mut out = String::with_capacity(found.len() * row_bytes.min(ROW_BYTES_GUESS));
        for found in found {
            push_row(&mut out, &cells_of(&found.entry), widths);
        }
        out
    };
    let (first, others) = found.split_at(part.min(found.len()));
    std::thread::scope(|scope| {
        let others: Vec<_> = others
            .chunks(part)
            .map(|part| (part, scope.spawn(|| rows(part))))
            .collect();
        out.push_str(&rows(first));
        for (part, thread) in others {
            // A thread that broke off has only cost time.
            out.push_str(&thread.join().unwrap_or_else(|_| rows(part)));
        }
    });
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
