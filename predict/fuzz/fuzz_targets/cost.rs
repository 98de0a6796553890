//! Any bytes as a computation structure: read, printed and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_predict::time_cost::Structure;

fuzz_target!(|text: &str| {
    let Ok(structure) = Structure::from_toml(text) else { return };
    assert_eq!(Structure::from_toml(&structure.to_toml()).as_ref(), Ok(&structure));
});
