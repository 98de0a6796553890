//! Any bytes as a mapping description: read, its mappings solved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_predict::mapping::{Description, Evaluator};
use midrun_predict::pepa::Limits;

fuzz_target!(|text: &str| {
    let Ok(read) = Description::parse(text) else { return };
    let limits = Limits { max_states: 500, ..Limits::default() };
    let mut evaluator = Evaluator::new(read.pipeline, limits);
    for mapping in read.mappings.iter().take(3) {
        let _ = evaluator.evaluate(mapping);
    }
});
