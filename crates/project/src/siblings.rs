//! What the other work trees of a repository have of a committed memory that is not committed there yet: the end of their files, beyond what
//! git's index of the work tree has of them. It is only read. What cannot be read, or is not certain, is left out: a work tree that goes
//! away meanwhile, a damaged index, files of other users, links.

use std::path::{Path, PathBuf};

use super::environment::InMain;
use super::files::{CAPTURES_FILE, FORGE_FOLDER, PATTERNS_FILE};
use super::git::{Stamp, hash_bytes_of};
use super::git::{branch_of, common_folder, git_folder, linked_folder, read};
use super::layout::Layout;
use super::place::strange;
use super::worktree::{shared_indexes, tracked_journals};
use forge_memory_journal::clock::Millis;
use forge_memory_journal::{Disk, Entry, FileKind, FileState, each_line, is_folder_trusted};
use forge_memory_record::model::thought::moment_of;

const TREES_MAX: usize = 64;
/// How much of the end of a file is read.
const TAIL_BYTES: u64 = 1024 * 1024;
/// How many lines of it count, the newest ones.
const LINES_MAX: usize = 4096;

/// The files with records of their own.
pub const FILES: [&str; 2] = [CAPTURES_FILE, PATTERNS_FILE];

/// Where the part of a file begins that is not committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    /// At an offset.
    Offset(u64),
    /// With the first line that was written after a moment, and nothing older behind it.
    Moment(Millis),
}

/// A work tree in which something may be that is not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// Git's own folder of it, and its top.
    git: PathBuf,
    top: PathBuf,
    /// The project's folder in it.
    project: PathBuf,
    /// The files by their number in [`FILES`], as they were.
    files: [Option<(FileState, Since)>; 2],
}

/// What is not committed in a work tree.
#[derive(Debug)]
pub struct Uncommitted {
    /// The top of the work tree, and the project's folder in it, without links.
    pub top: PathBuf,
    pub project: PathBuf,
    /// Its branch, unless it has none.
    pub branch: Option<String>,
    /// Whole lines of [`FILES`].
    pub files: [Vec<u8>; 2],
}

/// Finds the other work trees of the repository that have something which is not committed there.
pub fn siblings(layout: &Layout) -> Vec<Sibling> {
    let disk = layout.disk().as_ref();
    let Some((mut here, mut entries)) = Here::of(layout) else {
        return Vec::new();
    };
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let trees = entries.into_iter().filter(|entry| entry.is_folder).take(TREES_MAX);
    let linked = trees.filter_map(|entry| {
        let git = here.common.join("worktrees").join(entry.name);
        if here.own.as_ref() == Some(&git) {
            return None;
        }
        let named = read(disk, &git.join("gitdir")).ok()??;
        let top = git.join(named.trim()).parent()?.to_path_buf();
        Some((git, top, true))
    });
    let linked: Vec<_> = linked.collect();
    let main = here.main.take().map(|top| (here.common.clone(), top, false));
    let all = main.into_iter().chain(linked);
    all.filter_map(|(git, top, is_linked)| here.look(layout, (git, top), is_linked))
        .collect()
}

/// The repository, as it is seen from a work tree.
struct Here {
    common: PathBuf,
    /// Git's own folder of this work tree, unless it is the main one.
    own: Option<PathBuf>,
    /// The top of the main one, unless the memory is in it.
    main: Option<PathBuf>,
    /// The project's folder in a work tree.
    below: PathBuf,
    hash_bytes: Option<usize>,
}

