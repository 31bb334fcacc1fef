//! A value that was found after a name, and how certain its syntax is.

use super::value::Value;

/// How certain the syntax makes it that a literal value follows, and not code or prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Data: `KEY=value`, `"key": "value"`, `--key value`, `?key=value`, `<key>value</key>`.
    Literal,
    /// A line of YAML or of prose: `key: value`.
    Open,
    /// A sentence: `the key is value`.
    Prose,
    /// Unquoted after a spaced equals sign, as in source code: `key = value`.
    Code,
}

/// A value that was found after a name.
#[derive(Debug, Clone)]
pub(super) struct Assigned {
    pub(super) value: Value,
    pub(super) style: Style,
}

/// The bytes that end an unquoted value, besides white space and quotes.
pub(super) const STOPS: &[u8] = b",;)]}";
