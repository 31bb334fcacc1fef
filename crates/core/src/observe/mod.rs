//! Observability: events, telemetry, the report, the doctor.

pub mod events;
pub mod report;
pub mod telemetry;
