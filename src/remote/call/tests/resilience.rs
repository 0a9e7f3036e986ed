//! Retries, breakers and fallbacks, on a timeline.

use super::origin::{Answer, Origin, Piece, Script, error, result, task};
use super::*;
use crate::ports::FetchError;

fn down() -> Script {
    Answer::new(503, "text/plain", "down").into()
}

fn unreachable() -> Script {
    Script::Fails(FetchError::Unreachable("refused".into()))
}

fn give_up_after_a_second(setting: &Setting) {
    let (params, service) = (json!({"id": "t1"}), Service::default());
    let call = Call { operation: Operation::GetTask, params: &params, service: &service, watch: None };
    let call = Box::pin(setting.caller.unary(call));
    setting.clock.run(futures_util::future::select(call, setting.clock.sleep(seconds(1)))).unwrap();
}

#[test]
fn a_failing_agent_is_asked_four_times_with_growing_waits() {
    let setting = Setting::new(Binding::JsonRpc, Origin::new([down()]));
    let error = setting.get_task().unwrap_err();
    assert_eq!(error.http_status(), Some(503));
    assert_eq!(setting.origin.hosts(), "a0 a0 a0 a0");
    let times: Vec<u64> = setting.origin.seen().iter().map(|(time, _)| time.0 - START.0).collect();
    let waits: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits[0] <= 200 && waits[1] <= 400 && waits[2] <= 800, "{waits:?}");
    assert_eq!(
        setting.notes(),
        [
            "0: attempt 1",
            "0: retry",
            "0: attempt 2",
            "0: retry",
            "0: attempt 3",
            "0: retry",
            "0: attempt 4",
            "0: Exhausted"
        ]
    );
}

#[test]
fn a_disturbance_is_ridden_out() {
    for trouble in [down(), unreachable(), error(-32603).into(), Script::Fails(FetchError::CutShort("x".into()))] {
        let setting = Setting::new(Binding::JsonRpc, Origin::new([trouble.clone(), trouble, task().into()]));
        assert!(setting.get_task().is_ok());
        assert_eq!(setting.origin.seen().len(), 3);
    }
}

