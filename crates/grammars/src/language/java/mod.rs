//! Java.

use std::borrow::Cow;

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
        found.push(package(path));
    } else if is_all {
        found.push(Import {
            local: Cow::Borrowed(""),
            name: Cow::Borrowed("*"),
            module: path,
            is_exported: false,
        });
    } else {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
        found.push(Import {
            local: Cow::Owned(name.to_owned()),
            name: Cow::Owned(name.to_owned()),
            module: Cow::Owned(module.to_owned()),
            is_exported: false,
        });
    }
}

/// Represents the package of a file as an import of everything in it without a name.
fn package(path: Cow<'_, str>) -> Import<'_> {
    Import {
        local: Cow::Borrowed("package"),
        name: Cow::Borrowed("package"),
        module: path,
        is_exported: false,
    }
}
