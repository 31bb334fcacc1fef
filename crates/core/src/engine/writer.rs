//! The write path of all decisions: what the engine plans is compared with what is there, `judgement` decides, and the decision is committed in one
//! write.

use crate::clock::Millis;
use crate::engine::destinations::{Appended, Destinations, Stored};
use crate::engine::history::{History, RecordState, Revision, find_history};
use crate::engine::retired::ended_by_person;
use crate::engine::revised::Text;
use crate::engine::standing::{record_with, ruling_at};
use crate::error::{Error, Result};
use crate::index::contested::find_contested;
use crate::index::dedup::{Among, Duplicate, find_same, has_ended};
use crate::index::{Entry, Family, JournalIndex, Place, Stores};
use crate::journal::{FileState, Journal, JournalWriter, LockGuard, Span, clean};
use crate::judgement::decide::{By, Effect, Found, Judge, Line, Plan, Told, Withheld};
use crate::judgement::reason::{Contradicted, Reason, SUPERSEDES};
use crate::judgement::settle::Ruled;
use crate::judgement::state::State;
use crate::judgement::worth::Subject;
use crate::model::author::{Author, Speaker};
use crate::model::said::Said;
use crate::model::scope::Home;
use crate::model::thought::{
    ActionKind, Fields, Lift, LineKind, NEVER, RulingKind, action_line, id_hash, lifted_expiry, read_line,
};
use crate::outbox::queue::marked;
use crate::project::Project;
use crate::project::ownership::Marks;
use crate::text::Statement;
use crate::truth::{Claims, rule_between};

/// The maximum number of conflicts of a retired record that are looked at.
const INHERITED_MAX: usize = 8;

