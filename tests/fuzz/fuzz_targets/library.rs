//! Any bytes as the file of a loaded library.
#![no_main]

use midrun_instrument::symbols::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    damaged::library(bytes);
});
