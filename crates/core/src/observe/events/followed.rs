//! The event that followed another one by itself, as a program may send the same a moment later.

use serde_json::Value;

use crate::clock::Millis;

/// For how long a program may send the event itself that has already followed another one.
const FOLLOWED_MS: Millis = 60_000;

/// The event that followed another one, and when.
#[derive(Debug)]
pub(super) struct Followed {
    kind: &'static str,
    plan: Option<String>,
    at: Millis,
    /// True once a program has sent it itself.
    said: bool,
}

impl Followed {
    /// The event of this type with these fields, which followed another one now.
    pub(super) fn by(kind: &'static str, fields: &str, now: Millis) -> Self {
        let plan = plan_of(fields);
        Followed {
            kind,
            plan,
            at: now,
            said: false,
        }
    }

    /// True if a program now sends this event itself for the first time: two would ask the same twice.
    pub(super) fn is_said_again(&mut self, kind: &str, fields: &str, now: Millis) -> bool {
        let again = !self.said && self.is_same(kind, fields, now);
        self.said |= again;
        again
    }

    /// True if this event would follow one that a file watcher has read back from the log of its run: it was followed already.
    pub(super) fn is_of_watched(&self, watched: &str, kind: &str, fields: &str, now: Millis) -> bool {
        self.is_same(kind, fields, now)
            && object_of(watched)
                .is_some_and(|event| event.get("source").is_some_and(|source| source == "file-watcher"))
    }

    fn is_same(&self, kind: &str, fields: &str, now: Millis) -> bool {
        kind == self.kind && now.saturating_sub(self.at) <= FOLLOWED_MS && plan_of(fields) == self.plan
    }
}

fn object_of(fields: &str) -> Option<Value> {
    serde_json::from_str(&format!("{{{fields}}}")).ok()
}

fn plan_of(fields: &str) -> Option<String> {
    let event = object_of(fields)?;
    let name = event.get("planName").or_else(|| event.get("data")?.get("planName"))?;
    name.as_str().map(str::to_owned)
}
