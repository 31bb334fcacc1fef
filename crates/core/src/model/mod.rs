//! What a memory is made of: records, and what is known about each without a file at hand.

pub mod scope;
