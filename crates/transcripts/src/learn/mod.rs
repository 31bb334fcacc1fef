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

/// Returns the beginning of a text.
fn head(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
