//! What colleagues decided about records of this memory: the shared store sends it back, and it is received into the own log, where it is judged with
//! everything else. So every answer knows it, also without the store. It is told to no store again, and has no mark.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::history::{RecordState, find_history};
use crate::engine::standing::record_with;
use crate::engine::writer::Writer;
use crate::error::Result;
use crate::index::Stores;
use crate::journal::clean;
use crate::judgement::decide::{Judge, Line, Told};
use crate::judgement::reason::SUPERSEDES;
use crate::model::said::{Author, Said};
use crate::model::scope::Home;
use crate::model::thought::{ActionKind, Fields, LineKind, Ruling, RulingKind, id_hash, read_line};

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
    /// that are fetched now or on which it has ruled itself, is left to the store, and what is known changes nothing, so that lines may come again.
    ///
    /// # Errors
    /// `LOCKED` or `IO`; nothing is received then.
    pub fn receive(&mut self, lines: &[String]) -> Result<Received> {
        let now = self.project.now();
        let store = self.stores.of_mut(Home::Captures);
        let _lock = store.journal.guard()?;
        store.refresh()?;
        let (mut rulings, mut forgotten) = (Vec::new(), Vec::new());
        let here = KnownRecords::of(self.stores);
        for line in lines {
            match read_line(line.as_bytes()) {
                LineKind::Ruling(ruling) => rulings.extend(here.take(ruling)),
                LineKind::Record(fields) => rulings.extend(here.superseded_by(&fields)),
                LineKind::Action(action) if action.kind == ActionKind::Delete && here.owns(&action.id) => {
                    forgotten.push((action.id.into_owned(), action.said));
                }
                LineKind::Action(_) | LineKind::Other | LineKind::Unparsable => {}
            }
        }
        let standings = self.stores.captures.journal_index.standings();
        let judge = Judge::of(standings, Said::default(), now);
        let judged = rulings
            .into_iter()
            .filter_map(|(ruling, author)| judge.received(ruling, author));
        let rulings: Vec<Ruling> = judged.filter(|ruling| !standings.has(ruling)).collect();
        let forgotten = self.not_yet_forgotten(forgotten)?;
        let received = Received {
            rulings: rulings.len(),
            forgotten: forgotten.len(),
        };
        let mut lines: Vec<Line> = rulings
            .into_iter()
            .map(|ruling| Line::Ruling(ruling, Told::Hub))
            .collect();
        for (id, said) in &forgotten {
            lines.extend(self.judge(Home::Captures, *said).forget(std::slice::from_ref(id)));
        }
        if lines.is_empty() {
            return Ok(received);
        }
        self.commit(Home::Captures, &lines)?;
        self.destinations.announce_rulings(&lines, now)?;
        for (id, _) in forgotten {
            let fields = format!("\"id\":{}", Value::from(id));
            self.destinations.publish("memory-forgotten", &fields, now)?;
        }
        Ok(received)
    }

    fn not_yet_forgotten(&mut self, ids: Vec<(String, Said)>) -> Result<Vec<(String, Said)>> {
        let mut found: Vec<(String, Said)> = Vec::new();
        for (id, said) in ids {
            let history = find_history(self.stores, &id, self.project.now())?;
            let is_forgotten = history.is_none_or(|(_, history)| {
                history.state() == RecordState::Forgotten || history.tombstones.contains(&id)
            });
            if !is_forgotten && !found.iter().any(|(known, _)| *known == id) {
                found.push((id, said));
            }
        }
        Ok(found)
    }
}

/// The records that are known here: those of the log, and those that are fetched from the store now.
struct KnownRecords<'s> {
    stores: &'s Stores,
    fetched: FxHashSet<u64>,
}

impl<'s> KnownRecords<'s> {
    fn of(stores: &'s Stores) -> Self {
        let ids = stores.fetched.iter().filter_map(|line| match read_line(line) {
            LineKind::Record(fields) => Some(id_hash(&fields.id)),
            _ => None,
        });
        KnownRecords {
            stores,
            fetched: ids.collect(),
        }
    }

    fn owns(&self, id: &str) -> bool {
        self.stores.captures.journal_index.find_id(id_hash(id)).is_some()
    }

    fn knows(&self, id: &str) -> bool {
        let standings = self.stores.captures.journal_index.standings();
        self.fetched.contains(&id_hash(id)) || self.owns(id) || standings.is_about(id)
    }

    /// Returns a ruling about a record that is known here, and who said that record. What only the machine of its proposal reviews does not come from
    /// others.
    fn take(&self, ruling: Ruling) -> Option<(Ruling, Option<Author>)> {
        let is_about_two = matches!(ruling.kind, RulingKind::Conflict | RulingKind::Hold);
        let is_about_other = is_about_two && ruling.other.as_deref().is_some_and(|other| self.knows(other));
        let is_taken = ruling.kind.is_shared() && (self.knows(&ruling.id) || is_about_other);
        is_taken.then(|| {
            let author = self.said_by(&ruling.id);
            (ruling, author)
        })
    }

    /// Returns the ruling by which a record of a colleague retires the one that it replaces: the colleague's is in the store. What this memory has of
    /// its own says it already.
    fn superseded_by(&self, fields: &Fields<'_>) -> Option<(Ruling, Option<Author>)> {
        let older = fields.supersedes.as_deref().filter(|_| !self.owns(&fields.id))?;
        let retire = RulingKind::Retire.name();
        let line = json!({"_action": retire, "id": older, "by": fields.id, "why": SUPERSEDES, "at": fields.at});
        match read_line(line.to_string().as_bytes()) {
            LineKind::Ruling(ruling) => self.take(ruling),
            _ => None,
        }
    }

    fn said_by(&self, id: &str) -> Option<Author> {
        let store = &self.stores.captures;
        let line = record_with(store, id_hash(id))?;
        let LineKind::Record(fields) = read_line(clean(&line)) else {
            return None;
        };
        let judge = Judge::of(store.journal_index.standings(), Said::default(), 0);
        judge.said_by(id, fields.author)
    }
}
