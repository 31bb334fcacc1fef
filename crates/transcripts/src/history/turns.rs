//! Splits a session into turns: a prompt, with the texts and actions of the agent until the next one. Only the salted hashes of a turn's terms leave
//! this module and, for the embedding model, the prompt.

use std::fmt::Write;

use forge_memory_core::text::Terms;
use forge_memory_core::text::lines::head;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::emitter::Sink;
use crate::event::{Event, Kind, Outcome, Session};

/// A turn with more bytes of text is split: a long run of tool calls is not about one topic.
const TURN_BYTES: usize = 24 * 1024;
/// The bytes indexed of a failed result: people search for errors, not for pages of output.
const ERROR_BYTES: usize = 1024;
/// The bytes of a prompt that are embedded.
const PROMPT_BYTES: usize = 1200;
const TURNS_MAX: usize = 100_000;

/// A turn, with the hashes of its terms in one field per source, formatted for the full-text table.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The index of its session among those of the file.
    pub session: usize,
    pub first: u64,
    pub last: u64,
    pub at_ms: Option<i64>,
    pub prompt_terms: String,
    pub reply_terms: String,
    pub action_terms: String,
    /// The prompt to embed; it is not stored.
    pub prompt: Option<String>,
    bytes: usize,
}

/// Hashes terms with the salt of the index: equal terms of two indexes cannot be linked.
#[derive(Debug, Default)]
pub(super) struct TermHasher {
    salt: u64,
    terms: Terms,
}

impl TermHasher {
    pub(super) fn new(salt: &str) -> Self {
        TermHasher {
            salt: u64::from_str_radix(salt, 16).unwrap_or_default(),
            terms: Terms::default(),
        }
    }

    fn add(&mut self, text: &str, column: &mut String) {
        self.terms.clear();
        self.terms.add(text);
        let all = [&self.terms.words, &self.terms.extras, &self.terms.spellings];
        for term in all.into_iter().flatten() {
            let _ = write!(column, "{} ", hash_term(*term, self.salt));
        }
    }
}

/// Returns the salted hash that represents a term in the index.
pub(super) fn hash_term(term: u64, salt: u64) -> String {
    format!("{:016x}", xxh3_64_with_seed(&term.to_le_bytes(), salt))
}

pub(super) struct TurnSplitter<'f> {
    /// The sessions of the file, in the order in which they appear.
    pub sessions: Vec<Session>,
    /// The turns, in the order of the file.
    pub turns: Vec<Turn>,
    /// True when the file has more turns than [`TURNS_MAX`].
    pub is_cut: bool,
    hasher: TermHasher,
    has_model: bool,
    current: usize,
    is_open: bool,
    is_excluded: &'f (dyn Fn(&Session) -> bool + Sync),
}

impl<'f> TurnSplitter<'f> {
    /// Starts; `open` is the session that was the last one in the part of the file that was read before.
    pub(super) fn new(
        hasher: TermHasher,
        has_model: bool,
        open: Option<Session>,
        is_excluded: &'f (dyn Fn(&Session) -> bool + Sync),
    ) -> Self {
        TurnSplitter {
            sessions: open.into_iter().collect(),
            turns: Vec::new(),
            is_cut: false,
            hasher,
            has_model,
            current: 0,
            is_open: false,
            is_excluded,
        }
    }

    /// Returns the results, and the hasher for reuse.
    pub(super) fn into_parts(self) -> (Vec<Session>, Vec<Turn>, TermHasher, bool) {
        (self.sessions, self.turns, self.hasher, self.is_cut)
    }

    fn turn_for(&mut self, event: &Event) -> Option<&mut Turn> {
        let is_new =
            event.kind == Kind::Prompt || !self.is_open || self.turns.last().is_none_or(|turn| turn.bytes > TURN_BYTES);
        if is_new {
            if self.turns.len() >= TURNS_MAX {
                self.is_cut = true;
                return None;
            }
            self.is_open = true;
            self.turns.push(Turn {
                session: self.current,
                first: event.line,
                last: event.line,
                at_ms: event.at_ms,
                ..Turn::default()
            });
        }
        self.turns.last_mut()
    }
}

/// Returns true if an event is indexed by its words.
pub(super) fn is_indexed(event: &Event) -> bool {
    match event.kind {
        Kind::Result => event.outcome == Outcome::Failed,
        Kind::Interrupt => false,
        _ => true,
    }
}

impl Sink for TurnSplitter<'_> {
    fn session(&mut self, session: &Session) {
        match self.sessions.iter().position(|known| known.id == session.id) {
            Some(at) => {
                if let Some(known) = self.sessions.get_mut(at) {
                    let (started, ended) = (known.started_ms, known.ended_ms);
                    known.clone_from(session);
                    known.started_ms = started.or(session.started_ms);
                    known.ended_ms = session.ended_ms.max(ended);
                }
                self.is_open &= at == self.current;
                self.current = at;
            }
            None => {
                self.is_open = false;
                self.current = self.sessions.len();
                self.sessions.push(session.clone());
            }
        }
    }

    fn event(&mut self, event: Event) {
        if self.sessions.is_empty() {
            return;
        }
        let mut hasher = std::mem::take(&mut self.hasher);
        let has_model = self.has_model;
        if let Some(session) = self.sessions.get_mut(self.current) {
            session.ended_ms = session.ended_ms.max(event.at_ms);
        }
        if let Some(turn) = self.turn_for(&event) {
            turn.last = turn.last.max(event.line);
            turn.first = turn.first.min(event.line);
            turn.at_ms = turn.at_ms.or(event.at_ms);
            turn.bytes += event.text.len() + event.command.as_ref().map_or(0, String::len);
            match event.kind {
                Kind::Prompt | Kind::Steer | Kind::Remember | Kind::Rejection => {
                    hasher.add(&event.text, &mut turn.prompt_terms);
                    if has_model && turn.prompt.is_none() && !event.text.trim().is_empty() {
                        turn.prompt = Some(head(&event.text, PROMPT_BYTES).to_owned());
                    }
                }
                Kind::Text => hasher.add(&event.text, &mut turn.reply_terms),
                Kind::Result => hasher.add(head(&event.text, ERROR_BYTES), &mut turn.action_terms),
                _ => {}
            }
            if let Some(command) = &event.command {
                hasher.add(command, &mut turn.action_terms);
            }
            for path in &event.paths {
                hasher.add(path, &mut turn.action_terms);
            }
        }
        self.hasher = hasher;
    }

    fn wants(&self, session: &Session) -> bool {
        !session.is_private && !(self.is_excluded)(session)
    }

    fn takes(&self, event: &Event) -> bool {
        is_indexed(event)
    }
}
