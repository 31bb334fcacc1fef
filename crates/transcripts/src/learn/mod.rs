//! Rule-based extraction of lessons from sessions; every result states the reason.

mod failure;
mod finding;
mod foreign;
mod learner;
mod message;
mod sentence;
mod speech;

pub use finding::{Candidate, Finding, FindingKind, Sighting};
pub use learner::{CommandRun, Learned, Learner};
