//! Records of the queue that this machine did not write: they came with a copy of the project, from another tool, from an
//! earlier release, or the folder was moved. They stay in the file but are not delivered until the user approves
//! them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::files::{generations, rewrite_lines};
use super::line::{Order, QueueLine, is_own, quoted};
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::error::{Error, Result};
use crate::journal::{Journal, each_line};
use crate::project::layout::{CAPTURES_FILE, Layout};
use crate::project::ownership::{Checker, MARK, Marks};

/// The records that are set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Foreign {
    /// The number of thoughts that would be stored.
    pub stores: u64,
    /// The number of deletes.
    pub deletes: u64,
    /// The number of rulings on thoughts.
    pub rulings: u64,
    /// The projects that they name.
    pub projects: BTreeSet<String>,
}

impl Foreign {
    /// Returns their total number.
    pub fn records(&self) -> u64 {
        self.stores + self.deletes + self.rulings
    }

    fn take(&mut self, bytes: &[u8], check: &Checker) {
        for (_, line) in each_line(bytes) {
            let Some(read) = QueueLine::read(line).filter(|_| !is_own(line, check)) else {
                continue;
            };
            match read.order() {
                Order::Delete | Order::DeleteNamed => self.deletes += 1,
                Order::Rule => self.rulings += 1,
                _ => self.stores += 1,
            }
            self.projects
                .extend(read.text("project").map(|project| project.into_owned()));
        }
    }
}

/// Counts the records of the queue and the dead letters that this machine did not write.
///
/// # Errors
/// `IO` when a file exists but cannot be read.
pub(crate) fn foreign_records(layout: &Layout, marks: &Marks) -> Result<Foreign> {
    let check = marks.try_checker()?;
    let mut foreign = Foreign::default();
    for name in [QUEUE_FILE, DEAD_LETTER_FILE] {
        foreign.take(&layout.read(name)?, &check);
    }
    Ok(foreign)
}

/// Marks the records that this machine did not write as its own, on the order of the user. Returns their counts.
///
/// # Errors
/// `IO` or `LOCKED` when the files cannot be rewritten or the machine's key cannot be read.
pub(crate) fn trust_foreign_records(layout: &Layout, marks: &Marks) -> Result<Foreign> {
    let foreign = foreign_records(layout, marks)?;
    // The archive as well: it has the names under which a thought was delivered.
    let [rotated, archive] = generations(&layout.path_of(ARCHIVE_FILE));
    let files = [
        (layout.path_of(DEAD_LETTER_FILE), DEAD_LETTER_FILE),
        (rotated, ARCHIVE_FILE),
        (archive, ARCHIVE_FILE),
        (layout.path_of(QUEUE_FILE), CAPTURES_FILE),
    ];
    for (path, lock) in files {
        if layout.disk().stat(&path).is_ok() {
            let mut journal = Journal::under(Arc::clone(layout.disk()), path, layout.lock_of(lock));
            journal.replace::<Error>(|old| taken_over(old, marks))?;
        }
    }
    Ok(foreign)
}

/// Returns the lines with a mark added to each unmarked record; `None` when all records are marked.
fn taken_over(old: &[u8], marks: &Marks) -> Result<Option<Vec<u8>>> {
    let check = marks.try_checker()?;
    rewrite_lines(old, |line| {
        let Some(read) = QueueLine::read(line).filter(|_| !is_own(line, &check)) else {
            return Ok(None);
        };
        let mark = marks.of_record(read.record().as_bytes())?;
        let mut line = read.with(&[(MARK, quoted(&mark))]);
        line.push(b'\n');
        Ok(Some(line))
    })
}
