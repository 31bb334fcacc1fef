//! Markdown: its sections.

use super::{InteropGroup, Language};

pub(super) static LANGUAGE: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown"],
    interop_group: InteropGroup::Alone(14),
    comments: &[],
    has_long_lines: true,
    ..Language::DEFAULTS
};
