//! What sources become, and what is said where one cannot be read.

use super::*;
use crate::time_cost::{Cost, Policy, sweep};

fn given(numbers: &[(&str, f64)], functions: &[(&str, f64)]) -> Given {
    let known = |mean_s| Known { mean_s, variance_s2: 0.0, calls: None };
    Given {
        numbers: numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        functions: functions.iter().map(|(name, mean_s)| ((*name).to_owned(), known(*mean_s))).collect(),
    }
}

fn cost_of(text: &str, given: &Given, processors: f64) -> Cost {
    let machine = Machine { processors, speed: 1.0, policy: Policy::Equal };
    let structure = from_c(text, "f", given, machine).unwrap();
    // What is derived reads back as it was written.
    Structure::from_toml(&structure.to_toml()).unwrap();
    sweep(&structure, 200, 1).unwrap().remove(0).cost
}

fn refused(text: &str) -> DescriptionError {
    from_c(text, "f", &Given::default(), Machine { processors: 1.0, speed: 1.0, policy: Policy::Equal }).unwrap_err()
}

#[test]
fn loops_calls_and_branches_take_what_they_take() {
    let text = "#define ROWS 10\nenum { COLUMNS = 4 };\nstatic void g(int i) { work(i); /* once */ work(i + 1); }\n\
        int f(int n) {\n  for (int i = 0; i < ROWS; i++) {\n    g(i);\n    for (int j = COLUMNS; j > 0; j -= 2) work(j);\n  }\n\
          while (more(n)) work(n); /* n times */ // midrun: count n\n  // midrun: cost 0.5\n  n = 3 * n;\n\
          if (n > 3) { // midrun: probability 1\n    work(0);\n  } else idle();\n  return work(1);\n}\n";
    let of = given(&[("n", 3.0)], &[("work", 0.01), ("more", 0.001), ("idle", 9.0)]);
    let cost = cost_of(text, &of, 1.0);
    // 10 (2 + 2) works, 3 more and tests of `more`, the statement, and 2 works.
    assert!((cost.mean_s - (0.4 + 0.033 + 0.5 + 0.02)).abs() < 1e-9, "{}", cost.mean_s);
}

#[test]
fn a_loop_in_a_branch_of_chance_has_its_mean_and_variance() {
    let text = "void f(void) {\n  // midrun: probability 0.25\n  if (x)\n    for (int i = 0; i < 8; i++) work();\n}\n";
    let cost = cost_of(text, &given(&[], &[("work", 1.0)]), 1.0);
    assert!((cost.mean_s - 2.0).abs() < 1.0 && (cost.maximum_s - 8.0).abs() < 1e-9, "{cost:?}");
}

#[test]
fn threads_fork_join_and_lock() {
    let posix = "static pthread_mutex_t m;\nvoid *run(void *a) {\n  pthread_mutex_lock(&m);\n  work();\n  pthread_mutex_unlock(&m);\n  return 0;\n}\n\
        void f(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);\n  own();\n\
          for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n}\n";
    let cost = cost_of(posix, &given(&[], &[("work", 1.0), ("own", 3.5)]), 5.0);
    // One after another behind the lock, beside the thread's own work.
    assert!((cost.mean_s - 4.0).abs() < 1e-9, "{}", cost.mean_s);
    let open_mp = "void f(void) {\n#pragma omp parallel for num_threads(3)\n  for (int i = 0; i < 10; i++) work();\n\
        #pragma omp parallel num_threads(2)\n  {\n#pragma omp critical\n    work();\n  }\n}\n";
    let cost = cost_of(open_mp, &given(&[], &[("work", 1.0)]), 3.0);
    assert!((cost.mean_s - (4.0 + 2.0)).abs() < 1e-9, "{}", cost.mean_s);
}

