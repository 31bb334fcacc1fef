//! The user's limits on the settings of projects: `settings.json` of the user's own folder, and approvals of `forge-memory trust`. A project's
//! settings come with a clone, so they can only be stricter than these.

use std::io;
use std::path::Path;

use forge_memory_settings::ReviewPolicy;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::journal::{ApprovalKind, Disk, is_approved, read_bounded};
use crate::project::config::Config;
use crate::project::environment::Environment;
use crate::project::layout::Layout;

pub(crate) const FILE: &str = "settings.json";
const BYTES_MAX: u64 = 1 << 20;
/// The approvals of settings that projects ask for. `lib/shared/asked-settings.ts` writes the same names.
pub(crate) const APPROVALS: ApprovalKind = ApprovalKind {
    folder: "trusted-settings",
    field: "setting",
};
const UNREDACTED: &str = "redact: false";
const CAPTURES: &str = "captures";

/// The settings of the user that no project can undercut.
#[derive(Debug, Default, PartialEq)]
struct Floor {
    /// `redact`: true when no project may store secrets, approved or not.
    redact: bool,
    /// `review`.
    review: ReviewPolicy,
    /// `capture`: true when it is `"trusted"`: only projects that the user has approved store captures.
    is_capture_trusted: bool,
    problems: Vec<String>,
    /// True if the file could not be read: the next call tries again.
    is_unread: bool,
}

impl Floor {
    fn read(disk: &dyn Disk, home: &Path) -> Self {
        match read_bounded(disk, &home.join(FILE), BYTES_MAX) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(value @ Value::Object(_)) => Floor::of(&value),
                // A wrong file must not lower anything.
                _ => Floor {
                    redact: true,
                    review: ReviewPolicy::Agents,
                    problems: vec![format!(
                        "{FILE} of your own folder is not a JSON object: secrets are redacted, and captures of agents wait for a review"
                    )],
                    ..Floor::default()
                },
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Floor::default(),
            // A disk that fails once hides no record: only secrets are redacted.
            Err(_) => Floor {
                redact: true,
                problems: vec![format!(
                    "{FILE} of your own folder cannot be read: secrets are redacted"
                )],
                is_unread: true,
                ..Floor::default()
            },
        }
    }

    fn of(value: &Value) -> Self {
        let mut floor = Floor::default();
        let mut wrong = |message: &str| floor.problems.push(format!("{FILE} of your own folder: {message}"));
        match value.get("redact") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => floor.redact = true,
            Some(_) => {
                floor.redact = true;
                wrong("redact: expected true or false");
            }
        }
        match value.get("review").map(Value::as_str) {
            None | Some(Some("off")) => {}
            Some(Some("all")) => floor.review = ReviewPolicy::All,
            Some(Some("agents")) => floor.review = ReviewPolicy::Agents,
            Some(_) => {
                floor.review = ReviewPolicy::Agents;
                wrong("review: expected \"off\", \"agents\" or \"all\"");
            }
        }
        match value.get("capture").map(Value::as_str) {
            None | Some(Some("all")) => {}
            Some(Some("trusted")) => floor.is_capture_trusted = true,
            Some(_) => {
                floor.is_capture_trusted = true;
                wrong("capture: expected \"all\" or \"trusted\"");
            }
        }
        floor
    }
}

/// Returns the settings that a project's file has, whatever the user allows.
pub fn written(environment: &Environment) -> Config {
    Config::load(environment.disk.as_ref(), &Layout::new(environment).settings_file())
}

/// Reads the settings of a project, as far as the user allows them. Approvals are those of the memory, which several work trees may share.
pub(crate) fn load(layout: &Layout) -> Config {
    let (disk, home, project) = (layout.disk().as_ref(), layout.home(), layout.memory_dir());
    let mut config = Config::load(disk, &layout.settings_file());
    let floor = Floor::read(disk, home);
    if !config.settings.redact {
        config.asks_to_keep_secrets = true;
        config.settings.redact = floor.redact || !is_approved(home, project, APPROVALS, UNREDACTED);
    }
    config.settings.review = config.settings.review.max(floor.review);
    config.is_capture_refused = floor.is_capture_trusted && !is_approved(home, project, APPROVALS, CAPTURES);
    config.problems.extend(floor.problems);
    config.is_unread |= floor.is_unread;
    config
}

/// Returns an error when the user captures in approved projects only, and this is another one.
pub(crate) fn require_capture(config: &Config) -> Result<()> {
    if !config.is_capture_refused {
        return Ok(());
    }
    Err(Error::Advised {
        error: Box::new(Error::invalid(
            "project",
            "is not approved on this machine, and your settings.json captures in approved projects only",
        )),
        hint: "forge-memory trust approves it",
    })
}
