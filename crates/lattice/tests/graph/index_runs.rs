//! Runs of the index: changed files are parsed, deleted ones removed, everything else stays.

use std::fs;

use crate::support::{Project, read_lines, text};
use forge_memory_lattice::{Lattice, Seed, Stale};

fn three_files() -> Project {
    let project = Project::new();
    project.write_at(
        "a.js",
        "import { b } from './b.js'\nexport function a() { return b() }\n",
        1,
    );
    project.write_at("b.js", "export function b() { return 1 }\n", 1);
    project.write_at("deep/c.py", "def c():\n    return 1\n", 1);
    project.index();
    project
}

#[test]
fn a_second_run_parses_nothing_and_writes_nothing() {
    let project = three_files();
    let look = |name| fs::metadata(project.lattice_file(name)).unwrap().modified().unwrap();
    let names = [
        "chunks.jsonl",
        "edges.jsonl",
        "meta.json",
        "graph.bin",
        "facts.bin",
        "states.bin",
    ];
    let before = names.map(look);
    let outcome = project.index();
    assert_eq!(
        (outcome.files_indexed, outcome.files_changed, outcome.files_removed),
        (3, 0, 0)
    );
    assert_eq!((outcome.chunks, outcome.edges), (6, 1));
    assert_eq!(names.map(look), before);
}

/// Changes bytes of a file, whose identity, length and time stay.
#[cfg(unix)]
fn change_secretly(path: &std::path::Path) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let bytes = vec![b'x'; fs::read(path).unwrap().len()];
    fs::write(path, bytes).unwrap();
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
}

// On Windows a file that is open for reading cannot be synced.
#[cfg(unix)]
#[test]
fn an_index_that_a_run_found_whole_is_read_again_only_after_a_change() {
    let project = Project::new();
    project.write_at("a.js", "export function a() {}\n", 1);
    project.write_at("b.js", "export function b() {}\n", 1);
    project.write_at("image.js", [0, 1, 2], 1);
    let home = tempfile::tempdir().unwrap();
    let index = || {
        let mut lattice = project.lattice().marked(home.path());
        lattice.index(&Default::default(), &|_, _| {}).unwrap()
    };
    let damaged = ["facts.bin", "chunks.jsonl"].map(|name| project.lattice_file(name));
    index();
    damaged.iter().for_each(|path| change_secretly(path));
    index();
    assert_eq!(project.definitions(), ["a.js a", "b.js b"], "not yet found whole: read");
    let whole = index();
    damaged.iter().for_each(|path| change_secretly(path));
    let outcome = index();
    assert_eq!(format!("{outcome:?}"), format!("{whole:?}"));
    assert_eq!(
        (outcome.files_indexed, outcome.files_changed, outcome.chunks),
        (2, 0, 4)
    );
    assert_eq!(outcome.skipped.get("binary"), Some(&1));
    let chunks = fs::read(&damaged[1]).unwrap();
    assert!(chunks.iter().all(|byte| *byte == b'x'), "found whole: not read");
    project.write_at("a.js", "export function c() {}\n", 2);
    assert_eq!(index().files_changed, 2, "the damaged facts count as missing");
    assert_eq!(project.definitions(), ["a.js c", "b.js b"]);
}

#[test]
fn paths_update_only_the_files_under_them() {
    let project = three_files();
    project.write_at("a.js", "export function changed() {}\n", 2);
    project.write_at("deep/c.py", "def other():\n    pass\n", 2);
    let outcome = project.index_paths(&["deep"]).unwrap();
    assert_eq!((outcome.files_indexed, outcome.files_changed), (3, 1));
    assert_eq!(project.definitions(), ["a.js a", "b.js b", "deep/c.py other"]);
    project.index_paths(&["./deep/../a.js"]).unwrap();
    assert_eq!(project.definitions(), ["a.js changed", "b.js b", "deep/c.py other"]);
}

