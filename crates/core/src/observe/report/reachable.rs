//! Who else on this machine can read a memory: not what the permissions of one folder say, but those of all folders on the way
//! to it and of the files in it.

use std::path::Path;

/// Names a file of the memory that other users can read, and whether only a group can. Nothing where a folder above keeps
/// them out, and on systems without such permissions.
#[cfg(unix)]
pub(super) fn readable_file(forge: &Path) -> Option<String> {
    let folder = forge.canonicalize().ok()?;
    let names = ["", "memory"].into_iter().flat_map(|inner| {
        let files = std::fs::read_dir(folder.join(inner)).into_iter().flatten().flatten();
        files.map(move |file| (inner, file.file_name().to_string_lossy().into_owned()))
    });
    let mut readable: Vec<String> = names
        .filter(|(_, name)| name.ends_with(".jsonl"))
        .map(|(inner, name)| {
            if inner.is_empty() {
                name
            } else {
                format!("{inner}/{name}")
            }
        })
        .filter(|name| Class::ALL.iter().any(|class| class.reads(&folder.join(name))))
        .collect();
    readable.sort_unstable();
    readable.into_iter().next()
}

#[cfg(not(unix))]
pub(super) fn readable_file(_forge: &Path) -> Option<String> {
    None
}

/// Users that are not the owner.
#[cfg(unix)]
#[derive(Debug, Clone, Copy)]
enum Class {
    /// The members of the file's group.
    Group,
    /// All users.
    Others,
}

#[cfg(unix)]
impl Class {
    const ALL: [Class; 2] = [Class::Group, Class::Others];

    /// Tells whether these users can read a file: its bits let them, and so do those of every folder above.
    fn reads(self, file: &Path) -> bool {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let Ok(about) = std::fs::symlink_metadata(file) else {
            return false;
        };
        // Most systems give every user a private group with the same number as the user.
        if matches!(self, Class::Group) && about.gid() == about.uid() {
            return false;
        }
        let lets = |path: &Path, bit: u32| {
            std::fs::symlink_metadata(path).is_ok_and(|found| {
                let shift = match self {
                    Class::Group if found.gid() == about.gid() => 3,
                    _ => 0,
                };
                found.permissions().mode() >> shift & bit != 0
            })
        };
        about.is_file() && lets(file, 0o4) && file.ancestors().skip(1).all(|folder| lets(folder, 0o1))
    }
}
