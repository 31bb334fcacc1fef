//! A rule-based extractor over the events of sessions. It tracks the actions of the agent before a person spoke, which commands failed, and the
//! changes before they succeeded. It uses no language model: each rule has a fixed confidence, measured on labelled turns in `tests/`.

use forge_memory_core::text::lines::{head, one_line};
use serde::{Deserialize, Serialize};

use super::failure::{is_environmental, signature};
use super::finding::{Candidate, FindingKind, Sighting};
use super::message::sentences;
use super::sentence::compared_words;
use super::speech::{Before, statements_in};
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
const ACTION_MAX: usize = 80;
/// Nobody repeats a longer command.
const COMMAND_MAX: usize = 200;
const OTHER_COMMAND_MAX: usize = 120;
/// A longer output of a command that hides failures may have one.
const OUTPUT_MAX: usize = 2000;
/// The confidence from which one session is enough.
const ALONE: f64 = 0.55;
/// The ends of the names of files with settings.
const SETTINGS: &str = ".toml .yml .yaml .json .cfg .ini .env .lock .mk .gradle .properties .conf makefile dockerfile justfile go.mod .npmrc";

/// A command that succeeded, and its purpose.
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

/// The result of learning from sessions.
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

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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
    before: Before,
    last_action: Option<String>,
    calls: Vec<Call>,
    failed: Vec<Failed>,
    /// The result of this run.
    #[serde(skip)]
    pub learned: Learned,
}

impl Sink for Learner {
    fn session(&mut self, session: &Session) {
        let sessions = &mut self.learned.sessions;
        match sessions.iter_mut().rev().find(|known| known.id == session.id) {
            Some(known) => known.clone_from(session),
            None => sessions.push(session.clone()),
        }
        if self.session.as_ref().is_none_or(|known| known.id != session.id) {
            let learned = std::mem::take(&mut self.learned);
            *self = Learner {
                learned,
                ..Learner::default()
            };
        }
        self.session = Some(session.clone());
    }

