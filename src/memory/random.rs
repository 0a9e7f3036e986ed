//! Bytes that look random and are the same in every run.

use std::cell::Cell;

use crate::ports::Random;

/// SplitMix64 from a seed. Predictable by design: for tests and for a page that shows the same thing to everyone,
/// never for a secret.
#[derive(Debug)]
pub struct SeededRandom(Cell<u64>);

impl SeededRandom {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    fn next(&self) -> u64 {
        // The constants of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(size_of::<u64>()) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // First outputs for seed 1234567, as published with the reference implementation of the algorithm.
        let random = SeededRandom::new(1_234_567);
        let mut bytes = [0; 16];
        random.fill(&mut bytes);
        assert_eq!(bytes[..8], 6_457_827_717_110_365_317_u64.to_le_bytes());
        assert_eq!(bytes[8..], 3_203_168_211_198_807_973_u64.to_le_bytes());
    }

    #[test]
    fn lengths_that_are_no_multiple_of_a_word_are_filled_whole() {
        let mut bytes = [0; 13];
        SeededRandom::new(7).fill(&mut bytes);
        assert_ne!(bytes[8..], [0; 5]);
    }
}
