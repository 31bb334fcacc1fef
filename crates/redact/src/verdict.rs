//! Decides by the shape of a value whether it is a secret; its name and syntax set the thresholds.

use super::assigned::Style;
use super::base64::is_encoded_login;
use super::key::{Class, Key};
use super::shape::{Shape, is_hex, is_name, is_uuid};
use super::{expression, placeholder};

/// True if `value`, found after `key`, is a secret. `next` is the byte after it.
pub(super) fn is_secret(value: &[u8], is_quoted: bool, key: &Key, name: &[u8], style: Style, next: u8) -> bool {
    let shape = Shape::of(value);
    let is_empty = value.len() < 6 || placeholder::is_syntactic(value) || placeholder::is_stand_in(value, &shape);
    let is_known = placeholder::is_content_id(value) || expression::is_reference(value) || expression::is_amount(value);
    if is_empty || is_known || !is_quoted && expression::is_code(value, &shape, next) {
        return false;
    }
    match key.class {
        Class::Login => is_encoded_login(value) && value.len() >= 12,
        Class::Weak => is_weak_key_value(value, &shape, key, style),
        _ if is_uuid(value) => uuid_is_secret(key.class, name),
        Class::Password => is_password(value, &shape, style) || is_machine_made(value, &shape, style),
        Class::Secret => {
            let is_made_up =
                is_password(value, &shape, style) && (style == Style::Literal && value.len() >= 8 || !is_name(value));
            style != Style::Prose && is_made_up || is_machine_made(value, &shape, style)
        }
        Class::Token | Class::ApiKey => is_machine_made(value, &shape, style),
    }
}

/// True if a token is long and varied enough to be a secret without a name that supports it.
pub(super) fn is_opaque(value: &[u8], min: usize) -> bool {
    let shape = Shape::of(value);
    !placeholder::is_syntactic(value)
        && !placeholder::is_stand_in(value, &shape)
        && is_opaque_shape(value, &shape, min, 0.16)
}

fn is_opaque_shape(value: &[u8], shape: &Shape, min: usize, surprise: f32) -> bool {
    if is_hex(value) {
        // with twelve digits where twelve letters would do, because a shorter number is a commit or a version
        return value.len() >= (min + 4).clamp(12, 16) && shape.digit > 0 && (shape.letters() > 0 || value.len() >= 32);
    }
    let varied = shape.digit >= 2 && shape.letters() >= 2 && shape.distinct >= 5;
    shape.is_random()
        || value.len() >= 32 && shape.longest_run >= 28 && shape.digit >= 2 && shape.distinct >= 6
        || value.len() >= min && varied && !is_name(value) && shape.surprise() >= surprise && shape.longest_run >= 6
}

fn is_machine_made(value: &[u8], shape: &Shape, style: Style) -> bool {
    let (min, surprise) = match style {
        Style::Literal => (8, 0.16),
        Style::Open => (10, 0.22),
        Style::Prose => (12, 0.22),
        Style::Code => (16, 0.25),
    };
    let is_algorithm = expression::is_algorithm(value, shape) && !shape.is_random();
    let is_written = is_algorithm || expression::is_path(value, shape) || expression::is_camel_case(value);
    is_opaque_shape(value, shape, min, surprise) && !is_written
}

