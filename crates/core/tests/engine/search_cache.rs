//! Cached searches: returned while they are fresh, and invalidated by every capture that could change them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use forge_memory_core::cache::{CACHE_FILE, ENTRY_BYTES_MAX, FILE_BYTES_MAX, Restriction};
use forge_memory_core::cache_entry::CACHE_TTL_MS;
use forge_memory_core::clock::{Clock, Millis};
use forge_memory_core::{CaptureInput, Environment, Memory};
use serde_json::{Value, json};

#[derive(Debug)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now_ms(&self) -> Millis {
        self.0.load(Ordering::Relaxed)
    }
}

fn open() -> (tempfile::TempDir, Memory, Arc<Hands>) {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(Hands(AtomicI64::new(1_790_000_000_000)));
    let mut environment = Environment::new(folder.path().join("p"), folder.path().join("home"));
    std::fs::create_dir_all(&environment.project_dir).unwrap();
    environment.clock = Arc::<Hands>::clone(&clock);
    (folder, Memory::open(environment), clock)
}

fn capture(memory: &mut Memory, kind: &str, body: &str) -> String {
    let input = CaptureInput {
        kind: Some(kind.into()),
        body: Some(body.into()),
        ..CaptureInput::default()
    };
    memory.capture(input).unwrap().thought.id
}

fn keep(memory: &mut Memory, key: &str) {
    let stamp = memory.search_stamp().unwrap();
    let entry = json!({ "key": key, "query": "q", "project": "p", "limit": 5, "results": [{ "id": "mem_1" }], "semantic": true });
    memory.keep_search(&entry, "here", &stamp).unwrap();
}

fn find(memory: &mut Memory, key: &str, kind: Option<&str>, project: Option<&str>) -> bool {
    let within = Restriction { project, kind };
    memory.cached_search(key, "here", within).unwrap().is_some()
}

#[test]
fn a_cached_answer_is_returned_until_it_is_too_old() {
    let (_folder, mut memory, clock) = open();
    assert!(!find(&mut memory, "k", None, None));
    keep(&mut memory, "k");
    let entry = memory
        .cached_search("k", "here", Restriction::default())
        .unwrap()
        .unwrap();
    assert_eq!(
        (&entry["results"][0]["id"], &entry["semantic"]),
        (&json!("mem_1"), &json!(true))
    );
    assert!(!find(&mut memory, "other", None, None));
    assert!(
        memory
            .cached_search("k", "elsewhere", Restriction::default())
            .unwrap()
            .is_none()
    );
    clock.0.fetch_add(CACHE_TTL_MS, Ordering::Relaxed);
    assert!(!find(&mut memory, "k", None, None));
}

#[test]
fn a_cached_answer_from_a_clone_is_never_returned() {
    let (_folder, mut memory, _) = open();
    keep(&mut memory, "k");
    let path = memory.forge_dir().join(CACHE_FILE);
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, kept.replace("mem_1", "mem_2")).unwrap();
    assert!(!find(&mut memory, "k", None, None));
    std::fs::write(&path, kept).unwrap();
    assert!(find(&mut memory, "k", None, None));
}

#[test]
fn a_capture_invalidates_only_the_answers_that_it_could_change() {
    let (_folder, mut memory, _) = open();
    let id = capture(&mut memory, "lesson", "there before");
    keep(&mut memory, "k");
    assert!(find(&mut memory, "k", None, None));
    capture(&mut memory, "lesson", "there before");
    assert!(find(&mut memory, "k", None, None), "a confirmation changes no answer");
    capture(&mut memory, "gotcha", "something new");
    assert!(!find(&mut memory, "k", None, None));
    assert!(find(&mut memory, "k", Some("lesson"), None), "of another type");
    assert!(find(&mut memory, "k", None, Some("elsewhere")), "of another project");
    let name = memory.project_name();
    assert!(!find(&mut memory, "k", Some("gotcha"), Some(&name)));
    memory.forget(&id).unwrap();
    assert!(!find(&mut memory, "k", Some("lesson"), None));
}

#[test]
fn cleaning_the_file_keeps_fresh_entries() {
    let (_folder, mut memory, _) = open();
    for number in 0..3000 {
        let stamp = memory.search_stamp().unwrap();
        let results: Vec<Value> = (0..10).map(|n| json!({ "id": n, "content": "x".repeat(60) })).collect();
        let key = format!("key-{}", number % 100);
        let entry = json!({ "key": key, "query": "q", "project": "", "limit": 5, "results": results });
        memory.keep_search(&entry, "here", &stamp).unwrap();
    }
    let path = memory.forge_dir().join(CACHE_FILE);
    assert!(std::fs::metadata(path).unwrap().len() <= FILE_BYTES_MAX + ENTRY_BYTES_MAX as u64);
    assert!(find(&mut memory, "key-99", None, None));
    let large = json!({ "key": "large", "query": "q", "project": "", "limit": 5, "results": ["x".repeat(100_000)] });
    memory.keep_search(&large, "here", "empty").unwrap();
    assert!(!find(&mut memory, "large", None, None));
}
