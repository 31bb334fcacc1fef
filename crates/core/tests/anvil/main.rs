//! The outbox: no record is lost, and no two processes deliver at the same time, whatever happens in between.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod classes;
mod cost;
mod damage;
mod faults;
mod foreign;
mod letters;
mod model;
mod older;
mod order;
mod support;
