//! Lessons of agent loops, through the public functions of the core.

#![allow(clippy::unwrap_used)]

mod add;
mod clear;
mod faults;
mod golden;
mod many;
mod model;
mod query;
mod shapes;
mod support;
