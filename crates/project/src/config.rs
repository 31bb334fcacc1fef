//! Reads a project's `.forge.json`.

use std::io::{self, ErrorKind};
use std::path::Path;

use forge_memory_settings::{Read, ReviewPolicy, Settings, read};
use serde_json::{Map, Value};

use crate::keywords::KeywordMap;
use forge_memory_journal::{Disk, UnsafePath, read_text};
use forge_memory_record::model::author::Speaker;
use forge_memory_record::model::limits::check_name;

pub use forge_memory_settings::{OWN_FILE, PROJECT_FILE as CONFIG_FILE};

/// The settings of a project, and the problems with them.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The settings that are used.
    pub settings: Settings,
    /// The contents of the file: valid settings, and those of other tools.
    pub given: Map<String, Value>,
    /// The words of a plan that imply a search query.
    pub keywords: KeywordMap,
    /// The file sets `redact` to false, whether the user allows that or not.
    pub asks_to_keep_secrets: bool,
    /// The user captures in approved projects only, and this is another one.
    pub is_capture_refused: bool,
    /// The problems of the file, as messages; the defaults apply instead.
    pub problems: Vec<String>,
    /// The file exists but could not be read: it is read again even when it has not changed.
    pub is_unread: bool,
}

impl Config {
    /// Reads the settings in a project's `.forge.json`. Unreadable or invalid settings are problems, not errors.
    pub fn load(disk: &dyn Disk, file: &Path) -> Self {
        match read_text(disk, file) {
            Ok(text) => Config::parse(&text),
            Err(e) if e.kind() == ErrorKind::NotFound => Config::default(),
            Err(e) => {
                // A disk that fails once hides no record; a file that may not be read, or is no text, may have asked for a review.
                let mut settings = Settings::default();
                if is_refused(&e) {
                    settings.review = ReviewPolicy::Agents;
                }
                Config {
                    settings,
                    problems: vec![format!("{CONFIG_FILE} cannot be read: {e}")],
                    is_unread: true,
                    ..Config::default()
                }
            }
        }
    }

    /// Reads settings from the text of a `.forge.json`.
    pub fn parse(text: &str) -> Self {
        let Read {
            mut settings,
            given,
            mut problems,
        } = read(text);
        let name = settings.project_name.as_deref().map(str::trim);
        settings.project_name = name.filter(|name| !name.is_empty()).map(str::to_owned);
        let names = settings.former_names.iter();
        let names = names.map(|name| check_name("formerNames", name.trim().to_owned()));
        settings.former_names = names.collect::<Result<_, _>>().unwrap_or_else(|_| {
            problems.push("formerNames: expected a list of names, at most 16".into());
            Vec::new()
        });
        let (keywords, wrong) = KeywordMap::of(&settings);
        problems.extend(wrong);
        Config {
            settings,
            given,
            keywords,
            problems,
            ..Config::default()
        }
    }

    /// Returns why what agents say waits, when no setting says so but one cannot be read.
    pub fn why_strict(&self) -> Option<&str> {
        let mut problems = self.problems.iter().map(String::as_str);
        problems.find(|problem| concerns_review(problem))
    }

    /// True if records of a speaker wait for a review.
    pub fn requires_review(&self, speaker: &Speaker) -> bool {
        speaker.waits.unwrap_or(match self.settings.review {
            ReviewPolicy::Off => false,
            // Who is not proven to be a person waits: some agents leave no sign in the commands that they run.
            ReviewPolicy::Agents => !speaker.is_person(),
            ReviewPolicy::All => true,
        })
    }
}

/// True if a file exists and no further try reads it: it is a link or too large, its mode forbids it, or it is no text.
pub(crate) fn is_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::InvalidData | ErrorKind::IsADirectory
    ) || error.get_ref().is_some_and(|inner| inner.is::<UnsafePath>())
}

fn concerns_review(problem: &str) -> bool {
    let of_own = problem.strip_prefix(OWN_FILE).unwrap_or_default();
    problem.starts_with(CONFIG_FILE) || problem.starts_with("review:") || of_own.contains("captures of agents")
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge_memory_record::model::author::Author;

    #[test]
    fn names_are_checked_and_a_project_without_one_has_none() {
        let config = Config::parse(r#"{"projectName":" shop ","formerNames":[" store "]}"#);
        assert_eq!(config.settings.project_name.as_deref(), Some("shop"));
        assert_eq!(config.settings.former_names, ["store"]);
        let config = Config::parse(r#"{"projectName":" ","formerNames":["store",""]}"#);
        assert_eq!((config.settings.project_name, config.problems.len()), (None, 1));
        assert_eq!(config.settings.former_names, Vec::<String>::new());
    }

    #[test]
    fn an_invalid_keyword_is_a_problem_of_the_settings() {
        let config = Config::parse(r#"{"openbrain":{"keywordMap":[{"pattern":"("}]}}"#);
        assert_eq!(config.problems, ["openbrain.keywordMap[0]: query is missing or empty"]);
    }

    #[test]
    fn reviews_are_for_agents_or_for_all() {
        let (person, unknown) = (Speaker::person(), Speaker::default());
        let script = Speaker::default().by(Author::Script);
        let required = |text: &str| {
            let config = Config::parse(text);
            [&person, &unknown, &script].map(|speaker| config.requires_review(speaker))
        };
        assert_eq!(required("{}"), [false, false, false]);
        assert_eq!(required(r#"{"review":"agents"}"#), [false, true, true]);
        assert_eq!(required(r#"{"review":"all"}"#), [true, true, true]);
        assert_eq!(required(r#"{"review":"off",}"#), [false, true, true]);
        let why = |text: &str| Config::parse(text).why_strict().map(str::to_owned);
        assert!(why("{").unwrap().starts_with(".forge.json is not valid JSON"));
        assert!(why(r#"{"review":"agent"}"#).unwrap().starts_with("review: "));
        assert_eq!(why(r#"{"review":"agents","redact":1}"#), None);
    }
}
