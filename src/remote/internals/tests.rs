//! What people and machines really write, and which of it is for nobody but its author.

mod harmless;
mod texts;

use super::*;
use harmless::HARMLESS;
use texts::{DUMPS, MARKUP, MORE, PLACES, QUERIES, SECRETS, TRACES};

#[test]
fn internals_are_seen() {
    let texts = [TRACES, QUERIES, PLACES, MARKUP, SECRETS, DUMPS, MORE].concat();
    let missed: Vec<&&str> = texts.iter().filter(|text| !is_internal(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn secrets_are_seen() {
    let missed: Vec<&&str> = SECRETS.iter().filter(|text| !is_secret(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn harmless_texts_are_left_alone() {
    let taken: Vec<&&str> = HARMLESS.iter().filter(|text| is_internal(text)).collect();
    assert!(taken.is_empty(), "{taken:#?}");
}

/// An agent may send a text of any form and of all the length that is allowed.
#[test]
fn long_texts_are_read_once() {
    for piece in
        ["select from ", "update set = ", "://", "a=", "token:", "at (", ".py", "a::", "\"", " ", "1:", "fe80:"]
    {
        let text = piece.repeat((1 << 16) / piece.len());
        let started = std::time::Instant::now();
        is_internal(&text);
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{piece}: {:?}", started.elapsed());
    }
}

#[test]
fn names_of_internals_are_seen_in_any_spelling() {
    for key in ["stackTrace", "stack_trace", "Authorization", "api-key", "SQL", "debug_info"] {
        assert!(is_internal_key(key), "{key}");
    }
    for key in ["taskId", "fields", "state", "pageToken", "supportedVersions", "retryable", "statement_id"] {
        assert!(!is_internal_key(key), "{key}");
    }
}
