//! SQL: what is created, and which of it functions, views and scripts read.

use super::{Family, Language};

pub(super) static LANGUAGE: Language = Language {
    name: "sql",
    extensions: &["sql"],
    family: Family::Own(13),
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    query: include_str!("query.scm"),
    comments: &["--", "/*", "*"],
    has_long_lines: true,
    mentions_resolve_by_name: true,
    ..Language::DEFAULTS
};
