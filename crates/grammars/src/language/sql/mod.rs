//! SQL: created objects, and which of them functions, views and scripts read.

use super::{Syntax, no_imports};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import: no_imports,
};
