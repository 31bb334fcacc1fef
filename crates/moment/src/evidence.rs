//! Retrieval at the point of action: records about the next action of an agent. A record matches only if it names that very file, folder, symbol,
//! command or failure; similarity alone is not enough.

use std::path::Path;

use forge_memory_core::freshness::FreshnessState;
use forge_memory_core::text::lexicon::{entries, says};
use forge_memory_core::{RecallHit, Result};

use crate::action::Action;
use crate::command_line::{
    SimpleCommand, commands_in, files_of, is_about_other_arguments, named_words, run_by_another,
};
use crate::failure::Failure;
use crate::lines::head;
use crate::paths::{Mention, Mentions, TEXT_READ_MAX, path_within, telling_parts};
use crate::qualified::qualified_names_in;
use crate::symbols::{Touched, declares, names_in, touched_by};
use crate::test_command::{names_tests, runs_tests};
use crate::workplace::Workplace;

/// The kinds of evidence, the weakest first; within one kind, the type of the record decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Folder,
    Caller,
    Symbol,
    Command,
    File,
    Failure,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Folder => "folder",
            Kind::Caller => "caller",
            Kind::Symbol => "symbol",
            Kind::Command => "command",
            Kind::File => "file",
            Kind::Failure => "failure",
        }
    }
}

/// A record, and its evidence: why it is relevant to the action.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub hit: RecallHit,
    pub kind: Kind,
    /// The path, name, command or error code in the record.
    pub why: String,
}

impl Known {
    fn rank(&self) -> f64 {
        let of_type = match self.hit.kind.as_str() {
            "gotcha" | "failure_pattern" => 0.5,
            "decision" => 0.4,
            "convention" | "lesson" => 0.3,
            "test_command" => 0.2,
            _ => 0.0,
        };
        f64::from(self.kind as u8) + of_type + self.hit.confidence / 100.0
    }
}

/// The maximum number of files of one edit that are considered.
const FILES_MAX: usize = 8;
const MEMBERS_MAX: usize = 20;
const LINE_MAX: usize = 300;

/// Returns the records about an action, the strongest evidence first.
pub(crate) fn known_about(place: &mut Workplace, action: &Action) -> Result<Vec<Known>> {
    let mut best: Vec<Known> = Vec::new();
    for project in place.projects() {
        for known in in_project(place, &project, action)? {
            match best.iter_mut().find(|other| other.hit.id == known.hit.id) {
                Some(other) if known.kind > other.kind => *other = known,
                Some(_) => {}
                None => best.push(known),
            }
        }
    }
    let is_other = |known: &Known| known.hit.worktree.is_some();
    best.sort_by(|a, b| (is_other(a).cmp(&is_other(b))).then(b.rank().total_cmp(&a.rank())));
    Ok(best)
}

fn in_project(place: &mut Workplace, project: &Path, action: &Action) -> Result<Vec<Known>> {
    let cwd = place.cwd.clone();
    let mut found = Vec::new();
    match action {
        Action::Edit { paths, texts } => {
            for path in paths
                .iter()
                .take(FILES_MAX)
                .filter_map(|path| path_within(project, path, &cwd))
            {
                let mut known = about_file(place, project, &path, true)?;
                known.extend(about_symbols(place, project, &path, texts)?);
                found.extend(told_at(place, project, &path, known)?);
            }
        }
        Action::Read { paths } => {
            for path in paths
                .iter()
                .take(FILES_MAX)
                .filter_map(|path| path_within(project, path, &cwd))
            {
                let known = about_file(place, project, &path, false)?;
                found.extend(told_at(place, project, &path, known)?);
            }
        }
        Action::Command { line } => {
            for command in commands_in(line) {
                let known = about_command(place, project, &command)?;
                found.extend(told_at(place, project, &command.words.join(" "), known)?);
            }
        }
        Action::Failure { line, output } => {
            let known = about_failure(place, project, line, output)?;
            found = told_at(place, project, line, known)?;
        }
    }
    Ok(found)
}

