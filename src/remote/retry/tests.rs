//! The retry table of the second seed, and what must hold whatever happens.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::memory::SeededRandom;
use crate::protocol::operation::Operation;
use crate::remote::tests::{head, jsonrpc_error, receive, rest_error};
use crate::remote::{Binding, TransportFault};

const NOW: Timestamp = Timestamp(1_000_000);
const LATE: Timestamp = Timestamp(1_000_000 + 60_000);

/// Chance that always says the same.
struct Always(u64);

impl Random for Always {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.to_le_bytes());
    }
}

fn failed(error: &RemoteError, attempts: u32) -> Failed<'_> {
    Failed { attempts, error, is_idempotent: true, has_stand_in: false, now: NOW, deadline: LATE }
}

fn decide(failed: &Failed<'_>) -> Decision {
    RetryPolicy::DEFAULT.decide(failed, &mut Budget::default(), &Always(u64::MAX))
}

fn retries(error: &RemoteError) -> bool {
    matches!(decide(&failed(error, 1)), Decision::RetryAfter(_))
}

#[test]
fn the_table_of_the_seed() {
    for (code, is_retried) in [
        (-32700, false),
        (-32600, false),
        (-32601, false),
        (-32602, false),
        (-32603, true),
        (-32001, false),
        (-32002, false),
        (-32003, false),
        (-32004, false),
        (-32005, false),
        (-32006, false),
        (-32007, false),
        (-32008, false),
        (-32009, false),
        (-32000, false),
    ] {
        let error = jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"}}"#));
        assert_eq!(retries(&error), is_retried, "{code}");
    }
}

#[test]
fn statuses_and_faults_of_the_transport() {
    for (status, is_retried) in [
        (400, false),
        (401, false),
        (404, false),
        (408, true),
        (413, false),
        (425, true),
        (429, true),
        (500, true),
        (501, false),
        (502, true),
        (503, true),
        (504, true),
        (507, false),
        (519, false),
        (520, true),
        (522, true),
        (530, true),
        (531, false),
    ] {
        assert_eq!(retries(&rest_error(status, "text/plain", "x")), is_retried, "{status}");
    }
    for fault in [TransportFault::Unreachable, TransportFault::TimedOut, TransportFault::CutShort] {
        assert!(retries(&RemoteError::transport(Binding::Rest, fault)));
    }
    let junk = receive(Binding::Rest, Operation::GetTask, &head(200, "text/html"), "<html>").unwrap_err();
    assert_eq!(decide(&failed(&junk, 1)), Decision::GiveUp(GiveUp::Permanent));
}

