//! Paths of fields, like `message.parts[0].mediaType`, and how much of a caller's own text an error may repeat.

use std::fmt::Write as _;

/// How many characters (or bytes, where it is not escaped) of the caller's input an error repeats at most. (Enough to recognise it by; the specification
/// sets no limit.)
pub(crate) const MAX_ECHO: usize = 64;

/// Adds a member's name to a path: `.name`, or `["na me"]` if it is not a plain word.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$');
    if !key.is_empty() && key.len() <= MAX_ECHO && key.bytes().all(is_word) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str("[\"");
        path.push_str(&excerpt(key));
        path.push_str("\"]");
    }
}

/// Adds an array index to a path.
pub(crate) fn push_index(path: &mut String, index: usize) {
    // Writing to a String does not fail.
    let _ = write!(path, "[{index}]");
}

/// The start of a text of the caller's, as it is: for metadata, where a client may compare it.
pub(crate) fn clipped(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// The start of a text of the caller's, with control characters and quotes escaped.
pub(crate) fn excerpt(text: &str) -> String {
    let mut characters = text.chars();
    let mut out: String = characters.by_ref().take(MAX_ECHO).flat_map(char::escape_debug).collect();
    if characters.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(keys: &[&str]) -> String {
        keys.iter().fold(String::new(), |mut path, key| {
            push_key(&mut path, key);
            path
        })
    }

    #[test]
    fn words_are_joined_by_dots_and_everything_else_is_quoted() {
        assert_eq!(path(&["message", "mediaType"]), "message.mediaType");
        assert_eq!(path(&["schemes", "a b", "list"]), "schemes[\"a b\"].list");
        assert_eq!(path(&["", "a\"\n"]), "[\"\"][\"a\\\"\\n\"]");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(excerpt(&"ä".repeat(64)), "ä".repeat(64));
        assert_eq!(excerpt(&"ä".repeat(65)), "ä".repeat(64) + "…");
        assert_eq!(path(&[&"k".repeat(65)]), format!("[\"{}…\"]", "k".repeat(64)));
    }
}
