//! Folders that the user approved on this machine. A project's `.forge` may be a link to one of them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::disk::open_regular;

/// The folder of approvals below the user's own folder. `lib/shared/approvals.ts` writes one file per approval.
const FOLDER: &str = "trusted-folders";
/// The maximum size of an approval, which is one short line.
const BYTES_MAX: u64 = 64 * 1024;

#[derive(Deserialize)]
struct Approval {
    project: String,
    target: String,
}

/// Tells whether the user approved that a project's `.forge` is a link to `target`.
pub(super) fn is_folder_trusted(home: &Path, project: &Path, target: &Path) -> bool {
    let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
    let (Some(project), Some(target)) = (plain(&project), plain(target)) else {
        return false;
    };
    let Ok(key) = serde_json::to_vec(&[project, target]) else {
        return false;
    };
    let name: String = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
    let approval = read_own(&home.join(FOLDER).join(format!("{name}.json")));
    approval.is_some_and(|known| known.project == project && known.target == target)
}

/// Returns the path as text, without the `\\?\` prefix of canonical paths on Windows.
fn plain(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    Some(text.strip_prefix(r"\\?\").unwrap_or(text))
}

/// Reads an approval, unless another user could have written it.
fn read_own(path: &Path) -> Option<Approval> {
    let file = open_regular(path).ok()?;
    if !is_ours(&file) {
        return None;
    }
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(unix)]
fn is_ours(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    let owner = rustix::process::geteuid().as_raw();
    file.metadata()
        .is_ok_and(|meta| meta.uid() == owner && meta.mode() & OTHERS_WRITE == 0)
}

#[cfg(not(unix))]
fn is_ours(_file: &File) -> bool {
    true
}
