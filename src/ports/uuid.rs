//! Random ids.

use super::Random;

/// A random id in the form of a version 4 UUID (RFC 9562, 5.4).
pub(crate) fn uuid4(random: &dyn Random) -> String {
    let mut bytes = [0_u8; 16];
    random.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.extend([byte >> 4, byte & 0x0f].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes(u8);

    impl Random for Bytes {
        fn fill(&self, bytes: &mut [u8]) {
            for (byte, value) in bytes.iter_mut().zip(self.0..=0xff) {
                *byte = value;
            }
        }
    }

    #[test]
    fn version_and_variant_are_those_of_the_rfc_and_all_else_is_chance() {
        assert_eq!(uuid4(&Bytes(0)), "00010203-0405-4607-8809-0a0b0c0d0e0f");
        assert_eq!(uuid4(&Bytes(0xf0)), "f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfeff");
    }
}
