//! Fetching an agent's card.

use serde_json::Value;

use super::{CallPolicy, CallPorts, exchange};
use crate::ports::{FetchRequest, FetchResponse, ResponseHead, Timestamp};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::remote::answer::{self, Sent};
use crate::remote::fault::{Fault, Violation};
use crate::remote::retry::{Budget, Decision, Failed};
use crate::remote::{Binding, RemoteError};

/// Fetches a card and checks it, within the policy's deadlines, limits and retries. Errors are as of HTTP+JSON.
///
/// # Errors
/// What the server reports, what is wrong with its answer, or why there is none.
pub async fn fetch(request: FetchRequest, policy: &CallPolicy, ports: &CallPorts) -> Result<Value, RemoteError> {
    let missing = || RemoteError::of_fault(Binding::Rest, Some(304), Fault::Invalid(Violation::Status(304)));
    let deadline = ports.clock.now().after(policy.total);
    let mut budget = Budget::default();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let error = match revalidate(request.clone(), deadline, policy, ports).await {
            Ok(fetched) => return fetched.card.ok_or_else(missing),
            Err(error) => error,
        };
        let now = ports.clock.now();
        let failed = Failed { attempts, error: &error, is_idempotent: true, has_stand_in: false, now, deadline };
        match policy.retry.decide(&failed, &mut budget, &*ports.random) {
            Decision::RetryAfter(wait) => ports.clock.sleep(wait).await,
            Decision::GiveUp(_) => return Err(error),
        }
    }
}

/// A card, and what HTTP says about it.
#[derive(Debug)]
pub struct Fetched {
    /// Status and headers.
    pub head: ResponseHead,
    /// The card in canonical form; `None` if it has not changed since the one that the request's conditions name (304).
    pub card: Option<Value>,
}

/// As [`fetch`], once, by a request that may be conditional, and until `deadline`.
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
    let body = exchange::collect(&sent, &head, body, deadline, policy, &*ports.clock).await?;
    let card = answer::read(&sent, &head, &body, ports.clock.now())?;
    Ok(Fetched { head, card: Some(card) })
}
