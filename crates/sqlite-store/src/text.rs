//! Terms of the full-text index: the terms of recall, encoded as hashes.

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use forge_memory_core::text::{TermHash, Terms};

/// Returns the words of a text, and the terms without a position in it, each as one text.
pub(super) fn index_terms(terms: &mut Terms, content: &str, tags: &[String]) -> (String, String) {
    terms.clear();
    terms.add(content);
    for tag in tags {
        terms.add(tag);
    }
    terms.extras.append(&mut terms.spellings);
    (written(&terms.words), written(&terms.extras))
}

/// Returns the terms that filter by project and type.
pub(super) fn scope_terms(project: &str, kind: &str) -> String {
    format!("{} {}", project_term(project), kind_term(kind))
}

/// Returns the expression of FTS5 for rows with any of the terms.
pub(super) fn any_of(terms: impl Iterator<Item = TermHash>) -> String {
    let mut names: Vec<String> = terms.map(|term| format!("\"{}\"", term_name(term))).collect();
    names.sort_unstable();
    names.join(" OR ")
}

/// Restricts an expression to the terms of texts, and to a project and a type.
pub(super) fn in_scope(expression: &str, project: Option<&str>, kind: Option<&str>) -> String {
    let mut restricted = format!("{{word part}} : ({expression})");
    for term in [project.map(project_term), kind.map(kind_term)].into_iter().flatten() {
        let _ = write!(restricted, " AND scope : \"{term}\"");
    }
    restricted
}

/// Returns the name of a term in the full-text index.
pub(super) fn term_name(term: TermHash) -> String {
    format!("{term:016x}")
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
