//! Java.

use super::{InteropGroup, Language, Module, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "java",
    extensions: &["java"],
    interop_group: InteropGroup::Alone(6),
    modules: ModuleSystem::Packages,
    self_names: &["this", "super"],
    self_is_implied: true,
    names_are_imported: true,
    globals: &[
        "Boolean", "Byte", "Character", "Class", "ClassLoader", "Double", "Enum", "Float", "Integer", "Long", "Math",
        "Process", "Runtime", "Short", "StrictMath", "String", "StringBuffer", "StringBuilder", "System", "Thread",
        "ThreadLocal",
    ],
    common_methods: &[
        "accept", "add", "addAll", "append", "apply", "build", "charAt", "clear", "close", "collect", "compareTo",
        "contains", "containsKey", "endsWith", "entrySet", "equals", "filter", "flush", "forEach", "format", "get",
        "getClass", "getKey", "getName", "getValue", "hasNext", "hashCode", "indexOf", "isEmpty", "isPresent",
        "iterator", "keySet", "length", "map", "next", "of", "orElse", "parse", "print", "println", "put", "read",
        "remove", "replace", "run", "set", "size", "sort", "split", "startsWith", "stream", "substring", "toArray",
        "toLowerCase", "toString", "trim", "valueOf", "values", "write",
    ],
    base_names: &["super"],
    base_constructor: Some("super"),
    find_module: |files, file, spec| Module::of_files(files.in_package(file, spec).iter().copied()),
    ..Language::DEFAULTS
};
