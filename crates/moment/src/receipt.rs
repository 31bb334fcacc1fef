//! What the person sees of the memory: one line where the host has a place for it, at the start of a session and when the agent has answered.

use forge_memory_core::clock::{Millis, format_iso};
use forge_memory_core::said::Author;
use forge_memory_core::{RecallHit, RecallOptions};

use crate::call::{Call, NO_SESSION};
use crate::hosts::{Event, shows_lines};
use crate::lines::short_id;
use crate::session::SessionFile;
use crate::switches::hook_switches;
use crate::workplace::Workplace;

/// How long what was kept from the person's own words is new at the start of a session.
const NEW_MS: Millis = 36 * 3_600_000;
/// The maximum number of records that a line names, and of those that are looked at for it.
const NAMED_MAX: usize = 3;
const READ_MAX: usize = 50;

/// Returns the line for the person; nothing where nothing was stored or recalled.
pub(crate) fn receipt_of(place: &mut Workplace, call: &Call) -> Option<String> {
    if !is_shown(place, call) {
        return None;
    }
    let file = SessionFile::of(&place.home, &call.session_id);
    // Of a session that has no state there is nothing to say, and none is begun for it.
    if !file.is_there() {
        return None;
    }
    let before = file.read();
    let (told, lines) = (before.told.len(), place.own().ok()?.line_count());
    let mut session = before.clone();
    let (told_seen, lines_seen) = session.seen.replace((told, lines)).unwrap_or((0, lines));
    let since = session.seen_at.replace(place.now());
    file.keep(&session, &before);
    let mut parts = Vec::new();
    if told > told_seen {
        parts.push(format!("recalled {}", counted(told - told_seen, "note")));
    }
    let kept = if call.event == Event::SessionStart {
        said_lately(place)
    } else {
        stored_by_agents(place, lines.saturating_sub(lines_seen), since)
    };
    if !kept.is_empty() {
        // `undo` takes back the last command of the person, who has given none here.
        let ids: Vec<&str> = kept.iter().map(|hit| short_id(&hit.id)).collect();
        let named: Vec<String> = kept
            .iter()
            .zip(&ids)
            .take(NAMED_MAX)
            .map(|(hit, id)| format!("{} {id}", hit.kind))
            .collect();
        let more = kept.len().saturating_sub(named.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let from = if call.event == Event::SessionStart {
            "kept lately from what you said: "
        } else {
            "stored "
        };
        let (named, ids) = (named.join(", "), ids.join(" "));
        parts.push(format!("{from}{named}{more} (forge-memory forget {ids})"));
    }
    (!parts.is_empty()).then(|| format!("forge-memory: {}", parts.join("; ")))
}

fn is_shown(place: &Workplace, call: &Call) -> bool {
    call.session_id != NO_SESSION
        && call.branch_id.is_none()
        && matches!(call.event, Event::SessionStart | Event::Stop)
        && shows_lines(call.host)
        && hook_switches(&place.settings.hooks).has_receipts
}

/// The records that state what the person said, of the last days.
fn said_lately(place: &mut Workplace) -> Vec<RecallHit> {
    let since = place.now().saturating_sub(NEW_MS);
    let mut kept = newest(place, READ_MAX, Some(since));
    kept.retain(|hit| hit.quote.is_some() && hit.is_persons());
    kept
}

/// The records that agents have stored since the person was told last. Of a person's, only those in whose place an agent has put their words.
fn stored_by_agents(place: &mut Workplace, lines: usize, since: Option<Millis>) -> Vec<RecallHit> {
    let mut kept = newest(place, lines, since);
    kept.retain(|hit| hit.quote.is_some() || hit.author != Some(Author::Person));
    kept
}

fn newest(place: &mut Workplace, count: usize, since: Option<Millis>) -> Vec<RecallHit> {
    if count == 0 {
        return Vec::new();
    }
    let options = RecallOptions {
        limit: Some(count.min(READ_MAX) as f64),
        since: since.map(format_iso),
        ..RecallOptions::default()
    };
    let listed = place.own().and_then(|memory| memory.list(&options));
    listed.map(|(hits, _)| hits).unwrap_or_default()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
