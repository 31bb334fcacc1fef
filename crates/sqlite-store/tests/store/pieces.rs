//! Pieces of long texts: a text is as near as its nearest piece, each text is one hit, and what no piece was computed for is still found.

use forge_memory_core::BackgroundTexts;
use forge_memory_core::text::passages::passages;
use forge_memory_sqlite_store::{EmbeddedStore, LONG_FROM};

use super::dice::{Dice, seed};
use super::support::*;

const LONG: &str = "a sentence of the minutes of the meeting, which goes on and on. ";

fn long(id: &str) -> forge_memory_sqlite_store::StoredThought {
    thought(id, &LONG.repeat(40))
}

fn nearest(store: &mut EmbeddedStore, query: &[f32], limit: usize) -> Vec<(String, f64)> {
    let answer = store.search("", Some(&meaning(query)), &filter(limit)).unwrap();
    let hits = answer.hits.into_iter();
    hits.map(|hit| (hit.thought.id, hit.similarity.unwrap())).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
}

/// Near a centre, so that none is irrelevant.
fn near(dice: &mut Dice) -> Vec<f32> {
    direction(dice, 24).into_iter().map(|number| number + 0.4).collect()
}

#[test]
fn a_text_is_as_near_as_its_nearest_piece_and_is_one_hit() {
    let shop = Shop::new();
    let mut store = shop.open();
    put_with(&mut store, long("mem_minutes"), &[1.0, 0.0, 0.0]);
    put_with(&mut store, thought("mem_short", "pump"), &[0.6, 0.8, 0.0]);
    let pieces = vec![vec![0.0, 1.0, 0.0], vec![0.1, 0.9, 0.0], vec![0.0, 0.0, 1.0]];
    let texts = [("mem_minutes".to_owned(), pieces)];
    assert_eq!(store.put_pieces(MODEL, &texts).unwrap(), 1);
    assert_eq!(store.put_pieces(MODEL, &texts).unwrap(), 0, "once");
    let found = nearest(&mut store, &[0.0, 2.0, 0.0], 10);
    assert_eq!(found[0], ("mem_minutes".to_owned(), 1.0));
    assert_eq!(found.len(), 2, "{found:?}");
    // By its words a text gets the similarity of its nearest piece too.
    let by_words = store
        .search("minutes", Some(&meaning(&[0.0, 0.0, 1.0])), &filter(1))
        .unwrap();
    assert_eq!(by_words.hits[0].similarity, Some(1.0));
}

#[test]
fn the_nearest_texts_are_the_exact_ones_whatever_has_pieces_and_whoever_wrote_them() {
    let seed = seed("pieces", 20_261_128);
    for round in 0..6 {
        let mut dice = Dice::new(seed + round);
        let shop = Shop::new();
        let mut stores = [shop.open(), shop.open()];
        let mut live: Vec<(String, Vec<Vec<f32>>)> = Vec::new();
        for step in 0..160 {
            let store = &mut stores[dice.roll(2)];
            match dice.roll(10) {
                0 if !live.is_empty() => {
                    let (id, _) = live.swap_remove(dice.roll(live.len()));
                    assert_eq!(store.remove(&[id]).unwrap(), 1);
                }
                1 if !live.is_empty() => {
                    // A later expiry gives the vector another number; the pieces stay.
                    let mut again = long(&live[dice.roll(live.len())].0);
                    again.expires_at = Some("2030-01-01T00:00:00.000Z".into());
                    put(store, again);
                }
                2 => drop(store.save_vectors(MODEL).unwrap()),
                3..6 => {
                    let query = near(&mut dice);
                    let best = |rows: &Vec<Vec<f32>>| rows.iter().map(|row| cosine(row, &query)).fold(-1.0, f64::max);
                    let mut wanted: Vec<(f64, &str)> =
                        live.iter().map(|(id, rows)| (best(rows), id.as_str())).collect();
                    wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
                    let got = nearest(store, &query, 7);
                    assert_eq!(got.len(), wanted.len().min(7), "step {step}");
                    let close = got
                        .iter()
                        .zip(&wanted)
                        .all(|(got, wanted)| (got.1 - wanted.0).abs() < 1e-5);
                    assert!(close, "step {step}: {got:?} and not {wanted:?}");
                }
                _ => {
                    let id = format!("mem_{step}");
                    let rows: Vec<Vec<f32>> = (0..=dice.roll(5)).map(|_| near(&mut dice)).collect();
                    let mut stored = long(&id);
                    stored.expires_at = Some("2029-01-01T00:00:00.000Z".into());
                    put_with(store, stored, &rows[0]);
                    let other = &mut stores[dice.roll(2)];
                    assert_eq!(other.put_pieces(MODEL, &[(id.clone(), rows[1..].to_vec())]).unwrap(), 1);
                    live.push((id, rows));
                }
            }
        }
        // A process that begins now reads the file of the array, if there is one.
        let query = near(&mut dice);
        assert_eq!(nearest(&mut shop.open(), &query, 9), nearest(&mut stores[0], &query, 9));
    }
}

