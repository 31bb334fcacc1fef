//! PHP.

use super::{InteropGroup, Language, Module, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "php",
    extensions: &["php", "phtml"],
    interop_group: InteropGroup::Alone(11),
    modules: ModuleSystem::Packages,
    self_names: &["$this", "self", "static", "parent"],
    comments: &["//", "/*", "*", "#"],
    common_methods: &[
        "add", "all", "close", "count", "create", "delete", "execute", "fetch", "filter", "find", "first", "format",
        "get", "getName", "has", "map", "open", "query", "read", "remove", "render", "run", "save", "send", "set",
        "toArray", "update", "where", "write",
    ],
    base_names: &["parent"],
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
};
