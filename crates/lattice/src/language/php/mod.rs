//! PHP.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Module, ModuleSystem, children, text};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "php",
    extensions: &["php", "phtml"],
    family: Family::Own(11),
    modules: ModuleSystem::Packages,
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    query: include_str!("query.scm"),
    self_names: &["$this", "self", "static", "parent"],
    comments: &["//", "/*", "*", "#"],
    common_methods: &[
        "add", "all", "close", "count", "create", "delete", "execute", "fetch", "filter", "find", "first", "format",
        "get", "getName", "has", "map", "open", "query", "read", "remove", "render", "run", "save", "send", "set",
        "toArray", "update", "where", "write",
    ],
    base_names: &["parent"],
    import,
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
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
        found.push(Import {
            local: alias.unwrap_or_else(|| Cow::Owned(name.to_owned())),
            name: Cow::Owned(name.to_owned()),
            module: Cow::Owned(module.to_owned()),
            is_exported: false,
        });
    }
}
