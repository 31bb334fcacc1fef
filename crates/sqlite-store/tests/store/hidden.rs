//! Stored thoughts are unchanged; expired, superseded and forgotten ones are never returned.

use forge_memory_core::journal::OsDisk;
use forge_memory_sqlite_store::{EmbeddedStore, PutOutcome, StoreFilter, StoredThought};

use super::support::*;

fn revision(id: &str, content: &str, of: &str) -> StoredThought {
    StoredThought {
        supersedes: Some(of.into()),
        ..thought(id, content)
    }
}

#[test]
fn a_thought_stored_twice_exists_once() {
    let shop = Shop::new();
    let mut store = shop.open();
    let outcomes = store
        .put(&[
            (thought("mem_a", "The pool leaks"), None),
            (thought("mem_a", "The pool leaks"), None),
            (thought("mem_b", "The pump squeaks"), None),
        ])
        .unwrap();
    assert_eq!(outcomes, [PutOutcome::Stored, PutOutcome::Known, PutOutcome::Stored]);
    assert_eq!(
        put(&mut shop.open(), thought("mem_a", "another text")),
        PutOutcome::Known
    );
    assert_eq!(store.count(None).unwrap(), 2);
    assert_eq!(found(&mut store, "pool"), ["mem_a"]);
    let ids = ["mem_a".to_owned(), "mem_x".to_owned()];
    assert_eq!(store.has(&ids).unwrap(), [true, false]);
}

#[test]
fn one_invalid_thought_rejects_the_whole_batch() {
    let shop = Shop::new();
    let mut store = shop.open();
    for bad in ["", "a b", "../x"] {
        let error = store
            .put(&[(thought("mem_a", "good"), None), (thought(bad, "bad"), None)])
            .unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT");
    }
    let mut wrong = thought("mem_b", "bad");
    wrong.metadata = "{}".into();
    let error = store
        .put(&[(thought("mem_a", "good"), None), (wrong, Some(meaning(&[0.0, 0.0])))])
        .unwrap_err();
    assert_eq!(error.code(), "INVALID_INPUT");
    assert_eq!(store.count(None).unwrap(), 0);
}

#[test]
fn a_revision_hides_its_predecessor_whichever_is_stored_first() {
    for revision_first in [false, true] {
        let shop = Shop::new();
        let mut store = shop.open();
        let (old, new) = (
            thought("mem_old", "Use the blue pump"),
            revision("mem_new", "Use the red pump", "mem_old"),
        );
        let order = if revision_first { [new, old] } else { [old, new] };
        for one in order {
            assert_eq!(put_with(&mut store, one, &[1.0, 0.0]), PutOutcome::Stored);
        }
        assert_eq!(
            found(&mut store, "pump"),
            ["mem_new"],
            "revision first: {revision_first}"
        );
        let answer = store.search("pump", Some(&meaning(&[1.0, 0.1])), &filter(10)).unwrap();
        assert!(answer.semantic);
        assert_eq!(ids(&answer), ["mem_new"]);
        assert_eq!(store.count(Some("shop")).unwrap(), 1);
        assert_eq!(store.list(&filter(10)).unwrap().len(), 1);
    }
}

#[test]
fn forgetting_removes_all_revisions_and_prevents_storing_them_again() {
    let shop = Shop::new();
    let mut store = shop.open();
    put(&mut store, thought("mem_1", "The secret pump"));
    put(&mut store, revision("mem_2", "The secret red pump", "mem_1"));
    put(&mut store, revision("mem_3", "The secret green pump", "mem_2"));
    let removed = store.remove(&["mem_3".into(), "mem_never".into()]).unwrap();
    assert_eq!(removed, 1);
    assert_eq!(store.count(None).unwrap(), 0);
    for id in ["mem_1", "mem_2", "mem_3", "mem_never"] {
        assert_eq!(
            put(&mut store, thought(id, "The secret pump")),
            PutOutcome::Forgotten,
            "{id}"
        );
    }
    assert_eq!(found(&mut store, "secret pump"), Vec::<String>::new());
    assert_eq!(
        store.remove(&["mem_3".into()]).unwrap(),
        0,
        "forgotten twice is forgotten"
    );
}

#[test]
fn nothing_of_a_forgotten_text_is_left_in_the_files() {
    let shop = Shop::new();
    let mut store = shop.open();
    let secret = "Quetzalcoatl guards the staging password";
    for number in 0..50 {
        put(
            &mut store,
            thought(&format!("mem_{number}"), "a neighbour of no interest"),
        );
    }
    put(&mut store, thought("mem_secret", secret));
    store.remove(&["mem_secret".into()]).unwrap();
    drop(store);
    for entry in std::fs::read_dir(shop.path().parent().unwrap()).unwrap().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap();
        let is_there = bytes.windows(12).any(|part| part == &secret.as_bytes()[..12]);
        assert!(!is_there, "{} still has it", entry.path().display());
    }
}

