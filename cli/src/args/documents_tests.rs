//! Every command that the documents show is one that midrun understands.

use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;

use super::{Cli, Command};

/// A command of a document, and the place where it stands.
struct Shown {
    place: String,
    words: Vec<String>,
    /// Whether a user types it as it stands; the text around a command in a sentence may say the rest.
    whole: bool,
}

fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Words as a shell takes them, up to a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            _ if quoted => words.last_mut().unwrap().push(letter),
            '|' | '>' => break,
            ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    // "[FLAGS]", "FILE.toml" and "…" stand for what the user has to say.
    let is_name = |word: &String| word.starts_with(|first: char| first.is_ascii_uppercase()) && !word.contains('=');
    words.retain(|word| !word.is_empty() && !word.starts_with(['[', '…']) && !is_name(word));
    words
}

fn shown(path: &Path) -> Vec<Shown> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (number, line) in (1..).zip(std::fs::read_to_string(path).unwrap().lines()) {
        fenced ^= line.starts_with("```");
        let place = format!("{}:{number}", path.display());
        let typed = if fenced { Some(line) } else { line.strip_prefix("    ") };
        let typed = typed.map(|line| line.trim_start_matches("$ ").split(" #").next().unwrap_or_default());
        if let Some(typed) = typed.filter(|line| line.starts_with("midrun ")) {
            let commands = typed.split("; ").filter(|command| command.starts_with("midrun "));
            let whole = !typed.contains('…');
            found.extend(commands.map(|command| Shown { place: place.clone(), words: words(command), whole }));
        } else if typed.is_none() {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("midrun "));
            found.extend(spans.map(|span| Shown { place: place.clone(), words: words(span), whole: false }));
        }
    }
    found.retain(|shown| shown.words.get(1).is_some_and(|word| word.starts_with(char::is_alphabetic)));
    found
}

/// Why a command is refused, if it is.
fn refused(shown: &Shown) -> Option<String> {
    match Cli::try_parse_from(&shown.words) {
        // A file that only the page's reader has is no mistake of the page.
        Ok(Cli { command: Command::Run(args) }) => {
            args.settings().err().map(|error| error.to_string()).filter(|error| !error.contains("No such file"))
        }
        Ok(_) => None,
        Err(error) => {
            let is_incomplete = matches!(
                error.kind(),
                ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            ) || error.to_string().contains("but none was supplied");
            let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            (!is_help && (shown.whole || !is_incomplete)).then(|| error.to_string())
        }
    }
}

#[test]
fn every_command_that_the_documents_show_is_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("README.md"), root.join("python/README.md")];
    pages(&root.join("docs"), &mut files);
    let commands: Vec<Shown> = files.iter().flat_map(|path| shown(path)).collect();
    assert!(commands.iter().filter(|shown| shown.whole).count() > 80, "{} commands", commands.len());
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|shown| Some(format!("{}: {}: {}", shown.place, shown.words.join(" "), refused(shown)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
