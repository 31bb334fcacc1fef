//! Invisible characters (Unicode default ignorables, bidirectional controls, tags; see UTS #39 and "Trojan Source", 2021).
//! They hide from people text that programs and models read. Wherever stored text is shown, they are shown as `\u{200b}`.
//!
//! The set is defined by Unicode properties: `Default_Ignorable_Code_Point`, `Bidi_Control`, format characters (`Cf`)
//! without a glyph, controls, and the separators of lines and paragraphs. One is added that Unicode classifies as a symbol:
//! the blank Braille pattern.
//!
//! Three of them are functional in ordinary text, and stay in these contexts:
//!
//! - a variation selector 15 or 16 after a character that has an emoji form (`❤️`, `1️⃣`);
//! - a zero-width joiner between two pictographs (`👩‍💻`), or after a virama;
//! - a zero-width non-joiner between two letters that would join (Persian `می‌خواهم`), or after a virama.
//!
//! The last two are the contexts in which domain names may contain them (RFC 5892, appendix A). Flags spelled with tags,
//! and variants of ideographs, are shown as escapes: tags can spell anything.
//!
//! `lib/text/hidden.ts` has the same rules for programs without the addon; its table is generated from this module.

use std::borrow::Cow;
use std::fmt::Write;

use icu_properties::props::{
    BidiControl, CanonicalCombiningClass, DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic,
    GeneralCategory, JoiningType, PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';
const BLANK_BRAILLE: char = '\u{2800}';

/// The properties of a character that decide how it is shown, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roles(u8);

impl Roles {
    /// It is invisible.
    pub const HIDDEN: Roles = Roles(1);
    /// It has an emoji form.
    pub const EMOJI: Roles = Roles(1 << 1);
    /// A zero-width joiner combines it with another pictograph.
    pub const PICTOGRAPH: Roles = Roles(1 << 2);
    /// It modifies the colour of the pictograph before it.
    pub const MODIFIER: Roles = Roles(1 << 3);
    /// It joins with a letter after it.
    pub const JOINS_NEXT: Roles = Roles(1 << 4);
    /// It joins with a letter before it.
    pub const JOINS_LAST: Roles = Roles(1 << 5);
    /// Letters join across it.
    pub const TRANSPARENT: Roles = Roles(1 << 6);
    /// It suppresses the vowel of the consonant before it.
    pub const VIRAMA: Roles = Roles(1 << 7);

    /// Looks up a character.
    pub fn of(c: char) -> Self {
        let joining = CodePointMapData::<JoiningType>::new().get(c);
        let is_hidden = is_hidden(c);
        let known = [
            (Self::HIDDEN, is_hidden),
            (Self::EMOJI, CodePointSetData::new::<Emoji>().contains(c)),
            (
                Self::PICTOGRAPH,
                CodePointSetData::new::<ExtendedPictographic>().contains(c),
            ),
            (Self::MODIFIER, CodePointSetData::new::<EmojiModifier>().contains(c)),
            (
                Self::JOINS_NEXT,
                matches!(joining, JoiningType::LeftJoining | JoiningType::DualJoining),
            ),
            (
                Self::JOINS_LAST,
                matches!(joining, JoiningType::RightJoining | JoiningType::DualJoining),
            ),
            (Self::TRANSPARENT, joining == JoiningType::Transparent && !is_hidden),
            (
                Self::VIRAMA,
                CodePointMapData::<CanonicalCombiningClass>::new().get(c) == CanonicalCombiningClass::Virama,
            ),
        ];
        let bits = known.into_iter().filter(|(_, is_so)| *is_so);
        Roles(bits.fold(0, |bits, (role, _)| bits | role.0))
    }

    /// True if it has one of these roles.
    pub const fn has(self, roles: Roles) -> bool {
        self.0 & roles.0 != 0
    }
}

/// True if a character is invisible. Line feeds and tabs are visible white space.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        '\0'..='\u{9f}' => true,
        '\u{a0}'..='\u{ac}' => false,
        _ => is_hidden_by_its_properties(c),
    }
}

/// True if a text shows nothing: it is empty, or consists of white space and invisible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hidden(c))
}

fn is_hidden_by_its_properties(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    let draws_nothing = match category {
        GeneralCategory::Format => !CodePointSetData::new::<PrependedConcatenationMark>().contains(c),
        GeneralCategory::Control | GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => true,
        _ => c == BLANK_BRAILLE,
    };
    draws_nothing
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointSetData::new::<BidiControl>().contains(c)
}

/// Replaces invisible characters by escapes such as `\u{200b}`; line feeds and tabs stay.
pub fn show_hidden(text: &str) -> Cow<'_, str> {
    escape_hidden(text, push_escape)
}

