//! The arguments and the answers, each by the type that it is read into or serialized from. A new one is named here.

use forge_memory_core as core;
use forge_memory_lattice as lattice;
use forge_memory_moment as moment;
use forge_memory_ralph as ralph;
use forge_memory_sqlite_store as store;
use forge_memory_transcripts as transcripts;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

macro_rules! declare {
    ($generator:ident, $($declared:ty),+ $(,)?) => { $($generator.subschema_for::<$declared>();)+ };
}

/// The option that names the folder of the project.
pub(crate) const PROJECT: &str = "projectDir";

/// Returns the schema of every argument and of all that they consist of, by name.
pub fn inputs() -> Map<String, Value> {
    let mut plain = generator();
    declare!(
        plain,
        core::CaptureInput,
        core::EditInput,
        core::RecallQuery,
        core::SaveInput,
        core::anvil::DeliveryOutcome,
        core::events::TailReadOptions,
        core::place::ProjectOptions,
        core::replace::Replacement,
        core::resolve::ConflictResolution,
        ralph::RalphAddInput,
    );
    // What these select belongs to a project, which they name as well.
    let mut of_project = generator();
    declare!(
        of_project,
        core::DryRunOptions,
        core::EmbedOptions,
        core::RecallOptions,
        core::RelatedOptions,
        core::RetiredOptions,
        core::ShowOptions,
        core::WriteOptions,
        core::elsewhere::RateOptions,
        core::events::TailOptions,
        core::hallmark::HallmarkInput,
        core::report::SeriesOptions,
        core::review::AcceptOptions,
        core::review::ReopenOptions,
        core::sync::SyncOptions,
        core::transfer::ExportOptions,
        core::transfer::ImportOptions,
        core::verify::VerifyOptions,
        lattice::BlastOptions,
        lattice::IndexOptions,
        lattice::QueryOptions,
        lattice::Seed,
        lattice::StatOptions,
        ralph::ClearOptions,
        ralph::RalphFilter,
        ralph::RalphQueryOptions,
        store::SearchOptions,
        transcripts::BackfillOptions,
        transcripts::ForgetSessionsOptions,
        transcripts::SessionSearchOptions,
    );
    let mut schemas = of_project.take_definitions(true);
    for schema in schemas.values_mut() {
        name_project(schema);
    }
    schemas.append(&mut plain.take_definitions(true));
    schemas
}

/// Returns the schemas of what surfaces take and functions have as plain arguments, or within others: the records that are meant, and the facts
/// that a record may have.
pub(crate) fn of_surfaces() -> Map<String, Value> {
    let mut generator = generator();
    declare!(generator, core::recall::RecordName, core::recall::RecordNames);
    let mut schemas = generator.take_definitions(true);
    let mut facts = generator.into_root_schema_for::<core::thought::Facts>().to_value();
    let fields = facts
        .as_object_mut()
        .map(|schema| schema.entry("properties").or_insert(json!({})).take());
    schemas.insert("Facts".to_owned(), json!({ "type": "object", "properties": fields }));
    schemas
}

/// Returns the schema of every answer and of all that they consist of, by name.
pub fn answers() -> Map<String, Value> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    declare!(
        generator,
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
        core::recall::MemoryCount,
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
        core::receive::Received,
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
        transcripts::ForgottenSessions,
        transcripts::Found,
        transcripts::HistoryStatus,
    );
    generator.take_definitions(true)
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_deserialize().into_generator()
}

fn name_project(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let folder = json!({ "type": "string", "description": "The project's folder; found from the working directory when absent." });
        properties.shift_insert(0, PROJECT.to_owned(), folder);
    }
}
