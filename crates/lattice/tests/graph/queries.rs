//! Queries: calls of built-in objects, the chunks with the most callers, parts of identifiers, missing paths, limits.

use std::fs;

use crate::support::{Project, read_lines, text};
use forge_memory_lattice::{Direction, IndexOptions, Limit, QueryOptions, Seed};

fn callers(project: &Project, name: &str) -> Vec<String> {
    let seed = Seed {
        name: Some(name.into()),
        ..Seed::default()
    };
    let found = project.lattice().callers(&seed).unwrap().chunks;
    let resolved = found.into_iter().filter(|chunk| chunk.resolved.is_some());
    resolved.map(|chunk| chunk.name).collect()
}

fn found(project: &Project, query: &str) -> Vec<String> {
    let options = QueryOptions {
        query: query.into(),
        ..QueryOptions::default()
    };
    let chunks = project.lattice().query(&options).unwrap().chunks;
    chunks.into_iter().map(|chunk| chunk.name).collect()
}

#[test]
fn calls_on_built_in_objects_do_not_lead_to_a_stub_of_the_same_name() {
    let project = Project::new();
    project.write(
        "stub.test.js",
        "class FakeShell { cwd() {} exit() {} getenv() {} }\nexport { FakeShell }\n",
    );
    project.write(
        "use.js",
        "export function run() { process.cwd(); process?.exit(1); globalThis.process.cwd() }\n",
    );
    project.write("Stub.java", "class Stub { void exit(int n) {} }\n");
    project.write("Use.java", "class Use { void leave() { System.exit(1); } }\n");
    project.write("stub.rb", "class Stub\n  def expand_path\n  end\nend\n");
    project.write("use.rb", "def full\n  File.expand_path\nend\n");
    project.write("stub.py", "class Stub:\n    def fromkeys(self):\n        pass\n");
    project.write("use.py", "def make():\n    return dict.fromkeys([])\n");
    project.write("Stub.cs", "class Stub { public void ReadKey() {} }\n");
    project.write("Use.cs", "class Use { void Wait() { Console.ReadKey(); } }\n");
    project.index();
    for name in ["cwd", "exit", "expand_path", "fromkeys", "ReadKey"] {
        assert_eq!(callers(&project, name), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_object_of_the_project_shadows_a_built_in_one() {
    let project = Project::new();
    project.write("process.js", "export const process = { cwd() {} }\n");
    project.write(
        "use.js",
        "import { process } from './process.js'\nexport function run() { process.cwd() }\n",
    );
    project.write(
        "own.js",
        "const process = { chdir() {} }\nexport function go() { process.chdir() }\n",
    );
    project.index();
    assert_eq!(callers(&project, "cwd"), ["run"]);
    assert_eq!(callers(&project, "chdir"), ["go"]);
}

#[test]
fn the_most_called_chunks_are_counted_by_resolved_edges() {
    let project = Project::new();
    project.write("guess.js", "class Far { obscure() {} }\nexport { Far }\n");
    for at in 0..5 {
        project.write(
            &format!("by{at}.js"),
            format!("export function by{at}(x) {{ x.obscure() }}\n"),
        );
    }
    project.write("sure.js", "function sure() {}\nexport function one() { sure() }\n");
    project.index();
    assert_eq!(callers(&project, "obscure").len(), 5);
    let hottest = project.lattice().stat().unwrap().hottest;
    let told: Vec<(&str, usize)> = hottest.iter().map(|hot| (&*hot.chunk.name, hot.callers)).collect();
    assert_eq!(told, [("sure", 1)]);
}

#[test]
fn parts_of_identifiers_and_paths_are_found_in_any_case() {
    let project = Project::new();
    project.write(
        "src/people.js",
        "function getUserById() {}\nfunction isInvalid() {}\nfunction other() {}\n",
    );
    project.index();
    assert_eq!(found(&project, "getuser"), ["getUserById"]);
    assert_eq!(found(&project, "SERBY"), ["getUserById"]);
    assert_eq!(found(&project, "valid"), ["isInvalid"]);
    let by_path = found(&project, "eople");
    assert!(by_path.contains(&"other".to_owned()), "{by_path:?}");
    assert_eq!(found(&project, "nowhere"), Vec::<String>::new());
}

#[test]
fn a_missing_path_is_an_error_and_an_empty_list_indexes_nothing() {
    let project = Project::new();
    project.write("a.js", "function a() {}\n");
    project.write("b/b.js", "function b() {}\n");
    let error = project.index_paths(&["nosuch"]).unwrap_err();
    assert_eq!(error.code(), "INVALID_INPUT");
    assert!(error.to_string().contains("nosuch"), "{error}");
    assert!(!project.path(".forge/lattice/graph.bin").exists());
    let outcome = project.index_paths(&[]).unwrap();
    assert_eq!((outcome.files_indexed, outcome.files_changed), (0, 0));
    project.index();
    project.write("a.js", "function renamed() {}\n");
    project.index_paths(&[]).unwrap();
    assert_eq!(project.definitions(), ["a.js a", "b/b.js b"]);
    // A path that was indexed and is gone can still be named.
    fs::remove_dir_all(project.path("b")).unwrap();
    assert_eq!(project.index_paths(&["b"]).unwrap().files_removed, 1);
}

#[test]
fn a_run_reports_its_limit_and_the_next_one_catches_up() {
    let project = Project::new();
    for at in 0..50 {
        project.write_at(
            &format!("f{at}.js"),
            format!("export function f{at}() {{ f{at}() }}\n"),
            1,
        );
    }
    let limited = |seconds: f64| IndexOptions {
        max_seconds: Some(seconds),
        ..IndexOptions::default()
    };
    let outcome = project.lattice().index(&limited(0.000_001), &|_, _| {}).unwrap();
    assert_eq!(outcome.limit, Some(Limit::Time));
    assert_eq!(outcome.skipped.get("limit"), Some(&50));
    let stat = project.lattice().stat().unwrap();
    assert_eq!(stat.limit, Some(Limit::Time));
    let answer = project.lattice().query(&QueryOptions::default()).unwrap();
    assert!(answer.message.contains("time limit"), "{}", answer.message);
    let outcome = project.index();
    assert_eq!((outcome.limit, outcome.files_indexed), (None, 50));
    assert_eq!(project.lattice().stat().unwrap().limit, None);
    let kept = fs::read(project.lattice_file("graph.bin")).unwrap();
    fs::remove_dir_all(project.path(".forge")).unwrap();
    project.index();
    assert_eq!(fs::read(project.lattice_file("graph.bin")).unwrap(), kept);
}

#[test]
fn a_project_can_lower_the_limits_and_only_the_caller_can_raise_them() {
    let project = Project::new();
    // Facts of about 20 MiB need more than 64 MiB of memory.
    let line = |at: usize| format!("export function name{at}(value) {{ return other{at}(value, {at}) }}\n");
    for file in 0..24 {
        let source: String = (0..8000).map(|at| line(file * 8000 + at)).collect();
        project.write(&format!("f{file}.js"), source);
    }
    project.write(".forge.json", "{\"lattice\":{\"maxMemoryMb\":64}}");
    let outcome = project.index();
    assert_eq!(outcome.limit, Some(Limit::Memory));
    assert!(outcome.files_indexed < 24, "{outcome:?}");
    let raised = IndexOptions {
        max_memory_mb: Some(2048.0),
        ..IndexOptions::default()
    };
    let outcome = project.lattice().index(&raised, &|_, _| {}).unwrap();
    assert_eq!((outcome.limit, outcome.files_indexed), (None, 24));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = IndexOptions {
            max_memory_mb: Some(wrong),
            ..IndexOptions::default()
        };
        let error = project.lattice().index(&options, &|_, _| {}).unwrap_err();
        assert_eq!(error.code(), "INVALID_INPUT");
    }
}

#[test]
fn a_run_that_stops_resolving_keeps_edges_without_a_target() {
    let project = Project::new();
    for at in 0..20 {
        project.write(&format!("f{at}.js"), "function a() {}\nfunction b() { a() }\n");
    }
    project.index();
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    assert!(edges.iter().all(|edge| !text(edge, "calleeChunkId").is_empty()));
    fs::remove_dir_all(project.path(".forge")).unwrap();
    // Reading ends at 60 % of the time, so the index is either complete or reports what it left out.
    for micros in [100, 1000, 3000, 10_000, 30_000] {
        let options = IndexOptions {
            max_seconds: Some(f64::from(micros) / 1_000_000.0),
            ..IndexOptions::default()
        };
        let outcome = project.lattice().index(&options, &|_, _| {}).unwrap();
        let edges = read_lines(&project.lattice_file("edges.jsonl"));
        let is_whole = edges.len() == 20 && edges.iter().all(|edge| edge["calleeChunkId"].is_string());
        assert!(is_whole || outcome.limit.is_some(), "{outcome:?}");
    }
    assert_eq!(project.index().limit, None);
}

#[test]
fn an_index_of_another_program_is_used_only_on_request() {
    let project = Project::new();
    let chunk = |id: &str, name: &str| {
        format!(
            "{{\"filePath\":\"src/{name}.js\",\"language\":\"js\",\"kind\":\"function\",\"name\":\"{name}\",\"startByte\":0,\
             \"endByte\":9,\"startLine\":1,\"endLine\":1,\"contentHash\":\"sha256:00\",\"declares\":[],\"references\":[],\"id\":\"{id}\"}}\n"
        )
    };
    let chunks = [chunk("c1", "alpha"), chunk("c2", "beta"), chunk("c3", "beta")].concat();
    project.write(".forge/lattice/chunks.jsonl", format!("garbage\n{chunks}"));
    project.write(
        ".forge/lattice/edges.jsonl",
        "{\"callerChunkId\":\"c1\",\"calleeName\":\"beta\"}\n{\"callerChunkId\":\"c1\",\"calleeName\":\"gone\"}\n",
    );
    let home = tempfile::tempdir().unwrap();
    let lattice = || project.lattice().marked(home.path());
    let options = QueryOptions::default();
    assert_eq!(lattice().query(&options).unwrap().chunks.len(), 0);
    let mut foreign = lattice().accepting_foreign();
    assert_eq!(foreign.query(&options).unwrap().chunks.len(), 3);
    let seed = |name: &str| Seed {
        name: Some(name.into()),
        ..Seed::default()
    };
    let callees = foreign.callees(&seed("alpha")).unwrap();
    let names: Vec<&str> = callees.chunks.iter().map(|chunk| &*chunk.name).collect();
    assert_eq!(
        (names, callees.unresolved_names),
        (vec!["beta", "beta"], Some(vec!["gone".to_owned()]))
    );
    // A rewritten file is read again.
    project.write(".forge/lattice/chunks.jsonl", chunk("c4", "delta"));
    assert_eq!(foreign.query(&options).unwrap().chunks.len(), 1);
}

/// A project whose graph is too large to be read as a whole for one answer.
fn large() -> Project {
    let project = Project::new();
    for file in 0..12 {
        let functions: Vec<String> = (0..1000)
            .map(|at| {
                format!(
                    "/** Number {at} of {file}: {} */\nexport function f{file}x{at}() {{ f{file}x{}() }}",
                    "word ".repeat(60),
                    at / 2
                )
            })
            .collect();
        project.write(&format!("src/m{file}.js"), functions.join("\n"));
    }
    project.write(
        "src/top.js",
        "import { f3x7 } from './m3.js'\nexport function top() { f3x7(); gone() }\n",
    );
    project.index();
    project
}

type Asked = (String, String, String, String);

fn asked(project: &Project) -> Asked {
    let mut lattice = project.lattice();
    let seed = |name: &str| Seed {
        name: Some(name.to_owned()),
        ..Seed::default()
    };
    (
        format!("{:?}", lattice.callers(&seed("f3x7")).unwrap()),
        format!("{:?}", lattice.callers(&seed("gone")).unwrap()),
        format!("{:?}", lattice.callees(&seed("top")).unwrap()),
        format!("{:?}", lattice.blast(&seed("f3x7"), Direction::Both, None).unwrap()),
    )
}

#[test]
fn a_large_graph_answers_the_same_from_its_parts_as_from_the_whole_and_when_parts_are_damaged() {
    let project = large();
    let path = project.lattice_file("graph.bin");
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 4 * 1024 * 1024, "{}", bytes.len());
    let expected = asked(&project);
    assert!(
        expected.0.contains("3 call f3x7") && expected.0.contains("\"top\""),
        "{}",
        expected.0
    );
    assert!(
        expected.1.contains("not defined in this project; 1 call gone"),
        "{}",
        expected.1
    );
    let whole = || {
        let mut lattice = project.lattice();
        lattice.query(&Default::default()).unwrap();
        format!(
            "{:?}",
            lattice
                .callers(&Seed {
                    name: Some("f3x7".to_owned()),
                    ..Seed::default()
                })
                .unwrap()
        )
    };
    assert_eq!(whole(), expected.0, "after a search the graph is in memory");
    // Everything behind the header in one kind of damage after the other; the lines are whole.
    for damage in 0..12 {
        let mut damaged = bytes.clone();
        match damage {
            0 => damaged.truncate(bytes.len() / 2),
            1 => damaged[400..].fill(0),
            _ => {
                let at = 400 + (bytes.len() - 401) / 12 * damage;
                damaged[at..at + 4096].iter_mut().for_each(|byte| *byte ^= 0x55);
            }
        }
        fs::write(&path, &damaged).unwrap();
        assert_eq!(asked(&project), expected, "damage {damage}");
    }
}
