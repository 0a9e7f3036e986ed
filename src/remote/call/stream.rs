//! A stream of events, read as it comes.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::Value;

use super::EventStream;
use super::body::{TimedOut, next_piece};
use crate::ports::{BodyStream, Clock, FetchError, ResponseHead, Timestamp};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::protocol::sse::{Decoder, Frame};
use crate::remote::Binding;
use crate::remote::answer::Sent;
use crate::remote::error::RemoteError;
use crate::remote::events::{self, Progress};
use crate::remote::fault::{Fault, TransportFault, Violation};
use crate::remote::lenient;

/// What it takes to read a stream.
pub(super) struct Reading {
    pub(super) binding: Binding,
    pub(super) operation: Operation,
    pub(super) id: Id,
    pub(super) head: ResponseHead,
    pub(super) body: BodyStream,
    pub(super) clock: Rc<dyn Clock>,
    /// How long it may be silent.
    pub(super) idle: Duration,
    /// When its first event must have come.
    pub(super) begins: Timestamp,
    /// When it must be over.
    pub(super) ends: Timestamp,
    /// How large an event may be.
    pub(super) limit: usize,
}

/// The events of the stream, once the first of them is there.
///
/// # Errors
/// Why there is none: until then it may be asked for again.
pub(super) async fn begin(reading: Reading) -> Result<EventStream, RemoteError> {
    let reader = Reader {
        decoder: Decoder::new(reading.limit),
        frames: VecDeque::new(),
        progress: Progress::Open,
        until: reading.begins,
        end: None,
        reading,
    };
    let events = stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        let item = reader.next().await?;
        // After an error, or at the end of all that can come, the connection is closed, whatever the agent does with it.
        let is_last = item.is_err() || reader.progress == Progress::Finished;
        Some((item, (!is_last).then_some(reader)))
    });
    let mut events = Box::pin(events.fuse().peekable());
    match events.as_mut().next_if(Result::is_err).await {
        Some(Err(error)) => Err(error),
        Some(Ok(_)) | None => Ok(events),
    }
}

struct Reader {
    reading: Reading,
    decoder: Decoder,
    frames: VecDeque<Frame>,
    progress: Progress,
    /// When the next event must have come.
    until: Timestamp,
    /// Why nothing more is read. What came before it is given first.
    end: Option<End>,
}

enum End {
    /// The body is over, by what the platform says if the connection broke.
    Over(Option<FetchError>),
    Fault(Fault),
}

impl Reader {
    /// The next event, or the error that the stream ends with; `None` if it ends well.
    async fn next(&mut self) -> Option<Result<Value, RemoteError>> {
        loop {
            while let Some(frame) = self.frames.pop_front() {
                match self.read(&frame) {
                    Ok(Some(event)) => {
                        self.until = self.reading.ends;
                        self.progress = events::progress(&event).unwrap_or(self.progress);
                        return Some(Ok(event));
                    }
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
            match self.end.take() {
                None => self.end = self.receive().await,
                Some(End::Over(_)) if self.progress != Progress::Open => return None,
                Some(End::Over(platform)) => {
                    return Some(Err(self.fail(Fault::Transport(TransportFault::CutShort, platform))));
                }
                Some(End::Fault(fault)) => return Some(Err(self.fail(fault))),
            }
        }
    }

    fn read(&self, frame: &Frame) -> Result<Option<Value>, RemoteError> {
        let Reading { binding, operation, id, head, clock, .. } = &self.reading;
        let sent = Sent { binding: *binding, operation: *operation, id };
        events::read(&sent, head, frame, clock.now())
    }

    /// Reads one more piece, unless that was all.
    async fn receive(&mut self) -> Option<End> {
        let Reading { body, clock, idle, .. } = &mut self.reading;
        let piece = match next_piece(body, self.until.min(clock.now().after(*idle)), &**clock).await {
            Ok(piece) => piece,
            // A task that waits for its client may well be silent; the stream has said what there was to say.
            Err(TimedOut) if self.progress == Progress::Interrupted => return Some(End::Over(None)),
            Err(TimedOut) => return Some(End::Fault(TransportFault::TimedOut.into())),
        };
        match piece {
            Some(Ok(piece)) => match self.decoder.push(&piece, &mut self.frames) {
                Ok(()) => None,
                Err(error) => Some(End::Fault(Fault::Invalid(Violation::from(error)))),
            },
            None => Some(self.finish(None)),
            Some(Err(error @ FetchError::CutShort(_))) => Some(self.finish(Some(error))),
            // As of a limit of one's own.
            Some(Err(FetchError::TimedOut)) if self.progress == Progress::Interrupted => Some(End::Over(None)),
            Some(Err(error)) => Some(End::Fault(Fault::of_fetch(&error, self.reading.limit))),
        }
    }

    /// What the end of the body leaves: perhaps an event whose empty line is missing.
    fn finish(&mut self, platform: Option<FetchError>) -> End {
        let decoder = std::mem::take(&mut self.decoder);
        let is_whole = |frame: &Frame| frame.event.as_deref() == Some("error") || lenient::parse(&frame.data).is_ok();
        // One that is too large is not whole either.
        self.frames.extend(decoder.finish().unwrap_or_default().filter(is_whole));
        End::Over(platform)
    }

    fn fail(&self, fault: Fault) -> RemoteError {
        RemoteError::of_fault(self.reading.binding, Some(self.reading.head.status), fault)
    }
}
