//! TypeScript and TSX, which are two grammars.

use super::Language;
use super::javascript::SCRIPT;

pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: concat!(include_str!("../javascript/query.scm"), include_str!("query.scm")),
    ..SCRIPT
};

pub(super) static TSX: Language = Language {
    name: "tsx",
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: concat!(
        include_str!("../javascript/query.scm"),
        include_str!("query.scm"),
        include_str!("tsx.scm")
    ),
    ..SCRIPT
};
