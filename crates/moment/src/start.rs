//! The notes at the start of a session: about the branch and the plan, about changed files, the rules of the project, what the last commits and the
//! last days were about, and what always applies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use forge_memory_core::author::Author;
use forge_memory_core::freshness::{FreshnessState, keep_past};
use forge_memory_core::place::Place;
use forge_memory_core::{Environment, Memory, RecallHit, RecallOptions, Result, ScopeFilter};

use crate::action::Action;
use crate::evidence::{Found, Kind, known_about};
use crate::machine::plan;
use crate::paths::path_within;
use crate::workplace::Workplace;

/// The age up to which records count as left by the last session.
const RECENT: &str = "3d";
const RECENT_MAX: f64 = 4.0;
const CHANGED_MAX: usize = 12;
/// How many rules of the project come before what is newest.
const RULES_MAX: usize = 6;
/// The option for how many commits count as recent work.
const RECENT_COMMITS: &str = "--max-count=5";

/// How an agent adds to the memory. Not at the beginning of a line, where it would be a mark itself.
pub(crate) const HOW_TO_ADD: &str = "To keep something for later sessions, write a line of its own such as \"[remember:gotcha] The build needs Node 20.\", or call capture_thought; memory_recall finds more.";

/// The files that git names at the start of a session.
#[derive(Debug, Default)]
pub(crate) struct FilesAtStart {
    /// Those that were changed since the last commit.
    changed: Vec<String>,
    /// Those that the last commits changed.
    recent: Vec<String>,
    /// Those that were renamed since the last commit, each with its new name.
    pub renamed: BTreeMap<String, String>,
}

/// Asks git for the files that are worked on.
pub(crate) fn files_at_start(place: &Workplace, git_time: Duration) -> FilesAtStart {
    let ask = |command, more| ask_git(&place.cwd, command, more);
    let asked = [
        ask("diff-files", &["--name-only"]),
        ask("diff-index", &["--name-status", "-M", "--cached", "HEAD"]),
        ask("log", &["--name-only", "--no-renames", "--format=", RECENT_COMMITS]),
    ];
    let git_ends = Instant::now() + git_time;
    let [mut changed, staged, recent] = asked.map(|child| names_from(child, git_ends));
    let mut files = FilesAtStart::default();
    let mut staged = staged.into_iter();
    while let Some(status) = staged.next() {
        let Some(name) = staged.next() else { break };
        let to = if status.starts_with('R') { staged.next() } else { None };
        if let Some(to) = to {
            let within = |path: &str| path_within(&place.project, path, &place.cwd);
            files.renamed.extend(within(&name).zip(within(&to)));
            changed.push(to);
        } else {
            changed.push(name);
        }
    }
    keep_first(&mut files.changed, changed);
    keep_first(&mut files.recent, recent);
    files
}

/// Keeps the first names of a list, each once.
fn keep_first(kept: &mut Vec<String>, names: Vec<String>) {
    for name in names {
        if kept.len() < CHANGED_MAX && !kept.contains(&name) {
            kept.push(name);
        }
    }
}

/// Returns the records for the start of a session, the most relevant first; `FORGE_PLAN` names the plan of the session.
pub(crate) fn found_at_start(place: &mut Workplace, files: &FilesAtStart) -> Result<Vec<Found>> {
    let plan = plan();
    let notes = place.with_around(usize::MAX, |memory: &mut Memory| memory.session_notes(plan.as_deref()))?;
    let (concerning, standing): (Vec<RecallHit>, Vec<RecallHit>) =
        notes.into_iter().partition(|hit| !hit.matched.is_empty());
    let found = |why: &str| {
        let why = why.to_owned();
        move |hit| Found::own(hit, why.clone())
    };
    let mut all: Vec<Found> = concerning.into_iter().map(found("branch")).collect();
    all.extend(about_files(place, "changed", &files.changed)?);
    let recent = recent_in(place.own()?)?;
    let (rules, standing): (Vec<RecallHit>, Vec<RecallHit>) = standing.into_iter().partition(is_rule);
    all.extend(rules.into_iter().take(RULES_MAX).map(found("rule")));
    all.extend(about_files(place, "worked on", &files.recent)?);
    // What names something of this repository comes before what may be about anything.
    let (here, anywhere): (Vec<Found>, Vec<Found>) = recent
        .into_iter()
        .map(found("recent"))
        .chain(standing.into_iter().map(found("standing")))
        .partition(|one| belongs(&one.hit));
    all.extend(here.into_iter().chain(anywhere));
    let mut each: Vec<Found> = Vec::new();
    for one in all {
        if !each.iter().any(|known| known.hit.id == one.hit.id) {
            each.push(one);
        }
    }
    Ok(each)
}

