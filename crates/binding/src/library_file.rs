//! The length that the file of a library declares.

use std::io;
use std::path::Path;

use forge_memory_addon::Refusal;
use forge_memory_core::journal::Disk;

/// Where the header of a 64-bit ELF file has the offset of its table of sections, their size and their number.
const TABLE_AT: usize = 40;
const ENTRY_BYTES_AT: usize = 58;
const ENTRIES_AT: usize = 60;
const HEADER_BYTES: usize = 64;

/// Refuses a library that ends too early, after a copy or an installation that was interrupted. The loader of Linux does not look: it maps
/// the missing part, and the process dies when it touches that. The table of sections is the last thing in such a file. The loaders of
/// other systems refuse such files themselves, and all of them one that cannot be read.
///
/// # Errors
/// The refusal of a file that was cut short.
pub fn refuse_cut_short(disk: &dyn Disk, path: &Path) -> Result<(), Refusal> {
    match is_cut_short(disk, path) {
        Ok(true) => Err(Refusal("it was cut short".to_owned())),
        Ok(false) | Err(_) => Ok(()),
    }
}

fn is_cut_short(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    let file = disk.open_read(path)?;
    let mut header = [0; HEADER_BYTES];
    if file.read_at(0, &mut header)? < HEADER_BYTES {
        return Ok(header.starts_with(b"\x7fELF"));
    }
    // 64 bits, the lower ones first.
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(false);
    }
    let table = number(&header, TABLE_AT, 8);
    let entries = number(&header, ENTRY_BYTES_AT, 2) * number(&header, ENTRIES_AT, 2);
    Ok(file.state()?.len < table.saturating_add(entries))
}

fn number(header: &[u8], at: usize, bytes: usize) -> u64 {
    let digits = header.get(at..at + bytes).unwrap_or_default();
    digits.iter().rev().fold(0, |sum, digit| sum << 8 | u64::from(*digit))
}
