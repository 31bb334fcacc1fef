//! Terms of the full-text index: the terms of recall, encoded as hashes.

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use forge_memory_core::text::{TermHash, Terms, query_words};

/// The maximum number of words of a query.
const WORDS_MAX: usize = 32;

/// Returns the words of a text and their variants, each joined to one text.
pub(super) fn index_terms(terms: &mut Terms, content: &str, tags: &[String]) -> (String, String) {
    terms.clear();
    terms.add(content);
    for tag in tags {
        terms.add(tag);
    }
    (written(&terms.words), written(&terms.extras))
}

/// Returns the terms for the filters on project and type.
pub(super) fn scope_terms(project: &str, kind: &str) -> String {
    format!("{} {}", project_term(project), kind_term(kind))
}

/// Returns the FTS5 match expression; `None` when the query has no word.
pub(super) fn match_expression(query: &str, project: Option<&str>, kind: Option<&str>) -> Option<String> {
    let words = query_words(query);
    let all_common = words.iter().all(|word| word.common);
    let wanted = words.iter().filter(|word| all_common || !word.common).take(WORDS_MAX);
    let mut hashes: Vec<TermHash> = wanted
        .flat_map(|word| word.lists.iter().map(|(hash, _)| *hash))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    if hashes.is_empty() {
        return None;
    }
    let mut expression = String::from("{word part} : (");
    for (number, hash) in hashes.iter().enumerate() {
        let or = if number > 0 { " OR " } else { "" };
        let _ = write!(expression, "{or}\"{hash:016x}\"");
    }
    expression.push(')');
    for term in [project.map(project_term), kind.map(kind_term)].into_iter().flatten() {
        let _ = write!(expression, " AND scope : \"{term}\"");
    }
    Some(expression)
}

fn project_term(project: &str) -> String {
    format!("p{:016x}", xxh3_64(project.as_bytes()))
}

fn kind_term(kind: &str) -> String {
    format!("t{:016x}", xxh3_64(kind.as_bytes()))
}

fn written(hashes: &[TermHash]) -> String {
    let mut out = String::with_capacity(hashes.len() * 17);
    for hash in hashes {
        let _ = write!(out, "{hash:016x} ");
    }
    out
}
