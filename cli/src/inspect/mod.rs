//! `midrun inspect`: what of a program could be measured and tuned, as a points file to start from.

mod code;
mod controls;
mod mpi_names;
mod pass;
mod program;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::launch::mpi;
use crate::usage::{print, say, usage};
use program::Program;

/// The flags of `midrun inspect`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program, as you would run it
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// List the control variables of the program's MPI instead, which `tune LABEL control NAME` lines of a points file name
    #[arg(long)]
    controls: bool,
}

/// Reads the program and prints the points file.
///
/// # Errors
/// The file cannot be read, or is not a program whose functions can be seen.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    if args.controls {
        return controls::main(&args.program);
    }
    let path = args.program.display();
    // A file of that name here, else what a shell would start.
    let found = || crate::launch::command_line::resolve(&args.program.to_string_lossy());
    let named = Some(args.program.clone()).filter(|named| named.exists());
    let file = named.or_else(found).unwrap_or_else(|| args.program.clone());
    // A device or a pipe may have no end.
    if std::fs::metadata(&file).is_ok_and(|found| !found.is_file()) {
        return usage(format!("{path} cannot be inspected: it is no file"));
    }
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => return usage(format!("{path} cannot be read: {error}")),
    };
    let program = match Program::read(&bytes) {
        Ok(program) => program,
        Err(why) => return usage(format!("{path} cannot be inspected: {why}")),
    };
    let (mut texts, mut labels) = (Vec::new(), text::Labels::default());
    if program.calls_mpi() && !program.functions.is_empty() {
        texts.push(text::points_file(&path.to_string(), &program, &code::Code::of(&program), &mut labels));
    }
    // Many programs are a small one around a library.
    for (name, library) in libraries_with_mpi(&file) {
        texts.push(text::library_candidates(&name, &path.to_string(), &code::Code::of(&library), &mut labels));
    }
    if texts.is_empty() && program.functions.is_empty() {
        return usage(format!(
            "{path} cannot be inspected: it has no symbol table, and no library of it calls MPI; build it without -s, and do not strip it"
        ));
    }
    if texts.is_empty() {
        texts.push(text::points_file(&path.to_string(), &program, &code::Code::of(&program), &mut labels));
    }
    let text = texts.join("\n");
    print(&text).context("cannot write")?;
    let candidates = ["iteration ", "measure ", "work ", "tune "];
    let is_candidate = |line: &str| candidates.iter().any(|word| line.trim_start_matches("# ").starts_with(word));
    if !text.lines().any(is_candidate) {
        say(format!(
            "{path} has nothing that midrun could name: its functions may be part of their callers (-fno-inline keeps them). What its command line takes \
             midrun sweep searches, and midrun inspect --controls lists what MPI lets be tuned"
        ));
    } else if text.lines().all(|line| line.is_empty() || line.starts_with('#')) {
        say(format!(
            "no line holds as it stands, and midrun run refuses --points FILE without one: take the # from those of {path} that are right"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The libraries of the program that call MPI and are none of MPI's own, by their names.
fn libraries_with_mpi(path: &Path) -> Vec<(String, Program)> {
    let read = |path: PathBuf| {
        let library = Program::read(&std::fs::read(&path).ok()?).ok()?;
        Some((path.file_name()?.to_string_lossy().into_owned(), library))
    };
    let libraries = mpi::libraries(path).into_iter().filter_map(read);
    libraries
        .filter(|(name, library)| {
            library.calls_mpi() && !library.is_mpi() && !name.starts_with("libmpi") && !library.functions.is_empty()
        })
        .collect()
}
