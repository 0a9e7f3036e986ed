//! What `?` turns an agent's errors into.

use std::error::Error as StdError;
use std::fmt;

use crate::protocol::error::{A2aError, Source};

/// Why a method of an [`Agent`](super::Agent) failed.
///
/// Made by `?` from an [`A2aError`], which reaches the caller as it is, or from any other error, which is logged with
/// its chain of sources and answered with `-32603`. A protocol error *inside* a foreign error counts as well, so that
/// it does not matter how many helpers wrapped it on its way up.
///
/// ```
/// use a2a_edge::{A2aError, ErrorKind, agent::Failure};
///
/// fn handler(input: &str) -> Result<u32, Failure> {
///     if input.is_empty() {
///         return Err(A2aError::invalid_params("message must contain text", ["message.parts"]).into());
///     }
///     Ok(input.parse()?) // a foreign error: logged, and the caller reads "Internal error"
/// }
/// assert_eq!(handler("").unwrap_err().error().kind(), ErrorKind::InvalidParams);
/// assert_eq!(handler("secret").unwrap_err().error().to_string(), "Internal error");
/// ```
// Not itself a `std::error::Error`, which is what lets it be made from every type that is one.
pub struct Failure(A2aError);

impl Failure {
    /// A failure from an error that is boxed already.
    pub fn from_boxed(error: Source) -> Self {
        match error.downcast::<A2aError>() {
            Ok(error) => Self(*error),
            Err(foreign) => Self(protocol_error_within(foreign.as_ref()).with_source(foreign)),
        }
    }

    /// The protocol error that the caller will see.
    pub fn error(&self) -> &A2aError {
        &self.0
    }

    /// The protocol error, taken out.
    pub fn into_error(self) -> A2aError {
        self.0
    }
}

/// The first protocol error among the sources of `foreign`, or -32603.
fn protocol_error_within(foreign: &(dyn StdError + 'static)) -> A2aError {
    std::iter::successors(foreign.source(), |error: &&(dyn StdError + 'static)| (*error).source())
        .find_map(|error| error.downcast_ref::<A2aError>())
        .map_or_else(A2aError::internal, A2aError::public_half)
}

impl<E: StdError + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::from_boxed(Box::new(error))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
