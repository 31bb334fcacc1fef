//! Words, vectors, filters, and the fusion of both rankings.

use forge_memory_core::clock::{DAY_MS, format_iso};
use forge_memory_sqlite_store::{StoreFilter, StoredThought};

use super::dice::Dice;
use super::support::*;

#[test]
fn words_are_found_as_recall_finds_them() {
    let shop = Shop::new();
    let mut store = shop.open();
    for (id, text) in [
        ("mem_1", "Integration tests must close the connection pool"),
        ("mem_2", "parseHttpHeader fails on folded_lines"),
        ("mem_3", "Größe und Übermaß"),
        ("mem_4", "東京都の天気は晴れ"),
        ("mem_5", "nothing of interest"),
    ] {
        put(&mut store, thought(id, text));
    }
    for (query, id) in [
        ("closes connections", "mem_1"),
        ("http header", "mem_2"),
        ("folded", "mem_2"),
        ("ubermass", "mem_3"),
        ("天気", "mem_4"),
    ] {
        assert_eq!(
            found(&mut store, query).first().map(String::as_str),
            Some(id),
            "{query}"
        );
    }
    for nothing in ["", "   ", "\"", "zebra", "* OR NEAR(", "the"] {
        assert_eq!(
            found(&mut store, nothing).len(),
            usize::from(nothing == "the"),
            "{nothing:?}"
        );
    }
}

#[test]
fn more_and_rarer_matching_words_rank_higher_than_recency() {
    let shop = Shop::new();
    let mut store = shop.open();
    put(
        &mut store,
        thought("mem_best", "the parser drops a flag after a timeout"),
    );
    put(&mut store, thought("mem_rare", "a timeout of the queue"));
    for number in 0..20 {
        let text = format!("the parser of format {number} is slow");
        put(&mut store, thought(&format!("mem_young_{number}"), &text));
    }
    let hits = found(&mut store, "parser flag timeout");
    assert_eq!(hits[..2], ["mem_best", "mem_rare"]);
}

#[test]
fn tags_are_words_of_a_thought() {
    let shop = Shop::new();
    let mut store = shop.open();
    let mut tagged = thought("mem_1", "something about nothing");
    tagged.tags = vec!["kubernetes".into()];
    put(&mut store, tagged);
    assert_eq!(found(&mut store, "kubernetes"), ["mem_1"]);
    assert_eq!(store.list(&filter(1)).unwrap()[0].thought.tags, ["kubernetes"]);
}

#[test]
fn filters_apply_to_lexical_and_semantic_search() {
    let shop = Shop::new();
    let mut store = shop.open();
    let mut dice = Dice::new(7);
    let mut all = Vec::new();
    for number in 0..300 {
        let one = StoredThought {
            project: ["shop", "till", "shop"][number % 3].into(),
            kind: ["lesson", "gotcha"][number % 2].into(),
            captured_at: format_iso(noon() - (number as i64) * DAY_MS / 4),
            ..thought(&format!("mem_{number}"), "the same pump everywhere")
        };
        all.push(one.clone());
        put_with(&mut store, one, &direction(&mut dice, 8));
    }
    let query = meaning(&direction(&mut dice, 8));
    for (project, kind, since) in [
        (Some("till"), None, None),
        (None, Some("gotcha"), None),
        (Some("shop"), Some("lesson"), Some(noon() - 10 * DAY_MS)),
        (Some("nobody"), None, None),
        (None, None, Some(noon() + 1)),
    ] {
        let filter = StoreFilter {
            project: project.map(str::to_owned),
            kind: kind.map(str::to_owned),
            since,
            ..filter(1000)
        };
        let passes = |one: &&StoredThought| {
            project.is_none_or(|project| one.project == project)
                && kind.is_none_or(|kind| one.kind == kind)
                && since.is_none_or(|since| forge_memory_core::clock::parse_iso(&one.captured_at).unwrap() >= since)
        };
        let wanted = all.iter().filter(passes).count();
        for meaning in [None, Some(&query)] {
            let answer = store.search("pump", meaning, &filter).unwrap();
            assert_eq!(answer.hits.len(), wanted, "{filter:?}");
            assert!(answer.hits.iter().all(|hit| passes(&&hit.thought)));
        }
        assert_eq!(store.list(&filter).unwrap().len(), wanted);
    }
}

