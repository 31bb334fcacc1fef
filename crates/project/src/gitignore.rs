//! `.forge/.gitignore`: the files of a memory that are not committed.

use once_cell::sync::OnceCell;

use super::layout::Layout;
use forge_memory_journal::write_file;
use forge_memory_record::error::Result;

/// The ignored files; everything else in the folder is meant to be committed.
const GIT_IGNORE: &str = "\
# Written by forge-memory. The memory itself is meant to be committed; this is what surrounds it.
/openbrain-*
/hub-events*.jsonl
/telemetry/
/memory-search-cache.jsonl
/server-ports.json
/secrets.json
/index/
/locks/
/lattice/
/quarantine/
/.migration-backup-*/
*.tmp
";

/// True if this process has checked the file.
#[derive(Debug, Default)]
pub(crate) struct GitIgnore {
    is_there: OnceCell<()>,
}

impl GitIgnore {
    /// Writes the list unless the file exists. The first record of a file may mean that the whole folder was deleted and
    /// created again.
    pub fn ensure(&mut self, layout: &Layout, is_first: bool) -> Result<()> {
        if is_first {
            self.is_there = OnceCell::new();
        }
        let write = || {
            let path = layout.path_of(".gitignore");
            match layout.disk().stat(&path) {
                Ok(_) => Ok(()),
                Err(_) => write_file(layout.disk().as_ref(), &path, GIT_IGNORE.as_bytes()),
            }
        };
        Ok(self.is_there.get_or_try_init(write).copied()?)
    }
}

/// The patterns that [`GIT_IGNORE`] lists, to check an existing file.
pub fn ignored_patterns() -> impl Iterator<Item = &'static str> {
    GIT_IGNORE.lines().filter(|line| !line.starts_with('#'))
}
