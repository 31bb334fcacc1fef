//! A file that is read page by page on first use, each page verified against its checksum, as in a database's buffer pool without eviction.
//!
//! The file is not memory-mapped: truncating a mapped file ends the process with a signal, and changing it in place changes bytes that were
//! verified before. Here a page is read once into anonymous memory and does not change after it was verified. A page that cannot be
//! read or does not match its checksum reads as zeros, and [`PagedFile::is_damaged`] is true from then on.
//!
//! ```text
//! body, then for each page of 8 KiB of the body its checksum:u64, body_len:u64, checksum of all that follows the body:u64
//! ```

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;
use sha2::{Digest, Sha256};

use crate::journal::DiskFile;

const PAGE_BYTES: usize = 8 * 1024;
const WORD: usize = 8;

/// A file of which only the requested pages are in memory.
#[derive(Debug)]
pub(crate) struct PagedFile {
    file: Box<dyn DiskFile>,
    /// An anonymous mapping of the body's length; pages that were never requested use no memory.
    _memory: MmapMut,
    len: usize,
    /// The start of the mapping. Pages are written through this pointer only, each once, before its bit in `loaded` is set.
    start: *mut u8,
    checksums: Vec<u64>,
    /// The checksum of the checksums.
    root: u64,
    loaded: Vec<AtomicU64>,
    loading: Mutex<()>,
    is_damaged: AtomicBool,
}

// SAFETY: a page is written under `loading` before its bit is set and never again; it is read only once its bit was seen.
#[allow(unsafe_code)]
unsafe impl Send for PagedFile {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for PagedFile {}

/// Reads a 64-bit integer of a file.
#[inline]
pub(crate) fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

/// Reads a 32-bit integer of a file.
#[inline]
pub(crate) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// Returns the trailer of a body, and the checksum of the whole file.
pub(crate) fn trailer_of(body: &[u8]) -> (Vec<u8>, u64) {
    let mut trailer: Vec<u8> = body
        .chunks(PAGE_BYTES)
        .flat_map(|page| checksum_of(page).to_le_bytes())
        .collect();
    trailer.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let root = checksum_of(&trailer);
    trailer.extend_from_slice(&root.to_le_bytes());
    (trailer, root)
}

impl PagedFile {
    /// Opens a file; `None` when its trailer is invalid or there is not enough memory.
    pub fn open(file: Box<dyn DiskFile>) -> Option<Self> {
        let len = file.state().ok()?.len;
        let last = read(file.as_ref(), len.checked_sub(2 * WORD as u64)?, 2 * WORD).ok()?;
        let body = usize::try_from(read_u64(&last, 0)?).ok()?;
        let root = read_u64(&last, WORD)?;
        let pages = body.div_ceil(PAGE_BYTES);
        let trailer_len = (pages + 2).checked_mul(WORD)?;
        if body.checked_add(trailer_len)? as u64 != len {
            return None;
        }
        let trailer = read(file.as_ref(), body as u64, trailer_len).ok()?;
        if checksum_of(trailer.get(..trailer_len - WORD)?) != root {
            return None;
        }
        let mut memory = MmapMut::map_anon(body.max(1)).ok()?;
        Some(PagedFile {
            file,
            start: memory.as_mut_ptr(),
            _memory: memory,
            len: body,
            checksums: (0..pages).filter_map(|page| read_u64(&trailer, page * WORD)).collect(),
            root,
            loaded: (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            loading: Mutex::new(()),
            is_damaged: AtomicBool::new(false),
        })
    }

    /// Returns the length of the body in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the checksum of the whole body.
    pub fn root(&self) -> u64 {
        self.root
    }

    /// Returns true if a page did not match its checksum.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns bytes of the body; `None` beyond its end.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        if !range.is_empty() {
            for page in range.start / PAGE_BYTES..=(range.end - 1) / PAGE_BYTES {
                if !self.is_loaded(page) {
                    self.load(page);
                }
            }
        }
        // SAFETY: the range lies within the mapping, and all its pages were written and are never written again.
        #[allow(unsafe_code)]
        Some(unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.len()) })
    }

    /// Calls `visit` with the bytes of a range, page by page. Pages that are not in memory are read and do not stay there, which takes a third
    /// of the time: for those who look at each byte once.
    pub fn each_page(&self, range: Range<usize>, mut visit: impl FnMut(&[u8])) {
        let end = range.end.min(self.len());
        let mut from = range.start;
        while from < end {
            let page = from / PAGE_BYTES;
            let upto = end.min((page + 1) * PAGE_BYTES);
            if self.is_loaded(page) {
                visit(self.get(from..upto).unwrap_or_default());
            } else {
                let start = page * PAGE_BYTES;
                let bytes = self.read_page(page);
                visit(bytes.get(from - start..upto - start).unwrap_or_default());
            }
            from = upto;
        }
    }

    /// Reads a page and compares it with its checksum; a damaged one is zeros.
    fn read_page(&self, page: usize) -> Vec<u8> {
        let from = page * PAGE_BYTES;
        let len = PAGE_BYTES.min(self.len().saturating_sub(from));
        let bytes = read(self.file.as_ref(), from as u64, len).unwrap_or_default();
        if bytes.len() == len && self.checksums.get(page) == Some(&checksum_of(&bytes)) {
            return bytes;
        }
        self.is_damaged.store(true, Ordering::Relaxed);
        vec![0; len]
    }

    #[inline]
    fn is_loaded(&self, page: usize) -> bool {
        let bits = self
            .loaded
            .get(page / 64)
            .map_or(0, |word| word.load(Ordering::Acquire));
        bits >> (page % 64) & 1 == 1
    }

    #[cold]
    fn load(&self, page: usize) {
        let _guard = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_loaded(page) {
            return;
        }
        let bytes = self.read_page(page);
        // SAFETY: the page lies within the mapping, and no thread reads it before its bit is set below.
        #[allow(unsafe_code)]
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(page * PAGE_BYTES), bytes.len());
        }
        if let Some(word) = self.loaded.get(page / 64) {
            word.fetch_or(1 << (page % 64), Ordering::Release);
        }
    }
}

