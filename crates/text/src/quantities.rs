//! Amounts and names with digits, as a question has them and as a text has them. A text with nearly the same words may have the number of another
//! unit (`2.5 ml`, and not `2.5 mg`), with other zeros (`$1.2k`, and not `$1.2M`), or as a part of a longer name (`E4017-B`, and not `E4017`): words
//! of an index do not tell these apart.

use super::clock::Time;
use super::fold;
use super::lexicon::{has, known};
use super::lines::head;
use super::numerals::{
    currency_of, dates_in, is_code, is_digits, measure_of, spellings_of, value_of, with_zeros, zeros_of,
};
use super::query::is_title;
use super::tokenization::{Class, NUMBER_BYTES_MAX, class_of, normalize};

/// Of a longer text only so much is read: the beginning of a log or a page.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// The shortest hash that is shown of a commit.
const HASH_BYTES_MIN: usize = 7;
/// A thousand bytes of a computer, in thousands.
const BINARY: f64 = 1.024;
/// Names may have shorter numbers in common, and longer suffixes, without a reason.
const DIGITS_MIN: usize = 3;
/// What a suffix of a name is that makes another one of it: `7713-hotfix`.
const SUFFIX: &str = "name-suffix";

/// A number with what it is of, or a name with digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Quantity {
    /// As it is written, folded, without what it is of.
    name: String,
    /// The word before it.
    before: String,
    /// The value of a number; empty for a name.
    value: String,
    measure: Option<&'static str>,
    time: Option<Time>,
    /// The other spellings of one of a question, which is compared with many.
    spellings: Vec<String>,
}

/// How a text has the quantity of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Has {
    /// Neither it nor one that may be taken for it.
    Nothing,
    /// Another amount of the same, which may be an answer: `up to 60 s`.
    AnotherAmount,
    /// One that has the same digits and is another one: `2.5 ml`, `E4017-B`.
    Another,
    /// The same.
    Same,
}

/// The quantities of a question.
#[derive(Debug, Default)]
pub struct Quantities {
    asked: Vec<Quantity>,
}

impl Quantities {
    /// Returns those of a question by which texts can be told apart. The title of a change names what its text does not have.
    pub fn of(query: &str) -> Self {
        let mut asked = quantities_of(query);
        asked.retain(Quantity::is_telling);
        for quantity in &mut asked {
            quantity.spellings = spellings_of(&quantity.name);
        }
        if is_title(query) {
            asked.clear();
        }
        Quantities { asked }
    }

    /// True if the question has none.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Returns how a text has them: the same if it has all, and another one if it has one in place of any and none of them.
    pub fn are_in(&self, text: &str) -> Has {
        let said = quantities_of(head(text, TEXT_BYTES_MAX));
        let each = || self.asked.iter().map(|asked| asked.is_among(&said));
        if each().any(|has| has == Has::Same) {
            return each().min().filter(|has| *has == Has::Same).unwrap_or(Has::Nothing);
        }
        each().max().unwrap_or(Has::Nothing)
    }
}

impl Quantity {
    /// True if it is more than a count or a year, and no time that may be of either half of the day.
    fn is_telling(&self) -> bool {
        match self.time {
            Some(time) => !time.is_of_either,
            None => self.measure.is_some() || !self.name.chars().all(char::is_alphanumeric) || is_code(&self.name),
        }
    }

    fn is_among(&self, said: &[Quantity]) -> Has {
        let has = said.iter().map(|other| self.compare(other));
        has.max().unwrap_or(Has::Nothing)
    }

    /// Returns what another one is to it.
    fn compare(&self, other: &Quantity) -> Has {
        if let Some(time) = self.time {
            return match other.time {
                Some(other) if time.minutes == other.minutes => Has::Same,
                Some(other) if time.may_be(other) => Has::AnotherAmount,
                Some(_) => Has::Another,
                None => Has::Nothing,
            };
        }
        if self.is_written_as(other) || self.has_value_of(other) {
            return self.compare_measure(other);
        }
        if self.is_as_much_as(other) {
            Has::Same
        } else if self.may_be_taken_for(other) {
            Has::Another
        } else if self.is_of_what(other) {
            Has::AnotherAmount
        } else {
            Has::Nothing
        }
    }

