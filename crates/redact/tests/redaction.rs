//! Secrets are redacted, and nothing else: measured on a corpus, and stated as properties.
//!
//! The corpus under `data/redaction` consists of templates, not secrets: `ghp_{alnum:36}` is expanded here from fixed
//! seeds.

#[path = "data/redaction/template.rs"]
mod template;

use forge_memory_redact::{find_secrets, redact};
use proptest::prelude::*;
use std::borrow::Cow;
use template::Sample;

const MUST_REDACT: [(&str, &str); 10] = [
    ("clouds", include_str!("data/redaction/redact/clouds.txt")),
    ("forges", include_str!("data/redaction/redact/forges.txt")),
    ("services", include_str!("data/redaction/redact/services.txt")),
    ("keys", include_str!("data/redaction/redact/keys.txt")),
    ("addresses", include_str!("data/redaction/redact/addresses.txt")),
    ("headers", include_str!("data/redaction/redact/headers.txt")),
    ("sloppy", include_str!("data/redaction/redact/sloppy.txt")),
    ("assignments", include_str!("data/redaction/redact/assignments.txt")),
    ("disguised", include_str!("data/redaction/redact/disguised.txt")),
    ("told", include_str!("data/redaction/redact/told.txt")),
];

const MUST_SURVIVE: [(&str, &str); 8] = [
    ("code", include_str!("data/redaction/survive/code.txt")),
    ("commands", include_str!("data/redaction/survive/commands.txt")),
    ("config", include_str!("data/redaction/survive/config.txt")),
    ("identifiers", include_str!("data/redaction/survive/identifiers.txt")),
    ("languages", include_str!("data/redaction/survive/languages.txt")),
    ("prose", include_str!("data/redaction/survive/prose.txt")),
    ("disguised", include_str!("data/redaction/survive/disguised.txt")),
    ("told", include_str!("data/redaction/survive/told.txt")),
];

/// The number of expansions that are tried for each template.
const SEEDS: u64 = 8;

fn lines(corpus: &'static str) -> impl Iterator<Item = &'static str> {
    corpus
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(";;"))
}

fn samples(corpora: &'static [(&str, &str)]) -> impl Iterator<Item = (String, Sample)> {
    corpora.iter().flat_map(|(area, corpus)| {
        lines(corpus)
            .flat_map(move |line| (0..SEEDS).map(move |seed| (format!("{area}: {line}"), Sample::expand(line, seed))))
    })
}

#[test]
fn the_corpus_is_as_large_as_it_claims() {
    let redacted: usize = MUST_REDACT.iter().map(|(_, corpus)| lines(corpus).count()).sum();
    let survivors: usize = MUST_SURVIVE.iter().map(|(_, corpus)| lines(corpus).count()).sum();
    assert!(redacted >= 400, "{redacted} texts to redact");
    assert!(survivors >= 800, "{survivors} texts to leave alone");
}

#[test]
fn at_least_99_of_100_secrets_are_gone_and_the_text_around_them_stays() {
    let (mut secrets, mut gone, mut exact, mut texts) = (0, 0, 0, 0);
    let mut report = Vec::new();
    for (name, sample) in samples(&MUST_REDACT) {
        assert!(!sample.secrets.is_empty(), "no secret is marked in {name}");
        let redacted = redact(&sample.text);
        let left = sample
            .secrets
            .iter()
            .filter(|secret| redacted.text.contains(secret.as_str()))
            .count();
        secrets += sample.secrets.len();
        gone += sample.secrets.len() - left;
        texts += 1;
        exact += usize::from(redacted.text == sample.expected);
        if redacted.text != sample.expected {
            report.push(format!("{name}\n  want {}\n  got  {}", sample.expected, redacted.text));
        }
    }
    let recall = f64::from(gone as u32) / f64::from(secrets as u32);
    println!(
        "redaction: recall {recall:.4} ({gone} of {secrets} secrets in {texts} texts), {exact} exactly as expected"
    );
    println!("{}", report.join("\n"));
    assert!(recall >= 0.99, "recall {recall:.4}:\n{}", report.join("\n"));
    let exactness = f64::from(exact as u32) / f64::from(texts as u32);
    assert!(
        exactness >= 0.98,
        "only {exact} of {texts} texts are exactly as expected:\n{}",
        report.join("\n")
    );
}

