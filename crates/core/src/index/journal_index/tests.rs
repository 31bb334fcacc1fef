//! Damaged indexes: damaged files, which the checksums detect, and damaged bytes with valid checksums, as an attacker could forge them.

use std::fs;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{JournalIndex, LoadedSegment};
use crate::index::catalog::{Catalog, build_range};
use crate::index::contested::find_contested;
use crate::index::dedup::find_duplicate;
use crate::index::entry::{Entry, Family};
use crate::index::segment::{HEADER_BYTES, SECTIONS, Section, Segment, seal_header};
use crate::index::{Filter, Plan, Windows, forgiving_words};
use crate::journal::{Journal, OsDisk};
use crate::model::thought::{Fields, LineKind, id_hash, read_line};
use crate::text::tag_term;

const NOW: i64 = 1_800_000_000_000;
const THRESHOLD: f64 = 0.9;

/// Records of two types: one is forgotten, one confirmed, one edited, one retired, and one occurs twice.
fn journal_text() -> String {
    let record = |id: &str, kind: &str, content: &str, more: &str| {
        let about = r#""project":"shop","source":"test","createdBy":"tester","confidence":0.7"#;
        let text = serde_json::Value::from(content);
        format!(
            r#"{{"_v":1,"id":"{id}","type":"{kind}","content":{text},{about},"tags":["store"],"capturedAt":"2025-11-20T10:00:00.000Z"{more}}}"#
        )
    };
    let at = r#""at":"2026-01-01T00:00:00.000Z""#;
    let long = "the checkout retries a failed payment twice before the queue gives it up for good";
    [
        record("mem_1", "lesson", "The server listens on port 8080 of the host", ""),
        record("mem_2", "convention", &format!("{long} {long}"), ""),
        record("mem_3", "lesson", "Über resumed caches: the cache of the warehouse", ""),
        format!(r#"{{"_v":1,"_action":"delete","id":"mem_3",{at}}}"#),
        format!(r#"{{"_v":1,"_action":"confirm","id":"mem_2",{at}}}"#),
        record(
            "mem_4",
            "lesson",
            "The server listens on port 9090 of the host",
            r#","supersedes":"mem_1""#,
        ),
        record("mem_2", "convention", &format!("{long} {long}"), ""),
        record("mem_5", "lesson", "Warehouses keep their shelves in the cache", ""),
        format!(r#"{{"_v":1,"_action":"retire","id":"mem_5","by":"mem_4",{at}}}"#),
        format!(r#"{{"_v":1,"_action":"delete","id":"mem_of_another_part",{at}}}"#),
        String::new(),
    ]
    .join("\n")
}

struct Fixture {
    folder: tempfile::TempDir,
    journal: Journal,
    text: String,
    /// Records to look up, with their index entries: those of the journal, and some near duplicates of them.
    records: Vec<(String, Entry)>,
}

fn read_record(line: &str) -> Option<Fields<'_>> {
    match read_line(line.as_bytes()) {
        LineKind::Record(fields) => Some(fields),
        _ => None,
    }
}

fn records_of(text: &str) -> Vec<(String, Entry)> {
    let own = text.lines().map(str::to_owned);
    let near = text.lines().map(|line| line.replace(" of the ", " of our "));
    let entry_of = |line: String| {
        let mut entry = Entry::default();
        entry.take_words(&read_record(&line)?, Family::Thoughts);
        Some((line, entry))
    };
    own.chain(near).filter_map(entry_of).collect()
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, text) = (folder.path().join("memory.jsonl"), journal_text());
        fs::write(&path, &text).unwrap();
        let mut journal = Journal::new(Arc::new(OsDisk), path, folder.path().join("lock"));
        journal.look().unwrap();
        let records = records_of(&text);
        Fixture {
            folder,
            journal,
            text,
            records,
        }
    }

    fn catalog(&self) -> Catalog {
        let folder = self.folder.path();
        Catalog::new(Arc::new(OsDisk), folder.join("index"), folder.join("index-lock"))
    }

    /// Opens the index from its files.
    fn open(&mut self) -> JournalIndex {
        let mut index = JournalIndex::new(Family::Thoughts, THRESHOLD, Some(self.catalog()));
        index.refresh(&mut self.journal).unwrap();
        index
    }

    /// Returns the bytes of a segment with all records.
    fn segment(&self) -> Vec<u8> {
        let file = self.journal.disk().open_read(self.journal.path()).unwrap();
        let end = self.text.len() as u64;
        let (builder, upto) = build_range(file.as_ref(), Family::Thoughts, &[], 0, end).unwrap();
        assert_eq!(upto, end);
        builder.finish(THRESHOLD)
    }

    /// Returns an index of two segments with these bytes; `None` when they are not a segment.
    fn index_of(&self, bytes: &[u8]) -> Option<JournalIndex> {
        let mut index = JournalIndex::new(Family::Thoughts, THRESHOLD, None);
        for _ in 0..2 {
            let segment = Segment::from_bytes(bytes.to_vec())?;
            let end = self.text.len() as u64;
            index.segments.push(LoadedSegment::in_memory(segment, end));
        }
        index.apply_segment_mutations(0);
        Some(index)
    }

    /// Runs every kind of query and returns the answers as texts.
    fn ask(&self, index: &JournalIndex) -> Vec<String> {
        let mut answers = search(index, "server caches port warehuose cachet");
        for (line, entry) in &self.records {
            let fields = read_record(line).unwrap();
            let place = index.find_id(entry.id);
            let state = place.map(|place| index.gone_and_confirmed(place));
            let found = find_duplicate(index, &self.journal, entry, &fields, THRESHOLD, NOW).unwrap();
            let contested = find_contested(index, &self.journal, entry, &fields.text, NOW).unwrap();
            answers.push(format!("{place:?} {state:?} {found:?} {contested:?}"));
        }
        answers
    }
}

fn search(index: &JournalIndex, query: &str) -> Vec<String> {
    let filters = [
        Filter {
            now: NOW,
            ..Filter::default()
        },
        Filter {
            now: NOW,
            kinds: vec!["lesson".into()],
            tags: vec![tag_term("store")],
            min_confidence: 0.1,
            include_expired: true,
            at: Some(NOW),
            ..Filter::default()
        },
    ];
    let (indexes, mut windows) = ([index], Windows::default());
    let (words, corrections) = forgiving_words(query, index.parts().as_slice());
    let mut answers = vec![format!("{corrections:?}")];
    let plan = Plan::new(&words, &indexes);
    for filter in filters {
        let mut seen = FxHashSet::default();
        plan.each_match(&indexes, &filter, &mut windows, |_, part, doc| {
            seen.insert(part.exact(doc));
        });
        let best = plan.best(&indexes, &filter, 3, &mut windows);
        let newest = plan.newest(&indexes, |_| (), &filter, 3);
        answers.push(format!("{} {best:?} {newest:?}", seen.len()));
    }
    answers
}

/// The values by which a byte is replaced.
fn damages_of(byte: u8) -> FxHashSet<u8> {
    [byte ^ 1, !byte, 0xff]
        .into_iter()
        .filter(|other| *other != byte)
        .collect()
}

/// The position of a section's offset and length.
fn entry_of(section: usize) -> std::ops::Range<usize> {
    let at = HEADER_BYTES + section * 16;
    at..at + 16
}

fn section_of(bytes: &[u8], section: usize) -> std::ops::Range<usize> {
    let words: Vec<usize> = bytes[entry_of(section)]
        .chunks(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()) as usize)
        .collect();
    words[0]..words[0] + words[1]
}

