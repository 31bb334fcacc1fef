//! Captures of a call: marks of the agent, citations, and the outcome of test commands.

use std::path::{Path, PathBuf};

use forge_memory_core::author::Speaker;
use forge_memory_core::redact::redact;
use forge_memory_core::review::Verdict;
use forge_memory_core::said::Door;
use forge_memory_core::{CaptureInput, Error, Result};
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::hosts::Event;
use crate::journal;
use crate::lines::pattern;
use crate::marks::{Mark, find_command_marks, find_marks, mentions_mark};
use crate::private;
use crate::session::{MarkedBy, Session, SessionFile, name_of};
use crate::test_command::{is_of_tests, learn_from_command};
use crate::transcript::{read_agent_texts, start_of};
use crate::workplace::Workplace;

/// True if a call may have something to store. After a tool that is a mark, or a command that runs tests.
pub(crate) fn may_capture(call: &Call) -> bool {
    call.event != Event::AfterTool
        || call.said.is_some()
        || call
            .command
            .as_ref()
            .is_some_and(|command| mentions_mark(&command.line) || is_of_tests(&command.line))
}

/// Marks that are not stored yet: a write-ahead note, which the next call that captures finds when this one ends early.
#[derive(Serialize, Deserialize)]
struct Pending {
    cwd: PathBuf,
    agent: String,
    #[serde(default)]
    session: String,
    marks: Vec<Mark>,
}

const OWED: &str = "owed";

/// Writes down the marks of a call before they are stored, so that a deadline loses none. Returns the file, if there are any marks. A call is handled
/// even if its marks cannot be written down.
pub(crate) fn note_pending(place: &mut Workplace, call: &Call) -> Option<PathBuf> {
    if !is_allowed(place) {
        return None;
    }
    let _ = note_transcript(place, call);
    let mut marks = find_marks(call.said.as_deref().unwrap_or_default());
    marks.extend(find_command_marks(
        call.command.as_ref().map_or("", |command| &command.line),
    ));
    if marks.is_empty() {
        return None;
    }
    // What waits here is stored like every other text, also when no call comes back for it.
    if place.own().is_ok_and(|memory| memory.config().settings.redact) {
        remove_secrets(&mut marks);
    }
    let pending = Pending {
        cwd: place.cwd.clone(),
        agent: call.host.name().to_owned(),
        session: name_of(&call.session_id),
        marks,
    };
    let text = serde_json::to_string(&pending).ok()?;
    let unique = format!("{}:{}:{text}", std::process::id(), place.now());
    let path = private::hashed(&place.home, OWED, &unique, "json");
    private::write(&place.home, &path, &text).ok()?;
    Some(path)
}

fn remove_secrets(marks: &mut [Mark]) {
    for mark in marks {
        mark.body = redact(&mark.body).text.into_owned();
    }
}

/// Notes the transcript even of a session whose calls never finish in time.
fn note_transcript(place: &Workplace, call: &Call) -> Result<()> {
    let Some(transcript) = &call.transcript else {
        return Ok(());
    };
    let file = SessionFile::of(&place.home, &call.session_id);
    let mut session = file.read();
    let name = transcript.to_string_lossy().into_owned();
    let is_known = session.read.contains_key(&name);
    let has_ended = call.event == Event::SessionEnd;
    if is_known && !has_ended {
        return Ok(());
    }
    if !is_known {
        session.read.insert(name, start_of(transcript)?.into());
    }
    session.has_ended |= has_ended;
    session.cwd = Some(place.cwd.to_string_lossy().into_owned());
    session.agent = Some(call.host.name().to_owned());
    file.write(&session)?;
    file.note_project(&place.project)
}

/// The user may have said that captures need an approval.
fn is_allowed(place: &mut Workplace) -> bool {
    place.own().is_ok_and(|memory| !memory.config().is_capture_refused)
}

