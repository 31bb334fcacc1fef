//! Just-in-time notes: before an edit or a command (or right after it, if the host accepts no context before), after a failed command, with a
//! prompt, and at the start of a session.

use std::time::{Duration, Instant};

use forge_memory_core::Result;
use forge_memory_core::clock::{Millis, format_iso};
use forge_memory_core::text::tokens::most_tokens;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::call::{Call, NO_SESSION};
use crate::changes::{note_changes, note_renamed};
use crate::evidence::{Found, Kind, known_about};
use crate::hosts::{Event, Host, holds_at_stop, takes_context, takes_moments, takes_remedies};
use crate::journal::record;
use crate::lines::head;
use crate::note::{Limits, frame_within};
use crate::private::digest;
use crate::prompt::about_prompt;
use crate::quoted::note_said;
use crate::session::{Session, SessionFile, name_of};
use crate::start::{HOW_TO_ADD, files_at_start, found_at_start, found_of_team};
use crate::statement::{REQUEST, lines_of, statement_in};
use crate::switches::hook_switches;
use crate::told::{forget_told, note_failure, record_told, uses_in, was_told};
use crate::workplace::{Missing, Workplace};

/// The limits of notes about an action, a prompt and the start of a session.
const ABOUT_ACTION: Limits = Limits {
    notes: 2,
    budget: 200,
    others: 0,
};
const ABOUT_PROMPT: Limits = Limits {
    notes: 3,
    budget: 300,
    others: 80,
};
const AT_START: Limits = Limits {
    notes: 40,
    budget: 540,
    others: 150,
};
/// The same for what the team has, once its memory is there.
const OF_TEAM: Limits = Limits {
    notes: 10,
    budget: 250,
    others: 0,
};
/// The maximum number of statements of a session that the agent is asked to store.
const ASKED_MAX: usize = 100;
/// The question at the end.
const QUESTION: &str = "Something was repaired or corrected here, and nothing was stored. What should the next session know? Store it with \
    capture_thought, or say nothing.";
const AT_END: &str = "end";
const REFUSED: &str = "Notes of the team are missing: its shared store refuses this user. For the user: forge-memory store check says why.";
/// How long calls without a session id count as one session.
const NAMELESS: Duration = Duration::from_secs(2 * 3600);

/// Returns the notes about a call, and records them.
pub(crate) fn context_of(place: &mut Workplace, call: &Call, times: &Times) -> Result<Option<String>> {
    note_changes(place, call)?;
    if !takes_context(call.host) {
        return Ok(None);
    }
    match call.event {
        Event::SessionStart => {
            let context = start_context(place, call, times)?;
            Ok(with_missing_team(place, call, context))
        }
        Event::Prompt => {
            let context = prompt_context(place, call, times)?;
            Ok(with_missing_team(place, call, context))
        }
        Event::Stop => {
            // What the answer cites was of use.
            inject(place, call, &[], ABOUT_ACTION, times)?;
            Ok(question_at_end(place, call, times))
        }
        _ => {
            let mut found = Vec::new();
            for action in actions_of(call) {
                let known = known_about(place, &action)?.into_iter();
                found.extend(known.map(|known| {
                    let why = format!("{} {}", known.kind.name(), known.why);
                    Found {
                        is_again: known.kind == Kind::Failure,
                        ..Found::own(known.hit, why)
                    }
                }));
            }
            inject(place, call, &found, ABOUT_ACTION, times)
        }
    }
}

/// When a call began, and how long git may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub begun: Instant,
    pub git: Duration,
}

fn start_context(place: &mut Workplace, call: &Call, times: &Times) -> Result<Option<String>> {
    let files = files_at_start(place, times.git);
    note_renamed(place, call, &files)?;
    let mut found = found_at_start(place, &files)?;
    found.extend(found_of_team(place)?);
    let framed = inject(place, call, &found, AT_START, times)?;
    Ok(framed.map(|framed| format!("{framed}\n{HOW_TO_ADD}")))
}

/// The records about a prompt, after the notes that the start of the session owes.
fn prompt_context(place: &mut Workplace, call: &Call, times: &Times) -> Result<Option<String>> {
    let owed = if owes_start(place, call) {
        start_context(place, call, times)?
    } else {
        team_context(place, call, times)?
    };
    let prompt = call.prompt.as_deref().unwrap_or_default();
    let lines = lines_of(prompt);
    note_said(place, call, &lines);
    let hits = about_prompt(prompt, |own| {
        place.with_around(usize::MAX, |memory| memory.prompt_notes(own))
    })?;
    let mut found: Vec<Found> = hits
        .into_iter()
        .map(|hit| {
            let why = format!("words {}", hit.matched.join(" "));
            Found::own(hit, why)
        })
        .collect();
    let others = place.beside(|memory| about_prompt(prompt, |own| memory.prompt_notes(own)))?;
    found.extend(others.into_iter().map(|(hit, of)| Found {
        why: format!("words {}", hit.matched.join(" ")),
        hit,
        of,
        is_again: false,
    }));
    let about = inject(place, call, &found, ABOUT_PROMPT, times)?;
    let request = request_to_store(place, call, &lines, times);
    Ok(joined(joined(owed, about), request))
}

