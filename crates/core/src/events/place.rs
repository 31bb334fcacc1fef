//! Finding the place in the event files where a subscriber goes on.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use super::generations::present;
use super::head::read_head;
use super::own::Ownership;
use super::tail::{Position, Start, Wants};
use crate::journal::{Disk, DiskFile, FileId, rotated_path, scan_lines};

/// How much of a file's end is looked at first.
const WINDOW_BYTES: u64 = 256 * 1024;

/// A place in one of the two files.
#[derive(Debug)]
pub(super) struct Place {
    pub file: Box<dyn DiskFile>,
    pub id: FileId,
    pub offset: u64,
    /// The number before the first numbered event behind the place.
    pub base: u64,
}

/// What the end of a file holds.
#[derive(Default)]
struct Found {
    /// Where the wanted events begin, the newest last.
    offsets: VecDeque<u64>,
    first_number: Option<u64>,
}

/// Chooses where to begin; `None` when there is no file. `end` is where another reader stands: what lies behind it does
/// not count.
pub(super) fn choose(
    disk: &dyn Disk,
    path: &Path,
    ownership: &Ownership,
    start: Start,
    wants: &Wants,
    end: Option<Position>,
) -> io::Result<Option<Place>> {
    let current = open(disk, path, ownership)?;
    let previous = open(disk, &rotated_path(path), ownership)?;
    // When the other reader is still in the previous file, that one is the newest for us as well.
    let is_behind = |file: &Option<(Box<dyn DiskFile>, FileId, u64)>| {
        file.as_ref()
            .is_some_and(|(_, id, _)| end.is_some_and(|end| end.file == *id))
    };
    let (newest, older) = if is_behind(&previous) {
        (previous, None)
    } else {
        (current, previous)
    };
    let Some((file, id, len)) = newest else {
        return older.map(|(file, id, _)| place(file, id, 0)).transpose();
    };
    let len = end.filter(|end| end.file == id).map_or(len, |end| end.offset.min(len));
    match start {
        Start::After(after) => {
            if let Some(offset) = offset_after(file.as_ref(), len, after)? {
                return place(file, id, offset).map(Some);
            }
            let mut oldest = (file, id);
            for (path, _) in present(disk, path) {
                let Some((file, id, len)) = open(disk, &path, ownership)?.filter(|(_, id, _)| *id != oldest.1) else {
                    continue;
                };
                if let Some(offset) = offset_after(file.as_ref(), len, after)? {
                    return place(file, id, offset).map(Some);
                }
                oldest = (file, id);
            }
            place(oldest.0, oldest.1, 0).map(Some)
        }
        Start::Newest(count) => {
            let found = newest_offsets(file.as_ref(), len, count, wants)?;
            let missing = count - found.len();
            if let Some((older, older_id, older_len)) = older.filter(|_| missing > 0) {
                let more = newest_offsets(older.as_ref(), older_len, missing, wants)?;
                if let Some(offset) = more.front() {
                    return place(older, older_id, *offset).map(Some);
                }
            }
            let offset = found.front().copied().unwrap_or(len);
            place(file, id, offset).map(Some)
        }
    }
}

type Opened = (Box<dyn DiskFile>, FileId, u64);

fn open(disk: &dyn Disk, path: &Path, ownership: &Ownership) -> io::Result<Option<Opened>> {
    let Some(file) = ownership.open_read(disk, path)? else {
        return Ok(None);
    };
    let state = file.state()?;
    Ok(Some((file, state.id, state.len)))
}

fn place(file: Box<dyn DiskFile>, id: FileId, offset: u64) -> io::Result<Place> {
    let len = file.state()?.len;
    let base = match first_number(file.as_ref(), offset, len)? {
        Some(number) => number.saturating_sub(1),
        // Nothing numbered lies ahead: the last number behind counts.
        None => last_number(file.as_ref(), offset)?,
    };
    Ok(Place { file, id, offset, base })
}

/// Returns where the last lines of the file begin of which the first has a number up to `after`; 0 when the file begins
/// with the next number, `None` when it begins later.
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

fn newest_offsets(file: &dyn DiskFile, len: u64, count: usize, wants: &Wants) -> io::Result<VecDeque<u64>> {
    let mut window = WINDOW_BYTES;
    loop {
        let from = line_start(file, len.saturating_sub(window), len)?;
        let found = look_through(file, from, len, count, wants)?;
        if found.offsets.len() >= count || window >= len {
            return Ok(found.offsets);
        }
        window = window.saturating_mul(8);
    }
}

fn look_through(file: &dyn DiskFile, from: u64, to: u64, count: usize, wants: &Wants) -> io::Result<Found> {
    let mut found = Found::default();
    scan_lines(file, from, to, &mut |line| {
        let Some(head) = read_head(line.bytes) else { return };
        found.first_number = found.first_number.or(head.number);
        if count > 0 && wants.has(&head.kind) {
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

/// Returns the first place from `at` on where a line begins.
fn line_start(file: &dyn DiskFile, at: u64, len: u64) -> io::Result<u64> {
    if at == 0 {
        return Ok(0);
    }
    let mut at = at - 1;
    let mut block = vec![0; 64 * 1024];
    while at < len {
        let got = file.read_at(at, &mut block)?;
        if got == 0 {
            break;
        }
        if let Some(end) = memchr::memchr(b'\n', &block[..got]) {
            return Ok(at + end as u64 + 1);
        }
        at += got as u64;
    }
    Ok(len)
}
