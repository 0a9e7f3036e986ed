//! What the store needs of KV, and how KV fails.

use serde_json::Value;

/// The operations of a namespace. Each call is one operation of KV.
pub(super) trait Kv {
    /// The value of a key.
    async fn get(&self, key: &str) -> Result<Option<String>, Fault>;

    /// The values of at most 100 keys, in their order.
    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Fault>;

    /// Writes a key.
    async fn put(&self, key: &str, value: &str, options: &PutOptions) -> Result<(), Fault>;

    /// Deletes a key, if it is there.
    async fn delete(&self, key: &str) -> Result<(), Fault>;

    /// Some of the keys that begin with `prefix`, in their order; `cursor` is from the page before.
    async fn list(&self, prefix: &str, cursor: Option<String>) -> Result<KeyPage, Fault>;
}

/// What is written with a value.
#[derive(Debug, Clone, Default)]
pub(super) struct PutOptions {
    /// What lists show of the key.
    pub(super) metadata: Option<Value>,
    /// After how many seconds the key goes.
    pub(super) ttl_s: Option<u64>,
}

/// Some keys. There can be none on a page that is not the last.
#[derive(Debug)]
pub(super) struct KeyPage {
    /// Names, with the metadata as it was written.
    pub(super) keys: Vec<(String, Option<Value>)>,
    /// Where the next page starts; `None` after the last.
    pub(super) cursor: Option<String>,
}

/// An operation that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Whether another attempt makes sense.
    pub(super) kind: FaultKind,
    /// KV's words, for the log alone.
    pub(super) text: String,
}

/// What to make of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The key was written less than a second ago: wait for that long.
    TooManyWrites,
    /// It may go better at once.
    Passing,
    /// It will not go better within this request.
    Lasting,
}

/// More of KV's words than this are of no use.
const MAX_FAULT_CHARS: usize = 200;

/// What KV says when a limit of the account or of the request is used up, or when it was called wrongly.
const LASTING: [&str; 4] = ["limit exceeded", "Too many API requests", "Too many subrequests", "TypeError"];

impl Fault {
    /// Judges a fault by the text of the error that KV threw, such as `KV PUT failed: 429 Too Many Requests`: there is
    /// nothing else to judge it by.
    pub(super) fn from_text(text: &str) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let kind = match status(line) {
            Some(429) => FaultKind::TooManyWrites,
            Some(status) if (400..500).contains(&status) => FaultKind::Lasting,
            _ if LASTING.iter().any(|words| line.contains(words)) => FaultKind::Lasting,
            _ => FaultKind::Passing,
        };
        Self { kind, text: line.chars().take(MAX_FAULT_CHARS).collect() }
    }

    /// KV answered what it never should.
    pub(super) fn lasting(text: &str) -> Self {
        Self { kind: FaultKind::Lasting, text: text.to_owned() }
    }
}

fn status(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once(" failed: ")?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_apart() {
        for (text, kind) in [
            ("KV PUT failed: 429 Too Many Requests", FaultKind::TooManyWrites),
            ("js error: JsValue(Error: KV PUT failed: 429 Too Many Requests\n    at x)", FaultKind::TooManyWrites),
            ("KV GET failed: 500 Internal Server Error", FaultKind::Passing),
            ("KV GET failed: 503 Service Unavailable", FaultKind::Passing),
            ("Network connection lost.", FaultKind::Passing),
            ("", FaultKind::Passing),
            ("x failed: ", FaultKind::Passing),
            ("x failed: é4\u{1F980}", FaultKind::Passing),
            ("KV PUT failed: 413 Value length of 26214401 exceeds limit of 26214400.", FaultKind::Lasting),
            ("KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.", FaultKind::Lasting),
            ("KV put() limit exceeded for the day.", FaultKind::Lasting),
            ("Too many API requests by single Worker invocation.", FaultKind::Lasting),
            ("TypeError: Key name cannot be empty.", FaultKind::Lasting),
        ] {
            assert_eq!(Fault::from_text(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn a_fault_is_one_short_line() {
        let fault = Fault::from_text(&format!("{}\n    at stack", "é".repeat(300)));
        assert_eq!(fault.text, "é".repeat(200));
    }
}
