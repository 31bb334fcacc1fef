mod spelling;

use super::*;

fn same(a: &str, b: &str) -> bool {
    let (a, b) = (Reading::of(a), Reading::of(b));
    let verdict = says_the_same(&a, &b);
    assert_eq!(verdict, says_the_same(&b, &a), "the verdict depends on the order");
    verdict
}

fn words(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = Reading::of(text).words().collect();
    words.sort_unstable();
    words
}

#[test]
fn filler_inflection_and_punctuation_are_not_content() {
    for (a, b) in [
        ("Please note that the tests need a cache.", "tests need caches"),
        (
            "It's worth noting that `pnpm` caches the builds!",
            "pnpm cached the build",
        ),
        ("We don't forget to run the linter", "We ran the linter"),
        ("1,000 requests per minute", "1000 requests a minute"),
        ("10ms", "10 milliseconds"),
        ("Node v20", "node 20"),
        ("five retries", "5 retries"),
        ("PRs have ids", "a PR has an id"),
        ("e.g. re-run it", "rerun it"),
        ("the user\u{2019}s session", "user session"),
        ("the 3rd retry", "3 retries"),
    ] {
        assert_eq!(words(a), words(b), "{a} / {b}");
        assert!(same(a, b), "{a} / {b}");
    }
}

#[test]
fn a_replaced_word_is_a_change() {
    for (a, b) in [
        ("the rate limit is 100 a minute", "the rate limit is 250 a minute"),
        ("deploys happen on Tuesday", "deploys happen on Thursday"),
        ("CI runs on Node 18", "CI runs on Node 20"),
        ("install with yarn", "install with pnpm"),
        ("use find_le for lookups", "use find_lt for lookups"),
        ("see src/auth/jwt.ts", "see src/auth/jws.ts"),
        ("call getUser first", "call getUsers first"),
        ("retries < 3", "retries > 3"),
        ("pass -v to the tool", "pass -x to the tool"),
        ("timeout is 5s", "timeout is 5 minutes"),
        (
            "use yarn for the app and pnpm for docs",
            "use pnpm for the app and pnpm for docs",
        ),
        ("the cache lives in dist/app", "the cache lives in dist/api"),
        ("production database", "product database"),
        ("a && b", "a || b"),
        ("version 1.2.3", "version 1.3.2"),
        ("周二部署周四回顾", "周四部署周四回顾"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}

#[test]
fn significant_words_may_not_be_added_or_removed() {
    for (a, b) in [
        ("deploys happen on Tuesday", "deploys happen on Tuesday and Friday"),
        ("the login test is flaky", "the login test is flaky and fixed"),
        ("owned by Alice", "owned by Alice and Bob"),
        ("cache tokens", "do not cache tokens"),
        ("cache tokens", "cache tokens only in tests"),
        ("不要缓存令牌", "要缓存令牌"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}

#[test]
fn contradictions_are_changes() {
    for (a, b) in [
        (
            "Always use the pool for queries in handlers",
            "Never use the pool for queries in handlers",
        ),
        (
            "Retry the upload when it fails",
            "Do not retry the upload when it fails",
        ),
        ("Don't run the tests in band", "Run the tests in band"),
        (
            "Flush the log before rename of the queue",
            "Rename the log before flush of the queue",
        ),
        ("X before Y", "Y before X"),
        ("lint, then build", "build, then lint"),
        (
            "init calls setup before connect in every worker",
            "init calls connect before setup in every worker",
        ),
        (
            "Enable strict mode in the compiler options",
            "Disable strict mode in the compiler options",
        ),
        ("Use tabs instead of spaces", "Use spaces instead of tabs"),
        (
            "Prefer composition over inheritance",
            "Prefer inheritance over composition",
        ),
        ("Build with the cache", "Build without the cache"),
        ("Run lint before the build", "Run lint after the build"),
        ("Don\u{2019}t cache the token", "Cache the token"),
        (
            "Do not retry the upload in the night",
            "Do retry the upload except in the night",
        ),
        (
            "Do not cache tokens, retry uploads",
            "Cache tokens, do not retry uploads",
        ),
        ("Tests must run in CI", "Tests may run in CI"),
        ("Needs an owner and an admin", "Needs an owner or an admin"),
        ("Turn the flag on", "Turn the flag off"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}

#[test]
fn exchanged_values_are_changed_values() {
    for (a, b) in [
        (
            "port 8080 for the api and 9090 for the web",
            "port 9090 for the api and 8080 for the web",
        ),
        (
            "Alice owns billing and Bob owns search",
            "Bob owns billing and Alice owns search",
        ),
        (
            "Alice owns billing. Bob owns search.",
            "Bob owns billing. Alice owns search.",
        ),
        (
            "the api listens on 8080 and the web on 9090",
            "the web listens on 8080 and the api on 9090",
        ),
        ("sources call sinks", "sinks call sources"),
        (
            "the worker reads from queue A and writes to queue B",
            "the worker reads from queue B and writes to queue A",
        ),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}

#[test]
fn rewordings_are_duplicates() {
    for (a, b) in [
        ("Always use the pool for queries", "always use the POOL for queries"),
        (
            "run lint, build and test before the release",
            "before the release run lint, build and test",
        ),
        ("run lint, build and test", "run test, build and lint"),
        (
            "in CI the cache is cold, never rely on it",
            "never rely on it, the cache is cold in CI",
        ),
        (
            "rename the file after the flush",
            "rename the file after the flush again",
        ),
        (
            "one two three before four five six",
            "three before four five six one two",
        ),
        (
            "Alice owns billing. Bob owns search. Carol owns mail.",
            "Carol owns mail. Bob owns search. Alice owns billing.",
        ),
        (
            "When the disk is full, uploads fail with E28",
            "Uploads fail with E28 when the disk is full",
        ),
        ("- lint\n- build\n- test", "- test\n- build\n- lint"),
    ] {
        assert!(same(a, b), "{a} / {b}");
    }
}

#[test]
fn a_text_of_nothing_but_filler_counts_every_word() {
    assert_eq!(words("to be or not to be").len(), 6);
    assert!(words("?!").is_empty());
    assert!(words("").is_empty());
}

#[test]
fn what_says_more_or_less_than_was_said_is_not_what_was_said() {
    let said = "From now on use pnpm here, not npm";
    assert!(says_no_more("From now on, use pnpm here and not npm.", said));
    for text in [
        "Use pnpm here",
        "From now on use npm here, not pnpm",
        "From now on use pnpm here, not npm, and yarn for docs",
        "From now on use pnpm 9 here, not npm",
    ] {
        assert!(!says_no_more(text, said), "{text}");
        assert!(!says_no_more(said, text), "{text}");
    }
}
