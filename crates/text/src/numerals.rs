//! Numbers, dates and times as they are written: who asks for `March 7, 2024` finds `2024-03-07`, and with `9 am` finds `09:00`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::fold;
use super::lexicon::{is_stop_word, pairs};
use super::tokenization::{Token, each_token};

/// The digits between two signs of a large number.
const GROUP: usize = 3;
const HOURS: u32 = 24;
/// Shorter numbers are counts, and shorter names with few digits are words: `k8s`, `utf8`.
const CODE_DIGITS_MIN: usize = 3;
const CODE_BYTES_MIN: usize = 6;
/// What stands between the parts of a date, where it is no stop word.
const LINKS: [&str; 3] = ["de", "del", "of"];

/// The numbers that words stand for, by a kind of the lexicon.
fn numbers_of(kind: &'static str) -> FxHashMap<&'static str, u32> {
    let rows = pairs(kind).filter_map(|(number, names)| Some((number.parse().ok()?, names)));
    let names = rows.flat_map(|(number, names)| names.split_ascii_whitespace().map(move |name| (name, number)));
    names.collect()
}

static MONTHS: LazyLock<FxHashMap<&str, u32>> = LazyLock::new(|| numbers_of("month"));
/// What stands behind an hour, with what is added to it.
static CLOCK: LazyLock<FxHashMap<&str, u32>> = LazyLock::new(|| numbers_of("clock"));
/// What adds zeros to a number.
static ZEROS: LazyLock<FxHashMap<&str, u32>> = LazyLock::new(|| numbers_of("zeros"));
/// Units, measures and currencies, each by its names and its sign.
static MEASURES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let mut measures = FxHashMap::default();
    for (sign, names) in ["currency", "measure", "unit"].into_iter().flat_map(pairs) {
        let one = names.split_ascii_whitespace().next().unwrap_or(sign);
        for name in names.split_ascii_whitespace().chain([sign]) {
            measures.entry(name).or_insert(one);
        }
    }
    measures
});
/// The words for the sign of a currency.
static CURRENCIES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| pairs("currency").collect());

/// Returns the hours that a word adds to the hour before it.
pub(super) fn hours_added_by(word: &str) -> Option<u32> {
    CLOCK.get(word).copied()
}

pub(super) fn is_digits(run: &str) -> bool {
    !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit())
}

/// True of the name of a month, folded.
pub(super) fn is_month(word: &str) -> bool {
    MONTHS.contains_key(word)
}

/// True of the unit of a number, folded: `512 KB`, and not `512 MB`.
pub(super) fn is_unit(word: &str) -> bool {
    measure_of(word).is_some()
}

/// Returns the one name of a unit, a measure or a currency, by any of its names.
pub(super) fn measure_of(word: &str) -> Option<&'static str> {
    MEASURES.get(word).copied()
}

/// Returns the number and the unit of a run, folded: `25mb`.
pub(super) fn split_unit(run: &str) -> Option<(&str, &str)> {
    let (number, unit) = run.split_at_checked(run.find(|c: char| !c.is_ascii_digit())?)?;
    (!number.is_empty() && is_unit(unit)).then_some((number, unit))
}

/// Returns the one name of a currency, by its sign or any of its names.
pub(super) fn currency_of(word: &str) -> Option<&'static str> {
    measure_of(word).filter(|name| CURRENCIES.values().any(|names| names.starts_with(name)))
}

/// Returns the words for the currency whose sign stands at the end of a text.
pub(super) fn currency_behind(text: &str) -> Option<Vec<String>> {
    let sign = text.get(text.char_indices().next_back()?.0..)?;
    let words = CURRENCIES.get(sign)?.split_ascii_whitespace();
    Some(words.map(str::to_owned).collect())
}

/// Returns the other spellings of a number with signs: a date, a time of the day, or a large number.
pub(super) fn spellings_of(number: &str) -> Vec<String> {
    let parts = |sign: char| {
        number
            .split(sign)
            .map(|part| part.parse().ok())
            .collect::<Option<Vec<u32>>>()
    };
    let mut found = Vec::new();
    for sign in ['-', '.', '/'] {
        if let Some([first, middle, last]) = parts(sign).as_deref() {
            let date = Date::of(*first, *middle, *last).or_else(|| Date::of(*last, *middle, *first));
            found.extend(date.or_else(|| Date::of(*last, *first, *middle)).map(Date::spellings));
        }
    }
    if let Some([hour, minute]) = parts(':').as_deref() {
        found.extend(time_spellings(*hour, *minute));
    }
    if is_grouped(number) {
        found.push(vec![number.replace(['.', ','], "")]);
    }
    found.concat().into_iter().filter(|other| other != number).collect()
}

