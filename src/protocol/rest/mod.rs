//! The HTTP+JSON binding (specification 11): which operation a path is, what its parameters are, and what an answer
//! looks like.

mod body;
mod params;
mod percent;
mod query;
mod route;

pub use super::negotiate::is_json_content_type;
pub use body::{error_event, event, failure, success};
pub use params::params;
pub(crate) use percent::encode;
pub use query::version;
pub use route::{CARD_PATH, PathParam, Route, allow, is_jsonrpc_path, route};
