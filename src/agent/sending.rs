//! A message being worked on, for a caller who does not wait for the end: one who wants the task at once, or one who
//! watches. What is left when the caller has its answer goes on in the background.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::future::LocalBoxFuture;

use super::events::UntilLast;
use super::tasks::{Begun, Tasks, limit_history};
use crate::ports::{Background, Subscription};
use crate::protocol::error::A2aError;
use crate::protocol::types::{SendMessageResponse, StreamResponse, TaskState};

/// The agent at work on a message, within the boundary.
pub(super) type Handler = LocalBoxFuture<'static, Result<SendMessageResponse, A2aError>>;

/// Takes errors that no caller is left to be told of.
pub(super) type Report = Rc<dyn Fn(&A2aError)>;

/// What is told to those who watch a task whose work was stopped since its caller had left.
const LEFT: &str = "Stopped: the caller has left, and nobody else was watching.";

/// Those who watch the task would wait for ever, and a stream holds either a message or a task (specification 3.1.2).
const NO_TASK_TO_END: &str = "the agent began a task and then answered with a message";

/// A message being worked on.
pub(super) struct Sending {
    handler: Handler,
    tasks: Tasks,
    background: Rc<dyn Background>,
    report: Report,
    history_length: Option<u32>,
}

impl Sending {
    pub(super) fn new(
        handler: Handler,
        tasks: Tasks,
        background: Rc<dyn Background>,
        report: Report,
        history_length: Option<u32>,
    ) -> Self {
        Self { handler, tasks, background, report, history_length }
    }

    /// Answers as soon as there is a task, and goes on in the background (specification 3.2.2, `returnImmediately`).
    pub(super) async fn at_once(mut self) -> Result<SendMessageResponse, A2aError> {
        // The task appears while the handler is polled, so each poll is followed by a look.
        let first = poll_fn(|cx| match self.handler.as_mut().poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Ok(outcome)),
            Poll::Pending => self.tasks.take_begun().map_or(Poll::Pending, |begun| Poll::Ready(Err(begun))),
        });
        match first.await {
            Ok(outcome) => settled(&self.tasks, outcome).await,
            Err(Begun { task, .. }) => {
                let background = Rc::clone(&self.background);
                background.spawn(Box::pin(see_through(self.handler, self.tasks, self.report)));
                Ok(task.into())
            }
        }
    }

    /// The task, and what happens to it until it ends or waits (specification 3.1.2).
    pub(super) fn watched(self) -> Watched {
        let Self { handler, tasks, background, report, history_length } = self;
        let stage = Stage::Starting;
        Watched { handler: Some(handler), tasks, background, report, history_length, stage }
    }
}

/// What a request leaves when its handler has come to an end: no task that others believe is being worked on.
pub(super) async fn settled(
    tasks: &Tasks,
    outcome: Result<SendMessageResponse, A2aError>,
) -> Result<SendMessageResponse, A2aError> {
    match outcome {
        Ok(answer) => Ok(answer),
        Err(error) => Err(failed(tasks, error).await),
    }
}

/// Fails the open task, and gives the error back. If that fails too, the error that came first says more.
async fn failed(tasks: &Tasks, error: A2aError) -> A2aError {
    let _ = tasks.end_open(TaskState::Failed, error.message()).await;
    error
}

/// Work that goes on when its caller has been answered.
async fn see_through(handler: Handler, tasks: Tasks, report: Report) {
    if let Err(error) = settled(&tasks, handler.await).await {
        report(&error);
    }
}

/// The events of a message that is being worked on.
///
/// What has happened is told before the work goes on, so a caller who reads slowly slows it down. Dropping this, which is
/// what a caller who leaves comes to, stops the work, unless somebody else is watching.
pub(super) struct Watched {
    /// `None` when it has come to its end.
    handler: Option<Handler>,
    tasks: Tasks,
    background: Rc<dyn Background>,
    report: Report,
    history_length: Option<u32>,
    stage: Stage,
}

