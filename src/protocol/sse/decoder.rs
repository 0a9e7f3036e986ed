//! Bytes to frames, in whatever pieces they come.

use std::time::Duration;

use super::MAX_FRAME_BYTES;

/// One event of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The `event:` field, if it was given.
    pub event: Option<String>,
    /// The `data:` fields, joined by line feeds.
    pub data: String,
    /// The last `id:` of the stream so far, if there was one.
    pub id: Option<String>,
}

/// A frame, or one line of it, is longer than the limit. The rest of the stream cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {limit} bytes")]
pub struct FrameTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

/// What stands at the start of the stream, perhaps, and is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a stream piece by piece. What comes out does not depend on where the pieces were cut.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// Whether nothing but a part of a byte-order mark was read.
    at_start: bool,
    /// Whether the last byte was a carriage return, which a line feed may follow.
    after_return: bool,
    /// The line that has not ended yet. As bytes: a piece may end inside a character.
    line: Vec<u8>,
    event: Option<String>,
    data: Option<String>,
    id: Option<String>,
    retry: Option<Duration>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(MAX_FRAME_BYTES)
    }
}

impl Decoder {
    /// A decoder for frames of at most `limit` bytes of data.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            at_start: true,
            after_return: false,
            line: Vec::new(),
            event: None,
            data: None,
            id: None,
            retry: None,
        }
    }

    /// Reads a piece, and adds the frames that end in it to `frames`.
    ///
    /// # Errors
    /// [`FrameTooLarge`]. The frames before that one are in `frames`.
    pub fn push(&mut self, piece: &[u8], frames: &mut impl Extend<Frame>) -> Result<(), FrameTooLarge> {
        let mut rest = piece;
        while let Some(length) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, end) = (&rest[..length], rest[length]);
            rest = &rest[length + 1..];
            if end == b'\n' && self.after_return && line.is_empty() {
                // The second half of a line end that was counted already.
                self.after_return = false;
                continue;
            }
            self.append(line)?;
            self.after_return = end == b'\r';
            frames.extend(self.end_line()?);
        }
        self.append(rest)
    }

    /// The frame that the end of the stream cut off, if it had data.
    ///
    /// The HTML specification drops it. Agents that leave out the last empty line exist, and what they say last is often
    /// why they stop; so the reader decides whether the data is whole.
    ///
    /// # Errors
    /// [`FrameTooLarge`], as of [`push`](Self::push).
    pub fn finish(mut self) -> Result<Option<Frame>, FrameTooLarge> {
        let mut last = None;
        if !self.line.is_empty() {
            last = self.end_line()?;
        }
        Ok(last.or_else(|| self.dispatch()))
    }

    /// How long the stream asked to wait before it is opened again, if it did.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), FrameTooLarge> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.after_return = false;
        let longest = self.room().saturating_add("data: ".len() + BYTE_ORDER_MARK.len());
        if self.line.len() + bytes.len() > longest {
            return Err(FrameTooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// How much data the frame may still get.
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.data.as_ref().map_or(0, String::len))
    }

    fn end_line(&mut self) -> Result<Option<Frame>, FrameTooLarge> {
        let line = std::mem::take(&mut self.line);
        let mut bytes = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        if bytes.is_empty() {
            return Ok(self.dispatch());
        }
        let text = String::from_utf8_lossy(bytes);
        let (name, value) = text.split_once(':').unwrap_or((&text, ""));
        self.field(name, value.strip_prefix(' ').unwrap_or(value))?;
        Ok(None)
    }

    fn field(&mut self, name: &str, value: &str) -> Result<(), FrameTooLarge> {
        match name {
            "data" => {
                let separator = usize::from(self.data.is_some());
                if value.len() + separator > self.room() {
                    return Err(FrameTooLarge { limit: self.limit });
                }
                match &mut self.data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => self.data = Some(value.to_owned()),
                }
            }
            "event" => self.event = Some(value.to_owned()).filter(|event| !event.is_empty()),
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry);
            }
            // An empty name is a comment, and what else there is belongs to later versions.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self) -> Option<Frame> {
        let event = self.event.take();
        let data = self.data.take()?;
        Some(Frame { event, data, id: self.id.clone() })
    }
}
