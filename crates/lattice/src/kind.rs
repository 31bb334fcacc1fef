//! The kinds of chunks.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// The kind of a chunk.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Kind { $($(#[$doc])* $variant,)+ }

        impl Kind {
            /// Every kind, in the order of their numbers.
            pub const ALL: &[Kind] = &[$(Kind::$variant,)+];

            /// Returns the name that files and answers contain.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)+ }
            }
        }
    };
}

kinds! {
    /// A whole file, to which everything outside of definitions belongs.
    File = "file",
    /// A module or namespace.
    Module = "module",
    /// A class or record.
    Class = "class",
    /// A struct or union.
    Struct = "struct",
    /// A trait.
    Trait = "trait",
    /// An interface.
    Interface = "interface",
    /// An enumeration.
    Enum = "enum",
    /// A named type.
    Type = "type",
    /// A function.
    Function = "function",
    /// A function that belongs to a type or an object.
    Method = "method",
    /// A macro.
    Macro = "macro",
    /// A section of a document.
    Section = "section",
    /// A table of a database.
    Table = "table",
    /// A view of a database.
    View = "view",
    /// A trigger of a database.
    Trigger = "trigger",
    /// An index of a database.
    Index = "index",
    /// A block of statements, which only indexes of other programs have.
    Block = "block",
}

impl Kind {
    /// Returns the kind with this number.
    pub fn from_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }

    /// Returns the kind of this name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// True if it can have methods.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Class | Kind::Struct | Kind::Trait | Kind::Interface | Kind::Enum | Kind::Type
        )
    }
}
