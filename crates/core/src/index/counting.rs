//! Counts the records of all journals by their fates.

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::SAME_HASH_MAX;
use super::counts::{Counted, KeptCount, SOON_MS};
use super::row::Row;
use super::{Fate, JournalIndex, Part, RecordCounts, Store, Stores};
use crate::clock::Millis;
use crate::journal::FileState;
use crate::judgement::standing::Review;
use crate::model::lineage::is_edit;
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{ActionKind, LineKind, NEVER, id_hash, read_line};

/// A count of so many records is kept for the next process.
const COUNTED_AGAIN_MAX: u32 = 4096;
const COUNT_FILE: &str = "count.json";

impl Stores {
    /// Counts the records, unless nothing was written and nothing has expired since the last count. Journals that cannot be read are not
    /// counted: [`Stores::refresh`] reports them.
    pub fn counts(&mut self, now: Millis) -> RecordCounts {
        self.refresh();
        loop {
            let of = self.state();
            let known = self.counted.as_ref();
            if let Some(known) = known.filter(|known| known.of == of && (known.at..known.until).contains(&now)) {
                return known.counts;
            }
            let (counts, until) = self.count(now);
            if self.is_damaged() {
                // Each round drops a damaged segment, so this ends.
                self.rebuild();
                continue;
            }
            self.counted = Some(Counted {
                of,
                until,
                at: now,
                counts,
            });
            return counts;
        }
    }

    /// Counts the current records of the project, and those for all projects, as they were last read. Counts of segments are kept until an
    /// older record is retired, superseded or forgotten, so that a search among many records need not count them.
    pub fn current(&mut self, now: Millis) -> RecordCounts {
        let kept = self.count_of_segments(now);
        let mut counts = RecordCounts {
            memories: kept.project + kept.global,
            global: kept.global,
            ..RecordCounts::default()
        };
        let mut new: FxHashSet<(bool, u64)> = FxHashSet::default();
        self.each_current(now, false, |(is_global, text), _| {
            if new.insert((is_global, text)) && !self.is_in_segments(is_global, text, now) {
                counts.memories += 1;
                counts.global += usize::from(is_global);
            }
        });
        counts
    }

    /// True if there is any current record in a scope.
    pub fn has_current(&self, scope: ScopeFilter, now: Millis) -> bool {
        let stores = self.in_scope(scope);
        stores.iter().any(|(_, store)| {
            let index = &store.journal_index;
            let mut base = 0;
            index.parts().into_iter().any(|part| {
                let mut docs = 0..part.docs();
                let fate = |doc| index.fate(&part.row(doc), (base, doc), now, |_| None);
                let found = docs.any(|doc| matches!(fate(doc), Some((Fate::Current, _))));
                base += part.docs();
                found
            })
        })
    }

    /// Counts the current texts of the segments, or takes what was counted before, in this process or another one.
    fn count_of_segments(&mut self, now: Millis) -> KeptCount {
        let stores = self.in_scope(ScopeFilter::All);
        let of: Vec<u64> = stores
            .iter()
            .map(|(_, store)| store.journal_index.segments_state())
            .collect();
        if let Some(kept) = self.kept_count.as_ref().filter(|kept| kept.holds(&of, now)) {
            return kept.clone();
        }
        let parts = stores.iter().flat_map(|(_, store)| store.journal_index.parts());
        let docs: u32 = parts.filter_map(|part| Some(part.segment()?.docs())).sum();
        let catalog = self
            .captures
            .journal_index
            .catalog()
            .filter(|_| docs >= COUNTED_AGAIN_MAX);
        let stored = || serde_json::from_slice::<KeptCount>(&catalog?.read_beside(COUNT_FILE)?).ok();
        let kept = stored().filter(|kept| kept.holds(&of, now)).unwrap_or_else(|| {
            let counted = self.count_texts(of, now);
            let is_kept = !self.is_damaged() && stores.iter().all(|(_, store)| store.journal_index.is_kept());
            if let Some(catalog) = catalog.filter(|_| is_kept) {
                // Without it, the next process counts again.
                let _ = serde_json::to_vec(&counted).map(|text| catalog.write_beside(COUNT_FILE, text));
            }
            counted
        });
        self.kept_count = Some(kept.clone());
        kept
    }

