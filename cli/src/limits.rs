//! What a user may ask of any tunlet: said the same way to `midrun run` and to `midrun replay`.

/// Technique, objective and limits.
#[derive(clap::Args, Debug)]
pub struct Limits {
    /// auto, or one hand-out technique for the whole job: none, ss, fsc, gss, fac2, dpf, daf, af; for a pipeline: replicate, group, farm
    #[arg(long, alias = "policy", value_name = "NAME")]
    pub technique: Option<String>,
    /// What the number of workers, or a pipeline's pattern, is chosen for: efficiency, time, budget:WORKERS, deadline:SECONDS or fixed
    #[arg(long, value_name = "OBJECTIVE")]
    pub objective: Option<String>,
    /// Fewest workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    pub min_workers: Option<u32>,
    /// Most workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    pub max_workers: Option<u32>,
    /// Most workers that come or go in one change
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    pub worker_step: Option<u32>,
}

/// A number of workers.
pub fn workers(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("a whole number from 1 to {} is expected", u32::MAX))
}
