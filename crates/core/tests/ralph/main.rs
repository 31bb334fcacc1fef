//! Lessons of agent loops, through the public functions of the core.

mod add;
mod clear;
mod faults;
mod golden;
mod query;
mod shapes;
mod support;
