//! Taking secrets out.

use forge_memory_core::redact::{find_secrets, redact};

use super::texts::text_of;

pub fn check(input: &[u8]) {
    let text = text_of(input);
    let secrets = find_secrets(&text);
    let redacted = redact(&text);
    assert_eq!(redacted.count, secrets.len());
    assert!(
        secrets
            .iter()
            .all(|secret| secret.start < secret.end && text.get(secret.start..secret.end).is_some())
    );
    assert!(
        secrets.windows(2).all(|pair| pair[0].end <= pair[1].start),
        "secrets overlap"
    );
    if redacted.count == 0 {
        assert_eq!(redacted.text, text);
    }
    let again = redact(&redacted.text);
    assert_eq!(
        (again.count, again.text.as_ref()),
        (0, redacted.text.as_ref()),
        "doing it again changes something"
    );
}
