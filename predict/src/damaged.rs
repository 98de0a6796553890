//! Damaged descriptions: whatever stands in a file, its reader answers with a description or one sentence. For a mutation loop and for
//! the targets of `tests/fuzz`.

use crate::mapping::{Description as Mappings, Evaluator};
use crate::markov::Options as Solving;
use crate::pepa::{Limits, Model};
use crate::pipeline::Description as Pipeline;
use crate::program::{Machine, Options, Program, simulate};
use crate::state_diagram::{Diagram, exact};
use crate::time_cost::source::{Given, from_c};
use crate::time_cost::{Machine as Processors, Policy, Structure};
use midrun_models::pipeline::exact::{Grouping, Objective, optimum};

/// A refusal is one sentence.
fn assert_refused(error: impl std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 2_000, "{text}");
}

/// A state diagram: printed, it is read as the same one; solved when it is small.
pub fn state_diagram(text: &str) {
    match Diagram::from_toml(text) {
        Ok(diagram) => {
            assert_eq!(Diagram::from_toml(&diagram.to_toml()).as_ref(), Ok(&diagram));
            if diagram.processes() <= 16 {
                let _ = exact(&diagram, 500);
            }
        }
        Err(error) => assert_refused(error),
    }
}

/// A computation structure: printed, it is read as the same one.
pub fn computation_structure(text: &str) {
    match Structure::from_toml(text) {
        Ok(structure) => assert_eq!(Structure::from_toml(&structure.to_toml()).as_ref(), Ok(&structure)),
        Err(error) => assert_refused(error),
    }
}

/// A source in C, from the functions of the examples on: its structure can be printed and read.
pub fn c_source(text: &str) {
    for name in ["count_all", "f"] {
        let machine = Processors { processors: 2.0, speed: 1.0, policy: Policy::Equal };
        match from_c(text, name, &Given::default(), machine) {
            Ok(structure) => assert!(Structure::from_toml(&structure.to_toml()).is_ok(), "{}", structure.to_toml()),
            Err(error) => assert_refused(error),
        }
    }
}

/// A pipeline: printed, it is read as the same one; its best pattern found when it is small.
pub fn pipeline(text: &str) {
    match Pipeline::from_toml(text) {
        Ok(description) => {
            assert_eq!(Pipeline::from_toml(&description.to_toml()).as_ref(), Ok(&description));
            if description.pipeline.stages.len() <= 8 {
                let _ = optimum(&description.pipeline, 20, Grouping::Any, Objective::Time);
            }
        }
        Err(error) => assert_refused(error),
    }
}

/// A mapping description: its first mappings solved.
pub fn mappings(text: &str) {
    match Mappings::parse(text) {
        Ok(read) => {
            let mut evaluator = Evaluator::new(read.pipeline, Limits { max_states: 500, ..Limits::default() });
            for mapping in read.mappings.iter().take(3) {
                let _ = evaluator.evaluate(mapping);
            }
        }
        Err(error) => assert_refused(error),
    }
}

/// A PEPA model: printed, it is read as the same one; derived, solved.
pub fn process_algebra(text: &str) {
    match Model::parse(text) {
        Ok(model) => {
            assert_eq!(Model::parse(&model.to_string()).as_ref(), Ok(&model));
            if let Ok(space) = model.derive(&Limits { max_states: 500, ..Limits::default() }) {
                let _ = space.solve(&Solving { max_sweeps: 100, ..Solving::default() });
            }
        }
        Err(error) => assert_refused(error),
    }
}

/// A line between a program and its machine.
const BETWEEN: &str = "\n---\n";
/// A machine for programs that bring none.
const MACHINE: &str = "node = [{ count = 2, cores = 2 }]
    inside = { start_up = '1us', per_byte = '1ns', eager = '1KB' }
    between = { start_up = '1ms', per_byte = '9ns', eager = '1KB' }";

/// A program and its machine, parted by a line of dashes: printed, each is read as the same one; simulated for a while.
pub fn program_and_machine(text: &str) {
    let (program, machine) = text.split_once(BETWEEN).unwrap_or((text, MACHINE));
    let machine = Machine::from_toml(machine).map_err(assert_refused);
    if let Ok(machine) = &machine {
        assert_eq!(Machine::from_toml(&machine.to_toml()).as_ref(), Ok(machine));
    }
    let program = match Program::from_toml(program) {
        Ok(program) => program,
        Err(error) => return assert_refused(error),
    };
    assert_eq!(Program::from_toml(&program.to_toml()).as_ref(), Ok(&program));
    let is_small = program.processes().is_ok_and(|processes| processes <= 50);
    if let (Ok(machine), true) = (machine, is_small) {
        let _ = simulate(&program, &machine, &Options { events: 2000, spans: 100, ..Options::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::tests::EXAMPLE;
    use midrun_mutations::damaged_texts;

    macro_rules! example {
        ($name:literal) => {
            include_str!(concat!("../../examples/models/", $name))
        };
    }

    #[test]
    fn state_diagrams() {
        let files = [example!("manager_workers.toml"), example!("chain.toml"), example!("reader_solvers.toml")];
        files.iter().for_each(|example| state_diagram(example));
        damaged_texts("diagram", &files, state_diagram);
    }

    #[test]
    fn computation_structures() {
        let files = [example!("producer_consumer.toml"), example!("producer_consumer_sweep.toml")];
        files.iter().for_each(|file| computation_structure(file));
        damaged_texts("cost", &files, computation_structure);
    }

    #[test]
    fn sources_in_c() {
        let posix = example!("histogram.c").replace("read_block(k);", "read_block(k); // midrun: cost 4e-3");
        let open_mp = "#define ROWS 10\nvoid g(int i) { work(i); /* midrun: cost 1 variance 2 */ }\nint f(int n) {\n\
            #pragma omp parallel for num_threads(4)\n  for (int i = 0; i < (ROWS + 2) * 3; i++) g(i);\n\
            #pragma omp critical (x)\n  {\n    // midrun: probability 0.25\n    if (n > 1) g(2); else g(3);\n  }\n\
            while (more(n)) g(n); // midrun: count 5 cost 1\n  return 0;\n}\n";
        let files = [posix.as_str(), open_mp];
        files.iter().for_each(|file| c_source(file));
        damaged_texts("source", &files, c_source);
    }

    #[test]
    fn pipelines() {
        damaged_texts("pipeline", &[EXAMPLE], pipeline);
    }

    #[test]
    fn mapping_descriptions() {
        damaged_texts("mapping", &[example!("pipeline.des"), example!("search.des")], mappings);
    }

    #[test]
    fn models_in_process_algebra() {
        damaged_texts("pepa", &[example!("pipeline.pepa"), example!("server.pepa")], process_algebra);
    }

    #[test]
    fn programs_and_machines() {
        let both = [example!("stencil.toml"), BETWEEN, example!("two_nodes.toml")].concat();
        program_and_machine(&both);
        damaged_texts("program", &[&both, example!("stencil.toml")], program_and_machine);
    }
}
