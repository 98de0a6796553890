//! A real browser without a screen, which opens a page and says what became of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Scratch;

/// A page that a browser opened.
#[derive(Debug)]
pub struct Opened {
    /// The document after its scripts have run.
    pub document: String,
    /// Lines of the console.
    pub console: Vec<String>,
}

/// The browser of this machine, if it has one.
pub fn installed() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let in_path = |name: &str| std::env::split_paths(&paths).map(|path| path.join(name)).find(|path| path.is_file());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(in_path)
}

/// Opens a file. The browser gets no network: whatever the page fetches fails, and stands in the console.
pub fn open(scratch: &Scratch, browser: &Path, page: &Path) -> Opened {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--virtual-time-budget=5000"])
        .args(["--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom"])
        .arg(format!("--user-data-dir={}", scratch.path("browser").display()))
        .arg(format!("file://{}", page.display()))
        .env("HOME", scratch.directory())
        .output()
        .expect("the browser starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let err = text(&output.stderr);
    assert!(output.status.success(), "{err}");
    let console = err.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    Opened { document: text(&output.stdout), console }
}