#[test]
fn waits_double_up_to_the_cap_and_have_full_jitter() {
    let error = jsonrpc_error(r#"{"code":-32603,"message":"m"}"#);
    let policy = RetryPolicy { max_retries: 20, cap: Duration::from_millis(1000), ..RetryPolicy::DEFAULT };
    // `n` modulo (bound + 1): the bound itself at most.
    let wait = |attempts: u32, n: u64| policy.decide(&failed(&error, attempts), &mut Budget::default(), &Always(n));
    for (attempts, bound) in [(1, 200), (2, 400), (3, 800), (4, 1000), (5, 1000), (20, 1000)] {
        for (n, millis) in [(0, 0), (bound, bound), (bound + 1, 0), (7, 7)] {
            assert_eq!(wait(attempts, n), Decision::RetryAfter(Duration::from_millis(millis)), "{attempts} {n}");
        }
    }
}

#[test]
fn an_agent_that_asks_for_time_gets_it_unless_the_deadline_is_sooner() {
    let error = |seconds: u32| {
        jsonrpc_error(&format!(
            r#"{{"code":-32603,"message":"m","data":[{{"@type":"x/google.rpc.RetryInfo","retryDelay":"{seconds}s"}}]}}"#
        ))
    };
    assert_eq!(decide(&failed(&error(10), 1)), Decision::RetryAfter(Duration::from_secs(10)));
    assert_eq!(decide(&failed(&error(59), 1)), Decision::RetryAfter(Duration::from_secs(59)));
    assert_eq!(decide(&failed(&error(60), 1)), Decision::GiveUp(GiveUp::Deadline));
    let at_once = error(0);
    let late = Failed { deadline: NOW, ..failed(&at_once, 1) };
    assert_eq!(decide(&late), Decision::GiveUp(GiveUp::Deadline));
    // Not for longer than the cap while somebody else can be asked.
    let asks = |seconds| decide(&Failed { has_stand_in: true, ..failed(&error(seconds), 1) });
    assert_eq!(asks(5), Decision::RetryAfter(Duration::from_secs(5)));
    assert_eq!(asks(6), Decision::GiveUp(GiveUp::AskedToWait));
}

#[test]
fn three_retries_and_no_more() {
    let error = jsonrpc_error(r#"{"code":-32603,"message":"m"}"#);
    assert!(matches!(decide(&failed(&error, 3)), Decision::RetryAfter(_)));
    assert_eq!(decide(&failed(&error, 4)), Decision::GiveUp(GiveUp::Exhausted));
    let none = RetryPolicy::NONE.decide(&failed(&error, 1), &mut Budget::default(), &Always(0));
    assert_eq!(none, Decision::GiveUp(GiveUp::Exhausted));
}

#[test]
fn what_might_be_done_twice_is_sent_again_only_if_that_was_asked_for_or_it_never_left() {
    let error = jsonrpc_error(r#"{"code":-32603,"message":"m"}"#);
    let send = Failed { is_idempotent: false, ..failed(&error, 1) };
    assert_eq!(decide(&send), Decision::GiveUp(GiveUp::NotIdempotent));
    let bold = RetryPolicy { sends: true, ..RetryPolicy::DEFAULT };
    assert!(matches!(bold.decide(&send, &mut Budget::default(), &Always(0)), Decision::RetryAfter(_)));
    let never_left = RemoteError::transport(Binding::Rest, TransportFault::Unreachable);
    assert!(matches!(decide(&Failed { is_idempotent: false, ..failed(&never_left, 1) }), Decision::RetryAfter(_)));
    let lost = RemoteError::transport(Binding::Rest, TransportFault::TimedOut);
    let lost = Failed { is_idempotent: false, ..failed(&lost, 1) };
    assert_eq!(decide(&lost), Decision::GiveUp(GiveUp::NotIdempotent));
}

#[test]
fn an_empty_budget_stops_retries_until_traffic_fills_it() {
    let error = jsonrpc_error(r#"{"code":-32603,"message":"m"}"#);
    let mut budget = Budget::new(2);
    let retry = |budget: &mut Budget| RetryPolicy::DEFAULT.decide(&failed(&error, 1), budget, &Always(0));
    assert!(matches!(retry(&mut budget), Decision::RetryAfter(_)));
    assert!(matches!(retry(&mut budget), Decision::RetryAfter(_)));
    assert_eq!(retry(&mut budget), Decision::GiveUp(GiveUp::Budget));
    (0..9).for_each(|_| budget.deposit());
    assert_eq!(retry(&mut budget), Decision::GiveUp(GiveUp::Budget));
    budget.deposit();
    assert!(matches!(retry(&mut budget), Decision::RetryAfter(_)));
    // A bucket does not run over.
    let mut budget = Budget::new(1);
    (0..1_000).for_each(|_| budget.deposit());
    assert!(budget.withdraw() && !budget.withdraw());
    // A request that is not retried for another reason costs nothing.
    let mut budget = Budget::new(1);
    RetryPolicy::DEFAULT.decide(&failed(&error, 9), &mut budget, &Always(0));
    assert!(budget.withdraw());
}

fn any_error() -> impl Strategy<Value = RemoteError> {
    prop_oneof![
        (-32_800_i32..-31_000, prop::option::of(0_u32..100)).prop_map(|(code, delay)| {
            let data = delay.map_or_else(String::new, |delay| {
                format!(r#","data":[{{"@type":"x/google.rpc.RetryInfo","retryDelay":"{delay}s"}}]"#)
            });
            jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"{data}}}"#))
        }),
        (400_u16..600).prop_map(|status| rest_error(status, "text/plain", "x")),
        Just(RemoteError::transport(Binding::JsonRpc, TransportFault::TimedOut)),
        Just(RemoteError::transport(Binding::Rest, TransportFault::CutShort)),
    ]
}

proptest! {
    /// Whatever fails, and however: a call ends within its deadline and its number of retries, waits as long as it is
    /// asked to, and does nothing twice that must not be done twice.
    #[test]
    fn a_call_is_bounded(
        errors in prop::collection::vec(any_error(), 1..20),
        is_idempotent: bool,
        max_retries in 0_u32..6,
        base in 0_u64..2_000,
        cap in 0_u64..5_000,
        total in 0_u64..120_000,
        seed: u64,
    ) {
        let (base, cap) = (Duration::from_millis(base), Duration::from_millis(cap));
        let policy = RetryPolicy { max_retries, base, cap, sends: false };
        let (random, mut budget) = (SeededRandom::new(seed), Budget::default());
        let deadline = Timestamp(NOW.0 + total);
        let (mut now, retries) = (NOW, Cell::new(0));
        for (attempts, error) in (1_u32..).zip(&errors) {
            let failed = Failed { attempts, error, is_idempotent, has_stand_in: false, now, deadline };
            match policy.decide(&failed, &mut budget, &random) {
                Decision::GiveUp(_) => break,
                Decision::RetryAfter(wait) => {
                    retries.set(retries.get() + 1);
                    prop_assert!(error.is_retryable() && (is_idempotent || error.was_not_sent()));
                    let asked = error.retry_after().unwrap_or_default();
                    prop_assert!(wait >= asked && wait <= asked.max(cap));
                    now = Timestamp(now.0 + u64::try_from(wait.as_millis()).unwrap());
                    prop_assert!(now < deadline);
                }
            }
        }
        prop_assert!(retries.get() <= max_retries);
    }

    /// However many requests fail, only so many are sent again.
    #[test]
    fn retries_are_a_tenth_of_the_traffic(requests in 1_u32..2_000, tokens in 0_u32..50) {
        let mut budget = Budget::new(tokens);
        let mut retries = 0;
        for _ in 0..requests {
            budget.deposit();
            retries += u32::from(budget.withdraw());
        }
        prop_assert!(retries <= tokens + requests / 10);
    }
}