impl Here {
    /// Returns the repository, with what it has of other work trees.
    fn of(layout: &Layout) -> Option<(Self, Vec<Entry>)> {
        let disk = layout.disk().as_ref();
        let trees = |common: &Path| disk.list(&common.join("worktrees"));
        let (common, own, main, below) = match (layout.main(), layout.tree()) {
            (InMain::Branch { tree, main }, _) => {
                let own = linked_folder(disk, tree).ok()??;
                let below = layout.project_dir().strip_prefix(tree).ok()?;
                let common = common_folder(disk, &own).ok()??;
                (common, Some(own), Some(main.clone()), below.to_path_buf())
            }
            (InMain::Nothing | InMain::Memory(_), Some((top, below))) => {
                let git = top.join(".git");
                let common = match trees(&git) {
                    // Not so with a link to the folder of another checkout.
                    Ok(entries) if git_folder(disk, top).ok()?.as_ref() == Some(&git) => {
                        return Some((Here::in_main(git, below), entries));
                    }
                    Ok(_) => linked_folder(disk, top).ok()??,
                    // A submodule, or a repository beside its main checkout.
                    Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                        linked_folder(disk, top).ok()??
                    }
                    Err(_) => return None,
                };
                (common, None, None, below)
            }
            // A bare repository.
            (InMain::Nothing | InMain::Memory(_), None) => {
                (layout.memory_dir().to_path_buf(), None, None, PathBuf::new())
            }
        };
        let entries = trees(&common).ok()?;
        let here = Here {
            own,
            main,
            ..Here::in_main(common, below)
        };
        Some((here, entries))
    }

    fn in_main(common: PathBuf, below: PathBuf) -> Self {
        Here {
            common,
            own: None,
            main: None,
            below,
            hash_bytes: None,
        }
    }

    /// Looks at a work tree without reading its files. A linked one whose memory is not committed has none of its own.
    fn look(&mut self, layout: &Layout, (git, top): (PathBuf, PathBuf), is_linked: bool) -> Option<Sibling> {
        let disk = layout.disk().as_ref();
        let project = self.below.iter().fold(top.clone(), |path, part| path.join(part));
        let forge = project.join(FORGE_FOLDER);
        let found = disk.link_metadata(&forge).ok()?;
        let is_own = || {
            let reason = found.access.map(|access| strange(layout.users(), &forge, access, true));
            reason.flatten().is_none() || is_folder_trusted(layout.home(), &project, &forge)
        };
        if found.kind != FileKind::Folder || !is_own() {
            return None;
        }
        let states = FILES.map(|file| disk.lstat(&forge.join(file)).ok().flatten());
        if states.iter().flatten().all(|state| state.len == 0) {
            return None;
        }
        let hash_bytes = *self.hash_bytes.get_or_insert_with(|| hash_bytes_of(disk, &self.common));
        let tracked = tracked_journals(disk, &git, (&self.below.join(FORGE_FOLDER), hash_bytes)).ok()?;
        if is_linked && tracked.is_empty() {
            return None;
        }
        let mut files = states.into_iter().zip(FILES).map(|(state, file)| {
            let state = state.filter(|state| state.len > 0)?;
            let stamp = tracked.iter().find(|(name, _)| name == file.as_bytes());
            Some((state, since(stamp.map(|(_, stamp)| *stamp), state)?))
        });
        let files = [files.next().flatten(), files.next().flatten()];
        files.iter().any(Option::is_some).then_some(Sibling {
            git,
            top,
            project,
            files,
        })
    }
}

/// Returns where the part of a file begins that the index does not have; `None` when there is no such part, or nobody knows where.
fn since(stamp: Option<Stamp>, state: FileState) -> Option<Since> {
    const SECOND_NS: i64 = 1_000_000_000;
    let Some(stamp) = stamp else {
        return Some(Since::Offset(0));
    };
    // The size is kept in 32 bits.
    if state.len > u64::from(u32::MAX) {
        return None;
    }
    if stamp.size > 0 || stamp.is_empty {
        return (state.len > stamp.size).then_some(Since::Offset(stamp.size));
    }
    if stamp.modified_ns == 0 {
        return None;
    }
    // Some programs note whole seconds.
    let is_whole = stamp.modified_ns % SECOND_NS == 0;
    let at = stamp.modified_ns + if is_whole { SECOND_NS } else { 0 };
    (state.modified_ns > stamp.modified_ns).then_some(Since::Moment(at / 1_000_000))
}

