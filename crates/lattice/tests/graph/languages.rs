//! Every language: the definitions and edges of its fixture, written by hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Project, read_lines, text};

/// The lines of `expected.txt`: definitions as `file kind name first-last`, edges as `caller -> callee how [kind]`.
fn expected(folder: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(folder.join("expected.txt")).unwrap();
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn found(project: &Project) -> BTreeSet<String> {
    let chunks = read_lines(&project.lattice_file("chunks.jsonl"));
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    let called = |id: &str| {
        let chunk = chunks.iter().find(|chunk| chunk["id"] == id).unwrap();
        match (text(chunk, "name"), text(chunk, "owner")) {
            ("", _) => text(chunk, "filePath").to_owned(),
            (name, "") => name.to_owned(),
            (name, owner) => format!("{owner}.{name}"),
        }
    };
    let mut lines: BTreeSet<String> = chunks
        .iter()
        .filter(|chunk| chunk["kind"] != "file")
        .map(|chunk| {
            let (path, kind) = (text(chunk, "filePath"), text(chunk, "kind"));
            format!(
                "{path} {kind} {} {}-{}",
                called(text(chunk, "id")),
                chunk["startLine"],
                chunk["endLine"]
            )
        })
        .collect();
    for edge in edges.iter().filter(|edge| edge["calleeChunkId"].is_string()) {
        let kind = match text(edge, "kind") {
            "call" => String::new(),
            kind => format!(" {kind}"),
        };
        let (from, to) = (called(text(edge, "callerChunkId")), called(text(edge, "calleeChunkId")));
        lines.insert(format!("{from} -> {to} {}{kind}", text(edge, "resolved")));
    }
    lines
}

#[test]
fn every_language_finds_exactly_what_its_fixture_defines_and_calls() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lattice/tests/data");
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(data).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("expected.txt").is_file() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let project = Project::copy_of(&folder);
        fs::remove_file(project.path("expected.txt")).unwrap();
        project.index();
        let (expected, found) = (expected(&folder), found(&project));
        wrong.extend(
            expected
                .difference(&found)
                .map(|line| format!("{name}: missing  {line}")),
        );
        wrong.extend(
            found
                .difference(&expected)
                .map(|line| format!("{name}: too much {line}")),
        );
        names.insert(name);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    let known: BTreeSet<String> = forge_memory_lattice::language::all()
        .iter()
        .map(|l| l.name.to_owned())
        .collect();
    assert_eq!(names, known, "every language has a fixture");
}

#[test]
fn ranges_are_byte_offsets_and_hashes_match_their_bytes() {
    use sha2::{Digest, Sha256};
    let project = Project::new();
    project.write(
        "a.js",
        "const é = '教訓'\n// 🙂\nexport function naïve() { return é }\nclass Ü { m() { naïve() } }\n",
    );
    project.index();
    let source = fs::read(project.path("a.js")).unwrap();
    let chunks = read_lines(&project.lattice_file("chunks.jsonl"));
    assert_eq!(chunks.len(), 4);
    for chunk in &chunks {
        let range = chunk["startByte"].as_u64().unwrap() as usize..chunk["endByte"].as_u64().unwrap() as usize;
        let hash: String = Sha256::digest(&source[range.clone()])
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(text(chunk, "contentHash"), format!("sha256:{hash}"));
        let said = std::str::from_utf8(&source[range]).unwrap();
        assert!(said.contains(text(chunk, "name")), "{said}");
    }
    let function = chunks.iter().find(|chunk| chunk["name"] == "naïve").unwrap();
    assert_eq!(text(function, "signature"), "export function naïve()");
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    let call = edges.iter().find(|edge| edge["calleeName"] == "naïve").unwrap();
    let range = call["startByte"].as_u64().unwrap() as usize..call["endByte"].as_u64().unwrap() as usize;
    assert_eq!(&source[range], "naïve()".as_bytes());
    assert_eq!(call["line"], 4);
}
