//! The answers, each by the type that it is serialized from.

use forge_memory_core as core;
use forge_memory_lattice as lattice;
use forge_memory_moment as moment;
use forge_memory_ralph as ralph;
use forge_memory_sqlite_store as store;
use forge_memory_transcripts as transcripts;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Returns the schema of every answer and of all that they consist of, by name.
pub fn answers() -> Map<String, Value> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    macro_rules! declare {
        ($($answer:ty),+ $(,)?) => { $(generator.subschema_for::<$answer>();)+ };
    }
    declare!(
        core::anvil::DeadLetter,
        core::anvil::Dropped,
        core::anvil::Lease,
        core::anvil::LostRecord,
        core::anvil::QueuedAgain,
        core::anvil::Retried,
        core::anvil::SettleReport,
        core::audit::AuditReport,
        core::audit::RedactionReport,
        core::compact::CompactionReport,
        core::conflicts::ConflictPair,
        core::events::TailBatch,
        core::frame::Framed,
        core::frame::Unframed<'static>,
        core::heal::HealReport,
        core::detail::MemoryDetail,
        core::keywords::KeywordEntry,
        core::migrate::MigrationReport,
        core::offer::Offered,
        core::outcome::ForgetOutcome,
        core::outcome::ToldCapture<'static>,
        core::preload::Context,
        core::recall::MemoryList,
        core::recall::RecallOutcome,
        core::recall::RecallText,
        core::replace::Replaced,
        core::report::DrainPass,
        core::report::Finding,
        core::report::HallmarkCoverage,
        core::report::MemoryReport,
        core::report::ProjectStatus,
        core::report::QueueStatus,
        core::report::Series,
        core::resolve::Kept,
        core::resolve::Resolved,
        core::retired::RetiredRecord,
        core::review::Counted,
        core::review::Reviewed,
        core::review::Waiting,
        core::save::SaveOutcome,
        core::settings::Settings,
        core::sync::SyncedFile,
        core::telemetry::CaptureTotals,
        core::thought::Hallmark,
        core::thought::Thought,
        core::transfer::Exported,
        core::transfer::ImportReport,
        core::verify::Verification,
        lattice::Answers,
        lattice::Blast,
        lattice::IndexOutcome,
        lattice::Stat,
        moment::stats::Faults,
        moment::stats::Stats,
        moment::switches::Pause,
        ralph::ClearOutcome,
        ralph::ListOutcome,
        ralph::QueryOutcome,
        ralph::RalphAddOutcome,
        store::Kept,
        store::PendingText,
        store::StoreAnswer,
        store::StoreModel,
        transcripts::Found,
        transcripts::HistoryStatus,
    );
    generator.take_definitions(true)
}