#[test]
fn deleted_and_renamed_files_are_removed() {
    let project = three_files();
    fs::rename(project.path("b.js"), project.path("z.js")).unwrap();
    fs::remove_file(project.path("deep/c.py")).unwrap();
    let outcome = project.index_paths(&["deep/c.py"]).unwrap();
    assert_eq!(outcome.files_removed, 1);
    assert_eq!(project.definitions(), ["a.js a", "b.js b"]);
    let outcome = project.index();
    assert_eq!((outcome.files_indexed, outcome.files_removed), (2, 1));
    assert_eq!(project.definitions(), ["a.js a", "z.js b"]);
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    assert!(
        edges[0]["calleeChunkId"].is_null(),
        "the import leads to a file that is gone"
    );
}

#[test]
fn a_revision_updates_only_the_files_that_differ_from_it() {
    let project = three_files();
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    project.write_at(
        "b.js",
        "export function b() { return 2 }\nexport function more() {}\n",
        2,
    );
    project.git(&["commit", "-qam", "two"]);
    project.write_at("ünknown file.js", "function fresh() {}\n", 2);
    let outcome = project.index_since("HEAD~1").unwrap();
    assert_eq!((outcome.files_indexed, outcome.files_changed), (4, 2));
    assert_eq!(
        project.definitions(),
        ["a.js a", "b.js b", "b.js more", "deep/c.py c", "ünknown file.js fresh"]
    );
    project.git(&["rm", "-q", "deep/c.py"]);
    let outcome = project.index_since("HEAD").unwrap();
    assert_eq!((outcome.files_indexed, outcome.files_removed), (3, 1));
}

#[test]
fn bad_revisions_are_refused_and_the_index_stays() {
    let project = three_files();
    let before = fs::read(project.lattice_file("chunks.jsonl")).unwrap();
    assert_eq!(
        project.index_since("HEAD").unwrap_err().code(),
        "INVALID_INPUT",
        "there is no repository"
    );
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    for revision in [
        "",
        " ",
        "--output=stolen",
        "-h",
        "nobody/knows",
        "HEAD^{tree}",
        "HEAD..HEAD",
        "a\u{0}b",
        "HEAD\n",
    ] {
        let error = project.index_since(revision).unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT", "{revision:?}");
    }
    assert!(!project.path("stolen").exists());
    assert_eq!(fs::read(project.lattice_file("chunks.jsonl")).unwrap(), before);
}

#[test]
fn paths_outside_of_the_project_are_refused() {
    let project = three_files();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("secret.js"), "function secret() {}\n").unwrap();
    let absolute = elsewhere.path().to_str().unwrap().to_owned();
    for path in ["..", "../x", "deep/../../x", "/", &absolute] {
        let error = project.index_paths(&[path]).unwrap_err();
        assert_eq!(error.code(), "ERR_LATTICE_PATH_OUTSIDE_REPO", "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(elsewhere.path(), project.path("link")).unwrap();
        for path in ["link", "link/secret.js"] {
            assert_eq!(
                project.index_paths(&[path]).unwrap_err().code(),
                "ERR_LATTICE_PATH_OUTSIDE_REPO",
                "{path}"
            );
        }
        project.index();
        assert!(
            !project.definitions().iter().any(|line| line.contains("secret")),
            "links are not followed"
        );
    }
    assert_eq!(project.index_paths(&[""]).unwrap_err().code(), "INVALID_INPUT");
    assert_eq!(project.definitions().len(), 3);
}

#[test]
fn files_are_those_that_git_sees_and_the_same_without_git() {
    for has_git in [false, true] {
        let project = Project::new();
        if has_git {
            project.git(&["init", "-q"]);
        }
        project.write(".gitignore", "/out/\n*.gen.js\n");
        for path in [
            "a.js",
            "out/b.js",
            "c.gen.js",
            ".hidden/d.js",
            "node_modules/e.js",
            ".forge/f.js",
            "notes.txt",
        ] {
            project.write(path, "function f() {}\n");
        }
        project.write("sub/.gitignore", "node_modules\n");
        project.write("sub/node_modules/g.js", "function g() {}\n");
        project.index();
        assert_eq!(
            project.definitions(),
            [".hidden/d.js f", "a.js f", "node_modules/e.js f"],
            "git: {has_git}"
        );
    }
}

