//! The agent card at its well-known place (specification 8.2, 8.6): with the host that was asked, and cacheable.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::ports::Timestamp;
use crate::protocol::card::{AgentCard, AgentInterface};
use crate::protocol::details::FieldViolation;
use crate::protocol::http::{Headers, JSON, Response};
use crate::protocol::version::SERVED;

/// How long a card may be reused unasked. A redeployed agent is known to everybody within five minutes.
const CACHE_CONTROL: &str = "public, max-age=300";
/// Where an agent card's JSON-RPC interface is served.
const JSONRPC_PATH: &str = "/rpc";

/// Serves one card.
#[derive(Debug)]
pub(super) struct Discovery {
    card: AgentCard,
    /// When this instance first had the card: it has not changed since, whenever it was written.
    since: SystemTime,
}

impl Discovery {
    /// # Errors
    /// What is wrong with the card.
    pub(super) fn new(card: AgentCard, now: Timestamp) -> Result<Self, Vec<FieldViolation>> {
        let named = card.supported_interfaces.clone();
        let card = with_interfaces(card, "https://agent.example");
        card.check()?;
        Ok(Self { card: AgentCard { supported_interfaces: named, ..card }, since: whole_seconds(now) })
    }

    /// For a card that is told anew each time, and was checked by whoever does.
    pub(super) fn of_others(now: Timestamp) -> Self {
        Self { card: AgentCard::default(), since: whole_seconds(now) }
    }

    /// The card, or 304 when the caller has it already.
    ///
    /// # Errors
    /// When the card does not serialise.
    pub(super) fn answer(&self, origin: &str, headers: &Headers<'_>) -> Result<Response, serde_json::Error> {
        Ok(self.answer_with(serde_json::to_string(&with_interfaces(self.card.clone(), origin))?, headers))
    }

    /// The same for a card as JSON.
    pub(super) fn answer_with(&self, body: String, headers: &Headers<'_>) -> Response {
        let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&Sha256::digest(body.as_bytes())[..15]));
        let response =
            if self.is_known(headers, &etag) { Response::empty(304) } else { Response::new(200, JSON, body) };
        response
            .with_header("ETag", etag)
            .with_header("Last-Modified", httpdate::fmt_http_date(self.since))
            .with_header("Cache-Control", CACHE_CONTROL)
    }

    /// RFC 9110, 13.2.2: If-Modified-Since counts only where there is no If-None-Match.
    fn is_known(&self, headers: &Headers<'_>, etag: &str) -> bool {
        if let Some(known) = headers.if_none_match {
            let mut tags = known.split(',').map(str::trim);
            return tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag);
        }
        headers
            .if_modified_since
            .is_some_and(|date| httpdate::parse_http_date(date).is_ok_and(|date| date >= self.since))
    }
}

/// HTTP dates are whole seconds; a fraction kept here would make every If-Modified-Since look older.
fn whole_seconds(now: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(now.0 / 1000)
}

/// The card with interfaces at `origin`, unless the agent named its own.
pub(super) fn with_interfaces(mut card: AgentCard, origin: &str) -> AgentCard {
    if card.supported_interfaces.is_empty() {
        card.supported_interfaces = interfaces(origin).collect();
    }
    card
}

/// What is served at `origin`.
pub(crate) fn interfaces(origin: &str) -> impl Iterator<Item = AgentInterface> {
    SERVED.iter().flat_map(move |version| {
        [("JSONRPC", format!("{origin}{JSONRPC_PATH}")), ("HTTP+JSON", origin.to_owned())]
            .map(|(binding, url)| AgentInterface::new(url, binding, *version))
    })
}
