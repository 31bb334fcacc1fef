//! Lessons of agent loops, through the public API of the crate.

#![allow(clippy::unwrap_used)]

mod add;
mod clear;
mod faults;
mod many;
mod model;
mod outside;
mod query;
mod shapes;
mod support;
