//! Names, codes and bounds that several processes must say alike, each said once.

#![no_std]
#![forbid(unsafe_code)]

pub mod action_status;
mod seconds;

pub use seconds::Seconds;
