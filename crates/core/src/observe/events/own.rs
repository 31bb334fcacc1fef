//! Ownership of an event file. Other tools may append to it, so the mark covers the first line of the file, which never
//! changes, and not each line. The history of a file that came with a clone is not replayed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::generations::EventFile;
use super::head::CARRIED;
use crate::error::{Error, FileError, Result};
use crate::journal::{Disk, DiskFile, FileState, JournalWriter, Span, read_file, write_file};
use crate::project::ownership::Marks;

/// The number of bytes of the first line that are compared.
const FIRST_BYTES: usize = 1024;
/// A line of the file of marks: a record with a version, as in every file.
const MARK_HEAD: &str = "{\"_v\":1,\"mark\":\"";
const MARK_END: &str = "\"}";
/// How many marks are kept: for the file and all its generations.
const GENERATIONS: usize = 66;

/// A file of the list of event files, when it is opened.
pub(super) enum Listed {
    /// Created by this machine; with its state.
    Own(Box<dyn DiskFile>, FileState),
    /// Created by another one.
    Foreign,
    /// A rotation has moved or removed it since it was listed.
    Moved,
}

/// The event files of a project that this machine created.
#[derive(Debug, Clone)]
pub(super) struct Ownership {
    marks: Arc<Marks>,
    /// The name that a mark is bound to.
    name: String,
    mark_path: PathBuf,
    aside: PathBuf,
}

