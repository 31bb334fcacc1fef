//! What agents are given: notes in a frame, context for a plan, hints in their files, and how to find the server.

pub mod frame;
pub mod ports;
pub mod preload;
pub mod sync;