/// Captures the marks since the last call, and what a test command has shown. Returns true if the session is one to learn from at its end.
pub(crate) fn learn(place: &mut Workplace, call: &Call, pending: Option<&Path>) -> Result<bool> {
    let file = SessionFile::of(&place.home, &call.session_id);
    let has_ended = call.event == Event::SessionEnd;
    if !is_allowed(place) {
        if has_ended {
            file.end();
        }
        return Ok(false);
    }
    let mut session = file.read();
    let by = MarkedBy {
        agent: call.host.name(),
        session: &name_of(&call.session_id),
    };
    if let Some(said) = &call.said {
        capture(place, &by, &find_marks(said))?;
    }
    if let Some(transcript) = call.transcript.as_ref().filter(|_| call.event != Event::AfterTool) {
        let name = transcript.to_string_lossy();
        capture_transcript(place, &by, &name, &mut session, |session| file.write(session))?;
    }
    if let Some(command) = &call.command {
        // A comment in a command is the agent's own; the output of the command is not.
        capture(place, &by, &find_command_marks(&command.line))?;
        if learn_from_command(place, command, &mut session)? {
            file.write(&session)?;
        }
    }
    if has_ended {
        if call.transcript.is_some() || session.read.is_empty() {
            file.end();
        } else {
            end_by_noted(place, &by, &mut session, &file)?;
        }
        file.clear_old();
    }
    if let Some(pending) = pending {
        private::remove(pending);
    }
    Ok(has_ended && call.transcript.is_some() && !session.was_off)
}

/// Reads the transcripts that earlier calls of the session have named, for a host that names none at the end (Copilot, which writes the last
/// message after the agent has stopped). The file of the session stays until the next call of this project has looked once more.
fn end_by_noted(place: &mut Workplace, by: &MarkedBy<'_>, session: &mut Session, file: &SessionFile) -> Result<()> {
    let paths: Vec<String> = session.read.keys().cloned().collect();
    for path in paths {
        capture_transcript(place, by, &path, session, |session| file.write(session))?;
    }
    session.has_ended = true;
    file.write(session)
}

/// The offset is noted only after the marks are stored: the next call finds marks that a deadline has cut off.
fn capture_transcript(
    place: &mut Workplace,
    by: &MarkedBy<'_>,
    path: &str,
    session: &mut Session,
    save: impl Fn(&Session) -> Result<()>,
) -> Result<()> {
    loop {
        let since = session.read.get(path).and_then(serde_json::Value::as_u64);
        let said = read_agent_texts(Path::new(path), since.unwrap_or(0))?;
        for text in &said.texts {
            capture(place, by, &find_marks(text))?;
        }
        count_citations(place, &said.texts, path);
        if since == Some(said.next) {
            return Ok(());
        }
        session.read.insert(path.to_owned(), said.next.into());
        save(session)?;
        if !said.is_more {
            return Ok(());
        }
    }
}

fn capture(place: &mut Workplace, by: &MarkedBy<'_>, marks: &[Mark]) -> Result<()> {
    for mark in marks {
        match capture_mark(place, by, mark) {
            // It can never be stored: the others are, and `doctor` says what was left out.
            Err(error @ Error::InvalidInput { .. }) => {
                let problem = format!("a mark of the agent was left out: {error}");
                let fault = journal::fault(place.now(), "mark", by.agent, &problem);
                journal::record(&place.home, &place.project, &[fault]);
            }
            outcome => outcome?,
        }
    }
    Ok(())
}

fn capture_mark(place: &mut Workplace, by: &MarkedBy<'_>, Mark { kind, body }: &Mark) -> Result<()> {
    let tags = place.scopes.tags.clone();
    let outcome = place.own()?.capture(CaptureInput {
        kind: Some(kind.clone()),
        body: Some(body.clone()),
        source: Some(format!("{}/hook", by.agent)),
        tags,
        ..CaptureInput::default()
    })?;
    if outcome.captured {
        let stored = journal::stored(place.now(), by, &outcome.thought.id);
        journal::record(&place.home, &place.project, &[stored]);
    }
    if outcome.captured || outcome.deduped {
        return Ok(());
    }
    let error = outcome.tiers.files.error;
    Err(error.unwrap_or_else(|| Error::invalid("mark", "was not stored")))
}

