//! The Node addon: converts, calls the core once, converts back. No rule of the domain lives here.

// The macro exports nothing from a test build, and all would look unused.
#![cfg_attr(test, allow(unused))]

pub mod cache;
mod capture;
pub mod document;
mod drain;
pub mod embed;
mod error;
pub mod events;
mod foreign;
mod frame;
mod functions;
mod helpers;
mod inventory;
mod jobs;
mod json;
mod known;
pub mod lattice;
pub mod measures;
pub mod openbrain;
pub mod paths;
pub mod ports;
mod preload;
mod process;
mod projects;
pub mod ralph;
mod reader;
mod recall;
mod report;
mod shape;
pub mod sync;
mod task;
pub mod transfer;
pub mod trust;
pub mod types;
