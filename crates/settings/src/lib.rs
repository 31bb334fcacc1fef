//! The settings, each declared once, with its name, type, range, default and description: those of a project in [`Settings`], the user's own
//! in [`OwnSettings`], and the variables of the environment in [`environment`].
//!
//! From these declarations a test writes the schemas of `docs/reference/`, the tables of the pages that list settings, and the names for
//! TypeScript, `lib/shared/declared-settings.ts`. A schema is what editors complete from, and what [`read`] checks a file against, so that a limit is
//! written in one place. The types of TypeScript come from the same declarations, as those of the answers do.
//!
//! ```
//! let read = forge_memory_settings::read(r#"{"redact": "no", "lattice": {"maxSeconds": 60}}"#);
//! assert_eq!(read.settings.lattice.max_seconds, Some(60));
//! assert!(read.settings.redact);
//! assert_eq!(read.problems, ["redact: expected true or false"]);
//! ```

mod check;
mod declaration;
pub mod environment;
mod own;

pub use check::{Own, Read, layered, read, read_own};
pub use declaration::*;
pub use own::*;

/// The names of the models that compute vectors on this machine: the one that is built in, and the one for other languages.
pub const LOCAL_MODELS: [&str; 2] = ["all-MiniLM-L6-v2", "multilingual-e5-small"];
/// The file of a project's settings, in its folder.
pub const PROJECT_FILE: &str = ".forge.json";
/// The file of the user's settings of this machine, in the user's own folder.
pub const OWN_FILE: &str = "settings.json";
/// The file of the user's store and embedder for all projects, beside it.
pub const OWN_STORE_FILE: &str = "config.json";
