//! The agent: the trait to write, and what stands between it and the wire.
//!
//! A request goes through `server` (binding), `gate` (may it be asked?), `boundary` (the one place that catches) and
//! `dispatch` (which method) to the [`Agent`], and its outcome back through the same binding, which formats it once.

mod auth;
mod backend;
mod boundary;
mod cors;
mod delivery;
mod discovery;
mod dispatch;
mod events;
mod failure;
mod gate;
mod jsonrpc;
mod push;
mod record;
mod refusal;
mod relay;
mod sending;
mod server;
mod serving;
mod tasks;
mod webhook;
mod work;

use std::future::Future;

use crate::ports::Subscription;
use crate::protocol::card::AgentCard;
use crate::protocol::error::A2aError;
use crate::protocol::operation::Operation;
use crate::protocol::types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

pub use auth::{TokenError, Tokens};
pub(crate) use backend::Backend;
pub use boundary::install_panic_hook;
pub(crate) use boundary::run as within_boundary;
pub use cors::AllowedOrigins;
pub(crate) use discovery::interfaces;
pub(crate) use dispatch::Reply;
pub(crate) use events::{Event, Events};
pub use failure::Failure;
pub(crate) use gate::Admitted;
pub(crate) use record::Trace;
pub use refusal::{refusal_line, refuse, refuse_event};
pub use server::{Answer, Config, Ports, Server, Witness};
pub(crate) use serving::{Done, opened};
pub use tasks::Tasks;
pub use work::Work;

/// What a method of an [`Agent`] returns.
pub type Outcome<T> = Result<T, Failure>;

/// An A2A agent: one method for each operation, all optional but the card.
///
/// A method is called only with a request that passed every check the protocol asks for (version, authentication,
/// extensions, parameters, media types, capabilities), so it is written for the happy path; whatever goes wrong is
/// returned with `?`. A protocol error ([`A2aError`]) reaches the caller as it is, any other error is logged and
/// answered with `-32603`, and so is a panic.
///
/// A method that an agent leaves out answers `-32004` "Operation not supported: …".
// The futures stay on one thread: a Worker's isolate has no other.
#[allow(async_fn_in_trait)]
pub trait Agent {
    /// The public agent card. Interfaces may stay empty: they are filled in with the host that was asked.
    fn card(&self) -> AgentCard;

    /// Specification 3.1.1.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let _ = (cx, request);
        unsupported(Operation::SendMessage)
    }

    /// Specification 3.1.2, asked only when the card declares `capabilities.streaming`. What the agent does to a task that it
    /// [began](Tasks::begin) is streamed to the caller while it does it, so this is [`send_message`](Self::send_message)
    /// unless an agent wants to tell the two apart.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn send_streaming_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        self.send_message(cx, request).await
    }

    /// Specification 3.1.3. `cx.tasks().get(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn get_task(&self, cx: &Context, request: GetTaskRequest) -> Outcome<Task> {
        let _ = (cx, request);
        unsupported(Operation::GetTask)
    }

    /// Specification 3.1.4. `cx.tasks().list(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn list_tasks(&self, cx: &Context, request: ListTasksRequest) -> Outcome<ListTasksResponse> {
        let _ = (cx, request);
        unsupported(Operation::ListTasks)
    }

    /// Specification 3.1.5. `cx.tasks().cancel(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn cancel_task(&self, cx: &Context, request: CancelTaskRequest) -> Outcome<Task> {
        let _ = (cx, request);
        unsupported(Operation::CancelTask)
    }

    /// Specification 3.1.6, asked only when the card declares `capabilities.streaming`. `cx.tasks().subscribe(&request)` does
    /// all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn subscribe_to_task(&self, cx: &Context, request: SubscribeToTaskRequest) -> Outcome<Subscription> {
        let _ = (cx, request);
        unsupported(Operation::SubscribeToTask)
    }

    /// Specification 3.1.7. `cx.tasks().create_push_config(request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn create_task_push_notification_config(
        &self,
        cx: &Context,
        request: TaskPushNotificationConfig,
    ) -> Outcome<TaskPushNotificationConfig> {
        let _ = (cx, request);
        unsupported(Operation::CreateTaskPushNotificationConfig)
    }

    /// Specification 3.1.8. `cx.tasks().push_config(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn get_task_push_notification_config(
        &self,
        cx: &Context,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Outcome<TaskPushNotificationConfig> {
        let _ = (cx, request);
        unsupported(Operation::GetTaskPushNotificationConfig)
    }

    /// Specification 3.1.9. `cx.tasks().push_configs(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn list_task_push_notification_configs(
        &self,
        cx: &Context,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Outcome<ListTaskPushNotificationConfigsResponse> {
        let _ = (cx, request);
        unsupported(Operation::ListTaskPushNotificationConfigs)
    }

    /// Specification 3.1.10. `cx.tasks().delete_push_config(&request)` does all that the operation asks for.
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn delete_task_push_notification_config(
        &self,
        cx: &Context,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Outcome<()> {
        let _ = (cx, request);
        unsupported(Operation::DeleteTaskPushNotificationConfig)
    }

    /// Specification 3.1.11. Asked only when the card declares `capabilities.extendedAgentCard`, so an agent that has
    /// none answers `-32007` rather than `-32004` (specification 3.3.4).
    ///
    /// # Errors
    /// Any; see [`Agent`].
    async fn get_extended_agent_card(&self, cx: &Context, request: GetExtendedAgentCardRequest) -> Outcome<AgentCard> {
        let _ = (cx, request);
        Err(A2aError::extended_agent_card_not_configured().into())
    }
}

fn unsupported<T>(operation: Operation) -> Outcome<T> {
    Err(A2aError::unsupported_operation(operation).into())
}

/// What an [`Agent`] knows of the request beside its parameters.
#[derive(Debug)]
pub struct Context {
    subject: Option<String>,
    extensions: Vec<String>,
    tasks: Tasks,
}

impl Context {
    /// The name that authentication gave the caller; `None` where the agent asks for no token.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// The extensions that the caller declared in `A2A-Extensions`.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// The caller's tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Lets time pass.
    pub fn sleep(&self, duration: std::time::Duration) -> impl Future<Output = ()> + 'static {
        self.tasks.clock().sleep(duration)
    }
}
