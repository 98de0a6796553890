//! Damaged descriptions: whatever stands in a file, its reader answers with a description or one sentence. The same readers as in `fuzz/`.

use midrun_mutations::damaged_texts;
use midrun_predict::mapping::{Description as Mappings, Evaluator};
use midrun_predict::markov::Options as Solving;
use midrun_predict::pepa::{Limits, Model};
use midrun_predict::pipeline::Description as Pipeline;
use midrun_predict::program::{Machine, Options, Program, simulate};
use midrun_predict::state_diagram::{Diagram, exact};
use midrun_predict::time_cost::source::{Given, from_c};
use midrun_predict::time_cost::{Machine as Processors, Policy, Structure};

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../examples/models/", $name))
    };
}

const DIAGRAMS: [&str; 3] = [example!("manager_workers.toml"), example!("chain.toml"), example!("reader_solvers.toml")];

const PIPELINE: &str = r#"
network = { start_up = "2.131ms", per_byte = "93ns", manager = "own-rank" }
stage = [
    { compute = "100ms", message = "10KB" },
    { compute = "400ms", message = "10KB", name = "denoise" },
    { compute = "100ms" },
]"#;

/// A description is printed so that it reads back as the same one; a refusal is one line.
fn assert_refused(error: impl std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 2_000, "{text}");
}

#[test]
fn state_diagrams() {
    let read = |text: &str| match Diagram::from_toml(text) {
        Ok(diagram) => {
            assert_eq!(Diagram::from_toml(&diagram.to_toml()).as_ref(), Ok(&diagram));
            if diagram.processes() <= 16 {
                let _ = exact(&diagram, 500);
            }
        }
        Err(error) => assert_refused(error),
    };
    DIAGRAMS.iter().for_each(|example| read(example));
    damaged_texts(&DIAGRAMS, read);
}

#[test]
fn computation_structures() {
    let files = [example!("producer_consumer.toml"), example!("producer_consumer_sweep.toml")];
    let read = |text: &str| match Structure::from_toml(text) {
        Ok(structure) => assert_eq!(Structure::from_toml(&structure.to_toml()).as_ref(), Ok(&structure)),
        Err(error) => assert_refused(error),
    };
    files.iter().for_each(|file| read(file));
    damaged_texts(&files, read);
}

#[test]
fn sources_in_c() {
    let posix = example!("histogram.c").replace("read_block(k);", "read_block(k); // midrun: cost 4e-3");
    let open_mp = "#define ROWS 10\nvoid g(int i) { work(i); /* midrun: cost 1 variance 2 */ }\nint f(int n) {\n\
        #pragma omp parallel for num_threads(4)\n  for (int i = 0; i < (ROWS + 2) * 3; i++) g(i);\n\
        #pragma omp critical (x)\n  {\n    // midrun: probability 0.25\n    if (n > 1) g(2); else g(3);\n  }\n\
        while (more(n)) g(n); // midrun: count 5 cost 1\n  return 0;\n}\n";
    let read = |text: &str| {
        for name in ["count_all", "f"] {
            let machine = Processors { processors: 2.0, speed: 1.0, policy: Policy::Equal };
            match from_c(text, name, &Given::default(), machine) {
                Ok(structure) => assert!(Structure::from_toml(&structure.to_toml()).is_ok(), "{}", structure.to_toml()),
                Err(error) => assert_refused(error),
            }
        }
    };
    read(&posix);
    read(open_mp);
    damaged_texts(&[&posix, open_mp], read);
}

#[test]
fn pipelines() {
    let read = |text: &str| match Pipeline::from_toml(text) {
        Ok(description) => {
            assert_eq!(Pipeline::from_toml(&description.to_toml()).as_ref(), Ok(&description));
        }
        Err(error) => assert_refused(error),
    };
    damaged_texts(&[PIPELINE], read);
}

#[test]
fn mappings() {
    let read = |text: &str| match Mappings::parse(text) {
        Ok(read) => {
            let mut evaluator = Evaluator::new(read.pipeline, Limits { max_states: 500, ..Limits::default() });
            for mapping in read.mappings.iter().take(3) {
                let _ = evaluator.evaluate(mapping);
            }
        }
        Err(error) => assert_refused(error),
    };
    damaged_texts(&[example!("pipeline.des"), example!("search.des")], read);
}

#[test]
fn process_algebra() {
    let read = |text: &str| match Model::parse(text) {
        Ok(model) => {
            assert_eq!(Model::parse(&model.to_string()).as_ref(), Ok(&model));
            if let Ok(space) = model.derive(&Limits { max_states: 500, ..Limits::default() }) {
                let _ = space.solve(&Solving { max_sweeps: 100, ..Solving::default() });
            }
        }
        Err(error) => assert_refused(error),
    };
    damaged_texts(&[example!("pipeline.pepa"), example!("server.pepa")], read);
}

#[test]
fn programs_and_machines() {
    let nodes = Machine::from_toml(example!("two_nodes.toml")).expect("the example's machine");
    let machine = |text: &str| match Machine::from_toml(text) {
        Ok(machine) => assert_eq!(Machine::from_toml(&machine.to_toml()).as_ref(), Ok(&machine)),
        Err(error) => assert_refused(error),
    };
    damaged_texts(&[example!("two_nodes.toml")], machine);
    let program = |text: &str| match Program::from_toml(text) {
        Ok(program) => {
            assert_eq!(Program::from_toml(&program.to_toml()).as_ref(), Ok(&program));
            if program.processes().is_ok_and(|processes| processes <= 50) {
                let _ = simulate(&program, &nodes, &Options { events: 2000, spans: 100, ..Options::default() });
            }
        }
        Err(error) => assert_refused(error),
    };
    damaged_texts(&[example!("stencil.toml")], program);
}
