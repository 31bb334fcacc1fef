//! Lessons of past agent sessions: a plan of findings, and storing those that the user accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forge_memory_core::Error;
use forge_memory_core::clock::{Clock, SystemClock, format_iso};
use forge_memory_core::journal::{Disk, Error as JournalError, LockFile, OsDisk};
use forge_memory_core::project::layout::FORGE_FOLDER;
use forge_memory_transcripts::{
    Acceptance, Backfill, BackfillOptions, Filter, Finding, KnownTexts, Places, Plan, Problem, Stored, VARIABLES,
    accept_waiting, count_files, store,
};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Serialize;

use crate::answer::Answer;
use crate::error::{Result, thrown};
use crate::input::{InProject, read, read_or_empty};
use crate::projects::{Project, only_project, open, open_project_of, with_open};

/// A lesson from past sessions.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackfillFinding {
    pub key: String,
    #[napi(ts_type = "'correction' | 'instruction' | 'decision' | 'fix' | 'command' | 'environment'")]
    pub kind: String,
    /// The type of the record that is stored.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub record_type: String,
    pub text: String,
    /// Why it is offered.
    pub reason: String,
    pub confidence: f64,
    /// How many sessions support it.
    pub sessions: u32,
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The number of the line, row or message in it, counted from 1.
    pub line: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The folder of its project.
    pub project: String,
}

/// The findings of one agent.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackfillAgent {
    pub agent: String,
    /// Its display name.
    pub title: String,
    pub files: f64,
    pub bytes: f64,
    /// Its sessions in the selected projects, in the files that were read now.
    pub sessions: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// The findings of past sessions, and which of them were stored.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackfillReport {
    /// In descending order of confidence.
    pub findings: Vec<BackfillFinding>,
    pub agents: Vec<BackfillAgent>,
    /// Files read now.
    pub read: f64,
    /// Files that have not changed since the last run.
    pub unchanged: f64,
    /// The number of lessons that only one session contains; a second session with the same lesson makes it a finding.
    pub waiting: f64,
    /// Findings left out because they were stored, declined or forgotten before.
    pub known: f64,
    /// Findings of a kind of which the last three were rejected: they are left out.
    pub unwanted: f64,
    /// Findings left out because they contain a secret.
    pub secrets: f64,
    /// Lines that are not JSON.
    pub invalid: f64,
    /// Lines and documents that are too long.
    pub oversized: f64,
    /// Records of unknown types, by type.
    #[napi(ts_type = "Record<string, number>")]
    pub unknown: BTreeMap<String, u64>,
    #[napi(ts_type = "Array<BackfillProblem>")]
    pub problems: Vec<Problem>,
    /// New records that are valid at once.
    pub stored: f64,
    /// New records that wait for review.
    pub proposed: f64,
    /// Findings that the memory had already.
    pub duplicates: f64,
    /// Findings of earlier runs that waited for a review and count now.
    pub accepted: f64,
}

/// The inputs of a plan. A call that stores findings uses the plan that the user has seen.
#[derive(Clone, PartialEq)]
struct Asked {
    folders: (PathBuf, PathBuf),
    places: Places,
    filter: Filter,
}

/// The part of a plan to store.
struct Storing<'a> {
    chosen: &'a [&'a Finding],
    /// The least confidence of findings that count at once.
    accept: Option<f64>,
    /// The least confidence of findings of earlier runs that count now.
    late: Option<f64>,
}

static SEEN: Mutex<Option<(Asked, Plan)>> = Mutex::new(None);

/// Reads the sessions that agents have stored on this machine, and returns the lessons in them. Findings that `accept` or `only` names
/// are stored in the review inbox, whatever the settings say about reviews; those with the confidence of `accept` are accepted. The
/// stores of agents are opened read-only. Throws `INVALID_INPUT`, `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: BackfillOptions",
    ts_return_type = "BackfillReport"
)]
pub fn backfill(env: &Env, options: Unknown) -> Result<Answer<BackfillReport>> {
    let InProject { project_dir, options }: InProject<BackfillOptions> = read_or_empty("options", &options)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(project_dir.as_deref()).map_err(fail)?;
    let asked = Asked {
        folders: project.folders().clone(),
        places: places(),
        filter: Filter {
            time_max: Some(RUN_TIME_MAX),
            ..options.filter(SystemClock.now_ms()).map_err(fail)?
        },
    };
    let is_storing = options.accept.is_some() || options.only.is_some() || options.decline.is_some();
    let plan = match SEEN.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some((seen, plan)) if is_storing && seen == asked => plan,
        _ => make_plan(env, &project, &asked)?,
    };
    let mut report = report_of(&plan);
    if !is_storing {
        *SEEN.lock().unwrap_or_else(PoisonError::into_inner) = Some((asked, plan));
        return Ok(Answer(report));
    }
    let mut settled: BTreeSet<String> = options.decline.iter().flatten().cloned().collect();
    let chosen: Vec<&Finding> = plan
        .findings
        .iter()
        .filter(|finding| options.is_chosen(&finding.key))
        .collect();
    let storing = Storing {
        chosen: &chosen,
        accept: options.accept,
        late: options.accept.filter(|_| options.only.is_none()),
    };
    let outcome = store_all(env, &project, &asked, storing, &mut settled)?;
    plan.commit(&OsDisk, &settled).map_err(fail)?;
    let stored = outcome.map_err(fail)?;
    report.stored = stored.stored as f64;
    report.proposed = stored.proposed as f64;
    report.duplicates = stored.duplicates as f64;
    report.accepted = stored.accepted as f64;
    Ok(Answer(report))
}

