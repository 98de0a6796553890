//! Points in programs that know nothing of midrun: measured and turned by symbol, under each MPI, results unchanged.

use std::path::{Path, PathBuf};

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{ActionStatus, PointMeasured};
use midrun_tests::ask::succeed;
use midrun_tests::mpi::command;
use midrun_tests::scripted_analyzer::{Link, ScriptedAnalyzer};
use midrun_tests::synthetic::{self, assert_whole, wait_for_iterations};
use midrun_tests::{Agent, Mpi, Process, Scratch, Summary, each_mpi, need, root, run};

/// Time between two iterations, microseconds: time enough for what the tests send.
const PAUSE_US: &str = "5000";

/// A program of the tests, compiled as anybody would.
fn classic(mpi: Mpi, scratch: &Scratch) -> PathBuf {
    mpi.compile(scratch, &root().join("tests/programs/classic_mw.c"), &["-O2".into(), "-g".into()])
}

/// Three ranks of it with midrun preloaded, an agent of their own and these points.
fn start(scratch: &Scratch, mpi: Mpi, agent: &Agent, program: &Path, iterations: u32, points: &str) -> Process {
    start_in(scratch, mpi, agent, program, iterations, &[("MIDRUN_POINTS", points)])
}

/// The same with these variables.
fn start_in(
    scratch: &Scratch,
    mpi: Mpi,
    agent: &Agent,
    program: &Path,
    iterations: u32,
    variables: &[(&str, &str)],
) -> Process {
    let mut line = mpi.line(3, program);
    line.extend([iterations.to_string(), PAUSE_US.into()]);
    let mut job = command(&line);
    let library = mpi.library().canonicalize().expect("libmidrun");
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "scripted").env("LD_PRELOAD", library);
    job.envs(variables.iter().map(|(name, value)| (name, value.replace('\n', ";"))));
    Process::start(scratch, "job", job)
}

/// What the program says by itself.
fn alone(scratch: &Scratch, mpi: Mpi, program: &Path, iterations: u32) -> String {
    let mut line = mpi.line(3, program);
    line.extend([iterations.to_string(), PAUSE_US.into()]);
    Process::start(scratch, "alone", command(&line)).succeed().out
}

fn total(out: &str) -> &str {
    out.lines().find(|line| line.starts_with("total ")).unwrap_or_else(|| panic!("a total in {out}"))
}

/// The program, what it says by itself in 400 iterations, and an agent of a scripted analyzer.
struct Scene {
    scratch: Scratch,
    program: PathBuf,
    plain: String,
    agent: Agent,
    link: Link,
    analyzer: ScriptedAnalyzer,
}

impl Scene {
    fn new(mpi: Mpi) -> Scene {
        let scratch = Scratch::new();
        let program = classic(mpi, &scratch);
        let plain = alone(&scratch, mpi, &program, 400);
        let analyzer = ScriptedAnalyzer::start();
        let agent = Agent::start(&scratch, &analyzer.url);
        let link = analyzer.welcome(0);
        Scene { scratch, program, plain, analyzer, agent, link }
    }
}

/// Hears events until `wanted` finds something in one of rank 0.
fn until<T>(link: &mut Link, mut wanted: impl FnMut(&Kind) -> Option<T>) -> T {
    loop {
        let events = link.events().expect("the job runs");
        if let Some(found) = events.iter().filter(|(rank, _)| *rank == 0).find_map(|(_, event)| wanted(event)) {
            return found;
        }
    }
}

fn status(link: &mut Link, action: u64) -> ActionStatus {
    until(link, |event| match event {
        Kind::ActionResult(result) if result.action == action => Some(result.status()),
        _ => None,
    })
}

/// Waits for a measurement of rank 0.
fn measured(link: &mut Link, label: &str, wanted: impl Fn(&PointMeasured) -> bool) -> PointMeasured {
    until(link, |event| match event {
        Kind::PointMeasured(point) if point.label == label && wanted(point) => Some(point.clone()),
        _ => None,
    })
}

const POINTS: &str = "iteration function iterate
measure compute function compute sum
measure chunk function chunk_of raw
measure f0_seen variable F0 f64 sum
tune f0 variable F0 f64 0..1 step 0.05
tune name text technique 32
tune algorithm replace compute by compute_slowly
tune share argument chunk_of 2 i64 1..1000
insert flush flush_results after iterate
once flush_now flush_results";

