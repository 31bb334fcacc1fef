//! The history of one record: its revisions, confirmations and tombstones, read from its journal.

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::{Millis, format_iso};
use crate::engine::recall::OtherWorktree;
use crate::engine::standing::{Ended, Related, Retirement, conflicts_of, rejection_of, retired_by, retirement_of};
use crate::error::{Error, Result};
use crate::index::{Store, Stores};
use crate::journal::Line;
use crate::judgement::standing::{Review, Verdicts};
use crate::judgement::state::State;
use crate::judgement::worth::Subject;
use crate::model::author::Author;
use crate::model::lineage::lineage_in;
use crate::model::rings::{Links, is_of_ring};
use crate::model::said::{CameFrom, SpokenBy};
use crate::model::scope::{Home, Scope};
use crate::model::thought::{ActionKind, Facts, Fields, LineKind, NEVER, id_hash, known_id, lifted_expiry, read_line};

/// The shortest prefix or suffix of an id that is looked up.
const ID_PIECE_MIN: usize = 6;

/// The current state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordState {
    /// It is recalled.
    Current,
    /// A newer revision is recalled instead.
    Superseded,
    /// It no longer holds; another record may have taken its place.
    Retired,
    /// It is proposed.
    Proposed,
    /// A review has rejected it.
    Rejected,
    /// A tombstone covers it.
    Forgotten,
    /// It has expired.
    Expired,
}

impl From<State> for RecordState {
    fn from(state: State) -> Self {
        match state {
            State::Current | State::InConflict => RecordState::Current,
            State::Expired => RecordState::Expired,
            State::Retired => RecordState::Retired,
            State::Proposed => RecordState::Proposed,
            State::Rejected => RecordState::Rejected,
            State::Superseded => RecordState::Superseded,
            State::Forgotten => RecordState::Forgotten,
        }
    }
}

/// One revision of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Type or category.
    pub kind: String,
    /// The project, if it names one.
    pub project: String,
    /// The source, if it names one.
    pub source: String,
    /// The file that it is about by its hallmark, if it names one.
    pub source_file: Option<String>,
    /// Its labels.
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// When it was made, as written.
    pub created_at: String,
    /// When it was made.
    pub created_ms: Millis,
    /// When it expires.
    pub expires_ms: Option<Millis>,
    /// Its line in the file.
    pub line: String,
    /// When it ceased to be recalled: superseded or forgotten.
    pub ended_ms: Option<Millis>,
    pub(crate) supersedes: Option<String>,
    /// The session in which it was captured.
    pub(crate) session: Option<String>,
    /// Who captured it, when that is known.
    pub author: Option<Author>,
    pub(crate) voice: SpokenBy,
    pub(crate) came_from: CameFrom,
    pub(crate) facts: Facts,
}

impl Revision {
    /// Returns it as the judge sees it.
    pub(super) fn subject(&self) -> Subject {
        Subject {
            id: self.id.clone(),
            kind: self.kind.clone(),
            author: self.author,
            expires_ms: self.expires_ms.unwrap_or(NEVER),
            confidence: self.confidence,
        }
    }
}

/// A record with all its revisions, oldest first.
#[derive(Debug, Clone)]
pub struct History {
    /// Its scope.
    pub scope: Scope,
    older: Vec<Revision>,
    newest: Revision,
    /// How often it was captured again.
    pub confirmations: usize,
    /// Why it is retired, if it is.
    pub retired: Option<Retirement>,
    /// The records that contradict it, the newest first.
    pub contradicted_by: Vec<Related>,
    /// The records that it has retired, the newest first.
    pub retires: Vec<Related>,
    /// Who may change it as its author: a person, also when a person has vouched for it.
    pub said_by: Option<Author>,
    /// Its review state.
    pub review: Review,
    /// The verdicts of sessions.
    pub verdicts: Verdicts,
    /// When it was last captured again.
    pub confirmed_ms: Option<Millis>,
    /// Whether only another store has it, and no file of this memory.
    pub is_fetched: bool,
    /// Where it is, when this memory does not have it.
    pub worktree: Option<OtherWorktree>,
    /// The machine that wrote it; nothing of what has no mark: of patterns, imports and older versions.
    pub(crate) machine: Option<super::standing::Machine>,
    /// When and by whom it was rejected or forgotten, if it was.
    pub ended: Option<Ended>,
    /// The ids of revisions with a tombstone: also of earlier ones, when the record came back.
    pub(super) tombstones: FxHashSet<String>,
    pub(super) now: Millis,
}

