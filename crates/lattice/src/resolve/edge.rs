//! What a reference resolves to.

use serde::{Deserialize, Serialize};

use crate::facts::Reference;

/// How a reference was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resolved {
    /// In the same file, or by a receiver whose type is defined in the same file.
    Exact,
    /// By an import, a package, or a receiver whose type comes by one.
    Import,
    /// By its bare name.
    Name,
}

impl Resolved {
    /// Returns the name as files and answers have it.
    pub fn name(self) -> &'static str {
        match self {
            Resolved::Exact => "exact",
            Resolved::Import => "import",
            Resolved::Name => "name",
        }
    }
}

/// More candidates than this are counted, not listed: such a name says nothing.
pub const CANDIDATES_MAX: usize = 8;

/// A reference and the definitions that it may mean.
#[derive(Debug, Clone)]
pub struct Edge<'a> {
    /// The chunk that contains it.
    pub caller: u32,
    /// The reference.
    pub reference: &'a Reference<'a>,
    /// The definitions that it may mean.
    pub targets: Vec<u32>,
    /// How that was found; `None` when nothing was.
    pub resolved: Option<Resolved>,
    /// How many definitions it may mean; more than there are targets when there are too many to list.
    pub candidates: usize,
    /// The module outside of the project that it comes from.
    pub outside: Option<&'a str>,
}

/// The result of a lookup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer<'a> {
    /// Definitions.
    Chunks(Vec<u32>, Resolved),
    /// Known to come from outside of the project, with the module when that is known.
    Outside(Option<&'a str>),
    /// Known to be a variable of unknown type.
    Variable,
    /// Not found.
    Unknown,
}
