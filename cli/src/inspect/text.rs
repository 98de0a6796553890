//! The points file: what stands in force without a doubt, and as comments what a person has to decide.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use midrun_vocabulary::Count;
use midrun_vocabulary::bounds::NAME_BYTES;

use super::code::{Call, Code, Places, Uses};
use super::mpi_names::{is_message, mpi, reaches_others};
use super::pass::Pass;
use super::program::{Program, Variable};

/// Names at which a program begins; of Fortran's, `main` does nothing but call it.
const ENTRIES: [&str; 2] = ["MAIN__", "main"];
/// Most lines of one kind.
const LISTED: usize = 8;
/// Functions that return memory of a size.
const ALLOCATES: [&str; 8] =
    ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "_Znwm", "_Znam", "MPI_Alloc_mem"];

/// Writes the points file for the program at `path`.
pub fn points_file(path: &str, program: &Program, code: &Code, labels: &mut Labels) -> String {
    let mut text = format!(
        "# {path}: what midrun could measure and tune. A line without # holds as it stands (docs/points.md).\n"
    );
    if program.is_stripped {
        text += "# It has no symbol table: only what it exports is listed. Build it without -s, and do not strip it.\n";
    }
    let entry = ENTRIES.into_iter().find(|entry| code.bodies.contains_key(*entry));
    let talking = code.leading_to(reaches_others);
    let functions = entry.map(|entry| iterations(code, entry, &talking)).unwrap_or_default();
    let first = functions.first().map(|(function, caller)| (function.as_str(), caller.as_str()));
    let part = first.and_then(|(function, caller)| Pass::beside(code, function, caller, &talking));
    let pass = part.or_else(|| Pass::nearest(code, entry.filter(|_| first.is_none())?, &talking));
    list_iterations(&mut text, code, &functions, pass.as_ref());
    let has_chunks = list_work(&mut text, code, &talking, labels);
    let inside: BTreeSet<&str> = match first.filter(|_| pass.is_none()) {
        Some((function, _)) => code.reached(function).into_iter().chain([function]).collect(),
        // Without a function of the iterations everything but the program's own beginning and what is around them belongs to them.
        None => {
            let around = [entry, pass.as_ref().map(|pass| pass.caller)];
            code.bodies.keys().map(String::as_str).filter(|name| !around.contains(&Some(*name))).collect()
        }
    };
    list_variables(&mut text, (program, code), &Iterations { inside, around: pass.as_ref() }, &talking, labels);
    if has_chunks {
        explain_chunks(&mut text, first.filter(|_| pass.is_none()).map(|(function, _)| function));
    }
    text
}

/// Says how the variables by which a master cuts chunks are named so that midrun knows what they are.
fn explain_chunks(text: &mut String, iteration: Option<&str>) {
    let inside = iteration.map(|function| format!(" inside {function}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "\n# Where a master cuts its tasks into batches or chunks, the labels say what its variables are, and midrun chooses the values: F0, F1 ... shares\n\
         # of all tasks, F0.rest, F1.rest ... of what is left, chunk.tasks the tasks of every chunk, chunk.share what each request of a worker gets of an\n\
         # equal part of what is left, NW the workers that take part. Such lines and the work line are what tuning takes:\n\
         # tune F0.rest variable SHARE float 0.05..1\n\
         # tune chunk.tasks variable CHUNK int 1..MOST\n\
         # tune chunk.share variable SHARE double 0.05..1\n\
         # tune NW variable WORKERS int 1..MAX{inside}"
    );
}

/// The code of the iterations.
struct Iterations<'c> {
    /// Functions that belong to them.
    inside: BTreeSet<&'c str>,
    /// The loop whose passes they are.
    around: Option<&'c Pass<'c>>,
}

impl Iterations<'_> {
    /// The functions of which one of the places belongs to the iterations.
    fn of<'p>(&self, places: &'p Places) -> Vec<&'p str> {
        let in_loop = |(name, at): &(&String, &BTreeSet<Option<usize>>)| {
            self.around.is_some_and(|pass| {
                pass.caller == name.as_str() && at.iter().flatten().any(|number| pass.loops.contains(number))
            })
        };
        let inside = places.iter().filter(|one| self.inside.contains(&**one.0) || in_loop(one));
        inside.map(|(name, _)| name.as_str()).collect()
    }
}

