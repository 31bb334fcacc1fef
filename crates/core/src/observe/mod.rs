//! What can be seen of a memory from outside: events, counts, the report, the doctor.

pub mod events;
pub mod report;
pub mod telemetry;
