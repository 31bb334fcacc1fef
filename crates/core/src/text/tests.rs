use super::*;

fn terms(text: &str) -> Terms {
    let mut terms = Terms::default();
    terms.add(text);
    terms
}

fn finds(text: &str, query: &str) -> bool {
    let terms = terms(text);
    query_words(query).iter().all(|word| {
        word.lists
            .iter()
            .any(|(hash, _)| terms.words.contains(hash) || terms.extras.contains(hash))
    })
}

#[test]
fn words_are_runs_of_letters_digits_and_underscores() {
    assert_eq!(terms("Use src/auth/jwt.ts:12, now!").words.len(), 7);
    assert_eq!(terms("a b  a").words[0], terms("a").words[0]);
    assert_eq!(terms("queue_retry").words.len(), 1);
}

#[test]
fn words_are_counted_in_the_order_in_which_they_come_first() {
    let counted = |text: &str| -> Vec<(String, u32)> { counted_words(text) };
    let expected = |words: &[(&str, u32)]| -> Vec<(String, u32)> {
        words.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
    };
    assert_eq!(
        counted("Retry the retry_queue2, RETRY!"),
        expected(&[("retry", 2), ("the", 1), ("retry_queue2", 1)])
    );
    assert_eq!(
        counted("\u{41a}\u{43b}\u{44e}\u{447} caf\u{e9} cafe\u{301}"),
        expected(&[("\u{43a}\u{43b}\u{44e}\u{447}", 1), ("caf\u{e9}", 2)])
    );
    assert_eq!(counted("\u{30ad}\u{30fc}").len(), terms("\u{30ad}\u{30fc}").words.len());
    for text in ["", " .,!", "\0"] {
        assert_eq!(counted(text), Vec::new());
    }
    let long = "x".repeat(4 * WORD_BYTES_MAX);
    assert_eq!(counted(&long).len(), 1);
}

#[test]
fn case_and_composition_do_not_matter() {
    assert_eq!(terms("STRASSE").words, terms("stra\u{df}e").words);
    assert_eq!(terms("Caf\u{e9}").words, terms("cafe\u{301}").words);
    assert_eq!(terms("README").words, terms("readme").words);
}

#[test]
fn identifiers_are_found_whole_and_by_their_parts() {
    for query in ["runInBand", "runinband", "band", "run band"] {
        assert!(finds("Gate needs --runInBand on Windows", query), "{query}");
    }
    for query in ["queue_retry", "retry", "http", "server", "1042", "jwt.ts"] {
        assert!(
            finds("queue_retry in HTTPServer fails with E1042 at src/jwt.ts", query),
            "{query}"
        );
    }
    assert!(finds("the retry queue", "retries queued"));
}

#[test]
fn short_and_accented_words_are_found() {
    for query in ["CI", "go", "db"] {
        assert!(finds("In CI the go db is cold", query), "{query}");
    }
    assert!(finds("Caf\u{e9} opens the d\u{e9}p\u{f4}t", "cafe depot"));
    assert!(!finds("start the article", "art"));
}

#[test]
fn scripts_without_spaces_are_found_by_their_words() {
    let text = "データベースの移行は必ずロックを取ってから実行する";
    for query in ["データベース", "移行", "ロック", "行"] {
        assert!(finds(text, query), "{query}");
    }
    assert!(!finds(text, "認証"));
    assert!(finds("데이터베이스 마이그레이션", "데이터베이스"));
    assert!(finds("при старте очистите кэш", "КЭШ"));
}

#[test]
fn a_query_names_each_word_once_and_knows_the_common_ones() {
    let words = query_words("the Test of the test_runner");
    let texts: Vec<_> = words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(texts, ["the", "test", "of", "test_runner", "runner"]);
    assert_eq!(words.iter().filter(|w| w.common).count(), 2);
    assert!(query_words(" \t!?").is_empty());
}

#[test]
fn the_common_words_are_sorted_for_the_search() {
    for word in ["a", "and", "how", "the", "your"] {
        assert!(is_common(word), "{word}");
    }
    assert!(!is_common("test"));
}

#[test]
fn a_text_with_a_word_counts_what_the_word_is_worth_and_no_more() {
    let words = query_words("reset_mocks testing");
    let [whole, reset, mocks, testing] = &words[..] else {
        panic!("{words:?}");
    };
    assert_eq!(whole.parts, [reset.lists[0].0, mocks.lists[0].0]);
    let (rarity, parts) = (9.0, 4.0 + 5.0);
    let together = whole.own_weight(rarity, rarity, parts) + PART_WEIGHT * parts;
    assert!((together - rarity).abs() < 1e-5, "{together}");
    // Something is left for the identifier even when its parts are rarer than it.
    assert!(whole.own_weight(rarity, rarity, 40.0) > 2.0);
    let (itself, forms) = (8.0, 5.0);
    let together = testing.own_weight(itself, forms, 0.0) + testing.again * forms;
    assert!((together - itself).abs() < 1e-5, "{together}");
    assert!(
        query_words("mocks reset_mocks")
            .iter()
            .all(|word| word.text != "mocks" || word.parts.is_empty())
    );
}

#[test]
fn words_are_counted_as_they_are_read() {
    for text in [
        "",
        " a, b_c  d1.e ",
        "データベースの移行は lock を取る",
        "caf\u{e9} cafe\u{301} \u{301}x",
        "데이터 베이스! при",
    ] {
        assert_eq!(count_words(text), terms(text).words.len(), "{text}");
    }
}
