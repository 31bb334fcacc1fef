//! Ruby.

use super::{Syntax, no_imports};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    query: include_str!("query.scm"),
    import: no_imports,
};
