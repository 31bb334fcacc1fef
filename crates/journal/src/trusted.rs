//! Approvals of the user on this machine: one small file each below the user's own folder. `lib/shared/approvals.ts` writes them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::disk::open_regular;

/// A kind of approval: its folder below the user's own folder, and the field of the file that has the approved value.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalKind {
    /// The folder.
    pub folder: &'static str,
    /// The field.
    pub field: &'static str,
}

/// A project's `.forge` may be a link to one of these, and others may write it.
const FOLDERS: ApprovalKind = ApprovalKind {
    folder: "trusted-folders",
    field: "target",
};
/// The maximum size of an approval, which is one short line.
const BYTES_MAX: u64 = 64 * 1024;

/// True if the user approved that a project's memory is in `target`: its `.forge` is a link there, or others may write it.
pub fn is_folder_trusted(home: &Path, project: &Path, target: &Path) -> bool {
    plain(target).is_some_and(|target| is_approved(home, project, FOLDERS, target))
}

/// True if the user approved one thing for one project.
pub fn is_approved(home: &Path, project: &Path, kind: ApprovalKind, thing: &str) -> bool {
    let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
    let Some(project) = plain(&project) else {
        return false;
    };
    let approval = approval_path(home, project, kind, thing).and_then(|path| read_own(&path));
    let is = |field: &str, value: &str| {
        let known = approval.as_ref().and_then(|known| known.get(field));
        known.and_then(Value::as_str) == Some(value)
    };
    is("project", project) && is(kind.field, thing)
}

/// Returns the file of an approval: its name is a digest of the project's real path and the thing.
pub fn approval_path(home: &Path, project: &str, kind: ApprovalKind, thing: &str) -> Option<PathBuf> {
    let key = serde_json::to_vec(&[project, thing]).ok()?;
    let name: String = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(home.join(kind.folder).join(format!("{name}.json")))
}

/// Returns the path as text, without the `\\?\` prefix of canonical paths on Windows.
fn plain(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    Some(text.strip_prefix(r"\\?\").unwrap_or(text))
}

/// Reads an approval, unless another user could have written it.
fn read_own(path: &Path) -> Option<Map<String, Value>> {
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