impl Ownership {
    /// Returns the ownership of the event file at `path`.
    pub fn of(path: &Path, marks: Arc<Marks>) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.trim_end_matches(".jsonl");
        Ownership {
            mark_path: path.with_file_name(format!("{stem}.mark.jsonl")),
            aside: path.with_file_name(format!("{stem}.foreign.jsonl")),
            name,
            marks,
        }
    }

    /// True if this machine created the file. An empty file has no owner yet.
    pub fn is_own(&self, disk: &dyn Disk, file: &dyn DiskFile) -> io::Result<bool> {
        self.look(disk, file).map_err(|error| match error {
            Error::File(FileError::Io { source, .. }) => source,
            other => io::Error::other(other),
        })
    }

    fn look(&self, disk: &dyn Disk, file: &dyn DiskFile) -> Result<bool> {
        let path = self.mark_path.with_file_name(&self.name);
        let io = |source| Error::io("read", &path)(source);
        let Some(first) = first_line(file).map_err(io)? else {
            return Ok(file.state().map_err(io)?.len == 0);
        };
        self.has_mark(disk, &first)
    }

    fn has_mark(&self, disk: &dyn Disk, first: &[u8]) -> Result<bool> {
        let check = self.marks.try_checker()?;
        let known = read_file(disk, &self.mark_path)?.unwrap_or_default();
        Ok(known
            .split(|byte| *byte == b'\n')
            .any(|line| check.is_own_file(&self.name, first, unquoted(line))))
    }

    /// Opens one of the files for reading; `None` when it does not exist or is not own.
    pub fn open_read(&self, disk: &dyn Disk, path: &Path) -> io::Result<Option<Box<dyn DiskFile>>> {
        match disk.open_read(path) {
            Ok(file) => Ok(self.is_own(disk, file.as_ref())?.then_some(file)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Opens a file of the list, unless a rotation has moved it since.
    pub fn open_listed(&self, disk: &dyn Disk, listed: &EventFile) -> io::Result<Listed> {
        let file = match disk.open_read(&listed.path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Listed::Moved),
            Err(e) => return Err(e),
        };
        let state = file.state()?;
        if state.id != listed.id {
            return Ok(Listed::Moved);
        }
        Ok(if self.is_own(disk, file.as_ref())? {
            Listed::Own(file, state)
        } else {
            Listed::Foreign
        })
    }

    /// Marks a file that is about to be created with these bytes.
    pub fn begin(&self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        let mark = self.marks.of_file(&self.name, first_in(bytes))?;
        let mut text = format!("{MARK_HEAD}{mark}{MARK_END}\n");
        let before = read_file(disk, &self.mark_path)?.unwrap_or_default();
        let before = String::from_utf8_lossy(&before);
        for mark in before.lines().take(GENERATIONS - 1) {
            text.push_str(mark);
            text.push('\n');
        }
        Ok(write_file(disk, &self.mark_path, text.as_bytes())?)
    }

    /// Marks a file that is about to be rewritten with the `fresh` bytes, if the `old` ones are own.
    pub fn renew(&self, disk: &dyn Disk, old: &[u8], fresh: &[u8]) -> Result<()> {
        if first_in(old) == first_in(fresh) || !self.has_mark(disk, first_in(old))? {
            return Ok(());
        }
        self.begin(disk, fresh)
    }

    /// Tells the same about the file of a writer.
    pub fn is_own_held(&self, writer: &mut JournalWriter<'_>) -> Result<bool> {
        let journal = writer.journal();
        let (disk, path) = (Arc::clone(journal.disk()), journal.path().to_path_buf());
        let io = Error::io("read", &path);
        match disk.open_read(&path) {
            Ok(file) => self.is_own(disk.as_ref(), file.as_ref()).map_err(io),
            Err(e) => Err(io(e)),
        }
    }

    /// Moves a foreign file aside, so that a new one starts, and returns its newest events, up to about `bytes_max`, for the new file: other
    /// tools show what that file has. They are marked, and no reader here replays them.
    pub fn set_aside(&self, writer: &mut JournalWriter<'_>, bytes_max: u64) -> Result<Vec<u8>> {
        let (len, mut bytes) = (writer.len(), bytes_max);
        let journal = writer.journal();
        let tail = journal.read(Span {
            offset: len.saturating_sub(bytes),
            len: len.min(bytes),
        })?;
        writer.set_aside(&self.aside)?;
        let whole = if len > bytes { after_first_line(&tail) } else { &tail };
        bytes = 0;
        let mut newest: Vec<Vec<u8>> = Vec::new();
        for line in whole.split(|byte| *byte == b'\n').rev().filter_map(carried_line) {
            bytes += line.len() as u64;
            if bytes > bytes_max {
                break;
            }
            newest.push(line);
        }
        newest.reverse();
        Ok(newest.concat())
    }
}

fn after_first_line(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
    bytes.get(end..).unwrap_or_default()
}

/// Marks an event of a foreign file, which is one line; `None` for what is none.
fn carried_line(line: &[u8]) -> Option<Vec<u8>> {
    let event: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
    let mut marked = serde_json::Map::from_iter([("_v".to_owned(), 1.into()), (CARRIED.to_owned(), true.into())]);
    marked.extend(
        event
            .into_iter()
            .filter(|(name, _)| !["_v", CARRIED, "seq"].contains(&name.as_str())),
    );
    let mut text = serde_json::to_vec(&marked).ok()?;
    text.push(b'\n');
    Some(text)
}

/// Returns the part of the first line that a mark covers.
fn first_in(bytes: &[u8]) -> &[u8] {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.get(..FIRST_BYTES).unwrap_or(line)
}

/// Returns the mark of a line, which in earlier versions was a text and no record.
fn unquoted(line: &[u8]) -> &[u8] {
    inside(line, MARK_HEAD, MARK_END)
        .or_else(|| inside(line, "\"", "\""))
        .unwrap_or_default()
}

fn inside<'l>(line: &'l [u8], head: &str, end: &str) -> Option<&'l [u8]> {
    line.strip_prefix(head.as_bytes())?.strip_suffix(end.as_bytes())
}

/// Returns the first line, or its beginning; `None` when it has no line end yet.
fn first_line(file: &dyn DiskFile) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; FIRST_BYTES];
    let got = file.read_at(0, &mut bytes)?;
    bytes.truncate(got);
    match memchr::memchr(b'\n', &bytes) {
        Some(end) => bytes.truncate(end),
        None if got == FIRST_BYTES => {}
        None => return Ok(None),
    }
    Ok(Some(bytes))
}
