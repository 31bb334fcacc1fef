use std::fs;

use super::*;
use forge_memory_core::journal::OsDisk;

fn begin(home: &Path) -> Result<Installation> {
    Installation::begin(Arc::new(OsDisk), home, Duration::ZERO)
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
fn what_was_received_is_counted_and_goes_on_in_the_next_process() {
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
fn a_file_that_grows_beyond_its_length_is_thrown_away() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    let most = usize::try_from(TOKENIZER.bytes).unwrap();
    installation.receive("tokenizer.json", &vec![0; most]).unwrap();
    let refused = installation.receive("tokenizer.json", &[0]).unwrap_err();
    assert_eq!(refused.code(), "CORRUPT");
    assert_eq!(installation.received("tokenizer.json").unwrap(), 0);
}

#[test]
fn wrong_bytes_that_were_received_are_not_kept_for_the_next_try() {
    let home = tempfile::tempdir().unwrap();
    let installation = begin(home.path()).unwrap();
    let most = usize::try_from(TOKENIZER.bytes).unwrap();
    installation.receive("tokenizer.json", &vec![0; most]).unwrap();
    let refused = installation.install(None).unwrap_err();
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
    assert!(!installation.remove().unwrap());
    let folder = installation.folder().path().to_path_buf();
    fs::create_dir_all(&folder).unwrap();
    for name in ["tokenizer.json", "model.int8.safetensors", "mine.txt"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    assert!(installation.remove().unwrap());
    let left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["mine.txt"]);
    fs::remove_file(folder.join("mine.txt")).unwrap();
    installation.remove().unwrap();
    assert!(!folder.exists());
}