#[test]
fn expired_thoughts_are_not_found_by_words_by_meaning_or_in_lists() {
    let shop = Shop::new();
    let mut store = shop.open();
    for (id, expires) in [
        ("mem_old", "2026-11-20T11:59:59.999Z"),
        ("mem_new", "2026-11-20T12:00:00.001Z"),
    ] {
        let mut one = thought(id, "The pump of yesterday");
        one.expires_at = Some(expires.into());
        put_with(&mut store, one, &[0.5, 0.5]);
    }
    assert_eq!(found(&mut store, "pump"), ["mem_new"]);
    let answer = store
        .search("nothing", Some(&meaning(&[1.0, 1.0])), &filter(10))
        .unwrap();
    assert_eq!(ids(&answer), ["mem_new"]);
    assert_eq!(store.list(&filter(10)).unwrap().len(), 1);
    let tomorrow = StoreFilter {
        now: noon() + forge_memory_core::clock::DAY_MS,
        ..filter(10)
    };
    let answer = store.search("pump", Some(&meaning(&[1.0, 1.0])), &tomorrow).unwrap();
    assert_eq!(answer.hits.len(), 0);
}

#[test]
fn a_thought_stored_again_with_a_later_expiry_gets_it_in_every_open_store() {
    let shop = Shop::new();
    let (mut store, mut other) = (shop.open(), shop.open());
    let expiring = |at: &str| StoredThought {
        expires_at: Some(at.into()),
        ..thought("mem_1", "the pump is loud")
    };
    put_with(&mut store, expiring("2026-11-20T13:00:00.000Z"), &[1.0, 0.0]);
    let late = StoreFilter {
        now: noon() + 2 * 3_600_000,
        ..filter(10)
    };
    let count = |store: &mut EmbeddedStore| {
        let answer = store.search("", Some(&meaning(&[1.0, 0.0])), &late).unwrap();
        answer.hits.len()
    };
    assert_eq!((count(&mut store), count(&mut other)), (0, 0));
    for at in [
        "2026-11-21T12:00:00.000Z",
        "2026-11-20T12:30:00.000Z",
        "2026-11-21T12:00:00.000Z",
    ] {
        assert_eq!(put(&mut store, expiring(at)), PutOutcome::Known);
        assert_eq!(
            (count(&mut store), count(&mut other)),
            (1, 1),
            "a shorter life changes nothing"
        );
    }
    let listed = other.list(&late).unwrap();
    assert_eq!(
        listed[0].thought.expires_at.as_deref(),
        Some("2026-11-21T12:00:00.000Z")
    );
    let for_ever = StoredThought {
        expires_at: None,
        ..expiring("x")
    };
    assert_eq!(put(&mut store, for_ever), PutOutcome::Known);
    store.remove(&["mem_1".into()]).unwrap();
    assert_eq!(
        put(&mut store, expiring("2026-11-22T12:00:00.000Z")),
        PutOutcome::Forgotten
    );
}

#[test]
fn reading_a_missing_store_creates_no_file() {
    let shop = Shop::new();
    assert!(EmbeddedStore::open_existing(&OsDisk, &shop.path()).unwrap().is_none());
    assert!(!shop.path().parent().unwrap().exists());
    put(&mut shop.open(), thought("mem_1", "the pump is loud"));
    assert_eq!(
        EmbeddedStore::open_existing(&OsDisk, &shop.path())
            .unwrap()
            .unwrap()
            .count(None)
            .unwrap(),
        1
    );
}

fn of_project(project: &str, thought: StoredThought) -> StoredThought {
    StoredThought {
        project: project.into(),
        ..thought
    }
}

#[test]
fn a_delete_and_a_revision_reach_no_thought_of_another_project() {
    let shop = Shop::new();
    let mut store = shop.open();
    put(&mut store, of_project("shop", thought("mem_1", "The red pump")));
    put(
        &mut store,
        of_project("bank", revision("mem_2", "A forged word", "mem_1")),
    );
    // The revision may come first as well.
    put(
        &mut store,
        of_project("bank", revision("mem_3", "A forged word more", "mem_4")),
    );
    put(&mut store, of_project("shop", thought("mem_4", "The green pump")));
    let mut hits = found(&mut store, "pump");
    hits.sort();
    assert_eq!(hits, ["mem_1", "mem_4"]);
    let bank = ["bank".to_owned()];
    for id in ["mem_1", "mem_4"] {
        let refused = store.remove_within(&[id.into()], Some(&bank)).unwrap_err();
        assert_eq!(refused.code(), "INVALID_INPUT");
        assert!(refused.to_string().contains("belongs to the project shop"), "{refused}");
    }
    assert_eq!(
        store
            .remove_within(&["mem_2".into(), "mem_3".into()], Some(&bank))
            .unwrap(),
        2
    );
    assert_eq!(
        found(&mut store, "pump").len(),
        2,
        "nor does forgetting the forged revision"
    );
    assert_eq!(
        store
            .remove_within(&["mem_1".into()], Some(&["shop".to_owned()]))
            .unwrap(),
        1
    );
}