/// Asks the agent to store what a prompt may state for later sessions: once a statement, and with its cost in the journal.
fn request_to_store(place: &mut Workplace, call: &Call, lines: &[String], times: &Times) -> Option<String> {
    let is_wanted = call.session_id != NO_SESSION
        && call.host != Host::Cursor
        && hook_switches(&place.settings.hooks).asks
        && place.own().is_ok_and(|memory| !memory.config().is_capture_refused);
    let statement = statement_in(lines).filter(|_| is_wanted)?;
    let file = SessionFile::of(&place.home, &call.session_key());
    let before = file.read();
    let hash = digest(&statement.to_lowercase(), 12);
    if before.asked.contains(&hash) || before.asked.len() >= ASKED_MAX {
        return None;
    }
    let mut session = before.clone();
    session.asked.push(hash);
    file.keep(&session, &before);
    count_asked(place, call, "statement", REQUEST, times);
    Some(REQUEST.to_owned())
}

/// Asks the agent when it stops, once a session and while a person is there, what the next one should know: after a repair or a correction of
/// which nothing was stored.
fn question_at_end(place: &mut Workplace, call: &Call, times: &Times) -> Option<String> {
    if call.is_held
        || call.branch_id.is_some()
        || !holds_at_stop(call.host)
        || !hook_switches(&place.settings.hooks).asks
    {
        return None;
    }
    let file = SessionFile::of(&place.home, &call.session_id);
    let before = file.read();
    // Where a person types, the lines were counted.
    let lines = before.lines_before.filter(|_| before.has_lesson)?;
    if before.asked.iter().any(|asked| asked == AT_END) || place.own().ok()?.line_count() > lines {
        return None;
    }
    let mut session = before.clone();
    session.asked.push(AT_END.to_owned());
    file.keep(&session, &before);
    count_asked(place, call, AT_END, QUESTION, times);
    Some(QUESTION.to_owned())
}

/// Adds the cost of a request to the journal.
fn count_asked(place: &mut Workplace, call: &Call, why: &str, text: &str, times: &Times) {
    let entry = told_entry(place, call, &[], &[why], most_tokens(text), times);
    record(&place.home, &place.project, &[entry]);
}

