//! Rust.

mod modules;

use super::{InteropGroup, Language, Manifest, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "rust",
    extensions: &["rs"],
    interop_group: InteropGroup::Alone(4),
    modules: ModuleSystem::Crates,
    self_names: &["self", "Self"],
    comments: &["//", "/*", "*"],
    names_are_imported: true,
    common_methods: &[
        "abs", "all", "and_then", "any", "append", "as_bytes", "as_deref", "as_mut", "as_ref", "as_slice", "as_str",
        "borrow", "borrow_mut", "bytes", "chain", "chars", "clear", "clone", "cloned", "cmp", "collect", "contains",
        "contains_key", "copied", "count", "default", "display", "drain", "ends_with", "entry", "enumerate", "eq",
        "err", "expect", "extend", "filter", "filter_map", "find", "first", "flat_map", "flatten", "flush", "fmt",
        "fold", "from", "get", "get_mut", "get_or_insert_with", "hash", "insert", "into", "into_iter", "is_dir",
        "is_empty", "is_err", "is_file", "is_none", "is_ok", "is_some", "is_some_and", "iter", "iter_mut", "join",
        "keys", "last", "len", "lines", "load", "lock", "map", "map_err", "map_or", "max", "min", "new", "next", "ok",
        "ok_or", "ok_or_else", "or_default", "or_else", "or_insert", "or_insert_with", "parse", "path", "pop",
        "position", "push", "push_str", "read", "read_to_end", "read_to_string", "remove", "replace", "resize", "rev",
        "seek", "set", "skip", "sort", "sort_by", "sort_by_key", "sort_unstable", "split", "split_at", "splitn",
        "starts_with", "store", "sum", "take", "then", "to_owned", "to_string", "to_vec", "trim", "truncate",
        "try_from", "try_into", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "values", "windows",
        "with_capacity", "write", "write_all", "write_str", "zip",
    ],
    types_are_called: true,
    manifest: Some(Manifest {
        file_name: modules::MANIFEST,
        name: modules::manifest_name,
    }),
    find_module: modules::find_module,
    module_path: modules::module_path,
    ..Language::DEFAULTS
};