/// Whoever captures, changes or decides about records, with the files that this writes.
pub struct Writer<'m> {
    pub(super) project: &'m mut Project,
    pub(super) stores: &'m mut Stores,
    pub(super) destinations: &'m mut Destinations,
    pub(super) speaker: Speaker,
    /// Whether an acceptance may retire what a person said.
    pub(super) retires_persons: bool,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(project: &'m mut Project, stores: &'m mut Stores, destinations: &'m mut Destinations) -> Self {
        Writer {
            project,
            stores,
            destinations,
            speaker: Speaker::person(),
            retires_persons: false,
        }
    }

    /// Sets who decides, a person when it is not set: also the author of a merged text.
    #[must_use]
    pub fn by(mut self, speaker: Speaker) -> Self {
        self.speaker = speaker;
        self
    }

    /// Lets an acceptance retire what a person said, once that was confirmed.
    #[must_use]
    pub fn retiring_persons(mut self, retires_persons: bool) -> Self {
        self.retires_persons = retires_persons;
        self
    }

    /// Finds a record that is not forgotten.
    pub(super) fn find(&mut self, id: &str) -> Result<(Home, History)> {
        let found = find_history(self.stores, id, self.project.now())?;
        let is_there = |(_, history): &(Home, History)| history.state() != RecordState::Forgotten;
        found.filter(is_there).ok_or_else(|| Error::no_memory(id))
    }

    /// Finds a record that is not forgotten and may be written about, under the lock of its file: what is decided about it holds.
    pub(super) fn find_held(&mut self, id: &str) -> Result<(Home, History, LockGuard)> {
        let (home, _) = self.find(id)?;
        home.check_writable()?;
        let lock = self.stores.of_mut(home).journal.guard()?;
        let (home, history) = self.find(id)?;
        Ok((home, history, lock))
    }

    /// Returns who speaks, with what the settings say of them.
    pub(super) fn who<'s>(&self, speaker: &'s Speaker) -> By<'s> {
        By {
            speaker,
            waits: self.project.config().requires_review(speaker),
        }
    }

    /// Returns the judge of the rulings of a file, as they were last read, for a speaker.
    pub(super) fn judge(&mut self, home: Home, said: Said) -> Judge<'_> {
        Judge::of(
            self.stores.of_mut(home).journal_index.standings(),
            said,
            self.project.now(),
        )
    }

    /// Lets a speaker decide by the rulings of a file, appends the decision in one write, and tells it. Returns false when there was nothing to
    /// decide.
    ///
    /// # Errors
    /// Those of the decision, `PROPOSED` when the speaker may only ask for it, `LOCKED` or `IO`.
    pub(super) fn rule<R: Into<Ruled>>(
        &mut self,
        home: Home,
        said: Said,
        decide: impl FnOnce(Judge<'_>) -> Result<R>,
    ) -> Result<bool> {
        let now = self.project.now();
        let store = self.stores.of_mut(home);
        let _lock = store.journal.guard()?;
        store.refresh()?;
        let index = &store.journal_index;
        let judge = Judge::of(index.standings(), said, now);
        let (lines, asked) = match decide(judge)?.into() {
            Ruled::Made(rulings) => (judge.lines(rulings, home == Home::Captures), None),
            Ruled::Asked(requests, speaker) => {
                let is_here = |id: &str| index.find_id(id_hash(id)).is_some();
                let (lines, error) = judge.request(&requests, &speaker, is_here)?;
                (lines, Some(error))
            }
        };
        if !lines.is_empty() {
            self.commit(home, &lines)?;
            for line in &lines {
                if let Line::Ruling(ruling, Told::All) = line
                    && ruling.kind == RulingKind::Keep
                    && let Some(line) = record_with(&self.stores.captures, id_hash(&ruling.id))
                {
                    // A store that can only delete has it no more.
                    let line = String::from_utf8_lossy(clean(&line)).into_owned();
                    self.destinations.queue.push_record(&line, now)?;
                }
            }
            self.destinations.tell(&lines, now)?;
        }
        asked.map_or(Ok(!lines.is_empty()), Err)
    }

    /// Finds what a new record meets, decides about it, and commits the decision: all under one lock.
    pub(super) fn store(&mut self, home: Home, new: &New<'_>, now: Millis) -> Result<Stored> {
        let (fields, is_capture) = (new.fields, home == Home::Captures);
        let (names, threshold) = if is_capture {
            (
                self.project.other_names(&fields.project),
                self.project.config().settings.dedup_threshold(),
            )
        } else {
            (Vec::new(), 1.0)
        };
        let store = self.stores.of_mut(home);
        let mut words = std::mem::take(&mut store.words);
        words.take_words(fields, store.journal_index.family());
        let asks = new.is_compared && new.plan.by.is_some_and(|by| by.may_only_ask(Some(Author::Person)));
        let mut ended = None;
        let (mut held, mut index) = store.hold(now)?;
        // The lock is given up only for a text that something has ended.
        if asks && has_ended(index, &mut words, fields, &names, now)? {
            drop(held);
            ended = ended_by_person(self.stores, home, &mut words, fields, &names, now)?;
            (held, index) = self.stores.of_mut(home).hold(now)?;
        }
        let waiting = new.plan.by.map(|by| By { waits: true, ..by });
        let plan = &Plan {
            by: waiting.filter(|_| ended.is_some()).or(new.plan.by),
            ..new.plan
        };
        let strict = self
            .project
            .config()
            .why_strict()
            .filter(|_| new.plan.by.is_some_and(|by| by.speaker.waits.is_none()));
        let waits_because = ended
            .map(|id| format!("a person has forgotten, replaced or edited the same text ({id})"))
            .or(strict.map(str::to_owned));
        let among = [
            new.is_compared.then_some(Among::Current(now)),
            new.meets_withheld.then_some(Among::Withheld),
        ];
        let among = among.into_iter().flatten();
        let duplicate = find_same(&mut held, index, (&mut words, fields), &names, threshold, among)?;
        let confirmed = duplicate
            .as_ref()
            .map_or(0, |known| index.gone_and_confirmed(known.place).1);
        let said = fields.said;
        let found = match &duplicate {
            Some(known) if !known.is_withheld => Found::Known(known_subject(index, known, plan.source.map(|_| now))),
            Some(known) => Found::Withheld(withheld(
                Source::held(&mut held),
                index,
                clean(&known.line),
                self.project,
                now,
            )?),
            None if is_capture && !plan.waits() => {
                let source = Source::held(&mut held);
                let found = match new.text {
                    Text::New => find_contradicted(source, index, &words, fields, &names, now)?,
                    Text::Same => {
                        let mut found = Vec::new();
                        let key = id_hash(plan.supersedes.unwrap_or_default());
                        inherit(source.journal, index, key, None, &mut found, now)?;
                        found
                    }
                };
                Found::Others(found)
            }
            None => Found::Others(Vec::new()),
        };
        let decision = Judge::of(index.standings(), said, now).text(plan, found);
        let accepted = duplicate
            .as_ref()
            .filter(|_| decision.effect == Effect::Confirmed && is_capture);
        if let Some(known) = accepted {
            self.destinations.begin_acceptance(index, clean(&known.line), now)?;
        }
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
            waits_because,
            decision,
            record,
            duplicate,
            confirmed,
        })
    }

    /// Accepts a record: appends the ruling, with rulings on the records that it contradicts, and then writes everything else that a capture writes.
    ///
    /// # Errors
    /// `LOCKED` or `IO`. When the ruling is written and the queue is not, the next use of the memory completes the acceptance.
    pub(super) fn accept_record(&mut self, home: Home, record: &Revision, speaker: &Speaker) -> Result<()> {
        let (now, line, id) = (self.project.now(), clean(record.line.as_bytes()), record.id.as_str());
        let (by, said) = (speaker.session.as_deref(), speaker.said());
        let was_withheld = self.judge(home, said).review_of(id).withheld_since().is_some();
        if home != Home::Captures || !was_withheld {
            let record = record.subject();
            let accept = |judge: Judge<'_>| Ok([judge.vouched(judge.accept(id, by, ""), &record)]);
            return self.rule(home, said, accept).map(drop);
        }
        let (mut held, index) = self.stores.captures.hold(now)?;
        let record = withheld(Source::held(&mut held), index, line, self.project, now)?;
        let lines = Judge::of(index.standings(), said, now).accept_record(record, (by, ""));
        self.destinations.begin_acceptance(index, line, now)?;
        commit((&mut held, index), &lines, None, Some(&self.project.marks), now)?;
        drop(held);
        self.destinations.deliver_accepted(line, &lines, now)
    }

    /// Appends the lines of a decision about records that are there.
    pub(super) fn commit(&mut self, home: Home, lines: &[Line]) -> Result<()> {
        let now = self.project.now();
        let marks = (home == Home::Captures).then_some(&*self.project.marks);
        let (mut held, journal_index) = self.stores.of_mut(home).hold(now)?;
        commit((&mut held, journal_index), lines, None, marks, now)
    }
}

