use super::key::{Class, classify};
use super::pattern::{
    ALNUM, BASE64_ANY, BASE64_URL_ENCODED, CRYPT, DASHED, DOTTED, HEX, IDENT, LOW, NUM, Piece, SIGNED, Token, UP, WORD,
};
use super::providers::TOKENS;
use super::shape::{Shape, is_hex, is_name, is_uuid};
use super::{base64, find_secrets, redact, work};

fn surprise(value: &str) -> f32 {
    Shape::of(value.as_bytes()).surprise()
}

#[test]
fn words_and_identifiers_have_low_surprisal() {
    for value in [
        "correct-horse-battery-staple",
        "UsernamePasswordAuthenticationFilter",
        "requestTimeoutMs",
        "Wiederherstellung",
    ] {
        assert!(surprise(value) < 0.15, "{value}: {}", surprise(value));
        assert!(!Shape::of(value.as_bytes()).is_random(), "{value}");
    }
}

#[test]
fn random_letters_and_digits_have_high_surprisal() {
    for seed in 1..200 {
        let value = drawn(ALNUM, 24, seed);
        assert!(surprise(&value) > 0.34, "{value}: {}", surprise(&value));
        assert!(Shape::of(value.as_bytes()).is_random(), "{value}");
    }
}

#[test]
fn a_value_without_neighbours_has_no_surprisal() {
    for value in ["", "a", "---", "1", "é"] {
        assert!(surprise(value) < f32::EPSILON, "{value}");
    }
}

#[test]
fn names_have_words_and_short_numbers() {
    for name in [
        "db-password-2",
        "prod/eu-west-1/api",
        "v1.2.3-beta.4",
        "my_app_v2",
        "2024-01-31",
        "shop",
    ] {
        assert!(is_name(name.as_bytes()), "{name}");
    }
    for value in ["hunter2!", "s3cr3t", "a1b2c3d4", "vK93xTq2", "20240131123456"] {
        assert!(!is_name(value.as_bytes()), "{value}");
    }
}

#[test]
fn hex_is_of_one_case_and_a_uuid_has_its_dashes() {
    assert!(is_hex(b"00ff") && is_hex(b"00FF") && !is_hex(b"00fF") && !is_hex(b"") && !is_hex(b"0g"));
    assert!(is_uuid(b"123e4567-e89b-42d3-a456-426614174000"));
    assert!(!is_uuid(b"123e4567e89b-42d3-a456-4266141740000") && !is_uuid(b"123e4567-e89b-42d3-a456-42661417400"));
}

#[test]
fn base64_of_both_alphabets_is_decoded() {
    assert_eq!(base64::decode(b"dXNlcjpwYXNz").as_deref(), Some(&b"user:pass"[..]));
    assert_eq!(base64::decode(b"-_8=").as_deref(), Some(&[0xfb, 0xff][..]));
    assert_eq!(base64::decode(b"+/8").as_deref(), Some(&[0xfb, 0xff][..]));
    assert_eq!(base64::decode(b"a b"), None);
    assert!(base64::is_encoded_login(b"dXNlcjpwYXNz") && !base64::is_encoded_login(b"authentication"));
}

#[test]
fn a_name_indicates_a_secret_only_by_its_last_words() {
    let secrets = [
        ("DB_PASSWORD", Class::Password),
        ("spring.datasource.password", Class::Password),
        ("pgPass", Class::Password),
        ("clientSecret", Class::Secret),
        ("JWT_SECRET_KEY", Class::ApiKey),
        ("apiKey", Class::ApiKey),
        ("APIKey", Class::ApiKey),
        ("x-brain-key", Class::ApiKey),
        ("API_KEY_PROD", Class::ApiKey),
        ("accessToken2", Class::Token),
        ("_authToken", Class::Token),
        ("_auth", Class::Login),
        ("OPENBRAIN_KEY", Class::ApiKey),
        ("DEEPL_KEY", Class::Weak),
    ];
    for (name, class) in secrets {
        assert_eq!(classify(name.as_bytes()), Some(class), "{name}");
    }
    let others = [
        "password_file",
        "passwordHash",
        "tokenizer",
        "max_tokens",
        "tokens",
        "next_token",
        "nextPageToken",
        "public_key",
        "cacheKey",
        "primary_key",
        "secretName",
        "api_key_id",
        "author",
        "authority",
        "compass",
        "bypass",
        "keyboard",
        "monkey",
        "",
    ];
    for name in others {
        assert_eq!(classify(name.as_bytes()), None, "{name}");
    }
}

#[test]
fn an_overlong_name_is_not_a_name() {
    let long = format!("{}_password", "a".repeat(10_000));
    assert_eq!(
        redact(&format!("{long}=hunter2x9")).text,
        format!("{long}=[redacted:password]")
    );
    assert_eq!(classify(long.as_bytes()), None);
}

