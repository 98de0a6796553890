//! Any bytes as a message of an analyzer.
#![no_main]

use midrun_agent::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    damaged::to_agent(bytes);
});
