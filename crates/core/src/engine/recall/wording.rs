//! How the memory writes the subject of a query: whether a word of it is a name there, and whether the texts are turns of talk. The texts
//! of the candidates show it, so nothing more is stored.

use super::question::Question;
use super::texts::Texts;
use crate::index::Found;
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
    pub fn of(texts: &Texts<'_>, question: &Question<'_>, found: &[Found]) -> Self {
        let searched = searched_words(question.words).into_iter();
        let typed = searched.filter(|(_, word)| !word.common && word.is_typed);
        let counted = typed.filter_map(|(bit, word)| Some((1_u32 << bit, WordUses::of(&word.text)?)));
        let mut counted: Vec<(u32, WordUses<'_>)> = counted.collect();
        let mut speakers: Vec<Option<String>> = Vec::new();
        for one in found.iter().take(TEXTS_MAX) {
            let open = counted.iter().filter(|(_, uses)| !uses.is_counted());
            let open = open.fold(0, |bits, (bit, _)| bits | bit);
            if one.words & open == 0 && speakers.len() >= TEXTS_FIRST {
                continue;
            }
            let Some(text) = texts.read(one) else { continue };
            each_inside(&text, |written| {
                counted.iter_mut().for_each(|(_, uses)| uses.count(written));
            });
            speakers.push(speaker_of(&text).map(str::to_owned));
        }
        Wording {
            has_name: counted.iter().any(|(_, uses)| uses.is_name()),
            is_talk: are_talk(&speakers),
        }
    }
}