#[test]
fn no_changed_byte_of_a_segment_makes_a_query_panic() {
    let fixture = Fixture::new();
    let whole = fixture.segment();
    fixture.ask(&fixture.index_of(&whole).unwrap());
    for at in 0..whole.len() {
        for byte in damages_of(whole[at]) {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            seal_header(&mut damaged[..HEADER_BYTES + SECTIONS * 16]);
            if let Some(index) = fixture.index_of(&damaged) {
                fixture.ask(&index);
            }
        }
    }
}

#[test]
fn no_truncated_or_filled_section_makes_a_query_panic() {
    let fixture = Fixture::new();
    let whole = fixture.segment();
    for section in 0..SECTIONS {
        let range = section_of(&whole, section);
        assert!(
            !range.is_empty(),
            "section {section} is empty: nothing of it is damaged"
        );
        let mut damages = Vec::new();
        for len in 0..range.len() {
            let mut cut = whole.clone();
            cut[entry_of(section)][8..].copy_from_slice(&(len as u64).to_le_bytes());
            damages.push(cut);
        }
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut filled = whole.clone();
            filled[range.clone()].fill(byte);
            damages.push(filled);
        }
        for mut damaged in damages {
            seal_header(&mut damaged[..HEADER_BYTES + SECTIONS * 16]);
            if let Some(index) = fixture.index_of(&damaged) {
                fixture.ask(&index);
            }
        }
    }
    assert_eq!(Section::Session as usize, SECTIONS - 1, "all sections were damaged");
}

