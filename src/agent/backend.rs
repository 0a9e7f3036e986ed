//! What stands behind the gate: an agent of one's own, or the way to another.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::Agent;
use super::dispatch::dispatch;
use super::gate::Admitted;
use super::record::Trace;
use super::server::Server;
use super::serving::Done;
use crate::protocol::error::A2aError;
use crate::protocol::http::Request;

/// Answers the requests that passed the gate.
pub(crate) trait Backend {
    /// Whether it needs the params as they can be passed on.
    fn passes_on(&self) -> bool;

    /// The card's JSON as it is to be seen at `origin`, if it is not the server that knows the card.
    ///
    /// # Errors
    /// Why there is none at the moment.
    fn card(&self, origin: &str) -> Result<Option<String>, A2aError>;

    /// Begins on a request. Nothing that goes wrong in its course gets out but as an error.
    fn begin(
        &self,
        server: &Rc<Server>,
        admitted: Admitted,
        request: &Request<'_>,
        trace: &Trace,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>>;
}

/// An agent of one's own.
pub(super) struct Local<A>(pub(super) Rc<A>);

impl<A: Agent + 'static> Backend for Local<A> {
    fn passes_on(&self) -> bool {
        false
    }

    fn card(&self, _: &str) -> Result<Option<String>, A2aError> {
        Ok(None)
    }

    fn begin(
        &self,
        server: &Rc<Server>,
        admitted: Admitted,
        request: &Request<'_>,
        trace: &Trace,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>> {
        let agent = Rc::clone(&self.0);
        server.work_locally(admitted, request.origin, trace, |cx, params| dispatch(agent, cx, params))
    }
}