impl History {
    /// Returns the history of a record that was never confirmed; `gone` says when and by whom it was forgotten.
    fn of(
        store: &Store,
        scope: Scope,
        older: Vec<Revision>,
        mut newest: Revision,
        gone: Option<Ended>,
        now: Millis,
    ) -> Self {
        newest.ended_ms = gone.map(|ended| ended.at_ms).or(newest.ended_ms);
        let id = &newest.id;
        let retired = retirement_of(store, id);
        let standings = store.journal_index.standings();
        let review = standings.review_of(&id_hash(id), None);
        let verdicts = standings.verdicts_on(&id_hash(id), None);
        let said_by = if standings.vouches_for(&id_hash(id), newest.author) {
            Some(Author::Person)
        } else {
            newest.author
        };
        let lift = standings.lift_of(&id_hash(id));
        let (contradicted_by, retires) = (conflicts_of(store, id, now), retired_by(store, id));
        let ended = gone.or_else(|| rejection_of(store, &id_hash(id)));
        let tombstones = gone.map(|_| id.clone()).into_iter().collect();
        newest.expires_ms = newest.expires_ms.map(|at| lift.expiry(at)).filter(|at| *at != NEVER);
        newest.confidence = lift.at_least(newest.confidence);
        if let Some(retirement) = &retired {
            let ended = newest.ended_ms;
            newest.ended_ms = Some(ended.map_or(retirement.at_ms, |at| at.min(retirement.at_ms)));
        }
        History {
            scope,
            older,
            newest,
            confirmations: 0,
            retired,
            contradicted_by,
            retires,
            said_by,
            review,
            verdicts,
            confirmed_ms: None,
            is_fetched: false,
            worktree: None,
            machine: None,
            ended,
            tombstones,
            now,
        }
    }

    /// True if another machine wrote it: its replacement is then a record of its own, since a revision would be forgotten with it.
    /// Without a mark it is of an import, of an older version, or a pattern. It may look at every folder that this machine knows, so only
    /// callers that replace a record ask.
    pub(crate) fn is_of_others(&self, stores: &Stores) -> bool {
        let marked = super::standing::marked(&self.newest.line);
        self.is_fetched || marked.is_some_and(|(record, mark)| !stores.is_of_machine(record.as_bytes(), &mark))
    }

    /// Returns the newest revision.
    pub fn current(&self) -> &Revision {
        &self.newest
    }

    /// Returns all revisions, oldest first, each with its state now.
    pub fn revisions(&self) -> impl Iterator<Item = (&Revision, RecordState)> {
        let older = self.older.iter().map(|revision| (revision, State::Superseded.into()));
        older.chain([(&self.newest, self.state())])
    }

    /// Returns the current state of the record.
    pub fn state(&self) -> RecordState {
        let state = State::of([
            (
                State::Expired,
                self.current().expires_ms.is_some_and(|at| at <= self.now),
            ),
            (State::Retired, self.retired.is_some()),
            (State::Proposed, matches!(self.review, Review::Proposed(_))),
            (State::Rejected, matches!(self.review, Review::Rejected(_))),
            (State::Forgotten, self.tombstones.contains(&self.newest.id)),
        ]);
        state.into()
    }
}

/// Reads the history of a record.
///
/// # Errors
/// As [`find_history`].
pub(crate) fn history(stores: &mut Stores, id: &str, now: Millis) -> Result<Option<History>> {
    Ok(find_history(stores, id, now)?.map(|(_, history)| history))
}

/// Reads the history of a record, with the store that holds it. `id` may be a unique prefix or suffix of an id, from six
/// characters on.
///
/// # Errors
/// `IO` when a journal cannot be read, `INVALID_INPUT` when several records match.
pub(crate) fn find_history(stores: &mut Stores, id: &str, now: Millis) -> Result<Option<(Home, History)>> {
    let Some(id) = known_id(id.into()) else {
        return Ok(None);
    };
    loop {
        let found = find_once(stores, &id, now);
        // A damaged index may miss the record: search without it.
        if !stores.is_damaged() {
            return found;
        }
        stores.rebuild();
    }
}

