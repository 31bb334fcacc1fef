//! A fast path for JSON lines in the form that this tool writes (compact, no exponents, short escapes only): a scanner without
//! allocation.
//!
//! Invariant: when it returns a value, `serde_json` returns the same; in every other case it returns `None`, and the caller uses
//! `serde_json`, which alone decides what is valid JSON. Eight bytes are compared at a time (SWAR, SIMD within a register).

/// Values nested deeper than this are left to the parser.
const DEPTH_MAX: usize = 16;

/// The value of an object's member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain<'a> {
    /// A string without escapes.
    Text(&'a str),
    /// A number, as it is written.
    Number(&'a str),
    /// `true` or `false`.
    Flag(bool),
    /// `null`.
    Null,
    /// An array, an object, or a string with escapes.
    Other,
}

/// Calls `visit` for each member of an object. Returns `None` when the line is not in this form, or when `visit` does; the
/// members visited until then must be discarded.
pub fn each_member<'a>(line: &'a str, mut visit: impl FnMut(&'a str, Plain<'a>) -> Option<()>) -> Option<()> {
    let mut scanner = Scanner { line, at: 0 };
    scanner.take(b'{')?;
    if scanner.take(b'}').is_none() {
        loop {
            let Plain::Text(name) = scanner.text()? else {
                return None;
            };
            scanner.take(b':')?;
            visit(name, scanner.value(DEPTH_MAX)?)?;
            if scanner.is_end(b'}')? {
                break;
            }
        }
    }
    (scanner.at == line.len()).then_some(())
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Consumes the end of an array or object, or the comma before its next element.
    fn is_end(&mut self, end: u8) -> Option<bool> {
        let found = self.peek()?;
        self.at += 1;
        match found {
            b',' => Some(false),
            other => (other == end).then_some(true),
        }
    }

    fn value(&mut self, depth: usize) -> Option<Plain<'a>> {
        match self.peek()? {
            b'"' => self.text(),
            b'{' => self.object(depth.checked_sub(1)?),
            b'[' => self.list(depth.checked_sub(1)?),
            b't' => self.word("true", Plain::Flag(true)),
            b'f' => self.word("false", Plain::Flag(false)),
            b'n' => self.word("null", Plain::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Plain<'a>> {
        self.at += 1;
        if self.take(b'}').is_some() {
            return Some(Plain::Other);
        }
        loop {
            self.text()?;
            self.take(b':')?;
            self.value(depth)?;
            if self.is_end(b'}')? {
                return Some(Plain::Other);
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Plain<'a>> {
        self.at += 1;
        if self.take(b']').is_some() {
            return Some(Plain::Other);
        }
        loop {
            self.value(depth)?;
            if self.is_end(b']')? {
                return Some(Plain::Other);
            }
        }
    }

    fn word(&mut self, word: &str, value: Plain<'a>) -> Option<Plain<'a>> {
        let is_it = self.line.as_bytes().get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        is_it.then_some(value)
    }

    fn number(&mut self) -> Option<Plain<'a>> {
        let start = self.at;
        // The sign is optional; digits must follow.
        let _ = self.take(b'-');
        let first = self.peek()?;
        let digits = self.digits()?;
        if first == b'0' && digits > 1 {
            return None;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            return None;
        }
        self.line.get(start..self.at).map(Plain::Number)
    }

    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        (self.at > start).then_some(self.at - start)
    }

    fn text(&mut self) -> Option<Plain<'a>> {
        self.take(b'"')?;
        let bytes = self.line.as_bytes();
        let start = self.at;
        let mut has_escapes = false;
        loop {
            self.at = special_at(bytes, self.at)?;
            match *bytes.get(self.at)? {
                b'"' => break,
                b'\\'
                    if matches!(
                        bytes.get(self.at + 1)?,
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'
                    ) =>
                {
                    has_escapes = true;
                    self.at += 2;
                }
                _ => return None,
            }
        }
        self.at += 1;
        if has_escapes {
            return Some(Plain::Other);
        }
        self.line.get(start..self.at - 1).map(Plain::Text)
    }
}

/// Returns the position of the first quote, backslash or control character from `at` on.
pub fn special_at(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        if let Some(found) = special_in(block) {
            return Some(at + found);
        }
        at += block.len();
    }
    let rest = bytes.get(at..)?;
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
    Some(at + found)
}

#[cfg(target_arch = "x86_64")]
fn special_in(block: &[u8; 16]) -> Option<usize> {
    // SAFETY: all x86-64 processors have SSE2.
    #[allow(unsafe_code)]
    let found = unsafe { special_in_sixteen(block) };
    found
}

/// Compares sixteen bytes at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn special_in_sixteen(block: &[u8; 16]) -> Option<usize> {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };
    let [low, high] = eights(*block).map(u64::cast_signed);
    let bytes = _mm_set_epi64x(high, low);
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x22));
    let slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5c));
    // The minimum of a control character and 0x1f is the character itself.
    let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    let marks = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
    (marks != 0).then(|| marks.trailing_zeros() as usize)
}

