//! Import in four phases: read the whole source, decide about each record, write, then read back and verify every record.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::projects::{SourceProject, choose, undecided};
use super::read::{Incoming, ReadDatabase, Reading, read, shared};
use crate::clock::{Millis, format_iso};
use crate::engine::destinations::Destinations;
use crate::engine::writer::commit;
use crate::error::Result;
use crate::index::dedup::{find_exact_duplicate, find_under_names};
use crate::index::{Entry, Stores};
use crate::journal::each_line;
use crate::judgement::decide::{Line, Told};
use crate::model::author::Author;
use crate::model::canonical::record_hash;
use crate::model::compose::{stamp, stamp_pattern};
use crate::model::encode::text_of;
use crate::model::hallmark::{Origin, Standing, verify_line};
use crate::model::input::check_facts;
use crate::model::limits::{BODY_BYTES_MAX, NAME_BYTES_MAX, PATTERN_BYTES_MAX, TAGS_MAX, check_kind, check_name};
use crate::model::scope::Scope;
use crate::model::thought::{
    ActionKind, CATEGORIES, DEFAULT_CONFIDENCE, FORMAT_VERSION, LineKind, Pattern, Ruling, Thought, check_source,
    expiry_of, id_hash, read_line,
};
use crate::outbox::QueueLine;
use crate::outbox::queue::marked;
use crate::project::Project;
use crate::project::layout::{CAPTURES_FILE, PATTERNS_FILE};
use crate::text::fold;
use crate::text::lines::head;
use crate::upkeep::progress::Progress;

/// How to import.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ImportOptions {
    /// True if records are only counted.
    pub dry_run: bool,
    /// The project whose records are taken from a source with several; `*` for all. When absent, this project, under any of its names.
    pub source_project: Option<String>,
    /// Reads databases of other tools; without it they are refused.
    #[serde(skip)]
    pub read_database: Option<ReadDatabase>,
}

/// `read` is the sum of `imported`, `duplicates` and `lost`; with `dryRun`, `imported` is how many would be imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ImportOutcome")]
pub struct ImportReport {
    /// `forge-memory`, `jsonl`, `forge`, `server-memory`, `aiwg`, `basic-memory`, `claude-mem`, `openbrain.db` or `shared store`.
    pub format: &'static str,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Records of the source that are considered.
    pub read: u64,
    /// Records that are new here.
    pub imported: u64,
    /// Records that exist here, or occur twice in the source.
    pub duplicates: u64,
    /// The number of records that were written but were not found afterwards, by their hash.
    pub lost: u64,
    /// The number of records that the source itself has superseded or forgotten.
    pub retired: u64,
    /// The number of lines and rows of the source that are not records.
    pub unreadable: u64,
    /// Secrets that were redacted.
    pub redactions: u64,
    /// The number of rulings on them that are new here.
    pub rulings: u64,
    /// The number of records of other projects, which are left out.
    pub left_out: u64,
    /// The projects in the source.
    pub projects: Vec<SourceProject>,
    /// The ids of the records that were stored.
    pub ids: Vec<String>,
}

struct Ready {
    id: String,
    line: String,
    kind: String,
    is_pattern: bool,
}

pub(crate) struct Importer<'m> {
    project: &'m mut Project,
    stores: &'m mut Stores,
    destinations: &'m mut Destinations,
}

impl<'m> Importer<'m> {
    /// Returns an importer.
    pub fn new(project: &'m mut Project, stores: &'m mut Stores, destinations: &'m mut Destinations) -> Self {
        Importer {
            project,
            stores,
            destinations,
        }
    }

    /// Imports a file or a folder of another store.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the source has several projects and none is chosen, unless nothing is to be written,
    /// `CORRUPT` when the source is damaged or cut off, `UNSUPPORTED` when its format is unknown, `IO`, `LOCKED`. The
    /// source is read completely before the first record is written; after a failure another run imports the rest.
    pub fn import(self, path: &Path, options: &ImportOptions, progress: &Progress) -> Result<ImportReport> {
        let reading = read(self.project.layout.disk().as_ref(), path, options.read_database)?;
        self.take(reading, options, progress)
    }

    /// Imports lines of a shared store: records as they were delivered, and their rulings.
    pub fn import_shared(self, lines: &str, options: &ImportOptions, progress: &Progress) -> Result<ImportReport> {
        self.take(shared::read(lines), options, progress)
    }

