//! JSON as other agents write it.

use serde_json::Value;

use crate::protocol::json::{self, Fault, FaultKind};

/// Reads a JSON text. Half of a pair of surrogates, which is what a text in UTF-16 holds that was cut within a character
/// (RFC 8259, section 8.2), is read as U+FFFD: the rest of the answer is sound.
///
/// # Errors
/// As [`json::parse`].
pub(super) fn parse(text: &str) -> Result<Value, Fault> {
    match json::parse(text) {
        Err(fault) if fault.kind == FaultKind::Syntax => match without_halves(text) {
            Some(whole) => json::parse(&whole),
            None => Err(fault),
        },
        parsed => parsed,
    }
}

/// The text with every half replaced, if there is one.
fn without_halves(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut is_changed) = (0, false);
    while at < bytes.len() {
        at += match (unit(&bytes, at), unit(&bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                bytes[at + 2..at + 6].copy_from_slice(b"fffd");
                is_changed = true;
                6
            }
            // Whatever is escaped begins no escape of its own.
            (_, _) => 1 + usize::from(bytes[at] == b'\\'),
        };
    }
    is_changed.then(|| String::from_utf8(bytes).ok())?
}

/// The number of an escape like `\ud83d`, if there is one.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    escape.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_nothing_else() {
        for (text, expected) in [
            (r#"["\ud83d"]"#, json!(["\u{fffd}"])),
            (r#"["\uDE00"]"#, json!(["\u{fffd}"])),
            (r#"["a\ud83d\ud83d\ude00b"]"#, json!(["a\u{fffd}😀b"])),
            (r#"["\ud83d\n\u00e9\\ud83d"]"#, json!(["\u{fffd}\né\\ud83d"])),
            (r#"{"\ude00":"\ud83dé"}"#, json!({"\u{fffd}": "\u{fffd}é"})),
            (r#"["\ud83d\ude00"]"#, json!(["😀"])),
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in [r#"["\ud83d""#, r#"["\ud83"]"#, r#"["\ud8"#, r#"["\"#, r#"["\é"]"#, r#"["\u+123"]"#, "[", r#"\"#]
        {
            assert_eq!(parse(text).unwrap_err().kind, FaultKind::Syntax, "{text}");
        }
        assert_eq!(parse(r#"{"a":"\ud83d","a":1}"#).unwrap_err().kind, FaultKind::DuplicateKey);
    }
}
