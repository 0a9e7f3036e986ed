//! One method for each operation (specification 3.1).

use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Client, ClientError, Events, ValidationError};
use crate::ports::uuid4;
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::operation::Operation;
use crate::protocol::schema::RESULT;
use crate::protocol::types::{
    self, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use crate::remote::{Binding, RemoteError};

/// Makes the methods of operations that are answered once.
macro_rules! operations {
    ($($(#[$doc:meta])+ $name:ident: $operation:ident($request:ty) -> $response:ty;)+) => {
        impl Client {
            $(
                $(#[$doc])+
                ///
                /// # Errors
                /// As [`call`](Self::call).
                pub async fn $name(&self, request: $request) -> Result<$response, ClientError> {
                    read(self.caller.binding(), self.call(Operation::$operation, params(&request)?).await?)
                }
            )+
        }
    };
}

operations! {
    /// Asks for a task (specification 3.1.3).
    get_task: GetTask(GetTaskRequest) -> Task;
    /// Asks for a page of tasks (specification 3.1.4).
    list_tasks: ListTasks(ListTasksRequest) -> ListTasksResponse;
    /// Cancels a task (specification 3.1.5).
    cancel_task: CancelTask(CancelTaskRequest) -> Task;
    /// Has updates of a task sent to a URL (specification 3.1.7).
    create_push_config: CreateTaskPushNotificationConfig(TaskPushNotificationConfig) -> TaskPushNotificationConfig;
    /// Asks where updates of a task are sent (specification 3.1.8).
    get_push_config: GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig;
    /// Asks for all places that updates of a task are sent to (specification 3.1.9).
    list_push_configs: ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest) -> ListTaskPushNotificationConfigsResponse;
    /// Asks for the card that is for known callers (specification 3.1.11).
    get_extended_agent_card: GetExtendedAgentCard(GetExtendedAgentCardRequest) -> AgentCard;
}

impl Client {
    /// Sends a message, and waits for what comes of it (specification 3.1.1). A message without an id gets one.
    ///
    /// A task that failed is no error here; ask [`into_result`](SendMessageResponse::into_result).
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn send_message(&self, request: SendMessageRequest) -> Result<SendMessageResponse, ClientError> {
        read(self.caller.binding(), self.call(Operation::SendMessage, params(&self.identified(request))?).await?)
    }

    /// Sends a message, and follows what comes of it (specification 3.1.2). A message without an id gets one.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub async fn send_streaming_message(
        &self,
        request: SendMessageRequest,
    ) -> Result<Events<StreamResponse>, ClientError> {
        self.typed_stream(Operation::SendStreamingMessage, params(&self.identified(request))?).await
    }

    /// Follows a task (specification 3.1.6).
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub async fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
    ) -> Result<Events<StreamResponse>, ClientError> {
        self.typed_stream(Operation::SubscribeToTask, params(&request)?).await
    }

    /// Has updates of a task no longer sent to a URL (specification 3.1.10).
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), ClientError> {
        self.call(Operation::DeleteTaskPushNotificationConfig, params(&request)?).await.map(|_| ())
    }

    async fn typed_stream(&self, operation: Operation, params: Value) -> Result<Events<StreamResponse>, ClientError> {
        let binding = self.caller.binding();
        Ok(self.stream(operation, params).await?.map(move |event| read(binding, event?)).boxed_local())
    }

    /// The params of a message, with an id for it if they have none, for callers of [`call`](Self::call).
    #[cfg(feature = "browser")]
    pub(crate) fn with_message_id(&self, mut params: Value) -> Value {
        if let Some(message) = params.get_mut("message").and_then(Value::as_object_mut) {
            let is_there = |name| message.get(name).is_some_and(|id| !(id.is_null() || id == ""));
            if !["messageId", "message_id"].into_iter().any(is_there) {
                message.remove("message_id");
                message.insert("messageId".to_owned(), uuid4(&*self.random).into());
            }
        }
        params
    }

    fn identified(&self, mut request: SendMessageRequest) -> SendMessageRequest {
        if request.message.message_id.is_empty() {
            request.message.message_id = uuid4(&*self.random);
        }
        request
    }
}

fn params(request: &impl Serialize) -> Result<Value, ClientError> {
    // Only a map with keys that are no texts could not be written, and no request has one.
    let misfit = |error| FieldViolation::new("params", format!("do not fit their type: {error}"));
    serde_json::to_value(request).map_err(|error| ValidationError::new(vec![misfit(error)]).into())
}

fn read<T: DeserializeOwned>(binding: Binding, result: Value) -> Result<T, ClientError> {
    // What passed the schema has the form of the types; a test in `protocol::types` holds both together.
    let misfit = |error| FieldViolation::new(RESULT, format!("does not fit its type: {error}"));
    types::from_value(result).map_err(|error| RemoteError::unusable(binding, misfit(error)).into())
}
