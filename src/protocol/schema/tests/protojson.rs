//! The forms that ProtoJSON takes, and those it does not.

use serde_json::{Value, json};

use super::{STATES, check, fields, only, pair, send, send_part};
use crate::protocol::operation::Operation;
use crate::protocol::types::TaskState;

#[test]
fn integers_come_as_numbers_and_strings() {
    let length = |length: Value| check(Operation::GetTask, json!({"id": "t", "historyLength": length}));
    for ten in [json!(10), json!(10.0), json!("10"), json!("10.0"), json!("1e1")] {
        assert_eq!(length(ten.clone()).unwrap(), json!({"id": "t", "historyLength": 10}), "{ten}");
    }
    for zero in [json!(0), json!("0"), json!(-0.0)] {
        assert_eq!(length(zero.clone()).unwrap(), json!({"id": "t", "historyLength": 0}), "{zero}");
    }
    assert_eq!(length(json!(2_147_483_647)).unwrap()["historyLength"], 2_147_483_647);
    let unsound = [
        (json!(2_147_483_648_u64), "Must be between 0 and 2147483647 inclusive, got 2147483648"),
        (json!(u64::MAX), "Must be between 0 and 2147483647 inclusive, got 18446744073709551615"),
        (json!("-5"), "Must be non-negative integer, got -5"),
        (json!(1.5), "Must be non-negative integer, got 1.5"),
        (json!("1.5"), "Must be non-negative integer, got \"1.5\""),
        (json!(" 1"), "Must be non-negative integer, got \" 1\""),
        (json!("1 "), "Must be non-negative integer, got \"1 \""),
        (json!("0x1"), "Must be non-negative integer, got \"0x1\""),
        (json!(""), "Must be non-negative integer, got \"\""),
        (json!(true), "Must be non-negative integer, got true"),
        (json!([1]), "Must be non-negative integer, got an array"),
    ];
    for (value, description) in unsound {
        assert_eq!(only(length(value)), pair("historyLength", description));
    }
}

#[test]
fn enums_come_by_name_and_by_number() {
    let list = |status: Value| check(Operation::ListTasks, json!({"status": status}));
    for (number, state) in (1..).zip(TaskState::ALL) {
        assert_eq!(list(json!(number)).unwrap(), json!({"status": state.name()}));
        assert_eq!(list(json!(state.name())).unwrap(), json!({"status": state.name()}));
    }
    // The default of a plain field is its absence: no filter.
    for unspecified in [json!(0), json!("TASK_STATE_UNSPECIFIED")] {
        assert_eq!(list(unspecified).unwrap(), json!({}));
    }
    for unknown in [json!(9), json!(-1)] {
        let description = format!("Invalid status value '{unknown}'. Must be one of: {STATES}");
        assert_eq!(only(list(unknown)), pair("status", &description));
    }
    for (other, got) in [(json!(true), "a boolean"), (json!({}), "an object")] {
        assert_eq!(only(list(other)), pair("status", &format!("Must be one of: {STATES}; got {got}")));
    }
}

#[test]
fn names_come_in_camel_case_and_as_in_the_proto() {
    let params = json!({
        "message": {
            "message_id": "m1", "context_id": "c1", "role": "ROLE_USER", "reference_task_ids": ["t1"],
            "parts": [{"text": "x", "media_type": "text/plain"}],
        },
        "configuration": {"accepted_output_modes": ["text/plain"], "history_length": 3, "returnImmediately": true},
    });
    let expected = json!({
        "message": {
            "messageId": "m1", "contextId": "c1", "role": "ROLE_USER", "referenceTaskIds": ["t1"],
            "parts": [{"text": "x", "mediaType": "text/plain"}],
        },
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true},
    });
    assert_eq!(check(Operation::SendMessage, params).unwrap(), expected);
}

#[test]
fn one_field_under_both_names_is_a_violation() {
    let both = json!({"text": "x", "mediaType": "text/plain", "media_type": "text/plain"});
    assert_eq!(
        only(send_part(both)),
        pair("message.parts[0].mediaType", "Must be given once, got both mediaType and media_type")
    );
    // Unless one of them is as good as absent.
    let expected = json!({"text": "x", "mediaType": "a/b"});
    assert_eq!(send_part(json!({"text": "x", "mediaType": "a/b", "media_type": null})).unwrap(), expected);
    assert_eq!(send_part(json!({"text": "x", "mediaType": null, "media_type": "a/b"})).unwrap(), expected);
}

