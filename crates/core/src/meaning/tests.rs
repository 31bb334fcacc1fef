//! Tests of vector files: the results equal those of a full comparison, and damaged files are ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::journal::{Disk, OsDisk};
use crate::project::environment::Environment;
use crate::project::layout::Layout;

const MODEL: &str = "test:model";

/// Deterministic pseudo-random numbers from -1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn vector(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut next = noise(seed);
    (0..dimensions).map(|_| next()).collect()
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> VectorStore {
        let environment = Environment {
            disk: Arc::new(OsDisk) as Arc<dyn Disk>,
            ..Environment::new(self.folder.path().join("project"), self.folder.path().join("home"))
        };
        let mut store = VectorStore::of_user(&Layout::new(&environment), MODEL);
        store.refresh();
        store
    }

    fn vectors(&self) -> PathBuf {
        self.folder.path().join("home/index/vectors")
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.vectors())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "vec"));
        files.sort();
        files
    }
}

fn made(keys: std::ops::Range<u64>, dimensions: usize) -> Vec<(u64, Vec<Vec<f32>>)> {
    // Some texts have several passages.
    let passages = |key: u64| {
        (0..1 + key % 3)
            .map(|number| vector(key * 7 + number, dimensions))
            .collect()
    };
    keys.map(|key| (key, passages(key))).collect()
}

fn query() -> (Vec<f32>, CodedQuery) {
    let unit = unit_of(&vector(99, 48)).unwrap();
    let coded = CodedQuery::new(&unit);
    (unit, coded)
}

fn exact_cosines(all: &[(u64, Vec<Vec<f32>>)], query: &[f32]) -> Vec<(u64, f64)> {
    let cosine = |vector: &Vec<f32>| -> f64 {
        let unit = unit_of(vector).unwrap();
        unit.iter().zip(query).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
    };
    let mut cosines: Vec<(u64, f64)> = all
        .iter()
        .flat_map(|(key, list)| list.iter().map(|v| (*key, cosine(v))))
        .collect();
    cosines.sort_by(|a, b| b.1.total_cmp(&a.1));
    cosines
}

#[test]
fn nearest_neighbours_equal_those_of_a_full_comparison() {
    let place = Place::new();
    let all = made(0..900, 48);
    let mut store = place.store();
    for part in all.chunks(170) {
        store.add(part, |_| true).unwrap();
    }
    let (unit, coded) = query();
    let exact = exact_cosines(&all, &unit);
    for count in [1, 10, 100, 5000] {
        let [found] = store.nearest([&coded], count);
        assert_eq!(found.len(), count.min(exact.len()));
        for (near, (_, cosine)) in found.iter().zip(&exact) {
            assert!(
                (f64::from(near.cosine) - cosine).abs() < 2e-4,
                "{near:?} is not {cosine}"
            );
        }
    }
    for (key, _) in &all {
        let best = exact.iter().find(|(other, _)| other == key).unwrap().1;
        assert!((f64::from(store.cosine_of(&coded, *key).unwrap()) - best).abs() < 2e-4);
    }
    assert_eq!(store.cosine_of(&coded, 900), None);
    assert!(store.has(899) && !store.has(900));
}

#[test]
fn one_pass_finds_for_each_query_what_a_pass_of_its_own_finds() {
    let place = Place::new();
    let mut store = place.store();
    for part in made(0..900, 48).chunks(170) {
        store.add(part, |_| true).unwrap();
    }
    let queries = [99, 5001].map(|seed| CodedQuery::new(&unit_of(&vector(seed, 48)).unwrap()));
    for count in [1, 10, 5000] {
        let together = store.nearest(queries.each_ref(), count);
        let apart = queries.each_ref().map(|query| {
            let [found] = store.nearest([query], count);
            found
        });
        assert_eq!(together, apart);
        assert_ne!(together[0], together[1]);
    }
}

#[test]
fn a_merge_of_files_drops_vectors_of_removed_texts() {
    let place = Place::new();
    let mut store = place.store();
    for part in made(0..40, 16).chunks(4) {
        store.add(part, |key| key >= 30).unwrap();
    }
    assert!(place.files().len() < 6, "{:?}", place.files());
    assert!((30..40).all(|key| store.has(key)));
    assert!((0..20).all(|key| !store.has(key)));
    // Another process reads the same files.
    assert_eq!(place.store().len(), store.len());
}

