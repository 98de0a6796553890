//! Descriptions of programs as pictures (SVG): boxes with their text as text, and a title and a description for those who listen.

mod blocks;
pub mod diagram;
mod glyphs;
pub mod program;
pub mod structure;

use std::path::Path;

use maud::{Markup, PreEscaped, html};

use crate::usage::Usage;
use blocks::Block;

/// Space around a picture.
const MARGIN: f64 = 12.0;

/// A picture.
pub struct Picture {
    title: String,
    /// All that it shows, in sentences.
    description: String,
    block: Block,
}

impl Picture {
    /// The `svg` element, to stand in a page.
    pub fn svg(&self) -> Markup {
        let (width, height) = (self.block.width + 2.0 * MARGIN, self.block.height + 2.0 * MARGIN);
        html! {
            svg.midrun-picture xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}"))
                role="group" aria-labelledby="picture-title picture-description" {
                title id="picture-title" { (self.title) }
                desc id="picture-description" { (self.description) }
                style { (PreEscaped(include_str!("picture.css"))) }
                defs {
                    marker id="picture-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse" {
                        path d="M0 0L8 4L0 8z" {}
                    }
                }
                rect.paper width=(width) height=(height) {}
                (blocks::at(MARGIN, MARGIN, &self.block.markup))
            }
        }
    }

    /// Writes it as a file of its own, named by the option `--picture`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.svg().into_string());
        std::fs::write(path, text).map_err(|error| Usage(format!("--picture {}: {error}", path.display())).into())
    }
}

#[cfg(test)]
mod tests;
