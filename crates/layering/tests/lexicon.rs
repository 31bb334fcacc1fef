//! The lexicon is the one table of words: each of its kinds is read by somebody, and only the tokenizer splits texts at signs of its own.

#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the texts of all sources below a folder, with their paths.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = path.extension().is_some_and(|ending| ending == "rs") || path.ends_with("rules.txt");
        if path.is_dir() {
            sources(&path, found);
        } else if is_source {
            let name = path
                .strip_prefix(crates())
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut found);
        }
    }
    found
}

/// True if a text has a word that no letter or hyphen goes on.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .any(|own| own.trim_start_matches('-') == word)
}

#[test]
fn somebody_reads_each_kind_of_the_lexicon() {
    let table = fs::read_to_string(crates().join("text/src/lexicon.txt")).unwrap();
    let sources = all_sources();
    let rules: Vec<&str> = sources
        .iter()
        .filter(|(name, _)| name.starts_with("transcripts/src/learn/"))
        .map(|(_, text)| text.as_str())
        .collect();
    let is_in = |text: &str| sources.iter().any(|(_, source)| source.contains(text));
    let heads = table.split("\n[").skip(1).map(|row| row.split_once(']').unwrap().0);
    let kinds = heads.map(|head| head.rsplit_once(' ').unwrap().0);
    let unread = kinds.filter(|kind| {
        let is_named = is_in(&format!("\"{kind}\""));
        // Kinds of what people say are conditions of rules, and the last word of others is a purpose.
        let is_condition = || {
            kind.strip_prefix("said ")
                .is_some_and(|kind| rules.iter().any(|rule| has_word(rule, kind)))
        };
        let is_group = || {
            let group = kind.rsplit_once(' ').map(|(group, _)| group);
            group.is_some_and(|group| is_in(&format!("listed(\"{group}\"")) || is_in(&format!("\"{group} {{}}\"")))
        };
        !(is_named || is_condition() || is_group())
    });
    assert_eq!(unread.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn runs_of_letters_and_digits_are_found_by_the_tokenizer_alone() {
    let splits = |text: &str| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut behind = code
            .split(".split(")
            .skip(1)
            .map(|rest| rest.split(';').next().unwrap_or_default());
        behind.any(|rest| rest.contains("!c.is_alphanumeric()"))
    };
    let sources = all_sources();
    let others = sources
        .iter()
        .filter(|(name, text)| splits(text) && !name.starts_with("text/src/tokenization/"));
    assert_eq!(
        others.map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
    assert!(splits("a.split(|c: char| !c.is_alphanumeric())") && !splits("a.split(' ')"));
}
