//! The names of models. A name becomes part of a path, and a project's settings can contain one, so only checked names are accepted.

use std::fmt;

use forge_memory_core::{Error, Result};

/// The name of the model that is built in, as its authors call it.
pub const NAME: &str = "all-MiniLM-L6-v2";

const BYTES_MAX: usize = 96;
/// Device names on Windows, which are reserved with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The checked name of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelName(String);

impl ModelName {
    /// Checks a name: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    pub fn parse(name: &str) -> Result<Self> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
        let is_device = DEVICES.contains(&stem.as_str())
            || numbered.is_some_and(|rest| rest.len() == 1 && rest.chars().all(|c| c.is_ascii_digit()));
        let is_valid = (1..=BYTES_MAX).contains(&name.len())
            && name.chars().all(is_allowed)
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !name.ends_with('.')
            && !name.contains("..")
            && !is_device;
        if is_valid {
            return Ok(ModelName(name.to_owned()));
        }
        Err(Error::invalid(
            "name",
            format!("is not the name of a model: expected up to {BYTES_MAX} letters, digits, \".\", \"_\" and \"-\""),
        ))
    }

    /// Returns the name of the built-in model.
    pub fn known() -> Self {
        ModelName(NAME.to_owned())
    }

    /// Returns true if it names the built-in model.
    pub fn is_known(&self) -> bool {
        self.0 == NAME
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_and_never_a_path() {
        for name in ["e5-small-v2", "all-MiniLM-L6-v2", "a", "bge_small.en", "console"] {
            assert_eq!(ModelName::parse(name).unwrap().as_str(), name);
        }
        let long = "a".repeat(97);
        for name in [
            "", ".", "..", "../x", "a/b", "a\\b", "/etc", "a..b", "a.", ".hidden", "-x", "a b", "a\0", "ä", "C:",
            "nul", "Con.x", "com1", &long,
        ] {
            assert_eq!(ModelName::parse(name).unwrap_err().code(), "INVALID_INPUT", "{name:?}");
        }
    }
}