    fn count_texts(&self, of: Vec<u64>, now: Millis) -> KeptCount {
        let (mut project, mut global, mut until) = (Vec::new(), Vec::new(), NEVER);
        self.each_current(now, true, |(is_global, text), expires| {
            if is_global { &mut global } else { &mut project }.push(text);
            until = until.min(expires);
        });
        // Of a hundred thousand, a set takes three times as long.
        let [project, global] = [project, global].map(|mut texts| {
            texts.sort_unstable();
            texts.dedup();
            texts.len()
        });
        KeptCount {
            of,
            until,
            at: now,
            project,
            global,
        }
    }

    /// True if a current record of a segment has a text. Of many equal texts, the table of a segment has the newest: when these are all gone, the
    /// rows tell.
    fn is_in_segments(&self, is_global: bool, text: u64, now: Millis) -> bool {
        let stores = self.in_scope(ScopeFilter::All);
        let mut stores = stores
            .iter()
            .filter(|(scope, _)| (*scope == Scope::Global) == is_global);
        stores.any(|(_, store)| {
            let index = &store.journal_index;
            let mut base = 0;
            index.parts().into_iter().any(|part| {
                let (mut listed, mut found) = (0, false);
                let is_current = |row: &Row, doc| {
                    let fate = index.fate(row, (base, doc), now, |_| None);
                    matches!(fate, Some((Fate::Current, _)))
                };
                if part.segment().is_some() {
                    part.for_each_exact(text, |doc| {
                        listed += 1;
                        found |= is_current(&part.row(doc), doc);
                    });
                    if !found && listed >= SAME_HASH_MAX {
                        part.each_row(|doc, row| found |= row.exact == text && is_current(&row, doc));
                    }
                }
                base += part.docs();
                found
            })
        })
    }

    /// Calls `visit` with each current text and when its record expires: of the segments, or of the other parts.
    fn each_current(&self, now: Millis, of_segments: bool, mut visit: impl FnMut((bool, u64), Millis)) {
        for (scope, store) in self.in_scope(ScopeFilter::All) {
            let index = &store.journal_index;
            let mut base = 0;
            for part in index.parts() {
                if matches!(part, Part::Segment(_)) == of_segments {
                    part.each_row(|doc, row| {
                        if let Some((Fate::Current, expires)) = index.fate(&row, (base, doc), now, |_| None) {
                            visit((scope == Scope::Global, row.exact), expires);
                        }
                    });
                }
                base += part.docs();
            }
        }
    }

    fn state(&self) -> Vec<(Option<FileState>, u64, usize)> {
        let stores = self.in_scope(ScopeFilter::All);
        let indexes = stores.iter().map(|(_, store)| &store.journal_index);
        indexes
            .map(|index| (index.seen(), index.covered(), index.records()))
            .collect()
    }

    /// Counts the records, and says until when the numbers hold if nothing is written.
    fn count(&self, now: Millis) -> (RecordCounts, Millis) {
        let (mut counts, mut until) = (RecordCounts::default(), NEVER);
        let mut texts: Vec<(bool, u64, bool)> = Vec::new();
        for (scope, store) in self.in_scope(ScopeFilter::All) {
            let is_global = scope == Scope::Global;
            store.each_fate(now, |row, fate, expires| match fate {
                Fate::Current => {
                    let soon = expires < now + SOON_MS;
                    until = until.min(if soon { expires } else { expires - SOON_MS });
                    texts.push((is_global, row.exact, soon));
                }
                Fate::Retired => counts.retired += 1,
                Fate::Waiting => counts.waiting += 1,
                Fate::Rejected => counts.rejected += 1,
                Fate::Expired => counts.expired += 1,
                Fate::Forgotten => counts.forgotten += 1,
            });
        }
        // Of copies, the one that lasts longest is kept.
        texts.sort_unstable();
        texts.dedup_by_key(|(is_global, text, _)| (*is_global, *text));
        counts.memories = texts.len();
        counts.global = texts.iter().filter(|(is_global, ..)| *is_global).count();
        counts.expiring = texts.iter().filter(|(.., soon)| *soon).count();
        (counts, until)
    }
}

