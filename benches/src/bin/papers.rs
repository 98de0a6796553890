//! Prints the sources' figures and tables beside what the models and the runs of this project give.

use anyhow::{Result, ensure};
use clap::Parser;
use midrun_benches::Hosts;
use midrun_benches::papers::live::Measured;
use midrun_benches::papers::{Item, Row, Source, chosen, page};
use midrun_benches::runs::Place;

/// The sources' figures and tables, and ours.
#[derive(Parser)]
struct Arguments {
    /// One figure or table (T4.F21) with its runs, or all whose ids begin so (P2)
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// Make the runs of all that is printed
    #[arg(long)]
    live: bool,
    /// Make those runs of what is printed that nothing is recorded of
    #[arg(long, conflicts_with = "live")]
    missing: bool,
    /// Make no runs, not even those of one figure
    #[arg(long, conflicts_with_all = ["live", "missing"])]
    no_runs: bool,
    /// Keep what the runs give in benches/sources/measured.toml, from which the page is made
    #[arg(long)]
    record: bool,
    /// `openmpi` or `mpich`
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Emulated hosts with links of 100 Mbit/s to spread the ranks over (Open MPI; needs root)
    #[arg(long)]
    hosts: Option<u32>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    ensure!(a.hosts.is_none() || a.mpi == "openmpi", "--hosts is for Open MPI");
    let (sources, mut measured) = (chosen(a.only.as_deref())?, Measured::recorded()?);
    let is_one = a.only.as_ref().is_some_and(|id| sources.iter().all(|s| s.item.iter().all(|item| item.id == *id)));
    if a.live || a.missing || (is_one && !a.no_runs) {
        a.run(&sources, &mut measured)?;
    }
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

impl Arguments {
    fn run(&self, sources: &[Source], measured: &mut Measured) -> Result<()> {
        let rows = sources.iter().flat_map(|source| &source.item);
        let rows = rows.flat_map(|item| item.row.iter().map(move |row| (item, row)));
        let wanted = |&(item, row): &(&Item, &Row)| match self.missing {
            true => measured.lacks(item, row),
            false => row.live.is_some(),
        };
        let rows: Vec<(&Item, &Row)> = rows.filter(wanted).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let hosts = self.hosts.map(|count| Hosts::up(count, "100mbit")).transpose()?;
        let place = Place { mpi: &self.mpi, hosts: hosts.as_ref(), realtime: false };
        for (item, row) in rows {
            let Some(live) = &row.live else { continue };
            eprintln!("running {}, {}: takes {}", item.id, row.case, live.takes());
            measured.make(item, row, place)?;
            if self.record {
                measured.record()?;
            }
        }
        Ok(())
    }
}