/// Writes the candidates in a library of the program, all as comments: nothing tells which of its functions the program uses, and many
/// are called by pointers.
pub fn library_candidates(name: &str, path: &str, code: &Code, labels: &mut Labels) -> String {
    let talking = code.leading_to(reaches_others);
    let reach =
        |function: &str| code.reached(function).into_iter().filter(|name| code.bodies.contains_key(*name)).count();
    let in_loops = code.bodies.values().flat_map(|body| body.calls.iter().filter(|call| call.around().is_some()));
    let in_loops: BTreeSet<&str> =
        in_loops.map(|call| &*call.to).filter(|name| code.bodies.contains_key(*name)).collect();
    let mut iterations: Vec<(usize, &str)> =
        in_loops.iter().filter(|name| talking.contains(*name)).map(|name| (reach(name), *name)).collect();
    iterations.sort_by_key(|(reached, _)| std::cmp::Reverse(*reached));
    // What the library does not call, the program may, in its loop.
    let called: BTreeSet<&str> = code.bodies.values().flat_map(|body| &body.calls).map(|call| &*call.to).collect();
    let entries =
        code.bodies.keys().map(String::as_str).filter(|name| talking.contains(name) && !called.contains(name));
    let mut entries: Vec<(usize, &str)> = entries.filter(|name| is_own(name)).map(|name| (reach(name), name)).collect();
    entries.sort_by_key(|(reached, _)| std::cmp::Reverse(*reached));
    let computing = in_loops.iter().filter(|name| !talking.contains(*name) && is_own(name));
    let mut computing: Vec<(usize, &str)> = computing.map(|name| (code.bodies[*name].size, *name)).collect();
    computing.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    let mut text = format!(
        "# {name}, which {path} loads: candidates. Only those that the program uses will do (docs/points.md).\n\n\
         # Functions that communicate and are called in a loop, or that only the program can call; of either, those that call most first.\n"
    );
    for (_, function) in iterations.into_iter().take(LISTED).chain(entries.into_iter().take(LISTED)) {
        let calls = communicates(code, function).join(", ");
        let _ = writeln!(text, "# iteration function {function}   # {}calls {calls}", source_name(function));
    }
    let _ = writeln!(text, "\n# Functions that are called in a loop and do not communicate, the largest first.");
    for (_, function) in computing.into_iter().take(LISTED) {
        let name = source_name(function);
        let _ = writeln!(
            text,
            "# measure {} function {function} sum   # {}",
            labels.give(function),
            name.trim_end_matches("; ")
        );
    }
    text
}

/// Not one that the compiler made of a library of templates.
fn is_own(symbol: &str) -> bool {
    !is_of_library(symbol) && !["void std::", "fmt::"].iter().any(|prefix| readable(symbol).starts_with(prefix))
}

/// The MPI functions that reach other ranks, of all that `function` reaches.
fn communicates<'c>(code: &'c Code, function: &str) -> Vec<&'c str> {
    code.reached(function).into_iter().filter(|name| reaches_others(name)).collect()
}

/// Functions of the program that are called in a loop and communicate, with the caller: those nearest to the entry first.
fn iterations(code: &Code, entry: &str, talking: &BTreeSet<&str>) -> Vec<(String, String)> {
    let levels = code.levels(entry);
    let depth: BTreeMap<&str, usize> =
        levels.iter().enumerate().flat_map(|(depth, level)| level.iter().map(move |name| (*name, depth))).collect();
    let mut found = Vec::new();
    for (caller, body) in code.bodies.iter().filter(|(caller, _)| depth.contains_key(&***caller)) {
        for call in body.calls.iter().filter(|call| call.around().is_some() && call.to != **caller) {
            let known = found.iter().any(|(function, _): &(String, String)| *function == call.to);
            if !known && code.bodies.contains_key(&call.to) && talking.contains(&*call.to) {
                found.push((call.to.clone(), caller.clone()));
            }
        }
    }
    found.sort_by_key(|(function, _)| depth.get(&**function).copied());
    found
}