/// Leaves out what was said not to belong to that file or command, or to the name or code by which it was found.
fn told_at(place: &mut Workplace, project: &Path, at: &str, mut known: Vec<Known>) -> Result<Vec<Known>> {
    if !known.is_empty() {
        let memory = place.memory(project)?;
        known.retain(|one| !memory.is_ruled_out(&one.hit.id, &[at, &one.why]));
    }
    Ok(known)
}

/// Unless the file is changed, only evidence about itself counts: reading a file is no reason for notes about its folder.
fn about_file(place: &mut Workplace, project: &Path, path: &str, is_change: bool) -> Result<Vec<Known>> {
    let mut known = about_name_of_file(place, project, path, is_change)?;
    for former in place.memory(project)?.former_names(path) {
        let before = about_name_of_file(place, project, &former, false)?.into_iter();
        known.extend(before.map(|one| Known {
            why: path.to_owned(),
            ..one
        }));
    }
    Ok(known)
}

fn about_name_of_file(place: &mut Workplace, project: &Path, path: &str, is_change: bool) -> Result<Vec<Known>> {
    let hits = place.candidates(project, &telling_parts(path))?;
    let known = hits.into_iter().filter_map(|hit| {
        let mention = if hit.source_file.as_deref() == Some(path) {
            Some(Mention::File)
        } else {
            Mentions::of(&hit.text).of_file(path)
        };
        match mention? {
            Mention::File => Some(Known {
                why: path.to_owned(),
                kind: Kind::File,
                hit,
            }),
            Mention::Folder if is_change && hit.kind != "test_command" && !is_gone(&hit) => Some(Known {
                why: path.get(..=path.rfind('/')?)?.to_owned(),
                kind: Kind::Folder,
                hit,
            }),
            Mention::Folder => None,
        }
    });
    Ok(known.collect())
}

fn about_symbols(place: &mut Workplace, project: &Path, path: &str, texts: &[String]) -> Result<Vec<Known>> {
    if place.is_late() {
        return Ok(Vec::new());
    }
    let touched = touched_by(place, project, path, texts);
    let names: Vec<&str> = [&touched.own, &touched.used, &touched.callers]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let by_name = place.candidates(project, &names.join(" "))?;
    let mut known: Vec<Known> = by_name
        .into_iter()
        .filter_map(|hit| about_names(project, hit, path, &touched))
        .collect();
    let mut members: Vec<String> = touched.members.clone();
    for name in texts
        .iter()
        .flat_map(|text| qualified_names_in(head(text, TEXT_READ_MAX)))
    {
        if !members.contains(&name.whole) {
            members.push(name.whole);
        }
    }
    members.truncate(MEMBERS_MAX);
    let by_member = place.candidates(project, &members.join(" "))?;
    // Records that name a member with its type are about that member, whatever files they name.
    known.extend(by_member.into_iter().filter_map(|hit| {
        let names = qualified_names_in(head(&hit.text, TEXT_READ_MAX));
        let named = names.into_iter().find(|name| touched.has_qualified(name))?;
        (!is_gone(&hit)).then_some(Known {
            hit,
            kind: Kind::Symbol,
            why: named.whole,
        })
    }));
    Ok(known)
}

