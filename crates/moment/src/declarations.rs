//! Declarations in source code, found by their first words in place of a grammar: for files that no code graph knows.

use crate::lines::head;

/// The beginning of a file that is searched.
pub(crate) const FILE_READ_MAX: usize = 256 * 1024;
/// The shortest line by which an edit is found in its file.
const LINE_MIN: usize = 6;

const KEYWORDS: [&str; 24] = [
    "function",
    "class",
    "interface",
    "type",
    "enum",
    "struct",
    "trait",
    "impl",
    "fn",
    "func",
    "fun",
    "def",
    "defp",
    "defmodule",
    "const",
    "let",
    "var",
    "module",
    "namespace",
    "object",
    "record",
    "macro",
    "macro_rules!",
    "function*",
];

fn is_first(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

fn is_name(b: u8) -> bool {
    is_first(b) || b.is_ascii_digit()
}

/// A position in a source text.
#[derive(Clone, Copy)]
struct At<'t> {
    text: &'t str,
    place: usize,
}

impl<'t> At<'t> {
    fn byte(self) -> u8 {
        self.text.as_bytes().get(self.place).copied().unwrap_or(0)
    }

    /// Goes past the bytes that `is_meant` accepts, at most `max` of them.
    fn past(self, max: usize, is_meant: impl Fn(u8) -> bool) -> Self {
        let bytes = self.text.as_bytes().get(self.place..).unwrap_or_default();
        let count = bytes.iter().take(max).take_while(|b| is_meant(**b)).count();
        At {
            place: self.place + count,
            ..self
        }
    }

    fn on(self, count: usize) -> Self {
        At {
            place: self.place + count,
            ..self
        }
    }

    fn to(self, end: Self) -> &'t str {
        self.text.get(self.place..end.place).unwrap_or_default()
    }

    /// Returns the name here, of four to 64 letters, and the text behind it.
    fn name(self) -> Option<(&'t str, Self)> {
        let end = self.past(64, is_name);
        let name = self.to(end);
        (is_first(self.byte()) && name.len() >= 4).then_some((name, end))
    }
}

/// A declaration: where it begins, and its name.
struct Declaration<'t> {
    start: usize,
    name: &'t str,
}

/// Finds the declarations of a text: a name behind a word that declares one, or a function at the beginning of a line.
fn declarations(text: &str) -> Vec<Declaration<'_>> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < text.len() {
        let at = At { text, place };
        let before = place
            .checked_sub(1)
            .and_then(|before| text.as_bytes().get(before))
            .copied()
            .unwrap_or(b'\n');
        let of_line = || (before == b'\n').then(|| function_at(at)).flatten();
        if let Some((name, end)) = keyword_at(at, before).or_else(of_line) {
            let start = at.past(usize::MAX, |b| b == b' ' || b == b'\t').place;
            found.push(Declaration { start, name });
            place = end.place;
            continue;
        }
        // To the next word, or the next line.
        let next = match at.byte() {
            b'\n' => at.on(1),
            _ => at
                .past(usize::MAX, is_name)
                .past(usize::MAX, |b| !is_name(b) && b != b'\n'),
        };
        let is_end = next.byte() == b'\n' && at.byte() != b'\n';
        place = next.place + usize::from(is_end);
    }
    found
}

/// Returns the name that a word here declares.
fn keyword_at<'t>(at: At<'t>, before: u8) -> Option<(&'t str, At<'t>)> {
    if is_name(before) {
        return None;
    }
    let mut word = at.past(16, |b| b.is_ascii_lowercase() || b == b'_');
    if matches!(word.byte(), b'*' | b'!') {
        word = word.on(1);
    }
    if !KEYWORDS.contains(&at.to(word)) {
        return None;
    }
    let name = word.past(usize::MAX, |b| b.is_ascii_whitespace());
    if name.place == word.place {
        return None;
    }
    name.name()
}