fn list_iterations(text: &mut String, code: &Code, functions: &[(String, String)], pass: Option<&Pass<'_>>) {
    let _ = writeln!(text, "\n# Functions that are called in a loop and communicate: one of them may be an iteration.");
    for (number, (function, caller)) in functions.iter().take(LISTED).enumerate() {
        let is_whole = number == 0 && pass.is_none();
        let (mark, calls) = (if is_whole { "" } else { "# " }, communicates(code, function).join(", "));
        let (name, caller) = (source_name(function), readable(caller));
        let _ = writeln!(text, "{mark}iteration function {function}   # {name}called by {caller}; calls {calls}");
    }
    let beside = pass.map(|pass| pass.beside.iter().map(|name| readable(name)).collect::<Vec<_>>().join(", "));
    let beside = beside.filter(|beside| !beside.is_empty());
    let what = match (pass, beside) {
        (Some(Pass { caller, part: Some(part), .. }), Some(beside)) => format!(
            "The loop in {} that calls {} also calls {beside}: a pass of it is an iteration, of which the function may be a small part",
            readable(caller),
            readable(part)
        ),
        (Some(Pass { caller, .. }), Some(beside)) => {
            format!("none, but a loop in {} calls {beside}", readable(caller))
        }
        _ if functions.is_empty() => "none".to_owned(),
        _ => return,
    };
    let _ = writeln!(text, "# {what}. Without an iteration line, midrun looks for the period of the MPI calls.");
    for (call, count) in pass.map(|pass| pass.ends(code)).unwrap_or_default() {
        let _ = writeln!(
            text,
            "# iteration mpi {call} every {count}   # if each pass makes {}",
            Count(count as u64, "such call")
        );
    }
}

/// Whether a function is of the language's library or of MPI's C++ interface, compiled into the program.
fn is_of_library(symbol: &str) -> bool {
    let name = readable(symbol);
    ["std::", "__gnu_cxx::", "MPI::"].iter().any(|space| name.starts_with(space))
}

/// Whether a procedure gets its arguments by reference, as far as its name tells: those of modules, and those with an underscore behind.
fn is_fortran(symbol: &str) -> bool {
    symbol.contains("_MOD_") || symbol.starts_with("_QM") || symbol.ends_with('_')
}

/// Warns of a copy of a function whose arguments the compiler changed.
fn changed_arguments(symbol: &str) -> &'static str {
    match [".isra.", ".constprop."].iter().any(|part| symbol.contains(part)) {
        true => "; the compiler changed its arguments: with -fno-ipa-sra -fno-ipa-cp they are those of the source",
        false => "",
    }
}

/// Whether a function of an OpenMP library runs a parallel region: its loop is in a function that the compiler made of it.
fn is_parallel(symbol: &str) -> bool {
    ["GOMP_parallel", "__kmpc_fork_call"].iter().any(|name| symbol.starts_with(name))
}

