//! Where the origin is spoken to: at the interface that its card names, on the host that the operator named.
//!
//! Of the card's URL only the path counts. Its host may be how others see the agent (the gateway itself, even), and
//! credentials go to nobody whom the operator did not choose.

use crate::client::fitting;
use crate::protocol::card::AgentInterface;
use crate::protocol::details::FieldViolation;
use crate::remote::request::{Endpoint, without_fragment};
use crate::remote::{Binding, RemoteError};

/// The endpoint at the origin, and those of its fallbacks, which are taken to be laid out alike.
///
/// # Errors
/// The card names no interface that can be spoken to, and the operator did not say which to use.
pub(super) fn endpoints(
    interfaces: &[AgentInterface],
    binding: Option<Binding>,
    url: &str,
    fallbacks: &[String],
) -> Result<(Endpoint, Vec<Endpoint>), RemoteError> {
    let interface = match (fitting(interfaces, binding).next(), binding) {
        (Some(interface), _) => interface,
        (None, Some(binding)) => Endpoint::new(url, binding),
        (None, None) => {
            let rule = "must have an interface of JSONRPC or HTTP+JSON in version 1.0";
            return Err(RemoteError::unusable(Binding::Rest, FieldViolation::new("supportedInterfaces", rule)));
        }
    };
    let at = |base: &str| Endpoint { url: moved(&interface.url, url, base), ..interface.clone() };
    Ok((at(url), fallbacks.iter().map(|base| at(base)).collect()))
}

/// The interface at `url`, which belongs to the agent at `from`, at the same place of the agent at `to`.
fn moved(url: &str, from: &str, to: &str) -> String {
    let (_, path) = split(url);
    let (_, from_path) = split(from);
    let (authority, to_path) = split(to);
    match path.strip_prefix(from_path.trim_end_matches('/')) {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '?']) => {
            format!("{authority}{}{rest}", to_path.trim_end_matches('/'))
        }
        Some(_) | None => format!("{authority}{path}"),
    }
}

/// Scheme with authority, and the rest without a fragment.
fn split(url: &str) -> (&str, &str) {
    let url = without_fragment(url);
    let start = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[start..].find(['/', '?']).map_or(url.len(), |length| start + length);
    url.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(interfaces: &[(&str, &str, &str)]) -> Vec<AgentInterface> {
        interfaces.iter().map(|(url, binding, version)| AgentInterface::new(*url, *binding, *version)).collect()
    }

    fn urls(card: &[AgentInterface], binding: Option<Binding>) -> (String, Binding, Vec<String>) {
        let fallbacks = ["https://b.example/standby".to_owned()];
        let (first, others) = endpoints(card, binding, "http://127.0.0.1:9000/agent/", &fallbacks).unwrap();
        (first.url, first.binding, others.into_iter().map(|endpoint| endpoint.url).collect())
    }

    #[test]
    fn the_cards_path_is_taken_to_the_operators_hosts() {
        let card = card(&[
            ("https://public.example/agent/rpc?x=1#f", "JSONRPC", "1.0"),
            ("https://public.example/other", "HTTP+JSON", "1.0"),
        ]);
        let jsonrpc = urls(&card, None);
        assert_eq!((jsonrpc.0.as_str(), jsonrpc.1), ("http://127.0.0.1:9000/agent/rpc?x=1", Binding::JsonRpc));
        assert_eq!(jsonrpc.2, ["https://b.example/standby/rpc?x=1"]);
        let rest = urls(&card, Some(Binding::Rest));
        assert_eq!((rest.0.as_str(), rest.1), ("http://127.0.0.1:9000/other", Binding::Rest));
        assert_eq!(rest.2, ["https://b.example/other"]);
    }

    #[test]
    fn tricks_with_a_host_lead_nowhere() {
        for url in ["https://evil.example", "https://evil.example@x/", "//evil.example/", "evil.example"] {
            let (first, _, _) = urls(&card(&[(url, "JSONRPC", "1.0")]), None);
            assert!(first.starts_with("http://127.0.0.1:9000/") || first == "http://127.0.0.1:9000", "{url}: {first}");
        }
    }

    #[test]
    fn what_the_operator_says_goes_where_the_card_is_silent() {
        let old = card(&[("https://public.example/rpc", "JSONRPC", "0.3"), ("https://public.example", "GRPC", "1.0")]);
        assert_eq!(urls(&old, Some(Binding::JsonRpc)).0, "http://127.0.0.1:9000/agent/");
        let error = endpoints(&old, None, "http://h", &[]).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::InvalidAgentResponse);
    }
}
