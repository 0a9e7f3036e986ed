//! The JSON-RPC binding of a served agent (specification 9): single calls, batches and notifications.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use futures_util::FutureExt;
use futures_util::future::MaybeDone;
use serde_json::Value;

use super::dispatch::Reply;
use super::events::Event;
use super::gate::Admitted;
use super::record::Trace;
use super::server::{Answer, Server, Witness, no_params, service, unserialisable};
use super::serving::Done;
use crate::protocol::binding::Binding;
use crate::protocol::error::A2aError;
use crate::protocol::http::{Header, JSON, Request, Response};
use crate::protocol::jsonrpc::{self, Call, Id, Incoming, Payload};
use crate::protocol::operation::Operation;
use crate::protocol::path::{MAX_ECHO, clipped};
use crate::protocol::types::Params;
use crate::protocol::{details::FieldViolation, json, rest};

/// What the JSON-RPC endpoint takes.
pub(super) const ALLOW: &str = "POST, OPTIONS";

/// What one call is answered with.
enum Reaction {
    /// Nothing: it is a notification.
    Silence,
    /// One response.
    Text(String, Vec<Header>),
    /// A response for each event.
    Events(Response),
}

/// A call that passed the gate.
struct Accepted {
    id: Option<Id>,
    trace: Trace,
    admitted: Admitted,
}

impl Accepted {
    fn is_idempotent(&self) -> bool {
        self.admitted.params.operation().is_idempotent()
    }
}

impl Server {
    pub(super) fn jsonrpc(self: &Rc<Self>, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        let payload = match request.body.bytes().and_then(jsonrpc::parse) {
            Ok(payload) => payload,
            Err(error) => return self.envelope_refused(request, error),
        };
        match payload {
            Payload::Single(incoming) => self.single(request, incoming, witness),
            Payload::Batch(members) => self.batch(request, members, witness),
        }
    }

    fn envelope_refused(&self, request: &Request<'_>, error: A2aError) -> Answer {
        let trace = self.trace(Binding::JsonRpc, request);
        Answer::Ready(response(self.reaction(Some(Id::NULL), &trace, Err(error))))
    }

    fn single(self: &Rc<Self>, request: &Request<'_>, incoming: Incoming<'_>, witness: &dyn Witness) -> Answer {
        match self.accept(request, incoming, false) {
            Err(refused) => Answer::Ready(response(refused)),
            Ok(accepted) => {
                witness.reached_agent(accepted.is_idempotent());
                Answer::Pending(self.perform(accepted, request).map(response).boxed_local())
            }
        }
    }

    /// The members of a batch run side by side; their answers keep the order of the calls.
    #[inline(never)]
    fn batch(self: &Rc<Self>, request: &Request<'_>, members: Vec<Incoming<'_>>, witness: &dyn Witness) -> Answer {
        let accepted: Vec<_> = members.into_iter().map(|incoming| self.accept(request, incoming, true)).collect();
        let reaching = || accepted.iter().flatten();
        if reaching().next().is_some() {
            witness.reached_agent(reaching().all(Accepted::is_idempotent));
        }
        let working = accepted.into_iter().map(|member| match member {
            Err(refused) => MaybeDone::Done(refused),
            Ok(accepted) => MaybeDone::Future(self.perform(accepted, request).boxed_local()),
        });
        Answer::Pending(side_by_side(working.collect()).map(batch_response).boxed_local())
    }

    /// Takes a call through the gate, or has its refusal ready.
    fn accept(&self, request: &Request<'_>, incoming: Incoming<'_>, in_batch: bool) -> Result<Accepted, Reaction> {
        let mut trace = self.trace(Binding::JsonRpc, request);
        let Call { id, method, params } = incoming.map_err(|rejected| {
            trace.request_id = rejected.id.as_str().to_owned();
            self.reaction(Some(rejected.id), &trace, Err(rejected.error))
        })?;
        trace.request_id = id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default();
        trace.operation = Operation::from_method(&method);
        let operation = trace.operation;
        let version = rest::version(&request.headers, request.query);
        let admitted = Self::check_content_type(request, 200).and_then(|()| {
            self.gate().admit(
                service(request, version.as_deref()),
                || operation.ok_or_else(|| A2aError::method_not_found(clipped(&method, MAX_ECHO))),
                |_| params.map_or_else(|| Ok(no_params()), |raw| read_params(raw.get())),
            )
        });
        let admitted = admitted.and_then(|admitted| unstreamed(admitted, in_batch, id.is_none()));
        match admitted {
            Err(error) => Err(self.reaction(id, &trace, Err(error))),
            Ok(admitted) => {
                self.admitted(&mut trace, &admitted.params);
                Ok(Accepted { id, trace, admitted })
            }
        }
    }

