//! Files of a clone that are made to hang, crash or mislead: links, FIFOs, patterns with exponential backtracking, shrinking files.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::Project;
use forge_memory_grammars::chunk;
use forge_memory_lattice::{Globs, Ignored, Lattice, language};

/// Far more than any of this takes, also on a busy machine.
const HANG: Duration = Duration::from_secs(60);

fn in_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let answer = work();
    assert!(begin.elapsed() < HANG, "{what}: {:?}", begin.elapsed());
    answer
}

#[test]
fn patterns_with_exponential_backtracking_are_matched_at_once() {
    let path = "a".repeat(4000);
    for pattern in [
        "*a".repeat(20) + "b",
        "**/".repeat(20) + "b",
        "**a".repeat(20) + "b",
        "{a,a*,*a}".repeat(20) + "b",
        "[a-z]*".repeat(100) + "9",
        "?*".repeat(500),
    ] {
        in_time(&pattern, || {
            Globs::new(std::slice::from_ref(&pattern)).map(|globs| globs.matches(&path))
        })
        .unwrap();
    }
}

#[test]
fn ignore_files_with_exponential_backtracking_are_matched_at_once() {
    let project = Project::new();
    let mut list = "*a".repeat(30) + "b\n" + &"**/a".repeat(30) + "/b\n";
    for at in 0..4000 {
        list += &format!("*x{at}*y{at}*z\n");
    }
    project.write(".gitignore", &list);
    project.write("deep/.gitignore", "!keep.js\n*.js\n!kept.js\n");
    let path = "a".repeat(200);
    let ignored = Ignored::by_git(project.root().to_path_buf());
    in_time("a list", || assert!(!ignored.has(&path, false)));
    assert!(ignored.has("x17y17z", false));
    assert!(ignored.has("deep/keep.js", false));
    assert!(!ignored.has("deep/kept.js", false));
    assert!(!ignored.has("other.js", false));
}