/// What the journal has of a text that an agent was given: the records in it, why it was given, and what it cost.
fn told_entry(place: &mut Workplace, call: &Call, ids: &[&str], why: &[&str], tokens: usize, times: &Times) -> Value {
    json!({
        "at": format_iso(place.now()),
        "session": name_of(&call.session_id),
        "kind": "told",
        "hook": call.event.name(),
        "host": call.host.name(),
        "ids": ids,
        "why": why,
        "tokens": tokens,
        "ms": u64::try_from(times.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

fn joined(first: Option<String>, then: Option<String>) -> Option<String> {
    match (first, then) {
        (Some(first), Some(then)) => Some(format!("{first}\n{then}")),
        (first, then) => first.or(then),
    }
}

/// What the team has for the start of a session in which its memory was not there yet.
fn team_context(place: &mut Workplace, call: &Call, times: &Times) -> Result<Option<String>> {
    let owes = SessionFile::of(&place.home, &call.session_id).read().owes_team;
    if !owes || place.missing_team() != Missing::No {
        return Ok(None);
    }
    let found = found_of_team(place)?;
    inject(place, call, &found, OF_TEAM, times)
}

/// Says once a session why the notes of the team are missing, when a person can mend that, and notes that they are owed.
fn with_missing_team(place: &mut Workplace, call: &Call, context: Option<String>) -> Option<String> {
    let missing = place.missing_team();
    if call.session_id == NO_SESSION {
        return context;
    }
    let file = SessionFile::of(&place.home, &call.session_id);
    let before = file.read();
    let mut session = before.clone();
    session.owes_team = missing == Missing::NotConfirmed && (before.owes_team || call.event == Event::SessionStart);
    session.said_refused |= missing == Missing::Refused;
    file.keep(&session, &before);
    if session.said_refused && !before.said_refused {
        joined(context, Some(REFUSED.to_owned()))
    } else {
        context
    }
}

/// Notes that the start of a session is owed its notes, until they are said.
pub(crate) fn owe_start(place: &Workplace, call: &Call) {
    if call.session_id != NO_SESSION {
        let file = SessionFile::of(&place.home, &call.session_id);
        let session = file.read();
        let owing = Session {
            owes_start: Some(call.source.clone().unwrap_or_default()),
            ..session.clone()
        };
        file.keep(&owing, &session);
    }
}

pub(crate) fn owes_start(place: &Workplace, call: &Call) -> bool {
    SessionFile::of(&place.home, &call.session_id)
        .read()
        .owes_start
        .is_some()
}

/// Returns the actions of a call; after a failed command, the failure comes first.
fn actions_of(call: &Call) -> Vec<Action> {
    let mut actions = Vec::new();
    if let Some(command) = call.command.as_ref().filter(|_| call.event == Event::AfterTool)
        && command.exit_code.is_some_and(|code| code != 0)
        && takes_remedies(call.host, &call.native_event)
    {
        actions.push(Action::Failure {
            line: command.line.clone(),
            output: command.output.clone().unwrap_or_default(),
        });
    }
    if takes_moments(call.host, call.event) {
        actions.extend(call.action.clone());
    }
    actions
}

/// Frames the notes that were not injected before, records them as injected, and records the use of earlier ones.
fn inject(
    place: &mut Workplace,
    call: &Call,
    found: &[Found],
    limits: Limits,
    times: &Times,
) -> Result<Option<String>> {
    let file = SessionFile::of(&place.home, &call.session_key());
    let mut session = file.read();
    let before = session.clone();
    if call.session_id == NO_SESSION && file.age() > NAMELESS {
        session.told.clear();
    }
    session.owes_start = None;
    forget_told(call, &mut session);
    let is_repeated = note_failure(call, &mut session);
    let uses = uses_in(call, &mut session, place);
    let mut fresh: Vec<&Found> = Vec::new();
    for one in found {
        let is_known = match was_told(call, &session, &one.hit) {
            Some(hook) => !(one.is_again && (is_repeated || hook != call.event.name())),
            None => false,
        };
        if is_known {
            continue;
        }
        if !fresh.iter().any(|known| known.hit.id == one.hit.id) {
            fresh.push(one);
        }
    }
    let now = place.now();
    let limits = with_room_for_others(&mut fresh, limits, now);
    let framed = frame_within(&fresh, limits, now);
    fresh.truncate(framed.as_ref().map_or(0, |framed| framed.shown));
    record_told(
        call,
        &mut session,
        &fresh.iter().map(|one| &one.hit).collect::<Vec<_>>(),
    );
    file.keep(&session, &before);
    let tokens = framed.as_ref().map_or(0, |framed| framed.tokens);
    count(place, call, uses, (&fresh, tokens), times);
    Ok(framed.map(|framed| framed.text))
}

/// Leaves out the last of the own notes when nothing of the others would fit behind them.
fn with_room_for_others(fresh: &mut Vec<&Found>, limits: Limits, now: Millis) -> Limits {
    let (mut own, others): (Vec<&Found>, Vec<&Found>) = fresh.iter().partition(|one| one.of.is_empty());
    if own.is_empty() || others.is_empty() || limits.others == 0 {
        return limits;
    }
    let budget = limits.budget.saturating_sub(limits.others);
    let shown = frame_within(&own, Limits { budget, ..limits }, now).map_or(0, |framed| framed.shown);
    own.truncate(shown);
    let notes = limits.notes.max(shown + 1);
    *fresh = own.into_iter().chain(others).collect();
    Limits { notes, ..limits }
}

/// Adds what was said and used to the journal.
fn count(place: &mut Workplace, call: &Call, uses: Vec<Value>, (told, tokens): (&[&Found], usize), times: &Times) {
    let at = format_iso(place.now());
    let session = name_of(&call.session_id);
    let entry = |fields: Value| {
        let mut entry = Map::from_iter([
            ("at".to_owned(), Value::String(at.clone())),
            ("session".to_owned(), Value::String(session.clone())),
        ]);
        entry.extend(fields.as_object().cloned().unwrap_or_default());
        Value::Object(entry)
    };
    let mut entries: Vec<Value> = uses.into_iter().map(entry).collect();
    if !told.is_empty() {
        let ids: Vec<&str> = told.iter().map(|one| one.hit.id.as_str()).collect();
        let why: Vec<&str> = told.iter().map(|one| head(&one.why, 200)).collect();
        entries.push(told_entry(place, call, &ids, &why, tokens, times));
    }
    record(&place.home, &place.project, &entries);
}
