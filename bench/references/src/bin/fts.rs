//! SQLite FTS5 (bundled SQLite), the way an application would use it: an external-content table kept current by a trigger,
//! write-ahead log, `synchronous = NORMAL`, BM25 ranking.
//!
//! ```text
//! fts build  --db FILE --corpus FILE                              all lessons in one transaction
//! fts insert --db FILE --fresh FILE --skip K --count N            one transaction a lesson, each timed
//! fts query  --db FILE --queries FILE [--passes N] [--answers FILE]
//! ```
//! A query is an OR of its words and asks for the ten best. Only row ids and scores are fetched, not the texts: the
//! reference is given this advantage. Mapping the file, a 256 MiB page cache and one long read transaction were tried: no
//! difference.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use forge_memory_references::{Lesson, Outcome, Query, Times, option, read_lessons, read_queries, required};
use rusqlite::{Connection, Statement, params};
use serde_json::json;

const SCHEMA: &str = "
    CREATE TABLE lesson(id INTEGER PRIMARY KEY, type TEXT NOT NULL, content TEXT NOT NULL);
    CREATE VIRTUAL TABLE words USING fts5(
        content, content='lesson', content_rowid='id', tokenize=\"unicode61 tokenchars '_'\");
    CREATE TRIGGER lesson_added AFTER INSERT ON lesson BEGIN
        INSERT INTO words(rowid, content) VALUES (new.id, new.content);
    END;";
const INSERT: &str = "INSERT INTO lesson(type, content) VALUES (?, ?)";
const SEARCH: &str = "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10";

fn main() -> Outcome<()> {
    let report = match std::env::args().nth(1).as_deref() {
        Some("build") => build()?,
        Some("insert") => insert()?,
        Some("query") => query()?,
        _ => return Err("the first argument is build, insert or query".into()),
    };
    println!("{report}");
    Ok(())
}

fn open(path: &str) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn build() -> Outcome<serde_json::Value> {
    let path = required("db")?;
    let lessons = read_lessons(&required("corpus")?)?;
    for ending in ["", "-wal", "-shm"] {
        // Not there is fine; a file that cannot be removed shows itself at the next step.
        let _ = fs::remove_file(format!("{path}{ending}"));
    }
    let mut connection = open(&path)?;
    connection.execute_batch(SCHEMA)?;
    let start = Instant::now();
    let transaction = connection.transaction()?;
    insert_all(&transaction, &lessons)?;
    transaction.commit()?;
    let seconds = start.elapsed().as_secs_f64();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(json!({ "lessons": lessons.len(), "seconds": seconds, "bytes": fs::metadata(&path)?.len() }))
}

fn insert_all(connection: &Connection, lessons: &[Lesson]) -> Outcome<()> {
    let mut statement = connection.prepare(INSERT)?;
    for lesson in lessons {
        statement.execute(params![lesson.kind, lesson.content])?;
    }
    Ok(())
}

fn insert() -> Outcome<serde_json::Value> {
    let connection = open(&required("db")?)?;
    let fresh = read_lessons(&required("fresh")?)?;
    let (skip, count) = (required("skip")?.parse()?, required("count")?.parse()?);
    let mut statement = connection.prepare(INSERT)?;
    let mut times = Times::default();
    for lesson in fresh.iter().skip(skip).take(count) {
        times.measure(|| statement.execute(params![lesson.kind, lesson.content]))?;
    }
    Ok(json!(times.summary()))
}

fn query() -> Outcome<serde_json::Value> {
    let connection = open(&required("db")?)?;
    let queries = read_queries(&required("queries")?)?;
    let passes: usize = option("passes").map_or(Ok(1), |text| text.parse())?;
    let mut statement = connection.prepare(SEARCH)?;
    // The first pass fills the caches and is not timed.
    let answers = queries
        .iter()
        .map(|query| search(&mut statement, query))
        .collect::<Outcome<Vec<_>>>()?;
    if let Some(path) = option("answers") {
        fs::write(path, serde_json::to_string(&answers)?)?;
    }
    let mut times: BTreeMap<&str, Times> = BTreeMap::new();
    for _ in 0..passes {
        for query in &queries {
            times
                .entry(&query.kind)
                .or_default()
                .measure(|| search(&mut statement, query))?;
        }
    }
    let summaries: BTreeMap<_, _> = times.into_iter().map(|(kind, times)| (kind, times.summary())).collect();
    Ok(json!(summaries))
}

/// The positions of the ten best lessons. Row ids count from one, positions from zero.
fn search(statement: &mut Statement<'_>, query: &Query) -> Outcome<Vec<i64>> {
    let words: Vec<String> = query.text.split(' ').map(|word| format!("\"{word}\"")).collect();
    let rows = statement.query_map([words.join(" OR ")], |row| row.get::<_, i64>(0))?;
    Ok(rows.map(|row| row.map(|id| id - 1)).collect::<Result<_, _>>()?)
}
