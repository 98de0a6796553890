//! Prints the sources' figures and tables beside what the models and the runs of this project give.

use anyhow::Result;
use clap::Parser;
use midrun_benches::papers::live::Measured;
use midrun_benches::papers::{chosen, page};

/// The sources' figures and tables, and ours.
#[derive(Parser)]
struct Arguments {
    /// One figure or table (T4.F21), or all whose ids begin so (P2)
    #[arg(long, value_name = "ID")]
    only: Option<String>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let (sources, measured) = (chosen(a.only.as_deref())?, Measured::recorded()?);
    match a.only {
        Some(_) => {
            for source in &sources {
                print!("{}", page::section(source, &measured, &mut page::Tally::default())?);
            }
        }
        None => print!("{}", page::page(&sources, &measured)?),
    }
    Ok(())
}
