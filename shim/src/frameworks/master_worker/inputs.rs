//! The inputs of chunks: of the program, or kept.

use super::master::Master;
use crate::clock;
use crate::status;
use midrun_scheduling::Chunk;

impl Master<'_> {
    /// Keeps the inputs of tasks that are to be sent.
    pub fn keep_inputs(&mut self, tasks: Chunk, inputs: &[u8]) {
        self.kept_inputs.push((tasks, inputs.to_vec(), tasks.count));
    }

    /// Appends the inputs of a chunk to a message: kept ones, else new ones from the program. `false` when the program refuses.
    pub fn append_inputs(&mut self, chunk: Chunk, message: Vec<u8>) -> (bool, Vec<u8>) {
        let begin_ns = clock::now_ns();
        let done = self.append(chunk, message);
        self.per_task_ns.0 += clock::now_ns().saturating_sub(begin_ns);
        done
    }

    fn append(&mut self, chunk: Chunk, mut message: Vec<u8>) -> (bool, Vec<u8>) {
        let from = message.len();
        if self.status != status::OK {
            message.resize(from + chunk.count as usize * self.config.task_bytes, 0);
            return (true, message);
        }
        let holds = |tasks: &Chunk| tasks.first <= chunk.first && chunk.first < tasks.first + tasks.count;
        if let Some(at) = self.kept_inputs.iter().position(|(tasks, ..)| holds(tasks)) {
            let (tasks, inputs, left) = &mut self.kept_inputs[at];
            let range = match self.config.any_size() {
                true => 0..inputs.len(), // such a chunk is sent as it is
                false => {
                    let each = self.config.task_bytes;
                    let first = (chunk.first - tasks.first) as usize * each;
                    first..first + chunk.count as usize * each
                }
            };
            message.extend_from_slice(&inputs[range]);
            *left = left.saturating_sub(chunk.count);
            if *left == 0 {
                self.kept_inputs.swap_remove(at);
            }
            return (true, message);
        }
        if self.config.any_size() {
            let (good, message) = self.config.prepare_any(self.iteration, chunk.first, chunk.count, message);
            self.sizes.sent.0 += message.len() - from;
            self.sizes.sent.1 += chunk.count;
            return (good, message);
        }
        message.resize(from + chunk.count as usize * self.config.task_bytes, 0);
        let good = self.config.prepare(self.iteration, chunk.first, chunk.count, &mut message[from..]);
        (good, message)
    }
}
