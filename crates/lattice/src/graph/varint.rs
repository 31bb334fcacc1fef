//! Variable-length integers (LEB128): seven bits per byte, the least significant first; the highest bit says that another
//! byte follows.

pub(super) fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number and advances; `None` at the end of the bytes.
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}
