//! The state machine of a line of the queue, as one table: its states, and the events that move it. docs/reference/openbrain.md shows the same table.
//!
//! A line that this machine did not write, or that is no record, has no state: it stays in the file, untouched.

/// A state of a line of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LineState {
    /// the drain has not come to it; of an earlier pass it may be known that it waits
    Unread,
    /// an earlier line about the same thought is not settled
    Held,
    /// its next attempt is later
    Waiting,
    /// given to the worker
    Leased,
    /// settled: its row is in the archive
    Delivered,
    /// settled: its row is among the dead letters
    Dead,
}

/// An event that moves a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LineEvent {
    /// read, and an earlier line about the same thought is not settled
    Blocked,
    /// read, and its next attempt is later
    Early,
    /// read, and it is due
    Due,
    /// the store has it
    Stored,
    /// there is nothing left to do
    Needless,
    /// another tool has delivered it
    DeliveredElsewhere,
    /// the store will never take it, or no store can do what it says
    Rejected,
    /// the store has failed on it alone for the last time
    Exhausted,
    /// another tool has given it up
    FailedElsewhere,
    /// the store takes nothing now
    Busy,
    /// the store has failed on it alone
    Failed,
    /// a setting is wrong, which pauses the drain
    Misconfigured,
    /// a person has ended the pause and every back-off
    Resumed,
    /// its lease ends without an outcome
    Returned,
    /// the queue is another file, or this one was rewritten
    Rewritten,
}

use LineEvent::{
    Blocked, Busy, DeliveredElsewhere, Due, Early, Exhausted, Failed, FailedElsewhere, Misconfigured, Needless,
    Rejected, Resumed, Returned, Rewritten, Stored,
};
use LineState::{Dead, Delivered, Held, Leased, Unread, Waiting};

/// Every transition: the event, the states in which it may happen, and the state afterwards. Whatever is not here is refused.
const TRANSITIONS: &[(LineEvent, &[LineState], LineState)] = &[
    (Blocked, &[Unread, Held, Waiting], Held),
    (Early, &[Unread, Held, Waiting], Waiting),
    (Due, &[Unread, Held, Waiting], Leased),
    (Stored, &[Leased], Delivered),
    (Needless, &[Unread, Held, Waiting, Leased], Delivered),
    (DeliveredElsewhere, &[Unread], Delivered),
    (Rejected, &[Unread, Held, Waiting, Leased], Dead),
    (Exhausted, &[Leased], Dead),
    (FailedElsewhere, &[Unread], Dead),
    (Busy, &[Leased], Waiting),
    (Failed, &[Leased], Waiting),
    (Misconfigured, &[Leased], Waiting),
    (Resumed, &[Unread], Unread),
    (Resumed, &[Held], Held),
    (Resumed, &[Waiting], Waiting),
    (Returned, &[Leased], Unread),
    (Rewritten, &[Unread, Held, Waiting], Unread),
    (Rewritten, &[Leased], Leased),
];

impl LineState {
    /// Returns the state after an event; `None` when the event cannot happen to such a line.
    pub fn after(self, event: LineEvent) -> Option<Self> {
        let row = TRANSITIONS
            .iter()
            .find(|(known, from, _)| *known == event && from.contains(&self));
        row.map(|(_, _, to)| *to)
    }

    pub fn is_settled(self) -> bool {
        matches!(self, Delivered | Dead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [LineState; 6] = [Unread, Held, Waiting, Leased, Delivered, Dead];

    #[test]
    fn an_event_in_a_state_has_one_row_or_is_refused() {
        for (at, (event, from, to)) in TRANSITIONS.iter().enumerate() {
            for state in STATES {
                let rows = TRANSITIONS
                    .iter()
                    .filter(|row| row.0 == *event && row.1.contains(&state));
                let after = state.after(*event);
                assert_eq!(after.is_some(), rows.count() == 1, "{event:?} {state:?}");
                assert!(!from.contains(&state) || after == Some(*to), "row {at}");
                assert!(!state.is_settled() || after.is_none(), "{state:?} is final");
            }
        }
    }
}
