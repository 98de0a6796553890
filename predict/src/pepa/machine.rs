//! Sequential components: their states and the moves between them.

use rustc_hash::FxHashMap;

use super::error::Error;
use super::local::Pool;
use super::names::Actions;
use super::rates::Rate;

/// A sequential component's states and, for each state and action, where it can go.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) labels: Vec<String>,
    columns: FxHashMap<u32, u32>,
    /// First move of each state and column.
    starts: Vec<usize>,
    moves: Vec<(Rate, u32)>,
}

impl Machine {
    /// The moves in `state` by the action of `column`.
    pub(super) fn cell(&self, state: u32, column: u32) -> &[(Rate, u32)] {
        let cell = state as usize * self.columns.len() + column as usize;
        &self.moves[self.starts[cell]..self.starts[cell + 1]]
    }

    /// Each action with its column.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&u32, &u32)> {
        self.columns.iter()
    }

    /// All states that can be reached from `start`, which becomes state 0.
    pub(super) fn build<'m>(start: usize, pool: &mut Pool<'m>, actions: &mut Actions) -> Result<Self, Error> {
        let mut order = vec![start];
        let mut number = FxHashMap::from_iter([(start, 0_u32)]);
        let mut columns = FxHashMap::default();
        let mut all = Vec::new();
        while let Some(state) = order.get(all.len()) {
            let moves = pool.moves(*state, actions)?;
            for step in &*moves {
                let next = columns.len() as u32;
                columns.entry(step.action).or_insert(next);
                number.entry(step.to).or_insert_with(|| {
                    order.push(step.to);
                    (order.len() - 1) as u32
                });
            }
            all.push(moves);
        }
        let mut by_column: Vec<u32> = vec![0; columns.len()];
        columns.iter().for_each(|(action, column)| by_column[*column as usize] = *action);
        let (mut starts, mut moves) = (vec![0], Vec::new());
        for steps in &all {
            for action in &by_column {
                let here = steps.iter().filter(|step| step.action == *action);
                moves.extend(here.map(|step| (step.rate, number[&step.to])));
                starts.push(moves.len());
            }
        }
        let labels = order.iter().map(|state| pool.label(*state).to_owned()).collect();
        Ok(Self { labels, columns, starts, moves })
    }
}
