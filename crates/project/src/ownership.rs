//! Distinguishes this machine's own lines and files from those that came with a copy of the project: a clone can bring any file under
//! `.forge/`, including ignored ones.
//!
//! Its own carry a mark, a message authentication code (HMAC-SHA-256, RFC 2104) under a random key in the user's own folder: mark =
//! HMAC(HMAC(key, "forge-memory project" || real path), kind || bytes), truncated to 128 bits. A mark cannot be forged without the key, and a
//! mark of one project is not valid in another one. A moved folder counts as another project: its queue is set aside until the user approves
//! it. Files that are derived from a journal and checked against its content (index, counts) have marks of the machine alone, and stay valid.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hmac::{Hmac, Mac};
use once_cell::sync::OnceCell;
use sha2::Sha256;

use forge_memory_journal::{Disk, LockFile, read_file, write_file};
use forge_memory_record::error::{Error, Result};

type KeyedMac = Hmac<Sha256>;

/// The file of the key, in the user's own folder.
pub const KEY_FILE: &str = "machine.key";
/// The member of a JSON object with its mark.
pub const MARK: &str = "_mark";

const KEY_BYTES: usize = 32;
/// Half of the hash: 128 bits cannot be guessed.
const MARK_BYTES: usize = 16;
/// Domain separation: a mark of one kind is not valid for another.
const PROJECT: &[u8] = b"forge-memory project\0";
const ANYWHERE: &[u8] = b"forge-memory machine\0";
const RECORD: &[u8] = b"record\0";
const LINE: &[u8] = b"line\0";
const FILE: &[u8] = b"file\0";
const SENTENCE: &[u8] = b"sentence\0";
/// How a sealed line ends: `,"_mark":"..."}`.
const SEAL_HEAD: &[u8] = b",\"_mark\":\"";
const SEAL_BYTES: usize = SEAL_HEAD.len() + 2 * MARK_BYTES + 2;

/// The marks of one project on this machine.
pub struct Marks {
    disk: Arc<dyn Disk>,
    home: PathBuf,
    /// The folder that the marks are bound to; without one, they are valid wherever this machine has the file.
    project: Option<PathBuf>,
    keyed: OnceCell<KeyedMac>,
}

impl fmt::Debug for Marks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Marks")
            .field("home", &self.home)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

/// Checks marks, for one read of a file. Without a key every check fails.
#[derive(Clone)]
pub struct Checker(Option<KeyedMac>);

impl fmt::Debug for Checker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Checker").field(&self.0.is_some()).finish()
    }
}

impl Marks {
    /// Returns the marks of a project. Nothing is read or created before the first use.
    pub fn new(disk: &Arc<dyn Disk>, home: &Path, project: &Path) -> Self {
        Marks {
            disk: Arc::clone(disk),
            home: home.to_path_buf(),
            project: Some(project.to_path_buf()),
            keyed: OnceCell::new(),
        }
    }

    /// Returns marks that stay valid when a folder is moved or copied: for data that is derived from a file and checked against its content.
    #[must_use]
    pub fn anywhere(&self) -> Self {
        Marks {
            disk: Arc::clone(&self.disk),
            home: self.home.clone(),
            project: None,
            keyed: OnceCell::new(),
        }
    }

    /// Returns a checker of marks. It does not create a key: without one nothing was marked. When the key cannot be read,
    /// nothing counts as own, so this is only for data that can be rebuilt.
    pub fn checker(&self) -> Checker {
        self.try_checker().unwrap_or(Checker(None))
    }

    /// Returns the same for data that must not be treated as foreign because a read failed.
    ///
    /// # Errors
    /// `IO` or `CORRUPT` when there is a key that cannot be read; `IO` when the project cannot be found out.
    pub fn try_checker(&self) -> Result<Checker> {
        if let Some(keyed) = self.keyed.get() {
            return Ok(Checker(Some(keyed.clone())));
        }
        let Some(key) = self.read_key()? else {
            return Ok(Checker(None));
        };
        let keyed = self.keyed.get_or_try_init(|| self.keyed_mac(&key))?;
        Ok(Checker(Some(keyed.clone())))
    }

    /// Returns the mark of a record, given as the bytes that do not change in transit.
    ///
    /// # Errors
    /// `IO`, `LOCKED` or `CORRUPT` when the key of this machine cannot be read or created.
    pub fn of_record(&self, record: &[u8]) -> Result<String> {
        Ok(mark(self.keyed()?, RECORD, &[record]))
    }

    /// Returns the mark of a sentence that a person said in the project: who has only the marks cannot find out what was said.
    ///
    /// # Errors
    /// As [`Marks::of_record`].
    pub fn of_sentence(&self, sentence: &str) -> Result<String> {
        Ok(mark(self.keyed()?, SENTENCE, &[sentence.as_bytes()]))
    }

