//! SQL: created objects, and which of them functions, views and scripts read.

use super::{InteropGroup, Language};

pub(super) static LANGUAGE: Language = Language {
    name: "sql",
    extensions: &["sql"],
    interop_group: InteropGroup::Alone(13),
    comments: &["--", "/*", "*"],
    has_long_lines: true,
    mentions_resolve_by_name: true,
    ..Language::DEFAULTS
};
