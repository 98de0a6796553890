//! The master's part: it divides the problem down to the cut-off depth, and combines what the workers solved.

use super::buffer::Buffer;
use super::level::{self, Level};
use super::solve::{Failed, Program, Solved};
use crate::clock;

/// Most problems that the master divides one into: further ones stay whole.
const MOST: usize = 1 << 16;

/// A problem of the tree.
#[derive(Debug, Default)]
struct Node {
    problem: Buffer,
    depth: u32,
    /// Its parts stand in a row; `None`: it is a task.
    parts: Option<std::ops::Range<usize>>,
    divided_ns: u64,
    result: Option<Buffer>,
    /// Time with all its parts, and of the longest chain in it, nanoseconds.
    solve_ns: u64,
    span_ns: u64,
}

/// Where the master stops to divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At this depth.
    At(u32),
    /// At the first depth with so many problems.
    Parts(usize),
}

/// The problems of one solve, by depth, those of one depth from left to right.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Its tasks: places of the problems that workers solve.
    tasks: Vec<usize>,
    /// What the problems of each depth took.
    pub levels: Vec<Level>,
    /// Time in which the master divided and combined, nanoseconds.
    pub divide_ns: u64,
    pub combine_ns: u64,
}

impl Tree {
    /// Divides `problem`; returns the tree and the cut-off depth: the one asked for, though the tree may end above it, or else that of the
    /// deepest tasks.
    ///
    /// # Errors
    /// A function of the program failed.
    pub fn divide(program: &impl Program, problem: Buffer, stop: Stop) -> Result<(Tree, u32), Failed> {
        let begun_ns = clock::now_ns();
        let mut tree = Tree { nodes: vec![Node { problem, ..Node::default() }], ..Tree::default() };
        let (mut depth, mut here, mut is_full) = (0, 0..1, false);
        loop {
            let enough = match stop {
                Stop::At(deepest) => depth >= deepest,
                Stop::Parts(count) => tree.tasks.len() + here.len() >= count,
            };
            is_full |= !enough && tree.nodes.len() >= MOST;
            let first = tree.nodes.len();
            for at in here.clone() {
                if enough || is_full || !tree.divide_node(program, at)? {
                    tree.tasks.push(at);
                }
            }
            here = first..tree.nodes.len();
            if here.is_empty() {
                break;
            }
            depth += 1;
        }
        // Where bytes tell which take longer, those go first: the last ones to end are short then (LPT, Graham 1969).
        let Tree { nodes, tasks, .. } = &mut tree;
        tasks.sort_by_key(|at| std::cmp::Reverse(nodes[*at].problem.as_ref().len()));
        tree.divide_ns = clock::now_ns().saturating_sub(begun_ns);
        let cutoff = match stop {
            Stop::At(asked) if !is_full => asked,
            _ => depth,
        };
        Ok((tree, cutoff))
    }

    /// `false`: the problem is to be solved as it is.
    fn divide_node(&mut self, program: &impl Program, at: usize) -> Result<bool, Failed> {
        let begun_ns = clock::now_ns();
        let Some(parts) = program.divide(&self.nodes[at].problem)? else { return Ok(false) };
        let (first, depth) = (self.nodes.len(), self.nodes[at].depth + 1);
        self.nodes.extend(parts.into_iter().map(|problem| Node { problem, depth, ..Node::default() }));
        let end = self.nodes.len();
        let node = &mut self.nodes[at];
        node.parts = Some(first..end);
        node.divided_ns = clock::now_ns().saturating_sub(begun_ns);
        Ok(true)
    }

