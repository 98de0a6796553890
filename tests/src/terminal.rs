//! A program in a pseudo-terminal: what stands on the screen, keys, and a window that changes its size.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::{Scratch, wait_until};

/// A program and its terminal.
pub struct Terminal {
    child: Child,
    master: File,
    screen: Arc<Mutex<vt100::Parser>>,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has rows and columns")
}

fn window((columns, rows): (u16, u16)) -> libc::winsize {
    libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Terminal {
    /// Starts `command` in a terminal of so many columns and rows.
    pub fn start(scratch: &Scratch, mut command: Command, size: (u16, u16)) -> Terminal {
        let (mut ours, mut theirs) = (0, 0);
        // SAFETY: two descriptors and a window; no name and no settings are asked for.
        let made = unsafe {
            libc::openpty(
                &raw mut ours,
                &raw mut theirs,
                std::ptr::null_mut(),
                std::ptr::null(),
                &raw const *Box::new(window(size)),
            )
        };
        assert_eq!(made, 0, "a pseudo-terminal");
        // SAFETY: both were made just now, and nobody else has them. The program must not have ours, or it would never see its end.
        let (master, slave) = unsafe {
            libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC);
            (File::from_raw_fd(ours), File::from_raw_fd(theirs))
        };
        let end = || Stdio::from(slave.try_clone().expect("a descriptor"));
        command.stdin(end()).stdout(end()).stderr(end()).envs(scratch.environment()).env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        // SAFETY: both calls may be made between fork and exec: a session of its own, with the terminal in front of it.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().expect("the program starts");
        drop((command, slave));
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(size.1), cells(size.0), 0)));
        let (mut from, to) = (master.try_clone().expect("a descriptor"), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The read fails when the program has ended.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                to.lock().expect("the screen").process(&bytes[..count]);
            }
        });
        Terminal { child, master, screen }
    }

    /// What stands on the screen.
    pub fn screen(&self) -> String {
        self.screen.lock().expect("the screen").screen().contents()
    }

    /// The rows of the screen, where `screen` joins a line that is longer than a row.
    pub fn rows(&self) -> Vec<String> {
        let screen = self.screen.lock().expect("the screen");
        let (_, columns) = screen.screen().size();
        screen.screen().rows(0, columns.get()).collect()
    }

    /// Waits until the screen has this.
    pub fn wait_for(&self, part: &str) {
        let what = format!("the screen has {part:?}");
        let mut last = String::new();
        let there = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_until(&what, || {
                last = self.screen();
                last.contains(part)
            });
        }));
        assert!(there.is_ok(), "{part:?} is not on the screen:\n{last}");
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Makes the window so large.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.screen.lock().expect("the screen").screen_mut().set_size(cells(size.1), cells(size.0));
        // SAFETY: the descriptor is open, and the window lives during the call.
        let done =
            unsafe { libc::ioctl(self.master.as_raw_fd(), libc::TIOCSWINSZ, &raw const *Box::new(window(size))) };
        assert_eq!(done, 0, "the window takes its size");
    }

    /// Sends a signal to the program.
    pub fn signal(&self, number: i32) {
        // SAFETY: the child is not waited for yet.
        unsafe { libc::kill(self.child.id().cast_signed(), number) };
    }

    /// The exit code of the program, when it has ended, and what stood on the screen last.
    pub fn wait(mut self) -> (i32, String) {
        wait_until("the program in the terminal ends", || self.child.try_wait().expect("a child").is_some());
        let code = self.child.wait().expect("a child").code().unwrap_or(-1);
        // The last bytes may still be on their way.
        std::thread::sleep(std::time::Duration::from_millis(100));
        (code, self.screen())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
