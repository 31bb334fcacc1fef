//! The undecided conflicts of a memory.

use crate::judgement::reason::Reason;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::Millis;
use crate::engine::standing::{Related, conflicts_of, record_of, related_to};
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{LineKind, RulingKind, id_hash, read_line};

/// Two records that contradict each other. Both count until a person decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MemoryConflict")]
pub struct ConflictPair {
    /// Whose they are.
    pub scope: Scope,
    /// The newer one.
    pub newer: Related,
    /// The older one.
    pub older: Related,
    /// The rule that found the contradiction.
    #[serde(flatten)]
    pub rule: Reason,
}

/// Lists the conflicts, the newest first.
pub(crate) fn list_conflicts(stores: &mut Stores, now: Millis) -> Vec<ConflictPair> {
    stores.refresh();
    let mut found = Vec::new();
    for (scope, store) in stores.in_scope(ScopeFilter::All) {
        add_conflicts(scope, store, now, &mut found);
    }
    add_fetched(stores, now, &mut found);
    found.sort_by(|a, b| (moment(&b.newer), moment(&b.older)).cmp(&(moment(&a.newer), moment(&a.older))));
    found
}

fn moment(record: &Related) -> (&str, &str) {
    (&record.created_at, &record.id)
}

fn add_conflicts(scope: Scope, store: &Store, now: Millis, found: &mut Vec<ConflictPair>) {
    let mut told: FxHashSet<(String, String)> = FxHashSet::default();
    for one in store
        .journal_index
        .standings()
        .ids()
        .filter_map(|id| record_of(store, *id, now))
    {
        // A pair whose other text only a store has is settled when it is fetched.
        let others = conflicts_of(store, &one.id, now).into_iter();
        for other in others.filter(|other| !other.text.is_empty()) {
            let rule = other.why.clone();
            let pair = pair_of(scope, [one.clone(), other], rule);
            if told.insert((pair.newer.id.clone(), pair.older.id.clone())) {
                found.push(pair);
            }
        }
    }
}

fn pair_of(scope: Scope, mut sides: [Related; 2], rule: Reason) -> ConflictPair {
    for side in &mut sides {
        side.why = rule.clone();
    }
    sides.sort_by(|a, b| moment(b).cmp(&moment(a)));
    let [newer, older] = sides;
    ConflictPair {
        scope,
        newer,
        older,
        rule,
    }
}

/// Adds the conflicts that a shared store told of, as far as this memory has not settled them: one of both records, or both, only the store has.
fn add_fetched(stores: &Stores, now: Millis, found: &mut Vec<ConflictPair>) {
    let store = &stores.captures;
    let standings = store.journal_index.standings();
    for line in &stores.fetched {
        let LineKind::Ruling(ruling) = read_line(line) else {
            continue;
        };
        let Some(other) = ruling.other.as_deref().filter(|_| ruling.kind == RulingKind::Conflict) else {
            continue;
        };
        let (one, two) = (id_hash(&ruling.id), id_hash(other));
        let is_told = |pair: &ConflictPair| {
            let ids = [id_hash(&pair.newer.id), id_hash(&pair.older.id)];
            ids == [one, two] || ids == [two, one]
        };
        if standings.is_held(&one, &two) || found.iter().any(is_told) {
            continue;
        }
        let sides = [&ruling.id, other].map(|id| here_or_fetched(stores, id, now));
        if let [Some(one), Some(other)] = sides {
            let rule = Reason::from(ruling.why);
            found.push(pair_of(Scope::Project, [one, other], rule));
        }
    }
}

/// Returns a record that counts: one of this memory, or one that only the store has and that nothing here has retired.
fn here_or_fetched(stores: &Stores, id: &str, now: Millis) -> Option<Related> {
    let (store, key) = (&stores.captures, id_hash(id));
    if store.journal_index.find_id(key).is_some() {
        return record_of(store, key, now);
    }
    let is_retired = store.journal_index.standings().retiring_act(&key).is_some();
    let mut records = stores.fetched.iter().filter_map(|line| match read_line(line) {
        LineKind::Record(fields) if fields.id == id => Some(related_to(&fields, String::new())),
        _ => None,
    });
    records.next().filter(|_| !is_retired)
}
