//! What a job's owner has set, as it travels, and back.

use midrun_proto::v1;

use super::{job_id, options, text, tuning_point_name};
use crate::control::Mode;
use crate::input::Question;
use crate::limits;
use crate::owner::{Manual, OwnerOptions, OwnerSettings};

/// The settings of a job; `None` where they make no sense.
pub fn settings(wire: v1::OwnerSettings) -> Option<OwnerSettings> {
    let job = job_id(&wire.job).ok()?;
    let mode = match wire.mode() {
        v1::ManualMode::Unspecified => Mode::Tuned,
        v1::ManualMode::Frozen => Mode::Frozen,
        v1::ManualMode::Paused => Mode::Paused,
    };
    let options = match wire.options {
        None => None,
        Some(request) => match options::open_job(v1::OpenJobRequest { job: wire.job, ..request }).ok()? {
            Question::OpenJob { options: tuning, dry_run, .. } => Some(OwnerOptions { tuning, dry_run }),
            _ => return None,
        },
    };
    let (mode_revision, resumed_revision) = (wire.mode_revision, wire.resumed_revision);
    let mut manual = Manual { mode, mode_revision, resumed_revision, ..Manual::default() };
    for value in wire.values.into_iter().take(limits::MANUAL_VALUES) {
        if value.rank.is_none_or(|rank| rank < limits::RANKS_PER_JOB) {
            manual.hold(&tuning_point_name(value.tuning_point), value.rank, value.revision);
        }
    }
    for name in wire.together.into_iter().take(limits::MANUAL_VALUES) {
        manual.take_together(&tuning_point_name(name));
    }
    Some(OwnerSettings { job, version: wire.version, options, manual })
}

/// The same for the wire.
pub fn wire_settings(settings: &OwnerSettings) -> v1::OwnerSettings {
    let OwnerSettings { job, version, options, manual } = settings;
    let mode = match manual.mode {
        Mode::Tuned => v1::ManualMode::Unspecified,
        Mode::Frozen => v1::ManualMode::Frozen,
        Mode::Paused => v1::ManualMode::Paused,
    };
    let request =
        |options: &OwnerOptions| v1::OpenJobRequest { dry_run: options.dry_run, ..options::request(&options.tuning) };
    let value = |((name, rank), revision): (&(String, Option<u32>), &u64)| v1::ManualValue {
        tuning_point: text(name.clone()),
        rank: *rank,
        revision: *revision,
    };
    v1::OwnerSettings {
        job: job.to_string(),
        version: *version,
        options: options.as_ref().map(request),
        mode: mode.into(),
        mode_revision: manual.mode_revision,
        resumed_revision: manual.resumed_revision,
        values: manual.values.iter().map(value).collect(),
        together: manual.together.iter().cloned().map(text).collect(),
    }
}
