//! Compares the matches with those of tree-sitter's own engine.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forge_memory_lattice::language;
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

use super::{FlatTree, Patterns};
use crate::language::compiled;

/// One match: the number of its pattern, and its captures with their first and last bytes.
type Seen = (usize, Vec<(String, usize, usize)>);

fn theirs(grammar: &tree_sitter::Language, query: &str, source: &[u8]) -> Vec<Seen> {
    let query = Query::new(grammar, query).unwrap();
    let tree = parse(grammar, source);
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), source);
    let mut seen = Vec::new();
    while let Some(found) = matches.next() {
        let capture = |capture: &tree_sitter::QueryCapture<'_>| {
            let name = query.capture_names()[capture.index as usize].to_owned();
            (name, capture.node.start_byte(), capture.node.end_byte())
        };
        seen.push((found.pattern_index, found.captures.iter().map(capture).collect()));
    }
    seen
}

fn ours(grammar: &tree_sitter::Language, query: &str, source: &[u8]) -> Vec<Seen> {
    let patterns = Patterns::new(grammar, query).unwrap();
    let tree = parse(grammar, source);
    let nodes = FlatTree::of(&tree, &patterns).unwrap();
    let seen = |found: super::Match| {
        let capture = |(capture, place): &(u16, u32)| {
            let node = nodes.node(*place).unwrap();
            let name = patterns.captures()[usize::from(*capture)].clone();
            (name, node.start_byte(), node.end_byte())
        };
        (
            usize::from(found.pattern),
            found.captures().iter().map(capture).collect(),
        )
    };
    patterns.find(&nodes, source).into_iter().map(seen).collect()
}

fn parse(grammar: &tree_sitter::Language, source: &[u8]) -> tree_sitter::Tree {
    let mut parser = Parser::new();
    parser.set_language(grammar).unwrap();
    parser.parse(source, None).unwrap()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn assert_same(name: &str, grammar: &tree_sitter::Language, query: &str, source: &[u8]) -> usize {
    let (theirs, ours) = (theirs(grammar, query, source), ours(grammar, query, source));
    let sorted = |mut all: Vec<Seen>| {
        for (_, captures) in &mut all {
            captures.sort();
        }
        all.sort();
        all
    };
    let ours = sorted(ours);
    assert_eq!(ours, sorted(theirs), "{name}");
    ours.len()
}

#[test]
fn every_query_matches_the_parsers_own_query_engine_on_every_fixture() {
    let mut files = Vec::new();
    files_below(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../lattice/tests/data"),
        &mut files,
    );
    let mut found = vec![0; language::all().len()];
    for path in files {
        let Some(number) = language::of_path(&path.to_string_lossy()) else {
            continue;
        };
        let syntax = compiled(number).unwrap().syntax;
        let source = fs::read(&path).unwrap();
        let grammar = (syntax.grammar)();
        let name = path.display().to_string();
        found[usize::from(number)] += assert_same(&name, &grammar, syntax.query, &source);
        // Half a file has syntax errors.
        assert_same(&name, &grammar, syntax.query, &source[..source.len() / 2]);
        assert_same(&name, &grammar, syntax.query, &source[source.len() / 3..]);
    }
    assert!(found.iter().all(|count| *count > 0), "{found:?}");
}

#[test]
fn anchors_choices_negated_fields_and_tests_mean_the_same() {
    let grammar: tree_sitter::Language = tree_sitter_javascript::LANGUAGE.into();
    let source = b"f(a, /* c */ b, 1); f(); f(1); new F(x).g(y, z)\nclass A {} class B extends A { m() {} }\n\
        const [p, q] = [f, g]; export default function () {} ; f(a, ) ; x = { a, b: 1, 'c': 2 }; h(a, g(b, 1)); f(a b";
    let queries = [
        "(arguments . (identifier) @first)",
        "(arguments (identifier) @last .)",
        "(arguments . (identifier) @only .)",
        "(arguments (identifier) @one . (identifier) @next)",
        "(arguments (identifier) @one (identifier) @other)",
        "(arguments (identifier) (number) @n)",
        "(arguments (identifier) . (number) @n)",
        "(arguments (number) @n)",
        "(arguments (_) @any)",
        "(arguments _ @token)",
        "(arguments \",\" @comma)",
        "(array (identifier)) @a (array_pattern (identifier)) @b",
        "(pair key: [(property_identifier) @plain (string) @quoted] @key value: (number)) @pair",
        "(class_declaration !body) @none (class_declaration name: (_) @name) @class",
        "(call_expression function: (identifier) @f (#eq? @f \"f\") arguments: (arguments (identifier)))",
        "(call_expression function: (member_expression object: (_) @o property: (_) @p (#any-of? @p \"g\" \"h\"))) @call",
        "(function_expression !name) @f (export_statement \"default\" value: (_ !name) @v)",
    ];
    for query in queries {
        assert!(
            assert_same(query, &grammar, query, source) > 0 || query.contains("!body"),
            "{query}"
        );
    }
}

#[test]
fn long_lists_and_chains_take_linear_time() {
    let many = |count: usize, one: &dyn Fn(usize) -> String, between: &str| -> String {
        (0..count).map(one).collect::<Vec<_>>().join(between)
    };
    let go = format!("package p\nvar {} int\n", many(100_000, &|at| format!("a{at}"), ", "));
    let script = format!("a{}\n", many(20_000, &|_| ".b()".to_owned(), ""));
    for (language, source, least) in [("a.go", go, 100_000), ("a.js", script, 20_000)] {
        let syntax = compiled(language::of_path(language).unwrap()).unwrap().syntax;
        let started = Instant::now();
        let found = ours(&(syntax.grammar)(), syntax.query, source.as_bytes());
        assert!(found.len() >= least, "{language}: {}", found.len());
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

#[test]
fn a_query_that_is_not_understood_is_refused() {
    let grammar: tree_sitter::Language = tree_sitter_javascript::LANGUAGE.into();
    let refused = |query: &str| Patterns::new(&grammar, query).err().unwrap();
    assert!(refused("(no_such_kind) @x").contains("no_such_kind"));
    assert!(refused("(class_declaration nofield: (_) @x)").contains("nofield"));
    assert!(refused("(class_declaration !nofield) @x").contains("nofield"));
    assert!(refused("(expression) @x").contains("expression"));
    for query in [
        "(arguments (identifier)* @x)",
        "(arguments (identifier)",
        "(arguments \"(",
        "[(identifier)] @x",
        "(_) @x",
        "identifier @x",
        "(identifier) @x)",
        "(identifier) @x (#match? @x \"a\")",
        "(arguments (#match? @x \"a\"))",
        "(arguments (#eq? @x \"a\"))",
        "(arguments .)",
        "(arguments _ . (identifier) @x)",
        "(class_body (_) @a (_) @b (_) @c (_) @d (_) @e)",
    ] {
        refused(query);
    }
}