/// Functions that compute: called where messages are exchanged, and without messages of their own. Returns whether some may compute a worker's chunk.
fn list_work(text: &mut String, code: &Code, talking: &BTreeSet<&str>, labels: &mut Labels) -> bool {
    let receives = |call: &Call| mpi(&call.to).is_some_and(|name| name.to_ascii_lowercase().ends_with("recv"));
    let sends = |call: &Call| mpi(&call.to).is_some_and(|name| name.to_ascii_lowercase().ends_with("send"));
    let (mut chunks, mut others) = (BTreeMap::new(), BTreeMap::new());
    for (caller, body) in code.bodies.iter().filter(|(caller, _)| talking.contains(&***caller)) {
        for call in &body.calls {
            let computes = code.bodies.get(&call.to).filter(|of| {
                of.has_loop || of.calls.iter().any(|c| code.bodies.contains_key(&c.to) || is_parallel(&c.to))
            });
            let is_own = || !talking.contains(&*call.to) && !is_of_library(&call.to);
            let Some(of) = computes.filter(|_| is_own()) else { continue };
            let answers = |number: &usize| {
                let same = || body.calls.iter().filter(|other| other.loops.contains(number));
                // What all ranks do together is no worker's.
                let together = same().any(|other| reaches_others(&other.to) && !is_message(&other.to));
                same().any(receives) && same().any(sends) && !together
            };
            let list = if call.loops.iter().any(answers) { &mut chunks } else { &mut others };
            list.entry(&*call.to).or_insert((of.size, &**caller));
        }
    }
    let _ = writeln!(text, "\n# Functions that compute and do not communicate, the largest first.");
    for (function, (_, caller)) in largest(&chunks) {
        let _ = writeln!(
            text,
            "measure {} function {function} sum   # {}called by {} in a loop that receives and sends",
            labels.give(function),
            source_name(function),
            readable(caller),
        );
        let int = if is_fortran(function) { "int*" } else { "int" };
        let _ = writeln!(
            text,
            "# work function {function} first M {int} tasks N {int}   # if that is a worker's chunk: argument M numbers its first task, N says how many; or end N, the first task behind them, or last N{}",
            changed_arguments(function)
        );
    }
    others.retain(|function, _| !chunks.contains_key(function));
    if chunks.is_empty() && others.is_empty() {
        let _ = writeln!(
            text,
            "# None: a compiler that optimises may have put them into their callers; __attribute__((noinline)) or -fno-inline keeps them."
        );
    }
    for (function, (_, caller)) in largest(&others) {
        let (name, caller) = (source_name(function), readable(caller));
        let _ =
            writeln!(text, "measure {} function {function} sum   # {name}called by {caller}", labels.give(function));
    }
    !chunks.is_empty()
}

fn largest<'f, 'c>(list: &BTreeMap<&'f str, (usize, &'c str)>) -> Vec<(&'f str, (usize, &'c str))> {
    let mut list: Vec<_> = list.iter().map(|(name, of)| (*name, *of)).collect();
    list.sort_by_key(|(_, (size, _))| std::cmp::Reverse(*size));
    list.truncate(LISTED);
    list
}

/// A symbol as in the source, where it is one of C++.
fn readable(symbol: &str) -> String {
    let options = cpp_demangle::DemangleOptions::new().no_return_type();
    let name = cpp_demangle::Symbol::new(symbol).ok().filter(|_| symbol.starts_with("_Z"));
    name.and_then(|name| name.demangle_with_options(&options).ok()).unwrap_or_else(|| symbol.to_owned())
}

/// The name in the source where it differs from the symbol, with a semicolon.
fn source_name(symbol: &str) -> String {
    let name = readable(symbol);
    if name == symbol { String::new() } else { format!("{name}; ") }
}

