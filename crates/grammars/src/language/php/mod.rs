//! PHP.

use std::borrow::Cow;

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    for clause in children(node)
        .into_iter()
        .filter(|child| child.kind() == "namespace_use_clause")
    {
        let alias = clause.child_by_field_name("alias").map(|alias| text(alias, source));
        let Some(path) = clause.named_child(0).map(|path| text(path, source)) else {
            continue;
        };
        let path = path.trim_start_matches('\\');
        let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
        found.push(Import::of(
            alias.unwrap_or_else(|| Cow::Owned(name.to_owned())),
            name.to_owned(),
            module.to_owned(),
        ));
    }
}
