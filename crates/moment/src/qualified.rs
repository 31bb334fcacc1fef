//! Qualified names, such as `Frame::encode`, `Process.sleep` and `CheckoutController@store`: texts name one member by them.

use crate::lines::{head, pattern};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QualifiedName {
    /// As written: `Shop.Repo.insert`.
    pub whole: String,
    /// The last part before the member: `Repo`.
    pub owner: String,
    pub member: String,
}

pattern!(
    /// The text behind the dot of a file, a domain or an abbreviation.
    suffix,
    r"(?i)^(tsx|jsx|mjs|cjs|mts|cts|json5?|ya?ml|toml|lock|exs|erl|hrl|java|kts|scala|cpp|hpp|html?|s?css|less|sql|xml|txt|php|vue|svelte|conf|ini|cfg|env|lua|swift|dart|proto|gradle|bat|ps1|zsh|bash|mdx?|rst|csv|png|svg|pdf|zip|log|com|org|net|dev)$"
);
/// The characters behind a name that show how it is used.
const AFTER_READ: usize = 80;
const OWNERS_MAX: usize = 7;

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

pub(crate) fn qualified_names_in(text: &str) -> Vec<QualifiedName> {
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or(b' ');
    let mut names = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        let first = at(place);
        let before = if place == 0 { b' ' } else { at(place - 1) };
        let begins = (first.is_ascii_alphabetic() || first == b'_') && !is_word(before) && !b"./@#:-".contains(&before);
        if !begins {
            place += 1;
            continue;
        }
        // The names of a chain, with the separator before each.
        let mut chain: Vec<(usize, usize, &str)> = Vec::new();
        let (mut start, mut separator) = (place, "");
        loop {
            let mut end = start;
            while is_word(at(end)) {
                end += 1;
            }
            chain.push((start, end, separator));
            separator = match (at(end), at(end + 1)) {
                (b':', b':') => "::",
                (b'.', _) => ".",
                (b'@', _) => "@",
                (b'#', _) => "#",
                _ => break,
            };
            let next = at(end + separator.len());
            if !(next.is_ascii_alphabetic() || next == b'_') || chain.len() > OWNERS_MAX {
                break;
            }
            start = end + separator.len();
        }
        let found = (1..chain.len()).rev().find_map(|last| {
            let (owner, member) = (chain.get(last - 1)?, chain.get(last)?);
            let length = |(start, end, _): &(usize, usize, &str)| end - start;
            let is_path = chain
                .get(1..last)?
                .iter()
                .all(|(.., separator)| matches!(*separator, "::" | "."));
            let fits = (2..=64).contains(&length(owner)) && (3..=64).contains(&length(member));
            let ends = !matches!(at(member.1), b'/' | b'@');
            (is_path && fits && ends).then_some((*owner, *member))
        });
        let Some((owner, member)) = found else {
            place = chain.last().map_or(place + 1, |(_, end, _)| *end).max(place + 1);
            continue;
        };
        let part = |(start, end, _): (usize, usize, &str)| text.get(start..end).unwrap_or_default();
        let whole = text.get(place..member.1).unwrap_or_default();
        let is_file = suffix().is_match(part(member)) && !whole.contains("::");
        if !is_file && !matches!(part(owner), "this" | "self" | "super" | "cls") {
            names.push(QualifiedName {
                whole: whole.to_owned(),
                owner: part(owner).to_owned(),
                member: part(member).to_owned(),
            });
        }
        place = member.1;
    }
    names
}

/// True if a text contains a name as a whole, or as the beginning of a longer one. In lower case it must be called or indexed:
/// `app.ride` may be a package.
pub(crate) fn has_name(text: &str, name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.');
    text.match_indices(name).any(|(at, _)| {
        let before = text.as_bytes().get(at.wrapping_sub(1)).copied().unwrap_or(b' ');
        let after = head(text.get(at + name.len()..).unwrap_or_default(), AFTER_READ);
        let is_whole = !is_word(before) && !b".:".contains(&before) && !after.bytes().next().is_some_and(is_word);
        is_whole && (!is_plain || is_used(after))
    })
}

/// True if a name is called or indexed, itself or a member of it.
fn is_used(after: &str) -> bool {
    let rest = match after.strip_prefix('.') {
        Some(member) => member.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        None => after,
    };
    rest.starts_with(['(', '['])
}

/// True if a type is named like a file: `frame.rs` and `Frame`, `save_game.rb` and `SaveGame`.
pub(crate) fn is_named_after(name: &str, path: &str) -> bool {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let file = path.rsplit('/').next().unwrap_or(path);
    plain(name) == plain(file.split('.').next().unwrap_or(file))
}
