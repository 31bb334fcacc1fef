//! JavaScript and JSX, and the parts that TypeScript shares with them.

mod modules;

use super::{InteropGroup, Language, Manifest, ModuleSystem};

pub(super) static LANGUAGE: Language = Language {
    name: "javascript",
    extensions: &["js", "mjs", "cjs", "jsx"],
    ..SCRIPT
};

pub(super) const SCRIPT: Language = Language {
    interop_group: InteropGroup::Script,
    modules: ModuleSystem::Paths,
    self_names: &["this", "super"],
    base_names: &["super"],
    base_constructor: Some("super"),
    functions_construct: true,
    has_free_methods: true,
    global_object: Some("globalThis"),
    manifest: Some(Manifest {
        file_name: modules::MANIFEST,
        name: modules::manifest_name,
    }),
    names_are_imported: true,
    common_methods: &[
        "abort", "add", "addEventListener", "all", "appendChild", "apply", "assign", "at", "bind", "call", "catch",
        "charAt", "charCodeAt", "clear", "close", "concat", "create", "createElement", "debug", "defineProperty",
        "delete", "destroy", "emit", "end", "endsWith", "entries", "error", "every", "exec", "fill", "filter",
        "finally", "find", "findIndex", "flat", "flatMap", "floor", "forEach", "freeze", "from", "get", "getAttribute",
        "getTime", "has", "hasOwnProperty", "includes", "indexOf", "info", "isArray", "join", "json", "keys",
        "lastIndexOf", "length", "log", "map", "match", "max", "min", "next", "now", "off", "on", "once", "open",
        "parse", "pipe", "pop", "push", "read", "reduce", "reject", "removeListener", "repeat", "replace",
        "replaceAll", "resolve", "reverse", "round", "send", "set", "setAttribute", "shift", "slice", "some", "sort",
        "splice", "split", "start", "startsWith", "stop", "stringify", "substr", "substring", "test", "then",
        "toFixed", "toISOString", "toJSON", "toLowerCase", "toString", "toUpperCase", "trim", "trimEnd", "trimStart",
        "unshift", "update", "valueOf", "values", "warn", "write",
    ],
    globals: &[
        "AbortController", "AbortSignal", "Array", "ArrayBuffer", "Atomics", "BigInt", "Boolean", "Buffer", "Bun",
        "CSS", "Date", "Deno", "Error", "FormData", "Headers", "Intl", "Iterator", "JSON", "Map", "Math", "Number",
        "Object", "Promise", "Proxy", "Reflect", "RegExp", "Request", "Response", "Set", "String", "Symbol",
        "TextDecoder", "TextEncoder", "URL", "URLSearchParams", "WeakMap", "WeakSet", "WebAssembly", "caches",
        "clearImmediate", "console", "crypto", "customElements", "document", "fetch", "history", "indexedDB",
        "localStorage", "location", "navigator", "performance", "process", "sessionStorage",
    ],
    find_module: modules::find_module,
    is_declaration_file: |path| path.contains(".d."),
    ..Language::DEFAULTS
};