impl Sibling {
    /// Reads what is not committed. `None` when the work tree is none of the repository, or no more.
    pub fn read(&self, disk: &dyn Disk) -> Option<Uncommitted> {
        let own = disk.real_path(&self.git).ok()?;
        let named = git_folder(disk, &self.top).ok().flatten();
        let is_bare = || self.git == self.top || self.git.parent() == Some(&self.top);
        let is_of_repository = match &named {
            Some(named) => disk.real_path(named).ok()? == own,
            None => is_bare(),
        };
        if !is_of_repository || shared_indexes(disk, &self.git).next().is_some() {
            return None;
        }
        let forge = self.project.join(FORGE_FOLDER);
        let top = disk.real_path(&self.top).ok()?;
        let real = top.join(forge.strip_prefix(&self.top).ok()?);
        let read = |number: usize| -> Option<Vec<u8>> {
            let (state, since) = self.files.get(number).copied().flatten()?;
            let path = forge.join(FILES.get(number)?);
            let is_there = disk.real_path(&path).ok()? == real.join(FILES.get(number)?);
            is_there.then(|| tail_of(disk, &path, state.len, since)).flatten()
        };
        let files = [0, 1].map(|number| read(number).unwrap_or_default());
        files.iter().any(|lines| !lines.is_empty()).then(|| Uncommitted {
            project: real.parent().unwrap_or(&top).to_path_buf(),
            top,
            // A bare repository has none.
            branch: named.and_then(|_| branch_of(disk, &self.git).ok().flatten()),
            files,
        })
    }
}

