//! Hooks at functions: made once per function, inserted and removed any number of times.

use crate::got::Slots;
use crate::patch::Site;
use crate::prologue::{self, JUMP, far_jump, near_jump};
use crate::refusal::Refusal;
use crate::symbols::{self, Function};
use crate::table::{self, MOST, Point, flag};
use crate::thread::without_probes;
use crate::{clock, memory, objects, probe, registers, threads, trap};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Offset of the copied instructions in a hook's page; before them is the stub.
const MOVED: usize = 64;

/// Functions that return twice, or act by where they are called from.
const SPECIAL: [&str; 14] = [
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "vfork",
    "__vfork",
    "getcontext",
    "swapcontext",
    "savectx",
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "__tls_get_addr",
];

/// A hook at one function. Copies are the same hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hook(u32);

/// A function with a hook.
struct Hooked {
    function: Function,
    route: Route,
}

/// How calls get to the entry trampoline.
enum Route {
    /// By a jump at the function's entry.
    Entry(Site),
    /// By the addresses through which objects call functions of others.
    Slots(Slots),
}

static HOOKED: Mutex<Vec<Hooked>> = Mutex::new(Vec::new());

fn with<T>(body: impl FnOnce(&mut Vec<Hooked>) -> T) -> T {
    without_probes(|| body(&mut HOOKED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
}

/// Makes a hook at `function`, not inserted yet. The same function has the same hook.
///
/// # Errors
/// Why it cannot be hooked.
pub fn make(function: &Function) -> Result<Hook, Refusal> {
    if SPECIAL.contains(&function.name.as_str()) {
        return Err(Refusal::Special(function.name.clone()));
    }
    registers::learn_state()?;
    threads::note_process();
    clock::choose();
    if shadow_stack() {
        return Err(Refusal::ShadowStack);
    }
    with(|hooked| {
        if let Some(known) = hooked.iter().position(|known| known.function.address == function.address) {
            return Ok(Hook(known as u32));
        }
        let number = hooked.len();
        let point = table::point(number as u32).ok_or(Refusal::Full(MOST))?;
        let route = match entry(function, number as u32, point) {
            Ok(site) => Route::Entry(site),
            // A function that cannot be changed at its entry may be reached where other objects call it.
            Err(why) if function.exported => Route::Slots(slots(function, number as u32, point).ok_or(why)?),
            Err(why) => return Err(why),
        };
        hooked.push(Hooked { function: function.clone(), route });
        Ok(Hook(number as u32))
    })
}

fn shadow_stack() -> bool {
    const ARCH_SHSTK_STATUS: i32 = 0x5005;
    let mut features = 0u64;
    // SAFETY: the call writes one word, or fails on kernels that do not know it.
    let known = unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SHSTK_STATUS, &raw mut features) } == 0;
    known && features & 1 != 0
}

/// `push number; jmp [entry]`.
fn stub(number: u32) -> Vec<u8> {
    let mut code = vec![0x68];
    code.extend(number.to_le_bytes());
    code.extend(far_jump(probe::entry()));
    code
}

