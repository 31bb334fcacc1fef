//! Finds what a text names that can be looked up: paths, commands, and names in the code. What is not surely one is no mention: a wrong mark
//! costs more trust than a missing one.

/// What matters of a text is said by then.
const TEXT_BYTES_MAX: usize = 16 * 1024;
const PATH_BYTES_MAX: usize = 256;
/// How much of one record is looked up.
const MENTIONS_MAX: usize = 6;

/// Folders whose contents come and go with a build or belong to git.
const PASSED_OVER: [&str; 3] = [".git", ".forge", "node_modules"];

/// Words by which a record tells that something is no longer as it was, or is yet to come.
const CHANGE_WORDS: [&str; 21] = [
    "renamed", "rename", "moved", "move", "deleted", "delete", "removed", "remove", "gone", "dropped", "replaced",
    "former", "formerly", "longer", "instead", "create", "creates", "created", "add", "adds", "missing",
];

/// What a text names.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    pub mentions: Vec<Mention>,
    /// Whether the text tells of a change: then what it names need not be there.
    pub tells_of_change: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum Mention {
    Path(PathMention),
    Command(CommandMention),
    /// A function, a type or the like.
    Name(String),
}

/// A path below the project, with forward slashes.
#[derive(Debug, PartialEq)]
pub(super) struct PathMention {
    pub name: String,
    /// Whether it is a path and no two words with a slash between them.
    pub is_sure: bool,
}

/// A command that a file of the project defines.
#[derive(Debug, PartialEq)]
pub(super) struct CommandMention {
    pub runner: Runner,
    pub name: String,
}

/// Who runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Runner {
    /// npm and its likes.
    Npm,
    Make,
    Just,
}

impl Runner {
    /// Returns the file that defines what it runs.
    pub fn file(self) -> &'static str {
        match self {
            Runner::Npm => "package.json",
            Runner::Make => "Makefile",
            Runner::Just => "justfile",
        }
    }
}

impl CommandMention {
    /// Returns what the file calls such a command.
    pub fn noun(&self) -> &'static str {
        match self.runner {
            Runner::Npm => "script",
            Runner::Make => "target",
            Runner::Just => "recipe",
        }
    }
}

/// Finds what a text names, the first mentions of it.
pub(super) fn find(text: &str) -> Found {
    let mut found = Found::default();
    for (at, part) in cut(text).split('`').enumerate() {
        // Between backticks; an odd one that stands alone is rare and makes paths surer than they are.
        let is_code = at % 2 == 1;
        let words: Vec<&str> = part.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
            found.tells_of_change |= CHANGE_WORDS.contains(&bare.as_str());
            if found.mentions.len() == MENTIONS_MAX {
                continue;
            }
            let mention = command_at(words.get(at..).unwrap_or_default(), is_code)
                .map(Mention::Command)
                .or_else(|| path_in(word, is_code).map(Mention::Path))
                .or_else(|| name_in(word).filter(|_| is_code).map(Mention::Name));
            found
                .mentions
                .extend(mention.filter(|mention| !found.mentions.contains(mention)));
        }
    }
    found
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// `npm run x` anywhere; `make x` and `just x` between backticks only, because they are words of English as well.
fn command_at(words: &[&str], is_code: bool) -> Option<CommandMention> {
    let (runner, name) = match words {
        ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", name, ..] => (Runner::Npm, name),
        ["make", name, ..] if is_code => (Runner::Make, name),
        ["just", name, ..] if is_code => (Runner::Just, name),
        _ => return None,
    };
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-' | '.');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
    (is_name && name.len() <= PATH_BYTES_MAX).then(|| CommandMention {
        runner,
        name: name.to_owned(),
    })
}

/// Reads a word as a path below the project.
fn path_in(word: &str, is_code: bool) -> Option<PathMention> {
    let word = word.trim_matches(|c: char| {
        matches!(
            c,
            '"' | '\'' | '(' | ')' | '[' | ']' | ',' | ';' | '!' | '?' | '\u{201c}' | '\u{201d}'
        )
    });
    let word = word.trim_end_matches(['.', ':']);
    let word = without_line(word.strip_prefix("./").unwrap_or(word));
    if word.len() > PATH_BYTES_MAX || !word.contains(['/', '.']) {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    if word.starts_with(['/', '-', '@', '+']) || !word.chars().all(is_plain) {
        return None;
    }
    let is_folder = word.ends_with('/');
    let name = word.trim_end_matches('/');
    let parts: Vec<&str> = name.split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | ".."))
        || parts.first().is_some_and(|first| PASSED_OVER.contains(first))
    {
        return None;
    }
    let has_ending = parts.last().is_some_and(|last| has_ending(last));
    if parts.len() == 1 && !has_ending {
        return None;
    }
    Some(PathMention {
        name: name.to_owned(),
        is_sure: parts.len() > 1 && (has_ending || is_folder || is_code),
    })
}

