//! C++, and header files, which may be either.

use super::{Syntax, c};

pub(super) const SYNTAX: Syntax = Syntax {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    query: concat!(include_str!("../c/query.scm"), include_str!("query.scm")),
    import: c::import,
};
