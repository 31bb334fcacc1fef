//! The claim of one sentence: the slots that the extraction rules fill.

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// A number, with its family of units.
    Number(u8),
    /// A version.
    Version,
    /// A day, or a frequency.
    Day,
    /// A time of day or a date.
    Time,
    /// A path, or the name of a file.
    Path,
    /// An address.
    Url,
    /// A flag of a command.
    Flag,
    /// A command.
    Command,
    /// A tool that is used for something.
    Tool,
    /// A person or team that has or does something.
    Owner,
    /// The value of a setting.
    Setting,
    /// One of several mutually exclusive states, by their family.
    State(u8),
    /// The text after the last relation word of a sentence: "is built with X".
    Predicate,
}

impl ValueKind {
    /// Whether a value of this type names one thing, whatever is said about it.
    pub fn is_unique(self) -> bool {
        matches!(
            self,
            ValueKind::Version
                | ValueKind::Path
                | ValueKind::Url
                | ValueKind::Flag
                | ValueKind::Command
                | ValueKind::Tool
        )
    }
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    /// Its type.
    pub kind: ValueKind,
    /// A key that is the same for all spellings of the value.
    pub key: u64,
    /// The hash of the words as written, by which a change names the previous value.
    pub text: u64,
    /// The family of a tool, if it is known.
    pub family: Option<u8>,
}

/// The claim of one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// The subject: hashes of the roots of its words, sorted.
    pub subject: Vec<u64>,
    /// The values, sorted.
    pub values: Vec<Value>,
    /// Whether it is negated.
    pub is_denied: bool,
    /// The previous value, as hashes of words as written.
    pub before: Vec<u64>,
    /// Whether it is only possible, planned or a question.
    pub is_tentative: bool,
    /// Whether it is hearsay: somebody says so without having checked.
    pub is_hearsay: bool,
    /// Whether it is the main statement of the text rather than a side remark.
    pub is_main: bool,
}
