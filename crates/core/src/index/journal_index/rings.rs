//! Records that take the place of each other in a circle: none of them hides another.
//!
//! A ring has a link to a record that stands behind it in the file. Ordinary revisions never have one, and without one the
//! journal is not looked through.

use rustc_hash::FxHashMap;

use crate::clock::Millis;
use crate::error::Result;
use crate::journal::{Journal, Line};
use crate::model::lineage::lineage_in;
use crate::model::rings::{Links, is_of_ring};
use crate::model::thought::{ActionKind, LineKind, NEVER, id_hash, read_line};

/// What the journal says about who takes the place of whom, once that matters.
#[derive(Debug, Default)]
pub(super) struct Rings {
    /// A link that a ring may be made of was seen.
    are_likely: bool,
    /// Who takes the place of whom, and from when on.
    links: Vec<(u64, u64, Millis)>,
    deletes: FxHashMap<u64, Millis>,
    /// The offset up to which the journal was looked through.
    upto: u64,
    /// From when on each record in a ring is hidden by something else, or [`NEVER`].
    gone: FxHashMap<u64, Millis>,
}

impl Rings {
    pub fn expect(&mut self) {
        self.are_likely = true;
    }

    /// Returns from when on a record is hidden, given when it were if rings counted.
    #[inline]
    pub fn correct(&self, id: impl FnOnce() -> u64, gone: Millis) -> Millis {
        // An older line of the same record is no record.
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

    /// Looks for rings in what is new of the `covered` bytes, if there may be any.
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
