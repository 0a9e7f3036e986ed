//! A request body as text. JSON that is exchanged is UTF-8 without a byte-order mark (RFC 8259, section 8.1).

use std::str;

use super::details::{BadRequest, FieldViolation};
use super::error::A2aError;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The body's text.
///
/// # Errors
/// `-32700` if the body is not UTF-8, or starts with a byte-order mark.
pub(crate) fn decode(body: &[u8]) -> Result<&str, A2aError> {
    let text = str::from_utf8(body).map_err(|error| {
        let (line, column) = position(body.get(..error.valid_up_to()).unwrap_or(body));
        malformed(format!("the body is not UTF-8 at line {line} column {column}"))
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        return Err(malformed("the body starts with a byte-order mark at line 1 column 1"));
    }
    Ok(text)
}

/// `-32700`, with what is wrong and where. The description must not quote the body.
pub(crate) fn malformed(description: impl Into<String>) -> A2aError {
    A2aError::parse().with_detail(BadRequest { field_violations: vec![FieldViolation::new("", description)] })
}

/// Line and column of the byte behind `before`, both from 1; columns count bytes, as `serde_json` counts them.
fn position(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::protocol::details::Detail;

    fn description(error: &A2aError) -> &str {
        match error.details() {
            [Detail::BadRequest(BadRequest { field_violations })] => &field_violations[0].description,
            other => panic!("one BadRequest expected, got {other:?}"),
        }
    }

    #[test]
    fn utf_8_is_returned_as_it_is() {
        assert_eq!(decode("{\"a\":\"ä\u{1f600}\"}".as_bytes()).unwrap(), "{\"a\":\"ä\u{1f600}\"}");
        assert_eq!(decode(b"").unwrap(), "");
    }

    #[test]
    fn invalid_utf_8_is_told_with_its_position() {
        let error = decode(b"{\n \"a\": \"\xff\"}").unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Parse, "Invalid JSON payload"));
        assert_eq!(description(&error), "the body is not UTF-8 at line 2 column 8");
    }

    #[test]
    fn a_sequence_that_the_end_cuts_off_is_not_utf_8() {
        let error = decode(b"\"\xe2\x82").unwrap_err();
        assert_eq!(description(&error), "the body is not UTF-8 at line 1 column 2");
    }

    #[test]
    fn a_byte_order_mark_is_refused() {
        let error = decode(b"\xef\xbb\xbf{}").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parse);
        assert_eq!(description(&error), "the body starts with a byte-order mark at line 1 column 1");
        // UTF-16, whose mark is not even UTF-8.
        assert_eq!(decode(b"\xff\xfe{\0}\0").unwrap_err().kind(), ErrorKind::Parse);
    }

    #[test]
    fn the_mark_is_an_ordinary_character_further_on() {
        assert!(decode(b"\"\xef\xbb\xbf\"").is_ok());
    }
}
