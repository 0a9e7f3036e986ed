//! Background work that a test drives.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Waker};

use futures_util::future::LocalBoxFuture;

use crate::ports::Background;

/// Keeps background work until it is asked to go on with it. Clones share the work.
#[derive(Clone, Default)]
pub struct ManualBackground(Rc<RefCell<Vec<LocalBoxFuture<'static, ()>>>>);

impl ManualBackground {
    /// Takes all work as far as it gets without anything else happening. Returns how much is not done.
    pub fn advance(&self) -> usize {
        let mut going = std::mem::take(&mut *self.0.borrow_mut());
        going.retain_mut(|work| work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        // With the list released: work may bring more of it.
        self.0.borrow_mut().append(&mut going);
        self.0.borrow().len()
    }
}

impl Background for ManualBackground {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        self.0.borrow_mut().push(work);
    }
}

impl std::fmt::Debug for ManualBackground {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ManualBackground").field(&self.0.borrow().len()).finish()
    }
}
