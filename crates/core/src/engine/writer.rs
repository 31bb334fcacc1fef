//! The write path of all decisions: what the engine plans and `judgement` decides is committed here, in one write.

use crate::clock::Millis;
use crate::engine::contradicted::find_contradicted;
use crate::engine::destinations::Destinations;
use crate::engine::history::{History, RecordState, find_history};
use crate::engine::standing::{record_with, ruling_in};
use crate::error::{Error, Result};
use crate::index::dedup::{Duplicate, find_duplicate_in, find_under_names, find_withheld_duplicate};
use crate::index::{Entry, JournalIndex, Stores};
use crate::journal::{Journal, JournalWriter, Span, clean};
use crate::judgement::decide::{Decision, Found, Judge, Line, Plan, Told};
use crate::judgement::reason::{SUPERSEDES, WHY_CAPTURED};
use crate::judgement::standing::Review;
use crate::model::author::{Author, Speaker};
use crate::model::scope::Home;
use crate::model::thought::{ActionKind, Fields, LineKind, Ruling, RulingKind, action_line, id_hash, read_line};
use crate::outbox::queue::marked;
use crate::project::Project;
use crate::project::ownership::Marks;

/// Whoever captures, changes or decides about records, with the files that this writes.
pub struct Writer<'m> {
    pub(super) project: &'m mut Project,
    pub(super) stores: &'m mut Stores,
    pub(super) destinations: &'m mut Destinations,
    pub(super) speaker: Speaker,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(project: &'m mut Project, stores: &'m mut Stores, destinations: &'m mut Destinations) -> Self {
        Writer {
            project,
            stores,
            destinations,
            speaker: Speaker::person(),
        }
    }

    /// Sets who decides, a person when it is not set: also the author of a merged text.
    #[must_use]
    pub fn by(mut self, speaker: Speaker) -> Self {
        self.speaker = speaker;
        self
    }

    /// Finds a record that is not forgotten.
    pub(super) fn find(&mut self, id: &str) -> Result<(Home, History)> {
        let found = find_history(self.stores, id, self.project.now())?;
        let is_there = |(_, history): &(Home, History)| history.state() != RecordState::Forgotten;
        found.filter(is_there).ok_or_else(|| Error::no_memory(id))
    }

    /// Returns true if a speaker may only ask for a change: captures of theirs wait for a review, or the record is that of a person.
    pub(super) fn may_only_ask(&self, speaker: &Speaker, said_by: Option<Author>) -> bool {
        let is_persons = said_by == Some(Author::Person) && speaker.author.is_some();
        !speaker.is_person() && (is_persons || self.project.config().requires_review(speaker))
    }

    /// Returns the judge of the rulings of a file.
    pub(super) fn judge(&mut self, home: Home) -> Judge<'_> {
        Judge::of(self.stores.of_mut(home).journal_index.standings(), self.project.now())
    }

    /// Decides by the rulings of a file, appends the decision in one write, and tells it. Returns false when there was nothing to decide.
    pub(super) fn rule<R>(&mut self, home: Home, decide: impl FnOnce(Judge<'_>) -> R) -> Result<bool>
    where
        R: IntoIterator<Item = Ruling>,
    {
        let _lock = self.stores.of_mut(home).journal.guard()?;
        let rulings: Vec<Ruling> = decide(self.judge(home)).into_iter().collect();
        self.append(home, rulings)
    }

    fn append(&mut self, home: Home, rulings: Vec<Ruling>) -> Result<bool> {
        if rulings.is_empty() {
            return Ok(false);
        }
        let standings = self.stores.of_mut(home).journal_index.standings();
        let is_untold = |ruling: &Ruling| {
            let review = standings.review_of(&id_hash(&ruling.id), None);
            (ruling.kind.is_review() || ruling.kind.is_feedback()) && matches!(review, Review::Proposed(_))
        };
        let told = match rulings.iter().any(is_untold) {
            _ if home != Home::Captures => Told::Nobody,
            true => Told::Hub,
            false => Told::All,
        };
        let kept: Vec<u64> = rulings
            .iter()
            .filter(|ruling| ruling.kind == RulingKind::Keep && told == Told::All)
            .map(|kept| id_hash(&kept.id))
            .collect();
        let lines: Vec<Line> = rulings.into_iter().map(|ruling| Line::Ruling(ruling, told)).collect();
        let now = self.project.now();
        self.commit(home, &lines)?;
        for id in kept {
            // A store that can only delete has it no more.
            if let Some(line) = record_with(&self.stores.captures, id) {
                let line = String::from_utf8_lossy(clean(&line)).into_owned();
                self.destinations.queue.push_record(&line, now)?;
            }
        }
        self.destinations.tell(&lines, now).map(|_| true)
    }

    /// Finds what a new record meets, decides about it, and commits the decision: all under one lock.
    pub(super) fn store(&mut self, home: Home, new: &New<'_>, now: Millis) -> Result<Stored> {
        let (plan, fields, is_capture) = (&new.plan, new.fields, home == Home::Captures);
        let (names, threshold) = match is_capture {
            true => (
                self.project.other_names(&fields.project),
                self.project.config().settings.dedup_threshold(),
            ),
            false => (Vec::new(), 1.0),
        };
        let store = self.stores.of_mut(home);
        let family = store.journal_index.family();
        let mut words = std::mem::take(&mut store.words);
        words.take_words(fields, family);
        let (mut held, index) = store.hold_for_lookup(now)?;
        let mut duplicate = None;
        if new.is_compared {
            duplicate = find_under_names(&names, &mut words, fields, family, |words, fields| {
                find_duplicate_in(&mut held, index, words, fields, threshold, now)
            })?;
        }
        let is_known = duplicate.is_some();
        if new.meets_withheld && !is_known {
            duplicate = find_under_names(&names, &mut words, fields, family, |words, fields| {
                find_withheld_duplicate(index, held.journal(), words, fields, threshold)
            })?;
        }
        let confirmed = duplicate
            .as_ref()
            .map_or(0, |known| index.gone_and_confirmed(known.place).1);
        let found = match duplicate.as_ref().map(|known| id_of(clean(&known.line))) {
            Some(id) if is_known => Found::Known(id),
            Some(id) => {
                let proposer = proposer_of(held.journal(), index, &id);
                Found::Withheld(id, proposer)
            }
            None if is_capture && !plan.waits => {
                Found::Others(find_contradicted(&mut held, index, &words, fields, &names, now)?)
            }
            None => Found::Others(Vec::new()),
        };
        let decision = Judge::of(index.standings(), now).text(plan, found);
        let marks = is_capture.then_some(&*self.project.marks);
        let mut record = None;
        if decision.lines.contains(&Line::Record) {
            let text = (new.encode)()?;
            let mark = marks.map(|marks| marks.of_record(text.as_bytes()));
            let line = marked(&text, mark.as_ref().and_then(|mark| mark.as_deref().ok())) + "\n";
            let mark = mark.unwrap_or_else(|| Ok(String::new()));
            record = Some(Appended { text, mark, line });
        }
        if !decision.lines.is_empty() {
            let record = record.as_ref().map(|record| (record.line.as_str(), &words));
            commit((&mut held, index), &decision.lines, record, marks, now)?;
        }
        drop(held);
        self.stores.of_mut(home).words = words;
        Ok(Stored {
            decision,
            record,
            duplicate,
            confirmed,
        })
    }

    /// Accepts a record because its text was captured again.
    pub(super) fn accept_captured(&mut self, home: Home, line: &[u8], speaker: Option<&Speaker>) -> Result<()> {
        let by = speaker.and_then(|speaker| speaker.session.as_deref());
        self.accept_record(home, line, (by, WHY_CAPTURED))
    }

    /// Accepts a record, given its line: appends the ruling, with rulings on the records that it contradicts, and then writes everything else that
    /// a capture writes. Writes nothing when the line is not a record.
    ///
    /// # Errors
    /// `LOCKED` or `IO`. When the ruling is written and the queue is not, the next use of the memory completes the acceptance.
    pub(super) fn accept_record(&mut self, home: Home, line: &[u8], (by, why): (Option<&str>, &str)) -> Result<()> {
        let (now, line) = (self.project.now(), clean(line));
        let LineKind::Record(fields) = read_line(line) else {
            return Ok(());
        };
        if home != Home::Captures {
            return self.rule(home, |judge| [judge.accept(&fields.id, by, why)]).map(drop);
        }
        let names = self.project.other_names(&fields.project);
        let text = String::from_utf8_lossy(line).into_owned();
        let (mut held, index) = self.stores.captures.hold_for_lookup(now)?;
        let was_withheld = index
            .standings()
            .review_of(&id_hash(&fields.id), None)
            .withheld_since()
            .is_some();
        let (mut named, mut contradicted) = (Vec::new(), Vec::new());
        if was_withheld {
            let mut words = Entry::default();
            words.take_words(&fields, index.family());
            named = named_by(held.journal(), index, &fields.id);
            contradicted = find_contradicted(&mut held, index, &words, &fields, &names, now)?;
            // The lock of the raw log is held, so no other process is in the middle of an acceptance.
            self.destinations.finish_acceptances(index, now)?;
            self.destinations.begin_acceptance(&text, now)?;
        }
        let judge = Judge::of(index.standings(), now);
        let lines = judge.accept_record(&fields.id, (by, why), named, contradicted);
        commit((&mut held, index), &lines, None, Some(&self.project.marks), now)?;
        drop(held);
        if was_withheld {
            self.destinations.deliver_accepted(&fields.kind, &text, now)?;
        }
        self.destinations.tell(&lines, now)
    }

    /// Appends the lines of a decision about records that are there.
    pub(super) fn commit(&mut self, home: Home, lines: &[Line]) -> Result<()> {
        let now = self.project.now();
        let marks = (home == Home::Captures).then_some(&*self.project.marks);
        let (mut held, journal_index) = self.stores.of_mut(home).hold(now)?;
        commit((&mut held, journal_index), lines, None, marks, now)
    }
}

/// Returns the id of a line, or nothing.
pub(super) fn id_of(line: &[u8]) -> String {
    match read_line(line) {
        LineKind::Record(fields) => fields.id.into_owned(),
        _ => String::new(),
    }
}

/// Returns the session that proposed a record.
fn proposer_of(journal: &Journal, index: &JournalIndex, id: &str) -> Option<String> {
    let act = index.standings().proposer_of(&id_hash(id))?;
    ruling_in(journal, act.span, RulingKind::Propose)?.other
}

/// Returns the records that a proposal is to supersede; until it was accepted, they and it were in conflict.
pub(super) fn named_by(journal: &Journal, index: &JournalIndex, id: &str) -> Vec<String> {
    let conflicts = index.standings().conflicts_of(&id_hash(id)).into_iter();
    let rulings = conflicts.filter_map(|act| ruling_in(journal, act.span, RulingKind::Conflict));
    let named = rulings.filter(|ruling| ruling.why == SUPERSEDES && ruling.other.as_deref() == Some(id));
    named.map(|ruling| ruling.id).collect()
}

/// A new record, and how it is compared with the others.
pub(super) struct New<'n> {
    pub plan: Plan<'n>,
    pub fields: &'n Fields<'n>,
    /// Whether one that says the same is looked for among the current records, and among those that wait or were rejected.
    pub is_compared: bool,
    pub meets_withheld: bool,
    /// Composes its line; most repetitions need none.
    pub encode: &'n dyn Fn() -> Result<String>,
}

