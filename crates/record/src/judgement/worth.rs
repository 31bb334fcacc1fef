//! What a record is worth: how long it holds and how sure it is. A person who vouches for a record of others adds to it.

use crate::judgement::standing::Standings;
use crate::model::author::Author;
use crate::model::input::PERSONS_CONFIDENCE;
use crate::model::thought::{Fields, Lift, NEVER, default_lifetime_days, id_hash};
use forge_memory_journal::clock::{DAY_MS, Millis};

/// A record that is there, as far as it decides who may change it, and what a person adds to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subject {
    pub id: String,
    pub kind: String,
    pub author: Option<Author>,
    /// [`NEVER`] when it does not expire.
    pub expires_ms: Millis,
    pub confidence: f64,
}

/// The part of a lifetime by which another one must be longer, a day at most, to count as longer.
const SLACK_SHARE: Millis = 24;

impl Subject {
    pub fn of(fields: &Fields<'_>, expires_ms: Millis) -> Self {
        Subject {
            id: fields.id.to_string(),
            kind: fields.kind.to_string(),
            author: fields.author,
            expires_ms,
            confidence: fields.confidence,
        }
    }

    /// Returns what it lacks of what it is worth to somebody.
    pub fn lacks(&self, standings: &Standings<u64>, worth: Lift, now: Millis) -> Lift {
        let so_far = standings.lift_of(&id_hash(&self.id));
        let until_ms = worth.until_ms.filter(|until| {
            // A lifetime that is begun anew a little later is not a longer one.
            let slack = (until.saturating_sub(now) / SLACK_SHARE).min(DAY_MS);
            *until > so_far.expiry(self.expires_ms).saturating_add(slack)
        });
        let is_surer = |sure: f64| sure > so_far.at_least(self.confidence);
        Lift {
            until_ms,
            percent: worth.percent.filter(|_| worth.confidence().is_some_and(is_surer)),
        }
    }
}

/// Returns what a record of this type is worth to a person who vouches for it now: as much as one of theirs.
pub(crate) fn worth_to_person(kind: &str, now: Millis) -> Lift {
    let days = default_lifetime_days(kind);
    Lift {
        until_ms: Some(days.map_or(NEVER, |days| now.saturating_add(days * DAY_MS))),
        percent: Some((PERSONS_CONFIDENCE * 100.0) as u8),
    }
}
