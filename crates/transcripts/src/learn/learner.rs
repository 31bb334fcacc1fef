//! A rule-based extractor over the events of sessions. It tracks what the agent had done when a person spoke, which commands failed, and
//! what changed before they succeeded. It uses no language model: each rule has a fixed confidence, measured on labelled turns in `tests/`.

use serde::{Deserialize, Serialize};

use super::failure;
use super::finding::{Candidate, FindingKind, Sighting};
use super::sentence::compared_words;
use super::speech::{Context, statements_in};
use crate::emitter::Sink;
use crate::event::{Event, Kind, Outcome, Session};
use crate::shell;

/// Calls kept until their result arrives.
const CALLS_MAX: usize = 64;
/// Failed commands kept until they succeed.
const FAILED_MAX: usize = 16;
/// The most candidates of one source.
const CANDIDATES_MAX: usize = 2000;
/// With more changed files, the one that fixed the error cannot be named.
const EDITS_MAX: usize = 4;
const TEXT_MAX: usize = 500;

/// A command that succeeded, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command, normalised.
    pub command: String,
    /// `test`, `build`, `lint` or `run`.
    pub purpose: String,
    /// Where it was observed.
    pub seen: Sighting,
    /// The working directory of the session.
    pub cwd: Option<String>,
}

/// What was learned from sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The candidates for records.
    pub candidates: Vec<Candidate>,
    /// The commands that succeeded, once per session.
    pub ran: Vec<CommandRun>,
    /// Candidates that were dropped because they contain a secret.
    pub secrets: u64,
    /// The sessions that were read.
    pub sessions: Vec<Session>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Call {
    id: String,
    command: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Failed {
    command: String,
    signature: String,
    line: u64,
    edits: Vec<String>,
    /// Other commands that have succeeded since.
    ran: Vec<String>,
}

/// Learns from the events of one source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Learner {
    session: Option<Session>,
    before: SinceLastPrompt,
    last_action: Option<String>,
    calls: Vec<Call>,
    failed: Vec<Failed>,
    /// What was learned in this run.
    #[serde(skip)]
    pub learned: Learned,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct SinceLastPrompt {
    acted: bool,
    interrupted: bool,
    refused: bool,
}

impl Sink for Learner {
    fn session(&mut self, session: &Session) {
        let is_same = self.session.as_ref().is_some_and(|known| known.id == session.id);
        if !is_same {
            self.before = SinceLastPrompt::default();
            self.calls.clear();
            self.failed.clear();
            self.last_action = None;
        }
        match self
            .learned
            .sessions
            .iter_mut()
            .rev()
            .find(|known| known.id == session.id)
        {
            Some(known) => known.clone_from(session),
            None => self.learned.sessions.push(session.clone()),
        }
        self.session = Some(session.clone());
    }

    fn event(&mut self, event: Event) {
        let Some(session) = &self.session else { return };
        if session.is_private {
            return;
        }
        match event.kind {
            Kind::Prompt | Kind::Steer | Kind::Remember => self.on_prompt(&event),
            Kind::Rejection => self.on_rejection(&event),
            Kind::Interrupt => self.before.interrupted = true,
            Kind::Text => self.on_agent_text(&event),
            Kind::Shell => self.on_command(event),
            Kind::Edit => self.on_edit(&event),
            Kind::Result => self.on_result(&event),
            Kind::Read | Kind::Tool => {}
        }
    }
}

impl Learner {
    fn on_prompt(&mut self, event: &Event) {
        let before = Context {
            acted: self.before.acted,
            interrupted: self.before.interrupted,
            refused: self.before.refused,
            remember: event.kind == Kind::Remember,
        };
        self.propose_statements(event, before);
        self.before = SinceLastPrompt::default();
    }

    fn on_rejection(&mut self, event: &Event) {
        self.calls.retain(|call| event.call.as_ref() != Some(&call.id));
        if event.text.is_empty() {
            self.before.refused = true;
            return;
        }
        let human = self.session.as_ref().is_some_and(Session::has_human);
        if human {
            let before = Context {
                refused: true,
                ..Context::default()
            };
            self.propose_statements(event, before);
        }
    }

    fn propose_statements(&mut self, event: &Event, before: Context) {
        for statement in statements_in(&event.text, before) {
            let context = self
                .last_action
                .as_ref()
                .filter(|_| statement.kind == FindingKind::Correction);
            let reason = match context {
                Some(action) => format!("{} (after {action})", statement.reason),
                None => statement.reason.to_owned(),
            };
            let words = compared_words(&statement.text);
            self.propose(
                event,
                statement.kind,
                statement.text,
                reason,
                statement.confidence,
                statement.stands_alone,
                words,
            );
        }
    }

    /// From the agent's own text only a stated root cause counts, and only after it changed something.
    fn on_agent_text(&mut self, event: &Event) {
        const FOUND: [&str; 9] = [
            "root cause was",
            "root cause is",
            "the fix was",
            "was fixed by",
            "it turned out that",
            "the culprit was",
            "the problem was that",
            "worked around",
            "the cause was",
        ];
        const PLANNED: [&str; 16] = [
            "let me", "i'll", "i will", "going to", "now ", "next", "would", "might", "probably", "maybe", "could",
            "should", "likely", "if ", "whether", "?",
        ];
        if !self.before.acted {
            return;
        }
        for sentence in super::sentence::sentences(&event.text) {
            let lower = sentence.raw.to_lowercase();
            let is_found = FOUND.iter().any(|words| lower.contains(words));
            if is_found
                && !PLANNED.iter().any(|words| lower.contains(words))
                && (8..50).contains(&sentence.words().len())
            {
                let words = compared_words(&sentence.raw);
                let reason = "the agent named the cause after the work".to_owned();
                self.propose(event, FindingKind::Fix, sentence.raw, reason, 0.6, true, words);
            }
        }
    }

    fn on_command(&mut self, event: Event) {
        let Some(command) = event.command else { return };
        self.last_action = Some(format!("`{}`", one_line(&command, 80)));
        if !shell::is_look(&command) {
            self.before.acted = true;
        }
        let id = event.call.unwrap_or_default();
        self.calls.retain(|call| call.id != id);
        if self.calls.len() >= CALLS_MAX {
            self.calls.remove(0);
        }
        self.calls.push(Call { id, command });
    }

    fn on_edit(&mut self, event: &Event) {
        self.before.acted = true;
        let Some(path) = event.paths.first() else { return };
        self.last_action = Some(format!("a change of {}", one_line(path, 80)));
        for failed in &mut self.failed {
            for path in &event.paths {
                if !failed.edits.contains(path) && failed.edits.len() <= EDITS_MAX {
                    failed.edits.push(path.clone());
                }
            }
        }
    }

    fn on_result(&mut self, event: &Event) {
        let id = event.call.as_deref().unwrap_or_default();
        // Without ids, a result belongs to the latest call.
        let at = match event.call {
            Some(_) => self.calls.iter().position(|call| call.id == id),
            None => self.calls.len().checked_sub(1),
        };
        let Some(at) = at else { return };
        let call = self.calls.remove(at);
        let command = shell::normalised(&call.command);
        match event.outcome {
            Outcome::Failed => self.on_failure(event, command),
            Outcome::Ok if !shell::hides_failure(&call.command) || event.text.len() < 2000 => {
                self.on_success(event, &command)
            }
            _ => {}
        }
    }

    fn on_failure(&mut self, event: &Event, command: String) {
        let Some(signature) = failure::signature(&event.text) else {
            return;
        };
        if shell::is_look(&command) || command.len() > 200 {
            return;
        }
        self.failed.retain(|failed| failed.command != command);
        if self.failed.len() >= FAILED_MAX {
            self.failed.remove(0);
        }
        self.failed.push(Failed {
            command,
            signature,
            line: event.line,
            edits: Vec::new(),
            ran: Vec::new(),
        });
    }

    fn on_success(&mut self, event: &Event, command: &str) {
        if let Some(at) = self.failed.iter().position(|failed| failed.command == command) {
            let failed = self.failed.remove(at);
            self.propose_fix(event, &failed);
        } else {
            self.propose_replacement(event, command);
            if !shell::is_look(command) && command.len() <= 120 {
                for failed in &mut self.failed {
                    failed.ran.push(command.to_owned());
                }
            }
        }
        self.count_command(event, command);
    }

    /// The same command failed before and has succeeded now.
    fn propose_fix(&mut self, event: &Event, failed: &Failed) {
        let is_environmental = failure::is_environmental(&failed.signature);
        let (how, confidence) = match (failed.edits.as_slice(), failed.ran.as_slice()) {
            // Code changes fix tests all the time; a change of configuration is more likely to be worth knowing.
            (edits @ [_, ..], _) if edits.len() <= EDITS_MAX => {
                let files: Vec<String> = edits.iter().map(|path| self.below_project(path)).collect();
                let is_settings = files.iter().any(|file| is_settings(file));
                let is_named = files.iter().any(|file| names_file(&failed.signature, file));
                let confidence = if is_settings {
                    0.8
                } else if is_named || files.len() == 1 {
                    0.7
                } else {
                    0.55
                };
                (format!("changing {}", files.join(", ")), confidence)
            }
            ([], [one]) => (format!("running `{one}`"), if is_environmental { 0.8 } else { 0.65 }),
            ([], [one, two]) if is_environmental => (format!("running `{one}` and `{two}`"), 0.7),
            _ => return,
        };
        let text = format!(
            "`{}` failed with \"{}\"; fixed by {how}.",
            failed.command, failed.signature
        );
        let reason = format!(
            "the command failed at line {} and succeeded at line {}",
            failed.line, event.line
        );
        let words = compared_words(&format!("{} {}", failed.command, failed.signature));
        self.propose(event, FindingKind::Fix, text, reason, confidence, true, words);
    }

    /// A command that does not work in this environment, and the variant that does.
    fn propose_replacement(&mut self, event: &Event, command: &str) {
        let Some(at) = self.failed.iter().rposition(|failed| {
            failed.edits.is_empty()
                && failed.ran.is_empty()
                && failure::is_environmental(&failed.signature)
                && is_variant(&failed.command, command)
        }) else {
            return;
        };
        let failed = self.failed.remove(at);
        let text = format!(
            "`{}` fails here with \"{}\"; `{command}` works.",
            failed.command, failed.signature
        );
        let reason = format!(
            "a command failed at line {} and a variant of it succeeded at line {}",
            failed.line, event.line
        );
        let words = compared_words(&text);
        self.propose(event, FindingKind::Environment, text, reason, 0.8, true, words);
    }

    fn count_command(&mut self, event: &Event, command: &str) {
        let (Some(session), Some(purpose)) = (&self.session, shell::purpose(command)) else {
            return;
        };
        let is_known = |ran: &CommandRun| ran.command == command && ran.seen.session == session.id;
        if self.learned.ran.iter().any(is_known)
            || self.learned.ran.len() >= CANDIDATES_MAX
            || command.contains("[redacted:")
        {
            return;
        }
        self.learned.ran.push(CommandRun {
            command: command.to_owned(),
            purpose: purpose.name().to_owned(),
            seen: sighting(session, event),
            cwd: session.cwd.clone(),
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn propose(
        &mut self,
        event: &Event,
        kind: FindingKind,
        text: String,
        reason: String,
        confidence: f64,
        stands_alone: bool,
        words: Vec<u32>,
    ) {
        let Some(session) = &self.session else { return };
        // A text with a redaction marker is dropped: a lesson with a hole is not useful.
        if text.contains("[redacted:") {
            self.learned.secrets += 1;
            return;
        }
        if self.learned.candidates.len() >= CANDIDATES_MAX || words.is_empty() {
            return;
        }
        self.learned.candidates.push(Candidate {
            kind,
            text: one_line(&text, TEXT_MAX),
            reason,
            confidence,
            stands_alone,
            words,
            seen: sighting(session, event),
            record: event.id.clone(),
            cwd: session.cwd.clone(),
        });
    }

    fn below_project(&self, path: &str) -> String {
        let cwd = self
            .session
            .as_ref()
            .and_then(|session| session.cwd.as_deref())
            .unwrap_or_default();
        let below = path
            .strip_prefix(cwd)
            .filter(|_| !cwd.is_empty())
            .map(|rest| rest.trim_start_matches(['/', '\\']));
        below.unwrap_or(path).to_owned()
    }
}

fn sighting(session: &Session, event: &Event) -> Sighting {
    Sighting {
        agent: session.agent,
        session: session.id.clone(),
        line: event.line,
        at_ms: event.at_ms.or(session.started_ms),
    }
}

/// Returns whether two commands differ in one or two words: `python x` and `python3 x`.
fn is_variant(failed: &str, other: &str) -> bool {
    let (one, two): (Vec<&str>, Vec<&str>) = (failed.split(' ').collect(), other.split(' ').collect());
    let shared = one.iter().filter(|word| two.contains(word)).count();
    let longest = one.len().max(two.len());
    let same_tool = one.first() == two.first();
    let alike = one
        .first()
        .zip(two.first())
        .is_some_and(|(one, two)| one.starts_with(two) || two.starts_with(one));
    let differs_in_tool = !same_tool && alike && one.get(1..) == two.get(1..);
    let runs_through = two.len() > one.len() && two.ends_with(&one) && two.len() - one.len() <= 2;
    let runs_module = !same_tool && one.len() > 1 && one.get(1..).is_some_and(|rest| two.ends_with(rest));
    differs_in_tool
        || runs_through
        || runs_module
        || (same_tool && one.get(1) == two.get(1) && shared * 2 > longest && one.len() > 2)
}

fn is_settings(file: &str) -> bool {
    const ENDINGS: [&str; 12] = [
        ".toml",
        ".yml",
        ".yaml",
        ".json",
        ".cfg",
        ".ini",
        ".env",
        ".lock",
        ".mk",
        ".gradle",
        ".properties",
        ".conf",
    ];
    let name = file.rsplit('/').next().unwrap_or(file);
    let lower = name.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "makefile" | "dockerfile" | ".env" | "justfile" | "go.mod" | "requirements.txt" | ".npmrc"
    ) || ENDINGS.iter().any(|end| lower.ends_with(end))
        || lower.contains(".config.")
}

fn names_file(signature: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    stem.len() > 3 && signature.contains(stem)
}

fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = line.len().min(max);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    if end == line.len() {
        line
    } else {
        format!("{}…", line.get(..end).unwrap_or_default())
    }
}
