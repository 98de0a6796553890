//! A part of MPI's test suites, short enough for every run of the tests; `tests/conformance` runs all of them.

use std::path::Path;
use std::time::Duration;

use midrun_tests::conformance::{Case, Verdict, imb, mpich_suite};
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, each_mpi, need};

/// Tests of MPICH's suite, a few of each kind, on as many ranks as every machine has cores: ranks of MPICH spin while they wait.
const PART: [&str; 36] = [
    "rma/allocmem",
    "rma/transpose1",
    "rma/test1",
    "rma/test2_shm",
    "rma/test4",
    "rma/lockopts",
    "rma/wintest",
    "rma/strided_acc_indexed",
    "rma/strided_get_indexed",
    "rma/put_base",
    "rma/manyrma3",
    "rma/rput_local_comp",
    "rma/get_struct",
    "rma/rget_unlock",
    "pt2pt/sendrecv2",
    "pt2pt/eagerdt",
    "pt2pt/bsend1",
    "pt2pt/greq1",
    "pt2pt/scancel2",
    "pt2pt/isendself",
    "pt2pt/mprobe",
    "pt2pt/irecv_any",
    "coll/op_commutative",
    "coll/reduce_local",
    "coll/iallred",
    "coll/ibarrier",
    "comm/dup",
    "comm/probe_intercomm",
    "comm/comm_idup",
    "datatype/sendrecvt2",
    "errhan/predef_eh",
    "init/exitst1",
    "attr/attrend",
    "threads/init/initth",
    "threads/pt2pt/sendselfth",
    "threads/pt2pt/ibsend",
];

const LIMIT: Duration = Duration::from_secs(60);

/// Runs them without and with midrun; `passing` of them have to pass, so that equal verdicts say something.
fn assert_the_same(cases: &[Case], passing: usize) {
    let (mut passed, mut calls) = (0, 0);
    let mut different = Vec::new();
    for case in cases {
        assert!(case.is_built(), "{} can be built for {}", case.name, case.mpi);
        let both = case.compare(LIMIT, 3);
        if both.differs() {
            different.push(format!("{}: {both:#?}", case.name));
        }
        passed += usize::from(matches!(both.with[0].verdict, Verdict::Passed(_)));
        calls += both.with[0].calls;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(passed >= passing, "{passed} of {} tests passed with midrun", cases.len());
    assert!(calls > 1000, "midrun counted {calls} MPI calls");
}

#[each_mpi]
fn tests_of_mpichs_suite_end_with_the_same_verdict(mpi: Mpi) {
    let all = mpich_suite::cases(mpi);
    need!(!all.is_empty(), format!("MPICH's test suite for {mpi:?} is not here"));
    let mut part: Vec<Case> = Vec::new();
    for case in all {
        if case.ranks <= 2 && PART.contains(&case.name.as_str()) && part.iter().all(|one| one.name != case.name) {
            part.push(case);
        }
    }
    assert_eq!(part.len(), PART.len(), "all of them are in the suite");
    assert_the_same(&part, PART.len() - 2);
}

#[test]
fn intels_benchmarks_end_with_the_same_verdict() {
    let mut cases = imb::cases("intel", 2);
    cases.extend(imb::cases("mpich", 2));
    need!(!cases.is_empty(), "the Intel MPI Benchmarks are not here");
    let part = [
        "IMB-RMA/Bidir_put",
        "IMB-RMA/Fetch_and_op",
        "IMB-RMA/Truly_passive_put",
        "IMB-NBC/Ialltoall",
        "IMB-MT/PingPongMT",
    ];
    cases.retain(|case| part.contains(&case.name.as_str()));
    assert_eq!(cases.len(), 2 * part.len(), "each of them under two MPIs");
    assert_the_same(&cases, cases.len());
}

/// A planted defect: a program that computes something else when midrun is there.
#[each_mpi]
fn a_program_that_ends_otherwise_with_midrun_is_found(mpi: Mpi) {
    let ended_with = |ended: &Ended| match ended.code {
        0 => Verdict::Passed(String::new()),
        code => Verdict::Failed(format!("code {code}")),
    };
    let mut line = mpi.line(1, Path::new("sh"));
    line.extend(["-c".into(), "[ -z \"$MIDRUN_SOCKET\" ]".into()]);
    let case = Case {
        suite: "planted",
        mpi: mpi.name().to_owned(),
        name: "planted".into(),
        ranks: 1,
        line,
        environment: Vec::new(),
        directory: std::env::temp_dir(),
        build: None,
        judge: ended_with,
    };
    let both = case.compare(LIMIT, 1);
    assert!(both.differs() && both.without.len() == 2, "{both:#?}");
}
