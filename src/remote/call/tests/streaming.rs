//! Streams, from their beginning to their end.

use super::origin::{Answer, Origin, Piece, Script, error, task};
use super::*;
use crate::remote::{Cause, Violation};

const LATE: Cause = Cause::Transport(TransportFault::TimedOut);

fn stream() -> Answer {
    Answer::new(200, "text/event-stream", "")
}

/// A frame of a JSON-RPC stream with a task in this state.
fn event(state: &str) -> String {
    format!(
        "data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"task\":{{\"id\":\"t1\",\"status\":{{\"state\":\"TASK_STATE_{state}\"}}}}}}}}\n\n"
    )
}

fn states(events: &[Value]) -> Vec<&str> {
    let state = |event: &Value| event.pointer("/task/status/state").unwrap().as_str().unwrap().to_owned();
    events.iter().map(|event| state(event).leak().trim_start_matches("TASK_STATE_")).collect()
}

fn read(script: impl Into<Script>) -> (Setting, Vec<Value>, Option<RemoteError>) {
    let setting = Setting::new(Binding::JsonRpc, Origin::new([script.into()]));
    let (events, error) = setting.events();
    assert_eq!((setting.origin.open(), setting.clock.sleepers()), (0, 0), "nothing is left open");
    (setting, events, error)
}

#[test]
fn a_stream_ends_well_in_a_terminal_state_even_if_the_agent_leaves_it_open() {
    for after in [None, Some(Piece::Stalls), Some(Piece::Breaks)] {
        let mut answer = stream().text(&event("SUBMITTED")).text(": x\n\n").text(&event("WORKING"));
        answer = answer.piece(Piece::Wait(5_000)).text(&event("COMPLETED"));
        if let Some(piece) = after {
            answer = answer.piece(piece);
        }
        let (setting, events, error) = read(answer);
        assert_eq!(states(&events), ["SUBMITTED", "WORKING", "COMPLETED"]);
        assert_eq!((error, setting.elapsed()), (None, seconds(5)));
        assert_eq!(setting.origin.seen().len(), 1);
    }
}

#[test]
fn a_stream_that_is_late_twice_has_no_more_time_to_begin_than_any_call() {
    for answer in [stream().piece(Piece::Stalls), stream().text(": x\n\n").piece(Piece::Stalls)] {
        let (setting, events, error) = read(Script::Answers(29_000, answer));
        assert_eq!((events.len(), setting.elapsed()), (0, CallPolicy::DEFAULT.total));
        assert_eq!(error.unwrap().cause(), &Cause::Transport(TransportFault::TimedOut));
    }
}

#[test]
fn frames_are_cut_anywhere() {
    let text =
        format!("\u{feff}{}{}", event("WORKING"), event("FAILED")).replace("$ID", "\"call-1\"").replace('\n', "\r\n");
    let mut answer = stream();
    for byte in text.bytes() {
        answer = answer.piece(Piece::Bytes(vec![byte]));
    }
    let (_, events, error) = read(answer);
    assert_eq!((states(&events), error), (vec!["WORKING", "FAILED"], None));
}

#[test]
fn an_end_before_the_task_is_done_is_an_error_and_never_a_clean_end() {
    let cut = Some(&Cause::Transport(TransportFault::CutShort));
    for answer in [
        stream(),
        stream().text(": x\n\n"),
        stream().text(&event("WORKING")),
        stream().text(&event("WORKING")).piece(Piece::Breaks),
        stream().text(&event("WORKING")).text("data: {\"jsonrpc\""),
    ] {
        let (_, events, error) = read(answer);
        assert!(states(&events).iter().all(|state| *state == "WORKING"));
        assert_eq!(error.as_ref().map(RemoteError::cause), cut);
    }
    let (_, _, error) = read(stream().text(&event("WORKING")).piece(Piece::Breaks));
    assert!(error.unwrap().platform_message().is_some(), "what the platform says is kept");
}

