//! Tests of the rewriting: each compares a command before and after.

use super::*;
use crate::launch::command_line::LauncherWord;
use crate::launch::mpi::LauncherVersion;

/// `mpirun` is Open MPI's here, `mpiexec` MPICH's; a line with another first word has no launcher.
fn line(text: &str, leaves_host: bool) -> CommandLine {
    let words: Vec<String> = text.split(' ').map(String::from).collect();
    let kind = match words[0].as_str() {
        "mpirun" => Some(Launcher::OpenMpi4),
        "mpiexec" => Some(Launcher::Hydra),
        name => Launcher::of(name, None).map(|(kind, _)| kind),
    };
    let version = LauncherVersion { mpi: None, version: String::new() };
    let launcher = kind.map(|kind| LauncherWord { at: 0, kind, path: None, version });
    CommandLine::with_launcher(&words, launcher, |_| leaves_host)
}

fn after(text: &str, environment: &[(&str, &str)]) -> PreparedCommand {
    after_on(text, false, environment)
}

fn after_on(text: &str, leaves_host: bool, environment: &[(&str, &str)]) -> PreparedCommand {
    let ranks = RankEnvironment {
        variables: vec![("MIDRUN_JOB", "j".into()), ("MIDRUN_TOKEN", "t".into())],
        preload: Some(Path::new("/m.so")),
        midrun: Some(Path::new("/midrun")),
    };
    prepare(&line(text, leaves_host), &ranks, |name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn open_mpi_gets_the_variables_by_x_and_the_program_starts_by_exec() {
    let prepared = after("mpirun -n 2 ./a b", &[]);
    let words = prepared.words.join(" ");
    assert_eq!(words, "mpirun -x MIDRUN_JOB -x MIDRUN_TOKEN -n 2 /midrun exec -- ./a b");
    assert!(prepared.environment.contains(&("MIDRUN_TOKEN".into(), "t".into())), "the value is not in the line");
    assert!(prepared.environment.iter().all(|(name, _)| name != "LD_PRELOAD"), "launchers are not preloaded");
}

#[test]
fn every_program_between_colons_gets_the_variables() {
    let words = after("mpirun -n 1 ./a : -n 2 midrun exec ./b", &[]).words.join(" ");
    let x = "-x MIDRUN_JOB -x MIDRUN_TOKEN";
    assert_eq!(words, format!("mpirun {x} -n 1 /midrun exec -- ./a : {x} -n 2 midrun exec ./b"));
}

#[test]
fn programs_of_a_file_that_starts_them_by_exec_get_the_variables_by_the_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "-n 2 midrun exec ./a\n").unwrap();
    let prepared = after(&format!("mpirun --app {}", file.path().display()), &[]);
    assert_eq!(prepared.words.join(" "), format!("mpirun --app {}", file.path().display()));
    let list = ("OMPI_MCA_mca_base_env_list".to_owned(), "MIDRUN_JOB;MIDRUN_TOKEN".to_owned());
    assert!(prepared.environment.contains(&list), "{prepared:?}");
    let words = after(&format!("prterun --app {}", file.path().display()), &[]).words.join(" ");
    assert_eq!(words, format!("prterun -x MIDRUN_JOB -x MIDRUN_TOKEN --app {}", file.path().display()));
    let words = after(&format!("srun --export=NONE --multi-prog {}", file.path().display()), &[]).words.join(" ");
    assert_eq!(words, format!("srun --export=MIDRUN_JOB,MIDRUN_TOKEN --multi-prog {}", file.path().display()));
}

#[test]
fn options_by_which_hydra_forwards_listed_variables_only_list_the_secrets_too() {
    for (option, listed) in [
        ("-genvlist PATH", "-genvlist PATH,MIDRUN_TOKEN"),
        ("-envlist=PATH", "-envlist=PATH,MIDRUN_TOKEN"),
        ("-genvnone", "-genvlist MIDRUN_TOKEN"),
        ("-envnone", "-envlist MIDRUN_TOKEN"),
    ] {
        let words = after(&format!("mpiexec -n 1 ./a -envnone : {option} -n 2 ./b"), &[]).words.join(" ");
        let expected = format!("-n 1 /midrun exec -- ./a -envnone : {listed} -n 2 /midrun exec -- ./b");
        assert_eq!(words, format!("mpiexec -genv MIDRUN_JOB j {expected}"));
    }
}

#[test]
fn what_the_user_preloads_stays_in_the_line() {
    let words = after("mpirun -x LD_PRELOAD=/u.so ./a", &[("LD_PRELOAD", "/e.so")]).words.join(" ");
    assert!(words.ends_with("-x LD_PRELOAD=/u.so /midrun exec -- ./a"), "{words}");
    let prepared = after("./a", &[("LD_PRELOAD", "/e.so")]);
    assert!(prepared.environment.contains(&("LD_PRELOAD".into(), "/m.so:/e.so".into())), "no launcher");
    assert_eq!(prepared.words, ["./a"]);
}