fn find_once(stores: &mut Stores, id: &str, now: Millis) -> Result<Option<(Home, History)>> {
    stores.refresh();
    let homes = [
        Home::Captures,
        Home::Patterns(Scope::Project),
        Home::Patterns(Scope::Global),
        Home::Legacy,
    ];
    for home in homes {
        let store = stores.of_mut(home);
        if store.journal_index.find_id(id_hash(id)).is_some()
            && let Some(history) = read_history(store, home.scope(), id, now)?
        {
            return Ok(Some((home, history)));
        }
    }
    let is_fetched = |line: &Vec<u8>| matches!(read_line(line), LineKind::Record(fields) if fields.id == id);
    if id.len() < ID_PIECE_MIN || stores.fetched.iter().any(is_fetched) {
        return find_fetched(stores, id, now);
    }
    let mut found: Vec<(Home, String)> = Vec::new();
    // Derived ids do not occur in their lines, so all lines are read.
    for all in [false, true] {
        for home in homes {
            let ids = ids_with_piece(stores.of_mut(home), id, all)?;
            found.extend(ids.into_iter().map(|id| (home, id)));
        }
        if !found.is_empty() {
            break;
        }
    }
    match found.as_slice() {
        [] => find_fetched(stores, id, now),
        [(home, whole)] => {
            let (home, whole) = (*home, whole.clone());
            Ok(read_history(stores.of_mut(home), home.scope(), &whole, now)?.map(|history| (home, history)))
        }
        several => Err(several_with(id, several.len())),
    }
}

fn several_with(id: &str, count: usize) -> Error {
    Error::invalid("id", format!("{count} records have {id} in their id"))
}

/// Finds a record that only another store has. Rulings made here count; the record that it supersedes is left out.
fn find_fetched(stores: &mut Stores, id: &str, now: Millis) -> Result<Option<(Home, History)>> {
    let mut found: Vec<Revision> = Vec::new();
    for line in &stores.fetched {
        if let LineKind::Record(fields) = read_line(line)
            && (fields.id == id || id.len() >= ID_PIECE_MIN && has_piece(&fields.id, id))
        {
            found.push(Revision {
                supersedes: None,
                ..revision_of(&fields, line)
            });
        }
    }
    let several = found.len();
    let Some(newest) = found.pop() else {
        return Ok(None);
    };
    if several > 1 {
        return Err(several_with(id, several));
    }
    let named = memmem::Finder::new(newest.id.as_bytes());
    let mut tombstone = None;
    scan(&mut stores.captures, &mut |line| {
        if named.find(line.bytes).is_some()
            && let LineKind::Action(action) = read_line(line.bytes)
            && action.kind == ActionKind::Delete
            && action.id == newest.id
        {
            tombstone = Some(Ended::from(&action));
        }
    })?;
    let mut history = History::of(&stores.captures, Scope::Project, Vec::new(), newest, tombstone, now);
    history.is_fetched = true;
    Ok(Some((Home::Captures, history)))
}

/// True if a piece of an id, or all of it, names a record.
pub(super) fn has_piece(id: &str, piece: &str) -> bool {
    let short = id.strip_prefix("mem_").unwrap_or(id);
    id.starts_with(piece) || short.starts_with(piece) || id.ends_with(piece)
}

fn ids_with_piece(store: &mut Store, piece: &str, all: bool) -> Result<Vec<String>> {
    let (finder, named) = (memmem::Finder::new(piece.as_bytes()), memmem::Finder::new("\"id\""));
    let mut ids = Vec::new();
    scan(store, &mut |line| {
        let of_interest = all || finder.find(line.bytes).is_some() || named.find(line.bytes).is_none();
        if of_interest
            && let LineKind::Record(fields) = read_line(line.bytes)
            && has_piece(&fields.id, piece)
            && !ids.iter().any(|id: &String| *id == fields.id)
        {
            ids.push(fields.id.into_owned());
        }
    })?;
    Ok(ids)
}

