//! The tokenizer of claim extraction: splits a text into words and values, each a range of the text.

use xxhash_rust::xxh3::xxh3_64;

use super::lexicon::{UNKNOWN, Word, word_of};
use super::roles::Role;
use super::words::{Sign, Words, words};
use crate::text::stem;

/// The type of a token, judged by its spelling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Word,
    /// A number with its family of units, 0 for none.
    Number(f64, u8),
    Version,
    /// A time of day or a date.
    Time,
    Path,
    Url,
    Flag,
    Command,
    Code,
    Arrow,
}

/// One token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    /// As it is written.
    pub raw: &'t str,
    /// In lower case.
    pub lower: &'t str,
    pub shape: Shape,
    pub word: &'static Word,
    pub sign: Sign,
    /// The hash of its root, the same for all its forms.
    pub root: u64,
    /// Whether a comma, a dash, a bracket or a colon follows.
    pub breaks: bool,
    /// Whether a colon or an equals sign follows.
    pub defines: bool,
    /// The number of its sentence.
    pub sentence: u16,
}

impl<'t> Token<'t> {
    pub fn role(&self) -> Option<Role> {
        self.word.role
    }

    pub fn is(&self, words: &Words) -> bool {
        words.has(self.lower, self.sign)
    }

    pub fn is_filler(&self) -> bool {
        matches!(self.role(), Some(Role::Filler | Role::Since))
    }

    /// Returns the name without marks that do not distinguish it: "@ann", "load()".
    pub fn spelling(&self) -> &'t str {
        let name = self.lower.trim_start_matches('@');
        if !name.ends_with(['(', ')']) {
            return name;
        }
        name.trim_end_matches("()").trim_end_matches('(')
    }

    pub fn is_capital(&self) -> bool {
        self.raw.starts_with(|c: char| c.is_ascii_uppercase() || c == '@')
    }
}

/// Returns the tokens of a range.
pub(super) fn within<'a, 't>(tokens: &'a [Token<'t>], (from, to): (usize, usize)) -> &'a [Token<'t>] {
    tokens.get(from..to).unwrap_or_default()
}

/// Returns the union of the trait bits of all words.
pub(super) fn traits_of(tokens: &[Token<'_>]) -> u16 {
    tokens.iter().fold(0, |traits, token| traits | token.word.traits)
}

/// Returns whether the token at a position is one of the words.
pub(super) fn is_at(tokens: &[Token<'_>], at: usize, words: &Words) -> bool {
    tokens.get(at).is_some_and(|token| token.is(words))
}

/// The tokens of a text, and which of its sentences are questions.
pub(super) struct Tokens<'t> {
    pub list: Vec<Token<'t>>,
    pub questions: u64,
    pub sentences: u16,
}

/// Tokenizes a text; `lowered` is the same text with ASCII letters in lower case, byte for byte.
pub(super) fn tokens_of<'t>(text: &'t str, lowered: &'t str) -> Tokens<'t> {
    let mut tokens = Tokens {
        list: Vec::with_capacity(text.len() / 5 + 2),
        questions: 0,
        sentences: 0,
    };
    let mut at = 0;
    let mut has_any = false;
    while at < text.len() {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start().len();
        if skipped > 0 {
            if rest[..skipped].contains('\n') && has_any {
                tokens.sentences = tokens.sentences.saturating_add(1);
                has_any = false;
            }
            at += skipped;
            continue;
        }
        let quoted = rest.strip_prefix('`').and_then(|rest| rest.find('`'));
        let end = match quoted {
            Some(len) => {
                let closed = len + 2;
                closed + len_of_chunk(&rest[closed..])
            }
            None => len_of_chunk(rest),
        };
        let ends = take_chunk(&text[at..at + end], &lowered[at..at + end], quoted, &mut tokens);
        has_any = true;
        at += end;
        if let Some(sign) = ends {
            tokens.questions |= u64::from(sign == '?') << tokens.sentences.min(63);
            tokens.sentences = tokens.sentences.saturating_add(1);
            has_any = false;
        }
    }
    tokens.sentences += u16::from(has_any);
    tokens
}

/// Returns how many bytes there are before the next space.
fn len_of_chunk(text: &str) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ') || !byte.is_ascii();
    match text.as_bytes().iter().position(is_end) {
        Some(at) if text.as_bytes().get(at).is_some_and(u8::is_ascii) => at,
        Some(at) => at + text[at..].find(char::is_whitespace).unwrap_or(text.len() - at),
        None => text.len(),
    }
}

