//! Push notification configs: one key each, so that two that are made at once do not overwrite each other.

use super::layout;
use super::operations::Kv;
use super::tasks::{KvTasks, MAX_LIST_CALLS};
use crate::ports::{MAX_PUSH_CONFIGS, Owner, StoreError, is_task_id};
use crate::protocol::types::{self, TaskPushNotificationConfig};

impl<K: Kv> KvTasks<K> {
    pub(super) async fn configs(
        &self,
        owner: &Owner,
        task_id: &str,
    ) -> Result<Vec<TaskPushNotificationConfig>, StoreError> {
        let keys = self.config_keys(&layout::push_prefix(owner, task_id)).await?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let found = keys.iter().zip(self.values(&keys).await?).filter_map(|(key, value)| Some((key, value?)));
        let read = |(key, value): (&String, String)| {
            types::from_json(&value).map_err(|error| StoreError::unreadable(&format!("key {key}"), &error))
        };
        found.map(read).collect()
    }

    /// The keys, in their order, of no more configs than a task may have.
    async fn config_keys(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let mut keys = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_LIST_CALLS {
            let page = self.retry(async || self.kv.list(prefix, cursor.clone()).await).await?;
            keys.extend(page.keys.into_iter().map(|(key, _)| key));
            cursor = page.cursor;
            if cursor.is_none() || keys.len() >= MAX_PUSH_CONFIGS {
                break;
            }
        }
        keys.truncate(MAX_PUSH_CONFIGS);
        Ok(keys)
    }

    pub(super) async fn put_config(&self, owner: &Owner, config: TaskPushNotificationConfig) -> Result<(), StoreError> {
        if !is_task_id(&config.id) {
            return Err(StoreError::Unstorable("unfit config id".to_owned()));
        }
        let prefix = layout::push_prefix(owner, &config.task_id);
        let key = format!("{prefix}{}", config.id);
        let known = self.config_keys(&prefix).await?;
        if known.len() >= MAX_PUSH_CONFIGS && !known.contains(&key) {
            return Err(StoreError::too_many_push_configs());
        }
        let value = serde_json::to_string(&config).map_err(|error| StoreError::Unstorable(error.to_string()))?;
        self.put_value(&key, &value, &self.options(), async || Ok(false)).await
    }

    pub(super) async fn delete_config(&self, owner: &Owner, task_id: &str, id: &str) -> Result<(), StoreError> {
        if !is_task_id(id) {
            return Ok(());
        }
        let key = format!("{}{id}", layout::push_prefix(owner, task_id));
        self.retry(async || self.kv.delete(&key).await).await
    }
}
