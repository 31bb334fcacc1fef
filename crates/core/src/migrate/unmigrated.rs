//! What an older tool left in a project and nobody has migrated yet. Recall does not search those files: without a word about
//! them, an answer would say that nothing is known.

use std::path::Path;

use super::moves::{OLD_LOG, moves_in, waiting_name};
use crate::journal::Disk;
use crate::memory::Memory;

/// The command that takes the records over.
const REMEDY: &str = "forge-memory migrate-memory takes its records over";
/// Enough for a byte order mark, blank lines and the first character of a record.
const HEAD_BYTES: usize = 4096;

impl Memory {
    /// Names the files of older tools whose records a migration would move, as they stand in `.forge/`.
    pub fn unmigrated_files(&self) -> Vec<String> {
        let disk = self.surroundings.disk.as_ref();
        let forge = self.forge_dir();
        let plans = moves_in(&forge);
        let names = plans.iter().flat_map(|plan| [plan.name().to_owned(), plan.waiting()]);
        names.filter(|name| holds_records(disk, &forge.join(name))).collect()
    }

    /// Says which thoughts of an older tool a recall does not search. Where there are none at the first look, there is no
    /// other: recall has no time for it, and no tool brings such a file back.
    pub(crate) fn unsearched(&self) -> Option<String> {
        let look = || {
            let (disk, forge) = (self.surroundings.disk.as_ref(), self.forge_dir());
            let names = [OLD_LOG.to_owned(), waiting_name(OLD_LOG)];
            names.into_iter().find(|name| holds_records(disk, &forge.join(name)))
        };
        if !self.has_older_log.get_or_init(|| look().is_some()) {
            return None;
        }
        look().map(|_| format!("{OLD_LOG}, which an older tool wrote; {REMEDY}"))
    }
}

/// Tells whether a file begins as records do; what has none is left alone by a migration as well.
fn holds_records(disk: &dyn Disk, path: &Path) -> bool {
    let Ok(file) = disk.open_read(path) else {
        return false;
    };
    let mut head = [0; HEAD_BYTES];
    let got = file.read_at(0, &mut head).unwrap_or(0);
    let head = &head[..got];
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}
