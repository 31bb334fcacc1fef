//! Vectors: as exact as a plain dot product, up to date with other processes, one set per model.

use forge_memory_core::text::relevance::{Covered, Nearness, Relevance, judge};
use forge_memory_sqlite_store::StoreFilter;

use super::dice::{Dice, seed};
use super::support::*;

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
}

#[test]
fn nearest_neighbours_equal_a_full_comparison_after_adds_and_removes() {
    let seed = seed("vectors", 20_261_121);
    for round in 0..8 {
        let mut dice = Dice::new(seed + round);
        let dimensions = [3, 16, 17, 40][dice.roll(4)];
        let shop = Shop::new();
        // Two processes at a time: each sees the changes of the other.
        let mut stores = [shop.open(), shop.open()];
        let mut live: Vec<(String, Vec<f32>)> = Vec::new();
        for step in 0..150 {
            let store = &mut stores[dice.roll(2)];
            match dice.roll(10) {
                0 | 1 if !live.is_empty() => {
                    let (id, _) = live.swap_remove(dice.roll(live.len()));
                    assert_eq!(store.remove(&[id]).unwrap(), 1);
                }
                2 if !live.is_empty() => {
                    let at = dice.roll(live.len());
                    live[at].1 = direction(&mut dice, dimensions);
                    assert_eq!(store.put_vectors(MODEL, &[live[at].clone()]).unwrap(), 1);
                }
                3..6 => {
                    let query = direction(&mut dice, dimensions);
                    let depth = StoreFilter { ..filter(7) };
                    let answer = store.search("", Some(&meaning(&query)), &depth).unwrap();
                    let mut wanted: Vec<f64> = live.iter().map(|(_, vector)| cosine(vector, &query)).collect();
                    wanted.sort_by(|a, b| b.total_cmp(a));
                    // Distant vectors are not returned, and neither are those that are near by chance.
                    let nearness = Nearness::of(wanted.iter().copied(), live.len());
                    wanted.truncate(7);
                    wanted.retain(|cosine| *cosine >= 0.15);
                    if judge("", Covered::default(), nearness) == Relevance::None {
                        wanted.clear();
                    }
                    let got: Vec<f64> = answer.hits.iter().map(|hit| hit.similarity.unwrap()).collect();
                    assert_eq!(got.len(), wanted.len(), "step {step}");
                    let close = got.iter().zip(&wanted).all(|(got, wanted)| (got - wanted).abs() < 1e-5);
                    assert!(close, "step {step}: {got:?} and not {wanted:?}");
                }
                _ => {
                    let (id, vector) = (format!("mem_{step}"), direction(&mut dice, dimensions));
                    put_with(store, thought(&id, "x"), &vector);
                    live.push((id, vector));
                }
            }
        }
    }
}

#[test]
fn the_ten_nearest_of_thousands_in_dense_clusters_are_the_exact_ones() {
    let mut dice = Dice::new(seed("clusters", 20_261_122));
    let shop = Shop::new();
    let mut store = shop.open();
    let centres: Vec<Vec<f32>> = (0..20).map(|_| direction(&mut dice, 384)).collect();
    let near = |dice: &mut Dice, share: f32| -> Vec<f32> {
        let (centre, other) = (&centres[dice.roll(centres.len())], direction(dice, 384));
        centre
            .iter()
            .zip(other)
            .map(|(centre, other)| centre + share * other)
            .collect()
    };
    // From nearly the same text to the same subject.
    let vectors: Vec<Vec<f32>> = (0..3000).map(|at| near(&mut dice, [0.02, 0.2, 0.6][at % 3])).collect();
    let batch = vectors.iter().enumerate();
    let batch: Vec<_> = batch
        .map(|(at, vector)| (thought(&format!("mem_{at}"), "x"), Some(meaning(vector))))
        .collect();
    store.put(&batch).unwrap();
    for round in 0..30 {
        let query = near(&mut dice, 0.3);
        let mut exact: Vec<f64> = vectors.iter().map(|vector| cosine(vector, &query)).collect();
        let answer = store.search("", Some(&meaning(&query)), &filter(10)).unwrap();
        let got: Vec<f64> = answer.hits.iter().map(|hit| hit.similarity.unwrap()).collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        let is_close = got.iter().zip(&exact).all(|(got, exact)| (got - exact).abs() < 1e-5);
        assert!(
            got.len() == 10 && is_close,
            "round {round}: {got:?} and not {:?}",
            &exact[..10]
        );
    }
}

#[test]
fn a_new_embedder_gets_its_vectors_while_search_keeps_working() {
    let shop = Shop::new();
    let mut store = shop.open();
    for number in 0..10 {
        put_with(
            &mut store,
            thought(&format!("mem_{number}"), "pump"),
            &[1.0, number as f32],
        );
    }
    assert_eq!(store.without_vectors(MODEL, 100, noon()).unwrap(), []);
    let pending = store.without_vectors("other", 4, noon()).unwrap();
    assert_eq!(
        pending.iter().map(|text| text.id.as_str()).collect::<Vec<_>>(),
        ["mem_9", "mem_8", "mem_7", "mem_6"]
    );
    let vectors: Vec<_> = pending.into_iter().map(|text| (text.id, vec![1.0, 0.0, 0.0])).collect();
    assert_eq!(store.put_vectors("other", &vectors).unwrap(), 4);
    assert_eq!(store.without_vectors("other", 100, noon()).unwrap().len(), 6);
    let models = store.models().unwrap();
    let brief: Vec<_> = models
        .iter()
        .map(|model| (model.name.as_str(), model.dimensions, model.vectors))
        .collect();
    assert_eq!(brief, [(MODEL, 2, 10), ("other", 3, 4)]);
    let mut query = meaning(&[1.0, 0.0, 0.0]);
    query.model = "other".into();
    let answer = store.search("pump", Some(&query), &filter(20)).unwrap();
    assert!(answer.semantic);
    assert_eq!(answer.hits.len(), 10, "those without a vector are found by their words");
    assert_eq!(store.drop_model(MODEL).unwrap(), 10);
    assert!(
        !store
            .search("pump", Some(&meaning(&[1.0, 0.0])), &filter(20))
            .unwrap()
            .semantic
    );
    assert_eq!(
        store
            .put_vectors("other", &[("mem_nobody".into(), vec![1.0; 3])])
            .unwrap(),
        0
    );
}

#[test]
fn a_vector_of_another_size_is_refused_with_both_sizes() {
    let shop = Shop::new();
    let mut store = shop.open();
    put_with(&mut store, thought("mem_1", "pump"), &[1.0, 0.0]);
    for (vector, said) in [
        (vec![1.0, 0.0, 0.0], "2 dimensions, not 3"),
        (vec![f32::NAN, 1.0], "not finite"),
    ] {
        let error = store.put_vectors(MODEL, &[("mem_1".into(), vector)]).unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT");
        assert!(error.to_string().contains(said), "{error}");
    }
}
