//! The files of a project: as git lists them, or by the same rules without git.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use forge_memory_core::journal::Disk;
use forge_memory_core::{Error, Result};

use super::gitignore::walk;
use crate::facts::MANIFEST;
use crate::language;

const OUTPUT_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Returns the language number of a path, [`MANIFEST`] for a manifest; `None` for files that are not indexed.
pub fn language_of(path: &str) -> Option<u8> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if language::manifest_of(name).is_some() {
        return Some(MANIFEST);
    }
    language::of_path(path)
}

/// Lists the files in known languages, ordered by path, with their language numbers. When git is not installed or does not
/// answer in time, the folders are walked.
pub fn list(disk: &Arc<dyn Disk>, project: &Path, git_timeout: Duration) -> Result<Vec<(String, u8)>> {
    let all = match listed_by_git(project, git_timeout) {
        Some(all) => all,
        None => walk(disk, project)?,
    };
    let mut files: Vec<(String, u8)> = all
        .into_iter()
        .filter(|path| !path.starts_with(".forge/") && !path.contains("/.forge/"))
        .filter_map(|path| language_of(&path).map(|language| (path, language)))
        .collect();
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

fn git(project: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(project)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .env("GIT_OPTIONAL_LOCKS", "0");
    // The configuration of a repository must not start programs.
    command.args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=false"]);
    command
}

fn names(output: &[u8]) -> Vec<String> {
    let parts = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    parts.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Runs git, and kills it after the timeout: a FIFO in the place of an ignore file would block it forever.
fn output(mut command: Command, git_timeout: Duration) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let (send, receive) = mpsc::channel();
    let pipes = (child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        let error = thread::spawn(move || all_of(pipes.1));
        let stdout = all_of(pipes.0);
        // The receiver may have given up after the timeout.
        let _ = send.send((stdout, error.join().unwrap_or_default()));
    });
    let Ok((stdout, stderr)) = receive.recv_timeout(git_timeout) else {
        // It may have ended by now.
        let _ = child.kill();
        child.wait()?;
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("no answer within {git_timeout:?}"),
        ));
    };
    let status = child.wait()?;
    Ok(Output { status, stdout, stderr })
}

fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // Bytes read before an error are of no use without the rest: the status tells of the failure.
        let _ = pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
    }
    bytes
}

fn listed_by_git(project: &Path, git_timeout: Duration) -> Option<Vec<String>> {
    let mut command = git(project);
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = output(command, git_timeout)
        .ok()
        .filter(|output| output.status.success())?;
    Some(names(&output.stdout))
}

fn relative(path: &Path, project: &Path) -> Option<String> {
    let inner = path.strip_prefix(project).ok()?;
    let parts: Vec<_> = inner
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Some(parts.join("/"))
}

/// Lists files that differ between a revision and the working tree, and untracked files.
///
/// # Errors
/// `INVALID_INPUT` when there is no such revision or no repository, `UNSUPPORTED` without git.
pub fn changed_since(project: &Path, revision: &str, git_timeout: Duration) -> Result<Vec<String>> {
    if revision.trim().is_empty() || revision.starts_with('-') || revision.chars().any(char::is_control) {
        return Err(Error::invalid("since", "expected a branch, a tag or a commit"));
    }
    let run = |args: &[&str]| {
        let mut command = git(project);
        command.args(args);
        output(command, git_timeout).map_err(|e| Error::Unsupported {
            what: "since".into(),
            reason: format!("git cannot be run: {e}"),
        })
    };
    let commit = format!("{revision}^{{commit}}");
    let found = run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    let id = String::from_utf8_lossy(&found.stdout)
        .lines()
        .last()
        .unwrap_or("")
        .trim()
        .to_owned();
    if !found.status.success() || id.is_empty() || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Error::invalid("since", format!("unknown revision {revision}")));
    }
    let options = [
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--relative",
        "--end-of-options",
    ];
    let differing = run(&[&options[..], &[id.as_str(), "--"]].concat())?;
    let unknown = run(&["ls-files", "-z", "--others", "--exclude-standard"])?;
    for output in [&differing, &unknown] {
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr)
                .lines()
                .next()
                .unwrap_or("")
                .to_owned();
            return Err(Error::invalid("since", format!("git failed: {said}")));
        }
    }
    let mut all = names(&differing.stdout);
    all.extend(names(&unknown.stdout));
    Ok(all)
}

/// Converts a caller's paths to those of the index: relative to the project, with forward slashes.
pub fn inside(disk: &dyn Disk, project: &Path, paths: &[String]) -> Result<Vec<String>> {
    paths.iter().map(|path| inside_one(disk, project, path)).collect()
}

fn inside_one(disk: &dyn Disk, project: &Path, path: &str) -> Result<String> {
    if path.is_empty() || path.contains('\0') {
        return Err(Error::invalid("paths", "expected a path that is not empty"));
    }
    let outside = || Error::Feature {
        code: "ERR_LATTICE_PATH_OUTSIDE_REPO",
        message: format!("{path} is outside of the project {}", project.display()),
        hint: "name a file or folder inside the project, or choose the project that it belongs to",
    };
    let plain = without_dots(&project.join(path)).ok_or_else(outside)?;
    let inner = relative(&plain, project);
    // The real path counts, whatever links lead to it. For a deleted path it is that of its folder.
    let real_project = disk.real_path(project).unwrap_or_else(|_| project.to_path_buf());
    let existing = plain.ancestors().find_map(|above| disk.real_path(above).ok());
    match existing {
        Some(real) if !real.starts_with(&real_project) => Err(outside()),
        Some(real) if inner.is_none() => relative(&real, &real_project).ok_or_else(outside),
        _ => inner.ok_or_else(outside),
    }
}

fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            part => out.push(part),
        }
    }
    Some(out)
}
