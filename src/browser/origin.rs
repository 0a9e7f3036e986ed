//! A gateway whose origin plays a script: what a gateway makes of an origin's failures.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, ready};
use futures_util::{FutureExt, stream};
use serde::Deserialize;

use super::ports::PageClock;
use crate::agent::{self, Ports};
use crate::gateway::{Config, Gateway};
use crate::ports::{Clock, Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead};
use crate::protocol::http::JSON;
use crate::protocol::rest::CARD_PATH;
use crate::remote::breaker::BreakerPolicy;
use crate::remote::call::CallPolicy;
use crate::remote::retry::RetryPolicy;

/// Where the origin is said to be. Nothing is sent there.
const URL: &str = "https://origin.example";
/// The origin's card: that an agent fails does not mean that it has none.
const CARD: &str = r#"{
    "name": "Origin", "description": "Fails by a script.", "version": "1.0.0",
    "supportedInterfaces": [{"url": "https://origin.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    "capabilities": {"streaming": true},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "fail", "name": "Fail", "description": "Fails.", "tags": ["demo"]}]
}"#;

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

/// A gateway before an origin that answers by the script.
pub(super) fn gateway(script: Vec<Scripted>, server_config: agent::Config, ports: Ports) -> Rc<Gateway> {
    let policy = CallPolicy {
        retry: RetryPolicy { base: Duration::from_millis(40), ..RetryPolicy::DEFAULT },
        breaker: BREAKER,
        head_timeout: ORIGIN_TIMEOUT,
        total: ORIGIN_TIMEOUT * 2,
        ..CallPolicy::DEFAULT
    };
    let config = Config { url: URL.to_owned(), fallbacks: Vec::new(), binding: None, policy };
    Gateway::new(config, server_config, ports, Rc::new(ScriptedFetch(RefCell::new(script.into()))))
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
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let is_for_card = request.url.ends_with(CARD_PATH);
        let next = if is_for_card { card() } else { self.next() };
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

fn card() -> Scripted {
    Scripted { status: 200, content_type: JSON.to_owned(), body: CARD.to_owned(), ..Scripted::default() }
}
