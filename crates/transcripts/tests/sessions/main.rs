//! Sessions of coding agents, read through the public API of the crate, as one program: each file is a topic.

#![allow(clippy::unwrap_used, clippy::panic)]

mod claude_mem;
mod common;
mod editors;
mod extraction;
mod history;
mod hostile;
mod readers;
mod robust;