/// True of a large number with signs: `10,000`.
fn is_grouped(number: &str) -> bool {
    let mut groups = number.split(['.', ',']);
    (1..=GROUP).contains(&groups.next().map_or(0, str::len))
        && number.len() > GROUP
        && groups.all(|group| group.len() == GROUP && is_digits(group))
}

/// Returns a whole number of so many digits as it is written with a sign.
fn grouped(digits: &str) -> Option<String> {
    let (thousands, rest) = digits.split_at_checked(digits.len().checked_sub(GROUP)?)?;
    ((1..=GROUP).contains(&thousands.len()) && !is_year(digits)).then(|| format!("{thousands}.{rest}"))
}

/// Returns a number without the signs in it that only help to read it: `10,000` is 10000, and `2,5` is 2.5.
pub(super) fn value_of(number: &str) -> String {
    if is_grouped(number) {
        return number.replace(['.', ','], "");
    }
    number.replace(',', ".")
}

/// Returns how many zeros a word adds to the number before it.
pub(super) fn zeros_of(word: &str) -> Option<usize> {
    ZEROS.get(word).map(|zeros| *zeros as usize)
}

/// Returns a number with zeros: 1.2 million are 1200000.
pub(super) fn with_zeros(number: &str, zeros: usize) -> Option<String> {
    let number = number.replace(',', ".");
    let (whole, part) = number.split_once('.').unwrap_or((&number, ""));
    let zeros = zeros.checked_sub(part.len())?;
    (is_digits(whole) && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| {
        format!("{whole}{part}{}", "0".repeat(zeros))
            .trim_start_matches('0')
            .to_owned()
    })
}

/// True of four digits that are a year of these times.
pub(super) fn is_year(digits: &str) -> bool {
    digits.len() == 4 && ["19", "20"].iter().any(|century| digits.starts_with(century))
}

/// True of a long number that is no year, and of a name that is mostly one: a port, the code of an error, the beginning of a hash.
pub(super) fn is_code(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if digits == run.len() {
        return digits >= CODE_DIGITS_MIN && !is_year(run);
    }
    digits > 1 && (2 * digits >= run.len() || (run.len() >= CODE_BYTES_MIN && 3 * digits >= run.len()))
}

/// Returns a time of the day as people write it.
fn time_spellings(hour: u32, minute: u32) -> Option<Vec<String>> {
    if hour > HOURS || minute > 59 {
        return None;
    }
    let (half, of_twelve) = (if hour < 12 { "am" } else { "pm" }, (hour + 11) % 12 + 1);
    let mut found = vec![
        format!("{hour:02}:{minute:02}"),
        format!("{hour}:{minute:02}"),
        format!("{hour}h{minute:02}"),
    ];
    if hour > 12 {
        found.push(format!("{of_twelve}:{minute:02}"));
    }
    if minute == 0 {
        found.push(format!("{of_twelve}{half}"));
    } else {
        found.push(format!("{of_twelve}:{minute:02}{half}"));
    }
    Some(found)
}

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    fn of(year: u32, month: u32, day: u32) -> Option<Self> {
        ((1900..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Date {
            year,
            month,
            day,
        })
    }

    /// Returns the date as the numbers with signs that people write.
    fn spellings(self) -> Vec<String> {
        let Date { year, month, day } = self;
        let mut found = vec![
            format!("{year}-{month:02}-{day:02}"),
            format!("{year}/{month:02}/{day:02}"),
        ];
        for sign in ['.', '/'] {
            found.push(format!("{day:02}{sign}{month:02}{sign}{year}"));
            found.push(format!("{day}{sign}{month}{sign}{year}"));
        }
        found
    }
}

