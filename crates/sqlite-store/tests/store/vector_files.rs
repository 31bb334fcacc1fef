//! The files with the codes of vectors: never needed, never trusted without the database, never behind.

use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_core::journal::OsDisk;
use forge_memory_sqlite_store::{EmbeddedStore, StoredThought};
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

use super::dice::{Dice, seed};
use super::support::*;

const DIMENSIONS: usize = 24;

fn folder_of(shop: &Shop) -> PathBuf {
    shop.path().with_file_name("openbrain.db.vectors")
}

fn files_of(shop: &Shop) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder_of(shop)) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

fn the_file(shop: &Shop) -> PathBuf {
    let files = files_of(shop);
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// The nearest ids by their files, and by a process that has none.
fn nearest(store: &mut EmbeddedStore, query: &[f32]) -> Vec<(String, f64)> {
    let answer = store.search("", Some(&meaning(query)), &filter(10)).unwrap();
    let hits = answer.hits.into_iter();
    hits.map(|hit| (hit.thought.id, hit.similarity.unwrap())).collect()
}

/// A copy of the database alone: it reads all vectors.
fn nearest_of_the_database(shop: &Shop, query: &[f32]) -> Vec<(String, f64)> {
    let copy = tempfile::tempdir().unwrap();
    for ending in ["", "-wal"] {
        let from = PathBuf::from(format!("{}{ending}", shop.path().display()));
        if from.exists() {
            fs::copy(from, copy.path().join(format!("openbrain.db{ending}"))).unwrap();
        }
    }
    let mut store = EmbeddedStore::open(&OsDisk, &copy.path().join("openbrain.db")).unwrap();
    nearest(&mut store, query)
}

/// Some hundred thoughts near each other, so that none is irrelevant.
fn fill(store: &mut EmbeddedStore, dice: &mut Dice, from: usize, to: usize) -> Vec<f32> {
    let batch: Vec<_> = (from..to)
        .map(|at| (thought(&format!("mem_{at}"), "x"), Some(meaning(&near(dice)))))
        .collect();
    store.put(&batch).unwrap();
    near(dice)
}

fn near(dice: &mut Dice) -> Vec<f32> {
    direction(dice, DIMENSIONS).iter().map(|number| 0.3 + number).collect()
}

#[test]
fn a_process_that_reads_the_file_finds_what_one_that_reads_all_vectors_finds() {
    let seed = seed("vector files", 20_261_123);
    for round in 0..6 {
        let mut dice = Dice::new(seed + round);
        let shop = Shop::new();
        let mut stores = [shop.open(), shop.open()];
        let mut live: Vec<String> = Vec::new();
        let mut compared = 0;
        for step in 0..120 {
            let which = dice.roll(2);
            match dice.roll(12) {
                // A new process.
                0 | 1 => stores[which] = shop.open(),
                2 | 3 => {
                    stores[which].save_vectors(MODEL).unwrap();
                }
                4 if !live.is_empty() => {
                    let id = live.swap_remove(dice.roll(live.len()));
                    assert_eq!(stores[which].remove(&[id]).unwrap(), 1);
                }
                5 if !live.is_empty() => {
                    let id = live[dice.roll(live.len())].clone();
                    stores[which].put_vectors(MODEL, &[(id, near(&mut dice))]).unwrap();
                }
                6 if !live.is_empty() => {
                    let old = live.swap_remove(dice.roll(live.len()));
                    let revision = StoredThought {
                        supersedes: Some(old),
                        ..thought(&format!("mem_{step}"), "x")
                    };
                    put_with(&mut stores[which], revision, &near(&mut dice));
                    live.push(format!("mem_{step}"));
                }
                7..9 => {
                    let query = near(&mut dice);
                    let expected = nearest_of_the_database(&shop, &query);
                    compared += expected.len();
                    assert_eq!(
                        nearest(&mut stores[which], &query),
                        expected,
                        "round {round} step {step}"
                    );
                }
                _ => {
                    let id = format!("mem_{step}");
                    put_with(&mut stores[which], thought(&id, "x"), &near(&mut dice));
                    live.push(id);
                }
            }
        }
        assert!(compared > 50, "{compared} hits in round {round}");
        assert!(
            files_of(&shop).len() == 1,
            "no file is left behind: {:?}",
            files_of(&shop)
        );
    }
}

#[test]
fn a_damaged_truncated_or_foreign_file_changes_no_answer_and_is_written_anew() {
    let mut dice = Dice::new(seed("damage", 7));
    let shop = Shop::new();
    let mut store = shop.open();
    let query = fill(&mut store, &mut dice, 0, 300);
    assert!(store.save_vectors(MODEL).unwrap());
    let expected = nearest(&mut store, &query);
    let path = the_file(&shop);
    let whole = fs::read(&path).unwrap();
    let other = Shop::new();
    let mut foreign = other.open();
    fill(&mut foreign, &mut dice, 0, 300);
    foreign.save_vectors(MODEL).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        bytes
    };
    let damages = [
        Vec::new(),
        b"no vectors at all".to_vec(),
        vec![0; whole.len()],
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 1].to_vec(),
        [whole.as_slice(), b"more"].concat(),
        flipped(0),
        flipped(whole.len() / 2),
        flipped(whole.len() - 20),
        fs::read(the_file(&other)).unwrap(),
    ];
    for (number, bytes) in damages.into_iter().enumerate() {
        fs::write(&path, bytes).unwrap();
        let mut fresh = shop.open();
        assert_eq!(nearest(&mut fresh, &query), expected, "damage {number}");
        assert!(fresh.save_vectors(MODEL).unwrap(), "damage {number}");
        assert_eq!(fs::read(the_file(&shop)).unwrap(), whole, "damage {number}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(nearest(&mut shop.open(), &query), expected);
    fs::create_dir(&path).unwrap();
    assert_eq!(nearest(&mut shop.open(), &query), expected);
}

#[test]
fn an_older_database_beside_a_later_file_does_not_use_it() {
    let mut dice = Dice::new(seed("restored", 8));
    let shop = Shop::new();
    let mut store = shop.open();
    fill(&mut store, &mut dice, 0, 50);
    store.save_vectors(MODEL).unwrap();
    drop(store);
    let backup = fs::read(shop.path()).unwrap();
    let mut store = shop.open();
    fill(&mut store, &mut dice, 50, 100);
    store.save_vectors(MODEL).unwrap();
    drop(store);
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", shop.path().display()));
    }
    fs::write(shop.path(), backup).unwrap();
    let mut store = shop.open();
    // The numbers of the lost thoughts are given again, to others.
    let batch: Vec<_> = (200..280)
        .map(|at| (thought(&format!("mem_{at}"), "x"), Some(meaning(&near(&mut dice)))))
        .collect();
    store.put(&batch).unwrap();
    let query = near(&mut dice);
    let expected = nearest_of_the_database(&shop, &query);
    assert_eq!(nearest(&mut shop.open(), &query), expected);
    assert!(store.save_vectors(MODEL).unwrap());
    assert_eq!(nearest(&mut shop.open(), &query), expected);
    the_file(&shop);
}

