//! Content negotiation: which of three JSON media types an answer is sent in (RFC 9110, section 12.5.1), and which ones
//! a request may come in.

use std::str::FromStr;

use super::http::{A2A_JSON, JSON, PROBLEM_JSON, is_token};

/// What a REST error looks like to a caller that asks for no form in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ErrorFormat {
    /// The members of both other forms in one object, as `application/problem+json`.
    #[default]
    Both,
    /// `{type, title, status, detail}`, as `application/problem+json`.
    Problem,
    /// `{error: {code, status, message, details}}` of specification 11.6, as `application/a2a+json`.
    Status,
}

impl ErrorFormat {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Both | Self::Problem => PROBLEM_JSON,
            Self::Status => A2A_JSON,
        }
    }
}

/// The text names no [`ErrorFormat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be both, problem or status")]
pub struct UnknownErrorFormat;

impl FromStr for ErrorFormat {
    type Err = UnknownErrorFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "both" => Ok(Self::Both),
            "problem" => Ok(Self::Problem),
            "status" => Ok(Self::Status),
            _ => Err(UnknownErrorFormat),
        }
    }
}

/// The media type of a successful answer: `application/json` if the caller likes it better than `application/a2a+json`,
/// or names it and likes it as much.
pub(crate) fn success(accept: Option<&str>) -> &'static str {
    let ranges = Ranges::parse(accept);
    let (json, a2a) = (ranges.preference(JSON), ranges.preference(A2A_JSON));
    if json.level > a2a.level || (json.level == a2a.level && json.is_wish()) { JSON } else { A2A_JSON }
}

/// The form and media type of an error.
///
/// A caller that names a media type and likes none better gets that type. Named equally, `application/problem+json` comes
/// first, since it is for errors alone, then `application/json`. All others get the default, unless they refuse its type.
pub(crate) fn error(accept: Option<&str>, default: ErrorFormat) -> (ErrorFormat, &'static str) {
    const CHOICES: [(ErrorFormat, &str); 3] =
        [(ErrorFormat::Problem, PROBLEM_JSON), (ErrorFormat::Status, JSON), (ErrorFormat::Status, A2A_JSON)];
    let ranges = Ranges::parse(accept);
    let preferences = CHOICES.map(|(_, media_type)| ranges.preference(media_type));
    let best = preferences.iter().map(|preference| preference.level).max().unwrap_or(Level::Unmentioned);
    let liked = |media_type: &str| ranges.preference(media_type).level == best;

    let named = CHOICES.into_iter().zip(preferences).find(|(_, found)| found.level == best && found.is_wish());
    match named {
        Some((choice, _)) => choice,
        None if liked(default.content_type()) => (default, default.content_type()),
        None if liked(A2A_JSON) => (ErrorFormat::Status, A2A_JSON),
        None if liked(JSON) => (ErrorFormat::Status, JSON),
        None => (ErrorFormat::Problem, PROBLEM_JSON),
    }
}

/// Whether a body under this `Content-Type` may be read as JSON. A body without one may.
pub fn is_json_content_type(content_type: Option<&str>) -> bool {
    let Some(content_type) = content_type.map(str::trim).filter(|text| !text.is_empty()) else { return true };
    if content_type == JSON {
        return true; // as nearly everybody writes it
    }
    let mut parts = split_outside_quotes(content_type, b';');
    let essence = parts.next().unwrap_or_default().trim();
    let known = essence.eq_ignore_ascii_case(JSON) || essence.eq_ignore_ascii_case(A2A_JSON);
    known && parts.filter_map(parameter).all(|(name, value)| !name.eq_ignore_ascii_case("charset") || is_utf_8(value))
}

fn is_utf_8(charset: &str) -> bool {
    let charset = charset.trim_matches('"');
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

/// How much a media type is wanted, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Refused,
    Unmentioned,
    /// The weight in thousandths, above 0.
    Wanted(u16),
}

#[derive(Debug, Clone, Copy)]
struct Preference {
    level: Level,
    /// Whether the media type is named in full, not only by a wildcard.
    named: bool,
}

impl Preference {
    fn is_wish(self) -> bool {
        self.named && self.level > Level::Unmentioned
    }
}

/// How closely a media range describes the type that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    AnyType,
    AnySubtype,
    Named,
}

/// The media ranges of an `Accept` header. What is no media range is skipped.
struct Ranges<'a>(Vec<Range<'a>>);

struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// In thousandths.
    weight: u16,
}

impl<'a> Ranges<'a> {
    fn parse(accept: Option<&'a str>) -> Self {
        Self(
            accept.into_iter().flat_map(|accept| split_outside_quotes(accept, b',')).filter_map(Range::parse).collect(),
        )
    }

    fn preference(&self, media_type: &str) -> Preference {
        let matching = self.0.iter().filter_map(|range| Some((range.closeness(media_type)?, range.weight)));
        // The closest range counts. Of several that are equally close the least does, so that a refusal always holds.
        let decisive = matching.reduce(|best, next| match next.0.cmp(&best.0) {
            std::cmp::Ordering::Greater => next,
            std::cmp::Ordering::Equal => (best.0, best.1.min(next.1)),
            std::cmp::Ordering::Less => best,
        });
        match decisive {
            None => Preference { level: Level::Unmentioned, named: false },
            Some((closeness, weight)) => Preference {
                level: if weight == 0 { Level::Refused } else { Level::Wanted(weight) },
                named: closeness == Closeness::Named,
            },
        }
    }
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = split_outside_quotes(text, b';');
        let (kind, subtype) = parts.next()?.trim().split_once('/')?;
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        // Other parameters describe variants that do not exist here; they do not change what is asked for.
        let weight = parts.filter_map(parameter).find(|(name, _)| name.eq_ignore_ascii_case("q"));
        let weight = match weight {
            None => 1000,
            Some((_, value)) => weight_of(value)?,
        };
        Some(Self { kind, subtype, weight })
    }

    fn closeness(&self, media_type: &str) -> Option<Closeness> {
        let (kind, subtype) = media_type.split_once('/')?;
        if self.kind == "*" && self.subtype == "*" {
            Some(Closeness::AnyType)
        } else if !self.kind.eq_ignore_ascii_case(kind) {
            None
        } else if self.subtype == "*" {
            Some(Closeness::AnySubtype)
        } else if self.subtype.eq_ignore_ascii_case(subtype) {
            Some(Closeness::Named)
        } else {
            None
        }
    }
}

/// A `qvalue` in thousandths: 0 to 1, with at most three decimals (RFC 9110, section 12.4.2).
fn weight_of(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok()?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1000),
        _ => None,
    }
}

fn parameter(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    Some((name.trim(), value.trim()))
}

/// Splits at `separator`, but not inside a quoted string (RFC 9110, section 5.6.4).
fn split_outside_quotes(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut quoted, mut escaped) = (false, false);
        let end = text.bytes().position(|byte| {
            let escape = escaped;
            escaped = quoted && !escape && byte == b'\\';
            quoted ^= byte == b'"' && !escape;
            byte == separator && !quoted
        });
        let (head, tail) = match end {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = tail;
        Some(head)
    })
}

#[cfg(test)]
mod tests;
