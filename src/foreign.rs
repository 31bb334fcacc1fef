//! Records of the queue that this machine did not write.

use forge_memory_core::anvil::Foreign;
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::projects::with_memory;

/// Foreign records in the queue and among the dead letters: they came with a clone, from another tool or an earlier
/// release, or the project's folder was moved. They are not delivered.
#[napi(object, object_from_js = false)]
pub struct ForeignRecords {
    /// The number of thoughts that would be stored.
    pub stores: f64,
    /// The number of deletes.
    pub deletes: f64,
    /// The number of rulings on thoughts: which are retired, kept, in conflict.
    pub rulings: f64,
    /// The projects that they name.
    pub projects: Vec<String>,
}

/// Counts the records of the queue and the dead letters that this machine did not write. They are not delivered.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn foreign_records(env: &Env, options: Unknown) -> Result<ForeignRecords> {
    with_memory(env, &options, |memory| memory.foreign_records().map(records_of))
}

/// Trusts these records, so that they are delivered like those of this machine. Returns their counts.
#[napi(catch_unwind, ts_args_type = "options?: ProjectOptions")]
pub fn trust_foreign_records(env: &Env, options: Unknown) -> Result<ForeignRecords> {
    with_memory(env, &options, |memory| memory.trust_foreign_records().map(records_of))
}

fn records_of(foreign: Foreign) -> ForeignRecords {
    ForeignRecords {
        stores: foreign.stores as f64,
        deletes: foreign.deletes as f64,
        rulings: foreign.rulings as f64,
        projects: foreign.projects.into_iter().collect(),
    }
}