#[test]
fn secrets_told_in_a_sentence_and_those_of_a_known_form_are_all_found() {
    let missed: Vec<String> = samples(&MUST_REDACT)
        .filter(|(name, sample)| name.starts_with("told") && redact(&sample.text).text != sample.expected)
        .map(|(_, sample)| format!("want {}\n  got  {}", sample.expected, redact(&sample.text).text))
        .collect();
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn no_text_without_a_secret_is_changed() {
    let mut texts = 0;
    let mut changed = Vec::new();
    for (name, sample) in samples(&MUST_SURVIVE) {
        texts += 1;
        let redacted = redact(&sample.text);
        if redacted.count > 0 || !matches!(redacted.text, Cow::Borrowed(text) if text == sample.text) {
            changed.push(format!("{name}\n  got {}", redacted.text));
        }
    }
    println!(
        "redaction: {} of {texts} texts without a secret were changed",
        changed.len()
    );
    assert!(changed.is_empty(), "{} changed:\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn redaction_is_idempotent() {
    for (name, sample) in samples(&MUST_REDACT) {
        let once = redact(&sample.text).text.into_owned();
        let twice = redact(&once);
        assert_eq!((twice.text.as_ref(), twice.count), (once.as_str(), 0), "{name}");
    }
}

#[test]
fn findings_have_a_position_and_a_kind() {
    for (name, sample) in samples(&MUST_REDACT) {
        let secrets = find_secrets(&sample.text);
        assert_eq!(rebuilt(&sample.text), redact(&sample.text).text, "{name}");
        assert_eq!(secrets.len(), redact(&sample.text).count, "{name}");
        let in_order = secrets.windows(2).all(|pair| pair[0].end <= pair[1].start);
        assert!(
            in_order && secrets.iter().all(|secret| secret.start < secret.end),
            "{name}: {secrets:?}"
        );
    }
}

#[test]
fn every_secret_of_a_text_is_counted() {
    let line = "a ⟪github-token|ghp_{alnum:36}⟫ b ⟪gitlab-token|glpat-{b64u:20}⟫⏎DB_PASSWORD=⟪password|{human}⟫";
    let sample = Sample::expand(line, 1);
    let redacted = redact(&sample.text);
    assert_eq!(redacted.text, sample.expected);
    assert_eq!(redacted.count, 3);
}

#[test]
fn every_occurrence_of_a_secret_is_redacted() {
    let token = Sample::expand("⟪github-token|ghp_{alnum:36}⟫", 2).text;
    let redacted = redact(&format!("{token} {token}")).text.into_owned();
    assert_eq!(redacted, "[redacted:github-token] [redacted:github-token]");
}

#[test]
fn a_secret_at_the_very_start_or_end_is_found() {
    let token = Sample::expand("⟪github-token|ghp_{alnum:36}⟫", 3).text;
    assert_eq!(redact(&token).text, "[redacted:github-token]");
    assert_eq!(
        redact(&format!("{token} was old")).text,
        "[redacted:github-token] was old"
    );
    assert_eq!(
        redact(&format!("the old one was {token}")).text,
        "the old one was [redacted:github-token]"
    );
}

#[test]
fn json_stays_json_and_keeps_its_other_values() {
    let lines = [
        r#"{"user":"app","password":"⟪password|{human}⟫","port":5432}"#,
        r#"{"url":"postgres://app:⟪password|{human}⟫@db/shop","note":"ünïcode"}"#,
        r#"{"key":"⟪private-key|{begin:PRIVATE KEY}\n{b64:64}\n{b64:64}\n{end:PRIVATE KEY}⟫\n","id":7}"#,
        r#"{"inner":"{\"token\":\"⟪token|{alnum:40}⟫\",\"n\":1}","list":[1,2,3]}"#,
    ];
    for line in lines {
        for seed in 0..SEEDS {
            let sample = Sample::expand(line, seed);
            let redacted = redact(&sample.text);
            assert_eq!(redacted.text, sample.expected, "{line}");
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&redacted.text);
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
    }
}

#[test]
fn an_address_keeps_everything_but_its_password() {
    let sample = Sample::expand(
        "postgres://app:⟪password|{human}⟫@db.internal:5432/shop?sslmode=require",
        5,
    );
    assert_eq!(
        redact(&sample.text).text,
        "postgres://app:[redacted:password]@db.internal:5432/shop?sslmode=require"
    );
}

#[test]
fn a_header_keeps_its_name_and_scheme() {
    let sample = Sample::expand("Authorization: Bearer ⟪bearer-token|{alnum:40}⟫", 6);
    assert_eq!(
        redact(&sample.text).text,
        "Authorization: Bearer [redacted:bearer-token]"
    );
}

#[test]
fn neighbours_of_several_bytes_are_left_whole() {
    for (before, after) in [
        ("é", "ü"),
        ("密", "钥"),
        ("🔑", "🔑"),
        ("\u{200b}", "\u{feff}"),
        ("„", "“"),
        ("א", "ب"),
    ] {
        let token = Sample::expand("⟪github-token|ghp_{alnum:36}⟫", 7).text;
        let text = format!("{before}{token}{after}");
        assert_eq!(redact(&text).text, format!("{before}[redacted:github-token]{after}"));
    }
}

#[test]
fn a_private_key_of_many_lines_becomes_one_marker() {
    let sample = Sample::expand(
        "before⏎⟪private-key|{begin:RSA PRIVATE KEY}⏎{lines:50}⏎{end:RSA PRIVATE KEY}⟫⏎after",
        8,
    );
    assert_eq!(redact(&sample.text).text, "before\n[redacted:private-key]\nafter");
}

#[test]
fn a_token_of_any_length_is_redacted_completely() {
    for length in [16, 100, 319, 320, 321, 4096, 40_000] {
        let token = Sample::expand(&format!("xoxb-{{alnum:{length}}}"), 9).text;
        assert_eq!(redact(&token).text, "[redacted:slack-token]", "{length}");
        let value = Sample::expand(&format!("{{alnum:{length}}}"), 9).text;
        assert_eq!(
            redact(&format!("API_TOKEN={value}\n")).text,
            "API_TOKEN=[redacted:token]\n",
            "{length}"
        );
    }
}

#[test]
fn an_empty_text_has_no_secret() {
    assert!(matches!(redact("").text, Cow::Borrowed("")));
    assert!(find_secrets("").is_empty());
}

/// Redacts with the result of [`find_secrets`].
fn rebuilt(text: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for secret in find_secrets(text) {
        out.push_str(&text[from..secret.start]);
        out.push_str(&format!("[redacted:{}]", secret.kind));
        from = secret.end;
    }
    out + &text[from..]
}

/// Text that the rules search for, whole secrets, text without one, and anything else.
fn fragment() -> impl Strategy<Value = String> {
    let lists = [&MUST_REDACT[..], &MUST_SURVIVE[..]];
    let corpus: Vec<&str> = lists
        .into_iter()
        .flatten()
        .flat_map(|(_, corpus)| lines(corpus))
        .collect();
    let sample =
        (proptest::sample::select(corpus), 0u64..1000).prop_map(|(line, seed)| Sample::expand(line, seed).text);
    let syntax = proptest::sample::select(vec![
        "password",
        "token",
        "api_key",
        "SECRET",
        "=",
        ": ",
        " is ",
        "\"",
        "'",
        "\\",
        "\\\"",
        "\n",
        " ",
        "://",
        "@",
        ":",
        "ghp_",
        "sk-",
        "eyJ",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "-----END ",
        "[redacted:",
        "]",
        "[redacted:token]",
        "Bearer ",
        "Basic ",
        "Cookie: ",
        "--",
        "?",
        "&",
        "%26",
        "%3D",
        "é",
        "пароль",
        "密码：",
        "🔑",
        ".",
        "$",
        "{",
        "}",
        "<",
        ">",
        "(",
        ")",
        "hunter2",
        "a1B2c3D4e5F6g7H8",
        "\u{200b}",
        "\u{a0}",
        "\\\n",
        "%70",
        "а",
        ":5432:a:b:",
        "legal winner thank year wave sausage worth useful legal winner thank yellow ",
        "REJfUEFTU1dPUkQ9aHVudGVyMng5CkRCX1VTRVI9YXBwCg==",
    ]);
    prop_oneof![3 => sample, 6 => syntax.prop_map(str::to_owned), 2 => "[A-Za-z0-9+/_-]{1,60}", 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redaction_is_idempotent_and_only_replaces(fragments in proptest::collection::vec(fragment(), 0..12)) {
        let text = fragments.concat();
        let once = redact(&text);
        // slicing in `rebuilt` also proves that every range lies on character boundaries
        prop_assert_eq!(rebuilt(&text), once.text.as_ref());
        prop_assert_eq!(once.count == 0, matches!(once.text, Cow::Borrowed(_)));
        let twice = redact(&once.text);
        prop_assert_eq!(twice.count, 0, "{:?} became {:?}", once.text, twice.text);
    }

    #[test]
    fn a_text_of_any_characters_is_handled(text in "\\PC{0,200}") {
        let once = redact(&text).text.into_owned();
        let twice = redact(&once);
        prop_assert_eq!(twice.text.as_ref(), once.as_str());
    }

    #[test]
    fn a_text_without_any_trigger_is_borrowed(text in "[bdhjnqvzBDHJNQVZ0-9 ,;()!\n]{0,300}") {
        let redacted = redact(&text);
        prop_assert!(matches!(redacted.text, Cow::Borrowed(same) if same == text));
        prop_assert_eq!(redacted.count, 0);
    }
}
