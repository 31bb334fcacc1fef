//! C++, and header files, which may be either.

use super::{InteropGroup, Language, ModuleSystem, c};

pub(super) static LANGUAGE: Language = Language {
    name: "cpp",
    extensions: &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "ipp"],
    interop_group: InteropGroup::C,
    modules: ModuleSystem::Includes,
    self_names: &["this", "(*this)", "*this"],
    self_is_implied: true,
    common_methods: &[
        "append", "assign", "at", "back", "begin", "c_str", "clear", "close", "count", "data", "emplace",
        "emplace_back", "empty", "end", "erase", "find", "first", "front", "get", "insert", "length", "load", "lock",
        "open", "pop", "pop_back", "push", "push_back", "read", "release", "reserve", "reset", "resize", "size",
        "store", "str", "substr", "swap", "top", "unlock", "wait", "write",
    ],
    types_are_called: true,
    macros_are_called: true,
    body_extensions: &["cc", "cpp", "cxx", "inl"],
    find_module: c::find_included,
    ..Language::DEFAULTS
};
