//! Aggregates the results of learning from the files of a run, and builds a plan of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::agent::Agent;
use crate::emitter::Skipped;
use crate::find::Problem;
use crate::history::Forgotten;
use crate::known_texts::KnownTexts;
use crate::learn::{Candidate, CommandRun, Finding, FindingKind, Sighting};
use crate::letters::Letters;
use crate::plan::{AgentCount, Plan};
use crate::project::Scope;
use crate::reader::FORMATS;
use crate::scan::FileRead;
use crate::sources::Job;
use crate::state::State;
use crate::tally::{COMMANDS_MAX, Tally, key_of};

/// Collects candidates and commands of all files of a run.
pub(crate) struct PlanBuilder {
    pub scope: Scope,
    /// Sessions that the user asked to forget: nothing is learned from them.
    pub forgotten: Forgotten,
    pub since_ms: Option<i64>,
    pub tally: Tally,
    pub letters: Letters,
    pub agents: BTreeMap<Agent, AgentCount>,
    pub candidates: Vec<(usize, PathBuf, Candidate)>,
    pub ran: Vec<(usize, PathBuf, CommandRun)>,
    pub skipped: Skipped,
    pub secrets: u64,
}

impl PlanBuilder {
    pub fn count_file(&mut self, job: &Job) {
        let Some(format) = FORMATS.get(job.format) else { return };
        let count = self.agents.entry(format.agent).or_insert(AgentCount {
            agent: format.agent,
            files: 0,
            bytes: 0,
            sessions: 0,
            first_ms: None,
            last_ms: None,
        });
        count.files += 1;
        count.bytes += job.bytes;
    }

    pub fn take(&mut self, job: &Job, read: &FileRead) {
        self.skipped.add(&read.skipped);
        self.secrets += read.learned.secrets;
        let agent = FORMATS.get(job.format).map(|format| format.agent);
        let gone: BTreeSet<&str> = read
            .learned
            .sessions
            .iter()
            .filter(|session| self.forgotten.has(session))
            .map(|session| session.id.as_str())
            .collect();
        let is_gone = |seen: &Sighting| {
            gone.contains(seen.session.as_str()) || self.forgotten.has_id(seen.agent.name(), &seen.session)
        };
        if let Some(count) = agent.and_then(|agent| self.agents.get_mut(&agent)) {
            for session in &read.learned.sessions {
                if self.scope.project_of(session.cwd.as_deref()).is_none() {
                    continue;
                }
                count.sessions += 1;
                count.first_ms = earlier(count.first_ms, session.started_ms);
                count.last_ms = count.last_ms.max(session.ended_ms.or(session.started_ms));
            }
        }
        for candidate in read.learned.candidates.iter().filter(|found| !is_gone(&found.seen)) {
            if let Some(project) = self.wanted(candidate.cwd.as_deref(), &candidate.seen) {
                self.letters.note(candidate);
                let (at, _) = self.tally.candidate(hash_of(&project), candidate);
                self.candidates.push((at, project, candidate.clone()));
            }
        }
        for ran in read.learned.ran.iter().filter(|found| !is_gone(&found.seen)) {
            if let Some(project) = self.wanted(ran.cwd.as_deref(), &ran.seen) {
                let (at, _) = self.tally.ran(hash_of(&project), ran);
                self.ran.push((at, project, ran.clone()));
            }
        }
    }

    fn wanted(&self, cwd: Option<&str>, seen: &Sighting) -> Option<PathBuf> {
        let is_old = self
            .since_ms
            .is_some_and(|since| seen.at_ms.is_some_and(|at| at < since));
        if is_old { None } else { self.scope.project_of(cwd) }
    }

