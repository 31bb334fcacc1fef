//! Finds mentions in a text that can be checked: paths, commands, and names in the code. Uncertain ones are skipped,
//! because a wrong mark costs more trust than a missing one.

use std::sync::LazyLock;

use memchr::{memchr_iter, memchr2, memmem};
use rustc_hash::FxHashSet;

use crate::text::lexicon::words;
use crate::text::lines::head;

/// The prefix of a text that is searched.
const TEXT_BYTES_MAX: usize = 16 * 1024;
const PATH_BYTES_MAX: usize = 256;
const MENTIONS_MAX: usize = 6;

/// Folders whose content changes with builds, or belongs to git.
const PASSED_OVER: [&str; 3] = [".git", ".forge", "node_modules"];

/// Words by which a record says that something has changed, or is planned.
static CHANGE_WORDS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("moved"));

#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    pub mentions: Vec<Mention>,
    /// True if the text reports a change, so that what it mentions need not exist.
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
    /// True if it is certainly a path, and not two words with a slash between them.
    pub is_sure: bool,
}

/// A command that a file of the project defines.
#[derive(Debug, PartialEq)]
pub(super) struct CommandMention {
    pub runner: Runner,
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Runner {
    /// npm and compatible package managers.
    Npm,
    Make,
    Just,
}

impl Runner {
    /// Returns the file that defines its commands.
    pub fn file(self) -> &'static str {
        match self {
            Runner::Npm => "package.json",
            Runner::Make => "Makefile",
            Runner::Just => "justfile",
        }
    }
}

impl CommandMention {
    /// Returns the word for such a command in its file.
    pub fn noun(&self) -> &'static str {
        match self.runner {
            Runner::Npm => "script",
            Runner::Make => "target",
            Runner::Just => "recipe",
        }
    }
}

pub(super) fn find(text: &str) -> Found {
    let text = head(text, TEXT_BYTES_MAX);
    if !can_mention(text.as_bytes()) {
        return Found::default();
    }
    let mut mentions: Vec<Mention> = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        // Text between backticks; an unpaired backtick is rare, and only makes paths more certain than they are.
        let is_code = at % 2 == 1;
        let mut rest = part.trim_start();
        while !rest.is_empty() && mentions.len() < MENTIONS_MAX {
            let word = rest.split(char::is_whitespace).next().unwrap_or_default();
            let mention = mention_at(word, rest, is_code);
            mentions.extend(mention.filter(|mention| !mentions.contains(mention)));
            rest = rest.get(word.len()..).unwrap_or_default().trim_start();
        }
    }
    Found {
        // Most texts mention nothing; whether they report a change does not matter then.
        tells_of_change: !mentions.is_empty() && tells_of_change(text),
        mentions,
    }
}

/// Rules most texts out in one pass: a mention has a slash, a backtick, a period within a word, or the word `run`.
fn can_mention(text: &[u8]) -> bool {
    let is_within_word = |at: usize| text.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace());
    memchr2(b'/', b'`', text).is_some()
        || memchr_iter(b'.', text).any(is_within_word)
        || memmem::find(text, b"run").is_some()
}

/// Parses the mention that begins with `word`, the first word of `rest`.
fn mention_at(word: &str, rest: &str, is_code: bool) -> Option<Mention> {
    command_at(word, rest, is_code)
        .map(Mention::Command)
        .or_else(|| path_in(word, is_code).map(Mention::Path))
        .or_else(|| is_code.then(|| name_in(word)).flatten().map(Mention::Name))
}

fn tells_of_change(text: &str) -> bool {
    let mut words = text.split('`').flat_map(str::split_whitespace);
    words.any(is_change_word)
}

fn is_change_word(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    CHANGE_WORDS.contains(bare.to_ascii_lowercase().as_bytes())
}

