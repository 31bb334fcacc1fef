//! What is true in addition.

use super::*;

#[test]
fn an_addition_neither_retires_nor_contradicts() {
    let pairs = [
        ("The recipes are also in docs/a", "The recipes are also in docs/b"),
        ("The recipes are in the wiki", "The recipes are also in the handbook"),
        ("The recipes are in the wiki", "The recipes are in the handbook as well"),
        (
            "Feature flags come from LaunchDarkly",
            "Feature flags also come from Unleash",
        ),
        ("Die Rezepte sind im Wiki", "Die Rezepte sind auch im Handbuch"),
        (
            "The nightly job writes to S3",
            "The nightly job additionally writes to Glacier",
        ),
    ];
    let wrong: Vec<_> = pairs
        .iter()
        .filter(|(older, newer)| evidence(older, newer).is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