    /// Returns the mark of a file, given by its name and its first line, which stays as long as the file does.
    pub fn of_file(&self, name: &str, first_line: &[u8]) -> Result<String> {
        Ok(mark(self.keyed()?, FILE, &[name.as_bytes(), b"\0", first_line]))
    }

    /// Appends a mark to a JSON object that is written as one line and that no other program rewrites.
    ///
    /// # Errors
    /// As [`Marks::of_record`]; the line stays without a mark then.
    pub fn seal(&self, name: &str, line: &mut Vec<u8>) -> Result<()> {
        let mark = mark(self.keyed()?, LINE, &[name.as_bytes(), b"\0", line]);
        if line.pop() == Some(b'}') {
            line.extend_from_slice(SEAL_HEAD);
            line.extend_from_slice(mark.as_bytes());
            line.extend_from_slice(b"\"}");
        }
        Ok(())
    }

    fn keyed(&self) -> Result<&KeyedMac> {
        self.keyed.get_or_try_init(|| {
            let key = match self.read_key()? {
                Some(key) => key,
                None => self.make_key()?,
            };
            self.keyed_mac(&key)
        })
    }

    /// The key of a project: marks are bound to its real path. Under another path everything would seem to be foreign.
    fn keyed_mac(&self, key: &[u8]) -> Result<KeyedMac> {
        let Some(project) = &self.project else {
            return Ok(with_key(&digest(&with_key(key), &[ANYWHERE])));
        };
        let place = self.disk.resolve(project);
        let place = place.map_err(Error::io("find the real path of", project))?;
        let place = place.as_os_str().as_encoded_bytes();
        Ok(with_key(&digest(&with_key(key), &[PROJECT, place])))
    }

    fn key_path(&self) -> PathBuf {
        self.home.join(KEY_FILE)
    }

    fn read_key(&self) -> Result<Option<Vec<u8>>> {
        let path = self.key_path();
        let Some(text) = read_file(self.disk.as_ref(), &path)? else {
            return Ok(None);
        };
        let key = bytes_of(text.trim_ascii()).filter(|key| key.len() == KEY_BYTES);
        let damaged = || {
            Error::Corrupt {
            path,
            reason: "it does not contain a key; delete the file, then approve the waiting records with forge-memory drain --trust".into(),
        }
        };
        key.map(Some).ok_or_else(damaged)
    }

    /// Creates the key. Of several concurrent processes the first creates it.
    fn make_key(&self) -> Result<Vec<u8>> {
        let lock = LockFile::new(Arc::clone(&self.disk), self.home.join("locks/machine-key.lock"));
        let _guard = lock.guard()?;
        if let Some(key) = self.read_key()? {
            return Ok(key);
        }
        let path = self.key_path();
        let mut key = vec![0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|e| Error::io("make", &path)(io::Error::other(e)))?;
        write_file(self.disk.as_ref(), &path, format!("{}\n", hex(&key)).as_bytes())?;
        self.sync_home()?;
        Ok(key)
    }

    /// Syncs the folder of the key, and its parent, which may be new: when a power failure loses the key, everything
    /// that was marked with it becomes foreign.
    fn sync_home(&self) -> Result<()> {
        for folder in self.home.ancestors().take(2) {
            match self.disk.sync_dir(folder) {
                // A folder that we may enter but not read cannot be synced either.
                Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
                outcome => outcome.map_err(Error::io("sync", folder))?,
            }
        }
        Ok(())
    }
}

impl Checker {
    /// True if this machine has a key at all.
    pub fn has_key(&self) -> bool {
        self.0.is_some()
    }

    /// True if a record has the right mark.
    pub fn is_own_record(&self, record: &[u8], given: Option<&str>) -> bool {
        self.agrees(RECORD, &[record], given.map(str::as_bytes))
    }

    /// True if the mark of a file is right for its first line.
    pub fn is_own_file(&self, name: &str, first_line: &[u8], given: &[u8]) -> bool {
        self.agrees(FILE, &[name.as_bytes(), b"\0", first_line], Some(given))
    }

    /// True if [`Marks::seal`] has written this line.
    pub fn is_sealed(&self, name: &str, line: &[u8]) -> bool {
        let Some(at) = line.len().checked_sub(SEAL_BYTES) else {
            return false;
        };
        let (body, seal) = line.split_at(at);
        let given = seal.strip_prefix(SEAL_HEAD).and_then(|rest| rest.strip_suffix(b"\"}"));
        self.agrees(LINE, &[name.as_bytes(), b"\0", body, b"}"], given)
    }

    fn agrees(&self, kind: &[u8], parts: &[&[u8]], given: Option<&[u8]>) -> bool {
        let (Some(keyed), Some(given)) = (&self.0, given.and_then(bytes_of)) else {
            return false;
        };
        let mut mac = keyed.clone();
        mac.update(kind);
        parts.iter().for_each(|part| mac.update(part));
        given.len() == MARK_BYTES && mac.verify_truncated_left(&given).is_ok()
    }
}

