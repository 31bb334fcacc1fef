//! C.

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, unquoted};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

pub(super) fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(path) = node.child_by_field_name("path") else {
        return;
    };
    found.push(Import::all(unquoted(path, source)).exported());
}