    /// Returns what the same number is to it, by what it is of. A large number says enough without.
    fn compare_measure(&self, other: &Quantity) -> Has {
        match (self.measure, other.measure) {
            (Some(wanted), Some(measure)) if wanted != measure => Has::Another,
            (Some(_), None) if !is_code(&self.value) => Has::Nothing,
            _ => Has::Same,
        }
    }

    /// True of equal values. Of something that is measured, zeros at the end say nothing; a version 1.10 is not 1.1.
    fn has_value_of(&self, other: &Quantity) -> bool {
        if self.measure.is_none() || other.measure.is_none() {
            return !self.value.is_empty() && self.value == other.value;
        }
        let (one, two): (Result<f64, _>, Result<f64, _>) = (self.value.parse(), other.value.parse());
        one.is_ok() && one == two
    }

    /// True if both are the same amount in other units: `90 s` and `1.5 min`, `2 GB` and `2048 MB`.
    fn is_as_much_as(&self, other: &Quantity) -> bool {
        let (Some((family, one)), Some((of, other))) = (self.amount(), other.amount()) else {
            return false;
        };
        let ratio = one / other;
        family == of
            && [1.0, BINARY, 1.0 / BINARY]
                .iter()
                .any(|same| (ratio - same).abs() < 1e-9)
    }

    /// Returns the family of its unit, and how many of the smallest one it is.
    fn amount(&self) -> Option<(u8, f64)> {
        let (family, size) = known(self.measure?.as_bytes()).unit?;
        let value: f64 = self.value.parse().ok()?;
        Some((family, value * size))
    }

    /// True if both are of the same, or both are large numbers of nothing, dates, or hashes.
    fn is_of_what(&self, other: &Quantity) -> bool {
        if let (Some((family, _)), Some((of, _))) = (self.amount(), other.amount()) {
            return family == of;
        }
        let (one, two) = (self.name.as_str(), other.name.as_str());
        match (self.measure, other.measure) {
            (None, None) => {
                (is_code(&self.value) && is_code(&other.value))
                    || (is_date(one, &self.spellings) && is_date(two, &spellings_of(two)))
                    || (is_hash(one) && is_hash(two))
                    || (self.value.is_empty() && form_of(one) == form_of(two))
            }
            (measure, of) => measure == of,
        }
    }

    /// True if the names are the same: also with other signs (`Tier 1`, `tier-1`), as a part between signs (`8443/tcp`), as a date, or as the
    /// beginning of a long hash.
    fn is_written_as(&self, other: &Quantity) -> bool {
        let (one, two) = (self.name.as_str(), other.name.as_str());
        (one == two && (self.value == other.value || self.value.is_empty() || other.value.is_empty()))
            || (one != two && two.split(['/', ':', ',']).any(|part| part == one))
            || two.starts_with(one) && two.get(one.len()..).is_some_and(|rest| rest.starts_with(['/', ':']))
            || two.strip_suffix(one).is_some_and(|folder| folder.ends_with('/'))
            || (self.value.is_empty() && is_joined_to(one, other))
            || (is_hash(one) && is_hash(two) && two.starts_with(one))
            || self.spellings.contains(&other.name)
    }

    /// True if one of the names is the other one with a suffix, another number before its zeros, or the same number behind another name.
    fn may_be_taken_for(&self, other: &Quantity) -> bool {
        let (one, two) = (self.name.as_str(), other.name.as_str());
        goes_on(one, two)
            || goes_on(two, one)
            || one == two
            || one.trim_start_matches('-') == two.trim_start_matches('-')
            || (has_letters(one)
                && has_letters(two)
                && last_digits(one).len() >= DIGITS_MIN
                && last_digits(one) == last_digits(two))
    }
}

/// True if a name without its signs is another one with the word before it, or without.
fn is_joined_to(name: &str, other: &Quantity) -> bool {
    let (name, other_name) = (without_signs(name), without_signs(&other.name));
    name == other_name || name == without_signs(&other.before) + &other_name
}

