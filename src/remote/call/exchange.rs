//! One attempt: a request, and its answer read whole or turned into a stream.

use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::body::read_to_end;
use super::redirect;
use super::stream::{Reading, begin};
use super::{Call, CallPolicy, CallPorts, Caller, Reply};
use crate::ports::{BodyStream, Clock, FetchRequest, FetchResponse, ResponseHead, Timestamp};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::remote::Binding;
use crate::remote::answer::{self, Sent};
use crate::remote::error::RemoteError;
use crate::remote::events::is_event_stream;
use crate::remote::fault::{Fault, TransportFault, Violation};
use crate::remote::request::{Endpoint, build};

/// How long the body of an error is waited for: its status tells that it failed, and there may be time to try again. (Our
/// own.)
const MAX_ERROR_WAIT: Duration = Duration::from_secs(5);

impl Caller {
    pub(super) async fn exchange(
        &self,
        endpoint: &Endpoint,
        call: Call<'_>,
        deadline: Timestamp,
    ) -> Result<Reply, RemoteError> {
        let id = self.id();
        let request = build(endpoint, call.operation, call.params, &id, call.service);
        let response = open(endpoint.binding, request, deadline, &self.policy, &self.ports).await?;
        receive(endpoint.binding, call.operation, id, response, deadline, &self.policy, &self.ports.clock).await
    }
}

/// Reads an answer: whole, or until its stream has begun.
///
/// # Errors
/// What the agent reports, or what is wrong with its answer.
pub(crate) async fn receive(
    binding: Binding,
    operation: Operation,
    id: Id,
    FetchResponse { head, body }: FetchResponse,
    deadline: Timestamp,
    policy: &CallPolicy,
    clock: &Rc<dyn Clock>,
) -> Result<Reply, RemoteError> {
    let is_success = (200..=299).contains(&head.status);
    if operation.is_streaming() && is_success && is_event_stream(&head) {
        let ends = clock.now().after(policy.stream_total);
        let (idle, limit, clock) = (policy.idle, policy.max_response_bytes, clock.clone());
        let reading = Reading { binding, operation, id, head, body, clock, idle, begins: deadline, ends, limit };
        return begin(reading).await.map(Reply::Stream);
    }
    let sent = Sent { binding, operation, id: &id };
    let body = collect(&sent, &head, body, deadline, policy, &**clock).await?;
    if operation.is_streaming() {
        return Err(answer::instead_of_stream(&sent, &head, &body, clock.now()));
    }
    answer::read(&sent, &head, &body, clock.now()).map(Reply::Whole)
}

/// Sends the request, after redirects within its origin, and waits for the head of the answer.
pub(super) async fn open(
    binding: Binding,
    mut request: FetchRequest,
    deadline: Timestamp,
    policy: &CallPolicy,
    ports: &CallPorts,
) -> Result<FetchResponse, RemoteError> {
    let clock = &ports.clock;
    let limit = deadline.since(clock.now()).min(policy.head_timeout);
    let mut timeout = clock.sleep(limit);
    let mut hops = 0;
    loop {
        let (url, method) = (request.url.clone(), request.method);
        let sending = ports.fetch.fetch(&request);
        let response = match select(sending, timeout).await {
            Either::Left((response, rest)) => {
                timeout = rest;
                response.map_err(|error| {
                    let fault = Fault::before_answer(&error, policy.max_response_bytes);
                    RemoteError::of_fault(binding, None, fault)
                })?
            }
            Either::Right(_) => {
                return Err(RemoteError::transport(binding, TransportFault::TimedOut));
            }
        };
        match redirect::target(method, &url, &response.head) {
            Some(target) if hops < redirect::MAX_REDIRECTS => request.url = target,
            // One too many is an answer that is none.
            Some(_) | None => return Ok(response),
        }
        hops += 1;
    }
}

/// Reads a body to its end. Of an error's, what there is.
pub(super) async fn collect(
    sent: &Sent<'_>,
    head: &ResponseHead,
    body: BodyStream,
    deadline: Timestamp,
    policy: &CallPolicy,
    clock: &dyn Clock,
) -> Result<Vec<u8>, RemoteError> {
    let is_error = head.status >= 400;
    let limit = policy.max_response_bytes;
    let fail = |fault| RemoteError::of_fault(sent.binding, Some(head.status), fault);
    if !is_error && announced(head).is_some_and(|length| length > limit) {
        return Err(fail(Fault::Invalid(Violation::TooLarge { limit })));
    }
    let mut bytes = Vec::new();
    let ends = if is_error { deadline.min(clock.now().after(MAX_ERROR_WAIT)) } else { deadline };
    match read_to_end(body, &mut bytes, limit, ends, clock).await {
        Ok(()) => Ok(bytes),
        // The status says that it failed, whatever became of the rest.
        Err(_) if is_error => Ok(bytes),
        Err(fault) => Err(fail(fault)),
    }
}

/// The length that the answer says it has.
fn announced(head: &ResponseHead) -> Option<usize> {
    head.header("Content-Length")?.trim().parse().ok()
}
