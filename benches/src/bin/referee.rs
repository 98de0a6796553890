//! Compares simulated programs with an independent simulator, SimGrid's SMPI: contention on links and collective communication.
//!
//! Both are given the same machine (gigabit Ethernet between nodes, shared memory inside) and the same programs: `c/referee.c` runs
//! there, a description here. SimGrid sends up to the eager limit at once, shares links max-min fair, and has the algorithms of Open
//! MPI and MPICH; its factors for real TCP are switched off, because the descriptions have none.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Parser;
use midrun_predict::program::{Machine, Options, Program, simulate};

/// Predicted time of programs against SimGrid's.
#[derive(Parser)]
struct Arguments {
    /// Only programs whose name contains this
    #[arg(long, default_value = "")]
    only: String,
}

/// A program on nodes.
struct Case {
    /// As `c/referee.c` calls it.
    name: &'static str,
    nodes: u32,
    per_node: u32,
    bytes: u32,
    repeats: u32,
    /// `mpi` and `[algorithm]` of the machine.
    machine: &'static str,
    /// SimGrid's options for the same algorithm.
    simgrid: &'static str,
    /// Elements; the first one is run `repeats` times.
    elements: &'static str,
}

const EAGER_BYTES: u32 = 65_536;

const FAN_OUT: &str = "[element.body]\nkind = 'loop'\ncount = 'if(rank == 0, processes - 1, 0)'\nindex = 'k'\ndo = ['give']\n\
    [element.give]\nkind = 'send'\nto = 'k + 1'\nbytes = 'bytes'\nmode = 'buffered'\n\
    [element.take]\nkind = 'receive'\nwhen = 'rank > 0'\nfrom = 0\n";
const FAN_IN: &str = "[element.body]\nkind = 'compute'\nseconds = '1e-3 * rank'\n\
    [element.give]\nkind = 'send'\nwhen = 'rank > 0'\nto = 0\nbytes = 'floor(bytes / rank)'\n\
    [element.takes]\nkind = 'loop'\ncount = 'if(rank == 0, processes - 1, 0)'\ndo = ['take']\n\
    [element.take]\nkind = 'receive'\n";
const PAIRS: &str = "[element.body]\nkind = 'send-receive'\nto = '(rank + processes / 2) % processes'\n\
    from = '(rank + processes / 2) % processes'\nbytes = 'bytes * (1 + rank % (processes / 2))'\n";
const HALO: &str = "[element.body]\nkind = 'compute'\nseconds = '5e-3 + 1e-4 * (rank % 5)'\n\
    [element.right]\nkind = 'send-receive'\nto = 'if(rank % side < side - 1, rank + 1, -1)'\n\
    from = 'if(rank % side > 0, rank - 1, -1)'\nbytes = 'bytes'\n\
    [element.left]\nkind = 'send-receive'\nfrom = 'if(rank % side < side - 1, rank + 1, -1)'\n\
    to = 'if(rank % side > 0, rank - 1, -1)'\nbytes = 'bytes'\n\
    [element.down]\nkind = 'send-receive'\nto = 'if(rank + side < processes, rank + side, -1)'\n\
    from = 'if(rank >= side, rank - side, -1)'\nbytes = 'bytes'\n\
    [element.up]\nkind = 'send-receive'\nfrom = 'if(rank + side < processes, rank + side, -1)'\n\
    to = 'if(rank >= side, rank - side, -1)'\nbytes = 'bytes'\n";
const SHIFT: &str = "[element.body]\nkind = 'send'\nmode = 'buffered'\nto = '(rank + processes / 2 - 1) % processes'\n\
    bytes = 'bytes * (1 + rank % 7)'\n\
    [element.take]\nkind = 'receive'\nfrom = '(rank + processes / 2 + 1) % processes'\n";
