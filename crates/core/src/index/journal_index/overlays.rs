//! Overlays: the effects of mutations in newer parts on records of older, immutable parts, stored by record number.

use std::sync::Arc;

use super::{JournalIndex, Overlay, Place, find_newest};
use crate::clock::Millis;
use crate::index::memory_segment::{Mutation, MutationKind, confirmed_by, gone_by};
use crate::index::part::Part;
use crate::index::row::Row;
use crate::model::thought::NEVER;

impl JournalIndex {
    /// Computes the overlays of the segments. Those among the first `kept` segments are known already.
    pub(super) fn apply_segment_mutations(&mut self, kept: usize) {
        let segments: Vec<_> = self
            .segments
            .iter()
            .map(|shelved| Arc::clone(&shelved.segment))
            .collect();
        for segment in segments.iter().skip(kept) {
            segment.rulings().for_each(|ruling| self.rule(ruling));
        }
        self.standings.settle();
        let parts: Vec<_> = segments.iter().map(Part::Segment).collect();
        let (old, new) = segments.split_at(kept.min(segments.len()));
        // Records that follow such a mutation, or are repeated. Of a repeated record, the valid line was in an older segment.
        let mutations = old.iter().flat_map(|segment| segment.mutations());
        for mutation in mutations.filter(|mutation| mutation.kind != MutationKind::Repeated) {
            if let Some(place) = find_newest(&parts, kept..parts.len(), mutation.target) {
                self.lay_over(place, mutation);
            }
        }
        for (at, segment) in new.iter().enumerate() {
            segment
                .mutations()
                .for_each(|mutation| self.overlay(mutation, kept + at));
        }
    }

    /// Finds the record with this id, since when it is hidden, and when it was last confirmed.
    pub(super) fn find_older(&self, id: u64) -> Option<(Place, Millis, Millis)> {
        let parts = self.parts();
        let place = find_newest(&parts, 0..parts.len(), id)?;
        if place.part + 1 == parts.len() {
            // The newest part has an id table of its own.
            return None;
        }
        let (part, base) = self.locate(place)?;
        let (gone, confirmed) = self.laid_over(base, place.doc);
        Some((
            place,
            part.gone(place.doc).min(gone),
            part.confirmed(place.doc).max(confirmed),
        ))
    }

    /// Applies a mutation to the newest record with its id before part `before`.
    pub(super) fn overlay(&mut self, mutation: Mutation, before: usize) {
        let parts = self.parts();
        let within = if mutation.kind == MutationKind::Repeated {
            before.min(parts.len())
        } else {
            parts.len()
        };
        match find_newest(&parts, 0..within, mutation.target) {
            Some(place) => {
                if mutation.kind == MutationKind::Gone && (place.part >= before || mutation.at == NEVER) {
                    self.rings.mark_likely();
                }
                self.lay_over(place, mutation);
            }
            None => {
                let waiting = self.early.entry(mutation.target).or_default();
                // The overlays are computed again when the segments change.
                if !waiting.contains(&mutation) {
                    waiting.push(mutation);
                }
            }
        }
    }

    /// True if a record that is in no part was forgotten or superseded: by its id alone, as one that only another store has.
    pub(crate) fn is_gone_early(&self, id: u64) -> bool {
        let waiting = self.early.get(&id).into_iter().flatten();
        waiting.copied().any(|mutation| gone_by(mutation) != NEVER)
    }

    pub(super) fn lay_over(&mut self, place: Place, mutation: Mutation) {
        let located = self.locate(place);
        let Some(number) = located.and_then(|(_, base)| base.checked_add(place.doc)) else {
            return;
        };
        let Mutation { target, at, kind } = mutation;
        self.note_effect(&[target, at.cast_unsigned(), kind as u64, u64::from(number)]);
        let overlay = self.overlays.entry(number).or_insert(Overlay {
            gone: NEVER,
            confirmed: Millis::MIN,
        });
        overlay.gone = overlay.gone.min(gone_by(mutation));
        overlay.confirmed = overlay.confirmed.max(confirmed_by(mutation));
    }