fn about_names(project: &Path, hit: RecallHit, path: &str, touched: &Touched) -> Option<Known> {
    if is_gone(&hit) {
        return None;
    }
    let said = names_in([hit.text.as_str()]);
    let find = |names: &[String]| names.iter().find(|name| said.contains(&name.as_str())).cloned();
    let (mine, theirs, caller) = (find(&touched.own), find(&touched.used), find(&touched.callers));
    let mentions = Mentions::of(&hit.text);
    let is_elsewhere = mentions.names_other_files(path);
    if let Some(why) = mine.filter(|_| !is_elsewhere) {
        return Some(Known {
            hit,
            kind: Kind::Symbol,
            why,
        });
    }
    // Uses of names that another file defines count only with a code graph, which knows that file. A record that names other files is about
    // a symbol if one of those files declares it.
    let is_declared = |name: &str| {
        let mut files = mentions.files();
        files.any(|file| path_within(project, file, project).as_deref() == Some(file) && declares(project, file, name))
    };
    if let Some(why) = theirs.filter(|name| touched.is_in_graph || !is_elsewhere || is_declared(name)) {
        return Some(Known {
            hit,
            kind: Kind::Symbol,
            why,
        });
    }
    caller.map(|why| Known {
        hit,
        kind: Kind::Caller,
        why,
    })
}

fn about_command(place: &mut Workplace, project: &Path, command: &SimpleCommand) -> Result<Vec<Known>> {
    let cwd = place.cwd.clone();
    let mut known = Vec::new();
    for path in files_of(command)
        .into_iter()
        .filter_map(|file| path_within(project, &file, &cwd))
    {
        let about = about_file(place, project, &path, false)?;
        known.extend(
            about
                .into_iter()
                .filter(|one| !is_about_other_arguments(&one.hit.text, &path, command)),
        );
    }
    let first: Vec<&str> = command.words.iter().take(8).map(String::as_str).collect();
    for hit in place.candidates(project, head(&first.join(" "), LINE_MAX))? {
        let text = head(&hit.text, TEXT_READ_MAX);
        let words = named_words(text, command);
        let why = match words {
            0 => run_by_another(text, command).map(str::to_owned),
            words => Some(first.get(..words).unwrap_or(&first).join(" ")),
        };
        if let Some(why) = why.filter(|_| !is_gone(&hit)) {
            known.push(Known {
                hit,
                kind: Kind::Command,
                why,
            });
        }
    }
    Ok(known)
}

/// True if a note only says that a test passes again: it does not say what fixed it.
fn says_that_it_passes(text: &str) -> bool {
    let rest = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    rest.is_some_and(|(_, rest)| rest.starts_with(" passes; before, it failed"))
}

fn about_failure(place: &mut Workplace, project: &Path, line: &str, output: &str) -> Result<Vec<Known>> {
    let failure = Failure::read(output);
    let command = head(line, LINE_MAX).trim();
    let mut known = Vec::new();
    let has_hung = failure.has_hung() && runs_tests(line);
    let hung: Vec<&str> = entries("hangs").filter(|_| has_hung).collect();
    for hit in place.candidates(project, &format!("{} {command} {}", failure.query(), hung.join(" ")))? {
        let text = head(&hit.text, TEXT_READ_MAX);
        if is_gone(&hit) || says_that_it_passes(text) {
            continue;
        }
        let is_fix = command.len() > 2 && text.contains(&format!("passes where `{command}` failed"));
        let why = if is_fix {
            Some(command.to_owned())
        } else {
            let waits = || (has_hung && says(text, "hangs") && names_tests(text)).then(|| "timeout".to_owned());
            failure.match_of(text).or_else(waits)
        };
        if let Some(why) = why {
            known.push(Known {
                hit,
                kind: Kind::Failure,
                why,
            });
        }
    }
    Ok(known)
}

/// A record that mentions something that no longer exists is only used when it is about the file itself, which exists.
fn is_gone(hit: &RecallHit) -> bool {
    hit.freshness
        .as_ref()
        .is_some_and(|freshness| freshness.state == FreshnessState::Gone)
}

/// A record, and the evidence by which it was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub hit: RecallHit,
    pub why: String,
    /// Whose it is; empty for what the own memory has.
    pub of: String,
    /// True if it is told again although the session has it: a command failed that it is about.
    pub is_again: bool,
}

impl Found {
    pub(crate) fn own(hit: RecallHit, why: String) -> Self {
        Found {
            hit,
            why,
            of: String::new(),
            is_again: false,
        }
    }
}