#[test]
fn a_task_that_waits_for_its_client_may_end_the_stream_or_go_on() {
    let (_, events, error) = read(stream().text(&event("INPUT_REQUIRED")));
    assert_eq!((states(&events), error), (vec!["INPUT_REQUIRED"], None));
    let artifact = r#"data: {"jsonrpc":"2.0","id":$ID,"result":{"artifactUpdate":{"taskId":"t1","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}}"#;
    let (_, events, error) = read(stream().text(&event("AUTH_REQUIRED")).text(&format!("{artifact}\n\n")));
    assert_eq!((events.len(), error), (2, None));
    let (setting, events, error) = read(stream().text(&event("INPUT_REQUIRED")).piece(Piece::Stalls));
    assert_eq!((states(&events), error, setting.elapsed()), (vec!["INPUT_REQUIRED"], None, seconds(60)));
    let at_its_own = stream().text(&event("INPUT_REQUIRED")).piece(Piece::Fails(crate::ports::FetchError::TimedOut));
    let (_, events, error) = read(at_its_own);
    assert_eq!((states(&events), error), (vec!["INPUT_REQUIRED"], None), "the platform is done waiting");
    let (_, events, error) =
        read(stream().text(&event("INPUT_REQUIRED")).text(&event("WORKING")).text(&event("COMPLETED")));
    assert_eq!((states(&events), error), (vec!["INPUT_REQUIRED", "WORKING", "COMPLETED"], None));
    let (_, _, error) = read(stream().text(&event("INPUT_REQUIRED")).text(&event("WORKING")));
    assert!(error.is_some(), "it went back to work");
}

#[test]
fn an_event_without_its_last_empty_line_counts_if_it_is_whole() {
    let (_, events, error) = read(stream().text(event("COMPLETED").trim_end()));
    assert_eq!((states(&events), error), (vec!["COMPLETED"], None));
    let failed = "event: error\ndata: {\"code\":-32603,\"message\":\"boom\"}";
    let (_, _, error) = read(stream().text(failed));
    assert_eq!(error.map(|error| error.message().to_owned()), Some("boom".to_owned()));
}

#[test]
fn an_error_in_the_stream_ends_it_with_that_error() {
    let failed = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32060,\"message\":\"m\"}}\n\n";
    let (setting, events, error) = read(stream().text(&event("WORKING")).text(failed).text(&event("COMPLETED")));
    assert_eq!((states(&events), error.map(|error| error.code())), (vec!["WORKING"], Some(-32060)));
    assert_eq!(setting.origin.seen().len(), 1, "what has begun is not begun again");
    // A first frame that is an error, under status 200.
    let (_, events, error) = read(stream().text(failed));
    assert_eq!((events.len(), error.map(|error| error.code())), (0, Some(-32060)));
}

#[test]
fn silence_and_endlessness_are_bounded() {
    let late = Some(&LATE);
    let (setting, _, error) = read(stream().text(&event("WORKING")).piece(Piece::Stalls));
    assert_eq!((error.as_ref().map(RemoteError::cause), setting.elapsed()), (late, seconds(60)));
    // Ten seconds before the first event are nothing (symptom 9).
    let (_, _, error) = read(Script::Answers(10_000, stream().piece(Piece::Wait(10_000)).text(&event("COMPLETED"))));
    assert_eq!(error, None);
    // Comments keep a stream alive, but not for ever, and they are no beginning.
    comments_are_late_in_the_end(100, &Piece::Wait(50_000));
}

#[test]
fn a_body_that_is_always_ready_does_not_outlast_its_time() {
    comments_are_late_in_the_end(1_000, &Piece::Takes(20_000));
}

/// Whether so many comments, with this between them, end when a stream has to: one that has begun, or not.
#[track_caller]
fn comments_are_late_in_the_end(count: usize, between: &Piece) {
    for (begun, lasts) in [(stream().text(&event("WORKING")), 3_600), (stream(), 60)] {
        let comments = (0..count).fold(begun, |stream, _| stream.text(": x\n\n").piece(between.clone()));
        let (setting, _, error) = read(comments);
        assert_eq!((error.as_ref().map(RemoteError::cause), setting.elapsed()), (Some(&LATE), seconds(lasts)));
    }
}

