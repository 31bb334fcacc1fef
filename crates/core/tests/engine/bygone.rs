//! A text that says of itself that it does not hold is not first for what is current, however well its words match.

use crate::common::{Workshop, capture_of};
use forge_memory_core::{Memory, RecallOptions};

/// A question about what is current, what holds, and what says of itself that it does not.
const CASES: [(&str, &str, &str); 12] = [
    (
        "which database does the order service use",
        "The order service stores its data in PostgreSQL",
        "MongoDB was the initial choice for the database of the order service",
    ),
    (
        "how do the services talk to each other",
        "Services talk over HTTP with JSON",
        "gRPC was considered for how the services talk to each other but not adopted",
    ),
    (
        "port of the gateway",
        "The gateway listens on port 9090",
        "A stale report prints port 8080 for the gateway",
    ),
    (
        "session timeout",
        "Sessions of users end after 30 minutes (session timeout)",
        "The cached value of the session timeout is 15 minutes",
    ),
    (
        "build server",
        "Builds run on GitHub Actions, our build server",
        "The old wiki page still lists Jenkins as the build server",
    ),
    (
        "message queue for events",
        "Events go through the NATS message queue",
        "Kafka was rejected as the message queue for events",
    ),
    (
        "why is the checkout slow",
        "The checkout is slow because the tax lookup has no cache",
        "Suspected reason why the checkout is slow: the payment provider",
    ),
    (
        "API port in development",
        "In development the API is on port 4000",
        "The tutorial uses port 3000 for the API in development",
    ),
    (
        "how are deployments done",
        "Deployments are done with Helm from the release branch",
        "Another team does its deployments with Argo",
    ),
    (
        "date library of the frontend",
        "The frontend has date-fns as its date library",
        "Originally moment was the date library of the frontend",
    ),
    (
        "css framework of the frontend",
        "The frontend is styled with Tailwind, a CSS framework",
        "We considered Bootstrap as the CSS framework of the frontend",
    ),
    (
        "retry limit of the uploader",
        "The uploader has a retry limit of 5",
        "The example config sets the retry limit of the uploader to 10",
    ),
];

fn first_of(texts: &[&str], query: &str) -> String {
    let workshop = Workshop::new();
    let mut memory: Memory = workshop.open();
    for text in texts {
        memory.capture(capture_of("decision", text)).unwrap();
    }
    for text in ["The ledger is closed every Friday", "Fonts are served from our own CDN"] {
        memory.capture(capture_of("lesson", text)).unwrap();
    }
    let found = memory.recall(query, &RecallOptions::default()).unwrap();
    found.hits.first().map(|hit| hit.text.clone()).unwrap_or_default()
}

#[test]
fn what_holds_is_first_for_what_is_current() {
    for (query, holds, bygone) in CASES {
        assert_eq!(first_of(&[bygone, holds], query), holds, "{query}");
        assert_eq!(first_of(&[holds, bygone], query), holds, "{query}, captured later");
    }
}

#[test]
fn a_question_about_what_was_finds_it_first() {
    let (_, holds, bygone) = CASES[0];
    let query = "which database was the initial choice of the order service";
    assert_eq!(first_of(&[bygone, holds], query), bygone);
}
