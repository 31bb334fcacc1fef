//! The outbox: no record is lost, and no two processes deliver at the same time, whatever happens in between.

mod classes;
mod cost;
mod damage;
mod faults;
mod foreign;
mod letters;
mod missing;
mod model;
mod older;
mod order;
mod rulings;
mod states;
pub mod support;
