//! Texts that say of themselves that they do not hold: that something was the first choice, is over, was considered and not adopted, is printed by a
//! stale page, is only suspected, or is an example. Such a text often has all words of a question about the present.
//!
//! The phrases are data, in eight languages, and each is about the statement as a whole. A text that also describes the present is not one of
//! them, and a question that asks for the past, or for an example, wants them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::lexicon::{Phrases, entries, words};
use super::numerals::{is_digits, is_month, is_year};
use super::sayings::{Sayings, is_spaceless};
use super::tokenization::runs_of;

/// A longer text is more than one statement.
const WORDS_MAX: usize = 30;
const SENTENCES_MAX: usize = 2;
/// The most words between `stale` and `says`, between `tutorial` and `uses`, and between `before the` and `migration`.
const APART_MAX: usize = 4;
/// Within so many words from its beginning, a text names its subject.
const SUBJECT_WORDS: usize = 3;
/// The most words of a verdict behind a statement, and those of them before the verdict itself.
const VERDICT_WORDS_MAX: usize = 6;
const VERDICT_LEAD_MAX: usize = 3;
/// A clause with fewer is no statement.
const STATEMENT_WORDS_MIN: usize = 3;
/// The most letters of one in a script without spaces.
const VERDICT_LETTERS_MAX: usize = 16;
/// What any text in ASCII that says it has one of: most have none, and are looked through once.
static ANY: LazyLock<Phrases> = LazyLock::new(|| {
    let kinds = ["bygone", "no-more", "stale", "sample"];
    Phrases::of(|kind| kinds.contains(&kind) || BEHIND.contains(&kind) || AHEAD.contains(&kind))
});
static BYGONE: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("bygone"));
static BYGONE_IN_CHINESE: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("bygone-chinese"));
static HOLDING: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("present"));
static WANTING: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("asks-bygone"));
static LABELS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| entries("bygone-label").collect());
static NO_MORE: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("no-more"));
static USED: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("used"));
static WAS: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("was"));
static UNTIL_WAS: LazyLock<Sayings> = LazyLock::new(|| Sayings::of("until-was"));
/// Verdicts, of which those behind a statement, those ahead of it and those that are also its heading are some.
static VERDICTS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(|kind| BEHIND.contains(&kind) || AHEAD.contains(&kind)));
const BEHIND: [&str; 3] = ["bygone-verdict", "open-verdict", "was"];
const AHEAD: [&str; 2] = ["open-verdict", "verdict-ahead"];
const HEADING: [&str; 1] = ["open-verdict"];
static VERDICT_IN_PARTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| entries("bygone-verdict").filter(is_spaceless).collect());
/// What stands before a verdict, behind it, and at the end of its clause.
static AROUND_VERDICT: LazyLock<[FxHashSet<&[u8]>; 3]> =
    LazyLock::new(|| ["before-verdict", "behind-verdict", "ends-verdict"].map(words));
static APART: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| matches!(kind, "stale" | "sample")));
static AHEAD_OF: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "ahead-of"));
/// The words for a stale page, for an example, and for the statements of each.
static ELSEWHERE: LazyLock<[FxHashSet<&[u8]>; 4]> = LazyLock::new(|| ["stale", "sample", "says", "uses"].map(words));
/// What begins a statement about the past.
static UNTIL: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(|kind| kind == "until"));
/// What says that something was, is over, or is so since.
static PAST_OR_PRESENT: LazyLock<Phrases> = LazyLock::new(|| {
    let kinds = [
        "bygone",
        "no-more",
        "until",
        "old",
        "present",
        "bygone-verdict",
        "bygone-label",
    ];
    Phrases::of(|kind| kinds.contains(&kind))
});
static STATES: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("states"));
/// The words for what is old, for an event, and for the present.
static PAST: LazyLock<[FxHashSet<&[u8]>; 3]> = LazyLock::new(|| ["old", "event", "is"].map(words));

/// True if a query asks for texts of this kind.
pub fn asks_for_bygone(query: &str) -> bool {
    let query = query.to_lowercase();
    WANTING.are_in(&query, &runs_of(&query))
}