#[test]
fn a_text_is_added_once_and_a_vector_without_direction_never() {
    let place = Place::new();
    let mut store = place.store();
    store.add(&made(0..5, 16), |_| true).unwrap();
    let before = store.len();
    store.add(&made(0..5, 16), |_| true).unwrap();
    store
        .add(&[(7, vec![vec![0.0; 16]]), (8, vec![vec![f32::NAN; 16]])], |_| true)
        .unwrap();
    assert_eq!(store.len(), before);
    store.add(&[], |_| true).unwrap();
    assert_eq!(store.len(), before);
}

#[test]
fn a_truncated_or_damaged_file_is_ignored_and_rebuilt() {
    let place = Place::new();
    let all = made(0..300, 48);
    place.store().add(&all, |_| true).unwrap();
    let [path]: [PathBuf; 1] = place.files().try_into().unwrap();
    let whole = fs::read(&path).unwrap();
    let (unit, coded) = query();
    let expected = exact_cosines(&all, &unit);
    let step = whole.len() / 97;
    for at in (0..whole.len()).step_by(step.max(1)) {
        for damage in [
            whole[..at].to_vec(),
            flipped(&whole, at),
            [&whole[..at], &[0; 64][..], &whole[at..]].concat(),
        ] {
            fs::write(&path, damage).unwrap();
            check_answers(&place, &coded, &expected);
            fs::write(&path, &whole).unwrap();
        }
    }
    fs::write(&path, flipped(&whole, whole.len() / 2)).unwrap();
    let mut store = place.store();
    let _ = store.nearest([&coded], 10);
    store.refresh();
    assert_eq!(store.len(), 0, "a damaged file is done without");
    store.add(&all, |_| true).unwrap();
    assert_eq!(store.nearest([&coded], 1)[0][0].key, expected[0].0);
}

/// Checks that every answer is right, or that the file was ignored.
fn check_answers(place: &Place, coded: &CodedQuery, expected: &[(u64, f64)]) {
    let mut store = place.store();
    let [found] = store.nearest([coded], 5);
    if store.is_damaged() {
        store.refresh();
        assert!(store.nearest([coded], 5)[0].is_empty());
        return;
    }
    for (near, (key, cosine)) in found.iter().zip(expected) {
        assert_eq!(near.key, *key);
        assert!((f64::from(near.cosine) - cosine).abs() < 2e-4);
    }
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x40;
    bytes
}

#[test]
fn an_invalid_list_of_files_is_treated_as_missing() {
    let place = Place::new();
    place.store().add(&made(0..10, 16), |_| true).unwrap();
    let list = place.vectors().join("vectors.json");
    let text = fs::read_to_string(&list).unwrap();
    let other = |from: &str, to: &str| text.replace(from, to);
    for damage in [
        String::new(),
        "null".into(),
        "{\"format\":1}".into(),
        text[..text.len() / 2].to_owned(),
        other("\"format\":1", "\"format\":2"),
        other(MODEL, "another:model"),
        other("\"passages\":", "\"passages\":1"),
        other("\"hash\":", "\"hash\":1"),
    ] {
        fs::write(&list, &damage).unwrap();
        assert_eq!(place.store().len(), 0, "{damage}");
    }
    place.store().add(&made(0..10, 16), |_| true).unwrap();
    assert!(place.store().has(9));
}

#[test]
fn vectors_of_another_dimension_replace_the_old_ones() {
    let place = Place::new();
    place.store().add(&made(0..10, 16), |_| true).unwrap();
    let mut store = place.store();
    store.add(&made(20..30, 64), |_| true).unwrap();
    assert!(store.has(25) && !store.has(5));
}

#[test]
fn only_one_adds_at_a_time() {
    let place = Place::new();
    let (one, other) = (place.store(), place.store());
    let guard = one.try_lock().unwrap();
    assert!(guard.is_some() && other.try_lock().unwrap().is_none());
    drop(guard);
    assert!(other.try_lock().unwrap().is_some());
}

#[test]
fn temporary_files_of_a_killed_process_are_removed() {
    let place = Place::new();
    fs::create_dir_all(place.vectors()).unwrap();
    let left = place.vectors().join("0123.vec.tmp");
    fs::write(&left, "half").unwrap();
    place.store().add(&made(0..3, 16), |_| true).unwrap();
    assert!(!Path::new(&left).exists());
}