    pub fn plan(
        mut self,
        mut state: State,
        state_path: PathBuf,
        texts: &KnownTexts,
        (read, unchanged): (u64, u64),
        problems: Vec<Problem>,
    ) -> Plan {
        let mut findings: BTreeMap<String, Finding> = BTreeMap::new();
        // Findings of earlier runs that are still undecided.
        for open in std::mem::take(&mut state.open) {
            findings.insert(open.key.clone(), open);
        }
        let mut waiting = BTreeSet::new();
        for (at, project, candidate) in std::mem::take(&mut self.candidates) {
            let sessions = self.tally.sessions(at);
            if !candidate.stands_alone && sessions < 2 {
                waiting.insert(at);
                continue;
            }
            let words = self
                .tally
                .waiting
                .get(at)
                .map_or(&candidate.words, |entry| &entry.words);
            let key = key_of(hash_of(&project), candidate.kind, words);
            let finding = finding_of(key, project, candidate, sessions);
            // The latest wording wins.
            let is_later = |known: &Finding| known.seen.at_ms <= finding.seen.at_ms;
            if findings.get(&finding.key).is_none_or(is_later) {
                findings.insert(finding.key.clone(), finding);
            }
        }
        for finding in self.commands() {
            findings.insert(finding.key.clone(), finding);
        }
        findings.retain(|_, finding| !self.letters.is_template(finding));
        let all = findings.len();
        findings.retain(|key, finding| !state.settled.contains(key) && !texts.has(&finding.text));
        let known = all - findings.len();
        let mut findings: Vec<Finding> = findings.into_values().collect();
        findings.sort_by(|one, other| {
            other
                .confidence
                .total_cmp(&one.confidence)
                .then_with(|| (one.seen.at_ms, one.seen.line).cmp(&(other.seen.at_ms, other.seen.line)))
                .then_with(|| one.key.cmp(&other.key))
        });
        state.waiting = self.tally.waiting;
        state.letters = self.letters;
        Plan {
            findings,
            agents: self.agents.into_values().filter(|count| count.files > 0).collect(),
            read,
            unchanged,
            waiting: waiting.len(),
            known,
            unwanted: 0,
            secrets: self.secrets,
            skipped: self.skipped,
            problems,
            state,
            state_path,
        }
    }

    /// The commands that most sessions of a project used, per purpose.
    fn commands(&self) -> Vec<Finding> {
        let mut best: BTreeMap<(PathBuf, String), BTreeMap<usize, CommandRun>> = BTreeMap::new();
        for (at, project, ran) in &self.ran {
            if self.tally.sessions(*at) >= 2 {
                best.entry((project.clone(), ran.purpose.clone()))
                    .or_default()
                    .insert(*at, ran.clone());
            }
        }
        let mut found = Vec::new();
        for ((project, purpose), commands) in best {
            let mut ranked: Vec<(usize, CommandRun)> = commands
                .into_iter()
                .map(|(at, ran)| (self.tally.sessions(at), ran))
                .collect();
            ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.command.cmp(&other.1.command)));
            for (sessions, ran) in ranked.into_iter().take(COMMANDS_MAX) {
                let words = [xxh3_64(ran.command.as_bytes()) as u32];
                found.push(Finding {
                    key: key_of(hash_of(&project), FindingKind::Command, &words),
                    kind: FindingKind::Command,
                    text: format!("{} `{}`.", phrase(&purpose), ran.command),
                    reason: format!("it succeeded in {sessions} sessions"),
                    confidence: (0.7 + 0.05 * sessions as f64).min(0.95),
                    sessions,
                    seen: ran.seen,
                    project: project.clone(),
                });
            }
        }
        found
    }
}

fn phrase(purpose: &str) -> &'static str {
    match purpose {
        "test" => "Run the tests with",
        "build" => "Build with",
        "lint" => "Check style and types with",
        _ => "Start it with",
    }
}

fn finding_of(key: String, project: PathBuf, candidate: Candidate, sessions: usize) -> Finding {
    let repeated = sessions > 1;
    let reason = if repeated {
        format!("{}, in {sessions} sessions", candidate.reason)
    } else {
        candidate.reason
    };
    Finding {
        key,
        kind: candidate.kind,
        text: candidate.text,
        reason,
        confidence: if repeated {
            (candidate.confidence + 0.1).min(0.97)
        } else {
            candidate.confidence
        },
        sessions,
        seen: candidate.seen,
        project,
    }
}

fn hash_of(project: &Path) -> u64 {
    xxh3_64(project.as_os_str().as_encoded_bytes())
}

fn earlier(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
