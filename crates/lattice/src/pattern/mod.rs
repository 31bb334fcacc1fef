//! The patterns of a language's query, and where a tree has them.
//!
//! The queries are written in the language of tree-sitter's own, of which this knows what they need: kinds, fields, `!field`,
//! `_`, `[..]`, literals, anchors and `#eq?`, `#any-of?`. Its engine steps from node to node with all patterns in hand; here
//! the nodes are read once into a list, and only those that a pattern can begin with are looked at again. That is several
//! times as fast, and a query is ready at once. A test holds both to the same findings.

mod compile;
mod find;
mod read;
mod spots;
#[cfg(test)]
mod tests;

pub use find::{CAPTURES_MAX, Match};
pub use spots::Spots;

/// The patterns of one query, for one grammar.
pub struct Patterns {
    patterns: Vec<Step>,
    /// By the kind of a node, the patterns that begin with it.
    begin: Vec<Vec<u16>>,
    /// By the kind of a node, what has to be known of it.
    needs: Vec<Needs>,
    captures: Vec<String>,
}

/// What has to be known of the nodes of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    is_named: bool,
    /// Nothing: it is no part of any pattern.
    is_left_out: bool,
    /// A pattern asks for fields of it.
    fields: bool,
}

/// A node of a pattern.
#[derive(Debug, Clone, Default)]
struct Step {
    what: What,
    field: Option<u16>,
    /// Fields that it must not have.
    without: Vec<u16>,
    /// Its text is one of these, unless there are none.
    texts: Vec<String>,
    captures: Vec<u16>,
    children: Vec<Step>,
    /// No named node stands between the one before and this one.
    is_next: bool,
    /// No named node stands behind it.
    is_last: bool,
    /// Whether anything in it is captured: if not, one place where it stands is as good as any.
    is_telling: bool,
}

/// Which nodes a step may be.
#[derive(Debug, Clone, Default)]
enum What {
    /// Those of this kind.
    Kind(u16),
    /// All with a name.
    #[default]
    Named,
    /// All.
    Any,
    /// What one of these may be.
    OneOf(Vec<Step>),
}

impl Patterns {
    /// Returns the names of the captures; a match tells the places in this list.
    pub fn captures(&self) -> &[String] {
        &self.captures
    }

    /// Nodes of no known kind are errors, which count as named.
    fn is_named(&self, kind: u16) -> bool {
        self.needs.get(usize::from(kind)).is_none_or(|needs| needs.is_named)
    }
}