#[cfg(not(target_arch = "x86_64"))]
fn special_in(block: &[u8; 16]) -> Option<usize> {
    let [low, high] = eights(*block).map(special_in_eight);
    low.or(high.map(|at| at + 8))
}

fn eights(block: [u8; 16]) -> [u64; 2] {
    let all = u128::from_le_bytes(block);
    // The lower half, then the upper half.
    [all as u64, (all >> 64) as u64]
}

/// Sets the high bit of each special byte. Bytes after the first special one may be marked by mistake, because of carries.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn special_in_eight(eight: u64) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let (quote, slash) = (eight ^ (ONES * 0x22), eight ^ (ONES * 0x5c));
    let marks = (quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash)
        | (eight.wrapping_sub(ONES * 0x20) & !eight);
    let marks = marks & (ONES << 7);
    (marks != 0).then(|| (marks.trailing_zeros() / 8) as usize)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;

    /// Compares the result with that of the parser.
    fn compare(line: &str) {
        let mut seen = Vec::new();
        let whole = each_member(line, |name, value| {
            seen.push((name.to_owned(), value));
            Some(())
        });
        if whole.is_none() {
            return;
        }
        let parsed: Map<String, Value> = serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert!(seen.iter().all(|(name, _)| parsed.contains_key(name)), "{line}");
        assert!(
            parsed.keys().all(|key| seen.iter().any(|(name, _)| name == key)),
            "{line}"
        );
        for (name, value) in &parsed {
            // Of duplicate keys the last one counts.
            let last = seen.iter().rfind(|(seen, _)| seen == name).map(|(_, value)| *value);
            let is_same = match (last, value) {
                (Some(Plain::Text(text)), Value::String(parsed)) => text == parsed,
                (Some(Plain::Number(text)), Value::Number(_)) => {
                    serde_json::from_str::<Value>(text).ok().as_ref() == Some(value)
                }
                (Some(Plain::Flag(flag)), Value::Bool(parsed)) => flag == *parsed,
                (Some(Plain::Null), Value::Null) => true,
                (Some(Plain::Other), Value::Array(_) | Value::Object(_) | Value::String(_)) => true,
                _ => false,
            };
            assert!(is_same, "{line}: {name}");
        }
    }

    #[test]
    fn lines_as_they_are_written_are_plain() {
        for line in [
            "{}",
            r#"{"_v":1,"id":"mem_1","content":"a \"quoted\" é text\n","tags":[],"confidence":0.7,"hallmark":{"a":[{}]},"x":null}"#,
            r#"{"deduped":false,"n":-0.5,"zero":0,"flag":true}"#,
        ] {
            assert!(each_member(line, |_, _| Some(())).is_some(), "{line}");
            compare(line);
        }
    }

    #[test]
    fn the_fast_path_accepts_valid_json_only() {
        for line in [
            "",
            "{",
            "[]",
            "{}x",
            "{\"a\":1,}",
            "{\"a\" :1}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":-}",
            "{\"a\":tru}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\t\"}",
            "{\"a\":[1,]}",
            "{\"a\":{\"b\"}}",
            "{\"a\":1}{}",
            "{\"a\":\"b}",
            "{a:1}",
        ] {
            assert_eq!(each_member(line, |_, _| Some(())), None, "{line}");
        }
    }

    #[test]
    fn the_first_special_byte_is_found_at_any_position() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for behind in [0x20, 0x7f, 0x80, 0xff, b'"', b'!', b'#', b'['] {
                for at in 0..40 {
                    let mut bytes = vec![behind; 40];
                    bytes[..at].fill(0xa0);
                    bytes[at] = special;
                    assert_eq!(special_at(&bytes, 0), Some(at));
                    let eight = bytes[at / 8 * 8..][..8].try_into().unwrap();
                    assert_eq!(special_in_eight(u64::from_le_bytes(eight)), Some(at % 8));
                }
            }
        }
        assert_eq!(special_at(&[0x20, 0x7f, 0x80, 0xff].repeat(9), 0), None);
    }

    const PIECES: [&str; 32] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"a\"",
        "\"a\":",
        "\"b\":1,",
        "\"long enough to be several words\"",
        "1",
        "0",
        "-",
        ".",
        "e1",
        "12.50",
        "null",
        "true",
        "false",
        "nul",
        " ",
        "\n",
        "\\n",
        "\\u00e9",
        "é",
        "\u{7f}",
        "\"_v\":1,",
        "{\"a\":[1,{\"b\":\"c\"}]}",
        "\"\\\\\"",
        "\u{1}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_scanner_sees_the_same_as_a_parser(pieces in proptest::collection::vec(0..PIECES.len(), 0..9)) {
            let body: String = pieces.iter().map(|at| PIECES[*at]).collect();
            compare(&body);
            compare(&format!("{{\"a\":{body}}}"));
            compare(&format!("{{{body}\"z\":\"{body}\"}}"));
        }
    }
}
