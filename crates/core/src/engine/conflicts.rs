//! The undecided conflicts of a memory.

use crate::judgement::reason::Reason;
use forge_memory_sorting::Arrange;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::Millis;
use crate::engine::standing::{Related, conflicts_of, record_of};
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};

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
    found.arrange_by(|a, b| (moment(&b.newer), moment(&b.older)).cmp(&(moment(&a.newer), moment(&a.older))));
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
        for other in conflicts_of(store, &one.id, now) {
            let rule = other.why.clone();
            let mut pair = [one.clone(), other];
            pair[0].why = rule.clone();
            pair.arrange_by(|a, b| moment(b).cmp(&moment(a)));
            let [newer, older] = pair;
            if told.insert((newer.id.clone(), older.id.clone())) {
                found.push(ConflictPair {
                    scope,
                    newer,
                    older,
                    rule,
                });
            }
        }
    }
}
