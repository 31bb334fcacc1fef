//! Brings back records captured in a linked work tree that was removed before they were committed or merged.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::merge::merge;
use crate::error::{Error, Result};
use crate::journal::{each_line, read_file};
use crate::outbox::{QueueLine, queue::marked};
use crate::project::Project;
use crate::project::committed::{committed_elsewhere, key_of};
use crate::project::copies::removed_trees;
use crate::project::layout::committed_files;
use crate::project::ownership::{MARK, Marks};

/// Merges the copies of removed work trees into the memory, and removes them. Returns how many trees there were.
///
/// # Errors
/// `LOCKED` or `IO`; trees that are not merged stay for the next call.
pub(crate) fn restore_removed(project: &Project) -> Result<usize> {
    let (layout, disk) = (&project.layout, project.disk());
    let removed = removed_trees(layout.disk(), layout.home(), layout.project_dir(), committed_files())?;
    for tree in &removed {
        let _guard = tree.lock.guard()?;
        for file in committed_files() {
            let Some(copy) = read_file(disk, &tree.folder.join(file))? else {
                continue;
            };
            layout.journal_of(file).replace::<Error>(|old| {
                let lines = own_lines(project, &tree.project, &missing_lines(project, file, &copy, old))?;
                Ok((!lines.is_empty()).then(|| merge(b"", old, &lines).bytes))
            })?;
        }
        disk.remove_folder(&tree.folder)
            .map_err(Error::io("remove", &tree.folder))?;
    }
    Ok(removed.len())
}

/// Returns the lines of a copy, after its first one, that neither the memory nor a commit of another branch has.
fn missing_lines<'c>(project: &Project, file: &str, copy: &'c [u8], old: &[u8]) -> Vec<&'c [u8]> {
    let known: FxHashSet<&[u8]> = each_line(old).map(|(_, line)| line).collect();
    let lines = each_line(copy).map(|(_, line)| line).skip(1);
    let mut lines: Vec<&[u8]> = lines.filter(|line| !known.contains(line)).collect();
    let elsewhere = committed_elsewhere(&project.layout, file, lines.iter().copied(), project.now());
    lines.retain(|line| !elsewhere.contains(&key_of(line)));
    lines
}

/// Returns the lines as the memory has them. Marks are bound to a folder: records that this machine wrote in the work tree are marked as its own
/// here.
fn own_lines(project: &Project, tree: &Path, lines: &[&[u8]]) -> Result<Vec<u8>> {
    let own = Marks::new(&Arc::clone(project.layout.disk()), project.layout.home(), tree).try_checker()?;
    let mut taken = Vec::new();
    for text in lines {
        let marked = QueueLine::read(text).and_then(|read| {
            let (record, mark) = (read.record(), read.text(MARK));
            let is_own = own.is_own_record(record.as_bytes(), mark.as_deref());
            is_own.then(|| {
                project
                    .marks
                    .of_record(record.as_bytes())
                    .map(|mark| marked(&record, Some(&mark)))
            })
        });
        match marked.transpose()? {
            Some(marked) => taken.extend_from_slice(marked.as_bytes()),
            None => taken.extend_from_slice(text),
        }
        taken.push(b'\n');
    }
    Ok(taken)
}