/// A journal that is read, with its state if its lock is held: an index that does not fit it is corrected then.
#[derive(Clone, Copy)]
pub(super) struct Source<'r> {
    pub journal: &'r Journal,
    pub state: Option<FileState>,
}

impl<'r> Source<'r> {
    fn held(held: &'r mut JournalWriter<'_>) -> Self {
        let state = Some(held.state());
        Source {
            journal: held.journal(),
            state,
        }
    }
}

/// Returns a record that waits, with what it does once it is accepted. A pattern does nothing to others.
pub(super) fn withheld(
    source: Source<'_>,
    index: &mut JournalIndex,
    line: &[u8],
    project: &Project,
    now: Millis,
) -> Result<Withheld> {
    let LineKind::Record(fields) = read_line(line) else {
        return Err(Error::no_memory(""));
    };
    let proposal = index.standings().proposer_of(&id_hash(&fields.id));
    let proposal = proposal.and_then(|act| ruling_at(source.journal, act.span, RulingKind::Propose));
    let mut record = Withheld {
        proposer: proposal.and_then(|ruling| ruling.other),
        record: Subject::of(&fields, fields.expires_ms.unwrap_or(NEVER)),
        named: Vec::new(),
        contradicted: Vec::new(),
    };
    if index.family() == Family::Thoughts {
        let mut words = Entry::default();
        words.take_words(&fields, Family::Thoughts);
        let names = project.other_names(&fields.project);
        let named = named_by(source.journal, index, &fields.id).into_iter();
        record.named = named.map(|id| named_record(source.journal, index, id)).collect();
        record.contradicted = find_contradicted(source, index, &words, &fields, &names, now)?;
    }
    Ok(record)
}

