//! Any bytes as a pipeline: read, printed and read again, its best pattern found when it is small.
#![no_main]

use libfuzzer_sys::fuzz_target;
use midrun_models::pipeline::exact::{Grouping, Objective, optimum};
use midrun_predict::pipeline::Description;

fuzz_target!(|text: &str| {
    let Ok(description) = Description::from_toml(text) else { return };
    assert_eq!(Description::from_toml(&description.to_toml()).as_ref(), Ok(&description));
    if description.pipeline.stages.len() <= 8 {
        let _ = optimum(&description.pipeline, 20, Grouping::Any, Objective::Time);
    }
});
