//! Import in four phases: read the whole source, decide about each record, write, then read back and verify every record.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

use super::projects::{choose, undecided};
use super::read::{Incoming, ReadDatabase, Reading, read, shared};
use super::report::{ImportReport, Replacing};
use super::tidy::{Voice, clean_confidence, clean_kind, clean_tags, split_long, unlinked};
use crate::clock::{Millis, format_iso};
use crate::engine::destinations::Destinations;
use crate::engine::history::{RecordState, find_history};
use crate::engine::retired::ended_by_person;
use crate::engine::writer::{commit, contradicted_by};
use crate::error::{Error, Result};
use crate::index::dedup::{find_exact_duplicate, find_under_names};
use crate::index::{Entry, Stores};
use crate::journal::each_line;
use crate::judgement::decide::{By, Decision, Effect, Found, Judge, Line, Plan};
use crate::judgement::reason::Contradicted;
use crate::model::author::{Author, Speaker};
use crate::model::canonical::record_hash;
use crate::model::compose::{stamp, stamp_pattern};
use crate::model::encode::text_of;
use crate::model::hallmark::{Origin, Standing, verify_line};
use crate::model::input::check_facts;
use crate::model::limits::{PATTERN_BYTES_MAX, check_name};
use crate::model::said::Door;
use crate::model::scope::{Home, Scope};
use crate::model::thought::{
    ActionKind, CATEGORIES, FORMAT_VERSION, Fields, Lift, LineKind, Pattern, Ruling, Thought, UNKNOWN_SOURCE,
    check_source, expiry_of, id_hash, read_line,
};
use crate::outbox::QueueLine;
use crate::outbox::queue::marked;
use crate::project::Project;
use crate::project::layout::{CAPTURES_FILE, PATTERNS_FILE};
use crate::text::fold;
use crate::upkeep::progress::Progress;

/// How to import.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ImportOptions {
    /// True if records are only counted.
    pub dry_run: bool,
    /// The project whose records are taken from a source with several; `*` for all. When absent, this project, under any of its names.
    pub source_project: Option<String>,
    /// Who imports; an agent when absent. What waits for a review of theirs waits here, and only a person imports what persons said.
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// Reads databases of other tools; without it they are refused.
    #[serde(skip)]
    pub read_database: Option<ReadDatabase>,
}

