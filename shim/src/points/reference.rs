//! What arguments point to, as those of Fortran procedures do. A line may be wrong, and then the argument is no pointer: memory is read only where
//! it is surely mapped, and that is known without a system call.

use crate::state;
use midrun_instrument::{mapping, segments};
use std::sync::OnceLock;

/// Where values are looked for.
struct Known {
    /// The segments of all loaded objects.
    segments: Vec<(usize, usize)>,
    /// The end of the main thread's stack.
    stack_end: usize,
    /// The begin of the heap, which ends at the program break.
    heap: usize,
}

static KNOWN: OnceLock<Known> = OnceLock::new();

/// Finds out what is mapped, once, before the first value is read.
pub fn prepare() {
    KNOWN.get_or_init(|| Known {
        segments: segments(),
        stack_end: mapping("[stack]").map_or(0, |(_, end)| end),
        heap: mapping("[heap]").map_or(usize::MAX, |(begin, _)| begin),
    });
}

/// Whether so many bytes from the address on are surely mapped: in an object's segment, in the heap, or in the main thread's stack in use.
pub fn is_readable(address: usize, bytes: usize) -> bool {
    let (Some(known), Some(end)) = (KNOWN.get(), address.checked_add(bytes)) else { return false };
    let in_segment = || known.segments.iter().any(|&(from, to)| from <= address && end <= to);
    let here = std::ptr::from_ref(&end) as usize;
    let in_stack = || state::is_main_thread() && here <= address && end <= known.stack_end;
    // SAFETY: 0 changes nothing; glibc returns the break that it knows, without a system call.
    let in_heap = || known.heap <= address && end <= unsafe { libc::sbrk(0) } as usize;
    in_stack() || in_segment() || in_heap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_readable_and_what_is_no_pointer_is_not() {
        static OF_OBJECT: u64 = 7;
        prepare();
        let of = |value: &u64| is_readable(std::ptr::from_ref(value) as usize, 8);
        assert!(of(&OF_OBJECT));
        // As a worker's count of tasks, its number, or a null pointer.
        assert!(
            [0, 50, usize::MAX - 3, 1 << 31, 0xffff_ffff_ffff_fff8].iter().all(|address| !is_readable(*address, 8))
        );
        let end = KNOWN.get().map_or(0, |known| known.segments[0].1);
        assert!(is_readable(end - 8, 8) && !is_readable(end - 4, 8), "half of it lies behind a segment");
    }
}
