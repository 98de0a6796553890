//! Frames of a recording as inputs of the core, and back.

use midrun_proto::v1;
use midrun_proto::v1::recorded::What;
use midrun_tunlets::Value;

use super::options::{open_job, options, request};
use super::{FromAgent, from_agent};
use crate::actions::{Action, Phase};
use crate::config::Config;
use crate::control::Control;
use crate::ids::{ActionId, AskId, JobId, LinkId};
use crate::input::{Input, Question};

/// The input of a recorded frame; `None` for a frame that is no input, or an invalid one.
pub fn input(what: What) -> Option<Input> {
    // Nobody waits for the answers.
    let ask = AskId(0);
    Some(match what {
        What::Said(v1::LinkSaid { link, message }) => match from_agent(message?)? {
            FromAgent::Hello(mut hello) => {
                // The reader has seen to it that an older one is understood.
                hello.protocol = midrun_proto::PROTOCOL_VERSION;
                Input::AgentConnected { link: LinkId(link), hello }
            }
            FromAgent::Batch(batch) => Input::BatchReceived { link: LinkId(link), batch },
            FromAgent::SettingsKept(job, version) => Input::SettingsKept { link: LinkId(link), job, version },
            _ => return None,
        },
        What::LinkEnded(v1::LinkEnded { link, goodbye }) => Input::AgentDisconnected { link: LinkId(link), goodbye },
        What::Opened(request) => Input::Asked { ask, question: open_job(request).ok()? },
        What::Closed(v1::CloseJobRequest { job, token }) => {
            Input::Asked { ask, question: Question::CloseJob { job: JobId::new(&job)?, token } }
        }
        What::Control(v1::ControlRequest { job, token, control }) => {
            let (job, control) = (JobId::new(&job)?, super::control(control?));
            Input::Asked { ask, question: Question::Control { job, token, control } }
        }
        What::Thought(v1::Thought { job }) => Input::Thought { job: JobId::new(&job)? },
        What::Tick(_) => Input::Tick,
        What::Restarted(v1::Restarted { last_action }) => Input::Restarted { last_action },
        What::Begun(_) | What::Sent(_) | What::Ended(_) => return None,
    })
}

/// The frame of an input that did not come as a message of an agent.
pub fn what(input: &Input) -> Option<What> {
    Some(match input {
        Input::AgentDisconnected { link, goodbye } => {
            What::LinkEnded(v1::LinkEnded { link: link.0, goodbye: *goodbye })
        }
        Input::Thought { job } => What::Thought(v1::Thought { job: job.to_string() }),
        Input::Asked { question: Question::OpenJob { job, token, options, dry_run }, .. } => {
            let (job, token) = (job.to_string(), token.clone());
            What::Opened(v1::OpenJobRequest { job, token, dry_run: *dry_run, ..request(options) })
        }
        Input::Asked { question: Question::CloseJob { job, token }, .. } => {
            What::Closed(v1::CloseJobRequest { job: job.to_string(), token: token.clone() })
        }
        Input::Asked { question: Question::Control { job, token, control }, .. } => {
            let (job, token) = (job.to_string(), token.clone());
            What::Control(v1::ControlRequest { job, token, control: Some(wire_control(control)) })
        }
        Input::Restarted { last_action } => What::Restarted(v1::Restarted { last_action: *last_action }),
        _ => return None,
    })
}

fn wire_control(control: &Control) -> v1::control_request::Control {
    use v1::control_request::Control as Wire;
    match control.clone() {
        Control::Set { point, value, rank, synchronized, at_iteration } => {
            Wire::Set(v1::SetPoint { point, value, rank, synchronized, at_iteration })
        }
        Control::Freeze => Wire::Freeze(v1::Freeze {}),
        Control::Pause => Wire::Pause(v1::Pause {}),
        Control::Resume => Wire::Resume(v1::Resume {}),
    }
}

