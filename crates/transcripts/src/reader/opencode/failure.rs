//! How a call of a tool ended in an error.

use super::super::kit::*;

const REFUSED: &str = "The user rejected permission to use this specific tool call";
const FEEDBACK: &str = "with the following feedback:";

/// Returns what an error of a tool means: it failed, or a person has refused it, perhaps with a reason.
pub(super) fn failure(call: Option<&str>, error: &str, stamp: Stamp<'_>) -> Event {
    let feedback = error.split_once(FEEDBACK).map(|(_, words)| words.trim());
    if error.starts_with(REFUSED) || feedback.is_some() {
        stamp.rejection(call, feedback.unwrap_or_default())
    } else {
        stamp.result(call, Outcome::Failed, error)
    }
}
