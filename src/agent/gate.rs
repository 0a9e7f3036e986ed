//! May this be asked? Every check that comes before the agent, in one order, the same on both bindings.

use serde_json::Value;

use super::auth::{Caller, Tokens};
use crate::protocol::card::{AgentCapabilities, AgentCard};
use crate::protocol::error::A2aError;
use crate::protocol::operation::{Capability, Operation};
use crate::protocol::path::{MAX_ECHO, clipped};
use crate::protocol::types::{Message, Params, SendMessageRequest};
use crate::protocol::{schema, version};

/// What is asked for in the request's head (service parameters, specification 3.2.6, and credentials).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Service<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) extensions: Option<&'a str>,
    pub(super) authorization: Option<&'a str>,
}

/// A request that may reach the agent.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) caller: Caller,
    pub(crate) extensions: Vec<String>,
    pub(crate) params: Params,
    /// The params in canonical form, for whoever passes them on.
    pub(crate) canonical: Option<Value>,
}

/// What the agent's card and configuration demand of a request.
#[derive(Debug)]
pub(super) struct Gate {
    assume_version: Option<String>,
    tokens: Tokens,
    required_extensions: Vec<String>,
    input_modes: Vec<String>,
    output_modes: Vec<String>,
    capabilities: AgentCapabilities,
    keeps_canonical: bool,
}

impl Gate {
    pub(super) fn new(card: &AgentCard, tokens: Tokens, assume_version: Option<String>) -> Self {
        let extensions = &card.capabilities.extensions;
        let skill_inputs = card.skills.iter().flat_map(|skill| &skill.input_modes);
        let skill_outputs = card.skills.iter().flat_map(|skill| &skill.output_modes);
        Self {
            assume_version,
            tokens,
            required_extensions: extensions.iter().filter(|e| e.required).map(|e| e.uri.clone()).collect(),
            input_modes: card.default_input_modes.iter().chain(skill_inputs).cloned().collect(),
            output_modes: card.default_output_modes.iter().chain(skill_outputs).cloned().collect(),
            capabilities: card.capabilities.clone(),
            keeps_canonical: false,
        }
    }

    /// Keeps the params of admitted requests in canonical form, too.
    pub(super) fn keeping_canonical(self) -> Self {
        Self { keeps_canonical: true, ..self }
    }

    /// Checks a request in the agreed order: version, operation, authentication, extensions, parameters, media types,
    /// capabilities. `operation` and `params` are asked for only when their turn has come.
    ///
    /// # Errors
    /// That of the first check that fails.
    pub(super) fn admit(
        &self,
        service: Service<'_>,
        operation: impl FnOnce() -> Result<Operation, A2aError>,
        params: impl FnOnce(Operation) -> Result<Value, A2aError>,
    ) -> Result<Admitted, A2aError> {
        // 1. Version: a request of another version means something else by all that follows.
        version::check(service.version, self.assume_version.as_deref())?;
        // 2. Operation.
        let operation = operation()?;
        // 3. Authentication.
        let caller = self.tokens.authenticate(service.authorization)?;
        // 4. Extensions, which a message may declare as well, so its parameters are read here and judged below.
        let raw = params(operation);
        let extensions = declared(service.extensions);
        self.check_extensions(&extensions, raw.as_ref().ok())?;
        // 5. Parameters.
        let canonical = schema::check(operation, raw?).map_err(A2aError::invalid_fields)?;
        let kept = self.keeps_canonical.then(|| canonical.clone());
        let params = Params::from_canonical(operation, canonical)
            .map_err(|error| A2aError::invalid_fields(Vec::new()).with_source(error))?;
        // 6. Media types.
        if let Some(request) = params.sent() {
            self.check_media_types(&request.message)?;
            self.check_output_modes(request)?;
        }
        // 7. Capabilities.
        self.check_capabilities(operation, &params)?;
        Ok(Admitted { caller, extensions, params, canonical: kept })
    }

    fn check_extensions(&self, declared: &[String], params: Option<&Value>) -> Result<(), A2aError> {
        let by_message = params.and_then(|params| params.get("message")?.get("extensions")?.as_array());
        let missing = self.required_extensions.iter().find(|required| {
            let in_header = declared.contains(required);
            let in_message = by_message.is_some_and(|list| list.iter().any(|uri| uri.as_str() == Some(required)));
            !in_header && !in_message
        });
        match missing {
            Some(extension) => Err(A2aError::extension_support_required(extension)),
            None => Ok(()),
        }
    }

    /// Parts that name no media type pass: the agent judges their content itself.
    fn check_media_types(&self, message: &Message) -> Result<(), A2aError> {
        let named = message.parts.iter().filter_map(|part| part.media_type.as_deref()).filter(|name| !name.is_empty());
        for media_type in named {
            if !self.input_modes.iter().any(|mode| covers(mode, media_type)) {
                return Err(A2aError::content_type_not_supported(clipped(media_type, MAX_ECHO)));
            }
        }
        Ok(())
    }

    /// Whether the agent has anything that the caller takes (specification 3.2.2, `acceptedOutputModes`).
    fn check_output_modes(&self, request: &SendMessageRequest) -> Result<(), A2aError> {
        let accepted =
            request.configuration.as_ref().map(|configuration| configuration.accepted_output_modes.as_slice());
        let Some(accepted @ [first, ..]) = accepted else { return Ok(()) };
        let suits = |mode: &String| accepted.iter().any(|wanted| covers(wanted, mode) || covers(mode, wanted));
        if self.output_modes.iter().any(suits) {
            return Ok(());
        }
        Err(A2aError::content_type_not_supported(clipped(first, MAX_ECHO)))
    }

    fn check_capabilities(&self, operation: Operation, params: &Params) -> Result<(), A2aError> {
        // A message may bring a push notification config along.
        let inline_push = params
            .sent()
            .and_then(|request| request.configuration.as_ref())
            .is_some_and(|configuration| configuration.task_push_notification_config.is_some());
        let needed = if inline_push { Some(Capability::PushNotifications) } else { None };
        for capability in operation.capability().into_iter().chain(needed) {
            self.check_capability(operation, capability)?;
        }
        Ok(())
    }

    /// Specification 3.3.4.
    fn check_capability(&self, operation: Operation, capability: Capability) -> Result<(), A2aError> {
        let (declared, error): (_, fn(Operation) -> A2aError) = match capability {
            Capability::Streaming => (self.capabilities.streaming, A2aError::unsupported_operation),
            Capability::PushNotifications => {
                (self.capabilities.push_notifications, |_| A2aError::push_notification_not_supported())
            }
            Capability::ExtendedAgentCard => (self.capabilities.extended_agent_card, A2aError::unsupported_operation),
        };
        if declared == Some(true) { Ok(()) } else { Err(error(operation)) }
    }
}

fn declared(header: Option<&str>) -> Vec<String> {
    let uris = header.unwrap_or_default().split(',').map(str::trim);
    uris.filter(|uri| !uri.is_empty()).map(str::to_owned).collect()
}

/// Whether an accepted mode (`text/plain`, `image/*`, `*/*`) covers a media type; parameters and case do not matter.
fn covers(mode: &str, media_type: &str) -> bool {
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (mode, media_type) = (essence(mode), essence(media_type));
    mode == media_type
        || mode == "*/*"
        || mode.strip_suffix('*').is_some_and(|kind| kind.ends_with('/') && media_type.starts_with(kind))
}