/// Reads a word between backticks as a name in the code: one that no prose has, `getUser`, `get_user`, `User::get` or `get()`.
fn name_in(word: &str) -> Option<String> {
    let (path, is_called) = match word.split_once('(') {
        Some((path, _)) => (path, true),
        None => (word.trim_end_matches([',', '.', ';', ':']), false),
    };
    let name = path.rsplit(['.', ':', '#']).next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_plain);
    let has_capital_inside =
        name.chars().skip(1).any(|c| c.is_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_lowercase());
    let is_telling = is_called || path.contains("::") || name.trim_matches('_').contains('_') || has_capital_inside;
    // What is all capitals is a constant or a variable of the environment.
    let is_shouted = !name.chars().any(|c| c.is_ascii_lowercase());
    (is_name && is_telling && !is_shouted && (3..=100).contains(&name.len())).then(|| name.to_owned())
}

/// Takes `:12`, `:12:5` and `#L12` off the end.
fn without_line(word: &str) -> &str {
    let word = word.split_once('#').map_or(word, |(path, _)| path);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut word = word;
    for _ in 0..2 {
        word = match word.rsplit_once(':') {
            Some((path, line)) if is_digits(line) => path,
            _ => word,
        };
    }
    word
}

/// Tells whether a name ends as those of files do: `main.rs`, `.travis.yml`, and not `1.2` or `e.g`.
fn has_ending(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let has_letter = |text: &str| text.chars().any(char::is_alphabetic);
    (1..=8).contains(&ending.len())
        && name.len() > 3
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && has_letter(ending)
        && (has_letter(stem) || stem.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let mentions = find(text).mentions.into_iter();
        let names = mentions.filter_map(|mention| match mention {
            Mention::Path(path) => Some(path.name),
            Mention::Command(_) | Mention::Name(_) => None,
        });
        names.collect()
    }

    #[test]
    fn paths_are_found_in_prose_and_in_code() {
        assert_eq!(
            paths("The bug is in `src/db/pool.rs:120`, see (docs/teams.md) and ./lib/index.ts."),
            ["src/db/pool.rs", "docs/teams.md", "lib/index.ts"]
        );
        assert_eq!(paths("e2e specs live in test/e2e/"), ["test/e2e"]);
        assert_eq!(paths("versions are in package.json"), ["package.json"]);
    }

    #[test]
    fn what_is_no_path_below_the_project_is_none() {
        for text in [
            "see https://example.com/a/b.html",
            "reads /etc/passwd and ~/.bashrc",
            "../outside/a.rs",
            "src/../../outside.rs",
            "uses @acme/ui-kit",
            "node_modules/left-pad/index.js",
            "src/*.ts and src/{a,b}.ts",
            "version 1.2.3, e.g. 24 hours",
            "C:\\temp\\a.txt",
        ] {
            assert_eq!(paths(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn two_words_with_a_slash_are_not_surely_a_path() {
        let sure = |text: &str| match &find(text).mentions[..] {
            [Mention::Path(path)] => path.is_sure,
            other => panic!("{other:?}"),
        };
        assert!(!sure("client/server"));
        assert!(sure("`client/server`"));
        assert!(sure("client/server.ts"));
    }

    #[test]
    fn commands_are_found_where_they_are_no_prose() {
        let found = find("run npm run test:unit, not `make check`; make sure that it passes");
        let command = |runner, name: &str| {
            Mention::Command(CommandMention {
                runner,
                name: name.into(),
            })
        };
        assert_eq!(
            found.mentions,
            [command(Runner::Npm, "test:unit"), command(Runner::Make, "check")]
        );
    }

    #[test]
    fn names_are_found_between_backticks_only() {
        let names = |text: &str| -> Vec<String> {
            let mentions = find(text).mentions.into_iter();
            let names = mentions.filter_map(|mention| match mention {
                Mention::Name(name) => Some(name),
                _ => None,
            });
            names.collect()
        };
        assert_eq!(
            names("`fetchUser()` calls `User::load(id)`, not `load_all`"),
            ["fetchUser", "load", "load_all"]
        );
        assert_eq!(
            names("fetchUser() is slow; `npm`, `DATABASE_URL`, `true`, `a b`"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_record_that_tells_of_a_change_is_known() {
        assert!(find("lib/a.rb was renamed to lib/b.rb").tells_of_change);
        assert!(find("lib/a.rb is no longer used.").tells_of_change);
        assert!(!find("lib/a.rb has the session handling").tells_of_change);
    }

    #[test]
    fn hostile_texts_are_read_to_a_bound() {
        let long = "a/".repeat(100_000);
        assert_eq!(paths(&long), Vec::<String>::new());
        let many: String = (0..10_000).map(|number| format!("src/f{number}.rs ")).collect();
        assert_eq!(find(&many).mentions.len(), MENTIONS_MAX);
        assert_eq!(paths("src/\u{1b}[31m.rs \u{202e}src/a.rs"), Vec::<String>::new());
    }
}
