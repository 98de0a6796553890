//! Any bytes as a state diagram: read, printed and read again, solved when it is small.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_predict::state_diagram::{Diagram, exact};

fuzz_target!(|text: &str| {
    let Ok(diagram) = Diagram::from_toml(text) else { return };
    assert_eq!(Diagram::from_toml(&diagram.to_toml()).as_ref(), Ok(&diagram));
    if diagram.processes() <= 16 {
        let _ = exact(&diagram, 500);
    }
});
