//! The Node addon: converts, calls the core once, converts back. No rule of the domain lives here.

// The macro exports nothing from a test build, and all would look unused.
#![cfg_attr(test, allow(unused))]
// Arguments come from outside.
#![warn(clippy::indexing_slicing)]

mod answer;
mod cache;
mod capture;
mod dead_letters;
mod document;
mod drain;
mod embed;
mod error;
mod events;
mod foreign;
mod frame;
mod input;
mod inventory;
mod jobs;
mod lattice;
mod measures;
mod openbrain;
mod paths;
mod ports;
mod preload;
mod process;
mod projects;
mod ralph;
mod recall;
mod records;
mod report;
mod sync;
mod task;
mod transfer;
mod trust;
mod truth;
mod types;
mod value;