#[each_mpi]
fn variables_functions_arguments_and_calls_of_an_unmodified_program_are_turned_while_it_runs(mpi: Mpi) {
    let Scene { scratch, program, plain, analyzer: _analyzer, agent, mut link } = Scene::new(mpi);
    let job = start(&scratch, mpi, &agent, &program, 400, POINTS);

    let before = measured(&mut link, "f0_seen", |_| true);
    assert!(before.is_value && before.value == 0.4 && before.count == 1, "{before:?}");
    let chunk = measured(&mut link, "chunk", |_| true);
    assert_eq!((chunk.count, chunk.is_value), (1, false), "each call by itself");

    link.act(1, "scripted", 0, &[("f0", 0.1)]);
    assert_eq!(status(&mut link, 1), ActionStatus::Applied);
    measured(&mut link, "f0_seen", |point| point.value == 0.1);
    link.act(2, "scripted", 0, &[("f0", 1.5)]);
    assert_eq!(status(&mut link, 2), ActionStatus::RefusedRange);
    link.act(3, "scripted", 0, &[("f0", 0.12)]);
    assert_eq!(status(&mut link, 3), ActionStatus::RefusedRange, "it is between two steps");
    link.act_text(4, "scripted", 0, ("name", "factoring"));
    assert_eq!(status(&mut link, 4), ActionStatus::Applied);
    // One at most is left, so each chunk is one task: 200 in an iteration.
    link.act(5, "scripted", 0, &[("share", 1.0), ("flush", 1.0)]);
    assert_eq!(status(&mut link, 5), ActionStatus::Applied);
    link.act(6, "scripted", 0, &[("flush_now", 1.0)]);
    assert_eq!(status(&mut link, 6), ActionStatus::Applied);
    link.act(7, "scripted", 1, &[("algorithm", 1.0)]);
    until(&mut link, |event| matches!(event, Kind::PointMeasured(_)).then_some(()));
    while link.events().is_some() {}

    let out = job.succeed().out;
    assert_eq!(total(&out), total(&plain), "{mpi:?}: results stay");
    assert!(out.contains("end F0 0.100") && out.contains("technique factoring"), "{mpi:?}: {out}");
    assert!(out.contains("after F0 0.400 technique batches"), "{mpi:?}: what was changed goes back: {out}");
    let flushed = out.lines().find_map(|line| line.strip_prefix("flushed ")?.parse::<u32>().ok());
    assert!(flushed.is_some_and(|times| times > 2), "{mpi:?}: {out}");
}

#[each_mpi]
fn what_the_program_sets_after_mpi_init_is_what_it_starts_with(mpi: Mpi) {
    let Scene { scratch, program, plain, analyzer: _analyzer, agent, mut link } = Scene::new(mpi);
    // NW is 0 in MPI_Init, and 2 before the first iteration; no line says what an iteration is.
    let (without, with) =
        ("measure chunk function chunk_of sum", "measure chunk function chunk_of sum\ntune nw variable NW int 0..8");
    let variables = [("MIDRUN_POINTS", with), ("MIDRUN_ALLOW_POINTS", "1")];
    let job = start_in(&scratch, mpi, &agent, &program, 400, &variables);
    measured(&mut link, "chunk", |_| true);
    // A value that nobody set stays when its tuning point goes, and one that was set goes back to the program's own.
    for (action, text) in [(1, without), (2, with)] {
        link.act_text(action, "scripted", 0, ("points", text));
        assert_eq!(status(&mut link, action), ActionStatus::Applied, "{mpi:?}: {action}");
    }
    link.act(3, "scripted", 0, &[("nw", 1.0)]);
    assert_eq!(status(&mut link, 3), ActionStatus::Applied, "{mpi:?}");
    link.act_text(4, "scripted", 0, ("points", without));
    assert_eq!(status(&mut link, 4), ActionStatus::Applied, "{mpi:?}");
    while link.events().is_some() {}
    let out = job.succeed().out;
    assert!(out.contains("NW 2 technique"), "{mpi:?}: {out}");
    assert_eq!(total(&out), total(&plain), "{mpi:?}");
}

