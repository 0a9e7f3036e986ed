//! The query string (specification 11.5).

use std::borrow::Cow;

use super::percent;
use crate::protocol::details::FieldViolation;
use crate::protocol::http::Headers;
use crate::protocol::path::excerpt;

/// A name and its value, decoded.
pub(super) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The service parameter that may stand in the query (specification 3.6.1). It is no parameter of an operation.
const VERSION: &str = "A2A-Version";

/// The operation's parameters in the query, in their order.
///
/// # Errors
/// A violation for each whose encoding is broken.
pub(super) fn pairs(query: &str) -> Result<Vec<Pair<'_>>, Vec<FieldViolation>> {
    let mut violations = Vec::new();
    let mut found = Vec::new();
    for (name, value) in split(query) {
        match (percent::query(name), percent::query(value)) {
            (Some(name), _) if name.eq_ignore_ascii_case(VERSION) => {}
            (Some(name), Some(value)) => found.push((name, value)),
            (decoded, _) => {
                let field = excerpt(&decoded.unwrap_or(Cow::Borrowed(name)));
                violations.push(FieldViolation::new(field, "must be percent-encoded UTF-8"));
            }
        }
    }
    if violations.is_empty() { Ok(found) } else { Err(violations) }
}

/// The protocol version that a request asks for: in its header, or else in its query (specification 3.6.1).
pub fn version<'a>(headers: &Headers<'a>, query: &'a str) -> Option<Cow<'a, str>> {
    // A header without a value is no version, so the query may still name one.
    let header = headers.version.filter(|version| !version.trim().is_empty());
    header.map(Cow::Borrowed).or_else(|| {
        let (_, value) = split(query)
            .find(|(name, _)| percent::query(name).is_some_and(|name| name.eq_ignore_ascii_case(VERSION)))?;
        // A value that cannot be decoded is a version that nobody serves, not the absence of one.
        Some(percent::query(value).unwrap_or(Cow::Borrowed(value)))
    })
}

fn split(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(version: Option<&str>) -> Headers<'_> {
        Headers { version, ..Headers::default() }
    }

    #[test]
    fn pairs_are_decoded_in_their_order() {
        let found = pairs("contextId=a%26b&pageSize=50&&tag=x&tag=y=z&flag&=1").unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
        let expected =
            [("contextId", "a&b"), ("pageSize", "50"), ("tag", "x"), ("tag", "y=z"), ("flag", ""), ("", "1")];
        assert_eq!(found, expected);
        assert_eq!(pairs("").unwrap(), []);
    }

    #[test]
    fn the_version_is_no_parameter() {
        assert_eq!(pairs("A2A-Version=1.0&a2a-version=%FF&A2A%2DVersion=1").unwrap(), []);
    }

    #[test]
    fn broken_encodings_are_all_named() {
        let violations = pairs("contextId=%FF&pageSize=1&%zz=1&status=%2").unwrap_err();
        let fields: Vec<&str> = violations.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["contextId", "%zz", "status"]);
        assert_eq!(violations[0].description, "must be percent-encoded UTF-8");
    }

    #[test]
    fn the_header_goes_before_the_query() {
        assert_eq!(version(&headers(Some("1.0")), "A2A-Version=0.3").as_deref(), Some("1.0"));
        assert_eq!(version(&headers(None), "x=1&a2a-version=0.3&A2A-Version=1.0").as_deref(), Some("0.3"));
        assert_eq!(version(&headers(Some(" ")), "A2A-Version=1%2E0").as_deref(), Some("1.0"));
        assert_eq!(version(&headers(None), "A2A-Version=").as_deref(), Some(""));
        assert_eq!(version(&headers(None), "A2A-Version=%FF").as_deref(), Some("%FF"));
        assert_eq!(version(&headers(None), "version=1.0").as_deref(), None);
        assert_eq!(version(&headers(Some("")), "").as_deref(), None);
    }
}
