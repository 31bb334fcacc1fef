//! The Node addon: converts, calls the core once, converts back. No rule of the domain lives here.

// The macro exports nothing from a test build, and all would look unused.
#![cfg_attr(test, allow(unused))]

mod answer;
pub mod cache;
mod capture;
pub mod document;
mod drain;
pub mod embed;
pub mod error;
pub mod events;
mod foreign;
mod frame;
mod helpers;
mod input;
mod inventory;
mod jobs;
pub mod lattice;
pub mod measures;
pub mod openbrain;
pub mod paths;
pub mod ports;
mod preload;
mod process;
mod projects;
pub mod ralph;
mod recall;
mod report;
pub mod sync;
mod task;
pub mod transfer;
pub mod trust;
pub mod types;
mod value;
