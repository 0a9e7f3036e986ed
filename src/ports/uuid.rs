//! Random ids.

use super::Random;

/// A random id in the form of a version 4 UUID (RFC 9562, 5.4).
pub(crate) fn uuid4(random: &dyn Random) -> String {
    let mut bytes = [0_u8; 16];
    random.fill(&mut bytes);
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62) | (4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