pattern!(
    /// A citation of a record in an answer: `[mem:ID]`.
    citation,
    r"\[mem:((?:mem_)?[A-Za-z0-9_.-]{6,128})\]"
);
/// The maximum number of citations counted per answer; a longer list is no evidence of use.
const CITATIONS_MAX: usize = 32;

/// Counts the records that an agent's answers cite as useful to its session. An unknown id or a locked file is skipped: a later answer may cite
/// the record again.
fn count_citations(place: &mut Workplace, texts: &[String], session: &str) {
    let mut ids: Vec<&str> = Vec::new();
    for found in texts
        .iter()
        .filter(|text| text.contains("[mem:"))
        .flat_map(|text| citation().captures_iter(text))
    {
        let id = found.get(1).map_or("", |id| id.as_str());
        if ids.len() < CITATIONS_MAX && !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        return;
    }
    let Ok(speaker) = Speaker::read(Some("agent"), Some(&format!("hook:{session}"))) else {
        return;
    };
    let speaker = speaker.through(Door::Hook);
    for id in ids {
        if let Ok(memory) = place.own() {
            let _ = memory.reviewer().count(id, Verdict::Useful, &speaker);
        }
    }
}

/// Stores pending marks of other calls and sessions of this project, which their agent or a deadline ended early.
pub(crate) fn finish_others(place: &mut Workplace, call: &Call) -> Result<()> {
    // Agents wait for these events again and again, so they have no time for it.
    let waits = matches!(call.event, Event::Prompt | Event::BeforeTool | Event::AfterTool);
    if waits || !is_allowed(place) {
        return Ok(());
    }
    let owed = place.home.join(OWED);
    for name in private::names_in(&owed) {
        let path = owed.join(name);
        let Some(pending) = private::read::<Pending>(&place.home, &path) else {
            continue;
        };
        let by = MarkedBy {
            agent: &pending.agent,
            session: &pending.session,
        };
        if pending.cwd.starts_with(&place.project) && capture(place, &by, &pending.marks).is_ok() {
            private::remove(&path);
        }
    }
    for file in SessionFile::of(&place.home, &call.session_id).others_of(&place.project) {
        let mut session = file.read();
        let is_here = session
            .cwd
            .as_ref()
            .is_some_and(|cwd| Path::new(cwd).starts_with(&place.project));
        if is_here && !session.is_off {
            finish_session(place, &file, &mut session);
        }
    }
    Ok(())
}

fn finish_session(place: &mut Workplace, file: &SessionFile, session: &mut Session) {
    let agent = session.agent.clone().unwrap_or_else(|| "claude".to_owned());
    let by = MarkedBy {
        agent: &agent,
        session: &file.name(),
    };
    let paths: Vec<String> = session.read.keys().cloned().collect();
    let is_done = paths.iter().all(|path| {
        let save = |session: &Session| if file.is_there() { file.write(session) } else { Ok(()) };
        // Its transcript may be gone, or the fault is one that the session's own calls report.
        capture_transcript(place, &by, path, session, save).is_ok()
    });
    if is_done && session.has_ended {
        file.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_to_be_stored_has_no_secret() {
        let mut marks = find_marks("[remember:gotcha] The staging password is hunter2-9911, and the port is 5433");
        assert_eq!(marks.len(), 1);
        remove_secrets(&mut marks);
        let body = marks.pop().map(|mark| mark.body).unwrap_or_default();
        assert_eq!(
            body,
            "The staging password is [redacted:password], and the port is 5433"
        );
    }
}