    fn event(&mut self, event: Event) {
        let Some(session) = self.session.as_ref().filter(|session| !session.is_private) else {
            return;
        };
        match event.kind {
            Kind::Prompt | Kind::Steer | Kind::Remember => {
                let before = std::mem::take(&mut self.before);
                self.propose_statements(&event, before);
            }
            Kind::Rejection => {
                let is_explained = !event.text.is_empty() && session.has_human();
                self.before.refused |= event.text.is_empty();
                self.calls.retain(|call| event.call.as_ref() != Some(&call.id));
                if is_explained {
                    let refused = Before {
                        refused: true,
                        ..Before::default()
                    };
                    self.propose_statements(&event, refused);
                }
            }
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
    fn propose_statements(&mut self, event: &Event, before: Before) {
        for said in statements_in(&event.text, before, event.kind == Kind::Remember) {
            let action = self
                .last_action
                .as_ref()
                .filter(|_| said.kind == FindingKind::Correction);
            let after = action.map_or(String::new(), |action| format!(" (after {action})"));
            let reason = format!("{}{after}", said.reason);
            self.propose(event, said.kind, (&said.text, &said.text), reason, said.confidence);
        }
    }

    /// From the agent's own text only a stated root cause counts, and only after it changed something.
    fn on_agent_text(&mut self, event: &Event) {
        if !self.before.acted {
            return;
        }
        let said = sentences(&event.text.replace("**", ""));
        for (at, sentence) in said.iter().enumerate() {
            let has_code = sentence.raw.contains('`') || sentence.is("value");
            if !has_code || !sentence.is("cause -planned -asked -momentary -<7 <50") {
                continue;
            }
            // A cause without its remedy does not help.
            let next = said
                .iter()
                .skip(at + 1)
                .take(2)
                .find(|next| next.is("remedied -planned -asked"));
            let text = match next {
                Some(next) => format!("{} {}", sentence.raw, next.raw),
                None if sentence.is("remedied") => sentence.raw.clone(),
                None => continue,
            };
            let reason = "the agent named the cause after the work, and the remedy".to_owned();
            self.propose(event, FindingKind::Fix, (&text, &text), reason, 0.6);
            return;
        }
    }

    fn on_command(&mut self, event: Event) {
        let Some(command) = event.command else { return };
        self.last_action = Some(format!("`{}`", shortened(&command, ACTION_MAX)));
        self.before.acted |= !shell::is_look(&command);
        let id = event.call.unwrap_or_default();
        self.calls.retain(|call| call.id != id);
        push(&mut self.calls, Call { id, command }, CALLS_MAX);
    }

    fn on_edit(&mut self, event: &Event) {
        self.before.acted = true;
        let Some(path) = event.paths.first() else { return };
        self.last_action = Some(format!("a change of {}", shortened(path, ACTION_MAX)));
        for failed in &mut self.failed {
            for path in &event.paths {
                if !failed.edits.contains(path) && failed.edits.len() <= EDITS_MAX {
                    failed.edits.push(path.clone());
                }
            }
        }
    }

    fn on_result(&mut self, event: &Event) {
        // Without ids, a result belongs to the latest call.
        let at = match &event.call {
            Some(id) => self.calls.iter().position(|call| call.id == *id),
            None => self.calls.len().checked_sub(1),
        };
        let Some(at) = at else { return };
        let call = self.calls.remove(at);
        let command = shell::normalised(&call.command);
        let may_hide_failure = shell::hides_failure(&call.command) && event.text.len() >= OUTPUT_MAX;
        match event.outcome {
            Outcome::Failed => self.on_failure(event, command),
            Outcome::Ok if !may_hide_failure => self.on_success(event, &command),
            _ => {}
        }
    }

    fn on_failure(&mut self, event: &Event, command: String) {
        if shell::is_look(&command) || command.len() > COMMAND_MAX {
            return;
        }
        let Some(signature) = signature(&event.text) else {
            return;
        };
        self.failed.retain(|failed| failed.command != command);
        let line = event.line;
        let failed = Failed {
            command,
            signature,
            line,
            ..Failed::default()
        };
        push(&mut self.failed, failed, FAILED_MAX);
    }

    fn on_success(&mut self, event: &Event, command: &str) {
        if let Some(at) = self.failed.iter().position(|failed| failed.command == command) {
            let failed = self.failed.remove(at);
            self.propose_fix(event, &failed);
        } else {
            self.propose_replacement(event, command);
            if !shell::is_look(command) && command.len() <= OTHER_COMMAND_MAX {
                self.failed
                    .iter_mut()
                    .for_each(|failed| failed.ran.push(command.to_owned()));
            }
        }
        self.count_command(event, command);
    }

    /// The same command failed before and has succeeded now.
    fn propose_fix(&mut self, event: &Event, failed: &Failed) {
        let (command, signature) = (&failed.command, &failed.signature);
        let is_environmental = is_environmental(signature);
        let (how, confidence) = match (failed.edits.as_slice(), failed.ran.as_slice()) {
            // Code changes fix tests all the time; a change of configuration is more likely to be worth knowing.
            (edits @ [_, ..], _) if edits.len() <= EDITS_MAX => {
                let files: Vec<&str> = edits.iter().map(|path| self.below_project(path)).collect();
                let confidence = match files.as_slice() {
                    files if files.iter().any(|file| is_settings(file)) => 0.8,
                    [_] => 0.7,
                    _ => 0.55,
                };
                (format!("changing {}", files.join(", ")), confidence)
            }
            ([], [one]) => (format!("running `{one}`"), if is_environmental { 0.8 } else { 0.65 }),
            ([], [one, two]) if is_environmental => (format!("running `{one}` and `{two}`"), 0.7),
            _ => return,
        };
        let text = format!("`{command}` failed with \"{signature}\"; fixed by {how}.");
        let (line, now) = (failed.line, event.line);
        let reason = format!("the command failed at line {line} and succeeded at line {now}");
        let compared = format!("{command} {signature}");
        self.propose(event, FindingKind::Fix, (&text, &compared), reason, confidence);
    }

    /// A command that does not work in this environment, and the variant that does.
    fn propose_replacement(&mut self, event: &Event, command: &str) {
        let is_replaced = |failed: &Failed| {
            let is_next = failed.edits.is_empty() && failed.ran.is_empty();
            is_next && is_environmental(&failed.signature) && is_variant(&failed.command, command)
        };
        let Some(at) = self.failed.iter().rposition(is_replaced) else {
            return;
        };
        let failed = self.failed.remove(at);
        let text = format!(
            "`{}` fails here with \"{}\"; `{command}` works.",
            failed.command, failed.signature
        );
        let (line, now) = (failed.line, event.line);
        let reason = format!("a command failed at line {line} and a variant of it succeeded at line {now}");
        self.propose(event, FindingKind::Environment, (&text, &text), reason, 0.8);
    }

    fn count_command(&mut self, event: &Event, command: &str) {
        let (Some(session), Some(purpose)) = (&self.session, shell::purpose(command)) else {
            return;
        };
        let ran = &mut self.learned.ran;
        let is_known = ran
            .iter()
            .any(|ran| ran.command == command && ran.seen.session == session.id);
        if !is_known && ran.len() < CANDIDATES_MAX && !command.contains("[redacted:") {
            ran.push(CommandRun {
                command: command.to_owned(),
                purpose: purpose.name().to_owned(),
                seen: sighting(session, event),
                cwd: session.cwd.clone(),
            });
        }
    }

    /// Adds a candidate, with its text and the text whose words are compared.
    fn propose(
        &mut self,
        event: &Event,
        kind: FindingKind,
        (text, compared): (&str, &str),
        reason: String,
        confidence: f64,
    ) {
        let words = compared_words(compared);
        let Some(session) = &self.session else { return };
        // A text with a redaction marker is dropped: a lesson with a hole is not useful.
        if text.contains("[redacted:") {
            self.learned.secrets += 1;
        } else if self.learned.candidates.len() < CANDIDATES_MAX && !words.is_empty() {
            self.learned.candidates.push(Candidate {
                kind,
                text: shortened(text, TEXT_MAX),
                reason,
                confidence,
                stands_alone: kind == FindingKind::Fix || confidence >= ALONE,
                words,
                seen: sighting(session, event),
                record: event.id.clone(),
                cwd: session.cwd.clone(),
            });
        }
    }

    fn below_project<'p>(&self, path: &'p str) -> &'p str {
        let cwd = self.session.as_ref().and_then(|session| session.cwd.as_deref());
        let below = cwd.filter(|cwd| !cwd.is_empty()).and_then(|cwd| path.strip_prefix(cwd));
        below.map_or(path, |below| below.trim_start_matches(['/', '\\']))
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

/// Adds an item; the oldest one makes room.
fn push<T>(items: &mut Vec<T>, item: T, max: usize) {
    if items.len() >= max {
        items.remove(0);
    }
    items.push(item);
}

/// Returns true if a command is another way to run one that failed: `python x` and `python3 x`, `eslint x` and `npx eslint x`.
fn is_variant(failed: &str, other: &str) -> bool {
    let (one, two): (Vec<&str>, Vec<&str>) = (failed.split(' ').collect(), other.split(' ').collect());
    let (Some((tool, rest)), Some((other_tool, other_rest))) = (one.split_first(), two.split_first()) else {
        return false;
    };
    if tool == other_tool {
        let shared = one.iter().filter(|word| two.contains(word)).count();
        return one.len() > 2 && rest.first() == other_rest.first() && shared * 2 > one.len().max(two.len());
    }
    let is_alike = tool.starts_with(other_tool) || other_tool.starts_with(tool);
    let is_run_through = two.len() - one.len().min(two.len()) <= 2 && two.ends_with(&one);
    is_alike && rest == other_rest || is_run_through || !rest.is_empty() && two.ends_with(rest)
}

fn is_settings(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    name == "requirements.txt" || name.contains(".config.") || SETTINGS.split(' ').any(|end| name.ends_with(end))
}

fn shortened(text: &str, max: usize) -> String {
    let line = one_line(text);
    match head(&line, max) {
        cut if cut.len() < line.len() => format!("{cut}…"),
        _ => line,
    }
}
