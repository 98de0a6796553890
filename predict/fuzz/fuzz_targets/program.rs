//! Any bytes as a program and its machine, parted by a line of dashes: read, printed and read again, simulated for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_predict::program::{Machine, Options, Program, simulate};

/// A machine for programs that bring none.
const MACHINE: &str = "node = [{ count = 2, cores = 2 }]
    inside = { start_up = '1us', per_byte = '1ns', eager = '1KB' }
    between = { start_up = '1ms', per_byte = '9ns', eager = '1KB' }";

fuzz_target!(|text: &str| {
    let (program, machine) = text.split_once("\n---\n").unwrap_or((text, MACHINE));
    let machine = Machine::from_toml(machine);
    if let Ok(machine) = &machine {
        assert_eq!(Machine::from_toml(&machine.to_toml()).as_ref(), Ok(machine));
    }
    let Ok(program) = Program::from_toml(program) else { return };
    assert_eq!(Program::from_toml(&program.to_toml()).as_ref(), Ok(&program));
    let small = program.processes().is_ok_and(|processes| processes <= 50);
    if let (Ok(machine), true) = (machine, small) {
        let _ = simulate(&program, &machine, &Options { events: 2000, spans: 100, ..Options::default() });
    }
});