/// Returns the name of a function that begins with the line: `  static int Frame::encode(char* out) {`.
fn function_at<'t>(at: At<'t>) -> Option<(&'t str, At<'t>)> {
    let is_blank = |b: u8| b == b' ' || b == b'\t';
    let mut at = at.past(usize::MAX, is_blank);
    for _ in 0..5 {
        let end = at.past(60, |b| is_name(b) || b":<>,*&[]".contains(&b));
        let (word, next) = (at.to(end), end.past(usize::MAX, is_blank));
        if word.is_empty() {
            return None;
        }
        if end.past(usize::MAX, |b| b.is_ascii_whitespace()).byte() == b'(' {
            let own = word.rsplit_once("::").map_or(word, |(_, own)| own);
            let start = At {
                place: end.place - own.len(),
                ..at
            };
            let (name, rest) = start.name()?;
            return (rest.place == end.place)
                .then_some(())
                .and_then(|()| body_at(end))
                .map(|end| (name, end));
        }
        if next.place == end.place {
            return None;
        }
        at = next;
    }
    None
}

/// Returns the end of the parameters and the return type, when a body follows.
fn body_at(at: At<'_>) -> Option<At<'_>> {
    let blanks = |at: At<'_>| at.past(usize::MAX, |b| b.is_ascii_whitespace()).place;
    let to = |place: usize| At { place, ..at };
    let inside = to(blanks(at)).on(1).past(200, |b| b != b')' && b != b'\n');
    if inside.byte() != b')' {
        return None;
    }
    let mut next = to(blanks(inside.on(1)));
    if next.byte() == b':' {
        next = next.on(1).past(80, |b| b != b'{' && b != b'\n');
    }
    (next.byte() == b'{').then(|| next.on(1))
}

pub(crate) fn declared_in(text: &str) -> Vec<&str> {
    declarations(head(text, FILE_READ_MAX))
        .into_iter()
        .map(|one| one.name)
        .collect()
}

/// Returns the settings, fields and variables that a text assigns.
pub(crate) fn assigned_in(text: &str) -> Vec<&str> {
    let is_blank = |b: u8| b == b' ' || b == b'\t';
    let is_quote = |b: u8| b == b'"' || b == b'\'';
    let lines = head(text, FILE_READ_MAX).lines();
    let names = lines.filter_map(|line| {
        let at = At { text: line, place: 0 }.past(usize::MAX, is_blank).past(1, is_quote);
        let (name, end) = at.name()?;
        let sign = end.past(1, is_quote).past(usize::MAX, is_blank);
        let rest = line.get(sign.place..)?;
        let is_assigned = rest.starts_with("=>")
            || (rest.starts_with([':', '=']) && !rest.get(1..).is_some_and(|rest| rest.starts_with([':', '='])));
        is_assigned.then_some(name)
    });
    names.collect()
}

pub(crate) fn called_in(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = At { text, place: 0 };
    while at.place < text.len() {
        let end = at.past(usize::MAX, is_name);
        if end.place > at.place {
            let called = end.past(usize::MAX, |b| b.is_ascii_whitespace()).byte() == b'(';
            names.extend(
                at.name()
                    .filter(|(_, whole)| called && whole.place == end.place)
                    .map(|(name, _)| name),
            );
            at = end;
        } else {
            at = at.on(1);
        }
    }
    names
}

/// Returns the names of the declarations around an edit in a file, the outermost first. `text` is the replaced text or its replacement.
pub(crate) fn declarations_around<'f>(file: &'f str, text: &str) -> Vec<&'f str> {
    let Some(place) = place_of(file, text) else {
        return Vec::new();
    };
    let mut around: Vec<(usize, &str)> = Vec::new();
    for Declaration { start, name } in declarations(file) {
        if start >= place {
            break;
        }
        let indent = indent_at(file, start);
        while around.last().is_some_and(|(above, _)| *above >= indent) {
            around.pop();
        }
        around.push((indent, name));
    }
    let own = indent_at(file, place);
    around
        .into_iter()
        .filter(|(indent, _)| *indent < own)
        .map(|(_, name)| name)
        .collect()
}

/// Returns where the first line of an edit is in the file; `None` when it is in none or in several places.
fn place_of(file: &str, text: &str) -> Option<usize> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.chars().count() >= LINE_MIN)?;
    if let Some(whole) = file.find(text) {
        return Some(whole + text.find(line)?);
    }
    let mut places = file.match_indices(line);
    let (place, _) = places.next()?;
    places.next().is_none().then_some(place)
}

fn indent_at(file: &str, place: usize) -> usize {
    let before = file.get(..place).unwrap_or_default();
    let line = file
        .get(before.rfind('\n').map_or(0, |end| end + 1)..)
        .unwrap_or_default();
    line.chars()
        .map_while(|c| match c {
            ' ' => Some(1),
            '\t' => Some(4),
            _ => None,
        })
        .sum()
}