/// A name of C++ without the arguments of its templates and functions.
fn without_arguments(name: &str) -> String {
    let (mut outside, mut depth) = (String::new(), 0_usize);
    for c in name.chars().take_while(|c| *c != '(') {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside
}

/// The labels that were given: each once.
#[derive(Debug, Default)]
pub struct Labels(BTreeSet<String>);

impl Labels {
    /// A label for a symbol, which nothing else has: of C++, class and function. Constructor and destructor have one name.
    fn give(&mut self, symbol: &str) -> String {
        let name = without_arguments(&readable(symbol).replace("(anonymous namespace)::", ""));
        // Of Fortran, module and procedure.
        let name = name
            .strip_prefix("__")
            .filter(|name| name.contains("_MOD_"))
            .map_or(name.clone(), |name| name.replace("_MOD_", "::"));
        let parts: Vec<&str> = name.split("::").collect();
        let both = parts[parts.len().saturating_sub(2)..].join(".");
        // Where both are too long, what tells it from others.
        let short = if both.len() <= NAME_BYTES { both } else { parts[parts.len() - 1].to_owned() };
        let plain = short.chars().filter(|c| c.is_ascii_alphanumeric() || "_.".contains(*c));
        let plain: String = plain.skip_while(|c| !c.is_ascii_alphabetic()).collect();
        let plain = if plain.is_empty() { "point".to_owned() } else { plain };
        let numbered = |number: u64| {
            let end = if number == 1 { String::new() } else { format!(".{number}") };
            plain.chars().take(NAME_BYTES - end.len()).chain(end.chars()).collect::<String>()
        };
        let free = (1..).map(numbered).find(|label| self.0.insert(label.clone()));
        free.unwrap_or_default()
    }
}

fn list_variables(
    text: &mut String,
    (program, code): (&Program, &Code),
    iterations: &Iterations<'_>,
    talking: &BTreeSet<&str>,
    labels: &mut Labels,
) {
    let nothing = Uses::default();
    let mut lines = [const { Vec::new() }; 4];
    for variable in program.variables.values() {
        let uses = code.uses.get(&variable.name).unwrap_or(&nothing);
        let read = iterations.of(&uses.readers);
        if read.is_empty() || uses.is_pointer || uses.is_rank {
            continue;
        }
        let written =
            [&uses.writers, &uses.takers].into_iter().find_map(|places| iterations.of(places).first().copied());
        let sized = uses.readers.keys().find(|name| {
            let allocates = |call: &Call| ALLOCATES.contains(&&*call.to);
            !read.contains(&&***name) && code.bodies.get(*name).is_some_and(|body| body.calls.iter().any(allocates))
        });
        let (kind, start) = value(variable, uses);
        let line = format!(
            "# tune {} variable {} {kind} MIN..MAX   # {start} at start; read by {}",
            labels.give(&variable.name),
            variable.name,
            read.iter().map(|name| readable(name)).collect::<Vec<_>>().join(", "),
        );
        match (written, sized) {
            (Some(writer), _) => lines[3].push(format!("{line}; written by {}", readable(writer))),
            (None, _) if read.iter().any(|name| talking.contains(name)) => lines[1].push(line),
            (None, Some(reader)) => lines[2].push(format!("{line}, and by {}", readable(reader))),
            (None, None) => lines[0].push(line),
        }
    }
    let heads = [
        "Variables that the iterations read and do not write: a value that midrun sets stays. Give the range in which the results stay right.",
        "Variables that the iterations do not write, read where messages are exchanged. Ranks take a new value one after the other: where it decides how\n\
         # many messages there are, or how long, they would wait for each other for ever. Where one rank alone decides it, put rank=0 at the line's end.",
        "Variables that the iterations do not write, read where memory is allocated, which may be sized by them: larger values may not fit.",
        "Variables that the iterations write themselves: the program would overwrite a value, or rely on its own.",
    ];
    for (head, lines) in heads.into_iter().zip(&lines).filter(|(_, lines)| !lines.is_empty()) {
        let _ = writeln!(text, "\n# {head}");
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
    }
}

/// The variable's type in the points language, and its value at start.
fn value(variable: &Variable, uses: &Uses) -> (&'static str, String) {
    match (&*variable.start, uses.is_float) {
        (&[a, b, c, d], true) => ("float", f32::from_le_bytes([a, b, c, d]).to_string()),
        (&[a, b, c, d], false) => ("int", i32::from_le_bytes([a, b, c, d]).to_string()),
        (&[a, b, c, d, e, f, g, h], true) => ("double", f64::from_le_bytes([a, b, c, d, e, f, g, h]).to_string()),
        (&[a, b, c, d, e, f, g, h], false) => ("long", i64::from_le_bytes([a, b, c, d, e, f, g, h]).to_string()),
        (bytes, _) => ("bool", bytes.first().copied().unwrap_or(0).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_is_given_once() {
        let mut labels = Labels::default();
        let mut give = |symbol: &str| labels.give(symbol);
        assert_eq!(give("_ZN6SolverIdEC2Ei"), "Solver.Solver"); // Solver<double>::Solver(int)
        assert_eq!(give("_ZN6SolverIdED2Ev"), "Solver.Solver.2"); // Solver<double>::~Solver()
        assert_eq!(give("_ZN3sim12_GLOBAL__N_111hidden_tileE"), "sim.hidden_tile");
        assert_eq!((give("tile"), give("tile")), ("tile".into(), "tile.2".into()));
        assert_eq!(give("__farm_MOD_iterate"), "farm.iterate");
        assert_eq!(give("__molecular_dynamics_force_field_MOD_contribution_a"), "contribution_a");
        assert_eq!(give(&"n".repeat(40)).len(), NAME_BYTES);
        assert_eq!(give(&"n".repeat(41)).len(), NAME_BYTES);
        assert_eq!(give("__1"), "point");
    }
}
