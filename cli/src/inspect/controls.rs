//! `midrun inspect --controls`: the control variables (MPI_T) of a program's MPI, which `tune … control` lines name.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;

use crate::launch::mpi::{self, preload_value};
use crate::table::{Column, table};
use crate::usage::{print, usage};

/// Starts the program with libmidrun, which lists them and ends it before its `main`.
///
/// # Errors
/// The program names no MPI, or there is no libmidrun for it.
pub fn main(program: &Path) -> anyhow::Result<ExitCode> {
    let path = program.display();
    if let Err(error) = std::fs::File::open(program) {
        return usage(format!("{path} cannot be read: {error}"));
    }
    let linkage = mpi::linkage(program).unwrap_or_default();
    let Some((flavour, _)) = linkage.mpi.filter(|_| !linkage.has_midrun) else {
        return usage(format!("{path} is not linked with an MPI library that midrun knows: give a program that is"));
    };
    let Ok(library) = mpi::library(Some(flavour), None) else {
        return usage(format!("there is no libmidrun for {}, the MPI of {path}", flavour.name()));
    };
    // A name without a slash would be looked for on the search path.
    let program = program.canonicalize().with_context(|| format!("{path} cannot be found"))?;
    let already = std::env::var("LD_PRELOAD").ok();
    let output = Command::new(&program)
        .env("LD_PRELOAD", preload_value(&library, already.as_deref()))
        .env("MIDRUN_CONTROLS", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{path} cannot be started"))?;
    print(&listed(&String::from_utf8_lossy(&output.stdout))).context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}

/// The table for the lines of `shim/mpi/control.c`.
fn listed(text: &str) -> String {
    let columns = [
        Column::Left("name"),
        Column::Left("kind"),
        Column::Left("changed by"),
        Column::Left("values"),
        Column::Left(""),
    ];
    let row = |line: &str| {
        let words: Vec<String> = line.splitn(5, '\t').map(str::to_owned).collect();
        (words.len() == 5).then(|| {
            let changed_by = match &words[2][..] {
                "all" => "all ranks together",
                "one" => "each rank",
                _ => "nobody",
            };
            vec![words[0].clone(), words[1].clone(), changed_by.to_owned(), words[3].clone(), words[4].clone()]
        })
    };
    let mut rows: Vec<Vec<String>> = text.lines().filter_map(row).collect();
    rows.sort();
    table(&columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_by_name_and_what_is_no_line_of_theirs_is_left_out() {
        let text = "b_limit\twhole\tone\t\tbytes sent at once\nnoise\na_kind\twhole\tall\t0,1\tthe algorithm\nc\ttext\tnobody\t\t\n";
        let lines: Vec<String> =
            listed(text).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines[1..],
            [
                "a_kind whole all ranks together 0,1 the algorithm",
                "b_limit whole each rank bytes sent at once",
                "c text nobody"
            ]
        );
    }
}