#[test]
fn a_violation_has_the_json_name_whatever_name_came() {
    assert_eq!(only(send_part(json!({"text": "x", "media_type": 1}))).0, "message.parts[0].mediaType");
}

#[test]
fn unknown_fields_are_dropped() {
    let params = json!({"id": "t1", "kind": "task", "x_y": {"id": 1}, "": null});
    assert_eq!(check(Operation::GetTask, params).unwrap(), json!({"id": "t1"}));
    assert_eq!(send_part(json!({"kind": "text", "text": "x"})).unwrap(), json!({"text": "x"}));
}

#[test]
fn the_empty_string_of_a_plain_field_is_its_absence() {
    let message = json!({
        "messageId": "m1", "contextId": "", "taskId": "", "role": "ROLE_USER", "parts": [{"text": "", "filename": ""}],
    });
    let expected = json!({"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": ""}]});
    assert_eq!(send(message).unwrap()["message"], expected);
}

#[test]
fn booleans_are_true_and_false() {
    let list = |value: Value| check(Operation::ListTasks, json!({"includeArtifacts": value}));
    assert_eq!(list(json!(false)).unwrap(), json!({"includeArtifacts": false}));
    for (other, got) in [(json!("true"), "\"true\""), (json!(1), "1"), (json!({}), "an object")] {
        assert_eq!(only(list(other)), pair("includeArtifacts", &format!("Must be true or false, got {got}")));
    }
}

#[test]
fn base64_comes_in_both_alphabets_padded_or_not() {
    // RFC 4648, section 10, and bytes that need the last two letters of the alphabet.
    let sound = [
        ("", ""),
        ("Zg==", "Zg=="),
        ("Zg", "Zg=="),
        ("Zm8", "Zm8="),
        ("Zm9v", "Zm9v"),
        ("-_8=", "+/8="),
        ("-_8", "+/8="),
        ("+/8", "+/8="),
    ];
    for (given, standard) in sound {
        assert_eq!(send_part(json!({"raw": given})).unwrap(), json!({"raw": standard}), "{given}");
    }
    for unsound in ["Z", "Zm9vZ", "Zg=", "Zg===", "Zm9v=", "====", "=", "Z g=", "Zg==\n", "Z=g=", "Zmä="] {
        assert_eq!(
            only(send_part(json!({"raw": unsound}))),
            pair("message.parts[0].raw", "Must be base64"),
            "{unsound}"
        );
    }
    let description = "Must be a string in base64, got an array";
    assert_eq!(only(send_part(json!({"raw": [1, 2]}))), pair("message.parts[0].raw", description));
}

#[test]
fn timestamps_are_rfc_3339() {
    let list = |value: Value| check(Operation::ListTasks, json!({"statusTimestampAfter": value}));
    let after = |text: &str| json!({"statusTimestampAfter": text});
    for text in ["2025-11-09T10:30:00Z", "2025-11-09T10:30:00.123456789Z"] {
        assert_eq!(list(json!(text)).unwrap(), after(text));
    }
    // 5.6.1: "Timestamps MUST NOT include timezone offsets other than 'Z'"; ProtoJSON reads them.
    assert_eq!(list(json!("2025-11-09T12:30:00+02:00")).unwrap(), after("2025-11-09T10:30:00.000Z"));
    for (value, got) in [(json!("yesterday"), "\"yesterday\""), (json!(1_731_148_200), "1731148200")] {
        let description = format!("Must be an RFC 3339 timestamp such as 2025-10-28T10:30:00.000Z, got {got}");
        assert_eq!(only(list(value)), pair("statusTimestampAfter", &description));
    }
}

#[test]
fn strings_in_lists_are_checked_one_by_one() {
    let message = json!({"messageId": "m", "role": 1, "parts": [{"text": "x"}], "extensions": ["a", 1, null]});
    assert_eq!(fields(send(message)), ["message.extensions[1]", "message.extensions[2]"]);
}