/// Tokenizes a run without spaces. Returns the punctuation mark if it ends a sentence.
fn take_chunk<'t>(chunk: &'t str, lowered: &'t str, quoted: Option<usize>, tokens: &mut Tokens<'t>) -> Option<char> {
    let sentence = tokens.sentences;
    if matches!(chunk, "->" | "=>" | "\u{2192}" | "-->") {
        tokens.list.push(token(chunk, lowered, Shape::Arrow, sentence));
        return None;
    }
    if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        tokens.list.push(shaped(chunk, lowered, sentence));
        return None;
    }
    if let Some(len) = quoted {
        let (raw, lower) = (&chunk[1..=len], &lowered[1..=len]);
        let shape = if raw.contains(' ') {
            Shape::Command
        } else {
            quoted_shape(lower)
        };
        let behind = &chunk[len + 2..];
        if !raw.is_empty() {
            tokens.list.push(token(raw, lower, shape, sentence));
        }
        return finish(behind, tokens);
    }
    let start = chunk.len()
        - chunk
            .trim_start_matches(['(', '[', '{', '"', '\'', '<', '*', '\u{201c}', '`', ':', '!'])
            .len();
    let body = chunk[start..].trim_end_matches([
        '.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '>', '*', '\u{201d}', '`',
    ]);
    let behind = &chunk[start + body.len()..];
    if start > 0 && chunk[..start].contains(['(', '[']) {
        mark_break(tokens);
    }
    let low = &lowered[start..start + body.len()];
    // "[Release notes](https://...)": the address of a link is no value.
    if let Some(text) = body.find("](").filter(|at| *at > 0) {
        tokens.list.push(shaped(&body[..text], &low[..text], sentence));
        return finish(behind, tokens);
    }
    if body.is_empty()
        || body.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b'|'))
        || matches!(body, "\u{2014}" | "\u{2013}")
    {
        if body == "=" {
            mark_definition(tokens);
        }
        mark_break(tokens);
        return finish(behind, tokens);
    }
    match body.split_once('=') {
        Some((name, value))
            if !name.is_empty() && !value.is_empty() && !body.starts_with('-') && !body.contains("://") =>
        {
            let at = name.len() + 1;
            tokens.list.push(shaped(name, &low[..name.len()], sentence));
            mark_definition(tokens);
            tokens.list.push(shaped(value, &low[at..], sentence));
        }
        _ => {
            let (body, low) = match low.strip_suffix("'s").or_else(|| low.strip_suffix("\u{2019}s")) {
                Some(short) if !short.is_empty() && short != "let" => (&body[..short.len()], short),
                _ => (body, low),
            };
            tokens.list.push(shaped(body, low, sentence));
        }
    }
    finish(behind, tokens)
}

fn finish(behind: &str, tokens: &mut Tokens<'_>) -> Option<char> {
    if behind.contains(':') {
        mark_definition(tokens);
    }
    if behind.contains([',', ')', ']', ':']) {
        mark_break(tokens);
    }
    let is_abbreviation = tokens
        .list
        .last()
        .is_some_and(|token| token.is(words!["e.g", "i.e", "etc", "vs", "approx", "cf"]));
    behind
        .chars()
        .find(|sign| matches!(sign, '?' | '!' | ';') || (*sign == '.' && !is_abbreviation))
}

fn mark_break(tokens: &mut Tokens<'_>) {
    if let Some(last) = tokens.list.last_mut() {
        last.breaks = true;
    }
}

fn mark_definition(tokens: &mut Tokens<'_>) {
    if let Some(last) = tokens.list.last_mut() {
        last.defines = true;
    }
}

fn token<'t>(raw: &'t str, lower: &'t str, shape: Shape, sentence: u16) -> Token<'t> {
    let root = match shape {
        Shape::Word => 0,
        _ => xxh3_64(raw.as_bytes()),
    };
    Token {
        raw,
        lower,
        shape,
        word: &UNKNOWN,
        sign: Sign::of(lower),
        root,
        breaks: false,
        defines: false,
        sentence,
    }
}

fn shaped<'t>(raw: &'t str, lower: &'t str, sentence: u16) -> Token<'t> {
    let word = word_of(lower);
    let shape = if word.role.is_some() {
        Shape::Word
    } else {
        shape_of(raw, lower)
    };
    let plain = token(raw, lower, shape, sentence);
    let root = match shape {
        Shape::Word if word.root != 0 => word.root,
        Shape::Word => xxh3_64(stem(lower).as_bytes()),
        _ => plain.root,
    };
    Token { word, root, ..plain }
}

fn quoted_shape(lower: &str) -> Shape {
    match shape_of(lower, lower) {
        Shape::Word => Shape::Code,
        shape => shape,
    }
}

fn shape_of(raw: &str, lower: &str) -> Shape {
    let bytes = lower.as_bytes();
    let first = bytes.first().copied().unwrap_or(0);
    if bytes.iter().all(u8::is_ascii_lowercase) && !is_camel(raw) {
        return Shape::Word;
    }
    if lower.contains("://") || lower.starts_with("www.") {
        return Shape::Url;
    }
    if first == b'-'
        && bytes
            .get(1)
            .is_some_and(|byte| *byte == b'-' || byte.is_ascii_alphabetic())
    {
        return Shape::Flag;
    }
    // "@acme/ui", "#deploys"
    let is_handle = first == b'@' && lower.contains('/') || first == b'#';
    if is_handle && bytes.get(1).is_some_and(u8::is_ascii_lowercase) {
        return Shape::Code;
    }
    if let Some(number) = number_of(lower) {
        return number;
    }
    if lower.contains('/') || lower.contains('\\') {
        let parts = lower.split('/').filter(|part| !part.is_empty()).count();
        let is_rooted =
            lower.starts_with(['/', '~', '.']) || lower.contains('.') || lower.contains('\\') || lower.ends_with('/');
        return if is_rooted || parts > 2 {
            Shape::Path
        } else {
            Shape::Word
        };
    }
    if let Some((name, ending)) = lower.rsplit_once('.')
        && !name.is_empty()
        && (1..=10).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    {
        return match ending {
            _ if name.contains('.') && !name.starts_with('.') => Shape::Url,
            _ if lower.contains('/') || ending.len() <= 3 || FILE_ENDINGS.contains(&ending) => Shape::Path,
            // "expect.soft"
            _ => Shape::Code,
        };
    }
    if lower.starts_with('.') && lower.len() > 2 {
        return Shape::Path;
    }
    let is_marked = lower.contains('_') || lower.contains("::") || lower.contains('(') || is_camel(raw);
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    if is_marked || has_digit {
        Shape::Code
    } else {
        Shape::Word
    }
}

/// Endings of file names with four letters and more.
const FILE_ENDINGS: [&str; 38] = [
    "json",
    "jsonl",
    "yaml",
    "toml",
    "lock",
    "html",
    "scss",
    "less",
    "sass",
    "conf",
    "config",
    "java",
    "swift",
    "scala",
    "dart",
    "vue",
    "svelte",
    "astro",
    "ipynb",
    "proto",
    "graphql",
    "hcl",
    "tfvars",
    "jpeg",
    "webp",
    "avif",
    "wasm",
    "properties",
    "gradle",
    "plist",
    "tmpl",
    "snap",
    "sqlite",
    "xlsx",
    "docx",
    "local",
    "example",
    "test",
];

fn is_camel(raw: &str) -> bool {
    raw.as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [one, next] if one.is_ascii_lowercase() && next.is_ascii_uppercase()))
}

fn number_of(lower: &str) -> Option<Shape> {
    let body = lower.trim_start_matches(['~', '<', '>', '=', '$', '\u{2264}', '\u{2265}', '\u{20ac}', '^', '#']);
    if lower.starts_with('#') {
        return None;
    }
    let body = match body.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            return rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
                .then_some(Shape::Version);
        }
        _ => body,
    };
    let digits = body
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '_' | ':' | '-'))
        .unwrap_or(body.len());
    let (number, unit) = body.split_at(digits);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number = number.trim_end_matches(['.', ',', '-']);
    if number.contains(':') || number.matches('-').count() == 2 || matches!(unit, "am" | "pm") {
        return Some(Shape::Time);
    }
    if number.matches('.').count() > 1 || matches!(unit, ".x" | "x" | ".*" | "+") {
        return Some(Shape::Version);
    }
    let plain: String = number.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let value: f64 = plain.parse().ok()?;
    if number.contains('-') {
        return None;
    }
    match unit {
        "" => Some(Shape::Number(value, 0)),
        "k" => Some(Shape::Number(value * 1000.0, 0)),
        _ if unit
            .strip_prefix('/')
            .is_some_and(|per| !per.is_empty() && per.bytes().all(|byte| byte.is_ascii_lowercase())) =>
        {
            Some(Shape::Number(value, 0))
        }
        _ => unit_of(unit).map(|(family, size)| Shape::Number(value * f64::from(size), family)),
    }
}

/// Returns the family of a unit and how large it is.
pub(super) fn unit_of(unit: &str) -> Option<(u8, u32)> {
    match unit {
        "min" | "m" => Some((1, 60_000)),
        "day" | "d" => Some((1, 86_400_000)),
        _ => match word_of(unit).role {
            Some(Role::Unit(family, size)) => Some((family, size)),
            _ => None,
        },
    }
}
