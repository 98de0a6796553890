//! Memory for code: pages within reach of a function, and write access to the function's own pages.

use crate::refusal::{Refusal, refused, system};
use std::ops::Range;

/// Bytes of a page of code.
pub const PAGE: usize = 4096;
/// A jump reaches 2 GiB; the copied instructions may refer to data that lies a bit further.
const REACH: usize = (1 << 31) - (1 << 26);

/// Bytes for the code of one function.
pub const ROOM: usize = 512;

/// Puts code into pages of its own within reach of `near`; `highest` gives the highest suitable address in a free range, and `make` the
/// code for an address. The pages are never freed: a thread may run in them at any time. Returns the address.
///
/// # Errors
/// [`Refusal::NoRoom`], the system's, or that of `make`.
pub fn place<T>(
    near: usize,
    highest: impl Fn(Range<usize>) -> Option<usize>,
    make: impl FnOnce(usize) -> Result<(Vec<u8>, T), Refusal>,
) -> Result<(usize, T), Refusal> {
    let take = |gap: Range<usize>| highest(gap.start..gap.end.saturating_sub(ROOM)).filter(|at| map(pages(*at)));
    let at = gaps(near)?.into_iter().find_map(take).ok_or(Refusal::NoRoom)?;
    let Range { start, end } = pages(at);
    let filled = make(at).and_then(|(code, made)| {
        if code.len() > ROOM {
            return Err(Refusal::NoRoom);
        }
        // SAFETY: the pages were just mapped writable, no other thread knows of them, and the code ends within them.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), at as *mut u8, code.len()) };
        // SAFETY: the pages were mapped here; nothing refers to them yet.
        match unsafe { libc::mprotect(start as *mut _, end - start, libc::PROT_READ | libc::PROT_EXEC) } {
            0 => Ok(made),
            _ => Err(system("code cannot be made executable")),
        }
    });
    match filled {
        Ok(made) => Ok((at, made)),
        Err(refusal) => {
            // SAFETY: nothing refers to the pages.
            unsafe { libc::munmap(start as *mut _, end - start) };
            Err(refusal)
        }
    }
}

fn pages(at: usize) -> Range<usize> {
    at & !(PAGE - 1)..(at + ROOM).next_multiple_of(PAGE)
}

/// The free memory within reach of `near`, the nearest first.
fn gaps(near: usize) -> Result<Vec<Range<usize>>, Refusal> {
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|error| refused("/proc/self/maps cannot be read", &error))?;
    let lowest = near.saturating_sub(REACH).max(1 << 20).next_multiple_of(PAGE);
    let highest = near.saturating_add(REACH).min((1 << 47) - PAGE) & !(PAGE - 1);
    let mut gaps = Vec::new();
    let mut end = lowest;
    for line in maps.lines().chain(["7fffffffffff-7fffffffffff"]) {
        let Some((from, to)) = range(line) else { continue };
        // The stack grows downwards into the gap below it.
        if from.min(highest) > end && !line.ends_with("[stack]") {
            gaps.push(end..from.min(highest));
        }
        end = end.max(to);
    }
    gaps.sort_by_key(|gap| near.saturating_sub(gap.end).max(gap.start.saturating_sub(near)));
    Ok(gaps)
}

/// Begin and end of the mapping that the kernel names so, as `[heap]`.
pub fn mapping(name: &str) -> Option<(usize, usize)> {
    std::fs::read_to_string("/proc/self/maps").ok()?.lines().find(|line| line.ends_with(name)).and_then(range)
}

fn range(line: &str) -> Option<(usize, usize)> {
    let (from, to) = line.split_whitespace().next()?.split_once('-')?;
    Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
}

/// Maps exactly these pages if they are still free.
fn map(pages: Range<usize>) -> bool {
    let (page, length) = (pages.start, pages.end - pages.start);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: with NOREPLACE the kernel replaces no mapping; the result is checked.
    let got = unsafe { libc::mmap(page as *mut _, length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if got != libc::MAP_FAILED && got as usize != page {
        // SAFETY: a kernel before 4.17 took the address as a hint and made a new mapping elsewhere, which nothing refers to.
        unsafe { libc::munmap(got, length) };
    }
    got as usize == page
}

/// Runs `write` while the pages of `from..from + bytes` can be written; before and after it they have `protection`.
///
/// # Errors
/// The system's.
pub fn writable(from: usize, bytes: usize, protection: i32, write: impl FnOnce()) -> Result<(), Refusal> {
    let begin = from & !(PAGE - 1);
    let length = (from + bytes).next_multiple_of(PAGE) - begin;
    // SAFETY: pages of a loaded object keep all permissions that they had, so running code and readers are not disturbed.
    if unsafe { libc::mprotect(begin as *mut _, length, protection | libc::PROT_WRITE) } != 0 {
        return Err(system("memory cannot be made writable"));
    }
    write();
    // SAFETY: as above. Should the call fail, the pages only stay writable.
    unsafe { libc::mprotect(begin as *mut _, length, protection) };
    Ok(())
}

/// Protection of the page of an address; `None` where nothing is mapped.
pub fn protection(address: usize) -> Option<i32> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| range(line).is_some_and(|(from, to)| (from..to).contains(&address)))?;
    let flags = line.split_whitespace().nth(1)?.as_bytes();
    let bit = |at: usize, letter: u8, value: i32| if flags.get(at) == Some(&letter) { value } else { 0 };
    Some(bit(0, b'r', libc::PROT_READ) | bit(1, b'w', libc::PROT_WRITE) | bit(2, b'x', libc::PROT_EXEC))
}
