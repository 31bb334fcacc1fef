//! Queues the records of the journals again, for a store that is new, was emptied or was replaced.

use super::line::is_own;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::lost::own_deletes;
use super::queue::{confirmed_record, delete_order, record_named, thought_record};
use crate::clock::Millis;
use crate::error::Result;
use crate::journal::{Journal, each_line};
use crate::judgement::gone::find_hidden;
use crate::model::thought::{ActionKind, LineKind, id_hash, read_line};
use crate::project::Project;
use crate::project::layout::CAPTURES_FILE;
use crate::project::ownership::{Checker, Marks};

/// How many bytes are appended to the queue under one lock, so that concurrent captures are not blocked for long.
const PIECE_BYTES: usize = 1024 * 1024;

/// The records that were queued again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedAgain {
    /// The number of thoughts that recall returns.
    pub stores: u64,
    /// The number of deletes of forgotten thoughts.
    pub deletes: u64,
    /// The number of rulings on thoughts: retired, kept, in conflict.
    pub rulings: u64,
}

/// Queues the whole raw log again: current records, deletes of forgotten ones, and rulings. With `since`, only those captured, confirmed
/// or forgotten from that time on. The user has asked for it, so records that this machine did not write are included.
///
/// # Errors
/// `IO` or `LOCKED` when the raw log or the machine's key cannot be read, or the queue cannot be written.
pub(crate) fn queue_again(project: &Project, queue: &mut Journal, since: Option<Millis>) -> Result<QueuedAgain> {
    compose(project, since, &mut |piece| {
        Ok(queue.append_lines(piece).map(|_| ())?)
    })
}

/// Queues again the records that this machine wrote, and the deletes that it ordered as far as its outbox remembers them: nobody has to
/// ask for that.
///
/// # Errors
/// As [`queue_again`].
pub(crate) fn queue_own_again(project: &Project, queue: &mut Journal) -> Result<QueuedAgain> {
    let check = project.marks.try_checker()?;
    if !check.has_key() {
        return Ok(QueuedAgain::default());
    }
    let deletes = own_deletes(project, &check)?;
    compose_of(project, None, Some((&check, &deletes)), &mut |piece| {
        Ok(queue.append_lines(piece).map(|_| ())?)
    })
}

/// Counts the records that would be queued again.
///
/// # Errors
/// `IO` when the raw log or the machine's key cannot be read.
pub(crate) fn count_again(project: &Project, since: Option<Millis>) -> Result<QueuedAgain> {
    compose(project, since, &mut |_| Ok(()))
}

fn compose(
    project: &Project,
    since: Option<Millis>,
    write: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<QueuedAgain> {
    compose_of(project, since, None, write)
}

/// The marks and ids that tell which lines are of this machine: a tombstone has no mark, so that its id is given.
type Own<'a> = (&'a Checker, &'a FxHashSet<u64>);

fn compose_of(
    project: &Project,
    since: Option<Millis>,
    own: Option<Own<'_>>,
    write: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<QueuedAgain> {
    let log = project.layout.read(CAPTURES_FILE)?;
    let mut lines = Lines {
        log: &log,
        marks: &project.marks,
        own,
        now: project.now(),
        since: since.unwrap_or(Millis::MIN),
        confirmed: confirmations_in(&log),
        out: Vec::new(),
        queued: QueuedAgain::default(),
    };
    lines.compose(write)?;
    Ok(lines.queued)
}

/// When each record was captured again last.
fn confirmations_in(log: &[u8]) -> FxHashMap<String, Millis> {
    let mut confirmed: FxHashMap<String, Millis> = FxHashMap::default();
    for (_, line) in each_line(log) {
        if let LineKind::Action(action) = read_line(line)
            && action.kind == ActionKind::Confirm
        {
            let at = confirmed.entry(action.id.into_owned()).or_insert(Millis::MIN);
            *at = (*at).max(action.at_ms);
        }
    }
    confirmed
}

struct Lines<'a> {
    log: &'a [u8],
    marks: &'a Marks,
    /// Only that, when it is given.
    own: Option<Own<'a>>,
    now: Millis,
    since: Millis,
    confirmed: FxHashMap<String, Millis>,
    out: Vec<u8>,
    queued: QueuedAgain,
}

impl Lines<'_> {
    fn compose(&mut self, write: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let gone = find_hidden(self.log, self.now);
        let mut deleted_ids = FxHashSet::default();
        for (_, line) in each_line(self.log) {
            match read_line(line) {
                LineKind::Record(_) | LineKind::Ruling(_)
                    if self.own.is_some_and(|(check, _)| !is_own(line, check)) => {}
                LineKind::Action(action)
                    if self
                        .own
                        .is_some_and(|(_, deletes)| !deletes.contains(&id_hash(&action.id))) => {}
                LineKind::Record(fields) if !gone.contains(fields.id.as_ref()) => {
                    let confirmed = self.confirmed.get(fields.id.as_ref()).copied();
                    if fields.at_ms.max(confirmed.unwrap_or(Millis::MIN)) >= self.since {
                        self.push_record(line, &fields.id, confirmed)?;
                    }
                }
                LineKind::Action(action)
                    if action.kind == ActionKind::Delete
                        && action.at_ms >= self.since
                        && deleted_ids.insert(action.id.to_string()) =>
                {
                    self.push_order(&delete_order(&action.id))?;
                    self.queued.deletes += 1;
                }
                LineKind::Ruling(ruling) if ruling.kind.is_shared() && ruling.at_ms >= self.since => {
                    self.push_order(&ruling.line())?;
                    self.queued.rulings += 1;
                }
                _ => {}
            }
            if self.out.len() >= PIECE_BYTES {
                write(&self.out)?;
                self.out.clear();
            }
        }
        if self.out.is_empty() { Ok(()) } else { write(&self.out) }
    }

    fn push_record(&mut self, line: &[u8], id: &str, confirmed: Option<Millis>) -> Result<()> {
        let Some(record) = record_named(line, id) else {
            return Ok(());
        };
        let mark = self.marks.of_record(record.as_bytes())?;
        self.push(&confirmed_record(&record, Some(&mark), confirmed, self.now));
        self.queued.stores += 1;
        Ok(())
    }

    fn push_order(&mut self, order: &str) -> Result<()> {
        let mark = self.marks.of_record(order.as_bytes())?;
        self.push(&thought_record(order, Some(&mark), self.now));
        Ok(())
    }

    fn push(&mut self, line: &str) {
        self.out.extend_from_slice(line.as_bytes());
        self.out.push(b'\n');
    }
}
