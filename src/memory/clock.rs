//! A clock that a test winds.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::ports::{Clock, Timestamp};

/// Stands still until it is told to go on. Clones show the same time.
#[derive(Debug, Clone, Default)]
pub struct ManualClock(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    now: Cell<u64>,
    sleepers: RefCell<Vec<Rc<Sleeper>>>,
}

#[derive(Debug)]
struct Sleeper {
    until: u64,
    waker: RefCell<Option<Waker>>,
}

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn new(now: Timestamp) -> Self {
        let clock = Self::default();
        clock.0.now.set(now.0);
        clock
    }

    /// Lets `duration` pass. Whoever slept until then, or less long, is woken.
    pub fn advance(&self, duration: Duration) {
        self.set(self.now().after(duration).0);
    }

    /// How many sleep.
    pub fn sleepers(&self) -> usize {
        self.0.sleepers.borrow().len()
    }

    /// Runs `future` to its end; whenever it stands still, time passes until the next sleeper wakes.
    ///
    /// `None` if it stands still with nobody asleep: it waits for something that is not time.
    pub fn run<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Some(output);
            }
            if woken.0.swap(false, Ordering::Relaxed) {
                continue;
            }
            let next = self.0.sleepers.borrow().iter().map(|sleeper| sleeper.until).min()?;
            self.set(next);
            woken.0.store(false, Ordering::Relaxed);
        }
    }

    fn set(&self, now: u64) {
        self.0.now.set(now);
        let mut due = Vec::new();
        self.0.sleepers.borrow_mut().retain(|sleeper| {
            let asleep = sleeper.until > now;
            if !asleep {
                due.push(Rc::clone(sleeper));
            }
            asleep
        });
        // With the list released: a waker may put somebody new to sleep.
        for sleeper in due {
            if let Some(waker) = sleeper.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.now.get())
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let until = self.now().after(duration).0;
        Sleep { clock: self.clone(), until, sleeper: None }.boxed_local()
    }
}

/// Whether a future may go on without any time passing.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A wait, as it was asked for.
struct Sleep {
    clock: ManualClock,
    until: u64,
    sleeper: Option<Rc<Sleeper>>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.clock.0.now.get() >= self.until {
            return Poll::Ready(());
        }
        if self.sleeper.is_none() {
            let sleeper = Rc::new(Sleeper { until: self.until, waker: RefCell::default() });
            self.clock.0.sleepers.borrow_mut().push(Rc::clone(&sleeper));
            self.sleeper = Some(sleeper);
        }
        if let Some(sleeper) = &self.sleeper {
            sleeper.waker.replace(Some(context.waker().clone()));
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        // An abandoned wait must not hold back `run`.
        if let Some(sleeper) = self.sleeper.take() {
            self.clock.0.sleepers.borrow_mut().retain(|other| !Rc::ptr_eq(other, &sleeper));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_000);

    #[test]
    fn sleepers_wake_when_their_time_has_come_and_not_before() {
        let clock = ManualClock::new(START);
        let mut sleep = clock.sleep(Duration::from_millis(50));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(sleep.poll_unpin(&mut context), Poll::Pending);
        clock.advance(Duration::from_millis(49));
        assert_eq!(sleep.poll_unpin(&mut context), Poll::Pending);
        assert_eq!(clock.sleepers(), 1);
        clock.advance(Duration::from_millis(1));
        assert_eq!(sleep.poll_unpin(&mut context), Poll::Ready(()));
        assert_eq!(clock.sleepers(), 0);
    }

    #[test]
    fn run_lets_exactly_the_time_pass_that_is_slept() {
        let clock = ManualClock::new(START);
        let both = async {
            let short = clock.sleep(Duration::from_millis(20));
            let long = clock.sleep(Duration::from_millis(70));
            futures_util::future::join(short, long).await;
            clock.now()
        };
        assert_eq!(clock.run(both), Some(Timestamp(1_070)));
    }

    #[test]
    fn run_says_when_nothing_will_happen() {
        let clock = ManualClock::new(START);
        assert_eq!(clock.run(std::future::pending::<()>()), None);
    }

    #[test]
    fn an_abandoned_sleep_is_forgotten() {
        let clock = ManualClock::new(START);
        let quick = async {
            let slow = clock.sleep(Duration::from_secs(60));
            futures_util::future::select(slow, clock.sleep(Duration::from_millis(5))).await;
        };
        clock.run(quick);
        assert_eq!(clock.sleepers(), 0);
        assert_eq!(clock.now(), Timestamp(1_005));
    }

    #[test]
    fn clones_show_the_same_time() {
        let clock = ManualClock::new(START);
        clock.clone().advance(Duration::from_secs(1));
        assert_eq!(clock.now(), Timestamp(2_000));
    }
}
