//! Entries of logs, and notes of several sentences.

use super::*;

const ENTRIES: &[(&str, &str)] = &[
    (
        "# 2025-07-14 importer\n- Broke the build for ten minutes, sorry.\n- Search: tried synonyms, results got worse.",
        "# 2025-10-04 importer\n- Discovered that the tests share one account.\n- Numbers for the review are in the sheet.",
    ),
    (
        "Yuki, 18.6. Turned on strict mode for two more packages. Measured twice: cold start 2.2 s.",
        "Yuki, 1.1. There is a second copy of the template in the mailer repo! The service starts in 9 s.",
    ),
    (
        "[login] 2025-10-20 Extracted the parser to its own module. The flag is on for ten percent.",
        "[login] 2025-05-16 The queue length went back to normal. The flag is off now.",
    ),
    (
        "Handover editor: Sync takes 70 s instead of four minutes. Rolled out the flag to ten percent.",
        "Handover sync: Simplified the deployment script, rollback is a flag now. Sync takes 50 s.",
    ),
    (
        "2025-05-03 The API was moved to port 9090. Lunch with the new colleague.",
        "The API listens on port 8080 now",
    ),
];

#[test]
fn an_entry_of_a_log_contradicts_nothing_and_is_not_contradicted() {
    let wrong: Vec<_> = ENTRIES
        .iter()
        .map(|(older, newer)| (newer, evidence(older, newer)))
        .filter(|(_, found)| found.is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_dated_statement_is_a_statement() {
    let pairs = [
        (
            "The API listens on port 8080",
            "2026-05-03: the API listens on port 9090",
        ),
        (
            "Decision (2026-01-14): feature flags come from LaunchDarkly.",
            "Decision (2026-05-02): feature flags come from Unleash.",
        ),
    ];
    let wrong: Vec<_> = pairs
        .iter()
        .filter(|(older, newer)| evidence(older, newer).is_none())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_note_is_not_retired_with_one_of_its_facts() {
    let older = "For local https we use mkcert. Run `mkcert -install` once. The certificates are valid for two years.";
    let found = evidence(older, "For local https we use Caddy instead of mkcert.");
    assert!(found.is_some_and(|found| !found.retires), "{found:?}");
}

#[test]
fn the_address_of_a_link_is_no_value() {
    let older = "Updates the requirements on [once_cell](https://example.com/once_cell). [Release notes](https://example.com/a/releases)";
    let newer = "Updates the requirements on [base64](https://example.com/base64). [Release notes](https://example.com/b/releases)";
    assert_eq!(evidence(older, newer), None);
    let found = evidence(
        "Staging is at https://staging.example.com",
        "Staging is at https://stage.example.org",
    );
    assert!(found.is_some_and(|found| found.retires), "{found:?}");
}

#[test]
fn of_a_long_text_only_the_first_clause_and_changes_are_compared() {
    let report = |first: &str, last: &str| {
        let middle = "The suite was run three times and stayed green. Screenshots of the settings page are in the folder of the \
             designers, and the copy was read by two of us before it went to the translators who work in Lisbon. ";
        format!("{first} {middle}{middle}{middle}{last}")
    };
    let older = report("Profiling of the importer is finished.", "Retries of the gateway: 3.");
    let newer = report("Layout of the invoices is finished.", "Retries of the gateway: 5.");
    assert_eq!(evidence(&older, &newer), None);
    let renamed = report(
        "Layout of the invoices is finished.",
        "The gateway `payd` was renamed to `billd`.",
    );
    let known = report("The gateway is called `payd`.", "It is quiet.");
    assert!(evidence(&known, &renamed).is_some());
}
