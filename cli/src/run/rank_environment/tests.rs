//! Tests of the rewriting: each compares a command before and after.

use super::*;
use crate::launch::command_line::Launcher;
use crate::launch::mpi::LauncherVersion;

fn line(text: &str, mpi: Option<Flavour>) -> CommandLine {
    let words: Vec<String> = text.split(' ').map(String::from).collect();
    let version = LauncherVersion { mpi, version: String::new() };
    let launcher = Launcher { at: 0, path: None, version };
    CommandLine { words, launcher: Some(launcher), apps: Vec::new() }
}

fn after(text: &str, mpi: Option<Flavour>, environment: &[(&str, &str)]) -> PreparedCommand {
    let ranks = RankEnvironment {
        variables: vec![("MIDRUN_JOB", "j".into()), ("MIDRUN_TOKEN", "t".into())],
        preload: Some(Path::new("/m.so")),
    };
    prepare(&line(text, mpi), &ranks, |name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn open_mpi_gets_the_variables_by_x() {
    let prepared = after("mpirun -n 2 ./a", Some(Flavour::OpenMpi), &[]);
    let words = prepared.words.join(" ");
    assert_eq!(words, "mpirun -x MIDRUN_JOB -x MIDRUN_TOKEN -x LD_PRELOAD=/m.so -n 2 ./a");
    assert!(prepared.environment.contains(&("MIDRUN_TOKEN".into(), "t".into())), "the value is not in the line");
}

#[test]
fn every_program_between_colons_gets_the_variables() {
    let words = after("mpirun -n 1 ./a : -n 2 ./b", Some(Flavour::OpenMpi), &[]).words.join(" ");
    assert_eq!(words.matches("-x LD_PRELOAD=/m.so").count(), 2);
    assert!(words.contains(": -x MIDRUN_JOB"), "{words}");
}

#[test]
fn what_is_preloaded_already_stays() {
    let words = after("mpirun -x LD_PRELOAD=/u.so ./a", Some(Flavour::OpenMpi), &[]).words;
    assert_eq!(
        words.iter().filter(|word| word.starts_with("LD_PRELOAD")).collect::<Vec<_>>(),
        ["LD_PRELOAD=/m.so:/u.so"]
    );
    let words = after("mpirun ./a", Some(Flavour::OpenMpi), &[("LD_PRELOAD", "/e.so")]).words.join(" ");
    assert!(words.contains("-x LD_PRELOAD=/m.so:/e.so"), "{words}");
    let words = after("mpiexec -genv LD_PRELOAD /u.so ./a", Some(Flavour::Mpich), &[]).words.join(" ");
    assert!(words.contains("-genv LD_PRELOAD /m.so:/u.so") && words.matches("LD_PRELOAD").count() == 1, "{words}");
}

#[test]
fn open_mpis_list_of_variables_is_extended_and_not_mixed_with_x() {
    let words = after("mpirun --mca mca_base_env_list A=1 ./a", Some(Flavour::OpenMpi), &[]).words.join(" ");
    assert_eq!(words, "mpirun --mca mca_base_env_list A=1;MIDRUN_JOB;MIDRUN_TOKEN;LD_PRELOAD=/m.so ./a");
    let prepared = after("mpirun ./a", Some(Flavour::OpenMpi), &[("OMPI_MCA_mca_base_env_list", "A=1")]);
    assert_eq!(prepared.words.join(" "), "mpirun ./a");
    let (_, list) = prepared.environment.last().unwrap();
    assert_eq!(list, "A=1;MIDRUN_JOB;MIDRUN_TOKEN;LD_PRELOAD=/m.so");
}

#[test]
fn hydra_gets_the_variables_by_genv_without_the_token() {
    let words = after("mpiexec -n 2 ./a", Some(Flavour::Mpich), &[]).words.join(" ");
    assert_eq!(words, "mpiexec -genv MIDRUN_JOB j -genv LD_PRELOAD /m.so -n 2 ./a");
}

#[test]
fn any_other_launcher_forwards_its_environment() {
    let prepared = after("srun -n 2 ./a", None, &[]);
    assert_eq!(prepared.words.join(" "), "srun -n 2 ./a");
    assert!(prepared.environment.contains(&("LD_PRELOAD".into(), "/m.so".into())));
}
