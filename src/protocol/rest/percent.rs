//! Percent-encoding (RFC 3986, section 2.1).

use std::borrow::Cow;

/// The text of one path segment; `None` if an escape is cut short, or the bytes are not UTF-8.
pub(super) fn segment(encoded: &str) -> Option<Cow<'_, str>> {
    if encoded.contains('%') { decode(encoded.bytes()).map(Cow::Owned) } else { Some(Cow::Borrowed(encoded)) }
}

/// The text of a name or a value in a query, where `+` is a space as HTML forms and `URLSearchParams` write it.
pub(super) fn query(encoded: &str) -> Option<Cow<'_, str>> {
    if encoded.contains(['%', '+']) {
        decode(encoded.bytes().map(|byte| if byte == b'+' { b' ' } else { byte })).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(encoded))
    }
}

fn decode(mut encoded: impl Iterator<Item = u8>) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.size_hint().0);
    while let Some(byte) = encoded.next() {
        bytes.push(match byte {
            b'%' => hex(encoded.next()?)? << 4 | hex(encoded.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Adds `text` to `out` so that it stands for itself in a path segment and in a query alike: whatever is not unreserved
/// is escaped.
pub(crate) fn encode(out: &mut String, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_their_bytes() {
        assert_eq!(segment("a%2Fb%3ac").unwrap(), "a/b:c");
        assert_eq!(segment("%E2%82%AC%00").unwrap(), "€\0");
        assert_eq!(segment("%2525").unwrap(), "%25");
        assert_eq!(segment("ä").unwrap(), "ä");
    }

    #[test]
    fn broken_escapes_are_no_text() {
        for encoded in ["%", "a%2", "%g0", "%0g", "%+1", "%FF", "%C3%28", "%ED%A0%80"] {
            assert_eq!(segment(encoded), None, "{encoded}");
            assert_eq!(query(encoded), None, "{encoded}");
        }
    }

    #[test]
    fn what_is_encoded_stands_for_itself() {
        let mut out = String::new();
        encode(&mut out, "a-Z_0.~/?:&=+ %€");
        assert_eq!(out, "a-Z_0.~%2F%3F%3A%26%3D%2B%20%25%E2%82%AC");
        assert_eq!(segment(&out).unwrap(), "a-Z_0.~/?:&=+ %€");
        assert_eq!(query(&out).unwrap(), "a-Z_0.~/?:&=+ %€");
    }

    #[test]
    fn plus_is_a_space_in_a_query_alone() {
        assert_eq!(segment("a+b%2B").unwrap(), "a+b+");
        assert_eq!(query("a+b%2B").unwrap(), "a b+");
    }

    #[test]
    fn what_has_no_escape_is_not_copied() {
        assert!(matches!(segment("task-123+"), Some(Cow::Borrowed(_))));
        assert!(matches!(query("task-123"), Some(Cow::Borrowed(_))));
    }
}
