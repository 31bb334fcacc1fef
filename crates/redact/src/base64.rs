//! A minimal base64 decoder that tells an encoded `user:password` from a word.

/// Decodes standard or URL-safe base64, padded or not; `None` for anything else.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let body = text
        .strip_suffix(b"==")
        .or_else(|| text.strip_suffix(b"="))
        .unwrap_or(text);
    let mut out = Vec::with_capacity(body.len() * 3 / 4);
    let (mut bits, mut bit_count) = (0u32, 0u32);
    for &byte in body {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            out.push((bits >> bit_count) as u8);
        }
    }
    Some(out)
}

/// True if `text` encodes `user:password`: printable, with a colon in it.
pub(super) fn is_encoded_login(text: &[u8]) -> bool {
    text.len() >= 6
        && decode(text.get(..256).unwrap_or(text)).is_some_and(|plain| {
            let text = std::str::from_utf8(&plain).unwrap_or_default();
            text.contains(':') && !text.chars().any(char::is_control)
        })
}