#[test]
fn files_of_an_index_that_are_damaged_or_cut_anywhere_change_no_answer() {
    let mut fixture = Fixture::new();
    let expected = {
        let index = fixture.open();
        index
            .job(&fixture.journal, fixture.text.len() as u64)
            .unwrap()
            .run()
            .unwrap();
        let index = fixture.open();
        assert_eq!(index.segments.len(), 1);
        fixture.ask(&index)
    };
    let folder = fixture.folder.path().join("index");
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 2, "a segment and the manifest");
    for path in files {
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            for (what, bytes) in [("changed", damaged.as_slice()), ("cut", &whole[..at])] {
                fs::write(&path, bytes).unwrap();
                let mut index = fixture.open();
                let mut answers = fixture.ask(&index);
                while index.is_damaged() {
                    index.refresh(&mut fixture.journal).unwrap();
                    answers = fixture.ask(&index);
                }
                assert_eq!(answers, expected, "{} {what} at {at}", path.display());
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

/// Appends as many records to a journal that the earlier ones take more than `most` bytes.
fn bury(fixture: &Fixture, most: usize) {
    let line = fixture.text.lines().next().unwrap();
    let newer = (0..1 + most / line.len()).map(|n| line.replace("mem_1", &format!("mem_new_{n}")) + "\n");
    let last = r#"{"_v":1,"_action":"delete","id":"mem_new_0","at":"2026-01-01T00:00:00.000Z"}"#;
    let text = format!("{}{}{last}\n", fixture.text, newer.collect::<String>());
    fs::write(fixture.journal.path(), text).unwrap();
}

#[test]
fn a_search_in_a_hurry_knows_the_newest_and_a_capture_everything() {
    const MOST: usize = 64 << 10;
    let mut fixture = Fixture::new();
    bury(&fixture, 2 * MOST);
    let mut index = JournalIndex::new(Family::Thoughts, THRESHOLD, Some(fixture.catalog()));
    index.hurry(MOST as u64);
    let is_live = |index: &JournalIndex, id: &str| {
        let place = index.find_id(id_hash(id));
        place.is_some_and(|place| index.is_live(place, NOW))
    };
    let newest = format!("mem_new_{}", 2 * MOST / fixture.text.lines().next().unwrap().len());
    for _ in 0..2 {
        index.refresh(&mut fixture.journal).unwrap();
        assert!(is_live(&index, &newest) && index.find_id(id_hash("mem_2")).is_none());
        assert!(index.records() * 300 < MOST);
    }
    let state = fixture.journal.look().unwrap().unwrap();
    index.refresh_to(&fixture.journal, state).unwrap();
    assert!(is_live(&index, &newest) && is_live(&index, "mem_2") && !is_live(&index, "mem_new_0"));
    // With as much time as there is to read, a search knows everything at once; so it does once there is an index.
    for most in [10 * MOST as u64, MOST as u64] {
        let mut index = JournalIndex::new(Family::Thoughts, THRESHOLD, Some(fixture.catalog()));
        index.hurry(most);
        index.refresh(&mut fixture.journal).unwrap();
        assert!(is_live(&index, &newest) && is_live(&index, "mem_2"));
        index.whole_job(&fixture.journal).map(|job| job.run().unwrap());
    }
}
