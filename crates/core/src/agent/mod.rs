//! The interface to agents: framed notes, context for a plan, hints in their files, and the address of the server.

pub mod frame;
pub mod ports;
pub mod preload;
pub mod sync;
