//! Server-sent events, the stream format of both HTTP bindings (specification 9.4.2 and 11.7; WHATWG HTML, section 9.2).

mod decoder;
#[cfg(test)]
mod tests;

pub use decoder::{Decoder, Frame, FrameTooLarge};

/// The media type of a stream.
pub const EVENT_STREAM: &str = "text/event-stream";

/// How many bytes a frame may have unless the reader says otherwise. Neither specification sets a limit; this one is
/// that of a whole answer, since a frame holds as much as an answer does.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// The frame that carries `data`, which may have several lines.
pub fn event(data: &str) -> String {
    let mut frame = String::with_capacity(data.len() + "data: \n\n".len());
    for line in lines(data) {
        frame.push_str("data: ");
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame
}

/// The frame that carries an error: readers that know the name of the event take it for one whatever `data` is.
pub fn error_event(data: &str) -> String {
    format!("event: error\n{}", event(data))
}

/// A frame that no reader sees: it keeps a connection open, or opens it.
pub fn comment(text: &str) -> String {
    let mut frame = String::with_capacity(text.len() + ": \n\n".len());
    for line in lines(text) {
        frame.push_str(": ");
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame
}

/// The lines of a text, whichever way they end; one at least.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\r', '\n']) else {
            rest = None;
            return Some(text);
        };
        let length = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[end + length..]);
        Some(&text[..end])
    })
}
