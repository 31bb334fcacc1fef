//! Finds the offset in the event files at which a subscriber resumes: a search backwards from the end, in windows that grow by a factor of eight.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use super::generations::{EventFile, event_files};
use super::head::read_head;
use super::own::{Listed, Ownership};
use super::position::{EventFilter, Position, Start};
use crate::journal::{Disk, DiskFile, FileState, scan_lines};

/// The size of the first window.
const WINDOW_BYTES: u64 = 256 * 1024;
/// How often the search is repeated when a concurrent rotation moves files.
const TRIES: usize = 64;

#[derive(Debug)]
pub(super) struct Place {
    pub file: Box<dyn DiskFile>,
    pub offset: u64,
    /// The number before the first numbered event after the position.
    pub base: u64,
}

#[derive(Default)]
struct Found {
    /// The offsets of matching events, the newest last.
    offsets: VecDeque<u64>,
    first_number: Option<u64>,
}

/// Chooses where to begin; `None` when there is no file. `end` is the position of another reader: later events are ignored.
pub(super) fn choose(
    disk: &dyn Disk,
    path: &Path,
    ownership: &Ownership,
    start: Start,
    filter: &EventFilter,
    end: Option<Position>,
) -> io::Result<Option<Place>> {
    for _ in 0..TRIES {
        let mut files = event_files(disk, path);
        // When the other reader is in an older file, newer files are ignored.
        if let Some(at) = files.iter().position(|file| end.is_some_and(|end| end.file == file.id)) {
            files.drain(..at);
        }
        let chosen = match start {
            Start::After(after) => choose_after(disk, ownership, &files, after, end),
            Start::Newest(count) => choose_newest(disk, ownership, &files, count, filter, end),
        };
        match chosen? {
            Chosen::Place(place) => return Ok(place),
            Chosen::Moved => std::thread::yield_now(),
        }
    }
    Err(io::Error::other(
        "the event file is being rotated faster than it can be read",
    ))
}

enum Chosen {
    Place(Option<Place>),
    /// A rotation has moved the files since they were listed.
    Moved,
}

/// Returns how much of a file is read: all of it, or up to the position of the other reader.
fn len_up_to(end: Option<Position>, state: FileState) -> u64 {
    end.filter(|end| end.file == state.id)
        .map_or(state.len, |end| end.offset.min(state.len))
}

fn choose_after(
    disk: &dyn Disk,
    ownership: &Ownership,
    files: &[EventFile],
    after: f64,
    end: Option<Position>,
) -> io::Result<Chosen> {
    let mut oldest = None;
    for wanted in files {
        let (file, len) = match ownership.open_listed(disk, wanted)? {
            Listed::Own(file, state) => (file, len_up_to(end, state)),
            Listed::Foreign => continue,
            Listed::Moved => return Ok(Chosen::Moved),
        };
        if let Some(offset) = offset_after(file.as_ref(), len, after)? {
            return Ok(Chosen::Place(Some(place(file, offset)?)));
        }
        oldest = Some(file);
    }
    Ok(Chosen::Place(oldest.map(|file| place(file, 0)).transpose()?))
}

fn choose_newest(
    disk: &dyn Disk,
    ownership: &Ownership,
    files: &[EventFile],
    count: usize,
    filter: &EventFilter,
    end: Option<Position>,
) -> io::Result<Chosen> {
    let mut chosen = None;
    let mut missing = count;
    for wanted in files {
        let (file, len) = match ownership.open_listed(disk, wanted)? {
            Listed::Own(file, state) => (file, len_up_to(end, state)),
            Listed::Foreign => continue,
            Listed::Moved => return Ok(Chosen::Moved),
        };
        let found = newest_offsets(file.as_ref(), len, missing, filter)?;
        missing -= found.len();
        match found.front() {
            Some(offset) => chosen = Some((file, *offset)),
            None if chosen.is_none() => chosen = Some((file, len)),
            None => {}
        }
        if missing == 0 {
            break;
        }
    }
    Ok(Chosen::Place(
        chosen.map(|(file, offset)| place(file, offset)).transpose()?,
    ))
}

