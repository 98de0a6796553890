//! Runners of many tests: a signal that ends them ends what they have started, too.

use std::io::Read;
use std::os::fd::IntoRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::{process, ranks};

/// Where the handler writes a signal's number.
static PIPE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_signal(signal: libc::c_int) {
    let number = u8::try_from(signal).unwrap_or(0);
    // SAFETY: write is safe in a handler, and the byte lives as long as the call.
    unsafe { libc::write(PIPE.load(Ordering::Relaxed), (&raw const number).cast(), 1) };
}

/// Puts all scratch directories of this process below one, and has SIGINT, SIGTERM and SIGHUP kill every process of a test before they
/// end this one. Call it before there are threads. Handlers, other than a mask, are not inherited by the tests' processes.
pub fn end_tests_with_me() -> PathBuf {
    let made = tempfile::Builder::new().prefix("mt").tempdir().expect("a temporary directory").keep();
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    PIPE.store(writer.into_raw_fd(), Ordering::Relaxed);
    // SAFETY: there are no other threads yet, which could read the environment.
    unsafe { std::env::set_var("TMPDIR", &made) };
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler calls nothing but write.
        unsafe { libc::signal(signal, on_signal as *const () as libc::sighandler_t) };
    }
    let below = made.clone();
    std::thread::spawn(move || {
        let mut signal = [0];
        if reader.read_exact(&mut signal).is_err() {
            return;
        }
        let _nothing_starts = process::hold_starts();
        // Launchers that start ranks meanwhile: those are found at the next look.
        while ranks::end_all_below(&below) > 0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = std::fs::remove_dir_all(&below);
        std::process::exit(128 + i32::from(signal[0]));
    });
    made
}