/// True if a record is a rule of the project: a person said it, or it names something of the repository.
fn is_rule(hit: &RecallHit) -> bool {
    matches!(hit.kind.as_str(), "convention" | "decision")
        && (hit.is_persons() || hit.author == Some(Author::Script) || belongs(hit))
}

/// True if a record names something that the repository has.
fn belongs(hit: &RecallHit) -> bool {
    hit.freshness
        .as_ref()
        .is_some_and(|freshness| freshness.state != FreshnessState::Gone)
}

/// Returns the records about some files.
fn about_files(place: &mut Workplace, why: &str, paths: &[String]) -> Result<Vec<Found>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let known = known_about(place, &Action::Read { paths: paths.to_vec() })?.into_iter();
    let known = known.filter(|known| known.kind == Kind::File);
    Ok(known
        .map(|known| Found::own(known.hit, format!("{why} {}", known.why)))
        .collect())
}

/// Returns what the team has for the start of a session: about the branch and the plan, recent ones, and those that always apply.
pub(crate) fn found_of_team(place: &mut Workplace) -> Result<Vec<Found>> {
    let plan = plan();
    let notes = place.beside(|memory| {
        let mut notes = memory.session_notes(plan.as_deref())?;
        let recent = recent_in(memory)?;
        let standing = notes.split_off(notes.iter().take_while(|hit| !hit.matched.is_empty()).count());
        notes.extend(recent.into_iter().chain(standing));
        Ok(notes)
    })?;
    let notes = notes.into_iter().map(|(hit, of)| Found {
        hit,
        why: "team".to_owned(),
        of,
        is_again: false,
    });
    Ok(notes.collect())
}

fn recent_in(memory: &mut Memory) -> Result<Vec<RecallHit>> {
    let mut recent = memory.list_recent(&RecallOptions {
        scope: ScopeFilter::Project,
        limit: Some(RECENT_MAX),
        since: Some(RECENT.to_owned()),
        ..RecallOptions::default()
    })?;
    recent.retain(RecallHit::is_told_unasked);
    Ok(recent)
}

/// Asks git for names of changed files. These commands read no file contents of the work tree, so they start no filter that a repository
/// configures.
fn ask_git(folder: &Path, command: &str, more: &[&str]) -> Option<Child> {
    let fixed = ["--relative", "-z", "--ignore-submodules=all", "--no-ext-diff"];
    Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", command])
        .args(fixed)
        .args(more)
        .env("GIT_NO_LAZY_FETCH", "1")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

/// Asks git which files of the history were renamed or removed, and keeps the answer for the marks of notes.
pub(crate) fn keep_history(place: Place, home: PathBuf) -> Result<()> {
    let whole = |child: Option<Child>| Some(child?.wait_with_output().ok()?.stdout);
    let most = format!("--max-count={COMMITS_MAX}");
    let options = ["--name-status", "-M", "--diff-filter=DR", "--format=", &most];
    let Some(log) = whole(ask_git(&place.project_dir, "log", &options)) else {
        return Ok(());
    };
    let commits = whole(ask_git(
        &place.project_dir,
        "log",
        &["--format=%n", "--no-patch", &most],
    ))
    .unwrap_or_default();
    let count = commits.iter().filter(|byte| **byte == b'\n').count();
    let is_shallow = place.project_dir.join(".git/shallow").exists();
    keep_past(&Environment::at(place, home), &log, count < COMMITS_MAX && !is_shallow)?;
    Ok(())
}

/// The most commits whose changes are looked through.
const COMMITS_MAX: usize = 20_000;

/// Returns the names that a command has written until it ends, or until its time is over.
fn names_from(child: Option<Child>, ends: Instant) -> Vec<String> {
    let Some(mut child) = child else {
        return Vec::new();
    };
    while let Ok(None) = child.try_wait() {
        if Instant::now() >= ends {
            let _ = child.kill();
            break;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    let Ok(output) = child.wait_with_output() else {
        return Vec::new();
    };
    // The last name may be cut off: only names that end with a zero byte are whole.
    let whole = output.stdout.iter().rposition(|byte| *byte == 0).unwrap_or(0);
    let names = output.stdout.get(..whole).unwrap_or_default().split(|byte| *byte == 0);
    names
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}
