//! Which headers of a request reach the origin: credentials, the protocol's own, and the trace. All others stay behind,
//! those of the connection (RFC 9110, 7.6.1) and cookies among them.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::card::OriginCard;
use crate::ports::Owner;
use crate::protocol::http::Headers;
use crate::remote::request::Service;

/// Passed on as they are: the trace (W3C Trace Context, Baggage).
const TRACE: [&str; 3] = ["traceparent", "tracestate", "baggage"];
/// An API key's usual header, for agents whose card does not name it.
const API_KEY: &str = "x-api-key";
/// Never credentials, whatever a card says: they mean something to HTTP or to the protocol, or belong to the edge's own
/// site.
const RESERVED: [&str; 16] = [
    "accept",
    "accept-encoding",
    "authorization",
    "a2a-extensions",
    "a2a-version",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The headers that hold credentials, beside `Authorization`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CredentialHeaders(Vec<String>);

impl CredentialHeaders {
    /// Those that the card's API keys go in (specification 4.5.2).
    pub(super) fn of(card: &OriginCard) -> Self {
        let keys = card.api_key_headers().map(str::to_ascii_lowercase);
        let is_fit = |name: &String| {
            !RESERVED.contains(&name.as_str())
                && !TRACE.contains(&name.as_str())
                && !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let mut names: Vec<String> = keys.filter(is_fit).chain([API_KEY.to_owned()]).collect();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// What goes along with a request to the origin.
    pub(super) fn service(&self, headers: &Headers<'_>) -> Service {
        let further = self.0.iter().map(String::as_str).chain(TRACE);
        let further = further.filter_map(|name| {
            Some((Cow::Owned(name.to_owned()), headers.get(name).filter(|value| !value.is_empty())?.to_owned()))
        });
        Service {
            extensions: headers.extensions.map(str::to_owned),
            authorization: headers.authorization.map(str::to_owned),
            headers: further.collect(),
        }
    }

    /// Whose tasks those are that the origin shows for these credentials: a hash, since they are secret.
    pub(super) fn owner(&self, service: &Service, origin: &str, tenant: &str) -> Owner {
        let mut hash = Sha256::new();
        // With its length before it, no text can pass for another's end.
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        add(origin);
        add(tenant);
        add(service.authorization.as_deref().unwrap_or_default());
        for (name, value) in service.headers.iter().filter(|(name, _)| self.0.iter().any(|known| known == name)) {
            add(name);
            add(value);
        }
        Owner::subject(&format!("origin:{}", URL_SAFE_NO_PAD.encode(hash.finalize())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn card(location: &str, name: &str) -> OriginCard {
        let key = json!({"apiKeySecurityScheme": {"location": location, "name": name}});
        OriginCard::new(json!({"securitySchemes": {"other": {}, "key": key}}))
    }

    fn silent() -> OriginCard {
        OriginCard::new(json!({}))
    }

    const ALL: &str = "host: edge.example\nconnection: keep-alive\ncookie: session=1\nx-agent-key: k-1\nx-api-key: k-2\n\
                       traceparent: 00-ab-cd-01\nx-forwarded-for: 10.0.0.1\ntransfer-encoding: chunked";

    fn names(card: &OriginCard) -> Vec<String> {
        let headers = Headers { all: ALL, authorization: Some("Bearer t"), ..Headers::default() };
        let service = CredentialHeaders::of(card).service(&headers);
        assert_eq!(service.authorization.as_deref(), Some("Bearer t"));
        service.headers.into_iter().map(|(name, _)| name.into_owned()).collect()
    }

    #[test]
    fn credentials_and_the_trace_go_and_all_else_stays() {
        assert_eq!(names(&silent()), ["x-api-key", "traceparent"]);
        assert_eq!(names(&card("header", "X-Agent-Key")), ["x-agent-key", "x-api-key", "traceparent"]);
        assert_eq!(names(&card("query", "x-agent-key")), ["x-api-key", "traceparent"]);
    }

    #[test]
    fn a_card_cannot_ask_for_what_is_no_key() {
        for name in ["Cookie", "Host", "Transfer-Encoding", "traceparent", "", "a b", "a\nb"] {
            assert_eq!(names(&card("header", name)), ["x-api-key", "traceparent"], "{name}");
        }
    }

    #[test]
    fn every_credential_makes_another_owner() {
        let of = |authorization: Option<&str>, all: &str, origin: &str, tenant: &str| {
            let credentials = CredentialHeaders::of(&silent());
            let service = credentials.service(&Headers { all, authorization, ..Headers::default() });
            credentials.owner(&service, origin, tenant)
        };
        let owners = [
            of(None, "", "o", ""),
            of(Some("Bearer a"), "", "o", ""),
            of(Some("Bearer b"), "", "o", ""),
            of(None, "x-api-key: a", "o", ""),
            of(Some("Bearer a"), "x-api-key: a", "o", ""),
            of(None, "", "p", ""),
            of(None, "", "o", "t"),
            of(None, "", "", "ot"),
            Owner::anonymous(),
        ];
        for (index, owner) in owners.iter().enumerate() {
            assert!(!owners[..index].contains(owner), "{index}");
            assert!(!owner.as_str().contains("Bearer"), "{owner:?}");
        }
        // The trace is not a credential.
        assert_eq!(of(None, "traceparent: 1", "o", ""), owners[0]);
    }
}