#[test]
fn files_that_are_not_sources_are_skipped_and_counted() {
    let project = Project::new();
    project.write("large.js", "function f() {}\n".repeat(140_000));
    project.write("lib.min.js", "function f() {}\n");
    project.write("packed.js", format!("var a={};\n", "f(1)+".repeat(2000) + "1"));
    project.write("binary.py", b"def f():\0\n    pass\n");
    project.write(
        "latin.py",
        b"# caf\xe9\ndef caf\xe9():\n    pass\n\ndef fine():\n    pass\n",
    );
    project.write("half.rs", "fn whole() {}\nfn broken( {\n    let x = \"");
    project.write("empty.go", "");
    let outcome = project.index();
    let skipped: Vec<(&str, usize)> = outcome.skipped.into_iter().collect();
    assert_eq!(skipped, [("binary", 1), ("large", 1), ("minified", 2)]);
    assert_eq!(outcome.files_indexed, 3);
    let definitions = project.definitions();
    assert!(definitions.contains(&"latin.py fine".to_owned()), "{definitions:?}");
    assert!(definitions.contains(&"half.rs whole".to_owned()), "{definitions:?}");
}

#[test]
fn ten_thousand_levels_do_not_overflow_the_stack() {
    let deep = 10_000;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(deep), close.repeat(deep));
    let cases = [
        ("a.js", format!("function before() {{}}\n{}", nested("{\n", "}\n"))),
        ("b.js", nested("(function f() {\n", "})\n")),
        ("c.js", format!("x = {}", nested("[\n", "]\n"))),
        ("d.rs", format!("fn a() {{ m!{} }}", nested("(\n", ")\n"))),
        ("e.rs", format!("use a{};", nested("::{b\n", "}\n"))),
        ("f.py", format!("x = {}", nested("(\n", ")\n"))),
        ("g.c", format!("int main() {}", nested("{\n", "}\n"))),
        ("h.ts", format!("let x: {} = 1", nested("Array<\n", ">\n"))),
        ("i.md", "> ".repeat(deep)),
        ("j.rb", nested("[\n", "]\n")),
        ("k.go", format!("package a\nfunc f() {}", nested("{\n", "}\n"))),
        ("l.js", "{\n".repeat(deep)),
        ("m.java", format!("class A {}", nested("{ class B\n", "}\n"))),
    ];
    let project = Project::new();
    for (path, source) in &cases {
        project.write(path, source);
    }
    let outcome = project.index();
    assert_eq!(outcome.files_indexed + outcome.files_skipped, cases.len());
    assert!(project.definitions().contains(&"a.js before".to_owned()));
    project.lattice().stat().unwrap();
}

#[test]
fn an_id_is_stable_when_lines_above_change() {
    let project = Project::new();
    let ids = || -> Vec<(String, String)> {
        let chunks = read_lines(&project.lattice_file("chunks.jsonl"));
        chunks
            .iter()
            .map(|chunk| (text(chunk, "name").to_owned(), text(chunk, "id").to_owned()))
            .collect()
    };
    project.write_at("a.js", "function f() {}\nclass A { f() {} }\nclass B { f() {} }\n", 1);
    project.index();
    let before = ids();
    project.write_at(
        "a.js",
        "// more\n\nconst x = 1\nfunction f() {}\nclass A { f() {} }\nclass B { f() {} }\n",
        2,
    );
    project.index();
    assert_eq!(ids(), before);
    let mut unique: Vec<&String> = before.iter().map(|(_, id)| id).collect();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), before.len());
}

