//! Notes of several sentences that have a word or two in common.

use super::*;

/// Each has a value, a number or a previous value that the other one seems to give differently.
const UNRELATED: &[(&str, &str)] = &[
    (
        "Outlook for Windows renders HTML mail with Word. No flexbox, no background images without VML, padding only in table cells. Test \
         mails go through Litmus before every campaign.",
        "Merge queue stuck: required check name changed from \"test (20)\" to \"test (22)\".",
    ),
    (
        "70 % of our alerts last year needed no action. Deleted those; nobody missed one.",
        "EDI partner counts UNT segments including UNH. Off by one → rejected at 5 a.m.",
    ),
    (
        "Why there's no \"export everything\" button: one customer exported 84 GB at noon, and the site was slow for all. Exports are \
         asynchronous, at most one per tenant at a time, chunked by month.",
        "Usage endpoint cached per user instead of per tenant, so admins saw their own numbers. Vary on X-Tenant.",
    ),
    (
        "Regenerate the API client after changing the schema: `npm run openapi:gen -w packages/client`, then bump its version by hand.",
        "Salesforce API version 21 was retired, the lead sync died silently with UNSUPPORTED_API_VERSION.",
    ),
    (
        "errno 28 ENOSPC though `df -h` showed 60 % free: inodes were used up by 11 M session files.",
        "On the Windows runners `jest` hung forever after the last spec. It was the open handle of the file watcher. We call `await \
         watcher.close()` in a global teardown now, and CI passes `--forceExit` no longer.",
    ),
    (
        "Two agents in one worktree overwrite each other's index. git worktree add per agent.",
        "GS1 barcode: FNC1 is sent as char 29 by one scanner and dropped by the other.",
    ),
];

#[test]
fn unrelated_notes_are_not_linked_by_a_common_word() {
    let wrong: Vec<_> = UNRELATED
        .iter()
        .map(|(older, newer)| (newer, evidence(older, newer)))
        .filter(|(_, found)| found.is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_short_statement_is_linked_by_the_previous_value_that_it_names() {
    let pairs = [
        (
            "Containers are orchestrated with Docker Swarm.",
            "Docker Swarm is out, Nomad it is.",
        ),
        (
            "Formatter for TypeScript is Prettier with our shared config `@acme/prettier`.",
            "Formatter for TypeScript is Biome. `@acme/prettier` is deprecated, run `biome check --write` before pushing.",
        ),
        (
            "Package manager of the web monorepo is yarn 1 with a checked-in offline mirror.",
            "Package manager of the web monorepo is pnpm 9; the yarn offline mirror was deleted (2.1 GB in the clone).",
        ),
    ];
    let missed: Vec<_> = pairs
        .iter()
        .filter(|(older, newer)| evidence(older, newer).is_none())
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
