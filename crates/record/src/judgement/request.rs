//! Changes that others than a person ask for. They wait in the inbox, as proposed records do, and a person's acceptance carries them out.
//!
//! A request is two lines: `request` names the change and the record, and `propose` who asks, by which the request has the review state of
//! a record. Its id is derived from both (and the session of feedback): asking again, by whomever, adds nothing, and a rejection holds.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::judgement::decide::{Judge, Line, Told};
use crate::judgement::standing::Review;
use crate::model::author::Speaker;
use crate::model::thought::{Ruling, RulingKind};

/// The prefix of the ids of requests.
pub const PREFIX: &str = "req_";

/// A requested change of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// To forget it.
    Forget,
    /// To retire it, by another record or by none.
    Retire(Option<String>),
    /// To make it current again.
    Keep,
    /// To declare it compatible with another record.
    Hold(String),
    /// To count it as useful to a session.
    Useful,
    /// To count it as wrong for a session.
    Wrong,
}

/// The names of the changes.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema of an answer")]
enum ChangeName {
    Forget,
    Retire,
    Keep,
    Hold,
    Useful,
    Wrong,
}

impl Change {
    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            Change::Forget => "forget",
            Change::Retire(_) => "retire",
            Change::Keep => "keep",
            Change::Hold(_) => "hold",
            Change::Useful => "useful",
            Change::Wrong => "wrong",
        }
    }

    /// Returns the other record that it is about.
    pub fn other(&self) -> Option<&str> {
        match self {
            Change::Retire(other) => other.as_deref(),
            Change::Hold(other) => Some(other),
            Change::Forget | Change::Keep | Change::Useful | Change::Wrong => None,
        }
    }
}

/// A change that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id.
    pub id: String,
    /// The record.
    pub of: String,
    /// The requested change.
    pub change: Change,
    /// The reason that was given.
    pub why: String,
}

/// A change that others than a person ask for. `acceptMemory` carries it out, and `rejectMemory` refuses it for good.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequestedChange")]
pub struct ToldRequest<'a> {
    /// `keep`: to make a retired or forgotten record current again. `hold`: it and `other` do not contradict each other. `useful` and
    /// `wrong`: feedback of a session.
    #[schemars(with = "ChangeName")]
    change: &'a str,
    /// The same as a sentence about the record.
    says: String,
    /// The id of the record.
    of: &'a str,
    /// The other record: the one that replaces it, or does not contradict it.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    /// The reason that was given.
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let told = ToldRequest {
            change: self.change.name(),
            says: self.says(),
            of: &self.of,
            other: self.change.other(),
            why: &self.why,
        };
        told.serialize(to)
    }
}

impl Request {
    /// Returns a request of a speaker. Feedback counts by session, so each session asks for itself.
    pub(crate) fn new(of: &str, change: Change, why: &str, speaker: &Speaker) -> Self {
        let session = match change {
            Change::Useful | Change::Wrong => speaker.session.as_deref().unwrap_or_default(),
            _ => "",
        };
        let asked = [change.name(), of, change.other().unwrap_or_default(), session].join("\n");
        Request {
            id: format!("{PREFIX}{:016x}", xxh3_64(asked.as_bytes())),
            of: of.to_owned(),
            change,
            why: why.to_owned(),
        }
    }

    /// Reads the ruling of a request: the change, the other record or `-`, and the reason.
    pub fn read(ruling: Ruling) -> Option<Self> {
        let mut words = ruling.why.splitn(3, ' ');
        let (name, other) = (words.next()?, words.next()?);
        let other = Some(other).filter(|other| *other != "-").map(str::to_owned);
        let change = match (name, other) {
            ("forget", None) => Change::Forget,
            ("retire", other) => Change::Retire(other),
            ("keep", None) => Change::Keep,
            ("hold", Some(other)) => Change::Hold(other),
            ("useful", None) => Change::Useful,
            ("wrong", None) => Change::Wrong,
            _ => return None,
        };
        Some(Request {
            id: ruling.id,
            of: ruling.other?,
            change,
            why: words.next().unwrap_or_default().to_owned(),
        })
    }

    /// Says the change in words, beside the record.
    pub fn says(&self) -> String {
        match &self.change {
            Change::Forget => "asks to forget this".to_owned(),
            Change::Retire(None) => "asks to retire this".to_owned(),
            Change::Retire(Some(by)) => format!("asks to retire this, which {by} replaces"),
            Change::Keep => "asks to make this current again".to_owned(),
            Change::Hold(other) => format!("says that this and {other} do not contradict each other"),
            Change::Useful => "says that this was useful".to_owned(),
            Change::Wrong => "says that this is wrong".to_owned(),
        }
    }

    /// Says the change in words.
    fn sentence(&self) -> String {
        let id = &self.of;
        match &self.change {
            Change::Forget => format!("forget {id}"),
            Change::Retire(None) => format!("retire {id}"),
            Change::Retire(Some(by)) => format!("retire {id} by {by}"),
            Change::Keep => format!("keep {id}"),
            Change::Hold(other) => format!("both {id} and {other} hold"),
            Change::Useful => format!("{id} was useful"),
            Change::Wrong => format!("{id} is wrong"),
        }
    }

    /// Returns what its line says: the change, the other record or `-`, and the reason.
    fn words(&self) -> String {
        let other = self.change.other().unwrap_or("-");
        format!("{} {other} {}", self.change.name(), self.why)
            .trim_end()
            .to_owned()
    }
}

impl Judge<'_> {
    /// Puts requests into the inbox, but for those that are there or were rejected: returns their lines, and the error that says so.
    ///
    /// # Errors
    /// `UNSUPPORTED` about a record that `is_here` does not know.
    pub fn request(
        self,
        requests: &[Request],
        speaker: &Speaker,
        is_here: impl Fn(&str) -> bool,
    ) -> Result<(Vec<Line>, Error)> {
        if let Some(request) = requests.iter().find(|request| !is_here(&request.of)) {
            return Err(Error::Unsupported {
                what: request.of.clone(),
                reason: "only the shared store has it, and a person does what is asked of it here".to_owned(),
            });
        }
        let (mut lines, mut is_rejected) = (Vec::new(), true);
        for request in requests {
            let review = self.review_of(&request.id);
            is_rejected &= matches!(review, Review::Rejected(_));
            if review.withheld_since().is_none() {
                let at = self.after_review(&request.id);
                lines.extend(self.propose((&request.id, at), speaker, []));
                let (why, of) = (request.words(), Some(request.of.as_str()));
                let asked = self.rules(RulingKind::Request, &request.id, of, &why, at);
                lines.push(Line::Ruling(asked, Told::Hub));
            }
        }
        let asked: Vec<String> = requests.iter().map(Request::sentence).collect();
        let what = asked.join(", ");
        Ok((lines, Error::Proposed { what, is_rejected }))
    }
}
