//! Times of the day, as people write them: `2:30 pm`, `14:30`, `14h30`, `3 Uhr nachmittags`, `11 de la noche`, `下午3点半`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::fold;
use super::lexicon::words;
use super::numerals::{hours_added_by, is_digits};
use super::tokenization::{Class, class_of};

const HALF_DAY: u32 = 12;
const MINUTES: u32 = 60;
/// From this hour on, a time of the night is one of the evening: `11 at night`, and `2 at night`.
const EVENING: u32 = 6;
/// So many words behind a number are looked at: `11 in the evening`, `3 Uhr am Nachmittag`.
const WORDS_MAX: usize = 4;
/// What stands before an hour in scripts without spaces, with the hours that it adds.
const HALVES: [(&[&str], u32); 2] = [
    (&["午前", "上午", "凌晨", "早上", "清晨", "朝"], 0),
    (&["午後", "下午", "晚上", "今晚", "夜"], HALF_DAY),
];
/// The words between the hour and its half of the day, and those for the night.
static LINKS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("clock-link"));
static NIGHT: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("night"));

/// A time of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) minutes: u32,
    /// True if it may be of either half of the day: `9:30`.
    pub(super) is_of_either: bool,
}

impl Time {
    /// Reads the one of a number by what stands around it; `None` for any other number.
    pub(super) fn read(name: &str, ahead: &str, behind: &str) -> Option<Time> {
        let name = name.to_ascii_lowercase();
        let (number, ending) = name.split_at(name.find(|c: char| c.is_alphabetic()).unwrap_or(name.len()));
        if is_digits(number) && behind.starts_with(['時', '时', '点']) {
            return spaceless(number, ahead, behind);
        }
        let (hour, minute) = match ending.strip_prefix('h') {
            Some(minute) if minute.len() == 2 => (number, minute),
            _ => number.split_once(':').unwrap_or((number, "")),
        };
        let rest = if ending.starts_with('h') {
            behind.to_owned()
        } else {
            format!("{ending} {behind}")
        };
        let (added, named) = half_of(&rest, hour.parse().ok()?);
        if !(named || added.is_some() || minute.len() == 2) {
            return None;
        }
        let time = Time::of(hour, if minute.is_empty() { "0" } else { minute }, added)?;
        Some(Time {
            is_of_either: time.is_of_either && !hour.starts_with('0') && !ending.starts_with('h'),
            ..time
        })
    }

    fn of(hour: &str, minute: &str, added: Option<u32>) -> Option<Time> {
        let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
        if hour > 2 * HALF_DAY || minute >= MINUTES {
            return None;
        }
        let twelve = (1..=HALF_DAY).contains(&hour);
        let hour = added.filter(|_| twelve).map_or(hour, |added| hour % HALF_DAY + added);
        Some(Time {
            minutes: hour * MINUTES + minute,
            is_of_either: twelve && added.is_none(),
        })
    }

    /// True if one of them is of either half of the day, and the same in the other half.
    pub(super) fn may_be(self, other: Time) -> bool {
        (self.is_of_either || other.is_of_either) && self.minutes.abs_diff(other.minutes) == HALF_DAY * MINUTES
    }
}

/// Returns the hours that the words behind an hour add to it, and whether they say that it is one.
fn half_of(behind: &str, hour: u32) -> (Option<u32>, bool) {
    let mut named = false;
    // `a.m.` is one word.
    let behind = behind.replace(".m", "m");
    let words = behind
        .split(|c: char| class_of(c) != Class::Word)
        .filter(|word| !word.is_empty());
    for word in words.take(WORDS_MAX).map(fold) {
        if NIGHT.contains(word.as_bytes()) {
            return (Some(if hour < EVENING { 0 } else { HALF_DAY }), true);
        }
        // `3 Uhr am Nachmittag`
        if !(LINKS.contains(word.as_bytes()) || named && word == "am") {
            return match hours_added_by(&word) {
                Some(added) => (Some(added), true),
                None => (None, named),
            };
        }
        named |= matches!(word.as_str(), "uhr" | "o" | "clock");
    }
    (None, named)
}

/// `午後3時半`, `下午3点20分`
fn spaceless(hour: &str, ahead: &str, behind: &str) -> Option<Time> {
    let mut behind = behind.chars().skip(1);
    let next = behind.next();
    // A duration: `5時間`.
    if matches!(next, Some('間' | '间')) {
        return None;
    }
    let minute = match next {
        Some('半') => "30".to_owned(),
        Some(digit) if digit.is_ascii_digit() => std::iter::once(digit)
            .chain(behind.take_while(char::is_ascii_digit))
            .collect(),
        _ => "0".to_owned(),
    };
    Time::of(hour, &minute, half_before(ahead))
}

fn half_before(ahead: &str) -> Option<u32> {
    for (words, added) in HALVES {
        if words.iter().any(|word| ahead.ends_with(word)) {
            return Some(added);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Time;

    /// Reads the first number of a text.
    fn read(text: &str) -> Option<Time> {
        let from = text.find(|c: char| c.is_ascii_digit())?;
        let (ahead, rest) = text.split_at(from);
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == ':'))
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        Time::read(name, ahead, behind)
    }

    #[test]
    fn a_time_of_the_day_is_read_in_eight_languages() {
        for (text, hour, minute) in [
            ("at 2:30 pm", 14, 30),
            ("at 2:30pm", 14, 30),
            ("at 9 a.m. sharp", 9, 0),
            ("12 am", 0, 0),
            ("12:15 pm", 12, 15),
            ("at 7 in the evening", 19, 0),
            ("11 at night", 23, 0),
            ("2 at night", 2, 0),
            ("3 Uhr nachmittags", 15, 0),
            ("3 Uhr am Nachmittag", 15, 0),
            ("um 15 Uhr", 15, 0),
            ("a las 11 de la noche", 23, 0),
            ("a las 9 de la mañana", 9, 0),
            ("14h30", 14, 30),
            ("8 heures du soir", 20, 0),
            ("3 da tarde", 15, 0),
            ("в 6 вечера", 18, 0),
            ("в 4 часа утра", 4, 0),
            ("午後3時半", 15, 30),
            ("下午3点20分", 15, 20),
            ("凌晨4点", 4, 0),
            ("02:30 nightly", 2, 30),
            ("23:05", 23, 5),
        ] {
            let time = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((time.minutes, time.is_of_either), (hour * 60 + minute, false), "{text}");
        }
        for text in ["9:30", "3 Uhr", "3时"] {
            assert!(read(text).is_some_and(|time| time.is_of_either), "{text}");
        }
        for text in [
            "3 times",
            "25:10",
            "9:75",
            "15 of the night jobs",
            "port 5432",
            "5時間",
            "8h",
            "10:5",
            "7 de marzo",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
