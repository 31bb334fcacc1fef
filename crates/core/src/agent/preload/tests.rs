use serde_json::json;

use super::*;
use crate::project::config::Config;
use crate::text::tokens::count_tokens;

/// Returns the keyword map of a project with this setting, and the problems.
fn map_of(setting: &Value) -> (KeywordMap, Vec<String>) {
    let config = Config::parse(&json!({ "openbrain": { "keywordMap": setting } }).to_string());
    (config.keywords, config.problems)
}

fn hints(slices: &[&str], max: usize) -> Vec<String> {
    let plan = Plan::read(&json!({ "name": "Phase-1-AUTH", "slices": slices })).unwrap();
    let context = boot_context(&plan, "shop", &KeywordMap::default(), max);
    context.hints.into_iter().map(|hint| hint.query).collect()
}

#[test]
fn the_history_of_the_plan_comes_first_then_each_question_once() {
    let found = hints(&["Add database schema", "API routes", "Seed the database"], 8);
    assert_eq!(
        found,
        [
            "plan Phase-1-AUTH",
            "database migration patterns",
            "API endpoint design patterns"
        ]
    );
}

#[test]
fn there_are_never_more_hints_than_asked_for() {
    let all = [
        "database", "auth", "api", "tests", "deploy", "ui", "cache", "errors", "memory",
    ];
    assert_eq!(hints(&all, 8).len(), 8);
    assert_eq!(hints(&all, 3).len(), 3);
    assert_eq!(hints(&all, 64).len(), 10);
}

#[test]
fn plurals_and_other_forms_of_a_word_raise_its_question() {
    for (title, query) in [
        ("tests for the parser", "testing patterns conventions"),
        ("handle errors", "error handling logging patterns"),
        ("cache invalidation", "caching invalidation patterns"),
        ("caching of pages", "caching invalidation patterns"),
        ("Migrations", "database migration patterns"),
        ("repositories", "database migration patterns"),
        ("EF Core contexts", "database migration patterns"),
        ("public APIs", "API endpoint design patterns"),
        ("AuthService", "authentication authorization patterns"),
        ("permissions", "authentication authorization patterns"),
        ("deployed nightly", "deployment pipeline patterns"),
        ("memories", "memory context integration patterns"),
    ] {
        assert!(hints(&[title], 8).contains(&query.to_owned()), "{title}");
    }
    assert_eq!(hints(&["attest the author of a forest"], 8).len(), 1);
}

#[test]
fn a_map_in_the_settings_replaces_the_default() {
    let setting = json!([
        { "pattern": "\\binvoice\\b", "query": "invoice rules" },
        { "pattern": "(", "query": "broken" },
        { "query": "no pattern" },
    ]);
    let (map, problems) = map_of(&setting);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(map.queries("Invoices and tests").collect::<Vec<_>>(), ["invoice rules"]);
    let (map, problems) = map_of(&json!([{ "pattern": "[" }]));
    assert_eq!(problems.len(), 1);
    assert_eq!(map.queries("tests").count(), 1, "the default stands in");
}

#[test]
fn a_plan_without_a_name_is_refused() {
    for plan in [
        json!({}),
        json!({ "name": " " }),
        json!(7),
        json!({ "name": "a", "slices": [1] }),
    ] {
        assert_eq!(Plan::read(&plan).unwrap_err().code(), "INVALID_INPUT", "{plan}");
    }
    assert_eq!(Plan::read(&json!("only a name")).unwrap().name, "only a name");
}

#[test]
fn the_context_stays_within_its_budget_and_every_question_gets_its_turn() {
    let entry = |id: usize, query: &str| ContextEntry {
        id: format!("mem_{id}"),
        query: query.into(),
        tier: "files".into(),
        kind: "lesson".into(),
        text: format!("a lesson with the number {id}\nin two lines"),
        score: 1.0,
    };
    let found: Vec<ContextEntry> = (0..30).map(|id| entry(id, if id < 20 { "a" } else { "b" })).collect();
    let context = compose("p", [found.clone(), found].concat(), 200);
    assert!(context.tokens <= 200 && count_tokens(&context.text) <= 200);
    assert_eq!(context.entries.len() + context.left_out, 30);
    let queries: Vec<&str> = context.entries.iter().map(|entry| entry.query.as_str()).collect();
    assert_eq!(queries[..4], ["a", "b", "a", "b"]);
    assert_eq!(context.text.lines().count(), context.entries.len() + 1);
    assert_eq!(compose("p", Vec::new(), 200).text, "");
}

#[test]
fn a_prompt_asks_for_the_change_and_is_empty_without_one() {
    let change = Change {
        rule: Some("adr".into()),
        event: Some("change".into()),
        path: Some("docs/adr/1.md".into()),
        ..Change::default()
    };
    let prompt = search_prompt(&change, "shop");
    assert!(
        prompt.contains("query \"watcher adr change docs/adr/1.md\", project \"shop\", limit 5"),
        "{prompt}"
    );
    let anomaly = Change {
        code: Some("stalled".into()),
        ..Change::default()
    };
    assert!(search_prompt(&anomaly, "shop").contains("\"watcher anomaly stalled\""));
    assert_eq!(search_prompt(&Change::default(), "shop"), "");
    assert_eq!(search_prompt(&anomaly, " "), "");
}

#[test]
fn the_keyword_map_is_listed_in_the_format_of_the_settings() {
    let built_in: Vec<_> = KeywordMap::default().entries().collect();
    assert_eq!(built_in.len(), 9);
    assert!(
        built_in
            .iter()
            .all(|entry| entry.flags == "i" && entry.pattern.starts_with("\\b(?:"))
    );
    let (again, problems) = map_of(&json!(
        built_in
            .iter()
            .map(|entry| json!({ "pattern": entry.pattern, "flags": entry.flags, "query": entry.query }))
            .collect::<Vec<_>>()
    ));
    assert!(problems.is_empty(), "{problems:?}");
    for title in ["Add a database migration", "Fix the flaky tests", "Retry memories"] {
        let listed: Vec<&str> = again.queries(title).collect();
        assert_eq!(
            listed,
            KeywordMap::default().queries(title).collect::<Vec<_>>(),
            "{title}"
        );
    }
    let (own, _) = map_of(&json!([{ "pattern": "invoice", "flags": "im", "query": "invoice rules" }]));
    let entry = own.entries().next().unwrap();
    assert_eq!(
        (&*entry.pattern, &*entry.flags, &*entry.query),
        ("invoice", "im", "invoice rules")
    );
}
