//! What younger parts say about records of older ones, which do not change: laid over them by number.

use std::sync::Arc;

use super::{JournalIndex, Overlay, Place, find_newest};
use crate::clock::Millis;
use crate::index::memory_segment::{Mutation, MutationKind, confirmed_by, gone_by};
use crate::index::part::Part;
use crate::model::thought::NEVER;

impl JournalIndex {
    /// Lays what the segments say about each other's records over them. The first `kept` were here before, and what they say
    /// about each other with them.
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
        // What came after such a mutation, or came again. Of a repeated record, the line that counts was in an older segment.
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

    /// Finds the record with this id, from when on it is hidden, and when it was last confirmed.
    pub(super) fn find_older(&self, id: u64) -> Option<(Place, Millis, Millis)> {
        let parts = self.parts();
        let place = find_newest(&parts, 0..parts.len(), id)?;
        if place.part + 1 == parts.len() {
            // The youngest part keeps its own ids apart.
            return None;
        }
        let (gone, confirmed) = match self.overlays.get(&self.number(place)) {
            Some(overlay) => (overlay.gone, overlay.confirmed),
            None => (NEVER, Millis::MIN),
        };
        let part = parts[place.part];
        Some((
            place,
            part.gone(place.doc).min(gone),
            part.confirmed(place.doc).max(confirmed),
        ))
    }

    /// Lays a mutation over the newest record before part `before` that it is about.
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
                    self.rings.expect();
                }
                self.lay_over(place, mutation);
            }
            None => {
                let waiting = self.early.entry(mutation.target).or_default();
                // Segments are gone through again when they change.
                if !waiting.contains(&mutation) {
                    waiting.push(mutation);
                }
            }
        }
    }

    pub(super) fn lay_over(&mut self, place: Place, mutation: Mutation) {
        let number = self.number(place);
        let overlay = self.overlays.entry(number).or_insert(Overlay {
            gone: NEVER,
            confirmed: Millis::MIN,
        });
        overlay.gone = overlay.gone.min(gone_by(mutation));
        overlay.confirmed = overlay.confirmed.max(confirmed_by(mutation));
    }

    pub(super) fn number(&self, place: Place) -> u32 {
        self.parts()[..place.part].iter().map(|part| part.docs()).sum::<u32>() + place.doc
    }

    /// Returns a place from the number that [`JournalIndex::gone_and_expires`] and the overlays go by.
    pub fn gone_and_expires(&self, part: Part<'_>, base: u32, doc: u32) -> (Millis, Millis) {
        let (gone, confirmed) = match self.overlays.is_empty() {
            true => (NEVER, Millis::MIN),
            false => self
                .overlays
                .get(&(base + doc))
                .map_or((NEVER, Millis::MIN), |o| (o.gone, o.confirmed)),
        };
        let gone = self.rings.correct(|| part.id(doc), part.gone(doc).min(gone));
        (self.unless_retired(|| part.id(doc), gone), part.expires(doc, confirmed))
    }

    /// Returns from when on a record is hidden, and when it was last confirmed.
    pub fn gone_and_confirmed(&self, place: Place) -> (Millis, Millis) {
        let part = self.parts()[place.part];
        let (gone, confirmed) = self
            .overlays
            .get(&self.number(place))
            .map_or((NEVER, Millis::MIN), |overlay| (overlay.gone, overlay.confirmed));
        let gone = self
            .rings
            .correct(|| part.id(place.doc), part.gone(place.doc).min(gone));
        let gone = self.unless_retired(|| part.id(place.doc), gone);
        (gone, part.confirmed(place.doc).max(confirmed))
    }

    /// Tells whether a record is seen at `now`.
    pub fn is_live(&self, place: Place, now: Millis) -> bool {
        let parts = self.parts();
        let base = parts[..place.part].iter().map(|part| part.docs()).sum();
        let (gone, expires) = self.gone_and_expires(parts[place.part], base, place.doc);
        gone == NEVER && expires > now
    }
}
