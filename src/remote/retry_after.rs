//! `Retry-After` (RFC 9110, section 10.2.3).

use std::time::{Duration, SystemTime};

use crate::ports::Timestamp;

/// How long to wait from `now` on: seconds, or until a date. `None` if it is neither; nothing for a date in the past.
pub fn parse(value: &str, now: Timestamp) -> Option<Duration> {
    match date(value) {
        Some(date) => Some(date.since(now)),
        // Two lines of the header, which a platform made one, are no form of it; but the longer wait suits both.
        None => value.split(',').filter_map(seconds).max(),
    }
}

fn seconds(value: &str) -> Option<Duration> {
    let value = value.trim();
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    // More than fit are for ever.
    is_number.then(|| Duration::from_secs(value.parse().unwrap_or(u64::MAX)))
}

/// An HTTP-date (RFC 9110, section 5.6.7), in each of its three forms.
pub fn date(value: &str) -> Option<Timestamp> {
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    let since_epoch = date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Some(Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1994-11-06T08:49:30Z, seven seconds before the example of RFC 9110.
    const NOW: Timestamp = Timestamp(784_111_770_000);

    #[test]
    fn seconds_and_every_form_of_date_are_read() {
        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(7)),
            ("Sun Nov  6 08:49:37 1994", Some(7)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("5, 10", Some(10)),
            ("10,5, soon", Some(10)),
            ("5, Sun, 06 Nov 1994 08:49:37 GMT", Some(5)),
            ("", None),
            (",", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("2026-01-01T00:00:00Z", None),
        ] {
            assert_eq!(parse(value, NOW), seconds.map(Duration::from_secs), "{value:?}");
        }
    }
}
