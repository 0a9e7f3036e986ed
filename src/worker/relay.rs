//! A waker for work that moves house: first polled in the call that brings it, later from a promise.

use std::sync::Arc;
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

/// Passes wake-ups on to whoever polls the work now.
///
/// A future should take note of the waker of its latest poll, but some keep that of the first (`worker::Delay` does), so
/// the work must be polled with one and the same waker from the first time on.
#[derive(Debug, Default)]
pub(super) struct Relay(AtomicWaker);

impl Relay {
    /// Wake-ups go to `waker` from now on. Those before this call are lost, so poll after it.
    pub(super) fn forward_to(&self, waker: &Waker) {
        self.0.register(waker);
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_waker_of_the_first_poll_wakes_who_polls_later() {
        let relay = Arc::new(Relay::default());
        let first = Waker::from(Arc::clone(&relay));
        first.wake_by_ref();

        let (earlier, later) = (Arc::new(Count::default()), Arc::new(Count::default()));
        relay.forward_to(&Waker::from(Arc::clone(&earlier)));
        relay.forward_to(&Waker::from(Arc::clone(&later)));
        first.wake();
        assert_eq!((earlier.0.load(Ordering::Relaxed), later.0.load(Ordering::Relaxed)), (0, 1));
    }
}
