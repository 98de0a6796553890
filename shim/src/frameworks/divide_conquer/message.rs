//! What travels between master and workers: problems out, results with the times of their parts back.

use super::buffer::Buffer;
use super::level::Level;
use super::solve::Solved;
use super::words::Words;

/// A problem on its way to a worker: its depth, and how many depths below it are to be timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    pub depth: u32,
    pub look: u32,
}

/// Appends a problem to a message.
pub fn write_problem(to: &mut Vec<u8>, order: Order, problem: &[u8]) {
    let head = u64::from(order.depth) | u64::from(order.look) << 32;
    to.extend_from_slice(&head.to_le_bytes());
    to.extend_from_slice(&(problem.len() as u64).to_le_bytes());
    to.extend_from_slice(problem);
}

/// Reads a problem; `None` where the message is none, or memory lacks.
pub fn read_problem(from: &mut Words<'_>) -> Option<(Order, Buffer)> {
    let [head, bytes] = from.take()?;
    let problem = from.bytes(usize::try_from(bytes).ok()?)?;
    Some((Order { depth: head as u32, look: (head >> 32) as u32 }, Buffer::of(problem)?))
}

/// Appends a result to a message.
pub fn write_solved(to: &mut Vec<u8>, solved: &Solved) {
    let result = solved.result.as_ref();
    for word in [solved.span_ns, solved.levels.len() as u64, result.len() as u64] {
        to.extend_from_slice(&word.to_le_bytes());
    }
    solved.levels.iter().for_each(|level| level.write(to));
    to.extend_from_slice(result);
}

/// Reads a result; `None` where the message is none, or memory lacks.
pub fn read_solved(from: &mut Words<'_>) -> Option<Solved> {
    let [span_ns, depths, bytes] = from.take()?;
    let levels = (0..depths).map(|_| Level::read(from)).collect::<Option<Vec<Level>>>()?;
    let result = Buffer::of(from.bytes(usize::try_from(bytes).ok()?)?)?;
    Some(Solved { result, span_ns, levels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_and_results_come_back_as_they_were_written_and_torn_ones_do_not() {
        let mut message = Vec::new();
        let order = Order { depth: 3, look: 2 };
        write_problem(&mut message, order, b"abc");
        write_problem(&mut message, order, b"");
        let mut words = Words::new(&message);
        let (read, problem) = read_problem(&mut words).unwrap();
        assert_eq!((read, problem.as_ref()), (order, b"abc".as_slice()));
        assert_eq!(read_problem(&mut words).unwrap().1.as_ref(), b"");
        assert!(read_problem(&mut words).is_none() && read_problem(&mut Words::new(&message[..18])).is_none());

        let mut level = Level { problem_bytes: 7, ..Level::default() };
        level.own.add(1500);
        let solved = Solved { result: Buffer::of(b"xy").unwrap(), span_ns: 9, levels: vec![Level::default(), level] };
        let mut message = Vec::new();
        write_solved(&mut message, &solved);
        let read = read_solved(&mut Words::new(&message)).unwrap();
        assert_eq!((read.result.as_ref(), read.span_ns, &read.levels), (b"xy".as_slice(), 9, &solved.levels));
        for cut in 0..message.len() {
            assert!(read_solved(&mut Words::new(&message[..cut])).is_none(), "{cut}");
        }
    }
}