#[test]
fn what_may_be_long_is_listed_until_its_pieces_are_there() {
    let shop = Shop::new();
    let mut store = shop.open();
    put_with(&mut store, long("mem_old"), &[1.0, 0.0]);
    put_with(&mut store, thought("mem_short", "pump"), &[1.0, 0.0]);
    put_with(&mut store, thought("mem_middle", &"x ".repeat(140)), &[1.0, 0.0]);
    put(&mut store, long("mem_without"));
    let pending = |store: &EmbeddedStore| -> Vec<String> {
        let texts = store.without_pieces(MODEL, 10, noon()).unwrap();
        texts.into_iter().map(|text| text.id).collect()
    };
    assert_eq!(pending(&store), ["mem_middle", "mem_old"]);
    let state = store.state().unwrap();
    // One that has one piece only is noted as such.
    let none = [
        ("mem_middle".to_owned(), Vec::new()),
        ("mem_unknown".to_owned(), Vec::new()),
    ];
    assert_eq!(store.put_pieces(MODEL, &none).unwrap(), 1);
    assert_eq!(pending(&store), ["mem_old"]);
    assert_eq!(
        store
            .put_pieces(MODEL, &[("mem_without".to_owned(), Vec::new())])
            .unwrap(),
        0
    );
    assert_eq!(
        store
            .put_pieces(MODEL, &[("mem_old".to_owned(), vec![vec![0.0, 1.0]])])
            .unwrap(),
        1
    );
    assert_eq!(pending(&store), Vec::<String>::new());
    assert_ne!(store.state().unwrap(), state);
    for wrong in [vec![1.0], vec![0.0, 0.0], vec![f32::NAN, 1.0]] {
        put_with(&mut store, long("mem_next"), &[1.0, 0.0]);
        let refused = store.put_pieces(MODEL, &[("mem_next".to_owned(), vec![vec![1.0, 0.0], wrong])]);
        assert!(refused.is_err_and(|error| error.code() == "INVALID_INPUT"));
    }
    assert_eq!(pending(&store), ["mem_next"], "all pieces or none");
}

#[test]
fn a_text_that_is_short_by_its_bytes_is_one_piece() {
    for unit in [".", "x ", ". ", "数", "🙂", "ab7 "] {
        let text = unit.repeat(LONG_FROM / unit.len());
        assert_eq!(passages(&text).len(), 1, "{unit}");
    }
    assert_eq!(passages(&"?".repeat(LONG_FROM + 1)).len(), 1, "one word stays whole");
    assert_eq!(passages(&format!("{} ?", "?".repeat(LONG_FROM))).len(), 2);
}

#[test]
fn an_earlier_release_that_forgets_a_text_takes_its_pieces_with_it() {
    let shop = Shop::new();
    let mut store = shop.open();
    put_with(&mut store, long("mem_secret"), &[1.0, 0.0]);
    let pieces = [("mem_secret".to_owned(), vec![vec![0.0, 1.0]])];
    assert_eq!(store.put_pieces(MODEL, &pieces).unwrap(), 1);
    let count = || -> i64 {
        let raw = rusqlite::Connection::open(shop.path()).unwrap();
        raw.query_row("SELECT count(*) FROM pieces", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(), 1);
    let raw = rusqlite::Connection::open(shop.path()).unwrap();
    // It replaces the vector when the expiry changes, and removes it when the text is forgotten.
    let again = "INSERT OR REPLACE INTO vectors (model, seq, vector) SELECT model, seq, vector FROM vectors";
    raw.execute(again, []).unwrap();
    assert_eq!(count(), 1);
    raw.execute("DELETE FROM vectors", []).unwrap();
    assert_eq!(count(), 0);
    drop(raw);
    put_with(&mut store, long("mem_other"), &[1.0, 0.0]);
    assert_eq!(
        store
            .put_pieces(MODEL, &[("mem_other".to_owned(), vec![vec![0.0, 1.0]])])
            .unwrap(),
        1
    );
    store.drop_model(MODEL).unwrap();
    assert_eq!(count(), 0);
}

#[test]
fn a_query_that_is_nearer_to_everything_else_finds_nothing_as_in_recall() {
    let shop = Shop::new();
    let mut store = shop.open();
    let mut dice = Dice::new(seed("background", 20_261_129));
    let lean = |dice: &mut Dice, to: usize| -> Vec<f32> {
        let mut vector = direction(dice, 24);
        vector[to] += 3.0;
        vector
    };
    for at in 0..40 {
        let vector = lean(&mut dice, 0);
        put_with(&mut store, thought(&format!("mem_{at}"), "pump"), &vector);
    }
    let others = BackgroundTexts {
        vectors: (0..64)
            .map(|_| lean(&mut dice, 1))
            .map(|vector| {
                let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
                vector.into_iter().map(|number| number / length).collect()
            })
            .collect(),
        least: 1.0,
    };
    let mut between = vec![0.0; 24];
    (between[0], between[1]) = (0.7, 0.7);
    let mut ask = |query: &[f32], others: Option<&BackgroundTexts>| {
        let answer = store
            .search_beside("who painted it", Some(&meaning(query)), others, &filter(5))
            .unwrap();
        (answer.hits.len(), answer.is_irrelevant)
    };
    assert_eq!(
        ask(&between, None),
        (5, false),
        "by the cosines alone it is about the store"
    );
    assert_eq!(ask(&between, Some(&others)), (0, true));
    let mut own = vec![0.0; 24];
    own[0] = 1.0;
    assert_eq!(ask(&own, Some(&others)), (5, false));
}
