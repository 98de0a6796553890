//! The master's order to take chunks from the shared counter, and what follows from it: the same chunks on every rank.

use super::message::{Header, Kind};
use midrun_scheduling::{Steps, Technique, TechniqueParameters};

/// An iteration whose chunks are taken from the shared counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Value of the counter that stands for the first chunk.
    pub base: u64,
    /// Tasks of the iteration.
    pub tasks: u64,
    /// Workers for which the technique cuts them.
    pub workers: u32,
    /// Technique and parameters.
    pub parameters: TechniqueParameters,
    /// Most tasks of a chunk.
    pub most: u64,
}

impl Order {
    /// The chunks; `None` with a technique that does not fix them.
    pub fn steps(&self) -> Option<Steps> {
        Steps::new(self.parameters, self.tasks, self.workers, self.most)
    }

    /// As a message of this iteration.
    pub fn write(&self, message: &mut Vec<u8>, iteration: u64) {
        let (first, count) = (self.base, u64::from(self.workers));
        let header = Header { first, count, total: self.tasks, ..Header::new(Kind::Take, iteration) };
        let p = &self.parameters;
        let header = header.with_manner(false, p.synchronous);
        let (factor, mean_s, sigma_s) = (p.factor.to_bits(), p.mean_s.to_bits(), p.sigma_s.to_bits());
        let words = [u64::from(p.kind.code()), factor, mean_s, sigma_s, p.min_chunk, self.most];
        let payload = header.write(message, 8 * words.len());
        for (to, word) in payload.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Reads the payload of a message with this header; `None` when it is no order.
    pub fn read(header: &Header, payload: &[u8]) -> Option<Order> {
        let words: Vec<u64> =
            payload.chunks_exact(8).filter_map(|w| Some(u64::from_le_bytes(w.try_into().ok()?))).collect();
        let [code, factor, mean_s, sigma_s, min_chunk, most] = words[..] else { return None };
        let kind = Technique::from_code(u32::try_from(code).ok()?)?;
        let (factor, mean_s, sigma_s) = (f64::from_bits(factor), f64::from_bits(mean_s), f64::from_bits(sigma_s));
        let synchronous = header.is_synchronous();
        let parameters =
            TechniqueParameters { factor, mean_s, sigma_s, min_chunk, synchronous, ..TechniqueParameters::new(kind) };
        Some(Order { base: header.first, tasks: header.total, workers: header.count as u32, parameters, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_reads_as_it_was_written() {
        let parameters = TechniqueParameters {
            factor: 0.3,
            mean_s: 1e-3,
            sigma_s: 2e-4,
            min_chunk: 7,
            synchronous: true,
            ..TechniqueParameters::new(Technique::Fac2)
        };
        let order = Order { base: u64::MAX, tasks: 1 << 40, workers: 400, parameters, most: 9 };
        let mut message = Vec::new();
        order.write(&mut message, 5);
        let (header, payload) = Header::read(&message).unwrap();
        assert_eq!((header.kind, header.iteration), (Kind::Take, 5));
        assert_eq!(Order::read(&header, payload), Some(order));
        assert_eq!(Order::read(&header, &payload[8..]), None);
    }
}
