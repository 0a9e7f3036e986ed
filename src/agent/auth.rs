//! Who is asking: bearer tokens, compared in constant time.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::ports::Owner;
use crate::protocol::error::{A2aError, SERVER_ERROR};
use crate::protocol::json;

/// Realm named in challenges.
const REALM: &str = "a2a";

/// The tokens that the agent accepts, each with the subject it stands for.
///
/// Only digests are kept: they all have one length, so that comparing them says nothing about a token's.
#[derive(Clone, Default)]
pub struct Tokens(Vec<([u8; 32], String)>);

/// Why a list of tokens cannot be used. Does not quote it: it holds secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not a JSON object of strings.
    #[error("must be a JSON object that maps each token to its subject, both strings")]
    NotAnObject,
    /// A token or subject is empty.
    #[error("tokens and subjects must not be empty")]
    Empty,
}

impl Tokens {
    /// Reads `{"token": "subject", …}`.
    ///
    /// # Errors
    /// [`TokenError`], when it is anything else.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let Ok(Value::Object(entries)) = json::parse(text) else { return Err(TokenError::NotAnObject) };
        let mut tokens = Vec::with_capacity(entries.len());
        for (token, subject) in entries {
            let Value::String(subject) = subject else { return Err(TokenError::NotAnObject) };
            if token.is_empty() || subject.is_empty() {
                return Err(TokenError::Empty);
            }
            tokens.push((digest(&token), subject));
        }
        if tokens.is_empty() { Err(TokenError::Empty) } else { Ok(Self(tokens)) }
    }

    /// Whether a token is asked for at all.
    pub fn are_required(&self) -> bool {
        !self.0.is_empty()
    }

    /// The caller behind an `Authorization` header: with its subject, or anonymous where no token is asked for.
    ///
    /// # Errors
    /// 401 with a challenge (RFC 6750, section 3), when the header is missing or its token unknown.
    pub(super) fn authenticate(&self, authorization: Option<&str>) -> Result<Caller, A2aError> {
        if self.0.is_empty() {
            return Ok(Caller { owner: Owner::anonymous(), subject: None });
        }
        let Some(token) = authorization.and_then(bearer) else {
            return Err(unauthenticated("Authentication required", &format!("Bearer realm=\"{REALM}\"")));
        };
        let presented = digest(token);
        // Every token is compared, so that the time does not tell which one came close.
        let subject = self.0.iter().fold(
            None,
            |found, (known, subject)| {
                if bool::from(known.ct_eq(&presented)) { Some(subject) } else { found }
            },
        );
        match subject {
            Some(subject) => Ok(Caller { owner: Owner::subject(subject), subject: Some(subject.clone()) }),
            None => {
                let challenge = format!("Bearer realm=\"{REALM}\", error=\"invalid_token\"");
                Err(unauthenticated("Invalid credentials", &challenge))
            }
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("count", &self.0.len()).finish_non_exhaustive()
    }
}

/// An authenticated, or rightly anonymous, caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) owner: Owner,
    pub(crate) subject: Option<String>,
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The token of a `Bearer` header; the scheme's case does not matter (RFC 9110, 11.1).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn unauthenticated(message: &'static str, challenge: &str) -> A2aError {
    A2aError::custom(message, SERVER_ERROR, 401).with_header("WWW-Authenticate", challenge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Tokens {
        Tokens::parse(r#"{"t-alice":"alice","t-bob":"bob"}"#).unwrap()
    }

    #[test]
    fn a_known_token_is_its_subject() {
        for header in ["Bearer t-bob", "bearer t-bob", "BEARER   t-bob "] {
            let caller = tokens().authenticate(Some(header)).unwrap();
            assert_eq!(caller.subject.as_deref(), Some("bob"), "{header}");
            assert_eq!(caller.owner, Owner::subject("bob"));
        }
    }

    #[test]
    fn nothing_presented_is_challenged_without_an_error_code() {
        for header in [None, Some(""), Some("Bearer"), Some("Bearer "), Some("Basic dDp0"), Some("t-alice")] {
            let error = tokens().authenticate(header).unwrap_err();
            assert_eq!(
                (error.code(), error.http_status(), error.reason()),
                (-32000, 401, "UNAUTHENTICATED"),
                "{header:?}"
            );
            assert_eq!(error.headers(), [("WWW-Authenticate", "Bearer realm=\"a2a\"".to_owned())]);
        }
    }

    #[test]
    fn an_unknown_token_is_called_invalid_and_not_repeated() {
        for header in ["Bearer t-carol", "Bearer t-alic", "Bearer t-alicee", "Bearer T-ALICE"] {
            let error = tokens().authenticate(Some(header)).unwrap_err();
            assert_eq!(error.http_status(), 401);
            assert!(error.headers()[0].1.contains("error=\"invalid_token\""));
            assert!(!format!("{error:?}").contains("alic"), "{error:?}");
        }
    }

    #[test]
    fn without_tokens_everybody_is_anonymous() {
        let caller = Tokens::default().authenticate(Some("Bearer whatever")).unwrap();
        assert_eq!(caller, Caller { owner: Owner::anonymous(), subject: None });
        assert_ne!(Owner::anonymous(), Owner::subject("anonymous"));
    }

    #[test]
    fn a_bad_list_is_refused_without_being_quoted() {
        for (json, error) in [
            ("", TokenError::NotAnObject),
            ("s3cret", TokenError::NotAnObject),
            ("[\"s3cret\"]", TokenError::NotAnObject),
            ("{\"s3cret\":1}", TokenError::NotAnObject),
            ("{}", TokenError::Empty),
            ("{\"\":\"alice\"}", TokenError::Empty),
            ("{\"s3cret\":\"\"}", TokenError::Empty),
        ] {
            let found = Tokens::parse(json).unwrap_err();
            assert_eq!(found, error, "{json}");
            assert!(!found.to_string().contains("s3cret"));
        }
        assert_eq!(format!("{:?}", tokens()), "Tokens { count: 2, .. }");
    }
}
