//! Any bytes as a PEPA model: read, printed and read again, derived, solved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_predict::markov::Options;
use midrun_predict::pepa::{Limits, Model};

fuzz_target!(|text: &str| {
    let Ok(model) = Model::parse(text) else { return };
    assert_eq!(Model::parse(&model.to_string()).as_ref(), Ok(&model));
    let limits = Limits { max_states: 500, ..Limits::default() };
    if let Ok(space) = model.derive(&limits) {
        let _ = space.solve(&Options { max_sweeps: 100, ..Options::default() });
    }
});
