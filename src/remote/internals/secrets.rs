//! Credentials, which not even a log may hold.

use super::phrase::has_any;
use super::word::{first_word, is_digit, last_word, words};

/// Whether a text looks like it holds a credential.
pub(in crate::remote) fn is_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    has_any(&lower, SECRETS)
        || has_assigned_secret(&lower)
        || has_credentials_in_url(&lower)
        || has_bearer(&lower)
        || has_token(text)
}

const SECRETS: &[&str] = &["authorization:", "authorization\":", "-----begin", "set-cookie:", "x-api-key:"];

/// `password=…`, `"api_key": "…"`, `SECRET_KEY_BASE: …`, `?sig=…`
fn has_assigned_secret(lower: &str) -> bool {
    /// The shortest value behind a colon that is none of a sentence, as in "token: missing".
    const SHORTEST: usize = 12;
    lower.match_indices(['=', ':']).any(|(at, sign)| {
        let (before, last) = last_word(lower[..at].trim_end_matches(['"', '\'', ' ']), is_name);
        // Some names are of two words: "API key: …".
        let is_named = is_secret_name(last)
            || before.strip_suffix(' ').is_some_and(|before| {
                let (_, first) = last_word(before, is_name);
                is_secret_name(&format!("{first}{last}"))
            });
        if !is_named {
            return false;
        }
        let value = lower[at + 1..].trim_start_matches(' ');
        let unquoted = value.trim_start_matches(['"', '\'']);
        let (value_itself, _) = first_word(unquoted, is_of_value);
        let needed = if sign == "=" || unquoted.len() < value.len() { 1 } else { SHORTEST };
        value_itself.len() >= needed
    })
}

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

fn is_of_value(letter: char) -> bool {
    !letter.is_whitespace() && !matches!(letter, '"' | '\'')
}

/// Whether what is called so is a secret.
fn is_secret_name(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "secretkeybase",
        "apikey",
        "secretkey",
        "accesskey",
        "accountkey",
        "privatekey",
        "signature",
        "token",
    ];
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    // A page token is a place in a list.
    plain == "sig" || (NAMES.iter().any(|known| plain.ends_with(known)) && !plain.ends_with("pagetoken"))
}

/// `scheme://user:password@host`.
fn has_credentials_in_url(lower: &str) -> bool {
    lower.match_indices("://").any(|(at, separator)| {
        let (authority, _) = first_word(&lower[at + separator.len()..], is_of_authority);
        authority.contains('@')
    })
}

fn is_of_authority(letter: char) -> bool {
    !letter.is_whitespace() && !matches!(letter, '/' | '?' | '#' | '"' | '\'')
}

/// `Bearer 0123456789abcdef`, and not `Bearer realm="…"`.
fn has_bearer(lower: &str) -> bool {
    const SHORTEST: usize = 16;
    lower.match_indices("bearer ").any(|(at, bearer)| {
        let (token, rest) = first_word(&lower[at + bearer.len()..], is_of_token);
        token.len() >= SHORTEST && token.contains(is_digit as fn(char) -> bool) && !rest.starts_with('=')
    })
}

/// Of tokens (RFC 6750, section 2.1), and what stands in them for what an agent has made illegible.
fn is_of_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_' | '~' | '+' | '*')
}

/// Tokens that can be told by their first letters: JWTs, and keys of well-known services. They hold digits, and those
/// that an agent has made illegible in part count as well.
fn has_token(text: &str) -> bool {
    const PREFIXES: &[(&str, usize)] = &[
        ("eyJ", 20),
        ("sk-", 16),
        ("sk_live_", 16),
        ("rk_live_", 16),
        ("ghp_", 20),
        ("gho_", 20),
        ("ghu_", 20),
        ("ghs_", 20),
        ("github_pat_", 20),
        ("glpat-", 20),
        ("xox", 16),
        ("hf_", 20),
        ("npm_", 20),
        ("AKIA", 16),
        ("ASIA", 16),
        ("AIza", 20),
    ];
    words(text, is_of_token).any(|word| {
        let is_mixed = word.contains(is_digit as fn(char) -> bool) || word.contains('*');
        is_mixed && PREFIXES.iter().any(|(prefix, length)| word.len() >= *length && word.starts_with(prefix))
    })
}
