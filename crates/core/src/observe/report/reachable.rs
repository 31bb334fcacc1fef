//! Which other users of this machine can read a memory: the permissions of its files and of all folders above decide.

use std::path::Path;

use crate::journal::{Access, Disk, FileKind};

/// Returns a file of the memory that other users can read, and whether only a group can. `None` when a folder above excludes
/// them, and on systems without such permissions.
pub(super) fn readable_file(disk: &dyn Disk, forge: &Path) -> Option<String> {
    let folder = disk.real_path(forge).ok()?;
    let names = ["", "memory"].into_iter().flat_map(|inner| {
        let files = disk.list(&folder.join(inner)).unwrap_or_default();
        files
            .into_iter()
            .map(move |file| (inner, file.name.to_string_lossy().into_owned()))
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
        .filter(|name| Class::ALL.iter().any(|class| class.reads(disk, &folder.join(name))))
        .collect();
    readable.sort_unstable();
    readable.into_iter().next()
}

/// Users that are not the owner.
#[derive(Debug, Clone, Copy)]
enum Class {
    /// The members of the file's group.
    Group,
    /// All users.
    Others,
}

impl Class {
    const ALL: [Class; 2] = [Class::Group, Class::Others];

    /// True if these users can read a file: its bits let them, and so do those of every folder above.
    fn reads(self, disk: &dyn Disk, file: &Path) -> bool {
        let Ok(found) = disk.link_metadata(file) else {
            return false;
        };
        let (FileKind::File, Some(own)) = (found.kind, found.access) else {
            return false;
        };
        // Most systems give every user a private group with the same number as the user.
        if matches!(self, Class::Group) && own.group == own.owner {
            return false;
        }
        let has_bit = |access: Access, bit: u32| {
            let shift = match self {
                Class::Group if access.group == own.group => 3,
                _ => 0,
            };
            access.mode >> shift & bit != 0
        };
        let lets_through = |folder: &Path| {
            let found = disk.link_metadata(folder).ok();
            found
                .and_then(|found| found.access)
                .is_some_and(|access| has_bit(access, 0o1))
        };
        has_bit(own, 0o4) && file.ancestors().skip(1).all(lets_through)
    }
}