fn place(file: Box<dyn DiskFile>, offset: u64) -> io::Result<Place> {
    let len = file.state()?.len;
    let base = match first_number(file.as_ref(), offset, len)? {
        Some(number) => number.saturating_sub(1),
        // No numbered event follows: the last number before the position counts.
        None => last_number(file.as_ref(), offset)?,
    };
    Ok(Place { file, offset, base })
}

/// Returns an offset near the end of the file whose first numbered event has a number <= `after`; 0 when the file begins with
/// `after` + 1, `None` when it begins later.
fn offset_after(file: &dyn DiskFile, len: u64, after: f64) -> io::Result<Option<u64>> {
    let mut window = WINDOW_BYTES;
    loop {
        let from = line_start(file, len.saturating_sub(window), len)?;
        let first = first_number(file, from, len)?;
        if from > 0 && first.is_some_and(|number| number as f64 <= after) {
            return Ok(Some(from));
        }
        if window >= len {
            return Ok(first.is_some_and(|number| number as f64 <= after + 1.0).then_some(0));
        }
        window = window.saturating_mul(8);
    }
}

fn newest_offsets(file: &dyn DiskFile, len: u64, count: usize, filter: &EventFilter) -> io::Result<VecDeque<u64>> {
    let mut window = WINDOW_BYTES;
    loop {
        let from = line_start(file, len.saturating_sub(window), len)?;
        let found = scan_events(file, from, len, count, filter)?;
        if found.offsets.len() >= count || window >= len {
            return Ok(found.offsets);
        }
        window = window.saturating_mul(8);
    }
}

fn scan_events(file: &dyn DiskFile, from: u64, to: u64, count: usize, filter: &EventFilter) -> io::Result<Found> {
    let mut found = Found::default();
    scan_lines(file, from, to, &mut |line| {
        let Some(head) = read_head(line.bytes) else { return };
        found.first_number = found.first_number.or(head.number);
        if count > 0 && filter.has(&head.kind) {
            if found.offsets.len() >= count {
                found.offsets.pop_front();
            }
            found.offsets.push_back(line.offset);
        }
    })?;
    Ok(found)
}

fn first_number(file: &dyn DiskFile, from: u64, len: u64) -> io::Result<Option<u64>> {
    let mut at = from;
    let mut window = 4096;
    while at < len {
        let to = len.min(at.saturating_add(window));
        let mut number = None;
        let next = scan_lines(file, at, to, &mut |line| {
            number = number.or_else(|| read_head(line.bytes).and_then(|head| head.number));
        })?;
        if number.is_some() || (next == at && to == len) {
            return Ok(number);
        }
        at = next;
        window = window.saturating_mul(4);
    }
    Ok(None)
}

fn last_number(file: &dyn DiskFile, to: u64) -> io::Result<u64> {
    let mut newest = 0;
    scan_lines(file, 0, to, &mut |line| {
        newest = read_head(line.bytes).and_then(|head| head.number).unwrap_or(newest);
    })?;
    Ok(newest)
}

/// Returns the offset of the first line that begins at or after `at`.
fn line_start(file: &dyn DiskFile, at: u64, len: u64) -> io::Result<u64> {
    if at == 0 {
        return Ok(0);
    }
    let mut at = at - 1;
    let mut block = vec![0; 64 * 1024];
    while at < len {
        let got = file.read_at(at, &mut block)?;
        let Some(read) = block.get(..got).filter(|read| !read.is_empty()) else {
            break;
        };
        if let Some(end) = memchr::memchr(b'\n', read) {
            return Ok(at + end as u64 + 1);
        }
        at += got as u64;
    }
    Ok(len)
}
