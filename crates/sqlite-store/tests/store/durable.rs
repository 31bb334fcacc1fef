//! The file: private, shared by processes, and refused when it is not ours.

use std::fs;
use std::sync::Barrier;
use std::time::Duration;

use forge_memory_core::journal::OsDisk;
use forge_memory_sqlite_store::{EmbeddedStore, PutOutcome, Upto};

use super::support::*;

#[cfg(unix)]
#[test]
fn file_and_folder_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::new();
    let mut store = shop.open();
    put(&mut store, thought("mem_1", "pump"));
    let folder = shop.path().parent().unwrap().to_path_buf();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
    assert!(files.len() >= 3, "the file and its log");
    for file in files {
        assert_eq!(mode(&file.path()), 0o600, "{}", file.path().display());
    }
}

#[test]
fn concurrent_openers_create_one_store_and_lose_nothing() {
    let shop = Shop::new();
    let start = Barrier::new(6);
    std::thread::scope(|scope| {
        for worker in 0..6 {
            let (shop, start) = (&shop, &start);
            scope.spawn(move || {
                start.wait();
                let mut store = shop.open();
                for number in 0..40 {
                    // Half of the ids are used by all processes.
                    let id = if number % 2 == 0 {
                        format!("mem_{number}")
                    } else {
                        format!("mem_{worker}_{number}")
                    };
                    put_with(&mut store, thought(&id, "pump"), &[1.0, number as f32]);
                }
            });
        }
    });
    let mut store = shop.open();
    assert_eq!(store.count(None).unwrap(), 20 + 6 * 20);
    assert_eq!(store.models().unwrap()[0].vectors, 140);
    let all = store
        .search("pump", Some(&meaning(&[1.0, 3.0])), &filter(1000))
        .unwrap();
    assert_eq!(all.hits.len(), 140);
}

#[test]
fn stored_thoughts_survive_an_unclean_shutdown() {
    let shop = Shop::new();
    let mut store = shop.open();
    assert_eq!(
        put_with(&mut store, thought("mem_1", "pump"), &[1.0]),
        PutOutcome::Stored
    );
    // No destructor runs.
    std::mem::forget(store);
    assert_eq!(found(&mut shop.open(), "pump"), ["mem_1"]);
}

#[test]
fn a_file_that_is_not_a_store_is_refused_and_not_changed() {
    let shop = Shop::new();
    fs::create_dir_all(shop.path().parent().unwrap()).unwrap();
    let text = "this is not a database at all. ".repeat(100);
    fs::write(shop.path(), &text).unwrap();
    assert_eq!(
        EmbeddedStore::open(&OsDisk, &shop.path()).unwrap_err().code(),
        "CORRUPT"
    );
    assert_eq!(fs::read_to_string(shop.path()).unwrap(), text);
    fs::remove_file(shop.path()).unwrap();
    fs::create_dir(shop.path()).unwrap();
    assert_eq!(
        EmbeddedStore::open(&OsDisk, &shop.path()).unwrap_err().code(),
        "UNSAFE_PATH"
    );
}

/// Locks the file for one process alone, as a database without shared memory is; on a file system without locks every attempt fails alike.
fn locked(shop: &Shop) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(shop.path()).unwrap();
    other
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE other(x);")
        .unwrap();
    other
}

#[test]
fn readers_of_a_locked_store_are_refused_soon_and_told_so() {
    let shop = Shop::new();
    drop(shop.open());
    let held = locked(&shop);
    for _ in 0..2 {
        let (done, outcome) = std::sync::mpsc::channel();
        let path = shop.path();
        std::thread::spawn(move || done.send(EmbeddedStore::open_existing(&OsDisk, &path).map(|_| ())));
        // far below what five hundred waits for the lock would take
        let error = outcome.recv_timeout(Duration::from_secs(30)).unwrap().unwrap_err();
        assert_eq!(error.code(), "LOCKED");
        assert!(error.to_string().contains("more than 800 ms"), "{error}");
    }
    drop(held);
    assert_eq!(shop.open().count(None).unwrap(), 0);
}

#[test]
fn a_store_that_is_locked_while_it_is_open_refuses_readers_soon() {
    let shop = Shop::new();
    let store = shop.open();
    let other = rusqlite::Connection::open(shop.path()).unwrap();
    // a rollback journal keeps readers out while somebody writes
    drop(store);
    other.execute_batch("PRAGMA journal_mode=DELETE;").unwrap();
    drop(other);
    let held = locked(&shop);
    let error = EmbeddedStore::open_existing(&OsDisk, &shop.path()).unwrap_err();
    assert_eq!(error.code(), "LOCKED");
    drop(held);
    drop(shop.open());
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let shop = Shop::new();
    drop(shop.open());
    let mut bytes = fs::read(shop.path()).unwrap();
    // `user_version` is at offset 60 of the first page.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(shop.path(), bytes).unwrap();
    let error = EmbeddedStore::open(&OsDisk, &shop.path()).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED");
    assert!(error.to_string().contains("99"), "{error}");
}

#[test]
fn all_fields_are_returned_as_stored() {
    let shop = Shop::new();
    let mut store = shop.open();
    let mut full = thought("mem_1", "A 'quoted' \"text\"\nwith lines, Größe und 東京 \u{1f600}");
    full.tags = vec!["a".into(), "b \"c\"".into()];
    full.expires_at = Some("2027-11-20T10:00:00.000Z".into());
    full.metadata = "{\"hallmark\":{\"schemaVersion\":\"hallmark/v1\"}}".into();
    full.supersedes = Some("mem_0".into());
    full.confidence = 0.25;
    put(&mut store, full.clone());
    assert_eq!(store.list(&filter(5)).unwrap()[0].thought, full);
}

#[test]
fn a_store_of_the_version_before_is_migrated_once_and_an_older_one_is_refused() {
    let shop = Shop::new();
    let mut store = shop.open();
    put(&mut store, thought("mem_1", "dependencies are pinned"));
    drop(store);
    let connection = rusqlite::Connection::open(shop.path()).unwrap();
    connection
        .execute_batch(
            "ALTER TABLE rulings DROP COLUMN line; PRAGMA user_version = 2;
             INSERT INTO rulings (id, kind, other, why, at_ms, project) VALUES ('mem_1', 'retire', '', 'gone', 7, 'shop');",
        )
        .unwrap();
    let decided = |store: EmbeddedStore| store.decisions(&["shop".to_owned()], Upto::default()).unwrap();
    for _ in 0..2 {
        let found = decided(shop.open());
        assert_eq!(found.lines.len(), 1, "{found:?}");
        assert!(found.lines[0].contains("\"_action\":\"retire\""), "{found:?}");
    }
    connection.execute_batch("PRAGMA user_version = 1;").unwrap();
    let error = EmbeddedStore::open(&OsDisk, &shop.path()).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED");
}
