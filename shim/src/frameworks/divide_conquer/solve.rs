//! Solves a problem on one rank: divides it down to its base cases, and combines their results.
//!
//! The open problems stand on a stack of ours, so that a problem that is divided very deep cannot end the program.

use super::buffer::Buffer;
use super::level::{self, Level};
use crate::clock;

/// The program's three functions.
pub trait Program {
    /// The parts of a problem; `None`: it is to be solved as it is.
    fn divide(&self, problem: &Buffer) -> Result<Option<Vec<Buffer>>, Failed>;
    /// Solves a problem as it is.
    fn base(&self, problem: &Buffer) -> Result<Buffer, Failed>;
    /// The result of a problem from those of its parts, in their order.
    fn combine(&self, problem: &Buffer, results: &[Buffer]) -> Result<Buffer, Failed>;
}

/// A function of the program failed, or emitted what it must not; the reason was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// A result, and what it took.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    pub result: Buffer,
    /// Longest chain of problems that wait for each other, as far as they were timed, nanoseconds.
    pub span_ns: u64,
    /// By depth below the problem, of those that were timed: the problem's own is the first.
    pub levels: Vec<Level>,
}

/// A problem that was divided.
struct Open {
    problem: Buffer,
    parts: std::vec::IntoIter<Buffer>,
    results: Vec<Buffer>,
    begun_ns: u64,
    /// Time of `divide`, nanoseconds.
    divided_ns: u64,
    /// Longest span of its parts, nanoseconds.
    parts_span_ns: u64,
}

/// Solves `problem`; times the problems down to `look` depths below it.
///
/// # Errors
/// A function of the program failed.
pub fn solve(program: &impl Program, problem: Buffer, look: u32) -> Result<Solved, Failed> {
    let mut solved = Solved::default();
    let (mut open, mut next): (Vec<Open>, Option<Buffer>) = (Vec::new(), Some(problem));
    let is_timed = |depth: usize| depth <= look as usize;
    loop {
        let depth = open.len();
        let (result, span_ns) = if let Some(problem) = next.take() {
            let begun_ns = if is_timed(depth) { clock::now_ns() } else { 0 };
            if let Some(parts) = program.divide(&problem)? {
                let divided_ns = if is_timed(depth) { clock::now_ns().saturating_sub(begun_ns) } else { 0 };
                let (parts, results) = (parts.into_iter(), Vec::new());
                open.push(Open { problem, parts, results, begun_ns, divided_ns, parts_span_ns: 0 });
                next = open.last_mut().and_then(|open| open.parts.next());
                continue;
            }
            let result = program.base(&problem)?;
            let lasted_ns = if is_timed(depth) { clock::now_ns().saturating_sub(begun_ns) } else { 0 };
            if is_timed(depth) {
                let mut level = of_bytes(&problem, &result);
                level.base.add(lasted_ns);
                level.solve.add(lasted_ns);
                level::join(&mut solved.levels, depth, &level);
            }
            (result, lasted_ns)
        } else {
            let Some(done) = open.pop() else { return Err(Failed) };
            combine(program, &done, is_timed(depth - 1).then_some(depth - 1), look, &mut solved.levels)?
        };
        let Some(above) = open.last_mut() else { return Ok(Solved { result, span_ns, ..solved }) };
        above.results.push(result);
        above.parts_span_ns = above.parts_span_ns.max(span_ns);
        next = above.parts.next();
    }
}

fn of_bytes(problem: &Buffer, result: &Buffer) -> Level {
    let (problem_bytes, result_bytes) = (problem.as_ref().len() as u64, result.as_ref().len() as u64);
    Level { problem_bytes, result_bytes, ..Level::default() }
}

