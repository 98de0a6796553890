//! The names, codes and bounds that several processes must agree on, each defined once.

#![no_std]
#![forbid(unsafe_code)]

pub mod action_status;
pub mod bounds;
pub mod names;
mod seconds;

pub use seconds::Seconds;
