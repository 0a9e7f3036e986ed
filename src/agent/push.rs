//! The push notification configs of a caller's tasks (specification 3.1.7 to 3.1.10).

use super::tasks::{Tasks, store_failed};
use crate::ports::{MAX_PUSH_CONFIGS, StoreError};
use crate::protocol::error::A2aError;
use crate::protocol::types::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig,
};

impl Tasks {
    /// CreateTaskPushNotificationConfig (specification 3.1.7): the config as it is stored. A config without an id gets one;
    /// a config with an id that is there already takes its place.
    ///
    /// # Errors
    /// TaskNotFound; InvalidParams for a webhook that may not be called, an id that cannot be stored, and more configs than
    /// a task may have; Internal when the store fails.
    pub async fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, A2aError> {
        if let Some(push) = self.push() {
            push.check(&config, "").map_err(A2aError::invalid_fields)?;
        }
        self.load(&config.task_id).await?;
        self.put_push_config(config).await
    }

    /// Stores a config of a task that is there.
    pub(super) async fn put_push_config(
        &self,
        mut config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, A2aError> {
        if config.id.is_empty() {
            config.id = self.new_id();
        }
        match self.store().put_push_config(self.owner(), config.clone()).await {
            Ok(()) => Ok(config),
            Err(StoreError::Unstorable(_)) => Err(too_many("taskId")),
            Err(error) => Err(store_failed(error)),
        }
    }

    /// GetTaskPushNotificationConfig (specification 3.1.8).
    ///
    /// # Errors
    /// TaskNotFound; PushNotificationConfigNotFound; Internal when the store fails.
    pub async fn push_config(
        &self,
        request: &GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, A2aError> {
        let configs = self.configs_of(&request.task_id).await?;
        let found = configs.into_iter().find(|config| config.id == request.id);
        found.ok_or_else(|| A2aError::push_notification_config_not_found(&request.task_id, &request.id))
    }

    /// ListTaskPushNotificationConfigs (specification 3.1.9): all of them, since a task has few.
    ///
    /// # Errors
    /// TaskNotFound; Internal when the store fails.
    pub async fn push_configs(
        &self,
        request: &ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, A2aError> {
        let configs = self.configs_of(&request.task_id).await?;
        Ok(ListTaskPushNotificationConfigsResponse { configs, next_page_token: String::new() })
    }

    /// DeleteTaskPushNotificationConfig (specification 3.1.10): deleting what is not there is no error.
    ///
    /// # Errors
    /// TaskNotFound; Internal when the store fails.
    pub async fn delete_push_config(&self, request: &DeleteTaskPushNotificationConfigRequest) -> Result<(), A2aError> {
        self.load(&request.task_id).await?;
        let deleted = self.store().delete_push_config(self.owner(), &request.task_id, &request.id);
        deleted.await.map_err(store_failed)
    }

    /// Whether there is room for the config that came with a message to a task: to be asked before anything is done.
    ///
    /// # Errors
    /// InvalidParams if there is none; Internal when the store fails.
    pub(super) async fn check_room(&self, task_id: &str, config_id: &str) -> Result<(), A2aError> {
        let configs = self.store().push_configs(self.owner(), task_id).await.map_err(store_failed)?;
        let is_there = configs.iter().any(|config| config.id == config_id);
        if configs.len() < MAX_PUSH_CONFIGS || is_there {
            return Ok(());
        }
        Err(too_many("configuration.taskPushNotificationConfig"))
    }

    async fn configs_of(&self, task_id: &str) -> Result<Vec<TaskPushNotificationConfig>, A2aError> {
        self.load(task_id).await?;
        self.store().push_configs(self.owner(), task_id).await.map_err(store_failed)
    }
}

fn too_many(field: &'static str) -> A2aError {
    A2aError::invalid_params("The task has too many push notification configs", [field])
}