/// Follows the chain of revisions through `id`, backwards and forwards.
fn read_history(store: &mut Store, scope: Scope, id: &str, now: Millis) -> Result<Option<History>> {
    if let Some((newest, older)) = read_untouched(store, id)?.and_then(newest_of) {
        return Ok(Some(History::of(store, scope, older, newest, None, now)));
    }
    let mut linked: Vec<Revision> = Vec::new();
    let mut actions: Vec<(ActionKind, String, Ended)> = Vec::new();
    let mut traces: Vec<(String, String)> = Vec::new();
    let mut renewals: Vec<(String, Millis)> = Vec::new();
    let (wanted, link, action) = (
        memmem::Finder::new(id.as_bytes()),
        memmem::Finder::new("\"supersedes\""),
        memmem::Finder::new("\"_action\""),
    );
    scan(store, &mut |line| {
        let of_interest = [&wanted, &link, &action]
            .iter()
            .any(|finder| finder.find(line.bytes).is_some());
        if !of_interest {
            return;
        }
        match read_line(line.bytes) {
            LineKind::Record(fields) => linked.push(revision_of(&fields, line.bytes)),
            LineKind::Action(action) => {
                let ended = Ended::from(&action);
                actions.push((action.kind, action.id.into_owned(), ended));
            }
            LineKind::Other => traces.extend(lineage_in(line.bytes)),
            LineKind::Ruling(ruling) if ruling.kind.renews() => renewals.push((ruling.id, ruling.at_ms)),
            LineKind::Ruling(_) | LineKind::Unparsable => {}
        }
    })?;
    let family = Family::of(linked, traces);
    let Some((mut newest, mut older)) = family.chain_through(store, id)?.and_then(newest_of) else {
        return Ok(None);
    };
    let mut ended = newest.created_ms;
    for revision in older.iter_mut().rev() {
        revision.ended_ms = Some(ended);
        ended = revision.created_ms;
    }
    let ids: FxHashSet<&str> = older
        .iter()
        .chain([&newest])
        .map(|revision| revision.id.as_str())
        .collect();
    let confirmations = actions
        .iter()
        .filter(|(kind, id, _)| *kind == ActionKind::Confirm && ids.contains(id.as_str()))
        .count();
    let tombstone = actions
        .iter()
        .find(|(kind, id, _)| *kind == ActionKind::Delete && *id == newest.id)
        .map(|a| a.2);
    let confirmed = actions
        .iter()
        .filter(|(kind, id, _)| *kind == ActionKind::Confirm && *id == newest.id)
        .map(|a| a.2.at_ms)
        .max();
    let renewed = renewals
        .iter()
        .filter(|(id, _)| *id == newest.id)
        .map(|(_, at)| *at)
        .max();
    if let (Some(expires), Some(at)) = (newest.expires_ms, confirmed.max(renewed)) {
        newest.expires_ms = Some(lifted_expiry(newest.created_ms, expires, at));
    }
    let mut history = History::of(store, scope, older, newest, tombstone, now);
    history.confirmations = confirmations;
    history.confirmed_ms = confirmed;
    let forgotten = actions.into_iter().filter(|(kind, ..)| *kind == ActionKind::Delete);
    history.tombstones = forgotten.map(|(_, id, _)| id).collect();
    Ok(Some(history))
}

/// Takes a chain of revisions, oldest first, apart.
fn newest_of(mut chain: Vec<Revision>) -> Option<(Revision, Vec<Revision>)> {
    Some((chain.pop()?, chain))
}

/// Reads the revisions of a record that was not superseded, forgotten or confirmed. The index knows that, and their spans, so
/// that the journal is not scanned.
fn read_untouched(store: &Store, id: &str) -> Result<Option<Vec<Revision>>> {
    // The newest first.
    let mut chain: Vec<Revision> = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut next = Some(id.to_owned());
    while let Some(id) = next {
        let Some(place) = store.journal_index.find_id(id_hash(&id)) else {
            break;
        };
        let (gone, confirmed) = store.journal_index.gone_and_confirmed(place);
        // A revision ends with its successor, which is already in the chain.
        if confirmed != Millis::MIN || (chain.is_empty() && gone != NEVER) {
            return Ok(None);
        }
        let Some(mut older) = find_record(store, &id)?.filter(|revision| revision.id == id) else {
            return Ok(None);
        };
        if !seen.insert(id) {
            // A cycle of revisions: only a scan of the journal shows which links to ignore.
            return Ok(None);
        }
        older.ended_ms = chain.last().map(|newer| newer.created_ms);
        next = older.supersedes.clone();
        chain.push(older);
    }
    chain.reverse();
    Ok((!chain.is_empty()).then_some(chain))
}