#[each_mpi]
fn points_come_and_go_while_the_program_runs(mpi: Mpi) {
    let Scene { scratch, program, plain, analyzer: _analyzer, agent, mut link } = Scene::new(mpi);
    let job = start(&scratch, mpi, &agent, &program, 400, "iteration function iterate\ntune f0 variable F0 f64 0..1");
    measured(&mut link, "iteration", |_| true);
    link.act(1, "scripted", 0, &[("f0", 0.2)]);
    assert_eq!(status(&mut link, 1), ActionStatus::Applied);

    // The variable goes back, the function is measured from here on, and one line cannot be done.
    let text = "iteration function iterate\nmeasure chunk function chunk_of sum\nmeasure x function nowhere sum\n\
                measure f variable F0 f64 sum";
    link.act_text(2, "scripted", 0, ("points", text));
    let mut refused = None;
    until(&mut link, |event| {
        if let Kind::PointRefused(line) = event {
            refused = Some((line.line, line.why.clone(), line.shed));
        }
        matches!(event, Kind::ActionResult(result) if result.action == 2).then_some(())
    });
    let (line, why, shed) = refused.expect("a refusal comes before the answer");
    assert!((line, shed) == (3, false) && why.contains("there is no nowhere in the program"), "{why}");
    assert_eq!(measured(&mut link, "f", |_| true).value, 0.4, "{mpi:?}: the tuning point is gone, its value is back");
    let chunk = measured(&mut link, "chunk", |point| point.count > 10);
    assert_eq!(chunk.bins.iter().map(|bin| bin.count).sum::<u64>(), chunk.timed);
    assert!(chunk.sum > 0.0 && chunk.minimum <= chunk.maximum && chunk.first_ns < chunk.last_ns, "{chunk:?}");
    link.act(3, "scripted", 0, &[("f0", 0.3)]);
    assert_eq!(status(&mut link, 3), ActionStatus::RefusedUnknown);

    link.act_text(4, "scripted", 0, ("points", "measure chunk function chunk_of often"));
    assert_eq!(status(&mut link, 4), ActionStatus::RefusedRange, "a text that is none changes nothing");
    link.act_text(5, "scripted", 0, ("points", "iteration function iterate"));
    assert_eq!(status(&mut link, 5), ActionStatus::Applied);
    while link.events().is_some() {}
    assert_eq!(total(&job.succeed().out), total(&plain), "{mpi:?}");
}

#[each_mpi]
fn tuning_points_that_the_owner_did_not_name_need_the_owners_word(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = classic(mpi, &scratch);
    let plain = alone(&scratch, mpi, &program, 400);
    for (allowed, taken) in [("0", ActionStatus::RefusedRange), ("1", ActionStatus::Applied)] {
        let analyzer = ScriptedAnalyzer::start();
        let agent = Agent::start(&scratch, &analyzer.url);
        let mut link = analyzer.welcome(0);
        let named = "iteration function iterate\ntune f0 variable F0 f64 0..1";
        let variables = [("MIDRUN_POINTS", named), ("MIDRUN_ALLOW_POINTS", allowed)];
        let job = start_in(&scratch, mpi, &agent, &program, 400, &variables);
        measured(&mut link, "iteration", |_| true);
        // What was named at the start, with something to be measured.
        let text = format!("{named}\nmeasure chunk function chunk_of sum");
        link.act_text(1, "scripted", 0, ("points", &text));
        assert_eq!(status(&mut link, 1), ActionStatus::Applied, "{mpi:?}");
        for (id, line) in [
            (2, "once x abort"),
            (3, "insert x abort before iterate"),
            (4, "tune x replace chunk_of by abort"),
            (5, "tune x variable F0 f64 0..2"),
            (6, "tune x argument chunk_of 1 i64 0..9"),
        ] {
            link.act_text(id, "scripted", 0, ("points", &format!("{named}\n{line}")));
            let mut why = String::new();
            let answer = until(&mut link, |event| match event {
                Kind::PointRefused(line) => {
                    why.clone_from(&line.why);
                    None
                }
                Kind::ActionResult(result) if result.action == id => Some(result.status()),
                _ => None,
            });
            assert_eq!(answer, taken, "{mpi:?}: {line}");
            assert_eq!(why.contains("--allow-points"), allowed == "0", "{mpi:?}: {line}: {why}");
        }
        while link.events().is_some() {}
        assert_eq!(total(&job.succeed().out), total(&plain), "{mpi:?}");
    }
}

/// `midrun run --points FILE … -- LINE`.
fn under_midrun(scratch: &Scratch, points: &str, line: &[String]) -> Process {
    std::fs::write(scratch.path("points"), points).expect("a file");
    run::under_midrun(scratch, "run", &["--summary", "s.json", "--points", "points"], line)
}

fn point<'a>(summary: &'a Summary, label: &str) -> &'a serde_json::Value {
    let list = summary.0["points"]["measured"].as_array().expect("points");
    list.iter().find(|point| point["label"] == label).unwrap_or_else(|| panic!("{label} in {list:?}"))
}

