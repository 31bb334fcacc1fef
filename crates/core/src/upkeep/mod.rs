//! Maintenance: verification, repair, compaction, migration, merge, import and export.

pub mod audit;
pub mod background;
pub(crate) mod backup;
pub mod compact;
pub(crate) mod disagreements;
pub mod heal;
pub mod merge;
pub mod migrate;
pub mod progress;
pub mod repair;
pub(crate) mod restore;
pub mod transfer;
pub mod verify;