const FARM: &str = "[element.body]\nkind = 'loop'\nwhen = 'rank == 0'\ncount = '21 * (processes - 1)'\nindex = 'k'\ndo = ['back', 'give']\n\
    [element.back]\nkind = 'receive'\nwhen = 'k >= processes - 1'\n\
    [element.give]\nkind = 'send'\nwhen = 'k < 20 * (processes - 1)'\nto = 'k % (processes - 1) + 1'\nbytes = 'bytes'\n\
    [element.worker]\nkind = 'loop'\nwhen = 'rank > 0'\ncount = 20\ndo = ['take', 'work', 'result']\n\
    [element.take]\nkind = 'receive'\nfrom = 0\n\
    [element.work]\nkind = 'compute'\nseconds = '2e-3 + 1e-4 * (rank % 4)'\n\
    [element.result]\nkind = 'send'\nto = 0\nbytes = 'bytes'\n";
const MW_ONCE: &str = "[element.body]\nkind = 'master-worker'\ntasks = 'processes - 1'\n\
    task_s = '4e-3 * (processes - task)'\ntechnique = 'none'\ntask_bytes = 'bytes'\n";
/// Single tasks, 20 for each worker, with bytes on these ways.
macro_rules! mw_queue {
    ($bytes:literal) => {
        concat!(
            "[element.body]\nkind = 'master-worker'\ntasks = '20 * (processes - 1)'\n\
            task_s = '2e-3 + 1e-4 * (task % 4)'\ntechnique = 'ss'\n",
            $bytes
        )
    };
}