#[test]
fn open_mpis_list_of_variables_is_extended_and_not_mixed_with_x() {
    let words = after("mpirun --mca mca_base_env_list A=1 ./a", &[]).words.join(" ");
    assert_eq!(words, "mpirun --mca mca_base_env_list A=1;MIDRUN_JOB;MIDRUN_TOKEN /midrun exec -- ./a");
    let prepared = after("mpirun ./a", &[("OMPI_MCA_mca_base_env_list", "A=1")]);
    assert_eq!(prepared.words.join(" "), "mpirun /midrun exec -- ./a");
    let (_, list) = prepared.environment.last().unwrap();
    assert_eq!(list, "A=1;MIDRUN_JOB;MIDRUN_TOKEN");
}

#[test]
fn hydra_gets_the_variables_by_genv_without_the_token() {
    let words = after("mpiexec -n 2 ./a", &[]).words.join(" ");
    assert_eq!(words, "mpiexec -genv MIDRUN_JOB j -n 2 /midrun exec -- ./a");
}

#[test]
fn on_other_hosts_a_shell_looks_for_midrun_first() {
    let words = after_on("srun -n 2 ./a b", true, &[]).words;
    assert_eq!(words[..5], ["srun", "-n", "2", "/bin/sh", "-c"]);
    assert_eq!(words[6..], ["/midrun", "./a", "b"]);
    assert_eq!(
        after_on("ibrun ./a", true, &[]).words.join(" "),
        "ibrun /midrun exec -- ./a",
        "a script that joins words"
    );
}

#[test]
fn the_shell_starts_the_program_where_there_is_no_midrun() {
    let run = |midrun: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", CAREFULLY, midrun, "/bin/echo", "a  b", "$c"]).output().unwrap()
    };
    let without = run("/not/there/midrun");
    assert_eq!(String::from_utf8_lossy(&without.stdout), "a  b $c\n");
    assert!(String::from_utf8_lossy(&without.stderr).contains("/not/there/midrun"));
    assert_eq!(String::from_utf8_lossy(&run("/bin/echo").stdout), "exec -- /bin/echo a  b $c\n");
}

#[test]
fn a_list_of_variables_for_srun_gets_ours() {
    let export = |text: &str| after(text, &[]).words[1].clone();
    assert_eq!(export("srun --export=A,B ./a"), "--export=A,B,MIDRUN_JOB,MIDRUN_TOKEN");
    assert_eq!(export("srun --export=NONE ./a"), "--export=MIDRUN_JOB,MIDRUN_TOKEN");
    assert_eq!(export("srun --export=ALL ./a"), "--export=ALL");
    assert_eq!(export("srun --export=ALL,A=1 ./a"), "--export=ALL,A=1,MIDRUN_JOB,MIDRUN_TOKEN");
    assert_eq!(after("srun --export A ./a", &[]).words[2], "A,MIDRUN_JOB,MIDRUN_TOKEN");
    let of_batch = after("srun ./a", &[("SLURM_EXPORT_ENV", "NONE")]);
    assert!(of_batch.environment.contains(&("SLURM_EXPORT_ENV".into(), "MIDRUN_JOB,MIDRUN_TOKEN".into())));
}

#[test]
fn rules_of_flux_that_remove_variables_are_followed_by_ours() {
    let words = after("flux run --env=-* -n 2 ./a", &[]).words.join(" ");
    assert!(words.starts_with("flux run --env=-* --env=MIDRUN_JOB --env=MIDRUN_TOKEN -n 2 /bin/sh"), "{words}");
    assert!(!after("flux run -n 2 ./a", &[]).words.join(" ").contains("--env"));
}

#[test]
fn a_program_on_a_host_without_midrun_gets_no_secrets() {
    let secrets = ["MIDRUN_TOKEN", "MIDRUN_JOB_TOKEN", midrun_vocabulary::names::CREDENTIALS_VARIABLE];
    assert!(secrets.iter().all(|name| is_secret(name)));
    let mut shell = std::process::Command::new("/bin/sh");
    shell
        .args(["-c", CAREFULLY, "/nowhere/midrun", "env"])
        .envs(secrets.map(|name| (name, "hush")))
        .env("MIDRUN_JOB", "j");
    let output = shell.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("MIDRUN_JOB=j") && !out.contains("hush"), "{out}");
    assert!(err.contains("there is no /nowhere/midrun") && err.contains("untuned"), "{err}");
    // Not where the other ranks would wait for it in MPI_Init.
    let output = shell.env("MIDRUN_SYNCHRONIZED", "1").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(70), 0), "{err}");
    assert!(err.contains("every rank must run under midrun"), "{err}");
}
