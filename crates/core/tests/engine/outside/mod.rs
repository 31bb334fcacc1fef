//! Untrusted input: records with any id that claim to supersede anything, unexpected lines, secrets in every field.

mod chains;
mod ids;
mod readers;
mod rings;
mod secrets;
