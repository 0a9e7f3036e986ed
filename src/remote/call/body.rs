//! Bodies, read piece by piece within their time and size.

use futures_util::StreamExt;
use futures_util::future::{Either, select};

use crate::ports::{BodyStream, Clock, FetchError, Timestamp};
use crate::remote::fault::{Fault, TransportFault, Violation};

/// The time was over before the next piece came.
pub(super) struct TimedOut;

/// The next piece of a body, if it comes before `ends`; `None` after the last.
///
/// # Errors
/// [`TimedOut`], also of a body that has always something ready: it would never let a timer have its say.
pub(super) async fn next_piece(
    body: &mut BodyStream,
    ends: Timestamp,
    clock: &dyn Clock,
) -> Result<Option<Result<Vec<u8>, FetchError>>, TimedOut> {
    let left = ends.since(clock.now());
    if left.is_zero() {
        return Err(TimedOut);
    }
    match select(body.next(), clock.sleep(left)).await {
        Either::Left((piece, _)) => Ok(piece),
        Either::Right(_) => Err(TimedOut),
    }
}

/// Adds a body to `bytes`, up to `limit` of them.
///
/// # Errors
/// Why that is not all of it.
pub(super) async fn read_to_end(
    mut body: BodyStream,
    bytes: &mut Vec<u8>,
    limit: usize,
    ends: Timestamp,
    clock: &dyn Clock,
) -> Result<(), Fault> {
    while let Some(piece) = next_piece(&mut body, ends, clock).await.map_err(|TimedOut| TransportFault::TimedOut)? {
        let piece = piece.map_err(|error| Fault::of_fetch(&error, limit))?;
        let room = limit - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Err(Fault::Invalid(Violation::TooLarge { limit }));
        }
    }
    Ok(())
}
