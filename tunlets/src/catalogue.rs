//! The tunlets there are, by name.

use crate::Tunlet;
use crate::master_worker::{Limits, MasterWorker, Mode};
use crate::wishes::{Objective, WishError, Wishes};
use midrun_handout::PolicyKind;

/// A tunlet as it is wished for.
///
/// # Errors
/// A wish that cannot be met; the error says what could.
pub fn create(wishes: &Wishes) -> Result<Box<dyn Tunlet>, WishError> {
    if wishes.tunlet != "master_worker" {
        return Err(WishError::Tunlet);
    }
    let mode = match wishes.policy.as_str() {
        "auto" => Mode::Auto,
        name => Mode::Fixed(PolicyKind::parse(name).ok_or(WishError::Policy)?),
    };
    let objective = Objective::parse(&wishes.objective).ok_or(WishError::Objective)?;
    let limits = Limits { min: wishes.min_workers, max: wishes.max_workers, step: wishes.worker_step };
    if limits.max > 0 && limits.min > limits.max {
        return Err(WishError::MinWorkers(limits.max));
    }
    Ok(Box::new(MasterWorker::new(mode, objective, limits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused_with_those_that_exist() {
        let good = Wishes::default();
        assert!(create(&good).is_ok() && create(&Wishes { policy: "fsc".into(), ..good.clone() }).is_ok());
        let error = |wishes: Wishes| create(&wishes).err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(error(Wishes { tunlet: "pipeline".into(), ..good.clone() }), "one of the tunlets: master_worker");
        let policies = "one of the policies: auto none ss fsc gss fac2 dpf daf af";
        assert_eq!(error(Wishes { policy: "fastest".into(), ..good.clone() }), policies);
        assert!(
            error(Wishes { objective: "fast".into(), ..good.clone() }).contains("efficiency, time, budget:WORKERS")
        );
        assert_eq!(error(Wishes { min_workers: 9, max_workers: 4, ..good }), "4 or fewer, as max_workers says");
    }
}