    fn take(mut self, mut reading: Reading, options: &ImportOptions, progress: &Progress) -> Result<ImportReport> {
        let rulings = std::mem::take(&mut reading.rulings);
        let now = self.project.now();
        let wanted = options.source_project.as_deref();
        let chosen = choose(reading.records, wanted, self.project.names())?;
        if chosen.is_open && !options.dry_run {
            return Err(undecided(&chosen.projects));
        }
        reading.records = chosen.records;
        let mut report = ImportReport {
            format: reading.format,
            dry_run: options.dry_run,
            retired: reading.retired,
            unreadable: reading.unreadable,
            left_out: chosen.left_out,
            projects: chosen.projects,
            ..ImportReport::default()
        };
        let records = self.prepare(reading, now, &mut report)?;
        progress.begin(records.len() as u64);
        let _locks = if options.dry_run {
            None
        } else {
            Some((
                self.project.layout.capture_lock().guard()?,
                self.stores.project_patterns.journal.guard()?,
            ))
        };
        let fresh = self.only_new(records, now, &mut report, progress)?;
        report.imported = fresh.len() as u64;
        let rulings = self.only_unsaid(rulings, &fresh)?;
        report.rulings = rulings.len() as u64;
        if options.dry_run || (fresh.is_empty() && rulings.is_empty()) {
            return Ok(report);
        }
        self.project.ensure_gitignore(true)?;
        let mut entry = Entry::default();
        for record in &fresh {
            self.write_imported(record, &mut entry, now)?;
            progress.advance(1);
        }
        if !rulings.is_empty() {
            let (mut held, index) = self.stores.captures.hold(now)?;
            let lines: Vec<Line> = rulings
                .into_iter()
                .map(|ruling| Line::Ruling(ruling, Told::Nobody))
                .collect();
            commit((&mut held, index), &lines, None, Some(&self.project.marks), now)?;
        }
        report.ids = fresh.iter().map(|record| record.id.clone()).collect();
        report.lost = self.count_lost(&fresh)?;
        report.imported -= report.lost;
        let fields = format!(
            "\"format\":\"{}\",\"read\":{},\"imported\":{},\"duplicates\":{}",
            report.format, report.read, report.imported, report.duplicates
        );
        // The records are stored; a program that misses the event reads the files.
        let _ = self.destinations.publish("memory-imported", &fields, now);
        Ok(report)
    }

    fn prepare(&self, reading: Reading, now: Millis, report: &mut ImportReport) -> Result<Vec<Ready>> {
        let mut ready = Vec::with_capacity(reading.records.len());
        for incoming in reading.records {
            let parts = split_long(incoming);
            report.read += parts.len() as u64;
            for part in parts {
                ready.push(self.prepare_one(part, reading.format, now, report)?);
            }
        }
        Ok(ready)
    }

    fn prepare_one(
        &self,
        mut incoming: Incoming,
        format: &str,
        now: Millis,
        report: &mut ImportReport,
    ) -> Result<Ready> {
        if let Some(mut record) = incoming.own.take() {
            let redactions = if self.project.config().settings.redact {
                crate::model::scrub::redact_record(&mut record)
            } else {
                0
            };
            let line = record.to_string();
            let untouched = verify_line(line.as_bytes(), None).standing == Standing::Intact;
            if let Some(id) = incoming.id.clone().filter(|_| untouched) {
                report.redactions += redactions;
                return Ok(Ready {
                    id,
                    line,
                    kind: incoming.kind,
                    is_pattern: incoming.is_pattern,
                });
            }
            // The text was edited after the export: that is a revision of the record.
            incoming.supersedes = incoming.id.take();
        }
        let mut redactor = self.project.redactor();
        let id = incoming.id.take().unwrap_or_else(|| {
            let key = format!("{format}\0{}\0{}", incoming.key, incoming.text);
            format!("mem_{:032x}", xxh3_128(key.as_bytes()))
        });
        let plain = Incoming {
            text: redactor.text(incoming.text),
            tags: clean_tags(incoming.tags.into_iter().map(|tag| redactor.text(tag)).collect()),
            kind: redactor.text(incoming.kind),
            project: incoming.project.map(|name| redactor.text(name)),
            source: incoming.source.map(|source| redactor.text(source)),
            facts: check_facts(redactor.facts(incoming.facts)).unwrap_or_default(),
            ..incoming
        };
        report.redactions += redactor.count as u64;
        if plain.is_pattern && CATEGORIES.contains(&plain.kind.as_str()) && plain.text.len() <= PATTERN_BYTES_MAX {
            pattern_of(plain, id, now)
        } else {
            self.thought_from(plain, id, format, now)
        }
    }

