//! Java.

use forge_memory_lattice::facts::Import;
use tree_sitter::Node;

use super::{Imports, Syntax, children, text};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import,
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let is_all = children(node).iter().any(|child| child.kind() == "asterisk");
    let Some(path) = children(node)
        .into_iter()
        .find(|c| matches!(c.kind(), "scoped_identifier" | "identifier"))
    else {
        return;
    };
    let path = text(path, source);
    if node.kind() == "package_declaration" {
        // The package of a file is an import of everything in it without a name.
        found.push(Import::of("package", "package", path));
    } else if is_all {
        found.push(Import::all(path));
    } else {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
        found.push(Import::of(name.to_owned(), name.to_owned(), module.to_owned()));
    }
}
