//! Files of an older tool that were not migrated yet. Recall does not search them, and says so: otherwise an empty
//! answer would claim that nothing is known.

use std::path::Path;

use once_cell::sync::OnceCell;

use super::moves::{moves_in, waiting_name};
use crate::journal::{Disk, each_line, read_file};
use crate::outbox::OLDER_CAPTURES_FILE;
use crate::project::layout::Layout;

/// Enough for a byte order mark, blank lines and the first character of a record.
const HEAD_BYTES: usize = 4096;

/// Lists the files of older tools in `.forge/` whose records a migration would move.
pub(crate) fn unmigrated_files(layout: &Layout) -> Vec<String> {
    let plans = moves_in(layout.disk().as_ref(), layout.forge());
    let names = plans.iter().flat_map(|plan| [plan.name().to_owned(), plan.waiting()]);
    names.filter(|name| holds_records(layout, name)).collect()
}

/// The note that recall does not search the thoughts of an older tool.
#[derive(Debug, Default)]
pub(crate) struct Unsearched {
    /// True if there were some at the first check. If not, it is not repeated: recall must be fast, and no tool creates such a
    /// file again.
    at_first: OnceCell<bool>,
}

impl Unsearched {
    /// Returns the remark, while there are such thoughts.
    pub fn remark(&self, layout: &Layout) -> Option<String> {
        let look = || {
            [OLDER_CAPTURES_FILE.to_owned(), waiting_name(OLDER_CAPTURES_FILE)]
                .iter()
                .any(|name| holds_records(layout, name))
        };
        let is_there = *self.at_first.get_or_init(look) && look();
        is_there.then(|| {
            format!(
                "Not searched: {OLDER_CAPTURES_FILE}, written by an older tool; forge-memory migrate-memory imports its records."
            )
        })
    }
}

/// True if a file begins like records; a migration skips files without records as well. In the older log, records with an id are copies.
fn holds_records(layout: &Layout, name: &str) -> bool {
    if name == OLDER_CAPTURES_FILE {
        return read_file(layout.disk().as_ref(), &layout.path_of(name))
            .is_ok_and(|bytes| each_line(&bytes.unwrap_or_default()).any(|(_, line)| is_without_id(line)));
    }
    first_character(layout.disk().as_ref(), &layout.path_of(name)).is_some_and(|first| matches!(first, b'{' | b'['))
}

fn is_without_id(line: &[u8]) -> bool {
    let begins = line.trim_ascii_start().first();
    begins == Some(&b'[') || (begins == Some(&b'{') && memchr::memmem::find(line, b"\"id\":").is_none())
}

fn first_character(disk: &dyn Disk, path: &Path) -> Option<u8> {
    let file = disk.open_read(path).ok()?;
    let mut head = [0; HEAD_BYTES];
    let got = file.read_at(0, &mut head).ok()?;
    let head = head.get(..got)?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    text.trim_ascii_start().first().copied()
}
