//! Push notifications on their way (specification 4.3.3): in the background, in order, and never at the task's expense.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};

use super::server::Ports;
use super::webhook;
use crate::ports::{Fetch, FetchError, FetchRequest, Level, Owner, is_task_id};
use crate::protocol::details::FieldViolation;
use crate::protocol::http::{A2A_JSON, is_token};
use crate::protocol::types::{StreamResponse, TaskPushNotificationConfig};

/// How often a notification is tried. With the waits between, the last attempt begins within the 30 seconds that Workers
/// give to work in the background (<https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil>).
const ATTEMPTS: u32 = 4;
/// The wait after the first attempt; it doubles from attempt to attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How long a webhook may take to answer (specification 4.3.3 recommends 10 to 30 seconds).
const TIMEOUT: Duration = Duration::from_secs(10);
/// What carries a config's token, so that its receiver knows what it belongs to.
const TOKEN_HEADER: &str = "X-A2A-Notification-Token";
/// Longest token, scheme and credentials. (Our own: half of what servers commonly take as a header.)
const MAX_SECRET_BYTES: usize = 4_096;

/// What becomes a header must be fit for one.
const HEADER_RULE: &str = "must be printable ASCII, 4096 bytes at most";

/// What notifications need.
pub(super) struct Push {
    pub(super) fetch: Rc<dyn Fetch>,
    pub(super) in_development: bool,
}

impl Push {
    /// Checks a config before it is stored. `path` is where it stands in the parameters.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self, config: &TaskPushNotificationConfig, path: &str) -> Result<(), Vec<FieldViolation>> {
        let mut violations = Vec::new();
        let mut violated = |field: &str, problem: &'static str| {
            violations.push(FieldViolation::new(format!("{path}{field}"), problem));
        };
        if let Err(problem) = webhook::check(&config.url, self.in_development) {
            violated("url", problem);
        }
        if !config.id.is_empty() && !is_task_id(&config.id) {
            violated("id", "is too long or not printable");
        }
        if config.token.as_deref().is_some_and(|token| !is_printable(token)) {
            violated("token", HEADER_RULE);
        }
        if let Some(authentication) = &config.authentication {
            if !is_scheme(&authentication.scheme) {
                violated("authentication.scheme", "must be an HTTP authentication scheme");
            }
            if authentication.credentials.as_deref().is_some_and(|credentials| !is_printable(credentials)) {
                violated("authentication.credentials", HEADER_RULE);
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

fn is_printable(text: &str) -> bool {
    text.len() <= MAX_SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

fn is_scheme(text: &str) -> bool {
    text.len() <= MAX_SECRET_BYTES && is_token(text)
}

/// The changes that a request has made to a task, waiting to be told.
pub(super) struct Outbox {
    push: Rc<Push>,
    waiting: RefCell<VecDeque<(String, StreamResponse)>>,
    is_open: Cell<bool>,
}

impl Outbox {
    pub(super) fn new(push: Rc<Push>) -> Self {
        Self { push, waiting: RefCell::default(), is_open: Cell::default() }
    }

    pub(super) fn push(&self) -> &Push {
        &self.push
    }

    /// Tells these changes of a task to its webhooks, after all that were posted before.
    pub(super) fn post(self: &Rc<Self>, task_id: &str, events: Vec<StreamResponse>, owner: &Owner, ports: &Rc<Ports>) {
        self.waiting.borrow_mut().extend(events.into_iter().map(|event| (task_id.to_owned(), event)));
        if self.is_open.replace(true) {
            return;
        }
        let (outbox, owner) = (Rc::clone(self), owner.clone());
        let courier = Courier { ports: Rc::clone(ports), push: Rc::clone(&self.push) };
        ports.background.spawn(Box::pin(async move {
            while let Some((task_id, event)) = outbox.next() {
                courier.deliver(&owner, &task_id, &event).await;
            }
            outbox.is_open.set(false);
        }));
    }

    fn next(&self) -> Option<(String, StreamResponse)> {
        self.waiting.borrow_mut().pop_front()
    }
}

struct Courier {
    ports: Rc<Ports>,
    push: Rc<Push>,
}

/// Why a notification did not arrive, for the log: the receiver's words are left out, and so is its URL.
enum Failed {
    Status(u16),
    Transport(&'static str),
}

impl Failed {
    /// Whether the same request may fare better later.
    fn is_passing(&self) -> bool {
        match self {
            Self::Status(status) => matches!(status, 408 | 429 | 500..),
            Self::Transport(_) => true,
        }
    }
}

impl Courier {
    async fn deliver(&self, owner: &Owner, task_id: &str, event: &StreamResponse) {
        let configs = match self.ports.store.push_configs(owner, task_id).await {
            Ok(configs) => configs,
            Err(error) => return self.log(task_id, "", &error.to_string()),
        };
        if configs.is_empty() {
            return;
        }
        // Plain data is always serialised.
        let Ok(body) = serde_json::to_string(event) else { return };
        join_all(configs.iter().map(|config| self.insist(config, &body))).await;
    }

    /// Tries again and again, and gives up in the end.
    async fn insist(&self, config: &TaskPushNotificationConfig, body: &str) {
        let mut wait = FIRST_WAIT;
        for attempt in 1..=ATTEMPTS {
            let Err(failed) = self.attempt(config, body).await else { return };
            if attempt == ATTEMPTS || !failed.is_passing() {
                let what = match failed {
                    Failed::Status(status) => format!("answered with status {status}"),
                    Failed::Transport(what) => what.to_owned(),
                };
                return self.log(&config.task_id, &config.id, &what);
            }
            self.ports.clock.sleep(wait).await;
            wait *= 2;
        }
    }

    async fn attempt(&self, config: &TaskPushNotificationConfig, body: &str) -> Result<(), Failed> {
        let answer = self.push.fetch.fetch(&request(config, body));
        let answer = match select(answer, self.ports.clock.sleep(TIMEOUT)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => return Err(Failed::Transport("timed out")),
        };
        match answer {
            // Redirects are not followed: they may lead to where no webhook may be.
            Ok(response) if (200..300).contains(&response.head.status) => Ok(()),
            Ok(response) => Err(Failed::Status(response.head.status)),
            Err(FetchError::TimedOut) => Err(Failed::Transport("timed out")),
            Err(FetchError::Unreachable(_)) => Err(Failed::Transport("unreachable")),
            Err(FetchError::CutShort(_) | FetchError::TooLarge) => Err(Failed::Transport("connection lost")),
        }
    }

    fn log(&self, task_id: &str, config_id: &str, problem: &str) {
        let line = serde_json::json!({
            "level": "warn", "event": "push_failed", "taskId": task_id, "configId": config_id, "problem": problem,
        });
        self.ports.log.write(Level::Warn, &line.to_string());
    }
}

fn request(config: &TaskPushNotificationConfig, body: &str) -> FetchRequest {
    let mut headers = vec![(Cow::Borrowed("Content-Type"), A2A_JSON.to_owned())];
    if let Some(authentication) = &config.authentication {
        let credentials = authentication.credentials.as_deref().unwrap_or_default();
        let value = format!("{} {credentials}", authentication.scheme);
        headers.push((Cow::Borrowed("Authorization"), value.trim_end().to_owned()));
    }
    if let Some(token) = &config.token {
        headers.push((Cow::Borrowed(TOKEN_HEADER), token.clone()));
    }
    FetchRequest { method: "POST", url: config.url.clone(), headers, body: Some(body.to_owned()) }
}