/// Reads the last whole lines of a file.
fn tail_of(disk: &dyn Disk, path: &Path, len: u64, since: Since) -> Option<Vec<u8>> {
    let from = match since {
        Since::Offset(from) => from,
        Since::Moment(_) => 0,
    };
    let from = from.max(len.saturating_sub(TAIL_BYTES));
    // The byte before says whether a line begins there.
    let before = from.saturating_sub(1);
    let mut bytes = vec![0; usize::try_from(len.saturating_sub(before)).ok()?];
    let count = disk.open_read(path).ok()?.read_at(before, &mut bytes).ok()?;
    bytes.truncate(count);
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    bytes.truncate(whole);
    let first = match from {
        0 => 0,
        _ => bytes.iter().position(|byte| *byte == b'\n')? + 1,
    };
    let lines: Vec<&[u8]> = each_line(bytes.get(first..)?).map(|(raw, _)| raw).collect();
    let is_new = |line: &&&[u8]| match since {
        Since::Offset(_) => true,
        Since::Moment(at) => moment_of(forge_memory_journal::clean(line)).is_none_or(|written| written > at),
    };
    let kept = lines.iter().rev().take(LINES_MAX).take_while(is_new).count();
    Some(lines.get(lines.len() - kept..)?.concat())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use forge_memory_test_disk::{Operation, Watch, WatchedDisk};

    use super::*;
    use crate::environment::Environment;
    use crate::place::{Surroundings, find_place};
    use forge_memory_journal::{FileId, OsDisk};

    #[derive(Debug, Default)]
    struct Calls(AtomicUsize, Mutex<Vec<String>>);

    impl Watch for Calls {
        fn before(&self, operation: Operation, path: &Path) -> std::io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let mut calls = self.1.lock().unwrap();
            calls.push(format!("{operation:?} {}", path.display()));
            Ok(())
        }
    }

    fn git(folder: &Path, args: &[&str]) {
        let options = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let mut command = Command::new("git");
        let done = command.current_dir(folder).args(options).args(args).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn line(number: usize) -> String {
        format!(
            "{{\"id\":\"mem_{number}\",\"content\":\"x\",\"type\":\"lesson\",\"capturedAt\":\"2026-01-01T00:00:0{number}.000Z\"}}\n"
        )
    }

    /// A repository that commits its memory.
    fn repository(root: &Path) -> PathBuf {
        let top = fs::canonicalize(root).unwrap().join("shop");
        fs::create_dir_all(top.join(".forge")).unwrap();
        fs::write(top.join(".forge/memory-captures.jsonl"), line(1)).unwrap();
        git(&top, &["init", "-q"]);
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "-q", "-m", "first"]);
        top
    }

    /// The siblings of a project, with the number of calls that finding and reading them takes.
    fn look(project: &Path) -> (Vec<Vec<u8>>, [usize; 2], Vec<String>) {
        let place = find_place(&OsDisk, project, &Surroundings::default()).unwrap();
        let disk = WatchedDisk::new(Calls::default());
        let home = project.join("../home");
        let environment = Environment {
            disk: Arc::new(disk.clone()),
            ..Environment::at(place, home)
        };
        let layout = Layout::new(&environment);
        disk.0.0.store(0, Ordering::Relaxed);
        disk.0.1.lock().unwrap().clear();
        let found = siblings(&layout);
        let looked = disk.0.0.swap(0, Ordering::Relaxed);
        let read = found.iter().filter_map(|sibling| sibling.read(layout.disk().as_ref()));
        let lines: Vec<Vec<u8>> = read.map(|uncommitted| uncommitted.files[0].clone()).collect();
        let calls = disk.0.1.lock().unwrap().clone();
        (lines, [looked, disk.0.0.load(Ordering::Relaxed)], calls)
    }

    #[test]
    fn looking_costs_one_call_without_other_work_trees_and_a_few_for_each() {
        let root = tempfile::tempdir().unwrap();
        let top = repository(root.path());
        let (found, calls, names) = look(&top);
        assert_eq!((found.len(), calls), (0, [1, 0]), "{names:#?}");
        let trees = ["one", "two", "three"].map(|name| {
            git(&top, &["worktree", "add", "-q", "-b", name, &format!("../{name}")]);
            top.join("..").join(name)
        });
        let (found, [looked, _], names) = look(&top);
        assert!(found.is_empty() && looked <= 4 + 3 * 10, "{looked} {names:#?}");
        let path = trees[0].join(".forge/memory-captures.jsonl");
        fs::write(&path, line(1) + &line(2)).unwrap();
        let (found, [_, read], names) = look(&top);
        assert!(read <= 24, "{read} {names:#?}");
        assert_eq!(found, [line(2).into_bytes()]);
        let (found, _, _) = look(&fs::canonicalize(&trees[1]).unwrap());
        assert_eq!(found, [line(2).into_bytes()]);
        assert!(look(&fs::canonicalize(&trees[0]).unwrap()).0.is_empty());
    }

    #[test]
    fn where_the_part_begins_that_is_not_committed() {
        let state = |len, modified_ns| FileState {
            id: FileId::default(),
            len,
            modified_ns,
            links: 1,
        };
        let stamp = |size, modified_ns, is_empty| {
            Some(Stamp {
                size,
                modified_ns,
                is_empty,
            })
        };
        let ms = 1_700_000_000_123_i64;
        let ns = ms * 1_000_000 + 7;
        for (stamp, state, expected) in [
            (None, state(9, ns), Some(Since::Offset(0))),
            (stamp(5, ns, false), state(9, ns), Some(Since::Offset(5))),
            (stamp(9, ns, false), state(9, ns), None),
            (stamp(12, ns, false), state(9, ns), None),
            (stamp(0, 0, true), state(9, ns), Some(Since::Offset(0))),
            // Changed when the index was written.
            (stamp(0, ns, false), state(9, ns), None),
            (stamp(0, ns, false), state(9, ns + 1), Some(Since::Moment(ms))),
            (
                stamp(0, 1_700_000_000_000_000_000, false),
                state(9, ns),
                Some(Since::Moment(1_700_000_001_000)),
            ),
            // Not looked at: a conflict of a merge, for example.
            (stamp(0, 0, false), state(9, ns), None),
            (stamp(5, ns, false), state(1 << 33, ns), None),
        ] {
            assert_eq!(since(stamp, state), expected, "{stamp:?} {state:?}");
        }
    }

    #[test]
    fn the_end_of_a_file_in_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let whole = [line(1), line(2), line(3)].concat();
        let first = line(1).len() as u64;
        let tail = |text: &str, since: Since| {
            fs::write(&path, text).unwrap();
            let found = tail_of(&OsDisk, &path, text.len() as u64, since);
            String::from_utf8(found.unwrap_or_default()).unwrap()
        };
        assert_eq!(tail(&whole, Since::Offset(0)), whole);
        assert_eq!(tail(&whole, Since::Offset(first)), line(2) + &line(3));
        assert_eq!(tail(&whole, Since::Offset(first - 3)), line(2) + &line(3));
        assert_eq!(tail(&whole, Since::Offset(first + 3)), line(3));
        assert_eq!(
            tail(&(whole.clone() + "{\"id\":\"mem_4"), Since::Offset(first * 2)),
            line(3)
        );
        assert_eq!(tail(&whole, Since::Moment(1_767_225_601_000)), line(2) + &line(3));
        assert_eq!(tail(&whole, Since::Moment(1_767_225_603_000)), "");
        let many = line(5).repeat(20_000);
        let newest = tail(&many, Since::Offset(0));
        assert_eq!(newest.lines().count(), LINES_MAX);
    }
}
