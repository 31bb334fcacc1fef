//! How the memory writes the subject of a query: whether a word of it is a name there, and whether the texts are turns of talk. The texts
//! of the candidates show it, so nothing more is stored.

use super::question::Question;
use crate::index::{Found, Part, Store};
use crate::journal::clean;
use crate::model::scope::Scope;
use crate::model::thought::{LineKind, read_line};
use crate::text::names::{WordUses, each_inside};
use crate::text::searched_words;
use crate::text::speaker::{are_talk, speaker_of};

/// The most texts that are read.
const TEXTS_MAX: usize = 200;
/// After this many, only texts with a word whose uses are not counted yet are read.
const TEXTS_FIRST: usize = 24;

/// The wording of the candidates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wording {
    /// True if a word of the query is written as a name.
    pub has_name: bool,
    /// True if the texts are turns of talk.
    pub is_talk: bool,
}

impl Wording {
    /// Reads the texts of candidates, best first.
    pub fn of(stores: &[(Scope, &Store)], question: &Question<'_>, found: &[Found]) -> Self {
        let parts: Vec<Vec<Part<'_>>> = stores.iter().map(|(_, store)| store.journal_index.parts()).collect();
        let searched = searched_words(question.words).into_iter();
        let typed = searched.filter(|(_, word)| !word.common && word.is_typed());
        let counted = typed.filter_map(|(bit, word)| Some((1_u32 << bit, WordUses::of(&word.text)?)));
        let mut counted: Vec<(u32, WordUses<'_>)> = counted.collect();
        let mut speakers: Vec<Option<String>> = Vec::new();
        for one in found.iter().take(TEXTS_MAX) {
            let open = counted.iter().filter(|(_, uses)| !uses.is_counted());
            let open = open.fold(0, |bits, (bit, _)| bits | bit);
            if one.words & open == 0 && speakers.len() >= TEXTS_FIRST {
                continue;
            }
            let Some(part) = parts.get(one.journal_index).and_then(|parts| parts.get(one.place.part)) else {
                continue;
            };
            let line = stores
                .get(one.journal_index)
                .and_then(|(_, store)| store.journal.read(part.span(one.place.doc)).ok());
            let line = line.unwrap_or_default();
            let LineKind::Record(fields) = read_line(clean(&line)) else {
                continue;
            };
            each_inside(&fields.text, |written| {
                counted.iter_mut().for_each(|(_, uses)| uses.count(written));
            });
            speakers.push(speaker_of(&fields.text).map(str::to_owned));
        }
        let speakers: Vec<Option<&str>> = speakers.iter().map(Option::as_deref).collect();
        Wording {
            has_name: counted.iter().any(|(_, uses)| uses.is_name()),
            is_talk: are_talk(&speakers),
        }
    }
}
