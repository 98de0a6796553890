//! Help texts by group, an example for each subcommand, man pages and shell completions: all from the definitions of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

use crate::usage::print;

/// The subcommands by what people want.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Run programs", &["run", "exec", "sweep"]),
    ("Look at a running job, and steer it", &["top", "status", "set", "freeze", "pause", "resume"]),
    ("Look at finished runs", &["report", "explain", "history", "replay", "export"]),
    ("Before a run", &["predict", "inspect"]),
    ("For sites", &["analyzer", "agent", "certificates"]),
    ("For the shell", &["completions", "man"]),
];

/// One example for each subcommand, and for those of `predict`.
const EXAMPLES: [(&str, &str); 30] = [
    ("run", "midrun run --summary run.json -- mpirun -n 65 ./my_program"),
    ("exec", "midrun run -- mpirun -n 64 midrun exec ./my_program"),
    ("sweep", "midrun sweep tile=8,16,32 -- mpirun -n 4 ./my_program --tile {tile}"),
    ("top", "midrun top"),
    ("status", "midrun status --json"),
    ("set", "midrun set mw.technique gss"),
    ("freeze", "midrun freeze"),
    ("pause", "midrun pause"),
    ("resume", "midrun resume"),
    ("report", "midrun report before.json after.rec -o both.html"),
    ("explain", "midrun explain --summary run.json"),
    ("history", "midrun history"),
    ("replay", "midrun replay run.rec --objective efficiency"),
    ("export", "midrun export run.rec --format perfetto -o trace.json"),
    ("predict", "midrun predict run run.rec"),
    (
        "predict workers",
        "midrun predict workers --start-up 1ms --per-byte 1us --volume 4096 --compute 1600ms --master-share 0.9",
    ),
    ("predict pipeline", "midrun predict pipeline stream.toml --ranks 7"),
    ("predict pepa", "midrun predict pepa server.pepa"),
    ("predict mapping", "midrun predict mapping pipeline.des"),
    ("predict diagram", "midrun predict diagram manager_workers.toml"),
    ("predict program", "midrun predict program stencil.toml --machine two_nodes.toml"),
    ("predict cost", "midrun predict cost producer_consumer.toml"),
    ("predict run", "midrun predict run run.rec --workers 4,8,16"),
    ("inspect", "midrun inspect ./my_program"),
    (
        "analyzer",
        "midrun analyzer --listen 10.0.0.1:7741 --token-file token --tls-ca ca.pem --tls-cert a.pem --tls-key a.key",
    ),
    ("agent", "midrun agent --socket /run/midrun/agent.sock --analyzer https://node1:7741"),
    ("certificates", "midrun certificates certs node1"),
    ("completions", "midrun completions bash > ~/.local/share/bash-completion/completions/midrun"),
    ("man", "midrun man ~/.local/share/man/man1"),
    ("help", "midrun help run"),
];

/// The flags of `midrun completions`.
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The flags of `midrun man`.
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Directory that gets a page for midrun and one for each subcommand
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Adds groups and examples to the help of `command`.
pub fn with_help(command: Command) -> Command {
    let listing = listing(&command);
    EXAMPLES.into_iter().fold(command, |command, (name, example)| with_example(command, name, example)).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listing}\n\nOptions:\n{{options}}{{after-help}}"
    ))
    .after_help("midrun help COMMAND shows its flags and an example. Exit codes and environment variables: docs/reference.md.")
}

/// Adds an example to the subcommand that `path` names.
fn with_example(command: Command, path: &str, example: &str) -> Command {
    let (name, rest) = path.split_once(' ').unwrap_or((path, ""));
    match command.find_subcommand(name) {
        Some(_) if rest.is_empty() => command.mut_subcommand(name, |sub| sub.after_help(format!("Example: {example}"))),
        Some(_) => command.mut_subcommand(name, |sub| with_example(sub, rest, example)),
        None => command, // clap makes `help` by itself
    }
}

fn listing(command: &Command) -> String {
    let about = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
        format!("\n  {name:<13} {}", about.unwrap_or_default())
    };
    let group =
        |(title, names): &(&str, &[&str])| format!("\n\n{title}:{}", names.iter().map(about).collect::<String>());
    GROUPS.iter().map(group).collect()
}

/// Prints the completions of a shell.
///
/// # Errors
/// They cannot be written.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "midrun", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the man pages.
///
/// # Errors
/// The directory cannot be written to.
pub fn man(args: &ManArgs, command: Command) -> anyhow::Result<ExitCode> {
    let directory = args.directory.display();
    std::fs::create_dir_all(&args.directory).with_context(|| format!("cannot make {directory}"))?;
    // A page lists the subcommands by itself; the template is for terminals.
    let command = command.help_template("{all-args}");
    clap_mangen::generate_to(command, &args.directory).with_context(|| format!("cannot write to {directory}"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::args::command;

    use super::*;

    #[test]
    fn each_subcommand_is_in_one_group_and_has_an_example_that_is_understood() {
        let command = command();
        let names: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!((grouped.len(), grouped.iter().copied().collect::<BTreeSet<_>>()), (names.len(), names.clone()));
        let of_predict = command.find_subcommand("predict").unwrap().get_subcommands();
        let nested = of_predict.map(|sub| format!("predict {}", sub.get_name()));
        for name in names.into_iter().map(str::to_owned).chain(nested) {
            let (_, example) =
                EXAMPLES.iter().find(|(of, _)| *of == name).unwrap_or_else(|| panic!("no example of {name}"));
            let words = example.split(" > ").next().unwrap().split(' ');
            assert!(example.contains(&format!("midrun {name}")) || name == "exec", "{example}");
            if let Err(error) = crate::args::command().try_get_matches_from(words) {
                panic!("{example}: {error}");
            }
        }
    }

    #[test]
    fn the_help_lists_every_group_with_its_subcommands() {
        let help = command().render_help().to_string();
        for part in
            ["Look at a running job, and steer it:\n  top ", "For sites:\n  analyzer", "Options:", "docs/reference.md"]
        {
            assert!(help.contains(part), "{part:?} is missing in:\n{help}");
        }
        let mut predict = command();
        let workers = predict.find_subcommand_mut("predict").unwrap().find_subcommand_mut("workers").unwrap();
        assert!(workers.render_help().to_string().contains("Example: midrun predict workers --start-up"));
        let run = command().find_subcommand_mut("run").unwrap().render_help().to_string();
        for part in ["What midrun tells:", "Tuning:", "Search:", "Example: midrun run --summary"] {
            assert!(run.contains(part), "{part:?} is missing in:\n{run}");
        }
    }

    #[test]
    fn man_pages_and_completions_are_made_of_every_subcommand() {
        let dir = tempfile::tempdir().unwrap();
        man(&ManArgs { directory: dir.path().join("man1") }, command()).unwrap();
        let pages = std::fs::read_dir(dir.path().join("man1")).unwrap().count();
        assert!(pages > GROUPS.iter().map(|(_, names)| names.len()).sum::<usize>(), "{pages} pages");
        let page = std::fs::read_to_string(dir.path().join("man1/midrun-run.1")).unwrap();
        assert!(page.contains("log\\-file") && page.contains("Example: midrun run"), "{page}");
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command(), "midrun", &mut text);
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("log-file") && text.contains("freeze"), "{shell}");
        }
    }
}