/// Reads what several words of a question make together: `March 7, 2024`, `7 de marzo de 2024`, `9 am`, `10 000`, `30 s`.
#[derive(Debug, Default)]
pub(super) struct Numerals {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    /// The number that came last, with its signs.
    last: String,
    /// The hours that a word before it adds, in scripts without spaces: `午後3時`.
    more: u32,
}

impl Numerals {
    /// Takes a number with signs.
    pub(super) fn take_number(&mut self, number: &str) {
        number.clone_into(&mut self.last);
    }

    /// Takes the next word, folded, and whether it stands directly behind a space. Returns the spellings of what it completes.
    pub(super) fn take(&mut self, word: &str, is_behind_space: bool) -> Vec<String> {
        let mut found = Vec::new();
        let last = std::mem::take(&mut self.last);
        if is_behind_space && is_digits(&last) && is_digits(word) && word.len() == GROUP && last.len() <= GROUP {
            let digits = format!("{last}{word}");
            found.extend(grouped(&digits));
            found.push(digits);
        } else if is_digits(word) {
            found.extend(grouped(word));
            word.clone_into(&mut self.last);
        } else if let Some(digits) = zeros_of(word).and_then(|zeros| with_zeros(&last, zeros)) {
            found.extend(grouped(&digits));
            found.push(digits);
        } else if is_behind_space && is_unit(word) {
            // The last digits of a number with signs are a run with the unit behind them: `2.5mg`.
            let digits = last.rsplit(['.', ',']).next().filter(|digits| is_digits(digits));
            found.extend(digits.map(|digits| format!("{digits}{word}")));
        }
        let clock = CLOCK.get(word).and_then(|more| time_of(&last, *more));
        let clock = clock.or_else(|| time_of_run(word)).unwrap_or_default();
        // The number itself is a word of the query.
        found.extend(clock.into_iter().filter(|spelling| *spelling != last));
        found.extend(self.take_date(word).map(Date::spellings).unwrap_or_default());
        found
    }

    /// Takes a letter of a script without spaces, and the text behind it.
    pub(super) fn take_letter(&mut self, letter: char, ahead: &str) -> Vec<String> {
        let last = std::mem::take(&mut self.last);
        let more = std::mem::take(&mut self.more);
        match letter {
            '月' => self.month = self.day.take(),
            '年' | '日' | '号' => {}
            '午' => self.more = more,
            '後' | '下' | '晚' => self.more = HOURS / 2,
            '時' | '时' | '点' if !ahead.starts_with(['間', '间']) => {
                return time_of(&last, more).unwrap_or_default();
            }
            _ => {
                let zeros = zeros_of(letter.encode_utf8(&mut [0; 4]));
                let digits = zeros.and_then(|zeros| with_zeros(&last, zeros));
                let with_sign = digits.as_deref().and_then(grouped);
                return digits.into_iter().chain(with_sign).collect();
            }
        }
        Vec::new()
    }

    fn take_date(&mut self, word: &str) -> Option<Date> {
        let ends = ["st", "nd", "rd", "th", "er", "o"];
        let digits = ends.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        match (digits.parse().ok(), MONTHS.get(word)) {
            (Some(day @ 1..=31), _) => self.day = Some(day),
            (Some(year), _) => self.year = Some(year),
            (None, Some(month)) => self.month = Some(*month),
            (None, None) if is_stop_word(word) || LINKS.contains(&word) => {}
            (None, None) => (self.year, self.month, self.day) = (None, None, None),
        }
        let date = Date::of(self.year?, self.month?, self.day?);
        (self.year, self.month, self.day) = (None, None, None);
        date
    }
}

/// Returns the dates that a text has in words, as numbers: `3 Feb 2026` is `2026-02-03`.
pub(super) fn dates_in(text: &str) -> Vec<String> {
    let (mut numerals, mut number_end, mut found) = (Numerals::default(), 0, Vec::new());
    each_token(text, |at, token| match token {
        Token::Number(number) => number_end = at + number.len(),
        Token::Run { text, .. } if at >= number_end => {
            let date = numerals.take_date(&fold(text)).map(Date::spellings);
            found.extend(date.and_then(|spellings| spellings.into_iter().next()));
        }
        Token::Spaceless { c, .. } => {
            numerals.take_letter(c, "");
        }
        _ => {}
    });
    found
}