/// True if a text says of itself that it does not hold.
pub fn is_bygone(text: &str) -> bool {
    if text.len() > 16 * WORDS_MAX || text.matches(". ").count() >= SENTENCES_MAX {
        return false;
    }
    let text = text.to_lowercase();
    let words = runs_of(&text);
    if words.len() > WORDS_MAX {
        return false;
    }
    has_label(&text) || ((!text.is_ascii() || ANY.are_in(&words)) && is_told(&text, &words))
}

/// True of a text in lower case, with these words, that says it in a sentence or a clause.
fn is_told(text: &str, words: &[&str]) -> bool {
    ((BYGONE.are_in(text, words)
        || (!text.is_ascii() && !text.contains(is_kana) && BYGONE_IN_CHINESE.are_in(text, words))
        || is_said_elsewhere(words)
        || (NO_MORE.are_in(text, words) && USED.are_in(text, words))
        || was_then(text, words))
        && !HOLDING.are_in(text, words)
        && !has_statement(text))
        || is_judged(text)
}

/// True if a text says that something is over, and what is the case instead: `X, Y is no longer used`, `moved from Y to X`.
pub fn tells_of_change(text: &str) -> bool {
    let text = text.to_lowercase();
    let words = runs_of(&text);
    HOLDING.are_in(&text, &words)
        || (has_statement(&text)
            && (PAST_OR_PRESENT.are_in(&words)
                || WAS.are_in(&text, &words)
                || (!text.is_ascii()
                    && [&*BYGONE, &*BYGONE_IN_CHINESE, &*UNTIL_WAS]
                        .iter()
                        .any(|kind| kind.are_in(&text, &[])))))
}

/// True if a clause states something about the present: `Biome formats the code, Prettier is no longer used`.
fn has_statement(text: &str) -> bool {
    let mut begin = 0;
    let ends = clause_ends(text);
    let ends = ends.iter().map(|end| (end.start, end.end));
    ends.chain([(text.len(), text.len())]).any(|(end, next)| {
        let clause = text.get(begin..end).unwrap_or_default();
        begin = next;
        clause.len() + 1 < text.len() && states(clause)
    })
}

/// True of a clause with a verb of the present that is known, and nothing about the past.
fn states(clause: &str) -> bool {
    let words = runs_of(clause);
    words.len() >= STATEMENT_WORDS_MIN
        && words.iter().any(|word| STATES.contains(word.as_bytes()))
        && !PAST_OR_PRESENT.are_in(&words)
}

/// True of the letters that only Japanese has.
fn is_kana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}')
}

/// `Deprecated: ...`, `Outdated. ...`, `[obsolete] ...`, `... (no longer used)`, `~~...~~`
fn has_label(text: &str) -> bool {
    if text.len() > 4 && text.starts_with("~~") && text.ends_with("~~") && text.matches("~~").count() == 2 {
        return true;
    }
    let is_label = |label: &str| LABELS.contains(label.trim());
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '_' | '>' | '~' | '.'));
    let head = text
        .split([':', '：', ']', '】', ')', '）', '!'])
        .next()
        .unwrap_or_default();
    let head = head.split(". ").next().unwrap_or_default();
    let label = head.trim_start_matches(['[', '【', '(', '（']);
    let is_headed = head.len() < text.len() && (is_label(label) || (label.len() < head.len() && is_judgement(label)));
    let tail = text
        .strip_suffix([')', ']', '）', '】'])
        .and_then(|text| text.rsplit(['(', '[', '（', '【']).next());
    is_headed || tail.is_some_and(is_label)
}

/// True if a clause of its own, behind the statement or ahead of it, is a verdict on it.
fn is_judged(text: &str) -> bool {
    let ends = clause_ends(text);
    has_verdict(text, &ends) || ends.first().is_some_and(|end| has_verdict_ahead(text, end))
}

/// Where a clause ends, and where the next one begins.
type ClauseEnd = std::ops::Range<usize>;

fn clause_ends(text: &str) -> Vec<ClauseEnd> {
    let signs = text.char_indices();
    signs.filter_map(|(at, sign)| clause_end_at(text, at, sign)).collect()
}

fn clause_end_at(text: &str, at: usize, sign: char) -> Option<ClauseEnd> {
    let behind = at + sign.len_utf8();
    let next = text.as_bytes().get(behind);
    let before_space = next == Some(&b' ');
    match sign {
        '.' | '!' | ';' | ',' | ':' if before_space => Some(at..behind + 1),
        // Chinese and Japanese have no space behind it.
        '!' | ';' | ',' | ':' => next.is_some_and(|byte| !byte.is_ascii()).then_some(at..behind),
        '-' | '–' | '—' => {
            let before = at.checked_sub(1)?;
            let between_spaces = before_space && text.as_bytes().get(before) == Some(&b' ');
            between_spaces.then_some(before..behind + 1)
        }
        '(' | '（' | '。' | '、' | '，' | '；' => Some(at..behind),
        _ => None,
    }
}

