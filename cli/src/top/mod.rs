//! `midrun top`: a live view of a job in the terminal, or of a recorded run.

mod draw;
mod source;
mod state;
mod workers;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::Context;
use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;

use crate::control;
use crate::usage::usage;
use source::{Requests, Update};
use state::{Reaction, View};

/// The view looks for keys and news so often: a person feels no delay.
const TICK: Duration = Duration::from_millis(100);

/// The flags of `midrun top`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Id of a running job, or a recording (midrun run --record); without it, all jobs that run, one at a time
    #[arg(value_name = "JOB|FILE.rec")]
    job: Option<String>,
    /// Play a recording so many times as fast as it ran
    #[arg(long, value_name = "TIMES", default_value_t = 1.0)]
    speed: f64,
    /// Use no colours (as with the variable NO_COLOR)
    #[arg(long)]
    no_color: bool,
    #[command(flatten)]
    analyzer: control::AnalyzerArgs,
}

/// Shows the job until the user leaves.
///
/// # Errors
/// There is no terminal, it is too small, or there is no such job.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return usage(
            "midrun top needs a terminal: midrun status prints the same once, midrun status --json for programs",
        );
    }
    if !(args.speed > 0.0 && args.speed.is_finite()) {
        return usage(format!("--speed {} is no speed: a number above 0 is expected", args.speed));
    }
    let (columns, rows) = crossterm::terminal::size().context("the terminal does not tell its size")?;
    if let Some(sentence) = draw::too_small(columns, rows) {
        return usage(sentence);
    }
    let has_colour = !args.no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let (jobs, updates, requests) = match args.job.as_deref().filter(|job| source::is_recording(job)) {
        Some(file) => source::recording(file, args.speed)?,
        None => source::running(args.analyzer, args.job.as_deref())?,
    };
    let mut view = View::new(jobs, has_colour);
    let mut terminal = ratatui::try_init().context("the terminal cannot be used")?;
    let shown = show(&mut terminal, &mut view, &updates, &requests);
    ratatui::restore();
    shown.map(|()| ExitCode::SUCCESS)
}

fn show(
    terminal: &mut DefaultTerminal,
    view: &mut View,
    updates: &Receiver<Update>,
    requests: &Requests,
) -> anyhow::Result<()> {
    loop {
        updates.try_iter().for_each(|update| view.on_update(update));
        terminal.draw(|frame| draw::draw(frame, view)).context("the terminal cannot be drawn on")?;
        if !event::poll(TICK)? {
            continue;
        }
        // A resize is drawn at the next turn.
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match view.on_key(key) {
            Reaction::Nothing => {}
            Reaction::Leave => return Ok(()),
            Reaction::Ask(request) => requests.ask(request),
        }
    }
}
