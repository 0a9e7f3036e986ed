//! Fetching an agent's card.

use super::{CallPolicy, CallPorts, after, exchange};
use crate::ports::{FetchRequest, FetchResponse};
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::remote::answer::{self, Sent};
use crate::remote::fault::{Fault, Violation};
use crate::remote::{Binding, RemoteError};

/// Fetches a card and checks it, once, within the policy's deadlines and limits. Errors are as of HTTP+JSON.
///
/// # Errors
/// What the server reports, what is wrong with its answer, or why there is none.
pub async fn fetch(request: FetchRequest, policy: &CallPolicy, ports: &CallPorts) -> Result<AgentCard, RemoteError> {
    let deadline = after(ports.clock.now(), policy.total);
    let FetchResponse { head, body } = exchange::open(Binding::Rest, request, deadline, policy, ports).await?;
    // The extended card is read the same way, and is the same message.
    let sent = Sent { binding: Binding::Rest, operation: Operation::GetExtendedAgentCard, id: &Id::NULL };
    let body = exchange::collect(&sent, &head, body, deadline, policy, ports).await?;
    let card = answer::read(&sent, &head, &body, ports.clock.now())?;
    serde_json::from_value(card).map_err(|_| unusable(FieldViolation::new("card", "must be an agent card")))
}

/// The error of a card that says nothing that could be used.
pub fn unusable(violation: FieldViolation) -> RemoteError {
    RemoteError::of_fault(Binding::Rest, Some(200), Fault::Invalid(Violation::Schema(vec![violation])))
}
