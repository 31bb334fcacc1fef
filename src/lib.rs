//! The Node addon: converts, calls the core once, converts back. No rule of the domain lives here.

// The macro exports nothing from a test build, and all would look unused.
#![cfg_attr(test, allow(unused))]

mod capture;
mod error;
mod helpers;
mod jobs;
pub mod lattice;
mod projects;
pub mod ralph;
mod reader;
mod recall;
mod report;
pub mod types;
