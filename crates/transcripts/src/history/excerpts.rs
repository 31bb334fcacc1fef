//! Excerpts of hits, read back from the agents' files. They pass the same [`Emitter`] as during indexing, which removes secrets and
//! private parts; control characters are removed here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use forge_memory_core::Result;
use forge_memory_core::redact::redact;
use forge_memory_core::text::controls::clean;
use forge_memory_core::text::lines::head;
use forge_memory_core::text::{TermHash, Terms};
use rusqlite::{Connection, OptionalExtension};

use super::model::{Excerpt, History, HistoryHit};
use super::resume;
use super::storage::failed;
use super::turns::is_indexed;
use crate::emitter::{Emitter, Sink};
use crate::event::{Event, Kind, Session};
use crate::reader::FORMATS;
use crate::scan::Opened;

/// The most bytes of one excerpt of the matching turn, and of one excerpt of its context.
const MATCH_BYTES: usize = 900;
const CONTEXT_BYTES: usize = 300;
/// The most excerpts of the matching turn.
const EXCERPTS_MAX: usize = 8;
const TITLE_BYTES: usize = 160;
const EVENTS_MAX: usize = 2000;

/// The lines of a hit: the matching turn, the one before it and the one after it.
struct Window {
    hit: usize,
    session: String,
    before: Option<(u64, u64)>,
    own: (u64, u64),
    after: Option<(u64, u64)>,
}

impl Window {
    fn has(&self, line: u64) -> bool {
        let holds = |range: &(u64, u64)| (range.0..=range.1).contains(&line);
        holds(&self.own) || self.before.iter().chain(&self.after).any(holds)
    }
}

/// Adds excerpts to hits; a hit whose file is gone or has changed is marked.
pub(super) fn attach(
    history: &History<'_>,
    index: &Connection,
    hits: &mut [HistoryHit],
    terms: &BTreeSet<TermHash>,
) -> Result<()> {
    let mut files: BTreeMap<(PathBuf, usize), Vec<Window>> = BTreeMap::new();
    for (at, hit) in hits.iter_mut().enumerate() {
        hit.resume = match hit.parent {
            None => resume::command(hit.agent, &hit.session),
            Some(_) => None,
        };
        let window = Window {
            hit: at,
            session: hit.session.clone(),
            before: neighbour(index, hit, "<", "DESC").map_err(failed)?,
            own: (hit.line, hit.place.last),
            after: neighbour(index, hit, ">", "ASC").map_err(failed)?,
        };
        files
            .entry((hit.path.clone(), hit.place.format))
            .or_default()
            .push(window);
    }
    for ((path, format), windows) in files {
        let Some(root) = windows
            .first()
            .and_then(|window| hits.get(window.hit))
            .map(|hit| hit.place.root.clone())
        else {
            continue;
        };
        let mut collector = EventCollector {
            events: windows.iter().map(|_| Vec::new()).collect(),
            titles: windows.iter().map(|_| None).collect(),
            current: String::new(),
            windows,
        };
        let outcome = FORMATS.get(format).map(|format| {
            let opened = Opened::open(history.disk.as_ref(), &path, None)?;
            let mut out = Emitter::new(&mut collector, &|_| true);
            opened.read(format, (&root, &path), history.disk.as_ref(), &mut out)
        });
        let is_read = matches!(outcome, Some(Ok(_)));
        for ((window, events), title) in collector.windows.iter().zip(collector.events).zip(collector.titles) {
            let Some(hit) = hits.get_mut(window.hit) else { continue };
            hit.turns = select(window, &events, terms);
            hit.title = title;
            hit.is_gone = !is_read || !hit.turns.iter().any(|turn| turn.is_match);
        }
    }
    Ok(())
}

fn neighbour(index: &Connection, hit: &HistoryHit, side: &str, order: &str) -> rusqlite::Result<Option<(u64, u64)>> {
    let sql =
        format!("SELECT first, last FROM turns WHERE session = ?1 AND turn {side} ?2 ORDER BY turn {order} LIMIT 1");
    let mut query = index.prepare_cached(&sql)?;
    query
        .query_row([hit.place.session_number, hit.place.number], |row| {
            Ok((
                row.get::<_, i64>(0)?.unsigned_abs(),
                row.get::<_, i64>(1)?.unsigned_abs(),
            ))
        })
        .optional()
}

struct EventCollector {
    windows: Vec<Window>,
    events: Vec<Vec<Event>>,
    titles: Vec<Option<String>>,
    current: String,
}

impl Sink for EventCollector {
    fn session(&mut self, session: &Session) {
        self.current.clone_from(&session.id);
        let title = session.title.as_deref().map(|title| clean(&redact(title).text));
        let title = title.map(|title| head(title.trim(), TITLE_BYTES).to_owned());
        for (window, known) in self.windows.iter().zip(&mut self.titles) {
            if window.session == session.id && title.as_ref().is_some_and(|title| !title.is_empty()) {
                known.clone_from(&title);
            }
        }
    }

    fn event(&mut self, event: Event) {
        for (window, events) in self.windows.iter().zip(&mut self.events) {
            if window.session == self.current && window.has(event.line) && events.len() < EVENTS_MAX {
                events.push(event.clone());
            }
        }
    }

