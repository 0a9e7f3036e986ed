//! What a message asks for, by its id.

use a2a_edge::protocol::types::{Content, Part};
use serde_json::json;

use crate::file;

/// "Generated file content" in base64, as bytes are on the wire.
const FILE: &str = "R2VuZXJhdGVkIGZpbGUgY29udGVudA==";

/// Makes a script.
type Make = fn() -> Script;

/// Something to do with a task.
pub enum Script {
    /// Complete, with a message in the status.
    Complete,
    /// Ask for more, however often.
    InputRequired,
    /// Reject.
    Reject,
    /// Complete, with nothing in between.
    StreamOnce,
    /// Work, make a text, complete.
    Stream,
    /// Complete with an artifact of this one part.
    Artifact(Part),
}

impl Script {
    /// The script that a message's id asks for; the longest start that fits wins.
    pub fn of(message_id: &str) -> Option<Self> {
        let starts: [(&str, Make); 11] = [
            ("tck-artifact-file-url", || {
                Self::Artifact(file(Content::Url("https://example.com/output.txt".to_owned())))
            }),
            ("tck-artifact-file", || Self::Artifact(file(Content::Raw(FILE.to_owned())))),
            ("tck-artifact-text", || Self::Artifact(Part::text("Generated text content"))),
            ("tck-artifact-data", || Self::Artifact(Content::Data(json!({"key": "value", "count": 42})).into())),
            ("tck-stream-ordering-001", || Self::Stream),
            ("tck-stream-001", || Self::Stream),
            ("tck-stream-003", || Self::Stream),
            ("tck-stream-002", || Self::StreamOnce),
            ("tck-complete-task", || Self::Complete),
            ("tck-input-required", || Self::InputRequired),
            ("tck-reject-task", || Self::Reject),
        ];
        starts.iter().find(|(start, _)| message_id.starts_with(start)).map(|(_, script)| script())
    }
}
