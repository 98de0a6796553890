//! `midrun history`: lists the runs that midrun remembers, or forgets them.

use std::process::ExitCode;

use midrun_vocabulary::{Count, Seconds, UnixTime};
use serde_json::json;

use crate::memory::{self, Run, Store};
use crate::table::{Column, table};
use crate::usage::{print, refused};

/// The flags of `midrun history`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Print JSON, with everything that was learnt
    #[arg(long)]
    json: bool,
    /// Forget the runs instead of listing them
    #[arg(long, conflicts_with = "json")]
    forget: bool,
    /// Only the runs of this program, by its file name
    #[arg(value_name = "PROGRAM")]
    program: Option<String>,
}

/// Lists or forgets.
///
/// # Errors
/// There is no memory, or it cannot be read.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    // A path names the program as well as its file name does.
    let program = args.program.as_deref().map(|program| program.rsplit('/').next().unwrap_or(program));
    let Some(path) = memory::path() else {
        return refused("there is no place for a memory: neither XDG_STATE_HOME nor HOME is an absolute path");
    };
    if !path.exists() {
        let nothing = if args.json { "[]\n".to_owned() } else { nothing(program) };
        print(&nothing)?;
        return Ok(ExitCode::SUCCESS);
    }
    let done = Store::open(&path).and_then(|store| match args.forget {
        true => store.forget(program).map(|count| format!("forgot {}\n", Count(count as u64, "run"))),
        false => store.runs(program).map(|runs| match (args.json, runs.is_empty()) {
            (true, _) => format!("{}\n", json!(runs)),
            (false, true) => nothing(program),
            (false, false) => text(&runs),
        }),
    });
    match done {
        Ok(text) => print(&text)?,
        Err(error) => return refused(error.to_string()),
    }
    Ok(ExitCode::SUCCESS)
}

fn nothing(program: Option<&str>) -> String {
    program
        .map_or_else(|| "no run is remembered\n".to_owned(), |program| format!("no run of {program} is remembered\n"))
}

fn text(runs: &[Run]) -> String {
    let columns = [
        Column::Left("time"),
        Column::Left("program"),
        Column::Right("ranks"),
        Column::Right("iterations"),
        Column::Right("first"),
        Column::Right("last"),
        Column::Left("best setting"),
        Column::Left("arguments"),
    ];
    table(&columns, runs.iter().map(row))
}

fn row(run: &Run) -> Vec<String> {
    let workers = run.workers.map_or(String::new(), |workers| format!(", {}", Count(workers, "worker")));
    let setting = run.setting.as_ref().map_or("-".to_owned(), |setting| format!("{setting}{workers}"));
    vec![
        UnixTime(run.time_s).to_string(),
        run.program.clone(),
        run.ranks.to_string(),
        run.iterations.to_string(),
        Seconds(run.first_s).to_string(),
        Seconds(run.last_s).to_string(),
        setting,
        run.arguments(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_row_and_what_is_unknown_is_a_dash() {
        let run = Run {
            time_s: 1_700_000_000,
            program: "mw_synthetic".into(),
            key: r#"{"arguments":["--tasks","400","a b"]}"#.into(),
            ranks: 9,
            iterations: 20,
            per: "iteration".into(),
            first_s: 0.142,
            last_s: 0.131,
            setting: Some("daf(mu=1.0000ms sigma=0.8000ms)".into()),
            workers: Some(8),
            learnt: json!({}),
        };
        let other = Run { setting: None, workers: None, key: "of an older version".into(), ..run.clone() };
        let expected = "  time                  program       ranks  iterations    first     last  best setting                                arguments
  2023-11-14 22:13 UTC  mw_synthetic      9          20  0.142 s  0.131 s  daf(mu=1.0000ms sigma=0.8000ms), 8 workers  --tasks 400 'a b'
  2023-11-14 22:13 UTC  mw_synthetic      9          20  0.142 s  0.131 s  -
";
        assert_eq!(text(&[run, other]), expected);
    }
}
