//! Refused values of a configuration.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// A key whose value is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key.
    pub key: &'static str,
    /// The value found.
    pub value: String,
    /// The allowed values.
    pub allowed: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: allowed is {}", self.key, self.value, self.allowed)
    }
}

impl core::error::Error for ConfigError {}

/// Checks that a number lies between two bounds, which are allowed.
///
/// # Errors
/// It does not.
pub fn within(key: &'static str, value: u64, least: u64, most: u64) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ConfigError { key, value: value.to_string(), allowed: format!("{least} to {most}") })
}
