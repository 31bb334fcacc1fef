//! Stores that somebody made to keep a reader busy for ever, to fill the memory, or to lead it elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::common::Home;
use forge_memory_journal::OsDisk;
use forge_memory_transcripts::{Agent, FORMATS, FileRead, Filter, read_database, read_file};
use rusqlite::Connection;

/// The limit for a hang.
const HANG: Duration = Duration::from_secs(60);

/// Rows without end.
const ENDLESS: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT";
/// Values of a gigabyte.
const HUGE: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 9) SELECT";

fn within_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, outcome) = channel();
    std::thread::spawn(move || done.send(work()));
    outcome.recv_timeout(HANG).unwrap()
}

fn read(agent: Agent, path: PathBuf) -> std::io::Result<FileRead> {
    let name = path.file_name().unwrap().to_owned();
    let format = FORMATS
        .iter()
        .find(|format| format.agent == agent && (format.accepts)(Path::new(&name)))
        .unwrap();
    within_time(move || {
        let root = path.parent().unwrap();
        read_file(format, (root, &path), &OsDisk, None, &|_| true, None)
    })
}

fn database(path: &Path, sql: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let store = Connection::open(path).unwrap();
    store.pragma_update(None, "synchronous", "OFF").unwrap();
    store.execute_batch(sql).unwrap();
}

