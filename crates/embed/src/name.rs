//! The names of the two models. A name becomes part of a path, and a project's settings can contain one, so only these are accepted.

use std::fmt;

use forge_memory_core::settings::LOCAL_MODELS;
use forge_memory_core::{Error, Result};

/// The name of the model that is built in, as its authors call it.
pub const NAME: &str = LOCAL_MODELS[0];
const MULTILINGUAL: &str = LOCAL_MODELS[1];

/// The name of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelName {
    /// all-MiniLM-L6-v2, for English.
    Known,
    /// multilingual-e5-small, for other languages and across them.
    Multilingual,
}

impl ModelName {
    /// Reads a name.
    ///
    /// # Errors
    /// `INVALID_INPUT` when it is that of neither.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            NAME => Ok(ModelName::Known),
            MULTILINGUAL => Ok(ModelName::Multilingual),
            _ => Err(Error::invalid("name", format!("expected {NAME} or {MULTILINGUAL}")).advised(
                "forge-memory model install installs the first, with its name the second; the folder of another model can be deleted",
            )),
        }
    }

    /// Returns true if it names the built-in model.
    pub fn is_known(self) -> bool {
        self == ModelName::Known
    }

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelName::Known => NAME,
            ModelName::Multilingual => MULTILINGUAL,
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_of_the_two_models_and_never_a_path() {
        for name in ["all-MiniLM-L6-v2", "multilingual-e5-small"] {
            assert_eq!(ModelName::parse(name).unwrap().as_str(), name);
        }
        for name in [
            "",
            ".",
            "../x",
            "e5-small-v2",
            "intfloat/multilingual-e5-small",
            "all-minilm-l6-v2",
            "a\0",
        ] {
            assert_eq!(ModelName::parse(name).unwrap_err().code(), "INVALID_INPUT", "{name:?}");
        }
    }
}
