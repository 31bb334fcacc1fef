//! The author and the session of a record or of feedback. They come from the surface that receives a text, never from
//! the text itself.

use schemars::JsonSchema;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
pub use crate::model::said::Author;
use crate::model::said::{Door, Said};

/// The author and session of a capture or of feedback, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The author; treated as an agent when unknown.
    pub author: Option<Author>,
    /// The session, as journals name it.
    pub session: Option<String>,
    /// Whether what it says waits for a review; the settings decide when nothing is given.
    pub waits: Option<bool>,
    /// The surface through which it speaks.
    pub door: Option<Door>,
}

/// An author and a session, as the surface that receives a text knows them; the text does not determine them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WriteOptions {
    /// The author; an agent when absent. Records of other authors than people may require a review.
    #[schemars(with = "Option<Author>")]
    pub author: Option<String>,
    /// The session, as `<channel>:<name>`; only a hash of it is stored.
    pub session: Option<String>,
    /// Whether it only proposes: a capture or pattern waits for a review then, whatever `review` in `.forge.json` says.
    pub propose: bool,
    /// Whether a capture publishes no event: the caller does that itself.
    pub unannounced: bool,
    /// The surface; `api` when absent.
    pub door: Option<Door>,
}

impl WriteOptions {
    /// Returns who speaks.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown author, or when the name of the session is empty or too long.
    pub fn speaker(&self) -> Result<Speaker> {
        Speaker::of_caller(self.author.as_deref(), self.session.as_deref(), self.door)
    }
}

/// The maximum length of a session's name, in bytes.
const SESSION_BYTES_MAX: usize = 512;

impl Speaker {
    /// Parses author and session. A session is given as `<channel>:<name>`; only its hash is stored, because journals
    /// are committed.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown author, or when the name of the session is empty or too long.
    pub fn read(author: Option<&str>, session: Option<&str>) -> Result<Self> {
        let author = author.map(Author::parse).transpose()?;
        let session = session
            .map(|session| checked_key("session", author, session))
            .transpose()?;
        Ok(Speaker {
            author,
            session,
            ..Speaker::default()
        })
    }

    /// Returns who calls a function of the library that takes an author: an agent where none is named. Whoever is a person says so.
    ///
    /// # Errors
    /// As [`Speaker::read`].
    pub fn of_caller(author: Option<&str>, session: Option<&str>, door: Option<Door>) -> Result<Self> {
        let speaker = Speaker::read(author, session)?;
        let author = speaker.author.unwrap_or(Author::Agent);
        Ok(speaker.by(author).through(door.unwrap_or(Door::Api)))
    }

    /// Sets the surface through which it speaks.
    #[must_use]
    pub fn through(self, door: Door) -> Self {
        Speaker {
            door: Some(door),
            ..self
        }
    }

    /// Sets the author.
    #[must_use]
    pub fn by(self, author: Author) -> Self {
        Speaker {
            author: Some(author),
            ..self
        }
    }

    /// Returns what its lines say of it.
    pub fn said(&self) -> Said {
        let hash = self.session.as_deref().and_then(|session| session.rsplit('.').next());
        Said {
            author: Some(self.author.unwrap_or(Author::Agent)),
            door: self.door,
            who: hash.and_then(|hash| u32::from_str_radix(hash.get(..8)?, 16).ok()),
        }
    }

    /// Returns the session whose records are each other's context; a person's name is not one, and nor is a file that is imported.
    pub fn conversation(&self) -> Option<&str> {
        match self.author {
            None | Some(Author::Agent) => self.session.as_deref(),
            Some(_) => None,
        }
    }

    /// A person, at a terminal or a page.
    pub fn person() -> Self {
        Speaker {
            author: Some(Author::Person),
            ..Speaker::default()
        }
    }

    /// True if it is a person.
    pub fn is_person(&self) -> bool {
        self.author == Some(Author::Person)
    }
}

/// Returns the name under which journals have a conversation.
///
/// # Errors
/// `INVALID_INPUT` when it is empty or too long.
pub(crate) fn conversation_key(name: &str) -> Result<String> {
    checked_key("sessionId", None, name)
}

fn checked_key(field: &'static str, author: Option<Author>, session: &str) -> Result<String> {
    if session.trim().is_empty() || session.len() > SESSION_BYTES_MAX {
        return Err(Error::invalid(field, "expected a name of 1 to 512 bytes"));
    }
    Ok(session_key(author, session))
}

fn session_key(author: Option<Author>, session: &str) -> String {
    let is_channel =
        |channel: &str| (1..=16).contains(&channel.len()) && channel.bytes().all(|b| b.is_ascii_lowercase());
    // Only the surface can declare the author a person.
    let channel = match author {
        Some(Author::Person) => "person",
        _ => session
            .split_once(':')
            .map(|(channel, _)| channel)
            .filter(|channel| is_channel(channel) && *channel != "person")
            .unwrap_or("session"),
    };
    format!("{channel}.{:016x}", xxh3_64(session.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(author: &str, name: &str) -> String {
        Speaker::read(Some(author), Some(name)).unwrap().session.unwrap()
    }

    #[test]
    fn a_session_is_stored_as_its_channel_and_a_hash_and_no_agent_passes_for_a_person() {
        let one = session("agent", "mcp:1");
        assert!(!one.contains("mcp:1") && one.starts_with("mcp."));
        assert!(session("person", "person:ann").starts_with("person."));
        assert!(session("agent", "person:ann").starts_with("session."));
    }

    #[test]
    fn a_caller_who_names_no_author_is_an_agent() {
        let nobody = WriteOptions::default();
        assert_eq!(nobody.speaker().unwrap().author, Some(Author::Agent));
    }

    #[test]
    fn an_unknown_author_and_an_empty_session_are_refused() {
        assert!(Speaker::read(Some("root"), None).is_err());
        assert!(Speaker::read(None, Some(" ")).is_err());
        assert!(Speaker::read(None, Some(&"x".repeat(513))).is_err());
        assert_eq!(Speaker::read(None, None).unwrap(), Speaker::default());
    }
}