#[test]
fn a_filter_on_time_finds_few_new_thoughts_among_many_old_ones() {
    let shop = Shop::new();
    let mut store = shop.open();
    let many: Vec<_> = (0..2_000)
        .map(|number| {
            let mut one = thought(&format!("mem_{number}"), "pump pump pump");
            one.captured_at = "2020-01-01T00:00:00.000Z".into();
            (one, None)
        })
        .collect();
    store.put(&many).unwrap();
    put(
        &mut store,
        thought("mem_young", "a long and winding text in which a pump is named once"),
    );
    let young = StoreFilter {
        since: Some(noon() - DAY_MS),
        ..filter(5)
    };
    assert_eq!(ids(&store.search("pump", None, &young).unwrap()), ["mem_young"]);
}

#[test]
fn fusion_ranks_records_of_both_rankings_first() {
    let shop = Shop::new();
    let mut store = shop.open();
    let word = thought("mem_word", "a pump stood by the road, not far from the old house");
    put_with(&mut store, word, &[-1.0, 0.2]);
    put_with(&mut store, thought("mem_both", "the pump in the cellar"), &[0.8, 0.6]);
    put_with(
        &mut store,
        thought("mem_near", "a device that moves water"),
        &[1.0, 0.0],
    );
    let answer = store.search("pump", Some(&meaning(&[2.0, 0.0])), &filter(10)).unwrap();
    assert!(answer.semantic);
    assert_eq!(ids(&answer)[0], "mem_both");
    let hit = &answer.hits[0];
    assert!(hit.lexical_rank.is_some());
    assert_eq!((hit.similarity.unwrap() * 100.0).round(), 80.0);
    let near = answer.hits.iter().find(|hit| hit.thought.id == "mem_near").unwrap();
    assert_eq!((near.lexical_rank, near.similarity), (None, Some(1.0)));
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn an_answer_says_whether_meanings_were_compared() {
    let shop = Shop::new();
    let mut store = shop.open();
    put(&mut store, thought("mem_1", "pump"));
    assert!(!store.search("pump", None, &filter(5)).unwrap().semantic);
    let other = store.search("pump", Some(&meaning(&[1.0, 0.0])), &filter(5)).unwrap();
    assert!(!other.semantic, "there is no vector to compare with");
    assert_eq!(other.hits.len(), 1);
    store.put_vectors(MODEL, &[("mem_1".into(), vec![0.0, 3.0])]).unwrap();
    assert!(
        store
            .search("x", Some(&meaning(&[1.0, 0.0])), &filter(5))
            .unwrap()
            .semantic
    );
    let error = store.search("pump", Some(&meaning(&[1.0])), &filter(5)).unwrap_err();
    assert_eq!(error.code(), "INVALID_INPUT");
}

#[test]
fn words_rank_as_in_a_journal() {
    let shop = Shop::new();
    let mut store = shop.open();
    let mut dice = Dice::new(11);
    let words = [
        "queue",
        "retries",
        "retry",
        "lock",
        "timeouts",
        "timeout",
        "parser",
        "parseHeader",
        "header",
        "cache",
        "the",
        "of",
        "when",
        "a",
        "migration",
        "database",
        "index",
        "windows",
        "slow",
        "fails",
    ];
    let folder = shop.folder.path().join("shop");
    std::fs::create_dir_all(folder.join(".forge")).unwrap();
    let mut journal = String::new();
    for number in 0..400 {
        let text: Vec<&str> = (0..4 + dice.roll(30)).map(|_| dice.pick(&words)).collect();
        let one = thought(&format!("mem_{number:03}"), &format!("{} {number}", text.join(" ")));
        let line = serde_json::json!({"_v": 1, "id": one.id, "content": one.content, "project": one.project,
            "type": one.kind, "source": one.source, "captured_at": one.captured_at, "confidence": one.confidence});
        journal.push_str(&format!("{line}\n"));
        put(&mut store, one);
    }
    std::fs::write(folder.join(".forge/memory-captures.jsonl"), journal).unwrap();
    let home = shop.folder.path().join("home");
    let mut memory = forge_memory_core::Memory::open(forge_memory_core::Environment::new(folder, home));
    for query in [
        "retry the queue",
        "parseHeader timeout",
        "when database migrations are slow",
        "lock",
    ] {
        let options = forge_memory_core::RecallOptions {
            limit: Some(10.0),
            ..Default::default()
        };
        let mut recalled = memory.recall(query, &options).unwrap().hits;
        // Of two about the same, a recall puts the newer one first.
        recalled.sort_by(|one, other| other.score.total_cmp(&one.score));
        let recalled: Vec<String> = recalled.into_iter().map(|hit| hit.id).collect();
        assert_eq!(found(&mut store, query)[..10], recalled, "{query}");
    }
}
