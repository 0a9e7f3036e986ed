//! A budget for retries, so that they cannot multiply the load of an agent that is in trouble already.

/// A bucket of tokens: each retry takes one, each first attempt puts a tenth of one in.
///
/// In the long run at most a tenth of the traffic is retries (the share that Google's "Site Reliability Engineering",
/// chapter 21, allows a client), and a full bucket lets a short disturbance be ridden out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// In tenths of a token.
    tenths: u32,
    capacity: u32,
}

/// Tokens in a full bucket unless said otherwise. (gRPC's service config example has 10 as well.)
const TOKENS: u32 = 10;
const TENTHS: u32 = 10;

impl Default for Budget {
    fn default() -> Self {
        Self::new(TOKENS)
    }
}

impl Budget {
    /// A full bucket of so many tokens.
    pub fn new(tokens: u32) -> Self {
        let capacity = tokens.saturating_mul(TENTHS);
        Self { tenths: capacity, capacity }
    }

    /// Notes a first attempt.
    pub fn deposit(&mut self) {
        self.tenths = self.tenths.saturating_add(1).min(self.capacity);
    }

    /// Takes a token, if there is a whole one.
    pub fn withdraw(&mut self) -> bool {
        match self.tenths.checked_sub(TENTHS) {
            Some(rest) => {
                self.tenths = rest;
                true
            }
            None => false,
        }
    }
}
