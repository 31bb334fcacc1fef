//! Bash and compatible shells.

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, unquoted};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

/// In `source "$here/lib.sh"` only the end of the path is known.
fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let path = unquoted(node, source);
    let known = path
        .rsplit_once(['$', '}', ')'])
        .map_or(&*path, |(_, end)| end.split_once('/').map_or("", |(_, rest)| rest));
    found.push(Import::all(known.to_owned()).exported());
}
