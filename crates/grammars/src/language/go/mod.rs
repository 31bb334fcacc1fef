//! Go.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, text, unquoted};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(path) = node.child_by_field_name("path").map(|path| unquoted(path, source)) else {
        return;
    };
    let local = match node.child_by_field_name("name").map(|name| text(name, source)) {
        Some(name) if name == "." => Cow::Borrowed(""),
        Some(name) => name,
        None => Cow::Owned(package_name(&path).to_owned()),
    };
    found.push(Import::of(local, "*", path));
}

/// Returns the last component of the path that is not a version.
fn package_name(path: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_version = |part: &&str| part.strip_prefix('v').is_some_and(is_number);
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}
