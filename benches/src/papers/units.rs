//! Times, sizes and names as the data files write them.

use midrun_models::master_worker::Protocol;
use midrun_predict::units;
use serde::Deserialize;

/// A time such as `1.5ms`, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Seconds(pub f64);

impl TryFrom<String> for Seconds {
    type Error = String;

    fn try_from(text: String) -> Result<Seconds, String> {
        units::seconds(&text).map(Seconds)
    }
}

/// A size such as `4KiB`, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Bytes(pub f64);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Bytes, String> {
        units::bytes(&text).map(Bytes)
    }
}

/// Behaviour of sends.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolName {
    /// They return before the message is there.
    #[default]
    Async,
    /// They last as long as the bytes travel.
    Sync,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Protocol {
        match name {
            ProtocolName::Async => Protocol::Async,
            ProtocolName::Sync => Protocol::Sync,
        }
    }
}
