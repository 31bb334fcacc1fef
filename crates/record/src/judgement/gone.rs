//! Dead records (garbage) of a journal: expired, superseded or forgotten ones, which no answer needs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::judgement::standing::{Review, Standings};
use crate::model::lineage::{lineage_in, may_conflict};
use crate::model::rings::{Links, is_of_ring};
use crate::model::thought::{ActionKind, LineKind, moment_of, read_line};
use forge_memory_journal::clock::{DAY_MS, Millis, agreed_time};
use forge_memory_journal::each_line;

/// Why a record is garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Expired,
    Superseded,
    Forgotten,
}

/// Finds the garbage of a file, by id.
pub fn find_gone(bytes: &[u8], now: Millis) -> FxHashMap<String, Reason> {
    let mut expiries: Vec<(String, Millis, Millis)> = Vec::new();
    let mut confirmed: FxHashMap<String, Millis> = FxHashMap::default();
    let mut gone: FxHashMap<String, Reason> = FxHashMap::default();
    let rings = rings_in(bytes);
    let mut claims = Vec::new();
    for (_, line) in each_line(bytes) {
        match read_line(line) {
            LineKind::Record(fields) => {
                if let Some(older) = fields.supersedes {
                    claims.push((fields.id.to_string(), older.into_owned()));
                }
                if let Some(expires) = fields.expires_ms {
                    expiries.push((fields.id.into_owned(), fields.at_ms, expires));
                }
            }
            LineKind::Action(action) if action.kind == ActionKind::Delete => {
                gone.insert(action.id.into_owned(), Reason::Forgotten);
            }
            LineKind::Action(action) => renew(&mut confirmed, action.id.into_owned(), action.at_ms),
            LineKind::Ruling(ruling) if ruling.kind.renews() => renew(&mut confirmed, ruling.id, ruling.at_ms),
            // A retired record may become current again, so it stays.
            LineKind::Ruling(_) | LineKind::Other | LineKind::Unparsable => {}
        }
    }
    for (newer, older) in claims {
        if newer != older && !is_of_ring(&rings, &newer, &older) {
            gone.entry(older).or_insert(Reason::Superseded);
        }
    }
    let standings = Standings::in_file(bytes);
    let is_rejected = |id: &String| matches!(standings.review_of(id, None), Review::Rejected(_));
    // A rejected record is kept, so that its text is not captured again.
    for (id, made, expires) in expiries.into_iter().filter(|(id, _, _)| !is_rejected(id)) {
        // A confirmation restarts the lifetime.
        let more = confirmed.get(&id).map_or(0, |at| (at - made).max(0));
        if standings.lift_of(&id).expiry(expires.saturating_add(more)) <= now {
            gone.entry(id).or_insert(Reason::Expired);
        }
    }
    gone
}

/// A confirmation restarts the lifetime of a record, as a session does that found it useful.
fn renew(confirmed: &mut FxHashMap<String, Millis>, id: String, at_ms: Millis) {
    let at = confirmed.entry(id).or_insert(Millis::MIN);
    *at = (*at).max(at_ms);
}

/// Returns a time that has certainly passed, whatever the clock says: not a day later than the last lines of a file agree on. A clock that is ahead
/// must not let records expire for good.
pub fn passed(bytes: &[u8], now: Millis) -> Millis {
    let lines: Vec<&[u8]> = each_line(bytes).map(|(_, line)| line).collect();
    let agreed = agreed_time(lines.into_iter().rev().filter_map(moment_of));
    agreed.map_or(Millis::MIN, |agreed| now.min(agreed.saturating_add(DAY_MS)))
}

/// Finds the records of a file that searches exclude: removed, retired, proposed and rejected ones. They stay in the
/// file, so that they can be restored.
pub fn find_hidden(bytes: &[u8], now: Millis) -> FxHashSet<String> {
    let mut hidden: FxHashSet<String> = find_gone(bytes, now).into_keys().collect();
    let standings = Standings::in_file(bytes);
    let retired = standings.ids().filter(|id| standings.hidden_since(id, None).is_some());
    hidden.extend(retired.cloned());
    hidden
}

/// Records that supersede each other in a cycle, and the traces of such records.
pub fn rings_in(bytes: &[u8]) -> FxHashSet<String> {
    let mut links = Links::default();
    if may_conflict(bytes) {
        let lineages = each_line(bytes).filter_map(|(_, line)| lineage_in(line));
        lineages.for_each(|(id, older)| links.add(id, older));
    }
    links.in_rings()
}
