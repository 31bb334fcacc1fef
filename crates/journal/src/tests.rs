use std::fs;

use super::*;

fn journal(folder: &Path) -> Journal {
    Journal::new(Arc::new(OsDisk), folder.join("a.jsonl"), folder.join("locks/a.lock"))
}

#[test]
fn records_are_lines_in_the_order_of_their_appends() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    let first = journal.append(b"{\"n\":1}").unwrap();
    let second = journal.append(b"{\"n\":2}").unwrap();
    assert_eq!(
        (first, second),
        (Span { offset: 0, len: 8 }, Span { offset: 8, len: 8 })
    );
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(journal.read(second).unwrap(), b"{\"n\":2}\n");
}

#[test]
fn a_torn_tail_of_any_length_is_never_joined_with_the_next_line() {
    let record = b"{\"id\":\"torn\",\"content\":\"\xc3\xa9\"}";
    for cut in 1..=record.len() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = journal(folder.path());
        journal.append(b"{\"n\":1}").unwrap();
        let mut bytes = fs::read(journal.path()).unwrap();
        bytes.extend_from_slice(&record[..cut]);
        fs::write(journal.path(), &bytes).unwrap();
        let span = journal.append(b"{\"n\":2}").unwrap();
        assert_eq!(journal.read(span).unwrap(), b"{\"n\":2}\n", "cut={cut}");
        let text = fs::read(journal.path()).unwrap();
        let lines: Vec<_> = text.split(|b| *b == b'\n').collect();
        assert_eq!(
            lines,
            [&b"{\"n\":1}"[..], &record[..cut], b"{\"n\":2}", b""],
            "cut={cut}"
        );
    }
}

#[test]
fn a_record_with_a_line_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    assert_eq!(journal.append(b"a\nb").unwrap_err().code(), "INVALID_INPUT");
    assert_eq!(fs::read(journal.path()).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("deep/er");
    let mut journal = journal(&inner);
    journal.append(b"{}").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(journal.path()), 0o600);
    assert_eq!(mode(&inner), 0o700);
    assert_eq!(mode(&inner.join("locks/a.lock")), 0o600);
}

#[test]
fn a_replaced_deleted_or_moved_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    journal.append(b"{\"n\":1}").unwrap();
    // An editor keeps the old file as a backup, and writes a new one.
    fs::rename(journal.path(), folder.path().join("a.jsonl~")).unwrap();
    fs::write(journal.path(), b"{\"n\":9}\n").unwrap();
    journal.append(b"{\"n\":2}").unwrap();
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":9}\n{\"n\":2}\n");
    fs::remove_dir_all(folder.path().join("locks")).unwrap();
    fs::remove_file(journal.path()).unwrap();
    journal.append(b"{\"n\":3}").unwrap();
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":3}\n");
    assert!(folder.path().join("locks/a.lock").exists());
}

#[test]
fn two_lock_handles_exclude_each_other_and_a_dropped_one_releases() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (journal(folder.path()), journal(folder.path()));
    let writer = one.writer().unwrap();
    let error = other
        .lock
        .acquire_within(std::time::Duration::from_millis(5))
        .unwrap_err();
    assert_eq!(error.code(), "LOCKED");
    drop(writer);
    assert!(other.writer().is_ok());
}

#[test]
fn a_replacement_keeps_concurrent_appends() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    journal.append(b"{\"n\":1}").unwrap();
    let path = journal.path().to_path_buf();
    let replaced = journal
        .replace(|old| {
            assert_eq!(old, b"{\"n\":1}\n");
            // A program that does not take the lock.
            let mut foreign = fs::OpenOptions::new().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut foreign, b"{\"n\":2}\n").unwrap();
            Ok::<_, Error>(Some(b"{\"n\":10}\n".to_vec()))
        })
        .unwrap();
    assert!(replaced);
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":10}\n{\"n\":2}\n");
    journal.append(b"{\"n\":3}").unwrap();
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":10}\n{\"n\":2}\n{\"n\":3}\n");
    assert!(!journal.replace(|_| Ok::<_, Error>(None)).unwrap());
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "no temporary file is left"
    );
}