#[test]
fn what_is_not_known_is_said_with_its_line() {
    for (text, line, part) in [
        ("void f(void) {\n  work();\n}", 2, "not known: work"),
        (
            "void f(void) {\n  // midrun: cost 1\n  a = 1;\n  for (;;) {\n    // midrun: cost 1\n    b();\n  }\n}",
            4,
            "midrun: count N",
        ),
        ("void f(void) {\n  if (a) {\n    // midrun: cost 1\n    b();\n  }\n}", 2, "midrun: probability P"),
        ("void f(void) {\n  f();\n}", 2, "calls itself"),
        ("void f(void) {\n  if (a) return;\n  // midrun: cost 1\n  b();\n}", 2, "a return before"),
        ("void f(void) {\n  a = ;\n}", 2, "no C that can be read"),
        ("void f(void) {\n  // midrun: costs 1\n  b();\n}", 2, "allowed is"),
        (
            "void *g(void *a) {\n  // midrun: cost 1\n  b();\n}\nvoid f(void) {\n  pthread_create(&t, 0, g, 0);\n  g(0);\n}",
            6,
            "not all joined",
        ),
        ("void f(void) {\n#pragma omp sections\n  {\n  }\n}", 2, "is not read"),
        ("void g(void) {}", 1, "no function `f`, but g"),
        ("int a;", 1, "no function `f`, and no other one"),
        ("int a;\nint f( {", 2, "no C that can be read"),
    ] {
        let error = refused(text);
        assert!(error.line == line && error.sentence.contains(part), "{text}: {error}");
    }
}

#[test]
fn sources_without_an_end_are_refused() {
    // Each function calls the next one twice: 2^30 statements.
    let calls = |depth: usize| {
        let twice = |k: usize| format!("void f{k}(void) {{ f{}(); f{}(); }}\n", k + 1, k + 1);
        let last = format!("void f{depth}(void) {{\n  // midrun: cost 1\n  work();\n}}\n");
        let first = "void f(void) { f0(); }\n".to_owned();
        [first, (0..depth).map(twice).collect(), last].concat()
    };
    let work = "    // midrun: cost 1\n    work();\n";
    let nested = |open: &str, close: &str, depth: usize| {
        format!("void f(void) {{\n{}\n{work}{}}}\n", open.repeat(depth), close.repeat(depth))
    };
    // Functions that call each other, each of which is deep by itself.
    let deep_calls: String = (0..60)
        .map(|k| {
            let name = if k == 0 { "f".to_owned() } else { format!("f{k}") };
            format!("void {name}(void) {{ {} f{}(); {} }}\n", "{".repeat(100), k + 1, "}".repeat(100))
        })
        .collect();
    let thousand = "#pragma omp parallel num_threads(900)\n  {\n";
    let joins = format!("void f(void) {{\n  {} pthread_join(t, 0);\n}}\n", "for (i = 0; i < 1000; i++)".repeat(9));
    for (text, part) in [
        (calls(30), "statements, with those of each call"),
        (nested("{", "}", 3_000), "parts are inside one another"),
        (format!("void f(void) {{ a = {}1{}; }}", "(".repeat(3_000), ")".repeat(3_000)), "parts are inside"),
        (deep_calls, "parts are inside one another"),
        (nested(thousand, "  }\n", 20), "threads with"),
        (joins, "threads are created and joined in blocks of their own"),
    ] {
        let error = refused(&text);
        assert!(error.sentence.contains(part), "{error}");
    }
    let (deep, given) = (nested("{", "}", 900), Given::default());
    let machine = Machine { processors: 1.0, speed: 1.0, policy: Policy::Equal };
    assert!(from_c(&deep, "f", &given, machine).is_ok(), "no limit for what is written by hand");
}

#[test]
fn a_recording_tells_how_often_a_loop_repeats() {
    let text = "void f(void) {\n  while (next()) work();\n}\n";
    let known = |mean_s, calls| Known { mean_s, variance_s2: 0.0, calls: Some(calls) };
    let functions = [("f", known(1.0, 5)), ("work", known(0.1, 60)), ("next", known(0.0, 60))];
    let functions = functions.map(|(name, known)| (name.to_owned(), known)).into();
    let cost = cost_of(text, &Given { functions, ..Given::default() }, 1.0);
    assert!((cost.mean_s - 1.2).abs() < 1e-9, "{}", cost.mean_s);
}
