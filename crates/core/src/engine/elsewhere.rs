//! Feedback about a place: a record is right, and does not belong to the file or the command with which an agent was given it. Hooks leave it
//! out there, and give it everywhere else.

use schemars::JsonSchema;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::review::{Counted, Verdict};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::index::Stores;
use crate::model::author::{Author, Speaker};
use crate::model::said::Door;
use crate::model::scope::Home;
use crate::model::thought::{RulingKind, id_hash};

/// The maximum length of a place, in bytes.
const PLACE_BYTES_MAX: usize = 512;

/// What somebody says of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// It was useful to a session.
    Useful,
    /// It was wrong for a session.
    Wrong,
    /// The session takes back that it was useful.
    Withdraw,
    /// It does not belong to a place.
    Elsewhere,
    /// It does, after all.
    Here,
}

/// Who gives the feedback, and about which place.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RateOptions {
    /// The author; an agent when absent. Records of other authors than people may require a review.
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// As `elsewhere` and `here` need it: a path in the project, a command, or another evidence for which hooks gave the record.
    pub at: Option<String>,
    /// Ignored; feedback has no proposals.
    pub propose: bool,
    /// The surface; `api` when absent.
    pub door: Option<Door>,
}

impl RateOptions {
    /// Returns who speaks.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown author, or when the name of the session is empty or too long.
    pub fn speaker(&self) -> Result<Speaker> {
        Speaker::of_caller(self.author.as_deref(), self.session.as_deref(), self.door)
    }
}

impl Writer<'_> {
    /// Records feedback on a current record: a verdict of a session, or that hooks leave it out at a place.
    ///
    /// # Errors
    /// As [`Writer::count`]; `INVALID_INPUT` when a place is missing, empty or too long.
    pub fn rate(&mut self, id: &str, rating: Rating, at: Option<&str>, speaker: &Speaker) -> Result<Counted> {
        match (rating, at) {
            (Rating::Elsewhere | Rating::Here, Some(at)) => self.rule_out(id, rating == Rating::Elsewhere, at, speaker),
            (Rating::Elsewhere | Rating::Here, None) => Err(Error::invalid("at", "is required: a path or a command")),
            (_, Some(_)) => Err(Error::invalid("at", "is for elsewhere and here alone")),
            (Rating::Useful, None) => self.count(id, Verdict::Useful, speaker),
            (Rating::Wrong, None) => self.count(id, Verdict::Wrong, speaker),
            (Rating::Withdraw, None) => self.count(id, Verdict::Withdraw, speaker),
        }
    }

    /// Whoever may only ask for changes of a record does not decide where it is told: that counts nothing.
    fn rule_out(&mut self, id: &str, is_out: bool, at: &str, speaker: &Speaker) -> Result<Counted> {
        let place = place_of(at);
        if place.is_empty() || place.len() > PLACE_BYTES_MAX {
            let wanted = format!("expected a path or a command of at most {PLACE_BYTES_MAX} bytes");
            return Err(Error::invalid("at", wanted));
        }
        let (home, history) = self.find(id)?;
        home.check_writable()?;
        let record = history.current();
        let (by, why) = (self.who(speaker), self.project.redactor().text(place.clone()));
        let counted = self.rule(home, speaker.said(), |judge| {
            judge.rule_out((&record.id, history.said_by), is_out, (&key_of(&place), &why), by)
        })?;
        Ok(self.verdicts_of(home, record.id.clone(), counted))
    }
}

/// Returns true if somebody said that a record does not belong to any of these places.
pub(crate) fn is_ruled_out(stores: &mut Stores, id: &str, places: &[&str]) -> bool {
    let id = id_hash(id);
    Home::RULED.into_iter().any(|home| {
        let standings = stores.of_mut(home).journal_index.standings();
        let is_out = |place: &&str| standings.has_said(&id, RulingKind::Elsewhere, &id_hash(&key_of(&place_of(place))));
        !standings.is_empty() && places.iter().any(is_out)
    })
}

/// Spaces do not make another command, and `./` no other path.
fn place_of(at: &str) -> String {
    let words: Vec<&str> = at.split_whitespace().collect();
    let place = words.join(" ");
    place.strip_prefix("./").unwrap_or(&place).to_owned()
}

/// The journal is committed, and a command may have a secret: a hash of the place decides, and what is shown beside it is redacted.
fn key_of(place: &str) -> String {
    format!("at.{:016x}", xxh3_64(place.as_bytes()))
}
