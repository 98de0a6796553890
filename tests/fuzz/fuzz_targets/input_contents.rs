//! Any bytes as the contents of the frames of inputs of an analyzer before.
#![no_main]

use midrun_analyzer::damaged;
use midrun_fuzz::folder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| folder(|folder| _ = damaged::inputs(folder, &damaged::framed(bytes))));
