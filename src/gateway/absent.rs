//! What stands in for an origin whose card is not known: it refuses what would have been passed on.

use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::agent::{Admitted, Backend, Done, Server, Trace};
use crate::protocol::card::{AgentCapabilities, AgentCard};
use crate::protocol::error::A2aError;
use crate::protocol::http::Request;
use crate::remote::{Cause, RemoteError};

/// The reason why there is no card.
pub(super) struct Absent {
    pub(super) error: RemoteError,
    /// When it will be asked for again.
    pub(super) retry_after: Duration,
}

impl Absent {
    fn refusal(&self) -> A2aError {
        let mut error = self.error.to_protocol_error(None);
        // That the card is not there, or not for the gateway, says nothing about the request that waits for it.
        if matches!(self.error.cause(), Cause::Reported)
            && matches!(error.http_status(), 400..=499)
            && !self.error.is_retryable()
        {
            let told = error.log_source().map(ToString::to_string).unwrap_or_default();
            error = A2aError::invalid_agent_response().with_source(told);
        }
        // A card that breaks the protocol will not be better in a moment, and whatever asks for time of its own has said so.
        if self.error.is_retryable() && self.error.retry_after().is_none() {
            return error.with_retry_after(self.retry_after);
        }
        error
    }
}

impl Backend for Absent {
    fn passes_on(&self) -> bool {
        false
    }

    fn card(&self, _: &str) -> Result<Option<String>, A2aError> {
        Err(self.refusal())
    }

    fn begin(
        &self,
        _: &Rc<Server>,
        _: Admitted,
        _: &Request<'_>,
        _: &Trace,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>> {
        ready(Err(self.refusal())).boxed_local()
    }
}

/// A card by which the gate lets pass whatever some card would let pass. Nobody gets to see it.
pub(super) fn permissive() -> AgentCard {
    let capabilities = AgentCapabilities {
        streaming: Some(true),
        push_notifications: Some(true),
        extended_agent_card: Some(true),
        ..AgentCapabilities::default()
    };
    let any = || vec!["*/*".to_owned()];
    AgentCard { capabilities, default_input_modes: any(), default_output_modes: any(), ..AgentCard::default() }
}