/// Returns the spellings of an hour, or of an hour with its minutes, to which this is added: `9`, `2:30`.
fn time_of(clock: &str, more: u32) -> Option<Vec<String>> {
    let (hour, minute) = clock.split_once(':').unwrap_or((clock, "0"));
    let hour: u32 = hour.parse().ok()?;
    let hour = if hour < 12 { hour + more } else { hour };
    time_spellings(hour, minute.parse().ok()?)
}

/// `14h30`, `9am`
fn time_of_run(run: &str) -> Option<Vec<String>> {
    let (hour, rest) = run.split_at_checked(run.find(|c: char| !c.is_ascii_digit())?)?;
    if let Some(more) = CLOCK.get(rest) {
        return time_of(hour, *more);
    }
    let minute = rest.strip_prefix('h').filter(|minute| minute.len() == 2)?;
    time_spellings(hour.parse().ok()?, minute.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{Numerals, spellings_of, split_unit};

    /// Returns the spellings of what a text makes.
    fn made_of(text: &str) -> Vec<String> {
        let mut numerals = Numerals::default();
        let mut found = Vec::new();
        for word in text.split(' ') {
            if word.contains(':') {
                numerals.take_number(word);
            } else {
                found.extend(numerals.take(word, true));
            }
        }
        found
    }

    #[test]
    fn a_date_in_words_and_in_numbers() {
        for text in ["2024/3/7", "07.03.2024", "7.3.2024", "7/3/2024"] {
            assert!(spellings_of(text).contains(&"2024-03-07".to_owned()), "{text}");
        }
        assert!(spellings_of("3/17/2024").contains(&"17.03.2024".to_owned()));
        for text in [
            "1.4.2",
            "10.0.0.12",
            "2024-13-41",
            "5.1",
            "3.4.2099-rc.1",
            "1.24:3",
            "80:443",
            "99:99",
            "",
        ] {
            assert!(spellings_of(text).is_empty(), "{text}: {:?}", spellings_of(text));
        }
        for text in [
            "march 7 2024",
            "on the 7th of march 2024",
            "am 7 märz 2024",
            "7 de marzo de 2024",
            "le 7 mars 2024",
            "7 de março de 2024",
            "7 марта 2024",
        ] {
            assert!(
                made_of(text).contains(&"2024-03-07".to_owned()),
                "{text}: {:?}",
                made_of(text)
            );
        }
        assert!(made_of("march 7 broke 2024 things of may").is_empty());
        let mut numerals = Numerals::default();
        for (run, letter) in [("2024", '年'), ("3", '月')] {
            numerals.take(run, false);
            assert!(numerals.take_letter(letter, "").is_empty());
        }
        assert!(numerals.take("7", false).contains(&"2024-03-07".to_owned()));
    }

    #[test]
    fn a_time_of_the_day() {
        for (text, other) in [
            ("9 am", "09:00"),
            ("9 pm", "21:00"),
            ("9 uhr", "09:00"),
            ("9 утра", "9:00"),
            ("9 вечера", "21:00"),
            ("14h30", "14:30"),
            ("2:30 pm", "14:30"),
            ("12 pm", "12:00"),
            ("9am", "09:00"),
        ] {
            assert!(made_of(text).contains(&other.to_owned()), "{text}: {:?}", made_of(text));
        }
        assert!(spellings_of("14:30").contains(&"2:30".to_owned()));
        for text in ["99 am", "am 9", "9 lives"] {
            assert!(made_of(text).is_empty(), "{text}: {:?}", made_of(text));
        }
    }

    #[test]
    fn a_large_number_and_one_with_its_unit() {
        for (text, other) in [
            ("10 000", "10000"),
            ("10000", "10.000"),
            ("10 000", "10.000"),
            ("30 s", "30s"),
        ] {
            assert!(made_of(text).contains(&other.to_owned()), "{text}: {:?}", made_of(text));
        }
        assert_eq!(spellings_of("10.000"), ["10000"]);
        assert!(made_of("2024").is_empty() && made_of("port 8 is 12345678").is_empty());
        assert_eq!(split_unit("25mb"), Some(("25", "mb")));
        assert_eq!(split_unit("b25"), None);
    }
}
