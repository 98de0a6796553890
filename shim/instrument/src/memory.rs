//! Memory for code: pages within reach of a function, and write access to the function's own pages.

use crate::refusal::{Refusal, system};

/// Bytes of a page of code.
pub const PAGE: usize = 4096;
/// A jump reaches 2 GiB; the copied instructions may refer to data that lies a bit further.
const REACH: usize = (1 << 31) - (1 << 26);

/// Puts code into a page of its own that a jump from `near` reaches; `make` gets the page's address and returns the code. The page is
/// never freed: a thread may run in it at any time.
///
/// # Errors
/// [`Refusal::NoRoom`], the system's, or that of `make`.
pub fn place<T>(near: usize, make: impl FnOnce(usize) -> Result<(Vec<u8>, T), Refusal>) -> Result<(usize, T), Refusal> {
    let page = free_page(near)?;
    let filled = make(page).and_then(|(code, made)| {
        if code.len() > PAGE {
            return Err(Refusal::NoRoom);
        }
        // SAFETY: the page was just mapped writable, no other thread knows of it, and the code is not longer.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), page as *mut u8, code.len()) };
        // SAFETY: the page was mapped here; nothing refers to it yet.
        match unsafe { libc::mprotect(page as *mut _, PAGE, libc::PROT_READ | libc::PROT_EXEC) } {
            0 => Ok(made),
            _ => Err(system("code cannot be made executable")),
        }
    });
    match filled {
        Ok(made) => Ok((page, made)),
        Err(refusal) => {
            // SAFETY: nothing refers to the page.
            unsafe { libc::munmap(page as *mut _, PAGE) };
            Err(refusal)
        }
    }
}

/// The nearest free page, first below and then above.
fn free_page(near: usize) -> Result<usize, Refusal> {
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|error| Refusal::System("/proc/self/maps cannot be read", error.to_string()))?;
    let mut taken: Vec<(usize, usize)> = maps.lines().filter_map(range).collect();
    taken.sort_unstable();
    let (lowest, highest) = (near.saturating_sub(REACH).max(1 << 20), near.saturating_add(REACH).min((1 << 47) - PAGE));
    let mut candidates: Vec<usize> = Vec::new();
    let mut end = 0;
    for (from, to) in taken.into_iter().chain([(1 << 47, 1 << 47)]) {
        if from >= end + PAGE {
            // Both ends of the gap, and the page in it that is nearest.
            candidates.extend([end, from - PAGE, (near & !(PAGE - 1)).clamp(end, from - PAGE)]);
        }
        end = end.max(to);
    }
    candidates.retain(|page| (lowest..highest).contains(page));
    candidates.sort_by_key(|page| page.abs_diff(near));
    candidates.dedup();
    candidates.into_iter().take(32).find_map(map).ok_or(Refusal::NoRoom)
}

fn range(line: &str) -> Option<(usize, usize)> {
    let (from, to) = line.split_whitespace().next()?.split_once('-')?;
    Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
}

/// Maps exactly this page if it is still free.
fn map(page: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: with NOREPLACE the kernel replaces no mapping; the result is checked.
    let got = unsafe { libc::mmap(page as *mut _, PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if got == libc::MAP_FAILED {
        return None;
    }
    if got as usize != page {
        // SAFETY: a kernel before 4.17 took the address as a hint and made a new mapping elsewhere, which nothing refers to.
        unsafe { libc::munmap(got, PAGE) };
        return None;
    }
    Some(page)
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
