//! Accepts a proposed record: appends the ruling to the raw log, with rulings on the records that it contradicts, and then writes
//! everything else that a capture writes.

use crate::clock::Millis;
use crate::engine::destinations::Destinations;
use crate::engine::judge::Reason;
use crate::engine::judge::{Contradicted, SUPERSEDES, find_contradicted, rulings_on};
use crate::engine::named::Named;
use crate::engine::standing::{lines_of, take_in};
use crate::error::Result;
use crate::index::{Entry, JournalIndex, Store};
use crate::journal::{Journal, clean};
use crate::judgement::decide::{Judge, ruling};
use crate::judgement::standing::Review;
use crate::model::author::Speaker;
use crate::model::thought::{LineKind, Ruling, RulingKind, id_hash, read_line};
use crate::project::Project;

/// The reason of an acceptance without a decision: an author who needs no review captured the same.
pub(crate) const WHY_CAPTURED: &str = "captured";

/// Returns the reason for which a proposed or rejected record is accepted because this speaker captured the same text; `None` when it is not.
pub(crate) fn why_accepted(
    (journal, journal_index): (&Journal, &JournalIndex),
    id: &str,
    speaker: &Speaker,
    is_covered: bool,
) -> Option<&'static str> {
    let standings = journal_index.standings();
    let proposer = || {
        let act = standings.proposer_of(&id_hash(id))?;
        match read_line(clean(&journal.read(act.span).ok()?)) {
            LineKind::Ruling(ruling) => ruling.other,
            _ => None,
        }
    };
    let confirms = Judge::of(standings, 0).confirms(id, speaker, is_covered, proposer);
    confirms.then_some(WHY_CAPTURED)
}

/// Accepts a record of the raw log, given its line. Writes nothing when the line is not a record.
///
/// # Errors
/// `LOCKED` or `IO`. When the ruling is written and the queue is not, the next use of the memory completes the acceptance.
pub(crate) fn accept_capture(
    project: &Project,
    captures: &mut Store,
    destinations: &mut Destinations,
    line: &[u8],
    by: Option<&str>,
    why: &str,
) -> Result<Vec<Ruling>> {
    let now = project.now();
    let line = clean(line);
    let LineKind::Record(fields) = read_line(line) else {
        return Ok(Vec::new());
    };
    let names = project.other_names(&fields.project);
    let text = String::from_utf8_lossy(line).into_owned();
    let (mut held, journal_index) = captures.hold_for_lookup(now)?;
    let review = journal_index.standings().review_of(&id_hash(&fields.id), None);
    let was_proposed = matches!(review, Review::Proposed(_) | Review::Rejected(_));
    // The shared store has not heard of a proposal.
    let untold = usize::from(matches!(review, Review::Proposed(_)));
    let mut entry = Entry::default();
    entry.take_words(&fields, journal_index.family());
    let mut rulings = vec![Judge::of(journal_index.standings(), now).accept(&fields.id, by, why)];
    if was_proposed {
        let named = named_by(held.journal(), journal_index, &fields.id);
        let mut contradicted = find_contradicted(&mut held, journal_index, &entry, &fields, &names, now)?;
        contradicted.retain(|older| !named.contains(&older.id));
        contradicted.extend(named.into_iter().map(|id| Contradicted {
            id,
            text: String::new(),
            why: Reason::of(SUPERSEDES),
            is_retired: true,
        }));
        rulings.extend(rulings_on(&contradicted, &fields.id, now));
        // The lock of the raw log is held, so no other process is in the middle of an acceptance.
        if destinations.has_acceptances() {
            let index = &*journal_index;
            destinations.finish_acceptances(&|id| {
                index
                    .find_id(id_hash(id))
                    .is_some_and(|place| index.is_live(place, now))
            })?;
        }
        destinations.begin_acceptance(&text, now)?;
    }
    let (first, others) = rulings.split_at(untold);
    let lines = [lines_of(first, None), lines_of(others, Some(&project.marks))].concat();
    let span = held.append_lines(lines.concat().as_bytes())?;
    take_in(journal_index, &held, span.offset, (&rulings, &lines), now);
    drop(held);
    if was_proposed {
        destinations.deliver_accepted(&fields.kind, &text, now)?;
    }
    let (first, others) = rulings.split_at(untold);
    destinations.announce_rulings(first, now, project.config().settings.limits.events_bytes)?;
    destinations.tell_rulings(others, now, project.config().settings.limits.events_bytes)?;
    Ok(rulings)
}

/// Returns the records that a proposal is to supersede; until it was accepted, they and it were in conflict.
pub(crate) fn named_by(journal: &Journal, journal_index: &JournalIndex, id: &str) -> Vec<String> {
    let conflicts = journal_index.standings().conflicts_of(&id_hash(id));
    let named = conflicts.into_iter().filter_map(|act| {
        let line = journal.read(act.span).ok()?;
        match read_line(clean(&line)) {
            LineKind::Ruling(ruling) if ruling.why == SUPERSEDES && ruling.other.as_deref() == Some(id) => {
                Some(ruling.id)
            }
            _ => None,
        }
    });
    named.collect()
}

/// Returns the rulings that propose a record. They precede its line, so that no reader of a prefix of the file sees it as current.
pub(crate) fn proposal_of(id: &str, supersedes: &[Named], by: Option<&str>, who: &str, now: Millis) -> Vec<Ruling> {
    let mut rulings = vec![ruling(RulingKind::Propose, id, by, who, now)];
    let older = supersedes.iter().map(|older| older.id.as_str());
    rulings.extend(older.map(|older| ruling(RulingKind::Conflict, older, Some(id), SUPERSEDES, now)));
    rulings
}