    fn wants(&self, session: &Session) -> bool {
        !session.is_private && self.windows.iter().any(|window| window.session == session.id)
    }

    fn takes(&self, event: &Event) -> bool {
        is_indexed(event) && self.windows.iter().any(|window| window.has(event.line))
    }
}

fn role_of(event: &Event) -> &'static str {
    match event.kind {
        Kind::Prompt | Kind::Steer | Kind::Remember | Kind::Rejection => "user",
        Kind::Shell => "command",
        Kind::Edit => "edit",
        Kind::Result => "error",
        _ => "agent",
    }
}

fn text_of(event: &Event) -> String {
    match (&event.command, event.kind) {
        (Some(command), _) => command.clone(),
        (None, Kind::Edit) => event.paths.join(", "),
        _ => event.text.clone(),
    }
}

/// Selects the excerpts: of the matching turn the prompt, the passages with words of the query, and the agent's last text; of the turns
/// around it the prompt and the last text.
fn select(window: &Window, events: &[Event], terms: &BTreeSet<TermHash>) -> Vec<Excerpt> {
    let mut shown = Vec::new();
    let mut matcher = TermMatcher {
        terms,
        scratch: Terms::default(),
    };
    if let Some(range) = window.before {
        shown.extend(context_excerpts(events, range));
    }
    shown.extend(match_excerpts(events, window.own, &mut matcher));
    if let Some(range) = window.after {
        shown.extend(context_excerpts(events, range));
    }
    shown
}

fn within(events: &[Event], (first, last): (u64, u64)) -> Vec<&Event> {
    let seen = events.iter().filter(|event| (first..=last).contains(&event.line));
    seen.filter(|event| !matches!(event.kind, Kind::Read | Kind::Tool) && !text_of(event).trim().is_empty())
        .collect()
}

fn context_excerpts(events: &[Event], range: (u64, u64)) -> Vec<Excerpt> {
    let events = within(events, range);
    let prompt = events.iter().position(|event| role_of(event) == "user");
    let last = events.iter().rposition(|event| event.kind == Kind::Text);
    let chosen: BTreeSet<usize> = prompt.into_iter().chain(last).collect();
    let chosen = chosen.into_iter().filter_map(|at| events.get(at));
    chosen
        .map(|event| excerpt(event, head(&text_of(event), CONTEXT_BYTES), text_of(event).len(), false))
        .collect()
}

fn match_excerpts(events: &[Event], range: (u64, u64), matcher: &mut TermMatcher<'_>) -> Vec<Excerpt> {
    let events = within(events, range);
    let mut counted: Vec<(usize, usize)> = events
        .iter()
        .enumerate()
        .map(|(at, event)| (at, matcher.count(&text_of(event))))
        .collect();
    counted.sort_by_key(|(at, count)| (std::cmp::Reverse(*count), *at));
    let prompt = events.iter().position(|event| role_of(event) == "user");
    let last = events.iter().rposition(|event| event.kind == Kind::Text);
    let mut chosen: BTreeSet<usize> = prompt.into_iter().chain(last).collect();
    for (at, _) in counted.iter().filter(|(_, count)| *count > 0) {
        if chosen.len() >= EXCERPTS_MAX {
            break;
        }
        chosen.insert(*at);
    }
    if chosen.is_empty() {
        chosen.extend(counted.first().map(|(at, _)| *at));
    }
    let chosen = chosen.into_iter().filter_map(|at| events.get(at));
    chosen
        .map(|event| {
            let text = text_of(event);
            excerpt(event, matcher.passage(&text), text.len(), true)
        })
        .collect()
}

fn excerpt(event: &Event, part: &str, whole: usize, is_match: bool) -> Excerpt {
    let mut text = clean(part.trim());
    if part.len() < whole {
        text.push('…');
    }
    Excerpt {
        role: role_of(event),
        at_ms: event.at_ms,
        line: event.line,
        text,
        is_match,
    }
}

/// Counts the terms of the query in texts.
struct TermMatcher<'t> {
    terms: &'t BTreeSet<TermHash>,
    scratch: Terms,
}

impl TermMatcher<'_> {
    /// Returns the number of distinct query terms in a text.
    fn count(&mut self, text: &str) -> usize {
        self.scratch.clear();
        self.scratch.add(text);
        let all = [&self.scratch.words, &self.scratch.extras, &self.scratch.spellings];
        let found: HashSet<TermHash> = all
            .into_iter()
            .flatten()
            .filter(|term| self.terms.contains(term))
            .copied()
            .collect();
        found.len()
    }

    /// Returns the passage of a text with the most query terms.
    fn passage<'s>(&mut self, text: &'s str) -> &'s str {
        if text.len() <= MATCH_BYTES {
            return text;
        }
        let mut best = (0, head(text, MATCH_BYTES));
        let mut rest = text;
        while !rest.is_empty() {
            let part = head(rest, MATCH_BYTES);
            let count = self.count(part);
            if count > best.0 {
                best = (count, part);
            }
            // Passages overlap by half, because a match may cross a border.
            let step = head(rest, MATCH_BYTES / 2).len().max(1);
            rest = rest.get(step..).unwrap_or_default();
        }
        best.1
    }
}