    /// Returns since when overlays hide a record, and when they last confirmed it.
    #[inline]
    fn laid_over(&self, base: u32, doc: u32) -> (Millis, Millis) {
        if self.overlays.is_empty() {
            return (NEVER, Millis::MIN);
        }
        // A damaged list may contain numbers of records that do not exist.
        let overlay = base.checked_add(doc).and_then(|number| self.overlays.get(&number));
        overlay.map_or((NEVER, Millis::MIN), |overlay| (overlay.gone, overlay.confirmed))
    }

    /// Returns the place of a record number, as used by [`JournalIndex::gone_and_expires`] and the overlays.
    pub fn gone_and_expires(&self, part: Part<'_>, base: u32, doc: u32) -> (Millis, Millis) {
        self.gone_and_expires_of(&part.row(doc), base, doc)
    }

    /// The same for a record whose row is known.
    pub(in crate::index) fn gone_and_expires_of(&self, row: &Row, base: u32, doc: u32) -> (Millis, Millis) {
        let (gone, confirmed) = self.gone_of(row, base, doc);
        let gone = self.unless_retired(|| row.id, gone);
        (gone, self.lifted(|| row.id, row.expires(confirmed)))
    }

    /// As above, but proposed records count as current.
    pub fn gone_and_expires_with_proposed(&self, part: Part<'_>, base: u32, doc: u32) -> (Millis, Millis) {
        let (gone, confirmed) = self.gone_but_for_rulings(part, base, doc);
        let gone = self.unless_retired_or_rejected(|| part.id(doc), gone);
        (gone, self.lifted(|| part.id(doc), part.expires(doc, confirmed)))
    }

    /// Returns true if a record is hidden only because it is proposed or was rejected. Its expiry does not matter.
    pub(crate) fn is_withheld(&self, place: Place) -> bool {
        let Some((part, base)) = self.locate(place) else {
            return false;
        };
        let (gone, _) = self.gone_but_for_rulings(part, base, place.doc);
        let id = part.id(place.doc);
        gone == NEVER && self.standings.review_of(&id, None).withheld_since().is_some()
    }

    /// Returns true if a record is hidden only because it is retired.
    pub(in crate::index) fn is_only_retired(&self, part: Part<'_>, base: u32, doc: u32) -> bool {
        // A proposed or rejected record is not a retired one.
        let is_withheld = || self.standings.review_of(&part.id(doc), None).withheld_since().is_some();
        self.gone_but_for_rulings(part, base, doc).0 == NEVER && !is_withheld()
    }

    /// Returns since when a record is hidden, rulings ignored, and when it was last confirmed in other parts.
    pub(in crate::index) fn gone_but_for_rulings(&self, part: Part<'_>, base: u32, doc: u32) -> (Millis, Millis) {
        self.gone_of(&part.row(doc), base, doc)
    }

    /// The same for a record whose row is known.
    pub(in crate::index) fn gone_of(&self, row: &Row, base: u32, doc: u32) -> (Millis, Millis) {
        let (gone, confirmed) = if self.overlays.is_empty() {
            (NEVER, Millis::MIN)
        } else {
            self.overlays
                .get(&(base + doc))
                .map_or((NEVER, Millis::MIN), |o| (o.gone, o.confirmed))
        };
        (self.rings.correct(|| row.id, row.gone.min(gone)), confirmed)
    }

    /// Returns since when a record is hidden, and when it was last confirmed.
    pub fn gone_and_confirmed(&self, place: Place) -> (Millis, Millis) {
        let Some((part, base)) = self.locate(place) else {
            return (Millis::MIN, Millis::MIN);
        };
        let (gone, confirmed) = self.laid_over(base, place.doc);
        let gone = self
            .rings
            .correct(|| part.id(place.doc), part.gone(place.doc).min(gone));
        let gone = self.unless_retired(|| part.id(place.doc), gone);
        (gone, part.confirmed(place.doc).max(confirmed))
    }

    /// Returns true if a record is visible at `now`.
    pub fn is_live(&self, place: Place, now: Millis) -> bool {
        let Some((part, base)) = self.locate(place) else {
            return false;
        };
        let (gone, expires) = self.gone_and_expires(part, base, place.doc);
        gone == NEVER && expires > now
    }
}