/// A verdict behind the statement: `... Deprecated.`, `... - abandoned last year`, `..., его отключили летом`. Two clauses are
/// looked at, for what follows may be advice. A verdict may say since when, but the rest must not say what is the case now.
fn has_verdict(text: &str, ends: &[ClauseEnd]) -> bool {
    let mut rest = text;
    for _ in 0..2 {
        let behind = text.get(rest.len()..).unwrap_or_default();
        rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        let Some(end) = ends.iter().rev().find(|end| end.end <= rest.len()) else {
            return false;
        };
        let clause = rest.get(end.end..).unwrap_or_default();
        let statement = rest.get(..end.start).unwrap_or_default();
        if is_judgement(clause) {
            return ![statement, behind]
                .iter()
                .any(|said| HOLDING.are_in(said, &runs_of(said)));
        }
        rest = statement;
    }
    false
}

/// A verdict ahead of the statement: `Dead since 2022: ...`, `Ignore, ...`. `Ignore: ...` is a heading.
fn has_verdict_ahead(text: &str, end: &ClauseEnd) -> bool {
    let (clause, statement) = text.split_at(end.start);
    let kinds = if statement.starts_with(':') {
        &HEADING[..]
    } else {
        &AHEAD
    };
    is_verdict(clause, kinds) && !HOLDING.are_in(statement, &runs_of(statement))
}

/// True of a short clause with a verdict of these kinds and what may stand around it. Behind an open one, anything may.
fn is_verdict(clause: &str, kinds: &[&str]) -> bool {
    let words = runs_of(clause);
    let [before, behind, end] = &*AROUND_VERDICT;
    let dated = words
        .last()
        .is_some_and(|word| end.contains(word.as_bytes()) || is_year(word) || is_month(word));
    let is_last = |at: usize| words.get(at).is_none_or(|word| behind.contains(word.as_bytes()));
    let lead = words.iter().take(VERDICT_LEAD_MAX);
    let lead = lead.take_while(|word| before.contains(word.as_bytes()) || is_digits(word) || is_month(word));
    let lead = lead.count();
    let begins = |at: usize| {
        let mut found = VERDICTS.begin_at(&words, at).filter(|(kind, _)| kinds.contains(kind));
        found.any(|(kind, more)| match kind {
            "open-verdict" => true,
            // `..., era.`: the verb of the statement once more, in the past.
            "was" => words.len() == at + 1 && at < 2,
            _ => dated || is_last(at + 1 + more),
        })
    };
    words.len() <= VERDICT_WORDS_MAX && (0..=lead).any(begins)
}

/// True of a clause behind its statement, or in brackets, that is a verdict.
fn is_judgement(clause: &str) -> bool {
    is_verdict(clause, &BEHIND) || is_verdict_in_parts(clause)
}

fn is_verdict_in_parts(clause: &str) -> bool {
    !clause.is_ascii()
        && clause.chars().count() <= VERDICT_LETTERS_MAX
        && VERDICT_IN_PARTS.iter().any(|part| clause.contains(part))
}

/// A verb of the past with the time when it was: `until March ...`, `the old way ...`, `... before the migration`.
fn was_then(text: &str, words: &[&str]) -> bool {
    if UNTIL_WAS.are_in(text, &[]) {
        return true;
    }
    if !WAS.are_in(text, words) {
        return false;
    }
    let [old, event, is] = &*PAST;
    let has = |among: &FxHashSet<&[u8]>, word: &&str| among.contains(word.as_bytes());
    let is_ahead_of_event = |at: usize| {
        AHEAD_OF.begin_at(words, at).next().is_some_and(|(_, more)| {
            let mut near = words.iter().skip(at + 1 + more).take(APART_MAX);
            near.any(|word| has(event, word))
        })
    };
    UNTIL.begin_at(words, 0).next().is_some()
        || (0..words.len()).any(is_ahead_of_event)
        || (words.iter().take(SUBJECT_WORDS).any(|word| has(old, word)) && !words.iter().any(|word| has(is, word)))
}