/// The first bytes of a SHA-256. It is collision-resistant, so a sealed checksum authenticates a page.
fn checksum_of(bytes: &[u8]) -> u64 {
    read_u64(&Sha256::digest(bytes), 0).unwrap_or(0)
}

fn read(file: &dyn DiskFile, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    let got = file.read_at(offset, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Seek, SeekFrom, Write};

    use super::*;
    use crate::journal::{Disk, OsDisk};

    fn body() -> Vec<u8> {
        (0..PAGE_BYTES * 3 + 17).map(|at| (at / 7) as u8).collect()
    }

    fn written(folder: &tempfile::TempDir) -> std::path::PathBuf {
        let path = folder.path().join("file");
        fs::write(&path, [body(), trailer_of(&body()).0].concat()).unwrap();
        path
    }

    fn open(path: &std::path::Path) -> Option<PagedFile> {
        PagedFile::open(OsDisk.open_read(path).unwrap())
    }

    #[test]
    fn every_range_survives_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&written(&folder)).unwrap();
        let all = body();
        let border = PAGE_BYTES;
        for range in [
            0..1,
            border - 1..border + 1,
            5..5,
            all.len() - 1..all.len(),
            0..all.len(),
        ] {
            assert_eq!(file.get(range.clone()).unwrap(), &all[range]);
        }
        assert!(file.get(0..all.len() + 1).is_none());
        assert!(!file.is_damaged());
    }

    #[test]
    fn a_range_is_read_page_by_page_without_keeping_what_was_not_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let file = open(&path).unwrap();
        let all = body();
        file.get(PAGE_BYTES..PAGE_BYTES + 1).unwrap();
        let read = |range: Range<usize>| {
            let mut bytes = Vec::new();
            file.each_page(range, |page| bytes.extend_from_slice(page));
            bytes
        };
        assert_eq!(read(5..all.len()), &all[5..]);
        assert_eq!(
            read(PAGE_BYTES - 1..PAGE_BYTES + 1),
            &all[PAGE_BYTES - 1..PAGE_BYTES + 1]
        );
        assert!(read(7..7).is_empty());
        assert_eq!(
            (0..4).map(|page| file.is_loaded(page)).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(PAGE_BYTES as u64)
            .unwrap();
        assert_eq!(read(2 * PAGE_BYTES..2 * PAGE_BYTES + 4), [0; 4]);
        assert!(file.is_damaged());
    }

    #[test]
    fn a_file_that_shrinks_while_it_is_open_is_damage_and_no_signal() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let file = open(&path).unwrap();
        let before = file.get(0..10).unwrap().to_vec();
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(0)
            .unwrap();
        assert_eq!(file.get(0..10).unwrap(), before, "what was checked stays");
        assert!(!file.is_damaged());
        assert_eq!(file.get(PAGE_BYTES..PAGE_BYTES + 4).unwrap(), [0; 4]);
        assert!(file.is_damaged());
    }

    #[test]
    fn a_page_that_was_changed_in_place_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let file = open(&path).unwrap();
        let mut other = fs::OpenOptions::new().write(true).open(&path).unwrap();
        other.seek(SeekFrom::Start(PAGE_BYTES as u64 + 100)).unwrap();
        other.write_all(b"x").unwrap();
        file.get(0..10).unwrap();
        assert!(!file.is_damaged());
        file.get(PAGE_BYTES..PAGE_BYTES + 1).unwrap();
        assert!(file.is_damaged());
    }

    #[test]
    fn a_truncated_file_or_one_with_wrong_checksums_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let whole = fs::read(&path).unwrap();
        for cut in [0, 1, 15, 16, PAGE_BYTES, body().len(), whole.len() - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(open(&path).is_none(), "cut={cut}");
        }
        for at in body().len()..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, changed).unwrap();
            assert!(open(&path).is_none(), "at={at}");
        }
    }
}
