//! The words of the person, which an agent may quote: what it stores in those words, and nothing beyond them, is the person's.
//!
//! Authority follows from what was said, and not from a claim. Hooks see the prompts; of each sentence of the person they keep a keyed hash, until
//! the session ends. A quote of a record is looked up among them. Where no hook sees the prompts, no quote is known.

use std::path::Path;

use forge_memory_core::Memory;
use forge_memory_core::text::lexicon::entries;
use forge_memory_core::text::{says_no_more, sentences_of, spoken_words};
use unicode_normalization::UnicodeNormalization;

use crate::call::{Call, NO_SESSION};
use crate::hosts::Host;
use crate::machine::{claude_entry, has_terminal};
use crate::session::SessionFile;
use crate::statement::{corrects, length_of, may_miss, own_sentences, split_wide};
use crate::transcript::codex_source;
use crate::workplace::Workplace;

/// A shorter quote may stand in any prompt.
const WORDS_MIN: usize = 3;
/// The maximum number of sentences of a session that are known, in all their forms: the newest ones.
const FORMS_MAX: usize = 600;
/// Where clauses end, and the maximum number of clauses of a sentence that may begin a quote.
const CLAUSE_ENDS: [char; 10] = [
    ',', ';', ':', '\u{2014}', '\u{2013}', '\u{ff0c}', '\u{3001}', '\u{ff1b}', '\u{ff1a}', '\u{60c}',
];
const CLAUSES_MAX: usize = 4;
/// How Claude Code was started, when a person types.
const TYPED_IN: [&str; 3] = ["cli", "claude-vscode", "claude-desktop"];
const CODEX_TYPED_IN: [&str; 2] = ["cli", "vscode"];

/// Notes what the person has said in the lines of a prompt.
pub(crate) fn note_said(place: &mut Workplace, call: &Call, lines: &[String]) {
    let sentences = own_sentences(lines);
    if call.session_id == NO_SESSION || call.branch_id.is_some() || sentences.is_empty() || !is_typed(call) {
        return;
    }
    let file = SessionFile::of(&place.home, &call.session_key());
    let before = file.read();
    let mut session = before.clone();
    let Ok(memory) = place.own() else { return };
    if memory.config().is_capture_refused {
        return;
    }
    session.lines_before.get_or_insert_with(|| memory.line_count());
    for sentence in sentences {
        session.has_lesson |= corrects(sentence);
        for form in forms_of(sentence) {
            let mark = memory.mark_of_sentence(&form).ok();
            session.said.extend(mark.filter(|mark| !before.said.contains(mark)));
        }
    }
    let excess = session.said.len().saturating_sub(FORMS_MAX);
    session.said.drain(..excess);
    file.keep(&session, &before);
    let _ = file.note_project(&place.project);
}

/// True if a text states what the person said in a session that goes on, and nothing beyond it. `home` is the user's own folder.
#[must_use]
pub fn is_said(memory: &Memory, home: &Path, text: &str, quote: &str) -> bool {
    let sentences = quote.lines().flat_map(split_wide).flat_map(sentences_of).map(said_form);
    let sentences: Vec<String> = sentences.filter(|sentence| !sentence.is_empty()).collect();
    let words = sentences.iter().flat_map(|sentence| sentence.split(' '));
    if words.map(length_of).sum::<usize>() < WORDS_MIN || !says_no_more(text, quote) {
        return false;
    }
    let marks: Vec<String> = sentences
        .iter()
        .filter_map(|sentence| memory.mark_of_sentence(sentence).ok())
        .collect();
    marks.len() == sentences.len()
        && SessionFile::all_of(home, memory.project_dir()).iter().any(|file| {
            let said = file.read().said;
            marks.iter().all(|mark| said.contains(mark))
        })
}

/// The forms in which a sentence may be quoted: whole, and without clauses that it states the same without.
fn forms_of(sentence: &str) -> Vec<String> {
    let clauses = clauses_of(sentence);
    let mut forms = vec![said_form(sentence)];
    for from in 0..clauses.len().min(CLAUSES_MAX) {
        if !clauses.iter().take(from).all(|clause| may_miss(clause, true)) {
            break;
        }
        for to in (from + 1..=clauses.len()).rev() {
            if !clauses.iter().skip(to).all(|clause| may_miss(clause, false)) {
                break;
            }
            let said = clauses.get(from..to).unwrap_or_default().concat();
            forms.extend([said_form(without_lead(&said)), said_form(&said)]);
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Splits a sentence behind the signs between its clauses; those of `1,000` and `12:00` are none.
fn clauses_of(sentence: &str) -> Vec<&str> {
    let (mut clauses, mut from) = (Vec::new(), 0);
    for (at, sign) in sentence.match_indices(CLAUSE_ENDS) {
        let to = at + sign.len();
        if !sign.is_ascii() || sentence.as_bytes().get(to).is_some_and(u8::is_ascii_whitespace) {
            clauses.extend(sentence.get(from..to));
            from = to;
        }
    }
    clauses.extend(sentence.get(from..).filter(|rest| !rest.trim().is_empty()));
    clauses
}

/// A clause without the words that ask to remember it.
fn without_lead(clause: &str) -> &str {
    let clause = clause.trim_start();
    let leads = entries("remark").chain(entries("remember"));
    let found = leads.filter_map(|lead| {
        let rest = clause.get(lead.len()..)?;
        (clause.get(..lead.len())?.eq_ignore_ascii_case(lead) && rest.starts_with([' ', ':'])).then_some(rest)
    });
    found.min_by_key(|rest| rest.len()).unwrap_or(clause)
}

/// A sentence as it is known, however its signs were typed.
fn said_form(sentence: &str) -> String {
    let plain: String = sentence
        .nfkc()
        .map(|sign| if sign == '\u{2019}' { '\'' } else { sign })
        .collect();
    spoken_words(&plain).join(" ")
}

/// True if a person types the prompts: programs that start an agent write them as well.
fn is_typed(call: &Call) -> bool {
    match call.host {
        Host::Cursor | Host::Windsurf | Host::Acp => true,
        Host::Claude => claude_entry().map_or_else(has_terminal, |entry| TYPED_IN.iter().any(|typed| entry == **typed)),
        // Its hooks have no terminal, and its session says how it was started.
        Host::Codex => call
            .transcript
            .as_deref()
            .and_then(codex_source)
            .map_or_else(has_terminal, |source| CODEX_TYPED_IN.contains(&source.as_str())),
        _ => has_terminal(),
    }
}