/// The session files of one agent.
#[napi(object, object_from_js = false)]
pub struct TranscriptCount {
    pub agent: String,
    /// Its display name.
    pub title: String,
    pub files: f64,
    pub bytes: f64,
}

/// Counts the files in which agents keep past sessions on this machine. It reads no session and writes nothing.
#[napi(catch_unwind)]
pub fn count_transcripts() -> Vec<TranscriptCount> {
    let counts = count_files(&OsDisk, &places());
    let described = counts.iter().map(|count| TranscriptCount {
        agent: count.agent.name().to_owned(),
        title: count.agent.title().to_owned(),
        files: count.files as f64,
        bytes: count.bytes as f64,
    });
    described.collect()
}

/// The most new bytes of a transcript that are read at the end of a session.
const LEARNED_BYTES_MAX: u64 = 64 << 20;
/// How long to wait for another session that ended just before: nobody waits for this process, and nothing learns from a session that it
/// leaves out before the next backfill.
const OTHER_MAX: Duration = Duration::from_secs(60);

/// The result of learning from a session.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
pub struct LearnedFromSession {
    /// New findings in the review inbox.
    pub proposed: f64,
    /// Findings that the memory had already.
    pub duplicates: f64,
    /// True when another process was learning for a minute, or the file is not in the store of an agent, or has too much new text.
    pub skipped: bool,
}

/// Reads the new part of the transcript of an ended session, and puts the findings into the review inbox. Waits up to a minute for
/// another process that is learning. Throws `INVALID_INPUT`, `IO` or `LOCKED`.
#[napi(
    catch_unwind,
    ts_args_type = "transcript: string, options?: ProjectOptions",
    ts_return_type = "LearnedFromSession"
)]
pub fn learn_from_session(env: &Env, transcript: Unknown, options: Unknown) -> Result<Answer<LearnedFromSession>> {
    let transcript: String = read("transcript", &transcript)?;
    let fail = |error: Error| thrown(env, &error);
    let project = open(only_project(&options)?.project_dir.as_deref()).map_err(fail)?;
    let lock = LockFile::new(Arc::new(OsDisk), project.folders().1.join("backfill/lock"));
    let nothing = |skipped| LearnedFromSession {
        proposed: 0.0,
        duplicates: 0.0,
        skipped,
    };
    let _held = match lock.guard_within(OTHER_MAX) {
        Ok(held) => held,
        Err(JournalError::Locked { .. }) => return Ok(Answer(nothing(true))),
        Err(error) => return Err(fail(error.into())),
    };
    let asked = Asked {
        folders: project.folders().clone(),
        places: places(),
        filter: Filter {
            file: Some(PathBuf::from(transcript)),
            bytes_max: Some(LEARNED_BYTES_MAX),
            ..Filter::default()
        },
    };
    let plan = make_plan(env, &project, &asked)?;
    if plan.read == 0 {
        return Ok(Answer(nothing(plan.unchanged == 0)));
    }
    let chosen: Vec<&Finding> = plan.findings.iter().collect();
    let mut settled = BTreeSet::new();
    let storing = Storing {
        chosen: &chosen,
        accept: None,
        late: None,
    };
    let outcome = store_all(env, &project, &asked, storing, &mut settled)?;
    plan.commit(&OsDisk, &settled).map_err(fail)?;
    let stored = outcome.map_err(fail)?;
    Ok(Answer(LearnedFromSession {
        proposed: stored.proposed as f64,
        duplicates: stored.duplicates as f64,
        skipped: false,
    }))
}

/// What the sources of findings begin with.
const SOURCE: &str = "backfill/";
/// A run begins no further file after this time. A year of sessions takes a tenth of it.
const RUN_TIME_MAX: Duration = Duration::from_secs(300);

/// Returns where the agents on this machine keep sessions.
pub(crate) fn places() -> Places {
    let variables = VARIABLES.iter().filter_map(|name| {
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), PathBuf::from(value)))
    });
    Places {
        home: env::home_dir().unwrap_or_default(),
        variables: variables.collect(),
    }
}