fn entry(function: &Function, number: u32, point: &Point) -> Result<Site, Refusal> {
    let all = objects::loaded();
    let object = all.iter().find(|object| object.has(function.address));
    let foreign =
        |object: &objects::Object| !object.name.starts_with("ld-linux") && !object.name.starts_with("libmidrun");
    // Only the function with which costs are measured has no object.
    if !function.object.is_empty() && !object.is_some_and(foreign) {
        return Err(Refusal::Ours(function.name.clone()));
    }
    let code = |address: usize, size: u64| {
        let bytes = if size > 0 { size as usize } else { memory::PAGE - address % memory::PAGE };
        // SAFETY: code of a loaded function, of the length in its symbol table; where the table has none, up to the end of its page,
        // which is mapped. Hooks change code under the lock that is held here.
        unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }
    };
    let mut own = code(function.address, function.size);
    if function.size == 0 {
        own = &own[..prologue::length_of(own, function.address).min(own.len())];
    }
    let cold_parts = symbols::cold_parts(function);
    let elsewhere: Vec<_> = cold_parts.iter().map(|&(address, size)| (code(address, size), address)).collect();
    let first = prologue::look(own, function.address, &elsewhere)?;
    let place = |traps: &[u8]| {
        memory::place(
            first.at,
            |free| first.highest(free, traps),
            |at| {
                let moved = first.moved(at + MOVED)?;
                let jump = near_jump(first.at, at).ok_or(Refusal::NoRoom)?;
                let mut code = stub(number);
                code.resize(MOVED, 0xcc);
                code.extend(&moved.code);
                Ok((code, (moved, jump)))
            },
        )
    };
    // Breakpoints alone, where they do: then SIGILL stays the program's.
    let (at, (moved, jump)) = place(&trap::BYTES[..1]).or_else(|_| place(&trap::BYTES))?;
    for (k, &(from, to)) in moved.starts.iter().enumerate() {
        trap::add(from, if k == 0 { at } else { to });
    }
    point.target.store(at + MOVED, Ordering::Release);
    let mut original = [0; JUMP];
    original.copy_from_slice(&code(first.at, JUMP as u64)[..JUMP]);
    let starts = moved.starts.iter().map(|(from, _)| from - first.at).collect();
    Ok(Site::new(first.at, original, jump, starts))
}

fn slots(function: &Function, number: u32, point: &Point) -> Option<Slots> {
    let (at, ()) = memory::place(function.address, |mut free| free.next_back(), |_| Ok((stub(number), ()))).ok()?;
    point.target.store(function.address, Ordering::Release);
    Slots::of(function, at)
}

impl Hook {
    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// What the function's probes do.
    pub fn point(self) -> &'static Point {
        // A hook's number is that of a point.
        table::point(self.0).unwrap_or_else(table::first)
    }

    fn act<T>(self, otherwise: T, body: impl FnOnce(&mut Route) -> T) -> T {
        with(|all| all.get_mut(self.0 as usize).map_or(otherwise, |hooked| body(&mut hooked.route)))
    }

    /// Makes calls run the probes.
    ///
    /// # Errors
    /// The system's, or [`Refusal::Busy`]: it may work later.
    pub fn insert(self) -> Result<(), Refusal> {
        self.act(Ok(()), |route| match route {
            Route::Entry(site) => site.insert(),
            Route::Slots(slots) => slots.insert(),
        })
    }

    /// Makes calls run the function alone again.
    ///
    /// # Errors
    /// The system's, or [`Refusal::Busy`]; the function works as before either way.
    pub fn remove(self) -> Result<(), Refusal> {
        self.act(Ok(()), |route| match route {
            Route::Entry(site) => site.remove(),
            Route::Slots(slots) => slots.remove(),
        })
    }

    /// Whether calls run the probes.
    pub fn is_in(self) -> bool {
        self.act(false, |route| match route {
            Route::Entry(site) => site.is_in(),
            Route::Slots(slots) => slots.is_in(),
        })
    }

    /// Whether only calls from other objects run the probes.
    pub fn is_partial(self) -> bool {
        self.act(false, |route| matches!(route, Route::Slots(_)))
    }

    /// Lets another function of the same signature run in its place; `None`: itself. Takes effect at the next call.
    pub fn replace(self, by: Option<usize>) {
        let own = with(|all| all.get(self.0 as usize).map(Hooked::own));
        if let (Some(own), Some(point)) = (own, table::point(self.0)) {
            point.target.store(by.unwrap_or(own), Ordering::Release);
        }
    }

    /// Stops everything that the probes do, and removes the hook if it can.
    pub fn clear(self) {
        let point = self.point();
        point.set(flag::TIMED | flag::ARGUMENTS, false);
        point.set_handlers(None, None);
        self.replace(None);
        let _ = self.remove(); // a hook that stays passes calls on
    }
}

impl Hooked {
    /// Where a call of the function itself goes on.
    fn own(&self) -> usize {
        match &self.route {
            Route::Entry(site) => site.stub() + MOVED,
            Route::Slots(_) => self.function.address,
        }
    }
}
