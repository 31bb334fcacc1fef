//! The single pass over a text that finds where a closer check is needed (Aho-Corasick).

use super::pattern::Token;
use super::providers::TOKENS;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// The kind of match at a position.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trigger {
    Token(&'static Token),
    Marker,
    Pem,
    Putty,
    EncodedPem,
    Jwt,
    Telegram,
    Mailchimp,
    Terraform,
    AzureSecret,
    AzureKey,
    AzureSignature,
    Address,
    Bearer,
    Basic,
    Cookie,
    Login,
    ShortFlag,
    PasswordFile,
    Account,
    Pin,
    AuthFlag,
    CurlCookie,
    Piped,
    HexNumber,
    Wandb,
    Bundler,
    MaxMind,
    Authress,
    Name,
    ForeignName,
}

/// The marker of this crate; nothing inside one is checked again.
pub(super) const MARKER: &str = "[redacted:";

const WORDS: &[(&str, Trigger)] = &[
    (MARKER, Trigger::Marker),
    ("-----BEGIN", Trigger::Pem),
    ("---- BEGIN", Trigger::Pem),
    ("Private-Lines:", Trigger::Putty),
    ("LS0tLS1CRUdJTi", Trigger::EncodedPem),
    ("eyJ", Trigger::Jwt),
    (":AA", Trigger::Telegram),
    ("-us", Trigger::Mailchimp),
    (".atlasv1.", Trigger::Terraform),
    ("Q~", Trigger::AzureSecret),
    ("JQQJ99", Trigger::AzureKey),
    ("sig=", Trigger::AzureSignature),
    ("://", Trigger::Address),
    ("bearer", Trigger::Bearer),
    ("basic", Trigger::Basic),
    ("cookie", Trigger::Cookie),
    (" -u", Trigger::Login),
    ("--user", Trigger::Login),
    (" -p", Trigger::ShortFlag),
    (":5432:", Trigger::PasswordFile),
    (":5433:", Trigger::PasswordFile),
    (":6432:", Trigger::PasswordFile),
    (":*:", Trigger::PasswordFile),
    ("login", Trigger::Account),
    ("log in", Trigger::Account),
    ("logged in", Trigger::Account),
    ("logging in", Trigger::Account),
    ("sign in", Trigger::Account),
    ("signed in", Trigger::Account),
    ("credential", Trigger::Account),
    ("creds", Trigger::Account),
    ("account", Trigger::Account),
    ("user", Trigger::Account),
    ("pin", Trigger::Pin),
    ("puk", Trigger::Pin),
    ("passcode", Trigger::Pin),
    (" -a", Trigger::AuthFlag),
    (" -b", Trigger::CurlCookie),
    ("sudo -S", Trigger::Piped),
    ("-stdin", Trigger::Piped),
    ("0x", Trigger::HexNumber),
    ("wandb login", Trigger::Wandb),
    ("BUNDLE_", Trigger::Bundler),
    ("_mmk", Trigger::MaxMind),
    (".acc", Trigger::Authress),
    ("_pat", Trigger::Name),
    ("-pat", Trigger::Name),
    ("pass", Trigger::Name),
    ("pw", Trigger::Name),
    ("secret", Trigger::Name),
    ("token", Trigger::Name),
    ("key", Trigger::Name),
    ("cred", Trigger::Name),
    ("auth", Trigger::Name),
    ("jwt", Trigger::Name),
    ("kennwort", Trigger::Name),
    ("senha", Trigger::Name),
    ("clave", Trigger::Name),
    ("wachtwoord", Trigger::Name),
    ("heslo", Trigger::Name),
    ("parola", Trigger::Name),
    ("salasana", Trigger::Name),
];

/// The word for password in other scripts. They have an automaton of their own, because so many more byte values would
/// double the size of the one that every process builds.
const FOREIGN_WORDS: [&str; 12] = [
    "contraseña",
    "lösenord",
    "hasło",
    "şifre",
    "пароль",
    "Пароль",
    "κωδικός",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
];

/// Prefixes are searched by their first bytes only, which needs a quarter of the states and of the build time.
const HEAD_BYTES_MAX: usize = 4;

struct Automaton {
    search: AhoCorasick,
    /// For each pattern, the triggers it may be the start of.
    triggers: Vec<Vec<Trigger>>,
}

static AUTOMATON: LazyLock<Option<Automaton>> = LazyLock::new(build);

/// Built when the first text that is not ASCII arrives.
static FOREIGN: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(FOREIGN_WORDS)
        .ok()
});

fn build() -> Option<Automaton> {
    let head = |token: &'static Token| token.prefix.get(..HEAD_BYTES_MAX).unwrap_or(token.prefix);
    let heads = TOKENS.iter().map(|token| (head(token), Trigger::Token(token)));
    let mut patterns: Vec<&str> = Vec::new();
    let mut triggers: Vec<Vec<Trigger>> = Vec::new();
    for (pattern, trigger) in heads.chain(WORDS.iter().copied()) {
        match patterns.iter().position(|known| *known == pattern) {
            Some(known) => triggers.get_mut(known)?.push(trigger),
            None => {
                patterns.push(pattern);
                triggers.push(vec![trigger]);
            }
        }
    }
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(patterns)
        .ok()?;
    Some(Automaton { search, triggers })
}

/// Calls `visit` with each trigger and its range, ordered by the end; names in other scripts come last.
pub(super) fn each(text: &str, mut visit: impl FnMut(Trigger, usize, usize)) {
    let Some(automaton) = AUTOMATON.as_ref() else { return };
    for found in automaton.search.find_overlapping_iter(text) {
        for trigger in automaton.triggers.get(found.pattern().as_usize()).into_iter().flatten() {
            visit(*trigger, found.start(), found.end());
        }
    }
    if text.is_ascii() {
        return;
    }
    if let Some(foreign) = FOREIGN.as_ref() {
        for found in foreign.find_iter(text) {
            visit(Trigger::ForeignName, found.start(), found.end());
        }
    }
}
