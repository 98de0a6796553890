//! The names, codes and bounds that several processes must agree on, each defined once.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod action_status;
pub mod bounds;
mod clock;
pub mod config;
mod count;
pub mod launch;
pub mod names;
pub mod profile;
mod seconds;
mod unix_time;
mod within;

pub use clock::Clock;
pub use config::ConfigError;
pub use count::Count;
pub use seconds::Seconds;
pub use unix_time::UnixTime;
pub use within::Within;
