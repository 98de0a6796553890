//! The Intel MPI Benchmarks: under Intel MPI, and under Debian's MPICH, which has the same binary interface.

use std::process::Command;

use super::{Case, Verdict, material};
use crate::process::Ended;
use crate::{Mpi, root};

/// One program with flags that keep it short.
const PROGRAMS: [(&str, &[&str]); 4] = [
    ("IMB-MPI1", &["-iter", "20", "-msglog", "0:16"]),
    ("IMB-NBC", &["-iter", "20", "-msglog", "0:16"]),
    ("IMB-RMA", &["-iter", "20", "-msglog", "0:16"]),
    ("IMB-MT", &["-thread_level", "multiple", "-repeat", "20", "-count", "1,64,4096", "-check", "on"]),
];

/// Each benchmark on `ranks` ranks; none where they or the MPI are not here.
pub fn cases(mpi: &str, ranks: u32) -> Vec<Case> {
    let intel = root().canonicalize().expect("the root").join("target/impi");
    let at = |name: &str| intel.join(name).display().to_string();
    let libraries = if mpi == "intel" { at("lib") } else { material().join("imb").display().to_string() };
    let mut environment = vec![("LD_LIBRARY_PATH".to_owned(), libraries), ("OMP_NUM_THREADS".into(), "2".into())];
    let launcher = if mpi == "intel" {
        environment.push(("I_MPI_ROOT".into(), at("")));
        environment.push(("FI_PROVIDER_PATH".into(), at("lib/libfabric/prov")));
        environment.push(("FI_PROVIDER".into(), "tcp".into()));
        vec![at("bin/mpiexec.hydra")]
    } else {
        let mut words = vec![Mpi::Mpich.launcher()];
        words.extend(Mpi::Mpich.flags().iter().map(|word| (*word).to_owned()));
        words
    };
    let mut cases = Vec::new();
    for (program, flags) in PROGRAMS {
        let listed = Command::new(intel.join("bin").join(program)).arg("-list").envs(environment.clone()).output();
        let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        for benchmark in benchmarks(&listed) {
            let mut line = launcher.clone();
            line.extend(["-n".into(), ranks.to_string(), at("bin").clone() + "/" + program]);
            line.extend(flags.iter().map(|word| (*word).to_owned()));
            line.push(benchmark.to_owned());
            cases.push(Case {
                suite: "imb",
                mpi: mpi.to_owned(),
                name: format!("{program}/{benchmark}"),
                ranks,
                line,
                environment: environment.clone(),
                directory: std::env::temp_dir(),
                build: None,
                judge,
            });
        }
    }
    cases
}

/// The names in what `-list` says: indented by four, one word, perhaps with a remark in brackets.
fn benchmarks(listed: &str) -> Vec<&str> {
    let lines = listed.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next()).collect()
}

/// It passes when its tables have lines and nothing speaks of an error. IMB-MT ends without a word; the others say that all ranks come to
/// MPI_Finalize.
fn judge(ended: &Ended) -> Verdict {
    let tables = ended.out.matches("# Benchmarking").count();
    let lines = ended.out.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count();
    let whole = ended.out.contains("MPI_Finalize") || ended.out.contains(", MT part");
    match ended.code {
        0 if whole && lines > 0 && !ended.out.to_lowercase().contains("error") => {
            Verdict::Passed(format!("{tables} tables, {lines} lines"))
        }
        code => Verdict::Failed(format!("code {code}, {tables} tables, {lines} lines")),
    }
}