#[test]
fn a_message_is_sent_once_unless_it_never_left_or_retries_are_on() {
    let sent = |trouble: Script, sends: bool| {
        let origin = Origin::new([trouble, result(r#"{"task":{"id":"t1","status":{"state":1}}}"#).into()]);
        let setting = Setting::with(Binding::JsonRpc, origin, 0, |policy| policy.retry.sends = sends);
        (setting.send().is_ok(), setting.origin.seen().len())
    };
    assert_eq!(sent(down(), false), (false, 1));
    assert_eq!(sent(Script::Fails(FetchError::CutShort("x".into())), false), (false, 1));
    assert_eq!(sent(unreachable(), false), (true, 2));
    assert_eq!(sent(down(), true), (true, 2));
}

#[test]
fn what_will_not_change_is_asked_once() {
    for answer in [error(-32001), error(-32602), error(-32006), result("7")] {
        let setting = Setting::with(Binding::JsonRpc, Origin::new([answer]).and("a1.example", [task()]), 1, |_| {});
        assert!(setting.get_task().is_err());
        assert_eq!(setting.origin.hosts(), "a0");
    }
}

#[test]
fn retry_after_is_kept_to_and_the_deadline_is_not_passed() {
    let asks = |seconds: &str| Answer::new(503, "text/plain", "").header("Retry-After", seconds);
    let setting = Setting::new(Binding::JsonRpc, Origin::new([asks("10"), task()]));
    assert!(setting.get_task().is_ok());
    assert!(setting.elapsed() >= seconds(10) && setting.elapsed() < seconds(11));
    // 61 s would be behind the deadline of 60: the caller is told at once, with the agent's advice.
    let setting = Setting::new(Binding::JsonRpc, Origin::new([asks("61"), task()]));
    assert_eq!(setting.get_task().unwrap_err().retry_after(), Some(seconds(61)));
    assert_eq!((setting.elapsed(), setting.origin.seen().len()), (seconds(0), 1));
}

#[test]
fn all_attempts_together_end_with_the_deadline() {
    let hanging = || [Script::Hangs];
    let origin = Origin::new(hanging()).and("a1.example", hanging()).and("a2.example", hanging());
    let setting = Setting::with(Binding::JsonRpc, origin, 2, |policy| policy.total = seconds(70));
    let error = setting.get_task().unwrap_err();
    assert_eq!(error.reason(), Some("ORIGIN_TIMEOUT"));
    assert_eq!(setting.elapsed(), seconds(70));
    assert_eq!(setting.origin.hosts(), "a0 a1 a2");
    assert_eq!(setting.origin.open(), 0);
}

#[test]
fn an_agent_that_hangs_leaves_time_for_the_next() {
    let origin = || Origin::new([Script::Hangs]).and("a1.example", [task()]);
    let setting = Setting::with(Binding::JsonRpc, origin(), 1, |policy| policy.head_timeout = policy.total);
    assert!(setting.get_task().is_ok());
    assert_eq!((setting.origin.hosts().as_str(), setting.elapsed()), ("a0 a1", seconds(30)));
    // What it may have done must not be done by another.
    let setting = Setting::with(Binding::JsonRpc, origin(), 1, |policy| policy.head_timeout = policy.total);
    assert!(setting.send().is_err());
    assert_eq!((setting.origin.hosts().as_str(), setting.elapsed()), ("a0", seconds(60)));
}

#[test]
fn an_agent_that_cannot_be_reached_leaves_time_for_the_next_whatever_is_asked() {
    let swallows = Script::FailsAfter(10_000, FetchError::Unreachable("no answer to SYN".into()));
    let answers = || [result(r#"{"task":{"id":"t1","status":{"state":1}}}"#)];
    let origin = Origin::new([swallows]).and("a1.example", answers());
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.total = seconds(30));
    assert!(setting.send().is_ok());
    assert!(setting.elapsed() < seconds(22), "{:?}", setting.elapsed());
    // One that has it has all the time.
    let slow = Script::Answers(25_000, answers()[0].clone());
    let origin = Origin::new([slow]).and("a1.example", answers());
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.total = seconds(30));
    assert!(setting.send().is_ok());
    assert_eq!((setting.origin.hosts().as_str(), setting.elapsed()), ("a0", seconds(25)));
}

#[test]
fn what_an_agent_said_is_not_hidden_by_the_deadline() {
    let busy = Script::Answers(100, Answer::new(503, "text/plain", "the database is away"));
    let setting = Setting::with(Binding::JsonRpc, Origin::new([busy, Script::Hangs]), 0, |policy| {
        policy.total = Duration::from_millis(400);
    });
    let error = setting.get_task().unwrap_err();
    assert_eq!((error.http_status(), error.message()), (Some(503), "the database is away"));
    assert_eq!(setting.elapsed(), Duration::from_millis(400));
}

#[test]
fn an_agent_that_asks_for_long_is_left_for_the_next() {
    let busy = || Answer::new(503, "text/plain", "").header("Retry-After", "6");
    let setting = Setting::with(Binding::JsonRpc, Origin::new([busy()]).and("a1.example", [task()]), 1, |_| {});
    assert!(setting.get_task().is_ok());
    assert_eq!((setting.origin.hosts().as_str(), setting.elapsed()), ("a0 a1", seconds(0)));
    assert_eq!(setting.notes(), ["0: attempt 1", "0: AskedToWait", "1: attempt 1"]);
    // One that is left alone itself is none to leave for.
    let asks = || Answer::new(429, "text/plain", "").header("Retry-After", "6");
    let origin = Origin::new([asks(), asks(), task()]).and("a1.example", [down()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| {
        policy.breaker = BreakerPolicy { failures: 1, open_for: seconds(60) };
        policy.retry.max_retries = 1;
    });
    assert!(setting.get_task().is_err());
    assert!(setting.get_task().is_ok());
    assert_eq!(setting.origin.hosts(), "a0 a1 a0 a0");
    // The last one is waited for.
    let origin = Origin::new([down()]).and("a1.example", [busy(), task()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.retry.max_retries = 1);
    assert!(setting.get_task().is_ok());
    assert_eq!(setting.origin.hosts(), "a0 a0 a1 a1");
}

#[test]
fn of_two_lines_of_advice_the_longer_counts() {
    let busy = Answer::new(503, "text/plain", "").header("Retry-After", "2").header("retry-after", "90");
    let setting = Setting::new(Binding::JsonRpc, Origin::new([busy]));
    assert_eq!(setting.get_task().unwrap_err().retry_after(), Some(seconds(90)));
}

#[test]
fn an_error_whose_body_hangs_is_told_by_its_status() {
    let hanging = Answer::new(503, "application/json", "{\"error\"").piece(Piece::Stalls);
    let setting = Setting::new(Binding::JsonRpc, Origin::new([Script::from(hanging), task().into()]));
    assert!(setting.get_task().is_ok());
    assert!(setting.elapsed() < seconds(6), "{:?}", setting.elapsed());
}

#[test]
fn the_breaker_opens_probes_and_closes() {
    let scripts = [down(), down(), down(), task().into()];
    let setting = Setting::with(Binding::JsonRpc, Origin::new(scripts), 0, |policy| {
        policy.retry = RetryPolicy::NONE;
        policy.breaker = BreakerPolicy { failures: 2, open_for: seconds(10) };
    });
    let reason = || setting.get_task().err().map(|error| error.reason().map(str::to_owned));
    assert_eq!((reason(), reason()), (Some(None), Some(None)));
    // Open: nothing is sent, and the caller is told for how long.
    let error = setting.get_task().unwrap_err();
    assert_eq!((error.reason(), error.retry_after()), (Some("ORIGIN_CIRCUIT_OPEN"), Some(seconds(10))));
    assert_eq!(setting.origin.seen().len(), 2);
    // A probe fails, and the pause starts anew.
    setting.clock.advance(seconds(10));
    assert_eq!(reason(), Some(None));
    assert_eq!(reason(), Some(Some("ORIGIN_CIRCUIT_OPEN".to_owned())));
    assert_eq!(setting.origin.seen().len(), 3);
    // The next succeeds.
    setting.clock.advance(seconds(10));
    assert!(setting.get_task().is_ok() && setting.get_task().is_ok());
}

#[test]
fn errors_of_requests_do_not_open_the_breaker() {
    let under_502 = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"gone"}}"#;
    for answer in [
        error(-32001),
        error(-32603),
        Answer::new(429, "text/plain", ""),
        result("7"),
        Answer::new(502, "application/json", under_502),
    ] {
        let setting = Setting::with(Binding::JsonRpc, Origin::new([answer]), 0, |policy| {
            policy.retry = RetryPolicy::NONE;
            policy.breaker = BreakerPolicy { failures: 1, open_for: seconds(10) };
        });
        assert!(setting.get_task().is_err() && setting.get_task().is_err());
        assert_eq!(setting.origin.seen().len(), 2);
    }
}

#[test]
fn the_error_that_opened_the_breaker_is_told_not_that_it_is_open() {
    let setting = Setting::with(Binding::JsonRpc, Origin::new([down()]), 0, |policy| {
        policy.breaker = BreakerPolicy { failures: 2, open_for: seconds(10) };
    });
    assert_eq!(setting.get_task().unwrap_err().http_status(), Some(503));
    assert_eq!(setting.notes(), ["0: attempt 1", "0: retry", "0: attempt 2", "0: retry", "0: open"]);
}

#[test]
fn fallbacks_are_asked_in_their_order() {
    let origin = Origin::new([down()]).and("a1.example", [unreachable()]).and("a2.example", [task()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 2, |policy| policy.retry = RetryPolicy::NONE);
    assert!(setting.get_task().is_ok());
    assert_eq!(setting.origin.hosts(), "a0 a1 a2");
    assert_eq!(setting.notes(), ["0: attempt 1", "0: Exhausted", "1: attempt 1", "1: Exhausted", "2: attempt 1"]);
}

#[test]
fn a_message_falls_back_only_if_it_never_left() {
    let sent = |trouble: Script| {
        let origin = Origin::new([trouble]).and("a1.example", [result(r#"{"task":{"id":"t","status":{"state":1}}}"#)]);
        let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.retry = RetryPolicy::NONE);
        (setting.send().is_ok(), setting.origin.hosts())
    };
    assert_eq!(sent(unreachable()), (true, "a0 a1".to_owned()));
    assert_eq!(sent(down()), (false, "a0".to_owned()));
}

#[test]
fn an_open_breaker_leads_straight_to_the_fallback() {
    let origin = Origin::new([down()]).and("a1.example", [task()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| {
        policy.retry = RetryPolicy::NONE;
        policy.breaker = BreakerPolicy { failures: 1, open_for: seconds(10) };
    });
    assert!(setting.get_task().is_ok() && setting.get_task().is_ok());
    assert_eq!(setting.origin.hosts(), "a0 a1 a1");
}

#[test]
fn a_stand_in_that_does_not_know_the_task_does_not_hide_the_trouble() {
    let origin = Origin::new([down()]).and("a1.example", [error(-32001)]);
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.retry = RetryPolicy::NONE);
    assert_eq!(setting.get_task().unwrap_err().http_status(), Some(503));
    assert_eq!(setting.origin.hosts(), "a0 a1");
}

#[test]
fn a_stand_in_that_has_nothing_to_say_leaves_it_to_the_next() {
    for nothing in [error(-32001), Answer::new(200, "text/html", "<html>"), result("7")] {
        let origin =
            || Origin::new([down()]).and("a1.example", [nothing.clone()]).and("a2.example", [task(), error(-32001)]);
        let setting = Setting::with(Binding::JsonRpc, origin(), 2, |policy| policy.retry = RetryPolicy::NONE);
        assert!(setting.get_task().is_ok());
        assert_eq!(setting.origin.hosts(), "a0 a1 a2");
        assert_eq!(setting.get_task().unwrap_err().http_status(), Some(503), "what the first said is told");
        // But what may have been done is not done again, nor by a caller who believes that it was not sent.
        let setting = Setting::with(
            Binding::JsonRpc,
            Origin::new([unreachable()]).and("a1.example", [nothing.clone()]).and("a2.example", [task()]),
            2,
            |policy| policy.retry = RetryPolicy::NONE,
        );
        let error = setting.send().unwrap_err();
        assert_eq!((setting.origin.hosts().as_str(), error.was_not_sent()), ("a0 a1", false));
    }
}

#[test]
fn what_was_sent_once_was_sent_whatever_comes_later() {
    let reset = Script::Fails(FetchError::CutShort("reset".into()));
    let setting = Setting::new(Binding::JsonRpc, Origin::new([reset.clone(), unreachable()]));
    let error = setting.get_task().unwrap_err();
    assert_eq!((error.reason(), error.was_not_sent()), (Some("ORIGIN_UNAVAILABLE"), false));
    let setting =
        Setting::with(Binding::JsonRpc, Origin::new([reset]).and("a1.example", [unreachable()]), 1, |policy| {
            policy.retry = RetryPolicy::NONE;
        });
    assert!(!setting.get_task().unwrap_err().was_not_sent());
    let setting =
        Setting::with(Binding::JsonRpc, Origin::new([unreachable()]).and("a1.example", [unreachable()]), 1, |_| {});
    assert!(setting.send().unwrap_err().was_not_sent());
}

#[test]
fn an_agent_that_has_begun_to_answer_was_reached() {
    let lost = Piece::Fails(FetchError::Unreachable("EHOSTUNREACH".into()));
    for answer in [
        Answer::new(200, "application/json", "{").piece(lost.clone()),
        Answer::new(200, "text/event-stream", "").piece(lost),
    ] {
        let setting = Setting::new(Binding::JsonRpc, Origin::new([answer]));
        let error = setting.send().unwrap_err();
        assert_eq!((setting.origin.seen().len(), error.was_not_sent()), (1, false));
        assert_eq!(error.cause(), &Cause::Transport(TransportFault::CutShort));
        let (_, error) = setting.events();
        assert!(!error.unwrap().was_not_sent());
    }
}

#[test]
fn a_stand_in_that_is_not_there_does_not_hide_what_was_said() {
    let origin = Origin::new([down()]).and("a1.example", [unreachable()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 1, |policy| policy.retry = RetryPolicy::NONE);
    let error = setting.get_task().unwrap_err();
    assert_eq!((error.http_status(), error.was_not_sent()), (Some(503), false));
}

#[test]
fn a_probe_that_its_caller_gives_up_shuts_nobody_out() {
    let scripts = [down(), Script::Hangs, task().into()];
    let setting = Setting::with(Binding::JsonRpc, Origin::new(scripts), 0, |policy| {
        policy.retry = RetryPolicy::NONE;
        policy.breaker = BreakerPolicy { failures: 1, open_for: seconds(10) };
    });
    assert!(setting.get_task().is_err());
    setting.clock.advance(seconds(10));
    give_up_after_a_second(&setting);
    assert!(setting.get_task().is_ok());
}

#[test]
fn the_budget_keeps_retries_to_a_share_of_the_traffic() {
    let setting = Setting::with(Binding::JsonRpc, Origin::new([error(-32603)]), 0, |_| {});
    for _ in 0..100 {
        assert!(setting.get_task().is_err());
    }
    // A full bucket of ten, and a tenth of what was asked.
    assert!((100..=120).contains(&setting.origin.seen().len()), "{}", setting.origin.seen().len());
}

#[test]
fn a_call_that_is_given_up_leaves_nothing_behind() {
    let hangs = Answer::new(200, "application/json", "{").piece(Piece::Stalls);
    let setting = Setting::new(Binding::JsonRpc, Origin::new([hangs]));
    give_up_after_a_second(&setting);
    assert_eq!((setting.origin.open(), setting.clock.sleepers(), setting.elapsed()), (0, 0, seconds(1)));
}

#[test]
fn an_error_is_read_whole_however_much_it_repeats_of_its_request() {
    let input = "x".repeat(100_000);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":-32001,"message":"m","data":[{{"input":"{input}"}}]}}}}"#
    );
    let setting = Setting::new(Binding::JsonRpc, Origin::new([Answer::new(500, "application/json", &body)]));
    let error = setting.get_task().unwrap_err();
    assert_eq!((error.kind(), error.details().len()), (ErrorKind::TaskNotFound, 1));
}