enum Stage {
    /// There is no task yet.
    Starting,
    /// The task is known to the caller.
    Following(UntilLast),
    /// The work has failed, and the task is being told.
    Failing(LocalBoxFuture<'static, A2aError>),
    /// The caller has been told everything.
    Told,
}

type Item = Option<Result<StreamResponse, A2aError>>;

impl Stream for Watched {
    type Item = Result<StreamResponse, A2aError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Item> {
        loop {
            match &mut self.stage {
                Stage::Told => return Poll::Ready(None),
                Stage::Failing(failing) => {
                    let Poll::Ready(error) = failing.as_mut().poll(cx) else { return Poll::Pending };
                    self.stage = Stage::Told;
                    return Poll::Ready(Some(Err(error)));
                }
                Stage::Following(events) => {
                    if let Poll::Ready(item) = Pin::new(events).poll_next(cx) {
                        return Poll::Ready(self.tell(item));
                    }
                }
                Stage::Starting => {}
            }
            match self.work(cx) {
                Worked::Told(item) => return Poll::Ready(item),
                Worked::On => {}
                Worked::Waits => return self.look_again(cx),
            }
        }
    }
}

/// What came of polling the handler. Made and taken apart at once, so its size is of no matter.
#[allow(clippy::large_enum_variant)]
enum Worked {
    /// Something to tell.
    Told(Item),
    /// Something to look at.
    On,
    /// Nothing yet.
    Waits,
}

impl Watched {
    fn work(&mut self, cx: &mut Context<'_>) -> Worked {
        let Some(handler) = &mut self.handler else { return Worked::Waits };
        let outcome = match handler.as_mut().poll(cx) {
            Poll::Pending => {
                return match self.tasks.take_begun() {
                    Some(begun) => Worked::Told(self.begin(begun)),
                    None => Worked::Waits,
                };
            }
            Poll::Ready(outcome) => outcome,
        };
        self.handler = None;
        let begun = self.tasks.take_begun();
        let has_task = begun.is_some() || !matches!(self.stage, Stage::Starting);
        let outcome = match outcome {
            Ok(SendMessageResponse::Message(_)) if has_task => Err(A2aError::internal().with_source(NO_TASK_TO_END)),
            outcome => outcome,
        };
        match outcome {
            Err(error) => {
                let tasks = self.tasks.clone();
                self.stage = Stage::Failing(Box::pin(async move { failed(&tasks, error).await }));
                Worked::On
            }
            Ok(answer) => match (&self.stage, begun) {
                (Stage::Starting, Some(begun)) => Worked::Told(self.begin(begun)),
                (Stage::Starting, None) => {
                    self.stage = Stage::Told;
                    Worked::Told(Some(Ok(self.shortened(answer.into()))))
                }
                // The store tells how the task ends.
                _ => Worked::On,
            },
        }
    }

    /// Looks at what the handler has done just now, which saves being woken for it.
    fn look_again(&mut self, cx: &mut Context<'_>) -> Poll<Item> {
        let Stage::Following(events) = &mut self.stage else { return Poll::Pending };
        match Pin::new(events).poll_next(cx) {
            Poll::Ready(item) => Poll::Ready(self.tell(item)),
            Poll::Pending => Poll::Pending,
        }
    }

    /// The task comes first.
    fn begin(&mut self, begun: Begun) -> Item {
        let task = match begun.subscription {
            Some(Subscription { task, events }) => {
                self.stage = Stage::Following(UntilLast::new(events));
                task
            }
            // It went as soon as it was stored, and nothing can be told of it.
            None => {
                self.stage = Stage::Told;
                begun.task
            }
        };
        Some(Ok(self.shortened(task.into())))
    }

    fn tell(&mut self, item: Item) -> Item {
        let is_last = item.as_ref().is_none_or(|item| item.as_ref().map_or(true, StreamResponse::is_last));
        if is_last {
            self.stage = Stage::Told;
            let was_stopped = matches!(&item, Some(Ok(event)) if event.state() == Some(TaskState::Canceled));
            // What an agent does after the last change is still to be done, but not what a cancellation has stopped.
            if let Some(handler) = self.handler.take().filter(|_| !was_stopped) {
                let left = see_through(handler, self.tasks.clone(), Rc::clone(&self.report));
                self.background.spawn(Box::pin(left));
            }
        }
        item.map(|item| item.map(|event| self.shortened(event)))
    }

    /// With as much history as was asked for.
    fn shortened(&self, mut event: StreamResponse) -> StreamResponse {
        if let StreamResponse::Task(task) = &mut event {
            limit_history(task, self.history_length);
        }
        event
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(handler) = self.handler.take() else { return };
        // The subscription lives until others are counted, so that it is sure to be one of them: where the task is stored, it
        // may take a while to be noticed that it has gone.
        let own = (std::mem::replace(&mut self.stage, Stage::Told), self.tasks.take_begun());
        let (tasks, report) = (self.tasks.clone(), Rc::clone(&self.report));
        self.background.spawn(Box::pin(async move {
            let Some(id) = tasks.open_task() else { return };
            let watching = tasks.store().subscribers(tasks.owner(), &id).await;
            drop(own);
            match watching {
                Ok(0 | 1) | Err(_) => drop(handler),
                Ok(_) => return see_through(handler, tasks, report).await,
            }
            if let Err(error) = tasks.end_open(TaskState::Canceled, LEFT).await {
                report(&error);
            }
        }));
    }
}

/// The task of an answer, with as much history as was asked for.
pub(super) fn shorten(answer: &mut SendMessageResponse, limit: Option<u32>) {
    match answer {
        SendMessageResponse::Task(task) => limit_history(task, limit),
        SendMessageResponse::Message(_) => {}
    }
}
