use std::fs;

use super::*;
use forge_memory_core::journal::OsDisk;
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

fn begin(home: &Path) -> Result<Installation> {
    Installation::begin(Arc::new(OsDisk), home, None, Duration::ZERO)
}

#[test]
fn only_one_process_at_a_time_installs() {
    let home = tempfile::tempdir().unwrap();
    let first = begin(home.path()).unwrap();
    assert_eq!(begin(home.path()).unwrap_err().code(), "LOCKED");
    drop(first);
    begin(home.path()).unwrap();
}

#[test]
fn a_partial_download_is_counted_and_resumed_by_the_next_process() {
    let home = tempfile::tempdir().unwrap();
    let first = begin(home.path()).unwrap();
    assert_eq!(first.received("tokenizer.json").unwrap(), 0);
    first.receive("tokenizer.json", &[1; 1000]).unwrap();
    drop(first);
    let second = begin(home.path()).unwrap();
    assert_eq!(second.received("tokenizer.json").unwrap(), 1000);
    second.restart("tokenizer.json").unwrap();
    assert_eq!(second.received("tokenizer.json").unwrap(), 0);
}

#[test]
fn a_download_beyond_its_expected_length_is_discarded() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    let most = usize::try_from(TOKENIZER.bytes).unwrap();
    installation.receive("tokenizer.json", &vec![0; most]).unwrap();
    let refused = installation.receive("tokenizer.json", &[0]).unwrap_err();
    assert_eq!(refused.code(), "CORRUPT");
    assert_eq!(installation.received("tokenizer.json").unwrap(), 0);
}

#[test]
fn an_invalid_partial_download_is_discarded() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    let most = usize::try_from(TOKENIZER.bytes).unwrap();
    installation.receive("tokenizer.json", &vec![0; most]).unwrap();
    let refused = installation
        .install(None, || Ok(forge_memory_inference::TABLE))
        .unwrap_err();
    assert_eq!(refused.code(), "CORRUPT");
    assert!(refused.to_string().contains("SHA-256"), "{refused}");
    assert_eq!(installation.received("tokenizer.json").unwrap(), 0);
}

#[test]
fn no_other_file_can_be_named() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    for name in ["", "../tokenizer.json", "model.int8.safetensors", "/etc/passwd"] {
        assert_eq!(installation.receive(name, &[1]).unwrap_err().code(), "INVALID_INPUT");
    }
}

#[test]
fn removing_leaves_files_of_others_and_says_whether_there_was_a_model() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    assert!(!installation.remove().unwrap().changed);
    let folder = installation.folder().path().to_path_buf();
    fs::create_dir_all(&folder).unwrap();
    for name in ["tokenizer.json", "model.int8.safetensors", "mine.txt"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    assert!(installation.remove().unwrap().changed);
    let left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["mine.txt"]);
    fs::remove_file(folder.join("mine.txt")).unwrap();
    installation.remove().unwrap();
    assert!(!folder.exists());
}

fn names_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        found.extend(names_in(&path));
        found.push(path);
    }
    found.sort_unstable();
    found
}

/// Receives a part of a download, installs from a folder with a file that is not the model's, and removes everything.
fn work(disk: &FaultyDisk, home: &Path, from: &Path) -> Vec<String> {
    let begun = Installation::begin(Arc::new(disk.clone()), home, None, Duration::ZERO);
    let Ok(installation) = begun else {
        return vec!["not begun".into()];
    };
    let told = |outcome: Result<String>| outcome.unwrap_or_else(|error| error.code().to_owned());
    vec![
        told(installation.receive("tokenizer.json", b"{").map(|()| "received".into())),
        told(installation.received("tokenizer.json").map(|bytes| bytes.to_string())),
        told(installation.folder().state().map(|state| state.name().into())),
        told(
            installation
                .install(Some(from), || Ok(forge_memory_inference::TABLE))
                .map(|new| new.changed.to_string()),
        ),
        told(installation.remove().map(|removed| removed.changed.to_string())),
    ]
}

#[test]
fn a_disk_fault_is_an_error_and_the_next_attempt_resumes() {
    let from = tempfile::tempdir().unwrap();
    fs::create_dir_all(from.path().join("inner")).unwrap();
    for name in [TOKENIZER.name, PUBLISHED_WEIGHTS.name] {
        fs::write(from.path().join("inner").join(name.as_ref()), "another one").unwrap();
    }
    let wanted = ["received", "1", "missing", "CORRUPT", "false"];
    let home = tempfile::tempdir().unwrap();
    let counting = FaultyDisk::of(Fault::NONE);
    assert_eq!(work(&counting, home.path(), from.path()), wanted);
    let left = names_in(home.path()).len();
    let operations = counting.operations();
    for at in 1..=operations.len() {
        let home = tempfile::tempdir().unwrap();
        let torn = Torn::Half;
        let disk = FaultyDisk::of(Fault { at, torn, dead: false });
        let told = work(&disk, home.path(), from.path());
        let label = format!("operation {at} ({:?}): {told:?}", operations.get(at - 1));
        let is_told = told
            .iter()
            .zip(&wanted)
            .all(|(one, wanted)| one == wanted || one == "IO");
        assert!(
            is_told || told == ["not begun"] || told.get(1).is_some_and(|bytes| bytes == "0"),
            "{label}"
        );
        disk.repair();
        let again = work(&disk, home.path(), from.path());
        assert!(
            again == wanted || again.get(1).is_some_and(|bytes| bytes == "2"),
            "{label}, then {again:?}"
        );
        assert_eq!(names_in(home.path()).len(), left, "{label}: something is left");
    }
}