#[test]
fn another_process_adds_edits_and_forgets_while_this_one_has_the_file_open() {
    let mut dice = Dice::new(seed("beside", 9));
    let shop = Shop::new();
    let mut writer = shop.open();
    let query = fill(&mut writer, &mut dice, 0, 200);
    writer.save_vectors(MODEL).unwrap();
    let mut reader = shop.open();
    let first = nearest(&mut reader, &query);
    put_with(&mut writer, thought("mem_new", "x"), &query);
    assert_eq!(nearest(&mut reader, &query)[0].0, "mem_new");
    let revision = StoredThought {
        supersedes: Some("mem_new".into()),
        ..thought("mem_revised", "x")
    };
    put_with(&mut writer, revision, &query);
    assert_eq!(nearest(&mut reader, &query)[0].0, "mem_revised");
    writer.remove(&["mem_revised".into()]).unwrap();
    assert_eq!(nearest(&mut reader, &query), first);
    writer.remove(&[first[0].0.clone()]).unwrap();
    writer.save_vectors(MODEL).unwrap();
    let expected = nearest_of_the_database(&shop, &query);
    for store in [&mut reader, &mut shop.open()] {
        assert_eq!(nearest(store, &query), expected);
    }
}

#[test]
fn concurrent_writers_and_searches_use_and_replace_the_file() {
    let shop = Shop::new();
    let mut dice = Dice::new(seed("threads", 10));
    let query = fill(&mut shop.open(), &mut dice, 0, 100);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (shop, query) = (&shop, &query);
            scope.spawn(move || {
                let mut dice = Dice::new(worker);
                for number in 0..15 {
                    let mut store = shop.open();
                    put_with(&mut store, thought(&format!("mem_{worker}_{number}"), "x"), query);
                    store.save_vectors(MODEL).unwrap();
                    let ids: Vec<_> = nearest(&mut shop.open(), query).into_iter().map(|(id, _)| id).collect();
                    assert_eq!(ids.len(), 10);
                    if dice.roll(3) == 0 {
                        let own = format!("mem_{worker}_{number}");
                        store.remove(std::slice::from_ref(&own)).unwrap();
                        assert!(nearest(&mut shop.open(), query).iter().all(|(id, _)| *id != own));
                    }
                }
            });
        }
    });
    let mut store = shop.open();
    store.save_vectors(MODEL).unwrap();
    the_file(&shop);
    let expected = nearest_of_the_database(&shop, &query);
    assert_eq!(nearest(&mut shop.open(), &query), expected);
}

