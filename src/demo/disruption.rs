//! What ends a request without an answer of its own: panics and traps, on demand (`DEMO_FAULTS=on`).

use std::hint::black_box;
use std::time::Duration;

use crate::agent::Context;

/// How long the late ones wait, so that they strike after an await.
const DELAY: Duration = Duration::from_millis(50);
/// Stack that one level of the bottomless recursion takes, in words.
const FRAME: usize = 64;
/// Piece of memory that is taken again and again, in bytes.
const BLOCK: usize = 64 << 20;

/// A way to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disruption {
    /// Panic at once.
    Panic,
    /// Panic after an await.
    PanicLate,
    /// Abort at once.
    Abort,
    /// Abort after an await.
    AbortLate,
    /// Overflow the stack.
    Overflow,
    /// Run out of memory.
    Memory,
    /// Execute what must not be reached.
    Unreachable,
}

impl Disruption {
    /// Whether it strikes after an await.
    pub(super) const fn is_late(self) -> bool {
        match self {
            Self::PanicLate | Self::AbortLate => true,
            Self::Panic | Self::Abort | Self::Overflow | Self::Memory | Self::Unreachable => false,
        }
    }

    /// Does it.
    pub(super) async fn strike(self, cx: &Context) -> ! {
        if self.is_late() {
            cx.sleep(DELAY).await;
        }
        match self {
            Self::Panic | Self::PanicLate => give_up(),
            Self::Abort | Self::AbortLate => std::process::abort(),
            Self::Overflow => bottomless(),
            Self::Memory => devour(),
            Self::Unreachable => unreachable(),
        }
    }
}

/// Panics with a secret in the message, which must get out neither by the wire nor by the log.
#[allow(clippy::panic)] // that is what was asked for
fn give_up() -> ! {
    panic!("the demo was asked to panic, with hunter2 in its message")
}

fn bottomless() -> ! {
    black_box(deeper(0));
    std::process::abort()
}

#[allow(unconditional_recursion)]
fn deeper(level: usize) -> usize {
    let frame = black_box([level; FRAME]);
    deeper(level + 1) + frame[level % FRAME]
}

fn devour() -> ! {
    let mut blocks = Vec::new();
    loop {
        blocks.push(black_box(Vec::<u8>::with_capacity(BLOCK)));
    }
}

fn unreachable() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::process::abort()
}