    fn thought_from(&self, incoming: Incoming, id: String, format: &str, now: Millis) -> Result<Ready> {
        let kind = clean_kind(&incoming.kind);
        let own_source = incoming.source.filter(|source| check_source(source).is_ok());
        let project = incoming.project.and_then(|name| check_name("project", name).ok());
        let mut thought = Thought {
            version: FORMAT_VERSION,
            id,
            content: incoming.text,
            project: project.unwrap_or_else(|| self.project.name()),
            source: own_source.unwrap_or_else(|| format!("import/{format}")),
            created_by: crate::model::thought::DEFAULT_CREATOR.to_owned(),
            captured_at: format_iso(incoming.at_ms.unwrap_or(now)),
            // Without a time in the source, the lifetime starts now.
            expires_at: incoming.expires_ms.or_else(|| expiry_of(&kind, now)).map(format_iso),
            tags: incoming.tags,
            confidence: clean_confidence(incoming.confidence),
            supersedes: incoming.supersedes,
            session: incoming.session,
            author: Some(Author::Import.name().to_owned()),
            kind,
            ..Thought::default()
        }
        .with_facts(incoming.facts);
        stamp(&mut thought, Some(&format!("import/{format}")), Origin::default());
        Ok(Ready {
            line: text_of(&thought)?,
            id: thought.id,
            kind: thought.kind,
            is_pattern: false,
        })
    }

    /// Drops records that exist here: by id, including forgotten ones, or by text.
    fn only_new(
        &mut self,
        records: Vec<Ready>,
        now: Millis,
        report: &mut ImportReport,
        progress: &Progress,
    ) -> Result<Vec<Ready>> {
        let mut ids: FxHashSet<u64> = FxHashSet::default();
        for name in [CAPTURES_FILE, PATTERNS_FILE] {
            let bytes = self.project.layout.read(name)?;
            for (_, line) in each_line(&bytes) {
                match read_line(line) {
                    LineKind::Record(fields) => ids.insert(id_hash(&fields.id)),
                    LineKind::Action(action) if action.kind == ActionKind::Delete => ids.insert(id_hash(&action.id)),
                    _ => false,
                };
            }
        }
        self.stores.refresh();
        // Many lookups: load the whole index first, and work without it when it is damaged.
        self.stores.make_sound();
        let mut texts: FxHashSet<(String, String, String)> = FxHashSet::default();
        let mut fresh = Vec::new();
        let mut entry = Entry::default();
        for record in records {
            let LineKind::Record(fields) = read_line(record.line.as_bytes()) else {
                report.lost += 1;
                continue;
            };
            let store = if record.is_pattern {
                &self.stores.project_patterns
            } else {
                &self.stores.captures
            };
            entry.take_identity(&fields, store.journal_index.family());
            let names = self.project.other_names(&fields.project);
            let dedup_key = (fields.kind.to_string(), fields.project.to_string(), fold(&fields.text));
            let known = !ids.insert(id_hash(&record.id))
                || !texts.insert(dedup_key)
                || (fields.supersedes.is_none()
                    && find_under_names(
                        &names,
                        &mut entry,
                        &fields,
                        store.journal_index.family(),
                        |entry, fields| find_exact_duplicate(&store.journal_index, &store.journal, entry, fields, now),
                    )?
                    .is_some());
            if known {
                report.duplicates += 1;
                progress.advance(1);
            } else {
                fresh.push(record);
            }
        }
        Ok(fresh)
    }

    /// Drops rulings that the raw log has, and those on records that it will not have.
    fn only_unsaid(&self, rulings: Vec<Ruling>, fresh: &[Ready]) -> Result<Vec<Ruling>> {
        if rulings.is_empty() {
            return Ok(rulings);
        }
        let bytes = self.project.layout.read(CAPTURES_FILE)?;
        let mut ids: FxHashSet<u64> = fresh.iter().map(|record| id_hash(&record.id)).collect();
        let mut said: FxHashSet<String> = FxHashSet::default();
        for (_, line) in each_line(&bytes) {
            match read_line(line) {
                LineKind::Record(fields) => drop(ids.insert(id_hash(&fields.id))),
                LineKind::Ruling(ruling) => drop(said.insert(ruling.line())),
                _ => {}
            }
        }
        let mut is_new = |ruling: &Ruling| ids.contains(&id_hash(&ruling.id)) && said.insert(ruling.line());
        Ok(rulings.into_iter().filter(|ruling| is_new(ruling)).collect())
    }