fn cases() -> Vec<Case> {
    let case = |name, (nodes, per_node), bytes, repeats, elements| Case {
        name,
        nodes,
        per_node,
        bytes,
        repeats,
        machine: "",
        simgrid: "",
        elements,
    };
    let collective =
        |name, nodes, bytes, machine, simgrid| Case { machine, simgrid, ..case(name, nodes, bytes, 1, "") };
    let open_mpi =
        |name, nodes, bytes| collective(name, nodes, bytes, "mpi = 'open-mpi'\n", "--cfg=smpi/coll-selector:ompi");
    let mpich = |name, nodes, bytes, simgrid| collective(name, nodes, bytes, "mpi = 'mpich'\n", simgrid);
    vec![
        case("fan-out", (12, 1), 400_000, 1, FAN_OUT),
        case("fan-out", (64, 1), 400_000, 1, FAN_OUT),
        case("fan-in", (32, 1), 4_000_000, 1, FAN_IN),
        case("pairs", (2, 16), 50_000, 1, PAIRS),
        case("pairs", (8, 16), 20_000, 3, PAIRS),
        case("halo", (16, 4), 100_000, 10, HALO),
        case("halo", (8, 8), 30_000, 10, HALO),
        case("shift", (13, 8), 150_000, 2, SHIFT),
        case("farm", (8, 4), 10_000, 1, FARM),
        case("mw-once", (12, 1), 400_000, 1, MW_ONCE),
        case("mw-once", (6, 2), 400_000, 1, MW_ONCE),
        case("mw-once", (64, 1), 400_000, 3, MW_ONCE),
        case("mw-queue", (6, 2), 2_000, 1, mw_queue!("task_bytes = 'bytes'\n")),
        case("mw-queue", (6, 2), 40_000, 1, mw_queue!("task_bytes = 'bytes'\n")),
        case("mw-queue", (12, 1), 400_000, 1, mw_queue!("task_bytes = 'bytes'\n")),
        case("mw-results", (6, 2), 40_000, 1, mw_queue!("result_bytes = 'bytes'\n")),
        case("mw-results", (12, 1), 400_000, 1, mw_queue!("result_bytes = 'bytes'\n")),
        case("mw-both", (6, 2), 400_000, 1, mw_queue!("task_bytes = 'bytes'\nresult_bytes = 'bytes'\n")),
        open_mpi("barrier", (64, 1), 0),
        open_mpi("allreduce", (128, 1), 8),
        open_mpi("allreduce", (64, 1), 1 << 20),
        open_mpi("allreduce", (16, 4), 1 << 20),
        open_mpi("reduce", (32, 1), 1 << 14),
        open_mpi("gather", (64, 1), 20_000),
        open_mpi("scatter", (64, 1), 20_000),
        open_mpi("allgather", (128, 1), 16_384),
        open_mpi("alltoall", (32, 1), 40_000),
        open_mpi("alltoall", (16, 4), 300_000),
        collective("allreduce", (64, 1), 1 << 22, "[algorithm]\nallreduce = 'ring'\n", "--cfg=smpi/allreduce:lr"),
        mpich("barrier", (100, 1), 0, "--cfg=smpi/barrier:ompi_bruck"),
        mpich("broadcast", (64, 1), 8000, "--cfg=smpi/bcast:binomial_tree"),
        mpich("broadcast", (64, 1), 1 << 18, "--cfg=smpi/bcast:scatter_rdb_allgather"),
        // With eager messages SimGrid needs twice its time without them here, for a ring that needs no receiver to be early.
        mpich("broadcast", (64, 1), 1 << 20, "--cfg=smpi/bcast:scatter_LR_allgather --cfg=smpi/async-small-thresh:0"),
        mpich("allgather", (64, 1), 4096, "--cfg=smpi/allgather:rdb"),
        mpich("reduce", (64, 1), 1 << 20, "--cfg=smpi/reduce:scatter_gather"),
        mpich("allreduce", (128, 1), 1 << 20, "--cfg=smpi/allreduce:rab_rdb"),
        mpich("allreduce", (32, 4), 2048, "--cfg=smpi/allreduce:rdb"),
        mpich("allgather", (64, 1), 1000, "--cfg=smpi/allgather:rdb"),
        mpich("alltoall", (64, 1), 100, "--cfg=smpi/alltoall:bruck"),
    ]
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let Ok(version) = Command::new("smpirun").arg("-version").output() else {
        println!("not compared: SimGrid's smpirun is not here (Debian: libsimgrid-dev)");
        return Ok(());
    };
    let version = String::from_utf8_lossy(&version.stdout);
    println!("referee: {}", version.lines().next().unwrap_or("SimGrid").trim());
    let directory = tempfile::tempdir()?;
    let program = directory.path().join("referee");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/c/referee.c");
    let built = Command::new("smpicc").args(["-O1", "-o"]).arg(&program).arg(source).status()?;
    anyhow::ensure!(built.success(), "smpicc: {built}");
    println!(
        "\n{:>10} {:>8} {:>9}  {:>11} {:>11} {:>9}",
        "program", "ranks", "bytes", "SimGrid s", "predicted s", "deviation"
    );
    let mut deviations: Vec<f64> = Vec::new();
    for case in cases().iter().filter(|case| case.name.contains(&a.only)) {
        let referee_s = case.referee_s(directory.path(), &program)?;
        let predicted_s = case.predicted_s()?;
        let deviation = predicted_s / referee_s - 1.0;
        let ranks = format!("{} x {}", case.nodes, case.per_node);
        println!(
            "{:>10} {ranks:>8} {:>9}  {referee_s:>11.6} {predicted_s:>11.6} {:>+8.2} %  {}",
            case.name,
            case.bytes,
            100.0 * deviation,
            case.machine.replace('\n', " ")
        );
        deviations.push(deviation.abs());
    }
    deviations.sort_by(f64::total_cmp);
    let within = deviations.iter().filter(|of| **of <= 0.05).count();
    println!(
        "\n{} programs, {within} within 5 %: median deviation {:.2} %, largest {:.2} %",
        deviations.len(),
        100.0 * deviations.get(deviations.len() / 2).copied().unwrap_or(f64::NAN),
        100.0 * deviations.last().copied().unwrap_or(f64::NAN)
    );
    Ok(())
}

