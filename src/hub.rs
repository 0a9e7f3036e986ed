//! Who listens to which task in this instance.
//!
//! A store shows every change here once it is made. Requests of one instance run on one thread, so looking at a task and
//! starting to listen to it is one step, and nothing falls in between.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

use crate::ports::{Owner, StoreError};
use crate::protocol::types::StreamResponse;

/// Most changes that wait for a listener to take them. A stream of a thousand pieces fits; a listener that has stopped
/// reading must not fill the memory of the instance (128 MB).
pub(crate) const MAX_BACKLOG: usize = 2_048;

type Key = (Owner, String);
type Listeners = BTreeMap<Key, Vec<Weak<RefCell<Queue>>>>;

/// The listeners of every task.
#[derive(Default)]
pub(crate) struct Hub {
    listeners: Rc<RefCell<Listeners>>,
}

#[derive(Default)]
struct Queue {
    /// Each with its mark.
    waiting: VecDeque<(u64, StreamResponse)>,
    overrun: bool,
    waker: Option<Waker>,
}

impl Hub {
    /// Shows `events` to all who listen to the task. `mark` is what a listener may [`forget`](Listener::forget) them by.
    pub(crate) fn publish(&self, owner: &Owner, id: &str, mark: u64, events: &[StreamResponse]) {
        let mut listeners = self.listeners.borrow_mut();
        if events.is_empty() || listeners.is_empty() {
            return;
        }
        let key = (owner.clone(), id.to_owned());
        let Some(queues) = listeners.get_mut(&key) else { return };
        queues.retain(|queue| {
            let Some(queue) = queue.upgrade() else { return false };
            queue.borrow_mut().push(mark, events);
            true
        });
        if queues.is_empty() {
            listeners.remove(&key);
        }
    }

    /// Listens to a task from now on.
    pub(crate) fn listen(&self, owner: &Owner, id: &str) -> Listener {
        let (key, queue) = ((owner.clone(), id.to_owned()), Rc::default());
        self.listeners.borrow_mut().entry(key.clone()).or_default().push(Rc::downgrade(&queue));
        Listener { key, queue, listeners: Rc::downgrade(&self.listeners) }
    }

    /// How many listen to the task.
    pub(crate) fn count(&self, owner: &Owner, id: &str) -> usize {
        self.listeners.borrow().get(&(owner.clone(), id.to_owned())).map_or(0, Vec::len)
    }
}

impl Queue {
    fn push(&mut self, mark: u64, events: &[StreamResponse]) {
        if self.waiting.len() + events.len() > MAX_BACKLOG {
            self.overrun = true;
        } else {
            self.waiting.extend(events.iter().map(|event| (mark, event.clone())));
        }
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// Takes the changes of one task, in their order.
pub(crate) struct Listener {
    key: Key,
    queue: Rc<RefCell<Queue>>,
    listeners: Weak<RefCell<Listeners>>,
}

#[cfg(any(test, feature = "worker"))] // the memory store looks and listens in one step
impl Listener {
    /// Drops what waits up to this mark: whoever listens has learnt of it in another way.
    pub(crate) fn forget(&self, mark: u64) {
        self.queue.borrow_mut().waiting.retain(|(of, _)| *of > mark);
    }
}

impl Stream for Listener {
    type Item = Result<StreamResponse, StoreError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut queue = self.queue.borrow_mut();
        if let Some((_, event)) = queue.waiting.pop_front() {
            return Poll::Ready(Some(Ok(event)));
        }
        if queue.overrun {
            return Poll::Ready(Some(Err(StoreError::Unavailable("the subscriber reads too slowly".to_owned()))));
        }
        queue.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let Some(listeners) = self.listeners.upgrade() else { return };
        let mut listeners = listeners.borrow_mut();
        let Some(queues) = listeners.get_mut(&self.key) else { return };
        queues.retain(|queue| !queue.ptr_eq(&Rc::downgrade(&self.queue)));
        if queues.is_empty() {
            listeners.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};

    use super::*;
    use crate::protocol::types::{Task, TaskState, TaskStatusUpdateEvent};

    fn event(id: &str) -> StreamResponse {
        TaskStatusUpdateEvent::new(id, "c", crate::protocol::types::TaskStatus::new(TaskState::Working)).into()
    }

    fn taken(listener: &mut Listener) -> Vec<StreamResponse> {
        let next = || listener.next().now_or_never().flatten();
        std::iter::from_fn(next).map(|event| event.expect("an event")).collect()
    }

    #[test]
    fn every_listener_gets_every_event_in_order_and_only_its_own() {
        let (hub, ann, ben) = (Hub::default(), Owner::subject("ann"), Owner::subject("ben"));
        let (mut first, mut second) = (hub.listen(&ann, "t"), hub.listen(&ann, "t"));
        let mut foreign = hub.listen(&ben, "t");
        let told = [event("a"), Task::new("b", "c").into(), event("d")];
        hub.publish(&ann, "t", 1, &told[..1]);
        hub.publish(&ann, "t", 2, &told[1..]);
        hub.publish(&ann, "u", 3, &[event("x")]);
        assert_eq!(taken(&mut first), told);
        assert_eq!(taken(&mut second), told);
        assert!(taken(&mut foreign).is_empty());
    }

    #[test]
    fn what_is_known_already_can_be_forgotten() {
        let (hub, owner) = (Hub::default(), Owner::anonymous());
        let mut listener = hub.listen(&owner, "t");
        for mark in 1..=4 {
            hub.publish(&owner, "t", mark, &[event(&mark.to_string())]);
        }
        listener.forget(2);
        assert_eq!(taken(&mut listener), [event("3"), event("4")]);
    }

    #[test]
    fn who_stops_listening_leaves_nothing_behind() {
        let (hub, owner) = (Hub::default(), Owner::anonymous());
        let (first, second) = (hub.listen(&owner, "t"), hub.listen(&owner, "t"));
        drop(first);
        assert_eq!(hub.count(&owner, "t"), 1);
        drop(second);
        assert!(hub.listeners.borrow().is_empty());
    }

    #[test]
    fn a_listener_that_does_not_read_is_cut_off_after_what_it_was_promised() {
        let (hub, owner) = (Hub::default(), Owner::anonymous());
        let mut slow = hub.listen(&owner, "t");
        for _ in 0..=MAX_BACKLOG {
            hub.publish(&owner, "t", 1, &[event("t")]);
        }
        for _ in 0..MAX_BACKLOG {
            assert!(matches!(slow.next().now_or_never(), Some(Some(Ok(_)))));
        }
        assert!(matches!(slow.next().now_or_never(), Some(Some(Err(StoreError::Unavailable(_))))));
    }
}