#[test]
fn results_are_stale_when_their_file_has_changed() {
    let project = three_files();
    let mut lattice = project.lattice();
    let seed = Seed {
        name: Some("b".into()),
        ..Seed::default()
    };
    let stale = |lattice: &mut Lattice| {
        let answers = lattice.callers(&seed).unwrap();
        (answers.chunks[0].stale, answers.message)
    };
    assert_eq!(stale(&mut lattice), (None, "1 call b".to_owned()));
    project.write_at("a.js", "// nothing\n", 9);
    let (mark, message) = stale(&mut lattice);
    assert_eq!(mark, Some(Stale::Changed));
    assert!(message.contains("code index"), "{message}");
    fs::remove_file(project.path("a.js")).unwrap();
    assert_eq!(stale(&mut lattice).0, Some(Stale::Deleted));
    project.index();
    assert_eq!(
        lattice.callers(&seed).unwrap().total,
        0,
        "an open graph notices the new one"
    );
}

#[test]
fn deleting_the_binary_files_changes_no_result() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lattice/tests/data");
    let project = Project::copy_of(&data);
    project.index();
    let ask = || {
        let mut lattice = project.lattice();
        let query = |words: &str| forge_memory_lattice::QueryOptions {
            query: words.into(),
            ..Default::default()
        };
        let asked = ["cart sum", "money", "round", ""].map(|words| lattice.query(&query(words)).unwrap());
        let seed = Seed {
            name: Some("sum".into()),
            ..Seed::default()
        };
        let blast = lattice.blast(&seed, Default::default(), None).unwrap();
        let (callers, callees) = (lattice.callers(&seed).unwrap(), lattice.callees(&seed).unwrap());
        (asked, blast, callers, callees)
    };
    let before = ask();
    assert!(before.1.nodes.len() > 5);
    for name in ["graph.bin", "facts.bin"] {
        fs::remove_file(project.lattice_file(name)).unwrap();
    }
    let after = ask();
    assert_eq!(after.1.nodes, before.1.nodes);
    assert_eq!(after, before);
    let chunks = fs::read(project.lattice_file("chunks.jsonl")).unwrap();
    project.index();
    assert_eq!(fs::read(project.lattice_file("chunks.jsonl")).unwrap(), chunks);
    assert_eq!(ask(), before);
}

#[test]
fn damaged_files_only_cost_time() {
    let project = three_files();
    let whole: Vec<(&str, Vec<u8>)> = [
        "graph.bin",
        "facts.bin",
        "states.bin",
        "meta.json",
        "chunks.jsonl",
        "edges.jsonl",
    ]
    .into_iter()
    .map(|name| (name, fs::read(project.lattice_file(name)).unwrap()))
    .collect();
    for (name, bytes) in &whole {
        for damaged in [Vec::new(), bytes[..bytes.len() / 2].to_vec(), vec![0xff; bytes.len()]] {
            fs::write(project.lattice_file(name), &damaged).unwrap();
            let mut lattice = project.lattice();
            let _ = lattice.query(&Default::default()).unwrap();
            let _ = lattice.stat();
            let outcome = project.index();
            assert_eq!((outcome.files_indexed, outcome.chunks), (3, 6), "{name}");
            assert_eq!(project.definitions(), ["a.js a", "b.js b", "deep/c.py c"], "{name}");
        }
    }
    // Flip every byte of the graph: answers may be wrong, but nothing panics.
    let bytes = fs::read(project.lattice_file("graph.bin")).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        if let Some(graph) = forge_memory_lattice::graph::Graph::from_bytes(damaged) {
            assert!(!graph.is_whole() || at < 24);
            for number in 0..graph.nodes() {
                let _ = graph.node(number);
                let _ = forge_memory_lattice::graph::Graph::into(&graph, number)
                    .take(1000)
                    .count();
                let _ = graph.out_of(number).len();
            }
        }
    }
}
