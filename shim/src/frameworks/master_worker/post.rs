//! Sends and receives messages without ever waiting inside MPI; keeps buffers until MPI is done with them.

use super::doorbell::Doorbell;
use super::message::{HEADER, Message};
use crate::port::{Arrived, MpiFailed, Port, Slot};

/// Unit of buffers: payloads begin 64 bytes after a 64-byte boundary, so the program's data is aligned for any type.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([u8; 64]);

/// A message's memory: a header and room for its payload.
#[derive(Debug, Default)]
pub struct Buffer {
    lines: Vec<Line>,
    bytes: usize,
}

impl Buffer {
    /// Makes room for `bytes` bytes; what was there is kept or zero.
    pub fn resize(&mut self, bytes: usize) {
        let lines = bytes.div_ceil(64);
        if self.lines.len() < lines {
            self.lines.resize(lines, Line([0; 64]));
        }
        self.bytes = bytes;
    }

    /// All its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.lines.as_flattened_bytes()[..self.bytes]
    }

    /// All its bytes, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: lines are plain bytes without padding, and the slice covers exactly the vector's.
        let all =
            unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast::<u8>(), self.lines.len() * 64) };
        &mut all[..self.bytes]
    }

    /// What follows the header.
    pub fn payload(&self) -> &[u8] {
        &self.bytes()[HEADER..]
    }
}

trait AsBytes {
    fn as_flattened_bytes(&self) -> &[u8];
}

impl AsBytes for Vec<Line> {
    fn as_flattened_bytes(&self) -> &[u8] {
        // SAFETY: lines are plain bytes without padding, and the slice covers exactly the vector's.
        unsafe { std::slice::from_raw_parts(self.as_ptr().cast::<u8>(), self.len() * 64) }
    }
}

/// The post of one rank.
#[derive(Debug)]
pub struct Post {
    pub port: Port,
    pub doorbell: Doorbell,
    under_way: Vec<(Slot, Buffer)>,
    spare: Vec<Buffer>,
}

impl Post {
    pub fn new(port: Port, doorbell: Doorbell) -> Self {
        Post { port, doorbell, under_way: Vec::new(), spare: Vec::new() }
    }

    /// A buffer for a header and `payload` bytes.
    pub fn buffer(&mut self, payload: usize) -> Buffer {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.resize(HEADER + payload);
        buffer
    }

    /// Gives a buffer back for later use.
    pub fn give_back(&mut self, buffer: Buffer) {
        self.spare.push(buffer);
    }

    /// Sends `buffer` with `message` as its header, and wakes the receiver.
    pub fn send(&mut self, message: &Message, mut buffer: Buffer, to: u32, tag: i32) -> Result<(), MpiFailed> {
        buffer.bytes_mut()[..HEADER].copy_from_slice(&message.encode());
        // SAFETY: the buffer's heap memory stays where it is in `under_way` until MPI is done with it.
        let slot = unsafe { self.port.send(buffer.bytes().as_ptr(), buffer.bytes().len(), to, tag)? };
        self.under_way.push((slot, buffer));
        self.doorbell.ring(to);
        self.progress()
    }

    /// Frees what MPI has sent.
    pub fn progress(&mut self) -> Result<(), MpiFailed> {
        let mut i = 0;
        while i < self.under_way.len() {
            if self.port.sent(&self.under_way[i].0)? {
                let (_, buffer) = self.under_way.swap_remove(i);
                self.spare.push(buffer);
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    /// Whether MPI still has something of ours to send.
    pub fn sending(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// A message that is there, with its sender; does not wait.
    pub fn take(&mut self, tag: i32) -> Result<Option<(u32, Message, Buffer)>, MpiFailed> {
        let Some(arrived) = self.port.probe(tag)? else { return Ok(None) };
        self.receive(arrived, tag).map(Some)
    }

    fn receive(&mut self, arrived: Arrived, tag: i32) -> Result<(u32, Message, Buffer), MpiFailed> {
        let mut buffer = self.buffer(arrived.bytes.saturating_sub(HEADER));
        buffer.resize(arrived.bytes.max(HEADER));
        self.port.receive(arrived, tag, buffer.bytes_mut())?;
        let message = Message::decode(buffer.bytes()).filter(|_| arrived.bytes >= HEADER).ok_or(MpiFailed)?;
        Ok((arrived.from, message, buffer))
    }

    /// Waits for a message, asleep; `only` is the one peer that may send, `on_wake` runs before each sleep.
    pub fn wait(
        &mut self,
        tag: i32,
        only: Option<u32>,
        mut on_wake: impl FnMut(),
    ) -> Result<(u32, Message, Buffer), MpiFailed> {
        loop {
            let seen = self.doorbell.rings();
            if let Some(message) = self.take(tag)? {
                return Ok(message);
            }
            self.progress()?;
            on_wake();
            self.doorbell.sleep(seen, only, self.sending());
        }
    }

    /// Waits until MPI has sent everything.
    pub fn flush(&mut self) -> Result<(), MpiFailed> {
        self.progress()?;
        while self.sending() {
            self.doorbell.sleep(self.doorbell.rings(), None, true);
            self.progress()?;
        }
        Ok(())
    }
}
