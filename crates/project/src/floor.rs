//! The user's limits on the settings of projects: `settings.json` of the user's own folder, and approvals of `forge-memory trust`. A project's
//! settings come with a clone, so they can only be stricter than these.

use std::io;
use std::path::Path;

use forge_memory_settings::{CapturePolicy, OWN_FILE, Own, OwnSettings, ReviewPolicy, read_own};

use crate::config::{Config, is_refused};
use crate::environment::Environment;
use crate::layout::Layout;
use forge_memory_journal::{ApprovalKind, Disk, is_approved, read_bounded};
use forge_memory_record::error::{Error, FileError, Result};

const BYTES_MAX: u64 = 1 << 20;
/// The approvals of settings that projects ask for. `lib/shared/asked-settings.ts` writes the same names.
pub(crate) const APPROVALS: ApprovalKind = ApprovalKind {
    folder: "trusted-settings",
    field: "setting",
};
const UNREDACTED: &str = "redact: false";
const CAPTURES: &str = "captures";

/// Reads the user's own settings of this machine, which no project can undercut.
///
/// # Errors
/// `INVALID_INPUT` when the file is not a JSON object, otherwise `IO`.
pub fn own_settings(disk: &dyn Disk, home: &Path) -> Result<Own> {
    let path = home.join(OWN_FILE);
    match read_bounded(disk, &path, BYTES_MAX) {
        Ok(bytes) => read_own(&bytes)
            .map_err(|error| Error::invalid("settings", format!("{}: is not JSON: {error}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Own::default()),
        Err(error) => Err(Error::io("read", &path)(error)),
    }
}

/// Adds the user's own settings to those of a project, and what is wrong with them.
fn floor(disk: &dyn Disk, home: &Path, config: &mut Config) -> OwnSettings {
    let redacting = OwnSettings {
        redact: true,
        ..OwnSettings::default()
    };
    let (settings, problems) = match own_settings(disk, home) {
        Ok(Own { settings, problems }) => (
            settings,
            problems.iter().map(|problem| format!(": {problem}")).collect(),
        ),
        // A wrong file must not lower anything.
        Err(Error::InvalidInput { .. }) => (
            OwnSettings {
                review: ReviewPolicy::Agents,
                ..redacting
            },
            vec![" is not a JSON object: secrets are redacted, and captures of agents wait for a review".to_owned()],
        ),
        // A disk that fails once hides no record: only secrets are redacted. The next call tries again.
        Err(error) => {
            config.is_unread = true;
            let (review, also) = if is_refusal(&error) {
                (ReviewPolicy::Agents, ", and captures of agents wait for a review")
            } else {
                (ReviewPolicy::Off, "")
            };
            let problem = format!(" cannot be read: secrets are redacted{also}");
            (OwnSettings { review, ..redacting }, vec![problem])
        }
    };
    let problems = problems.iter();
    config
        .problems
        .extend(problems.map(|problem| format!("{OWN_FILE} of your own folder{problem}")));
    settings
}

fn is_refusal(error: &Error) -> bool {
    match error {
        Error::File(FileError::UnsafePath { .. }) => true,
        Error::File(FileError::Io { source, .. }) => is_refused(source),
        _ => false,
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
    let own = floor(disk, home, &mut config);
    if !config.settings.redact {
        config.asks_to_keep_secrets = true;
        config.settings.redact = own.redact || !is_approved(home, project, APPROVALS, UNREDACTED);
    }
    config.settings.review = config.settings.review.max(own.review);
    config.is_capture_refused =
        own.capture == CapturePolicy::Trusted && !is_approved(home, project, APPROVALS, CAPTURES);
    config
}
