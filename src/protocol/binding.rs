//! The two bindings of A2A over HTTP.

use std::fmt;

/// A binding of A2A over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binding {
    /// JSON-RPC 2.0 (specification 9).
    JsonRpc,
    /// HTTP+JSON, also called REST (specification 11).
    Rest,
}

impl Binding {
    /// Both, the one that agents have more often first.
    pub const ALL: [Self; 2] = [Self::JsonRpc, Self::Rest];

    /// The name in `AgentInterface.protocolBinding` (specification 4.4.6).
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::Rest => "HTTP+JSON",
        }
    }

    /// The binding of a name, in any case; `None` for gRPC and for bindings of somebody's own.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|binding| binding.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
