//! Answers that come whole: deadlines, sizes, redirects.

use super::origin::{Answer, Origin, Piece, Script, error, result, task};
use super::*;
use crate::ports::FetchError;
use crate::remote::{Cause, Violation};

/// One attempt, whatever comes of it.
fn once(binding: Binding, script: impl Into<Script>) -> Setting {
    Setting::with(binding, Origin::new([script.into()]), 0, |policy| policy.retry = RetryPolicy::NONE)
}

fn transport(error: &RemoteError) -> &TransportFault {
    match error.cause() {
        Cause::Transport(fault) => fault,
        other @ (Cause::Reported | Cause::Invalid(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_result_comes_back_in_both_bindings() {
    let expected = json!({"id": "t1", "status": {"state": "TASK_STATE_WORKING"}});
    let setting = once(Binding::JsonRpc, task());
    assert_eq!(setting.get_task().unwrap(), expected);
    assert_eq!(setting.get_task().unwrap(), expected);
    let bodies: Vec<String> = setting.origin.seen().into_iter().filter_map(|(_, request)| request.body).collect();
    assert!(
        bodies[0].contains(r#""id":"call-1","#) && bodies[1].contains(r#""id":"call-2","#),
        "ids are not used twice"
    );
    let rest = once(Binding::Rest, Answer::new(200, "application/a2a+json", &expected.to_string()));
    assert_eq!(rest.get_task().unwrap(), expected);
    assert_eq!(rest.origin.seen()[0].1.url, "https://a0.example/rpc/tasks/t1");
}

#[test]
fn pieces_are_put_together() {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"id":"é","status":{"state":1}}}"#.replace("$ID", "\"call-1\"");
    let mut answer = Answer::new(200, "application/json", "");
    for byte in body.bytes() {
        answer = answer.piece(Piece::Bytes(vec![byte]));
    }
    assert_eq!(once(Binding::JsonRpc, answer).get_task().unwrap()["id"], "é");
}

#[test]
fn an_agent_that_is_late_or_dead() {
    for (script, fault, elapsed) in [
        (Script::Fails(FetchError::Unreachable("os error 104".into())), TransportFault::Unreachable, 0),
        (Script::Fails(FetchError::CutShort("os error 104".into())), TransportFault::NoAnswer, 0),
        (Script::Fails(FetchError::TimedOut), TransportFault::TimedOut, 0),
        (Script::Hangs, TransportFault::TimedOut, 30),
        (Script::Answers(30_001, task()), TransportFault::TimedOut, 30),
        (Answer::new(200, "application/json", "{").piece(Piece::Breaks).into(), TransportFault::CutShort, 0),
        (Answer::new(200, "application/json", "").piece(Piece::Stalls).into(), TransportFault::TimedOut, 60),
        (
            Answer::new(200, "application/json", "{")
                .piece(Piece::Wait(59_000))
                .text(" ")
                .piece(Piece::Wait(1_001))
                .into(),
            TransportFault::TimedOut,
            60,
        ),
    ] {
        let setting = once(Binding::JsonRpc, script);
        let error = setting.get_task().unwrap_err();
        assert_eq!(transport(&error), &fault);
        // What the platform says is for the log alone, and there it is.
        if let Some(said) = error.platform_message() {
            let passed = error.to_protocol_error(None);
            assert!(!passed.message().contains(said));
            assert!(passed.log_source().unwrap().to_string().ends_with(said));
        }
        assert_eq!(setting.elapsed(), seconds(elapsed));
        assert_eq!(setting.origin.open(), 0, "nothing is left open");
        assert_eq!(setting.clock.sleepers(), 0);
    }
    assert!(once(Binding::JsonRpc, Script::Answers(29_999, task())).get_task().is_ok());
}

#[test]
fn an_answer_that_is_too_large_is_not_read_to_its_end() {
    let limit = CallPolicy::DEFAULT.max_response_bytes;
    let too_large = Cause::Invalid(Violation::TooLarge { limit });
    let announced = task().header("Content-Length", "20000000");
    let mut endless = Answer::new(200, "application/json", "");
    for _ in 0..100 {
        endless = endless.piece(Piece::Bytes(vec![b' '; 65_536]));
    }
    let endless = endless.piece(Piece::Stalls);
    for answer in [announced, endless] {
        let setting = once(Binding::JsonRpc, answer);
        let error = setting.get_task().unwrap_err();
        assert_eq!((error.cause(), error.http_status()), (&too_large, Some(200)));
        assert_eq!((setting.origin.open(), setting.elapsed()), (0, seconds(0)));
    }
    let body = format!("{}{{", " ".repeat(limit));
    let error = once(Binding::JsonRpc, Answer::new(200, "application/json", &body)).get_task().unwrap_err();
    assert_eq!(error.cause(), &too_large);
    let platforms = once(Binding::Rest, Script::Fails(FetchError::TooLarge)).get_task().unwrap_err();
    assert_eq!(platforms.cause(), &too_large);
}

#[test]
fn an_error_counts_by_its_status_whatever_becomes_of_its_body() {
    let page =
        Answer::new(503, "text/html", "<html>").header("Retry-After", "7").header("Content-Length", "9999999999");
    for answer in
        [page.clone().piece(Piece::Breaks), page.clone().piece(Piece::Stalls), page.text(&"x".repeat(1 << 21))]
    {
        let setting = once(Binding::Rest, answer);
        let error = setting.get_task().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 503 });
        assert_eq!(error.retry_after(), Some(seconds(7)));
        assert_eq!(setting.origin.open(), 0);
    }
}

#[test]
fn errors_of_the_agent_are_its_own() {
    let error = once(Binding::JsonRpc, error(-32001)).get_task().unwrap_err();
    assert_eq!((error.kind(), error.cause()), (ErrorKind::TaskNotFound, &Cause::Reported));
    let error = once(Binding::JsonRpc, result("7")).get_task().unwrap_err();
    assert!(matches!(error.cause(), Cause::Invalid(Violation::Schema(_))));
}

#[test]
fn redirects_do_not_buy_time() {
    let redirect = |to: &str| Script::Answers(20_000, Answer::new(307, "", "").header("Location", to));
    let origin = Origin::new([redirect("/a"), redirect("/b"), task().into()]);
    let setting = Setting::with(Binding::JsonRpc, origin, 0, |policy| policy.retry = RetryPolicy::NONE);
    assert_eq!(transport(&setting.get_task().unwrap_err()), &TransportFault::TimedOut);
    assert_eq!(setting.elapsed(), seconds(30));
}

#[test]
fn redirects_are_followed_within_the_origin_alone() {
    let redirect = |location: &str| Answer::new(307, "text/html", "").header("Location", location);
    let setting = Setting::new(Binding::JsonRpc, Origin::new([redirect("/rpc/"), task()]));
    assert!(setting.get_task().is_ok());
    let seen = setting.origin.seen();
    assert_eq!((seen[1].1.url.as_str(), &seen[1].1.body), ("https://a0.example/rpc/", &seen[0].1.body));
    for (location, requests) in [("https://b.example/rpc", 1), ("/rpc/x", 4)] {
        // The second goes back and forth.
        let scripts = [redirect(location), redirect("/rpc"), redirect(location), redirect("/rpc")];
        let setting = Setting::new(Binding::JsonRpc, Origin::new(scripts));
        assert_eq!(setting.get_task().unwrap_err().cause(), &Cause::Invalid(Violation::Redirect));
        assert_eq!(setting.origin.seen().len(), requests);
    }
}