/// True if `value` is a password of the kind that people choose: letters with digits or signs, and not a name.
fn is_password(value: &[u8], shape: &Shape, style: Style) -> bool {
    if style != Style::Code && is_joined_words(value) || is_numbered_pair(value) {
        return true;
    }
    if value.len() > 128 || expression::is_other(value, shape) {
        return false;
    }
    let is_cased = shape.lower > 0 && shape.upper > 0;
    // letters of other scripts count where the syntax says that this is the value itself
    let foreign = std::str::from_utf8(value).map_or(0, |text| {
        text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count()
    });
    let is_long = foreign + shape.letters() + shape.digit + shape.strong_sign + shape.other / 4 >= 6;
    let letters = match style {
        Style::Literal if is_long => shape.letters() + foreign,
        _ => shape.letters(),
    };
    let is_lettered = letters >= 2 && shape.digit >= 1;
    let has_sign = value.iter().skip(1).any(|b| b"!@#$%^&*~".contains(b));
    if has_sign && (is_lettered || is_cased && shape.letters() >= 4 || is_leet(value)) {
        return true;
    }
    let is_plain = is_lettered && !expression::is_numbered_word(value) && !expression::is_parts(value);
    let is_number = shape.digit == shape.len && shape.len <= 16;
    let is_scrambled = is_cased && shape.letters() == shape.len && shape.len >= 10 && shape.surprise() >= 0.28;
    match style {
        Style::Literal => is_plain || is_number || is_scrambled,
        Style::Open => is_plain || is_number,
        Style::Prose => is_plain && value.len() >= 7 && !expression::is_quantity(value),
        Style::Code => is_plain && value.len() >= 10 && shape.digit >= 2 && shape.surprise() >= 0.2,
    }
}

/// Recognises `correct-horse-battery-7` and `Winter-2024`: words and a number, as people choose and generators make them.
fn is_joined_words(value: &[u8]) -> bool {
    let mut parts = value.rsplit(|b| *b == b'-');
    let number = parts.next().unwrap_or_default();
    let words: Vec<&[u8]> = parts.collect();
    let is_word = |word: &&[u8]| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase);
    let is_season = |word: &[u8]| {
        let rest = word.get(1..).unwrap_or_default();
        word.first().is_some_and(u8::is_ascii_uppercase) && is_word(&rest)
    };
    let is_number = (1..=4).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    let is_phrase = words.len() >= 3 && words.iter().all(is_word);
    let is_pair = || number.len() >= 2 && words.len() == 1 && words.iter().all(|word| is_season(word));
    is_number && (is_phrase || is_pair())
}

/// Recognises `hunter2-9911`: a word with a digit at its end, and a number.
fn is_numbered_pair(value: &[u8]) -> bool {
    let Some(dash) = memchr::memchr(b'-', value) else {
        return false;
    };
    let (word, number) = (
        value.get(..dash).unwrap_or_default(),
        value.get(dash + 1..).unwrap_or_default(),
    );
    let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let digits = word.len() - letters;
    let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    letters >= 5
        && (1..=2).contains(&digits)
        && is_number(word.get(letters..).unwrap_or_default())
        && (2..=6).contains(&number.len())
        && is_number(number)
}

/// Recognises `p@ssword`, `pa$$word`: a sign in the place of a letter.
fn is_leet(value: &[u8]) -> bool {
    let Some(at) = value.iter().position(|b| matches!(b, b'@' | b'$')).filter(|at| *at > 0) else {
        return false;
    };
    let (before, after) = (
        value.get(..at).unwrap_or_default(),
        value.get(at + 1).copied().unwrap_or(b' '),
    );
    let is_word = before.len() > 3 && before.iter().all(u8::is_ascii_alphabetic);
    !is_word && (after.is_ascii_alphabetic() || after == b'$')
}

fn is_weak_key_value(value: &[u8], shape: &Shape, key: &Key, style: Style) -> bool {
    let long = value.len() >= 20 && shape.is_random() && shape.digit > 0
        || value.len() >= 32 && is_hex(value) && shape.letters() > 0;
    style == Style::Literal && key.is_upper && long && !is_uuid(value) && !expression::is_path(value, shape)
}

/// UUIDs are identifiers far more often than secrets; after these names they are secrets.
fn uuid_is_secret(class: Class, name: &[u8]) -> bool {
    let compound = name.len() > "token".len() && !name.eq_ignore_ascii_case(b"tokens");
    matches!(class, Class::Password | Class::Secret | Class::ApiKey) || class == Class::Token && compound
}