#[test]
fn the_codes_of_a_forgotten_thought_are_not_in_the_file_any_more() {
    let mut dice = Dice::new(seed("forgotten", 11));
    let shop = Shop::new();
    let mut store = shop.open();
    fill(&mut store, &mut dice, 0, 100);
    // Codes of its own: one number is all of the vector.
    let mut secret = vec![0.0; DIMENSIONS];
    secret[7] = 1.0;
    let mut codes = [0_u8; DIMENSIONS];
    codes[7] = 127;
    let has_codes = |path: &Path| fs::read(path).unwrap().windows(DIMENSIONS).any(|part| part == codes);
    put_with(&mut store, thought("mem_secret", "x"), &secret);
    store.save_vectors(MODEL).unwrap();
    assert!(has_codes(&the_file(&shop)));
    // By a process that has not read the file.
    shop.open().remove(&["mem_secret".into()]).unwrap();
    assert!(!has_codes(&the_file(&shop)));

    // When that process was killed before it wrote the file, the next search writes it.
    put_with(&mut store, thought("mem_secret_2", "x"), &secret);
    store.save_vectors(MODEL).unwrap();
    let other = rusqlite::Connection::open(shop.path()).unwrap();
    other
        .execute_batch(
            "INSERT INTO gone (id, seq, forgotten) SELECT id, seq, 1 FROM thoughts WHERE id = 'mem_secret_2';
             DELETE FROM vectors WHERE seq = (SELECT seq FROM thoughts WHERE id = 'mem_secret_2');
             DELETE FROM terms WHERE rowid = (SELECT seq FROM thoughts WHERE id = 'mem_secret_2');
             DELETE FROM thoughts WHERE id = 'mem_secret_2';",
        )
        .unwrap();
    assert!(has_codes(&the_file(&shop)));
    nearest(&mut shop.open(), &secret);
    assert!(!has_codes(&the_file(&shop)));
}

#[test]
fn a_folder_in_which_nothing_can_be_written_costs_no_answer() {
    let mut dice = Dice::new(seed("full", 12));
    let shop = Shop::new();
    let query = fill(&mut shop.open(), &mut dice, 0, 100);
    // A file where the folder would be.
    fs::write(folder_of(&shop), "").unwrap();
    let mut store = shop.open();
    assert!(store.save_vectors(MODEL).is_err());
    let expected = nearest_of_the_database(&shop, &query);
    assert_eq!(nearest(&mut store, &query), expected);
    assert_eq!(store.remove(&["mem_1".into()]).unwrap(), 1);
    put_with(&mut store, thought("mem_new", "x"), &query);
    assert_eq!(nearest(&mut shop.open(), &query)[0].0, "mem_new");
}

#[test]
fn every_operation_on_the_file_may_fail_once() {
    let mut dice = Dice::new(seed("faults", 13));
    let mut failed = 0;
    for torn in [Torn::Half, Torn::All] {
        for at in 1.. {
            let shop = Shop::new();
            let query = fill(&mut shop.open(), &mut dice, 0, 60);
            shop.open().save_vectors(MODEL).unwrap();
            let expected = nearest_of_the_database(&shop, &query);
            let disk = FaultyDisk::of(Fault { at, torn, dead: false });
            let Ok(mut store) = EmbeddedStore::open(&disk, &shop.path()) else {
                continue;
            };
            assert_eq!(nearest(&mut store, &query), expected, "operation {at}");
            put_with(&mut store, thought("mem_new", "x"), &query);
            let _ = store.save_vectors(MODEL);
            assert_eq!(store.remove(&["mem_new".into()]).unwrap(), 1, "operation {at}");
            assert_eq!(nearest(&mut shop.open(), &query), expected, "operation {at}");
            if !disk.has_failed() {
                break;
            }
            failed += 1;
        }
    }
    assert!(failed >= 10, "{failed} operations were seen to fail");
}

#[test]
fn many_new_vectors_are_saved_without_being_asked_and_left_over_files_are_removed() {
    let mut dice = Dice::new(seed("many", 14));
    let shop = Shop::new();
    let mut store = shop.open();
    fs::create_dir_all(folder_of(&shop)).unwrap();
    fs::write(folder_of(&shop).join(".1-00.77-1.tmp"), "of a killed process").unwrap();
    fs::write(folder_of(&shop).join("1-0000000000000001"), "of another database").unwrap();
    fill(&mut store, &mut dice, 0, 4000);
    assert_eq!(
        files_of(&shop).len(),
        2,
        "few vectors are read as quickly from the database"
    );
    fill(&mut store, &mut dice, 4000, 4200);
    let before = the_file(&shop);
    let query = fill(&mut store, &mut dice, 4200, 4300);
    assert_eq!(the_file(&shop), before);
    assert_eq!(
        nearest(&mut shop.open(), &query),
        nearest_of_the_database(&shop, &query)
    );
    assert_eq!(store.drop_model(MODEL).unwrap(), 4300);
    assert_eq!(files_of(&shop), Vec::<PathBuf>::new(), "codes of a dropped model");
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let mut dice = Dice::new(seed("modes", 15));
    let shop = Shop::new();
    let mut store = shop.open();
    fill(&mut store, &mut dice, 0, 20);
    store.save_vectors(MODEL).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder_of(&shop)), mode(&the_file(&shop))), (0o700, 0o600));
}
