//! The notes at the start of a session: about the branch and the plan, about changed files, recent ones, and those that always apply.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use forge_memory_core::{Memory, RecallHit, RecallOptions, Result, ScopeFilter};

use crate::action::Action;
use crate::evidence::{Found, Kind, known_about};
use crate::machine::plan;
use crate::workplace::Workplace;

/// The age up to which records count as left by the last session.
const RECENT: &str = "3d";
const RECENT_MAX: f64 = 4.0;
const CHANGED_MAX: usize = 12;

/// How an agent adds to the memory. Not at the beginning of a line, where it would be a mark itself.
pub(crate) const HOW_TO_ADD: &str = "To keep something for later sessions, write a line of its own such as \"[remember:gotcha] The build needs Node 20.\", or call memory_save or capture_thought; memory_recall finds more.";

/// Returns the records for the start of a session, the most relevant first; `FORGE_PLAN` names the plan of the session.
pub(crate) fn found_at_start(place: &mut Workplace, git_time: Duration) -> Result<Vec<Found>> {
    // Git looks at the files of the work tree while the memory is read.
    let asked = [
        ask_git(place, "diff-files", &[]),
        ask_git(place, "diff-index", &["--cached", "HEAD"]),
    ];
    let git_ends = Instant::now() + git_time;
    let plan = plan();
    let notes = place.with_around(usize::MAX, |memory: &mut Memory| memory.session_notes(plan.as_deref()))?;
    let (concerning, standing): (Vec<RecallHit>, Vec<RecallHit>) =
        notes.into_iter().partition(|hit| !hit.matched.is_empty());
    let found = |why: &str| {
        let why = why.to_owned();
        move |hit| Found::own(hit, why.clone())
    };
    let mut all: Vec<Found> = concerning.into_iter().map(found("branch")).collect();
    let mut paths: Vec<String> = Vec::new();
    for path in asked
        .into_iter()
        .flatten()
        .flat_map(|child| names_from(child, git_ends))
    {
        if paths.len() < CHANGED_MAX && !paths.contains(&path) {
            paths.push(path);
        }
    }
    if !paths.is_empty() {
        let changed = known_about(place, &Action::Read { paths })?.into_iter();
        let changed = changed.filter(|known| known.kind == Kind::File);
        all.extend(changed.map(|known| Found::own(known.hit, format!("changed {}", known.why))));
    }
    let recent = recent_in(place.own()?)?;
    all.extend(recent.into_iter().map(found("recent")));
    all.extend(standing.into_iter().map(found("standing")));
    let mut each: Vec<Found> = Vec::new();
    for one in all {
        if !each.iter().any(|known| known.hit.id == one.hit.id) {
            each.push(one);
        }
    }
    Ok(each)
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
    });
    Ok(notes.collect())
}

fn recent_in(memory: &mut Memory) -> Result<Vec<RecallHit>> {
    memory.list_recent(&RecallOptions {
        scope: ScopeFilter::Project,
        limit: Some(RECENT_MAX),
        since: Some(RECENT.to_owned()),
        ..RecallOptions::default()
    })
}

/// Asks git for names of changed files. These commands read no file contents of the work tree, so they start no filter that a repository
/// configures.
fn ask_git(place: &Workplace, command: &str, more: &[&str]) -> Option<Child> {
    let fixed = ["--name-only", "--relative", "-z", "--ignore-submodules=all"];
    Command::new("git")
        .args(["-c", "core.fsmonitor=false", command])
        .args(fixed)
        .args(more)
        .current_dir(&place.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

/// Returns the names that a command has written until it ends, or until its time is over.
fn names_from(mut child: Child, ends: Instant) -> Vec<String> {
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
