//! Work that moves house: first polled for the caller, later in the background.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Passes wake-ups on to whoever polls the work now.
///
/// A future should take note of the waker of its latest poll, but some keep that of the first (`worker::Delay` does), so
/// work that may move must be polled with one and the same waker from the first time on.
#[derive(Debug, Default)]
struct Relay(AtomicWaker);

/// A future that may be polled by one task first and by another later, whatever it is made of.
pub(super) struct Movable<F> {
    work: Pin<Box<F>>,
    relay: Arc<Relay>,
    /// The relay's, of every poll.
    waker: Waker,
}

impl<F> Movable<F> {
    pub(super) fn new(work: F) -> Self {
        let relay = Arc::<Relay>::default();
        Self { work: Box::pin(work), waker: Waker::from(Arc::clone(&relay)), relay }
    }
}

impl<F: Future> Future for Movable<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        this.relay.0.register(cx.waker());
        this.work.as_mut().poll(&mut Context::from_waker(&this.waker))
    }
}

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ready when it is told so; wakes whoever polled it first.
    struct Stubborn(Rc<RefCell<Option<Waker>>>, Rc<Cell<bool>>);

    impl Future for Stubborn {
        type Output = ();

        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            self.0.borrow_mut().get_or_insert_with(|| cx.waker().clone());
            if self.1.get() { Poll::Ready(()) } else { Poll::Pending }
        }
    }

    #[test]
    fn the_waker_of_the_first_poll_wakes_who_polls_later() {
        let (first, done) = (Rc::default(), Rc::default());
        let mut work = Movable::new(Stubborn(Rc::clone(&first), Rc::clone(&done)));
        let (earlier, later) = (Arc::new(Count::default()), Arc::new(Count::default()));
        for who in [&earlier, &later] {
            let waker = Waker::from(Arc::clone(who));
            assert!(Pin::new(&mut work).poll(&mut Context::from_waker(&waker)).is_pending());
        }
        done.set(true);
        first.borrow_mut().take().expect("a waker").wake();
        assert_eq!((earlier.0.load(Ordering::Relaxed), later.0.load(Ordering::Relaxed)), (0, 1));
        assert!(Pin::new(&mut work).poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
}
