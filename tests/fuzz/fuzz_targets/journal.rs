//! Any bytes as the journal of an analyzer before.
#![no_main]

use midrun_analyzer::damaged;
use midrun_fuzz::folder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| folder(|folder| _ = damaged::journal(folder, bytes)));