/// Replaces invisible characters in JSON text by JSON escapes, so that the values stay the same.
pub fn show_hidden_json(json: &str) -> Cow<'_, str> {
    escape_hidden(json, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn escape_hidden(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut kept) = (String::new(), 0);
    for (at, c) in text.char_indices() {
        let behind = at + c.len_utf8();
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
        if is_hidden(c) && !is_functional(c, part(0..at), part(behind..text.len())) {
            out.push_str(part(kept..at));
            escape(&mut out, c);
            kept = behind;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Appends a character as an escape.
pub fn push_escape(out: &mut String, c: char) {
    // Writing to a string does not fail.
    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
}

/// Without an early exit, the compiler vectorizes this loop.
fn is_plain(text: &str) -> bool {
    let is_seen = |byte: u8| (0x20..0x7f).contains(&byte) | (byte == b'\n') | (byte == b'\t');
    text.bytes().fold(true, |plain, byte| plain & is_seen(byte))
}

/// True if an invisible character is functional in its context.
fn is_functional(c: char, before: &str, after: &str) -> bool {
    let last = before.chars().next_back();
    let roles = |c: Option<char>| c.map_or(Roles(0), Roles::of);
    match c {
        '\u{fe0e}' | '\u{fe0f}' => roles(last).has(Roles::EMOJI),
        JOINER => roles(last).has(Roles::VIRAMA) || joins_pictographs(before, after),
        NON_JOINER => roles(last).has(Roles::VIRAMA) || parts_letters(before, after),
        _ => false,
    }
}

fn joins_pictographs(before: &str, after: &str) -> bool {
    const LEFT: Roles = Roles(Roles::PICTOGRAPH.0 | Roles::MODIFIER.0);
    let mut left = before.chars().rev();
    let last = left
        .next()
        .and_then(|last| if last == '\u{fe0f}' { left.next() } else { Some(last) });
    let next = after.chars().next();
    last.is_some_and(|c| Roles::of(c).has(LEFT)) && next.is_some_and(|c| Roles::of(c).has(Roles::PICTOGRAPH))
}

fn parts_letters(before: &str, after: &str) -> bool {
    let solid = |c: &char| !Roles::of(*c).has(Roles::TRANSPARENT);
    let last = before.chars().rev().find(solid);
    let next = after.chars().find(solid);
    last.is_some_and(|c| Roles::of(c).has(Roles::JOINS_NEXT))
        && next.is_some_and(|c| Roles::of(c).has(Roles::JOINS_LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_shown() {
        for hidden in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180b}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{2028}',
            '\u{2029}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{206f}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{1b}',
            '\u{7f}',
            '\u{9b}',
            '\r',
        ] {
            let shown = format!("a\\u{{{:x}}}b", u32::from(hidden));
            assert_eq!(show_hidden(&format!("a{hidden}b")), shown);
        }
    }

    #[test]
    fn visible_characters_are_kept() {
        for text in [
            "plain\n\ttext",
            "Zürich, naïve, Ελλάδα, Москва",
            "日本語　全角",
            "עברית",
            "کتاب‌ها و می‌خواهم",
            "क्‍ष and क्‌ष",
            "❤️ 1️⃣ ☎︎",
            "👩‍💻 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥 👨‍👩‍👧‍👦",
            "e\u{301} a\u{a0}b \u{2003}",
            "\u{600}12 \u{6dd}",
        ] {
            assert!(
                matches!(show_hidden(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn a_joiner_out_of_place_hides_something() {
        for (text, shown) in [
            ("to\u{200d}ken", "to\\u{200d}ken"),
            ("\u{200c}a", "\\u{200c}a"),
            ("ب\u{200c}a", "ب\\u{200c}a"),
            ("☠\u{200d}\u{200d}☠", "☠\\u{200d}\\u{200d}☠"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}"),
            ("a\u{fe0f}\u{200d}☠", "a\\u{fe0f}\\u{200d}☠"),
            ("🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"),
        ] {
            assert_eq!(show_hidden(text), shown);
        }
    }

    #[test]
    fn redaction_keeps_the_values_of_json() {
        let value = serde_json::json!({"a\u{200b}": "b\u{e0041}\u{202e}ü❤\u{fe0f}\n"});
        let shown = show_hidden_json(&value.to_string()).into_owned();
        assert_eq!(shown, r#"{"a\u200b":"b\udb40\udc41\u202eü❤️\n"}"#);
        assert!(matches!(serde_json::from_str::<serde_json::Value>(&shown), Ok(same) if same == value));
    }

    #[test]
    fn many_marks_in_a_row_take_linear_time() {
        let count = |text: &str| show_hidden(text).len();
        // Without a bound, the search around each of these would be quadratic.
        assert!(count(&"ب\u{64e}".repeat(200_000)) > 0);
        assert!(count(&"\u{64e}\u{200c}".repeat(200_000)) > 0);
    }
}
