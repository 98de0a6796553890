//! The crate as a library for C programs: what its tests hook themselves with. `tests/programs/probe.h` declares it.

#![allow(missing_docs, clippy::missing_safety_doc)]

use midrun_instrument::{Collector, Hook, Probe, Sum, flag, symbols};
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

static HOOKS: Mutex<Vec<(Hook, Sum)>> = Mutex::new(Vec::new());
static COLLECTOR: Mutex<Option<Collector>> = Mutex::new(None);
static ERROR: Mutex<Option<CString>> = Mutex::new(None);
static ENTRIES: AtomicU64 = AtomicU64::new(0);
static EXITS: AtomicU64 = AtomicU64::new(0);

unsafe fn parts(name: *const c_char) -> (String, Option<String>) {
    // SAFETY: the tests give C strings.
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap();
    match name.split_once(".so:") {
        Some((object, name)) => (name.into(), Some(format!("{object}.so"))),
        None => (name.into(), None),
    }
}

fn refuse(why: impl std::fmt::Display) -> c_int {
    *ERROR.lock().unwrap() = CString::new(why.to_string()).ok();
    -1
}

fn hook(id: c_int) -> Hook {
    HOOKS.lock().unwrap()[id as usize].0
}

/// A hook at a function, timed, not inserted yet; -1 when refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_hook(name: *const c_char) -> c_int {
    // SAFETY: as the caller's.
    let (name, object) = unsafe { parts(name) };
    let found = symbols::function(&name, object.as_deref());
    match found.and_then(|function| midrun_instrument::hook(&function)) {
        Ok(hook) => {
            hook.point().set(flag::TIMED, true);
            let mut hooks = HOOKS.lock().unwrap();
            hooks.push((hook, Sum::default()));
            hooks.len() as c_int - 1
        }
        Err(why) => refuse(why),
    }
}

/// The reason of the last refusal.
#[unsafe(no_mangle)]
pub extern "C" fn probe_error() -> *const c_char {
    ERROR.lock().unwrap().as_ref().map_or(std::ptr::null(), |error| error.as_ptr())
}

/// Address of a variable of so many bytes; 0 when refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_variable(name: *const c_char, bytes: u64) -> usize {
    // SAFETY: as the caller's.
    let (name, object) = unsafe { parts(name) };
    match symbols::variable(&name, object.as_deref(), bytes, true) {
        Ok(variable) => variable.address,
        Err(why) => {
            refuse(why);
            0
        }
    }
}

/// Address of a function; 0 when refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_function(name: *const c_char) -> usize {
    // SAFETY: as the caller's.
    let (name, object) = unsafe { parts(name) };
    match symbols::function(&name, object.as_deref()) {
        Ok(function) => function.address,
        Err(why) => {
            refuse(why);
            0
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_insert(id: c_int) -> c_int {
    hook(id).insert().map_or_else(refuse, |()| 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_remove(id: c_int) -> c_int {
    hook(id).remove().map_or_else(refuse, |()| 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_is_partial(id: c_int) -> c_int {
    c_int::from(hook(id).is_partial())
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_replace(id: c_int, by: usize) {
    hook(id).replace((by != 0).then_some(by));
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_argument(id: c_int, at: c_int, place: u32, bits: u64) {
    let point = hook(id).point();
    point.arguments[at as usize].bits.store(bits, Ordering::Relaxed);
    point.arguments[at as usize].place.store(place, Ordering::Release);
    point.set(flag::ARGUMENTS, true);
}

/// Handlers are called at entries and exits from now on; they do much with vector registers.
#[unsafe(no_mangle)]
pub extern "C" fn probe_handle(id: c_int) {
    fn busy() {
        let mut bytes = vec![1u8; 5000];
        bytes.copy_within(1..4000, 700);
        let text = format!("{:?} {}", &bytes[..40], 1.5f64.powf(bytes.len() as f64 / 5000.0));
        assert!(text.len() > 40);
    }
    fn entry(_: &Probe) {
        ENTRIES.fetch_add(1, Ordering::Relaxed);
        busy();
    }
    fn exit(_: &Probe) {
        EXITS.fetch_add(1, Ordering::Relaxed);
        busy();
    }
    hook(id).point().set_handlers(Some(entry), Some(exit));
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_handled_entries() -> c_long {
    ENTRIES.load(Ordering::Relaxed) as c_long
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_handled_exits() -> c_long {
    EXITS.load(Ordering::Relaxed) as c_long
}

fn sum(id: c_int) -> Sum {
    let mut collector = COLLECTOR.lock().unwrap();
    let collector = collector.get_or_insert_default();
    let interval = collector.begin_interval();
    let mut hooks = HOOKS.lock().unwrap();
    let (hook, all) = &mut hooks[id as usize];
    let new = collector.take(hook.number(), interval);
    all.calls += new.calls;
    all.timed += new.timed;
    all.sum_ns += new.sum_ns;
    all.bins.iter_mut().zip(new.bins).for_each(|(a, n)| *a += n);
    all.clone()
}

/// Calls so far, those that were timed, and their time.
#[unsafe(no_mangle)]
pub extern "C" fn probe_calls(id: c_int) -> c_long {
    sum(id).calls as c_long
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_timed(id: c_int) -> c_long {
    let sum = sum(id);
    assert_eq!(sum.bins.iter().map(|n| u64::from(*n)).sum::<u64>(), sum.timed, "the histogram has each call");
    sum.timed as c_long
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_ticks(id: c_int) -> c_long {
    sum(id).sum_ns as c_long
}

/// Cost of a timed call, in hundredths of a tick; -1 when refused.
#[unsafe(no_mangle)]
pub extern "C" fn probe_cost() -> c_long {
    midrun_instrument::cost().map_or_else(|why| c_long::from(refuse(why)), |cost| (100.0 * cost.timed_ns) as c_long)
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_missed() -> c_long {
    midrun_instrument::missed_calls() as c_long
}
