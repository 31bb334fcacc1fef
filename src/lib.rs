//! The Node addon. Each function converts its arguments, calls the engine once and converts the result; it contains no
//! rules about records.

// In a test build the macro exports nothing, so that everything would seem unused.
#![cfg_attr(test, allow(unused))]
// Arguments come from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod addons;
mod answer;
mod backfill;
mod cache;
mod capture;
mod dead_letters;
mod detail;
mod document;
mod drain;
mod embed;
mod error;
mod events;
mod foreign;
mod frame;
mod history;
mod input;
mod inventory;
mod jobs;
mod lattice;
mod measures;
mod models;
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
mod review;
mod stored;
mod sync;
mod task;
mod transfer;
mod trust;
mod truth;
mod types;
mod value;
