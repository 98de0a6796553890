//! The program `midrun`: see the library.

fn main() -> std::process::ExitCode {
    midrun_cli::main()
}
