//! Bash and other shells of its kind.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, ModuleSystem, unquoted};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "bash",
    extensions: &["sh", "bash", "bats"],
    family: Family::Own(12),
    modules: ModuleSystem::Includes,
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    query: include_str!("query.scm"),
    comments: &["#"],
    import,
    find_module: super::c::find_included,
    ..Language::DEFAULTS
};

/// `source "$here/lib.sh"`: what can be known of the path is its end.
fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let path = unquoted(node, source);
    let known = path
        .rfind(['$', '}', ')'])
        .map_or(&*path, |at| path[at..].split_once('/').map_or("", |(_, rest)| rest));
    found.push(Import {
        local: Cow::Borrowed(""),
        name: Cow::Borrowed("*"),
        module: Cow::Owned(known.to_owned()),
        is_exported: true,
    });
}
