//! Any text as a program and its machine.
#![no_main]

use midrun_predict::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::program_and_machine(text));
