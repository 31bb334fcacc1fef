//! Cycles of revisions: records that supersede each other in a cycle do not hide one another.
//!
//! A cycle contains a link to a record that comes later in the file. Ordinary revisions have no such link, and without one the journal is
//! not searched.

use rustc_hash::FxHashMap;

use crate::clock::Millis;
use crate::error::Result;
use crate::journal::{Journal, Line};
use crate::model::lineage::lineage_in;
use crate::model::rings::{Links, is_of_ring};
use crate::model::thought::{ActionKind, LineKind, NEVER, id_hash, read_line};

/// The supersedes links of a journal, read only when a cycle is possible.
#[derive(Debug, Default)]
pub(super) struct Rings {
    /// True if a link was seen that may be part of a cycle.
    are_likely: bool,
    /// The links: the newer record, the older record, and the time.
    links: Vec<(u64, u64, Millis)>,
    deletes: FxHashMap<u64, Millis>,
    /// The offset up to which the journal was searched.
    upto: u64,
    /// Since when each record in a cycle is hidden by something else, or [`NEVER`].
    gone: FxHashMap<u64, Millis>,
}

impl Rings {
    /// Notes that a link was seen that may be part of a cycle.
    pub fn mark_likely(&mut self) {
        self.are_likely = true;
    }

    /// True if there is a cycle.
    pub fn has_any(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Returns since when a record is hidden, given the time that ignores cycles.
    #[inline]
    pub fn correct(&self, id: impl FnOnce() -> u64, gone: Millis) -> Millis {
        // An older line of the same record never counts.
        if self.gone.is_empty() || gone == NEVER || gone == Millis::MIN {
            return gone;
        }
        self.gone.get(&id()).copied().unwrap_or(gone)
    }

    fn take(&mut self, line: &Line<'_>, signs: &[memchr::memmem::Finder<'_>; 2]) {
        if signs.iter().all(|sign| sign.find(line.bytes).is_none()) {
            return;
        }
        match read_line(line.bytes) {
            LineKind::Record(fields) => {
                if let Some(older) = &fields.supersedes {
                    self.links.push((id_hash(&fields.id), id_hash(older), fields.at_ms));
                }
            }
            LineKind::Action(action) if action.kind == ActionKind::Delete => {
                let at = self.deletes.entry(id_hash(&action.id)).or_insert(NEVER);
                *at = (*at).min(action.at_ms);
            }
            LineKind::Other => {
                let lineage = lineage_in(line.bytes);
                self.links
                    .extend(lineage.map(|(id, older)| (id_hash(&id), id_hash(&older), NEVER)));
            }
            LineKind::Action(_) | LineKind::Ruling(_) | LineKind::Unparsable => {}
        }
    }

    fn find(&mut self) {
        let mut links = Links::default();
        self.links
            .iter()
            .for_each(|(newer, older, _)| links.add(*newer, *older));
        let rings = links.in_rings();
        let deleted = |id: &u64| self.deletes.get(id).copied().unwrap_or(NEVER);
        let mut gone: FxHashMap<u64, Millis> = rings.iter().map(|id| (*id, deleted(id))).collect();
        for (newer, older, at) in &self.links {
            if let Some(gone) = gone.get_mut(older).filter(|_| !is_of_ring(&rings, newer, older)) {
                *gone = (*gone).min(*at);
            }
        }
        self.gone = gone;
    }

    /// Searches the new part of the `covered` bytes for cycles, if they are possible.
    pub fn look(&mut self, journal: &Journal, covered: u64) -> Result<()> {
        if !self.are_likely || self.upto >= covered {
            return Ok(());
        }
        let signs = ["\"supersedes\"", "\"_action\""].map(memchr::memmem::Finder::new);
        journal.scan(self.upto, covered, &mut |line| self.take(&line, &signs))?;
        self.upto = covered;
        self.find();
        Ok(())
    }
}
