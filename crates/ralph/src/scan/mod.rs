//! A fast path for stores in the common form: strings without escapes, short numbers and lists of such strings.
//!
//! An element with anything else is parsed by `serde_json` alone, and an unusual or invalid document as a whole, so that only
//! `serde_json` decides what is valid JSON. Large lists are parsed speculatively by two threads: from the beginning, and from a
//! guessed start of an element in the middle. The second result is used only when the first thread reaches exactly that offset at
//! the start of an element, so a wrong guess costs time and cannot change the result.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::thread::{self, ScopedJoinHandle};

use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::document::{Document, Elements, Iterations, List, keep, parse};
use super::element::{Draft, Element, of_text};
use super::lenient::{Field, Lenient};
use forge_memory_journal::plain::special_at;

/// The minimum length of a text that is split; shorter ones are parsed faster than a thread starts.
const SPLIT_BYTES: usize = 1024 * 1024;
/// How many bytes are searched for the start of an element.
const GUESS_BYTES: usize = 64 * 1024;
/// The maximum number of digits that a double represents exactly.
const DIGITS_MAX: usize = 15;
const POWERS: [f64; DIGITS_MAX + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// The rest of a list: its elements, and the offset after it.
type Rest<'a> = Option<(Vec<Element<'a>>, usize)>;

/// Elements that the other thread parses from a later offset.
struct Ahead<'scope, 'a> {
    from: usize,
    rest: ScopedJoinHandle<'scope, Rest<'a>>,
}

pub(super) fn read(text: &str) -> serde_json::Result<Document<'_, Elements<'_>>> {
    match read_quickly(text) {
        Some(document) => Ok(document),
        None => parse(text),
    }
}

/// True if `text` can be a store; for fuzzing.
pub fn is_document(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| read(text).is_ok())
}

/// Parses a document; `None` when it needs the full parser.
fn read_quickly(text: &str) -> Option<Document<'_, Elements<'_>>> {
    let middle = if text.len() < SPLIT_BYTES {
        None
    } else {
        element_behind(text, text.len() / 2)
    };
    match middle {
        None => Scan::at(text, 0).document(&mut None),
        Some(from) => read_both(text, from),
    }
}

/// Parses from the beginning and from a later offset in parallel.
fn read_both(text: &str, from: usize) -> Option<Document<'_, Elements<'_>>> {
    thread::scope(|scope| {
        let rest = scope.spawn(move || Scan::at(text, from).elements(&mut None));
        Scan::at(text, 0).document(&mut Some(Ahead { from, rest }))
    })
}

/// Returns an offset after the middle at which an element seems to begin.
fn element_behind(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = (start + GUESS_BYTES).min(bytes.len());
    memchr::memchr_iter(b'}', bytes.get(start..end)?).find_map(|at| {
        let mut scan = Scan::at(text, start + at + 1);
        scan.take(b',')?;
        scan.skip_space();
        (scan.peek() == Some(b'{')).then_some(scan.at)
    })
}

/// A cursor in a text. Every method skips white space and moves past the token it has read; after `None` its position is
/// undefined.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The strings of the current list.
    texts: Vec<Cow<'a, str>>,
}

impl<'a> Scan<'a> {
    fn at(text: &'a str, at: usize) -> Self {
        Scan {
            text,
            at,
            texts: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips one byte, if it is the given one.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Skips a comma, or the byte that ends the list; returns true if it was the comma.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        self.skip_space();
        let found = self.peek()?;
        self.at += 1;
        match found {
            b',' => Some(true),
            other => (other == end).then_some(false),
        }
    }

    /// Skips the end of an empty list; returns true if the list is empty.
    fn is_empty(&mut self, end: u8) -> bool {
        self.take(end).is_some()
    }

    fn document(mut self, ahead: &mut Option<Ahead<'_, 'a>>) -> Option<Document<'a, Elements<'a>>> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        let mut document = Document::default();
        self.skip_space();
        match self.peek()? {
            b'[' => document.lists.push(self.list(ahead)?),
            b'{' => self.members(&mut document, ahead)?,
            _ => return None,
        }
        self.skip_space();
        self.peek().is_none().then_some(document)
    }

