//! Options of a job's tunlets, as they travel, and back.

use midrun_proto::v1::{self, OpenJobRequest};
use midrun_tunlets::{SearchOptions, TuningOptions, TunletFile};

use super::job_id;
use crate::input::Question;
use crate::limits;

/// The question of a request to open a job.
///
/// # Errors
/// The part that is beyond its bound, with the bound.
pub fn open_job(request: OpenJobRequest) -> Result<Question, String> {
    let job = job_id(&request.job)?;
    let (most, bytes) = (midrun_tunlets::catalogue::MOST, midrun_tunlets::scripted::FILE_BYTES);
    if request.token.len() > limits::TEXT_BYTES {
        return Err(format!("token: allowed are at most {} bytes", limits::TEXT_BYTES));
    }
    if request.files.len() > most {
        return Err(format!("files: at most {most} are allowed"));
    }
    if request.files.iter().any(|file| file.text.len() > bytes || file.name.len() > limits::TEXT_BYTES) {
        return Err(format!("a tunlet's file: at most {bytes} bytes are allowed"));
    }
    if request.start.len() > bytes {
        return Err(format!("start: at most {bytes} bytes are allowed"));
    }
    let (token, dry_run) = (request.token.clone(), request.dry_run);
    Ok(Question::OpenJob { job, token, options: options(request), dry_run })
}

/// The options of a request.
pub(super) fn options(request: OpenJobRequest) -> TuningOptions {
    TuningOptions {
        tunlet: request.tunlet,
        shadow: request.shadow,
        files: request.files.into_iter().map(|file| TunletFile { name: file.name, text: file.text }).collect(),
        technique: request.technique,
        objective: request.objective,
        confidence: request.confidence,
        min_workers: request.min_workers,
        max_workers: request.max_workers,
        worker_step: request.worker_step,
        search: SearchOptions {
            points: request.search,
            constraint: request.search_constraint,
            budget: request.search_budget,
            known: request.search_known,
            progress_line: request.search_progress_line,
        },
        iteration_line: request.iteration_line,
        start: request.start,
    }
}

/// A request for nothing but these options.
pub fn request(options: &TuningOptions) -> OpenJobRequest {
    let TuningOptions {
        tunlet,
        shadow,
        files,
        technique,
        objective,
        confidence,
        min_workers,
        max_workers,
        worker_step,
        search,
        iteration_line,
        start,
    } = options.clone();
    OpenJobRequest {
        tunlet,
        shadow,
        files: files.into_iter().map(|file| v1::TunletFile { name: file.name, text: file.text }).collect(),
        technique,
        objective,
        confidence,
        min_workers,
        max_workers,
        worker_step,
        search: search.points,
        search_constraint: search.constraint,
        search_budget: search.budget,
        search_known: search.known,
        search_progress_line: search.progress_line,
        iteration_line,
        start,
        ..OpenJobRequest::default()
    }
}