/// Returns a record that a proposal names; it is not retired by itself when a person said it, or when it cannot be read.
fn named_record(journal: &Journal, index: &JournalIndex, id: String) -> Contradicted {
    let line = line_of(journal, index, &id);
    let is_retired = match read_line(clean(&line)) {
        LineKind::Record(fields) => {
            let is_vouched_for = index.standings().is_vouched_for(&id_hash(&id));
            !is_vouched_for && fields.author != Some(Author::Person)
        }
        _ => false,
    };
    Contradicted {
        is_retired,
        ..Contradicted::superseded(id)
    }
}

/// Returns how long a new record is to hold, and how sure it is.
pub(super) fn worth_of(fields: &Fields<'_>) -> Lift {
    Lift {
        until_ms: Some(fields.expires_ms.unwrap_or(NEVER)),
        percent: Some((fields.confidence * 100.0).round() as u8),
    }
}

/// Returns a known record; `confirmed` is when it is captured again, which renews its lifetime.
fn known_subject(index: &JournalIndex, known: &Duplicate, confirmed: Option<Millis>) -> Subject {
    let LineKind::Record(fields) = read_line(clean(&known.line)) else {
        return Subject {
            id: known.id.clone(),
            ..Subject::default()
        };
    };
    let confirmed = confirmed.unwrap_or(index.gone_and_confirmed(known.place).1);
    let expires = lifted_expiry(fields.at_ms, fields.expires_ms.unwrap_or(NEVER), confirmed);
    Subject {
        id: known.id.clone(),
        ..Subject::of(&fields, expires)
    }
}

/// Finds the records that a new one contradicts, within its project.
fn find_contradicted(
    Source { journal, state }: Source<'_>,
    journal_index: &mut JournalIndex,
    entry: &Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    let contested = loop {
        if entry.claims.change.is_some() {
            journal_index.analyse();
        }
        let contested = find_contested(journal_index, journal, entry, &fields.text, now)?;
        let is_healed = match state {
            Some(state) => journal_index.heal(journal, state)?,
            None => false,
        };
        if !is_healed {
            break contested;
        }
    };
    let mut found: Vec<Contradicted> = Vec::new();
    let mut statement = Statement::default();
    for line in &contested {
        let LineKind::Record(older) = read_line(clean(line)) else {
            continue;
        };
        let is_same_project = older.project == fields.project || names.iter().any(|name| *name == older.project);
        let is_replaced = fields.supersedes.as_ref() == Some(&older.id);
        if !is_same_project || is_replaced || found.iter().any(|known| known.id == older.id) {
            continue;
        }
        statement.take(&older.text);
        let claims = Claims::of(&statement);
        let rule = rule_between(&entry.claims, &claims, &entry.statement, &statement);
        let Some(rule) = rule.filter(|rule| rule.is_of_state([&*fields.kind, &*older.kind])) else {
            continue;
        };
        let judge = Judge::of(journal_index.standings(), fields.said, now);
        let may_retire = rule.retires() && judge.may_retire(fields, &older);
        found.push(held_against(&older, Reason::of(rule.name()), may_retire));
    }
    let superseded = fields
        .supersedes
        .as_ref()
        .map(|id| (id_hash(id), Reason::of(SUPERSEDES)));
    let retired = found.iter().filter(|found| found.is_retired);
    let retired = retired.map(|found| (id_hash(&found.id), found.why.clone()));
    let replaced: Vec<_> = superseded.into_iter().chain(retired).collect();
    for (key, why) in replaced {
        inherit(journal, journal_index, key, Some(&why), &mut found, now)?;
    }
    Ok(found)
}