    fn members(&mut self, document: &mut Document<'a, Elements<'a>>, ahead: &mut Option<Ahead<'_, 'a>>) -> Option<()> {
        self.take(b'{')?;
        if self.is_empty(b'}') {
            return Some(());
        }
        loop {
            let name = self.plain_text()?;
            self.take(b':')?;
            self.skip_space();
            match name {
                "entries" | "memories" | "learnings" if self.peek() == Some(b'[') => {
                    document.lists.push(self.list(ahead)?);
                }
                // Not a list: leave it to the full parser.
                "entries" | "memories" | "learnings" => return None,
                "iterations" => {
                    let raw = self.any::<&RawValue>()?.get();
                    Iterations(document)
                        .deserialize(&mut serde_json::Deserializer::from_str(raw))
                        .ok()?;
                }
                "loopId" | "loop_id" => keep(&mut document.loop_id, self.any()?),
                "objective" | "title" | "task" => keep(&mut document.title, self.any()?),
                _ => drop(self.any::<&RawValue>()?),
            }
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    fn list(&mut self, ahead: &mut Option<Ahead<'_, 'a>>) -> Option<List<'a, Elements<'a>>> {
        self.take(b'[')?;
        let elements = if self.is_empty(b']') {
            Vec::new()
        } else {
            let (elements, end) = Scan::at(self.text, self.at).elements(ahead)?;
            self.at = end;
            elements
        };
        Some(List {
            items: Elements(Some(elements)),
            iteration: None,
            created_at: None,
        })
    }

    /// Reads elements up to the end of their list, at least one.
    fn elements(mut self, ahead: &mut Option<Ahead<'_, 'a>>) -> Rest<'a> {
        let mut elements = Vec::new();
        loop {
            self.skip_space();
            if let Some(known) = ahead.take_if(|ahead| ahead.from == self.at) {
                // Propagate a panic of the other thread.
                let rest = known
                    .rest
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                let (mut rest, end) = rest?;
                elements.append(&mut rest);
                return Some((elements, end));
            }
            elements.push(self.element()?);
            if !self.goes_on(b']')? {
                return Some((elements, self.at));
            }
        }
    }

    fn element(&mut self) -> Option<Element<'a>> {
        let start = self.at;
        let plain = match self.peek()? {
            b'{' => self.object(),
            b'"' => self.plain_text().map(|text| of_text(Cow::Borrowed(text))),
            _ => None,
        };
        plain.or_else(|| {
            self.at = start;
            self.any()
        })
    }

    /// Reads one value of any form.
    fn any<T: serde::Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_str(self.text.get(self.at..)?).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn object(&mut self) -> Option<Element<'a>> {
        let mut draft = Draft::new();
        self.take(b'{')?;
        if self.is_empty(b'}') {
            return Some(draft.finish());
        }
        loop {
            let field = Field::named(self.plain_text()?);
            self.take(b':')?;
            self.skip_space();
            let value = match self.peek()? {
                b'"' => Lenient::Text(Cow::Borrowed(self.plain_text()?)),
                b'[' => self.plain_texts()?,
                b'0'..=b'9' => Lenient::Number(self.plain_number()?),
                _ => self.word()?,
            };
            draft.set(field, value);
            if !self.goes_on(b'}')? {
                return Some(draft.finish());
            }
        }
    }

    fn plain_text(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let start = self.at;
        let end = special_at(self.text.as_bytes(), start)?;
        self.at = end;
        self.take(b'"')?;
        self.text.get(start..end)
    }

    fn plain_texts(&mut self) -> Option<Lenient<'a>> {
        self.take(b'[')?;
        self.texts.clear();
        if !self.is_empty(b']') {
            loop {
                let text = self.plain_text()?;
                self.texts.push(Cow::Borrowed(text));
                if !self.goes_on(b']')? {
                    break;
                }
            }
        }
        Some(Lenient::Texts {
            texts: self.texts.as_slice().to_vec(),
            all: true,
        })
    }

    fn word(&mut self) -> Option<Lenient<'a>> {
        let rest = self.text.get(self.at..)?;
        let known = ["null", "true", "false"]
            .into_iter()
            .find(|word| rest.starts_with(word))?;
        self.at += known.len();
        Some(if known == "null" { Lenient::Null } else { Lenient::Flag })
    }

    fn plain_number(&mut self) -> Option<f64> {
        let starts_with_zero = self.peek() == Some(b'0');
        let (whole, whole_digits) = self.digits(0)?;
        if starts_with_zero && whole_digits > 1 {
            return None;
        }
        let (number, digits) = match self.peek() {
            Some(b'.') => {
                self.at += 1;
                self.digits(whole)?
            }
            _ => (whole, 0),
        };
        if whole_digits + digits > DIGITS_MAX || matches!(self.peek(), Some(b'e' | b'E' | b'.')) {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "so few digits fit")]
        let number = number as f64;
        // Both operands are exact, so the quotient is correctly rounded (Clinger 1990, fast path).
        Some(number / POWERS.get(digits)?)
    }

    /// Reads one or more digits and appends them to `number`.
    fn digits(&mut self, mut number: u64) -> Option<(u64, usize)> {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some((number, self.at - start))
    }
}
