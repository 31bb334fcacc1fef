//! C.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Modules, unquoted};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "c",
    extensions: &["c"],
    family: Family::C,
    modules: Modules::Includes,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
    ..Language::PLAIN
};

pub(super) fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(path) = node.child_by_field_name("path") else {
        return;
    };
    found.push(Import {
        local: Cow::Borrowed(""),
        name: Cow::Borrowed("*"),
        module: unquoted(path, source),
        is_exported: true,
    });
}
