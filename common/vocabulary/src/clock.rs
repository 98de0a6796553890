//! A clock that its reader is given, so that a simulation can give another one.

use alloc::sync::Arc;
use core::fmt;

/// Reads a time. Copies read the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The clock that `read` reads; its unit is the reader's.
    pub fn new(read: impl Fn() -> u64 + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(read))
    }

    /// The time now.
    pub fn now(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
