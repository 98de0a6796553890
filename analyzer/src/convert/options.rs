//! What is requested of a job's tunlets, as it travels, and back.

use midrun_proto::v1::{self, OpenJobRequest};
use midrun_tunlets::{SearchOptions, TuningOptions, TunletFile};

/// What a request options for.
pub fn options(request: OpenJobRequest) -> TuningOptions {
    TuningOptions {
        tunlet: request.tunlet,
        shadow: request.shadow,
        files: request.files.into_iter().map(|file| TunletFile { name: file.name, text: file.text }).collect(),
        technique: request.technique,
        objective: request.objective,
        min_workers: request.min_workers,
        max_workers: request.max_workers,
        worker_step: request.worker_step,
        search: SearchOptions {
            points: request.search,
            constraint: request.search_constraint,
            method: request.search_method,
            budget: request.search_budget,
            known: request.search_known,
        },
    }
}

/// A request for nothing but these options.
pub fn request(options: &TuningOptions) -> OpenJobRequest {
    let TuningOptions { tunlet, shadow, files, technique, objective, min_workers, max_workers, worker_step, search } =
        options.clone();
    OpenJobRequest {
        tunlet,
        shadow,
        files: files.into_iter().map(|file| v1::TunletFile { name: file.name, text: file.text }).collect(),
        technique,
        objective,
        min_workers,
        max_workers,
        worker_step,
        search: search.points,
        search_constraint: search.constraint,
        search_method: search.method,
        search_budget: search.budget,
        search_known: search.known,
        ..OpenJobRequest::default()
    }
}