/// A message of an agent as it is kept.
pub fn said(link: LinkId, message: &v1::FromAgent) -> Option<What> {
    use v1::from_agent::Message;
    match message.message.as_ref()? {
        Message::Hello(_) | Message::Batch(_) | Message::OwnerSettingsKept(_) => {
            Some(What::Said(v1::LinkSaid { link: link.0, message: Some(message.clone()) }))
        }
        Message::TimeProbe(_) | Message::Goodbye(_) | Message::TakesChildren(_) | Message::FromChildren(_) => None,
    }
}

/// The frame without tokens.
pub fn without_tokens(mut what: What) -> What {
    use v1::from_agent::Message;
    match &mut what {
        What::Said(v1::LinkSaid { message: Some(v1::FromAgent { message: Some(Message::Hello(hello)) }), .. }) => {
            hello.token.clear();
            let options = hello.owner_settings.iter_mut().filter_map(|settings| settings.options.as_mut());
            options.for_each(|options| options.token.clear());
        }
        What::Opened(request) => request.token.clear(),
        What::Closed(request) => request.token.clear(),
        What::Control(request) => request.token.clear(),
        _ => {}
    }
    what
}

/// An action that the recorded analyzer sent.
pub fn sent(wire: v1::Action) -> Option<Action> {
    let (job, rank) = super::rank_id(wire.rank.clone())?;
    let at_once = wire.when() == v1::When::Now;
    let phase = match wire.phase() {
        v1::Phase::Unspecified if wire.when() == v1::When::Iteration => Phase::ApplyAt { iteration: wire.at },
        v1::Phase::Unspecified => Phase::Apply,
        v1::Phase::Prepare => Phase::Prepare,
        v1::Phase::PreCommit => Phase::PreCommit { at: wire.at },
        v1::Phase::Commit => Phase::Commit,
        v1::Phase::Committed => Phase::Committed,
    };
    let assignment = |assignment: v1::Assignment| {
        let value = match assignment.value? {
            v1::assignment::Value::Number(number) if number.is_finite() => Value::Number(number),
            v1::assignment::Value::Number(_) => return None,
            v1::assignment::Value::Text(text) => Value::Text(text),
        };
        Some((super::tuning_point_name(assignment.tuning_point), value))
    };
    let assignments = wire.assignments.into_iter().map(assignment).collect::<Option<Vec<_>>>()?;
    let (decided_ns, left_ns) = (wire.decided_ns, wire.time_to_live_ms.saturating_mul(1_000_000));
    let deadline_ns = decided_ns.saturating_add(left_ns);
    Some(Action { id: ActionId(wire.id), job, rank, assignments, at_once, decided_ns, deadline_ns, phase })
}

/// The configuration of an analyzer that began to record at `unix_s` seconds since 1970, and whose tunlets think in the core.
pub fn begun(config: &Config, last_action: u64, unix_s: u64) -> v1::RecordingBegun {
    v1::RecordingBegun {
        version: env!("CARGO_PKG_VERSION").into(),
        protocol: midrun_proto::PROTOCOL_VERSION,
        unix_s,
        last_action,
        action_ttl_ms: config.action_ttl_ms,
        window_grace_ms: config.window_grace_ms,
        close_wait_ms: config.close_wait_ms,
        defaults: Some(v1::OpenJobRequest { dry_run: config.dry_run, ..request(&config.options()) }),
        thoughts: false,
    }
}

/// The configuration of the analyzer that recorded, so far as its core depends on it.
pub fn config(begun: &v1::RecordingBegun) -> Config {
    let defaults = begun.defaults.clone().unwrap_or_default();
    let config = Config {
        action_ttl_ms: begun.action_ttl_ms,
        window_grace_ms: begun.window_grace_ms,
        close_wait_ms: begun.close_wait_ms,
        dry_run: defaults.dry_run,
        ..Config::default()
    };
    let options = config.completed(options(defaults));
    config.with(options)
}
