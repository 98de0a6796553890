//! Random numbers that follow from the seed, also those that libraries ask the system for.

use std::cell::RefCell;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// Random numbers of one part of a simulation.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Those of `seed`.
    pub fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Others, which follow from these.
    pub fn split(&mut self) -> Random {
        Random::new(self.0.next_u64())
    }

    /// A whole number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.0.next_u64() % end }
    }

    /// A whole number from `first` to `last`.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of these.
    ///
    /// # Panics
    /// There is none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

thread_local! {
    /// What `getrandom` gives on this thread.
    static OF_THREAD: RefCell<Option<Xoshiro256PlusPlus>> = const { RefCell::new(None) };
}

/// From now on this thread's `getrandom` follows from `seed`: the order of hash maps, and tokio's choice between ready branches.
pub fn seed_thread(seed: u64) {
    OF_THREAD.set(Some(Xoshiro256PlusPlus::seed_from_u64(!seed)));
}

/// In place of the C library's function, which the standard library calls.
///
/// # Safety
/// As of the C library's: `buffer` has room for `length` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, flags: u32) -> isize {
    let seeded = OF_THREAD.try_with(|random| {
        let mut random = random.try_borrow_mut().ok()?;
        // SAFETY: the caller gives room for `length` bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer, length) };
        random.as_mut()?.fill_bytes(bytes);
        Some(length as isize)
    });
    match seeded {
        Ok(Some(length)) => length,
        // SAFETY: the same arguments, for the kernel.
        _ => unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) as isize },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, RandomState};

    #[test]
    fn equal_seeds_give_equal_numbers_also_to_the_standard_library() {
        let drawn = |seed| {
            let draw = move || {
                seed_thread(seed);
                (RandomState::new().hash_one(1), Random::new(seed).below(1 << 40))
            };
            std::thread::spawn(draw).join().unwrap()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