impl Store {
    /// Calls `visit` with each record, its fate, and when it expires.
    fn each_fate(&self, now: Millis, mut visit: impl FnMut(&Row, Fate, Millis)) {
        let index = &self.journal_index;
        let mut gone = None;
        let mut base = 0;
        for part in index.parts() {
            part.each_row(|doc, row| {
                let fate_of = |id| gone.get_or_insert_with(|| self.gone()).get(&id).copied();
                if let Some((fate, expires)) = index.fate(&row, (base, doc), now, fate_of) {
                    visit(&row, fate, expires);
                }
            });
            base += part.docs();
        }
    }

    /// Returns the records with a fate, by the hashes of their ids.
    pub(crate) fn with_fate(&self, wanted: Fate, now: Millis) -> FxHashSet<u64> {
        let mut ids = FxHashSet::default();
        self.each_fate(now, |row, fate, _| {
            if fate == wanted {
                ids.insert(row.id);
            }
        });
        ids
    }

    /// Returns the records with a tombstone, and with `None` those that are earlier texts of an edited one. The index does not tell them from
    /// those that another record has retired.
    fn gone(&self) -> FxHashMap<u64, Option<Fate>> {
        let mut gone = FxHashMap::default();
        let sign = memmem::Finder::new("\"_action\"");
        let end = self.journal_index.covered();
        // A journal that cannot be read was reported by the refresh.
        let _ = self.journal.scan(0, end, &mut |line| {
            if sign.find(line.bytes).is_none() && !is_edit(line.bytes) {
                return;
            }
            match read_line(line.bytes) {
                LineKind::Action(action) if action.kind == ActionKind::Delete => {
                    gone.entry(id_hash(&action.id)).or_insert(Some(Fate::Forgotten));
                }
                LineKind::Record(fields) => {
                    let edited = fields.supersedes.as_deref().filter(|_| is_edit(line.bytes));
                    gone.extend(edited.map(|older| (id_hash(older), None)));
                }
                _ => {}
            }
        });
        gone
    }
}

impl JournalIndex {
    /// Returns the fate of a record, and when it expires; `None` for a line that a later one with its id has replaced, and for an earlier text
    /// of an edited record.
    fn fate(
        &self,
        row: &Row,
        (base, doc): (u32, u32),
        now: Millis,
        fate_of_gone: impl FnOnce(u64) -> Option<Option<Fate>>,
    ) -> Option<(Fate, Millis)> {
        let (gone, confirmed) = self.gone_of(row, base, doc);
        if gone == Millis::MIN {
            return None;
        }
        let id = row.id;
        let expires = self.lifted(|| id, row.expires(confirmed));
        let fate = if gone != NEVER {
            fate_of_gone(id).unwrap_or(Some(Fate::Retired))?
        } else if let Some(fate) = self.ruled_fate(id) {
            fate
        } else if expires <= now {
            Fate::Expired
        } else {
            Fate::Current
        };
        // A proposal that has expired waits for nobody.
        let is_over = fate == Fate::Waiting && expires <= now;
        Some((if is_over { Fate::Expired } else { fate }, expires))
    }

    fn ruled_fate(&self, id: u64) -> Option<Fate> {
        let standings = self.standings();
        if standings.is_empty() {
            return None;
        }
        let review = standings.review_of(&id, None);
        match review {
            Review::Rejected(_) => Some(Fate::Rejected),
            _ if standings.retired_since(&id, None).is_some() => Some(Fate::Retired),
            Review::Proposed(_) => Some(Fate::Waiting),
            Review::None | Review::Accepted(_) => None,
        }
    }
}