/// Finds what a record contradicts that comes from elsewhere with a date of its own, and perhaps with decisions: one that is over or was decided
/// about contradicts nothing, and one that is older takes no place of a newer one.
pub(crate) fn contradicted_by(
    held: &mut JournalWriter<'_>,
    index: &mut JournalIndex,
    entry: &Entry,
    fields: &Fields<'_>,
    names: &[String],
    now: Millis,
) -> Result<Vec<Contradicted>> {
    if fields.expires_ms.is_some_and(|expires| expires <= now)
        || index.standings().state_of(&id_hash(&fields.id)) != State::Current
    {
        return Ok(Vec::new());
    }
    let mut found = find_contradicted(Source::held(held), index, entry, fields, names, now)?;
    let judge = Judge::of(index.standings(), fields.said, now);
    found.retain(|older| !judge.were_in_conflict(&older.id, &fields.id));
    for older in &mut found {
        older.is_retired &= date_of(held.journal(), index, &older.id) <= fields.at_ms;
    }
    Ok(found)
}

/// Returns when a record was captured, as its line says.
fn date_of(journal: &Journal, index: &JournalIndex, id: &str) -> Millis {
    let line = line_of(journal, index, id);
    match read_line(clean(&line)) {
        LineKind::Record(fields) => fields.at_ms,
        _ => Millis::MAX,
    }
}

fn line_of(journal: &Journal, index: &JournalIndex, id: &str) -> Vec<u8> {
    let place = index.find_id(id_hash(id));
    let span = place.and_then(|place| Some(index.parts().get(place.part)?.span(place.doc)));
    span.and_then(|span| journal.read(span).ok()).unwrap_or_default()
}

fn held_against(older: &Fields<'_>, why: Reason, is_retired: bool) -> Contradicted {
    Contradicted {
        id: older.id.to_string(),
        text: older.text.to_string(),
        why,
        is_retired,
    }
}

/// Adds the older records that were in conflict with a record that is now replaced: the conflict goes on with the new one, for this reason. Without
/// one the new record says the same: all its conflicts go on, for their own reasons.
fn inherit(
    journal: &Journal,
    journal_index: &JournalIndex,
    key: u64,
    why: Option<&Reason>,
    found: &mut Vec<Contradicted>,
    now: Millis,
) -> Result<()> {
    let (standings, parts) = (journal_index.standings(), journal_index.parts());
    let Some(between) = journal_index.find_id(key) else {
        return Ok(());
    };
    for act in standings.conflicts_of(&key).into_iter().take(INHERITED_MAX) {
        let place = act.other.and_then(|other| journal_index.find_id(other));
        let is_older = |place: &Place| (place.part, place.doc) <= (between.part, between.doc);
        let place = place.filter(|place| journal_index.is_live(*place, now) && (why.is_none() || is_older(place)));
        let Some(span) = place.and_then(|place| Some(parts.get(place.part)?.span(place.doc))) else {
            continue;
        };
        let line = journal.read(span)?;
        if let LineKind::Record(older) = read_line(clean(&line))
            && found.iter().all(|known| known.id != older.id)
            && standings.kept_at(&id_hash(&older.id), None) == Millis::MIN
        {
            let why = why
                .cloned()
                .or_else(|| Some(Reason::from(ruling_at(journal, act.span, RulingKind::Conflict)?.why)));
            found.push(held_against(&older, why.unwrap_or_default(), false));
        }
    }
    Ok(())
}

/// Returns the records that a proposal is to supersede; until it was accepted, they and it were in conflict.
pub(super) fn named_by(journal: &Journal, index: &JournalIndex, id: &str) -> Vec<String> {
    let conflicts = index.standings().conflicts_of(&id_hash(id)).into_iter();
    let rulings = conflicts.filter_map(|act| ruling_at(journal, act.span, RulingKind::Conflict));
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
    pub text: Text,
    /// Composes its line; most repetitions need none.
    pub encode: &'n dyn Fn() -> Result<String>,
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
            Line::Confirm { id, source, said } => {
                text += &(action_line("confirm", id, Some(source), *said, now) + "\n");
            }
            Line::Delete { id, said } => text += &(action_line("delete", id, None, *said, now) + "\n"),
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
            Line::Confirm { id, .. } => journal_index.append_mutation(ActionKind::Confirm, id, now, span, bytes, file),
            Line::Delete { id, .. } => journal_index.append_mutation(ActionKind::Delete, id, now, span, bytes, file),
            Line::Ruling(ruling, _) => journal_index.append_ruling(ruling, now, span, bytes, file),
        }
        start = end;
    }
    Ok(())
}
