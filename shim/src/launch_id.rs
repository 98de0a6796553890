//! The job that this process belongs to: named by `MIDRUN_JOB`, else by the launch that its launcher numbered.

use std::sync::OnceLock;

/// Variables in which launchers and batch systems number a launch, each with the one that numbers the step in it; the ones that
/// tell launches apart best come first.
const VARIABLES: [(&str, &str); 8] = [
    ("PALS_APID", ""),
    ("ALPS_APP_ID", ""),
    ("FLUX_JOB_ID", ""),
    ("SLURM_JOB_ID", "SLURM_STEP_ID"),
    ("PMI_JOBID", ""),
    ("PBS_JOBID", ""),
    ("LSB_JOBID", ""),
    ("JOB_ID", ""),
];
/// Longest number of a launch, with its kind, bytes.
const BYTES: usize = 63;
/// Variable by which a process that a master starts learns the launch of its master.
pub const LAUNCH: &str = "MIDRUN_LAUNCH";

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The number of this process's launch, found once. A process that a master of this job started has a launch of its own, and belongs to the
/// master's.
fn found() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| variable(LAUNCH).unwrap_or_else(|| number(variable, &hydra_port())))
}

/// The name of this process's job: the same in all ranks of one launch.
pub fn job() -> String {
    variable("MIDRUN_JOB").unwrap_or_else(|| found().split_once(':').map_or("unnamed", |(_, number)| number).to_owned())
}

/// The number of its launch (see [`midrun_vocabulary::launch`]): the same in all ranks of one launch. Empty where it cannot be told.
pub fn launch() -> &'static str {
    // The components of a heterogeneous job of Slurm are one launch with several numbers.
    let has_several = found().starts_with("SLURM") && variable("SLURM_HET_SIZE").is_some();
    if has_several { "" } else { found() }
}

/// `hydra` is the port by which MPICH's launcher reaches this launch, empty under other launchers.
fn number(variable: impl Fn(&str) -> Option<String>, hydra: &str) -> String {
    let name = |kind: &str, number: &str| -> String {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let number = number.chars().map(|c| if is_allowed(c) { c } else { '-' });
        kind.chars().chain([':']).chain(number).take(BYTES).collect()
    };
    // PMIx and Hydra number each launch, batch systems only the allocation around several of them.
    if let Some(namespace) = variable("PMIX_NAMESPACE") {
        return name("pmix", &namespace);
    }
    if !hydra.is_empty() {
        return name("hydra", hydra);
    }
    let known = VARIABLES.iter().find_map(|(launch, step)| {
        let step = variable(step).map_or(String::new(), |step| format!(".{step}"));
        Some((*launch, format!("{}{step}", variable(launch)?)))
    });
    known.map_or_else(String::new, |(kind, number)| name(kind, &number))
}

/// The value of `--control-port` of the nearest ancestor that has one: Hydra's proxies of one launch share it.
fn hydra_port() -> String {
    const ANCESTORS: usize = 4;
    let parent = |pid: i32| -> Option<i32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let mut pid = std::process::id().cast_signed();
    for _ in 0..ANCESTORS {
        let Some(above) = parent(pid).filter(|above| *above > 1) else { break };
        let line = std::fs::read(format!("/proc/{above}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        if words.any(|word| word == b"--control-port") {
            return words.next().map(|port| String::from_utf8_lossy(port).into_owned()).unwrap_or_default();
        }
        pid = above;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(variables: &[(&str, &str)], hydra: &str) -> String {
        let of = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        number(of, hydra)
    }

    #[test]
    fn launches_are_told_apart_by_what_their_launcher_numbers() {
        assert_eq!(named(&[("SLURM_JOB_ID", "12"), ("SLURM_STEP_ID", "3")], ""), "SLURM_JOB_ID:12.3");
        assert_eq!(named(&[("SLURM_JOB_ID", "12"), ("PMIX_NAMESPACE", "slurm.pmix.12.3")], ""), "pmix:slurm.pmix.12.3");
        assert_eq!(named(&[("SLURM_JOB_ID", "12")], "node1:4000"), "hydra:node1-4000", "two mpiexec in one allocation");
        assert_eq!(named(&[("PMIX_NAMESPACE", "prterun-node1-77@1")], ""), "pmix:prterun-node1-77-1");
        assert_eq!(named(&[("PBS_JOBID", "9.server")], ""), "PBS_JOBID:9.server");
        assert_eq!(named(&[], ""), "");
        assert_eq!(named(&[("FLUX_JOB_ID", &"f".repeat(90))], "").len(), BYTES);
    }
}
