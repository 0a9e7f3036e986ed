//! The [ports](crate::ports) in memory: what the agent in a browser runs on, and every test.
//!
//! Nothing here is left to chance: time passes when [`ManualClock`] is told so, and [`SeededRandom`] says the same
//! thing in every run.

mod background;
mod clock;
mod log;
mod random;
mod store;

pub use background::ManualBackground;
pub use clock::ManualClock;
pub use log::MemoryLog;
pub use random::SeededRandom;
pub use store::{MAX_STORED_BYTES, MemoryStore};