#[each_mpi]
fn midrun_run_measures_an_unmodified_program_by_a_file_of_points(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = classic(mpi, &scratch);
    let plain = alone(&scratch, mpi, &program, 20);
    let mut line = mpi.line(3, &program);
    line.push("20".into());
    let text = "# iterations first\niteration function iterate\nmeasure compute function compute sum # tasks\n\
                measure sends mpi MPI_Send world bytes=8..16 sum\nmeasure steps variable NW i32 raw\n\
                measure other function NOWHERE sum\n";
    let ended = under_midrun(&scratch, text, &line).succeed();
    assert_eq!(total(&ended.out), total(&plain), "{mpi:?}");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 20, "{}", ended.err);
    assert_eq!(
        (point(&summary, "compute")["count"].as_u64(), point(&summary, "compute")["ranks"].as_u64()),
        (Some(4000), Some(2))
    );
    assert_eq!(point(&summary, "steps")["mean"], 2.0);
    assert_eq!(summary.0["points"]["declared"][1], "iteration function iterate");
    // A message to a worker has 16 bytes, one back 8; those that stop it have none.
    let sends = point(&summary, "sends");
    assert!(sends["count"].as_u64() >= Some(80) && sends["ranks"] == 3, "{sends}");
    assert_eq!(summary.0["points"]["refused"][0]["line"], 6, "{}", summary.0["points"]);
    assert!(ended.err.contains("line 6 of the points is refused"), "{}", ended.err);
    scratch.assert_nothing_left();
}

/// A tool that puts its rank under a seccomp filter, which refuses a system call where an argument has one of these bits.
fn filter(mpi: Mpi, scratch: &Scratch, call: &str, (argument, bits): (u32, &str), is_before: bool) -> PathBuf {
    let library = scratch.path(&format!("{call}.so"));
    let mut compile = std::process::Command::new(format!("mpicc.{}", mpi.name()));
    compile.args(["-shared", "-fPIC"]).arg(format!("-DCALL=SYS_{call}")).arg(format!("-DARGUMENT={argument}"));
    compile.arg(format!("-DBITS={bits}")).arg(format!("-DBEFORE={}", u8::from(is_before)));
    compile.arg("-o").arg(&library).arg(root().join("tests/programs/filter.c"));
    assert!(compile.status().is_ok_and(|status| status.success()), "{mpi:?} compiles filter.c");
    library
}

