//! A normalized view of the text: invisible characters removed, continued lines joined, look-alikes mapped to ASCII
//! (confusables, UTS #39), encoded characters decoded. Secrets are searched in it too, and mapped back to their positions
//! in the original.
//!
//! Nearly every text equals its view, which one pass over its bytes shows.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::scan::{self, Finding};
use crate::hidden::is_hidden;

/// How often a text is decoded: encoded text may have been encoded again.
const DECODINGS_MAX: usize = 2;

/// A view of a text, with the origin of each byte.
struct View {
    text: String,
    /// For each byte, its range in the original.
    from: Vec<Range<usize>>,
}

impl View {
    fn with_capacity(len: usize) -> Self {
        View {
            text: String::with_capacity(len),
            from: Vec::with_capacity(len),
        }
    }

    fn push(&mut self, c: char, from: Range<usize>) {
        self.text.push(c);
        self.from.resize(self.text.len(), from);
    }

    /// Returns the secrets in it, at their positions in the original.
    fn findings(&self) -> Vec<Finding> {
        let place = |range: &Range<usize>| Some(self.from.get(range.start)?.start..self.from.get(range.end - 1)?.end);
        let found = scan::findings(&self.text).into_iter();
        found
            .filter_map(|finding| {
                Some(Finding {
                    range: place(&finding.range)?,
                    ..finding
                })
            })
            .collect()
    }
}

pub(super) fn findings(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if !text.is_ascii() || has_continuation(text) {
        found.extend(folded(text).iter().flat_map(View::findings));
    }
    if let Some(view) = decoded(text) {
        found.extend(view.findings());
    }
    found
}

fn has_continuation(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"\\\n").is_some()
        || memchr::memmem::find(text.as_bytes(), b"\\\r\n").is_some()
}

/// Removes invisible characters, joins continued lines and maps look-alikes to ASCII; `None` when nothing changes.
fn folded(text: &str) -> Option<View> {
    let mut view = View::with_capacity(text.len());
    let mut is_other = false;
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let end = at + c.len_utf8();
        if c == '\\'
            && let Some(joined) = continuation_len(text.get(end..).unwrap_or_default())
        {
            is_other = true;
            at = end + joined;
            continue;
        }
        match fold(c) {
            Folded::Same => view.push(c, at..end),
            Folded::Gone => is_other = true,
            Folded::Other(ascii) => {
                is_other = true;
                view.push(ascii, at..end);
            }
        }
        at = end;
    }
    super::work::add(text.len());
    is_other.then_some(view)
}

/// Returns the length of the line end and indentation after a backslash.
fn continuation_len(after: &str) -> Option<usize> {
    let line_end = ["\n", "\r\n"].into_iter().find(|end| after.starts_with(end))?.len();
    let indent = after
        .bytes()
        .skip(line_end)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    // Indentation separates words as spaces do; only a line that continues at its very beginning continues a word.
    (indent == 0).then_some(line_end)
}

enum Folded {
    Same,
    Gone,
    Other(char),
}

fn fold(c: char) -> Folded {
    match c {
        '\0'..='\u{7f}' => Folded::Same,
        // Letters of living scripts without look-alikes in ASCII, which most non-ASCII text consists of.
        '\u{c0}'..='\u{24f}' | '\u{531}'..='\u{114f}' | '\u{3041}'..='\u{312f}' | '\u{3200}'..='\u{d7a3}' => {
            Folded::Same
        }
        c if is_hidden(c) => Folded::Gone,
        c => match look_alike(c).or_else(|| compatible(c)) {
            Some(ascii) => Folded::Other(ascii),
            None => Folded::Same,
        },
    }
}

/// Returns the ASCII character that is compatible under NFKC: full-width, mathematical and circled letters, all kinds of
/// spaces.
fn compatible(c: char) -> Option<char> {
    let mut forms = std::iter::once(c).nfkc();
    let first = forms.next().filter(char::is_ascii)?;
    forms.next().is_none().then_some(first)
}

/// Returns the ASCII letter that a letter of another script looks like.
fn look_alike(c: char) -> Option<char> {
    const PAIRS: [(&str, &str); 2] = [
        ("аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅԌУк", "aeopcyxijshdqwlABEKMHOPCTXIJSGYk"),
        ("αορνικυɑɡıΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aopvikuagiABEZHIKMNOPTYX"),
    ];
    let found = |(theirs, ours): &(&str, &str)| {
        let at = theirs.chars().position(|known| known == c)?;
        ours.chars().nth(at).filter(char::is_ascii)
    };
    matches!(c, '\u{250}'..='\u{52f}')
        .then(|| PAIRS.iter().find_map(found))
        .flatten()
}

/// Decodes percent-encoding; `None` when there is none.
fn decoded(text: &str) -> Option<View> {
    let mut view: Option<View> = None;
    for _ in 0..DECODINGS_MAX {
        let known = view.as_ref().map_or(text, |view| view.text.as_str());
        if !has_escape(known) {
            break;
        }
        let mut next = View::with_capacity(known.len());
        let mut at = 0;
        while let Some(c) = known.get(at..).and_then(|rest| rest.chars().next()) {
            let escaped = escape_at(known.as_bytes(), at);
            let end = at + escaped.map_or(c.len_utf8(), |_| 3);
            let from = match &view {
                Some(view) => {
                    view.from.get(at).map_or(0, |from| from.start)..view.from.get(end - 1).map_or(0, |from| from.end)
                }
                None => at..end,
            };
            next.push(escaped.unwrap_or(c), from);
            at = end;
        }
        super::work::add(known.len());
        view = Some(next);
    }
    view
}

fn has_escape(text: &str) -> bool {
    memchr::memchr_iter(b'%', text.as_bytes()).any(|at| escape_at(text.as_bytes(), at).is_some())
}

/// Decodes an escape such as `%5F` to a printable character.
fn escape_at(text: &[u8], at: usize) -> Option<char> {
    let [b'%', high, low] = *text.get(at..at + 3)? else {
        return None;
    };
    let digit = |b: u8| char::from(b).to_digit(16);
    let code = u8::try_from(digit(high)? << 4 | digit(low)?).ok()?;
    (0x20..0x7f).contains(&code).then_some(char::from(code))
}
