//! Context that an agent gets without asking: at the start of a session, and with a prompt.

use std::collections::HashSet;

use crate::clock::Millis;
use crate::engine::recall::{RecallHit, RecallOptions, check_hits, list, recall};
use crate::error::Result;
use crate::index::Stores;
use crate::project::Project;
use crate::project::git::branch;
use crate::text::query_words;

/// How many records concern the branch and the plan at most.
const CONCERNING_MAX: f64 = 10.0;
/// Types that are useful for every session, the most useful first.
const STANDING: [&str; 7] = [
    "convention",
    "test_command",
    "gotcha",
    "failure_pattern",
    "decision",
    "architecture",
    "pattern",
];
/// How many of each of them.
const STANDING_EACH: usize = 6;
/// How many of the newest records are read: one query per type would cost as much each.
const STANDING_LOOKED_AT: f64 = 300.0;
/// Branch names that say nothing about the work.
const EVERYDAY_BRANCHES: [&str; 4] = ["main", "master", "trunk", "develop"];

/// How many records answer a prompt at most.
const PROMPT_MAX: usize = 5;
/// How many candidates are read for them: one rare word alone ranks high.
const PROMPT_LOOKED_AT: f64 = 25.0;
/// How many words a record shares with a prompt at least: with one word alone nearly every record is about it.
const SHARED_WORDS_MIN: usize = 2;
/// Longer prompts are truncated.
const PROMPT_CHARS_MAX: usize = 2000;

/// Returns notes for the start of a session: those about the branch and the plan, then general ones.
///
/// # Errors
/// As [`recall`].
pub(crate) fn session_notes(project: &Project, stores: &mut Stores, plan: Option<&str>) -> Result<Vec<RecallHit>> {
    let mut notes = concerning_notes(project, stores, plan)?;
    let options = RecallOptions {
        types: STANDING.map(str::to_owned).to_vec(),
        limit: Some(STANDING_LOOKED_AT),
        ..RecallOptions::default()
    };
    let (newest, _) = list(stores, &options, project.now())?;
    for kind in STANDING {
        notes.extend(
            newest
                .iter()
                .filter(|hit| hit.kind == kind)
                .take(STANDING_EACH)
                .cloned(),
        );
    }
    let mut known = HashSet::new();
    notes.retain(|hit| known.insert(hit.id.clone()));
    check_hits(&mut stores.freshness, &mut notes, project.now());
    Ok(notes)
}

/// Returns notes about a prompt: records that share at least two of its words, or its only word.
///
/// # Errors
/// As [`recall`].
pub(crate) fn prompt_notes(stores: &mut Stores, prompt: &str, now: Millis) -> Result<Vec<RecallHit>> {
    let prompt: String = prompt.chars().take(PROMPT_CHARS_MAX).collect();
    let needed = SHARED_WORDS_MIN.min(telling_words(&prompt));
    let options = RecallOptions {
        limit: Some(PROMPT_LOOKED_AT),
        ..RecallOptions::default()
    };
    let mut hits = recall(stores, &prompt, &options, now)?.hits;
    hits.retain(|hit| hit.matched.len() >= needed);
    hits.truncate(PROMPT_MAX);
    Ok(hits)
}

fn concerning_notes(project: &Project, stores: &mut Stores, plan: Option<&str>) -> Result<Vec<RecallHit>> {
    let branch = branch(project.disk(), project.layout.project_dir())
        .filter(|branch| !EVERYDAY_BRANCHES.contains(&branch.as_str()));
    // Names such as `feature/auth-mocks_2` are words in a row.
    let about: String = [branch.as_deref(), plan]
        .into_iter()
        .flatten()
        .flat_map(|name| name.chars().chain([' ']))
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    if about.trim().is_empty() {
        return Ok(Vec::new());
    }
    let options = RecallOptions {
        limit: Some(CONCERNING_MAX),
        ..RecallOptions::default()
    };
    Ok(recall(stores, &about, &options, project.now())?.hits)
}

/// Returns the number of query words of a prompt: all but stop words, unless there are no others.
fn telling_words(prompt: &str) -> usize {
    let words = query_words(prompt);
    match words.iter().filter(|word| !word.common).count() {
        0 => words.len(),
        telling => telling,
    }
}
