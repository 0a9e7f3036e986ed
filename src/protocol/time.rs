//! Timestamps on the wire: `google.protobuf.Timestamp` as ProtoJSON writes it (specification 5.6.1).

use crate::ports::Timestamp;

const MILLIS_PER_SECOND: i64 = 1_000;
const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_MILLI: u32 = 1_000_000;

/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: the range of `google.protobuf.Timestamp`.
const FIRST_SECOND: i64 = -62_135_596_800;
const LAST_SECOND: i64 = 253_402_300_799;

/// The time as `YYYY-MM-DDTHH:mm:ss.sssZ`. A time after the year 9999 is written as the last millisecond of that year.
pub fn format(timestamp: Timestamp) -> String {
    let last = LAST_SECOND * MILLIS_PER_SECOND + (MILLIS_PER_SECOND - 1);
    let millis = i64::try_from(timestamp.0).map_or(last, |millis| millis.min(last));
    let (seconds, millis) = (millis / MILLIS_PER_SECOND, millis % MILLIS_PER_SECOND);
    let (days, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Reads an RFC 3339 time with `Z` or an offset and up to nine fractional digits, cut to milliseconds.
///
/// `None` if it is not one, or outside the years 1 to 9999. A time before 1970 is read as the epoch: nothing that the
/// protocol stamps is older.
pub fn parse(text: &str) -> Option<Timestamp> {
    let (seconds, nanos) = parse_exact(text)?;
    Some(to_timestamp(seconds, i64::from(nanos / NANOS_PER_MILLI)))
}

/// Like [`parse`], but to the next whole millisecond: for a lower bound, below which nothing may pass.
pub fn parse_rounding_up(text: &str) -> Option<Timestamp> {
    let (seconds, nanos) = parse_exact(text)?;
    Some(to_timestamp(seconds, i64::from(nanos.div_ceil(NANOS_PER_MILLI))))
}

fn to_timestamp(seconds: i64, millis: i64) -> Timestamp {
    Timestamp(u64::try_from(seconds * MILLIS_PER_SECOND + millis).unwrap_or(0))
}

/// Seconds since the epoch, rounded down, and the nanoseconds that are missing then.
fn parse_exact(text: &str) -> Option<(i64, u32)> {
    let bytes = text.as_bytes();
    let (date_time, rest) = bytes.split_at_checked(19)?;
    let digits = |range: std::ops::Range<usize>| number(&date_time[range]);
    let shaped = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if shaped.iter().any(|&(at, separator)| date_time[at] != separator) {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second) = (digits(11..13)?, digits(14..16)?, digits(17..19)?);
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    if !exists || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (nanos, zone) = fraction(rest)?;
    let local = days_from_civil(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
    let seconds = local - offset(zone)?;
    (FIRST_SECOND..=LAST_SECOND).contains(&seconds).then_some((seconds, nanos))
}

/// The fraction as nanoseconds, and what follows it.
fn fraction(rest: &[u8]) -> Option<(u32, &[u8])> {
    let Some(digits) = rest.strip_prefix(b".") else { return Some((0, rest)) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&length) {
        return None;
    }
    let (digits, zone) = digits.split_at(length);
    let scale = (length..9).fold(1, |scale, _| scale * 10);
    Some((u32::try_from(number(digits)? * scale).ok()?, zone))
}

/// The zone's offset from UTC in seconds.
fn offset(zone: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match zone {
        b"Z" => return Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => (sign, number(&[*h1, *h2])?, number(&[*m1, *m2])?),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Some(if *sign == b'-' { -seconds } else { seconds })
}

/// At most nine ASCII digits as a number.
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

// Both ways between days and dates of the Gregorian calendar after H. Hinnant, "chrono-Compatible Low-Level Date
// Algorithms": years start in March, so that the leap day is the last; 400 years ("an era") have 146,097 days.

/// Days from 1970-01-01 to the date.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date that is `days` after 1970-01-01, as year, month, day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Serde's view of an optional timestamp, for `#[serde(with = …)]`.
pub(crate) mod optional {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Timestamp;

    pub(crate) fn serialize<S: Serializer>(value: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(timestamp) => serializer.serialize_str(&super::format(*timestamp)),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        read(deserializer, super::parse)
    }

    /// The reader of a lower bound.
    pub(crate) fn deserialize_rounding_up<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        read(deserializer, super::parse_rounding_up)
    }

    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        parse: fn(&str) -> Option<Timestamp>,
    ) -> Result<Option<Timestamp>, D::Error> {
        let Some(text) = Option::<Cow<'de, str>>::deserialize(deserializer)? else { return Ok(None) };
        parse(&text).map(Some).ok_or_else(|| D::Error::custom("not an RFC 3339 timestamp"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pattern_of_the_specification_is_written() {
        // Specification 5.6.1: 2025-10-28T10:30:00.000Z is 1761647400 s after the epoch.
        assert_eq!(format(Timestamp(1_761_647_400_000)), "2025-10-28T10:30:00.000Z");
        assert_eq!(format(Timestamp(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(format(Timestamp(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        assert_eq!(format(Timestamp(u64::MAX)), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn every_form_of_protojson_is_read() {
        for (text, millis) in [
            ("2025-10-28T10:30:00Z", 1_761_647_400_000),
            ("2025-10-28T10:30:00.1Z", 1_761_647_400_100),
            ("2025-10-28T10:30:00.123456789Z", 1_761_647_400_123),
            ("2025-10-28T12:30:00+02:00", 1_761_647_400_000),
            ("2025-10-28T05:00:00.5-05:30", 1_761_647_400_500),
            ("2000-02-29T00:00:00.000Z", 951_782_400_000),
            ("1969-12-31T23:59:59.999Z", 0),
            ("0001-01-01T00:00:00Z", 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799_999),
        ] {
            assert_eq!(parse(text), Some(Timestamp(millis)), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "2025-10-28",
            "2025-10-28T10:30:00",
            "2025-10-28 10:30:00Z",
            "2025-10-28t10:30:00z",
            "2025-10-28T10:30:00.Z",
            "2025-10-28T10:30:00.1234567890Z",
            "2025-10-28T10:30:00+0200",
            "2025-10-28T10:30:00+24:00",
            "2025-10-28T10:30:00ZZ",
            " 2025-10-28T10:30:00Z",
            "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2025-04-31T00:00:00Z",
            "2025-10-28T24:00:00Z",
            "2025-10-28T10:60:00Z",
            "2025-10-28T10:30:60Z",
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "-025-10-28T10:30:00Z",
            "+025-10-28T10:30:00Z",
            "2025-10-28T10:30:0\u{661}Z",
            "1761647400000",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_lower_bound_is_rounded_up() {
        assert_eq!(parse_rounding_up("1970-01-01T00:00:01.000000001Z"), Some(Timestamp(1_001)));
        assert_eq!(parse_rounding_up("1970-01-01T00:00:01.999000001Z"), Some(Timestamp(2_000)));
        assert_eq!(parse_rounding_up("1970-01-01T00:00:01.002Z"), Some(Timestamp(1_002)));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(millis in 0_u64..=253_402_300_799_999) {
            prop_assert_eq!(parse(&format(Timestamp(millis))), Some(Timestamp(millis)));
        }

        #[test]
        fn every_day_is_the_one_after_the_day_before(day in -719_162_i64..2_932_896) {
            let (year, month, date) = civil_from_days(day);
            prop_assert_eq!(days_from_civil(year, month, date), day);
            let next = match (month, date) {
                (12, 31) => (year + 1, 1, 1),
                (month, date) if date == days_in_month(year, month) => (year, month + 1, 1),
                (month, date) => (year, month, date + 1),
            };
            prop_assert_eq!(civil_from_days(day + 1), next);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*|[0-9TZ:.+-]{0,40}") {
            let _ = parse(&text);
        }
    }
}
