//! From a card to a client (specification 8).

use std::borrow::Cow;

use super::{Client, ClientError, Options, ValidationError, faults, url};
use crate::ports::FetchRequest;
use crate::protocol::card::AgentInterface;
use crate::protocol::details::FieldViolation;
use crate::protocol::http::JSON;
use crate::protocol::rest::CARD_PATH;
use crate::protocol::types;
use crate::remote::call::{CallPorts, card};
use crate::remote::request::{Endpoint, Service, VERSION, without_fragment};
use crate::remote::{Binding, RemoteError};

impl Client {
    /// Fetches the agent's card, and makes a client of the interface that fits best.
    ///
    /// `agent` is the URL of the card, or of the agent: one that does not end in `.json` gets the well-known path.
    ///
    /// # Errors
    /// A [`ValidationError`] if a URL is none, and nothing was sent. Of the fetch, as of any call, and after the same
    /// retries; fallbacks are not asked, since they have no card. A [`RestError`](super::RestError) of kind
    /// InvalidAgentResponse if the card is none, or names no interface that this client can speak.
    pub async fn connect(agent: &str, options: Options, ports: CallPorts) -> Result<Self, ClientError> {
        let faults: Vec<_> = url::fault("url", agent).into_iter().chain(faults(&options)).collect();
        if !faults.is_empty() {
            return Err(ValidationError::new(faults).into());
        }
        let request = card_request(&card_url(agent), &options.service);
        let card = card::fetch(request, &options.policy, &ports).await?;
        let interfaces = card.get("supportedInterfaces").cloned().unwrap_or_default();
        let interfaces: Vec<AgentInterface> = types::from_value(interfaces).unwrap_or_default();
        let endpoint =
            choose(&interfaces, options.binding).map_err(|fault| RemoteError::unusable(Binding::Rest, fault))?;
        let mut client = Self::new(endpoint, options, ports);
        client.card = Some(card);
        Ok(client)
    }
}

/// The interface to use: the first that the card names and that can be asked (specification 8.3.2).
fn choose(interfaces: &[AgentInterface], binding: Option<Binding>) -> Result<Endpoint, FieldViolation> {
    let mut fault = None;
    for endpoint in fitting(interfaces, binding) {
        match url::fault("supportedInterfaces.url", &endpoint.url) {
            None => return Ok(endpoint),
            Some(found) => fault = fault.or(Some(found)),
        }
    }
    Err(fault.unwrap_or_else(|| {
        let binding = binding.map_or("JSONRPC or HTTP+JSON", Binding::name);
        let rule = format!("must have an interface of {binding} in version {VERSION}");
        FieldViolation::new("supportedInterfaces", rule)
    }))
}

/// The interfaces that this version speaks, in the order of the card, of this binding if one is asked for.
pub(crate) fn fitting(interfaces: &[AgentInterface], binding: Option<Binding>) -> impl Iterator<Item = Endpoint> {
    let minor = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    interfaces.iter().filter_map(move |interface| {
        let spoken = Binding::from_name(&interface.protocol_binding)?;
        let is_fit = binding.is_none_or(|binding| binding == spoken) && minor(&interface.protocol_version) == VERSION;
        let tenant = interface.tenant.clone().filter(|tenant| !tenant.is_empty());
        is_fit.then(|| Endpoint { url: interface.url.clone(), binding: spoken, tenant })
    })
}

/// Where the card is.
pub(crate) fn card_url(url: &str) -> String {
    let url = without_fragment(url);
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    if path.ends_with(".json") {
        return url.to_owned();
    }
    let path = format!("{}{CARD_PATH}", path.trim_end_matches('/'));
    query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
}

fn card_request(url: &str, service: &Service) -> FetchRequest {
    let mut headers = vec![(Cow::Borrowed("Accept"), JSON.to_owned())];
    headers.extend(service.as_headers());
    FetchRequest { method: "GET", url: url.to_owned(), headers, body: None }
}
