//! What colleagues decided about records of this memory: the shared store sends it back, and it is received into the own log, where it is judged with
//! everything else. So every answer knows it, also without the store. It is told to no store again, and has no mark.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::history::{RecordState, find_history};
use crate::engine::writer::Writer;
use crate::error::Result;
use crate::index::JournalIndex;
use crate::judgement::decide::{Line, Told};
use crate::judgement::reason::SUPERSEDES;
use crate::model::scope::Home;
use crate::model::thought::{ActionKind, LineKind, Ruling, RulingKind, id_hash, read_line};

/// What was received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReceivedDecisions")]
pub struct Received {
    /// The number of rulings on records of this memory that it did not know.
    pub rulings: usize,
    /// The number of records that were forgotten.
    pub forgotten: usize,
}

impl Writer<'_> {
    /// Receives lines of a shared store: rulings, tombstones, and records that supersede others. What is about no record of this memory, nor of those
    /// that are fetched now, is left to the store, and what is known changes nothing, so that lines may come again.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; nothing is received then.
    pub fn receive(&mut self, lines: &[String]) -> Result<Received> {
        let now = self.project.now();
        let store = self.stores.of_mut(Home::Captures);
        let _lock = store.journal.guard()?;
        store.refresh()?;
        let fetched = self.stores.fetched.iter().filter_map(|line| match read_line(line) {
            LineKind::Record(fields) => Some(id_hash(&fields.id)),
            _ => None,
        });
        let fetched: FxHashSet<u64> = fetched.collect();
        let store = &self.stores.captures;
        let (mut received, mut deletes) = (Vec::new(), Vec::new());
        for line in lines {
            match read_line(line.as_bytes()) {
                LineKind::Ruling(ruling) => received.extend(new_one(ruling, &store.journal_index, &fetched)),
                LineKind::Record(fields) => {
                    // What this memory has of its own says it already.
                    let is_here = store.journal_index.find_id(id_hash(&fields.id)).is_some();
                    let retired = fields.supersedes.as_ref().filter(|_| !is_here).map(|older| {
                        let line = Retiring::new(older, &fields.id, &fields.at);
                        serde_json::to_string(&line).unwrap_or_default()
                    });
                    if let LineKind::Ruling(ruling) = read_line(retired.unwrap_or_default().as_bytes()) {
                        received.extend(new_one(ruling, &store.journal_index, &fetched));
                    }
                }
                LineKind::Action(action) if action.kind == ActionKind::Delete => deletes.push(action.id.into_owned()),
                LineKind::Action(_) | LineKind::Other | LineKind::Unparsable => {}
            }
        }
        let mut forgotten = Vec::new();
        for id in deletes {
            let known = self.stores.captures.journal_index.find_id(id_hash(&id)).is_some();
            let found = if known { find_history(self.stores, &id, now)? } else { None };
            if found.is_some_and(|(_, history)| history.state() != RecordState::Forgotten) && !forgotten.contains(&id) {
                forgotten.push(id);
            }
        }
        let done = Received {
            rulings: received.len(),
            forgotten: forgotten.len(),
        };
        let mut lines: Vec<Line> = received.into_iter().map(|ruling| Line::Ruling(ruling, Told::Hub)).collect();
        lines.extend(forgotten.iter().cloned().map(Line::Delete));
        if lines.is_empty() {
            return Ok(done);
        }
        self.commit(Home::Captures, &lines)?;
        self.destinations.announce_rulings(&lines, now)?;
        for id in forgotten {
            let fields = format!("\"id\":{}", serde_json::Value::from(id));
            self.destinations.publish("memory-forgotten", &fields, now)?;
        }
        Ok(done)
    }
}

/// The line by which a record of a colleague that replaces one of this memory retires it here: the colleague's is in the store.
#[derive(Serialize)]
struct Retiring<'r> {
    #[serde(rename = "_action")]
    action: &'static str,
    id: &'r str,
    by: &'r str,
    why: &'static str,
    at: &'r str,
}

impl<'r> Retiring<'r> {
    fn new(id: &'r str, by: &'r str, at: &'r str) -> Self {
        Retiring {
            action: RulingKind::Retire.name(),
            id,
            by,
            why: SUPERSEDES,
            at,
        }
    }
}

/// Returns a ruling that is about a record of this memory, and not in its log yet. What only this machine reviews does not come from others.
fn new_one(ruling: Ruling, index: &JournalIndex, fetched: &FxHashSet<u64>) -> Option<Ruling> {
    let is_here = |id: &str| fetched.contains(&id_hash(id)) || index.find_id(id_hash(id)).is_some();
    let is_about_ours = is_here(&ruling.id) || (ruling.kind.is_mutual() && ruling.other.as_deref().is_some_and(is_here));
    let is_replaced_here = ruling.kind == RulingKind::Retire && !is_here(&ruling.id);
    let is_known = index.standings().has(&ruling);
    (ruling.kind.is_shared() && is_about_ours && !is_replaced_here && !is_known).then_some(ruling)
}
