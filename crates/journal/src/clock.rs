//! The only module that reads the clock. Everything else takes milliseconds since the epoch, or a [`Clock`].

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, SecondsFormat, Timelike, Utc};

use crate::error::{Error, Result};

/// Milliseconds since 1970-01-01T00:00:00Z (Unix time), negative before it.
pub type Millis = i64;

/// One day in milliseconds.
pub const DAY_MS: Millis = 86_400_000;

/// A source of the current time; tests use their own.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Returns the current time.
    fn now_ms(&self) -> Millis;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// How many of the last records say what time it is, and how many there have to be.
const LAST: usize = 16;
const AGREEING_MIN: usize = 3;

/// Returns the time that the last records of a file agree on, given their times, the newest line first: the median, so that no clock that was wrong
/// for a while decides it alone. `None` where there are too few.
pub fn agreed_time(newest_first: impl Iterator<Item = Millis>) -> Option<Millis> {
    let mut times: Vec<Millis> = newest_first.take(LAST).collect();
    times.sort_unstable();
    let middle = times.get(times.len().saturating_sub(1) / 2).copied();
    middle.filter(|_| times.len() >= AGREEING_MIN)
}

/// Formats a time as ISO 8601 in UTC with milliseconds, the only form that is written.
pub fn format_iso(ms: Millis) -> String {
    let at = DateTime::<Utc>::from_timestamp_millis(ms).unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
    if !(0..=9999).contains(&at.year()) {
        return at.to_rfc3339_opts(SecondsFormat::Millis, true);
    }
    // Formatted digit by digit: every capture calls this, and `format!` costs a microsecond.
    let mut out = *b"0000-00-00T00:00:00.000Z";
    write_digits(&mut out[0..4], at.year().unsigned_abs());
    for (from, value) in [
        (5, at.month()),
        (8, at.day()),
        (11, at.hour()),
        (14, at.minute()),
        (17, at.second()),
    ] {
        write_digits(out.get_mut(from..from + 2).unwrap_or_default(), value);
    }
    write_digits(&mut out[20..23], at.timestamp_subsec_millis());
    String::from_utf8_lossy(&out).into_owned()
}

fn write_digits(places: &mut [u8], mut value: u32) {
    for place in places.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// Parses an ISO 8601 date or date-time; a date alone means its beginning in UTC. Returns `None` when it is invalid.
pub fn parse_iso(text: &str) -> Option<Millis> {
    if let Some(at) = parse_written(text.as_bytes()) {
        return Some(at);
    }
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.timestamp_millis());
    }
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return day.and_hms_opt(0, 0, 0).map(|at| at.and_utc().timestamp_millis());
    }
    for form in [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
    ] {
        if let Ok(at) = NaiveDateTime::parse_from_str(text, form) {
            return Some(at.and_utc().timestamp_millis());
        }
    }
    None
}

/// A fast path for the form that [`format_iso`] writes.
fn parse_written(text: &[u8]) -> Option<Millis> {
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
        b'.',
        f1,
        f2,
        f3,
        b'Z',
    ] = *text
    else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |sum, b| {
            b.is_ascii_digit().then(|| sum * 10 + u32::from(b - b'0'))
        })
    };
    let year = i32::try_from(number(&[y1, y2, y3, y4])?).ok()?;
    let day = NaiveDate::from_ymd_opt(year, number(&[m1, m2])?, number(&[d1, d2])?)?;
    let time = day.and_hms_milli_opt(
        number(&[h1, h2])?,
        number(&[n1, n2])?,
        number(&[s1, s2])?,
        number(&[f1, f2, f3])?,
    )?;
    Some(time.and_utc().timestamp_millis())
}

/// Parses a time: an ISO 8601 date or date-time, or an age before `now` (`30m`, `12h`, `7d`, `2w`). `field` names the
/// argument in the error.
///
/// # Errors
/// `INVALID_INPUT` when it is neither.
pub fn parse_when(field: &'static str, text: &str, now: Millis) -> Result<Millis> {
    let text = text.trim();
    if let Some(age) = parse_age(text) {
        return Ok(now.saturating_sub(age));
    }
    parse_iso(text).ok_or_else(|| {
        Error::invalid(
            field,
            format!("`{}` is not an ISO date or an age such as 12h, 7d or 2w", clip(text)),
        )
    })
}

fn parse_age(text: &str) -> Option<Millis> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY_MS,
        "w" => 7 * DAY_MS,
        _ => return None,
    };
    if count.is_empty() || !count.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    count.parse::<i64>().ok()?.checked_mul(unit)
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_survives_a_round_trip() {
        for text in ["2026-11-20T10:00:00.000Z", "1999-12-31T23:59:59.999Z"] {
            assert_eq!(format_iso(parse_iso(text).unwrap()), text);
        }
    }

    #[test]
    fn a_date_alone_is_its_first_instant_in_utc() {
        assert_eq!(parse_iso("2026-04-01"), parse_iso("2026-04-01T00:00:00Z"));
        assert_eq!(parse_iso("2026-04-01T02:00:00+02:00"), parse_iso("2026-04-01"));
    }

    #[test]
    fn ages_count_back_from_now() {
        let now = 100 * DAY_MS;
        assert_eq!(parse_when("since", "7d", now).unwrap(), 93 * DAY_MS);
        assert_eq!(parse_when("since", "2w", now).unwrap(), 86 * DAY_MS);
        assert_eq!(parse_when("since", "36h", now).unwrap(), 100 * DAY_MS - 36 * 3_600_000);
    }

    #[test]
    fn an_invalid_time_is_refused_with_the_name_of_the_field() {
        for bad in [
            "7x",
            "-1d",
            "",
            "d",
            "2026-13-01",
            "2026-02-30",
            "99999999999999999999d",
            "tomorrow",
        ] {
            let error = parse_when("since", bad, 0).unwrap_err();
            assert_eq!(error.code(), "INVALID_INPUT", "{bad}");
            assert!(error.to_string().contains("since"), "{error}");
        }
    }
}
