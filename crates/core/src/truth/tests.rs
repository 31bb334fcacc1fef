use super::*;
use crate::text::Statement;

fn evidence(older: &str, newer: &str) -> Option<Evidence> {
    let (claims, statement) = (Claims::of(newer), Statement::of(newer));
    let (other, words) = (Claims::of(older), Statement::of(older));
    let (mut keys, mut is_found) = (Vec::new(), false);
    add_keys(&other, words.words(), &mut keys);
    each_wanted(&claims, statement.words(), |key| is_found |= keys.contains(&key));
    let found = Newer::new(&claims, &statement).against(older);
    if found.is_some() && !is_found {
        println!("not looked up: {older} | {newer}");
        return None;
    }
    found
}

/// Fails with all the pairs of which the older text is retired, or is not, against what is expected.
fn check(pairs: &[(&str, &str)], retires: bool) {
    let is_wrong =
        |(older, newer): &&(&str, &str)| evidence(older, newer).is_some_and(|found| found.retires) != retires;
    let wrong: Vec<String> = pairs
        .iter()
        .filter(is_wrong)
        .map(|(older, newer)| format!("{older} | {newer}: {:?}", evidence(older, newer)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn another_value_of_the_same_subject_retires() {
    let pairs = [
        (
            "The API rate limit is 100 requests per minute",
            "The API rate limit is 250 requests per minute",
        ),
        (
            "The API rate limit is 100 requests per minute",
            "API rate limit was raised to 250 requests per minute",
        ),
        ("We deploy on Tuesday", "We deploy on Thursday now"),
        ("Deploys happen on Tuesdays", "We deploy on Thursdays"),
        ("The project needs Node 18", "The project needs Node 20"),
        ("Node version is 18", "Node 20 is required"),
        ("Ann owns the billing service", "Bob owns the billing service"),
        ("Ann owns the billing service", "The billing service is owned by Bob"),
        (
            "The owner of the billing service is Ann",
            "From now on Bob owns the billing service",
        ),
        ("The gateway times out after 30 s", "The gateway times out after 60 s"),
        ("Gateway timeout: 30s", "The gateway timeout is 1 minute"),
        ("Use yarn for installs", "Use pnpm for installs"),
        ("Our package manager is yarn", "Our package manager is pnpm"),
        ("We use yarn", "We use pnpm"),
        ("The test suite passes on Windows", "The test suite fails on Windows"),
        ("The batch size is 50", "The batch size is 500"),
        ("The API listens on port 8080", "As of v3 the API listens on port 9090"),
        ("The API port is 8080", "API port: 9090"),
        ("The default branch is master", "The default branch is main"),
        (
            "The config lives in conf/app.toml",
            "The config lives in settings/app.toml",
        ),
        (
            "Run the migrations with `npm run migrate`",
            "Run the migrations with `make migrate`",
        ),
        (
            "Staging is at https://staging.example.com",
            "Staging is at https://stage.example.org",
        ),
        ("Run jest with --runInBand on CI", "Run jest with --maxWorkers=2 on CI"),
        ("Tests can run in parallel", "Tests cannot run in parallel"),
        (
            "Feature flags are enabled in production",
            "Feature flags are disabled in production",
        ),
        ("Run migrations before the deploy", "Run migrations after the deploy"),
        ("The log level is debug", "The log level is info"),
        ("Use axios for HTTP calls", "Use undici for HTTP calls"),
    ];
    check(&pairs, true);
}

#[test]
fn an_explicit_change_retires_what_held_before() {
    let pairs = [
        ("We use yarn for installs", "Switched from yarn to pnpm"),
        ("Use yarn for installs", "Use pnpm instead of yarn for installs"),
        ("We use moment for dates", "moment was replaced by dayjs"),
        ("We use moment for dates", "Replaced moment with dayjs for dates"),
        ("We use Jenkins for CI", "We no longer use Jenkins"),
        ("We deploy on Tuesday", "Deploys moved from Tuesday to Thursday"),
        ("The API listens on port 8080", "The API port changed from 8080 to 9090"),
        ("Tests run with jest", "Dropped jest in favor of vitest"),
        ("The API rate limit is 100", "API rate limit: 100 -> 250"),
        ("Ann owns billing", "Ownership of billing moved from Ann to Bob"),
        ("Use yarn for installs", "Use pnpm for installs, not yarn"),
        ("We use redux for state", "We don't use redux anymore"),
    ];
    check(&pairs, true);
}

#[test]
fn what_only_looks_alike_is_left_alone() {
    let pairs = [
        (
            "find_le returns the rightmost value less than or equal to x",
            "find_lt returns the rightmost value less than x",
        ),
        ("Use find_le for inclusive bounds", "Use find_lt for exclusive bounds"),
        (
            "The billing service listens on port 8080",
            "The search service listens on port 9090",
        ),
        (
            "The staging API listens on port 8080",
            "The production API listens on port 9090",
        ),
        ("The API port is 8080", "The staging API port is 9090"),
        (
            "Run `cargo test` for the Rust crates",
            "Run `npm test` for the Node package",
        ),
        ("Issue 12 is about the parser", "Issue 13 is about the parser"),
        ("Test 4 hangs on Windows", "Test 5 hangs on Windows"),
        ("Server 1 runs Debian", "Server 2 runs Debian"),
        ("Lesson 12: close the pool", "Lesson 13: close the pool"),
        ("worker 3 wrote record 10", "worker 3 wrote record 11"),
        ("text 7", "text 8"),
        (
            "Released 1.2.0 with the new parser",
            "Released 1.3.0 with the new parser",
        ),
        ("The build fails on Node 18", "The build fails on Node 20"),
        ("E1042 means the token expired", "E1043 means the token expired"),
        ("Use jest for unit tests", "Use playwright for browser tests"),
        ("Should we use yarn?", "Should we use pnpm?"),
        (
            "Step 1 of the release is the changelog",
            "Step 2 of the release is the changelog",
        ),
        (
            "The API rate limit is 100 per minute",
            "The API burst limit is 250 per minute",
        ),
        ("Ann owns billing", "Bob owns search"),
        (
            "pnpm hoists differently than yarn",
            "yarn workspaces need a private root",
        ),
        ("Redis listens on 6379", "Postgres listens on 5432"),
        ("add: src/one.ts", "add: src/two.ts"),
        ("see src/a.ts", "see src/b.ts"),
        ("Read docs/a.md", "Read docs/b.md"),
        ("change: src/one.ts", "change: src/two.ts"),
        ("unlink: src/one.ts", "unlink: src/two.ts"),
        ("A file was added: src/one.ts", "A file was added: src/two.ts"),
        ("Retry 3 times on timeouts", "Wait 5 s before a retry"),
        (
            "Use yarn for installs. The lock file is committed. CI caches it.",
            "Use pnpm for installs",
        ),
    ];
    check(&pairs, false);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(older in TEXTS, newer in TEXTS) {
        evidence(&older, &newer);
    }
}

/// Pieces that the rules look for, in any order, among anything.
const TEXTS: &str = "((from|to|instead of|no longer|->|was|now|`|is|owned by|replaced|any more|not|,|:|=|8080|30s|éx|\\PC{0,3}) ?){0,14}";