#[cfg(unix)]
fn make_fifo(path: &std::path::Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[cfg(unix)]
#[test]
fn a_fifo_in_place_of_any_file_blocks_nothing() {
    let limited = forge_memory_lattice::IndexOptions {
        // Git waits for a FIFO; its timeout is a fifth of this.
        max_seconds: Some(10.0),
        ..Default::default()
    };
    for is_git in [false, true] {
        let project = Project::new();
        if is_git {
            project.git(&["init", "-q"]);
        }
        project.write("a.js", "function a() {}\n");
        make_fifo(&project.path("pipe.js"));
        make_fifo(&project.path("package.json"));
        make_fifo(&project.path("sub/.gitignore"));
        make_fifo(&project.path("sub/.ignore"));
        project.write("sub/b.js", "function b() {}\n");
        let outcome = in_time("FIFOs among the files", || {
            project.lattice().index(&limited, &|_, _| {}).unwrap()
        });
        assert_eq!(outcome.files_indexed, 2);
        for name in [
            "chunks.jsonl",
            "edges.jsonl",
            "meta.json",
            "graph.bin",
            "facts.bin",
            "states.bin",
        ] {
            fs::remove_file(project.lattice_file(name)).unwrap();
            make_fifo(&project.lattice_file(name));
            in_time(name, || {
                let _ = project.lattice().query(&Default::default()).unwrap();
                let _ = project.lattice().stat();
                let outcome = project.lattice().index(&limited, &|_, _| {}).unwrap();
                assert_eq!(outcome.files_indexed, 2);
            });
            assert!(project.lattice_file(name).is_file(), "{name} is a file again");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_place_of_index_files_and_sources_are_not_followed() {
    let outside = Project::new();
    outside.write("secret.js", "function topSecret() {}\n");
    outside.index();
    let project = Project::new();
    project.write("a.js", "function a() {}\n");
    std::os::unix::fs::symlink(outside.path("secret.js"), project.path("link.js")).unwrap();
    project.index();
    assert_eq!(project.definitions(), ["a.js a"]);
    for name in [
        "chunks.jsonl",
        "edges.jsonl",
        "meta.json",
        "graph.bin",
        "facts.bin",
        "states.bin",
    ] {
        let before = fs::read(outside.lattice_file(name)).unwrap();
        fs::remove_file(project.lattice_file(name)).unwrap();
        std::os::unix::fs::symlink(outside.lattice_file(name), project.lattice_file(name)).unwrap();
        let answer = project.lattice().query(&Default::default()).unwrap();
        assert!(answer.chunks.iter().all(|chunk| chunk.name != "topSecret"), "{name}");
        project.index();
        assert_eq!(fs::read(outside.lattice_file(name)).unwrap(), before, "{name}");
    }
}

#[test]
fn an_open_index_that_is_truncated_or_changed_in_place_answers_as_before() {
    let project = Project::new();
    for at in 0..200 {
        project.write(
            &format!("f{at}.js"),
            format!("export function name{at}() {{ name{at}() }}\n").repeat(20),
        );
    }
    project.index();
    let mut lattice = project.lattice();
    let before = lattice.query(&Default::default()).unwrap();
    let path = project.lattice_file("graph.bin");
    let bytes = fs::read(&path).unwrap();
    // In place: the same inode, as a process sees it that has it mapped.
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(100).unwrap();
    let cut = lattice.query(&Default::default()).unwrap();
    assert_eq!(cut.total, before.total);
    file.set_len(0).unwrap();
    let _ = lattice.stat();
    let mut changed = bytes.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    fs::write(&path, &changed).unwrap();
    // Rebuilt from the records: damaged parts are not trusted.
    assert_eq!(
        project.lattice().query(&Default::default()).unwrap().total,
        before.total
    );
}

/// Sources that are expensive to parse: deep, long, incomplete, ambiguous.
fn worst(bytes: usize) -> Vec<(&'static str, String)> {
    let fill = |piece: &str| piece.repeat(bytes / piece.len());
    let mut all: Vec<(&str, String)> = Vec::new();
    for end in [
        "js", "ts", "tsx", "py", "rs", "go", "java", "c", "cpp", "cs", "rb", "php", "sh", "sql", "md",
    ] {
        let begin = if end == "php" { "<?php\n" } else { "" };
        for piece in [
            "(",
            "{\n",
            "[\n",
            "<",
            "a.",
            "a(\n",
            "if (a) {\n",
            "f(x)\n",
            "'\n",
            "\"\n",
            "`${\n",
            "/*\n",
            "<<EOF\n",
            "> ",
            "- ",
            "a<b\n",
            "#if X\n",
            "class A {\n",
            "class A\n",
            "def f():\n",
            "fn f() {\n",
            "impl A { a: B }\n",
            "@a\n",
            "*a ",
            "![](\n",
            "\u{0}",
            "| a ",
        ] {
            all.push((end, format!("{begin}{}", fill(piece))));
        }
    }
    all
}

/// Sources with many definitions, each of which is looked up among all others.
fn crowded(bytes: usize) -> Vec<(&'static str, String)> {
    let fill = |piece: &str| piece.repeat(bytes / piece.len());
    let steps = (0..bytes / 60).map(|at| format!("{}def f{at}():\n", " ".repeat(at % 100)));
    vec![
        ("rs", fill("struct A { a: B }\nimpl A { fn b(c: D) {} }\n")),
        ("java", fill("class A { B c; void d() { c.e(); } }\n")),
        ("py", fill("class A(B):\n    def c(self):\n        self.d()\n")),
        ("py", steps.collect()),
        ("cpp", fill("struct A : B { C d; E f() { d.g(); } };\n")),
        (
            "js",
            "{function f(){".repeat(2000) + &"}}".repeat(1000) + &"f();".repeat(bytes / 8),
        ),
        ("js", "(".repeat(4000) + &"require('a');".repeat(bytes / 100)),
    ]
}

/// Parses all sources on two threads, and returns how long each took.
fn times(all: &[(&'static str, String)]) -> Vec<(Duration, String)> {
    let next = AtomicUsize::new(0);
    let times = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((end, source)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let number = language::of_path(&format!("a.{end}")).unwrap();
                    let begin = Instant::now();
                    let _ = chunk::facts(number, source.as_bytes());
                    let what = format!("{end} {:?}", source.chars().take(24).collect::<String>());
                    times.lock().unwrap().push((begin.elapsed(), what));
                }
            });
        }
    });
    times.into_inner().unwrap()
}

#[test]
fn pathological_sources_are_parsed_or_skipped_in_bounded_time() {
    // Quadratic time would be minutes here.
    for all in [worst(8 * 1024), crowded(128 * 1024)] {
        let slowest = times(&all).into_iter().max().unwrap();
        assert!(slowest.0 < HANG, "{slowest:?}");
    }
}

#[test]
fn an_index_that_came_with_a_clone_is_not_trusted_and_is_rebuilt() {
    let home = tempfile::tempdir().unwrap();
    let lattice = |project: &Project| {
        Lattice::new(project.root().to_path_buf(), home.path().to_path_buf()).parsing_with(forge_memory_grammars::TABLE)
    };
    let names = |lattice: &mut Lattice| -> Option<Vec<String>> {
        let answer = lattice.query(&Default::default()).unwrap();
        let names = answer.chunks.into_iter().map(|chunk| chunk.name);
        (!answer.message.contains("no index")).then(|| names.filter(|name| !name.is_empty()).collect())
    };
    let author = Project::new();
    author.write("a.js", "function forged() {}\n");
    lattice(&author).index(&Default::default(), &|_, _| {}).unwrap();
    assert_eq!(names(&mut lattice(&author)).unwrap(), ["forged"], "our own is believed");

    let clone = Project::copy_of(author.root());
    clone.write("a.js", "function real() {}\n");
    assert_eq!(names(&mut lattice(&clone)), None);
    lattice(&clone).index(&Default::default(), &|_, _| {}).unwrap();
    assert_eq!(names(&mut lattice(&clone)).unwrap(), ["real"]);

    // One file of another index among our own.
    fs::copy(author.lattice_file("graph.bin"), clone.lattice_file("graph.bin")).unwrap();
    assert_eq!(names(&mut lattice(&clone)), None);
}

#[test]
fn constants_with_secrets_do_not_enter_the_index() {
    let project = Project::new();
    let key = format!("ghp_{}", "x7Kq2LmN9pRtVw3YzA4bC6dE8fG1hJ5kS0uT".get(..36).unwrap());
    project.write(
        "src/config.js",
        format!(
            "export const TOKEN = '{key}'\n\n// the password for staging is Tr0ub4dor&3\nexport function connect(password = 'hunter2x9Q') {{ return TOKEN }}\n"
        ),
    );
    project.write(
        "src/app.py",
        format!("API_KEY = \"{key}\"\n\ndef run(token=\"{key}\"):\n    \"\"\"uses {key}\"\"\"\n"),
    );
    project.index();
    let mut files = 0;
    for entry in fs::read_dir(project.root().join(".forge/lattice")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            files += 1;
            let bytes = fs::read(&path).unwrap();
            for secret in [key.as_str(), "Tr0ub4dor", "hunter2x9Q"] {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "{secret} is in {}", path.display());
            }
        }
    }
    assert!(files > 2);
    let answer = project.lattice().query(&Default::default()).unwrap();
    assert!(format!("{answer:?}").contains("[redacted:"), "{answer:?}");
}