/// The result of a problem all of whose parts are solved, and its span; its times where it stands at a `timed` depth.
fn combine(
    program: &impl Program,
    done: &Open,
    timed: Option<usize>,
    look: u32,
    levels: &mut Vec<Level>,
) -> Result<(Buffer, u64), Failed> {
    let Some(depth) = timed else { return Ok((program.combine(&done.problem, &done.results)?, 0)) };
    let begun_ns = clock::now_ns();
    let result = program.combine(&done.problem, &done.results)?;
    let ended_ns = clock::now_ns();
    let own_ns = done.divided_ns + ended_ns.saturating_sub(begun_ns);
    let solve_ns = ended_ns.saturating_sub(done.begun_ns);
    let mut level = of_bytes(&done.problem, &result);
    level.own.add(own_ns);
    level.solve.add(solve_ns);
    level::join(levels, depth, &level);
    // The parts of the deepest that is timed are not: it is taken for one piece.
    let span_ns = if depth == look as usize { solve_ns } else { own_ns + done.parts_span_ns };
    Ok((result, span_ns))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Sums the numbers from its first up to its second.
    pub struct Sum {
        /// Ranges up to this length are solved as they are.
        pub base: u64,
        /// The first number of a problem that fails.
        pub fails: Option<u64>,
    }

    pub fn range(from: u64, to: u64) -> Buffer {
        Buffer::of(&[from.to_le_bytes(), to.to_le_bytes()].concat()).unwrap()
    }

    pub fn number(of: &Buffer, at: usize) -> u64 {
        u64::from_le_bytes(of.as_ref()[8 * at..8 * at + 8].try_into().unwrap())
    }

    impl Program for Sum {
        fn divide(&self, problem: &Buffer) -> Result<Option<Vec<Buffer>>, Failed> {
            let (from, to) = (number(problem, 0), number(problem, 1));
            // Parts of unequal size: a third and the rest.
            let middle = from + (to - from) / 3 + 1;
            Ok((to - from > self.base).then(|| vec![range(from, middle), range(middle, to)]))
        }

        fn base(&self, problem: &Buffer) -> Result<Buffer, Failed> {
            let (from, to) = (number(problem, 0), number(problem, 1));
            if self.fails.is_some_and(|at| (from..to).contains(&at)) {
                return Err(Failed);
            }
            Ok(Buffer::of(&(from..to).sum::<u64>().to_le_bytes()).unwrap())
        }

        fn combine(&self, _: &Buffer, results: &[Buffer]) -> Result<Buffer, Failed> {
            let sum: u64 = results.iter().map(|result| number(result, 0)).sum();
            Ok(Buffer::of(&sum.to_le_bytes()).unwrap())
        }
    }

    #[test]
    fn the_result_does_not_depend_on_what_is_timed_and_each_timed_problem_counts_once() {
        let sum = Sum { base: 3, fails: None };
        for look in [0, 1, 3, 50] {
            let solved = solve(&sum, range(0, 1000), look).unwrap();
            assert_eq!(number(&solved.result, 0), 499_500);
            assert_eq!(solved.levels[0].solve.count, 1);
            for (depth, pair) in solved.levels.windows(2).enumerate() {
                assert_eq!(pair[1].solve.count, 2 * pair[0].own.count, "at {depth}");
                assert!(pair[1].solve.sum_ns <= pair[0].solve.sum_ns, "parts take no longer than the whole");
                assert_eq!(pair[0].own.count + pair[0].base.count, pair[0].solve.count);
            }
            assert!(solved.levels.len() <= look as usize + 1);
            assert!(solved.span_ns <= solved.levels[0].solve.sum_ns);
        }
        let all = solve(&sum, range(0, 1000), 50).unwrap();
        let divided: u64 = all.levels.iter().map(|level| level.own.count).sum();
        let bases: u64 = all.levels.iter().map(|level| level.base.count).sum();
        assert_eq!(bases, divided + 1, "a binary tree");
    }

    #[test]
    fn a_failure_of_any_problem_is_one_of_the_whole() {
        assert_eq!(solve(&Sum { base: 3, fails: Some(517) }, range(0, 1000), 2).err(), Some(Failed));
    }

    #[test]
    fn very_deep_problems_do_not_end_the_program() {
        struct Chain;
        impl Program for Chain {
            fn divide(&self, problem: &Buffer) -> Result<Option<Vec<Buffer>>, Failed> {
                let left = number(problem, 0);
                Ok((left > 0).then(|| vec![range(left - 1, 0)]))
            }
            fn base(&self, problem: &Buffer) -> Result<Buffer, Failed> {
                Ok(problem.clone())
            }
            fn combine(&self, _: &Buffer, results: &[Buffer]) -> Result<Buffer, Failed> {
                Ok(results[0].clone())
            }
        }
        assert!(solve(&Chain, range(200_000, 0), 4).is_ok());
    }
}