fn with_key(key: &[u8]) -> KeyedMac {
    // HMAC accepts keys of any length: this cannot fail.
    KeyedMac::new_from_slice(key).unwrap_or_else(|_| KeyedMac::new(&Default::default()))
}

fn digest(keyed: &KeyedMac, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = keyed.clone();
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn mark(keyed: &KeyedMac, kind: &[u8], parts: &[&[u8]]) -> String {
    let all: Vec<&[u8]> = std::iter::once(kind).chain(parts.iter().copied()).collect();
    hex(&digest(keyed, &all)[..MARK_BYTES])
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn bytes_of(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    rest.is_empty().then(|| bytes.collect())?
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forge_memory_test_disk::{Operation, Watch, WatchedDisk};

    use super::*;
    use forge_memory_journal::OsDisk;

    fn marks(home: &Path, project: &Path) -> Marks {
        fs::create_dir_all(project).unwrap();
        let disk: Arc<dyn Disk> = Arc::new(OsDisk);
        Marks::new(&disk, home, project)
    }

    /// Refuses to say where a folder is.
    #[derive(Debug)]
    struct Hides(PathBuf);

    impl Watch for Hides {
        fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
            if operation == Operation::Stat && path == self.0 {
                Err(io::ErrorKind::PermissionDenied.into())
            } else {
                Ok(())
            }
        }
    }

    #[test]
    fn an_undeterminable_project_is_an_error_and_not_another_project() {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
        let mark = marks(&home, &shop).of_record(b"a").unwrap();
        let hiding: Arc<dyn Disk> = Arc::new(WatchedDisk::new(Hides(shop.clone())));
        let ours = Marks::new(&hiding, &home, &shop);
        let error = ours.of_record(b"a").unwrap_err();
        assert!(error.to_string().contains("shop"), "{error}");
        assert_eq!(ours.try_checker().unwrap_err().code(), error.code());
        assert_eq!(error.code(), "IO");
        assert!(
            !ours.checker().is_own_record(b"a", Some(&mark)),
            "nothing counts as own then"
        );
    }

    #[test]
    fn a_mark_is_valid_for_one_machine_one_project_and_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
        let ours = marks(&home, &shop);
        assert!(!ours.checker().is_own_record(b"a", Some("")), "there is no key yet");
        assert!(!home.join(KEY_FILE).exists(), "looking makes none");
        let mark = ours.of_record(b"a").unwrap();
        let again = marks(&home, &shop).checker();
        assert!(again.is_own_record(b"a", Some(&mark)));
        assert!(!again.is_own_record(b"b", Some(&mark)));
        assert!(!again.is_own_record(b"a", None));
        assert!(
            !again.is_own_record(b"a", Some(&mark[..2])),
            "a short mark is easy to guess"
        );
        assert!(!again.is_own_file("", b"a", mark.as_bytes()), "a mark of another kind");
        let elsewhere = marks(&home, &folder.path().join("other")).checker();
        assert!(!elsewhere.is_own_record(b"a", Some(&mark)));
        let other_machine = marks(&folder.path().join("theirs"), &shop);
        other_machine.of_record(b"x").unwrap();
        assert!(!other_machine.checker().is_own_record(b"a", Some(&mark)));
    }

    #[test]
    fn a_sealed_line_is_one_object_and_any_change_breaks_the_seal() {
        let folder = tempfile::tempdir().unwrap();
        let ours = marks(&folder.path().join("home"), &folder.path().join("shop"));
        let mut line = b"{\"a\":1}".to_vec();
        ours.seal("cache", &mut line).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(value["a"], 1);
        let check = ours.checker();
        assert!(check.is_sealed("cache", &line));
        assert!(!check.is_sealed("log", &line));
        for at in 0..line.len() {
            let mut changed = line.clone();
            changed[at] ^= 1;
            assert!(!check.is_sealed("cache", &changed), "byte {at}");
        }
        assert!(!check.is_sealed("cache", b"{}"));
    }

    #[cfg(unix)]
    #[test]
    fn the_key_is_in_the_users_folder_and_a_damaged_one_is_reported() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        marks(&home, &folder.path().join("shop")).of_record(b"a").unwrap();
        let mode = fs::metadata(home.join(KEY_FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(home.join(KEY_FILE), "short").unwrap();
        let error = marks(&home, &folder.path().join("shop")).of_record(b"a").unwrap_err();
        assert_eq!(error.code(), "CORRUPT");
    }

    #[test]
    fn processes_that_need_a_key_at_once_agree_on_one() {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
        let made: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| marks(&home, &shop).of_record(b"a").unwrap()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(made.iter().all(|mark| *mark == made[0]));
    }
}