    /// Number of tasks.
    pub fn tasks(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// The problem of a task, and its depth.
    pub fn task(&self, task: u64) -> Option<(&Buffer, u32)> {
        let node = &self.nodes[*self.tasks.get(usize::try_from(task).ok()?)?];
        Some((&node.problem, node.depth))
    }

    /// A worker solved a task. `false`: there is no such task, or it was solved before.
    pub fn on_solved(&mut self, task: u64, solved: Solved) -> bool {
        let place = usize::try_from(task).ok().and_then(|task| self.tasks.get(task).copied());
        let Some(node) = place.map(|at| &mut self.nodes[at]).filter(|node| node.result.is_none()) else { return false };
        node.problem = Buffer::default();
        node.span_ns = solved.span_ns;
        node.solve_ns = solved.levels.first().map_or(0, |own| own.solve.sum_ns);
        node.result = Some(solved.result);
        for (below, more) in solved.levels.iter().enumerate() {
            level::join(&mut self.levels, node.depth as usize + below, more);
        }
        true
    }

    /// Combines the results of all tasks; returns the whole problem's result and its span, nanoseconds.
    ///
    /// # Errors
    /// A function of the program failed, or a task is not solved.
    pub fn combine(&mut self, program: &impl Program) -> Result<(Buffer, u64), Failed> {
        let begun_ns = clock::now_ns();
        // Parts stand behind what they are parts of.
        for at in (0..self.nodes.len()).rev() {
            if let Some(parts) = self.nodes[at].parts.clone() {
                self.combine_node(program, at, parts)?;
            }
        }
        self.combine_ns = clock::now_ns().saturating_sub(begun_ns);
        let whole = self.nodes.first_mut().ok_or(Failed)?;
        Ok((whole.result.take().ok_or(Failed)?, whole.span_ns))
    }

    fn combine_node(&mut self, program: &impl Program, at: usize, parts: std::ops::Range<usize>) -> Result<(), Failed> {
        let begun_ns = clock::now_ns();
        let below = &mut self.nodes[parts];
        let results: Option<Vec<Buffer>> = below.iter_mut().map(|part| part.result.take()).collect();
        let parts_ns: u64 = below.iter().map(|part| part.solve_ns).sum();
        let span_ns = below.iter().map(|part| part.span_ns).max().unwrap_or(0);
        let results = results.ok_or(Failed)?;
        let node = &mut self.nodes[at];
        let result = program.combine(&node.problem, &results)?;
        let own_ns = node.divided_ns + clock::now_ns().saturating_sub(begun_ns);
        (node.solve_ns, node.span_ns) = (parts_ns + own_ns, span_ns + own_ns);
        let (problem_bytes, result_bytes) = (node.problem.as_ref().len() as u64, result.as_ref().len() as u64);
        let mut level = Level { problem_bytes, result_bytes, ..Level::default() };
        level.own.add(own_ns);
        level.solve.add(node.solve_ns);
        level::join(&mut self.levels, node.depth as usize, &level);
        (node.problem, node.result) = (Buffer::default(), Some(result));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::solve::solve;
    use super::super::solve::tests::{Sum, number, range};
    use super::*;

    fn run(sum: &Sum, stop: Stop) -> (Tree, u32, u64) {
        let (mut tree, depth) = Tree::divide(sum, range(0, 1000), stop).unwrap();
        for task in 0..tree.tasks() {
            let (problem, _) = tree.task(task).unwrap();
            let solved = solve(sum, problem.clone(), 50).unwrap();
            assert!(tree.on_solved(task, solved.clone()) && !tree.on_solved(task, solved), "once");
        }
        assert!(!tree.on_solved(tree.tasks(), Solved::default()));
        let (result, _) = tree.combine(sum).unwrap();
        (tree, depth, number(&result, 0))
    }

    #[test]
    fn result_and_tree_do_not_depend_on_the_cut_off_depth() {
        let sum = Sum { base: 3, fails: None };
        let counts = |tree: &Tree| -> Vec<(u64, u64, u64)> {
            tree.levels.iter().map(|level| (level.solve.count, level.own.count, level.base.count)).collect()
        };
        let (whole, _, _) = run(&sum, Stop::At(0));
        assert_eq!(whole.tasks(), 1);
        for cut in [0, 1, 2, 5, 9, 30] {
            let (tree, depth, result) = run(&sum, Stop::At(cut));
            assert_eq!((result, counts(&tree)), (499_500, counts(&whole)), "cut off at {cut}");
            assert_eq!(depth, cut);
            let expected: u64 = whole.levels.iter().take(cut as usize).map(|level| level.base.count).sum::<u64>()
                + whole.levels.get(cut as usize).map_or(0, |level| level.solve.count);
            assert_eq!(tree.tasks(), expected, "cut off at {cut}");
        }
    }

    #[test]
    fn the_first_depth_with_parts_enough_is_where_it_stops() {
        let sum = Sum { base: 3, fails: None };
        for (parts, tasks, depth) in [(1, 1, 0), (2, 2, 1), (3, 4, 2), (64, 64, 6)] {
            let (tree, deepest, result) = run(&sum, Stop::Parts(parts));
            assert_eq!((tree.tasks(), deepest, result), (tasks, depth, 499_500));
        }
    }

    #[test]
    fn what_fails_or_is_missing_is_no_result() {
        let sum = Sum { base: 3, fails: None };
        let (mut tree, _) = Tree::divide(&sum, range(0, 1000), Stop::At(3)).unwrap();
        assert!(tree.combine(&sum).is_err(), "no task was solved");
    }
}