struct Ready {
    id: String,
    line: String,
    kind: String,
    is_pattern: bool,
    /// Whether it is as this tool wrote it: what it says of others of its source was decided there.
    is_own: bool,
    /// The record that it names as replaced, if that is none of the source: the judge decides about it.
    names: Option<String>,
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
        let voice = self.voice(options)?;
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
            unreadable_lines: std::mem::take(&mut reading.unreadable_lines),
            left_out: chosen.left_out,
            projects: chosen.projects,
            ..ImportReport::default()
        };
        let records = self.prepare(reading, &voice, now, &mut report)?;
        progress.begin(records.len() as u64);
        let own = records.iter().filter(|record| record.is_own);
        let own: FxHashSet<u64> = own.map(|record| id_hash(&record.id)).collect();
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
        let rulings = self.only_unsaid(rulings, &fresh, &voice)?;
        report.rulings = rulings.len() as u64;
        if options.dry_run || (fresh.is_empty() && rulings.is_empty()) {
            return Ok(report);
        }
        self.project.ensure_gitignore(true)?;
        if !rulings.is_empty() {
            // They come first: what was decided about records is not judged again when these arrive.
            let (mut held, index) = self.stores.captures.hold(now)?;
            commit((&mut held, index), &rulings, None, Some(&self.project.marks), now)?;
        }
        let here = self.stores.captures.journal_index.records();
        let own = Some(&own).filter(|_| here > 0 || fresh.iter().any(|record| !record.is_own));
        let mut entry = Entry::default();
        for record in &fresh {
            let decision = self.write_imported(record, &mut entry, &voice, own, now)?;
            report.proposed += u64::from(decision.effect == Effect::Proposed);
            report.in_conflict += u64::from(decision.contradicted.iter().any(|older| !older.is_retired));
            let retired = decision.contradicted.into_iter().filter(|older| older.is_retired);
            report.replaced.extend(retired.map(|older| Replacing {
                id: older.id,
                by: record.id.clone(),
            }));
            progress.advance(1);
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

    /// Returns who speaks: an import, for whoever runs it.
    fn voice(&self, options: &ImportOptions) -> Result<Voice> {
        let runner = Speaker::read(options.author.as_deref(), options.session.as_deref())?;
        Ok(Voice {
            of_person: runner.is_person(),
            waits: self.project.config().requires_review(&runner),
            speaker: Speaker {
                author: Some(Author::Import),
                ..runner.through(Door::Import)
            },
        })
    }

    fn prepare(&self, reading: Reading, voice: &Voice, now: Millis, report: &mut ImportReport) -> Result<Vec<Ready>> {
        let own: FxHashSet<u64> = reading
            .records
            .iter()
            .filter_map(|one| one.id.as_deref())
            .map(id_hash)
            .collect();
        let mut ready = Vec::with_capacity(reading.records.len());
        for incoming in reading.records {
            let parts = split_long(incoming);
            report.read += parts.len() as u64;
            for mut part in parts {
                // A link to a record that is none of the source is no link: it would retire that record without anyone's decision.
                let is_foreign = |id: &String| !own.contains(&id_hash(id));
                let names = part.supersedes.take_if(|id| is_foreign(id));
                let prepared = self.prepare_one(
                    unlinked(part, names.is_some(), voice),
                    (reading.format, voice),
                    now,
                    report,
                )?;
                ready.push(Ready {
                    names: names.or(prepared.names),
                    ..prepared
                });
            }
        }
        Ok(ready)
    }

    fn prepare_one(
        &self,
        mut incoming: Incoming,
        (format, voice): (&str, &Voice),
        now: Millis,
        report: &mut ImportReport,
    ) -> Result<Ready> {
        let mut edited = None;
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
                    is_own: true,
                    names: None,
                });
            }
            // The text was edited after the export: that is to take the place of the record.
            edited = incoming.id.take();
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
        let is_pattern = plain.is_pattern && CATEGORIES.contains(&plain.kind.as_str());
        let ready = if is_pattern && plain.text.len() <= PATTERN_BYTES_MAX {
            pattern_of(plain, id, voice, now)
        } else {
            self.thought_from(plain, id, (format, voice), now)
        };
        Ok(Ready {
            names: edited,
            ..ready?
        })
    }

    fn thought_from(
        &self,
        incoming: Incoming,
        id: String,
        (format, voice): (&str, &Voice),
        now: Millis,
    ) -> Result<Ready> {
        let kind = clean_kind(&incoming.kind);
        let imported = format!("import/{format}");
        let source = match incoming.source {
            None => imported.clone(),
            // A file cannot speak for a person.
            Some(source) if source == Author::Person.source() => imported.clone(),
            Some(source) if check_source(&source).is_ok() => source,
            Some(_) => UNKNOWN_SOURCE.to_owned(),
        };
        let project = incoming.project.and_then(|name| check_name("project", name).ok());
        let mut thought = Thought {
            version: FORMAT_VERSION,
            id,
            content: incoming.text,
            project: project.unwrap_or_else(|| self.project.name()),
            source,
            created_by: crate::model::thought::DEFAULT_CREATOR.to_owned(),
            captured_at: format_iso(incoming.at_ms.unwrap_or(now)),
            // Without a time in the source, the lifetime starts now.
            expires_at: incoming.expires_ms.or_else(|| expiry_of(&kind, now)).map(format_iso),
            tags: incoming.tags,
            confidence: clean_confidence(incoming.confidence),
            supersedes: incoming.supersedes,
            session: incoming.session,
            author: Some(Author::Import.name().to_owned()),
            said: voice.speaker.said(),
            kind,
            ..Thought::default()
        }
        .with_facts(incoming.facts);
        stamp(&mut thought, Some(&imported), Origin::default());
        Ok(Ready {
            line: text_of(&thought)?,
            id: thought.id,
            kind: thought.kind,
            is_pattern: false,
            is_own: false,
            names: None,
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

    /// Drops rulings that the raw log has, and those on records that it will not have. About a record that is here already the judge
    /// decides; a new one brings its own.
    fn only_unsaid(&self, rulings: Vec<Ruling>, fresh: &[Ready], voice: &Voice) -> Result<Vec<Line>> {
        if rulings.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = self.project.layout.read(CAPTURES_FILE)?;
        let mut authors: FxHashMap<u64, Option<Author>> = FxHashMap::default();
        let mut said: FxHashSet<String> = FxHashSet::default();
        for (_, line) in each_line(&bytes) {
            match read_line(line) {
                LineKind::Record(fields) => drop(authors.insert(id_hash(&fields.id), fields.author)),
                LineKind::Ruling(ruling) => drop(said.insert(ruling.line())),
                _ => {}
            }
        }
        let brought: FxHashSet<u64> = fresh.iter().map(|record| id_hash(&record.id)).collect();
        let standings = self.stores.captures.journal_index.standings();
        let judge = Judge::of(standings, voice.speaker.said(), self.project.now());
        let mut lines = Vec::new();
        for ruling in rulings.into_iter().filter(|ruling| said.insert(ruling.line())) {
            let id = id_hash(&ruling.id);
            match authors.get(&id) {
                _ if brought.contains(&id) => lines.push(judge.brought(ruling)),
                Some(author) => lines.extend(judge.receive(ruling, *author, voice.by())),
                None => {}
            }
        }
        Ok(lines)
    }

    /// Writes a record as the judge decides, with what that does to the one that it names and to those that it contradicts. `own` are the
    /// records of the source as this tool wrote them; `None` when there are no others, here or in the source.
    fn write_imported(
        &mut self,
        record: &Ready,
        entry: &mut Entry,
        voice: &Voice,
        own: Option<&FxHashSet<u64>>,
        now: Millis,
    ) -> Result<Decision> {
        let LineKind::Record(fields) = read_line(record.line.as_bytes()) else {
            return Err(Error::invalid("record", "is none"));
        };
        let home = if record.is_pattern {
            Home::Patterns(Scope::Project)
        } else {
            Home::Captures
        };
        let named = match &record.names {
            Some(id) => self.named_here(home, id, now)?,
            None => Vec::new(),
        };
        let names = self.project.other_names(&fields.project);
        entry.take_words(&fields, self.stores.of_mut(home).journal_index.family());
        let waits = voice.waits || (!voice.of_person && self.brings_back(record, home, entry, &fields, &names)?);
        let store = self.stores.of_mut(home);
        let line = match QueueLine::read(record.line.as_bytes()).filter(|_| !record.is_pattern) {
            Some(read) => {
                let own = read.record();
                marked(&own, self.project.marks.of_record(own.as_bytes()).ok().as_deref())
            }
            None => record.line.clone(),
        };
        let line = line + "\n";
        let (mut held, index) = store.hold(now)?;
        let plan = Plan {
            id: &record.id,
            supersedes: None,
            source: None,
            named: &named,
            by: Some(By { waits, ..voice.by() }),
            worth: Lift::default(),
        };
        let mut contradicted = Vec::new();
        if let Some(own) = own.filter(|_| home == Home::Captures && !waits) {
            contradicted = contradicted_by(&mut held, index, entry, &fields, &names, now)?;
            contradicted.retain(|older| !(record.is_own && own.contains(&id_hash(&older.id))));
        }
        let judge = Judge::of(index.standings(), voice.speaker.said(), now);
        let decision = judge.text(&plan, Found::Others(contradicted));
        let marks = (home == Home::Captures).then_some(&*self.project.marks);
        commit((&mut held, index), &decision.lines, Some((&line, &*entry)), marks, now)?;
        drop(held);
        if record.is_pattern {
            return Ok(decision);
        }
        if decision.effect == Effect::Stored {
            self.destinations.append_to_type_file(&record.kind, line.as_bytes())?;
            self.destinations.queue.push_record(line.trim_end(), now)?;
        }
        self.destinations.tell(&decision.lines, now)?;
        Ok(decision)
    }

    /// True of a record that names one which was ended here, or has the text of one that a person has ended: only a person imports it, and
    /// others ask.
    fn brings_back(
        &mut self,
        record: &Ready,
        home: Home,
        entry: &mut Entry,
        fields: &Fields<'_>,
        names: &[String],
    ) -> Result<bool> {
        let now = self.project.now();
        if let Some(id) = &record.names
            && let Some((_, history)) = find_history(self.stores, id, now)?
            && matches!(
                history.state(),
                RecordState::Retired | RecordState::Rejected | RecordState::Forgotten
            )
        {
            return Ok(true);
        }
        Ok(ended_by_person(self.stores, home, entry, fields, names, now)?.is_some())
    }

    /// Returns the record that an imported one names, if it is here and current: retired, or in conflict with it when a person said it.
    fn named_here(&mut self, home: Home, id: &str, now: Millis) -> Result<Vec<Contradicted>> {
        let found = find_history(self.stores, id, now)?;
        let here = found.filter(|(at, history)| *at == home && history.state() == RecordState::Current);
        Ok(here
            .map(|(_, history)| Contradicted {
                text: history.current().text.clone(),
                is_retired: history.said_by != Some(Author::Person),
                ..Contradicted::superseded(history.current().id.clone())
            })
            .into_iter()
            .collect())
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

fn pattern_of(incoming: Incoming, id: String, voice: &Voice, now: Millis) -> Result<Ready> {
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
        said: voice.speaker.said(),
        ..Pattern::default()
    }
    .with_facts(incoming.facts);
    stamp_pattern(&mut pattern);
    Ok(Ready {
        line: text_of(&pattern)?,
        id: pattern.id,
        kind: pattern.category,
        is_pattern: true,
        is_own: false,
        names: None,
    })
}
