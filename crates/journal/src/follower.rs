//! Follows an append-only file like `tail -F`: reads appended lines, and notices that the file was replaced, truncated or
//! rewritten in place.
//!
//! Invariant: the file continues the bytes read up to `covered` if and only if `id == seen.id`, `len >= covered` and
//! `bytes[covered - 64 .. covered] == tail`. Comparing all bytes would cost as much as reading them again; a rewrite in
//! place that keeps exactly these bytes is not noticed.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Disk, DiskFile, FileId, FileState, Journal, Line, Result, Span, scan_lines};

/// How many bytes before `covered` are compared.
const ANCHOR_BYTES: u64 = 64;

/// How far a file was read, and how to recognise it. It is stored beside counts, so its fields are part of a file format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follower {
    /// The state of the file when it was last read.
    seen: Option<FileState>,
    /// The offset up to which it was read.
    covered: u64,
    /// The bytes before that offset.
    tail: Vec<u8>,
}

impl Follower {
    /// Returns a follower of a file that was not read yet.
    pub fn of(state: FileState) -> Self {
        Follower {
            seen: Some(state),
            ..Follower::default()
        }
    }

    /// Returns the state of the file when it was last read; `None` before the first time.
    pub fn seen(&self) -> Option<FileState> {
        self.seen
    }

    /// Returns the identity of the file.
    pub fn file(&self) -> Option<FileId> {
        self.seen.map(|state| state.id)
    }

    /// Returns the offset up to which the file was read.
    pub fn covered(&self) -> u64 {
        self.covered
    }

    /// True if this is the same file, with nothing or more at its end.
    ///
    /// # Errors
    /// The errors of reading the file.
    pub fn continues(&self, file: &dyn DiskFile, state: FileState) -> io::Result<bool> {
        is_continued(
            self.file(),
            self.covered,
            state,
            |span| read(file, span),
            |bytes| self.has_anchor(bytes),
        )
    }

    /// Does the same for the file that a journal has open.
    ///
    /// # Errors
    /// `IO` when the file cannot be read.
    pub fn continues_in(&self, journal: &Journal, state: FileState) -> Result<bool> {
        journal.is_continued(self.file(), self.covered, state, |bytes| self.has_anchor(bytes))
    }

    /// Compares the tail. After an append of our own, only the appended line is known, which may be shorter than 64
    /// bytes.
    fn has_anchor(&self, bytes: &[u8]) -> bool {
        bytes.ends_with(&self.tail) && self.tail.is_empty() == (self.covered == 0)
    }

    /// Records that the file was read up to `covered`, in this state.
    ///
    /// # Errors
    /// The errors of reading the file; the follower is unchanged then.
    pub fn advance(&mut self, file: &dyn DiskFile, state: FileState, covered: u64) -> io::Result<()> {
        self.tail = read(file, anchor_span(covered))?;
        self.covered = covered;
        self.seen = Some(state);
        Ok(())
    }

    /// Records that a journal's open file was read up to `covered`.
    ///
    /// # Errors
    /// `IO` when the file cannot be read; the follower is unchanged then.
    pub fn advance_in(&mut self, journal: &Journal, covered: u64) -> Result<()> {
        self.tail = journal.anchor(covered)?;
        self.covered = covered;
        Ok(())
    }

    /// Records the state of the file.
    pub fn see(&mut self, state: FileState) {
        self.seen = Some(state);
    }

    /// Records an append of our own: `line` without its line end, and the state of the file after it.
    pub fn append(&mut self, state: FileState, line: &[u8]) {
        let kept = line.len().saturating_sub(ANCHOR_BYTES as usize - 1);
        self.tail.clear();
        self.tail.extend_from_slice(line.get(kept..).unwrap_or_default());
        self.tail.push(b'\n');
        self.covered = state.len;
        self.seen = Some(state);
    }
}

impl Journal {
    /// True if the open file is the one that was read up to `covered`, when `is_anchor` recognises the bytes
    /// before that offset.
    ///
    /// # Errors
    /// `IO` when the file cannot be read.
    pub fn is_continued(
        &self,
        file: Option<FileId>,
        covered: u64,
        state: FileState,
        is_anchor: impl FnOnce(&[u8]) -> bool,
    ) -> Result<bool> {
        is_continued(file, covered, state, |span| self.read(span), is_anchor)
    }

    /// Returns the bytes before `covered`, by which the open file is recognised later.
    ///
    /// # Errors
    /// `IO` when the file cannot be read.
    pub fn anchor(&self, covered: u64) -> Result<Vec<u8>> {
        self.read(anchor_span(covered))
    }
}

