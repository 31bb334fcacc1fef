//! One stored sample of every known format, and its expected conversion.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Workshop;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/data/migration")
}

/// Returns every file below a folder by name; of `.forge`, what is ours alone is left out.
pub fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
            let ours = ["locks", "index", ".migration-backup", ".gitignore"];
            if ours.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
            }
        }
    }
    files
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Returns a workshop with a sample in it.
pub fn sample(name: &str) -> Workshop {
    let workshop = Workshop::new();
    copy(&data().join(name).join("forge"), &workshop.forge());
    workshop
}

pub fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn every_sample_migrates_to_its_stored_result_and_a_second_run_changes_nothing() {
    assert_eq!(names().len(), 9);
    for name in names() {
        let workshop = sample(&name);
        let before = tree(&workshop.forge());
        let planned = workshop.open().migrate(true).unwrap();
        assert_eq!(tree(&workshop.forge()), before, "{name}: a dry run writes nothing");
        assert!(!workshop.forge().join("locks").exists(), "{name}: not even a lock");
        let done = workshop.open().migrate(false).unwrap();
        let wanted = data().join(&name).join("after");
        assert_eq!(tree(&workshop.forge()), tree(&wanted), "{name}");
        assert_eq!(planned.files, done.files, "{name}: the dry run told what happened");
        let originals = Path::new(done.backup.as_deref().unwrap());
        for (file, text) in tree(originals) {
            assert_eq!(Some(&text), before.get(&file), "{name}: the backup of {file}");
        }
        workshop.clock.advance(1000);
        let again = workshop.open().migrate(false).unwrap();
        assert_eq!(
            (again.backup, tree(&workshop.forge())),
            (None, tree(&wanted)),
            "{name}: again"
        );
    }
}
