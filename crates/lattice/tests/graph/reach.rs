//! Dense graphs of includes, re-exports and base types: every file is visited once, however many paths lead to it.

use std::time::{Duration, Instant};

use crate::support::{Project, read_lines, text};

/// Far more than a run takes on a busy machine, and far less than one that follows every path.
const HANG: Duration = Duration::from_secs(60);

/// Indexes, and fails when that takes as long as following every path does.
fn index(project: &Project) {
    let begin = Instant::now();
    project.index();
    assert!(begin.elapsed() < HANG, "{:?}", begin.elapsed());
}

/// Returns the targets of the calls of a name: `path name`.
fn targets(project: &Project, name: &str) -> Vec<String> {
    let chunks = read_lines(&project.lattice_file("chunks.jsonl"));
    let place = |id: &str| {
        let chunk = chunks.iter().find(|chunk| text(chunk, "id") == id).unwrap();
        format!("{} {}", text(chunk, "filePath"), text(chunk, "name"))
    };
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    let called = edges.iter().filter(|edge| text(edge, "calleeName") == name);
    let mut found: Vec<String> = called
        .filter(|edge| edge["calleeChunkId"].is_string())
        .map(|edge| place(text(edge, "calleeChunkId")))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn headers_that_include_each_other_are_visited_once() {
    let project = Project::new();
    for file in 0..40 {
        let includes: String = (0..40).map(|other| format!("#include \"h{other}.h\"\n")).collect();
        project.write(
            &format!("h{file}.h"),
            format!("{includes}int f{file}(void);\nstatic int g{file}(void) {{ return missing() + f{file}(); }}\n"),
        );
    }
    project.write(
        "far/deep.c",
        "int missing(void) { return 1; }\nint missing2(void) { return 1; }\n",
    );
    project.write("far/other.c", "int missing(void) { return 2; }\n");
    index(&project);
}

#[test]
fn modules_that_reexport_each_other_are_visited_once() {
    let project = Project::new();
    for file in 0..60 {
        let mut all: String = (0..60)
            .map(|other| format!("export * from './m{other}.js'\n"))
            .collect();
        all += &format!("export function f{file}() {{ return nowhere{file}() }}\n");
        project.write(&format!("m{file}.ts"), all);
    }
    project.write("far.ts", "export function nowhere1() { }\n");
    project.write(
        "use.ts",
        "import { f59, absent } from './m0.js'\nexport function run() { f59(); absent() }\n",
    );
    index(&project);
    assert_eq!(targets(&project, "f59"), ["m59.ts f59"]);
    assert_eq!(targets(&project, "absent"), Vec::<String>::new());
}

#[test]
fn renaming_reexports_in_a_cycle_end() {
    let project = Project::new();
    for file in 0..40 {
        let all: String = (0..40)
            .map(|other| format!("export {{ n{} as n{other} }} from './m{other}.js'\n", (other + 1) % 40))
            .collect();
        project.write(&format!("m{file}.ts"), all);
    }
    project.write(
        "use.ts",
        "import { n3 } from './m0.js'\nexport function run() { n3() }\n",
    );
    index(&project);
    assert_eq!(targets(&project, "n3"), Vec::<String>::new());
}

#[test]
fn a_chain_of_reexports_is_followed_to_its_end() {
    let project = Project::new();
    for file in 0..30 {
        project.write(&format!("m{file}.ts"), format!("export * from './m{}.js'\n", file + 1));
    }
    project.write("m30.ts", "export function end() { }\n");
    project.write(
        "use.ts",
        "import { end } from './m0.js'\nexport function run() { end() }\n",
    );
    project.index();
    assert_eq!(targets(&project, "end"), ["m30.ts end"]);
}

#[test]
fn types_that_extend_each_other_are_visited_once() {
    let project = Project::new();
    let all: Vec<String> = (0..40).map(|other| format!("C{other}")).collect();
    let mut source = String::new();
    for file in 0..40 {
        source += &format!(
            "class C{file}({}):\n    def m{file}(self):\n        self.nowhere()\n\n",
            all.join(", ")
        );
    }
    project.write("types.py", source);
    project.write("far.py", "class Far:\n    def nowhere(self):\n        pass\n");
    index(&project);
    assert_eq!(targets(&project, "nowhere"), Vec::<String>::new());
}