#[each_mpi]
fn a_job_whose_seccomp_filter_refuses_what_hooks_need_ends_as_without_midrun_and_the_reason_names_it(mpi: Mpi) {
    let scratch = Scratch::new();
    // Without the optimiser each function begins with short instructions, so that the jump may meet a thread between them.
    let program = mpi.compile(&scratch, &root().join("tests/programs/classic_mw.c"), &["-O0".into(), "-g".into()]);
    let mut line = mpi.line(3, &program);
    line.push("20".into());
    std::fs::write(scratch.path("points"), "iteration function iterate\nmeasure compute function compute sum\n")
        .expect("a file");
    for (call, bits, is_before, reason) in [
        ("mprotect", (2, "PROT_EXEC"), true, "code cannot be made executable: "),
        ("getdents64", (2, "~0u"), false, "whether all threads survive a trap, cannot be read: "),
        ("openat", (0, "~0u"), false, "there is no iterate, and program cannot be read: "),
    ] {
        let tool = filter(mpi, &scratch, call, bits, is_before);
        let filtered = |name: &str, mut job: std::process::Command| {
            job.env("LD_PRELOAD", &tool);
            Process::start(&scratch, name, job).succeed()
        };
        let plain = filtered("alone", command(&line));
        let flags = ["--summary", "s.json", "--points", "points"];
        let ended = filtered("run", run::command(&scratch, &flags, &line));
        assert_eq!(total(&ended.out), total(&plain.out), "{mpi:?}, {call}");
        for said in [&plain.err, &ended.err] {
            assert_eq!(said.lines().filter(|line| *line == "filtered").count(), 3, "{mpi:?}, {call}: {said}");
        }
        let summary = Summary::read(&scratch.path("s.json"));
        assert_eq!(summary.count("/ranks"), 3, "{mpi:?}, {call}");
        for said in [summary.0["points"]["refused"].to_string(), ended.err] {
            let named = said.contains(reason)
                && said.contains("Operation not permitted (os error 1), perhaps by a seccomp filter");
            assert!(named, "{mpi:?}, {call}: {said}");
        }
    }
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_function_that_is_called_too_often_gives_up_detail_until_it_fits_the_budget(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = scratch.path("busy");
    let source = scratch.path("busy.c");
    std::fs::write(&source, BUSY).expect("a file");
    let mut compiler = std::process::Command::new(format!("mpicc.{}", mpi.name()));
    assert!(compiler.arg("-O1").arg(&source).arg("-o").arg(&program).status().expect("mpicc").success());
    let text = "iteration function iterate\nmeasure tiny function tiny raw";
    let ended = under_midrun(&scratch, text, &mpi.line(1, &program)).succeed();
    assert!(ended.out.contains("sum 4000000"), "{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    let refused = &summary.0["points"]["refused"];
    let first = refused.as_array().and_then(|list| list.first()).unwrap_or_else(|| panic!("{}", summary.0));
    assert_eq!((&first["line"], &first["shed"]), (&2.into(), &true.into()));
    assert!(ended.err.contains("line 2 of the points gives up detail in rank 0"), "{}", ended.err);
    assert!(ended.err.contains("from each call recorded to each call timed"), "{}", ended.err);
}

/// Four million calls of a function that does next to nothing, in 40 iterations.
const BUSY: &str = "#include <mpi.h>
#include <stdio.h>
__attribute__((noinline)) static long tiny(long x) { long volatile y = x; return y + 1; }
__attribute__((noinline)) static long iterate(long x) { for (int i = 0; i < 100000; i++) x = tiny(x); return x; }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  long sum = 0;
  for (int i = 0; i < 40; i++) sum = iterate(sum);
  printf(\"sum %ld\\n\", sum);
  MPI_Finalize();
}
";

#[each_mpi]
fn a_fortran_program_is_measured_and_its_module_variable_offered(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = root().join("tests/programs/classic_mw.f90");
    let program = mpi.compile_fortran(&scratch, &source, &["-O1", "-fno-inline", "-w", "-fallow-argument-mismatch"]);
    need!(program.is_some(), "no Fortran");
    let program = program.expect("a program");
    let plain = Process::start(&scratch, "alone", command(&mpi.line(3, &program))).succeed();
    let inspected = succeed(&scratch, &["inspect", &program.display().to_string()]);
    assert!(inspected.contains("# tune farm.f0 variable __farm_MOD_f0 double"), "{mpi:?}: {inspected}");
    let text = "iteration function __farm_MOD_iterate\nmeasure compute function __farm_MOD_compute sum\n\
                measure f0_seen variable __farm_MOD_f0 f64 sum\ntune f0 variable __farm_MOD_f0 f64 0..1\n";
    let ended = under_midrun(&scratch, text, &mpi.line(3, &program)).succeed();
    assert_eq!(total(&ended.out), total(&plain.out), "{mpi:?}");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 20, "{}", ended.err);
    assert_eq!(point(&summary, "compute")["count"], 4000, "{}", summary.0["points"]);
    assert_eq!(point(&summary, "f0_seen")["maximum"], 0.4);
    assert_eq!(summary.0["points"]["refused"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_file_of_points_with_a_mistake_is_refused_before_the_start() {
    let scratch = Scratch::new();
    let line = ["sh".to_owned(), "-c".into(), "touch started".into()];
    let text = "iteration function iterate\nmeasure compute function compute often\n";
    let ended = under_midrun(&scratch, text, &line).wait();
    assert_eq!(ended.code, 64, "{}", ended.err);
    let said = "midrun: --points points: line 2, column 34: \"often\" is not a mode: off, sum or raw\n";
    assert_eq!(ended.err, said);
    assert!(!scratch.path("started").exists());
}

#[each_mpi]
fn the_first_example_of_the_document_works_as_it_stands_and_nothing_is_invented(mpi: Mpi) {
    let scratch = Scratch::new();
    let document = std::fs::read_to_string(root().join("docs/points.md")).expect("the document");
    let example: Vec<&str> = document
        .lines()
        .skip_while(|line| !line.starts_with("    #"))
        .take_while(|line| line.starts_with("    "))
        .collect();
    let program = classic(mpi, &scratch);
    let mut line = mpi.line(3, &program);
    line.push("20".into());
    let ended = under_midrun(&scratch, &example.join("\n"), &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    // The program computes nearly nothing, so that measuring it may give up detail.
    let refused = summary.0["points"]["refused"].as_array().expect("a list").iter();
    assert_eq!(refused.filter(|line| line["shed"] != true).count(), 0, "{mpi:?}: {}", ended.err);
    assert_eq!(summary.count("/iterations"), 20, "{mpi:?}: {}", ended.err);
    // Nobody told midrun of tasks.
    assert_eq!((&summary.0["tasks"][0], &summary.0["technique"]), (&0.into(), &"".into()), "{mpi:?}");
    for invented in ["worker", "technique", "ideal", "for the same work"] {
        assert!(!ended.err.contains(invented), "{mpi:?}: {invented}: {}", ended.err);
    }
    assert!(ended.err.contains("20 iterations on 3 ranks"), "{mpi:?}: {}", ended.err);
}

#[each_mpi]
fn what_inspect_prints_is_a_points_file_that_works_as_it_stands(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/fire_line.c"), &["-O2".into()]);
    let text = succeed(&scratch, &["inspect", &program.display().to_string()]);
    let lines: Vec<&str> = text.lines().map(|line| line.split("   # ").next().unwrap_or_default()).collect();
    for line in [
        "iteration function propagate",
        "measure spread function spread sum",
        "# work function spread first M int tasks N int",
    ] {
        assert!(lines.contains(&line), "{mpi:?}: {line}: {text}");
    }
    // The master's loop reads the factors and writes the sum.
    let (stays, written) = text.split_once("# Variables that the iterations write").expect("both lists");
    let (_, stays) = stays.split_once("do not write, read where messages are exchanged").expect("a list of these");
    for tuned in ["F0 variable F0 float", "F2 variable F2 float", "NW variable NW int"] {
        assert!(stays.contains(&format!("# tune {tuned} MIN..MAX")), "{mpi:?}: {tuned}: {text}");
    }
    assert!(written.contains("# tune total variable total double MIN..MAX"), "{mpi:?}: {text}");
    let mut line = mpi.line(3, &program);
    line.push("10".into());
    under_midrun(&scratch, &text, &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(
        (summary.count("/iterations"), &summary.0["points"]["refused"]),
        (10, &serde_json::json!([])),
        "{mpi:?}"
    );
    assert!(point(&summary, "spread")["count"].as_u64() > Some(0), "{mpi:?}");
}

#[each_mpi]
fn inspect_finds_what_a_program_tunes_though_the_compiler_made_one_function_of_it(mpi: Mpi) {
    let scratch = Scratch::new();
    let options = ["-O2", "-Dnoinline=always_inline", "-w"].map(str::to_owned);
    let program = mpi.compile(&scratch, &root().join("tests/programs/classic_mw.c"), &options);
    let text = succeed(&scratch, &["inspect", &program.display().to_string()]);
    let (stays, written) = text.split_once("# Variables that the iterations write").expect("both lists");
    // main sets NW before the loop of the iterations, and reads it inside.
    for tuned in ["F0 variable F0 double", "F2 variable F2 double", "NW variable NW int"] {
        assert!(stays.contains(&format!("# tune {tuned} MIN..MAX")), "{mpi:?}: {tuned}: {text}");
    }
    assert!(written.contains("# tune total variable total double MIN..MAX"), "{mpi:?}: {text}");
}

#[each_mpi]
fn inspect_takes_a_part_of_what_a_loop_exchanges_for_no_iteration(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = scratch.path("stencil.c");
    let text = r"
        #include <mpi.h>
        int tile = 8;
        double field[4096];
        __attribute__((noinline)) void halo(int from, int to) {
            MPI_Sendrecv(field, 1, MPI_DOUBLE, to, 0, field + 1, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        __attribute__((noinline)) void relax(void) {
            for (int begin = 0; begin < 4096; begin += tile) field[begin] += 0.5;
        }
        int main(int argc, char **argv) {
            double all;
            MPI_Init(&argc, &argv);
            for (int k = 0; k < argc * 9; k++) {
                halo(0, 0);
                relax();
                MPI_Allreduce(field, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            }
            return MPI_Finalize();
        }";
    std::fs::write(&source, text).expect("a file");
    let program = mpi.compile(&scratch, &source, &["-O2".into()]);
    let text = succeed(&scratch, &["inspect", &program.display().to_string()]);
    for line in [
        "\n# iteration function halo   # called by main; calls MPI_Sendrecv\n",
        "\n# The loop in main that calls halo also calls MPI_Allreduce: a pass of it is an iteration",
        "\n# iteration mpi MPI_Allreduce every 1   # if each pass makes 1 such call\n",
        "\n# tune tile variable tile int MIN..MAX   # 8 at start; read by relax",
    ] {
        assert!(text.contains(line), "{mpi:?}: {line}: {text}");
    }
    assert!(!text.contains("\niteration function"), "{mpi:?}: {text}");
    // As the compiler likes to have it.
    let inlined = mpi.compile(&scratch, &source, &["-O2", "-Dnoinline=always_inline", "-w"].map(str::to_owned));
    let text = succeed(&scratch, &["inspect", &inlined.display().to_string()]);
    for line in [
        "none, but a loop in main calls MPI_Allreduce, MPI_Sendrecv",
        "# iteration mpi MPI_Allreduce every 1",
        "# tune tile",
    ] {
        assert!(text.contains(line), "{mpi:?}: {line}: {text}");
    }
}

#[each_mpi]
fn inspect_lists_what_only_the_program_can_call_in_its_library(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let library = root().join("tests/programs/asked.c");
    let built = mpi.compile(&scratch, &library, &flags(&["-O1", "-shared", "-fPIC", "-Dmain=steps"]));
    std::fs::rename(built, scratch.path("libasked.so")).expect("a library");
    let source = scratch.path("caller.c");
    std::fs::write(&source, "int steps(int, char **);\nint main(int n, char **words) { return steps(n, words); }\n")
        .expect("a file");
    let directory = scratch.directory().display().to_string();
    let program = mpi.compile(
        &scratch,
        &source,
        &flags(&[&format!("-L{directory}"), "-lasked", &format!("-Wl,-rpath,{directory}")]),
    );
    let text = succeed(&scratch, &["inspect", &program.display().to_string()]);
    for function in ["steps", "answer"] {
        assert!(
            text.contains(&format!("# iteration function {function}   # calls MPI_")),
            "{mpi:?}: {function}: {text}"
        );
    }
}

/// A Master/Worker program in the style of MATE's: only the master has iterations, the slaves loop on receive, and the factors
/// are shares of what is left.
const FIRE_LINE: &str = "iteration function propagate
work function spread first 1 int tasks 2 int
measure slaves function spread sum
tune F0.rest variable F0 float 0.05..1
tune F1.rest variable F1 float 0.05..1
tune F2.rest variable F2 float 0.05..1
tune NW variable NW int 1..4 inside propagate";

#[each_mpi]
fn a_program_whose_slaves_know_no_iterations_is_tuned_unmodified(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/fire_line.c"), &["-O1".into()]);
    let mut line = mpi.line(5, &program);
    line.push("30".into());
    let plain = Process::start(&scratch, "alone", command(&line)).succeed();
    std::fs::write(scratch.path("points"), FIRE_LINE).expect("a file");
    let flags = ["--summary", "s.json", "--points", "points", "--objective", "time"];
    let ended = run::under_midrun(&scratch, "run", &flags, &line).succeed();
    assert_eq!(total(&ended.out), total(&plain.out), "{mpi:?}: results stay, and every slave was stopped");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 30, "{mpi:?}: {}", ended.err);
    // The slaves' chunks are known by their time: all 400 sections of nearly every iteration.
    let tasks: Vec<u64> = summary.list("tasks").iter().filter_map(serde_json::Value::as_u64).collect();
    let whole = tasks.iter().filter(|tasks| **tasks == 400).count();
    assert!(whole >= 25, "{mpi:?}: {tasks:?}");
    assert_eq!(point(&summary, "slaves")["ranks"], 4, "{mpi:?}");
    let changes = summary.list("decisions");
    // Whether the change stays is for the measured times to say, and the machine may be busy.
    let better =
        |change: &&serde_json::Value| change["tuning_point"] == "factors" && change["from"] == "1.000, 1.000, 1.000";
    let change = changes.iter().find(better).unwrap_or_else(|| panic!("{mpi:?}: {}", ended.err));
    assert!(
        change["applied_iteration"].is_u64() && change["predicted_s"].as_f64() < change["unchanged_s"].as_f64(),
        "{change}"
    );
    let first: f64 = change["to"].as_str().and_then(|to| to.split(',').next()?.parse().ok()).expect("shares");
    assert!((0.05..1.0).contains(&first), "{mpi:?}: the first batch leaves something: {change}");
    // Outside the master's function the number of workers is what it was, whatever it is inside.
    assert!(ended.out.contains(" NW 4\n"), "{mpi:?}: {}", ended.out);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_cpp_program_with_lambdas_is_tuned_by_its_names_in_the_source(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags =
        ["-std=c++17", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-lstdc++", "-lm"].map(str::to_owned);
    let program = mpi.compile(&scratch, &root().join("tests/programs/coordinator.cpp"), &flags);
    let text = succeed(&scratch, &["inspect", &program.display().to_string()]);
    let chunk =
        text.lines().find(|line| line.starts_with("measure Model.simulate function _ZN2mc5Model8simulateEii sum"));
    assert!(chunk.is_some() && !text.contains("function _ZNSt"), "{mpi:?}: {text}");
    let points = "iteration function mc::Coordinator::generation
work function mc::Model::simulate first 2 int tasks 3 int
tune chunk.tasks variable mc::batch_size unsigned 1..400
measure limited function mc::limited(int,int) sum
measure both function mc::limited sum";
    std::fs::write(scratch.path("points"), points).expect("a file");
    let mut line = mpi.line(4, &program);
    line.push("20".into());
    let flags = ["--summary", "s.json", "--points", "points", "--no-memory"];
    let ended = run::under_midrun(&scratch, "run", &flags, &line).succeed();
    assert_eq!(total(&ended.out), "total 31996000", "{mpi:?}: results stay");
    let summary = Summary::read(&scratch.path("s.json"));
    let refused = summary.0["points"]["refused"].as_array().expect("a list");
    let [both] = &refused[..] else { panic!("{mpi:?}: one line, once for all ranks: {refused:?}") };
    let why = both["why"].as_str().unwrap_or_default();
    assert!(both["line"] == 5 && why.contains("_ZN2mc7limitedEii") && why.contains("_ZN2mc7limitedEdd"), "{both}");
    assert!(point(&summary, "limited")["count"].as_u64() > Some(0), "{mpi:?}");
    let changes = summary.list("decisions");
    let larger = |change: &&serde_json::Value| change["tuning_point"] == "chunk.tasks" && change["from"] == "1";
    assert!(changes.iter().any(|change| larger(&change)), "{mpi:?}: {}", ended.err);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn iterations_in_a_thread_that_counts_none_are_named(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/other_thread.c"), &["-pthread".into()]);
    std::fs::write(scratch.path("points"), "measure f function work sum\niteration function advance\n")
        .expect("a file");
    let mut line = mpi.line(2, &program);
    line.push("20".into());
    let ended = run::under_midrun(&scratch, "run", &["--summary", "s.json", "--points", "points"], &line).succeed();
    let said = "no iterations: line 2 of the points was refused: its function is called in another thread";
    assert!(ended.err.contains(said), "{mpi:?}: {}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    let refused = summary.0["points"]["refused"].as_array().expect("a list");
    let [one] = &refused[..] else { panic!("{mpi:?}: one line, once for all ranks: {refused:?}") };
    let why = one["why"].as_str().unwrap_or_default();
    assert!(one["line"] == 2 && why.contains("another thread than the one that initialised MPI"), "{mpi:?}: {one}");
}

#[each_mpi]
fn points_reach_the_workers_of_the_framework_too(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 4, "--tasks 60 --mean-us 1000");
    let mut job = run::under_midrun(&scratch, "run", &["--summary", "s.json"], &line);
    wait_for_iterations(&mut job, 2);
    let text = succeed(&scratch, &["set", "points", "measure computed function compute sum"]);
    assert!(text.contains("applied on ranks 0-3"), "{mpi:?}: {text}");
    wait_for_iterations(&mut job, 3);
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    let computed = point(&summary, "computed");
    assert!(computed["count"].as_u64() >= Some(3) && computed["ranks"] == 3, "{mpi:?}: {computed}");
}

#[each_mpi]
fn a_script_sees_what_slaves_measure_in_the_iteration_in_which_they_did(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/fire_line.c"), &["-O1".into()]);
    let mut line = mpi.line(5, &program);
    line.push("20".into());
    let points = "iteration function propagate rank=0\nmeasure chunk argument spread 2 int sum\n\
        tune F0 variable F0 float 0.1..1 rank=0";
    // What the slaves say of an iteration decides: without it the factor stays.
    let tunlet = format!(
        "name = 'halve'\npoints = '''\n{points}\n'''\n[[rule]]\nwhen = 'has(points, \"chunk\") && points.chunk.sum == 400'\n\
         set = {{ F0 = '0.5' }}\nwhy = 'all sections are seen'\n"
    );
    std::fs::write(scratch.path("halve.toml"), tunlet).expect("a file");
    let ended =
        run::under_midrun(&scratch, "run", &["--summary", "s.json", "--tunlet", "./halve.toml"], &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let decisions = summary.list("decisions");
    assert!(decisions.iter().any(|change| change["why"] == "all sections are seen"), "{mpi:?}: {}", ended.err);
    // The tunlet's points come after the first iteration or two.
    assert!((10..=20).contains(&summary.count("/iterations")), "{mpi:?}: {}", ended.err);
    assert_eq!(point(&summary, "chunk")["is_value"], true, "{mpi:?}");
}
