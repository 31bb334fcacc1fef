//! Sentences that a person typed, without pasted parts: code, logs, quotes, tables. Conditions, which `rules.txt` explains, test the meaning of a
//! sentence.

use std::sync::LazyLock;

use forge_memory_core::text::lexicon::{Phrases, all_entries, entries};
use forge_memory_core::text::{is_spaceless, spoken_words};
use xxhash_rust::xxh3::xxh3_64;

/// Quoted speech of fewer words is a name or a command.
const SPOKEN_WORDS: usize = 3;
/// The beginning of the kinds of the lexicon that are about speech.
const SAID: &str = "said ";

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind.starts_with(SAID)));
/// The phrases of scripts without spaces, which are found within words.
static UNSPACED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let kinds = all_entries().filter_map(|(kind, phrase)| Some((kind.strip_prefix(SAID)?, phrase)));
    kinds.filter(|(_, phrase)| phrase.starts_with(is_spaceless)).collect()
});

/// A kind of words in a sentence: the place of the first of them, and the place behind the last one.
type Saying = (&'static str, usize, usize);

/// A sentence, and the kinds of its words.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// As typed.
    pub raw: String,
    pub(super) words: usize,
    /// Where the words end that are between spaces.
    last: usize,
    /// The number of polite words at the beginning.
    polite: usize,
    said: Vec<Saying>,
}

impl Sentence {
    pub(crate) fn of(raw: &str) -> Self {
        let words = words_of(raw);
        let mut said = Vec::new();
        for (from, word) in words.iter().enumerate() {
            let word_at = |ahead: usize| words.get(from + 1 + ahead).map(String::as_bytes);
            for (kind, more) in PHRASES.at(word.as_bytes(), word_at) {
                said.push((kind.get(SAID.len()..).unwrap_or_default(), from, from + 1 + more));
            }
            let noted = [
                ("number", word.bytes().all(|byte| byte.is_ascii_digit())),
                ("value", is_value(word)),
                ("text", is_number_of_ticket(word)),
                ("doing", word.ends_with("ing")),
            ];
            let noted = noted.into_iter().filter(|(_, is_so)| *is_so);
            said.extend(noted.map(|(kind, _)| (kind, from, from + 1)));
        }
        if raw.contains(is_spaceless) {
            let found = UNSPACED
                .iter()
                .filter_map(|(kind, phrase)| Some((*kind, raw.find(phrase)?)));
            said.extend(found.map(|(kind, at)| (kind, if at == 0 { 0 } else { usize::MAX }, usize::MAX)));
        }
        let is_polite = |at: &usize| said.iter().any(|(kind, from, _)| *kind == "polite" && from == at);
        let mut sentence = Sentence {
            raw: raw.to_owned(),
            words: words.iter().map(|word| length_of(word)).sum(),
            last: words.len(),
            polite: (0..words.len()).take_while(is_polite).count(),
            said,
        };
        sentence.note("no", behind_no(raw).is_some() || sentence.says("^rejection"));
        sentence.note(
            "asked",
            raw.trim_end_matches(['"', ')', ' ']).ends_with(['?', '\u{ff1f}']),
        );
        sentence.note("comma", raw.contains(','));
        sentence.note("colon", raw.contains(':'));
        sentence
    }

    /// Notes something about the whole of the sentence.
    pub(crate) fn note(&mut self, kind: &'static str, is_so: bool) {
        self.said.extend(is_so.then_some((kind, usize::MAX, usize::MAX)));
    }

    /// True if all conditions hold.
    pub(crate) fn is(&self, conditions: &str) -> bool {
        let is_any = |kinds: &str| kinds.split('|').any(|kind| self.says(kind));
        let mut conditions = conditions.split_ascii_whitespace();
        conditions.all(|condition| {
            condition
                .strip_prefix('-')
                .map_or_else(|| is_any(condition), |kinds| !is_any(kinds))
        })
    }

    fn says(&self, condition: &str) -> bool {
        if let Some(fewer) = condition.strip_prefix('<') {
            return fewer.parse().is_ok_and(|fewer: usize| self.words < fewer);
        }
        let (first, next) = condition
            .split_once('>')
            .map_or((condition, None), |(first, next)| (first, Some(next)));
        let kind = first.trim_matches(['^', '~', '$']);
        let is_meant = |(said, from, to): &Saying| {
            *said == kind
                && (!first.starts_with('^') || *from == 0)
                && (!first.starts_with('~') || *from == self.polite)
                && (!first.ends_with('$') || *to == self.last)
        };
        let follows = |next: &str, to: usize| self.said.iter().any(|(kind, from, _)| *kind == next && *from == to);
        let mut meant = self.said.iter().copied().filter(is_meant);
        meant.any(|(.., to)| next.is_none_or(|next| follows(next, to)))
    }
}

/// How many words a piece between spaces has: in scripts without spaces, half as many as letters.
fn length_of(word: &str) -> usize {
    if word.starts_with(is_spaceless) {
        (word.chars().count() / 2).max(1)
    } else {
        1
    }
}