#[test]
fn lines_appended_to_a_replaced_file_are_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    journal.append(b"{\"n\":1}").unwrap();
    let taken = journal.look().unwrap().unwrap().len;
    // A program that does not take the lock opened the file before it was replaced, and writes afterwards.
    let mut foreign = fs::OpenOptions::new().append(true).open(journal.path()).unwrap();
    let fresh = folder.path().join("fresh");
    fs::write(&fresh, b"{\"n\":10}\n").unwrap();
    fs::rename(&fresh, journal.path()).unwrap();
    std::io::Write::write_all(&mut foreign, b"{\"n\":2}\n").unwrap();
    journal.carry_late(taken).unwrap();
    assert_eq!(fs::read(journal.path()).unwrap(), b"{\"n\":10}\n{\"n\":2}\n");
}

#[test]
fn a_full_file_becomes_the_previous_generation_and_the_new_one_opens_with_the_carried_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    for n in 0..5 {
        let mut on_rotation = |writer: &mut JournalWriter<'_>| {
            let first = format!("{{\"carried\":{}}}", writer.len()).into_bytes();
            Ok::<_, Error>(Rotation::Now(Some(first)))
        };
        let mut compose = |_: &mut JournalWriter<'_>| Ok(format!("{{\"n\":{n}}}").into_bytes());
        journal.append_rotating(16, &mut on_rotation, &mut compose).unwrap();
    }
    let previous = fs::read_to_string(folder.path().join("a.1.jsonl")).unwrap();
    let current = fs::read_to_string(journal.path()).unwrap();
    assert_eq!(previous, "{\"carried\":23}\n{\"n\":3}\n");
    assert_eq!(current, "{\"carried\":23}\n{\"n\":4}\n");
}

#[test]
fn a_copy_has_what_was_appended_and_follows_a_rewrite() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = journal(folder.path());
    journal.append(b"committed").unwrap();
    let copied = Journal::new(
        Arc::new(OsDisk),
        folder.path().join("copies/a.jsonl"),
        folder.path().join("locks/copies.lock"),
    );
    journal.set_copy(copied, b"head".to_vec(), true);
    for line in [&b"one"[..], b"a secret", b"two"] {
        journal.append(line).unwrap();
    }
    let copy = || fs::read_to_string(folder.path().join("copies/a.jsonl")).unwrap();
    assert_eq!(copy(), "head\none\na secret\ntwo\n");
    let redacted = |old: &[u8]| {
        Ok(Some(
            String::from_utf8_lossy(old).replace("secret", "redacted").into_bytes(),
        ))
    };
    assert!(journal.replace::<Error>(redacted).unwrap());
    assert_eq!(copy(), "head\none\ntwo\na redacted\n");
    journal.append(b"three").unwrap();
    assert_eq!(copy(), "head\none\ntwo\na redacted\nthree\n");
    // What another program took away stays in the copy when the journal is rewritten.
    fs::write(journal.path(), "committed\ntwo\n").unwrap();
    assert!(
        journal
            .replace::<Error>(|old| Ok(Some(old.strip_suffix(b"two\n").unwrap().to_vec())))
            .unwrap()
    );
    assert_eq!(copy(), "head\none\na redacted\nthree\n");
    // Without the copy, nothing is acknowledged.
    fs::remove_dir_all(folder.path().join("copies")).unwrap();
    fs::write(folder.path().join("copies"), "").unwrap();
    let before = fs::read(journal.path()).unwrap();
    assert!(journal.append(b"four").is_err());
    assert_eq!(fs::read(journal.path()).unwrap(), before);
    // Unless it only backs the journal up.
    let again = Journal::new(
        Arc::new(OsDisk),
        folder.path().join("copies/a.jsonl"),
        folder.path().join("locks/copies.lock"),
    );
    journal.set_copy(again, b"head".to_vec(), false);
    journal.append(b"four").unwrap();
    assert!(
        fs::read_to_string(journal.path())
            .unwrap()
            .ends_with("committed\nfour\n")
    );
}