/// A stale page says something, or an example: `the old wiki page still lists`, `the tutorial uses`.
fn is_said_elsewhere(words: &[&str]) -> bool {
    if !APART.are_in(words) {
        return false;
    }
    let [stale, sample, says, uses] = &*ELSEWHERE;
    let (mut since_stale, mut since_sample) = (usize::MAX, usize::MAX);
    for word in words.iter().map(|word| word.as_bytes()) {
        let says = says.contains(word);
        if since_stale <= APART_MAX && says || since_sample <= APART_MAX && (says || uses.contains(word)) {
            return true;
        }
        let since = |is_it: bool, before: usize| if is_it { 0 } else { before.saturating_add(1) };
        since_stale = since(stale.contains(word), since_stale);
        since_sample = since(sample.contains(word), since_sample);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_says_that_it_does_not_hold_is_bygone() {
        for text in [
            "MongoDB was the initial choice for the order service",
            "gRPC between the services was considered but not adopted",
            "A stale report prints port 8080 for the gateway",
            "The old wiki page still lists Jenkins as the build server",
            "The cached value of the session timeout is 15 minutes",
            "Suspected cause of the slow checkout: the tax service",
            "Originally the queue ran on RabbitMQ",
            "The tutorial uses port 3000 for the API",
            "Another team deploys with Argo",
            "最初 CI 运行在 Jenkins 上",
            "Deprecated: the importer reads XML",
            "[obsolete] tokens live for an hour",
            "The importer reads XML (no longer used)",
            "The mailer no longer uses SMTP relays",
            "Until March the build ran on Jenkins",
            "The old way to publish was a shell script",
            "Memcached was used before the Redis migration",
            "We used two workspaces until the move",
            "Das Archiv lag vor der Umstellung auf Band",
            "Der Mailer verwendet SMTP nicht mehr",
            "Hasta marzo la compilación corría en Jenkins",
            "El correo ya no usa SMTP",
            "Jusqu'en mars, la compilation tournait sur Jenkins",
            "Le service n'utilise plus SMTP",
            "Até março a compilação rodava no Jenkins",
            "O correio não usa mais SMTP",
            "Раньше сборка шла на Jenkins",
            "Почта больше не использует SMTP",
            "以前はJenkinsでビルドしていた",
            "三月まではJenkinsを使っていた",
            "【廃止】トークンは一時間有効",
            "构建曾经运行在Jenkins上",
            "弃用：令牌有效期一小时",
            "Feature flags are kept in Hearth. It was abandoned last year.",
            "The nightly export writes CSV, gone since May",
            "Feature flags are kept in Hearth. Since replaced.",
            "Error tracking: Crumb, project per service (cancelled as of June)",
            "make itest starts the tests - deprecated, don't use",
            "Den Versand macht mx3. Gibt es nicht mehr.",
            "El IVA se calcula en el frontend - ya no se hace así",
            "Les traductions sont dans Crowdin, abandonné.",
            "Para formulários há o Formik, foi substituída",
            "Логи в Graylog, его отключили летом",
            "サイトは社内サーバーにある。撤去済み。",
            "密码策略：90 天更换一次。已取消。",
            "[void] Overtime is approved by the ward",
            "【已取消】会员打九折",
            "~~The importer reads XML~~",
            "Outdated!! The store is open until six",
            "Marta lleva las redes. Llevaba.",
            "Tickets du support : on utilise Zendesk. Enfin, utilisait.",
            "Our courier is Zipp, contract ran out 31 Aug",
            "In the first year of the shop, the queue was originally RabbitMQ",
            "Returns within 14 days - that was the rule until March",
            "Dashboards lived in Kibana, that got switched off in 2021",
            "Wir hatten eine DB2 auf dem Host, die wurde 2019 abgeschaltet.",
            "Im Backend benutzen wir Checkstyle. Im Herbst abgelöst.",
            "Durée de conservation : 3 ans. Note annulée par le DPO.",
        ] {
            assert!(is_bygone(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_holds_is_not() {
        for text in [
            "The order service uses PostgreSQL",
            // The same signs are a word of the past in Chinese.
            "起動後 750 ミリ秒待ってから最初の測定を行う",
            "しきい値は過去30日の実績から決める",
            "Bestände werden nicht mehr live gelesen, sondern gespiegelt",
            "The gateway listened on 8080 at first and now listens on 9090",
            "We switched from MongoDB, the initial choice, to PostgreSQL",
            "A stale lock file makes the release script fail",
            "The old parser is slow",
            "Deprecated endpoints show a warning",
            "considerations of design",
            "The key used to sign tokens is in Vault",
            "Until the release is cut, nobody merges",
            "Take a backup before the database migration",
            "The importer no longer blocks the queue",
            "Der Import bricht nicht mehr ab",
            "现在构建运行在Buildkite上，以前是Jenkins",
            "Temporary files go to the spool, removed after an hour",
            "The spool is emptied. Removed files stay for an hour.",
            "The metrics are in Loki; Kibana was removed",
            "The export writes CSV. Deprecated. The API is used instead.",
            "Gutscheine werden geprüft, abgelaufene werden abgelehnt",
            "Cancelled: the job ends with 3",
            "The image is cached, built with make",
            "The package was renamed from @shop/mail to shop-mail in late 2025. The old scoped package was deprecated.",
            "Sessions are in Redis (removed by cron at night)",
            "Les fichiers vont au cache. Supprimés après une heure.",
            "Unpaid order after two weeks → cancelled",
            "Void: the invoice has no number",
            "Void - Linux is what the build server runs",
            "The rota has a gap, she left on parental leave",
            "~~Chef's~~ Cook's orders are ~~net~~",
            "Expired tokens that are no longer valid get a 401",
            "Abgelaufene Gutscheine, die nicht mehr gültig sind, bekommen einen Hinweis",
            "Limpa todo domingo os arquivos que não são mais usados",
            "Deploy failed on Friday. That was a full disk.",
            "[removed rows] are kept for 30 days",
            "a -> b, and c -> d",
            "Formatting is done by Biome, Prettier is no longer used.",
            "CI and Docker images use Node 22.11; do not use 18 any more.",
            "Kundennummern sind ab 1. Juli 2026 neunstellig; früher waren es sieben Stellen.",
            "Prisma is deprecated here: new code uses Drizzle for database access.",
            "The API key is sent in a header; the query string is deprecated.",
            "Builds use Vite; the webpack config is obsolete and will be deleted.",
            "Wir testen mit Vitest, Karma wird nicht mehr verwendet.",
            "~~~~",
            "",
        ] {
            assert!(!is_bygone(text), "{text}");
        }
        assert!(
            !is_bygone(&format!("{} was considered", "word ".repeat(40))),
            "more than one statement"
        );
    }

    #[test]
    fn some_questions_want_what_was() {
        for query in [
            "what was the initial choice",
            "which alternatives were rejected",
            "port before 9090",
            "example config",
            "Welche Datenbank nutzten wir früher?",
            "¿Qué base de datos usábamos antes?",
            "Quelle base utilisait-on auparavant ?",
            "Que banco usávamos antigamente?",
            "Какая база была раньше?",
            "以前のデータベースは何ですか",
            "之前用的是什么数据库",
        ] {
            assert!(asks_for_bygone(query), "{query}");
        }
        for query in [
            "which database does the order service use",
            "port of the gateway",
            "firstname column",
            "Welche Datenbank nutzt der Dienst?",
            "¿Qué base de datos usa el servicio?",
            "Какую базу использует сервис?",
            "サービスのデータベースは何ですか",
            "服务用什么数据库",
        ] {
            assert!(!asks_for_bygone(query), "{query}");
        }
    }

    #[test]
    fn a_verdict_may_stand_ahead_be_open_or_end_with_its_date() {
        for text in [
            "Dead since 2022: the cron on box 3",
            "Ignore, the mails leave through Postfix",
            "Outdated. The cron runs on box 3",
            "The mails leave through Postfix, gone with the old vendor",
            "Postfix sends the mails (retired two years ago)",
            "Dora reviews the invoices (left the company)",
            "Back in 2019 the cron ran on box 3",
        ] {
            assert!(is_bygone(text), "{text}");
        }
        for text in [
            "Ignore: dist, coverage and the lock file",
            "Dead letters, retries and timeouts are counted",
            "The warning of the linter is harmless, ignore it",
            "Dead since 2022: Postfix. The relay sends the mails now",
        ] {
            assert!(!is_bygone(text), "{text}");
        }
    }
}