/// Recognises `npm run x` anywhere, `make x` and `just x` only between backticks, because they are also English words.
fn command_at(first: &str, rest: &str, is_code: bool) -> Option<CommandMention> {
    let mut words = rest.split_whitespace().skip(1);
    let (runner, name) = match first {
        "npm" | "pnpm" | "yarn" | "bun" => {
            words.next().filter(|verb| matches!(*verb, "run" | "run-script"))?;
            (Runner::Npm, words.next()?)
        }
        "make" if is_code => (Runner::Make, words.next()?),
        "just" if is_code => (Runner::Just, words.next()?),
        _ => return None,
    };
    let name = name.trim_end_matches(|c: char| !(c.is_alphanumeric() || "*<>{}$".contains(c)));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-' | '.');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
    (is_name && name.len() <= PATH_BYTES_MAX).then(|| CommandMention {
        runner,
        name: name.to_owned(),
    })
}

fn path_in(word: &str, is_code: bool) -> Option<PathMention> {
    // True for most words of prose.
    if !word.bytes().any(|byte| matches!(byte, b'/' | b'.')) {
        return None;
    }
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
    if parts
        .iter()
        .any(|part| matches!(*part, "" | "." | "..") || is_placeholder(part))
        || name.starts_with("path/to/")
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

/// True if a part of a path stands for others: `QP-NNN.md`, `YYYY-MM-DD.log`, `vX.Y.Z`, `xxx.ts`.
fn is_placeholder(part: &str) -> bool {
    let words = part.split(|c: char| !c.is_ascii_alphabetic());
    let is_repeated = |word: &str| {
        let first = word.bytes().next();
        word.len() > 1
            && matches!(first, Some(b'N' | b'X' | b'Y' | b'M' | b'D' | b'x'))
            && word.bytes().all(|byte| Some(byte) == first)
            && (word.len() > 2 || first != Some(b'x'))
    };
    words.clone().any(is_repeated) || part.contains("X.Y")
}

/// Parses a word between backticks as a name in the code, in a form that prose does not have: `getUser`, `get_user`,
/// `User::get` or `get()`.
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
    // A name in capitals is a constant or an environment variable.
    let is_shouted = !name.chars().any(|c| c.is_ascii_lowercase());
    (is_name && is_telling && !is_shouted && (3..=100).contains(&name.len())).then(|| name.to_owned())
}

/// Removes `:12`, `:12:5` and `#L12` from the end.
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

/// True if a name has a file extension: `main.rs`, `.travis.yml`, and not `1.2` or `e.g`.
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
    fn words_that_are_not_paths_below_the_project_are_ignored() {
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
            "changes/QP-NNN.feat.gate and logs/YYYY-MM-DD.log",
            "src/<name>.ts, src/{a,b}.ts, src/{a, b}.ts, docs/*.md, releases/vX.Y.Z.md, tests/test_XX.py",
            "path/to/file.ts, src/xxx/index.ts",
        ] {
            assert_eq!(paths(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn two_words_with_a_slash_are_not_certainly_a_path() {
        let sure = |text: &str| match &find(text).mentions[..] {
            [Mention::Path(path)] => path.is_sure,
            other => panic!("{other:?}"),
        };
        assert!(!sure("client/server"));
        assert!(sure("`client/server`"));
        assert!(sure("client/server.ts"));
    }

    #[test]
    fn commands_are_found_outside_of_prose() {
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
        assert_eq!(find("npm run test:* or npm run <name>").mentions, []);
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
    fn a_record_that_reports_a_change_is_recognised() {
        assert!(find("lib/a.rb was renamed to lib/b.rb").tells_of_change);
        assert!(find("lib/a.rb is no longer used.").tells_of_change);
        assert!(!find("lib/a.rb has the session handling").tells_of_change);
    }

    #[test]
    fn the_prefilter_rules_out_exactly_the_texts_without_mentions() {
        for text in [
            "The build is slow. Use less memory.",
            "",
            ".",
            "one. two.",
            "e. g. this",
        ] {
            assert!(!can_mention(text.as_bytes()), "{text}");
        }
        for text in [
            "a/b",
            "`x`",
            "see package.json",
            "see .travis.yml.",
            "npm run x",
            "yarn\trun-script y",
        ] {
            assert!(can_mention(text.as_bytes()), "{text}");
        }
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
