//! Long runs of letters and digits whose decoded content makes them a secret: base64 text that contains one, and private
//! keys of wallets.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::base64;
use super::pattern::{ALNUM, BASE64, run_len, run_len_back};
use super::scan::{self, Finding};

/// The minimum length of a run. No shorter one encodes a secret that would be found.
const RUN_BYTES_MIN: usize = 24;
/// The minimum length of a line of wrapped base64.
const LINE_BYTES_MIN: usize = 60;
/// The length of a private key in wallet import format (WIF, base58check): version, 32 bytes, optional compression flag,
/// checksum.
const WALLET_KEY_BYTES: Range<usize> = 51..53;
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Finds such runs. Most words are shorter and are skipped.
pub(super) fn findings(text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at + RUN_BYTES_MIN <= bytes.len() {
        let probe = at + RUN_BYTES_MIN - 1;
        if run_len(bytes, probe, BASE64, 1) == 0 {
            at = probe + 1;
            continue;
        }
        let start = probe - run_len_back(bytes, probe, BASE64, probe - at);
        let end = start + run_len(bytes, start, BASE64, usize::MAX);
        if end - start >= RUN_BYTES_MIN {
            at = look_at(text, start..end, &mut found).max(end);
        } else {
            at = end + 1;
        }
    }
    found
}

/// Checks a run and the lines that continue it; returns the end of the checked text.
fn look_at(text: &str, run: Range<usize>, found: &mut Vec<Finding>) -> usize {
    let bytes = text.as_bytes();
    let first_line = bytes.get(run.clone()).unwrap_or_default();
    if WALLET_KEY_BYTES.contains(&run.len()) && is_wallet_key(first_line) {
        found.push(Finding::evident("wallet-key", run.clone()));
        return run.end;
    }
    if !first_line.get(..RUN_BYTES_MIN / 4 * 4).is_some_and(is_text) {
        return run.end;
    }
    let mut encoded = first_line.to_vec();
    let mut end = run.end;
    let mut line = run.len();
    while line >= LINE_BYTES_MIN && bytes.get(end) == Some(&b'\n') {
        let next = run_len(bytes, end + 1, BASE64, line);
        let Some(next_line) = bytes.get(end + 1..end + 1 + next).filter(|line| !line.is_empty()) else {
            break;
        };
        encoded.extend_from_slice(next_line);
        end += 1 + next;
        line = if next == line { next } else { 0 };
    }
    end += bytes.iter().skip(end).take(2).take_while(|b| **b == b'=').count();
    super::work::add(encoded.len());
    let decoded = base64::decode(&encoded).unwrap_or_default();
    // The decoded text may end within a character.
    let inner = String::from_utf8_lossy(&decoded);
    if let Some(secret) = scan::findings(&inner)
        .into_iter()
        .max_by_key(|finding| finding.strength)
    {
        found.push(Finding::evident(secret.kind, run.start..end));
    }
    end
}

/// True if the beginning of a run decodes to text; that of most runs does not.
fn is_text(head: &[u8]) -> bool {
    let decoded = base64::decode(head).unwrap_or_default();
    let is_written = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0xc2..=0xf4 | 0x80..=0xbf);
    !decoded.is_empty() && decoded.iter().all(is_written)
}

/// Verifies the checksum of a private key in wallet import format, which no other text has by chance.
fn is_wallet_key(text: &[u8]) -> bool {
    if !matches!(text.first(), Some(b'5' | b'K' | b'L' | b'9' | b'c'))
        || run_len(text, 0, ALNUM, text.len()) < text.len()
    {
        return false;
    }
    // 53 digits in base 58 need fewer than 40 bytes.
    let mut number = [0_u8; 40];
    for byte in text {
        let Some(digit) = BASE58.iter().position(|known| known == byte) else {
            return false;
        };
        let mut carry = digit;
        for place in number.iter_mut().rev() {
            carry += usize::from(*place) * 58;
            *place = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return false;
        }
    }
    let key_bytes = match text.len() {
        51 => 37,
        _ => 38,
    };
    let Some((payload, checksum)) = number
        .last_chunk::<38>()
        .and_then(|key| key.get(key.len() - key_bytes..)?.split_last_chunk::<4>())
    else {
        return false;
    };
    let twice = Sha256::digest(Sha256::digest(payload));
    matches!(payload.first(), Some(0x80 | 0xef)) && twice.starts_with(checksum)
}
