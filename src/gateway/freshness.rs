//! How long a card may be used unasked (RFC 9111), within bounds of our own: it is needed for every request.

use std::borrow::Cow;
use std::time::Duration;

use crate::ports::{FetchRequest, ResponseHead, Timestamp};
use crate::protocol::http::JSON;
use crate::remote::retry_after::date;

/// Without a word from the origin: as long as this crate's own agents say.
const DEFAULT: Duration = Duration::from_secs(300);
/// Even of a card that must not be kept: or each request would cost two. (Our own.)
const SHORTEST: Duration = Duration::from_secs(5);
/// Whatever the origin says, it is redeployed some day. (Our own.)
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What HTTP says about a card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Freshness {
    etag: Option<String>,
    last_modified: Option<String>,
    until: Timestamp,
}

impl Freshness {
    /// That of an answer that came at `now`.
    pub(super) fn of(head: &ResponseHead, now: Timestamp) -> Self {
        let owned = |name| head.header(name).map(str::to_owned);
        let lifetime = lifetime(head, now).clamp(SHORTEST, LONGEST);
        let millis = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
        Self {
            etag: owned("ETag"),
            last_modified: owned("Last-Modified"),
            until: Timestamp(now.0.saturating_add(millis)),
        }
    }

    /// That of the same card, after an answer that says that it has not changed. Such an answer need not repeat the tags.
    pub(super) fn renewed(&self, head: &ResponseHead, now: Timestamp) -> Self {
        let new = Self::of(head, now);
        Self {
            etag: new.etag.or_else(|| self.etag.clone()),
            last_modified: new.last_modified.or_else(|| self.last_modified.clone()),
            until: new.until,
        }
    }

    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.until
    }

    /// A request for the card, unless it is still this one.
    pub(super) fn request(&self, url: String) -> FetchRequest {
        let conditions = [("If-None-Match", &self.etag), ("If-Modified-Since", &self.last_modified)];
        let conditions = conditions.into_iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), value.clone()?)));
        let headers = [(Cow::Borrowed("Accept"), JSON.to_owned())].into_iter().chain(conditions);
        FetchRequest { method: "GET", url, headers: headers.collect(), body: None }
    }
}

/// RFC 9111, 4.2.1, less the age that it came with.
fn lifetime(head: &ResponseHead, now: Timestamp) -> Duration {
    let control = head.header("Cache-Control").unwrap_or_default().to_ascii_lowercase();
    let directives = || control.split(',').map(str::trim);
    // What is private is not for a gateway, which asks for everybody (RFC 9111, 5.2.2.7).
    if directives().any(|directive| matches!(directive, "no-store" | "no-cache" | "private")) {
        return Duration::ZERO;
    }
    let seconds = |name: &str| {
        directives().find_map(|directive| {
            let value = directive.strip_prefix(name)?.strip_prefix('=')?.trim_matches('"');
            value.parse().ok().map(Duration::from_secs)
        })
    };
    let age = head.header("Age").and_then(|age| age.trim().parse().ok()).map(Duration::from_secs).unwrap_or_default();
    let told = seconds("s-maxage").or_else(|| seconds("max-age"));
    match (told, head.header("Expires")) {
        (Some(told), _) => told.saturating_sub(age),
        // By the clock that set it. A date that is none is in the past (RFC 9111, 5.3).
        (None, Some(expires)) => {
            let sent = head.header("Date").and_then(date).unwrap_or(now);
            let lifetime = date(expires).map_or(0, |expires| expires.0.saturating_sub(sent.0));
            Duration::from_millis(lifetime).saturating_sub(age)
        }
        (None, None) => DEFAULT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1994-11-06T08:49:30Z
    const NOW: Timestamp = Timestamp(784_111_770_000);

    fn head(headers: &[(&str, &str)]) -> ResponseHead {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        ResponseHead { status: 200, headers: headers.collect() }
    }

    fn seconds(headers: &[(&str, &str)]) -> u64 {
        (Freshness::of(&head(headers), NOW).until.0 - NOW.0) / 1000
    }

    #[test]
    fn lifetimes_are_those_of_http_within_bounds() {
        assert_eq!(seconds(&[]), 300);
        assert_eq!(seconds(&[("cache-control", "public, max-age=60")]), 60);
        assert_eq!(seconds(&[("Cache-Control", "MAX-AGE=\"60\"")]), 60);
        assert_eq!(seconds(&[("Cache-Control", "max-age=60, s-maxage=90"), ("Age", "30")]), 60);
        assert_eq!(seconds(&[("Cache-Control", "no-cache, max-age=60")]), 5);
        assert_eq!(seconds(&[("Cache-Control", "no-store")]), 5);
        assert_eq!(seconds(&[("Cache-Control", "max-age=0")]), 5);
        assert_eq!(seconds(&[("Cache-Control", "max-age=31536000")]), 86_400);
        assert_eq!(seconds(&[("Cache-Control", "max-age=soon")]), 300);
        assert_eq!(seconds(&[("Expires", "Sun, 06 Nov 1994 08:50:00 GMT")]), 30);
        assert_eq!(seconds(&[("Expires", "0")]), 5);
        assert_eq!(seconds(&[("Expires", "Sun, 06 Nov 1994 08:50:00 GMT"), ("Cache-Control", "max-age=10")]), 10);
        assert_eq!(seconds(&[("Expires", "Sun, 06 Nov 1994 08:50:00 GMT"), ("Age", "10")]), 20);
        assert_eq!(seconds(&[("Cache-Control", "private, max-age=60")]), 5);
        // A server whose clock is an hour behind, or ahead.
        for hour in ["07", "09"] {
            let at = |time: &str| format!("Sun, 06 Nov 1994 {hour}:{time} GMT");
            assert_eq!(seconds(&[("Date", &at("49:30")), ("Expires", &at("51:10"))]), 100);
        }
    }

    #[test]
    fn what_is_known_is_asked_for_by_its_tags() {
        let known = Freshness::of(&head(&[("ETag", "\"1\""), ("Last-Modified", "then")]), NOW);
        let request = known.request("http://h/card".into());
        assert_eq!(
            (request.header("If-None-Match"), request.header("If-Modified-Since")),
            (Some("\"1\""), Some("then"))
        );
        let renewed = known.renewed(&head(&[("Cache-Control", "max-age=60")]), NOW);
        assert_eq!((renewed.etag.as_deref(), renewed.until.0 - NOW.0), (Some("\"1\""), 60_000));
        assert!(renewed.is_fresh(Timestamp(NOW.0 + 59_999)) && !renewed.is_fresh(Timestamp(NOW.0 + 60_000)));
        assert_eq!(Freshness::default().request("u".into()).header("If-None-Match"), None);
    }
}