/// Returns the text behind a "no" that answers the agent.
pub(crate) fn behind_no(raw: &str) -> Option<&str> {
    let lower = raw.to_lowercase();
    let no = ["nope", "no", "nee", "nein", "нет"]
        .into_iter()
        .find(|no| lower.starts_with(no))?;
    let rest = raw.get(no.len()..)?;
    rest.strip_prefix([',', '.', '!']).or_else(|| rest.strip_prefix(" -"))
}

/// Returns the words of a sentence in lower case, without quoted speech, which is not the person's own.
fn words_of(raw: &str) -> Vec<String> {
    if raw.matches('"').count() % 2 == 1 {
        return spoken_words(raw);
    }
    let parts = raw.split('"').enumerate();
    let own = parts.filter(|(at, part)| at % 2 == 0 || part.split_whitespace().count() < SPOKEN_WORDS);
    own.flat_map(|(_, part)| spoken_words(part)).collect()
}

/// A port, a version, an address, a variable.
fn is_value(word: &str) -> bool {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let is_number = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".xv+-".contains(&byte));
    (has_digit && (is_number || word.contains(['.', ':'])))
        || word.contains("://")
        || word.starts_with("localhost")
        || (word.contains('_') && word.len() > 4)
}

/// Recognises `#12`, `abc-123`.
fn is_number_of_ticket(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_key = |key: &str| (2..=10).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_lowercase());
    word.strip_prefix('#').is_some_and(is_number)
        || word
            .split_once('-')
            .is_some_and(|(key, number)| is_key(key) && is_number(number))
}

/// Returns the hashes of the stemmed words that are compared, in order; of a script without spaces, those of its pairs of letters. They are in the
/// state of earlier runs.
pub(crate) fn compared_words(text: &str) -> Vec<u32> {
    const WORDS_MAX: usize = 24;
    let words = words_of(text)
        .into_iter()
        .filter(|word| !entries("uncompared").any(|stop| stop == word));
    words
        .flat_map(parts_of)
        .take(WORDS_MAX)
        .map(|word| xxh3_64(stem(&word).as_bytes()) as u32)
        .collect()
}

/// Splits what is between two spaces where a script has none: into the pairs of its letters, and what is of another script.
fn parts_of(word: String) -> Vec<String> {
    if !word.contains(is_spaceless) {
        return vec![word];
    }
    let letters: Vec<char> = word.chars().collect();
    let runs = letters.chunk_by(|one, next| is_spaceless(*one) == is_spaceless(*next));
    let parts = runs.flat_map(|run| match run {
        [first, _, ..] if is_spaceless(*first) => run.windows(2).map(String::from_iter).collect(),
        run => vec![String::from_iter(run)],
    });
    parts.filter(|part| part.chars().any(char::is_alphanumeric)).collect()
}

fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 3 && !stem.ends_with('s') => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::compared_words;

    #[test]
    fn a_rule_said_again_is_known_in_fourteen_languages_and_another_one_is_not() {
        for (rule, again, other) in [
            (
                "Run migrations in staging first",
                "run migrations in staging, first!",
                "Format the code with tabs",
            ),
            (
                "Migrationen zuerst in der Vorstufe",
                "migrationen zuerst in der Vorstufe.",
                "Tests brauchen Node",
            ),
            (
                "Las migraciones van primero",
                "¡las migraciones van primero!",
                "Usa tabuladores siempre",
            ),
            (
                "Les migrations passent en premier",
                "les migrations passent en premier !",
                "Toujours des tabulations",
            ),
            (
                "As migrações vêm primeiro",
                "as migrações vêm primeiro.",
                "Use sempre tabulações",
            ),
            (
                "Le migrazioni vengono prima",
                "le migrazioni vengono prima.",
                "Usa sempre le tabulazioni",
            ),
            (
                "Сначала миграции на стенде",
                "сначала миграции на стенде!",
                "Отступы только табами",
            ),
            (
                "Πρώτα οι μεταναστεύσεις",
                "πρώτα οι μεταναστεύσεις;",
                "Πάντα με στηλοθέτες",
            ),
            (
                "الترحيل أولا في التجربة",
                "الترحيل أولا في التجربة؟",
                "استخدم علامات الجدولة",
            ),
            ("पहले माइग्रेशन चलाओ", "पहले माइग्रेशन चलाओ।", "हमेशा टैब इस्तेमाल करो"),
            ("发布前先执行迁移", "发布前，先执行迁移。", "缩进使用制表符"),
            (
                "リリース前に移行を実行",
                "リリース前に、移行を実行。",
                "字下げはタブだけ使う",
            ),
            ("배포 전에 이전을 실행", "배포 전에 이전을 실행!", "들여쓰기는 탭으로만"),
            ("ย้ายฐานข้อมูลก่อนเผยแพร่", "ย้ายฐานข้อมูล ก่อนเผยแพร่!", "ใช้แท็บเสมอ"),
        ] {
            let (said, repeated, foreign) = (compared_words(rule), compared_words(again), compared_words(other));
            let shared = |words: &[u32]| words.iter().filter(|word| said.contains(word)).count();
            assert!(said.len() >= 3, "{rule}: {said:?}");
            assert!(shared(&repeated) + 1 >= said.len(), "{again}");
            assert!(shared(&foreign) * 2 < foreign.len(), "{other}");
        }
    }
}
