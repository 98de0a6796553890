//! The tunlets there are, by name.

use crate::Tunlet;
use crate::master_worker::{MasterWorker, Mode};
use midrun_handout::PolicyKind;

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownName {
    /// There is no such tunlet.
    #[error("one of the tunlets: master_worker")]
    Tunlet,
    /// The tunlet has no such policy.
    #[error("one of the policies: auto {}", PolicyKind::ALL.map(PolicyKind::name).join(" "))]
    Policy,
}

/// A tunlet with its policy: `auto`, or the name of one that is kept while its parameters are adapted.
///
/// # Errors
/// A name that does not exist; the error says which do.
pub fn create(tunlet: &str, policy: &str) -> Result<Box<dyn Tunlet>, UnknownName> {
    if tunlet != "master_worker" {
        return Err(UnknownName::Tunlet);
    }
    let mode = match policy {
        "auto" => Mode::Auto,
        name => Mode::Fixed(PolicyKind::parse(name).ok_or(UnknownName::Policy)?),
    };
    Ok(Box::new(MasterWorker::new(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused_with_those_that_exist() {
        assert!(create("master_worker", "auto").is_ok() && create("master_worker", "fsc").is_ok());
        let error = create("pipeline", "auto").err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("one of the tunlets: master_worker"));
        let error = create("master_worker", "fastest").err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("one of the policies: auto none ss fsc gss fac2 dpf daf af"));
    }
}
