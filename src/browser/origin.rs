//! An agent that asks another one, whose answers are a script: what a gateway makes of an origin's failures.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, ready};
use futures_util::{FutureExt, stream};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::ports::{PageClock, PageRandom};
use crate::A2aError;
use crate::agent::{Agent, Context, Outcome};
use crate::ports::{Clock, Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead};
use crate::protocol::card::{AgentCard, AgentSkill};
use crate::protocol::operation::Operation;
use crate::protocol::types::{GetTaskRequest, SendMessageRequest, SendMessageResponse, Task};
use crate::remote::Binding;
use crate::remote::breaker::BreakerPolicy;
use crate::remote::call::{Call, CallPolicy, CallPorts, Caller};
use crate::remote::request::{Endpoint, Service};
use crate::remote::retry::RetryPolicy;

/// How long the origin may take: short, since somebody looks on.
const ORIGIN_TIMEOUT: Duration = Duration::from_millis(400);
/// After how many failures the origin is left alone.
const BREAKER: BreakerPolicy = BreakerPolicy { failures: 2, open_for: Duration::from_secs(10) };

/// One answer of the origin. The last one is given again and again.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Scripted {
    status: u16,
    content_type: String,
    retry_after: Option<String>,
    body: String,
    /// `unreachable`, `timed-out` or `cut-short`, in place of an answer.
    fault: Option<String>,
}

/// Passes requests on to the script.
#[derive(Debug)]
pub(super) struct Forwarder(Caller);

impl Forwarder {
    pub(super) fn new(script: Vec<Scripted>) -> Self {
        let fetch = ScriptedFetch(RefCell::new(script.into()));
        let ports = CallPorts { fetch: Rc::new(fetch), clock: Rc::new(PageClock), random: Rc::new(PageRandom) };
        let policy = CallPolicy {
            retry: RetryPolicy { base: Duration::from_millis(40), ..RetryPolicy::DEFAULT },
            breaker: BREAKER,
            head_timeout: ORIGIN_TIMEOUT,
            total: ORIGIN_TIMEOUT * 2,
            ..CallPolicy::DEFAULT
        };
        Self(Caller::new(Endpoint::new("https://origin.example/rpc", Binding::JsonRpc), Vec::new(), policy, ports))
    }

    async fn forward<T: DeserializeOwned>(&self, operation: Operation, request: &impl Serialize) -> Outcome<T> {
        let params = serde_json::to_value(request)?;
        let call = Call { operation, params: &params, service: &Service::default(), watch: None };
        let result = self.0.unary(call).await.map_err(|error| error.to_protocol_error(None))?;
        Ok(serde_json::from_value(result).map_err(|error| A2aError::invalid_agent_response().with_source(error))?)
    }
}

impl Agent for Forwarder {
    fn card(&self) -> AgentCard {
        AgentCard::new("Gateway", "Passes requests on to an origin that fails.", env!("CARGO_PKG_VERSION"))
            .with_skill(AgentSkill::new("forward", "Forward", "Asks the origin.", ["demo"]))
    }

    async fn send_message(&self, _: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        self.forward(Operation::SendMessage, &request).await
    }

    async fn get_task(&self, _: &Context, request: GetTaskRequest) -> Outcome<Task> {
        self.forward(Operation::GetTask, &request).await
    }
}

struct ScriptedFetch(RefCell<VecDeque<Scripted>>);

impl ScriptedFetch {
    fn next(&self) -> Scripted {
        let mut script = self.0.borrow_mut();
        let next = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
        next.unwrap_or_default()
    }
}

impl Fetch for ScriptedFetch {
    fn fetch(&self, _: FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let next = self.next();
        async move {
            match next.fault.as_deref() {
                Some("unreachable") => return Err(FetchError::Unreachable("scripted".to_owned())),
                Some("timed-out") => PageClock.sleep(ORIGIN_TIMEOUT * 4).await,
                Some(_) => return Err(FetchError::CutShort("scripted".to_owned())),
                None => {}
            }
            let mut headers = vec![("Content-Type".to_owned(), next.content_type)];
            headers.extend(next.retry_after.map(|value| ("Retry-After".to_owned(), value)));
            let head = ResponseHead { status: next.status, headers };
            Ok(FetchResponse { head, body: Box::pin(stream::once(ready(Ok(next.body.into_bytes())))) })
        }
        .boxed_local()
    }
}