#[test]
fn a_stream_that_breaks_before_its_first_event_may_be_asked_for_again() {
    let done = || Script::from(stream().text(&event("COMPLETED")));
    let broken = [
        stream(),
        stream().text(": x\n\n").piece(Piece::Breaks),
        stream().piece(Piece::Stalls),
        stream().text("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32603,\"message\":\"m\"}}\n\n"),
    ];
    for broken in broken {
        let origin = || Origin::new([Script::from(broken.clone()), done()]).and("a1.example", [done()]);
        let setting = Setting::with(Binding::JsonRpc, origin(), 0, |policy| policy.idle = seconds(5));
        let (events, error) = setting.events();
        assert_eq!((states(&events), error, setting.origin.hosts().as_str()), (vec!["COMPLETED"], None, "a0 a0"));
        let setting = Setting::with(Binding::JsonRpc, origin(), 1, |policy| policy.retry = RetryPolicy::NONE);
        let (events, error) = setting.events();
        assert_eq!((states(&events), error, setting.origin.hosts().as_str()), (vec!["COMPLETED"], None, "a0 a1"));
    }
    // The breaker hears of it, too.
    let setting = Setting::with(Binding::JsonRpc, Origin::new([stream().piece(Piece::Breaks)]), 0, |policy| {
        policy.retry = RetryPolicy::NONE;
        policy.breaker = BreakerPolicy { failures: 1, open_for: seconds(10) };
    });
    let reasons = [setting.events().1, setting.events().1].map(|error| error.unwrap().reason().map(str::to_owned));
    assert_eq!(reasons, [Some("ORIGIN_INTERRUPTED".to_owned()), Some("ORIGIN_CIRCUIT_OPEN".to_owned())]);
}

#[test]
fn whoever_asks_after_the_end_is_told_again_that_it_is_over() {
    for answer in [stream().text(&event("COMPLETED")), stream().text(&event("INPUT_REQUIRED"))] {
        let setting = Setting::new(Binding::JsonRpc, Origin::new([answer]));
        let mut events = begun(&setting);
        let mut next = || setting.clock.run(events.next()).unwrap();
        assert!(next().is_some() && next().is_none() && next().is_none() && next().is_none());
    }
}

#[test]
fn an_event_that_is_too_large_ends_the_stream_after_those_before_it() {
    let limit = CallPolicy::DEFAULT.max_response_bytes;
    let huge = format!("{}data: {}", event("WORKING"), "x".repeat(limit + 16));
    let (_, events, error) = read(stream().text(&huge).piece(Piece::Stalls));
    assert_eq!(states(&events), ["WORKING"]);
    assert_eq!(error.as_ref().map(RemoteError::cause), Some(&Cause::Invalid(Violation::TooLarge { limit })));
}

#[test]
fn a_stream_that_does_not_begin_is_an_error_and_may_be_asked_for_again() {
    let busy = Answer::new(503, "text/plain", "busy");
    let setting = Setting::new(Binding::JsonRpc, Origin::new([busy, stream().text(&event("COMPLETED"))]));
    let (events, error) = setting.events();
    assert_eq!((states(&events), error, setting.origin.seen().len()), (vec!["COMPLETED"], None, 2));
    let (_, _, refused) = read(error_answer());
    assert_eq!(refused.map(|error| error.kind()), Some(ErrorKind::UnsupportedOperation));
    let (_, _, whole) = read(task());
    assert!(matches!(whole.unwrap().cause(), Cause::Invalid(_)));
}

/// A stream that has begun.
fn begun(setting: &Setting) -> EventStream {
    let (params, service) = (json!({"id": "t1"}), Service::default());
    let call = Call { operation: Operation::SubscribeToTask, params: &params, service: &service, watch: None };
    setting.clock.run(setting.caller.stream(call)).unwrap().unwrap()
}

fn error_answer() -> Answer {
    error(-32004)
}

#[test]
fn a_stream_that_is_dropped_closes_its_connection() {
    let setting = Setting::new(Binding::JsonRpc, Origin::new([stream().text(&event("WORKING")).piece(Piece::Stalls)]));
    let mut events = begun(&setting);
    assert!(setting.clock.run(events.next()).unwrap().unwrap().is_ok());
    assert_eq!(setting.origin.open(), 1);
    drop(events);
    assert_eq!(setting.origin.open(), 0);
}