impl Case {
    fn predicted_s(&self) -> Result<f64> {
        let Case { nodes, per_node, bytes, repeats, .. } = self;
        let mut elements = self.elements.to_owned();
        if elements.is_empty() {
            let size = if self.name == "barrier" { "" } else { "bytes = 'bytes'\n" };
            elements = format!("[element.body]\nkind = '{}'\n{size}", self.name);
        }
        let name = |line: &str| Some(line.strip_prefix("[element.")?.strip_suffix(']')?.to_owned());
        let names: Vec<String> = elements.lines().filter_map(name).collect();
        // An inner element is named by its loop's `do`.
        let inner = |name: &String| {
            elements.lines().any(|line| line.starts_with("do = [") && line.contains(&format!("'{name}'")))
        };
        let run: Vec<String> = names.iter().filter(|name| !inner(name)).map(|name| format!("'{name}'")).collect();
        let side = f64::from(nodes * per_node).sqrt();
        let text = format!(
            "processes = {}\nrun = ['repeats']\n[parameters]\nbytes = {bytes}\nside = {}\n[element.repeats]\nkind = 'loop'\ncount = {repeats}\n\
             do = [{}]\n{elements}",
            nodes * per_node,
            side.round(),
            run.join(", ")
        );
        let machine = format!(
            "{}node = [{{ count = {nodes}, cores = {per_node} }}]\n\
             inside = {{ start_up = '2us', overhead = '0s', per_byte = '0.2ns', eager = '{EAGER_BYTES}' }}\n\
             between = {{ start_up = '50us', overhead = '0s', per_byte = '8ns', eager = '{EAGER_BYTES}' }}\n{}",
            if self.machine.starts_with('[') { "" } else { self.machine },
            if self.machine.starts_with('[') { self.machine } else { "" },
        );
        let program = Program::from_toml(&text).with_context(|| text.clone())?;
        Ok(simulate(&program, &Machine::from_toml(&machine)?, &Options::default())?.total_s)
    }

    fn referee_s(&self, directory: &Path, program: &Path) -> Result<f64> {
        let Case { nodes, per_node, .. } = self;
        let platform = format!(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n\
             <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" core=\"{per_node}\" bw=\"125MBps\" lat=\"25us\" \
             sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"5GBps\" loopback_lat=\"2us\"/>\n</platform>\n",
            nodes - 1
        );
        let hosts = (0..nodes * per_node).fold(String::new(), |mut hosts, rank| {
            let _ = writeln!(hosts, "n{}", rank / per_node);
            hosts
        });
        let (platform_file, hosts_file) = (directory.join("platform.xml"), directory.join("hosts"));
        std::fs::write(&platform_file, platform)?;
        std::fs::write(&hosts_file, hosts)?;
        // SimGrid's limits are the first sizes that are not eager.
        let limit = EAGER_BYTES + 1;
        let eager = [format!("smpi/async-small-thresh:{limit}"), format!("smpi/send-is-detached-thresh:{limit}")];
        let settings = [
            "smpi/simulate-computation:no",
            "network/crosstraffic:0",
            "network/TCP-gamma:0",
            "network/weight-S:0",
            "smpi/bw-factor:0:1",
            "smpi/lat-factor:0:1",
            "smpi/os:0:0:0",
            "smpi/or:0:0:0",
            "smpi/ois:0:0:0",
        ];
        let output = Command::new("smpirun")
            .args(["-np", &(nodes * per_node).to_string(), "-platform"])
            .arg(&platform_file)
            .arg("-hostfile")
            .arg(&hosts_file)
            .args(settings.iter().map(|setting| format!("--cfg={setting}")))
            .args(eager.iter().map(|setting| format!("--cfg={setting}")))
            .arg("--log=root.thres:error")
            .args(self.simgrid.split_whitespace())
            .arg(program)
            .args([self.name, &self.bytes.to_string(), &self.repeats.to_string()])
            .current_dir(directory)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let ends = said.lines().filter_map(|line| line.strip_prefix("ended ")?.trim().parse::<f64>().ok());
        let last_s = ends.fold(f64::NAN, f64::max);
        let errors = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success() && last_s.is_finite(), "smpirun {}: {said}{errors}", self.name);
        Ok(last_s)
    }
}
