//! The texts that a memory contains or has forgotten; neither is offered again.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use forge_memory_core::project::layout::CAPTURES_FILE;
use forge_memory_core::text::fold;
use forge_memory_core::thought::{LineKind, read_line};
use forge_memory_core::{Error, Result};
use forge_memory_journal::{Disk, each_line, read_bounded};
use xxhash_rust::xxh3::xxh3_128;

const BYTES_MAX: u64 = 1 << 30;

/// A set of hashes of texts.
#[derive(Debug, Clone, Default)]
pub struct KnownTexts(BTreeSet<u128>);

impl KnownTexts {
    /// Reads the texts of a memory, including those with a tombstone.
    ///
    /// # Errors
    /// `IO` when the raw log exists and cannot be read.
    pub fn read(disk: &dyn Disk, forge_dir: &Path) -> Result<KnownTexts> {
        let path = forge_dir.join(CAPTURES_FILE);
        let bytes = match read_bounded(disk, &path, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(KnownTexts::default()),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let mut texts = KnownTexts::default();
        for (_, line) in each_line(&bytes) {
            if let LineKind::Record(fields) = read_line(line) {
                texts.0.insert(hash(&fields.text));
            }
        }
        Ok(texts)
    }

    /// Returns true if a text is among them, ignoring case and white space.
    pub fn has(&self, text: &str) -> bool {
        self.0.contains(&hash(text))
    }
}

fn hash(text: &str) -> u128 {
    xxh3_128(fold(text).as_bytes())
}
