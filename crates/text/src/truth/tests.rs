//! Which rule, if any, fires between an older and a newer text.

use super::*;

fn rule(older: &str, newer: &str) -> Option<&'static str> {
    let (old, new) = (Statement::of(older), Statement::of(newer));
    rule_between(&Claims::of(&new), &Claims::of(&old), &new, &old).map(Rule::name)
}

#[track_caller]
fn assert_rule(wanted: Option<&str>, pairs: &[(&str, &str)]) {
    let wrong: Vec<_> = pairs
        .iter()
        .map(|(older, newer)| (older, newer, rule(older, newer)))
        .filter(|(_, _, found)| *found != wanted)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn another_number_of_the_same_subject() {
    assert_rule(
        Some("number"),
        &[
            ("The API listens on port 8080", "The API listens on port 9090"),
            (
                "The API listens on port 8080",
                "The API now listens on port 9090, because of the proxy",
            ),
            ("The gateway timeout is 30 s", "The gateway timeout is 60s"),
            (
                "The gateway timeout is 30 s",
                "Decision (2026-05-02): the gateway timeout is 2 minutes",
            ),
            (
                "The API rate limit is 100 requests per minute",
                "The API rate limit is 250 requests per minute",
            ),
            (
                "Uploads are retried with 3 attempts",
                "Uploads are retried with 5 attempts",
            ),
            (
                "Payment Service: the request timeout is 5 s",
                "Payment Service: the request timeout is 8 s",
            ),
        ],
    );
}

#[test]
fn another_version_path_address_flag_or_command() {
    assert_rule(
        Some("version"),
        &[
            ("Use Node 18 for the scripts", "Use Node 20 for the scripts"),
            ("Use Node 18 for the build scripts", "Use Node 20 for the build scripts"),
            ("Node 18 is required", "Node 20 is required"),
            ("Python 3.10 everywhere", "Python 3.12 everywhere"),
            (
                "The client is generated with protobuf 3.21.1",
                "The client is generated with protobuf 4.25.0",
            ),
        ],
    );
    assert_rule(
        Some("path"),
        &[(
            "The API fixtures live in tests/data/",
            "The API fixtures live in test-data/v2/all.json",
        )],
    );
    assert_rule(
        Some("url"),
        &[(
            "The staging site is at https://a.example/app",
            "The staging site is at https://b.example/app",
        )],
    );
    assert_rule(
        Some("flag"),
        &[(
            "Run the browser tests with --headed",
            "Run the browser tests with --headless",
        )],
    );
    assert_rule(
        Some("command"),
        &[(
            "Run the unit tests with `npm test`",
            "Run the unit tests with `npx vitest run`",
        )],
    );
}

#[test]
fn the_same_statement_negated() {
    assert_rule(
        Some("denial"),
        &[
            (
                "The importer supports gzip archives",
                "The importer does not support gzip archives",
            ),
            (
                "Always use default exports in components",
                "Never use default exports in components",
            ),
            ("Retry uploads at most 3 times", "Do not retry uploads at all"),
            ("Cache the responses for 60 s", "Never cache the responses"),
        ],
    );
    assert_rule(
        Some("negation"),
        &[
            (
                "Strict mode is enabled in the client",
                "Strict mode is disabled in the client",
            ),
            (
                "Sticky sessions are on at the balancer",
                "Sticky sessions are off at the balancer",
            ),
            (
                "The worker uses the read replica",
                "The worker no longer uses the read replica",
            ),
        ],
    );
}

#[test]
fn a_change_that_names_the_previous_value_of_the_same_thing() {
    assert_rule(
        Some("change"),
        &[
            ("CI runs on Jenkins", "CI moved from Jenkins to Buildkite"),
            ("Tests run on jest", "Tests run on vitest instead of jest"),
            (
                "The storefront database is MySQL 8",
                "We migrated the storefront database from MySQL to PostgreSQL",
            ),
            (
                "We migrated the storefront database from MySQL to PostgreSQL",
                "PostgreSQL was replaced by CockroachDB for the storefront database",
            ),
            ("We use Jenkins", "We switched from Jenkins to Tekton"),
            ("State lives in Redux", "Replaced Redux with Zustand"),
            (
                "Settled: parse_quantity uses binary multipliers for every suffix on both memory and disk, and a bare number always means MiB.",
                "Amended rule, superseding uniform-binary: memory = binary suffixes, bare MiB; disk = decimal suffixes, bare GB. That's the split going forward.",
            ),
        ],
    );
}

#[test]
fn a_text_that_names_the_previous_value_replaces_what_states_it() {
    assert_rule(
        Some("change"),
        &[
            (
                "The dev server listens on port 3000",
                "The dev server listens on port 4100 now, no longer on 3000",
            ),
            (
                "We use Jest with ts-jest for all tests",
                "We use the built-in test runner instead of Jest",
            ),
            ("The page cache is Redis", "The page cache is Valkey, formerly Redis"),
            (
                "The upload limit is 30 MB",
                "The upload limit was 30 MB, now it is 60 MB",
            ),
            ("The upload limit is 30 MB", "The upload limit is 60 MB (was 30 MB)"),
            ("CI runs on Jenkins", "CI does not run on Jenkins any more"),
            ("We use Jest for all tests", "We don't use Jest for the tests anymore"),
            ("The admin port is 3000", "The admin port is not 3000 but 4100"),
            ("The admin port is 3000", "The admin port is 4100, not 3000"),
            (
                "Releases are built on Jenkins",
                "Releases are built on Buildkite rather than Jenkins",
            ),
        ],
    );
}

#[test]
fn another_version_of_what_a_statement_says_now() {
    let is_rule = |older: &str, newer: &str| matches!(rule(older, newer), Some("number" | "version"));
    for (older, newer) in [
        ("prettier is pinned to 3.7.4", "prettier is pinned to 3.8.1"),
        ("The tunnel needs OpenVPN 2.6", "The tunnel needs OpenVPN 2.7"),
        (
            "The client needs protobuf version 3.21",
            "The client needs protobuf 4.25",
        ),
        (
            "Uploads are retried at most 3 times",
            "Uploads are retried at most 5 times",
        ),
        ("The admin API listens on 3000", "The admin API listens on 4100 now"),
    ] {
        assert!(is_rule(older, newer), "{older} / {newer}: {:?}", rule(older, newer));
    }
}

#[test]
fn statements_about_other_things_are_left_alone() {
    assert_rule(
        None,
        &[
            // Two statements under one label.
            ("Ann Lee: weekend incoming!", "Ann Lee: its incredible"),
            ("User Service: its incredible", "User Service: we will see"),
            (
                "Payment Service: logging goes through pino",
                "Payment Service: retries are idempotent",
            ),
            (
                "Payment Service: the request timeout is 5 s",
                "User Service: the request timeout is 8 s",
            ),
            // Rules that hold side by side.
            (
                "The Dockerfile uses alpine",
                "The Dockerfile uses BuildKit cache mounts",
            ),
            ("always use annotations for methods", "always use docstrings in methods"),
            ("Never log card numbers", "Never log card numbers or emails"),
            // Members of a series, other environments, other identifiers.
            ("server 1 has 16 GB of memory", "server 2 has 32 GB of memory"),
            ("Test 4 of the suite failed", "Test 5 of the suite failed"),
            ("Page 3 shows the totals", "Page 4 shows the totals"),
            ("The API listens on port 8080", "The staging API listens on port 9090"),
            ("The API listens on port 8080", "The API listens on port 9090 (staging)"),
            ("getUser caches for 60 seconds", "getUsers caches for 5 seconds"),
            ("Port 8080 belongs to the proxy", "Port 9090 belongs to the proxy"),
            ("There is a leak in src/a.ts", "There is a leak in src/b.ts"),
            ("Saving fails in src/pay/a.ts", "Saving fails in src/pay/b.ts"),
            (
                "CI for the app runs on Jenkins",
                "CI for the website moved from Jenkins to Buildkite",
            ),
            // A later sentence speaks of the subject of its text.
            (
                "The shopping cart service keeps sessions. Owned by the merchant team.",
                "The checkout service takes payments. Owned by the payments team.",
            ),
            (
                "GET /carts returns the cart. It is rate limited to 10 requests.",
                "GET /orders returns the orders. It is rate limited to 50 requests.",
            ),
            // Past, plans, questions, additions, people.
            (
                "The API listens on port 8080",
                "The API was listening on port 9090 last year",
            ),
            ("The API listens on port 8080", "Maybe the API listens on port 9090"),
            ("The API listens on port 8080", "Does the API listen on port 9090?"),
            ("The API listens on port 8080", "The API also listens on port 9090"),
            ("I have 3 meetings on port duty", "I have 5 meetings on port duty"),
            ("CI runs on Jenkins", "We did not switch from Jenkins to Buildkite"),
            // Instructions, releases, dated entries, and what is no longer so elsewhere.
            ("Use netkit-thirdparty 1.0.0.", "Use netkit-thirdparty 1.2.0."),
            ("Upgrade to netkit 1.0.0", "Upgrade to netkit 1.1.1"),
            ("Released on 2026-04-03: the index", "Released on 2026-03-04: the flag"),
            ("2026-03-04: the p95 is at 210 ms", "2026-03-11: the p95 is at 190 ms"),
            ("Redis 7 needs TLS 1.2", "Redis 8 needs TLS 1.3"),
            // The version is the condition.
            (
                "On node 20.11.1 vitest dies with SIGSEGV",
                "On node 20.12.0 vitest dies with SIGSEGV",
            ),
            (
                "With React 18 the modal keeps its focus",
                "With React 19 the modal keeps its focus",
            ),
            (
                "Node 18 drops the socket after a minute",
                "Node 20 drops the socket after a minute",
            ),
            (
                "The importer crashes on Python 3.11",
                "The importer crashes on Python 3.12",
            ),
            (
                "The API listens on port 3000",
                "The staging API no longer listens on port 3000",
            ),
            ("CI runs on Jenkins", "The website no longer runs on Jenkins"),
            ("The cache is Redis", "The owner was Redis Labs, now it is Ann"),
            ("Use spaces in YAML", "Use tabs, not spaces"),
            // The new value is said already.
            (
                "The timeout is 60 s, it was 30 s",
                "The timeout of the client is 60 s instead of 30 s",
            ),
            // Code and messages of commits state nothing.
            ("Bump foo from 1.2 to 1.3", "Bump foo from 1.3 to 1.4"),
            (
                "docs: changelog and blog post for v0.9.1",
                "docs: changelog and blog post for v0.9.2",
            ),
            (
                "A note about the queue {\"id\":\"mem_1\"}",
                "A note about the queue {\"supersedes\":\"mem_1\"}",
            ),
            ("const port = 8080; listen(port)", "const port = 9090; listen(port)"),
        ],
    );
}

#[test]
fn a_note_of_several_statements_is_not_retired_with_one_of_them() {
    let note = "The API listens on port 8080. Ask Ann for the certificate first. The runbook is in the wiki.";
    assert_rule(None, &[(note, "The API listens on port 9090")]);
    let long = "The API listens on port 8080. ".to_owned() + &"The rest is about something else entirely. ".repeat(20);
    assert_rule(
        None,
        &[
            (&long, "The API listens on port 9090"),
            ("The API listens on port 8080", &long.replace("8080", "9090")),
        ],
    );
}

#[test]
fn texts_of_any_kind_are_read_without_a_panic() {
    for text in [
        "",
        "?",
        "= = =",
        "`",
        "``` a",
        "instead of",
        "from to",
        "superseding",
        "日本語のテキスト",
        "ne pas",
        "a: b: c: 8080",
        "--",
        "8080",
    ] {
        for other in ["", "The API listens on port 8080", text] {
            let _ = rule(other, text);
        }
    }
}

#[test]
fn other_names_and_signs_are_other_subjects() {
    assert_rule(
        None,
        &[
            (
                "HTTP is disabled on the load balancer",
                "HTTPS is enabled on the load balancer",
            ),
            (
                "The news service listens on port 8080",
                "The new service listens on port 9090",
            ),
            ("The Windows build timeout is 5 s", "The window build timeout is 8 s"),
            ("The police list limit is 5", "The policy list limit is 6"),
            ("The rebate of the shop is 5 %", "The rebate of the shop is 6 €"),
        ],
    );
}

#[test]
fn another_member_of_a_list_holds_beside_the_first() {
    let pairs = [
        ("We support Python 3.10", "We support Python 3.12"),
        ("We test on Ubuntu 22.04", "We test on Ubuntu 24.04"),
        ("CI tests on Node 20", "CI tests on Node 22"),
        ("Works with Postgres 14", "Works with Postgres 16"),
        ("The firewall blocks port 25", "The firewall blocks port 445"),
        ("The firewall opens port 443", "The firewall opens port 22"),
        ("Known bad: openssl 3.0.1", "Known bad: openssl 3.0.2"),
        ("Allowed origin: https://a.example", "Allowed origin: https://b.example"),
        ("Generated file: src/gen/a.ts", "Generated file: src/gen/b.ts"),
        ("The client accepts Node 18", "The client accepts Node 20"),
        ("The build includes Python 3.10", "The build includes Python 3.12"),
        ("Wir unterstützen Python 3.10", "Wir unterstützen Python 3.12"),
        ("Die Firewall blockiert Port 25", "Die Firewall blockiert Port 445"),
        ("Soportamos Python 3.10", "Soportamos Python 3.12"),
        ("Nous supportons Python 3.10", "Nous supportons Python 3.12"),
        ("Le pare-feu bloque le port 25", "Le pare-feu bloque le port 445"),
        ("Suportamos Python 3.10", "Suportamos Python 3.12"),
        ("Мы поддерживаем Python 3.10", "Мы поддерживаем Python 3.12"),
        ("Python 3.10をサポート", "Python 3.12をサポート"),
        ("我们支持 Python 3.10", "我们支持 Python 3.12"),
    ];
    assert_rule(None, &pairs);
    assert_rule(None, &pairs.map(|(older, newer)| (newer, older)));
    // What only one of can hold is replaced as before.
    assert_rule(
        Some("number"),
        &[
            (
                "The allowed clock skew of tokens is 5 s",
                "The allowed clock skew of tokens is 10 s",
            ),
            ("The gateway accepts 5 connections", "The gateway accepts 8 connections"),
            (
                "The test server listens on port 8080",
                "The test server listens on port 9090",
            ),
        ],
    );
    assert_rule(Some("version"), &[("We use Node 18", "We use Node 22")]);
    assert_rule(
        Some("path"),
        &[(
            "The client config is in /etc/client.yml",
            "The client config is in ~/.config/client.yml",
        )],
    );
}
