//! Who said a line of a journal: every record and every decision has its speaker, in few bytes.
//!
//! The field `said` is `<kind>/<door>/<who>`: the kind of speaker, the surface through which the line came, and eight hexadecimal digits of the
//! hash of the person's or the session's name. A part that is not known is empty, and empty parts at the end are left out. Lines of older
//! versions have none: whoever reads them guesses, or says that it is not known.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};

/// The kind of author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// A person, at a terminal or a page.
    Person,
    /// A coding agent.
    Agent,
    /// A file of another tool.
    Import,
    /// A rule of the watcher.
    Watcher,
    /// A program of this package that decides by itself.
    Tool,
    /// A command that nothing proves to be a person's.
    Script,
}

/// All kinds, by their names.
const AUTHORS: [(Author, &str); 6] = [
    (Author::Person, "person"),
    (Author::Agent, "agent"),
    (Author::Import, "import"),
    (Author::Watcher, "watcher"),
    (Author::Tool, "tool"),
    (Author::Script, "script"),
];

impl Author {
    /// Parses the name of an author.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        let known = AUTHORS.iter().find(|(_, known)| *known == name);
        known.map(|(author, _)| *author).ok_or_else(|| {
            let names = AUTHORS.map(|(_, name)| name).join(", ");
            Error::invalid("author", format!("expected one of {names}"))
        })
    }

    /// Returns the source of an author's records when they name none.
    pub fn source(self) -> &'static str {
        match self {
            Author::Person => "you",
            other => other.name(),
        }
    }

    /// Returns the author's name.
    pub fn name(self) -> &'static str {
        AUTHORS
            .iter()
            .find(|(author, _)| *author == self)
            .map_or("", |(_, name)| name)
    }

    /// Returns the author of a number, and the number of an author: 0 is none.
    pub fn of_number(number: u64) -> Option<Self> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        AUTHORS.get(at).map(|(author, _)| *author)
    }

    pub fn number(author: Option<Self>) -> u64 {
        let at = AUTHORS.iter().position(|(known, _)| Some(*known) == author);
        at.map_or(0, |at| at as u64 + 1)
    }
}

/// The surface through which a line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// The command line.
    Cli,
    /// The tools of the MCP server.
    Mcp,
    /// The page of `serve`.
    Page,
    /// The HTTP API, without the page.
    Http,
    /// Hooks of agents.
    Hook,
    /// A file of another store.
    Import,
    /// Past sessions of agents.
    Backfill,
    /// The watcher of files.
    Watcher,
    /// The functions of the package.
    Api,
    /// A shared store.
    Store,
    /// A merge of two branches.
    Merge,
    /// The undoing of a command, which leaves everything as it was before.
    Undo,
}

const DOORS: [(Door, &str); 12] = [
    (Door::Cli, "cli"),
    (Door::Mcp, "mcp"),
    (Door::Page, "page"),
    (Door::Http, "http"),
    (Door::Hook, "hook"),
    (Door::Import, "import"),
    (Door::Backfill, "backfill"),
    (Door::Watcher, "watcher"),
    (Door::Api, "api"),
    (Door::Store, "store"),
    (Door::Merge, "merge"),
    (Door::Undo, "undo"),
];

/// Who said something, as answers have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpokenBy {
    /// Who said it; absent when that is not known, as of a line that an older version wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Through which surface, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
}

/// Where a record comes from, when that is not simply the project that it is in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CameFrom {
    /// The project in which it was stored, when it is about another one or about all; absent otherwise. The program writes it, no caller does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The other project that it is about; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The name that an agent or a script gave as its author: a claim, which nothing proves; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

/// Names of authors that are no names.
pub const NOBODY: [&str; 4] = ["", "forge-memory", "you", "unknown"];

/// True if the name of an author is a claim of an agent or a script. Programs that call the library name what they are, and an import names
/// its file.
pub fn is_claim(said: Said, created_by: &str) -> bool {
    let by_itself = matches!(said.author, Some(Author::Agent | Author::Script));
    let at_door = matches!(said.door, Some(Door::Cli | Door::Mcp | Door::Http | Door::Hook));
    by_itself && at_door && !NOBODY.contains(&created_by)
}

