//! The whole system under a simulated network, clock and disk.
//!
//! The agent, its link, the analyzer with server, core and journal, the client of `midrun run` and the shim's code for waiting commands are
//! the real ones. Ranks and programs are simulated. A seed chooses who takes part, in which order they start, and what happens to them.
//! [`run`] watches the promises of `docs/guarantees.md` at each step, then lets all faults end and demands that the system converges.

// Of these two files, the parts that need a real process are not used.
#[allow(dead_code)]
#[path = "../../../cli/src/run/client.rs"]
mod client;
mod clock;
mod console;
mod disk;
mod faults;
mod hosts;
mod job;
mod memory;
mod network;
mod owner;
#[allow(dead_code)]
#[path = "../../../shim/src/pending_commands.rs"]
mod pending_commands;
mod plan;
mod random;
mod rank;
mod run;
mod shown;
mod tuning_points;
mod usage;
mod word;

pub use run::{Outcome, note_panics, run};