/// Counts the lines of an append-only file incrementally: the lines appended since the last call, or all of them when the
/// file was replaced or rewritten, in which case the count starts from the value of `begin`. A missing file has no lines.
///
/// # Errors
/// The errors of reading the file, or of `begin`. The count is unchanged then, so that no line is counted twice.
pub fn count_lines<C: Default + AsMut<Follower>>(
    counts: &mut C,
    disk: &dyn Disk,
    path: &Path,
    begin: impl FnOnce(&mut C) -> io::Result<()>,
    take: impl FnMut(&mut C, &Line<'_>),
) -> io::Result<()> {
    let outcome = match disk.open_read(path) {
        Ok(file) => count_new_lines(counts, file.as_ref(), begin, take),
        Err(e) => Err(e),
    };
    if outcome.is_err() {
        *counts = C::default();
    }
    outcome.or_else(|e| {
        if e.kind() == io::ErrorKind::NotFound {
            Ok(())
        } else {
            Err(e)
        }
    })
}

fn count_new_lines<C: Default + AsMut<Follower>>(
    counts: &mut C,
    file: &dyn DiskFile,
    begin: impl FnOnce(&mut C) -> io::Result<()>,
    mut take: impl FnMut(&mut C, &Line<'_>),
) -> io::Result<()> {
    let state = file.state()?;
    let follower = counts.as_mut();
    if follower.seen == Some(state) {
        return Ok(());
    }
    // Same length, other modification time: the file was rewritten in place.
    let is_longer = follower.seen.is_some_and(|seen| seen.len < state.len);
    if !is_longer || !follower.continues(file, state)? {
        *counts = C::default();
        begin(counts)?;
    }
    let from = counts.as_mut().covered;
    let end = scan_lines(file, from, state.len, &mut |line| take(counts, &line))?;
    counts.as_mut().advance(file, state, end)
}

fn is_continued<E>(
    file: Option<FileId>,
    covered: u64,
    state: FileState,
    read: impl FnOnce(Span) -> std::result::Result<Vec<u8>, E>,
    is_anchor: impl FnOnce(&[u8]) -> bool,
) -> std::result::Result<bool, E> {
    if file != Some(state.id) || covered > state.len {
        return Ok(false);
    }
    Ok(is_anchor(&read(anchor_span(covered))?))
}

fn anchor_span(covered: u64) -> Span {
    let len = covered.min(ANCHOR_BYTES);
    Span {
        offset: covered - len,
        len,
    }
}

fn read(file: &dyn DiskFile, span: Span) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(span.len).unwrap_or(0)];
    let got = file.read_at(span.offset, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::{Disk, OsDisk};

    /// Reads the state of the file and is true if it is continued.
    fn is_continued(follower: &Follower, path: &Path) -> bool {
        let file = OsDisk.open_read(path).unwrap();
        follower.continues(file.as_ref(), file.state().unwrap()).unwrap()
    }

    #[test]
    fn a_file_that_grew_is_continued_and_one_that_was_changed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = "x".repeat(100);
        fs::write(&path, &first).unwrap();
        let file = OsDisk.open_read(&path).unwrap();
        let mut follower = Follower::of(file.state().unwrap());
        assert!(is_continued(&follower, &path), "of which nothing was read");
        follower.advance(file.as_ref(), file.state().unwrap(), 100).unwrap();
        assert_eq!(
            (follower.covered(), follower.file()),
            (100, Some(file.state().unwrap().id))
        );
        for (text, wanted, what) in [
            (first.clone(), true, "the same"),
            (format!("{first}more"), true, "longer"),
            (first[1..].to_owned(), false, "shorter"),
            (
                format!("{}y and more", &first[1..]),
                false,
                "other bytes in front of the place",
            ),
            (
                format!("{}{}", "y".repeat(36), &first[36..]),
                true,
                "changed before the compared bytes",
            ),
        ] {
            // Written in place: the file keeps its id.
            fs::write(&path, &text).unwrap();
            assert_eq!(is_continued(&follower, &path), wanted, "{what}");
        }
        fs::write(folder.path().join("other"), &first).unwrap();
        assert!(!is_continued(&follower, &folder.path().join("other")), "another file");
        assert!(!is_continued(&Follower::default(), &path), "nothing was followed");
    }

    /// How many lines a file has.
    #[derive(Default)]
    struct Count {
        followed: Follower,
        lines: usize,
    }

    impl AsMut<Follower> for Count {
        fn as_mut(&mut self) -> &mut Follower {
            &mut self.followed
        }
    }

    #[test]
    fn lines_are_counted_once_and_again_after_the_file_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut count = Count::default();
        let mut look = |begin: io::Result<usize>| {
            let begin = |count: &mut Count| begin.map(|lines| count.lines = lines);
            let outcome = count_lines(&mut count, &OsDisk, &path, begin, |count, _| count.lines += 1);
            (outcome.is_ok(), count.lines)
        };
        assert_eq!(look(Ok(10)), (true, 0), "no file");
        fs::write(&path, "one\ntwo\n").unwrap();
        assert_eq!(look(Ok(10)), (true, 12), "a new one");
        assert_eq!(look(Ok(10)), (true, 12), "the same");
        fs::write(&path, "one\ntwo\nthree\nfo").unwrap();
        assert_eq!(look(Ok(10)), (true, 13), "longer, and a torn line");
        fs::write(&path, "one\n").unwrap();
        assert_eq!(look(Ok(20)), (true, 21), "rewritten");
        fs::write(&path, "1\n").unwrap();
        let failed = io::Error::other("what lies in front cannot be read");
        assert_eq!(look(Err(failed)), (false, 0), "half of it would pass for all");
        assert_eq!(look(Ok(30)), (true, 31), "the next look counts all");
        fs::remove_file(&path).unwrap();
        assert_eq!(look(Ok(10)), (true, 0), "gone");
    }

    #[test]
    fn an_own_append_is_counted_without_reading_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for line in ["", "short", &"long".repeat(40)] {
            fs::write(&path, format!("first line\n{line}\n")).unwrap();
            let file = OsDisk.open_read(&path).unwrap();
            let state = file.state().unwrap();
            let mut follower = Follower::of(state);
            follower.append(state, line.as_bytes());
            assert_eq!(follower.covered(), state.len);
            let mut read = Follower::of(state);
            read.advance(file.as_ref(), state, state.len).unwrap();
            assert!(read.tail.ends_with(&follower.tail));
            assert!(is_continued(&follower, &path), "{line:?}");
        }
    }
}