    fn perform(self: &Rc<Self>, accepted: Accepted, request: &Request<'_>) -> impl Future<Output = Reaction> + use<> {
        let Accepted { id, trace, admitted } = accepted;
        let (server, work) = (Rc::clone(self), self.work(admitted, request, &trace));
        async move {
            match (id, work.await) {
                (id, Ok(Done::Reply(reply))) => server.reaction(id, &trace, Ok(reply)),
                (id, Err(error)) => server.reaction(id, &trace, Err(error)),
                (None, Ok(Done::Events(_))) => Reaction::Silence,
                (Some(id), Ok(Done::Events(events))) => {
                    let failure_id = id.clone();
                    let event = move |event: &Event| jsonrpc::success(&id, event);
                    let failure = move |error: &A2aError| jsonrpc::failure(&failure_id, error);
                    Reaction::Events(server.event_stream(events, trace, event, failure))
                }
            }
        }
    }

    /// Formats a call's outcome, once. A notification is answered with nothing, but its failure is logged.
    fn reaction(&self, id: Option<Id>, trace: &Trace, outcome: Result<Reply, A2aError>) -> Reaction {
        let null = Id::NULL;
        let reply_to = id.as_ref().unwrap_or(&null);
        let answer = outcome.and_then(|reply| jsonrpc::success(reply_to, &reply).map_err(unserialisable));
        let (text, headers) = answer.map(|text| (text, Vec::new())).unwrap_or_else(|error| {
            self.log(&error, trace);
            (jsonrpc::failure(reply_to, &error), owned(error.headers()))
        });
        if id.is_some() { Reaction::Text(text, headers) } else { Reaction::Silence }
    }
}

/// A batch is answered with one body, and a notification with none: neither has room for a stream.
fn unstreamed(mut admitted: Admitted, in_batch: bool, is_notification: bool) -> Result<Admitted, A2aError> {
    let operation = admitted.params.operation();
    if !operation.is_streaming() || !(in_batch || is_notification) {
        return Ok(admitted);
    }
    if let (Params::SendStreamingMessage(request), true) = (&mut admitted.params, is_notification) {
        // Nobody reads what happens, so nobody has to wait for it.
        let mut request = request.clone();
        request.configuration.get_or_insert_default().return_immediately = true;
        admitted.params = Params::SendMessage(request);
        if let Some(canonical) = &mut admitted.canonical {
            canonical["configuration"]["returnImmediately"] = Value::Bool(true);
        }
        return Ok(admitted);
    }
    Err(A2aError::invalid_request().with_message(format!("{operation} needs a request of its own")))
}

/// All outcomes in their order. Polls every member at each wake-up, which is the least code for so few (`MAX_BATCH`).
async fn side_by_side<F: Future + Unpin>(mut members: Vec<MaybeDone<F>>) -> Vec<F::Output>
where
    F::Output: Unpin,
{
    poll_fn(|cx| {
        let pending = members.iter_mut().map(|member| member.poll_unpin(cx)).filter(Poll::is_pending).count();
        if pending > 0 {
            return Poll::Pending;
        }
        Poll::Ready(members.iter_mut().filter_map(|member| Pin::new(member).take_output()).collect())
    })
    .await
}

/// JSON-RPC errors are answered with 200 in every case: several clients lose the typed error otherwise.
fn response(reaction: Reaction) -> Response {
    match reaction {
        Reaction::Text(text, headers) => Response { headers, ..Response::new(200, JSON, text) },
        Reaction::Silence => Response::empty(204),
        Reaction::Events(response) => response,
    }
}

fn batch_response(reactions: Vec<Reaction>) -> Response {
    let texts = reactions.into_iter().filter_map(|reaction| match reaction {
        Reaction::Text(text, _) => Some(text),
        // No call of a batch is admitted to a stream.
        Reaction::Silence | Reaction::Events(_) => None,
    });
    batch_of(texts.collect())
}

/// The answers of a batch. One of notifications alone has none.
pub(super) fn batch_of(answers: Vec<String>) -> Response {
    if answers.is_empty() { Response::empty(204) } else { Response::new(200, JSON, jsonrpc::batch(answers)) }
}

fn owned(headers: &[(&'static str, String)]) -> Vec<Header> {
    headers.iter().map(|(name, value)| (*name, value.clone().into())).collect()
}

fn read_params(text: &str) -> Result<Value, A2aError> {
    json::parse(text)
        .map_err(|fault| A2aError::invalid_fields(vec![FieldViolation::new(fault.path, fault.description)]))
}
