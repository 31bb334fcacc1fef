//! Rust.

mod modules;

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Manifest, ModuleSystem, children, text};
use crate::facts::Import;

pub(super) static LANGUAGE: Language = Language {
    name: "rust",
    extensions: &["rs"],
    family: Family::Own(4),
    modules: ModuleSystem::Crates,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: include_str!("query.scm"),
    self_names: &["self", "Self"],
    comments: &["//", "/*", "*"],
    names_are_imported: true,
    common_methods: &[
        "abs",
        "all",
        "and_then",
        "any",
        "append",
        "as_bytes",
        "as_deref",
        "as_mut",
        "as_ref",
        "as_slice",
        "as_str",
        "borrow",
        "borrow_mut",
        "bytes",
        "chain",
        "chars",
        "clear",
        "clone",
        "cloned",
        "cmp",
        "collect",
        "contains",
        "contains_key",
        "copied",
        "count",
        "default",
        "display",
        "drain",
        "ends_with",
        "entry",
        "enumerate",
        "eq",
        "err",
        "expect",
        "extend",
        "filter",
        "filter_map",
        "find",
        "first",
        "flat_map",
        "flatten",
        "flush",
        "fmt",
        "fold",
        "from",
        "get",
        "get_mut",
        "get_or_insert_with",
        "hash",
        "insert",
        "into",
        "into_iter",
        "is_dir",
        "is_empty",
        "is_err",
        "is_file",
        "is_none",
        "is_ok",
        "is_some",
        "is_some_and",
        "iter",
        "iter_mut",
        "join",
        "keys",
        "last",
        "len",
        "lines",
        "load",
        "lock",
        "map",
        "map_err",
        "map_or",
        "max",
        "min",
        "new",
        "next",
        "ok",
        "ok_or",
        "ok_or_else",
        "or_default",
        "or_else",
        "or_insert",
        "or_insert_with",
        "parse",
        "path",
        "pop",
        "position",
        "push",
        "push_str",
        "read",
        "read_to_end",
        "read_to_string",
        "remove",
        "replace",
        "resize",
        "rev",
        "seek",
        "set",
        "skip",
        "sort",
        "sort_by",
        "sort_by_key",
        "sort_unstable",
        "split",
        "split_at",
        "splitn",
        "starts_with",
        "store",
        "sum",
        "take",
        "then",
        "to_owned",
        "to_string",
        "to_vec",
        "trim",
        "truncate",
        "try_from",
        "try_into",
        "unwrap",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
        "values",
        "windows",
        "with_capacity",
        "write",
        "write_all",
        "write_str",
        "zip",
    ],
    types_are_called: true,
    manifest: Some(Manifest {
        file_name: modules::MANIFEST,
        name: modules::manifest_name,
    }),
    import,
    find_module: modules::find_module,
    module_path: modules::module_path,
    ..Language::DEFAULTS
};

fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let is_exported = children(node).iter().any(|child| child.kind() == "visibility_modifier");
    match node.kind() {
        "mod_item" => {
            let Some(name) = node.child_by_field_name("name") else {
                return;
            };
            let name = text(name, source);
            found.push(Import {
                module: Cow::Owned(format!("self::{name}")),
                local: name,
                name: Cow::Borrowed("*"),
                is_exported: true,
            });
        }
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                uses(argument, source, is_exported, found);
            }
        }
        _ => {}
    }
}

/// Walks a tree of `use` with an explicit stack, since generated code may nest ten thousand of them.
fn uses<'a>(root: Node<'_>, source: &'a [u8], is_exported: bool, found: &mut Imports<'a>) {
    let mut stack = vec![(root, String::new())];
    let joined = |prefix: &str, part: &str| {
        if prefix.is_empty() {
            part.to_owned()
        } else {
            format!("{prefix}::{part}")
        }
    };
    while let Some((node, prefix)) = stack.pop() {
        // What is nested deeper than any program is no path.
        if prefix.len() > 1000 {
            continue;
        }
        let mut push = |path: String, local: Option<Cow<'a, str>>| {
            let (module, name) = match path.rsplit_once("::") {
                Some((module, name)) => (module.to_owned(), name.to_owned()),
                None => (String::new(), path),
            };
            // `use a::b::{self}` is `use a::b`.
            let (module, name) = if name == "self" {
                match module.rsplit_once("::") {
                    Some((m, n)) => (m.to_owned(), n.to_owned()),
                    None => (String::new(), module),
                }
            } else {
                (module, name)
            };
            found.push(Import {
                local: local.unwrap_or_else(|| Cow::Owned(name.clone())),
                name: Cow::Owned(name),
                module: Cow::Owned(module),
                is_exported,
            });
        };
        match node.kind() {
            "use_list" => stack.extend(children(node).into_iter().map(|child| (child, prefix.clone()))),
            "scoped_use_list" => {
                let path = node
                    .child_by_field_name("path")
                    .map(|path| text(path, source))
                    .unwrap_or_default();
                if let Some(list) = node.child_by_field_name("list") {
                    stack.push((list, joined(&prefix, &path)));
                }
            }
            "use_as_clause" => {
                if let (Some(path), Some(alias)) = (node.child_by_field_name("path"), node.child_by_field_name("alias"))
                {
                    push(joined(&prefix, &text(path, source)), Some(text(alias, source)));
                }
            }
            "use_wildcard" => {
                let path = node.named_child(0).map(|path| text(path, source)).unwrap_or_default();
                found.push(Import {
                    local: Cow::Borrowed(""),
                    name: Cow::Borrowed("*"),
                    module: Cow::Owned(joined(&prefix, &path)),
                    is_exported,
                });
            }
            _ => push(joined(&prefix, &text(node, source)), None),
        }
    }
}