fn without_signs(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn has_letters(name: &str) -> bool {
    name.contains(char::is_alphabetic)
}

/// True if a name is another one with a short suffix (`E4017-B`, `20481b`, `1.3.2`), and not with a word (`base64-encoded`).
fn goes_on(name: &str, longer: &str) -> bool {
    let Some(behind) = longer.strip_prefix(name) else {
        return false;
    };
    let suffix = behind.trim_start_matches(['-', '_', '.']);
    match behind.chars().next() {
        Some('.') => suffix.starts_with(|c: char| c.is_ascii_digit()),
        Some('-' | '_') => suffix.len() < DIGITS_MIN && suffix.is_ascii() || has(SUFFIX, suffix),
        Some(c) => c.is_ascii_alphabetic() && suffix.len() < DIGITS_MIN,
        None => false,
    }
}

/// Returns a name without its digits: `ops-0000`.
fn form_of(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// True of a date in numbers, which has more other spellings than a number or a time.
fn is_date(name: &str, spellings: &[String]) -> bool {
    name.matches(['-', '.', '/']).count() == 2 && spellings.len() > 2
}

/// True of the beginning of a hash: a long number has no letters, and one with more digits is another.
fn is_hash(name: &str) -> bool {
    name.len() >= HASH_BYTES_MIN && has_letters(name) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the digits from the last sign or letter on.
fn last_digits(name: &str) -> &str {
    name.rsplit(|c: char| !c.is_ascii_digit())
        .find(|digits| !digits.is_empty())
        .unwrap_or_default()
}

/// Returns the quantities of a text in order.
fn quantities_of(text: &str) -> Vec<Quantity> {
    let text = normalize(text);
    let dates = dates_in(&text).into_iter().map(|name| Quantity {
        name,
        ..Quantity::default()
    });
    let (mut found, mut at) = (dates.collect::<Vec<_>>(), 0);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(is_of_name)) {
        let (ahead, rest) = text.split_at(at + start);
        let (name, behind) = rest.split_at(name_end(rest));
        at += start + name.len();
        if name.contains(|c: char| c.is_ascii_digit()) {
            found.push(quantity(name, ahead, behind));
        }
    }
    found
}

fn is_of_name(c: char) -> bool {
    class_of(c) == Class::Word
}

/// Returns the end of the name at the beginning of a text: letters and digits with single signs between them, and the spaces of a large number.
fn name_end(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        end += rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let mut signs = text.get(end..).unwrap_or_default().chars();
        let (sign, next) = (signs.next().unwrap_or(' '), signs.next().unwrap_or(' '));
        let goes_on = match sign {
            '-' | '.' | '_' | ':' | '/' | '#' | '@' | '+' => is_of_name(next),
            ',' => next.is_ascii_digit(),
            ' ' => end < NUMBER_BYTES_MAX && is_group_ahead(text, end),
            _ => false,
        };
        if !goes_on {
            return end;
        }
        end += 1;
    }
}

/// True if a space is one of a large number: `10 000`.
fn is_group_ahead(text: &str, space: usize) -> bool {
    let (before, behind) = text.split_at(space);
    let group = behind.trim_start_matches(' ').split(|c: char| !is_of_name(c)).next();
    let digits = before.split(' ').map(str::len).collect::<Vec<_>>();
    behind.starts_with(' ')
        && before.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
        && matches!(digits.as_slice(), [1..=3, groups @ ..] if groups.iter().all(|length| *length == 3))
        && group.is_some_and(|group| group.len() == 3 && is_digits(group))
}

/// Returns the quantity of a name, by what stands around it.
fn quantity(name: &str, ahead: &str, behind: &str) -> Quantity {
    let version = name.strip_prefix(['v', 'V']).filter(|name| !name.contains('/'));
    let version = version.filter(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    let name = version.unwrap_or(name);
    let (digits, ending) = name.split_at(name.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1));
    let currency = currency_ahead(ahead);
    let zeros_in = |word: &str| zeros_of(&fold(word)).or_else(|| short_zeros_of(word, currency.is_some()));
    // `100-Euro-Gutschein`, `$49/month`
    let of = ending
        .trim_start_matches('-')
        .split(['-', '/'])
        .next()
        .unwrap_or_default();
    let before = ahead.trim_end_matches([' ', '#']).rsplit(|c| !is_of_name(c)).next();
    let before = fold(before.unwrap_or_default());
    let time = Time::read(name, ahead, behind);
    if time.is_some() {
        return Quantity {
            name: fold(name),
            before,
            time,
            ..Quantity::default()
        };
    }
    if !is_number(digits)
        || !(ending.is_empty() || ending.starts_with('/') || measure(of).is_some() || zeros_in(of).is_some())
    {
        return Quantity {
            name: fold(name),
            before,
            ..Quantity::default()
        };
    }
    let sign = if is_negative(ahead) { "-" } else { "" };
    let value = value_of(&digits.replace(' ', ","));
    let (word, rest) = if ending.is_empty() {
        next_word(behind)
    } else {
        (of, behind)
    };
    let more = zeros_in(word).and_then(|zeros| with_zeros(&value, zeros));
    let word = if more.is_some() { next_word(rest).0 } else { word };
    Quantity {
        name: format!("{sign}{digits}"),
        before,
        value: format!("{sign}{}", more.unwrap_or(value)),
        measure: currency.or_else(|| measure(word)),
        ..Quantity::default()
    }
}

fn is_number(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b' '))
}

