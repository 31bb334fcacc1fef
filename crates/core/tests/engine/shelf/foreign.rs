//! What other programs do to a journal: editors, git, older tools, crashes.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use forge_memory_core::clock::{DAY_MS, Millis, format_iso};

use crate::common::dice::Dice;

/// Words of which everything is made: few, so that much is alike.
const WORDS: [&str; 24] = [
    "pool",
    "cache",
    "queue",
    "retry",
    "token",
    "index",
    "schema",
    "flush",
    "always",
    "never",
    "before",
    "after",
    "Größe",
    "кэш",
    "数据库",
    "close",
    "open",
    "migrate",
    "lint",
    "deploy",
    "rollback",
    "fixture",
    "timeout",
    "HTTPServer",
];
pub const KINDS: [&str; 3] = ["lesson", "gotcha", "insight"];

pub fn sentence(dice: &mut Dice) -> String {
    let words: Vec<&str> = (0..2 + dice.roll(7)).map(|_| dice.pick(&WORDS)).collect();
    words.join(" ")
}

/// Returns a record as another tool may have written it.
pub fn record(dice: &mut Dice, id: Option<&str>, now: Millis) -> String {
    let text = sentence(dice);
    let at = format_iso(now - dice.roll(100) as Millis * DAY_MS);
    let id = id.map(|id| format!("\"id\":\"{id}\",")).unwrap_or_default();
    let expires = match dice.roll(4) {
        0 => format!(
            ",\"expiresAt\":\"{}\"",
            format_iso(now + (dice.roll(60) as Millis - 20) * DAY_MS)
        ),
        _ => String::new(),
    };
    let kind = dice.pick(&KINDS);
    match dice.roll(5) {
        // As we write it, as the older tools write it, with a field of a wrong type, and with odd white space.
        0 => format!(
            "{{\"_v\":1,{id}\"content\":\"{text}\",\"project\":\"shop\",\"type\":\"{kind}\",\"captured_at\":\"{at}\"{expires},\"tags\":[\"a\"],\"confidence\":0.5}}"
        ),
        1 => format!("{{{id}\"timestamp\":\"{at}\",\"pattern\":\"{text}\",\"category\":\"{kind}\",\"confidence\":0}}"),
        2 => format!(
            "{{{id}\"content\":\"{text}\",\"project\":\"shop\",\"type\":\"{kind}\",\"captured_at\":\"{at}\",\"tags\":[1,\"b\"],\"confidence\":\"high\"{expires}}}"
        ),
        3 => format!(
            " {{ {id} \"content\" : \"{text}\" , \"project\" : \"shop\" , \"type\" : \"{kind}\" , \"captured_at\" : \"{at}\" }}\t"
        ),
        _ => format!(
            "{{\"_v\":1,{id}\"content\":\"{text}\",\"project\":\"shop\",\"type\":\"{kind}\",\"source\":\"t\",\"captured_at\":\"{at}\"{expires}}}"
        ),
    }
}

pub fn tombstone(id: &str, now: Millis) -> String {
    format!(
        "{{\"_v\":1,\"_action\":\"delete\",\"id\":\"{id}\",\"at\":\"{}\"}}",
        format_iso(now)
    )
}

pub fn confirmation(id: &str, now: Millis) -> String {
    format!(
        "{{\"_v\":1,\"_action\":\"confirm\",\"id\":\"{id}\",\"source\":\"t\",\"at\":\"{}\"}}",
        format_iso(now)
    )
}

pub fn garbage(dice: &mut Dice) -> Vec<u8> {
    dice.pick(&[
        &b"\n"[..],
        b"\r\n\r\n",
        b"null\n",
        b"{\"content\":\"torn in the mid\n",
        b"<<<<<<< HEAD\n=======\n>>>>>>> theirs\n",
        b"{\"content\":\"\xff\xfe no utf-8\"}\n",
        b"\x00\x00\x00\x00\n",
        b"{}\n",
        b"{\"_action\":\"paint\",\"id\":\"x\"}\n",
        b"\xef\xbb\xbf{\"content\":\"a mark in the middle\"}\n",
        b"[1,2]\n42\n",
    ])
    .to_vec()
}

pub fn append(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// Writes other bytes into the same file, as an editor does that keeps the file; its time is `now`.
pub fn rewrite_in_place(path: &Path, bytes: &[u8], now: Millis) {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
    touch(&file, now);
}

/// Puts another file in its place, as an editor does that makes backups, or git.
pub fn replace(path: &Path, bytes: &[u8]) {
    let other = path.with_extension("new");
    fs::write(&other, bytes).unwrap();
    fs::rename(&other, path).unwrap();
}

pub fn truncate(path: &Path, len: u64, now: Millis) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(len).unwrap();
    touch(&file, now);
}

/// Nobody edits by hand within the same tick of the clock.
fn touch(file: &File, now: Millis) {
    let at = UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap() + 60_000);
    file.set_modified(at).unwrap();
}