/// Revisions by id and by the id that they supersede: hash lookups, because chains may be long.
struct Family {
    linked: Vec<Revision>,
    by_id: FxHashMap<String, usize>,
    /// The newest revision that supersedes each id.
    after: FxHashMap<String, usize>,
    rings: FxHashSet<String>,
}

impl Family {
    /// `traces` are the lines that compaction keeps of removed revisions.
    fn of(linked: Vec<Revision>, traces: Vec<(String, String)>) -> Self {
        let (mut by_id, mut after, mut links) = (FxHashMap::default(), FxHashMap::default(), Links::default());
        traces.into_iter().for_each(|(id, older)| links.add(id, older));
        for (at, revision) in linked.iter().enumerate() {
            by_id.insert(revision.id.clone(), at);
            if let Some(older) = &revision.supersedes {
                links.add(revision.id.clone(), older.clone());
            }
        }
        let rings = links.in_rings();
        for (at, revision) in linked.iter().enumerate() {
            if let Some(older) = revision
                .supersedes
                .as_ref()
                .filter(|older| !is_of_ring(&rings, &revision.id, older))
            {
                after.insert(older.clone(), at);
            }
        }
        Family {
            linked,
            by_id,
            after,
            rings,
        }
    }

    fn named(&self, store: &Store, id: &str) -> Result<Option<Revision>> {
        match self.by_id.get(id).and_then(|at| self.linked.get(*at)) {
            Some(revision) => Ok(Some(revision.clone())),
            // A derived id does not occur in its line: the record is found by its offset.
            None => find_record(store, id),
        }
    }

    /// All revisions of the record that contains the given one, oldest first.
    fn chain_through(&self, store: &Store, id: &str) -> Result<Option<Vec<Revision>>> {
        let Some(start) = self.named(store, id)? else {
            return Ok(None);
        };
        let mut seen: FxHashSet<String> = FxHashSet::from_iter([start.id.clone()]);
        let mut older = vec![start];
        while let Some(last) = older.last()
            && let Some(before) = &last.supersedes
            && !is_of_ring(&self.rings, &last.id, before)
            && let Some(next) = self.named(store, before)?
            && seen.insert(next.id.clone())
        {
            older.push(next);
        }
        let mut chain: Vec<Revision> = older.into_iter().rev().collect();
        while let Some(last) = chain.last()
            && let Some(newer) = self.after.get(&last.id).and_then(|at| self.linked.get(*at))
            && seen.insert(newer.id.clone())
        {
            chain.push(newer.clone());
        }
        Ok(Some(chain))
    }
}

fn find_record(store: &Store, id: &str) -> Result<Option<Revision>> {
    let Some(place) = store.journal_index.find_id(id_hash(id)) else {
        return Ok(None);
    };
    let parts = store.journal_index.parts();
    let Some(part) = parts.get(place.part) else {
        return Ok(None);
    };
    let line = store.journal.read(part.span(place.doc))?;
    let bytes = crate::journal::clean(&line);
    Ok(match read_line(bytes) {
        LineKind::Record(fields) => Some(revision_of(&fields, bytes)),
        _ => None,
    })
}

fn scan(store: &mut Store, visit: &mut dyn FnMut(Line<'_>)) -> Result<()> {
    if let Some(state) = store.journal.look()? {
        store.journal.scan(0, state.len, visit)?;
    }
    Ok(())
}

fn revision_of(fields: &Fields<'_>, line: &[u8]) -> Revision {
    let created = if fields.at.is_empty() {
        format_iso(fields.at_ms)
    } else {
        fields.at.to_string()
    };
    Revision {
        id: fields.id.to_string(),
        text: fields.text.to_string(),
        kind: fields.kind.to_string(),
        project: fields.project.to_string(),
        source: fields.source.to_string(),
        source_file: Some(fields.source_file.to_string()).filter(|path| !path.is_empty()),
        tags: fields.tags.iter().map(|tag| tag.to_string()).collect(),
        confidence: fields.confidence,
        created_at: created,
        created_ms: fields.at_ms,
        expires_ms: fields.expires_ms,
        line: String::from_utf8_lossy(line).into_owned(),
        ended_ms: None,
        supersedes: fields.supersedes.as_ref().map(|id| id.to_string()),
        session: Some(fields.session.to_string()).filter(|session| !session.is_empty()),
        author: fields.author,
        voice: fields.voice(),
        came_from: fields.origin(),
        facts: Facts::read(line),
    }
}
