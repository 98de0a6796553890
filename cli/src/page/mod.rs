//! Pages that need nothing but themselves: their frame, and the file that takes its place when it is whole.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use tempfile::NamedTempFile;

use crate::text_file::refuse_unless_file;
use crate::usage::usage;

/// A page with this content; `styles` come before the ones of all pages.
pub fn document(title: &str, styles: &str, body: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Whatever stands in the page, it fetches nothing.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                title { "midrun: " (title) }
                style { (PreEscaped(styles)) (PreEscaped(include_str!("page.css"))) }
            }
            body { (body) }
        }
    };
    markup.into_string()
}

/// A file to be written.
pub struct Target {
    file: NamedTempFile,
    path: PathBuf,
}

impl Target {
    /// A file beside `path`, which takes its place when it is whole: a page that cannot be written is refused before anything is read.
    ///
    /// # Errors
    /// A directory, a place where nothing can be written; `option` is what the user gave it by.
    pub fn new(option: &str, path: &Path) -> anyhow::Result<Target> {
        use std::os::unix::fs::PermissionsExt;
        refuse_unless_file(option, path)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let permissions = std::fs::Permissions::from_mode(0o666); // the umask takes its part
        let made = tempfile::Builder::new().prefix(".midrun-report-").permissions(permissions).tempfile_in(parent);
        let file =
            made.or_else(|error| usage(format!("{option} {} cannot be written: {}", path.display(), error.kind())))?;
        Ok(Target { file, path: path.to_owned() })
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The disk is full, or the like.
    pub fn write(mut self, page: &str) -> anyhow::Result<()> {
        let path = self.path;
        let written = self.file.write_all(page.as_bytes()).map_err(anyhow::Error::from);
        let done = written.and_then(|()| self.file.persist(&path).map(drop).map_err(anyhow::Error::from));
        done.with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_takes_the_place_of_no_device_or_directory() {
        for place in ["/dev/null", "/tmp"] {
            let refused = Target::new("-o", Path::new(place)).map(drop).unwrap_err().to_string();
            assert!(refused.contains(&format!("{place} is no file")), "{refused}");
        }
    }
}
