//! Any bytes as a message of an agent.
#![no_main]

use midrun_analyzer::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| damaged::from_agent(bytes));
