//! Stores by another name: what a store is made of stays out of the public interface.

use std::fmt;

use futures_util::future::LocalBoxFuture;

use crate::ports::{Owner, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore};
use crate::protocol::types::{StreamResponse, TaskPushNotificationConfig};

/// Is a [`TaskStore`] by way of the one within.
pub trait Wrapped: fmt::Debug {
    /// The store within.
    fn store(&self) -> &dyn TaskStore;
}

impl<W: Wrapped> TaskStore for W {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.store().get(owner, id)
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        self.store().put(owner, stored, events)
    }

    fn progress<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        self.store().progress(owner, stored, events)
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        self.store().subscribe(owner, id)
    }

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        self.store().subscribers(owner, id)
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        self.store().push_configs(owner, task_id)
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.store().put_push_config(owner, config)
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.store().delete_push_config(owner, task_id, id)
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.store().list(owner, query)
    }
}
