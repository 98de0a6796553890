//! Performance models: pure mathematics, no I/O, no clock.
