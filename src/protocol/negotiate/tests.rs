use super::*;

const BOTH: (ErrorFormat, &str) = (ErrorFormat::Both, "application/problem+json");
const PROBLEM: (ErrorFormat, &str) = (ErrorFormat::Problem, "application/problem+json");
const STATUS: (ErrorFormat, &str) = (ErrorFormat::Status, "application/a2a+json");
const STATUS_AS_JSON: (ErrorFormat, &str) = (ErrorFormat::Status, "application/json");

/// What `Accept` gives, for errors by default and for successes.
const CASES: &[(&str, (ErrorFormat, &str), &str)] = &[
    // No preference.
    ("", BOTH, A2A_JSON),
    ("*/*", BOTH, A2A_JSON),
    ("application/*", BOTH, A2A_JSON),
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", BOTH, A2A_JSON),
    ("text/html", BOTH, A2A_JSON),
    ("text/event-stream", BOTH, A2A_JSON),
    // One by name.
    ("application/problem+json", PROBLEM, A2A_JSON),
    ("application/a2a+json", STATUS, A2A_JSON),
    ("application/json", STATUS_AS_JSON, JSON),
    ("APPLICATION/Json", STATUS_AS_JSON, JSON),
    ("application/json; charset=utf-8", STATUS_AS_JSON, JSON),
    ("application/json;profile=\"a,b;q=0\"", STATUS_AS_JSON, JSON),
    // Several by name, equally liked.
    ("application/json, application/a2a+json", STATUS_AS_JSON, JSON),
    ("application/a2a+json, application/json", STATUS_AS_JSON, JSON),
    ("application/json, application/problem+json", PROBLEM, JSON),
    ("application/json, text/plain, */*", STATUS_AS_JSON, JSON),
    ("application/a2a+json, */*", STATUS, A2A_JSON),
    // Weights.
    ("application/json;q=0.5, application/a2a+json;q=0.6", STATUS, A2A_JSON),
    ("application/json;q=0.6, application/a2a+json;Q=0.5", STATUS_AS_JSON, JSON),
    ("application/problem+json;q=0.1, application/json;q=0.2", STATUS_AS_JSON, JSON),
    ("application/problem+json; q=0.201 , application/json ; q=0.2", PROBLEM, JSON),
    ("application/json;q=0.5, */*", BOTH, A2A_JSON),
    ("application/problem+json;q=0.5, */*", STATUS, A2A_JSON),
    ("application/a2a+json;q=0.001, text/html", STATUS, A2A_JSON),
    // Refusals. The closest range counts.
    ("application/problem+json;q=0", STATUS, A2A_JSON),
    ("application/problem+json;q=0, */*", STATUS, A2A_JSON),
    ("application/problem+json;q=0, application/a2a+json;q=0.000", STATUS_AS_JSON, JSON),
    ("application/a2a+json;q=0", BOTH, JSON),
    ("application/a2a+json;q=0, */*", BOTH, JSON),
    ("*/*;q=0, application/json", STATUS_AS_JSON, JSON),
    ("application/*;q=0, application/a2a+json;q=0.1", STATUS, A2A_JSON),
    ("application/json, application/json;q=0", BOTH, A2A_JSON),
    // Nothing is acceptable: an answer that the caller did not ask for is better than none.
    ("*/*;q=0", BOTH, A2A_JSON),
    ("application/json;q=0, application/a2a+json;q=0, application/problem+json;q=0", BOTH, A2A_JSON),
    // Junk is skipped.
    (",,;q=1,/,application,application/,/json,a b/c", BOTH, A2A_JSON),
    ("application/problem+json;q=high, application/json;q=0.2", STATUS_AS_JSON, JSON),
    ("application/problem+json;q=1.001, application/a2a+json;q=0.1", STATUS, A2A_JSON),
    ("application/problem+json;q=0.0001, application/a2a+json;q=0.1", STATUS, A2A_JSON),
    ("application/problem+json;q=-1, application/a2a+json;q=1.", STATUS, A2A_JSON),
    ("ä/\u{1f600}, application/a2a+json", STATUS, A2A_JSON),
    ("application/json;x=\"", STATUS_AS_JSON, JSON),
];

#[test]
fn accept_decides_the_form_and_the_type() {
    assert_eq!(error(None, ErrorFormat::Both), BOTH);
    assert_eq!(success(None), A2A_JSON);
    for (accept, form, media_type) in CASES {
        assert_eq!(error(Some(accept), ErrorFormat::Both), *form, "{accept}");
        assert_eq!(success(Some(accept)), *media_type, "{accept}");
    }
}

#[test]
fn the_default_is_for_those_who_ask_for_nothing() {
    for accept in [None, Some("*/*"), Some("application/*"), Some("text/html")] {
        assert_eq!(error(accept, ErrorFormat::Both), BOTH);
        assert_eq!(error(accept, ErrorFormat::Problem), PROBLEM);
        assert_eq!(error(accept, ErrorFormat::Status), STATUS);
    }
    for default in [ErrorFormat::Both, ErrorFormat::Problem, ErrorFormat::Status] {
        assert_eq!(error(Some("application/problem+json"), default), PROBLEM);
        assert_eq!(error(Some("application/a2a+json"), default), STATUS);
        assert_eq!(error(Some("application/json"), default), STATUS_AS_JSON);
    }
    assert_eq!(error(Some("application/a2a+json;q=0, */*"), ErrorFormat::Status), STATUS_AS_JSON);
    assert_eq!(error(Some("application/a2a+json;q=0, application/json;q=0, */*"), ErrorFormat::Status), PROBLEM);
}

#[test]
fn the_default_has_a_name_in_the_configuration() {
    assert_eq!("both".parse(), Ok(ErrorFormat::Both));
    assert_eq!("problem".parse(), Ok(ErrorFormat::Problem));
    assert_eq!("status".parse(), Ok(ErrorFormat::Status));
    for text in ["", "Both", "rpc", " both"] {
        assert_eq!(text.parse::<ErrorFormat>(), Err(UnknownErrorFormat));
    }
    assert_eq!(UnknownErrorFormat.to_string(), "must be both, problem or status");
}

#[test]
fn json_comes_under_two_types_in_utf_8() {
    let taken = [
        "",
        " ",
        "application/json",
        "application/a2a+json",
        "Application/JSON ; Charset=UTF-8",
        "application/json;charset=\"utf-8\"",
        "application/json; charset=utf8",
        "application/a2a+json; profile=x",
        "application/json;",
    ];
    for content_type in taken {
        assert!(is_json_content_type(Some(content_type)), "{content_type}");
    }
    assert!(is_json_content_type(None));
    let refused = [
        "text/plain",
        "text/json",
        "application/jsonp",
        "application",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/json; charset=utf-16",
        "application/json; charset=iso-8859-1",
        "application/json, application/json",
    ];
    for content_type in refused {
        assert!(!is_json_content_type(Some(content_type)), "{content_type}");
    }
}