#[test]
fn every_token_is_found_at_any_position() {
    for token in TOKENS {
        for (before, after) in [
            ("", ""),
            ("see ", "."),
            ("(", ")"),
            ("\"", "\","),
            ("é", "ü"),
            ("\\n", "\\n"),
            ("=", "&x=1"),
            ("🔑", "🔑"),
        ] {
            for seed in 1..20 {
                let made = instance(token, seed);
                let text = format!("{before}{made}{after}");
                let (start, end) = (before.len() + token.kept, before.len() + made.len());
                let found = find_secrets(&text);
                let is_there = found
                    .iter()
                    .any(|s| s.start == start && s.end == end && s.kind == token.kind);
                assert!(
                    found.len() == 1 && is_there,
                    "{text}: {found:?} instead of {} at {start}..{end}",
                    token.kind
                );
            }
        }
    }
}

#[test]
fn a_token_does_not_start_within_a_word() {
    for token in TOKENS
        .iter()
        .filter(|token| token.prefix.starts_with(|c: char| c.is_ascii_alphanumeric()))
    {
        let text = format!("x{}", instance(token, 7));
        let at_start = find_secrets(&text)
            .into_iter()
            .any(|s| s.start == 1 && s.kind == token.kind);
        assert!(!at_start, "{text}");
    }
}

#[test]
fn kinds_consist_of_characters_allowed_in_markers() {
    for token in TOKENS {
        let is_plain = token
            .kind
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(is_plain && token.kind.len() <= 32, "{}", token.kind);
    }
}

#[test]
fn no_token_is_listed_twice() {
    for (i, token) in TOKENS.iter().enumerate() {
        let again = TOKENS.iter().skip(i + 1).find(|other| other.prefix == token.prefix);
        assert!(again.is_none(), "{} twice", token.prefix);
    }
}

#[test]
fn the_work_is_linear_in_the_text() {
    let units = [
        "password=",
        "password=a&",
        "password is set to ",
        "password: \"",
        "secret='",
        "token ",
        "key.",
        "api_key_",
        "pwd",
        "eyJ",
        "eyJ-",
        "eyJ.",
        "sk-ant-",
        "sk-",
        "ghp_",
        "xoxb-",
        concat!("AKIA", "2345672345672345 "),
        "SG.",
        "AIza",
        "EAA",
        "LS0tLS1CRUdJTi",
        concat!("-----BEGIN ", "PRIVATE KEY-----"),
        concat!("-----BEGIN ", "PRIVATE KEY-----\na:\n"),
        "-----BEGIN",
        "MII",
        "Private-Lines: 1\n",
        "://",
        "x://a:",
        "x://a:b@",
        "postgres://a:b/",
        "a@",
        ".abcdef",
        "1Q~",
        "JQQJ99",
        "1:AA",
        "-us1",
        ".atlasv1.",
        "sig=",
        "bearer ",
        "basic ",
        "cookie: a=b;",
        "mysql -p",
        " -u a:",
        "[redacted:",
        "token=\\\"",
        "a",
        "0",
        "+",
        "=",
        "\\",
        "é",
        "пароль:",
        "pаss\u{200b}word=",
        "pass\\\n",
        "%70",
        "%2525",
        ":5432:",
        "a:*:",
        "$2y$10$",
        "c2VjcmV0PWFiYzEyMzQ1Njc4",
        "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss ",
        "abandon ",
        "ab ",
        "password for ",
        "password for a\n",
        "password is now ",
        "is my password ",
        "admin key ",
        "login with a / ",
        "user ",
        "PIN of ",
        "redis-cli -a ",
        "BUNDLE_A__",
        "_mmk",
        ".acc_",
    ];
    for unit in units {
        let work_for = |bytes: usize| {
            work::reset();
            redact(&unit.repeat(bytes / unit.len()));
            work::done()
        };
        let (half, whole) = (work_for(32 * 1024), work_for(64 * 1024));

        assert!(
            whole <= half * 5 / 2 + 4096,
            "{unit}: {half} steps for 32 KiB, {whole} for 64 KiB"
        );
        assert!(whole <= 64 * 1024 * 600, "{unit}: {whole} steps for 64 KiB");
    }
}

/// Returns a token with the shortest body that its pattern allows, drawn from its classes.
fn instance(token: &Token, seed: u64) -> String {
    let mut made = token.prefix.to_owned();
    for (i, piece) in token.pieces.iter().enumerate() {
        match *piece {
            Piece::Text(text) => made.push_str(text),
            Piece::Run(class, min, _) => made.push_str(&drawn(class, min, seed * 31 + i as u64)),
        }
    }
    made
}

fn drawn(class: u16, len: usize, seed: u64) -> String {
    // letters and digits alone are of every class that has them, and no neighbour's punctuation joins them
    let alphabet: &[u8] = match class {
        NUM => b"0123456789",
        HEX => b"0123456789abcdef",
        LOW => b"abcdefghijklmnopqrstuvwxyz0123456789",
        UP => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        ALNUM | IDENT | WORD | DOTTED | DASHED | BASE64_ANY | BASE64_URL_ENCODED | SIGNED | CRYPT => {
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        }
        other => panic!("class {other} has no alphabet here"),
    };
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[(state >> 11) as usize % alphabet.len()])
    };
    (0..len).map(|_| draw()).collect()
}
