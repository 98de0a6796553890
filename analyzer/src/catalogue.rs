//! Makes the tunlets of a job from what its configuration asks for.

use std::sync::Arc;

use midrun_tunlets::catalogue::{OptionError, listed};
use midrun_tunlets::{TuningOptions, Tunlet};
use midrun_vocabulary::ConfigError;

/// Makes the tunlets of a job from its options; the error names what is allowed.
pub trait Make: Fn(&TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> + Send + Sync + 'static {}

impl<F: Fn(&TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> + Send + Sync + 'static> Make for F {}

/// Any [`Make`], shared by the jobs.
#[derive(Clone)]
pub struct Maker(Arc<dyn Make>);

impl Maker {
    /// Wraps a function that makes tunlets.
    pub fn new(make: impl Make) -> Maker {
        Maker(Arc::new(make))
    }

    /// Makes the tunlets that the options ask for.
    ///
    /// # Errors
    /// The option that cannot be met, with what is allowed.
    pub fn make(&self, options: &TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> {
        (self.0)(options)
    }
}

impl std::fmt::Debug for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Maker")
    }
}

/// Makes tunlets of the catalogue.
///
/// # Errors
/// The option that cannot be met, with what is allowed.
pub fn from_catalogue(options: &TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> {
    midrun_tunlets::catalogue::create(options).map_err(|error| {
        let allowed = match &error {
            OptionError::File(_, mistake) => format!("a file without mistakes, but {mistake}"),
            OptionError::Clash(clash) => format!("what can work together, but {clash}"),
            OptionError::Search(_) if options.search.points.is_empty() => error.to_string(),
            OptionError::Search(mistake) => format!("what can be searched, but {mistake}"),
            other => other.to_string(),
        };
        let (key, value) = match error {
            OptionError::File(file, _) => ("tunlet", file),
            OptionError::Technique => ("technique", options.technique.clone()),
            OptionError::Objective => ("objective", options.objective.clone()),
            OptionError::Confidence => ("confidence", options.confidence.to_string()),
            OptionError::Search(_) => ("search", options.search.points.clone()),
            OptionError::SearchTunlet => ("tunlet", options.tunlet.clone()),
            OptionError::MinWorkers(_) => ("min_workers", options.min_workers.to_string()),
            OptionError::Tunlet(name) if !listed(&options.tunlet).contains(&&*name) => ("shadow", name),
            OptionError::Tunlet(name) => ("tunlet", name),
            OptionError::Many(_) | OptionError::NoText(_) | OptionError::Clash(_) => ("tunlet", options.tunlet.clone()),
        };
        ConfigError { key, value, allowed }
    })
}
