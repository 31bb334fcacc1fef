//! Markdown: its sections.

use super::{Family, Language};

pub(super) static LANGUAGE: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown"],
    family: Family::Own(14),
    grammar: || tree_sitter_md::LANGUAGE.into(),
    query: include_str!("query.scm"),
    comments: &[],
    has_long_lines: true,
    ..Language::DEFAULTS
};
