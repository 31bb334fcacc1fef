//! The program as hosts start it. What it answers is tested with the hosts' payloads, by `__test__/hook-program.spec.mjs`.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Starts the program in an empty folder with a payload, as a user without a memory.
fn call(args: &[&str], payload: &str) -> Output {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let mut child = Command::new(env!("CARGO_BIN_EXE_forge-memory-hook"))
        .args(args)
        .current_dir(folder)
        .env("FORGE_HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read it has ended before.
    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn it_says_its_version() {
    let Output { status, stdout, .. } = call(&["--version"], "");
    assert!(status.success());
    assert_eq!(String::from_utf8_lossy(&stdout).trim(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn it_ends_well_without_an_answer_to_what_is_no_payload() {
    for args in [
        &[][..],
        &["SessionStart"],
        &["no such task"],
        &["--host=../x"],
        &["a", "b", "c"],
    ] {
        for payload in ["", "{", "null", "[1]", "{\"cwd\":1}"] {
            let Output { status, stdout, .. } = call(args, payload);
            assert!(status.success() && stdout.is_empty(), "{args:?} {payload}");
        }
    }
}
