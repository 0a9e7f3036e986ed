//! Fetching an agent's card.

use serde_json::Value;

use super::{CallPolicy, CallPorts, after, exchange};
use crate::ports::{FetchRequest, FetchResponse, ResponseHead, Timestamp};
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::protocol::types;
use crate::remote::answer::{self, Sent};
use crate::remote::fault::{Fault, Violation};
use crate::remote::{Binding, RemoteError};

/// Fetches a card and checks it, once, within the policy's deadlines and limits. Errors are as of HTTP+JSON.
///
/// # Errors
/// What the server reports, what is wrong with its answer, or why there is none.
pub async fn fetch(request: FetchRequest, policy: &CallPolicy, ports: &CallPorts) -> Result<AgentCard, RemoteError> {
    let missing = || RemoteError::of_fault(Binding::Rest, Some(304), Fault::Invalid(Violation::Status(304)));
    let deadline = after(ports.clock.now(), policy.total);
    let card = revalidate(request, deadline, policy, ports).await?.card.ok_or_else(missing)?;
    types::from_value(card).map_err(|_| unusable(FieldViolation::new("card", "must be an agent card")))
}

/// A card, and what HTTP says about it.
#[derive(Debug)]
pub struct Fetched {
    /// Status and headers.
    pub head: ResponseHead,
    /// The card in canonical form; `None` if it has not changed since the one that the request's conditions name (304).
    pub card: Option<Value>,
}

/// As [`fetch`], by a request that may be conditional, and until `deadline`.
///
/// # Errors
/// As [`fetch`].
pub async fn revalidate(
    request: FetchRequest,
    deadline: Timestamp,
    policy: &CallPolicy,
    ports: &CallPorts,
) -> Result<Fetched, RemoteError> {
    let is_conditional = request.header("If-None-Match").is_some() || request.header("If-Modified-Since").is_some();
    let FetchResponse { head, body } = exchange::open(Binding::Rest, request, deadline, policy, ports).await?;
    if head.status == 304 && is_conditional {
        return Ok(Fetched { head, card: None });
    }
    // The extended card is read the same way, and is the same message.
    let sent = Sent { binding: Binding::Rest, operation: Operation::GetExtendedAgentCard, id: &Id::NULL };
    let body = exchange::collect(&sent, &head, body, deadline, policy, ports).await?;
    let card = answer::read(&sent, &head, &body, ports.clock.now())?;
    Ok(Fetched { head, card: Some(card) })
}

/// The error of a card that says nothing that could be used.
pub fn unusable(violation: FieldViolation) -> RemoteError {
    RemoteError::of_fault(Binding::Rest, Some(200), Fault::Invalid(Violation::Schema(vec![violation])))
}
