use super::tokenization::WORD_BYTES_MAX;
use super::*;

fn terms(text: &str) -> Terms {
    let mut terms = Terms::default();
    terms.add(text);
    terms
}

fn finds(text: &str, query: &str) -> bool {
    let terms = terms(text);
    query_words(query).iter().all(|word| {
        word.lists().any(|(hash, _)| {
            let lists = [&terms.words, &terms.extras, &terms.spellings];
            lists.into_iter().any(|list| list.contains(&hash))
        })
    })
}

#[test]
fn words_are_runs_of_letters_digits_and_underscores() {
    assert_eq!(terms("Use src/auth/jwt.ts:12, now!").words.len(), 7);
    assert_eq!(terms("a b  a").words[0], terms("a").words[0]);
    // The parts of an identifier are at its position.
    assert_eq!(terms("queue_retry").words.len(), 2);
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
fn forms_of_one_word_share_a_stem_and_each_spelling_counts() {
    let words = query_words("testing tests test");
    assert_eq!(words.len(), 1);
    assert_eq!((words[0].stems.len(), words[0].spellings.len()), (1, 2));
    let [(stem, all), (_, spelling), _] = words[0].lists().collect::<Vec<_>>()[..] else {
        panic!("{words:?}");
    };
    assert_eq!(stem, terms("test").words[0]);
    assert!((all - 1.0).abs() < 1e-6 && (spelling - SPELLING_WEIGHT).abs() < 1e-6);
    // A word in its base form has no second term.
    assert!(terms("test").spellings.is_empty() && terms("tests").spellings.len() == 1);
}

#[test]
fn numbers_with_signs_are_found_whole() {
    for (text, query, other) in [
        ("Use netkit 1.1.1.", "netkit 1.1.1", "netkit 1.1"),
        ("runs 20.1.11", "v20.1.11", "20.1.1"),
        ("Released 2026-03-04", "2026-03-04", "2026-04-03"),
        ("at 10.0.0.12:80", "10.0.0.12", "10.0.12"),
        ("took 5.1s", "5.1 s", "1.5"),
        ("\u{ff12}.9.10.3", "2.9.10.3", "2.9.3"),
        ("2.0.0-rc.1 is out", "2.0.0-RC.1", "2.0.0"),
    ] {
        let whole = |query: &str| {
            query_words(query)
                .into_iter()
                .find(|word| word.text.contains(['.', '-']))
        };
        let has = |query: &str| whole(query).is_some_and(|word| terms(text).extras.contains(&word.stems[0]));
        assert!(has(query) && !has(other), "{text}");
    }
    // The parts of a number count less than words.
    let words = query_words("netkit 1.4");
    assert!(
        words[1].weight > words[2].weight && words[0].weight == words[1].weight,
        "{words:?}"
    );
    for text in [
        "1.".repeat(20_000),
        "1".repeat(20_000),
        "9-".repeat(9000),
        "v1.".repeat(9000),
    ] {
        assert!(!terms(&text).words.is_empty());
    }
}

#[test]
fn fragments_of_an_identifier_find_nothing_without_it() {
    for (text, query) in [
        ("Set in 1970s Lisbon", "k8s"),
        ("Plan B of 2", "e2e"),
        ("Version 2 of the API", "h2"),
        ("k8s and i18n", "s"),
        ("the h2 database", "2"),
        ("s3 buckets", "3"),
    ] {
        assert!(!finds(text, query), "{text}: {query}");
    }
    for name in ["k8s", "e2e", "i18n", "s3", "h2", "E1042", "getX"] {
        assert!(finds(&format!("the {name} thing"), name), "{name}");
    }
}

#[test]
fn abbreviations_and_what_they_stand_for_find_each_other_below_the_word_itself() {
    for (text, query) in [
        ("the kubernetes cluster", "k8s"),
        ("the k8s cluster", "Kubernetes"),
        ("deployed by GitHub Actions", "GHA"),
        ("deployed by GHA", "github actions"),
        ("the databases", "db"),
        ("the tz of the server", "time zone"),
    ] {
        assert!(finds(text, query), "{text}: {query}");
    }
    assert!(!finds("deployed by GHA", "actions"));
    let word = &query_words("db")[0];
    assert!(word.aliases.iter().all(|(_, weight)| *weight < word.weight) && !word.aliases.is_empty());
    assert!(
        query_words("database")[0]
            .meant()
            .any(|term| word.stems.contains(&term))
    );
}

#[test]
fn names_with_signs_or_dots_are_separate_tokens() {
    let text = "Build the C++ part with .NET and keep .gitignore; F# and C# too";
    for query in ["C++", "c#", "f#", ".net", ".gitignore", "net"] {
        assert!(finds(text, query), "{query}");
    }
    let cpp = query_words("c++");
    assert!(!terms("the letter c").extras.contains(&cpp[0].stems[0]));
    assert_eq!(cpp.len(), 2);
}

#[test]
fn widths_umlauts_emoji_and_endings_make_no_difference() {
    for (text, query) in [
        ("ﾃﾞｰﾀﾍﾞｰｽ を移行", "データベース"),
        ("データベース", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("die Größe der Übertragung", "groesse"),
        ("die Größe der Übertragung", "grosse"),
        ("die Größe der Übertragung", "UEBERTRAGUNG"),
        ("die Groesse", "Größe"),
        ("release 🚀 done", "🚀"),
        ("ship it ✅", "✅"),
        ("исправить ошибки при запуске миграций", "ошибка миграции"),
        ("smørrebrød", "smorrebrod"),
        ("the ﬁle", "file"),
    ] {
        assert!(finds(text, query), "{query} in {text}");
    }
    assert!(!finds("release 🚀", "✅"));
}

#[test]
fn hostile_texts_are_analysed_without_panics() {
    let words = "word ".repeat(10_000);
    for text in [
        "",
        "x",
        "\u{fffd}\u{fffd}",
        "\u{301}\u{301}",
        "a\u{0}b",
        "(.*)+[^a-z]{1,9}$",
        "'; DROP TABLE terms; --",
        "word:* OR NEAR(\"",
        "_".repeat(500).as_str(),
        words.as_str(),
        "ﷺ".repeat(100).as_str(),
    ] {
        terms(text);
        for word in query_words(text) {
            assert!(!word.stems.is_empty());
        }
    }
    assert_eq!(query_words(&words).len(), 1);
}

#[test]
fn a_text_has_words_when_it_could_be_found_by_one() {
    for text in ["a", "データ", "🚀", "größe"] {
        assert!(has_words(text), "{text}");
    }
    for text in ["", " .,!", "--- ***"] {
        assert!(!has_words(text), "{text}");
    }
}

#[test]
fn the_cache_returns_the_same_terms() {
    let mut reused = Terms::default();
    let texts = [
        "resetAllMocks Größe c++ データ",
        "tests Größe",
        "resetAllMocks",
        "RESETALLMOCKS",
    ];
    for text in texts.iter().chain(&texts) {
        reused.clear();
        reused.add(text);
        let fresh = terms(text);
        assert_eq!(
            (&reused.words, &reused.extras, &reused.spellings),
            (&fresh.words, &fresh.extras, &fresh.spellings),
            "{text}"
        );
    }
}