impl Door {
    /// Parses the name of a door.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        Door::of(name).ok_or_else(|| {
            let names = DOORS.map(|(_, name)| name).join(", ");
            Error::invalid("door", format!("expected one of {names}"))
        })
    }

    /// Returns the door with a name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        DOORS.iter().find(|(_, known)| *known == name).map(|(door, _)| *door)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        DOORS
            .iter()
            .find(|(door, _)| *door == self)
            .map_or("", |(_, name)| name)
    }
}

/// Who said a line, through which door. Everything that is not known is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said {
    /// The kind of speaker.
    pub author: Option<Author>,
    /// The surface.
    pub door: Option<Door>,
    /// The beginning of the hash of the person's or the session's name.
    pub who: Option<u32>,
}

impl Said {
    /// What a program decides by a rule of its own, and every machine in the same way.
    pub const fn tool(door: Door) -> Self {
        Said {
            author: Some(Author::Tool),
            door: Some(door),
            who: None,
        }
    }

    pub fn voice(self) -> SpokenBy {
        SpokenBy {
            author: self.author,
            door: self.door,
        }
    }

    /// Reads the field of a line; what it does not understand is not known.
    pub fn read(text: &str) -> Self {
        if !text.bytes().all(may_be_said) {
            return Said::default();
        }
        let mut parts = text.splitn(3, '/');
        let mut part = || parts.next().unwrap_or_default();
        Said {
            author: Author::parse(part()).ok(),
            door: Door::of(part()),
            who: Some(part())
                .filter(|who| who.len() == WHO_DIGITS && who.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|who| u32::from_str_radix(who, 16).ok()),
        }
    }

    /// True if nothing is known, as of the lines of older versions.
    pub fn is_unknown(self) -> bool {
        self == Said::default()
    }

    /// Returns the field, if there is anything to say.
    pub(crate) fn field(self) -> Option<String> {
        (!self.is_unknown()).then(|| self.to_string())
    }
}

const WHO_DIGITS: usize = 8;

/// True of the bytes of a field: of one that is written otherwise nothing is believed.
fn may_be_said(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'/'
}

impl fmt::Display for Said {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let author = self.author.map_or("", Author::name);
        let door = self.door.map_or("", Door::name);
        match self.who {
            Some(who) => write!(to, "{author}/{door}/{who:0WHO_DIGITS$x}"),
            None if door.is_empty() => to.write_str(author),
            None => write!(to, "{author}/{door}"),
        }
    }
}

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Ok(Said::read(&String::deserialize(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speaker_survives_a_round_trip_and_what_is_not_known_takes_no_room() {
        let agent = Said {
            author: Some(Author::Agent),
            door: Some(Door::Mcp),
            who: Some(0x0123_abcd),
        };
        let forms = [
            (agent, "agent/mcp/0123abcd"),
            (Said { who: None, ..agent }, "agent/mcp"),
            (
                Said {
                    who: None,
                    door: None,
                    ..agent
                },
                "agent",
            ),
            (Said { door: None, ..agent }, "agent//0123abcd"),
            (Said::tool(Door::Merge), "tool/merge"),
        ];
        for (said, text) in forms {
            assert_eq!((said.field().as_deref(), Said::read(text)), (Some(text), said));
        }
        for (door, name) in DOORS {
            assert_eq!((Door::parse(name).unwrap(), door.name()), (door, name));
        }
        assert_eq!(Said::default().field(), None);
    }

    #[test]
    fn what_is_no_speaker_is_not_known() {
        for text in [
            "",
            "/",
            "root/cli\u{1b}/zz",
            "person/cli\u{1b}",
            "person\u{202e}",
            "x/y/0123abcdef",
        ] {
            assert_eq!(Said::read(text), Said::default(), "{text}");
        }
        assert_eq!(Said::read("person/door/12345678ab").who, None);
    }
}
