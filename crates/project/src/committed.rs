//! Which lines of a file of the memory are in commits that the work tree does not show: those of another branch, of a tag, of a stash. Nothing is
//! lost there, and git brings it back. The answer needs git itself, so it is asked only about lines that are missing.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::git::{branch_of, git_folder, read};
use super::layout::{FORGE_FOLDER, Layout};
use forge_memory_journal::clock::Millis;
use forge_memory_journal::each_line;
use forge_memory_record::model::thought::{LineKind, id_hash, moment_of, read_line};

/// Git is ended after this time: the files of a repository can be anything, also pipes.
const PATIENCE: Duration = Duration::from_secs(10);
/// At most that much of the versions of a file is read.
const BYTES_MAX: usize = 512 * 1024 * 1024;
/// A record is committed after it was captured, by clocks that may differ by so much.
const MARGIN_MS: Millis = 2 * 24 * 3600 * 1000;
/// Where git keeps what it puts back itself at the end of a rebase.
const OF_REBASES: [&str; 4] = [
    "rebase-merge/autostash",
    "rebase-apply/autostash",
    "rebase-merge/orig-head",
    "rebase-apply/orig-head",
];
/// Variables by which a hook of git leads every git that it starts to its own repository.
const OF_HOOKS: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Returns what a line is known by: a record by its id, everything else by its bytes.
pub fn key_of(line: &[u8]) -> u64 {
    match read_line(line) {
        LineKind::Record(fields) => id_hash(&fields.id),
        _ => xxh3_64(line),
    }
}

/// Returns the keys of those among the missing lines of a file that commits of elsewhere have. None where git does not answer.
pub fn committed_elsewhere<'a>(
    layout: &Layout,
    file: &str,
    missing: impl Iterator<Item = &'a [u8]>,
    now: Millis,
) -> FxHashSet<u64> {
    let (mut keys, mut oldest) = (FxHashSet::default(), now);
    for line in missing {
        keys.insert(key_of(line));
        // A line that is dated ahead says nothing about when it was written.
        let at = moment_of(line).filter(|at| *at <= now);
        oldest = oldest.min(at.unwrap_or(0));
    }
    let Some((top, below)) = layout.tree().filter(|_| !keys.is_empty()) else {
        return FxHashSet::default();
    };
    let path = below.join(FORGE_FOLDER).join(file);
    let names: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    let history = History {
        layout,
        top,
        path: names.join("/"),
        since: (oldest - MARGIN_MS) / 1000,
    };
    // Without git, everything that is missing counts as lost.
    history.among(keys).unwrap_or_default()
}

/// The versions of a file in the commits of a repository.
struct History<'a> {
    layout: &'a Layout,
    top: &'a Path,
    path: String,
    /// The time of the oldest commit that matters, in seconds.
    since: Millis,
}