    fn write_imported(&mut self, record: &Ready, entry: &mut Entry, now: Millis) -> Result<()> {
        let LineKind::Record(fields) = read_line(record.line.as_bytes()) else {
            return Ok(());
        };
        let store = if record.is_pattern {
            self.stores.patterns_mut(Scope::Project)
        } else {
            &mut self.stores.captures
        };
        entry.take_words(&fields, store.journal_index.family());
        let line = match QueueLine::read(record.line.as_bytes()).filter(|_| !record.is_pattern) {
            Some(read) => {
                let own = read.record();
                marked(&own, self.project.marks.of_record(own.as_bytes()).ok().as_deref())
            }
            None => record.line.clone(),
        };
        let line = line + "\n";
        let (mut held, index) = store.hold(now)?;
        commit((&mut held, index), &[Line::Record], Some((&line, &*entry)), None, now)?;
        drop(held);
        if record.is_pattern {
            return Ok(());
        }
        self.destinations.append_to_type_file(&record.kind, line.as_bytes())?;
        self.destinations.queue.push_record(line.trim_end(), now)
    }

    /// Reads the files again and compares every record with the line that was to be written.
    fn count_lost(&self, fresh: &[Ready]) -> Result<u64> {
        let mut due: FxHashMap<&str, Option<String>> = fresh
            .iter()
            .map(|record| (record.id.as_str(), record_hash(record.line.as_bytes())))
            .collect();
        for name in [CAPTURES_FILE, PATTERNS_FILE] {
            let bytes = self.project.layout.read(name)?;
            for (_, line) in each_line(&bytes) {
                if let LineKind::Record(fields) = read_line(line)
                    && let Some(hash) = due.get(fields.id.as_ref())
                    && *hash == record_hash(line)
                {
                    due.remove(fields.id.as_ref());
                }
            }
        }
        Ok(due.len() as u64)
    }
}

/// Nothing is truncated: a text that is too long becomes several records.
fn split_long(incoming: Incoming) -> Vec<Incoming> {
    if incoming.text.len() <= BODY_BYTES_MAX {
        return vec![incoming];
    }
    let mut parts = Vec::new();
    let mut rest = incoming.text.as_str();
    while !rest.is_empty() {
        let part = head(rest, BODY_BYTES_MAX);
        parts.push(Incoming {
            id: None,
            own: None,
            key: format!("{}\0part {}", incoming.key, parts.len() + 1),
            text: part.to_owned(),
            ..incoming.clone()
        });
        rest = rest.get(part.len()..).unwrap_or_default();
    }
    parts
}

fn pattern_of(incoming: Incoming, id: String, now: Millis) -> Result<Ready> {
    let mut pattern = Pattern {
        id,
        timestamp: format_iso(incoming.at_ms.unwrap_or(now)),
        pattern: incoming.text,
        category: incoming.kind,
        confidence: clean_confidence(incoming.confidence),
        version: FORMAT_VERSION,
        tags: incoming.tags,
        supersedes: incoming.supersedes,
        author: Some(Author::Import.name().to_owned()),
        ..Pattern::default()
    }
    .with_facts(incoming.facts);
    stamp_pattern(&mut pattern);
    Ok(Ready {
        line: text_of(&pattern)?,
        id: pattern.id,
        kind: pattern.category,
        is_pattern: true,
    })
}

fn clean_confidence(confidence: Option<f64>) -> f64 {
    confidence
        .filter(|sure| (0.0..=1.0).contains(sure))
        .unwrap_or(DEFAULT_CONFIDENCE)
}

fn clean_kind(kind: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "_-.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let mut name: String = kind.trim().chars().map(plain).collect();
    while name.len() > NAME_BYTES_MAX {
        name.pop();
    }
    check_kind("type", Some(name)).unwrap_or_else(|_| "note".into())
}

fn clean_tags(tags: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let mut tag: String = tag.chars().filter(|c| !c.is_control()).collect();
        while tag.len() > NAME_BYTES_MAX {
            tag.pop();
        }
        if !tag.trim().is_empty() && !kept.contains(&tag) && kept.len() < TAGS_MAX {
            kept.push(tag);
        }
    }
    kept
}
