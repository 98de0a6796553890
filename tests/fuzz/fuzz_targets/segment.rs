//! Any bytes as what a rank writes into its memory.
#![no_main]

use midrun_ring::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| damaged::segment(bytes));
