//! Damaged tunlets in files. For a mutation loop and for a target of `tests/fuzz`.

use super::Scripted;
use crate::testing::window;
use crate::{Observation, Settled, TuningPoint, Tunlet};

/// A tunlet in a file: read or refused; where it can be read, it sees some windows, and its scripts end.
pub fn tunlet(file: &str) {
    let Ok(mut tunlet) = Scripted::read(file) else { return };
    let (range, name) = ((0.0, 9.0), "x".to_owned());
    let x = [TuningPoint { rank: 0, name, whole: false, range, value: 1.0, declared: 1.0, text: None, held: false }];
    for iteration in 0..8 {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 0.3)));
        if tunlet.propose(&x).is_some() {
            tunlet.on_settled(iteration, Settled::Applied { iteration });
        }
    }
    assert!(tunlet.refusals().len() <= 32);
    tunlet.explain();
    tunlet.report();
}

#[cfg(test)]
mod tests {
    #[test]
    fn damaged_files_of_the_examples_are_read_or_refused_and_end() {
        let files = [
            include_str!("../../../examples/tunlets/own_batches.toml"),
            include_str!("../../../examples/tunlets/spread_factor.toml"),
            include_str!("../../../examples/tunlets/classic_factor.toml"),
        ];
        midrun_mutations::damaged_texts("tunlet", &files, super::tunlet);
    }
}