/// The name of a table, its columns, and a row.
type Table = (&'static str, &'static str, &'static str);

/// Every store that is a database, with its tables.
const STORES: [(Agent, &str, &[Table]); 5] = [
    (
        Agent::Crush,
        "crush.db",
        &[
            ("sessions", "id,parent_session_id,title,created_at", "'s1',NULL,'T',1"),
            (
                "messages",
                "id,session_id,role,parts,created_at",
                "'1','s1','user','[]',1",
            ),
        ],
    ),
    (
        Agent::Zed,
        "threads.db",
        &[(
            "threads",
            "id,summary,updated_at,data_type,data",
            "'t','S','2026-08-01T00:00:00Z','json','{}'",
        )],
    ),
    (
        Agent::Goose,
        "sessions.db",
        &[
            ("sessions", "id,description,working_dir", "'s1','d','/w/demo'"),
            (
                "messages",
                "session_id,role,content_json,created_timestamp",
                "'s1','user','[]',1",
            ),
        ],
    ),
    (
        Agent::Opencode,
        "opencode.db",
        &[
            (
                "session",
                "id,parent_id,directory,title,time_created",
                "'s1',NULL,'/w/demo','T',1",
            ),
            (
                "message",
                "id,session_id,time_created,data",
                "'m1','s1',1,'{\"role\":\"user\"}'",
            ),
            ("part", "id,message_id,session_id,data", "'p1','m1','s1','{}'"),
        ],
    ),
    (
        Agent::Cursor,
        "state.vscdb",
        &[("cursorDiskKV", "key,value", "'composerData:c','{\"conversation\":[]}'")],
    ),
];

/// Returns the statements that make all tables, with `hostile` in the place of the one at `at`.
fn with_hostile(tables: &[(&str, &str, &str)], at: usize, hostile: impl Fn(&str, &str, &str) -> String) -> String {
    tables
        .iter()
        .enumerate()
        .map(|(index, (name, columns, row))| {
            if index == at {
                hostile(name, columns, row)
            } else {
                format!("CREATE TABLE {name}({columns}); INSERT INTO {name} VALUES({row});")
            }
        })
        .collect()
}

#[test]
fn views_in_the_place_of_tables_are_not_read() {
    let home = Home::new();
    for (agent, file, tables) in STORES {
        for at in 0..tables.len() {
            for (kind, query) in [("endless", ENDLESS), ("huge", HUGE)] {
                let path = home.path().join(format!("{kind}{at}")).join(file);
                let view = |name: &str, columns: &str, row: &str| {
                    let values = row.replacen(
                        "'",
                        if kind == "huge" {
                            "zeroblob(1000000000)||'"
                        } else {
                            "x||'"
                        },
                        1,
                    );
                    format!("CREATE VIEW {name}({columns}) AS {query} {values} FROM n;")
                };
                database(&path, &with_hostile(tables, at, view));
                if let Ok(read) = read(agent, path) {
                    assert_eq!(read.learned.candidates.len(), 0, "{agent:?}");
                }
            }
        }
    }
}

/// Makes what a column of a table computes huge once there is a row: SQLite computes it for the row that is inserted, too.
fn enlarged(table: &str) -> String {
    format!(
        "PRAGMA writable_schema=ON;
         UPDATE sqlite_schema SET sql=replace(sql,'zeroblob(1)','zeroblob(1000000000)') WHERE name='{table}';
         PRAGMA writable_schema=OFF;"
    )
}

#[test]
fn computed_columns_and_virtual_tables_are_not_read() {
    let home = Home::new();
    for (agent, file, tables) in STORES {
        for at in 0..tables.len() {
            let path = home.path().join(format!("computed{at}")).join(file);
            let computed = |name: &str, columns: &str, _: &str| {
                let (first, others) = columns.split_once(',').unwrap();
                let filler = "9,".repeat(others.split(',').count());
                let row = filler.trim_end_matches(',');
                format!(
                    "CREATE TABLE {name}({others}, {first} TEXT AS (zeroblob(1)||'') VIRTUAL);
                     INSERT INTO {name} VALUES({row});{}",
                    enlarged(name)
                )
            };
            database(&path, &with_hostile(tables, at, computed));
            if let Ok(read) = read(agent, path) {
                assert_eq!(read.learned.candidates.len(), 0, "{agent:?}");
            }
            let path = home.path().join(format!("virtual{at}")).join(file);
            let virtual_table = |name: &str, columns: &str, row: &str| {
                format!("CREATE VIRTUAL TABLE {name} USING fts5({columns}); INSERT INTO {name} VALUES({row});")
            };
            database(&path, &with_hostile(tables, at, virtual_table));
            if let Ok(read) = read(agent, path) {
                assert_eq!(read.learned.candidates.len(), 0, "{agent:?}");
            }
        }
    }
}

/// Overwrites pages with interior pages whose every cell points at the next one, so that a walk would visit 80^n leaves.
fn with_a_tree_that_repeats(path: &Path, root: usize, from: usize, levels: usize) {
    const PAGE: usize = 512;
    const CELLS: usize = 80;
    let mut bytes = fs::read(path).unwrap();
    let leaf = bytes[(root - 1) * PAGE..root * PAGE].to_vec();
    for level in 0..=levels {
        let number = if level == 0 { root } else { from + level - 1 };
        let page = &mut bytes[(number - 1) * PAGE..number * PAGE];
        if level == levels {
            page.copy_from_slice(&leaf);
            continue;
        }
        let next = u32::try_from(from + level).unwrap().to_be_bytes();
        let cell = PAGE - 5;
        page.fill(0);
        page[0] = 5;
        page[3..5].copy_from_slice(&u16::try_from(CELLS).unwrap().to_be_bytes());
        page[5..7].copy_from_slice(&u16::try_from(cell).unwrap().to_be_bytes());
        page[8..12].copy_from_slice(&next);
        for at in 0..CELLS {
            page[12 + 2 * at..14 + 2 * at].copy_from_slice(&u16::try_from(cell).unwrap().to_be_bytes());
        }
        page[cell..cell + 4].copy_from_slice(&next);
        page[cell + 4] = 1;
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_small_file_whose_tree_has_endless_rows_is_given_up() {
    let home = Home::new();
    let (agent, file, tables) = STORES[0];
    let path = home.path().join(file);
    let filler = format!(
        "CREATE TABLE filler(x); INSERT INTO filler VALUES(zeroblob({}));",
        512 * 14
    );
    database(
        &path,
        &format!(
            "PRAGMA page_size=512; {}{filler}",
            with_hostile(tables, 9, |_, _, _| String::new())
        ),
    );
    let store = Connection::open(&path).unwrap();
    let root_of = |name: &str| -> usize {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        store.query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap() as usize
    };
    let (root, filler) = (root_of("sessions"), root_of("filler"));
    drop(store);
    with_a_tree_that_repeats(&path, root, filler + 1, 12);
    let refused = read(agent, path).unwrap_err().to_string();
    assert!(refused.contains("interrupt"), "{refused}");
}

#[test]
fn an_import_of_claude_mem_reads_tables_only_and_ends() {
    let home = Home::new();
    for (kind, query) in [("endless", ENDLESS), ("huge", HUGE)] {
        let path = home.path().join(format!("{kind}.db"));
        let value = if kind == "huge" {
            "zeroblob(1000000000)||''"
        } else {
            "'a fact'"
        };
        database(
            &path,
            &format!(
                "CREATE VIEW observations(id,title,text) AS {query} x,{value},{value} FROM n;
                 CREATE TABLE session_summaries(id, request); INSERT INTO session_summaries VALUES(1,'Fix it');"
            ),
        );
        let reading = within_time(move || read_database(&path)).unwrap();
        assert_eq!(reading.records.len(), 1);
    }
    let path = home.path().join("computed.db");
    database(
        &path,
        &format!(
            "CREATE TABLE observations(id, text TEXT AS (zeroblob(1)||'') VIRTUAL); INSERT INTO observations VALUES(1);{}",
            enlarged("observations")
        ),
    );
    assert_eq!(within_time(move || read_database(&path)).unwrap_err().code(), "CORRUPT");
}

#[cfg(unix)]
#[test]
fn a_fifo_beside_a_database_and_a_link_in_its_place_are_refused() {
    use std::os::unix::fs::symlink;
    let (home, elsewhere) = (Home::new(), Home::new());
    let (agent, file, tables) = STORES[0];
    let whole = with_hostile(tables, 9, |_, _, _| String::new());
    for ending in ["-wal", "-journal", "-shm"] {
        let path = home.path().join(ending).join(file);
        database(&path, &format!("PRAGMA journal_mode=WAL; {whole}"));
        let beside = format!("{}{ending}", path.display());
        let made = std::process::Command::new("mkfifo").arg(&beside).status().unwrap();
        assert!(made.success());
        let refused = read(agent, path).unwrap_err().to_string();
        assert!(refused.contains("not a regular file"), "{refused}");
    }
    let theirs = elsewhere.path().join(file);
    database(&theirs, &whole);
    let project = home.path().join("work/demo");
    fs::create_dir_all(project.join(".crush")).unwrap();
    symlink(&theirs, project.join(".crush/crush.db")).unwrap();
    let list = serde_json::json!({"projects": [{"path": project, "data_dir": ".crush"}]});
    home.write(".local/share/crush/projects.json", list.to_string());
    let plan = home.plan(project.to_str().unwrap());
    assert_eq!(plan.read, 0);
    assert_eq!(plan.problems[0].reason, "is a link that leads out of its folder");
}

/// A zstd frame of blocks that each say "128 KiB of this byte" in four bytes.
fn bomb(bytes: usize) -> Vec<u8> {
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    while packed.len() < bytes {
        let block = (128_u32 << 10) << 3 | 1 << 1;
        packed.extend(&block.to_le_bytes()[..3]);
        packed.push(b'\n');
    }
    packed.extend([0x01, 0x00, 0x00]);
    packed
}

#[test]
fn six_archives_that_unpack_to_gigabytes_are_given_up_soon() {
    let home = Home::new();
    for number in 0..6 {
        let name = format!(".codex/sessions/2026/08/01/rollout-{number}.jsonl.zst");
        home.write(&name, bomb(356 << 10));
    }
    let plan = within_time(move || home.plan("/w/demo"));
    assert_eq!(plan.problems.len(), 6);
    assert!(
        plan.problems
            .iter()
            .all(|problem| problem.reason.contains("more than is unpacked"))
    );
}

#[test]
fn a_run_that_runs_out_of_time_says_so_and_the_next_one_continues() {
    let home = Home::new();
    for number in 0..3 {
        let line = format!(
            r#"{{"type":"user","uuid":"{number}","sessionId":"s{number}","cwd":"/w/demo","message":{{"role":"user","content":"from now on use tabs"}}}}"#
        );
        home.write(&format!(".claude/projects/p/{number}.jsonl"), line + "\n");
    }
    let filter = Filter {
        time_max: Some(Duration::ZERO),
        ..Filter::default()
    };
    let plan = home.plan_with("/w/demo", &filter);
    assert_eq!((plan.read, plan.findings.len()), (0, 0));
    let said: Vec<&str> = plan.problems.iter().map(|problem| problem.reason.as_str()).collect();
    assert_eq!(
        said,
        ["and 2 other files not read, because the time was up: the next run continues there"]
    );
    let plan = home.plan("/w/demo");
    assert_eq!((plan.read, plan.findings.len()), (3, 1));
}

#[test]
fn a_password_told_in_a_sentence_is_not_learned() {
    let home = Home::new();
    let line = r#"{"type":"user","uuid":"1","sessionId":"s","cwd":"/w/demo","message":{"role":"user","content":"remember: my password for staging is Tr0ub4dor&3"}}"#;
    home.write(".claude/projects/p/s.jsonl", format!("{line}\n"));
    let plan = home.plan("/w/demo");
    assert_eq!(plan.findings, []);
    assert_eq!(plan.secrets, 1);
    assert!(!format!("{plan:?}").contains("Tr0ub4dor"));
}
