//! `midrun inspect`: what of a program could be measured and tuned, as a points file to start from.

mod code;
mod controls;
mod program;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::usage::{print, usage};
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
    let bytes = match std::fs::read(&args.program) {
        Ok(bytes) => bytes,
        Err(error) => return usage(format!("{path} cannot be read: {error}")),
    };
    let program = match Program::read(&bytes) {
        Ok(program) => program,
        Err(why) => return usage(format!("{path} cannot be inspected: {why}")),
    };
    print(&text::points_file(&path.to_string(), &program, &code::Code::of(&program))).context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}
