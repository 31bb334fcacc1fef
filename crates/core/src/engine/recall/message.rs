//! The message of an answer: why it is empty, which words were corrected, which files could not be read.

use crate::engine::embedding::Coverage;
use crate::index::Correction;

/// The facts that the message tells.
pub(super) struct AnswerFacts<'a> {
    pub query: &'a str,
    pub is_wordless: bool,
    pub is_empty: bool,
    /// True if there is no memory that could have been found.
    pub is_bare: bool,
    pub corrected: &'a [Correction],
    pub problems: &'a [String],
}

/// Returns the message; `None` when records were found by the words as they were typed.
pub(super) fn message_of(facts: &AnswerFacts<'_>) -> Option<String> {
    let mut parts: Vec<String> = facts.corrected.iter().map(explain_correction).collect();
    if facts.is_empty {
        parts.push(match (facts.is_bare, facts.is_wordless) {
            (true, _) => "No memories found.".to_owned(),
            (_, true) => "The query has no words to search for.".to_owned(),
            _ => format!("No matches for {}.", quote_query(facts.query)),
        });
    }
    parts.extend(facts.problems.iter().map(|problem| format!("Not searched: {problem}.")));
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the message when no hit is relevant.
pub(super) fn nothing_relevant(query: &str, before: Option<String>) -> String {
    let quoted = quote_query(query);
    let said = format!(
        "No match for {quoted}: the nearest records are about something else. \
         Try a name, an error code or other words that a record would contain."
    );
    before.map_or_else(|| said.clone(), |before| format!("{before} {said}"))
}

/// Returns the remark of a search of which many records could not be compared.
pub(super) fn poorly_covered(coverage: Coverage) -> String {
    let Coverage { covered, total, .. } = coverage;
    format!("Only {covered} of {total} texts have vectors: the others were searched by words (forge-memory embed).")
}

fn explain_correction(correction: &Correction) -> String {
    let words: Vec<String> = correction.taken_for.iter().map(|word| quote_query(word)).collect();
    format!(
        "Nothing has {}: searched for {}.",
        quote_query(&correction.word),
        words.join(", ")
    )
}

fn quote_query(query: &str) -> String {
    let short: String = query.chars().filter(|c| !c.is_control()).take(120).collect();
    format!("\"{short}\"")
}