impl History<'_> {
    /// Returns those among keys that commits of elsewhere have. What the commit has that is checked out is missing for another reason.
    fn among(&self, mut keys: FxHashSet<u64>) -> io::Result<FxHashSet<u64>> {
        let versions = self.versions()?;
        let mut found = FxHashSet::default();
        if versions.is_empty() {
            return Ok(found);
        }
        let names = std::iter::once(format!("HEAD:{}", self.path)).chain(versions);
        let input: String = names.map(|name| name + "\n").collect();
        let mut seen = FxHashSet::default();
        let mut is_elsewhere = false;
        self.git(&["cat-file", "--batch"], input, |output| {
            each_object(output, |version| {
                for (_, line) in each_line(version) {
                    if seen.insert(xxh3_64(line)) {
                        let key = key_of(line);
                        if keys.remove(&key) && is_elsewhere {
                            found.insert(key);
                        }
                    }
                }
                is_elsewhere = true;
                !keys.is_empty()
            })
        })?;
        Ok(found)
    }

    /// Lists the versions of the file, the newest first: in commits that are not part of what is checked out, and in those that led to it one after
    /// the other. What a merge has dropped of the other side is in neither: it was lost.
    fn versions(&self) -> io::Result<Vec<String>> {
        let since = format!("--max-age={}", self.since.max(0));
        let listed = ["rev-list", "--objects", "--full-history", "--ignore-missing", &since];
        let mut beside = [&listed[..], &["--exclude=refs/stash", "--all"]].concat();
        let tips = self.stashes()?;
        beside.extend(tips.iter().map(String::as_str));
        beside.extend(["^HEAD", "--", &self.path]);
        let before = [&listed[..], &["--first-parent", "HEAD", "--", &self.path]].concat();
        let mut versions = Vec::new();
        for args in [beside, before] {
            for line in self.lines(&args)? {
                if let Some((object, path)) = line.split_once(' ')
                    && path == self.path
                    && !versions.iter().any(|other| other == object)
                {
                    versions.push(object.to_owned());
                }
            }
        }
        Ok(versions)
    }

    /// Lists the stashes that were made elsewhere. One that was made here has taken its records from here.
    fn stashes(&self) -> io::Result<Vec<String>> {
        let disk = self.layout.disk().as_ref();
        let Some(own) = git_folder(disk, self.top).ok().flatten() else {
            return Ok(Vec::new());
        };
        let of_rebases = OF_REBASES.iter().filter_map(|name| read(disk, &own.join(name)).ok()?);
        let mut tips: Vec<String> = of_rebases.map(|tip| tip.trim().to_owned()).collect();
        let format = "--format=%H\t%P\t%s";
        let stashes = self.lines(&["log", "--walk-reflogs", "--ignore-missing", format, "refs/stash", "--"])?;
        if stashes.is_empty() {
            return Ok(tips);
        }
        let format = "--format=%(objectname) %(refname:lstrip=2)";
        let here = self.lines(&["for-each-ref", "--points-at=HEAD", format, "refs/heads/"])?;
        let is_detached = branch_of(disk, &own).ok().flatten().is_none();
        let is_from_here = |base: &str, branch: &str| {
            let is_at = |line: &String| {
                line.split_once(' ')
                    .is_some_and(|(at, name)| at == base || name == branch)
            };
            here.iter().any(is_at) || (is_detached && branch == "(no branch)")
        };
        for stash in stashes {
            let mut fields = stash.splitn(3, '\t');
            let (tip, parents, subject) = (fields.next(), fields.next(), fields.next().unwrap_or_default());
            let base = parents
                .and_then(|parents| parents.split(' ').next())
                .unwrap_or_default();
            let subject = subject.strip_prefix("WIP on ").or(subject.strip_prefix("On "));
            let branch = subject
                .and_then(|subject| subject.split(": ").next())
                .unwrap_or_default();
            tips.extend(tip.filter(|_| !is_from_here(base, branch)).map(str::to_owned));
        }
        Ok(tips)
    }

    fn lines(&self, args: &[&str]) -> io::Result<Vec<String>> {
        self.git(args, String::new(), |output| {
            let mut text = Vec::new();
            output.take(BYTES_MAX as u64).read_to_end(&mut text)?;
            Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
        })
    }

    /// Runs git, which may ask no other machine, and reads its output. Where it fails, it has said nothing, or less.
    fn git<T>(
        &self,
        args: &[&str],
        input: String,
        read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut command = Command::new("git");
        for name in OF_HOOKS {
            command.env_remove(name);
        }
        let settings = [
            "core.fsmonitor=false",
            "log.showSignature=false",
            "protocol.allow=never",
        ];
        let mut child = command
            .current_dir(self.top)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .args(["-c", "core.quotePath=false"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (done, is_done) = mpsc::channel::<()>();
        let ending = thread::spawn(move || {
            // An error is the end of the reader, or of the time.
            let _ = is_done.recv_timeout(PATIENCE);
            // It may have ended by now.
            let _ = child.kill();
            child.wait()
        });
        let writing = pipes
            .0
            .map(|mut stdin| thread::spawn(move || stdin.write_all(input.as_bytes())));
        let result = match pipes.1 {
            Some(stdout) => read(&mut BufReader::new(stdout)),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        drop(done);
        let _ = ending.join();
        // Git reads only as far as its output is read.
        let _ = writing.map(thread::JoinHandle::join);
        result
    }
}

/// Visits the objects in the output of `git cat-file --batch`, while `visit` wants more. A name without an object counts as an empty one.
fn each_object(output: &mut dyn BufRead, mut visit: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    let (mut head, mut object) = (String::new(), Vec::new());
    let mut rest = BYTES_MAX;
    loop {
        head.clear();
        object.clear();
        if output.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let len = head
            .trim_end()
            .rsplit_once(' ')
            .and_then(|(_, len)| len.parse::<usize>().ok());
        if let Some(len) = len {
            if len >= rest {
                return Ok(());
            }
            rest -= len;
            object.resize(len + 1, 0);
            output.read_exact(&mut object)?;
        }
        if !visit(&object) {
            return Ok(());
        }
    }
}