/// A decision about a new record, after it was committed.
pub(super) struct Stored {
    pub decision: Decision,
    /// The line that was appended.
    pub record: Option<Appended>,
    /// The record that says the same, and when it was confirmed before.
    pub duplicate: Option<Duplicate>,
    pub confirmed: Millis,
}

/// A record that was appended.
pub(super) struct Appended {
    pub text: String,
    pub mark: Result<String>,
    /// Both, with the end of the line.
    pub line: String,
}

/// Appends the lines of a decision in one write, and takes them into the index: after a crash, a prefix of them is there. `record` is the new record,
/// as a line with its end. Rulings for the shared store get a mark, by which the queue is known to lack one.
pub(crate) fn commit(
    (held, journal_index): (&mut JournalWriter<'_>, &mut JournalIndex),
    lines: &[Line],
    record: Option<(&str, &Entry)>,
    marks: Option<&Marks>,
    now: Millis,
) -> Result<()> {
    let mut text = String::new();
    let mut ends = Vec::with_capacity(lines.len());
    for line in lines {
        match line {
            Line::Record => text += record.map_or("", |(line, _)| line),
            Line::Confirm(id, source) => text += &(action_line("confirm", id, Some(source), now) + "\n"),
            Line::Delete(id) => text += &(action_line("delete", id, None, now) + "\n"),
            Line::Ruling(ruling, told) => {
                let line = ruling.line();
                let marks = marks.filter(|_| ruling.kind.is_shared() && *told != Told::Hub);
                let mark = marks.and_then(|marks| marks.of_record(line.as_bytes()).ok());
                text += &(marked(&line, mark.as_deref()) + "\n");
            }
        }
        ends.push(text.len());
    }
    let (mut start, offset) = (0, held.append_lines(text.as_bytes())?.offset);
    let file = held.state().id;
    for (line, end) in lines.iter().zip(ends) {
        let span = Span {
            offset: offset + start as u64,
            len: (end - start) as u64,
        };
        let bytes = text.get(start..end).unwrap_or_default().trim_end().as_bytes();
        match line {
            Line::Record => {
                if let Some((_, words)) = record {
                    journal_index.append(words, now, span, bytes, file);
                }
            }
            Line::Confirm(id, _) => journal_index.append_mutation(ActionKind::Confirm, id, now, span, bytes, file),
            Line::Delete(id) => journal_index.append_mutation(ActionKind::Delete, id, now, span, bytes, file),
            Line::Ruling(ruling, _) => journal_index.append_ruling(ruling, now, span, bytes, file),
        }
        start = end;
    }
    Ok(())
}
