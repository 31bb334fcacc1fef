//! The arguments, each by the type that it is read into.

use forge_memory_core as core;
use forge_memory_lattice as lattice;
use forge_memory_ralph as ralph;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The option that names the folder of the project.
pub(crate) const PROJECT: &str = "projectDir";

/// Returns the schema of the facts that a record may have: every argument that carries a record has their fields.
pub fn facts() -> Value {
    let mut facts = generator().into_root_schema_for::<core::thought::Facts>().to_value();
    let fields = facts
        .as_object_mut()
        .map(|schema| schema.entry("properties").or_insert(json!({})).take());
    json!({ "type": "object", "properties": fields })
}

/// Returns the schema of every argument and of all that they consist of, by name.
pub fn inputs() -> Map<String, Value> {
    let mut plain = generator();
    macro_rules! declare {
        ($generator:ident, $($input:ty),+ $(,)?) => { $($generator.subschema_for::<$input>();)+ };
    }
    declare!(
        plain,
        core::CaptureInput,
        core::EditInput,
        core::RecallQuery,
        core::SaveInput,
        core::anvil::DeliveryOutcome,
        core::events::TailReadOptions,
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
        core::verify::VerifyOptions,
        lattice::BlastOptions,
        lattice::IndexOptions,
        lattice::QueryOptions,
        lattice::Seed,
        lattice::StatOptions,
        ralph::ClearOptions,
        ralph::RalphFilter,
        ralph::RalphQueryOptions,
    );
    let mut schemas = of_project.take_definitions(true);
    for schema in schemas.values_mut() {
        name_project(schema);
    }
    schemas.append(&mut plain.take_definitions(true));
    schemas
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
