//! Amounts and names with digits, as a question has them and as a text has them. A text with nearly the same words may have the number of another
//! unit (`2.5 ml`, and not `2.5 mg`), with other zeros (`$1.2k`, and not `$1.2M`), or as a part of a longer name (`E4017-B`, and not `E4017`): words
//! of an index do not tell these apart.

use super::fold;
use super::lexicon::known;
use super::numerals::{
    currency_of, dates_in, is_code, is_digits, is_time, measure_of, spellings_of, value_of, with_zeros, zeros_of,
};
use super::query::is_title;
use super::tokenization::{Class, class_of, normalize};

/// The shortest hash that is shown of a commit.
const HASH_BYTES_MIN: usize = 7;
/// A thousand bytes of a computer, in thousands.
const BINARY: f64 = 1.024;
/// What is measured by something else is none of the other measures: `250 Mb/s`.
const RATE: &str = "rate";

/// A number with what it is of, or a name with digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Quantity {
    /// As it is written, folded, without what it is of.
    name: String,
    /// The value of a number; empty for a name.
    value: String,
    measure: Option<&'static str>,
}

/// How a text has the quantity of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Has {
    /// Neither it nor one that may be taken for it.
    Nothing,
    /// One that may be taken for it.
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
        if is_title(query) {
            asked.clear();
        }
        Quantities { asked }
    }

    /// True if the question has none.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Returns how a text has them: the same if it has all, and another one if it has one in place of any.
    pub fn are_in(&self, text: &str) -> Has {
        let said = quantities_of(text);
        let each = || self.asked.iter().map(|asked| asked.is_among(&said));
        if each().any(|has| has == Has::Another) {
            return Has::Another;
        }
        each().min().unwrap_or(Has::Nothing)
    }
}

impl Quantity {
    /// True if it is more than a count or a year, and no time of the day, which is written in too many ways.
    fn is_telling(&self) -> bool {
        let has_sign = self.name.contains(|c: char| !c.is_alphanumeric());
        !is_time(&self.name) && (self.measure.is_some() || has_sign || is_code(&self.name))
    }

    fn is_among(&self, said: &[Quantity]) -> Has {
        let has = said.iter().map(|other| self.compare(other));
        has.max().unwrap_or(Has::Nothing)
    }

    /// Returns what another one is to it.
    fn compare(&self, other: &Quantity) -> Has {
        if self.is_written_as(other) || (!self.value.is_empty() && self.value == other.value) {
            return self.compare_measure(other);
        }
        if self.is_as_much_as(other) {
            return Has::Same;
        }
        if self.is_of_what(other) || self.may_be_taken_for(other) {
            Has::Another
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

    /// True if both are of the same, or both are large numbers of nothing.
    fn is_of_what(&self, other: &Quantity) -> bool {
        match (self.amount(), other.amount()) {
            (Some((family, _)), Some((of, _))) => family == of,
            _ if self.measure.is_none() => other.measure.is_none() && is_code(&self.value) && is_code(&other.value),
            _ => self.measure == other.measure,
        }
    }

    /// True if the names are the same, also as a file in a folder, as a date, or as the beginning of a long hash.
    fn is_written_as(&self, other: &Quantity) -> bool {
        let has_other_value = self.value != other.value && !(self.value.is_empty() || other.value.is_empty());
        let folder = other.name.strip_suffix(self.name.as_str());
        !has_other_value
            && (self.name == other.name
                || folder.is_some_and(|folder| folder.ends_with('/'))
                || (is_hash(&self.name) && is_hash(&other.name) && other.name.starts_with(&self.name))
                || spellings_of(&self.name).contains(&other.name))
    }

    /// True if one of the names begins with the other one, if both have other digits in the same places, or the same digits at the end of names.
    fn may_be_taken_for(&self, other: &Quantity) -> bool {
        let (one, other) = (self.name.as_str(), other.name.as_str());
        goes_on(one, other)
            || goes_on(other, one)
            || (self.value.is_empty() && (form_of(one) == form_of(other) || last_digits(one) == last_digits(other)))
            || (is_date(one) && is_date(other))
            || (is_hash(one) && is_hash(other))
            || one.trim_start_matches('-') == other.trim_start_matches('-')
    }
}

/// True of a date in numbers, which has more other spellings than a number or a time.
fn is_date(name: &str) -> bool {
    name.matches(['-', '.', '/']).count() == 2 && spellings_of(name).len() > 2
}

fn is_hash(name: &str) -> bool {
    name.len() >= HASH_BYTES_MIN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True if a name is longer than another one, by more than digits.
fn goes_on(name: &str, longer: &str) -> bool {
    let behind = longer.strip_prefix(name);
    behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns a name without its digits: `ops-0000`.
fn form_of(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
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
            ' ' => is_group_ahead(text, end),
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
    let version = name.strip_prefix(['v', 'V']);
    let name = version
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(name);
    let (digits, ending) = name.split_at(name.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1));
    let currency = currency_ahead(ahead);
    let zeros_in = |word: &str| zeros_of(&fold(word)).or_else(|| short_zeros_of(word, currency.is_some()));
    if !is_number(digits) || !(ending.is_empty() || measure(ending).is_some() || zeros_in(ending).is_some()) {
        return Quantity {
            name: fold(name),
            ..Quantity::default()
        };
    }
    let sign = if is_negative(ahead) { "-" } else { "" };
    let value = value_of(&digits.replace(' ', ","));
    let (word, rest) = if ending.is_empty() {
        next_word(behind)
    } else {
        (ending, behind)
    };
    let more = zeros_in(word).and_then(|zeros| with_zeros(&value, zeros));
    let (word, rest) = if more.is_some() { next_word(rest) } else { (word, rest) };
    Quantity {
        name: format!("{sign}{digits}"),
        value: format!("{sign}{}", more.unwrap_or(value)),
        measure: currency.or_else(|| measure(word).map(|name| if rest.starts_with('/') { RATE } else { name })),
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
            ("the 250 MB limit", "more than 250 megabytes", "250 Mb/s limit"),
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
            ("error 4017-B", "4017-B is dust", "4017 is the ribbon"),
        ] {
            let asked = Quantities::of(question);
            assert_eq!(asked.are_in(same), Has::Same, "{question}: {same}");
            assert_eq!(asked.are_in(other), Has::Another, "{question}: {other}");
            assert_eq!(asked.are_in("nothing of it, 3 times"), Has::Nothing, "{question}");
        }
    }

    #[test]
    fn counts_years_times_and_titles_tell_nothing_apart() {
        for question in [
            "why retry 3 times",
            "what happened in 2024",
            "the job at 9:30 pm",
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
