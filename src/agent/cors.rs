//! Cross-origin requests (the Fetch standard's CORS protocol): who may read the answers in a browser.

use std::borrow::Cow;

use crate::protocol::http::{Header, Headers, Response};

const ALLOW_ORIGIN: &str = "Access-Control-Allow-Origin";
/// How long a browser may keep a preflight's answer. Browsers cap it themselves: Chromium at 7200 s.
const MAX_AGE_S: &str = "7200";
/// Request headers that the protocol uses.
const ALLOW_HEADERS: &str = "Authorization, Content-Type, A2A-Version, A2A-Extensions, Traceparent, Last-Event-ID";
/// Response headers that a script may read beside the safelisted ones.
const EXPOSE_HEADERS: &str = "ETag, Retry-After, WWW-Authenticate, Allow";

/// The web origins whose pages may call the agent. Credentials in the sense of CORS (cookies) are never allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedOrigins {
    /// Every page. The agent's own authentication is a header that a page must know, so this gives nothing away.
    #[default]
    Any,
    /// These origins alone.
    Only(Vec<String>),
}

impl AllowedOrigins {
    /// Reads `*`, or origins like `https://app.example.com` separated by commas; empty allows none.
    ///
    /// # Errors
    /// Names the entry that is not an origin.
    pub fn parse(list: &str) -> Result<Self, String> {
        let entries: Vec<&str> = list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
        if entries == ["*"] {
            return Ok(Self::Any);
        }
        for entry in &entries {
            let authority = entry.strip_prefix("https://").or_else(|| entry.strip_prefix("http://"));
            let is_origin = authority.is_some_and(|rest| !rest.is_empty() && !rest.contains(['/', '*', '?', '#']));
            if !is_origin {
                return Err(format!("{entry:?} is not an origin like https://app.example.com"));
            }
        }
        Ok(Self::Only(entries.into_iter().map(str::to_ascii_lowercase).collect()))
    }

    /// The response headers that let the page that asked read the answer.
    pub(super) fn headers(&self, request: &Headers<'_>) -> Vec<Header> {
        let Some(origin) = request.origin else { return Vec::new() };
        let expose = ("Access-Control-Expose-Headers", Cow::Borrowed(EXPOSE_HEADERS));
        match self {
            Self::Any => vec![(ALLOW_ORIGIN, Cow::Borrowed("*")), expose],
            Self::Only(origins) => {
                // The answer depends on the asking page, and a shared cache must know.
                let vary = ("Vary", Cow::Borrowed("Origin"));
                if origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
                    vec![vary, (ALLOW_ORIGIN, Cow::Owned(origin.to_owned())), expose]
                } else {
                    vec![vary]
                }
            }
        }
    }

    /// The answer to OPTIONS on a path that allows `allow`; a preflight's, when it is one.
    pub(super) fn options(headers: &Headers<'_>, allow: &'static str) -> Response {
        let response = Response::empty(204).with_header("Allow", allow);
        if headers.preflight_method.is_none() {
            return response;
        }
        response
            .with_header("Access-Control-Allow-Methods", allow)
            .with_header("Access-Control-Allow-Headers", ALLOW_HEADERS)
            .with_header("Access-Control-Max-Age", MAX_AGE_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(origin: &str) -> Headers<'_> {
        Headers { origin: Some(origin), ..Headers::default() }
    }

    #[test]
    fn a_list_is_read_or_refused_by_name() {
        assert_eq!(AllowedOrigins::parse(" * "), Ok(AllowedOrigins::Any));
        assert_eq!(AllowedOrigins::parse(""), Ok(AllowedOrigins::Only(vec![])));
        assert_eq!(
            AllowedOrigins::parse("https://A.example, http://localhost:8080"),
            Ok(AllowedOrigins::Only(vec!["https://a.example".into(), "http://localhost:8080".into()]))
        );
        for bad in ["a.example", "https://", "https://a.example/", "*, https://a.example", "https://*.example"] {
            assert!(AllowedOrigins::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_listed_origin_is_named_and_another_is_not() {
        let allowed = AllowedOrigins::parse("https://a.example").unwrap();
        let headers = allowed.headers(&from("https://a.example"));
        assert!(headers.contains(&("Vary", "Origin".into())));
        assert!(headers.contains(&("Access-Control-Allow-Origin", "https://a.example".into())));
        assert_eq!(allowed.headers(&from("https://b.example")), [("Vary", "Origin".into())]);
    }

    #[test]
    fn any_origin_needs_no_vary_and_gives_no_credentials() {
        let headers = AllowedOrigins::Any.headers(&from("https://b.example"));
        assert_eq!(headers[0], ("Access-Control-Allow-Origin", "*".into()));
        assert!(headers.iter().all(|(name, _)| !["Vary", "Access-Control-Allow-Credentials"].contains(name)));
    }

    #[test]
    fn whoever_does_not_say_where_it_comes_from_is_told_nothing() {
        assert_eq!(AllowedOrigins::Any.headers(&Headers::default()), []);
    }

    #[test]
    fn a_preflight_learns_methods_and_headers_and_plain_options_only_allow() {
        let plain = AllowedOrigins::options(&Headers::default(), "POST, OPTIONS");
        assert_eq!((plain.status, plain.header("Allow")), (204, Some("POST, OPTIONS")));
        assert_eq!(plain.header("Access-Control-Allow-Methods"), None);

        let headers = Headers { preflight_method: Some("POST"), ..from("https://b.example") };
        let preflight = AllowedOrigins::options(&headers, "POST, OPTIONS");
        assert_eq!(preflight.header("Access-Control-Allow-Methods"), Some("POST, OPTIONS"));
        assert!(preflight.header("Access-Control-Allow-Headers").is_some_and(|list| list.contains("A2A-Version")));
    }
}
