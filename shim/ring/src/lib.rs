//! The memory seam: shared-memory layout and rings between a rank and its agent.
//!
//! A rank makes a [`Segment`] (a sealed memfd). Each of its threads writes [`Record`]s into a ring of its own, a *lane*. The agent maps
//! the same memory, drains the lanes and writes [`Command`]s into one more ring, which the rank drains. Each side keeps its own index
//! in its handle and reads only the peer's from memory. Neither side trusts the other: it copies values out first and checks them
//! then. All shared words are atomics, so a hostile or dying peer can spoil data but never memory.
//!
//! [`SharedWord`] and [`Wakeups`] are memory that the ranks of one host share among themselves.

pub mod atomic;
pub mod attach;
pub mod calls;
pub mod command;
pub mod counters;
#[cfg(any(test, fuzzing))]
pub mod damaged;
pub mod layout;
pub mod register;
pub mod ring;
pub mod segment;
pub mod wakeup;

pub use command::{Command, CommandAssignment};
pub use layout::{LAYOUT_VERSION, Record, TuningPointKind, TuningPointSlot, kind, part, topic};
pub use register::SharedWord;
pub use segment::{Identity, Segment, SegmentError, Totals};

use atomic::{Mapped, Mapping};

/// Writes records into one lane; in the rank.
pub type Producer = ring::Producer<Mapped, ring::Strong, { layout::RECORD_WORDS }>;
/// Takes records out of one lane; in the agent.
pub type Consumer = ring::Consumer<Mapped, ring::Strong, { layout::RECORD_WORDS }>;
/// Writes commands; in the agent.
pub type CommandProducer = ring::Producer<Mapped, ring::Strong, { layout::COMMAND_WORDS }>;
/// Takes commands; in the rank.
pub type CommandConsumer = ring::Consumer<Mapped, ring::Strong, { layout::COMMAND_WORDS }>;
/// Wakes ranks of this host that wait for a message.
pub type Wakeups = wakeup::Wakeups<Mapping, wakeup::Strong>;
