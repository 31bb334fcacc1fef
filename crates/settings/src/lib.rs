//! The settings of a project, `.forge.json`: each is declared once, in [`Settings`], with its name, type, range, default and description.
//!
//! From this declaration a test writes `docs/reference/forge.schema.json` and the table of `docs/reference/configuration.md`. The schema is
//! what editors complete from, and what [`read`] checks a file against, so that a limit is written in one place. The types of TypeScript
//! come from the same declaration, as those of the answers do.
//!
//! ```
//! let read = forge_memory_settings::read(r#"{"redact": "no", "lattice": {"maxSeconds": 60}}"#);
//! assert_eq!(read.settings.lattice.max_seconds, Some(60));
//! assert!(read.settings.redact);
//! assert_eq!(read.problems, ["redact: expected true or false"]);
//! ```

mod check;
mod declaration;

pub use check::{Read, layered, read};
pub use declaration::*;