/// True if the text before a number ends with its sign.
fn is_negative(ahead: &str) -> bool {
    let before = ahead.strip_suffix(['-', '\u{2212}']);
    before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '(']))
}

/// Returns the one name of a measure by any of its names, in the plural as well.
fn measure(word: &str) -> Option<&'static str> {
    let word = fold(word);
    measure_of(&word).or_else(|| measure_of(word.strip_suffix('s')?))
}

/// Returns the currency whose sign or name a text ends with.
fn currency_ahead(text: &str) -> Option<&'static str> {
    let text = text.strip_suffix(' ').unwrap_or(text);
    let sign = text.char_indices().next_back().and_then(|(at, _)| text.get(at..));
    let word = text.rsplit(|c| !is_of_name(c)).next();
    sign.and_then(currency_of)
        .or_else(|| word.and_then(|word| currency_of(&fold(word))))
}

/// Returns the word or the sign at the beginning of a text, behind a space or not, and what follows.
fn next_word(text: &str) -> (&str, &str) {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let letters = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    let sign = text.chars().next().map_or(0, char::len_utf8);
    text.split_at_checked(letters.max(sign)).unwrap_or_default()
}

/// Returns the zeros of a letter, which as a small one is another unit where no money is meant: `$1.2m`, `1M`.
fn short_zeros_of(word: &str, is_money: bool) -> Option<usize> {
    match word {
        "M" => Some(6),
        "m" if is_money => Some(6),
        "b" | "B" if is_money => Some(9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Has, Quantities};

    #[test]
    fn a_text_has_the_quantity_of_a_question_or_another_one() {
        for (question, same, other) in [
            (
                "who gets the 15 percent discount",
                "teachers: 15% off",
                "15 dollar discount",
            ),
            (
                "dose warning at 2.5 mg",
                "below 2.5mg it is yellow",
                "the dose warning at 2.5 ml",
            ),
            (
                "why did build 20481 fail",
                "20481 red: no mirror",
                "why build 20481b did fail",
            ),
            (
                "signed the $1.2M contract",
                "the 1,200,000 USD deal",
                "contract over $1.2k",
            ),
            ("a fine of 20,000 EUR", "wants €20 000", "a fine of 20,000 USD"),
            ("error E4017", "E4017 = ribbon", "error E4017-B: dust"),
            (
                "a sleep in worker.go:212",
                "src/worker.go:212 waits",
                "in worker_test.go:212",
            ),
            ("refund of $500", "from $500 on", "refund of €500"),
            ("ビルド 7713 は", "7713 はOK", "ビルド 7713-hotfix は"),
            ("1万元以上的报销", "超过10000元的", "1万円以上"),
            ("2 млн рублей", "2 000 000 ₽", "2 тыс рублей"),
            ("OPS-4127", "see OPS-4127", "see DEV-4127"),
            ("Drossel bei 1,5 kW", "1.5 kW reicht", "1,5 kg"),
            ("version 1.3", "v1.3 has it", "1.3.2 has it"),
            ("release 2024-03-07", "am 07.03.2024", "2024-05-07"),
            ("alarm at -18 °C", "\u{2212}18: the chest beeps", "alarm at 18 °C"),
            ("who ordered 1,000,000 stickers", "1M stickers", "1,000 stickers"),
            ("за что 45 000 рублей", "45 тыс. ушло", "за 54 000 рублей"),
            ("port 5433", "5433 is closed", "port 54330"),
            ("5万円は何", "50,000円", "15万円の支払い"),
            ("alert at 95 percent", "95% of /var", "alert at 90 percent"),
            ("cut after 90 s", "after 1.5 min", "after 9 s"),
            ("heap of 2 GB", "2048 MB", "2.5 GB"),
            (
                "is 7be04d1 safe",
                "7be04d19f3c8a5520e6b1d4471c09aa83ef2b6d7",
                "7be04d2 is",
            ),
            ("changed on 2026-02-03", "3 Feb 2026: closed", "2026-02-13: changed"),
            ("le 1er mars 2026", "2026-03-01 : arrêt", "1er mai 2026 : arrêt"),
            ("stop on 2024-03-05", "5 March 2024: nightly", "15 March 2024: nightly"),
            ("14.06.2025 встала", "14 июня 2025: очередь", "4 июня 2025: очередь"),
            ("timeout of 1500 ms", "1.5 s in the client", "15 s by default"),
            ("limit of 2 GiB", "2048 MiB of geo", "1024 MiB of thumbs"),
            (
                "change in a41f9c2",
                "a41f9c2be07d5518 slowed",
                "a41fc92d5e07b851 slowed",
            ),
            ("order of 1000000 stickers", "1 000 000 of them", "10000000 of them"),
            ("error 4017-B", "4017-B is dust", "4017 is the ribbon"),
            ("what runs at 2:30 pm", "at 14:30 every day", "02:30 nightly"),
            (
                "a las 11 de la noche",
                "a las 23:00 se cierra",
                "a las 11:00 se abre, no hay",
            ),
            ("下午4点跑什么", "16:00 对账", "凌晨4点重建"),
            ("um 15 Uhr", "3:00 pm: Kamin", "am 07.11. um 5 Uhr"),
        ] {
            let asked = Quantities::of(question);
            assert_eq!(asked.are_in(same), Has::Same, "{question}: {same}");
            let has = asked.are_in(other);
            assert!(has > Has::Nothing && has < Has::Same, "{question}: {other}");
            assert_eq!(asked.are_in("nothing of it, 3 times"), Has::Nothing, "{question}");
        }
    }

    #[test]
    fn the_same_is_written_in_many_ways() {
        for (question, same) in [
            ("30 day trial", "a 30-day trial"),
            ("$49 a month", "$49/month"),
            ("port 8443", "8443/tcp is open"),
            ("is 8080 open", "edge: 80,443,8080"),
            ("host 10.0.0.5", "10.0.0.5:5432 is the primary"),
            ("worker.go:212", "worker.go:212:17 panics"),
            ("the i18n-4 files", "i18n 4 of locales"),
            ("100 Euro", "ein 100-Euro-Gutschein"),
            ("10 EUR per month", "10 EUR/month"),
            ("GET /v2/orders", "https://api.example.org/v2/orders"),
            ("error 4017", "4017/4018 are of the ribbon"),
            ("tier-1", "Tier 1 answers at once"),
            ("ubuntu-22.04", "Ubuntu 22.04"),
            ("HTTP/2", "HTTP 2 is on"),
            ("2 GB heap", "a 2GB-heap"),
        ] {
            assert_eq!(Quantities::of(question).are_in(same), Has::Same, "{question}: {same}");
        }
        for (question, text) in [
            ("base64", "base64-encoded"),
            ("ошибка 502", "502-я"),
            ("log4j2 config", "log4j2.xml"),
            ("Python 3.12", "3.12.x is pinned"),
            ("gateway 1.4.2 to 1.5.0", "Upgrade to 1.5.0"),
        ] {
            assert_eq!(
                Quantities::of(question).are_in(text),
                Has::Nothing,
                "{question}: {text}"
            );
        }
    }

    #[test]
    fn counts_years_times_and_titles_tell_nothing_apart() {
        for question in [
            "why retry 3 times",
            "what happened in 2024",
            "the job at 9:30",
            "fix(export): bump netkit to 1.4.2",
            "",
        ] {
            assert!(Quantities::of(question).is_empty(), "{question}");
        }
        for text in ["", "1", "...", "$", "v", "1 000 0", "€", "9".repeat(5000).as_str()] {
            assert_ne!(Quantities::of("port 5433").are_in(text), Has::Same, "{text}");
            assert!(Quantities::of(text).asked.len() < 2, "{text}");
        }
    }
}
