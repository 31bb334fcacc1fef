//! Ruby.

use super::{InteropGroup, Language};

pub(super) static LANGUAGE: Language = Language {
    name: "ruby",
    extensions: &["rb", "rake", "gemspec"],
    interop_group: InteropGroup::Alone(10),
    self_names: &["self"],
    self_is_implied: true,
    modules_own_functions: true,
    comments: &["#"],
    globals: &[
        "Array", "Comparable", "Date", "DateTime", "Dir", "ENV", "Encoding", "Enumerable", "Fiber", "File",
        "FileUtils", "Float", "GC", "Hash", "IO", "Integer", "JSON", "Kernel", "Marshal", "Math", "Mutex",
        "ObjectSpace", "Pathname", "Process", "Random", "Range", "Regexp", "Set", "Signal", "String", "Struct",
        "Symbol", "Thread", "Time", "YAML",
    ],
    common_methods: &[
        "all", "any?", "call", "close", "compact", "concat", "count", "delete", "dup", "each", "each_with_index",
        "empty?", "fetch", "find", "first", "flatten", "format", "freeze", "get", "gsub", "hash", "include?", "inject",
        "is_a?", "join", "key?", "keys", "last", "length", "lines", "map", "match", "merge", "name", "new", "nil?",
        "open", "pop", "push", "read", "reject", "replace", "respond_to?", "reverse", "select", "send", "size", "sort",
        "sort_by", "split", "start_with?", "strip", "sub", "to_a", "to_h", "to_i", "to_s", "to_sym", "uniq", "update",
        "upcase", "values", "write",
    ],
    ..Language::DEFAULTS
};