fn make_plan(env: &Env, project: &Arc<Project>, asked: &Asked) -> Result<Plan> {
    let unwanted = with_open(env, Arc::clone(project), |memory| {
        Ok(memory.reviewer().unwanted(SOURCE))
    })?
    .map_err(|error| thrown(env, &error))?;
    let mut plan = plan_of(project, asked).map_err(|error| thrown(env, &error))?;
    let before = plan.findings.len();
    plan.findings
        .retain(|finding| finding.project != asked.folders.0 || !unwanted.contains(finding.kind.name()));
    plan.unwanted = before - plan.findings.len();
    Ok(plan)
}

fn plan_of(project: &Project, asked: &Asked) -> forge_memory_core::Result<Plan> {
    let texts = if asked.filter.all_projects {
        KnownTexts::default()
    } else {
        KnownTexts::read(&OsDisk, &project.place().memory_dir().join(FORGE_FOLDER))?
    };
    let progress = project.progress_counter();
    let backfill = Backfill {
        disk: &OsDisk,
        places: &asked.places,
        project_dir: &asked.folders.0,
        home: &asked.folders.1,
        progress: &progress,
    };
    backfill.plan(&asked.filter, &texts)
}

/// Stores each finding in its own project, and records which ones are settled. A finding stays open while the folder of its project is
/// missing. An error ends the run, and the findings stored before it are settled.
fn store_all(
    env: &Env,
    project: &Arc<Project>,
    asked: &Asked,
    Storing { chosen, accept, late }: Storing<'_>,
    settled: &mut BTreeSet<String>,
) -> Result<forge_memory_core::Result<Stored>> {
    let mut by_project: BTreeMap<&Path, Vec<&Finding>> = BTreeMap::new();
    for finding in chosen {
        by_project.entry(&finding.project).or_default().push(finding);
    }
    if late.is_some() {
        by_project.entry(&asked.folders.0).or_default();
    }
    let mut sum = Stored::default();
    for (folder, findings) in by_project {
        let is_own = folder == asked.folders.0;
        let own = is_own.then(|| Arc::clone(project));
        let found = match own.map_or_else(|| open_project_of(folder), |own| Ok(Some(own))) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(error) => return Ok(Err(error)),
        };
        let outcome = with_open(env, found, |memory| {
            let disk: &dyn Disk = &OsDisk;
            let texts = if is_own {
                KnownTexts::default()
            } else {
                KnownTexts::read(disk, &memory.forge_dir())?
            };
            let fresh: Vec<&Finding> = findings
                .iter()
                .copied()
                .filter(|finding| !texts.has(&finding.text))
                .collect();
            let mut stored = store(memory, &fresh, accept)?;
            if let Some(least) = late {
                let agents = &asked.filter.agents;
                stored.accepted = accept_waiting(memory, Acceptance { least, agents })?;
            }
            Ok(stored)
        })?;
        match outcome {
            Ok(stored) => {
                sum.stored += stored.stored;
                sum.proposed += stored.proposed;
                sum.duplicates += stored.duplicates;
                sum.accepted += stored.accepted;
                settled.extend(findings.iter().map(|finding| finding.key.clone()));
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(sum))
}

fn report_of(plan: &Plan) -> BackfillReport {
    BackfillReport {
        findings: plan.findings.iter().map(finding_of).collect(),
        agents: plan
            .agents
            .iter()
            .map(|count| BackfillAgent {
                agent: count.agent.name().to_owned(),
                title: count.agent.title().to_owned(),
                files: count.files as f64,
                bytes: count.bytes as f64,
                sessions: count.sessions as f64,
                first: count.first_ms.map(format_iso),
                last: count.last_ms.map(format_iso),
            })
            .collect(),
        read: plan.read as f64,
        unchanged: plan.unchanged as f64,
        waiting: plan.waiting as f64,
        known: plan.known as f64,
        unwanted: plan.unwanted as f64,
        secrets: plan.secrets as f64,
        invalid: plan.skipped.invalid as f64,
        oversized: plan.skipped.oversized as f64,
        unknown: plan.skipped.unknown.clone(),
        problems: plan.problems.clone(),
        stored: 0.0,
        proposed: 0.0,
        duplicates: 0.0,
        accepted: 0.0,
    }
}

fn finding_of(finding: &Finding) -> BackfillFinding {
    BackfillFinding {
        key: finding.key.clone(),
        kind: finding.kind.name().to_owned(),
        record_type: finding.kind.record_type().to_owned(),
        text: finding.text.clone(),
        reason: finding.reason.clone(),
        confidence: finding.confidence,
        sessions: u32::try_from(finding.sessions).unwrap_or(u32::MAX),
        agent: finding.seen.agent.name().to_owned(),
        session: finding.seen.session.clone(),
        line: finding.seen.line as f64,
        at: finding.seen.at_ms.map(format_iso),
        project: finding.project.display().to_string(),
    }
}
