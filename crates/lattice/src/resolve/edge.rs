//! The result of resolving a reference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Reference;

/// How a reference was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Resolved {
    /// In the same file, or by a receiver whose type is defined in the same file.
    Exact,
    /// By an import, by the package, or by a receiver whose type was imported.
    Import,
    /// By its name alone.
    Name,
}

impl Resolved {
    /// Returns the name that files and answers contain.
    pub fn name(self) -> &'static str {
        match self {
            Resolved::Exact => "exact",
            Resolved::Import => "import",
            Resolved::Name => "name",
        }
    }
}

/// The maximum number of targets. More candidates are only counted, because such a name identifies nothing.
pub const CANDIDATES_MAX: usize = 8;

/// A reference and its candidate definitions.
#[derive(Debug, Clone)]
pub struct Edge<'a> {
    /// The chunk that contains it.
    pub caller: u32,
    /// The reference.
    pub reference: &'a Reference<'a>,
    /// The candidate definitions.
    pub targets: Vec<u32>,
    /// How they were found; `None` without targets.
    pub resolved: Option<Resolved>,
    /// The number of candidates, which is greater than the number of targets when there are too many to list.
    pub candidates: usize,
    /// The module outside of the project that the name comes from.
    pub outside: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer<'a> {
    Chunks(Vec<u32>, Resolved),
    /// The name comes from outside of the project, from this module if it is known.
    Outside(Option<&'a str>),
    /// The name is a variable of unknown type.
    Variable,
    /// The name was not found.
    Unknown,
}

impl Answer<'_> {
    pub(super) fn of(found: Vec<u32>, how: Resolved) -> Self {
        if found.is_empty() {
            Answer::Unknown
        } else {
            Answer::Chunks(found, how)
        }
    }
}
