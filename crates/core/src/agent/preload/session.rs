//! Context that an agent gets without asking: at the start of a session, and with a prompt.

use std::collections::HashSet;

use crate::clock::Millis;
use crate::engine::recall::{RecallHit, RecallOptions, check_hits, list_recent, recall_by_words};
use crate::error::Result;
use crate::index::Stores;
use crate::project::Project;
use crate::project::git::branch;
use crate::text::{query_words, written_words};

/// The maximum number of records about the branch and the plan.
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
/// The maximum number of records of each of these types.
const STANDING_EACH: usize = 6;
/// How many of the newest records are read; one query per type would be as expensive for each.
const STANDING_LOOKED_AT: f64 = 300.0;
/// Branch names that do not describe the work.
const EVERYDAY_BRANCHES: [&str; 4] = ["main", "master", "trunk", "develop"];

const PROMPT_MAX: usize = 5;
/// How many candidates are read for them, because a single rare word ranks high.
const PROMPT_LOOKED_AT: f64 = 25.0;
/// The minimum number of words that a record shares with a prompt: a single common word does not make it relevant.
const SHARED_WORDS_MIN: usize = 2;
/// The maximum length of a prompt; the rest is ignored.
const PROMPT_CHARS_MAX: usize = 2000;

/// Returns notes for the start of a session: those about the branch and the plan, then general ones.
pub(crate) fn session_notes(project: &Project, stores: &mut Stores, plan: Option<&str>) -> Result<Vec<RecallHit>> {
    let mut notes = concerning_notes(project, stores, plan)?;
    let options = RecallOptions {
        types: STANDING.map(str::to_owned).to_vec(),
        limit: Some(STANDING_LOOKED_AT),
        ..RecallOptions::default()
    };
    let newest = list_recent(stores, &options, project.now())?;
    for kind in STANDING {
        notes.extend(
            newest
                .iter()
                .filter(|hit| hit.kind == kind && hit.is_told_unasked())
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
pub(crate) fn prompt_notes(stores: &mut Stores, prompt: &str, now: Millis) -> Result<Vec<RecallHit>> {
    let prompt: String = prompt.chars().take(PROMPT_CHARS_MAX).collect();
    let needed = SHARED_WORDS_MIN.min(telling_words(&prompt));
    let options = RecallOptions {
        limit: Some(PROMPT_LOOKED_AT),
        ..RecallOptions::default()
    };
    let mut hits = recall_by_words(stores, &prompt, &options, now)?.hits;
    hits.retain(|hit| hit.matched.len() >= needed && hit.is_told_unasked());
    hits.truncate(PROMPT_MAX);
    Ok(hits)
}

fn concerning_notes(project: &Project, stores: &mut Stores, plan: Option<&str>) -> Result<Vec<RecallHit>> {
    let branch = branch(project.disk(), project.layout.project_dir())?
        .filter(|branch| !EVERYDAY_BRANCHES.contains(&branch.as_str()));
    // Names such as `feature/auth-mocks_2` consist of several words.
    let names = [branch.as_deref(), plan].into_iter().flatten();
    let about = names
        .flat_map(|name| written_words(name, ""))
        .collect::<Vec<_>>()
        .join(" ");
    if about.is_empty() {
        return Ok(Vec::new());
    }
    let options = RecallOptions {
        limit: Some(CONCERNING_MAX),
        ..RecallOptions::default()
    };
    let mut hits = recall_by_words(stores, &about, &options, project.now())?.hits;
    hits.retain(RecallHit::is_told_unasked);
    Ok(hits)
}

/// Returns the number of query words of a prompt: all but stop words, unless there are no others.
fn telling_words(prompt: &str) -> usize {
    let words = query_words(prompt);
    match words.iter().filter(|word| !word.common).count() {
        0 => words.len(),
        telling => telling,
    }
}
